//! Filters of changes: from the parameters of a request to a filter of the archive.

use quipu_archive::{
    model::Number,
    store::{ChangeFilter, ReadTx, StoreError},
};

use super::shared::OF_TOURNAMENT;
use crate::{
    problem::{self, Problem},
    request::RequestContext,
};

/// Most events or players in a filter.
const MAX_VALUES: usize = 20;

/// The filters of a request. Events and players are looked up when they are needed: a name may come with a later change, and a
/// player may be merged.
pub(super) struct ChangeQuery {
    games: Option<Vec<String>>,
    events: Option<NameOrNumbers>,
    players: Option<NameOrNumbers>,
    tournament: Option<Number>,
}

/// Events or players.
enum NameOrNumbers {
    Name(String),
    Numbers(Vec<i64>),
}

impl NameOrNumbers {
    /// The values of a parameter: numbers, separated by commas, or else one name.
    fn of(context: &RequestContext, name: &'static str) -> Result<Option<Self>, Problem> {
        let Some(text) = context.text(name) else { return Ok(None) };
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let numbers: Option<Vec<i64>> = text.split(',').map(number).collect();
        let Some(numbers) = numbers else { return Ok(Some(Self::Name(text.to_owned()))) };
        if numbers.len() > MAX_VALUES {
            let problem = Problem::variant(problem::PARAMETER, "many-values");
            return Err(problem.with("name", name).with_quoted("found", text).with("max", MAX_VALUES));
        }
        Ok(Some(Self::Numbers(numbers)))
    }

    /// The numbers; `find` looks up a number or a name.
    fn numbers(&self, find: impl Fn(&str) -> Result<Option<i64>, StoreError>) -> Result<Vec<i64>, StoreError> {
        match self {
            Self::Name(name) => Ok(find(name)?.into_iter().collect()),
            Self::Numbers(numbers) => {
                numbers.iter().filter_map(|number| find(&number.to_string()).transpose()).collect()
            }
        }
    }
}

impl ChangeQuery {
    /// The filters of a request.
    ///
    /// # Errors
    /// `api.parameter` if there are too many values.
    pub(super) fn of(context: &RequestContext) -> Result<Self, Problem> {
        let games = context.text("game").map(|games| games.split(',').map(str::to_owned).collect());
        let (events, players) = (NameOrNumbers::of(context, "event")?, NameOrNumbers::of(context, "player")?);
        Ok(Self { games, events, players, tournament: context.number(OF_TOURNAMENT.name) })
    }

    /// True if all changes match.
    pub(super) fn is_all(&self) -> bool {
        self.games.is_none() && self.events.is_none() && self.players.is_none() && self.tournament.is_none()
    }

    /// The filter of the archive.
    ///
    /// # Errors
    /// The error of the archive.
    pub(super) fn filter(&self, reading: &ReadTx<'_>) -> Result<ChangeFilter, StoreError> {
        let event = |text: &str| Ok(reading.find_event(text)?.map(|event| event.number));
        let player = |text: &str| Ok(reading.find_player(text)?.map(|player| player.root()));
        Ok(ChangeFilter {
            games: self.games.clone(),
            events: self.events.as_ref().map(|events| events.numbers(event)).transpose()?,
            players: self.players.as_ref().map(|players| players.numbers(player)).transpose()?,
            tournament: self.tournament,
        })
    }
}
