//! `quipu tournament`: tournaments of an archive, from the entry list to the final standings.

use clap::ArgMatches;
use quipu_archive::{
    model::{Attribution, Number},
    store::{Refusal, Store, StoreError, StoredTournament, WriteTx},
};
use quipu_referee::competition::likely;
use quipu_tournament::{
    fault::{self, Fault},
    messages::catalog,
    model::{Change, PlayerId},
};

use super::archive::{
    self, decide, failure, open_store,
    refusal::{refuse, refused},
};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
};

pub(super) mod boards;
mod explain;
mod explain_pairing;
pub(super) mod export;
pub(super) mod history;
pub(super) mod import;
pub(super) mod list;
pub(super) mod new;
pub(super) mod pair;
pub(super) mod players;
pub(super) mod rate;
pub(super) mod result;
pub(super) mod rounds;
#[cfg(feature = "draw")]
pub(super) mod sheets;
pub(super) mod standings;
pub(super) mod tie_breaks;
pub(super) mod time;
pub(super) mod undo;
pub(super) mod what_if;

/// Commands that resolve a fault: the message has the facts of the fault, and `{number}`.
const HINTS: [(&fault::Code, &str); 9] = [
    (fault::RESULTS_MISSING, "tournament.hint.results-missing"),
    (fault::ROUND_OPEN, "tournament.hint.round-open"),
    (fault::ROUND_PAIRED, "tournament.hint.round-paired"),
    (fault::ROUND_CLOSED, "tournament.hint.round-closed"),
    (fault::ROUND_NOT_PAIRED, "tournament.hint.round-not-paired"),
    (fault::TOO_FEW, "tournament.hint.too-few"),
    (fault::BY_HAND, "tournament.hint.by-hand"),
    (fault::NO_ROUND, "tournament.hint.no-round"),
    (fault::NO_PAIRING, "tournament.hint.no-pairing"),
];

/// The reason why a tournament is not changed.
enum NotDone {
    /// The archive refuses the change.
    Refused(Refusal),
    /// The tournament refuses it, for these reasons.
    Faults(Vec<Fault>),
    /// It contradicts the present state: the key of the message and its facts.
    Conflict(&'static str, Vec<(&'static str, String)>),
    /// The command line names something that is not there: the key of the message and its facts.
    Unknown(&'static str, Vec<(&'static str, String)>),
}

impl From<Refusal> for NotDone {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for NotDone {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Fault> for NotDone {
    fn from(fault: Fault) -> Self {
        Self::Faults(vec![fault])
    }
}

impl NotDone {
    /// Prints the reason, and the command that leads on.
    fn tell(self, context: Context, number: Number) -> CommandResult {
        let fill = |key: &str, facts: &[(&'static str, String)]| {
            let facts: Vec<_> = facts.iter().map(|(name, value)| (*name, harmless(value))).collect();
            let facts: Vec<_> = facts.iter().map(|(name, value)| (*name, value as &dyn std::fmt::Display)).collect();
            context.fill(key, &facts)
        };
        match self {
            Self::Refused(Refusal::Tournament(fault)) => Self::Faults(vec![*fault]).tell(context, number),
            Self::Refused(refusal) => refused(context, &number.to_string(), refusal),
            Self::Faults(faults) => {
                for fault in &faults {
                    refuse(context, &catalog().fault(fault, context.lang));
                }
                for fault in faults {
                    if let Some((_, key)) = HINTS.into_iter().find(|(code, _)| *code == fault.code) {
                        print_to_stderr(fill(key, &[fault.facts, vec![("number", number.to_string())]].concat()));
                    }
                }
                Ok(ExitStatus::Faults)
            }
            Self::Conflict(key, facts) => Ok(refuse(context, &fill(key, &facts))),
            Self::Unknown(key, facts) => Err(CommandError::Usage(fill(key, &facts))),
        }
    }
}

/// The number of the tournament on the command line.
fn number(matches: &ArgMatches) -> Number {
    let asked: u64 = *matches.get_one("tournament").expect("the parser asks for it");
    Number::try_from(asked).unwrap_or(Number::MAX)
}

/// Author and reason of a change; a reason is required where a decision is taken back.
fn by(context: Context, matches: &ArgMatches, command: &str, needs_reason: bool) -> Result<Attribution, CommandError> {
    let command = format!("tournament {command}");
    if needs_reason || text(matches, "reason").is_some() {
        return decide::by(context, matches, &command);
    }
    Ok(archive::by(matches, &command))
}

fn read(context: Context, matches: &ArgMatches) -> Result<StoredTournament, CommandError> {
    read_from(context, &open_store(context, matches)?, number(matches))
}

fn read_from(context: Context, store: &Store, number: Number) -> Result<StoredTournament, CommandError> {
    let found =
        store.read(|reading| reading.tournament(number)).map_err(|error: StoreError| failure(context, &error))?;
    let none = || CommandError::Usage(context.fill("archive.refused.no-tournament", &[("found", &number)]));
    found.ok_or_else(none)
}

/// Changes the tournament of a command, and shows it.
fn change(
    context: Context,
    matches: &ArgMatches,
    by: Attribution,
    steps: impl Fn(&StoredTournament) -> Result<Vec<Change>, NotDone> + Send + 'static,
    show: impl FnOnce(&StoredTournament) -> CommandResult,
) -> CommandResult {
    let (store, number) = (open_store(context, matches)?, number(matches));
    let changed = store.write(move |writing: &WriteTx<'_>| writing.change_tournament(number, &by, &steps)).wait();
    match changed {
        Ok(_) => show(&read_from(context, &store, number)?),
        Err(reason) => reason.tell(context, number),
    }
}

/// A player by name or number.
fn player(stored: &StoredTournament, wanted: &str) -> Result<PlayerId, NotDone> {
    let tournament = &stored.tournament;
    let wanted = wanted.trim();
    let mut named = tournament.ids().filter(|id| tournament.name(*id) == wanted);
    if let Some(id) = named.next() {
        return Ok(id);
    }
    if let Some(id) = wanted.parse().ok().map(PlayerId).filter(|id| tournament.entrant(*id).is_some()) {
        return Ok(id);
    }
    let entered = tournament.entrants.iter().map(|entrant| entrant.player.name.as_str());
    let near = likely(wanted, entered).join(", ");
    let facts = vec![("found", wanted.to_owned()), ("likely", near)];
    let key = if facts[1].1.is_empty() { "tournament.no-player" } else { "tournament.other-player" };
    Err(NotDone::Unknown(key, facts))
}

/// Two players as `A:B`, by names or numbers. A name may have colons itself.
fn pair_of(stored: &StoredTournament, text: &str) -> Result<[PlayerId; 2], NotDone> {
    let mut reason = NotDone::Unknown("tournament.bad-pair", vec![("found", text.to_owned())]);
    for (index, (colon, _)) in text.match_indices(':').enumerate() {
        match player(stored, &text[..colon]).and_then(|one| Ok([one, player(stored, &text[colon + 1..])?])) {
            Ok(pair) => return Ok(pair),
            Err(first) if index == 0 => reason = first,
            Err(_) => {}
        }
    }
    Err(reason)
}

/// The texts of a repeatable option.
fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}

/// The round of `--round`, or the last paired one.
fn round_of(stored: &StoredTournament, asked: Option<u32>) -> Result<u32, Fault> {
    let round = asked.unwrap_or_else(|| stored.tournament.next_round() - 1);
    let is_paired = stored.tournament.round(round).is_some();
    is_paired.then_some(round).ok_or_else(|| Fault::new(fault::ROUND_NOT_PAIRED).with("round", round.max(1)))
}

/// Remarks on standard error.
fn remark(context: Context, faults: &[Fault]) {
    for fault in faults {
        print_to_stderr(catalog().fault(fault, context.lang));
    }
}
