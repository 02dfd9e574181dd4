// The page on which a game is recorded: its state, the screen, and the buttons. The record is written to the device after
// each change, sent to the referee, who answers with the position and the legal moves, and saved on the server.

import { flagged, keepAwake, run, settle, tick, written } from './clock.js';
import { concerns, games, isCurrent, load, newGame, persist, randomId, store, stored, today, token } from './device.js';
import { choices, continuations, dispute, enter, labels, legal, tap, typed } from './entry.js';
import { DISPUTED, answer, end, fault, isDisputed, isStored, judged, moves, note, over, reopen, secondLeg, setStart, setTags, sideOf, undo } from './score.js';
import { close, finish, readClocks, send, sync } from './sync.js';
import { $, button, fill, make, root, say, trouble } from './ui.js';

/** Milliseconds between two updates of the clocks. */
const TICK = 100;

/** Tags that do not name a player. */
const FIXED = ['Event', 'Site', 'Date', 'Round', 'TimeControl', 'UTCDate', 'UTCTime', 'Seed', 'Termination', 'Decision', 'Points', 'Leg', 'Board', 'Handshake'];
export const players = (record, sides) => {
  const tags = record.tags ?? {};
  const named = sides ?? Object.keys(tags).filter(tag => !FIXED.includes(tag)).slice(0, 2);
  return say('against', { one: tags[named[0]] || '?', two: tags[named[1]] || '?' });
};

/** The state of the page. */
const state = () => {
  const now = { at: performance.now(), wall: Date.now() };
  return {
    id: location.hash.slice(1),
    /** The game as it is stored on the device. */
    game: null,
    /** The stored text that this page read or wrote last. */
    held: null,
    /** Squares and pieces tapped for the next move. */
    taps: [],
    /** Endings chosen on this page. */
    ends: [],
    /** A typed move that was refused. */
    tentative: null,
    /** The board is seen from the other side. */
    flip: false,
    /** The running synchronization. */
    busy: null,
    /** Another synchronization is needed. */
    asked: false,
    offline: false,
    timer: null,
    /** A typed move is with the referee. */
    asking: false,
    /** The last change could not be stored on the device. */
    unkept: false,
    /** Another device may have saved the game since this page looked. */
    unsure: true,
    /** Time of the last settling of the clocks, and of the last check for sleep. */
    ticked: now,
    beat: now,
    lang: root.dataset.lang,
    dark: matchMedia('(prefers-color-scheme: dark)'),
    render(there, said) { render(this, there, said); },
    /** Stores, shows and synchronizes a change of the record. */
    changed() {
      this.taps = [];
      this.tentative = null;
      persist(this);
      this.render();
      sync(this);
    },
    showEndings(show, focus) { showEndings(this, show, focus); },
  };
};

// The screen.

const cells = desk => {
  const { columns, margin, cells: all } = answer(desk).board;
  const rows = all.length / columns;
  const place = $('cells');
  const open = continuations(desk);
  if (place.children.length !== all.length) {
    place.replaceChildren(...all.map((_, index) =>
      button('', () => tap(desk, answer(desk).board.cells[index].name), { tabindex: index ? -1 : 0 })));
  }
  const wide = columns + (2 * margin) / 100;
  const high = rows + (2 * margin) / 100;
  all.forEach((cell, index) => {
    const one = place.children[index];
    one.style.left = `${(100 * (margin / 100 + (index % columns))) / wide}%`;
    one.style.top = `${(100 * (margin / 100 + Math.floor(index / columns))) / high}%`;
    one.style.width = `${100 / wide}%`;
    one.style.height = `${100 / high}%`;
    one.dataset.name = cell.name;
    one.setAttribute('aria-label', cell.label);
    one.setAttribute('aria-pressed', String(desk.taps.includes(cell.name)));
    one.classList.toggle('open', open.has(cell.name));
  });
};

const marks = comments => [comments ?? []].flat().map(text => {
  const mark = /^\[%(\w+) ?(.*)\]$/.exec(text);
  const what = mark?.[2].replace(/ disputed$/, ` ${say('disputed')}`);
  const told = mark?.[1] === 'disputed' ? say('disputed') : mark?.[1] === 'undone' ? say('was-undone', { what }) : text;
  return make('span', { class: 'mark' }, ` ${told}`);
});

const score = desk => {
  const { game } = desk;
  const seen = judged(desk) ? answer(desk).plies : Math.min(answer(desk)?.plies ?? 0, game.judged ?? 0);
  const last = moves(desk).length - 1;
  fill($('moves'), [
    ...marks(game.record.comments),
    make('ol', { class: 'plies' }, ...moves(desk).map((ply, index) => make('li', { 'aria-current': index === last ? 'step' : false },
      `${game.sides?.[sideOf(desk, index)] ?? ''} `, make('strong', {}, ply.move),
      ply.clock_ms == null ? '' : make('span', { class: 'clock' }, ` ${written(ply.clock_ms)}`),
      index < seen ? '' : make('em', {}, ` ${say('unjudged')}`),
      ...marks(ply.comment)))),
  ]);
  $('moves').scrollTop = $('moves').scrollHeight;
};

const seats = desk => {
  const { game } = desk;
  const said = answer(desk);
  const turn = over(desk) || said?.end ? null : sideOf(desk, moves(desk).length);
  for (const side of [0, 1]) {
    const seat = document.querySelector(`[data-seat="${side}"]`);
    const tag = game.sides?.[side] ?? '';
    const name = game.record.tags[tag];
    seat.querySelector('.name').textContent = name ? `${tag} · ${name}` : tag;
    seat.querySelector('.turn').textContent = turn === side ? say('to-move') : '';
    seat.classList.toggle('moving', turn === side);
    seat.querySelector('.time').hidden = !game.clock;
    const points = said?.points?.[said.sides[side].name];
    seat.querySelector('.points').textContent = points == null ? '' : say('points', { points });
    seat.querySelector('.points').hidden = points == null;
  }
  $('clock').hidden = !game.clock || over(desk);
  $('clock').textContent = say(game.clock?.side == null ? 'start' : 'pause');
  tick(desk);
};

const status = desk => {
  const { game } = desk;
  if (desk.unkept) return say('device-full');
  if (game.finished) return say('finished');
  if (desk.offline) return say('offline', { plies: moves(desk).length - (judged(desk) ? moves(desk).length : game.judged ?? 0) });
  if (game.refused) return game.refused;
  if (!token() || game.left) return say('device-only');
  return say(game.live && game.saved === JSON.stringify(game.record) ? 'saved' : 'saving');
};

const faults = desk => {
  const place = $('trouble');
  if (desk.tentative) {
    const { text, fault: found, unreadable } = desk.tentative;
    trouble(make('p', {}, say('refused', { move: text })), make('p', {}, found?.message ?? ''),
      ...(found?.suggestions?.length ? [make('span', { class: 'label' }, say('suggested')), ' '] : []),
      ...(found?.suggestions ?? []).map(move => button(move, () => { $('move').value = ''; enter(desk, move); })),
      ...(unreadable ? [] : [button(say('enter-disputed'), () => dispute(desk, text))]),
      button(say('clear'), () => { desk.tentative = null; place.hidden = true; $('move').focus(); desk.render(); }, { class: 'plain' }));
    place.dataset.of = 'fault';
    return;
  }
  const found = isStored(desk) ? null : fault(desk);
  const ply = found && moves(desk)[found.ply - 1];
  if (found && !isDisputed(ply)) {
    trouble(make('p', {}, say('faulty', { ply: found.ply, move: ply?.move ?? '' })), make('p', {}, found.message),
      button(say('undo-to', { ply: found.ply }), () => { while (moves(desk).length >= found.ply) undo(desk); desk.changed(); }), ' ',
      button(say('mark-disputed'), () => { note(desk, ply, DISPUTED); desk.changed(); }));
    place.dataset.of = 'fault';
  } else if (place.dataset.of === 'fault') {
    delete place.dataset.of;
    trouble();
  }
};

/** Shows the endings that are possible, or hides them. Without a request of the user the focus does not move. */
const showEndings = (desk, show, focus = true) => {
  $('endings').hidden = !show;
  $('ending').setAttribute('aria-expanded', String(show));
  const out = flagged(desk);
  const isFlag = ending => out != null && ending.tags.Termination === 'time' && ending.winner === answer(desk).sides[1 - out].name;
  const all = [...(answer(desk)?.endings ?? [])].sort((one, other) => isFlag(other) - isFlag(one));
  const choose = ending => {
    end(desk, ending);
    showEndings(desk, false);
    desk.changed();
    $('result').scrollIntoView({ block: 'nearest' });
  };
  fill($('ways'), all.map(ending => button(ending.label, () => choose(ending), { class: isFlag(ending) ? null : 'plain' })));
  if (show && focus) $('ways').querySelector('button')?.focus();
};

/** The line that says what comes next. */
const prompt = desk => {
  const { game, taps } = desk;
  const said = answer(desk);
  const count = moves(desk).length;
  const waiting = judged(desk) ? 0 : count - Math.min(game.judged ?? said.plies, count);
  const out = flagged(desk);
  if (over(desk)) return say('over', { result: game.record.result });
  if (said.end) return say('ended', { end: said.ended });
  if (out != null) return say('flag', { side: game.sides[out] });
  if (fault(desk)) return say('left', { count: count - said.plies });
  if (waiting) return say('left', { count: waiting });
  if (taps.length) return say('continue', { taps: labels(desk, taps).join(' · ') });
  if (!said.moves.complete) return say('too-many', { count: said.moves.count });
  return say('choose', { side: game.sides[sideOf(desk, count)] });
};

/** Draws the page. `there` are moves that end at the square tapped, `said` replaces the prompt. */
const render = (desk, there, said) => {
  const { game, id, taps } = desk;
  const { record } = game;
  const found = answer(desk);
  $('title').textContent = players(record, game.sides);
  $('table').hidden = !found;
  $('sync').textContent = status(desk);
  $('sync').classList.toggle('off', desk.offline || desk.unkept || Boolean(game.refused));
  faults(desk);
  if (!found) return;
  const image = $('picture');
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(found.board.picture)}`;
  if (image.getAttribute('src') !== source) image.setAttribute('src', source);
  image.alt = found.board.description;
  image.hidden = false;
  cells(desk);
  seats(desk);
  score(desk);
  const now = said ?? prompt(desk);
  if ($('now').textContent !== now) $('now').textContent = now;
  fill($('beside'), legal(desk).length ? found.beside.map(thing =>
    button(thing.label, () => tap(desk, thing.name), { 'data-name': thing.name, 'aria-pressed': String(taps.includes(thing.name)) })) : []);
  fill($('choices'), choices(desk, there));
  $('typed').hidden = over(desk) || Boolean(found.end);
  $('undo').disabled = !moves(desk).length || Boolean(game.finished);
  $('details').hidden = Boolean(game.finished);
  $('second').hidden = !over(desk) || !secondLeg(desk, today());
  $('ending').hidden = over(desk);
  $('result').hidden = !over(desk);
  $('ended').textContent = over(desk) ? say('over', { result: record.result }) : '';
  $('finish').hidden = Boolean(game.finished);
  $('reopen').hidden = Boolean(game.finished);
  if (game.finished) {
    const path = root.dataset.record.replace('/0', `/${game.finished}`);
    fill($('outcome'), [make('p', {}, say('finished'), ' ', make('a', { href: path }, say('open-record')))]);
  } else if (!over(desk)) fill($('outcome'), []);
  if (found.end && !over(desk) && $('endings').hidden) showEndings(desk, true, false);
  fill($('facts'), found.facts.map(fact => make('li', {}, fact)));
  $('watch').hidden = $('close').hidden = !game.live || Boolean(game.finished);
  if (game.live) $('watch').href = root.dataset.live.replace('/0', `/${game.live.number}`);
  const text = judged(desk) && game.text;
  $('download').href = `data:application/octet-stream;charset=utf-8,${encodeURIComponent(text || JSON.stringify(record))}`;
  $('download').download = `${record.game}-${id.slice(0, 6)}.${text ? 'quipu' : 'json'}`;
};

// Tags.

/** The fields of the tags, those of the players first. */
const tagFields = ({ game: { sides } }) => [0, 1].map(seat => [sides?.[seat], $(`player-${seat}`)])
  .concat([...$('details').querySelectorAll('[data-tag]')].map(field => [field.dataset.tag, field]))
  .filter(([tag]) => tag);
/** Fills the fields with the tags of the record. */
const showTags = desk => {
  const { sides, record: { tags } } = desk.game;
  for (const seat of [0, 1]) $(`player-${seat}`).labels[0].textContent = sides?.[seat] ?? '';
  for (const [tag, field] of tagFields(desk)) {
    const value = tags[tag] ?? '';
    // A value that the list does not offer stays what it is.
    if (field.options && ![...field.options].some(option => option.value === value)) field.add(new Option(value, value));
    field.value = value;
  }
};

// The buttons.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Moves the focus between the squares. */
const step = (desk, event) => {
  const by = STEPS[event.key];
  if (!by) return;
  event.preventDefault();
  const all = [...$('cells').children];
  const { columns } = answer(desk).board;
  const at = all.indexOf(document.activeElement);
  const [x, y] = [(at % columns) + by[0], Math.floor(at / columns) + by[1]];
  const next = x >= 0 && x < columns ? all[y * columns + x] : null;
  if (!next) return;
  all[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

const listen = desk => {
  const { game } = desk;
  const on = (id, type, handle) => $(id).addEventListener(type, handle);
  on('typed', 'submit', event => {
    event.preventDefault();
    typed(desk, $('move').value.trim());
  });
  on('clock', 'click', () => {
    if (game.clock.side == null) setStart(desk);
    run(desk, game.clock.side == null ? sideOf(desk, moves(desk).length) : null);
    desk.changed();
  });
  on('undo', 'click', () => { undo(desk); desk.changed(); });
  on('flip', 'click', () => { desk.flip = !desk.flip; sync(desk); });
  on('ending', 'click', () => showEndings(desk, $('endings').hidden));
  on('details', 'toggle', () => { if ($('details').open) showTags(desk); });
  on('tags', 'submit', event => {
    event.preventDefault();
    setTags(desk, Object.fromEntries(tagFields(desk).map(([tag, field]) => [tag, field.value])));
    $('details').open = false;
    desk.changed();
  });
  on('second', 'click', () => {
    // It is begun once.
    if (!game.second || !load(game.second)) {
      const record = secondLeg(desk, today());
      const begun = newGame(record, Number(record.tags.TimeControl ?? 0));
      begun.sides = game.sides;
      const next = randomId();
      if (!store(next, begun)) return;
      game.second = next;
      persist(desk);
    }
    location.assign(`#${game.second}`);
  });
  on('reopen', 'click', () => { reopen(desk); desk.changed(); });
  on('finish', 'click', () => finish(desk, false));
  on('close', 'click', () => { if (confirm(say('confirm-close'))) close(desk); });
  on('cells', 'keydown', event => step(desk, event));
  addEventListener('online', () => sync(desk));
  addEventListener('hashchange', () => location.reload());
  addEventListener('pagehide', () => {
    // A page whose game was changed or removed elsewhere has nothing to store.
    if (game.clock?.side == null || !isCurrent(desk)) return;
    settle(desk);
    persist(desk);
  });
  addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
  addEventListener('storage', event => { if (concerns(event, desk.id)) location.reload(); });
  addEventListener('visibilitychange', () => {
    keepAwake(desk);
    desk.unsure = true;
    if (document.visibilityState === 'visible') sync(desk);
  });
  desk.dark.addEventListener('change', () => sync(desk));
  setInterval(() => tick(desk), TICK);
};

/** Opens a game of this device, or continues one of the server (`#live-12`) here. */
export const openDesk = async () => {
  const desk = state();
  const taken = /^live-(\d+)$/.exec(desk.id);
  if (taken) {
    const number = Number(taken[1]);
    const here = games().find(other => load(other)?.live?.number === number && !load(other).left);
    if (here) desk.id = here;
    else {
      const found = await send(desk, 'GET', `/v1/live/${number}`).catch(() => null);
      if (!found?.ok) return trouble(found?.said.detail ?? say('offline'));
      const { record, version, finished } = found.said;
      record.comments ??= [];
      record.tags ??= {};
      const game = newGame(record, Number(record.tags.TimeControl ?? 0));
      game.live = { number, version };
      game.finished = finished;
      desk.id = randomId();
      store(desk.id, game);
    }
    history.replaceState(null, '', `#${desk.id}`);
  }
  desk.held = stored(desk.id);
  desk.game = load(desk.id);
  if (!desk.game) {
    return trouble(make('p', {}, say('no-game')), make('p', {}, make('a', { href: root.dataset.keep }, say('all'))));
  }
  if (taken && !desk.game.desk) await readClocks(desk);
  settle(desk);
  listen(desk);
  desk.render();
  sync(desk);
};
