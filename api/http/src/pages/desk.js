// The page on which a game is recorded: its state, its buttons, and its start. The record is written to the device after
// each change, sent to the referee, who answers with the position and the legal moves, and saved on the server.

import { keepAwake, run, settle, tick } from './clock.js';
import { concerns, games, hasPlayers, isCurrent, load, newGame, persist, randomId, store, stored, today } from './device.js';
import { showEndings } from './endings.js';
import { typed } from './entry.js';
import { lastResponse, moves, reopen, secondLeg, setStart, setTags, sideName, sideOf, undo } from './score.js';
import { render } from './screen.js';
import { close, finish, readClocks, send, sync, take } from './sync.js';
import { $, make, root, say, showNotice } from './ui.js';

/** Milliseconds between two updates of the clocks. */
const TICK = 100;

/** The state of the page. */
const state = () => {
  const now = { at: performance.now(), wall: Date.now() };
  return {
    id: location.hash.slice(1),
    /** The game as it is stored on the device. */
    game: null,
    /** The stored text that this page read or wrote last. */
    storedText: null,
    /** Squares and pieces tapped for the next move. */
    taps: [],
    /** Endings chosen on this page. */
    ends: [],
    /** A typed move that was refused. */
    tentative: null,
    /** The board is seen from the other side. */
    flip: false,
    /** The running synchronization. */
    syncing: null,
    /** Another synchronization is needed. */
    needsSync: false,
    offline: false,
    timer: null,
    /** A typed move is with the referee. */
    asking: false,
    /** The last change could not be stored on the device. */
    isUnstored: false,
    /** Another device may have saved the game since this page looked. */
    mayBeBehind: true,
    /** Time of the last settling of the clocks, and of the last check for sleep. */
    ticked: now,
    lastBeat: now,
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

// Tags.

/** The fields of the tags, those of the players first. */
const tagFields = ({ game: { sides } }) => [0, 1].map(seat => [sides?.[seat], $(`player-${seat}`)])
  .concat([...$('details').querySelectorAll('[data-tag]')].map(field => [field.dataset.tag, field]))
  .filter(([tag]) => tag);
/** Fills the fields with the tags of the record. */
const showTags = desk => {
  const { tags } = desk.game.record;
  for (const seat of [0, 1]) $(`player-${seat}`).labels[0].textContent = sideName(desk, seat);
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
  const { columns } = lastResponse(desk).board;
  const at = all.indexOf(document.activeElement);
  const [x, y] = [(at % columns) + by[0], Math.floor(at / columns) + by[1]];
  const next = x >= 0 && x < columns ? all[y * columns + x] : null;
  if (!next) return;
  all[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

/** The id of the same game of a board, if its own code has begun it on this device. */
const alreadyBegun = ({ place, ids, sides, record: { tags } }) => place && games().find(id => {
  const other = load(id);
  const names = Object.fromEntries((sides ?? []).map(tag => [tag, tags[tag]]));
  return other?.place === place && !other.left && hasPlayers(other, ids, names);
});

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
      Object.assign(begun, { sides: game.sides, names: game.names, first: game.first });
      if (game.place) begun.place = game.place.replace(/\d+$/, '2');
      // Numbers of players stand side 1 first.
      if (game.ids) begun.ids = game.ids.split('-').reverse().join('-');
      const known = alreadyBegun(begun);
      const next = known ?? randomId();
      if (!known && !store(next, begun)) return;
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
    desk.mayBeBehind = true;
    if (document.visibilityState === 'visible') sync(desk);
  });
  desk.dark.addEventListener('change', () => sync(desk));
  setInterval(() => tick(desk), TICK);
};

/** Continues a game of the server here, that of a board if its place is known; false if there is none, or no connection. */
const takeOver = async (desk, number, place) => {
  const found = await send(desk, 'GET', `/v1/live/${number}`).catch(() => null);
  if (!found?.ok) {
    showNotice(found?.said.detail ?? say('offline'));
    return false;
  }
  const { record, finished } = found.said;
  desk.id = randomId();
  desk.game = { ...newGame(record, Number(record.tags?.TimeControl ?? 0)), finished, place };
  await take(desk, found.said);
  // Without space on the device the address stays that of the game on the server.
  if (persist(desk)) history.replaceState(null, '', `#${desk.id}`);
  return true;
};
/** Opens a game of this device; false if there is none. */
const openStored = async desk => {
  desk.storedText = stored(desk.id);
  desk.game = load(desk.id);
  if (!desk.game) {
    showNotice(make('p', {}, say('no-game')), make('p', {}, make('a', { href: root.dataset.keep }, say('all'))));
    return false;
  }
  if (desk.game.clock?.unread) await readClocks(desk);
  return true;
};
/** Opens a game of this device, or continues one of the server (`#live-12`, or `#live-12/1/2/4/1` with its place) here. */
export const openDesk = async () => {
  const desk = state();
  const [, live, place] = /^live-(\d+)(?:\/([\d/]+))?$/.exec(desk.id) ?? [];
  const number = Number(live);
  const here = games().find(id => load(id)?.live?.number === number && !load(id).left);
  if (here) {
    desk.id = here;
    history.replaceState(null, '', `#${here}`);
  }
  if (!await (number && !here ? takeOver(desk, number, place) : openStored(desk))) return;
  // The code of a board is read after its game was taken over without it.
  if (place && !desk.game.place) {
    desk.game.place = place;
    persist(desk);
  }
  settle(desk);
  listen(desk);
  desk.render();
  sync(desk);
};
