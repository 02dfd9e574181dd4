// Steps through a game without reloading the page: fetches the page of each ply from the server, and replaces the parts that
// differ.
const game = document.getElementById('game');
const slider = document.getElementById('ply');

/** Pages in the cache, at most. */
const KEPT = 100;

if (game && slider) {
  const last = Number(game.dataset.last);
  const pages = new Map();
  let shown = Number(slider.value);
  let wanted = shown;
  let busy = false;

  const address = ply => {
    const url = new URL(location.href);
    url.searchParams.set('ply', ply);
    url.hash = '';
    return url;
  };

  const load = async ply => {
    const answer = await fetch(address(ply), { headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(answer.statusText);
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };

  const page = ply => {
    if (!pages.has(ply)) {
      pages.set(ply, load(ply));
      if (pages.size > KEPT) pages.delete(pages.keys().next().value);
    }
    return pages.get(ply);
  };

  /** Fetches a page and its board in advance. */
  const prepare = async ply => {
    if (ply < 0 || ply > last || pages.has(ply)) return;
    try {
      const board = (await page(ply)).querySelector('.board');
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      new Image().src = dark ? board.querySelector('source').srcset : board.querySelector('img').getAttribute('src');
    } catch {
      // The error is shown when the user goes there.
      pages.delete(ply);
    }
  };

  const show = (ply, from) => {
    for (const part of document.querySelectorAll('[data-part]')) {
      const other = from.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!other) continue;
      if (part.dataset.start !== undefined && part.dataset.start === other.dataset.start) {
        part.querySelector('[aria-current]')?.removeAttribute('aria-current');
        part.querySelector(`[data-ply="${ply}"]`)?.setAttribute('aria-current', 'step');
      } else if (part.innerHTML !== other.innerHTML) {
        part.innerHTML = other.innerHTML;
        if (other.dataset.start !== undefined) part.dataset.start = other.dataset.start;
      }
    }
    // Attributes are replaced, not elements, so that the old board stays until the new one is loaded.
    for (const name of ['source', 'img']) {
      const own = document.querySelector(`.board ${name}`);
      for (const { name: key, value } of from.querySelector(`.board ${name}`).attributes) {
        if (own.getAttribute(key) !== value) own.setAttribute(key, value);
      }
    }
    // Links are kept and only their targets change, so that the keyboard focus is not lost.
    for (const link of document.querySelectorAll('a[data-go], header a[hreflang]')) {
      const twin = link.dataset.go ? `a[data-go="${link.dataset.go}"]` : 'header a[hreflang]';
      link.href = from.querySelector(twin).getAttribute('href');
    }
    slider.setAttribute('aria-valuetext', document.querySelector('[data-part="now"]').textContent);
    place();
    history.replaceState(null, '', address(ply));
    shown = ply;
  };

  const go = async ply => {
    wanted = Math.min(Math.max(ply, 0), last);
    slider.value = wanted;
    if (busy) return;
    busy = true;
    const before = shown;
    try {
      while (shown !== wanted) {
        const ply = wanted;
        show(ply, await page(ply));
      }
      prepare(shown + Math.sign(shown - before));
    } catch {
      // The page of the server shows the error.
      location.assign(address(wanted));
    }
    busy = false;
  };

  /** Scrolls the list, and only the list, to the current move. */
  const place = () => {
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

  game.addEventListener('click', event => {
    const link = event.target.closest('a[data-go], a[data-ply]');
    if (!link || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(Number(new URL(link.href).searchParams.get('ply')));
  });
  slider.addEventListener('input', () => go(Number(slider.value)));
  const keys = { ArrowLeft: () => wanted - 1, ArrowRight: () => wanted + 1, Home: () => 0, End: () => last };
  document.addEventListener('keydown', event => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest('input, textarea, select')) return;
    // The keys scroll a region that is wider than its place.
    const region = event.target.closest('[role="region"]');
    if (region && region.scrollWidth > region.clientWidth) return;
    event.preventDefault();
    go(keys[event.key]());
  });
  slider.parentElement.hidden = false;
  place();
}
