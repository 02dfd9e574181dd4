//! Filters of lists of records: from the parameters of a request to a filter of the archive.

use quipu_notation::record::Outcome;
use quipu_referee::Status;

use crate::{
    problem::{self, Problem},
    request::RequestContext,
};
use quipu_archive::{
    model::State,
    store::{Filter, ReadTx, StoreError, TextFilter},
};

/// Most different words in a search: each is a query of the index.
const MAX_WORDS: usize = 8;

/// The filters of a request.
pub(super) struct RecordQuery {
    filter: Filter,
    /// The player and the event, each by number or by name.
    pub(super) player: Option<String>,
    event: Option<String>,
    /// True for a search text without any word, which no record matches.
    wordless: bool,
}

impl RecordQuery {
    /// The filters of a request. By default only current records match.
    ///
    /// # Errors
    /// `api.parameter` if there are too many words.
    pub(super) fn of(context: &RequestContext) -> Result<Self, Problem> {
        let text = |name: &str| context.text(name).map(str::to_owned);
        if context.text("q").is_some_and(|text| TextFilter::count(text) > MAX_WORDS) {
            return Err(Problem::variant(problem::PARAMETER, "words").with("name", "q").with("max", MAX_WORDS));
        }
        let words = context.text("q").map(TextFilter::new);
        let status = |name: &str| Status::ALL.into_iter().find(|status| status.as_str() == name);
        Ok(Self {
            wordless: words == Some(None),
            filter: Filter {
                game: text("game"),
                player: None,
                event: None,
                round: text("round"),
                result: context.text("result").and_then(Outcome::parse),
                termination: text("termination"),
                status: context.text("status").and_then(status),
                state: context.text("state").map_or(Some(State::Current), State::parse),
                from: context.date("from"),
                to: context.date("to"),
                text: words.flatten(),
            },
            player: text("player"),
            event: text("event"),
        })
    }

    /// True if the list is sorted by the day of play.
    pub(super) fn is_by_date(&self) -> bool {
        self.filter.is_by_date()
    }

    /// True if one index answers the filters, so that the query takes no noticeable time.
    pub(super) fn is_quick(&self) -> bool {
        let Filter { game, result, termination, status, state, round, text, .. } = &self.filter;
        let indexed = [
            game.is_some(),
            result.is_some(),
            termination.is_some(),
            status.is_some(),
            *state != Some(State::Current),
            self.player.is_some(),
            self.event.is_some(),
            self.is_by_date(),
        ];
        round.is_none() && text.is_none() && indexed.into_iter().filter(|&used| used).count() < 2
    }

    /// The filter of the archive; none if no record can match.
    ///
    /// # Errors
    /// The error of the archive.
    pub(super) fn filter(self, reading: &ReadTx<'_>) -> Result<Option<Filter>, StoreError> {
        if self.wordless {
            return Ok(None);
        }
        let mut filter = self.filter;
        if let Some(text) = &self.player {
            let Some(player) = reading.find_player(text)? else { return Ok(None) };
            filter.player = Some(player.root());
        }
        if let Some(text) = &self.event {
            let Some(event) = reading.find_event(text)? else { return Ok(None) };
            filter.event = Some(event.number);
        }
        Ok(Some(filter))
    }
}
