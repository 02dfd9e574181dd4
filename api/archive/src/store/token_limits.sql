-- Limits of tokens to a tournament, or to a board of one of its rounds. A token without a row has none. Tokens of the codes of
-- scoresheets have the players of the board when they were printed.

CREATE TABLE IF NOT EXISTS token_limit (
  token TEXT PRIMARY KEY REFERENCES token (id),
  tournament INTEGER NOT NULL,
  round INTEGER,
  board INTEGER,
  player_one INTEGER,
  player_two INTEGER
) STRICT;
