// The pages of live scoring: this one begins games, and `desk.js` records them.

// All modules are imported here, so that the browser fetches them at once and not one after the other.
import './ui.js';
import './device.js';
import './clock.js';
import './sync.js';
import './entry.js';
import './moving.js';
import './endings.js';
import './screen.js';
import { begunHere, dropToken, place, takeToken } from './board.js';
import { openDesk } from './desk.js';
import { forgetTokens, games, hasStorage, hasToken, load, newGame, randomId, remove, setToken, store, today } from './device.js';
import { players } from './score.js';
import { $, button, fill, make, root, say, showNotice } from './ui.js';

/** The form for the token of this device. */
const tokenForm = () => {
  const show = () => {
    $('token-state').textContent = say(hasToken() ? 'token-kept' : 'token-missing');
    $('token-forget').hidden = !hasToken();
  };
  $('token-form').addEventListener('submit', event => {
    event.preventDefault();
    const text = $('token').value.trim();
    // An HTTP header takes no other characters.
    if (!/^[\x21-\x7e]+$/.test(text)) return showNotice(say('token-wrong'));
    setToken(text);
    $('token').value = '';
    showNotice();
    show();
  });
  $('token-forget').addEventListener('click', () => {
    forgetTokens();
    show();
  });
  show();
};

/** The games of this device, the last changed first. */
const gameList = () => {
  const all = games().map(id => [id, load(id)]).filter(([, game]) => game).sort((one, other) => other[1].changed - one[1].changed);
  $('none').hidden = all.length > 0;
  fill($('games'), all.map(([id, game]) => make('li', {},
    make('p', { class: 'title' }, make('a', { href: `${root.dataset.desk}#${id}` }, players(game.record, game.sides))),
    make('p', { class: 'meta' }, [
      game.record.game, say('ply', { ply: game.record.moves.length }),
      new Date(game.changed).toLocaleString(document.documentElement.lang),
      say(game.finished ? 'finished' : game.live ? 'saved' : 'device-only'),
    ].join(' · ')),
    make('p', { class: 'act' }, button(say('remove'), () => {
      if (!confirm(say('confirm-remove'))) return;
      remove(id);
      gameList();
    }, { class: 'plain' })))));
};

/** Asks the server to deal a start position; an error is shown. */
const deal = async form => {
  const query = new URLSearchParams();
  if ($('seed').value) query.set('seed', $('seed').value);
  if ($('first')) query.set('first', $('first').value);
  const headers = { 'Accept-Language': document.documentElement.lang };
  const answer = await fetch(`${form.dataset.deal}?${query}`, { headers }).catch(() => null);
  if (answer?.ok) return answer.json();
  showNotice((await answer?.json().catch(() => null))?.detail ?? say('offline'));
  return null;
};

/** Time limit in milliseconds for the check that no other device has begun the game. */
const PATIENCE = 4000;

/** True if the game of this board has been begun on another device since the page was read. Without a connection nobody knows. */
const isTaken = async () => {
  const now = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  // A page from this device knows nothing of the board.
  const text = now?.ok ? await now.text() : '';
  return text.includes(`data-place="${place}"`) && !text.includes('id="new"');
};

/** Begins a game from the form, and opens it. */
const begin = async form => {
  if (place && await isTaken().catch(() => false)) return location.reload();
  const seconds = form.dataset.seconds ? Number(form.dataset.seconds) : Math.floor(Number($('minutes').value) * 60);
  const tags = { Date: today() };
  const fields = [...form.querySelectorAll('[data-tag]')];
  for (const field of fields) if (field.value.trim()) tags[field.dataset.tag] = field.value.trim();
  if (seconds > 0) tags.TimeControl = String(seconds);
  const record = { game: form.dataset.game, tags, comments: [], moves: [], result: '*' };
  if ($('rules')) record.rules = $('rules').value;
  if ($('first')) record.first = $('first').value;
  if (form.dataset.deal) {
    const dealt = await deal(form);
    if (!dealt) return;
    record.setup = dealt.position;
    tags.Seed = String(dealt.seed);
  }
  const id = randomId();
  const game = newGame(record, seconds);
  game.sides = fields.slice(0, 2).map(field => field.dataset.tag);
  game.names = fields.slice(0, 2).map(field => field.dataset.label ?? field.labels[0].textContent);
  game.first = $('first')?.selectedIndex ?? Number($('rules')?.selectedOptions[0].dataset.first ?? form.dataset.first);
  if (place) Object.assign(game, { place, ids: root.dataset.ids });
  // Back from the desk of a board, its page would lead to the desk again.
  if (store(id, game)) location[place ? 'replace' : 'assign'](`${root.dataset.desk}#${id}`);
};

const openStart = () => {
  if (place) {
    takeToken();
    // The code is read again while the page is open: only its token may be new.
    addEventListener('hashchange', () => location.reload());
    const id = begunHere();
    if (id) return location.replace(`${root.dataset.desk}#${id}`);
    if (!root.dataset.place) showNotice(make('p', {}, say('board-offline')), button(say('again'), () => location.reload()));
  }
  if ($('token-form')) tokenForm();
  if ($('games')) gameList();
  const form = $('new');
  form?.addEventListener('submit', event => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    begin(form).finally(() => { form.ariaBusy = 'false'; });
  });
};

// Browsers keep pages on the device only if they come over HTTPS, or from the device itself.
navigator.serviceWorker?.register('/keep/worker.js', { scope: '/keep' }).catch(() => {});

if (!hasStorage()) {
  dropToken();
  showNotice(say('device-none-kept'));
} else if ($('keep')) openStart();
else openDesk();
