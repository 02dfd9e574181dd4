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
    find::Query,
    library::Library,
    screen::Screen,
    state::{Effect, Event, State},
};
use crate::{
    args::{form, jobs, number},
    context::{CommandError, CommandResult, Context, ExitStatus, complain},
    input::{self, Source},
};

#[cfg(test)]
mod desk;
mod draw;
mod find;
mod game;
mod keys;
mod layout;
mod library;
mod list;
mod panes;
mod screen;
mod state;

/// Interval between redraws that only show progress of reading.
const PAUSE: Duration = Duration::from_millis(50);
/// Files that fail within this time are reported without opening the screen.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Events handled before the screen is drawn, at most.
const MOST: usize = 512;

/// The keys, for the help of the command.
pub(super) fn guide(lang: Lang) -> String {
    keys::guide(lang)
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let paths = matches.get_many("path").unwrap_or_default();
    if paths.len() == 0 {
        return Err(CommandError::Usage(context.say("view.no-path").to_owned()));
    }
    let (sources, mut failures) = input::sources(context, paths, form(matches));
    check_terminal(context, &sources)?;
    let title = match &*sources {
        [one] => one.name().rsplit('/').next().unwrap_or_default().to_owned(),
        several => context.fill("view.files", &[("count", &several.len())]),
    };
    let sources = sources.into_iter().map(Source::kept).collect::<Result<Vec<_>, _>>()?;

    let library = Arc::new(Library::new(context, sources, form(matches)));
    let (sender, news) = mpsc::channel();
    thread::spawn({
        let (library, sender, jobs) = (Arc::clone(&library), sender.clone(), jobs(matches));
        move || library.read(jobs, &sender)
    });
    let record = number(matches, "record").map(|record| record as usize - 1);
    let ply = number(matches, "ply").map(|ply| ply as usize);
    // `--ply` without `--record` opens the first record.
    let record = record.or(ply.map(|_| 0));
    let mut state = State::new(context, title, (record, ply));
    let begun = Instant::now();
    while state.list.known() == 0
        && !state.list.ended
        && let Ok(first) = news.recv_timeout(AT_ONCE.saturating_sub(begun.elapsed()))
    {
        state.take(first);
    }
    if state.list.known() > 0 || !state.list.ended || state.failures.is_empty() && failures.is_empty() {
        let clerk = clerk(&library, &sender);
        let desk = Desk { library, sender, clerk, finding: Arc::default(), sifting: Arc::default() };
        desk.show(&mut state, &news)?;
        if screen::is_broken() {
            return Err(CommandError::Failed(context.say("view.broken").to_owned()));
        }
    }
    failures.append(&mut state.failures);
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    Ok(if failures.is_empty() { ExitStatus::Clean } else { ExitStatus::Failed })
}

/// Checks that there is a terminal to draw on and a keyboard.
fn check_terminal(context: Context, sources: &[Source]) -> Result<(), CommandError> {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    if !stdout().is_terminal() || cfg!(unix) && dumb {
        return Err(CommandError::Usage(context.say("view.no-terminal").to_owned()));
    }
    let keys = stdin().is_terminal();
    if keys && sources.iter().any(|source| matches!(source, Source::Stdin)) {
        return Err(CommandError::Usage(context.say("view.keys-or-records").to_owned()));
    }
    if !keys && cfg!(unix) && File::open("/dev/tty").is_err() {
        return Err(CommandError::Usage(context.say("view.no-keyboard").to_owned()));
    }
    Ok(())
}

/// A request to the thread that reads single records.
enum Job {
    Rows(Vec<usize>),
    Open(usize),
}

/// Starts the thread that reads single records. Of several waiting requests only the last one of each kind is done,
/// because earlier ones are not visible any more.
fn clerk(library: &Arc<Library>, news: &Sender<Event>) -> Sender<Job> {
    let (sender, jobs) = mpsc::channel();
    let (library, news) = (Arc::clone(library), news.clone());
    thread::spawn(move || {
        let (mut rows, mut open) = (None::<Vec<_>>, None);
        while let Ok(first) = jobs.recv() {
            for job in [first].into_iter().chain(jobs.try_iter()) {
                match job {
                    Job::Rows(records) => rows = Some(records),
                    Job::Open(record) => open = Some(record),
                }
            }
            // Sending fails only when the viewer ends.
            if let Some(record) = open.take() {
                drop(news.send(Event::Opened { record, game: library.open(record).map(Box::new) }));
            }
            if let Some(records) = rows.take() {
                drop(news.send(Event::Rows(library.rows(&records))));
            }
        }
    });
    sender
}

/// Draws the state, and runs its effects.
struct Desk {
    library: Arc<Library>,
    sender: Sender<Event>,
    clerk: Sender<Job>,
    /// Flags that stop the running search and the running filter.
    finding: Arc<AtomicBool>,
    sifting: Arc<AtomicBool>,
}

impl Desk {
    /// Shows the state until the viewer is closed.
    fn show(mut self, state: &mut State, news: &Receiver<Event>) -> Result<(), CommandError> {
        let mut screen = Screen::open()?;
        state.take(screen.size()?);
        screen.listen(&self.sender)?;
        if !self.run_effect(state, &mut screen)? {
            return Ok(());
        }
        loop {
            screen.draw(state)?;
            let drawn = Instant::now();
            let Ok(mut next) = news.recv() else { return Ok(()) };
            for _ in 0..MOST {
                let wait = if matches!(next, Event::Read { .. }) { PAUSE } else { Duration::ZERO };
                state.take(next);
                if !self.run_effect(state, &mut screen)? {
                    return Ok(());
                }
                next = match news.recv_timeout(wait.saturating_sub(drawn.elapsed())) {
                    Ok(next) => next,
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                };
            }
        }
    }

    /// Runs all pending effects. Returns false to quit.
    fn run_effect(&mut self, state: &mut State, screen: &mut Screen) -> Result<bool, CommandError> {
        for wish in state.wishes() {
            match wish {
                // Sending fails only when the viewer ends.
                Effect::Rows(records) => drop(self.clerk.send(Job::Rows(records))),
                Effect::Open(record) => drop(self.clerk.send(Job::Open(record))),
                Effect::Find { ticket, needle, from, direction, among } => {
                    let stopped = restart(&mut self.finding);
                    let (library, sender) = (Arc::clone(&self.library), self.sender.clone());
                    thread::spawn(move || {
                        let found = library.search(&needle, from, direction, among.as_deref(), &stopped);
                        drop(sender.send(Event::Found { ticket, found }));
                    });
                }
                Effect::Filter { ticket, needle } => self.sift(ticket, needle),
                Effect::StopFind => self.finding.store(true, Ordering::Relaxed),
                Effect::StopSift => self.sifting.store(true, Ordering::Relaxed),
                Effect::Redraw => screen.clear()?,
                Effect::Suspend => screen.suspend()?,
                Effect::Quit => return Ok(false),
            }
        }
        Ok(true)
    }

    fn sift(&mut self, ticket: u64, needle: Query) {
        let stopped = restart(&mut self.sifting);
        let (library, sender) = (Arc::clone(&self.library), self.sender.clone());
        thread::spawn(move || {
            library.sift(&needle, &stopped, |records| sender.send(Event::Sifted { ticket, records }).is_ok());
            drop(sender.send(Event::SiftEnded { ticket }));
        });
    }
}

/// Stops the running thread, and returns the stop flag of the next one.
fn restart(running: &mut Arc<AtomicBool>) -> Arc<AtomicBool> {
    running.store(true, Ordering::Relaxed);
    *running = Arc::default();
    Arc::clone(running)
}
