// Clocks of a game. A running clock is measured by the steady clock of the page; after a reload, by the time of day.

import { button, make, say, showNotice } from './ui.js';

/** Milliseconds that the device must have slept before it is asked about. */
const SLEPT = 5000;

const two = number => String(number).padStart(2, '0');
const now = () => ({ at: performance.now(), wall: Date.now() });

/** Time left for people, in tenths of a second when there is little. */
export const clockText = millis => {
  const tenths = Math.ceil(Math.max(millis, 0) / 100);
  const seconds = Math.floor(tenths / 10);
  const rest = millis < 20000 ? `.${tenths % 10}` : '';
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}${rest}`;
};
/** Time left as records write it. */
export const written = millis => {
  const seconds = Math.floor(millis / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(millis % 1000).padStart(3, '0')}`;
};

/** Takes the time since the last call from the running clock. */
export const settle = desk => {
  const { clock } = desk.game;
  const { at, wall } = now();
  if (clock?.side != null) {
    const steady = desk.ticked.side === clock.side && desk.ticked.id === desk.id;
    const passed = steady ? at - desk.ticked.at : wall - clock.since;
    clock.left[clock.side] = Math.max(0, clock.left[clock.side] - Math.max(0, passed));
    clock.since = wall;
  }
  desk.ticked = { at, wall, side: clock?.side ?? null, id: desk.id };
};
/** Starts the clock of a side, or stops both if it is null. */
export const run = (desk, side) => {
  settle(desk);
  const { clock } = desk.game;
  if (!clock) return;
  if (clock.side !== side) clock.switches = (clock.switches ?? 0) + 1;
  clock.side = side;
  clock.ended = false;
  if (side != null) clock.ran = true;
  clock.since = Date.now();
  desk.ticked = { ...desk.ticked, side };
  keepAwake(desk);
};
/** Stops the clocks at an end on the board. If the move that ended the game is undone, they go on. */
export const stopAtEnd = desk => {
  const { clock } = desk.game;
  const runs = isRunning(desk);
  run(desk, null);
  if (clock) clock.ended = runs;
};
/** True if a clock runs, or was stopped by an end on the board. */
export const isRunning = ({ game: { clock } }) => Boolean(clock && (clock.side != null || clock.ended));
/** True if a clock ran since the last ply: only then it shows a time worth recording. */
export const hasRun = ({ game: { clock } }) => Boolean(clock?.ran);
/** Milliseconds left of a side. */
export const left = (desk, side) => {
  const { clock } = desk.game;
  const passed = clock.side === side && desk.ticked.side === side ? performance.now() - desk.ticked.at : 0;
  return Math.max(0, clock.left[side] - passed);
};
/**
 * The clocks in the query with which a game is saved: spectators see them as they are then. Clocks that nobody has started
 * show no time, and times that could not be read yet stay as they were saved.
 */
export const clockQuery = desk => {
  const { clock } = desk.game;
  const query = new URLSearchParams();
  const add = times => ['clock_one', 'clock_two'].forEach((name, side) => { if (times[side] != null) query.set(name, times[side]); });
  if (clock?.unread) add(clock.unread);
  else if (clock?.known || clock?.switches) {
    add([0, 1].map(side => Math.round(left(desk, side))));
    query.set('running', clock.side == null ? 'no' : 'yes');
  }
  return `?${query}`;
};
/** The side whose time is up, if any. */
export const flagged = desk => (desk.game.clock ? [0, 1].find(side => left(desk, side) <= 0) : null);

/** Keeps the screen on while a clock runs, if the browser allows it. */
export const keepAwake = desk => {
  if (desk.game?.clock?.side == null || document.visibilityState !== 'visible') return;
  navigator.wakeLock?.request('screen').catch(() => {});
};
/** Asks about time that the device slept: its steady clock stops then, and only a person knows whether the time counts. */
const checkSleep = desk => {
  const beat = now();
  const lost = beat.wall - desk.lastBeat.wall - (beat.at - desk.lastBeat.at);
  desk.lastBeat = beat;
  const { clock } = desk.game;
  const { side } = clock;
  if (side == null || lost < SLEPT) return;
  showNotice(make('p', {}, say('slept', { time: clockText(lost) })),
    button(say('slept-count'), () => {
      clock.left[side] = Math.max(0, clock.left[side] - lost);
      showNotice();
      desk.changed();
    }), ' ',
    button(say('clear'), () => showNotice(), { class: 'plain' }));
};
/** Shows both clocks, and stops the one whose time is up. */
export const tick = desk => {
  if (!desk.game?.clock) return;
  checkSleep(desk);
  for (const side of [0, 1]) {
    const time = document.querySelector(`[data-seat="${side}"] .time`);
    const text = desk.game.clock.unread ? '–' : clockText(left(desk, side));
    if (time.textContent !== text) time.textContent = text;
  }
  const { side } = desk.game.clock;
  if (side == null || left(desk, side) > 0) return;
  run(desk, null);
  desk.changed();
  desk.showEndings(true, false);
};
