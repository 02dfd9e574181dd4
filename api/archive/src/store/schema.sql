-- Base tables. Rows are only appended, except in `token`, `answer`, `live` and those of webhooks.

CREATE TABLE change (
  number INTEGER PRIMARY KEY,
  -- Milliseconds since 1970, UTC.
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  submitter TEXT NOT NULL,
  author TEXT,
  reason TEXT,
  -- The record that is added, judged again, put in the place of another, or retracted.
  -- No foreign key: for each new record SQLite would search all changes.
  record INTEGER,
  -- The corrected record.
  corrects INTEGER REFERENCES record (number),
  -- The merged name, and the name that it is merged into.
  name TEXT,
  into_name TEXT,
  -- The undone change.
  undoes INTEGER UNIQUE REFERENCES change (number)
) STRICT;
CREATE INDEX change_record ON change (record, number) WHERE kind <> 'record';
CREATE INDEX change_corrects ON change (corrects, number) WHERE corrects IS NOT NULL;
CREATE INDEX change_merge ON change (number) WHERE kind = 'merge';

CREATE TABLE record (
  number INTEGER PRIMARY KEY REFERENCES change (number),
  id BLOB NOT NULL UNIQUE,
  form TEXT NOT NULL,
  source BLOB NOT NULL,
  -- SHA-256 of the source; null if that is the id.
  digest BLOB,
  -- Null if the source is the canonical text, or cannot be read.
  canonical TEXT
) STRICT;

CREATE TABLE verdict (
  number INTEGER PRIMARY KEY REFERENCES change (number),
  record INTEGER NOT NULL REFERENCES record (number),
  edition INTEGER NOT NULL,
  program TEXT NOT NULL,
  game TEXT,
  rules TEXT,
  status TEXT NOT NULL,
  plies INTEGER,
  position TEXT,
  termination TEXT,
  result TEXT,
  points TEXT,
  -- JSON; null if there are none.
  diagnostics TEXT,
  -- 1 if the id of the record is the hash of a canonical text.
  named INTEGER NOT NULL CHECK (named IN (0, 1)),
  -- Index of its receipt. No foreign key: the receipt has one to the verdict.
  receipt INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_again ON verdict (record, number) WHERE record <> number;

-- Verdicts that were given again, equal, under another edition of the rules.

CREATE TABLE confirmation (
  edition INTEGER NOT NULL,
  verdict INTEGER NOT NULL REFERENCES verdict (number),
  program TEXT NOT NULL,
  at INTEGER NOT NULL,
  receipt INTEGER NOT NULL,
  PRIMARY KEY (edition, verdict)
) STRICT, WITHOUT ROWID;

-- The receipt log: a leaf for each verdict and each confirmation, in their order, from 0.

CREATE TABLE receipt (
  number INTEGER PRIMARY KEY,
  verdict INTEGER NOT NULL REFERENCES verdict (number),
  -- Edition of the verdict, or of its confirmation.
  edition INTEGER NOT NULL,
  -- The nodes of the tree that this leaf completes, beginning with the leaf, 32 bytes each. The hashed data is in the rows of
  -- the record, its verdict and the change.
  nodes BLOB NOT NULL
) STRICT;

-- Public keys that have signed, oldest first.

CREATE TABLE signer (
  number INTEGER PRIMARY KEY,
  public BLOB NOT NULL UNIQUE,
  -- Number of receipts when the key came into use.
  size INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- The key that signed this one: the one before it, or itself if that was missing.
  signed_by INTEGER NOT NULL REFERENCES signer (number),
  signature BLOB NOT NULL
) STRICT;

-- Signed heads of the log, by number of receipts.

CREATE TABLE head (
  size INTEGER PRIMARY KEY,
  root BLOB NOT NULL,
  at INTEGER NOT NULL,
  signer INTEGER NOT NULL REFERENCES signer (number),
  signature BLOB NOT NULL
) STRICT;

-- Tokens. Revoking one sets a column; no row is deleted. Version 3 adds the column `expires`.

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER
) STRICT;

-- Outcomes of requests with an idempotency key, stored for a day. `fingerprint` is the SHA-256 of the request, followed by that
-- of the row; `status` is that of the response, and `body` the outcome that it is rendered from, as the service has written it.

CREATE TABLE answer (
  token TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (token, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_at ON answer (at);

-- Games in progress. Rows are updated and deleted; the record of a finished game is permanent. Version 4 adds the columns
-- `clock_one` and `clock_two`, the milliseconds left at the last save, and `running`; null where no client has reported them.

CREATE TABLE live (
  -- Never reused, so that an address never leads to another game.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  submitter TEXT NOT NULL,
  opened INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  version INTEGER NOT NULL,
  game TEXT NOT NULL,
  event TEXT,
  round TEXT,
  one TEXT,
  two TEXT,
  plies INTEGER NOT NULL,
  record TEXT NOT NULL,
  -- The record of a finished game.
  finished BLOB REFERENCES record (id)
) STRICT;
CREATE INDEX live_finished ON live (changed) WHERE finished IS NOT NULL;
CREATE INDEX live_submitter ON live (submitter) WHERE finished IS NULL;
