// Steps through a game without reloading the page: fetches the page of each ply from the server, and replaces the parts that
// differ.
const game = document.getElementById('game');
const slider = document.getElementById('ply');
const player = document.getElementById('play');

/** Pages in the cache, at most. */
const KEPT = 100;
/** Milliseconds between two plies that are played by themselves. */
const PACE = 1500;

/** An answer of the server that is no page of the game. */
class Refused extends Error {}

const pages = new Map();
const last = () => Number(game.dataset.last);
/** The ply and the side from which the board is seen: on the page, and as the user wants them. */
const shown = { ply: Number(slider?.value), flip: new URL(location.href).searchParams.get('flip') === 'yes' };
const wanted = { ...shown };
/** Counts the versions of a game that goes on, and that which is shown. */
let newest = 0;
let current = 0;
let busy = false;
let playing = null;

/** The address of a ply. That of the last ply of a game that goes on has no ply: it follows the game. */
const address = ({ ply, flip }) => {
  const url = new URL(location.href);
  if (game.dataset.follows !== undefined && ply === last()) url.searchParams.delete('ply');
  else url.searchParams.set('ply', ply);
  if (flip) url.searchParams.set('flip', 'yes');
  else url.searchParams.delete('flip');
  url.hash = '';
  return url.href;
};

const load = async url => {
  const answer = await fetch(url, { headers: { Accept: 'text/html' } });
  if (!answer.ok) throw new Refused(answer.statusText);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
};

const page = url => {
  if (!pages.has(url)) {
    const loading = load(url);
    loading.catch(() => pages.delete(url));
    pages.set(url, loading);
    if (pages.size > KEPT) pages.delete(pages.keys().next().value);
  }
  return pages.get(url);
};

/** Fetches a page and its board in advance. */
const prefetch = async ply => {
  const url = address({ ...shown, ply });
  if (ply < 0 || ply > last() || pages.has(url)) return;
  try {
    const board = (await page(url)).querySelector('.board');
    const source = [...board.querySelectorAll('source')].find(one => matchMedia(one.media).matches);
    new Image().src = source?.srcset ?? board.querySelector('img').getAttribute('src');
  } catch {
    // The error is shown when the user goes there.
  }
};

/** Replaces the content of a part, and keeps the keyboard on the same link. */
const replace = (part, other) => {
  if (part.innerHTML === other.innerHTML) return;
  const focused = part.contains(document.activeElement) ? document.activeElement.dataset.ply : undefined;
  part.innerHTML = other.innerHTML;
  if (other.dataset.start !== undefined) part.dataset.start = other.dataset.start;
  if (focused !== undefined) part.querySelector(`[data-ply="${focused}"]`)?.focus();
};

const show = (next, from) => {
  for (const part of document.querySelectorAll('[data-part]')) {
    const other = from.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!other) continue;
    if (part.dataset.start !== undefined && part.dataset.start === other.dataset.start) {
      part.querySelector('[aria-current]')?.removeAttribute('aria-current');
      part.querySelector(`[data-ply="${next.ply}"]`)?.setAttribute('aria-current', 'step');
    } else replace(part, other);
  }
  // Attributes are replaced, not elements, so that the old board stays until the new one is loaded.
  const pictures = from.querySelectorAll('.board source, .board img');
  document.querySelectorAll('.board source, .board img').forEach((own, index) => {
    for (const { name, value } of pictures[index].attributes) {
      if (own.getAttribute(name) !== value) own.setAttribute(name, value);
    }
  });
  // Links are kept and only their targets change, so that the keyboard focus is not lost.
  for (const link of document.querySelectorAll('a[data-go], header a[hreflang]')) {
    const twin = link.dataset.go ? `a[data-go="${link.dataset.go}"]` : 'header a[hreflang]';
    link.href = from.querySelector(twin).getAttribute('href');
  }
  slider.setAttribute('aria-valuetext', document.querySelector('[data-part="now"]').textContent);
  history.replaceState(null, '', address(next));
  Object.assign(shown, next);
  scrollToMove();
};

const go = async next => {
  Object.assign(wanted, next);
  wanted.ply = Math.min(Math.max(wanted.ply, 0), last());
  slider.value = wanted.ply;
  if (busy) return;
  busy = true;
  const before = shown.ply;
  const unreached = document.getElementById('unreached');
  try {
    while (shown.ply !== wanted.ply || shown.flip !== wanted.flip || current !== newest) {
      const [next, version] = [{ ...wanted }, newest];
      const from = await page(address(next));
      // The game went on meanwhile: this page lacks its moves.
      if (version !== newest) continue;
      current = version;
      show(next, from);
    }
    unreached.hidden = true;
    prefetch(shown.ply + Math.sign(shown.ply - before));
  } catch (error) {
    // The page of the server shows its error; without a connection there is none, and this page stays.
    if (error instanceof Refused) location.assign(address(wanted));
    Object.assign(wanted, shown);
    slider.value = shown.ply;
    unreached.hidden = false;
    play(false);
  }
  busy = false;
};

/** Plays the game from here, or from its start if this is its end; or stops. */
const play = on => {
  clearTimeout(playing);
  playing = on ? setTimeout(next, shown.ply === last() ? 0 : PACE) : null;
  const label = on ? player.dataset.pause : player.dataset.play;
  player.setAttribute('aria-label', label);
  player.title = label;
  player.firstElementChild.textContent = on ? '❚❚' : '▶';
};
const next = async () => {
  await go({ ply: shown.ply === last() ? 0 : wanted.ply + 1 });
  if (playing !== null) play(shown.ply < last());
};

/** Scrolls the list, and only the list, to the current move. */
const scrollToMove = () => {
  const list = document.querySelector('[data-part="moves"]');
  const move = list?.querySelector('[aria-current]');
  if (move) list.scrollTop += move.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  else if (list) list.scrollTop = 0;
  snippet();
};

/** Completes the snippet with the address of this service, which only the browser knows. */
const snippet = () => {
  const text = document.getElementById('snippet');
  if (text) text.value = text.textContent.replace('src="/', `src="${location.origin}/`);
};

/** Shows another version of this page: that of a game that went on. A reader who steps meanwhile arrives at the ply wanted. */
export const renew = from => {
  pages.clear();
  newest += 1;
  const isAtEnd = wanted.ply === last();
  game.dataset.last = from.getElementById('game').dataset.last;
  slider.max = last();
  if (busy) {
    wanted.ply = isAtEnd ? last() : Math.min(wanted.ply, last());
    slider.value = wanted.ply;
    return;
  }
  current = newest;
  const at = Number(from.getElementById('ply').value);
  slider.value = at;
  const now = { ply: at, flip: shown.flip };
  show(now, from);
  Object.assign(wanted, now);
};

if (game && slider) {
  game.addEventListener('click', event => {
    const link = event.target.closest('a[data-go], a[data-ply]');
    if (!link || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    play(false);
    if (link.dataset.go === 'flip') go({ flip: !wanted.flip });
    else go({ ply: Number(new URL(link.href).searchParams.get('ply')) });
  });
  player.addEventListener('click', () => play(playing === null));
  slider.addEventListener('input', () => {
    play(false);
    go({ ply: Number(slider.value) });
  });
  const keys = {
    ArrowLeft: () => go({ ply: wanted.ply - 1 }),
    ArrowRight: () => go({ ply: wanted.ply + 1 }),
    Home: () => go({ ply: 0 }),
    End: () => go({ ply: last() }),
    f: () => go({ flip: !wanted.flip }),
  };
  document.addEventListener('keydown', event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest('input, textarea, select')) return;
    if (event.key === ' ' && !event.target.closest('a, button, summary, [role="region"]')) {
      event.preventDefault();
      play(playing === null);
    }
    if (!(event.key in keys)) return;
    // The keys scroll a region that is wider than its place.
    const region = event.target.closest('[role="region"]');
    if (region && region.scrollWidth > region.clientWidth) return;
    event.preventDefault();
    play(false);
    keys[event.key]();
  });
  slider.parentElement.hidden = false;
  player.hidden = false;
  scrollToMove();
}
