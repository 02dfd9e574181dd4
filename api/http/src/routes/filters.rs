//! What lists of records are narrowed by: from the parameters of a request to a filter of the archive.

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

/// Different words that are looked for at once, at the most: each is a question of its own to the index.
const MAX_WORDS: usize = 8;

/// What was asked for.
pub(super) struct Asked {
    filter: Filter,
    /// The player and the event, each by its number or its name.
    player: Option<String>,
    event: Option<String>,
    /// A text was asked for that has no word in it, and so is in no record.
    wordless: bool,
}

impl Asked {
    /// What a request asks for. Where it does not say, records that do not stand are left out.
    ///
    /// # Errors
    /// If it looks for too many words.
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

    /// Whether the list is ordered by the days that games were played on.
    pub(super) fn is_by_date(&self) -> bool {
        self.filter.is_by_date()
    }

    /// Whether one index leads to all that is asked for, so that the answer takes no time worth speaking of.
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
        round.is_none() && text.is_none() && indexed.into_iter().filter(|&asked| asked).count() < 2
    }

    /// The filter of the archive; nothing if no record can pass it.
    ///
    /// # Errors
    /// If the archive fails.
    pub(super) fn filter(self, reading: &ReadTx<'_>) -> Result<Option<Filter>, StoreError> {
        if self.wordless {
            return Ok(None);
        }
        let mut filter = self.filter;
        if let Some(text) = &self.player {
            let Some(player) = player(reading, text)? else { return Ok(None) };
            filter.player = Some(player);
        }
        if let Some(text) = &self.event {
            let Some(event) = event(reading, text)? else { return Ok(None) };
            filter.event = Some(event);
        }
        Ok(Some(filter))
    }
}

/// The player of a number or a name; of a name that is merged into another, that player.
fn player(reading: &ReadTx<'_>, text: &str) -> Result<Option<i64>, StoreError> {
    let by_number = number(text).map(|number| reading.player(number)).transpose()?.flatten();
    let found = by_number.map_or_else(|| reading.player_named(text), |person| Ok(Some(person)))?;
    Ok(found.map(|person| person.counts_as.map_or(person.number, |(number, _)| number)))
}

/// The event of a number or a name.
fn event(reading: &ReadTx<'_>, text: &str) -> Result<Option<i64>, StoreError> {
    let by_number = number(text).map(|number| reading.event(number)).transpose()?.flatten();
    let found = by_number.map_or_else(|| reading.event_named(text), |event| Ok(Some(event)))?;
    Ok(found.map(|event| event.number))
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}
