// Keeps the score of a game. The record is all there is: it is written to the device after each thing that is done, sent to
// the referee, who says how the game stands and what can be played next, and saved on the server. There are no rules here.

const SHOWN = 40;
const SLEPT = 5000;
const AGAIN = 3000;
const PATIENCE = 8000;
const UNANSWERED = 8;
const PREFIX = 'quipu.game.';
const TOKEN = 'quipu.token';

const $ = id => document.getElementById(id);
const root = $('keep') ?? $('desk');
const words = JSON.parse(root.dataset.say);
const say = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

/** Makes an element with attributes and what is in it. */
const make = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'click') made.addEventListener('click', value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...inside);
  return made;
};
const button = (text, click, attributes = {}) => make('button', { type: 'button', click, ...attributes }, text);

/** Puts other things into an element, unless they are the same, so that the keyboard does not lose its place. */
const fill = (element, things) => {
  const held = make('div', {}, ...things);
  if (held.innerHTML === element.innerHTML && !things.some(thing => thing.tagName === 'BUTTON')) return;
  const focused = element.contains(document.activeElement) ? document.activeElement.textContent : null;
  element.replaceChildren(...held.childNodes);
  if (focused === null) return;
  [...element.querySelectorAll('button, a')].find(one => one.textContent === focused)?.focus();
};

const trouble = (...inside) => {
  const place = $('trouble');
  fill(place, inside);
  place.hidden = !inside.length;
};

// The device.

const games = () => Object.keys(localStorage).filter(key => key.startsWith(PREFIX)).map(key => key.slice(PREFIX.length));
/** A game of this device; nothing if there is none, or what is there cannot be read. */
const load = id => {
  try {
    const game = JSON.parse(localStorage.getItem(PREFIX + id));
    return game?.record?.moves ? game : null;
  } catch {
    return null;
  }
};
/** Whether this browser keeps anything at all for this address. */
const keeps = () => {
  try {
    return Boolean(localStorage);
  } catch {
    return false;
  }
};
const store = (id, game) => {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(game));
    return true;
  } catch {
    trouble(say('device-full'));
    return false;
  }
};
const token = () => localStorage.getItem(TOKEN);
const chance = () => [...crypto.getRandomValues(new Uint8Array(12))].map(byte => byte.toString(16).padStart(2, '0')).join('');

/** A game on this device: its record, where it is on the server, and both clocks. */
const begun = (record, seconds) => ({
  record,
  key: chance(),
  live: null,
  saved: null,
  clock: seconds > 0 ? { left: [seconds * 1000, seconds * 1000], side: null, since: null } : null,
  finished: null,
  changed: Date.now(),
});

const copy = record => JSON.parse(JSON.stringify(record));
const players = (record, sides) => {
  const tags = record.tags ?? {};
  const named = sides ?? Object.keys(tags).filter(tag => !FIXED.includes(tag)).slice(0, 2);
  return say('against', { one: tags[named[0]] || '?', two: tags[named[1]] || '?' });
};
const FIXED = ['Event', 'Site', 'Date', 'Round', 'TimeControl', 'UTCDate', 'UTCTime', 'Seed', 'Termination', 'Decision', 'Points', 'Leg', 'Handshake'];

/** A time on a clock, in tenths when there is little left. */
const clockText = millis => {
  const tenths = Math.ceil(Math.max(millis, 0) / 100);
  const seconds = Math.floor(tenths / 10);
  const rest = millis < 20000 ? `.${tenths % 10}` : '';
  const two = number => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}${rest}`;
};
/** The same as records write it. */
const written = millis => {
  const two = number => String(number).padStart(2, '0');
  const seconds = Math.floor(millis / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(millis % 1000).padStart(3, '0')}`;
};

// The page on which games begin.

const beginning = () => {
  const state = () => {
    $('token-state').textContent = say(token() ? 'token-kept' : 'token-missing');
    $('token-forget').hidden = !token();
  };
  $('token-form').addEventListener('submit', event => {
    event.preventDefault();
    const text = $('token').value.trim();
    // A header holds nothing else.
    if (!/^[\x21-\x7e]+$/.test(text)) return trouble(say('token-wrong'));
    localStorage.setItem(TOKEN, text);
    $('token').value = '';
    trouble();
    state();
  });
  $('token-forget').addEventListener('click', () => {
    localStorage.removeItem(TOKEN);
    state();
  });
  state();

  const list = () => {
    const kept = games().map(id => [id, load(id)]).filter(([, game]) => game).sort((one, other) => other[1].changed - one[1].changed);
    $('none').hidden = kept.length > 0;
    fill($('games'), kept.map(([id, game]) => make('li', {},
      make('p', { class: 'title' }, make('a', { href: `${root.dataset.desk}#${id}` }, players(game.record, game.sides))),
      make('p', { class: 'meta' },
        make('span', {}, game.record.game), make('span', {}, say('ply', { ply: game.record.moves.length })),
        make('span', {}, new Date(game.changed).toLocaleString(document.documentElement.lang)),
        make('span', {}, say(game.finished ? 'finished' : game.live ? 'saved' : 'device-only'))),
      make('p', { class: 'act' }, button(say('remove'), () => {
        if (!confirm(say('confirm-remove'))) return;
        localStorage.removeItem(PREFIX + id);
        list();
      }, { class: 'plain' })))));
  };
  list();

  const form = $('new');
  form?.addEventListener('submit', async event => {
    event.preventDefault();
    const seconds = Math.floor(Number($('minutes').value) * 60);
    const now = new Date();
    const two = number => String(number).padStart(2, '0');
    const tags = { Date: `${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}` };
    for (const field of form.querySelectorAll('[data-tag]')) {
      if (field.value.trim()) tags[field.dataset.tag] = field.value.trim();
    }
    if (seconds > 0) tags.TimeControl = String(seconds);
    const record = { game: form.dataset.game, tags, comments: [], moves: [], result: '*' };
    if ($('rules')) record.rules = $('rules').value;
    if ($('first')) record.first = $('first').value;
    if (form.dataset.deal) {
      const asked = new URLSearchParams();
      if ($('seed').value) asked.set('seed', $('seed').value);
      if ($('first')) asked.set('first', $('first').value);
      const headers = { 'Accept-Language': document.documentElement.lang };
      const answer = await fetch(`${form.dataset.deal}?${asked}`, { headers }).catch(() => null);
      if (!answer?.ok) return trouble((await answer?.json().catch(() => null))?.detail ?? say('offline'));
      const deal = await answer.json();
      record.setup = deal.position;
      tags.Seed = String(deal.seed);
    }
    const id = chance();
    const game = begun(record, seconds);
    game.sides = [...form.querySelectorAll('[data-tag]')].slice(0, 2).map(field => field.dataset.tag);
    if (store(id, game)) location.assign(`${root.dataset.desk}#${id}`);
  });
};

// The desk.

/** That there is nobody who answers, or nobody who can now. */
class Away extends Error {}

const desk = async () => {
  let id = location.hash.slice(1);
  let game = null;
  let taps = [];
  let ends = [];
  let busy = null;
  let asked = false;
  let offline = false;
  let timer = null;
  let ticked = { at: performance.now(), wall: Date.now() };
  let tentative = null;
  let flip = false;
  let beat = ticked;
  let asking = false;
  let unkept = false;
  /** Another device may have saved the game since this page looked. */
  let unsure = true;

  const lang = root.dataset.lang;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const record = () => game.record;
  const moves = () => record().moves;
  const state = () => game.desk;
  /** Whether the referee has seen all that was entered. */
  const judged = () => state() && game.judged === moves().length;
  const faulty = () => (judged() ? state().fault : null);
  const over = () => record().result && record().result !== '*';
  const first = () => state()?.sides.findIndex(side => side.name === state().first) ?? 0;
  const sideOf = index => (first() + index) % 2;
  const isDisputed = ply => [ply?.comment ?? []].flat().includes('[%disputed]');

  /** What this page read or wrote last: another page of this device may have gone on since. */
  let held = null;
  const mine = () => localStorage.getItem(PREFIX + id) === held;
  const persist = () => {
    if (!mine()) {
      location.reload();
      return false;
    }
    game.changed = Date.now();
    unkept = !store(id, game);
    if (!unkept) held = localStorage.getItem(PREFIX + id);
    return !unkept;
  };

  // Clocks. What runs is counted by a clock that nobody sets; when the page was gone, by the time of day.

  const settle = () => {
    const { clock } = game;
    const now = { at: performance.now(), wall: Date.now() };
    if (clock?.side != null) {
      const passed = ticked.side === clock.side && ticked.id === id ? now.at - ticked.at : now.wall - clock.since;
      clock.left[clock.side] = Math.max(0, clock.left[clock.side] - Math.max(0, passed));
      clock.since = now.wall;
    }
    ticked = { ...now, side: clock?.side ?? null, id };
  };
  const run = side => {
    settle();
    if (!game.clock) return;
    game.clock.side = side;
    game.clock.since = Date.now();
    ticked = { ...ticked, side };
    awake();
  };
  const left = side => {
    const { clock } = game;
    const passed = clock.side === side && ticked.side === side ? performance.now() - ticked.at : 0;
    return Math.max(0, clock.left[side] - passed);
  };
  /** That the device slept, where its steady clock stands still then: only who was there knows what that time was. */
  const slept = () => {
    const now = { at: performance.now(), wall: Date.now() };
    const lost = now.wall - beat.wall - (now.at - beat.at);
    beat = now;
    const { side } = game.clock;
    if (side == null || lost < SLEPT) return;
    trouble(make('p', {}, say('slept', { time: clockText(lost) })),
      button(say('slept-count'), () => {
        game.clock.left[side] = Math.max(0, game.clock.left[side] - lost);
        trouble();
        changed();
      }), ' ',
      button(say('clear'), () => trouble(), { class: 'plain' }));
  };
  /** Keeps the screen on while a clock runs, where the browser lets it. */
  const awake = () => {
    if (game?.clock?.side != null && document.visibilityState === 'visible') navigator.wakeLock?.request('screen').catch(() => {});
  };
  const tick = () => {
    if (!game?.clock) return;
    slept();
    for (const side of [0, 1]) {
      const time = document.querySelector(`[data-seat="${side}"] .time`);
      const text = clockText(left(side));
      if (time.textContent !== text) time.textContent = text;
    }
    const { side } = game.clock;
    if (side == null || left(side) > 0) return;
    run(null);
    persist();
    render();
    ways(true, false);
  };

  // What is done to the record.

  const play = token => {
    const side = sideOf(moves().length);
    const ply = { move: token };
    if (game.clock) {
      settle();
      ply.clock_ms = Math.floor(game.clock.left[side]);
    }
    begin();
    moves().push(ply);
    if (game.clock?.side != null) run(1 - side);
    changed();
  };
  /** When the game began is known when its first move or its clock is. */
  const begin = () => {
    const tags = record().tags;
    if (tags.UTCDate) return;
    const [day, time] = new Date().toISOString().split('T');
    tags.UTCDate = day.replaceAll('-', '.');
    tags.UTCTime = time.slice(0, 8);
  };
  const note = (where, text) => {
    if (where) where.comment = [where.comment ?? [], text].flat();
    else (record().comments ??= []).push(text);
  };
  /** Takes the last ply back. That it was there stays written where it was. */
  const undo = () => {
    const ply = moves().pop();
    if (!ply) return;
    reopen();
    run(null);
    const before = moves().at(-1);
    const parts = ['undone', ply.move];
    if (ply.clock_ms != null) parts.push(written(ply.clock_ms));
    if (isDisputed(ply)) parts.push('disputed');
    for (const text of [ply.comment ?? []].flat()) if (text !== '[%disputed]') note(before, text);
    note(before, `[%${parts.join(' ')}]`);
    if (game.clock && ply.clock_ms != null) {
      game.clock.left[sideOf(moves().length)] = ply.clock_ms;
      if (before?.clock_ms != null) game.clock.left[sideOf(moves().length - 1)] = before.clock_ms;
    }
    if (game.judged > moves().length) game.judged = null;
  };
  const reopen = () => {
    record().result = '*';
    for (const ending of [...ends, ...(state()?.endings ?? [])]) {
      for (const tag of Object.keys(ending.tags)) delete record().tags[tag];
    }
  };
  const end = ending => {
    reopen();
    run(null);
    ends = [ending];
    record().result = ending.result;
    Object.assign(record().tags, ending.tags);
    ways(false);
    changed();
    $('result').scrollIntoView({ block: 'nearest' });
  };

  /** After everything that is done: first to the device, then to whom it may concern. */
  const changed = () => {
    taps = [];
    tentative = null;
    persist();
    render();
    sync();
  };

  // The referee and the server.

  const send = async (method, path, body, headers = {}, patience = PATIENCE) => {
    const answer = await fetch(path, {
      method,
      headers: { 'Accept-Language': lang, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body,
      cache: 'no-store',
      // A way that swallows everything says nothing for minutes.
      signal: AbortSignal.timeout(patience),
    }).catch(error => { throw new Away(error.message); });
    const said = await answer.json().catch(() => ({}));
    return { status: answer.status, ok: answer.ok, said };
  };
  const look = body => {
    const asked = new URLSearchParams({ lang, theme: dark.matches ? 'dark' : 'light', flip: flip ? 'yes' : 'no' });
    return send('POST', `/v1/desk?${asked}`, body, {}, PATIENCE / 2);
  };

  const sync = () => {
    asked = true;
    busy ??= synced().finally(() => { busy = null; }).then(() => { if (asked && !offline) return sync(); });
    return busy;
  };
  const synced = async () => {
    clearTimeout(timer);
    try {
      if (unsure) await caughtUp();
      unsure = false;
      while (asked) {
        asked = false;
        render();
        await judge();
        await save();
      }
      offline = false;
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      // Nobody is there. What was entered is on the device, and is sent when somebody is.
      offline = true;
      timer = setTimeout(sync, AGAIN);
    }
    render();
  };

  const judge = async () => {
    const plies = moves().length;
    const body = JSON.stringify(record());
    if (game.judged === plies && game.seen === body && game.view === view()) return;
    const { ok, said, status } = await look(body);
    if (status >= 500 || status === 429) throw new Away(said.detail);
    offline = false;
    if (body !== JSON.stringify(record())) {
      asked = true;
      return;
    }
    if (!ok) {
      trouble(make('p', {}, said.detail ?? String(status)), button(say('undo'), () => { undo(); changed(); }));
      return;
    }
    accept(said, plies);
  };
  const view = () => `${dark.matches} ${flip}`;
  const accept = (said, plies) => {
    const { record: canonical, text, verdict, ...rest } = said;
    canonical.moves.forEach((ply, index) => { moves()[index].move = ply.move; });
    game.desk = { ...rest, status: verdict.status };
    game.sides = said.sides.map(side => side.tag);
    game.text = text;
    game.judged = plies;
    game.view = view();
    game.seen = JSON.stringify(record());
    // What the board shows needs no telling, unless it can mean more than one thing.
    if (said.end && said.endings.length === 1 && !over()) {
      run(null);
      record().result = said.endings[0].result;
      game.text = null;
      asked = true;
    }
    if (said.end) run(null);
    persist();
  };

  const save = async () => {
    if (!token() || game.finished || game.left) return;
    const now = JSON.stringify(record());
    if (game.live && game.saved === now) return;
    // What opens it is sent the same until it is answered, as its key asks.
    const body = game.live ? now : game.opening ??= now;
    const sent = game.live && judged() ? game.text : null;
    if (sent && !game.sent?.includes(sent)) game.sent = [...game.sent ?? [], sent].slice(-UNANSWERED);
    persist();
    const headers = { Authorization: `Bearer ${token()}` };
    const { ok, status, said } = game.live
      ? await send('PUT', `/v1/live/${game.live.number}`, body, { ...headers, 'If-Match': `"${game.live.version}"` })
      : await send('POST', '/v1/live', body, { ...headers, 'Idempotency-Key': game.key });
    if (ok || (status < 500 && status !== 429)) game.opening = null;
    if (ok) {
      game.live = { number: said.live, version: said.version };
      game.saved = body;
      game.refused = null;
      game.sent = null;
      persist();
      if (body !== JSON.stringify(record())) asked = true;
      return;
    }
    if (status >= 500 || status === 429) throw new Away(said.detail);
    game.refused = (status === 401 ? say('token-refused') : said.detail) ?? String(status);
    if (status === 412) await outdated();
    else if (status === 404) gone();
    else if (said.id) game.finished = said.id;
    persist();
  };

  /** What was saved from here is not what the server has. */
  const outdated = async () => {
    game.saved = null;
    game.refused = say('behind');
    await conflict();
    persist();
  };
  /** Another device has saved the game meanwhile: who keeps it says which holds. Nothing is lost. */
  const conflict = async () => {
    const { ok, said } = await send('GET', `/v1/live/${game.live.number}`);
    if (!ok) return;
    // It was this device, and the answer was lost.
    if (game.sent?.includes(said.text)) {
      Object.assign(game, { live: { number: said.live, version: said.version }, refused: null });
      asked = true;
      return;
    }
    trouble(make('p', {}, say('conflict', { plies: said.record.moves.length })),
      button(say('conflict-theirs'), async () => {
        store(chance(), { ...copy(game), live: null, key: chance(), opening: null, left: true });
        trouble();
        await take(said);
        changed();
      }), ' ',
      button(say('conflict-mine'), () => {
        game.live.version = said.version;
        game.refused = null;
        trouble();
        changed();
      }));
  };
  /** Goes on with what the server has, and with the clocks as they were written there. */
  const take = async said => {
    run(null);
    Object.assign(game, { record: said.record, live: { number: said.live, version: said.version }, refused: null, sent: null });
    game.record.comments ??= [];
    game.record.tags ??= {};
    game.saved = JSON.stringify(record());
    game.judged = null;
    await clocks();
  };
  const clocks = async () => {
    if (!game.clock) return;
    const { ok, said } = await look(JSON.stringify(record())).catch(() => ({}));
    if (ok) said.sides.forEach((side, index) => { if (side.clock_ms != null) game.clock.left[index] = side.clock_ms; });
  };
  /** What became of the game on the server while this page was not there. */
  const caughtUp = async () => {
    if (!game.live || game.finished || !token()) return;
    const { ok, said } = await send('GET', `/v1/live/${game.live.number}`);
    if (!ok) return;
    if (said.finished) game.finished = said.finished;
    else if (said.version === game.live.version) return;
    else if (game.saved === JSON.stringify(record())) await take(said);
    else return conflict();
    persist();
  };
  const gone = () => trouble(make('p', {}, say('gone')), button(say('reopen-live'), () => {
    Object.assign(game, { live: null, saved: null, key: chance(), refused: null });
    trouble();
    changed();
  }));

  const finish = async keep => {
    $('finish').disabled = true;
    game.left = false;
    try {
      await sync();
      if (offline) throw new Away();
      // Only what is on the server as it is here may be handed in.
      if (!game.live || game.saved !== JSON.stringify(record())) {
        fill($('outcome'), [make('p', {}, game.refused ?? say('token-missing'))]);
        return;
      }
      const path = `/v1/live/${game.live.number}/finish${keep ? '?keep=refused' : ''}`;
      const headers = { Authorization: `Bearer ${token()}`, 'If-Match': `"${game.live.version}"` };
      const { ok, status, said } = await send('POST', path, undefined, headers);
      if (status === 412) {
        await outdated();
        fill($('outcome'), [make('p', {}, game.refused ?? '')]);
        return;
      }
      if (ok || said.stored) {
        game.finished = said.id;
        persist();
        render();
        return;
      }
      const again = said.stored === false ? [button(say('store-refused'), () => finish(true))] : [];
      fill($('outcome'), [make('p', {}, say('not-stored'), ' ', said.detail ?? ''), ...again]);
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      fill($('outcome'), [make('p', {}, say('offline'))]);
    } finally {
      $('finish').disabled = false;
    }
  };

  // Entering moves.

  const list = () => (judged() && !over() && !state().fault ? state().moves.list : []);
  const begins = (one, other) => other.every((tap, index) => one[index] === tap);
  const tap = name => {
    if (over()) return;
    let next = [...taps, name];
    let found = list().filter(move => begins(move.taps, next));
    if (!found.length && taps.length) {
      const again = taps.length === 1 && taps[0] === name;
      next = again ? [] : [name];
      found = list().filter(move => begins(move.taps, next));
    }
    taps = found.length ? next : [];
    if (found.length === 1 && found[0].taps.length === next.length) {
      play(found[0].move);
      return;
    }
    // What no move begins with may be where some end.
    const there = found.length ? [] : list().filter(move => move.taps.at(-1) === name);
    render(there, found.length || there.length ? null : say('no-move', { name }));
  };

  const choices = there => {
    if (!list().length) return [];
    const found = taps.length ? list().filter(move => begins(move.taps, taps)) : there ?? [];
    if (!found.length) return [];
    if (found.length > SHOWN && !found.some(move => move.taps.length === taps.length)) return [];
    const sorted = [...found].sort((one, other) => one.taps.length - other.taps.length);
    return [
      ...sorted.slice(0, SHOWN).map(move => button(move.move, () => play(move.move))),
      button(say('clear'), () => { taps = []; render(); }, { class: 'plain' }),
    ];
  };

  const typed = async text => {
    const ply = { move: text };
    if (asking) return;
    if (!offline && judged() && !faulty()) {
      const before = JSON.stringify(record());
      const body = JSON.stringify({ ...record(), moves: [...moves(), ply] });
      asking = true;
      const answer = await look(body).catch(() => null);
      asking = false;
      // Something else was entered meanwhile: it stays written, to be entered again.
      if (JSON.stringify(record()) !== before) return;
      if (answer && !answer.ok && answer.status < 500 && answer.status !== 429) {
        tentative = { text, fault: { message: answer.said.detail, suggestions: [] }, unreadable: true };
        render();
        return;
      }
      if (answer?.ok && answer.said.plies <= moves().length) {
        tentative = { text, fault: answer.said.fault };
        render();
        return;
      }
    }
    $('move').value = '';
    play(text);
  };
  const dispute = text => {
    $('move').value = '';
    play(text);
    note(moves().at(-1), '[%disputed]');
    changed();
  };

  // What is seen.

  const cells = () => {
    const { columns, margin, cells: all } = state().board;
    const rows = all.length / columns;
    const place = $('cells');
    const open = new Set(taps.length ? list().filter(move => begins(move.taps, taps)).map(move => move.taps[taps.length]) : []);
    if (place.children.length !== all.length) {
      place.replaceChildren(...all.map((_, index) => button('', () => tap(state().board.cells[index].name), { tabindex: index ? -1 : 0 })));
    }
    all.forEach((cell, index) => {
      const one = place.children[index];
      const wide = columns + (2 * margin) / 100;
      const high = rows + (2 * margin) / 100;
      one.style.left = `${(100 * (margin / 100 + (index % columns))) / wide}%`;
      one.style.top = `${(100 * (margin / 100 + Math.floor(index / columns))) / high}%`;
      one.style.width = `${100 / wide}%`;
      one.style.height = `${100 / high}%`;
      one.dataset.name = cell.name;
      one.setAttribute('aria-label', cell.label);
      one.setAttribute('aria-pressed', String(taps.includes(cell.name)));
      one.classList.toggle('open', open.has(cell.name));
    });
  };

  const marks = comments => [comments ?? []].flat().map(text => {
    const mark = /^\[%(\w+) ?(.*)\]$/.exec(text);
    const what = mark?.[2].replace(/ disputed$/, ` ${say('disputed')}`);
    const told = mark?.[1] === 'disputed' ? say('disputed') : mark?.[1] === 'undone' ? say('was-undone', { what }) : text;
    return make('span', { class: 'mark' }, ` ${told}`);
  });

  const score = () => {
    const seen = judged() ? state().plies : Math.min(state()?.plies ?? 0, game.judged ?? 0);
    fill($('moves'), [
      ...marks(record().comments),
      make('ol', { class: 'plies' }, ...moves().map((ply, index) => make('li', { 'aria-current': index === moves().length - 1 ? 'step' : false },
        `${game.sides?.[sideOf(index)] ?? ''} `, make('strong', {}, ply.move),
        ply.clock_ms == null ? '' : make('span', { class: 'clock' }, ` ${written(ply.clock_ms)}`),
        index < seen ? '' : make('em', {}, ` ${say('unjudged')}`),
        ...marks(ply.comment)))),
    ]);
    $('moves').scrollTop = $('moves').scrollHeight;
  };

  const seats = () => {
    const turn = over() || state()?.end ? null : sideOf(moves().length);
    for (const side of [0, 1]) {
      const seat = document.querySelector(`[data-seat="${side}"]`);
      const tag = game.sides?.[side] ?? '';
      const name = record().tags[tag];
      seat.querySelector('.name').textContent = name ? `${tag} · ${name}` : tag;
      seat.querySelector('.turn').textContent = turn === side ? say('to-move') : '';
      seat.classList.toggle('moving', turn === side);
      seat.querySelector('.time').hidden = !game.clock;
      const points = state()?.points?.[state().sides[side].name];
      seat.querySelector('.points').textContent = points == null ? '' : say('points', { points });
      seat.querySelector('.points').hidden = points == null;
    }
    $('clock').hidden = !game.clock || over();
    $('clock').textContent = say(game.clock?.side == null ? 'start' : 'pause');
    tick();
  };

  const status = () => {
    if (unkept) return say('device-full');
    if (game.finished) return say('finished');
    if (offline) return say('offline', { plies: moves().length - (judged() ? moves().length : game.judged ?? 0) });
    if (game.refused) return game.refused;
    if (!token() || game.left) return say('device-only');
    return say(game.live && game.saved === JSON.stringify(record()) ? 'saved' : 'saving');
  };

  const faults = () => {
    const place = $('trouble');
    if (tentative) {
      const { text, fault, unreadable } = tentative;
      trouble(make('p', {}, say('refused', { move: text })), make('p', {}, fault?.message ?? ''),
        ...(fault?.suggestions?.length ? [make('span', { class: 'label' }, say('suggested')), ' '] : []),
        ...(fault?.suggestions ?? []).map(move => button(move, () => { $('move').value = ''; play(move); })),
        ...(unreadable ? [] : [button(say('enter-disputed'), () => dispute(text))]),
        button(say('clear'), () => { tentative = null; place.hidden = true; $('move').focus(); render(); }, { class: 'plain' }));
      place.dataset.of = 'fault';
      return;
    }
    const fault = faulty();
    const ply = fault && moves()[fault.ply - 1];
    if (fault && !isDisputed(ply)) {
      trouble(make('p', {}, say('faulty', { ply: fault.ply, move: ply?.move ?? '' })), make('p', {}, fault.message),
        button(say('undo-to', { ply: fault.ply }), () => { while (moves().length >= fault.ply) undo(); changed(); }), ' ',
        button(say('mark-disputed'), () => { note(ply, '[%disputed]'); changed(); }));
      place.dataset.of = 'fault';
    } else if (place.dataset.of === 'fault') {
      delete place.dataset.of;
      trouble();
    }
  };

  /** Shows how the game can be ended, or hides it. Who did not ask for it keeps the keyboard where it is. */
  const ways = (show, asked = true) => {
    $('endings').hidden = !show;
    $('ending').setAttribute('aria-expanded', String(show));
    const out = game.clock && [0, 1].find(side => left(side) <= 0);
    const flagged = ending => out != null && ending.tags.Termination === 'time' && ending.winner === state().sides[1 - out].name;
    const all = [...(state()?.endings ?? [])].sort((one, other) => flagged(other) - flagged(one));
    fill($('ways'), all.map(ending => button(ending.label, () => end(ending), { class: flagged(ending) ? null : 'plain' })));
    if (show && asked) $('ways').querySelector('button')?.focus();
  };

  const render = (there, said) => {
    $('title').textContent = players(record(), game.sides);
    $('table').hidden = !state();
    $('sync').textContent = status();
    $('sync').classList.toggle('off', offline || unkept || Boolean(game.refused));
    faults();
    if (!state()) return;
    const image = $('picture');
    const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(state().board.picture)}`;
    if (image.getAttribute('src') !== source) image.setAttribute('src', source);
    image.alt = state().board.description;
    image.hidden = false;
    cells();
    seats();
    score();
    const open = !over() && !state().end;
    const waiting = judged() ? 0 : moves().length - Math.min(game.judged ?? state().plies, moves().length);
    const out = game.clock ? [0, 1].find(side => left(side) <= 0) : null;
    const now = said
      ?? (over() ? say('over', { result: record().result })
        : state().end ? say('ended', { end: state().ended })
          : out != null ? say('flag', { side: game.sides[out] })
          : faulty() ? say('left', { count: moves().length - state().plies })
            : waiting ? say('left', { count: waiting })
              : taps.length ? say('continue', { taps: taps.join(' ') })
                : !state().moves.complete ? say('too-many', { count: state().moves.count })
                  : say('choose', { side: game.sides[sideOf(moves().length)] }));
    if ($('now').textContent !== now) $('now').textContent = now;
    fill($('beside'), list().length ? state().beside.map(thing =>
      button(thing.label, () => tap(thing.name), { 'data-name': thing.name, 'aria-pressed': String(taps.includes(thing.name)) })) : []);
    fill($('choices'), choices(there));
    $('typed').hidden = !open;
    $('undo').disabled = !moves().length || Boolean(game.finished);
    $('ending').hidden = over();
    $('result').hidden = !over();
    $('ended').textContent = over() ? say('over', { result: record().result }) : '';
    $('finish').hidden = Boolean(game.finished);
    $('reopen').hidden = Boolean(game.finished);
    if (game.finished) {
      const path = root.dataset.record.replace('/0', `/${game.finished}`);
      fill($('outcome'), [make('p', {}, say('finished'), ' ', make('a', { href: path }, say('open-record')))]);
    } else if (!over()) fill($('outcome'), []);
    if (state().end && !over() && $('endings').hidden) ways(true, false);
    fill($('facts'), state().facts.map(fact => make('li', {}, fact)));
    $('watch').hidden = $('close').hidden = !game.live || Boolean(game.finished);
    if (game.live) $('watch').href = root.dataset.live.replace('/0', `/${game.live.number}`);
    const text = judged() && game.text;
    $('download').href = `data:application/octet-stream;charset=utf-8,${encodeURIComponent(text || JSON.stringify(record()))}`;
    $('download').download = `${record().game}-${id.slice(0, 6)}.${text ? 'quipu' : 'json'}`;
  };

  // The desk is of a game of this device, or of one of the server that goes on here.

  const taken = /^live-(\d+)$/.exec(id);
  if (taken) {
    const number = Number(taken[1]);
    const here = games().find(other => load(other)?.live?.number === number && !load(other).left);
    if (here) id = here;
    else {
      const answer = await send('GET', `/v1/live/${number}`).catch(() => null);
      if (!answer?.ok) return trouble(answer?.said.detail ?? say('offline'));
      const { record: theirs, version } = answer.said;
      theirs.comments ??= [];
      theirs.tags ??= {};
      game = begun(theirs, Number(theirs.tags.TimeControl ?? 0));
      game.live = { number, version };
      game.finished = answer.said.finished;
      id = chance();
      store(id, game);
    }
    history.replaceState(null, '', `#${id}`);
  }
  held = localStorage.getItem(PREFIX + id);
  game = load(id);
  if (!game) return trouble(say('no-game'));
  if (taken && !game.desk) await clocks();
  settle();

  $('typed').addEventListener('submit', event => {
    event.preventDefault();
    typed($('move').value.trim());
  });
  $('clock').addEventListener('click', () => {
    if (game.clock.side == null) begin();
    run(game.clock.side == null ? sideOf(moves().length) : null);
    changed();
  });
  $('undo').addEventListener('click', () => { undo(); changed(); });
  $('flip').addEventListener('click', () => { flip = !flip; sync(); });
  $('ending').addEventListener('click', () => ways($('endings').hidden));
  $('reopen').addEventListener('click', () => { reopen(); changed(); });
  $('finish').addEventListener('click', () => finish(false));
  $('close').addEventListener('click', async () => {
    if (!confirm(say('confirm-close'))) return;
    const headers = { Authorization: `Bearer ${token()}`, 'If-Match': '*' };
    const { ok, said } = await send('POST', `/v1/live/${game.live.number}/close`, undefined, headers).catch(() => ({ said: {} }));
    if (!ok) return trouble(said.detail ?? say('offline'));
    Object.assign(game, { live: null, saved: null, key: chance(), opening: null, left: true });
    changed();
    trouble(say('closed'));
  });
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  $('cells').addEventListener('keydown', event => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...$('cells').children];
    const { columns } = state().board;
    const at = all.indexOf(document.activeElement);
    const [x, y] = [(at % columns) + step[0], Math.floor(at / columns) + step[1]];
    const next = x >= 0 && x < columns ? all[y * columns + x] : null;
    if (!next) return;
    all[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  addEventListener('online', sync);
  addEventListener('hashchange', () => location.reload());
  addEventListener('pagehide', () => {
    // A page that was overtaken, or whose game was removed, has nothing to add.
    if (game.clock?.side == null || !mine()) return;
    settle();
    persist();
  });
  addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
  addEventListener('storage', event => { if (event.key === PREFIX + id) location.reload(); });
  addEventListener('visibilitychange', () => {
    awake();
    unsure = true;
    if (document.visibilityState === 'visible') sync();
  });
  dark.addEventListener('change', sync);
  setInterval(tick, 100);
  render();
  sync();
};

if (!keeps()) trouble(say('device-none-kept'));
else if ($('keep')) beginning();
else desk();
