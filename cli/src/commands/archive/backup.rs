//! `quipu archive backup`: a copy of the archive while it is in use.

use std::{ffi::OsString, io::Write, path::Path};

use clap::ArgMatches;
use quipu_archive::store::{BackupSummary, StoreError};
use quipu_files::ArchiveFile;

use super::{Bar, failure};
use crate::{
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, stdout},
    output,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let path: &Path = matches.get_one::<OsString>("file").expect("the parser asks for it").as_ref();
    let settings = super::settings(context, matches)?;
    let folder = settings.data.clone();
    let file = harmless(&path.display().to_string());
    match ArchiveFile::at(path, Some(&folder)).map_err(|error| output::failure(context, path, &error))? {
        None | Some(ArchiveFile::Copy) => {}
        Some(part) => return Err(output::of_archive(context, path, part)),
    }
    let store = super::open(context, &settings)?;
    match path.symlink_metadata() {
        Ok(_) if !matches.get_flag("force") => {
            return Err(CommandError::Usage(context.fill("archive.backup.there", &[("file", &file)])));
        }
        // Neither a file nor a link, such as a pipe: reading it might never end.
        Ok(about) if !about.is_file() && !about.is_symlink() => {
            return Err(failure(context, &StoreError::Foreign(path.to_owned())));
        }
        _ => {}
    }
    let bar = Bar::new(context);
    let copied = store.backup(path, |progress| bar.show(progress)).map_err(|error| match error {
        // The archive is open, so the failing file is the copy, or a folder of it.
        StoreError::File(_, error) => output::failure(context, path, &error),
        error => failure(context, &error),
    })?;
    bar.end();
    let BackupSummary { last, records, bytes } = copied;
    let mut out = stdout();
    let line = context
        .fill("archive.backup.done", &[("file", &file), ("bytes", &bytes), ("records", &records), ("last", &last)]);
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}
