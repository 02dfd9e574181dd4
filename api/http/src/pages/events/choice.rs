//! The choice of a reader of an event: its table, a round, and the order of the standings; and the form for it.

use maud::{Markup, html};
use quipu_referee::competition::TieBreak;

use crate::{
    pages::frame::View,
    request::RequestContext,
    routes::{events::tie_breaks, shared::NAME},
};

/// Rounds in the list of the form, at most: the last ones.
const ROUNDS: usize = 100;
/// Criteria that the form asks for, at least.
const CRITERIA: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventTable {
    Standings,
    Crosstable,
    Encounters,
    Results,
}

impl EventTable {
    /// Each with its name and the key of its words.
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Standings, "standings", "event.standings"),
        (Self::Crosstable, "crosstable", "event.crosstable"),
        (Self::Encounters, "encounters", "event.encounters"),
        (Self::Results, "results", "event.results"),
    ];

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(table, ..)| table)
    }

    fn as_str(self) -> &'static str {
        Self::ALL.into_iter().find(|(table, ..)| *table == self).map_or("", |(_, name, _)| name)
    }

    /// True if the table ranks players.
    const fn is_ranked(self) -> bool {
        matches!(self, Self::Standings | Self::Crosstable)
    }
}

/// The names of the tables.
pub(super) fn views() -> Vec<&'static str> {
    EventTable::ALL.map(|(_, name, _)| name).to_vec()
}

/// The choice that an address makes.
pub(super) struct EventChoice {
    pub(super) table: EventTable,
    /// The last round that counts or, in the results, the round to show; none for all.
    pub(super) round: Option<String>,
    /// The criteria of the standings; none for those of each game.
    order: Option<Vec<TieBreak>>,
}

impl EventChoice {
    pub(super) fn of(context: &RequestContext) -> Self {
        Self {
            table: context.text("view").and_then(EventTable::parse).unwrap_or(EventTable::Standings),
            round: context.text("round").map(str::to_owned),
            order: tie_breaks(context),
        }
    }

    /// The criteria of a table. Those of the laws come first in games that count points.
    pub(super) fn order(&self, counts_points: bool) -> Vec<TieBreak> {
        let usual = if counts_points { TieBreak::BY_POINTS } else { TieBreak::DEFAULT };
        self.order.clone().unwrap_or(usual.to_vec())
    }

    /// The query of another table with the same choice.
    fn query_of(&self, table: EventTable) -> Vec<(&'static str, String)> {
        let order = self.order.as_ref().map(|order| ("tie_breaks", names(order)));
        let round = self.round.as_ref().map(|round| ("round", round.clone()));
        [("view", table.as_str().to_owned())].into_iter().chain(round).chain(order).collect()
    }

    /// The query of the data behind a table: in CSV and JSON its order is told, because the usual one is another.
    pub(super) fn query_of_data(&self, game: Option<&str>, order: Option<&[TieBreak]>) -> Vec<(&'static str, String)> {
        let game = game.map(|game| ("game", game.to_owned()));
        let order = order.map(|order| ("tie_breaks", names(order)));
        let round = self.round.as_ref().map(|round| ("round", round.clone()));
        game.into_iter().chain(order).chain(round).collect()
    }

    /// Links to the tables.
    pub(super) fn tabs(&self, view: &View, path: &str) -> Markup {
        html! {
            nav.tabs aria-label=(view.say("event.choice")) {
                ul {
                    @for (table, _, key) in EventTable::ALL {
                        @let query = self.query_of(table);
                        @let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
                        li {
                            a href=(view.href(path, &query)) aria-current=[(table == self.table).then_some("page")] {
                                (view.say(key))
                            }
                        }
                    }
                }
            }
        }
    }

    /// The form for the round and, of ranked tables, the order. `orders` are the criteria of each table, the points among
    /// them if `counts_points`.
    pub(super) fn form(
        &self,
        view: &View,
        path: &str,
        rounds: &[String],
        orders: &[Vec<TieBreak>],
        counts_points: bool,
    ) -> Markup {
        let shown = rounds.iter().filter(|round| round.chars().count() <= NAME && !round.contains(char::is_control));
        let shown: Vec<_> = shown.collect();
        let shown = &shown[shown.len().saturating_sub(ROUNDS)..];
        let is_ranked = self.table.is_ranked() && !orders.is_empty();
        let label = if self.table == EventTable::Results { "figure.round" } else { "event.until" };
        html! {
            @if shown.len() > 1 || self.round.is_some() || is_ranked {
                form.search.choice action=(path) method="get" {
                    (view.language_field())
                    input type="hidden" name="view" value=(self.table.as_str());
                    @if !shown.is_empty() {
                        p.line {
                            label for="round" { (view.say(label)) }
                            select id="round" name="round" {
                                option value="" { (view.say("event.all-rounds")) }
                                @for round in shown {
                                    option value=(round) selected[self.round.as_ref() == Some(round)] { (round) }
                                }
                            }
                            button { (view.say("event.show")) }
                        }
                    }
                    @if is_ranked { (self.criteria(view, orders, counts_points)) }
                }
            }
        }
    }

    /// The fields for the criteria. They show the order of all tables, or nothing if the tables differ.
    fn criteria(&self, view: &View, orders: &[Vec<TieBreak>], counts_points: bool) -> Markup {
        let common = orders.first().filter(|first| orders.iter().all(|order| order == *first));
        let current = common.map_or(Vec::new(), |order| TieBreak::with_score(order));
        let known = || TieBreak::ALL.into_iter().filter(|one| counts_points || !one.is_of_points());
        html! {
            details open[self.order.is_some()] {
                summary { (view.say("event.order")) }
                div.fields {
                    @for number in 1..=current.len().max(CRITERIA) {
                        @let chosen = current.get(number - 1);
                        @let id = format!("criterion-{number}");
                        div {
                            label for=(id) { (view.fill("event.criterion", &[("number", &number)])) }
                            select id=(id) name="tie_breaks" {
                                option value="" { "–" }
                                @for one in known() {
                                    option value=(one.as_str()) selected[chosen == Some(&one)] { (view.word(one.word())) }
                                }
                            }
                        }
                    }
                }
                p { button { (view.say("event.show")) } }
            }
        }
    }
}

/// The names of criteria, with commas between them.
fn names(order: &[TieBreak]) -> String {
    order.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(",")
}
