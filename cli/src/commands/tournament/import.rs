//! `quipu tournament import`: report files of FIDE.

use std::ffi::OsString;

use clap::ArgMatches;
use quipu_archive::model::Creation;
use quipu_tournament::{
    exchange::trf,
    model::{Change, TournamentSettings},
};

use super::{NotDone, by, new, remark};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless},
    input,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let game = new::game(context, matches)?;
    let path: &OsString = matches.get_one("file").expect("the parser asks for it");
    let shown = harmless(&path.to_string_lossy());
    let file = input::text(context, path.as_ref())?;
    let (mut steps, unused) = match trf::read(&file) {
        Ok(read) => read,
        Err(fault) => return NotDone::from(fault).tell(context, 0),
    };
    let Change::Create { settings } = steps.remove(0) else {
        return Err(CommandError::Failed(context.fill("tournament.import.nothing", &[("file", &shown)])));
    };
    let name = text(matches, "name").map_or_else(|| settings.name.clone(), str::to_owned);
    if name.trim().is_empty() {
        return Err(CommandError::Usage(context.fill("tournament.import.no-name", &[("file", &shown)])));
    }
    let by = by(context, matches, "import", false)?;
    let creation = match Creation::new(game, TournamentSettings { name, ..settings }, steps) {
        Ok(creation) => creation,
        Err(fault) => return NotDone::from(fault).tell(context, 0),
    };
    let status = new::create(context, matches, creation, by)?;
    if status == ExitStatus::Clean {
        remark(context, &unused);
    }
    Ok(status)
}
