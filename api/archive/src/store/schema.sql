-- What happened. Rows of these tables are only ever added.

CREATE TABLE change (
  number INTEGER PRIMARY KEY,
  -- Milliseconds since 1970, UTC.
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  submitter TEXT NOT NULL,
  author TEXT,
  reason TEXT,
  -- The record that is brought, judged again, put in the place of another, or taken back.
  -- (No reference: each new record would be looked for in all changes.)
  record INTEGER,
  -- The record that is corrected.
  corrects INTEGER REFERENCES record (number),
  -- The name that is merged, and the one it is merged into.
  name TEXT,
  into_name TEXT,
  -- The change that is undone.
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
  -- SHA-256 of the source; null where the id is that.
  digest BLOB,
  -- Null where the source is it, or where it cannot be read.
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
  -- JSON; null where nothing was found.
  diagnostics TEXT,
  -- Whether the id of the record is that of a canonical text.
  named INTEGER NOT NULL CHECK (named IN (0, 1)),
  -- Its receipt. (No reference: the receipt refers to it.)
  receipt INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_again ON verdict (record, number) WHERE record <> number;

-- Verdicts that were given again, the same, under another edition of the rules.

CREATE TABLE confirmation (
  edition INTEGER NOT NULL,
  verdict INTEGER NOT NULL REFERENCES verdict (number),
  program TEXT NOT NULL,
  at INTEGER NOT NULL,
  receipt INTEGER NOT NULL,
  PRIMARY KEY (edition, verdict)
) STRICT, WITHOUT ROWID;

-- The log of receipts: a leaf for each verdict and each confirmation, in the order of entry, counted from 0.

CREATE TABLE receipt (
  number INTEGER PRIMARY KEY,
  verdict INTEGER NOT NULL REFERENCES verdict (number),
  -- The edition of the rules: that of the verdict, or of its confirmation.
  edition INTEGER NOT NULL,
  -- The nodes of the tree that this leaf completes, itself first, 32 bytes each. What is hashed stands in the rows of
  -- the record, of its verdict and of the change.
  nodes BLOB NOT NULL
) STRICT;

-- The keys that signed, the first first; the secret ones are elsewhere.

CREATE TABLE signer (
  number INTEGER PRIMARY KEY,
  public BLOB NOT NULL UNIQUE,
  -- How many receipts there were when it came into use.
  size INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- The key that signed this: the one before it, or itself where that was not at hand.
  signed_by INTEGER NOT NULL REFERENCES signer (number),
  signature BLOB NOT NULL
) STRICT;

-- Heads of the log that were signed, by how many receipts there were.

CREATE TABLE head (
  size INTEGER PRIMARY KEY,
  root BLOB NOT NULL,
  at INTEGER NOT NULL,
  signer INTEGER NOT NULL REFERENCES signer (number),
  signature BLOB NOT NULL
) STRICT;

-- Who may write. Revoking a token fills a column; no row goes.

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER
) STRICT;

-- Answers kept for a day, so that a request that is sent again is not done again. Behind the 32 bytes that tell the request
-- apart the fingerprint has the SHA-256 of the row.

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

-- Games that are being kept, as they stand. These rows change and go; what lasts is the record that comes of one.

CREATE TABLE live (
  -- Never used again, so that an address never leads to another game.
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
  -- The record that came of it.
  finished BLOB REFERENCES record (id)
) STRICT;
CREATE INDEX live_finished ON live (changed) WHERE finished IS NOT NULL;
CREATE INDEX live_submitter ON live (submitter) WHERE finished IS NULL;
