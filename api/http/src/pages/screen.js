// The screen of the desk: board, pieces, clocks, moves and messages, drawn from the game on the device and the last response
// of the referee. A game that was begun without a connection has no board yet.

import { flagged, tick, written } from './clock.js';
import { today, tokenFor } from './device.js';
import { choices, continuations, dispute, enter, labels, legal, tap } from './entry.js';
import { showEndings } from './endings.js';
import { showMoving } from './moving.js';
import { DISPUTED, lastResponse, fault, isDisputed, isStored, judged, moves, note, isOver, players, secondLeg, sideName, sideOf, undo } from './score.js';
import { $, button, fill, make, root, say, showNotice } from './ui.js';

const svg = text => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;

const cells = desk => {
  const { columns, margin, cells: all } = lastResponse(desk).board;
  const rows = all.length / columns;
  const place = $('cells');
  const open = continuations(desk);
  if (place.children.length !== all.length) {
    place.replaceChildren(...all.map((_, index) =>
      button('', () => tap(desk, lastResponse(desk).board.cells[index].name), { tabindex: index ? -1 : 0 })));
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
    one.title = cell.label;
    one.setAttribute('aria-label', cell.label);
    one.setAttribute('aria-pressed', String(desk.taps.includes(cell.name)));
    one.classList.toggle('open', open.has(cell.name));
  });
};

const board = desk => {
  const found = lastResponse(desk);
  $('square').hidden = !found;
  if (!found) return;
  const image = $('picture');
  const source = svg(found.board.picture);
  if (image.getAttribute('src') !== source) image.setAttribute('src', source);
  image.alt = found.board.description;
  cells(desk);
  showMoving(desk, source);
};

/** The buttons of the pieces beside the board. */
const pieces = desk => (legal(desk).length ? lastResponse(desk).beside.map(({ name, label, picture }) => {
  const image = picture ? [make('img', { src: svg(picture), alt: '', width: 32, height: 32 })] : [];
  const one = button('', () => tap(desk, name), {
    'data-name': name, title: say('notation', { name }), 'aria-pressed': String(desk.taps.includes(name)),
  });
  one.append(...image, make('span', {}, label));
  return one;
}) : []);

const marks = comments => [comments ?? []].flat().map(text => {
  const mark = /^\[%(\w+) ?(.*)\]$/.exec(text);
  const what = mark?.[2].replace(/ disputed$/, ` ${say('disputed')}`);
  const told = mark?.[1] === 'disputed' ? say('disputed') : mark?.[1] === 'undone' ? say('was-undone', { what }) : text;
  return make('span', { class: 'mark' }, ` ${told}`);
});

const score = desk => {
  const { game } = desk;
  const seen = judged(desk) ? lastResponse(desk).plies : Math.min(lastResponse(desk)?.plies ?? 0, game.judged ?? 0);
  const last = moves(desk).length - 1;
  fill($('moves'), [
    ...marks(game.record.comments),
    make('ol', { class: 'plies' }, ...moves(desk).map((ply, index) => make('li', { 'aria-current': index === last ? 'step' : false },
      `${sideName(desk, sideOf(desk, index))} `, make('strong', {}, ply.move),
      ply.clock_ms == null ? '' : make('span', { class: 'clock' }, ` ${written(ply.clock_ms)}`),
      index < seen ? '' : make('em', {}, ` ${say('unjudged')}`),
      ...marks(ply.comment)))),
  ]);
  $('moves').scrollTop = $('moves').scrollHeight;
};

const seats = desk => {
  const { game } = desk;
  const said = lastResponse(desk);
  const turn = isOver(desk) || said?.end ? null : sideOf(desk, moves(desk).length);
  for (const side of [0, 1]) {
    const seat = document.querySelector(`[data-seat="${side}"]`);
    const name = game.record.tags[game.sides?.[side] ?? ''];
    seat.querySelector('.name').textContent = [sideName(desk, side), name].filter(Boolean).join(' · ');
    seat.querySelector('.turn').textContent = turn === side ? say('to-move') : '';
    seat.classList.toggle('moving', turn === side);
    seat.querySelector('.time').hidden = !game.clock;
    const points = said?.points?.[said.sides[side].name];
    seat.querySelector('.points').textContent = points == null ? '' : say('points', { points });
    seat.querySelector('.points').hidden = points == null;
  }
  $('clock').hidden = !game.clock || Boolean(game.clock.unread) || isOver(desk);
  $('clock').textContent = say(game.clock?.side == null ? 'start' : 'pause');
  tick(desk);
};

const status = desk => {
  const { game } = desk;
  if (desk.isUnstored) return say('device-full');
  if (game.finished) return say('finished');
  if (desk.offline) return say('offline');
  if (game.refused) return game.refused;
  if (!tokenFor(desk) || game.left) return say('device-only');
  return say(game.live && game.saved === JSON.stringify(game.record) ? 'saved' : 'saving');
};

const faults = desk => {
  const place = $('trouble');
  if (desk.tentative) {
    const { text, fault: found, unreadable } = desk.tentative;
    showNotice(make('p', {}, say('refused', { move: text })), make('p', {}, found?.message ?? ''),
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
    showNotice(make('p', {}, say('faulty', { ply: found.ply, move: ply?.move ?? '' })), make('p', {}, found.message),
      button(say('undo-to', { ply: found.ply }), () => { while (!isStored(desk) && moves(desk).length >= found.ply) undo(desk); desk.changed(); }), ' ',
      button(say('mark-disputed'), () => { note(desk, ply, DISPUTED); desk.changed(); }));
    place.dataset.of = 'fault';
  } else if (place.dataset.of === 'fault') {
    delete place.dataset.of;
    showNotice();
  }
};

/** The line that says what comes next. */
const prompt = desk => {
  const { game, taps } = desk;
  const said = lastResponse(desk);
  const count = moves(desk).length;
  const side = sideName(desk, sideOf(desk, count));
  const out = flagged(desk);
  if (isOver(desk)) return say('over', { result: game.record.result });
  if (said?.end) return say('ended', { end: said.ended });
  if (out != null) return say('flag', { side: sideName(desk, out) });
  if (!said) return say('no-board', { side });
  const waiting = judged(desk) ? 0 : count - Math.min(game.judged ?? said.plies, count);
  if (fault(desk)) return say('left', { count: count - said.plies });
  if (waiting) return say('left', { count: waiting });
  if (taps.length) return say('continue', { taps: labels(desk, taps).join(' · ') });
  if (!said.moves.complete) return say('too-many', { count: said.moves.count });
  return say('choose', { side });
};

/** The result, and what can be done with it. */
const result = desk => {
  const { game } = desk;
  $('result').hidden = !isOver(desk);
  $('ended').textContent = isOver(desk) ? say('over', { result: game.record.result }) : '';
  $('finish').hidden = $('reopen').hidden = Boolean(game.finished);
  $('second').hidden = !isOver(desk) || !secondLeg(desk, today());
  if (game.finished) {
    const path = root.dataset.record.replace('/0', `/${game.finished}`);
    fill($('outcome'), [make('p', {}, say('finished'), ' ', make('a', { href: path }, say('open-record')))]);
  } else if (!isOver(desk)) fill($('outcome'), []);
};

/** Draws the page. `there` are moves that end at the square tapped, `said` replaces the prompt. */
export const render = (desk, there, said) => {
  const { game, id } = desk;
  const { record } = game;
  const found = lastResponse(desk);
  $('title').textContent = players(record, game.sides);
  $('table').hidden = !found && !desk.offline;
  $('sync').textContent = status(desk);
  $('sync').classList.toggle('off', desk.offline || desk.isUnstored || Boolean(game.refused));
  faults(desk);
  if ($('table').hidden) return;
  board(desk);
  seats(desk);
  score(desk);
  const now = said ?? prompt(desk);
  if ($('now').textContent !== now) $('now').textContent = now;
  fill($('beside'), pieces(desk));
  fill($('choices'), choices(desk, there));
  $('typed').hidden = isOver(desk) || Boolean(found?.end);
  $('undo').disabled = !moves(desk).length || Boolean(game.finished);
  $('details').hidden = Boolean(game.finished);
  $('ending').hidden = !found || isOver(desk);
  result(desk);
  if (found?.end && !isOver(desk) && $('endings').hidden) showEndings(desk, true, false);
  fill($('facts'), (found?.facts ?? []).map(fact => make('li', {}, fact)));
  $('watch').hidden = $('close').hidden = !game.live || Boolean(game.finished);
  if (game.live) $('watch').href = root.dataset.live.replace('/0', `/${game.live.number}`);
  const text = judged(desk) && game.text;
  $('download').href = `data:application/octet-stream;charset=utf-8,${encodeURIComponent(text || JSON.stringify(record))}`;
  $('download').download = `${record.game}-${id.slice(0, 6)}.${text ? 'quipu' : 'json'}`;
};
