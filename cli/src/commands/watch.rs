//! `quipu watch`: uploads the record files that arrive in a folder to a service, once each.

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::ArgMatches;
use quipu_upload::{
    AddressError, Cause, Client, Counts, Event, Folder, Journal, JournalError, Problem, Reply, Skipped, UploadError,
    UploadOptions, Uploader,
};
use serde_json::{Value, json};

use crate::{
    args::{number, text},
    config::TOKEN_VARIABLE,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    input, output,
};

/// Name of the journal in the folder, unless `--state` names another file. It is hidden, and so not uploaded.
const JOURNAL: &str = ".quipu-watch";
/// Seconds between two scans, unless `--interval` is given.
const INTERVAL: u32 = 2;
/// Seconds for a request, unless `--timeout` is given.
const TIMEOUT: u32 = 120;
/// Attempts for a part of a file, unless `--attempts` is given.
const ATTEMPTS: u32 = 8;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let missing = || CommandError::Usage(context.fill("usage.missing", &[("argument", &"--to")]));
    let address = text(matches, "to").ok_or_else(missing)?;
    let path = matches.get_one::<OsString>("folder").map(PathBuf::from).unwrap_or_default();
    let state = matches.get_one::<OsString>("state").map_or_else(|| path.join(JOURNAL), PathBuf::from);
    let token = token(context, matches)?;
    let seconds = |name, default: u32| Duration::from_secs(number(matches, name).map_or(u64::from(default), u64::from));
    let client = Client::new(address, token.as_deref(), context.lang.as_str(), seconds("timeout", TIMEOUT));
    let client = client.map_err(|error| {
        let key = match error {
            AddressError::Malformed => "watch.address",
            AddressError::Extra => "watch.address-extra",
            AddressError::NoCertificates => return CommandError::Failed(context.say("watch.certificates").to_owned()),
        };
        CommandError::Usage(context.fill(key, &[("address", &harmless(address))]))
    })?;
    let folder = Folder::open(&path).map_err(|error| file_failure(context, &path, &error))?;
    output::spare_archives(context, &state, None)?;
    let journal = Journal::open(&state, client.address()).map_err(|error| journal_failure(context, &state, error))?;
    let options = UploadOptions {
        interval: seconds("interval", INTERVAL),
        attempts: number(matches, "attempts").unwrap_or(ATTEMPTS),
    };

    let stop = stop_on_signal()?;
    let (is_json, is_once) = (matches.get_flag("json"), matches.get_flag("once"));
    let mut has_rejected = false;
    let mut tell = |event: Event<'_>| {
        has_rejected |= match event {
            Event::Uploaded(_, reply) => reply.counts.refused > 0,
            Event::Rejected(..) => true,
            _ => false,
        };
        tell(context, &event, is_json)
    };
    if !is_once {
        let (folder, address) = (harmless(&path.display().to_string()), client.address());
        print_to_stderr(context.fill("watch.begun", &[("folder", &folder), ("address", &harmless(address))]));
    }
    let uploader = Uploader::new(&client, folder, journal, options, &stop, &mut tell);
    let ended = if is_once { uploader.once() } else { uploader.watch().map(|()| true) };
    match ended {
        Ok(false) => Ok(ExitStatus::Failed),
        Ok(true) if is_once && has_rejected => Ok(ExitStatus::Faults),
        Ok(true) => Ok(ExitStatus::Clean),
        Err(UploadError::Fatal(problem)) => {
            let (key, why) = (fatal_key(problem.status), described(&problem));
            Err(CommandError::Failed(context.fill(key, &[("address", &client.address()), ("why", &why)])))
        }
        Err(UploadError::Journal(error)) => Err(file_failure(context, &state, &error)),
        Err(UploadError::Output(error)) => Err(error.into()),
    }
}

/// The token in the file of `--token-file`, else in the variable.
fn token(context: Context, matches: &ArgMatches) -> Result<Option<String>, CommandError> {
    let found = match matches.get_one::<OsString>("token-file").map(Path::new) {
        Some(path) => input::text(context, path)?,
        None => env::var(TOKEN_VARIABLE).unwrap_or_default(),
    };
    let token = found.trim();
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(CommandError::Usage(context.say("watch.token").to_owned()));
    }
    Ok((!token.is_empty()).then(|| token.to_owned()))
}

/// A flag that the first SIGINT or SIGTERM raises; the second ends the program at once.
#[cfg(unix)]
fn stop_on_signal() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        flag,
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// A flag that nothing raises: Ctrl-C ends the program, which is harmless at any moment.
#[cfg(not(unix))]
fn stop_on_signal() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}

fn tell(context: Context, event: &Event<'_>, is_json: bool) -> io::Result<()> {
    if is_json {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", report(event))?;
        return out.flush();
    }
    match event {
        Event::Uploaded(file, reply) => uploaded(context, file, reply)?,
        Event::Rejected(file, problem) => {
            print_to_stderr(context.fill("watch.rejected", &[("file", &harmless(file)), ("why", &described(problem))]));
        }
        Event::Same(file, known) => {
            print_to_stderr(context.fill("watch.same", &[("file", &harmless(file)), ("known", &harmless(known))]));
        }
        Event::Skipped(file, reason) => {
            let reason = match reason {
                Skipped::Extension(extension) if extension.is_empty() => {
                    context.say("watch.skipped.no-extension").to_owned()
                }
                Skipped::Extension(extension) => {
                    context.fill("watch.skipped.extension", &[("extension", &harmless(extension))])
                }
                Skipped::Unreadable(error) => input::reason(context, error),
                Skipped::Size(bytes) => context.fill("watch.skipped.size", &[("mebibytes", &(bytes >> 20))]),
            };
            print_to_stderr(context.fill("watch.skipped", &[("file", &harmless(file)), ("reason", &reason)]));
        }
        Event::Changing(file) => print_to_stderr(context.fill("watch.changing", &[("file", &harmless(file))])),
        Event::Postponed(file) => print_to_stderr(context.fill("watch.postponed", &[("file", &harmless(file))])),
        Event::Waiting(cause, pause) => {
            let (why, seconds) = (reason(context, cause), pause.as_secs().max(1));
            let key = if pause.is_zero() { "watch.failed" } else { "watch.waiting" };
            print_to_stderr(context.fill(key, &[("why", &why), ("seconds", &seconds)]));
        }
        Event::Again => print_to_stderr(context.say("watch.again")),
    }
    Ok(())
}

fn uploaded(context: Context, file: &str, reply: &Reply) -> io::Result<()> {
    let Counts { new, there, refused } = reply.counts;
    let file = harmless(file);
    let mut out = io::stdout().lock();
    let line =
        context.fill("watch.uploaded", &[("file", &file), ("new", &new), ("there", &there), ("refused", &refused)]);
    writeln!(out, "{line}")?;
    out.flush()?;
    for record in &reply.refused {
        let code = harmless(&record.code);
        print_to_stderr(context.fill("watch.refused", &[("file", &file), ("index", &record.index), ("code", &code)]));
    }
    let more = refused.saturating_sub(reply.refused.len() as u64);
    if more > 0 {
        print_to_stderr(context.fill("watch.refused-more", &[("file", &file), ("count", &more)]));
    }
    Ok(())
}

/// An event as an object.
fn report(event: &Event<'_>) -> Value {
    match event {
        Event::Uploaded(file, Reply { counts, refused }) => {
            let refusals: Vec<_> =
                refused.iter().map(|record| json!({ "index": record.index, "code": record.code })).collect();
            json!({
                "event": "uploaded", "file": file, "new": counts.new, "there": counts.there, "refused": counts.refused,
                "refusals": refusals,
            })
        }
        Event::Rejected(file, Problem { status, code, detail, .. }) => {
            json!({ "event": "rejected", "file": file, "status": status, "code": code, "detail": detail })
        }
        Event::Same(file, known) => json!({ "event": "same", "file": file, "as": known }),
        Event::Skipped(file, _) => json!({ "event": "skipped", "file": file }),
        Event::Changing(file) => json!({ "event": "changing", "file": file }),
        Event::Postponed(file) => json!({ "event": "postponed", "file": file }),
        Event::Waiting(cause, pause) => {
            let cause = match cause {
                Cause::Name => "name",
                Cause::Connection => "connection",
                Cause::Timeout => "timeout",
                Cause::Tls(_) => "tls",
                Cause::Foreign(_) => "response",
                Cause::Status(_) => "status",
            };
            json!({ "event": "waiting", "cause": cause, "seconds": pause.as_secs_f64() })
        }
        Event::Again => json!({ "event": "again" }),
    }
}

fn reason(context: Context, cause: &Cause) -> String {
    let key = match cause {
        Cause::Name => "watch.cause.name",
        Cause::Connection => "watch.cause.connection",
        Cause::Timeout => "watch.cause.timeout",
        Cause::Foreign(None) => "watch.cause.response",
        Cause::Foreign(Some(status)) => return context.fill("watch.cause.response-status", &[("status", status)]),
        Cause::Tls(error) => return context.fill("watch.cause.tls", &[("error", &harmless(error))]),
        Cause::Status(problem) => return described(problem),
    };
    context.say(key).to_owned()
}

/// The code or the status of a problem, and its words, which are in the language of the program.
fn described(problem: &Problem) -> String {
    let Problem { status, code, detail, right } = problem;
    let name = if code.is_empty() { format!("HTTP {status}") } else { code.clone() };
    let words: Vec<_> = [detail, right].into_iter().filter(|words| !words.is_empty()).map(String::as_str).collect();
    harmless(&if words.is_empty() { name } else { format!("{name}: {}", words.join(" ")) })
}

fn fatal_key(status: u16) -> &'static str {
    match status {
        300..=399 => "watch.redirect",
        401 | 403 => "watch.denied",
        _ => "watch.no-service",
    }
}

fn file_failure(context: Context, path: &Path, error: &io::Error) -> CommandError {
    CommandError::Failed(input::failure(context, &path.display().to_string(), error))
}

fn journal_failure(context: Context, path: &Path, error: JournalError) -> CommandError {
    let file = harmless(&path.display().to_string());
    match error {
        JournalError::Io(error) => file_failure(context, path, &error),
        JournalError::InUse => CommandError::Failed(context.fill("watch.journal-in-use", &[("file", &file)])),
        JournalError::Line(line) => {
            CommandError::Failed(context.fill("watch.journal-line", &[("file", &file), ("line", &line)]))
        }
    }
}
