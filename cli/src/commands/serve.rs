//! `quipu serve`: runs the service until it is told to stop.

use std::{
    io::{self, Write},
    net::SocketAddr,
};

use actix_web::rt;
use clap::ArgMatches;
use quipu_archive::receipts::Hex;
use quipu_http as http;
use quipu_options::settings::Settings;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use super::archive;
use crate::{
    args,
    config::Config,
    context::{self, CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
    input,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let config = Config::read(context, matches)?;
    if matches.get_flag("print-config") {
        let mut out = stdout();
        config.print(context, &mut out)?;
        out.flush()?;
        return Ok(ExitStatus::Clean);
    }
    let settings = config.settings;
    log(&settings, context::wants_color(args::text(matches, args::COLOR), &io::stderr()));
    let store = archive::open_or_make(context, &settings)?;
    let _lock = store.serve_lock().map_err(|error| archive::failure(context, &error))?;
    let key = store.unlock().map_err(|error| archive::failure(context, &error))?;
    // With a JSON log, these lines are JSON too.
    let tell = |text: String| if settings.log_json { tracing::info!("{text}") } else { print_to_stderr(text) };
    let (listen, folder) = (settings.listen, harmless(&settings.data.display().to_string()));
    if let Some(log) = store.missing_log() {
        tell(context.fill("archive.check.log", &[("file", &harmless(&log.display().to_string()))]));
    }
    let handle = store.clone();
    let ended = rt::System::new().block_on(async {
        let started = http::start_telling(settings.clone(), handle, shutdown_signal()?, |address| {
            tell(context.fill("serve.listening", &[("address", &address), ("folder", &folder)]));
            tell(context.fill("serve.key", &[("key", &Hex(key.bytes()))]));
        });
        let (server, _) = started.map_err(|error| cannot_listen(context, listen, &error))?;
        Ok(server.await?)
    });
    // Runs after an error too: acknowledged changes go into the file.
    let closed = store.close().map_err(|error| archive::failure(context, &error));
    ended.and(closed)?;
    tell(context.say("serve.stopped").to_owned());
    Ok(ExitStatus::Clean)
}

/// Completes on Ctrl-C or a signal of the service manager.
#[cfg(unix)]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use rt::signal::unix::{SignalKind, signal};
    let [mut interrupt, mut terminate] = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    Ok(std::future::poll_fn(move |task| {
        if interrupt.poll_recv(task).is_ready() || terminate.poll_recv(task).is_ready() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    }))
}

/// Completes on Ctrl-C.
#[cfg(not(unix))]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async { drop(rt::signal::ctrl_c().await) })
}

fn cannot_listen(context: Context, address: SocketAddr, error: &io::Error) -> CommandError {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => context.say("serve.taken").to_owned(),
        io::ErrorKind::AddrNotAvailable => context.say("serve.not-ours").to_owned(),
        _ => input::reason(context, error),
    };
    CommandError::Failed(context.fill("serve.cannot-listen", &[("address", &address), ("why", &why)]))
}

/// Starts the log on standard error.
fn log(settings: &Settings, color: bool) {
    let level = settings.log_level.parse().unwrap_or(LevelFilter::INFO);
    // A malformed request is the client's fault, not an error of the service.
    let parser = if level >= LevelFilter::DEBUG { level } else { LevelFilter::OFF };
    let told = Targets::new().with_default(level).with_target("actix_http::h1", parser);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    if settings.log_json {
        tracing_subscriber::registry().with(lines.json().with_filter(told)).init();
    } else {
        tracing_subscriber::registry().with(lines.with_ansi(color).with_filter(told)).init();
    }
}
