//! Events: the list, and one event with its standings, crosstable or encounters.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, display, html};
use quipu_notation::games::GameNotation;
use quipu_referee::{
    competition::{self, Difference, Encounter, Entry, Irregularity, Meeting, Row, Standings, State, TieBreak},
    report::hex,
};
use serde::Serialize;

use super::{
    frame::{LISTED, Page, ROWS, View, address, game_name, page_response, page_response_at, rest, scrolled},
    players, records,
};
use crate::{
    endpoint::Endpoint,
    paging::Address,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::Route,
    routes::{
        events::EventRelations,
        shared::{CURSOR, LANG, NUMBER, PAGE, SEARCH_FIELD},
    },
};
use quipu_archive::{
    model::{Card, Id, Number},
    store::{self, Contradiction, Event, ReadTx, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/events",
            id: "page-events",
            params: &[SEARCH_FIELD, CURSOR, LANG],
            problems: &[problem::CURSOR],
            ..PAGE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/events/{number}",
            id: "page-event",
            params: &[NUMBER, Param::query("view", Kind::Choice(views)), LANG],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
];

const PATH: &str = "/events";
/// Players of the largest crosstable shown as a square; in larger ones each player has a list.
const SQUARE: usize = 40;
/// Games with several sheets, and contradictions, that are shown.
const RELATED: usize = 50;

/// A link to one of several records, which are numbered.
fn record_link(view: &View, id: &Id, number: u64) -> Markup {
    let said = view.fill("event.sheet", &[("number", &number)]);
    html! { a href=(view.href(&format!("/records/{}", hex(id)), &[])) { (said) } }
}

/// The difference between two records in words.
fn difference_text(view: &View, difference: &Difference) -> String {
    match difference {
        Difference::Ply(ply, moves) => {
            let ended = || view.say("event.ended").to_owned();
            let [one, two] = moves.each_ref().map(|token| token.clone().unwrap_or_else(ended));
            view.fill("event.difference", &[("ply", ply), ("one", &one), ("two", &two)])
        }
        Difference::Result([one, two]) => view.fill("event.results", &[("one", &one.as_str()), ("two", &two.as_str())]),
    }
}

/// A table of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventTable {
    Standings,
    Crosstable,
    Encounters,
}

impl EventTable {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Standings, "standings", "event.standings"),
        (Self::Crosstable, "crosstable", "event.crosstable"),
        (Self::Encounters, "encounters", "event.encounters"),
    ];

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(shown, ..)| shown)
    }
}

/// The names of the tables.
pub(crate) fn views() -> Vec<&'static str> {
    EventTable::ALL.map(|(_, name, _)| name).to_vec()
}

async fn index(context: RequestContext) -> HandlerResult {
    let (beginning, after) = (context.text("q").map(str::to_owned), context.cursor()?);
    let (sought, address, view) = (beginning.clone(), context.own_address(), View::of(&context));
    let ask = move |reading: &ReadTx<'_>| match &sought {
        Some(beginning) => reading.events_named(beginning, after, LISTED),
        None => reading.events(after, LISTED).map(Some),
    };
    let write = move |page: Option<_>| {
        Ok(page.map(|page| list_page(&view, beginning.as_deref().unwrap_or_default(), &page, &address)))
    };
    let page = context.read_then(ask, write).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.cacheable(page_response(&context, page)))
}

fn list_page<N: Serialize>(view: &View, beginning: &str, page: &store::Page<Event, N>, address: &Address) -> String {
    let store::Page { items, next } = page;
    let title = view.say("events.title");
    let body = html! {
        h1 { (title) }
        form.search action=(PATH) method="get" role="search" {
            (view.language_field())
            p.line {
                label for="q" { (view.say("events.search")) }
                input id="q" name="q" type="search" value=(beginning) maxlength="256";
                button { (view.say("records.search")) }
            }
        }
        ul.names {
            @for event in items {
                li {
                    a href=(view.href(&format!("{PATH}/{}", event.number), &[])) { (event.name) }
                    " " (view.fill("events.count", &[("records", &event.records)]))
                }
            }
        }
        (rest(view, items.len(), next.as_ref().and_then(|next| address.next_page(next))))
    };
    view.write(&Page::new(title, PATH, body))
}

async fn show(context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let none = || Problem::variant(problem::NOT_FOUND, "event").with("found", number);
    let shown = context.text("view").and_then(EventTable::parse).unwrap_or(EventTable::Standings);
    let (last, event) = context.read(|reading| Ok((reading.last_change()?, reading.event(number)?)))?;
    if event.is_none() {
        return Err(none());
    }
    if let Some(answer) = context.not_modified(CachePolicy::UntilChange, format_args!("{last}")) {
        return Ok(answer);
    }
    let view = View::of(&context);
    // Counting the games of a large event takes a while.
    let write = move |told: Option<EventData>| {
        let page = |told: EventData| view.write(&Page::new(told.event.name.clone(), PATH, told.body(&view, shown)));
        Ok(told.map(|told| (told.last, page(told))))
    };
    let ask = move |reading: &ReadTx<'_>| EventData::of(reading, number, shown);
    let (last, page) = context.read_then(ask, write).await?.ok_or_else(none)?;
    Ok(page_response_at(&context, last, page))
}

/// The data of the page of an event.
struct EventData {
    last: Number,
    event: Event,
    games: Vec<(&'static GameNotation, u64)>,
    tables: Vec<Standings>,
    encounters: Vec<Encounter>,
    /// Numbers of the players by name.
    players: BTreeMap<String, i64>,
    /// Ids of the records by the place of their game.
    ids: BTreeMap<u64, String>,
    /// Names that are probably one player's and count as several.
    alike: Vec<Vec<String>>,
    /// Sheets of one game, and contradicting ones: one more of each than is shown.
    related: EventRelations,
    /// The cards of the records in them.
    cards: BTreeMap<Id, Card>,
}

impl EventData {
    fn of(reading: &ReadTx<'_>, number: i64, shown: EventTable) -> Result<Option<Self>, StoreError> {
        let Some(event) = reading.event(number)? else { return Ok(None) };
        let entries = reading.entries(number, None)?;
        let (mut tables, mut encounters) = (Vec::new(), Vec::new());
        if shown == EventTable::Encounters {
            encounters = competition::encounters(&entries);
        } else {
            tables = competition::standings(&entries, &TieBreak::DEFAULT);
        }
        let names: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.players).map(String::as_str).collect();
        let alike = competition::spelled_differently(names.iter().copied());
        let alike = alike.into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect();
        let told: BTreeSet<&str> = match shown {
            EventTable::Encounters => {
                encounters.iter().take(ROWS).flat_map(|one| &one.players).map(String::as_str).collect()
            }
            _ => tables.iter().flat_map(|table| table.rows.iter().take(ROWS)).map(|row| row.name.as_str()).collect(),
        };
        let mut players = BTreeMap::new();
        for name in told {
            if let Some(person) = reading.player_named(name)? {
                players.insert(name.to_owned(), person.number);
            }
        }
        let related = EventRelations::of(reading, number, [RELATED + 1; 2])?;
        let firsts = related.sheets.iter().filter_map(|sheets| sheets.first()).map(|(_, id)| *id);
        let firsts = firsts.chain(related.contradictions.iter().map(Contradiction::earlier)).collect::<BTreeSet<_>>();
        let mut cards = BTreeMap::new();
        for id in firsts {
            cards.extend(reading.card(&id)?.map(|card| (id, card)));
        }
        let ids = |entry: &Entry| (entry.place, hex(&entry.id));
        Ok(Some(Self {
            last: reading.last_change()?,
            games: reading.games_played(number)?,
            ids: entries.iter().map(ids).collect(),
            event,
            tables,
            encounters,
            players,
            alike,
            related,
            cards,
        }))
    }

    fn body(&self, view: &View, shown: EventTable) -> Markup {
        let path = format!("{PATH}/{}", self.event.number);
        let number = self.event.number.to_string();
        html! {
            h1 { (self.event.name) }
            p {
                a href=(view.href("/records", &[("event", &number)])) {
                    (view.fill("event.records", &[("records", &self.event.records)]))
                }
                @for (game, games) in &self.games {
                    " · " (view.fill("event.games", &[("game", &game_name(view, game)), ("games", games)]))
                }
            }
            nav.tabs aria-label=(view.say("event.choice")) {
                ul {
                    @for (one, name, key) in EventTable::ALL {
                        li {
                            a href=(view.href(&path, &[("view", name)]))
                                aria-current=[(one == shown).then_some("page")] { (view.say(key)) }
                        }
                    }
                }
            }
            @match shown {
                EventTable::Standings => { @for table in &self.tables { (self.standings(view, table)) } }
                EventTable::Crosstable => { @for table in &self.tables { (self.crosstable(view, table)) } }
                EventTable::Encounters => (self.encounters(view)),
            }
            @if self.games.is_empty() { p { (view.say("event.nothing")) } }
            @for names in &self.alike {
                p.note { (view.fill("event.alike", &[("names", &names.join("; "))])) }
            }
            (self.contradictions(view))
            (self.sheets(view))
        }
    }

    /// The games with several sheets, each a list of links.
    fn sheets(&self, view: &View) -> Markup {
        let all = &self.related.sheets;
        html! {
            @if !all.is_empty() {
                section aria-labelledby="sheets" {
                    h2 #sheets { (view.say("event.sheets")) }
                    p { (view.say("event.sheets-count")) }
                    ul.names {
                        @for sheets in all.iter().take(RELATED) {
                            li {
                                @if let Some((_, id)) = sheets.first() { (self.title(id)) ":" }
                                @for (number, (_, id)) in (1..).zip(sheets) { " " (record_link(view, id, number)) }
                            }
                        }
                        @if all.len() > RELATED { li { "…" } }
                    }
                }
            }
        }
    }

    /// Records that contradict each other.
    fn contradictions(&self, view: &View) -> Markup {
        let all = &self.related.contradictions;
        html! {
            @if !all.is_empty() {
                section aria-labelledby="contradictions" {
                    h2 #contradictions { (view.say("event.contradictions")) }
                    p { (view.say("event.contradictions-count")) }
                    ul.names {
                        @for Contradiction { records, difference } in all.iter().take(RELATED) {
                            li {
                                (self.title(&records[0].1)) ":"
                                @for (number, (_, id)) in (1..).zip(records) { " " (record_link(view, id, number)) }
                                @if let Some(difference) = difference { " · " (difference_text(view, difference)) }
                            }
                        }
                        @if all.len() > RELATED { li { "…" } }
                    }
                }
            }
        }
    }

    /// The players, round and leg of a record.
    fn title(&self, id: &Id) -> String {
        let id_text = hex(id);
        self.cards.get(id).map_or_else(|| id_text.clone(), |card| records::title(card, &id_text))
    }

    fn name(&self, view: &View, name: &str) -> Markup {
        let number = self.players.get(name);
        number.map_or_else(|| html! { (name) }, |number| players::name(view, *number, name))
    }

    fn game(&self, view: &View, place: u64, text: &str, label: &str) -> Markup {
        html! {
            @if let Some(id) = self.ids.get(&place) {
                a href=(view.href(&format!("/records/{id}"), &[])) aria-label=(label) { (text) }
            } @else { (text) }
        }
    }

    /// A section with the title of a table, and a link to its whole data if it is cut.
    fn section(&self, view: &View, game: &GameNotation, kind: &str, rows: usize, content: &Markup) -> Markup {
        html! {
            section aria-labelledby=(game.id) {
                h2 id=(game.id) { (game_name(view, game)) }
                (content)
                @if rows > ROWS {
                    p { (view.fill("event.cut", &[("shown", &ROWS), ("rows", &rows)])) " "
                        a href=(address(&format!("/v1/events/{}/{kind}", self.event.number), &[("game", game.id)])) {
                            "JSON"
                        }
                    }
                }
            }
        }
    }

    fn standings(&self, view: &View, table: &Standings) -> Markup {
        let caption = view.fill("event.standings-of", &[("game", &game_name(view, table.game))]);
        let content = html! {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th.number scope="col" { (view.say("figure.place")) }
                        th scope="col" { (view.say("figure.player")) }
                        th.number scope="col" { (view.say("figure.score")) }
                        @for order in &table.order { th.number scope="col" { (view.word(order.word())) } }
                        th.number scope="col" { (view.say("figure.games")) }
                        th.number scope="col" { (view.say("figure.wins")) }
                        th.number scope="col" { (view.say("figure.draws")) }
                        th.number scope="col" { (view.say("figure.losses")) }
                    }
                }
                tbody {
                    @for row in table.rows.iter().take(ROWS) {
                        tr {
                            td.number { (row.place) }
                            th scope="row" { (self.name(view, &row.name)) }
                            td.number { (display(row.score)) }
                            @for figure in &row.figures {
                                td.number { @if let Some(figure) = figure { (display(figure)) } @else { "–" } }
                            }
                            td.number { (row.games()) }
                            td.number { (row.wins) }
                            td.number { (row.draws) }
                            td.number { (row.losses) }
                        }
                    }
                }
            }
        };
        self.section(view, table.game, "standings", table.rows.len(), &scrolled(&caption, &content))
    }

    fn crosstable(&self, view: &View, table: &Standings) -> Markup {
        let caption = view.fill("event.crosstable-of", &[("game", &game_name(view, table.game))]);
        let square = table.rows.len() <= SQUARE;
        let content = html! {
            table.cross {
                caption { (caption) }
                thead {
                    tr {
                        th.number scope="col" { (view.say("figure.place")) }
                        th scope="col" { (view.say("figure.player")) }
                        @if square {
                            @for (number, row) in (1..).zip(&table.rows) {
                                th.number scope="col" { abbr title=(row.name) { (number) } }
                            }
                        } @else {
                            th scope="col" { (view.say("event.opponents")) }
                        }
                        th.number scope="col" { (view.say("figure.score")) }
                    }
                }
                tbody {
                    @for (index, row) in table.rows.iter().enumerate().take(ROWS) {
                        tr {
                            td.number { (row.place) }
                            th scope="row" { @if square { (index + 1) ". " } (self.name(view, &row.name)) }
                            @if square { (self.cells(view, table, index, row)) } @else { td { (self.met(view, table, row)) } }
                            td.number { (display(row.score)) }
                        }
                    }
                }
            }
        };
        self.section(view, table.game, "crosstable", table.rows.len(), &scrolled(&caption, &content))
    }

    /// The cells of a row: the games against each of all players.
    fn cells(&self, view: &View, table: &Standings, own: usize, row: &Row) -> Markup {
        let meetings = row.meetings();
        html! {
            @for opponent in 0..table.rows.len() {
                td.number {
                    @if opponent == own { span aria-hidden="true" { "×" } }
                    @else if let Some(meeting) = meetings.iter().find(|meeting| meeting.opponent == opponent) {
                        (self.played(view, table, row, meeting))
                    }
                }
            }
        }
    }

    /// The games of a row, opponent by opponent.
    fn met(&self, view: &View, table: &Standings, row: &Row) -> Markup {
        html! {
            @for (place, meeting) in row.meetings().iter().enumerate() {
                @if place > 0 { "; " }
                (table.rows[meeting.opponent].name) ": " (self.played(view, table, row, meeting))
            }
        }
    }

    /// The scores against one opponent, each a link to its record.
    fn played(&self, view: &View, table: &Standings, row: &Row, meeting: &Meeting<'_>) -> Markup {
        let opponent = &table.rows[meeting.opponent].name;
        html! {
            @for (place, played) in meeting.games.iter().enumerate() {
                @if place > 0 { " " }
                @let score = played.score.to_string();
                @let said = view.fill("event.against", &[("one", &row.name), ("two", opponent), ("score", &score)]);
                (self.game(view, played.game, &score, &said))
            }
        }
    }

    fn encounters(&self, view: &View) -> Markup {
        let caption = view.say("event.encounters");
        let table = html! {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { (view.say("figure.round")) }
                        th scope="col" { (view.say("figure.player")) }
                        th.number scope="col" { (view.say("figure.points")) }
                        th.number scope="col" { (view.say("figure.bonus")) }
                        th scope="col" { (view.say("figure.player")) }
                        th.number scope="col" { (view.say("figure.points")) }
                        th.number scope="col" { (view.say("figure.bonus")) }
                        th scope="col" { (view.say("event.outcome")) }
                        th scope="col" { (view.say("nav.records")) }
                    }
                }
                tbody { @for one in self.encounters.iter().take(ROWS) { (self.encounter(view, one)) } }
            }
        };
        html! {
            @if self.encounters.is_empty() { p { (view.say("event.no-encounters")) } }
            @else { (scrolled(caption, &table)) }
            @if self.encounters.len() > ROWS {
                p { (view.fill("event.cut", &[("shown", &ROWS), ("rows", &self.encounters.len())])) " "
                    a href={ "/v1/events/" (self.event.number) "/encounters" } { "JSON" }
                }
            }
        }
    }

    fn encounter(&self, view: &View, one: &Encounter) -> Markup {
        let outcome = match one.state {
            State::Won(index) => {
                let name = &one.players[index];
                view.fill("event.won", &[("name", name)])
            }
            State::Tied | State::Open => view.word(one.state.word()).to_owned(),
            State::Irregular(why) => {
                format!("{}: {}", view.word(one.state.word()), view.word(Irregularity::word(why)))
            }
        };
        let (bonus, [first, second]) = (one.bonus(), &one.players);
        html! {
            tr {
                td { (one.round.as_deref().unwrap_or("–")) }
                @for side in 0..2 {
                    @if side == 0 { th scope="row" { (self.name(view, &one.players[side])) } }
                    @else { td { (self.name(view, &one.players[side])) } }
                    td.number { (one.sums[side].points) }
                    td.number { (display(bonus[side])) }
                }
                td { (outcome) }
                td {
                    @for (index, place) in one.games.iter().enumerate() {
                        @if index > 0 { " " }
                        @let number = (index + 1).to_string();
                        @let said = view.fill("event.leg", &[("one", first), ("two", second), ("number", &number)]);
                        (self.game(view, *place, &number, &said))
                    }
                }
            }
        }
    }
}
