// The record of a game: questions about it, and changes to it. The rules are with the referee.

import { run, settle, written } from './clock.js';

export const DISPUTED = '[%disputed]';

/** The last response of the referee; undefined before the first. */
export const answer = desk => desk.game.desk;
export const moves = desk => desk.game.record.moves;
/** True if the referee has seen all moves. */
export const judged = desk => answer(desk) && desk.game.judged === moves(desk).length;
/** The fault of the record, if all moves are judged and there is one. */
export const fault = desk => (judged(desk) ? answer(desk).fault : null);
/** True if the record has a result. */
export const over = ({ game: { record } }) => record.result && record.result !== '*';
const first = desk => answer(desk)?.sides.findIndex(side => side.name === answer(desk).first) ?? 0;
/** The side that plays the ply of this index. */
export const sideOf = (desk, index) => (first(desk) + index) % 2;
const comments = holder => [holder?.comment ?? []].flat();
export const isDisputed = ply => comments(ply).includes(DISPUTED);

/** Plays a move; the caller reports the change. */
export const play = (desk, token) => {
  const { game } = desk;
  const side = sideOf(desk, moves(desk).length);
  const ply = { move: token };
  if (game.clock) {
    settle(desk);
    ply.clock_ms = Math.floor(game.clock.left[side]);
  }
  setStart(desk);
  moves(desk).push(ply);
  if (game.clock?.side != null) run(desk, 1 - side);
};
/** Writes the time of the start, at the first move or when the first clock starts. */
export const setStart = ({ game: { record: { tags } } }) => {
  if (tags.UTCDate) return;
  const [day, time] = new Date().toISOString().split('T');
  tags.UTCDate = day.replaceAll('-', '.');
  tags.UTCTime = time.slice(0, 8);
};
/** Adds a comment to a ply, or to the record if there is no ply. */
export const note = (desk, ply, text) => {
  if (ply) ply.comment = [ply.comment ?? [], text].flat();
  else (desk.game.record.comments ??= []).push(text);
};
/** Takes the last ply back, and leaves a note of it in its place. */
export const undo = desk => {
  const { game } = desk;
  const ply = moves(desk).pop();
  if (!ply) return;
  reopen(desk);
  run(desk, null);
  const before = moves(desk).at(-1);
  const parts = ['undone', ply.move];
  if (ply.clock_ms != null) parts.push(written(ply.clock_ms));
  if (isDisputed(ply)) parts.push('disputed');
  for (const text of comments(ply)) if (text !== DISPUTED) note(desk, before, text);
  note(desk, before, `[%${parts.join(' ')}]`);
  if (game.clock && ply.clock_ms != null) {
    game.clock.left[sideOf(desk, moves(desk).length)] = ply.clock_ms;
    if (before?.clock_ms != null) game.clock.left[sideOf(desk, moves(desk).length - 1)] = before.clock_ms;
  }
  if (game.judged > moves(desk).length) game.judged = null;
};
/** Removes the result, and the tags that came with it. */
export const reopen = desk => {
  const { record } = desk.game;
  record.result = '*';
  for (const ending of [...desk.ends, ...(answer(desk)?.endings ?? [])]) {
    for (const tag of Object.keys(ending.tags)) delete record.tags[tag];
  }
};
/** Ends the game. */
export const end = (desk, ending) => {
  reopen(desk);
  run(desk, null);
  desk.ends = [ending];
  desk.game.record.result = ending.result;
  Object.assign(desk.game.record.tags, ending.tags);
};
