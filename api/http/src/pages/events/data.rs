//! The data of the page of an event, and the elements that its tables share.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};
use quipu_notation::games::GameNotation;
use quipu_referee::{
    competition::{self, Encounter, Entry, Standings},
    games,
    report::hex,
};

use super::choice::{EventChoice, EventTable};
use crate::{
    pages::{
        about::About,
        boards,
        frame::{View, address, game_name},
        players, records,
    },
    routes::event_games::{EventGames, EventRelations},
};
use quipu_archive::{
    model::{Card, Id, Number},
    store::{Contradiction, Event, EventSpan, ReadTx, StoreError},
};

/// Path of the list of events, and the beginning of those of events.
pub(super) const PATH: &str = "/events";
/// Rows of a table without a second page. A page of this many stays below 120 KiB.
pub(super) const ROWS: usize = 200;
/// Games with several sheets, and contradictions, that are shown.
pub(super) const RELATED: usize = 50;

pub(super) struct EventData {
    pub(super) last: Number,
    pub(super) event: Event,
    pub(super) span: EventSpan,
    /// Numbers of the games that count.
    pub(super) games: Vec<(&'static GameNotation, u64)>,
    pub(super) choice: EventChoice,
    /// The rounds in their order.
    pub(super) rounds: Vec<String>,
    /// The games of the choice.
    pub(super) entries: Vec<Entry>,
    /// Those of ranked tables; empty for others.
    pub(super) tables: Vec<Standings>,
    /// Those of the table of encounters; empty for others.
    pub(super) encounters: Vec<Encounter>,
    /// Numbers of the players by name.
    numbers: HashMap<String, i64>,
    /// Ids of the records by the place of their game.
    ids: BTreeMap<u64, String>,
    /// Names that are probably one player's and count as several.
    pub(super) alike: Vec<Vec<String>>,
    /// Sheets of one game, and contradicting ones: one more of each than is shown.
    pub(super) related: EventRelations,
    /// The cards of the records in them.
    cards: BTreeMap<Id, Card>,
}

impl EventData {
    /// The data of an event; none if no game that counts is of the chosen round.
    pub(super) fn of(reading: &ReadTx<'_>, event: Event, choice: EventChoice) -> Result<Option<Self>, StoreError> {
        let number = event.number;
        let Some(games) = EventGames::of(reading, number, None, choice.round.clone())? else { return Ok(None) };
        let EventGames { mut entries, numbers, rounds, round } = games;
        let (mut tables, mut encounters) = (Vec::new(), Vec::new());
        match choice.table {
            EventTable::Standings | EventTable::Crosstable => {
                let of_games = competition::grouped(&entries, |entry| entry.game.id);
                let table = |games: &Vec<&Entry>| {
                    let counts_points = games.iter().any(|entry| entry.points.is_some());
                    Standings::of(games, &choice.order(counts_points))
                };
                tables = of_games.iter().filter_map(table).collect();
            }
            EventTable::Encounters => encounters = competition::encounters(&entries),
            EventTable::Results => entries.retain(|entry| round.is_none() || entry.round == round),
        }
        let names: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.players).map(String::as_str).collect();
        let alike = competition::spelled_differently(names.iter().copied());
        let alike = alike.into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect();
        let related = EventRelations::of(reading, number, [RELATED + 1; 2])?;
        let firsts = related.sheets.iter().filter_map(|sheets| sheets.first()).map(|(_, id)| *id);
        let firsts = firsts.chain(related.contradictions.iter().map(Contradiction::earlier)).collect::<BTreeSet<_>>();
        let mut cards = BTreeMap::new();
        for id in firsts {
            cards.extend(reading.card(&id)?.map(|card| (id, card)));
        }
        Ok(Some(Self {
            last: reading.last_change()?,
            span: reading.event_span(number)?,
            games: reading.games_played(number)?,
            ids: entries.iter().map(|entry| (entry.place, hex(&entry.id))).collect(),
            event,
            choice,
            rounds,
            entries,
            tables,
            encounters,
            numbers,
            alike,
            related,
            cards,
        }))
    }

    /// The description of the page: the games of the event with their numbers, and the board of the first of them.
    pub(super) fn about(&self, view: &View) -> About {
        let games = self
            .games
            .iter()
            .map(|(game, games)| view.fill("event.games", &[("game", &game_name(view, game)), ("games", games)]));
        let game = self.games.first().and_then(|(game, _)| games::find(game.id));
        About {
            description: [self.event.name.clone()].into_iter().chain(games).collect::<Vec<_>>().join(" · "),
            address: view.href(&self.path(), &[]),
            picture: game.and_then(|game| boards::start_for_sharing(view, game)),
        }
    }

    pub(super) fn path(&self) -> String {
        format!("{PATH}/{}", self.event.number)
    }

    /// The players of a record.
    pub(super) fn title(&self, id: &Id) -> String {
        let id_text = hex(id);
        self.cards.get(id).map_or_else(|| id_text.clone(), |card| records::title(card, &id_text))
    }

    pub(super) fn name(&self, view: &View, name: &str) -> Markup {
        let number = self.numbers.get(name);
        number.map_or_else(|| html! { (name) }, |number| players::name(view, *number, name))
    }

    /// A link to the record of a game.
    pub(super) fn game(&self, view: &View, place: u64, text: &str, label: &str) -> Markup {
        html! {
            @if let Some(id) = self.ids.get(&place) {
                a href=(view.href(&format!("/records/{id}"), &[])) aria-label=(label) { (text) }
            } @else { (text) }
        }
    }

    /// A section with the title of a table, and a link to its whole data if only `shown` of its rows are there.
    pub(super) fn section(&self, view: &View, table: &Standings, kind: &str, shown: usize, content: &Markup) -> Markup {
        let (game, rows) = (table.game, table.rows.len());
        html! {
            section aria-labelledby=(game.id) {
                h2 id=(game.id) { (game_name(view, game)) }
                (content)
                @if rows > shown { (self.cut(view, kind, [shown, rows], Some(table))) }
            }
        }
    }

    /// The note below a table that is cut, with a link to its whole data.
    pub(super) fn cut(&self, view: &View, kind: &str, [shown, rows]: [usize; 2], table: Option<&Standings>) -> Markup {
        let order = table.map(|table| table.order.as_slice());
        let query = self.choice.query_of_data(table.map(|table| table.game.id), order);
        let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        html! {
            p { (view.fill("event.cut", &[("shown", &shown), ("rows", &rows)])) " "
                a href=(address(&format!("/v1/events/{}/{kind}", self.event.number), &query)) { "JSON" }
            }
        }
    }
}
