//! The schema of the base tables and its version.

use std::{collections::BTreeMap, path::Path};

use quipu_files::names::APPLICATION_ID;

use super::{database::Connection, error::StoreError};

/// [`APPLICATION_ID`] in the type that SQLite returns.
const APPLICATION: i64 = APPLICATION_ID as i64;

/// SQL of each schema version for the base tables, from the version before it; version 1 comes first. Derived tables are
/// rebuilt with each: version 2 adds sheets of one game to them; version 3 words of names, letters such as `ł` in searches,
/// the boards of games, the days of events, the order of rankings among equal levels, and the opponents of players; version 4
/// parts of words, and words of names of events. Version 3 gives tokens an expiry, version 4 games in progress their clocks,
/// version 5 adds tournaments, version 6 limits of tokens, version 7 webhooks, version 8 the index of positions; version 9
/// stores the totals of fewer positions.
const MIGRATIONS: &[&str] = &[
    include_str!("schema.sql"),
    "",
    "ALTER TABLE token ADD COLUMN expires INTEGER",
    "ALTER TABLE live ADD COLUMN clock_one INTEGER;
     ALTER TABLE live ADD COLUMN clock_two INTEGER;
     ALTER TABLE live ADD COLUMN running INTEGER;
     DROP TABLE IF EXISTS player_word",
    include_str!("tournaments.sql"),
    include_str!("token_limits.sql"),
    include_str!("webhooks.sql"),
    "",
    "",
];

/// Gives the limits of tokens the columns of players. Unreleased builds made version 6 without them.
const ADD_PLAYERS: &str = concat!(
    "ALTER TABLE token_limit RENAME TO token_limit_before;\n",
    include_str!("token_limits.sql"),
    "INSERT INTO token_limit (token, tournament, round, board)
       SELECT token, tournament, round, board FROM token_limit_before;
     DROP TABLE token_limit_before;"
);

/// SQL of the objects of a schema, by their names and tables.
pub(super) type Objects = BTreeMap<[String; 2], Option<String>>;

/// Number of the current schema version.
fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// True if the file has the current schema; false if it is new or an older archive.
///
/// # Errors
/// [`StoreError::Foreign`] if it is no archive, [`StoreError::Newer`] if a later version made it.
pub(super) fn is_current(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let (application, found) = connection.marks()?;
    if found == known() && application == APPLICATION {
        return Ok(!lacks_players(connection)?);
    }
    if !connection.is_empty()? && (application != APPLICATION || found < 1) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > known() { Err(StoreError::Newer(found, known())) } else { Ok(false) }
}

/// Runs the migrations that the file lacks. True if derived tables must be rebuilt: not if another program was faster.
pub(super) fn upgrade(transaction: &Connection) -> Result<bool, StoreError> {
    let (_, found) = transaction.marks()?;
    for migration in &MIGRATIONS[usize::try_from(found).unwrap_or_default().min(MIGRATIONS.len())..] {
        transaction.execute_batch(migration)?;
    }
    if lacks_players(transaction)? {
        transaction.execute_batch(ADD_PLAYERS)?;
    }
    transaction.set_marks(APPLICATION, known())?;
    Ok(found < known())
}

/// True if the limits of tokens have no columns for players.
fn lacks_players(connection: &Connection) -> Result<bool, StoreError> {
    Ok(connection.has_column("token_limit", "token")? && !connection.has_column("token_limit", "player_one")?)
}

/// Name, table and SQL of each table, index and trigger of a file, or of a schema of a server as in [`Connection::objects`]. Comments are
/// removed: archives of earlier versions may have others.
pub(super) fn objects(connection: &Connection, schema: Option<&str>) -> Result<Objects, StoreError> {
    let objects = connection.objects(schema)?.into_iter();
    Ok(objects.map(|(name, table, sql)| ([name, table], sql.as_deref().map(without_comments))).collect())
}

/// Removes line comments from SQL that has no `--` in texts.
fn without_comments(sql: &str) -> String {
    let code = sql.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code).trim_end());
    code.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_part_of_the_schema() {
        let sql = "CREATE TABLE a (\n  -- One.\n  one INTEGER, -- Two.\n  two TEXT\n) STRICT";
        assert_eq!(without_comments(sql), "CREATE TABLE a (\n  one INTEGER,\n  two TEXT\n) STRICT");
    }
}
