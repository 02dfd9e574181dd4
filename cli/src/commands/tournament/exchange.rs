//! `quipu tournament export` and `import`: report files of FIDE.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_archive::model::Creation;
use quipu_tournament::{
    exchange::trf::{self, Edition},
    model::{Change, Settings},
};

use super::{NotDone, by, new, read, remark};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless},
    input,
    output::{self, Output},
};

pub(crate) fn export(context: Context, matches: &ArgMatches) -> CommandResult {
    let edition = match text(matches, "to") {
        Some("trf16") => Edition::Trf16,
        _ => Edition::Trf26,
    };
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, true)?;
    let stored = read(context, matches)?;
    let (file, left_out) = trf::write(&stored.tournament, edition);
    out.write_all(file.as_bytes()).map_err(&failed)?;
    out.finish().map_err(&failed)?;
    remark(context, &left_out);
    Ok(ExitStatus::Clean)
}

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
    let name = text(matches, "name").map_or_else(|| settings.name.clone(), str::to_owned);
    if name.trim().is_empty() {
        return Err(CommandError::Usage(context.fill("tournament.import.no-name", &[("file", &shown)])));
    }
    let by = by(context, matches, "import", false)?;
    let creation = match Creation::new(game, Settings { name, ..settings }, steps) {
        Ok(creation) => creation,
        Err(fault) => return NotDone::from(fault).tell(context, 0),
    };
    let status = new::create(context, matches, creation, by)?;
    if status == ExitStatus::Clean {
        remark(context, &unused);
    }
    Ok(status)
}
