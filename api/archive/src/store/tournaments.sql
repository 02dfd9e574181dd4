-- Changes of tournaments. A tournament is the replay of those that are not undone.

CREATE TABLE tournament_change (
  number INTEGER PRIMARY KEY REFERENCES change (number),
  -- The change that created the tournament.
  tournament INTEGER NOT NULL REFERENCES tournament_change (number),
  -- JSON: the steps of the change and, if it creates the tournament, the game.
  body TEXT NOT NULL
) STRICT;
CREATE INDEX tournament_change_of ON tournament_change (tournament, number);
