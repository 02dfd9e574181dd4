//! `quipu archive rotate-key`: replaces the key that signs receipts.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::receipts::Hex;

use super::failure;
use crate::context::{CommandResult, Context, ExitStatus, print_to_stderr, stdout};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = super::open_store(context, matches)?;
    // A running service would go on signing with the old key.
    let _lock = store.serve_lock().map_err(|error| failure(context, &error))?;
    let public = if matches.get_flag("lost") { store.reset_key() } else { store.rotate() };
    let public = public.map_err(|error| failure(context, &error))?;
    let mut out = stdout();
    writeln!(out, "{}", Hex(public.bytes()))?;
    out.flush()?;
    print_to_stderr(context.fill("archive.rotate-key.done", &[("key", &Hex(public.id()))]));
    Ok(ExitStatus::Clean)
}
