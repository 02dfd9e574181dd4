// Steps through a game without loading the page anew. What is shown comes from the server, as the page of each ply; here
// it is only put in its place.
const game = document.getElementById('game');
const slider = document.getElementById('ply');

/** How many pages are kept, so that going back and forth asks for nothing twice. */
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

  /** Has a page and its board at hand before somebody wants to see them. */
  const prepare = async ply => {
    if (ply < 0 || ply > last || pages.has(ply)) return;
    try {
      const board = (await page(ply)).querySelector('.board');
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      new Image().src = dark ? board.querySelector('source').srcset : board.querySelector('img').getAttribute('src');
    } catch {
      // Who goes there is told.
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
    // The board that is there is seen until the next one has come.
    for (const name of ['source', 'img']) {
      const own = document.querySelector(`.board ${name}`);
      for (const { name: key, value } of from.querySelector(`.board ${name}`).attributes) {
        if (own.getAttribute(key) !== value) own.setAttribute(key, value);
      }
    }
    // These stay what they are, so that the keyboard does not lose its place.
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
      // What went wrong is told by the page itself.
      location.assign(address(wanted));
    }
    busy = false;
  };

  /** Brings the move that is shown into sight, within the list alone. */
  const place = () => {
    const list = document.querySelector('[data-part="moves"]');
    const move = list?.querySelector('[aria-current]');
    if (move) list.scrollTop += move.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    else if (list) list.scrollTop = 0;
    snippet();
  };

  /** The address of this service is known only here. */
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
    const ends = event.key === 'Home' || event.key === 'End';
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest('input, textarea, select, [role="region"]')) return;
    // Outside of the game these lead through the page.
    if (ends && !event.target.closest('#game')) return;
    event.preventDefault();
    go(keys[event.key]());
  });
  slider.parentElement.hidden = false;
  place();
}
