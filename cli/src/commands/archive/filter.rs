//! The filters of `quipu archive list` and `quipu archive export`, which are those of lists over HTTP with one value each.

use clap::ArgMatches;
use quipu_archive::{
    model::RecordState,
    store::{Filter, ReadTx, Store, StoreError, TextFilter},
};
use quipu_notation::record::Outcome;
use quipu_referee::Status;

use super::{day, failure};
use crate::{
    args::text,
    context::{CommandError, Context},
};

/// The filter that the options set. Without `--state` only current records match.
pub(super) fn filter(context: Context, matches: &ArgMatches, store: &Store) -> Result<Filter, CommandError> {
    let said = |name: &'static str| text(matches, name);
    let words = said("text").map(|found| {
        let wrong = || CommandError::Usage(context.fill("archive.export.bad-text", &[("found", &found)]));
        TextFilter::new(found).ok_or_else(wrong)
    });
    let ask = |find: &dyn Fn(&ReadTx<'_>) -> Result<Option<i64>, StoreError>| {
        store.read(find).map_err(|error| failure(context, &error))
    };
    let player = said("player").map(|name| {
        ask(&|reading| Ok(reading.find_player(name)?.map(|player| player.root())))?
            .ok_or_else(|| CommandError::Usage(context.fill("archive.export.no-player", &[("name", &name)])))
    });
    let event = said("event").map(|name| {
        ask(&|reading| Ok(reading.find_event(name)?.map(|event| event.number)))?
            .ok_or_else(|| CommandError::Usage(context.fill("archive.export.no-event", &[("name", &name)])))
    });
    let state = matches.try_get_one::<String>("state").ok().flatten();
    let one = |name: &'static str| said(name).map(str::to_owned).into_iter().collect();
    let status = |name: &str| Status::ALL.into_iter().find(|status| status.as_str() == name);
    Ok(Filter {
        records: None,
        games: one("game"),
        player: player.transpose()?,
        against: None,
        event: event.transpose()?,
        round: said("round").map(str::to_owned),
        results: said("result").and_then(Outcome::parse).into_iter().collect(),
        terminations: one("termination"),
        statuses: said("status").and_then(status).into_iter().collect(),
        states: state.map_or(Some(RecordState::Current), |name| RecordState::parse(name)).into_iter().collect(),
        from: day(context, matches, "after")?,
        to: day(context, matches, "before")?,
        text: words.transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::STATES;

    #[test]
    fn every_state_can_be_chosen() {
        assert_eq!(STATES[..RecordState::ALL.len()], RecordState::ALL.map(RecordState::as_str));
        assert_eq!(
            STATES[RecordState::ALL.len()..].iter().filter(|name| RecordState::parse(name).is_some()).count(),
            0
        );
    }
}
