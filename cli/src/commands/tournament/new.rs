//! `quipu tournament new`: creates a tournament.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{
    model::{Attribution, Creation},
    report::CreatedReport,
    store::WriteTx,
};
use quipu_notation::{Side, games};
use quipu_referee::report;
use quipu_tournament::model::{Bye, Encounter, System, TournamentSettings};

use super::{NotDone, by, remark, tie_breaks};
use crate::{
    args::{number, text},
    commands::archive::{open_or_create_store, refusal::refused},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let game = game(context, matches)?;
    let settings = settings(context, matches)?;
    let by = by(context, matches, "new", false)?;
    match Creation::new(game, settings, Vec::new()) {
        Ok(creation) => create(context, matches, creation, by),
        Err(fault) => NotDone::from(fault).tell(context, 0),
    }
}

/// Creates a tournament and says its number.
pub(super) fn create(context: Context, matches: &ArgMatches, creation: Creation, by: Attribution) -> CommandResult {
    let store = open_or_create_store(context, matches)?;
    let (name, remarks) = (creation.name().to_owned(), creation.remark().cloned());
    let create = move |writing: &WriteTx<'_>| writing.create_tournament(&creation, &by);
    let tournament = match store.write(create).wait() {
        Ok(number) => number,
        Err(refusal) => return refused(context, &name, refusal),
    };
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&CreatedReport { tournament }, &mut out)?;
    } else {
        let name = harmless(&name);
        writeln!(out, "{}", context.fill("tournament.new.done", &[("number", &tournament), ("name", &name)]))?;
    }
    out.flush()?;
    remark(context, remarks.as_slice());
    Ok(ExitStatus::Clean)
}

/// The game, which is required.
pub(super) fn game(
    context: Context,
    matches: &ArgMatches,
) -> Result<&'static quipu_notation::games::GameNotation, CommandError> {
    text(matches, "game").and_then(games::find).ok_or_else(|| missing(context, "--game"))
}

fn missing(context: Context, argument: &str) -> CommandError {
    CommandError::Usage(context.fill("usage.missing", &[("argument", &argument)]))
}

fn settings(context: Context, matches: &ArgMatches) -> Result<TournamentSettings, CommandError> {
    let name = text(matches, "name").unwrap_or_default().trim().to_owned();
    if name.is_empty() {
        return Err(missing(context, "NAME"));
    }
    let system = system(context, matches)?;
    let is_fixed = matches!(system, System::RoundRobin { .. } | System::Knockout { .. });
    let rounds = number(matches, "rounds").or(is_fixed.then_some(1)).ok_or_else(|| missing(context, "--rounds"))?;
    let tie_breaks = text(matches, "tie-breaks").map(|list| tie_breaks::order(context, list)).transpose()?;
    let encounter = encounter(context, text(matches, "encounter").unwrap_or("single"))?;
    Ok(TournamentSettings {
        name,
        system,
        rounds,
        encounter,
        seed: matches.get_one("seed").copied().unwrap_or_default(),
        first_side: text(matches, "first-side").map(|side| if side == "1" { Side::One } else { Side::Two }),
        bye: text(matches, "bye").and_then(bye).unwrap_or(Bye::Full),
        time_control: number(matches, "time"),
        tie_breaks: tie_breaks.unwrap_or_else(|| system.usual_tie_breaks(encounter)),
    })
}

/// The system with its variant. A variant of another system is an error, not ignored.
fn system(context: Context, matches: &ArgMatches) -> Result<System, CommandError> {
    let name = text(matches, "system").ok_or_else(|| missing(context, "--system"))?;
    let variants = [("accelerated", "swiss"), ("double", "round-robin"), ("third-place", "knockout")];
    if let Some((flag, of)) = variants.into_iter().find(|(flag, of)| matches.get_flag(flag) && *of != name) {
        let option = format!("--{flag}");
        return Err(CommandError::Usage(
            context.fill("tournament.new.variant", &[("option", &option), ("system", &of)]),
        ));
    }
    Ok(match name {
        "swiss" => System::Swiss { accelerated: matches.get_flag("accelerated") },
        "round-robin" => System::RoundRobin { double: matches.get_flag("double") },
        "knockout" => System::Knockout { third_place: matches.get_flag("third-place") },
        _ => System::Manual,
    })
}

/// `single`, `two-legs`, or a number of games.
fn encounter(context: Context, text: &str) -> Result<Encounter, CommandError> {
    match (text, text.parse()) {
        ("single", _) | (_, Ok(1)) => Ok(Encounter::Single),
        ("two-legs", _) => Ok(Encounter::TwoLegs),
        (_, Ok(count)) => Ok(Encounter::Games { count }),
        _ => Err(CommandError::Usage(context.fill("tournament.new.bad-encounter", &[("found", &harmless(text))]))),
    }
}

/// The points of a bye.
pub(super) fn bye(name: &str) -> Option<Bye> {
    [("full", Bye::Full), ("half", Bye::Half), ("zero", Bye::Zero)]
        .into_iter()
        .find_map(|(known, bye)| (known == name).then_some(bye))
}
