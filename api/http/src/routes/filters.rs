//! Filters of lists of records: from the parameters of a request to a filter of the archive.

use quipu_notation::record::Outcome;
use quipu_referee::Status;

use crate::{
    problem::{self, Problem},
    request::RequestContext,
};
use quipu_archive::{
    model::{Id, RecordState},
    store::{Filter, ReadTx, RecordOrder, StoreError, TextFilter},
};

/// Most different words in a search: each is a query of the index.
const MAX_WORDS: usize = 8;

/// The filters of a request, and the order of its list.
pub(super) struct RecordQuery {
    filter: Filter,
    /// The ids of the only records, if they are named.
    ids: Option<Vec<Id>>,
    /// The player, the opponent and the event, each by number or by name.
    pub(super) player: Option<String>,
    pub(super) against: Option<String>,
    event: Option<String>,
    order: RecordOrder,
    /// True for a search text without any word, which no record matches.
    wordless: bool,
}

impl RecordQuery {
    /// The filters of a request. By default only current records match, and named ones whatever their state.
    ///
    /// # Errors
    /// `api.parameter` if there are too many words, or parameters that do not go together.
    pub(super) fn of(context: &RequestContext) -> Result<Self, Problem> {
        if context.text("against").is_some() && context.text("player").is_none() {
            let problem = Problem::variant(problem::PARAMETER, "needs");
            return Err(problem.with("name", "against").with("other", "player"));
        }
        Self::of_form(context)
    }

    /// The filters of a form, in which an opponent alone is the player.
    ///
    /// # Errors
    /// As [`RecordQuery::of`].
    pub(super) fn of_form(context: &RequestContext) -> Result<Self, Problem> {
        let text = |name: &str| context.text(name).map(str::to_owned);
        let ids = if context.declares("ids") { context.ids("ids") } else { None };
        if context.text("q").is_some_and(|text| TextFilter::count(text) > MAX_WORDS) {
            return Err(Problem::variant(problem::PARAMETER, "words").with("name", "q").with("max", MAX_WORDS));
        }
        if ids.is_some() && context.text("q").is_some() {
            return Err(Problem::variant(problem::PARAMETER, "together").with("name", "ids").with("other", "q"));
        }
        let words = context.text("q").map(TextFilter::new);
        let parse_status = |name: &str| Status::ALL.into_iter().find(|status| status.as_str() == name);
        let states = match context.text("state") {
            Some(names) if names.split(',').any(|name| name == "all") => Vec::new(),
            Some(names) => names.split(',').filter_map(RecordState::parse).collect(),
            None if ids.is_some() => Vec::new(),
            None => vec![RecordState::Current],
        };
        let filter = Filter {
            games: values(context, "game", |name| Some(name.to_owned())),
            round: text("round"),
            results: values(context, "result", Outcome::parse),
            terminations: values(context, "termination", |name| Some(name.to_owned())),
            statuses: values(context, "status", parse_status),
            states,
            from: context.date("from"),
            to: context.date("to"),
            text: words.clone().flatten(),
            ..Filter::default()
        };
        let order = if context.declares("sort") { context.text("sort").and_then(RecordOrder::parse) } else { None };
        let mut players = ["player", "against"].into_iter().filter_map(text);
        Ok(Self {
            wordless: words == Some(None),
            order: order.unwrap_or_else(|| filter.order()),
            filter,
            ids,
            player: players.next(),
            against: players.next(),
            event: text("event"),
        })
    }

    /// The order of the list.
    pub(super) fn order(&self) -> RecordOrder {
        self.order
    }

    /// True if one index answers the filters, so that the query takes no noticeable time.
    pub(super) fn is_quick(&self) -> bool {
        let filter = Filter {
            records: self.ids.as_ref().map(|_| Vec::new()),
            player: self.player.as_ref().map(|_| 0),
            event: self.event.as_ref().map(|_| 0),
            ..self.filter.clone()
        };
        filter.is_quick(self.order)
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
        if let Some(ids) = &self.ids {
            let found = ids.iter().map(|id| Ok(reading.find(id)?.map(|(number, _)| number)));
            filter.records = Some(found.filter_map(Result::transpose).collect::<Result<_, StoreError>>()?);
        }
        for (text, found) in [(&self.player, &mut filter.player), (&self.against, &mut filter.against)] {
            if let Some(text) = text {
                let Some(player) = reading.find_player(text)? else { return Ok(None) };
                *found = Some(player.root());
            }
        }
        if let Some(text) = &self.event {
            let Some(event) = reading.find_event(text)? else { return Ok(None) };
            filter.event = Some(event.number);
        }
        Ok(Some(filter))
    }
}

/// The values of a parameter that has several, separated by commas.
fn values<T>(context: &RequestContext, name: &str, parse: impl Fn(&str) -> Option<T>) -> Vec<T> {
    context.text(name).into_iter().flat_map(|names| names.split(',')).filter_map(parse).collect()
}
