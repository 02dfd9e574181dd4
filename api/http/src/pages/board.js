// The page of a game of a tournament, which the code of its scoresheet opens: `/keep/1/2/4/1`.

import { games, hasPlayers, load, setBoardToken } from './device.js';
import { root, say, showNotice } from './ui.js';

/** Tournament, round, board and game of the address; null on other pages. */
export const place = /^\/keep\/(\d+\/\d+\/\d+\/\d+)$/.exec(location.pathname)?.[1] ?? null;

/** Takes the token of the code out of the address, where others would see it. */
export const dropToken = () => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
};
/** The same, and keeps it on this device. */
export const takeToken = () => {
  const token = dropToken();
  if (token === null || !/^[\x21-\x7e]+$/.test(token)) return;
  try {
    setBoardToken(place, token);
  } catch {
    showNotice(say('device-full'));
  }
};

/** The id of this game on this device, if it was begun here and is not over. Without a connection its players are not compared. */
export const begunHere = () => {
  const players = root.dataset.players ? JSON.parse(root.dataset.players) : null;
  if (!players && root.dataset.place) return null;
  const fits = game => game?.place === place && !game.left && !game.finished
    && hasPlayers(game, root.dataset.ids, players ?? {});
  return games().find(id => fits(load(id)));
};
