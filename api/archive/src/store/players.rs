//! Players, rankings and events.

use quipu_notation::games::{self, GameNotation};
use quipu_referee::competition::{Entry, Half, Level, Start, Step, Win, folded, history};
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::{
    Page, ReadTx, StoreError,
    listing::{Extent, Listed, listed},
    projections, rows,
};
use crate::model::{Id, Number};

/// A player and the names that count as this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// Of a name that is merged into another, the number and name of the player it counts as.
    pub counts_as: Option<(i64, String)>,
}

/// What the games of a player come to, in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// The game.
    pub game: &'static GameNotation,
    /// Games that count.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Points without bonus; nothing in games that do not count points.
    pub points: Option<u64>,
    /// Bonuses of encounters (9.4).
    pub bonus: Half,
    /// The level (9.5).
    pub level: Option<Level>,
}

/// A player's place in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// From 1; those who are equal share it.
    pub place: u64,
    /// The player.
    pub player: (i64, String),
    /// What it rests on.
    pub rating: Rating,
}

/// Where a ranking goes on: behind the player that stood last. (Names may be long: cursors have numbers for them.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankCursor {
    /// What the ranking is ordered by.
    pub rank: i64,
    /// The number of that player.
    pub player: i64,
    /// The place of that player.
    pub place: u64,
    /// How many stood before the next one.
    pub before: u64,
}

/// Where a list of players goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCursor {
    /// The number of the last one.
    pub player: i64,
}

/// Where a list of events goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventCursor {
    /// The number of the last one.
    pub event: i64,
}

/// Where the history of a level goes on: behind, and so before, this won game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WinCursor {
    /// When it started.
    pub start: String,
    /// Its place in the order of entry.
    pub place: Number,
}

/// A level and the record that it was reached with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The level, and what it was computed from.
    pub step: Step,
    /// The record of the won game.
    pub record: Id,
    /// When that game started, as far as it is known.
    pub start: Start,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// Records that stand.
    pub records: u64,
    /// Those of them that count.
    pub games: u64,
    /// The last change that touched it.
    pub changed: Number,
}

/// Where a name stands in lists: by its letters, then by its bytes.
type NameKey = (String, String);

/// Names that begin in one way, behind one of them.
struct Beginning {
    behind: NameKey,
    /// Behind every text that begins so.
    end: String,
}

impl Beginning {
    fn new(beginning: &str, behind: NameKey) -> Self {
        let first = folded(beginning);
        let end = format!("{first}\u{10ffff}");
        Self { behind: behind.max((first, String::new())), end }
    }
}

impl ReadTx<'_> {
    /// A player.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn player(&self, number: i64) -> Result<Option<Person>, StoreError> {
        let mut player = self.connection.prepare_cached(&format!("{PLAYER} WHERE player.number = ?"))?;
        Ok(player.query_row([number], one_person).optional()?)
    }

    /// The player of a name, to the letter.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn player_named(&self, name: &str) -> Result<Option<Person>, StoreError> {
        let mut player = self.connection.prepare_cached(&format!("{PLAYER} WHERE player.name = ?"))?;
        Ok(player.query_row([name], one_person).optional()?)
    }

    /// The names that count as a player, without its own.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn also(&self, number: i64) -> Result<Vec<Person>, StoreError> {
        let sql =
            format!("{PLAYER} WHERE player.root = ?1 AND player.number <> ?1 ORDER BY player.folded, player.name");
        let mut players = self.connection.prepare_cached(&sql)?;
        Ok(players.query_map([number], |row| person_row(row, &mut Extent::default()))?.collect::<Result<_, _>>()?)
    }

    /// Other players whose names are likely one of this person's, written otherwise; `most` at the most.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn likely_same(&self, person: &Person, most: usize) -> Result<Vec<Person>, StoreError> {
        let sql = format!(
            "{PLAYER} WHERE player.normal IN (SELECT normal FROM player WHERE root = ?1) AND player.root <> ?1
             ORDER BY player.folded, player.name LIMIT ?2"
        );
        let mut players = self.connection.prepare_cached(&sql)?;
        let root = person.counts_as.as_ref().map_or(person.number, |(root, _)| *root);
        Ok(listed(players.query(params![root, most])?, most, person_row)?.items)
    }

    /// Players in the order of their names; `beginning` is how the names begin, whatever marks and case they have. Nothing
    /// if there never was such a cursor.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn players(
        &self,
        beginning: &str,
        after: Option<PlayerCursor>,
        limit: usize,
    ) -> Result<Option<Page<Person, PlayerCursor>>, StoreError> {
        let behind =
            self.name_key("SELECT folded, name FROM player WHERE number = ?", after.map(|after| after.player))?;
        let Some(behind) = behind else { return Ok(None) };
        let Beginning { behind: (folded, name), end } = Beginning::new(beginning, behind);
        let sql = format!(
            "{PLAYER} WHERE (player.folded, player.name) > (?1, ?2) AND player.folded < ?3
             ORDER BY player.folded, player.name LIMIT ?4"
        );
        let mut players = self.connection.prepare_cached(&sql)?;
        let players = listed(players.query(params![folded, name, end, limit + 1])?, limit, person_row)?;
        Ok(Some(players.page(|person| PlayerCursor { player: person.number })))
    }

    /// Where a name stands that a cursor gives by its number: at the very beginning without a cursor, nowhere if there is
    /// no such number.
    fn name_key(&self, sql: &str, number: Option<i64>) -> Result<Option<NameKey>, StoreError> {
        let Some(number) = number else { return Ok(Some(NameKey::default())) };
        let mut key = self.connection.prepare_cached(sql)?;
        Ok(key.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// What the games of a player come to, game by game.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn ratings(&self, player: i64) -> Result<Vec<Rating>, StoreError> {
        let mut ratings = self.connection.prepare_cached("SELECT * FROM rating WHERE player = ?")?;
        let mut ratings: Vec<_> = ratings.query_map([player], rating_row)?.collect::<Result<_, _>>()?;
        ratings.sort_by_key(|rating: &Rating| index(rating.game));
        Ok(ratings)
    }

    /// The ranking of a game: the highest level first, in games without points the highest score; those who are equal in
    /// the order of their names. Nothing if there never was such a cursor.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn ranking(
        &self,
        game: &GameNotation,
        after: Option<RankCursor>,
        limit: usize,
    ) -> Result<Option<Page<Ranked, RankCursor>>, StoreError> {
        let start = RankCursor { rank: i64::MIN, player: 0, place: 0, before: 0 };
        let player = after.map(|after| after.player);
        let key = self.name_key("SELECT folded, name FROM player WHERE number = ?", player)?;
        let Some((folded, name)) = key else { return Ok(None) };
        let mut last = after.unwrap_or(start);
        let mut ranking = self.connection.prepare_cached(
            "SELECT * FROM rating WHERE game = ? AND (rank, folded, name) > (?, ?, ?) ORDER BY rank, folded, name LIMIT ?",
        )?;
        let rows = ranking.query(params![game.id, last.rank, folded, name, limit + 1])?;
        let Listed { items: rows, more } = listed(rows, limit, |row, extent| {
            let player: (i64, String) = (row.get("player")?, rows::shown_name(row, "name", extent)?);
            Ok((row.get("rank")?, player, rating_row(row)?))
        })?;
        let mut items = Vec::with_capacity(rows.len());
        for (rank, player, rating) in rows {
            // A cursor comes from outside and may hold any number.
            let next = last.before.saturating_add(1);
            let place = if last.before > 0 && rank == last.rank { last.place } else { next };
            last = RankCursor { rank, player: player.0, place, before: next };
            items.push(Ranked { place, player, rating });
        }
        Ok(Some(Page { items, next: Some(last).filter(|_| more) }))
    }

    /// The levels of a player, the last first.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn levels(
        &self,
        player: i64,
        game: &GameNotation,
        after: Option<&WinCursor>,
        limit: usize,
    ) -> Result<Page<Reached, WinCursor>, StoreError> {
        let mut wins = self.connection.prepare_cached(
            "SELECT start, place, won, id FROM entry
             WHERE winner = ? AND game = ? AND won IS NOT NULL AND (start, place) < (?, ?)
             ORDER BY start DESC, place DESC LIMIT ?",
        )?;
        let (start, place) = after.map_or((LATEST, Number::MAX), |after| (&after.start, after.place));
        let wins = wins.query_map(params![player, game.id, start, place, limit + 2], |row| {
            let start: String = row.get("start")?;
            let win = Win { start: projections::start(&start), place: row.get("place")?, points: row.get("won")? };
            Ok((win, start, rows::id(row, "id")?))
        })?;
        // Each level needs the won game before it too.
        let wins: Vec<(Win, String, Id)> = wins.collect::<Result<_, _>>()?;
        let more = wins.len() > limit + 1;
        let steps = history(wins.iter().map(|(win, ..)| *win).collect());
        let with_record = |step: Step| {
            let (win, _, record) = wins.iter().find(|(win, ..)| win.place == step.game)?;
            Some(Reached { step, record: *record, start: win.start })
        };
        let items: Vec<_> = steps.into_iter().rev().take(limit).filter_map(with_record).collect();
        let last = limit.checked_sub(1).and_then(|last| wins.get(last)).filter(|_| more);
        let next = last.and_then(|(win, start, _)| {
            Some(WinCursor { start: start.clone(), place: Number::try_from(win.place).ok()? })
        });
        Ok(Page { items, next })
    }

    /// Events that have records, the last that was made first.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn events(&self, after: Option<EventCursor>, limit: usize) -> Result<Page<Event, EventCursor>, StoreError> {
        let mut events = self
            .connection
            .prepare_cached("SELECT * FROM event WHERE number < ? AND records > 0 ORDER BY number DESC LIMIT ?")?;
        let before = after.map_or(i64::MAX, |after| after.event);
        let events = listed(events.query(params![before, limit + 1])?, limit, event_row)?;
        Ok(events.page(|event| EventCursor { event: event.number }))
    }

    /// Events that have records and whose names begin so, whatever marks and case they have, in the order of their names.
    /// Nothing if there never was such a cursor.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn events_named(
        &self,
        beginning: &str,
        after: Option<EventCursor>,
        limit: usize,
    ) -> Result<Option<Page<Event, EventCursor>>, StoreError> {
        let behind =
            self.name_key("SELECT folded, name FROM event WHERE number = ?", after.map(|after| after.event))?;
        let Some(behind) = behind else { return Ok(None) };
        let Beginning { behind: (folded, name), end } = Beginning::new(beginning, behind);
        let mut events = self.connection.prepare_cached(
            "SELECT * FROM event WHERE (folded, name) > (?, ?) AND folded < ? AND records > 0 ORDER BY folded, name LIMIT ?",
        )?;
        let events = listed(events.query(params![folded, name, end, limit + 1])?, limit, event_row)?;
        Ok(Some(events.page(|event| EventCursor { event: event.number })))
    }

    /// An event.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn event(&self, number: i64) -> Result<Option<Event>, StoreError> {
        let mut event = self.connection.prepare_cached("SELECT * FROM event WHERE number = ?")?;
        Ok(event.query_row([number], one_event).optional()?)
    }

    /// The event of a name, to the letter.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn event_named(&self, name: &str) -> Result<Option<Event>, StoreError> {
        let mut event = self.connection.prepare_cached("SELECT * FROM event WHERE name = ?")?;
        Ok(event.query_row([name], one_event).optional()?)
    }

    /// How many games of an event count, game by game.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn games_played(&self, event: i64) -> Result<Vec<(&'static GameNotation, u64)>, StoreError> {
        let mut counts = self
            .connection
            .prepare_cached(&format!("SELECT game, count(*) AS games FROM entry WHERE {OF_EVENT} GROUP BY game"))?;
        let counts =
            counts.query_map([event], |row| Ok((rows::parsed(row, "game", games::find)?, row.get("games")?)))?;
        let mut counts: Vec<_> = counts.collect::<Result<_, _>>()?;
        counts.sort_by_key(|(game, _)| index(game));
        Ok(counts)
    }

    /// The games of an event that count, in the order of entry; of one game if that is said. Names of more than 256
    /// characters are cut, and end in the number of the player.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn entries(&self, event: i64, game: Option<&GameNotation>) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.connection.prepare_cached(&format!(
            "SELECT entry.*, event.name AS event_name, one.name AS one_name, two.name AS two_name
             FROM entry
             CROSS JOIN event ON event.number = entry.event
             CROSS JOIN player AS one ON one.number = entry.one
             CROSS JOIN player AS two ON two.number = entry.two
             WHERE {OF_EVENT} AND (?2 IS NULL OR entry.game = ?2)"
        ))?;
        let entries = entries.query_map(params![event, game.map(|game| game.id)], |row| {
            let name = |row: &Row<'_>, side: &str| {
                let name = row.get_ref(if side == "one" { "one_name" } else { "two_name" })?.as_str()?;
                let shown = Extent::default().shown(name);
                // Long names that begin alike stay names of different players.
                Ok(if shown == name { shown } else { format!("{shown} #{}", row.get::<_, i64>(side)?) })
            };
            let event = rows::shown(row, "event_name", &mut Extent::default())?;
            Ok(Entry { event, ..projections::entry(row, name)? })
        })?;
        let mut entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
        entries.sort_unstable_by_key(|entry| entry.place);
        Ok(entries)
    }
}

/// The games of an event. That it is none is said too: the index has only games of events, and SQLite takes it only where
/// it can see that these are asked for.
const OF_EVENT: &str = "entry.event = ?1 AND entry.event <> 0";
/// Behind the start of every game.
const LATEST: &str = "\u{10ffff}";

/// The place of a game in the table of games.
fn index(game: &GameNotation) -> Option<usize> {
    games::GAMES.iter().position(|known| **known == *game)
}

/// Players with who they count as.
const PLAYER: &str = "SELECT player.number, player.name, player.folded, player.root, root.name AS root_name
   FROM player JOIN player AS root ON root.number = player.root";

fn person_row(row: &Row<'_>, extent: &mut Extent) -> rusqlite::Result<Person> {
    let (number, root): (i64, i64) = (row.get("number")?, row.get("root")?);
    let name = rows::shown_name(row, "name", extent)?;
    let counts_as = if root == number { None } else { Some((root, rows::shown_name(row, "root_name", extent)?)) };
    Ok(Person { number, name, counts_as })
}

/// A person by itself, with the whole of its name.
fn one_person(row: &Row<'_>) -> rusqlite::Result<Person> {
    let (number, root): (i64, i64) = (row.get("number")?, row.get("root")?);
    let root_name: String = row.get("root_name")?;
    Ok(Person { number, name: row.get("name")?, counts_as: (root != number).then_some((root, root_name)) })
}

fn rating_row(row: &Row<'_>) -> rusqlite::Result<Rating> {
    let game = rows::parsed(row, "game", games::find)?;
    let level: Option<u16> = row.get("level")?;
    Ok(Rating {
        game,
        games: row.get("games")?,
        wins: row.get("wins")?,
        draws: row.get("draws")?,
        points: row.get("points")?,
        bonus: Half::half_of(row.get("bonus")?),
        level: level.and_then(Level::new),
    })
}

fn event_row(row: &Row<'_>, extent: &mut Extent) -> rusqlite::Result<Event> {
    event_named(row, rows::shown_name(row, "name", extent)?)
}

/// An event by itself, with the whole of its name.
fn one_event(row: &Row<'_>) -> rusqlite::Result<Event> {
    event_named(row, row.get("name")?)
}

fn event_named(row: &Row<'_>, name: String) -> rusqlite::Result<Event> {
    Ok(Event {
        number: row.get("number")?,
        name,
        records: row.get("records")?,
        games: row.get("games")?,
        changed: row.get("changed")?,
    })
}
