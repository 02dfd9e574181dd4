// Requests to the referee and to the server: each change is judged, and saved if there is a token.

import { clockQuery, run, stopAtEnd } from './clock.js';
import { boardToken, forgetBoardToken, persist, randomId, store, token, tokenFor } from './device.js';
import { judged, moves, isOver, undo } from './score.js';
import { $, button, fill, make, say, showNotice } from './ui.js';

/** Milliseconds before the next attempt without a connection. */
const RETRY = 3000;
/** Milliseconds before a request is given up. */
const PATIENCE = 8000;
/** Saved texts kept until their answers have come. */
const UNANSWERED = 8;

/** No connection, or a server that cannot answer now. */
class Away extends Error {}

const text = desk => JSON.stringify(desk.game.record);
const switches = ({ game: { clock } }) => clock?.switches ?? 0;
/** True if the server knows which clock runs. */
const knowsClocks = desk => (desk.game.switched ?? 0) === switches(desk);
const copy = value => JSON.parse(JSON.stringify(value));

export const send = async (desk, method, path, body, headers = {}, patience = PATIENCE) => {
  const answer = await fetch(path, {
    method,
    headers: { 'Accept-Language': desk.lang, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body,
    cache: 'no-store',
    // A connection that drops packets would otherwise hang for minutes.
    signal: AbortSignal.timeout(patience),
  }).catch(error => { throw new Away(error.message); });
  const said = await answer.json().catch(() => ({}));
  return { status: answer.status, ok: answer.ok, said };
};
/** Sends with the token of the board; if the server refuses it, also with that of this device. If that is refused too, the first reason counts. */
const signed = async (desk, method, path, body, headers) => {
  const own = boardToken(desk);
  const by = held => send(desk, method, path, body, { ...headers, Authorization: `Bearer ${held}` });
  const answer = await by(own ?? token());
  if (own === null || (answer.status !== 401 && answer.status !== 403)) return answer;
  if (answer.status === 401) forgetBoardToken(desk, own);
  if (!token()) return answer;
  const other = await by(token());
  return other.status === 401 || other.status === 403 ? answer : other;
};
/** Asks the referee about a record. */
export const askReferee = (desk, body) => {
  const { lang, dark, flip } = desk;
  const query = new URLSearchParams({ lang, theme: dark.matches ? 'dark' : 'light', flip: flip ? 'yes' : 'no' });
  return send(desk, 'POST', `/v1/desk?${query}`, body, {}, PATIENCE / 2);
};

/** Judges and saves the record. A call while this runs makes it run once more. */
export const sync = desk => {
  desk.needsSync = true;
  desk.syncing ??= synced(desk)
    .finally(() => { desk.syncing = null; })
    .then(() => { if (desk.needsSync && !desk.offline) return sync(desk); });
  return desk.syncing;
};
const synced = async desk => {
  clearTimeout(desk.timer);
  try {
    if (desk.mayBeBehind) await catchUp(desk);
    desk.mayBeBehind = false;
    while (desk.needsSync) {
      desk.needsSync = false;
      desk.render();
      await judge(desk);
      await save(desk);
    }
    desk.offline = false;
  } catch (error) {
    if (!(error instanceof Away)) throw error;
    // The moves are on the device, and are sent when there is a connection.
    desk.offline = true;
    desk.timer = setTimeout(() => sync(desk), RETRY);
  }
  desk.render();
};

const view = desk => `${desk.dark.matches} ${desk.flip} ${desk.lang}`;
const judge = async desk => {
  const { game } = desk;
  const plies = moves(desk).length;
  const body = text(desk);
  if (game.judged === plies && game.seen === body && game.view === view(desk)) return;
  const { ok, said, status } = await askReferee(desk, body);
  if (status >= 500 || status === 429) throw new Away(said.detail);
  desk.offline = false;
  if (body !== text(desk)) {
    desk.needsSync = true;
    return;
  }
  if (!ok) {
    showNotice(make('p', {}, said.detail ?? String(status)), button(say('undo'), () => { undo(desk); desk.changed(); }));
    return;
  }
  accept(desk, said, plies);
};
const accept = (desk, said, plies) => {
  const { game } = desk;
  const { record: canonical, text: canonicalText, verdict, ...rest } = said;
  canonical.moves.forEach((ply, index) => { moves(desk)[index].move = ply.move; });
  game.desk = { ...rest, status: verdict.status };
  game.sides = said.sides.map(side => side.tag);
  game.text = canonicalText;
  game.judged = plies;
  game.view = view(desk);
  game.seen = text(desk);
  if (said.end) stopAtEnd(desk);
  // An end on the board that has one meaning needs no choice.
  if (said.end && said.endings.length === 1 && !isOver(desk)) {
    game.record.result = said.endings[0].result;
    game.text = null;
    desk.needsSync = true;
  }
  persist(desk);
};

const save = async desk => {
  const { game } = desk;
  if (!tokenFor(desk) || game.finished || game.left) return;
  const now = text(desk);
  if (game.live && game.saved === now && knowsClocks(desk)) return;
  // The first request is repeated unchanged until it is answered, because its idempotency key demands it.
  const body = game.live ? now : game.opening ??= now;
  const sent = game.live && judged(desk) ? game.text : null;
  if (sent && !game.sent?.includes(sent)) game.sent = [...game.sent ?? [], sent].slice(-UNANSWERED);
  persist(desk);
  const sentSwitches = game.live ? switches(desk) : 0;
  const { ok, status, said } = game.live
    ? await signed(desk, 'PUT', `/v1/live/${game.live.number}${clockQuery(desk)}`, body, { 'If-Match': `"${game.live.version}"` })
    : await signed(desk, 'POST', '/v1/live', body, { 'Idempotency-Key': game.key });
  if (ok || (status < 500 && status !== 429)) game.opening = null;
  if (ok) {
    game.live = { number: said.live, version: said.version };
    game.saved = body;
    game.switched = sentSwitches;
    game.refused = null;
    game.sent = null;
    persist(desk);
    if (body !== text(desk) || !knowsClocks(desk)) desk.needsSync = true;
    return;
  }
  if (status >= 500 || status === 429) throw new Away(said.detail);
  game.refused = (status === 401 ? say('token-refused') : said.detail) ?? String(status);
  if (status === 412) await outdated(desk);
  else if (status === 404) gone(desk);
  else if (said.id) {
    const found = await onServer(desk);
    if (!found.ok) throw new Away(found.said.detail);
    await finishedElsewhere(desk, found.said);
  }
  persist(desk);
};

/** Asks for the game as it is on the server. */
const onServer = desk => send(desk, 'GET', `/v1/live/${desk.game.live.number}`);
/** Handles a version on the server that is not the one saved from here. */
const outdated = async desk => {
  desk.game.saved = null;
  desk.game.refused = say('behind');
  await conflict(desk);
  persist(desk);
};
/** Keeps the game as it is here among the games of this device; false if there is no space, and then nothing may replace it. */
const keepCopy = ({ game }) => store(randomId(), { ...copy(game), live: null, key: randomId(), opening: null, left: true });
/** Shows the version in the archive of a game that another device finished, and keeps a copy of changes that are not in it. */
const finishedElsewhere = async (desk, said) => {
  const { game } = desk;
  const isNews = game.saved !== text(desk);
  if (isNews && !keepCopy(desk)) return;
  await take(desk, said);
  game.finished = said.finished;
  if (isNews) showNotice(say('finished-elsewhere'));
};
/** Another device has saved the game: a person chooses a version, and the other one is kept as a copy. */
const conflict = async desk => {
  const { game } = desk;
  const { ok, said } = await onServer(desk);
  if (!ok) return;
  // This device saved it, and the answer was lost.
  if (game.sent?.includes(said.text)) {
    Object.assign(game, { live: { number: said.live, version: said.version }, refused: null });
    desk.needsSync = true;
    return;
  }
  showNotice(make('p', {}, say('conflict', { plies: said.record.moves.length })),
    button(say('conflict-theirs'), async () => {
      if (!keepCopy(desk)) return;
      showNotice();
      await take(desk, said);
      desk.changed();
    }), ' ',
    button(say('conflict-mine'), () => {
      game.live.version = said.version;
      game.refused = null;
      showNotice();
      desk.changed();
    }));
};
/** Continues with the version of the server, and with the clocks in it. */
export const take = async (desk, said) => {
  run(desk, null);
  const { game } = desk;
  Object.assign(game, { record: said.record, live: { number: said.live, version: said.version }, refused: null, sent: null });
  game.record.comments ??= [];
  game.record.tags ??= {};
  game.saved = text(desk);
  // The clocks that the server knows are those of the device that saved them, until a clock is started here.
  game.switched = switches(desk);
  game.judged = null;
  await readClocks(desk, said.clocks_ms);
};
/** Sets the clocks to the times of the last save, or else to those in the record. Until they are read, no clock can be started. */
export const readClocks = async (desk, saved = desk.game.clock?.unread) => {
  const { clock } = desk.game;
  if (!clock) return;
  clock.unread = saved ?? [];
  const { ok, said } = await askReferee(desk, text(desk)).catch(() => ({}));
  if (!ok) {
    persist(desk);
    showNotice(make('p', {}, say('clocks-unread')), button(say('again'), async () => {
      showNotice();
      await readClocks(desk);
      desk.changed();
    }));
    return;
  }
  delete clock.unread;
  clock.known = [...saved ?? [], ...said.sides.map(side => side.clock_ms)].some(time => time != null);
  said.sides.forEach((side, index) => { clock.left[index] = saved?.[index] ?? side.clock_ms ?? clock.left[index]; });
};
/** Takes over changes made on the server while this page was closed or hidden. */
const catchUp = async desk => {
  const { game } = desk;
  if (!game.live || game.finished || !tokenFor(desk)) return;
  const { ok, said } = await onServer(desk);
  if (!ok) return;
  if (said.finished) await finishedElsewhere(desk, said);
  else if (said.version === game.live.version) return;
  else if (game.saved === text(desk)) await take(desk, said);
  else return conflict(desk);
  persist(desk);
};
const gone = desk => showNotice(make('p', {}, say('gone')), button(say('reopen-live'), () => {
  Object.assign(desk.game, { live: null, saved: null, key: randomId(), refused: null });
  showNotice();
  desk.changed();
}));

/** Closes the game on the server, and leaves it on this device. */
export const close = async desk => {
  const { game } = desk;
  if (!game.live) return;
  const path = `/v1/live/${game.live.number}/close`;
  const { ok, said } = await signed(desk, 'POST', path, undefined, { 'If-Match': '*' }).catch(() => ({ said: {} }));
  if (!ok) return showNotice(said.detail ?? say('offline'));
  Object.assign(game, { live: null, saved: null, key: randomId(), opening: null, left: true });
  desk.changed();
  showNotice(say('closed'));
};

/** Submits the finished game to the archive; with `keep`, also if it is refused. */
export const finish = async (desk, keep) => {
  const { game } = desk;
  $('finish').disabled = true;
  game.left = false;
  try {
    await sync(desk);
    if (desk.offline) throw new Away();
    // Only the version on the server can be submitted, so it must be the one here.
    if (!game.live || game.saved !== text(desk)) {
      fill($('outcome'), [make('p', {}, game.refused ?? say('token-missing'))]);
      return;
    }
    const path = `/v1/live/${game.live.number}/finish${keep ? '?keep=refused' : ''}`;
    const { ok, status, said } = await signed(desk, 'POST', path, undefined, { 'If-Match': `"${game.live.version}"` });
    if (status === 412) {
      await outdated(desk);
      fill($('outcome'), [make('p', {}, game.refused ?? '')]);
      return;
    }
    if (ok || said.stored) {
      game.finished = said.id;
      persist(desk);
      desk.render();
      return;
    }
    const again = said.stored === false ? [button(say('store-refused'), () => finish(desk, true))] : [];
    fill($('outcome'), [make('p', {}, say('not-stored'), ' ', said.detail ?? ''), ...again]);
  } catch (error) {
    if (!(error instanceof Away)) throw error;
    fill($('outcome'), [make('p', {}, say('offline'))]);
  } finally {
    $('finish').disabled = false;
  }
};
