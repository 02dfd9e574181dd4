//! The canonical text of a record, or its moves alone, appended to a buffer while the record is replayed.
//!
//! Most records are written canonically, at least for long stretches. Such a stretch is copied from the source in one piece;
//! only the rest is written.

use std::{
    fmt::{self, Write as _},
    ops::Range,
};

use quipu_notation::record::{
    OpenRecord, PlainPly, Record, Spanned, WrittenPly,
    write::{Bytes, Extent, Writer, result_line, tags_are_in_order},
};

use crate::{Game, Position};

/// The canonical text of one record; nothing is written without a buffer.
pub(crate) struct CanonicalText<'t> {
    writer: Option<Writer<&'t mut Bytes>>,
    /// The text that spans refer to; empty if the record is not read from quipu's own text.
    source: &'t str,
    /// The stretch of it that is to be copied.
    stretch: Range<usize>,
    /// Plies in that stretch.
    copied: usize,
    /// Plies of the record so far.
    plies: usize,
}

impl<'t> CanonicalText<'t> {
    /// That of a record in memory.
    pub(crate) fn new<G: Game>(record: &Record<'_>, text: Option<Writer<&'t mut Bytes>>) -> Self {
        let mut canonical = Self { writer: text, source: "", stretch: 0..0, copied: 0, plies: 0 };
        canonical.write(|writer| writer.head(record, Some(G::NOTATION)));
        canonical
    }

    /// That of a record which is being read.
    pub(crate) fn copying<'a: 't, G: Game>(open: &OpenRecord<'_, 'a>, text: Option<Writer<&'t mut Bytes>>) -> Self {
        let mut canonical = Self { writer: text, source: open.text(), stretch: 0..0, copied: 0, plies: 0 };
        let game = Some(G::NOTATION);
        canonical.write(|writer| match open.tag_lines() {
            Some(lines) if tags_are_in_order(open.record(), game) => writer.copy_head(lines),
            _ => writer.head(open.record(), game),
        });
        canonical
    }

    /// The next ply, with its canonical token.
    pub(crate) fn ply<P: Position>(&mut self, position: &P, mv: P::Move, ply: WrittenPly<'_>) {
        let Some(extent) = self.writer.as_ref().map(Writer::extent) else { return };
        if extent == Extent::Moves {
            self.token(position, mv, ply.token);
        } else {
            self.write_ply(position, mv, ply.span.end as usize);
        }
    }

    /// The next ply, which is written as in canonical text but for its token.
    #[inline]
    pub(crate) fn plain_ply<P: Position>(&mut self, position: &P, mv: P::Move, ply: PlainPly<'_>) {
        let Some(extent) = self.writer.as_ref().map(Writer::extent) else { return };
        if extent == Extent::Moves {
            return self.token(position, mv, ply.token());
        }
        if !self.stands(ply) || !position.is_canonical(mv, ply.bytes()) {
            return self.write_ply(position, mv, ply.end());
        }
        if self.plies == 0 {
            self.stretch.start = ply.begin();
        }
        self.stretch.end = ply.end();
        self.copied += 1;
        self.plies += 1;
    }

    /// Writes a token alone.
    fn token<P: Position>(&mut self, position: &P, mv: P::Move, token: &str) {
        let Some(writer) = &mut self.writer else { return };
        let written = writer.token_with(|out| {
            if position.is_canonical(mv, token.as_bytes()) {
                out.write_str(token)
            } else {
                position.write_move(mv, out)
            }
        });
        debug_assert!(written.is_ok(), "buffers take everything");
    }

    /// Writes a ply that ends at `end` of the source.
    #[cold]
    fn write_ply<P: Position>(&mut self, position: &P, mv: P::Move, end: usize) {
        self.write(|writer| writer.token_with(|out| position.write_move(mv, out)));
        self.stretch = end..end;
        self.plies += 1;
    }

    /// The clock of the last ply, in milliseconds.
    #[inline]
    pub(crate) fn clock(&mut self, clock: Spanned<u64>) {
        if self.writer.as_ref().is_none_or(|writer| writer.extent() == Extent::Moves) {
            return;
        }
        let behind = clock.span.end as usize + 1;
        if self.clock_stands(clock) {
            self.stretch.end = behind;
        } else {
            self.write(|writer| writer.clock(clock.value));
            self.stretch = behind..behind;
        }
    }

    /// The plies from `index` on, as they were written.
    pub(crate) fn rest(&mut self, record: &Record<'_>, index: usize) {
        self.write(|writer| record.movetext.plies[index..].iter().try_for_each(|ply| writer.ply(&ply.token, ply)));
    }

    /// The result.
    pub(crate) fn end(mut self, record: &Record<'_>) {
        self.write(|writer| writer.end(result_line(record)));
    }

    /// True if a ply follows the stretch as in canonical text: after a line break if it has a number, else after a space.
    #[inline]
    fn stands(&self, ply: PlainPly<'_>) -> bool {
        let (separator, end) = (if self.plies.is_multiple_of(2) { b'\n' } else { b' ' }, self.stretch.end);
        self.plies == 0 || ply.begin() == end + 1 && self.source.as_bytes().get(end) == Some(&separator)
    }

    /// True if a clock follows the stretch as in canonical text: ` {[%clk H:MM:SS.mmm]}`.
    #[inline]
    fn clock_stands(&self, clock: Spanned<u64>) -> bool {
        const LENGTH: usize = " {[%clk H:MM:SS.mmm]}".len();
        const DOT: usize = " {[%clk H:MM:SS".len();
        let text = self.source.as_bytes().get(self.stretch.end..).and_then(<[u8]>::first_chunk::<LENGTH>);
        let is_next = clock.span.start as usize == self.stretch.end + 2 && clock.span.range().len() == LENGTH - 3;
        is_next && text.is_some_and(|text| text.starts_with(b" {") && text[DOT] == b'.' && text[LENGTH - 1] == b'}')
    }

    /// Copies the stretch, and writes after it.
    fn write(&mut self, write: impl FnOnce(&mut Writer<&'t mut Bytes>) -> fmt::Result) {
        let Some(writer) = &mut self.writer else { return };
        // An empty one may be anywhere.
        let stretch = self.source.get(std::mem::take(&mut self.stretch)).unwrap_or_default();
        let copied = writer.copy(stretch, std::mem::take(&mut self.copied));
        let written = copied.and_then(|()| write(writer));
        debug_assert!(written.is_ok(), "buffers take everything");
    }
}
