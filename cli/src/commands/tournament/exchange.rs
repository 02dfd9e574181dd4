//! `quipu tournament import`: report files of FIDE.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_archive::{
    report::CreatedReport,
    store::{Refusal, WriteTx},
};
use quipu_referee::report;
use quipu_tournament::{
    exchange::trf,
    model::{Change, Settings},
};

use super::{NotDone, by, new, remark};
use crate::{
    args::text,
    commands::archive::{open_or_create_store, refusal::refused},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, stdout},
    input,
};

pub(crate) fn import(context: Context, matches: &ArgMatches) -> CommandResult {
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
    let name = text(matches, "name").map_or(settings.name.clone(), str::to_owned);
    if name.trim().is_empty() {
        return Err(CommandError::Usage(context.fill("tournament.import.no-name", &[("file", &shown)])));
    }
    let settings = Settings { name: name.clone(), ..settings };
    let by = by(context, matches, "import", false)?;
    let store = open_or_create_store(context, matches)?;
    let create = move |writing: &WriteTx<'_>| writing.create_tournament(game, settings.clone(), steps.clone(), &by);
    let tournament = match store.write(create).wait() {
        Ok(number) => number,
        Err(refusal @ Refusal::Tournament(_)) => return NotDone::from(refusal).tell(context, 0),
        Err(refusal) => return refused(context, &name, refusal),
    };
    remark(context, &unused);
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&CreatedReport { tournament }, &mut out)?;
    } else {
        let name = harmless(&name);
        writeln!(out, "{}", context.fill("tournament.new.done", &[("number", &tournament), ("name", &name)]))?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}
