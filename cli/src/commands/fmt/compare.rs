//! Compares a text being read with the expected text, without keeping either in memory.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, Read},
    rc::Rc,
};

use quipu_notation::record::limits;

/// Bytes that were read and not yet expected.
#[derive(Debug, Default)]
struct Ahead {
    bytes: VecDeque<u8>,
    differs: bool,
}

/// Compares the bytes that pass through a reader with the expected ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Compare(Rc<RefCell<Ahead>>);

impl Compare {
    /// Wraps the source so that its bytes are compared.
    pub(super) fn watch<R: Read>(&self, source: R) -> impl Read + use<R> {
        Watched { source, ahead: Rc::clone(&self.0) }
    }

    /// Adds expected bytes. The source was read at least as far.
    pub(super) fn expect(&mut self, bytes: &[u8]) {
        let mut ahead = self.0.borrow_mut();
        let length = bytes.len().min(ahead.bytes.len());
        let same = length == bytes.len() && ahead.bytes.drain(..length).eq(bytes.iter().copied());
        ahead.differs |= !same;
        if ahead.differs {
            ahead.bytes.clear();
        }
    }

    /// True if the bytes read are the bytes expected.
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
        // No record is longer than this, so the difference must be white space.
        ahead.differs |= ahead.bytes.len() > 4 * limits::RECORD;
        if !ahead.differs {
            ahead.bytes.extend(&buffer[..count]);
        }
        Ok(count)
    }
}
