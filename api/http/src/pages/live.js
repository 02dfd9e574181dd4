// Follows a game in progress: after each change the page is fetched again, and the parts that differ are replaced. Counts the
// running clock down.
import { renew } from './game.js';

const live = document.getElementById('live');
const said = () => document.getElementById('following');

/** Milliseconds by which the clock of the server is ahead of this device's. */
let ahead = 0;

const showStatus = status => {
  const place = said();
  if (!place) return;
  place.hidden = false;
  place.textContent = place.dataset[status];
  if (status !== 'closed') return;
  document.getElementById('going-on')?.remove();
  for (const clock of document.querySelectorAll('[data-since]')) delete clock.dataset.since;
};

const compare = answer => {
  const theirs = Date.parse(answer.headers.get('Date'));
  if (!Number.isNaN(theirs)) ahead = theirs - Date.now();
};

/** Shows the current state. Without an answer, tries again later. */
const show = async () => {
  const asked = location.href;
  const answer = await fetch(asked, { headers: { Accept: 'text/html' } }).catch(() => null);
  if (answer?.status === 404) return showStatus('closed');
  if (!answer?.ok) {
    showStatus('off');
    setTimeout(show, 3000);
    return;
  }
  compare(answer);
  const from = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // The user has gone to another ply in the meantime.
  if (location.href !== asked) return show();
  const { version } = from.getElementById('live').dataset;
  // An answer to an earlier request.
  if (Number(version) < Number(live.dataset.version)) return;
  renew(from);
  live.dataset.version = version;
  showStatus('on');
  tick();
};

const two = number => String(number).padStart(2, '0');
/** Shows the running clock as it is now. */
const tick = () => {
  for (const clock of document.querySelectorAll('[data-since]')) {
    const passed = Math.max(0, Date.now() + ahead - Number(clock.dataset.since));
    const seconds = Math.ceil(Math.max(0, Number(clock.dataset.left) - passed) / 1000);
    const text = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    if (clock.textContent !== text) clock.textContent = text;
  }
};

const follow = () => {
  const feed = new EventSource(`/v1/live/${live.dataset.number}/feed?since=${live.dataset.version}`);
  feed.addEventListener('open', () => showStatus('on'));
  feed.addEventListener('saved', show);
  feed.addEventListener('finished', () => {
    feed.close();
    show();
  });
  feed.addEventListener('closed', () => {
    feed.close();
    showStatus('closed');
  });
  feed.addEventListener('error', () => {
    showStatus('off');
    // The browser does not retry after an error status: the game may be gone.
    if (feed.readyState !== EventSource.CLOSED) return;
    setTimeout(async () => {
      const answer = await fetch(`/v1/live/${live.dataset.number}`).catch(() => null);
      if (answer?.status === 404) showStatus('closed');
      else follow();
    }, 5000);
  });
};

if (live && said()) {
  follow();
  fetch(location.href, { method: 'HEAD' }).then(compare, () => {}).finally(() => {
    tick();
    setInterval(tick, 250);
  });
}
