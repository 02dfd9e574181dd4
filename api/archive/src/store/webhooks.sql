-- Webhooks: addresses that get the changes of the archive. Rows are updated and deleted. The changes themselves are the queue: a
-- row has the last one that it needs no more.

CREATE TABLE IF NOT EXISTS webhook (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  -- Types of events and identifiers of games, separated by spaces; empty for all.
  events TEXT NOT NULL,
  games TEXT NOT NULL,
  secret BLOB NOT NULL,
  -- The secret before it was rotated, and the end of its use.
  old_secret BLOB,
  old_until INTEGER,
  created INTEGER NOT NULL,
  state TEXT NOT NULL,
  -- The last change that was delivered or passed over.
  delivered INTEGER NOT NULL,
  -- Failed attempts for the change after it, the time of the first and of the next.
  attempts INTEGER NOT NULL,
  failing_since INTEGER,
  next_attempt INTEGER,
  -- The service that delivers, of several on one server, and the time until which the others leave it to that one.
  holder TEXT,
  held_until INTEGER
) STRICT;

-- The latest attempts.

CREATE TABLE IF NOT EXISTS webhook_delivery (
  webhook TEXT NOT NULL REFERENCES webhook (id),
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  -- Null for a test.
  change INTEGER,
  attempt INTEGER NOT NULL,
  -- The HTTP status, if there was a response, and the kind of failure, if it failed.
  status INTEGER,
  failure TEXT,
  -- Milliseconds.
  duration INTEGER NOT NULL,
  PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
