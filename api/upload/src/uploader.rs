//! The loop: scan the folder, upload the files that have arrived, wait.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest, Sha256};

use crate::{
    client::Client,
    folder::{Folder, Skipped},
    journal::Journal,
    parts::parts,
    reply::{Cause, Failure, Problem, Reply},
};

/// Pause after the first failed attempt. Each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause, unless the service asks for a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Time between two looks at the request to stop.
const TICK: Duration = Duration::from_millis(100);
/// Bytes of a body, at most: a part of a file is read into memory.
const MAX_BODY: u64 = 1024 * 1024 * 1024;

/// Interval of the scans, and attempts.
#[derive(Clone, Copy, Debug)]
pub struct UploadOptions {
    /// Time between two scans. A file has arrived when two scans find it the same.
    pub interval: Duration,
    /// Attempts for a part of a file, before the next file follows. Until one succeeds, each later file gets a single attempt.
    pub attempts: u32,
}

/// A progress report, one output line each.
#[derive(Debug)]
pub enum Event<'e> {
    /// A file is uploaded.
    Uploaded(&'e str, &'e Reply),
    /// The service does not accept a file.
    Rejected(&'e str, &'e Problem),
    /// A file has the content of another that is done.
    Same(&'e str, &'e str),
    /// A file is not uploaded.
    Skipped(&'e str, &'e Skipped),
    /// A file is still changing, and left.
    Changing(&'e str),
    /// A file could not be uploaded after all attempts, and is left for a later scan.
    Postponed(&'e str),
    /// An attempt failed; the next one is after the pause. Zero if none follows, or the next one at once.
    Waiting(&'e Cause, Duration),
    /// The service accepts uploads again.
    Again,
}

/// The reason why uploading ended.
#[derive(Debug)]
pub enum UploadError {
    /// The service accepts nothing.
    Fatal(Problem),
    /// The journal cannot be written.
    Journal(io::Error),
    /// The user could not be told.
    Output(io::Error),
}

/// Uploads the files of a folder.
pub struct Uploader<'u> {
    client: &'u Client,
    folder: Folder,
    journal: Journal,
    options: UploadOptions,
    stop: &'u AtomicBool,
    tell: &'u mut dyn FnMut(Event<'_>) -> io::Result<()>,
    /// True for `--once`: one scan, then the end.
    is_once: bool,
    /// The service has processed or rejected a body.
    has_answered: bool,
    failed_in_a_row: u32,
    /// A body had all its attempts, and none has succeeded since.
    has_given_up: bool,
    /// Time of the next attempt.
    next: Instant,
}

/// The end of the attempts for one body.
enum AttemptResult {
    Done(Reply),
    Rejected(Problem),
    Postponed,
    Stopped,
}

impl<'u> Uploader<'u> {
    /// `stop` becomes true to end it, also from a signal handler.
    pub fn new(
        client: &'u Client,
        folder: Folder,
        journal: Journal,
        options: UploadOptions,
        stop: &'u AtomicBool,
        tell: &'u mut dyn FnMut(Event<'_>) -> io::Result<()>,
    ) -> Self {
        Self {
            client,
            folder,
            journal,
            options,
            stop,
            tell,
            is_once: false,
            has_answered: false,
            failed_in_a_row: 0,
            has_given_up: false,
            next: Instant::now(),
        }
    }

    /// Uploads until it is told to stop.
    pub fn watch(mut self) -> Result<(), UploadError> {
        while !self.is_stopped() {
            self.scan()?;
            self.sleep_until(Instant::now() + self.options.interval);
        }
        Ok(())
    }

    /// Uploads the files that are there, and ends. True if all of them are done.
    pub fn once(mut self) -> Result<bool, UploadError> {
        self.is_once = true;
        let skipped = self.folder.scan().skipped;
        self.tell_skipped(&skipped)?;
        self.sleep_until(Instant::now() + self.options.interval);
        let is_done = self.scan()?;
        Ok(is_done && !self.is_stopped())
    }

    /// True if every file is done.
    fn scan(&mut self) -> Result<bool, UploadError> {
        let scan = self.folder.scan();
        self.tell_skipped(&scan.skipped)?;
        let mut is_done = scan.changing.is_empty() && !scan.has_unreadable;
        for path in &scan.arrived {
            if self.is_stopped() {
                return Ok(false);
            }
            is_done &= self.upload(path)?;
        }
        if self.is_once {
            for path in &scan.changing {
                let name = self.folder.name(path);
                self.say(Event::Changing(&name))?;
            }
        }
        Ok(is_done)
    }

    /// Uploads a file. False if a later scan must try again.
    fn upload(&mut self, path: &Path) -> Result<bool, UploadError> {
        let name = self.folder.name(path);
        let opened = File::open(path).and_then(|mut file| Ok((parts(&mut file)?, file)));
        let (parts, mut file) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.cannot_read(path, error),
        };
        if parts.iter().any(|part| part.end - part.start > MAX_BODY) {
            self.folder.done(path);
            self.say(Event::Skipped(&name, &Skipped::Size(MAX_BODY)))?;
            return Ok(false);
        }
        let digest = match digest(&mut file) {
            Ok(digest) => digest,
            Err(error) => return self.cannot_read(path, error),
        };
        if let Some(known) = self.journal.find(&digest).map(str::to_owned) {
            self.folder.done(path);
            if known != name {
                self.say(Event::Same(&name, &known))?;
            }
            return Ok(true);
        }
        let mut whole = Reply::default();
        for part in parts {
            let mut body = Vec::new();
            let read = file
                .seek(SeekFrom::Start(part.start))
                .and_then(|_| file.by_ref().take(part.end - part.start).read_to_end(&mut body));
            if let Err(error) = read {
                return self.cannot_read(path, error);
            }
            match self.submit(&body)? {
                AttemptResult::Done(reply) => whole.add(reply),
                AttemptResult::Rejected(problem) => {
                    self.folder.done(path);
                    self.say(Event::Rejected(&name, &problem))?;
                    return Ok(true);
                }
                AttemptResult::Postponed => {
                    self.say(Event::Postponed(&name))?;
                    return Ok(false);
                }
                AttemptResult::Stopped => return Ok(false),
            }
        }
        // A file that changed meanwhile is uploaded again as it is then.
        if !file.metadata().is_ok_and(|about| self.folder.is_unchanged(path, &about)) {
            self.say(Event::Changing(&name))?;
            return Ok(false);
        }
        self.journal.add(&digest, &name).map_err(UploadError::Journal)?;
        self.folder.done(path);
        self.say(Event::Uploaded(&name, &whole))?;
        Ok(true)
    }

    /// Names a file that cannot be read, once. A later scan tries again: another program may have it open.
    fn cannot_read(&mut self, path: &Path, error: io::Error) -> Result<bool, UploadError> {
        if self.folder.note_failure(path) {
            let name = self.folder.name(path);
            self.say(Event::Skipped(&name, &Skipped::Unreadable(error)))?;
        }
        Ok(false)
    }

    fn submit(&mut self, body: &[u8]) -> Result<AttemptResult, UploadError> {
        let attempts = if self.has_given_up { 1 } else { self.options.attempts };
        for attempt in 1..=attempts {
            if self.is_once && self.has_given_up && Instant::now() < self.next {
                break;
            }
            self.sleep_until(self.next);
            if self.is_stopped() {
                return Ok(AttemptResult::Stopped);
            }
            let (cause, retry_after) = match self.client.submit(body) {
                Ok(reply) => return self.answered(AttemptResult::Done(reply)),
                Err(Failure::Rejected(problem)) => return self.answered(AttemptResult::Rejected(problem)),
                Err(Failure::Temporary(cause, retry_after)) => (cause, retry_after),
                // A network may ask for a sign-in again, and a proxy may miss the service that restarts.
                Err(Failure::Fatal(problem)) if self.has_answered && problem.code.is_empty() => {
                    (Cause::Foreign(Some(problem.status)), None)
                }
                Err(Failure::Fatal(problem)) => return Err(UploadError::Fatal(problem)),
            };
            self.failed_in_a_row += 1;
            // Without a service, the files that are left are not worth hours of pauses.
            let pause = if self.is_once && attempt == attempts {
                retry_after.unwrap_or_default()
            } else {
                pause(self.failed_in_a_row, retry_after, fastrand::f64())
            };
            self.next = Instant::now() + pause;
            self.say(Event::Waiting(&cause, pause))?;
        }
        self.has_given_up = true;
        Ok(AttemptResult::Postponed)
    }

    /// Ends a row of failed attempts.
    fn answered(&mut self, outcome: AttemptResult) -> Result<AttemptResult, UploadError> {
        self.has_answered = true;
        self.has_given_up = false;
        if std::mem::take(&mut self.failed_in_a_row) > 0 {
            self.say(Event::Again)?;
        }
        Ok(outcome)
    }

    fn tell_skipped(&mut self, skipped: &[(std::path::PathBuf, Skipped)]) -> Result<(), UploadError> {
        for (path, reason) in skipped {
            let name = self.folder.name(path);
            self.say(Event::Skipped(&name, reason))?;
        }
        Ok(())
    }

    fn say(&mut self, event: Event<'_>) -> Result<(), UploadError> {
        (self.tell)(event).map_err(UploadError::Output)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn sleep_until(&self, end: Instant) {
        while !self.is_stopped() {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return;
            }
            thread::sleep(rest.min(TICK));
        }
    }
}

/// Pause after failed attempts. `jitter`, from 0 to 1, keeps clients apart whose service came back.
fn pause(failed_in_a_row: u32, retry_after: Option<Duration>, jitter: f64) -> Duration {
    let doubled = FIRST_PAUSE
        .saturating_mul(1_u32.checked_shl(failed_in_a_row.saturating_sub(1)).unwrap_or(u32::MAX))
        .min(MAX_PAUSE);
    doubled.mul_f64(f64::midpoint(1.0, jitter)).max(retry_after.unwrap_or_default().mul_f64(1.0 + jitter / 4.0))
}

/// SHA-256 of a file in hexadecimal digits.
fn digest(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").map_err(io::Error::other)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute_and_respect_the_service() {
        let seconds = |failed| pause(failed, None, 1.0).as_secs();
        assert_eq!([1, 2, 3, 6, 7, 8, 100].map(seconds), [1, 2, 4, 32, 60, 60, 60]);
        assert_eq!(pause(1, None, 0.0), Duration::from_millis(500));
        assert!(pause(1, Some(Duration::from_secs(90)), 0.0) >= Duration::from_secs(90));
    }
}
