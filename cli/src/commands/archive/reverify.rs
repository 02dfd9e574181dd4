//! `quipu archive reverify`: judges stored records again and reports every verdict that changes.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::store::ChangedVerdict;
use quipu_referee::report::hex;

use super::{Bar, failure, in_short, players};
use crate::context::{CommandResult, Context, ExitStatus, print_to_stderr, stdout};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = super::open_store(context, matches)?;
    let (all, dry) = (matches.get_flag("all"), matches.get_flag("dry-run"));
    let (mut out, mut told, bar) = (stdout(), Ok(()), Bar::new(context));
    let mut tell = |changed: ChangedVerdict| -> io::Result<()> {
        let [before, after] = [&changed.before, &changed.after].map(|judgement| in_short(context, judgement));
        let (id, players) = (hex(&changed.card.id), players(&changed.card));
        bar.suspend(|| writeln!(out, "{id}  {players}  {before} → {after}"))
    };
    // A reader that stops early must not stop the judging.
    let seen = |changed| told = std::mem::replace(&mut told, Ok(())).and_then(|()| tell(changed));
    let by = super::by(matches, "archive reverify");
    let done = store.reverify(all, dry, &by, |progress| bar.show(progress), seen);
    let done = done.map_err(|error| failure(context, &error))?;
    bar.end();
    told?;
    out.flush()?;
    print_to_stderr(context.fill("archive.reverify.summary", &[("judged", &done.judged), ("changed", &done.changed)]));
    if dry && done.changed > 0 {
        print_to_stderr(context.say("archive.reverify.dry"));
    }
    Ok(ExitStatus::Clean)
}
