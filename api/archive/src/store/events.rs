//! Events and their games.

use std::collections::HashMap;

use chrono::NaiveDate;
use quipu_notation::games::{self, GAMES, GameNotation};
use quipu_referee::competition::Entry;
use serde::{Deserialize, Serialize};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    listing::{ListPage, PageBytes, listed},
    names::{NameFilter, NameKind, game_order, number},
    projections,
    read_tx::ReadTx,
    rows,
};
use crate::model::Number;

/// Position in a list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventCursor {
    /// Number of the last event.
    pub event: i64,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// Number of current records.
    pub records: u64,
    /// Number of games that count.
    pub games: u64,
    /// Number of the last change of its records.
    pub changed: Number,
}

/// The days and games of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSpan {
    /// The first and the last day of play in its current records.
    pub days: Option<(NaiveDate, NaiveDate)>,
    /// The games of which some count, in the order of the table of games.
    pub games: Vec<&'static GameNotation>,
}

/// SQL for the dated current records of an event, with the condition of their index.
const DATED: &str = "card INDEXED BY card_event_date
   WHERE event = ?1 AND event IS NOT NULL AND date IS NOT NULL AND state = 'current'";
/// SQL condition for the games of an event. The second part lets SQLite use the partial index.
const OF_EVENT: &str = "entry.event = ?1 AND entry.event <> 0";

impl ReadTx<'_> {
    /// Events with current records, newest first.
    pub fn events(&self, after: Option<EventCursor>, limit: usize) -> Result<ListPage<Event, EventCursor>, StoreError> {
        let mut events = self
            .connection
            .prepare("SELECT * FROM event WHERE number < ? AND records > 0 ORDER BY number DESC LIMIT ?")?;
        let before = after.map_or(i64::MAX, |after| after.event);
        let events = listed(events.query(params![before, limit + 1])?, limit, event_row)?;
        Ok(events.page(|event| EventCursor { event: event.number }))
    }

    /// Events with current records whose names a search finds, in the order of the words that it finds and then of the names.
    /// None if the cursor is of no event of the list.
    pub fn events_named(
        &self,
        search: &NameFilter,
        after: Option<EventCursor>,
        limit: usize,
    ) -> Result<Option<ListPage<Event, EventCursor>>, StoreError> {
        let events = self.names(NameKind::Event, search, after.map(|after| after.event), limit, event_row)?;
        Ok(events.map(|events| events.page(|event| EventCursor { event: event.number })))
    }

    /// The event with this number, also without current records; its name is uncut.
    pub fn event(&self, number: i64) -> Result<Option<Event>, StoreError> {
        let mut event = self.connection.prepare("SELECT * FROM event WHERE number = ?")?;
        Ok(event.query_row([number], whole_event_row).optional()?)
    }

    /// The event of a name, compared exactly.
    pub fn event_named(&self, name: &str) -> Result<Option<Event>, StoreError> {
        let mut event = self.connection.prepare("SELECT * FROM event WHERE name = ?")?;
        Ok(event.query_row([name], whole_event_row).optional()?)
    }

    /// The event with a number or, if no event has that number, with a name.
    pub fn find_event(&self, text: &str) -> Result<Option<Event>, StoreError> {
        let by_number = number(text).map(|number| self.event(number)).transpose()?.flatten();
        by_number.map_or_else(|| self.event_named(text), |event| Ok(Some(event)))
    }

    /// Number of games of an event that count, in the order of the table of games.
    pub fn games_played(&self, event: i64) -> Result<Vec<(&'static GameNotation, u64)>, StoreError> {
        let mut counts = self
            .connection
            .prepare(&format!("SELECT game, count(*) AS games FROM entry WHERE {OF_EVENT} GROUP BY game"))?;
        let counts =
            counts.query_map([event], |row| Ok((rows::parsed(row, "game", games::find)?, row.get("games")?)))?;
        let mut counts: Vec<_> = counts.collect::<Result<_, _>>()?;
        counts.sort_by_key(|(game, _)| game_order(game));
        Ok(counts)
    }

    /// The days and games of an event, found without counting.
    pub fn event_span(&self, event: i64) -> Result<EventSpan, StoreError> {
        let mut days = self
            .connection
            .prepare(&format!("SELECT (SELECT min(date) FROM {DATED}), (SELECT max(date) FROM {DATED})"))?;
        let (first, last) = days.query_row([event], |row| Ok((rows::date(row, 0)?, rows::date(row, 1)?)))?;
        let mut played =
            self.connection.prepare(&format!("SELECT EXISTS (SELECT 1 FROM entry WHERE {OF_EVENT} AND game = ?2)"))?;
        let mut games = Vec::new();
        for game in GAMES {
            if played.query_row(params![event, game.id], |row| row.get(0))? {
                games.push(*game);
            }
        }
        Ok(EventSpan { days: first.zip(last), games })
    }

    /// Numbers of the players of an event by their names, as [`ReadTx::entries`] has them.
    pub fn event_players(&self, event: i64) -> Result<HashMap<String, i64>, StoreError> {
        let mut players = self.connection.prepare(&format!(
            "SELECT number, name FROM player WHERE number IN
               (SELECT one FROM entry WHERE {OF_EVENT} UNION SELECT two FROM entry WHERE {OF_EVENT})"
        ))?;
        let players = players.query_map([event], |row| {
            let number = row.get("number")?;
            Ok((distinct_name(row.value("name")?.as_str()?, number), number))
        })?;
        Ok(players.collect::<Result<_, _>>()?)
    }

    /// The games of an event that count, in the order of entry; only those of `game` if it is given. Names of more than 256
    /// characters are cut, and end in the number of the player.
    pub fn entries(&self, event: i64, game: Option<&GameNotation>) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.connection.prepare(&format!(
            "SELECT entry.*, event.name AS event_name, one.name AS one_name, two.name AS two_name
             FROM entry
             CROSS JOIN event ON event.number = entry.event
             CROSS JOIN player AS one ON one.number = entry.one
             CROSS JOIN player AS two ON two.number = entry.two
             WHERE {OF_EVENT} AND entry.game = ifnull(?2, entry.game)"
        ))?;
        let entries = entries.query_map(params![event, game.map(|game| game.id)], |row| {
            let name = |row: &Row<'_>, side: &str| {
                let name = row.value(if side == "one" { "one_name" } else { "two_name" })?.as_str()?;
                Ok(distinct_name(name, row.get(side)?))
            };
            let event = rows::shown(row, "event_name", &mut PageBytes::default())?;
            Ok(Entry { event, ..projections::entry_row(row, name)? })
        })?;
        let mut entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
        entries.sort_unstable_by_key(|entry| entry.place);
        Ok(entries)
    }
}

/// A name cut to the length of names in lists. Long names with the same beginning stay distinct.
fn distinct_name(name: &str, number: i64) -> String {
    let shown = PageBytes::default().shown(name);
    if shown == name { shown } else { format!("{shown} #{number}") }
}

fn event_row(row: &Row<'_>, bytes: &mut PageBytes) -> database::Result<Event> {
    event_with_name(row, rows::shown_name(row, "name", bytes)?)
}

/// A single event, with its uncut name.
fn whole_event_row(row: &Row<'_>) -> database::Result<Event> {
    event_with_name(row, row.get("name")?)
}

fn event_with_name(row: &Row<'_>, name: String) -> database::Result<Event> {
    Ok(Event {
        number: row.get("number")?,
        name,
        records: row.get("records")?,
        games: row.get("games")?,
        changed: row.get("changed")?,
    })
}
