// Games and the token in the local storage of this device.

import { say, showNotice } from './ui.js';

const PREFIX = 'quipu.game.';
const TOKEN = 'quipu.token';

export const token = () => localStorage.getItem(TOKEN);
export const setToken = text => localStorage.setItem(TOKEN, text);
const BOARD = 'quipu.board.';
/** The key of the token of a board, which the code of its scoresheet brings. A board has all games of an encounter. */
const boardKey = place => BOARD + place.replace(/\/\d+$/, '');
export const setBoardToken = (place, text) => localStorage.setItem(boardKey(place), text);
/** Removes the token of a board, unless the code has brought another since. */
export const forgetBoardToken = ({ game: { place } }, text) => {
  if (localStorage.getItem(boardKey(place)) === text) localStorage.removeItem(boardKey(place));
};
export const boardToken = ({ game: { place } }) => (place ? localStorage.getItem(boardKey(place)) : null);
/** The token with which a game is saved: that of its board, or else that of this device. */
export const tokenFor = desk => boardToken(desk) ?? token();
const boardKeys = () => Object.keys(localStorage).filter(key => key.startsWith(BOARD));
/** True if this device has a token, be it of a board. */
export const hasToken = () => token() !== null || boardKeys().length > 0;
/** Removes the token of this device and those of boards. */
export const forgetTokens = () => [TOKEN, ...boardKeys()].forEach(key => localStorage.removeItem(key));

/** False if this browser has no local storage for this address. */
export const hasStorage = () => {
  try {
    return Boolean(localStorage);
  } catch {
    return false;
  }
};

/** True if a game on this device has these players: by their numbers if both are known, as a name may have been corrected, else by the names of their tags. */
export const hasPlayers = (game, ids, names) => (game.ids && ids ? game.ids === ids
  : Object.entries(names).every(([tag, name]) => game.record.tags[tag] === name));

/** The ids of all games on this device. */
export const games = () =>
  Object.keys(localStorage).filter(key => key.startsWith(PREFIX)).map(key => key.slice(PREFIX.length));
/** A game of this device; null if there is none, or it cannot be read. */
export const load = id => {
  try {
    const game = JSON.parse(localStorage.getItem(PREFIX + id));
    return game?.record?.moves ? game : null;
  } catch {
    return null;
  }
};
export const store = (id, game) => {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(game));
    return true;
  } catch {
    showNotice(say('device-full'));
    return false;
  }
};
export const remove = id => localStorage.removeItem(PREFIX + id);
/** The date of today as records write it. */
export const today = () => {
  const now = new Date();
  const two = number => String(number).padStart(2, '0');
  return `${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}`;
};
/** The stored text of a game. */
export const stored = id => localStorage.getItem(PREFIX + id);
/** True if a storage event is about this game. */
export const concerns = (event, id) => event.key === PREFIX + id;

/** A random id or key, 96 bits in hexadecimal. */
export const randomId = () =>
  [...crypto.getRandomValues(new Uint8Array(12))].map(byte => byte.toString(16).padStart(2, '0')).join('');

/**
 * A new game: its record, its place on the server, and both clocks. `switches` counts their starts and stops; `known` is
 * true if their times came from the server; `unread` is there until these are read, and has the times of the last save.
 */
export const newGame = (record, seconds) => ({
  record,
  key: randomId(),
  live: null,
  saved: null,
  clock: seconds > 0 ? { left: [seconds * 1000, seconds * 1000], side: null, since: null, ran: false, switches: 0 } : null,
  finished: null,
  changed: Date.now(),
});

/** True unless another page of this device has changed the game since this one read or wrote it. */
export const isCurrent = desk => stored(desk.id) === desk.storedText;
/** Stores the game of a desk. If another page has changed it, this one is loaded again. */
export const persist = desk => {
  if (!isCurrent(desk)) {
    location.reload();
    return false;
  }
  desk.game.changed = Date.now();
  desk.isUnstored = !store(desk.id, desk.game);
  if (!desk.isUnstored) desk.storedText = stored(desk.id);
  return !desk.isUnstored;
};
