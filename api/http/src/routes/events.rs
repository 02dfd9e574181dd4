//! Events, and the tables computed from their games.

use std::collections::BTreeSet;

use quipu_notation::games::{self, GameNotation};
use quipu_referee::{
    competition::{self, Entry, TieBreak},
    report::{self, hex, standings_csv},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    event_games::{EventGames, EventRelations},
    shared::{CURSOR, GAME, LIMIT, NAME, NUMBER, SEARCH, TIE_BREAKS},
};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{CSV, Content, GET, Response, Route},
    schema::{CrossTable, Difference, Encounter, Score, Table},
};
use quipu_archive::{
    model::Number,
    store::{self, Contradiction, ListPage, NameFilter, RecordId},
};

/// The last round that counts.
pub(crate) const ROUND: Param = Param::query("round", Kind::Text(NAME));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/events",
            id: "events",
            group: "events",
            params: &[SEARCH, LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<Event>>()])],
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
            responses: &[Response::ok(&[Content::json::<EventPage>()])],
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
            params: &[NUMBER, GAME, TIE_BREAKS, ROUND],
            responses: &[Response::ok(&[Content::json::<EventStandings<'_>>(), Content::text(CSV)])],
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
            params: &[NUMBER, GAME, TIE_BREAKS, ROUND],
            responses: &[Response::ok(&[Content::json::<Crosstables<'_>>()])],
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
            params: &[NUMBER, ROUND],
            responses: &[Response::ok(&[Content::json::<EventScores<'_>>()])],
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
    #[schemars(range(min = 1))]
    number: Number,
    name: String,
    /// Number of current records.
    records: u64,
    /// Number of those that count.
    games: u64,
    /// The last change that affected it.
    #[schemars(range(min = 1))]
    changed: Number,
}

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
    game: &'static str,
    /// Number of games that count.
    #[schemars(range(min = 1))]
    games: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Standings", deny_unknown_fields)]
pub(crate) struct EventStandings<'c> {
    /// One table per game.
    tables: Vec<Table<'c>>,
    /// The last round that counts; null if all games count.
    round: Option<&'c str>,
    #[serde(flatten)]
    sources: Sources<'c>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Crosstables<'c> {
    /// One table per game.
    tables: Vec<CrossTable<'c>>,
    /// The last round that counts; null if all games count.
    round: Option<&'c str>,
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
    /// The last round that counts; null if all games count.
    round: Option<&'c str>,
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
    /// Number of the game in the order of entry; null if it is not among `games`.
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

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CountedGame {
    /// Its number in the order of entry.
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
    let (search, after, limit) = (context.text("q").and_then(NameFilter::new), context.cursor()?, context.limit());
    let ask = move |reading: &store::ReadTx<'_>| match &search {
        Some(search) => reading.events_named(search, after, limit),
        None => reading.events(after, limit).map(Some),
    };
    let page = context.read_page(limit, ask).await?;
    let Some(ListPage { items, next }) = page else { return Err(context.invalid_cursor()) };
    Ok(context.page(items.into_iter().map(Event::from).collect(), next.as_ref()))
}

async fn show(context: RequestContext) -> HandlerResult {
    let event = find(&context)?;
    let number = event.number;
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{}", state(&event))) {
        return Ok(response);
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

pub(crate) async fn standings(context: RequestContext) -> HandlerResult {
    let (order, media) = (tie_breaks_or_usual(&context), context.media);
    computed(&context, game(&context), move |games, related| {
        let all = competition::standings(&games.entries, &order);
        if media == CSV {
            return csv(&all, &order);
        }
        let tables = all.iter().map(|table| Table(report::competition::standings(table, &games.numbers))).collect();
        let (round, sources) = (games.round.as_deref(), Sources::new(&games.entries, related));
        json(&EventStandings { tables, round, sources })
    })
    .await
}

async fn crosstable(context: RequestContext) -> HandlerResult {
    let order = tie_breaks_or_usual(&context);
    computed(&context, game(&context), move |games, related| {
        let all = competition::standings(&games.entries, &order);
        let tables = all.iter().map(|table| CrossTable(report::competition::crosstable(table, &games.numbers)));
        let (round, sources) = (games.round.as_deref(), Sources::new(&games.entries, related));
        json(&Crosstables { tables: tables.collect(), round, sources })
    })
    .await
}

async fn encounters(context: RequestContext) -> HandlerResult {
    computed(&context, None, |EventGames { mut entries, numbers, round, .. }, related| {
        entries.retain(|entry| entry.points.is_some());
        let encounters = competition::encounters(&entries);
        let players = competition::players(&entries, &encounters);
        json(&EventScores {
            encounters: encounters.iter().map(|one| Encounter(report::competition::encounter(one, &numbers))).collect(),
            players: players.iter().map(|one| Score(report::competition::player(one, &numbers))).collect(),
            round: round.as_deref(),
            sources: Sources::new(&entries, related),
        })
    })
    .await
}

/// The game of the query; none for all games.
fn game(context: &RequestContext) -> Option<&'static GameNotation> {
    context.text("game").and_then(games::find)
}

/// Responds with a table computed from the games of an event that count, of all games or of one, up to the round of the
/// query. It is computed on another thread, and not at all for a client that has it already.
async fn computed(
    context: &RequestContext,
    game: Option<&'static GameNotation>,
    compute: impl FnOnce(EventGames, &EventRelations) -> Vec<u8> + Send + 'static,
) -> HandlerResult {
    let event = find(context)?;
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{}", state(&event))) {
        return Ok(response);
    }
    let (number, round) = (event.number, context.text("round").map(str::to_owned));
    let found = context.read_slowly(move |reading| {
        let Some(event) = reading.event(number)? else { return Ok(Err(no_event(number))) };
        let related = EventRelations::of(reading, number, [SHEETS, CONTRADICTIONS])?;
        let games = EventGames::of(reading, number, game, round.clone())?;
        let games = games.ok_or_else(|| no_round(number, round.as_deref()));
        Ok(games.map(|games| (state(&event), compute(games, &related))))
    });
    let (state, body) = found.await??;
    Ok(context.with_etag(context.with_language(context.bytes(body)), CachePolicy::UntilChange, format_args!("{state}")))
}

/// The event in the path.
fn find(context: &RequestContext) -> Result<store::Event, Problem> {
    let number = context.path_number("number");
    context.read(|reading| reading.event(number))?.ok_or_else(|| no_event(number))
}

pub(crate) fn no_event(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "event").with("found", number)
}

/// The problem of a round of which an event has no game that counts.
pub(crate) fn no_round(event: Number, round: Option<&str>) -> Problem {
    Problem::variant(problem::NOT_FOUND, "round").with("event", event).with_quoted("found", round.unwrap_or_default())
}

/// The state that everything about an event depends on.
fn state(event: &store::Event) -> String {
    format!("{}-{}", event.number, event.changed)
}

/// The tie-breaks of the query, in its order; none if it names none.
pub(crate) fn tie_breaks(context: &RequestContext) -> Option<Vec<TieBreak>> {
    Some(context.text("tie_breaks")?.split(',').filter_map(TieBreak::parse).collect())
}

fn tie_breaks_or_usual(context: &RequestContext) -> Vec<TieBreak> {
    tie_breaks(context).unwrap_or(TieBreak::DEFAULT.to_vec())
}

/// All tables under one header.
fn csv(all: &[competition::Standings], order: &[TieBreak]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = all.iter().flat_map(|table| table.rows.iter().map(|row| standings_csv::cells(table, row)));
    // Writing to memory does not fail.
    drop(writer.write_record(standings_csv::columns(order)));
    rows.for_each(|row| drop(writer.write_record(row)));
    writer.into_inner().unwrap_or_default()
}

pub(super) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    drop(report::write(value, &mut json));
    json
}
