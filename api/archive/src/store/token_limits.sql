-- Limits of tokens to a tournament, or to a board of one of its rounds. A token without a row has none.

CREATE TABLE IF NOT EXISTS token_limit (
  token TEXT PRIMARY KEY REFERENCES token (id),
  tournament INTEGER NOT NULL,
  round INTEGER,
  board INTEGER
) STRICT;
