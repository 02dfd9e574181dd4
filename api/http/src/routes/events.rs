//! Events, and the tables computed from their games.

use std::collections::BTreeSet;

use quipu_notation::games::{self, GameNotation};
use quipu_referee::{
    competition::{self, Entry, TieBreak},
    report::{self, hex},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::shared::{CURSOR, GAME, LIMIT, NUMBER, SEARCH, TIE_BREAKS};
use crate::{
    endpoint::Endpoint,
    paging::List,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Answer, Content, GET, Route},
    schema::{CrossTable, Difference, Encounter, Score, Table},
};
use quipu_archive::{
    model::Number,
    store::{self, Contradiction, Page, ReadTx, RecordId, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/events",
            id: "events",
            group: "events",
            params: &[SEARCH, LIMIT, CURSOR],
            answers: &[Answer::ok(&[Content::json::<List<Event>>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/events/{number}",
            id: "event",
            group: "events",
            params: &[NUMBER],
            answers: &[Answer::ok(&[Content::json::<EventPage>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/events/{number}/standings",
            id: "standings",
            group: "events",
            params: &[NUMBER, GAME, TIE_BREAKS],
            answers: &[Answer::ok(&[Content::json::<Standings<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(standings(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/events/{number}/crosstable",
            id: "crosstable",
            group: "events",
            params: &[NUMBER, GAME, TIE_BREAKS],
            answers: &[Answer::ok(&[Content::json::<Crosstables<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(crosstable(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/events/{number}/encounters",
            id: "encounters",
            group: "events",
            params: &[NUMBER],
            answers: &[Answer::ok(&[Content::json::<EventScores<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(encounters(context)),
    },
];

/// An event in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Event {
    /// Its number.
    #[schemars(range(min = 1))]
    number: Number,
    /// Its name.
    name: String,
    /// Number of current records.
    records: u64,
    /// Number of those that count.
    games: u64,
    /// The last change that affected it.
    #[schemars(range(min = 1))]
    changed: Number,
}

/// An event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct EventPage {
    #[serde(flatten)]
    event: Event,
    /// The games played in it.
    by_game: Vec<EventGame>,
    /// Address of its records.
    records_url: String,
    /// Address of its standings.
    standings_url: String,
    /// Address of its crosstables.
    crosstable_url: String,
    /// Address of its encounters.
    encounters_url: String,
}

/// A game played in an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EventGame {
    /// The game.
    game: &'static str,
    /// Number of games that count.
    #[schemars(range(min = 1))]
    games: u64,
}

/// The standings of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Standings<'c> {
    /// One table per game.
    tables: Vec<Table<'c>>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

/// The crosstables of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Crosstables<'c> {
    /// One table per game.
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
    /// Totals of the players.
    players: Vec<Score<'c>>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

/// The games behind the tables.
#[derive(Debug, Serialize, JsonSchema)]
struct Sources<'c> {
    /// The record of each game number.
    games: Vec<CountedGame>,
    /// Names that are probably one player's and count as several.
    spelled_differently: Vec<Vec<&'c str>>,
    /// The games with several sheets, each of which counts once: up to 200.
    #[schemars(length(max = SHEETS))]
    sheets: Vec<CountedSheets>,
    /// Games that contradict another: up to 50.
    #[schemars(length(max = CONTRADICTIONS))]
    contradictions: Vec<ContradictingRecords<'c>>,
}

/// Games with several sheets that are listed, at most.
pub(crate) const SHEETS: usize = 200;
/// Contradictions that are listed, at most: each is found in two records.
pub(crate) const CONTRADICTIONS: usize = 50;

/// A game with several sheets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CountedSheets {
    /// Place of the game in the order of entry; null if it is not among `games`.
    #[schemars(range(min = 1))]
    game: Option<u64>,
    /// Ids of the records in the order of entry. The first of them counts.
    #[schemars(length(min = 2), inner(regex(pattern = "^[0-9a-f]{64}$")))]
    ids: Vec<String>,
}

/// Two records of the same round, leg and players that differ.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContradictingRecords<'c> {
    /// Their ids in the order of entry.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    ids: [String; 2],
    /// The difference; null if a record is too large to be compared.
    difference: Option<Difference<'c>>,
}

/// Sheets of one game, and contradicting ones, in an event.
pub(crate) struct EventRelations {
    pub(crate) sheets: Vec<Vec<RecordId>>,
    pub(crate) contradictions: Vec<Contradiction>,
}

impl EventRelations {
    /// Those of an event, up to a number of each.
    ///
    /// # Errors
    /// The error of the archive.
    pub(crate) fn of(reading: &ReadTx<'_>, event: Number, most: [usize; 2]) -> Result<Self, StoreError> {
        let [sheets, contradictions] = most;
        Ok(Self {
            sheets: reading.sheets_in(event, sheets)?,
            contradictions: reading.contradictions(event, contradictions)?,
        })
    }
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
    fn new(entries: &'c [Entry], related: &'c EventRelations) -> Self {
        let names: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.players).map(String::as_str).collect();
        Self {
            games: entries.iter().map(|entry| CountedGame { game: entry.place, id: hex(&entry.id) }).collect(),
            spelled_differently: competition::spelled_differently(names),
            sheets: related.sheets.iter().map(|sheets| CountedSheets::new(entries, sheets)).collect(),
            contradictions: related.contradictions.iter().map(ContradictingRecords::new).collect(),
        }
    }
}

impl CountedSheets {
    fn new(entries: &[Entry], sheets: &[RecordId]) -> Self {
        let counted = sheets.first().and_then(|(_, id)| entries.iter().find(|entry| entry.id == *id));
        Self { game: counted.map(|entry| entry.place), ids: sheets.iter().map(|(_, id)| hex(id)).collect() }
    }
}

impl<'c> ContradictingRecords<'c> {
    fn new(found: &'c Contradiction) -> Self {
        let difference = found.difference.as_ref().map(|difference| Difference(report::sheets::difference(difference)));
        Self { ids: found.records.map(|(_, id)| hex(&id)), difference }
    }
}

async fn index(context: RequestContext) -> HandlerResult {
    let (beginning, after, limit) = (context.text("q").map(str::to_owned), context.cursor()?, context.limit());
    let ask = move |reading: &store::ReadTx<'_>| match beginning {
        Some(beginning) => reading.events_named(&beginning, after, limit),
        None => reading.events(after, limit).map(Some),
    };
    let page = context.read_page(limit, ask).await?;
    let Some(Page { items, next }) = page else { return Err(context.invalid_cursor()) };
    Ok(context.page(items.into_iter().map(Event::from).collect(), next.as_ref()))
}

async fn show(context: RequestContext) -> HandlerResult {
    let event = find(&context)?;
    let number = event.number;
    if let Some(answer) = context.not_modified(CachePolicy::UntilChange, format_args!("{}", state(&event))) {
        return Ok(answer);
    }
    // Counting the games of a large event takes a while.
    let found = context.read_slowly(move |reading| Ok((reading.event(number)?, reading.games_played(number)?))).await?;
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
    Ok(context.with_etag(context.json(&page), CachePolicy::UntilChange, format_args!("{state}")))
}

async fn standings(context: RequestContext) -> HandlerResult {
    let order = tie_breaks(&context);
    computed(&context, context.text("game").and_then(games::find), move |entries, related| {
        let all = competition::standings(&entries, &order);
        let tables = all.iter().map(|table| Table(report::competition::standings(table))).collect();
        json(&Standings { tables, sources: Sources::new(&entries, &related) })
    })
    .await
}

async fn crosstable(context: RequestContext) -> HandlerResult {
    let order = tie_breaks(&context);
    computed(&context, context.text("game").and_then(games::find), move |entries, related| {
        let all = competition::standings(&entries, &order);
        let tables = all.iter().map(|table| CrossTable(report::competition::crosstable(table))).collect();
        json(&Crosstables { tables, sources: Sources::new(&entries, &related) })
    })
    .await
}

async fn encounters(context: RequestContext) -> HandlerResult {
    computed(&context, None, |mut entries, related| {
        entries.retain(|entry| entry.points.is_some());
        let encounters = competition::encounters(&entries);
        let players = competition::players(&entries, &encounters);
        json(&EventScores {
            encounters: encounters.iter().map(|one| Encounter(report::competition::encounter(one))).collect(),
            players: players.iter().map(|one| Score(report::competition::player(one))).collect(),
            sources: Sources::new(&entries, &related),
        })
    })
    .await
}

/// Responds with a table computed from the games of an event that count, of all games or of one. It is computed on
/// another thread, and not at all for a client that has it already.
async fn computed(
    context: &RequestContext,
    game: Option<&'static GameNotation>,
    compute: impl FnOnce(Vec<Entry>, EventRelations) -> Vec<u8> + Send + 'static,
) -> HandlerResult {
    let event = find(context)?;
    if let Some(answer) = context.not_modified(CachePolicy::UntilChange, format_args!("{}", state(&event))) {
        return Ok(answer);
    }
    let number = event.number;
    let found = context.read_slowly(move |reading| {
        let Some(event) = reading.event(number)? else { return Ok(None) };
        let related = EventRelations::of(reading, number, [SHEETS, CONTRADICTIONS])?;
        Ok(Some((state(&event), compute(reading.entries(number, game)?, related))))
    });
    let (state, json) = found.await?.ok_or_else(|| no_event(number))?;
    Ok(context.with_etag(context.with_language(context.bytes(json)), CachePolicy::UntilChange, format_args!("{state}")))
}

/// The event in the path.
fn find(context: &RequestContext) -> Result<store::Event, Problem> {
    let number = context.path_number("number");
    context.read(|reading| reading.event(number))?.ok_or_else(|| no_event(number))
}

fn no_event(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "event").with("found", number)
}

/// The state that everything about an event depends on.
fn state(event: &store::Event) -> String {
    format!("{}-{}", event.number, event.changed)
}

/// The tie-breaks of the query, in its order.
fn tie_breaks(context: &RequestContext) -> Vec<TieBreak> {
    let asked = context.text("tie_breaks");
    asked.map_or(TieBreak::DEFAULT.to_vec(), |asked| asked.split(',').filter_map(TieBreak::parse).collect())
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    drop(report::write(value, &mut json));
    json
}
