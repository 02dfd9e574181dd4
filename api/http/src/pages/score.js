// The record of a game: questions about it, and changes to it. The rules are with the referee.

import { hasRun, isRunning, run, settle, written } from './clock.js';
import { say } from './ui.js';

export const DISPUTED = '[%disputed]';

/** The last response of the referee; undefined before the first. */
export const lastResponse = desk => desk.game.desk;
export const moves = desk => desk.game.record.moves;
/** True if the referee has seen all moves. */
export const judged = desk => lastResponse(desk) && desk.game.judged === moves(desk).length;
/** The fault of the record, if all moves are judged and there is one. */
export const fault = desk => (judged(desk) ? lastResponse(desk).fault : null);
/** True if the record has a result. */
export const isOver = ({ game: { record } }) => record.result && record.result !== '*';
const first = desk => lastResponse(desk)?.sides.findIndex(side => side.name === lastResponse(desk).first) ?? desk.game.first ?? 0;
/** The side that plays the ply of this index. */
export const sideOf = (desk, index) => (first(desk) + index) % 2;
/** A side in words, by its index. */
export const sideName = (desk, index) => lastResponse(desk)?.sides[index].label ?? desk.game.names?.[index] ?? desk.game.sides?.[index] ?? '';
const comments = holder => [holder?.comment ?? []].flat();
export const isDisputed = ply => comments(ply).includes(DISPUTED);

/** Tags that do not name a player. */
const FIXED = ['Event', 'Site', 'Date', 'Round', 'TimeControl', 'UTCDate', 'UTCTime', 'Seed', 'Termination', 'Decision', 'Points', 'Leg', 'Board', 'Handshake'];
export const players = (record, sides) => {
  const tags = record.tags ?? {};
  const named = sides ?? Object.keys(tags).filter(tag => !FIXED.includes(tag)).slice(0, 2);
  return say('against', { one: tags[named[0]] || '?', two: tags[named[1]] || '?' });
};

/** True if the game is in the archive: nothing of it changes any more. */
export const isStored = ({ game }) => Boolean(game.finished);

/** Plays a move; the caller reports the change. */
export const play = (desk, token) => {
  const { game } = desk;
  if (isStored(desk)) return;
  const side = sideOf(desk, moves(desk).length);
  const ply = { move: token };
  if (hasRun(desk)) {
    settle(desk);
    ply.clock_ms = Math.floor(game.clock.left[side]);
    game.clock.ran = false;
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
  if (isStored(desk)) return;
  if (ply) ply.comment = [ply.comment ?? [], text].flat();
  else (desk.game.record.comments ??= []).push(text);
};
/** The time that a side had left before a ply of this index: that of its last ply with a clock, or that of the start. */
const leftBefore = (desk, side, index) => {
  const timed = moves(desk).filter((ply, at) => at < index && sideOf(desk, at) === side && ply.clock_ms != null);
  return timed.at(-1)?.clock_ms ?? Number(desk.game.record.tags.TimeControl) * 1000;
};
/** Takes the last ply back, and leaves a note of it in its place. A running clock runs on for the side to move. */
export const undo = desk => {
  const { game } = desk;
  if (isStored(desk)) return;
  const runs = isRunning(desk);
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
    const [index, side] = [moves(desk).length, sideOf(desk, moves(desk).length)];
    game.clock.left[side] = ply.clock_ms;
    game.clock.left[1 - side] = leftBefore(desk, 1 - side, index);
  }
  if (runs) run(desk, sideOf(desk, moves(desk).length));
  if (game.judged > moves(desk).length) game.judged = null;
};
/** Removes the result, and the tags that came with it. */
export const reopen = desk => {
  if (isStored(desk)) return;
  const { record } = desk.game;
  record.result = '*';
  for (const ending of [...desk.ends, ...(lastResponse(desk)?.endings ?? [])]) {
    for (const tag of Object.keys(ending.tags)) delete record.tags[tag];
  }
};
/** Ends the game. */
export const end = (desk, ending) => {
  if (isStored(desk)) return;
  reopen(desk);
  run(desk, null);
  desk.ends = [ending];
  desk.game.record.result = ending.result;
  Object.assign(desk.game.record.tags, ending.tags);
};

/** Sets tags of the game; a blank value removes one. */
export const setTags = (desk, tags) => {
  if (isStored(desk)) return;
  for (const [tag, value] of Object.entries(tags)) {
    if (value.trim()) desk.game.record.tags[tag] = value.trim();
    else delete desk.game.record.tags[tag];
  }
};

/** Tags of an encounter, which its second leg has too. */
const OF_ENCOUNTER = ['Event', 'Site', 'Round', 'Board', 'TimeControl'];
/** The record of the second leg: the same players with sides swapped; null if this is not the first leg, or positions are dealt. */
export const secondLeg = ({ game: { record, sides } }, date) => {
  if (record.tags.Leg !== '1' || record.setup || !sides) return null;
  const tags = { Date: date, Leg: '2' };
  for (const tag of OF_ENCOUNTER) if (record.tags[tag]) tags[tag] = record.tags[tag];
  sides.forEach((side, index) => {
    const name = record.tags[sides[1 - index]];
    if (name) tags[side] = name;
  });
  const { game, rules, first } = record;
  return { game, ...(rules && { rules }), ...(first && { first }), tags, comments: [], moves: [], result: '*' };
};
