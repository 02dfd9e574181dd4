//! Events, and the tables that follow from their games.

use std::collections::BTreeSet;

use quipu_notation::games::{self, GameNotation};
use quipu_referee::{
    competition::{self, Entry, TieBreak},
    report::{self, hex},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
        schema::{CrossTable, Encounter, Score, Table},
    },
    Answered,
};
use quipu_archive::{
    model::Number,
    store::{self, Page},
};

/// An event in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Event {
    /// Its number.
    #[schemars(range(min = 1))]
    number: Number,
    /// Its name.
    name: String,
    /// Records that stand.
    records: u64,
    /// Those of them that count.
    games: u64,
    /// The last change that touched it.
    #[schemars(range(min = 1))]
    changed: Number,
}

/// An event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct EventPage {
    #[serde(flatten)]
    event: Event,
    /// The games that were played in it.
    by_game: Vec<EventGame>,
    /// Where its records are.
    records_url: String,
    /// Where its standings are.
    standings_url: String,
    /// Where its crosstables are.
    crosstable_url: String,
    /// Where its encounters are.
    encounters_url: String,
}

/// A game that was played in an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EventGame {
    /// The game.
    game: &'static str,
    /// Games that count.
    #[schemars(range(min = 1))]
    games: u64,
}

/// The standings of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Standings<'c> {
    /// One for each game that was played.
    tables: Vec<Table<'c>>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

/// The crosstables of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Crosstables<'c> {
    /// One for each game that was played.
    tables: Vec<CrossTable<'c>>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

/// The encounters of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct EventScores<'c> {
    /// In the order of their first games.
    encounters: Vec<Encounter<'c>>,
    /// What they come to for the players.
    players: Vec<Score<'c>>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

/// What tables were computed from.
#[derive(Debug, Serialize, JsonSchema)]
struct Sources<'c> {
    /// Which record is meant by the number of a game.
    games: Vec<CountedGame>,
    /// Names that are likely one player's, and count as several.
    spelled_differently: Vec<Vec<&'c str>>,
}

/// A game that counts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CountedGame {
    /// Its place in the order of entry.
    #[schemars(range(min = 1))]
    game: u64,
    /// Id of its record.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
}

impl From<store::Event> for Event {
    fn from(event: store::Event) -> Self {
        let store::Event { number, name, records, games, changed } = event;
        Self { number, name, records, games, changed }
    }
}

impl<'c> Sources<'c> {
    fn new(entries: &'c [Entry]) -> Self {
        let names: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.players).map(String::as_str).collect();
        Self {
            games: entries.iter().map(|entry| CountedGame { game: entry.place, id: hex(&entry.id) }).collect(),
            spelled_differently: competition::spelled_differently(names),
        }
    }
}

pub(super) async fn list(call: Call) -> Answered {
    let (beginning, after, limit) = (call.text("q").map(str::to_owned), call.cursor()?, call.limit());
    let ask = move |reading: &store::ReadTx<'_>| match beginning {
        Some(beginning) => reading.events_named(&beginning, after, limit),
        None => reading.events(after, limit).map(Some),
    };
    let page = call.read_page(limit, ask).await?;
    let Some(Page { items, next }) = page else { return Err(call.no_cursor()) };
    Ok(call.page(items.into_iter().map(Event::from).collect(), next.as_ref()))
}

pub(super) async fn one(call: Call) -> Answered {
    let event = find(&call)?;
    let number = event.number;
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{}", state(&event))) {
        return Ok(answer);
    }
    // The games of a large event are counted for a while.
    let found = call.read_slowly(move |reading| Ok((reading.event(number)?, reading.games_played(number)?))).await?;
    let (Some(event), played) = found else { return Err(no_event(number)) };
    let state = state(&event);
    let page = EventPage {
        by_game: played.into_iter().map(|(game, games)| EventGame { game: game.id, games }).collect(),
        records_url: format!("/v1/records?event={number}"),
        standings_url: format!("/v1/events/{number}/standings"),
        crosstable_url: format!("/v1/events/{number}/crosstable"),
        encounters_url: format!("/v1/events/{number}/encounters"),
        event: Event::from(event),
    };
    Ok(call.tagged(call.json(&page), Cache::Revalidate, format_args!("{state}")))
}

pub(super) async fn standings(call: Call) -> Answered {
    let order = tie_breaks(&call);
    computed(&call, call.text("game").and_then(games::find), move |entries| {
        let all = competition::standings(&entries, &order);
        let tables = all.iter().map(|table| Table(report::competition::standings(table))).collect();
        json(&Standings { tables, sources: Sources::new(&entries) })
    })
    .await
}

pub(super) async fn crosstable(call: Call) -> Answered {
    let order = tie_breaks(&call);
    computed(&call, call.text("game").and_then(games::find), move |entries| {
        let all = competition::standings(&entries, &order);
        let tables = all.iter().map(|table| CrossTable(report::competition::crosstable(table))).collect();
        json(&Crosstables { tables, sources: Sources::new(&entries) })
    })
    .await
}

pub(super) async fn encounters(call: Call) -> Answered {
    computed(&call, None, |mut entries| {
        entries.retain(|entry| entry.points.is_some());
        let encounters = competition::encounters(&entries);
        let players = competition::players(&entries, &encounters);
        json(&EventScores {
            encounters: encounters.iter().map(|one| Encounter(report::competition::encounter(one))).collect(),
            players: players.iter().map(|one| Score(report::competition::player(one))).collect(),
            sources: Sources::new(&entries),
        })
    })
    .await
}

/// Answers what is computed from the games of an event that count, whatever was played or of one game. It may take a
/// while, so it is done on another thread, and not at all for who has it.
async fn computed(
    call: &Call,
    game: Option<&'static GameNotation>,
    compute: impl FnOnce(Vec<Entry>) -> Vec<u8> + Send + 'static,
) -> Answered {
    let event = find(call)?;
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{}", state(&event))) {
        return Ok(answer);
    }
    let number = event.number;
    let found = call.read_slowly(move |reading| {
        let Some(event) = reading.event(number)? else { return Ok(None) };
        Ok(Some((state(&event), compute(reading.entries(number, game)?))))
    });
    let (state, json) = found.await?.ok_or_else(|| no_event(number))?;
    Ok(call.tagged(call.spoken(call.plain(json)), Cache::Revalidate, format_args!("{state}")))
}

/// The event that the path names.
fn find(call: &Call) -> Result<store::Event, Problem> {
    let number = call.path_number("number");
    call.read(|reading| reading.event(number))?.ok_or_else(|| no_event(number))
}

fn no_event(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "event").with("found", number)
}

/// What all that is told of an event depends on.
fn state(event: &store::Event) -> String {
    format!("{}-{}", event.number, event.changed)
}

/// The tie-breaks that the query asks for, in its order.
fn tie_breaks(call: &Call) -> Vec<TieBreak> {
    let asked = call.text("tie_breaks");
    asked.map_or(TieBreak::DEFAULT.to_vec(), |asked| asked.split(',').filter_map(TieBreak::parse).collect())
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    drop(report::write(value, &mut json));
    json
}
