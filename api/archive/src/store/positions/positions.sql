-- The index of positions. It is derived from the changes, like the other tables.

-- Number of the last change that the index has; no row before the first.
CREATE TABLE position_extent (last INTEGER PRIMARY KEY) STRICT;

-- Verdicts that are in no block yet, with the first 32 bits of the keys of their games' positions, in order.
CREATE TABLE position_tail (
  number INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;

-- Entries of the verdicts of a segment of changes, for positions whose keys begin with the bits of the prefix.
CREATE TABLE position_block (
  level INTEGER NOT NULL,
  prefix INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY (level, prefix, segment)
) STRICT;

-- Fingerprints that many games of a block have, until the totals of their positions are stored, or they turn out to have few games
-- in all.
CREATE TABLE position_crowd (
  fingerprint INTEGER PRIMARY KEY,
  games INTEGER NOT NULL
) STRICT;
CREATE INDEX position_crowd_games ON position_crowd (games, fingerprint);

-- Games that count with a position that many share, by their next move there and their outcome: won by side 1, won by side 2,
-- drawn. Games that ended there have an empty move; each such position has this row.
CREATE TABLE position_total (
  hash BLOB NOT NULL,
  move TEXT NOT NULL,
  one INTEGER NOT NULL,
  two INTEGER NOT NULL,
  drawn INTEGER NOT NULL,
  PRIMARY KEY (hash, move)
) STRICT, WITHOUT ROWID;
