//! `quipu tournament tie-breaks`: another order of tie-breaks, recorded with its reason.

use clap::ArgMatches;
use quipu_tournament::{model::Change, standings::TournamentTieBreak};

use super::{by, change, remark, standings};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, harmless},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let step = Change::TieBreaks { order: order(context, text(matches, "order").unwrap_or_default())? };
    let by = by(context, matches, "tie-breaks", step.needs_reason())?;
    let steps = move |_: &_| Ok(vec![step.clone()]);
    change(context, matches, by, steps, |stored| {
        remark(context, stored.tournament.settings.system.remark(&stored.tournament.tie_breaks).as_slice());
        standings::print_text(context, stored)
    })
}

/// The tie-breaks of a list of names.
pub(super) fn order(context: Context, list: &str) -> Result<Vec<TournamentTieBreak>, CommandError> {
    let parse = |name: &str| {
        let known = || TournamentTieBreak::ALL.map(TournamentTieBreak::as_str).join(", ");
        TournamentTieBreak::parse(name).ok_or_else(|| {
            CommandError::Usage(context.fill("standings.unknown", &[("name", &harmless(name)), ("known", &known())]))
        })
    };
    list.split(',').map(str::trim).map(parse).collect()
}
