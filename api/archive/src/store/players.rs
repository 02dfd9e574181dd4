//! Players, and the names that are merged into each.

use serde::{Deserialize, Serialize};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    listing::{ListPage, Listed, PageBytes, listed},
    names::{NameFilter, NameKind, number},
    read_tx::ReadTx,
    rows,
};

/// A name in records. It counts as the player that it is merged into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// Number and name of the player that it is merged into, if it is.
    pub counts_as: Option<(i64, String)>,
}

/// Position in a list of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCursor {
    /// Number of the last player.
    pub player: i64,
}

/// SQL for players with the names of their roots.
const PLAYER: &str = "SELECT player.number, player.name, player.root, root.name AS root_name
   FROM player JOIN player AS root ON root.number = player.root";

impl ReadTx<'_> {
    /// A player.
    pub fn player(&self, number: i64) -> Result<Option<Person>, StoreError> {
        let mut player = self.connection.prepare(&format!("{PLAYER} WHERE player.number = ?"))?;
        Ok(player.query_row([number], whole_person_row).optional()?)
    }

    /// The player of a name, compared exactly.
    pub fn player_named(&self, name: &str) -> Result<Option<Person>, StoreError> {
        let mut player = self.connection.prepare(&format!("{PLAYER} WHERE player.name = ?"))?;
        Ok(player.query_row([name], whole_person_row).optional()?)
    }

    /// The player with a number or, if that is no number of a player, with a name.
    pub fn find_player(&self, text: &str) -> Result<Option<Person>, StoreError> {
        let by_number = number(text).map(|number| self.player(number)).transpose()?.flatten();
        by_number.map_or_else(|| self.player_named(text), |person| Ok(Some(person)))
    }

    /// The players that are merged into a player.
    pub fn also(&self, number: i64) -> Result<Vec<Person>, StoreError> {
        let sql =
            format!("{PLAYER} WHERE player.root = ?1 AND player.number <> ?1 ORDER BY player.folded, player.name");
        let mut players = self.connection.prepare(&sql)?;
        Ok(players.query_map([number], |row| person_row(row, &mut PageBytes::default()))?.collect::<Result<_, _>>()?)
    }

    /// Up to `most` other players whose names are probably a variant of one of this player's.
    pub fn likely_same(&self, person: &Person, most: usize) -> Result<Vec<Person>, StoreError> {
        let sql = format!(
            "{PLAYER} WHERE player.normal IN (SELECT normal FROM player WHERE root = ?1) AND player.root <> ?1
             ORDER BY player.folded, player.name LIMIT ?2"
        );
        let mut players = self.connection.prepare(&sql)?;
        Ok(listed(players.query(params![person.root(), most])?, most, person_row)?.items)
    }

    /// Players whose names a search finds, in the order of the words that it finds and then of the names; without a search all
    /// players, in the order of their names. None if the cursor is of no player of the list.
    pub fn players(
        &self,
        search: Option<&NameFilter>,
        after: Option<PlayerCursor>,
        limit: usize,
    ) -> Result<Option<ListPage<Person, PlayerCursor>>, StoreError> {
        let players = match search {
            None => self.all_players(after, limit)?,
            Some(search) => self.names(NameKind::Player, search, after.map(|after| after.player), limit, person_row)?,
        };
        Ok(players.map(|players| players.page(|person| PlayerCursor { player: person.number })))
    }

    fn all_players(&self, after: Option<PlayerCursor>, limit: usize) -> Result<Option<Listed<Person>>, StoreError> {
        let behind = self.name_key(after.map(|after| after.player))?;
        let Some((folded, name)) = behind else { return Ok(None) };
        let sql = format!(
            "{PLAYER} WHERE (player.folded, player.name) > (?1, ?2) ORDER BY player.folded, player.name LIMIT ?3"
        );
        let mut players = self.connection.prepare(&sql)?;
        Ok(Some(listed(players.query(params![folded, name, limit + 1])?, limit, person_row)?))
    }
}

impl Person {
    /// Number and name of the player that it counts as.
    pub fn counted(self) -> (i64, String) {
        self.counts_as.unwrap_or((self.number, self.name))
    }

    /// Number of the player that it counts as.
    pub fn root(&self) -> i64 {
        self.counts_as.as_ref().map_or(self.number, |(root, _)| *root)
    }
}

fn person_row(row: &Row<'_>, bytes: &mut PageBytes) -> database::Result<Person> {
    let (number, root): (i64, i64) = (row.get("number")?, row.get("root")?);
    let name = rows::shown_name(row, "name", bytes)?;
    let counts_as = if root == number { None } else { Some((root, rows::shown_name(row, "root_name", bytes)?)) };
    Ok(Person { number, name, counts_as })
}

/// A single player, with its uncut name.
fn whole_person_row(row: &Row<'_>) -> database::Result<Person> {
    let (number, root): (i64, i64) = (row.get("number")?, row.get("root")?);
    let root_name: String = row.get("root_name")?;
    Ok(Person { number, name: row.get("name")?, counts_as: (root != number).then_some((root, root_name)) })
}
