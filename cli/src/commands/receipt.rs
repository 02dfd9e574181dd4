//! `quipu receipt`: checks a receipt, or the growth of a receipt log, offline: only the documents and a key are needed.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
};

use clap::ArgMatches;
use quipu_archive::{
    model::Submission,
    receipts::{Comparison, Consistency, Flaw, Hex, Keys, PublicKey, Receipt, SignedHead, TrustedKeys},
};
use quipu_referee::{Status, report::hex};

use super::archive::in_short;
use crate::{
    args::reading,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
    input::{self, InputSource},
};

/// Bytes of a receipt, a key or a list of keys, at most.
const MAX_FILE: u64 = 16 << 20;

pub(super) fn check(context: Context, matches: &ArgMatches) -> CommandResult {
    let file: &OsString = matches.get_one("file").expect("the parser asks for it");
    let trusted = match trusted(context, matches)? {
        Ok(trusted) => trusted,
        Err(line) => return Ok(refused(line)),
    };
    let receipt: Receipt = match serde_json::from_str(&read(context, file)?) {
        Ok(receipt) => receipt,
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            return Ok(refused(
                context.fill("receipt.no-receipt", &[("file", &shown(file)), ("line", &line), ("column", &column)]),
            ));
        }
    };
    if let Err(flaw) = receipt.check(&trusted) {
        return Ok(refused(reason(context, flaw)));
    }
    let mut out = stdout();
    let found = Status::ALL.into_iter().find(|found| found.as_str() == receipt.verdict.status);
    let status = found.map_or("", |found| context.word(found.word()));
    let (edition, time, index, size) = (receipt.edition, &receipt.time, receipt.index, receipt.head.size);
    writeln!(out, "{}", context.fill("receipt.holds", &[("id", &receipt.id), ("status", &status)]))?;
    writeln!(out, "{}", context.fill("receipt.given", &[("edition", &edition), ("time", &harmless(time))]))?;
    writeln!(out, "{}", context.fill("receipt.logged", &[("index", &index), ("size", &size)]))?;
    out.flush()?;
    match receipt.state.as_str() {
        "corrected" => print_to_stderr(context.say("receipt.corrected")),
        "retracted" => print_to_stderr(context.say("receipt.retracted")),
        _ => {}
    }
    let Some(path) = matches.get_one::<OsString>("record") else { return Ok(ExitStatus::Clean) };
    match compare(context, path, matches, &receipt)? {
        None => Ok(refused(context.fill("receipt.record.none", &[("file", &shown(path))]))),
        Some(Comparison::SameBytes) => say(context.say("receipt.record.same")),
        Some(Comparison::SameRecord) => say(context.say("receipt.record.alike")),
        Some(Comparison::OtherRecord(id)) => Ok(refused(context.fill("receipt.record.another", &[("id", &hex(&id))]))),
        Some(Comparison::DifferentVerdict(now)) => {
            let now = in_short(context, &now);
            Ok(refused(context.fill("receipt.record.judged", &[("status", &status), ("now", &harmless(&now))])))
        }
    }
}

/// Checks that the receipt log of one head continues that of another.
pub(super) fn follow(context: Context, matches: &ArgMatches) -> CommandResult {
    let file = |name| matches.get_one::<OsString>(name).expect("the parser asks for it");
    let trusted = match trusted(context, matches)? {
        Ok(trusted) => trusted,
        Err(line) => return Ok(refused(line)),
    };
    let signed = |path| -> Result<Result<SignedHead, String>, CommandError> {
        Ok(head(context, path)?.and_then(|(file, head)| match head.check(&trusted) {
            Ok(()) => Ok(head),
            Err(flaw) => Err(head_reason(context, &file, flaw)),
        }))
    };
    let (before, now) = match (signed(file("before"))?, signed(file("now"))?) {
        (Ok(before), Ok(now)) => (before, now),
        (Err(line), _) | (_, Err(line)) => return Ok(refused(line)),
    };
    let path = file("proof");
    let Ok(proof) = serde_json::from_str::<Consistency>(&read(context, path)?) else {
        return Ok(refused(context.fill("receipt.no-proof", &[("file", &shown(path))])));
    };
    let (before_size, now_size) = (before.size, now.size);
    if proof.check(&before, &now).is_err() {
        return Ok(refused(context.fill("receipt.follow.not", &[("before", &before_size), ("now", &now_size)])));
    }
    let time = harmless(&now.time);
    say(&context.fill("receipt.follow.holds", &[("before", &before_size), ("now", &now_size), ("time", &time)]))
}

/// Reads the head of a log from a file: a signed head, or the head in a receipt. Returns the printable name of the file
/// with it, or the reason why there is no head.
pub(super) fn head(context: Context, path: &OsString) -> Result<Result<(String, SignedHead), String>, CommandError> {
    let (text, file) = (read(context, path)?, shown(path));
    let receipt = || serde_json::from_str::<Receipt>(&text).map(|receipt| receipt.head);
    let head = serde_json::from_str(&text).or_else(|_| receipt());
    Ok(head.map_err(|_| context.fill("receipt.no-head", &[("file", &file)])).map(|head| (file, head)))
}

/// The trusted key and its successors, or the reason why there are none.
fn trusted(context: Context, matches: &ArgMatches) -> Result<Result<TrustedKeys, String>, CommandError> {
    let missing = || CommandError::Usage(context.fill("usage.missing", &[("argument", &"--key")]));
    let public = key(context, matches.get_one("key").ok_or_else(missing)?)?;
    let Some(path) = matches.get_one::<OsString>("keys") else { return Ok(Ok(TrustedKeys::from_key(public))) };
    Ok(match serde_json::from_str::<Keys>(&read(context, path)?) {
        Ok(list) => TrustedKeys::from_succession(public, &list).map_err(|flaw| reason(context, flaw)),
        Err(_) => Err(context.fill("receipt.no-keys", &[("file", &shown(path))])),
    })
}

fn refused(line: String) -> ExitStatus {
    print_to_stderr(line);
    ExitStatus::Faults
}

fn say(line: &str) -> CommandResult {
    let mut out = stdout();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The key given as hexadecimal, or as the name of its file.
fn key(context: Context, said: &OsString) -> Result<PublicKey, CommandError> {
    let digits = |text: &str| Hex::parse(text.trim());
    let found = match said.to_str().and_then(digits) {
        Some(bytes) => Some(bytes),
        None => digits(&read(context, said)?),
    };
    found
        .and_then(|bytes| PublicKey::new(&bytes.0))
        .ok_or_else(|| CommandError::Usage(context.fill("receipt.no-key", &[("found", &shown(said))])))
}

/// The text of a small file, or of standard input.
fn read(context: Context, path: &OsString) -> Result<String, CommandError> {
    let mut text = String::new();
    let read = if path == "-" {
        io::stdin().take(MAX_FILE).read_to_string(&mut text)
    } else {
        input::open(path.as_ref()).and_then(|file| file.take(MAX_FILE).read_to_string(&mut text))
    };
    read.map_err(|error| CommandError::Failed(input::failure(context, &shown(path), &error)))?;
    Ok(text)
}

fn shown(path: &OsString) -> String {
    harmless(&Path::new(path).display().to_string())
}

/// Compares the record of a file with a receipt. Of several records the one with the receipt's id counts, else the
/// first; `None` if the file has none.
fn compare(
    context: Context,
    path: &OsString,
    matches: &ArgMatches,
    receipt: &Receipt,
) -> Result<Option<Comparison>, CommandError> {
    let (source, mut reader) = InputSource::open_one(context, path, reading(matches))?;
    let mut first = None;
    while let Some(chunk) =
        reader.next_chunk().map_err(|error| CommandError::Failed(source.failure(context, &error)))?
    {
        for record in Submission::all(&chunk) {
            match receipt.compare(&record) {
                another @ Comparison::OtherRecord(_) => first = first.or(Some(another)),
                sound => return Ok(Some(sound)),
            }
        }
    }
    Ok(first)
}

/// A flaw of a receipt in words.
fn reason(context: Context, flaw: Flaw) -> String {
    match flaw {
        Flaw::Key(key) => context.fill("receipt.key", &[("key", &hex(&key))]),
        Flaw::HeadKey(key) => context.fill("receipt.head-key", &[("key", &hex(&key))]),
        Flaw::Keys(key) => context.fill("receipt.keys", &[("key", &hex(&key))]),
        Flaw::Retired(key) => context.fill("receipt.retired", &[("key", &hex(&key))]),
        Flaw::Signature => context.say("receipt.signature").to_owned(),
        Flaw::Head => context.say("receipt.head").to_owned(),
        Flaw::Proof | Flaw::Consistency => context.say("receipt.proof").to_owned(),
        Flaw::Verdict => context.say("receipt.verdict").to_owned(),
        Flaw::State => context.say("receipt.state").to_owned(),
    }
}

/// A flaw of a head of the receipt log in words.
fn head_reason(context: Context, file: &str, flaw: Flaw) -> String {
    match flaw {
        Flaw::HeadKey(key) => context.fill("receipt.follow.another-key", &[("file", &file), ("key", &hex(&key))]),
        Flaw::Retired(key) => context.fill("receipt.follow.not-in-use", &[("file", &file), ("key", &hex(&key))]),
        _ => context.fill("receipt.follow.unsigned", &[("file", &file)]),
    }
}
