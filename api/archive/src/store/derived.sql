-- Derived tables: they can be dropped, and rebuilt from the changes, at any time.

CREATE TABLE player (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folded TEXT NOT NULL,
  normal TEXT NOT NULL,
  -- The root: this player, or the player that it is merged into in the end.
  root INTEGER NOT NULL REFERENCES player (number),
  -- The player that a current merge merges it into.
  merged INTEGER REFERENCES player (number)
) STRICT;
CREATE INDEX player_normal ON player (normal);
CREATE INDEX player_folded ON player (folded, name);
CREATE INDEX player_root ON player (root);

-- Words of names, without case and diacritics, and the rests of these words after their first letters: a search for the
-- beginning of a row finds any part of a word.
CREATE TABLE name_word (
  -- The table of the name, `player` or `event`, and the number there.
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  word TEXT NOT NULL,
  -- 0 for a word, 1 for the rest of one.
  rest INTEGER NOT NULL,
  -- The beginning of the name in the same form: the order of names with the same word.
  name TEXT NOT NULL,
  PRIMARY KEY (kind, number, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_word_found ON name_word (kind, rest, word, name, number);

CREATE TABLE event (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- Number of current records, and of those that are games that count.
  records INTEGER NOT NULL,
  games INTEGER NOT NULL,
  -- Number of the last change of its records.
  changed INTEGER NOT NULL
) STRICT;

-- Records as lists and filters see them.
CREATE TABLE card (
  number INTEGER PRIMARY KEY,
  -- Place in the order of entry: the number of the first record in the chain of corrections.
  place INTEGER NOT NULL,
  -- Id and time of the record. Lists read them from here, because records and changes are far apart in the file.
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
-- The first and the last day of an event are each one row of it.
CREATE INDEX card_event_date ON card (event, date) WHERE event IS NOT NULL AND date IS NOT NULL AND state = 'current';
CREATE INDEX card_date ON card (date, number) WHERE date IS NOT NULL;
CREATE INDEX card_game ON card (game, number);
CREATE INDEX card_status ON card (status, number) WHERE status <> 'verified';
CREATE INDEX card_state ON card (state, number) WHERE state <> 'current';
CREATE INDEX card_result ON card (result, number);
CREATE INDEX card_termination ON card (termination, number);

-- Records of each player, by its root.
CREATE TABLE part (
  player INTEGER NOT NULL,
  record INTEGER NOT NULL,
  -- The root of the opponent; null if the record names none.
  other INTEGER,
  PRIMARY KEY (player, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_other ON part (player, other, record) WHERE other IS NOT NULL;

-- Sheets: current records of games that could count. Of the sheets of one game one has an entry.
CREATE TABLE sheet (
  record INTEGER PRIMARY KEY,
  place INTEGER NOT NULL,
  -- Equal for records with the same moves, result and players.
  key BLOB NOT NULL,
  -- The event tags, as JSON.
  occasion TEXT NOT NULL,
  -- 0 if unknown.
  event INTEGER NOT NULL,
  -- Equal for records of the same round, leg and players in an event; null if event or round is unknown.
  seat BLOB,
  -- The first sheet of the game, which stands for all.
  first INTEGER NOT NULL
) STRICT;
CREATE INDEX sheet_key ON sheet (key, place);
CREATE INDEX sheet_seat ON sheet (event, seat, place) WHERE seat IS NOT NULL;
CREATE INDEX sheet_first ON sheet (first, place) WHERE first <> record;

-- Games that count.
CREATE TABLE entry (
  record INTEGER PRIMARY KEY,
  -- Id of the record. Lists of games read it from here, because records are far apart in the file.
  id BLOB NOT NULL,
  place INTEGER NOT NULL,
  game TEXT NOT NULL,
  -- 0 and an empty text if unknown.
  event INTEGER NOT NULL,
  round TEXT NOT NULL,
  leg TEXT,
  board TEXT,
  one INTEGER NOT NULL,
  two INTEGER NOT NULL,
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  result TEXT NOT NULL,
  termination TEXT NOT NULL,
  points TEXT,
  start TEXT NOT NULL,
  -- The winner and the winner's points, in games that count points.
  winner INTEGER,
  won INTEGER
) STRICT;
CREATE INDEX entry_event ON entry (event, game, place) WHERE event <> 0;
CREATE INDEX entry_encounter ON entry (low, high, event, round, game, place) WHERE points IS NOT NULL;
CREATE INDEX entry_wins ON entry (winner, game, start, place, won, id) WHERE won IS NOT NULL;

-- Sums of a player in a game.
CREATE TABLE rating (
  game TEXT NOT NULL,
  player INTEGER NOT NULL,
  games INTEGER NOT NULL,
  wins INTEGER NOT NULL,
  draws INTEGER NOT NULL,
  -- Null in games that do not count points.
  points INTEGER,
  -- In half points.
  bonus INTEGER NOT NULL,
  level INTEGER,
  -- Sort keys of the ranking, ascending, then by name: equal ranks share a place, and among them the most points with bonus
  -- come first.
  rank INTEGER NOT NULL,
  worth INTEGER NOT NULL GENERATED ALWAYS AS (-2 * ifnull(points, 0) - bonus) VIRTUAL,
  folded TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_rank ON rating (game, rank, worth, folded, name);
CREATE INDEX rating_player ON rating (player);

CREATE TABLE total (
  game TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (game, status, state)
) STRICT, WITHOUT ROWID;

-- Terms of three or more letters. FTS5 could list them, but only by reading all records of each term.
CREATE TABLE term (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- The rests of terms after their first letters: a search for the beginning of a rest finds the middle of a term.
CREATE TABLE term_rest (
  rest TEXT NOT NULL,
  term TEXT NOT NULL,
  PRIMARY KEY (rest, term)
) STRICT, WITHOUT ROWID;

-- Texts are normalized: words without case and diacritics, joined by spaces.
-- No list is ordered by relevance, so the index has no column sizes. Prefixes of one and two letters are indexed like terms:
-- each is in very many records, and FTS5 would otherwise merge all its terms before it returns the first.
CREATE VIRTUAL TABLE search USING fts5
  (text, content = '', columnsize = 0, prefix = '1 2', tokenize = 'ascii');
-- The terms of the index with their positions, for checksums.
CREATE VIRTUAL TABLE word USING fts5vocab (search, instance);
