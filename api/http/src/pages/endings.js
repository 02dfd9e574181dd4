// The endings of a game that are possible now, by their kind.

import { flagged } from './clock.js';
import { lastResponse, end, sideName } from './score.js';
import { $, button, make, say } from './ui.js';

/** The group of each termination that can be declared. Ends on the board have one of their own. */
const GROUPS = { resignation: 'resignation', time: 'time', agreement: 'draw' };

/** True if this ending is the one that a clock which ran out calls for. */
const isFlag = (desk, ending) => {
  const out = flagged(desk);
  return out != null && ending.tags.Termination === 'time' && ending.winner === lastResponse(desk).sides[1 - out].name;
};
const groupOf = (desk, ending) => (lastResponse(desk).end ? 'board' : GROUPS[ending.termination] ?? 'other');

/** The ending in words; beside others of its termination the winner is enough. */
const told = (desk, group, ending) => {
  if (['board', 'other'].includes(group)) return ending.label;
  const { result, winner } = ending;
  const index = lastResponse(desk).sides.findIndex(side => side.name === winner);
  return index < 0 ? say('drawn', { result }) : say('wins', { side: sideName(desk, index), result });
};

const choose = (desk, ending) => {
  end(desk, ending);
  showEndings(desk, false);
  desk.changed();
  $('result').scrollIntoView({ block: 'nearest' });
};

/** Shows the endings that are possible, or hides them. Without a request of the user the focus does not move. */
export const showEndings = (desk, show, focus = true) => {
  const all = [...(lastResponse(desk)?.endings ?? [])].sort((one, other) => isFlag(desk, other) - isFlag(desk, one));
  const shown = show && all.length > 0;
  $('endings').hidden = !shown;
  $('ending').setAttribute('aria-expanded', String(shown));
  const groups = [...new Set(all.map(ending => groupOf(desk, ending)))];
  $('ways').replaceChildren(...groups.map(group => make('div', { role: 'group', 'aria-labelledby': `way-${group}`, 'data-group': group },
    make('h3', { id: `way-${group}` }, say(`group-${group}`)),
    make('div', { class: 'things' }, ...all.filter(ending => groupOf(desk, ending) === group).map(ending =>
      button(told(desk, group, ending), () => choose(desk, ending), { class: isFlag(desk, ending) ? null : 'plain' }))))));
  if (shown && focus) $('ways').querySelector('button')?.focus();
};
