// The service worker of the pages for scoring a game: it keeps them on the device, and opens them without a connection. The
// service writes `KEPT` above: a version, the addresses that are kept, and the languages. With a connection everything comes from the
// service, so that no page is older than the program; requests to the API and pages of other parts never pass here.

const { version, assets, pages, langs } = KEPT;
const OWN = 'quipu-keep-';
const CACHE = OWN + version;

/** Milliseconds that the network may take before the device answers. */
const PATIENCE = 4000;

/** The address of a page in a language of the site; null is the one that the browser requests. */
const spoken = (page, lang) => (lang ? `${page}${page.includes('?') ? '&' : '?'}lang=${lang}` : page);

const asked = async path => {
  const response = await fetch(path, { cache: 'no-cache' });
  if (!response.ok || response.redirected) throw new Error(`${path}: ${response.status}`);
  return response;
};
/** A page as it is kept: it says that there is no connection, and has no games of the server. */
const offline = async response => {
  const text = await response.text();
  const own = text.replace('<html', '<html data-offline').replace(/<section aria-labelledby="server">.*?<\/section>/s, '');
  return new Response(own, { headers: response.headers });
};
const keepPages = async lang => {
  const cache = await caches.open(CACHE);
  if (await cache.match(spoken(pages.at(-1), lang))) return;
  const responses = await Promise.all(pages.map(async page => offline(await asked(spoken(page, lang)))));
  await Promise.all(pages.map((page, index) => cache.put(spoken(page, lang), responses[index])));
};
const langOf = url => langs.find(lang => lang === url.searchParams.get('lang')) ?? null;

const install = async () => {
  const cache = await caches.open(CACHE);
  await Promise.all(assets.map(async path => cache.put(path, await asked(path))));
  const open = await clients.matchAll({ includeUncontrolled: true, type: 'window' });
  await Promise.all([...new Set(open.map(client => langOf(new URL(client.url))))].map(keepPages));
  await skipWaiting();
};
const forgetOthers = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name.startsWith(OWN) && name !== CACHE).map(name => caches.delete(name)));
};

const slow = () => new Promise(resolve => { setTimeout(resolve, PATIENCE, null); });
/** The response of the service; if there is none, or it cannot answer now, that of the device. */
const answer = async (request, kept) => {
  const coming = fetch(request);
  const response = await Promise.race([coming, slow()]).catch(() => null);
  if (response && response.status < 500 && response.status !== 429) return response;
  return await kept(await caches.open(CACHE)) ?? coming;
};
/** A kept page in a language, or else in another. */
const keptPage = async (cache, page, lang) => {
  for (const one of [lang, null, ...langs]) {
    const found = await cache.match(spoken(page, one));
    if (found) return found;
  }
  return null;
};
const answerPage = async event => {
  const url = new URL(event.request.url);
  const [game, lang] = [url.searchParams.get('game'), langOf(url)];
  // Without a connection, the page of a board is that on which games are begun: its script knows the games of this device.
  const path = /^\/keep\/\d/.test(url.pathname) ? '/keep' : url.pathname;
  const page = game ? `${path}?game=${game}` : path;
  const response = await answer(event.request, cache => keptPage(cache, page, lang));
  if (response.ok) event.waitUntil(keepPages(lang).catch(() => {}));
  return response;
};

addEventListener('install', event => event.waitUntil(install()));
addEventListener('activate', event => event.waitUntil(forgetOthers()));
addEventListener('fetch', event => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(answerPage(event));
  else if (assets.includes(url.pathname)) event.respondWith(answer(request, cache => cache.match(url.pathname)));
});
