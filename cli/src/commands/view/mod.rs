//! `quipu view`: records on the terminal, one by one, with board, moves and diagnostics.
//!
//! The viewer follows the Elm architecture: events change the [`state`], which returns effects to run, and the screen
//! is drawn after each change. Events come through one channel from several threads: the keyboard, the indexer of all
//! records, the reader of single records, and searches. So keys are handled whatever else takes time.

use std::{
    fs::File,
    io::{IsTerminal, stdin, stdout},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use clap::ArgMatches;
use quipu_referee::Lang;

use self::{
    index::RecordIndex,
    query::Query,
    screen::Screen,
    state::{Effect, ViewEvent, ViewState},
};
use crate::{
    args::{jobs, number, reading},
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    input::{self, InputSource},
};

mod draw;
mod game;
#[cfg(test)]
mod harness;
mod index;
mod keys;
mod layout;
mod list;
mod panes;
mod query;
mod screen;
mod state;

/// Interval between redraws that only show progress of reading.
const PAUSE: Duration = Duration::from_millis(50);
/// Files that fail within this time are reported without opening the screen.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Events handled before the screen is drawn, at most.
const MAX_EVENTS: usize = 512;

/// The keys, for the help of the command.
pub(super) fn guide(lang: Lang) -> String {
    keys::guide(lang)
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let input::FoundSources { sources, failures, skipped } = input::find_sources(context, matches, reading(matches))?;
    let mut failures: Vec<_> = failures.iter().map(ToString::to_string).collect();
    check_terminal(context, &sources)?;
    let title = match &*sources {
        [one] => one.name().rsplit('/').next().unwrap_or_default().to_owned(),
        several => context.fill("view.files", &[("count", &several.len())]),
    };
    let reading = reading(matches);
    let sources = sources.into_iter().map(|source| source.spooled(reading)).collect::<Result<Vec<_>, _>>()?;

    let index = Arc::new(RecordIndex::new(context, sources, reading));
    let (sender, events) = mpsc::channel();
    thread::spawn({
        let (index, sender, jobs) = (Arc::clone(&index), sender.clone(), jobs(matches));
        move || index.read(jobs, &sender)
    });
    let record = number(matches, "record").map(|record| record as usize - 1);
    let ply = number(matches, "ply").map(|ply| ply as usize);
    // `--ply` without `--record` opens the first record.
    let record = record.or(ply.map(|_| 0));
    let mut state = ViewState::new(context, title, (record, ply));
    let begun = Instant::now();
    while state.list.known() == 0
        && !state.list.ended
        && let Ok(first) = events.recv_timeout(AT_ONCE.saturating_sub(begun.elapsed()))
    {
        state.update(first);
    }
    if state.list.known() > 0 || !state.list.ended {
        let reader = reader(&index, &sender);
        let viewer = EventLoop { index, sender, reader, finding: Arc::default(), filtering: Arc::default() };
        viewer.show(&mut state, &events)?;
        if screen::is_broken() {
            return Err(CommandError::Failed(context.say("view.broken").to_owned()));
        }
    }
    failures.append(&mut state.failures);
    for failure in &failures {
        print_to_stderr(context.fill("error", &[("what", failure)]));
    }
    // Without an end of the list, more records could have followed.
    let records = if state.list.ended { state.list.known() as u64 } else { 1 };
    let told = skipped.tell(context, reading.format, records, !failures.is_empty());
    Ok(if failures.is_empty() { told } else { ExitStatus::Failed })
}

/// Checks that there is a terminal to draw on and a keyboard.
fn check_terminal(context: Context, sources: &[InputSource]) -> Result<(), CommandError> {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    if !stdout().is_terminal() || cfg!(unix) && dumb {
        return Err(CommandError::Usage(context.say("view.no-terminal").to_owned()));
    }
    let keys = stdin().is_terminal();
    if keys && sources.iter().any(|source| matches!(source, InputSource::Stdin)) {
        return Err(CommandError::Usage(context.say("view.keys-or-records").to_owned()));
    }
    if !keys && cfg!(unix) && File::open("/dev/tty").is_err() {
        return Err(CommandError::Usage(context.say("view.no-keyboard").to_owned()));
    }
    Ok(())
}

/// A request to the thread that reads single records.
enum ReadJob {
    Rows(Vec<usize>),
    Open(usize),
    Readings(usize),
}

/// Starts the thread that reads single records. Of several waiting requests only the last one of each kind is done,
/// because earlier ones are not visible any more.
fn reader(index: &Arc<RecordIndex>, events: &Sender<ViewEvent>) -> Sender<ReadJob> {
    let (sender, jobs) = mpsc::channel();
    let (index, events) = (Arc::clone(index), events.clone());
    thread::spawn(move || {
        let (mut rows, mut open, mut readings) = (None::<Vec<_>>, None, None);
        while let Ok(first) = jobs.recv() {
            for job in [first].into_iter().chain(jobs.try_iter()) {
                match job {
                    ReadJob::Rows(records) => rows = Some(records),
                    ReadJob::Open(record) => open = Some(record),
                    ReadJob::Readings(record) => readings = Some(record),
                }
            }
            // Sending fails only when the viewer ends.
            if let Some(record) = open.take() {
                drop(events.send(ViewEvent::Opened { record, game: index.open(record).map(Box::new) }));
            }
            if let Some(record) = readings.take() {
                drop(events.send(ViewEvent::Readings { record, lines: index.readings(record) }));
            }
            if let Some(records) = rows.take() {
                drop(events.send(ViewEvent::Rows(index.rows(&records))));
            }
        }
    });
    sender
}

/// Draws the state, and runs its effects.
struct EventLoop {
    index: Arc<RecordIndex>,
    sender: Sender<ViewEvent>,
    reader: Sender<ReadJob>,
    /// Flags that stop the running search and the running filter.
    finding: Arc<AtomicBool>,
    filtering: Arc<AtomicBool>,
}

impl EventLoop {
    /// Shows the state until the viewer is closed.
    fn show(mut self, state: &mut ViewState, events: &Receiver<ViewEvent>) -> Result<(), CommandError> {
        let mut screen = Screen::open()?;
        state.update(screen.size()?);
        screen.listen(&self.sender)?;
        if !self.run_effect(state, &mut screen)? {
            return Ok(());
        }
        loop {
            screen.draw(state)?;
            let drawn = Instant::now();
            let Ok(mut next) = events.recv() else { return Ok(()) };
            for _ in 0..MAX_EVENTS {
                let wait = if matches!(next, ViewEvent::Read { .. }) { PAUSE } else { Duration::ZERO };
                state.update(next);
                if !self.run_effect(state, &mut screen)? {
                    return Ok(());
                }
                next = match events.recv_timeout(wait.saturating_sub(drawn.elapsed())) {
                    Ok(next) => next,
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                };
            }
        }
    }

    /// Runs all pending effects. Returns false to quit.
    fn run_effect(&mut self, state: &mut ViewState, screen: &mut Screen) -> Result<bool, CommandError> {
        for effect in state.effects() {
            match effect {
                // Sending fails only when the viewer ends.
                Effect::Rows(records) => drop(self.reader.send(ReadJob::Rows(records))),
                Effect::Open(record) => drop(self.reader.send(ReadJob::Open(record))),
                Effect::Readings(record) => drop(self.reader.send(ReadJob::Readings(record))),
                Effect::Find { generation, query, from, direction, among } => {
                    let stopped = restart(&mut self.finding);
                    let (index, sender) = (Arc::clone(&self.index), self.sender.clone());
                    thread::spawn(move || {
                        let found = index.search(&query, from, direction, among.as_deref(), &stopped);
                        drop(sender.send(ViewEvent::Found { generation, found }));
                    });
                }
                Effect::Filter { generation, query } => self.filter(generation, query),
                Effect::StopFind => self.finding.store(true, Ordering::Relaxed),
                Effect::StopFilter => self.filtering.store(true, Ordering::Relaxed),
                Effect::Redraw => screen.clear()?,
                Effect::Suspend => screen.suspend()?,
                Effect::Quit => return Ok(false),
            }
        }
        Ok(true)
    }

    fn filter(&mut self, generation: u64, query: Query) {
        let stopped = restart(&mut self.filtering);
        let (index, sender) = (Arc::clone(&self.index), self.sender.clone());
        thread::spawn(move || {
            index.filter(&query, &stopped, |records| sender.send(ViewEvent::Filtered { generation, records }).is_ok());
            drop(sender.send(ViewEvent::FilterEnded { generation }));
        });
    }
}

/// Stops the running thread, and returns the stop flag of the next one.
fn restart(running: &mut Arc<AtomicBool>) -> Arc<AtomicBool> {
    running.store(true, Ordering::Relaxed);
    *running = Arc::default();
    Arc::clone(running)
}
