// A client in TypeScript, with types generated from the OpenAPI document: it verifies a game, submits it, and reads what is
// stored. QUIPU_URL is the address of the service, QUIPU_TOKEN a token that may submit records.

import assert from "node:assert/strict";
import { env } from "node:process";

import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

// Of the forms of a response only JSON: that is sent where the request names no other.
type Json = "application/json" | "application/problem+json";
const client = createClient<paths, Json>({ baseUrl: env["QUIPU_URL"] ?? "" });
const Authorization = `Bearer ${env["QUIPU_TOKEN"] ?? ""}`;
const game: components["schemas"]["NewRecord"] = {
  game: "andes",
  tags: { Sol: "Paredes, Inés", Luna: "Quilla, Teresa", Result: "1-0" },
  moves: ["0a1", { move: "0D0", clock_ms: 700_000 }, "0b0", "0D0C"],
  result: "1-0",
};

/** The data of a response that must be a good one. */
function good<T>(answer: { data?: T; error?: unknown }): T {
  assert.ok(answer.data !== undefined, JSON.stringify(answer.error));
  return answer.data;
}

const { summary, verdicts } = good(await client.POST("/v1/verify", { body: game }));
assert.equal(summary.verified, 1);
assert.deepEqual(verdicts[0]?.points, { sol: 11, luna: 9 });

// With the same key the same game is stored once.
const submit = () =>
  client.POST("/v1/records", {
    headers: { Authorization },
    params: { header: { "Idempotency-Key": "typescript-1" } },
    body: game,
  });
const [first, again] = [await submit(), await submit()];
assert.deepEqual([first.response.status, again.response.status], [201, 201]);
assert.equal(again.response.headers.get("Idempotency-Replayed"), "true");
const { id } = good(first);

const found: string[] = [];
let cursor: string | null | undefined;
do {
  const query = { limit: 200, state: ["all" as const], ...(cursor ? { cursor } : {}) };
  const page: components["schemas"]["CardList"] = good(await client.GET("/v1/records", { params: { query } }));
  found.push(...page.items.map((card) => card.id));
  cursor = page.next;
} while (cursor);
assert.equal(found[0], id);
assert.equal(new Set(found).size, found.length);
assert.ok(found.length > 400, `${found.length}`);

const record = good(await client.GET("/v1/records/{id}", { params: { path: { id } } }));
assert.equal(record.tags?.["Sol"], "Paredes, Inés");

const events = good(await client.GET("/v1/events", { params: { query: { q: "Copa de los Andes" } } }));
const number = events.items[0]?.number ?? 0;
const { tables } = good(await client.GET("/v1/events/{number}/standings", { params: { path: { number } } }));
assert.equal(tables[0]?.players[0]?.place, 1);

// A game in progress is given up only by whoever knows its version: the type requires the header.
const opened = good(await client.POST("/v1/live", { headers: { Authorization }, body: { ...game, result: null } }));
const close = (version: string) =>
  client.POST("/v1/live/{number}/close", {
    headers: { Authorization },
    params: { path: { number: opened.live }, header: { "If-Match": version } },
  });
assert.equal((await close('"7"')).error?.code, "api.version");
assert.equal(good(await close('"1"')).live, opened.live);

const missing = await client.GET("/v1/records/{id}", { params: { path: { id: "0".repeat(64) } } });
assert.equal(missing.response.status, 404);
assert.equal(missing.error?.code, "api.not-found");
