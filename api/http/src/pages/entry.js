// Entering moves, by touching squares and pieces or by typing.

import { DISPUTED, lastResponse, fault, judged, moves, note, isOver, play } from './score.js';
import { askReferee } from './sync.js';
import { $, button, say } from './ui.js';

/** Moves offered as buttons, at most. */
const SHOWN = 40;

const begins = (one, other) => other.every((tap, index) => one[index] === tap);
/** The legal moves, if the position is known and the game goes on. */
export const legal = desk => (judged(desk) && !isOver(desk) && !lastResponse(desk).fault ? lastResponse(desk).moves.list : []);
const matching = (desk, taps) => legal(desk).filter(move => begins(move.taps, taps));

/** Plays a move and reports the change. */
export const enter = (desk, token) => {
  play(desk, token);
  desk.changed();
};

/** Squares and pieces in words, by their names. */
export const labels = (desk, names) => {
  const { beside, board } = lastResponse(desk);
  const label = name => beside.find(thing => thing.name === name)?.label ?? board.cells.find(cell => cell.name === name)?.label;
  return names.map(name => label(name) ?? name);
};

/** Names of squares and pieces that continue the taps so far. */
export const continuations = desk =>
  new Set(desk.taps.length ? matching(desk, desk.taps).map(move => move.taps[desk.taps.length]) : []);

export const tap = (desk, name) => {
  if (isOver(desk)) return;
  let next = [...desk.taps, name];
  let found = matching(desk, next);
  if (!found.length && desk.taps.length) {
    const again = desk.taps.length === 1 && desk.taps[0] === name;
    next = again ? [] : [name];
    found = matching(desk, next);
  }
  desk.taps = found.length ? next : [];
  if (found.length === 1 && found[0].taps.length === next.length) {
    enter(desk, found[0].move);
    return;
  }
  // A square where no move begins may be where some end.
  const there = found.length ? [] : legal(desk).filter(move => move.taps.at(-1) === name);
  desk.render(there, found.length || there.length ? null : say('no-move', { name: labels(desk, [name])[0] }));
};

/** Buttons for the moves that continue the taps, or that end at the square tapped. */
export const choices = (desk, there) => {
  const { taps } = desk;
  if (!legal(desk).length) return [];
  const found = taps.length ? matching(desk, taps) : there ?? [];
  if (!found.length) return [];
  if (found.length > SHOWN && !found.some(move => move.taps.length === taps.length)) return [];
  const sorted = [...found].sort((one, other) => one.taps.length - other.taps.length);
  return [
    ...sorted.slice(0, SHOWN).map(move => button(move.move, () => enter(desk, move.move))),
    button(say('clear'), () => { desk.taps = []; desk.render(); }, { class: 'plain' }),
  ];
};

/** Plays a typed move. A move that the referee refuses is shown with the reason, and not played. */
export const typed = async (desk, text) => {
  const { record } = desk.game;
  const ply = { move: text };
  if (desk.asking) return;
  if (!desk.offline && judged(desk) && !fault(desk)) {
    const before = JSON.stringify(record);
    const body = JSON.stringify({ ...record, moves: [...moves(desk), ply] });
    desk.asking = true;
    const found = await askReferee(desk, body).catch(() => null);
    desk.asking = false;
    // The record changed meanwhile: the text stays, to be entered again.
    if (JSON.stringify(desk.game.record) !== before) return;
    if (found && !found.ok && found.status < 500 && found.status !== 429) {
      desk.tentative = { text, fault: { message: found.said.detail, suggestions: [] }, unreadable: true };
      desk.render();
      return;
    }
    if (found?.ok && found.said.plies <= moves(desk).length) {
      desk.tentative = { text, fault: found.said.fault };
      desk.render();
      return;
    }
  }
  $('move').value = '';
  enter(desk, text);
};
/** Plays a refused move all the same, marked as disputed. */
export const dispute = (desk, text) => {
  $('move').value = '';
  play(desk, text);
  note(desk, moves(desk).at(-1), DISPUTED);
  desk.changed();
};
