//! The tables of a query for records. The index that leaves the fewest records comes first; the other conditions are checked
//! row by row.

use quipu_referee::Status;

use super::filter::{Filter, RecordOrder};
use crate::model::RecordState;

/// The index that a query for records reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The numbers of the filter.
    Records,
    Text,
    Player,
    /// Two players against each other.
    Pair,
    Event,
    Date,
    State,
    Status,
    Termination,
    Result,
    Game,
    /// All records.
    All,
}

impl Source {
    /// The source for a filter in an order.
    pub(super) fn of(filter: &Filter, order: RecordOrder) -> Self {
        if filter.text.is_some() {
            Self::Text
        } else if filter.records.is_some() {
            Self::Records
        } else if filter.player.is_some() {
            if filter.against.is_some() { Self::Pair } else { Self::Player }
        } else if filter.event.is_some() {
            Self::Event
        } else if order.is_by_date() {
            Self::Date
        } else if !filter.states.is_empty() && !filter.states.contains(&RecordState::Current) {
            Self::State
        } else if !filter.statuses.is_empty() && !filter.statuses.contains(&Status::Verified) {
            Self::Status
        } else if !filter.terminations.is_empty() {
            Self::Termination
        } else if !filter.results.is_empty() {
            Self::Result
        } else if !filter.games.is_empty() {
            Self::Game
        } else {
            Self::All
        }
    }

    /// The tables in SQL.
    pub(super) const fn tables(self) -> &'static str {
        match self {
            Self::Text => "search CROSS JOIN card ON card.number = search.rowid",
            Self::Player => "part CROSS JOIN card ON card.number = part.record",
            Self::Pair => "part INDEXED BY part_other CROSS JOIN card ON card.number = part.record",
            Self::Event => "card INDEXED BY card_event",
            Self::Date => "card INDEXED BY card_date",
            Self::State => "card INDEXED BY card_state",
            Self::Status => "card INDEXED BY card_status",
            Self::Termination => "card INDEXED BY card_termination",
            Self::Result => "card INDEXED BY card_result",
            Self::Game => "card INDEXED BY card_game",
            Self::Records | Self::All => "card NOT INDEXED",
        }
    }

    /// The column with the number of the record.
    pub(super) const fn number(self) -> &'static str {
        match self {
            Self::Text => "search.rowid",
            Self::Player | Self::Pair => "part.record",
            _ => "card.number",
        }
    }

    /// True if the records of a player are read.
    pub(super) const fn is_of_players(self) -> bool {
        matches!(self, Self::Player | Self::Pair)
    }

    /// Filters that together match the same records, each with one value of the column of the index.
    pub(super) fn parts(self, filter: &Filter) -> Vec<Filter> {
        let own = filter.clone();
        match self {
            Self::State => filter.states.iter().map(|&state| Filter { states: vec![state], ..own.clone() }).collect(),
            Self::Status => {
                filter.statuses.iter().map(|&status| Filter { statuses: vec![status], ..own.clone() }).collect()
            }
            Self::Termination => {
                let of = |name: &String| Filter { terminations: vec![name.clone()], ..own.clone() };
                filter.terminations.iter().map(of).collect()
            }
            Self::Result => {
                filter.results.iter().map(|&result| Filter { results: vec![result], ..own.clone() }).collect()
            }
            Self::Game => filter.games.iter().map(|game| Filter { games: vec![game.clone()], ..own.clone() }).collect(),
            _ => vec![own],
        }
    }
}
