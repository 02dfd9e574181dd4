//! Whether a text that is being read is the text that should be there, with neither held as a whole.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, Read},
    rc::Rc,
};

use quipu_notation::record::limits;

/// What was read and not yet expected.
#[derive(Debug, Default)]
struct Ahead {
    bytes: VecDeque<u8>,
    differs: bool,
}

/// Compares what passes through a reader with what is expected of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Compare(Rc<RefCell<Ahead>>);

impl Compare {
    /// The same source, watched.
    pub(super) fn watch<R: Read>(&self, source: R) -> impl Read + use<R> {
        Watched { source, ahead: Rc::clone(&self.0) }
    }

    /// What should come next. It was read before.
    pub(super) fn expect(&mut self, bytes: &[u8]) {
        let mut ahead = self.0.borrow_mut();
        let length = bytes.len().min(ahead.bytes.len());
        let same = length == bytes.len() && ahead.bytes.drain(..length).eq(bytes.iter().copied());
        ahead.differs |= !same;
        if ahead.differs {
            ahead.bytes.clear();
        }
    }

    /// Whether all that was read is all that was expected.
    pub(super) fn same(&self) -> bool {
        let ahead = self.0.borrow();
        !ahead.differs && ahead.bytes.is_empty()
    }
}

struct Watched<R> {
    source: R,
    ahead: Rc<RefCell<Ahead>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let mut ahead = self.ahead.borrow_mut();
        // No record is longer than this, so white space must be what keeps it from being canonical.
        ahead.differs |= ahead.bytes.len() > 4 * limits::RECORD;
        if !ahead.differs {
            ahead.bytes.extend(&buffer[..count]);
        }
        Ok(count)
    }
}
