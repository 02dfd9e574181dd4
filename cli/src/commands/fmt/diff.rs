//! The differences between a text and its canonical form, as a unified diff.

use std::{
    cell::RefCell,
    io::{self, Read},
    rc::Rc,
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use similar::TextDiff;

use crate::context::Context;

/// Bytes of a compared text, at most: it is kept in memory.
pub(super) const MAX_TEXT: usize = 64 * 1024 * 1024;

/// Time limit of the search for the smallest diff; after it, the diff may be larger than necessary.
const PATIENCE: Duration = Duration::from_secs(10);

/// The reason why two texts are not compared.
pub(super) enum DiffError {
    /// The text is longer than [`MAX_TEXT`].
    Large,
    /// The bytes are compressed or in another encoding, so they differ from the text that was read.
    Encoded,
}

/// A text as it was read, and its canonical form.
#[derive(Debug, Default)]
pub(super) struct Diff {
    read: Rc<RefCell<Vec<u8>>>,
    expected: String,
}

impl Diff {
    /// Wraps the source so that its bytes are kept, up to one more than [`MAX_TEXT`].
    pub(super) fn watch<R: Read>(&self, source: R) -> impl Read + use<R> {
        Watched { source, read: Rc::clone(&self.read) }
    }

    /// Adds canonical text.
    pub(super) fn expect(&mut self, text: &str) {
        if self.expected.len() <= MAX_TEXT {
            self.expected.push_str(text);
        }
    }

    /// The differences; empty if there is none.
    pub(super) fn unified(&self, name: &str) -> Result<String, DiffError> {
        let read = self.read.borrow();
        if read.len() > MAX_TEXT || self.expected.len() > MAX_TEXT {
            return Err(DiffError::Large);
        }
        let text = str::from_utf8(&read).map_err(|_| DiffError::Encoded)?;
        if text == self.expected {
            return Ok(String::new());
        }
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(text, &self.expected);
        Ok(diff.unified_diff().header(name, name).to_string())
    }
}

struct Watched<R> {
    source: R,
    read: Rc<RefCell<Vec<u8>>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let mut read = self.read.borrow_mut();
        let room = (MAX_TEXT + 1).saturating_sub(read.len());
        read.extend(&buffer[..count.min(room)]);
        Ok(count)
    }
}

/// The lines of a diff in colours, if they are on.
pub(super) fn paint(context: Context, diff: &str) -> String {
    if !context.color {
        return diff.to_owned();
    }
    let painted = diff.split_inclusive('\n').map(|line| {
        let style = match line.as_bytes() {
            [b'+', ..] => AnsiColor::Green.on_default(),
            [b'-', ..] => AnsiColor::Red.on_default(),
            [b'@', ..] => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        let shown = line.trim_end_matches('\n');
        context.paint(style, crate::context::harmless(shown)) + &line[shown.len()..]
    });
    painted.collect()
}
