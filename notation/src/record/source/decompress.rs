//! Compressed sources: decompressed as a stream, within limits.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use super::{
    super::limits,
    file_kind::{Compression, SourceRefusal},
    part::CHUNK,
};

/// Largest window of a zstd frame, in bytes: the memory for decompressing it.
const WINDOW: u64 = 8 << 20;

/// A compressed source, or one that is passed through unchanged.
pub(super) struct Decompressor<R> {
    source: Kind<R>,
    compression: Compression,
    produced: u64,
}

enum Kind<R> {
    Whole(Watched<R>),
    Gzip(Box<MultiGzDecoder<Watched<R>>>),
    Zstd(Box<Frames<R>>),
}

impl<R> std::fmt::Debug for Decompressor<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressor")
            .field("compression", &self.compression)
            .field("produced", &self.produced)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Decompressor<R> {
    /// A source that begins with `head` and is compressed as `compression`.
    pub(super) fn new(source: R, head: Vec<u8>, compression: Compression) -> Self {
        let watched = Watched::new(source, head);
        let source = match compression {
            Compression::Gzip => Kind::Gzip(Box::new(MultiGzDecoder::new(watched))),
            Compression::Zstd => Kind::Zstd(Box::new(Frames::new(watched))),
            Compression::Zip => Kind::Whole(watched),
        };
        Self { source, compression, produced: 0 }
    }

    /// A source that begins with `head` and is passed through unchanged.
    pub(super) fn whole(source: R, head: Vec<u8>) -> Self {
        Self { source: Kind::Whole(Watched::new(source, head)), compression: Compression::Zip, produced: 0 }
    }

    /// Reads up to [`CHUNK`] bytes; true at the end. More than `most` bytes in all are refused.
    ///
    /// # Errors
    /// Those of the source. The inner result has the reason if it cannot be decompressed.
    pub(super) fn read_some(&mut self, bytes: &mut Vec<u8>, most: u64) -> io::Result<Result<bool, SourceRefusal>> {
        let read = match &mut self.source {
            Kind::Whole(source) => source.take(CHUNK).read_to_end(bytes),
            Kind::Gzip(source) => source.take(CHUNK).read_to_end(bytes),
            Kind::Zstd(source) => source.take(CHUNK).read_to_end(bytes),
        };
        let watched = match &mut self.source {
            Kind::Whole(source) => source,
            Kind::Gzip(source) => source.get_mut(),
            Kind::Zstd(source) => &mut source.source,
        };
        match read {
            Ok(count) => {
                self.produced += count as u64;
                let most = most.min(limits::DECOMPRESSED_BASE + limits::DECOMPRESSED_RATIO * watched.taken);
                Ok(if self.produced > most {
                    Err(SourceRefusal::Large(self.compression.name()))
                } else {
                    Ok(count == 0)
                })
            }
            Err(error) if watched.failed => {
                watched.failed = false;
                Err(error)
            }
            Err(_) => Ok(Err(SourceRefusal::Broken(self.compression.name()))),
        }
    }
}

/// The frames of a zstd source, one after the other, each compared with its checksum if it has one. Skippable frames are
/// ignored.
struct Frames<R> {
    source: Watched<R>,
    decoder: FrameDecoder,
}

impl<R: Read> Frames<R> {
    fn new(source: Watched<R>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW);
        Self { source, decoder }
    }

    /// Begins the next frame; false at the end of the source.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            let mut first = [0];
            if self.source.read(&mut first)? == 0 {
                return Ok(false);
            }
            match self.decoder.init(first.as_slice().chain(&mut self.source)) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                let checksums = [self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()];
                if checksums[0].is_some() && checksums[0] != checksums[1] {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                if !self.begin()? {
                    return Ok(0);
                }
            }
            self.decoder
                .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(io::Error::other)?;
        }
        self.decoder.read(buffer)
    }
}

/// A source that counts the bytes read, and tells its own failures from those of a decoder.
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

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn compressed(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    fn unpacked(bytes: Vec<u8>) -> Result<String, SourceRefusal> {
        let mut source = Decompressor::new(io::empty(), bytes, Compression::Zstd);
        let mut text = Vec::new();
        while !source.read_some(&mut text, u64::MAX).expect("memory does not fail")? {}
        Ok(String::from_utf8(text).expect("it is text"))
    }

    #[test]
    fn frames_follow_each_other_and_skippable_ones_hold_nothing() {
        let skippable = [&0x184D_2A53_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), b"any"].concat();
        let all = [compressed("one "), skippable, compressed(""), compressed("two")].concat();
        assert_eq!(unpacked(all).as_deref(), Ok("one two"));
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let whole = compressed("a text that is long enough to be damaged in many places, or cut off");
        for length in 5..whole.len() {
            assert_eq!(unpacked(whole[..length].to_vec()), Err(SourceRefusal::Broken("file.zstd")), "{length} bytes");
        }
        let mut flipped = whole.clone();
        *flipped.last_mut().expect("it is not empty") ^= 1;
        assert_eq!(unpacked(flipped), Err(SourceRefusal::Broken("file.zstd")), "the checksum");
    }

    /// The descriptor of a window follows that of the frame: exponent and mantissa of its size.
    #[test]
    fn a_window_beyond_the_limit_is_refused() {
        let frame = |window: u8| [&[0x28, 0xb5, 0x2f, 0xfd, 0, window][..], &[1, 0, 0]].concat();
        assert_eq!(unpacked(frame(13 << 3)).as_deref(), Ok(""), "8 MiB");
        assert_eq!(unpacked(frame(13 << 3 | 1)), Err(SourceRefusal::Broken("file.zstd")), "9 MiB");
    }
}
