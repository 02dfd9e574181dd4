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
  named INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_again ON verdict (record, number) WHERE record <> number;

-- Verdicts that were given again, the same, under another edition of the rules.

CREATE TABLE confirmation (
  edition INTEGER NOT NULL,
  verdict INTEGER NOT NULL REFERENCES verdict (number),
  program TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (edition, verdict)
) STRICT, WITHOUT ROWID;

-- Who may write. Revoking a token fills a column; no row goes.

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER
) STRICT;

-- Answers kept for a day, so that a request that is sent again is not done again.

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
CREATE INDEX live_changed ON live (changed);
CREATE INDEX live_submitter ON live (submitter) WHERE finished IS NULL;
