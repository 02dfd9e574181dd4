//! Filters and orders of lists of records.

use chrono::NaiveDate;
use quipu_notation::record::Outcome;
use quipu_referee::Status;

use super::search_index::TextFilter;
use crate::model::{Number, RecordState};

/// The filter of a list of records. A field without a value matches all records; one with several matches each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Numbers of records.
    pub records: Option<Vec<Number>>,
    /// Identifiers of games.
    pub games: Vec<String>,
    /// Number of a player, on either side and under any of its names.
    pub player: Option<i64>,
    /// Number of the player's opponent, under any of its names. Used only with a player.
    pub against: Option<i64>,
    /// Number of an event.
    pub event: Option<i64>,
    /// The round, compared exactly.
    pub round: Option<String>,
    /// Results of the verdict.
    pub results: Vec<Outcome>,
    /// Terminations of the verdict, as in JSON.
    pub terminations: Vec<String>,
    /// Statuses of the verdict.
    pub statuses: Vec<Status>,
    /// States of the record.
    pub states: Vec<RecordState>,
    /// Played on this day or later.
    pub from: Option<NaiveDate>,
    /// Played on this day or before.
    pub to: Option<NaiveDate>,
    /// Words in the tags.
    pub text: Option<TextFilter>,
}

impl Filter {
    /// The order of a list that names none: by day of play if days are chosen, else by entry; the last one first.
    pub fn order(&self) -> RecordOrder {
        if self.has_days() { RecordOrder::LastPlayed } else { RecordOrder::LastEntered }
    }

    /// True if one index answers the filter in this order, so that the query takes no noticeable time.
    pub fn is_quick(&self, order: RecordOrder) -> bool {
        let conditions = [
            !self.games.is_empty(),
            !self.results.is_empty(),
            !self.terminations.is_empty(),
            !self.statuses.is_empty(),
            !self.states.is_empty() && self.states != [RecordState::Current],
            self.player.is_some(),
            self.event.is_some(),
            order.is_by_date() || self.has_days(),
        ];
        let conditions = conditions.into_iter().filter(|&used| used).count();
        let is_slow = self.round.is_some() || self.text.is_some() || self.has_days() && !order.is_by_date();
        self.records.is_some() || conditions < 2 && !is_slow
    }

    fn has_days(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// Order of a list of records. Those by day of play leave out records without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordOrder {
    /// Latest entry first.
    LastEntered,
    /// Oldest entry first.
    FirstEntered,
    /// Latest day of play first.
    LastPlayed,
    /// Earliest day of play first.
    FirstPlayed,
}

impl RecordOrder {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::LastEntered, Self::FirstEntered, Self::LastPlayed, Self::FirstPlayed];

    /// Name in requests: the field that decides, with a `-` if the greatest value comes first.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LastEntered => "-change",
            Self::FirstEntered => "change",
            Self::LastPlayed => "-date",
            Self::FirstPlayed => "date",
        }
    }

    /// The order with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.as_str() == name)
    }

    /// True if the day of play decides.
    pub const fn is_by_date(self) -> bool {
        matches!(self, Self::LastPlayed | Self::FirstPlayed)
    }

    /// The columns of the order, each with its direction.
    pub(super) fn by(self) -> String {
        let (_, direction) = self.sql();
        if self.is_by_date() {
            format!("card.date {direction}, card.number {direction}")
        } else {
            format!("card.number {direction}")
        }
    }

    /// The comparison of a record with the cursor before it, and the direction.
    pub(super) const fn sql(self) -> (&'static str, &'static str) {
        match self {
            Self::LastEntered | Self::LastPlayed => ("<", "DESC"),
            Self::FirstEntered | Self::FirstPlayed => (">", "ASC"),
        }
    }
}
