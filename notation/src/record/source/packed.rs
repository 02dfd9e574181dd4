//! Sources that are packed: unpacked as they come, within bounds.

use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

use super::{
    super::limits,
    foreign::{Packing, Refusal},
    part::CHUNK,
};

/// Bytes, as a power of two, that a zstd source may look back: what it takes to unpack it.
const WINDOW: u32 = 23;

/// A packed source, or one that is taken as it is.
pub(super) struct Unpacked<R> {
    source: Kind<R>,
    packing: Packing,
    produced: u64,
}

enum Kind<R> {
    Whole(Watched<R>),
    Gzip(MultiGzDecoder<Watched<R>>),
    Zstd(zstd::Decoder<'static, BufReader<Watched<R>>>),
}

impl<R> std::fmt::Debug for Unpacked<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unpacked")
            .field("packing", &self.packing)
            .field("produced", &self.produced)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Unpacked<R> {
    /// A source that begins with `head` and is packed so.
    pub(super) fn new(source: R, head: Vec<u8>, packing: Packing) -> Result<Self, Refusal> {
        let watched = Watched::new(source, head);
        let source = match packing {
            Packing::Gzip => Kind::Gzip(MultiGzDecoder::new(watched)),
            Packing::Zstd => {
                let broken = |_| Refusal::Broken(packing.name());
                let mut decoder = zstd::Decoder::new(watched).map_err(broken)?;
                decoder.window_log_max(WINDOW).map_err(broken)?;
                Kind::Zstd(decoder)
            }
            Packing::Zip => Kind::Whole(watched),
        };
        Ok(Self { source, packing, produced: 0 })
    }

    /// A source that begins with `head`, as it is.
    pub(super) fn whole(source: R, head: Vec<u8>) -> Self {
        Self { source: Kind::Whole(Watched::new(source, head)), packing: Packing::Zip, produced: 0 }
    }

    /// Reads as much as is asked for at a time; true at the end. More than `most` bytes in all are too many.
    ///
    /// # Errors
    /// Those of the source; inside, the reason why it cannot be unpacked.
    pub(super) fn read_some(&mut self, bytes: &mut Vec<u8>, most: u64) -> io::Result<Result<bool, Refusal>> {
        let read = match &mut self.source {
            Kind::Whole(source) => source.take(CHUNK).read_to_end(bytes),
            Kind::Gzip(source) => source.take(CHUNK).read_to_end(bytes),
            Kind::Zstd(source) => source.take(CHUNK).read_to_end(bytes),
        };
        let watched = match &mut self.source {
            Kind::Whole(source) => source,
            Kind::Gzip(source) => source.get_mut(),
            Kind::Zstd(source) => source.get_mut().get_mut(),
        };
        match read {
            Ok(count) => {
                self.produced += count as u64;
                let most = most.min(limits::UNPACKED_FREE + limits::UNPACKED_TIMES * watched.taken);
                Ok(if self.produced > most { Err(Refusal::Large(self.packing.name())) } else { Ok(count == 0) })
            }
            Err(error) if watched.failed => {
                watched.failed = false;
                Err(error)
            }
            Err(_) => Ok(Err(Refusal::Broken(self.packing.name()))),
        }
    }
}

/// A source that notes what was taken of it, and whether it is itself that fails.
struct Watched<R> {
    head: Cursor<Vec<u8>>,
    source: R,
    taken: u64,
    failed: bool,
}

impl<R> Watched<R> {
    fn new(source: R, head: Vec<u8>) -> Self {
        Self { head: Cursor::new(head), source, taken: 0, failed: false }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = self.head.read(buffer)?;
        if count == 0 {
            count = self.source.read(buffer).inspect_err(|_| self.failed = true)?;
        }
        self.taken += count as u64;
        Ok(count)
    }
}
