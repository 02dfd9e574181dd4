-- What follows from the changes: it can be dropped and made anew at any time.

CREATE TABLE player (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folded TEXT NOT NULL,
  normal TEXT NOT NULL,
  -- Who it counts as: itself, or the player it is merged into.
  root INTEGER NOT NULL REFERENCES player (number),
  -- The player it was merged into by a change that stands.
  merged INTEGER REFERENCES player (number)
) STRICT;
CREATE INDEX player_normal ON player (normal);
CREATE INDEX player_folded ON player (folded, name);
CREATE INDEX player_root ON player (root);

CREATE TABLE event (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folded TEXT NOT NULL,
  -- Records that stand, and those of them that count.
  records INTEGER NOT NULL,
  games INTEGER NOT NULL,
  -- The last change that touched it.
  changed INTEGER NOT NULL
) STRICT;
CREATE INDEX event_folded ON event (folded, name);

-- A record as lists and filters see it.
CREATE TABLE card (
  number INTEGER PRIMARY KEY,
  -- The number of the first record in its chain of corrections: its place in the order of entry.
  place INTEGER NOT NULL,
  -- The id of the record, and when it came. Records and changes lie far from each other, so lists take these from here.
  id BLOB NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  verdict INTEGER NOT NULL,
  status TEXT NOT NULL,
  game TEXT,
  event INTEGER,
  round TEXT,
  one INTEGER,
  two INTEGER,
  date TEXT,
  result TEXT,
  termination TEXT,
  points TEXT,
  plies INTEGER
) STRICT;
CREATE INDEX card_event ON card (event, number) WHERE event IS NOT NULL;
CREATE INDEX card_date ON card (date, number) WHERE date IS NOT NULL;
CREATE INDEX card_game ON card (game, number);
CREATE INDEX card_status ON card (status, number) WHERE status <> 'verified';
CREATE INDEX card_state ON card (state, number) WHERE state <> 'current';
CREATE INDEX card_result ON card (result, number);
CREATE INDEX card_termination ON card (termination, number);

-- Who is in which record, under whoever they count as.
CREATE TABLE part (
  player INTEGER NOT NULL,
  record INTEGER NOT NULL,
  PRIMARY KEY (player, record)
) STRICT, WITHOUT ROWID;

-- The games that count.
CREATE TABLE entry (
  record INTEGER PRIMARY KEY,
  -- The id of the record. Records lie far from each other, so lists of games take it from here.
  id BLOB NOT NULL,
  place INTEGER NOT NULL,
  game TEXT NOT NULL,
  -- 0 and an empty text where nothing is said.
  event INTEGER NOT NULL,
  round TEXT NOT NULL,
  leg TEXT,
  one INTEGER NOT NULL,
  two INTEGER NOT NULL,
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  result TEXT NOT NULL,
  termination TEXT NOT NULL,
  points TEXT,
  start TEXT NOT NULL,
  -- Who won, and the points of who won, in games that count points.
  winner INTEGER,
  won INTEGER
) STRICT;
CREATE INDEX entry_event ON entry (event, game, place) WHERE event <> 0;
CREATE INDEX entry_encounter ON entry (low, high, event, round, game, place) WHERE points IS NOT NULL;
CREATE INDEX entry_wins ON entry (winner, game, start, place, won, id) WHERE won IS NOT NULL;

-- What the games of a player come to.
CREATE TABLE rating (
  game TEXT NOT NULL,
  player INTEGER NOT NULL,
  games INTEGER NOT NULL,
  wins INTEGER NOT NULL,
  draws INTEGER NOT NULL,
  -- Null in games that do not count points.
  points INTEGER,
  -- In halves.
  bonus INTEGER NOT NULL,
  level INTEGER,
  -- What a ranking is ordered by: the least first, then by the letters of the name.
  rank INTEGER NOT NULL,
  folded TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_rank ON rating (game, rank, folded, name);
CREATE INDEX rating_player ON rating (player);

CREATE TABLE total (
  game TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (game, status, state)
) STRICT, WITHOUT ROWID;

-- The words of three letters and more that texts have. SQLite could find them in the index of words, but only by going through
-- all records that have the word before.
CREATE TABLE term (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Texts come without case and marks, as words with spaces between them.
-- Nothing is ordered by how well it fits, so that nobody needs the sizes of texts. Beginnings of one and two letters are kept
-- as words are: each is in very many records, and would else be put together from all its words before a list begins.
CREATE VIRTUAL TABLE search USING fts5
  (text, content = '', columnsize = 0, prefix = '1 2', tokenize = 'ascii');
-- The words in it, each in every place where it stands: what the index is compared by.
CREATE VIRTUAL TABLE word USING fts5vocab (search, instance);
