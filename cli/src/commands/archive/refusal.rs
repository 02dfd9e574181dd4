//! Refused decisions and queries about the archive: the message and the exit status.

use quipu_archive::store::Refusal;
use quipu_referee::report::hex;
use quipu_tournament::messages::catalog;

use super::failure;
use crate::context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr};

/// The refusal of a change; `found` is the subject of its message. A record, a change or a player that does not exist is an
/// error of the command line.
pub(in crate::commands) fn refused(context: Context, found: &str, refusal: Refusal) -> CommandResult {
    let found = harmless(found);
    let of = |key: &str| context.fill(key, &[("found", &found)]);
    let said = match refusal {
        Refusal::Store(error) => return Err(failure(context, &error)),
        Refusal::NoRecord => return Err(CommandError::Usage(of("archive.refused.no-record"))),
        Refusal::NoChange => return Err(CommandError::Usage(of("archive.refused.no-change"))),
        Refusal::NoPlayer(name) => {
            let said = context.fill("archive.refused.no-player", &[("found", &harmless(&name))]);
            return Err(CommandError::Usage(said));
        }
        Refusal::NotCurrent(_) => of("archive.refused.retracted"),
        Refusal::SameRecord => of("archive.refused.same"),
        Refusal::AlreadyStored(_) => of("archive.refused.there"),
        Refusal::NotVerified => of("archive.refused.not-verified"),
        Refusal::SamePlayer => of("archive.refused.same-player"),
        Refusal::AlreadyMerged(name, by) => {
            context.fill("archive.refused.merged", &[("found", &harmless(&name)), ("by", &harmless(&by))])
        }
        Refusal::NotUndoable(_) => of("archive.refused.lasting"),
        Refusal::AlreadyUndone(by) => context.fill("archive.refused.undone", &[("found", &found), ("by", &by)]),
        Refusal::HasLaterChange => of("archive.refused.since"),
        Refusal::NoTournament => return Err(CommandError::Usage(of("archive.refused.no-tournament"))),
        Refusal::TournamentExists(number) => {
            context.fill("archive.refused.tournament-exists", &[("found", &found), ("number", &number)])
        }
        Refusal::Tournament(fault) => harmless(&catalog().fault(&fault, context.lang)),
        Refusal::BreaksLaterChange(by, fault) => {
            let why = harmless(&catalog().fault(&fault, context.lang));
            context.fill("archive.refused.dependent", &[("by", &by), ("why", &why)])
        }
        Refusal::HasRecord { record, .. } => context.fill("archive.refused.has-record", &[("id", &hex(&record))]),
        Refusal::NoReason => {
            return Err(CommandError::Usage(context.fill("usage.missing", &[("argument", &"--reason")])));
        }
        Refusal::ChangeTooLong(most) => context.fill("archive.refused.long-change", &[("max", &most)]),
    };
    Ok(refuse(context, &said))
}

/// Prints the reason of a refusal.
pub(in crate::commands) fn refuse(context: Context, said: &str) -> ExitStatus {
    print_to_stderr(context.fill("error", &[("what", &said)]));
    ExitStatus::Faults
}
