//! The consumers of moves: one grammar passes each move on as soon as it is read.
//!
//! [`Movetext`] keeps all of them, for tools and for verdicts that explain. The referee's judge plays each and keeps none.

use std::borrow::Cow;

use super::{Movetext, Notes, Ply, ReadError, Record, Spanned};
use crate::Span;

/// A ply as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenPly<'a> {
    /// The move token.
    pub token: &'a str,
    /// Span of the token.
    pub span: Span,
    /// The move number before it. Of several, the first wrong one, else the last.
    pub number: Option<Spanned<u64>>,
}

/// A ply of the main line, written as in canonical text: the right number and a space before the first of two plies and nothing
/// before the second, then characters up to the next white space.
#[derive(Clone, Copy, Debug)]
pub struct PlainPly<'a> {
    /// The text that offsets refer to.
    pub(super) text: &'a str,
    /// Offset of the number, or of the token if there is none.
    pub(super) begin: usize,
    /// Offset of the token.
    pub(super) start: usize,
    /// Offset of the white space after the token.
    pub(super) end: usize,
}

impl<'a> PlainPly<'a> {
    /// Offset of the number, or of the token if there is none.
    #[inline]
    pub fn begin(&self) -> usize {
        self.begin
    }

    /// Offset of the white space after the token.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Span of the token.
    #[inline]
    pub fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }

    /// The token as bytes, which take fewer checks than [`token`](Self::token).
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.start..self.end]
    }

    /// The token.
    #[inline]
    pub fn token(&self) -> &'a str {
        &self.text[self.start..self.end]
    }

    /// The number of the ply at `index`, if it is written.
    #[inline]
    fn number(&self, index: usize) -> Option<Spanned<u64>> {
        // A space is between number and token.
        let span = || Span::new(self.begin, self.start - 1);
        (self.begin < self.start).then(|| Spanned { value: Record::expected_number(index), span: span() })
    }
}

/// Takes the moves of a record, or of a variation, one after the other.
pub trait MoveSink<'a> {
    /// The reason to stop reading: a fault of the text, or one of the consumer.
    type Stop: From<ReadError>;

    /// Takes the next ply.
    ///
    /// # Errors
    /// The reason to read no further.
    fn ply(&mut self, ply: WrittenPly<'a>) -> Result<(), Self::Stop>;

    /// Takes the next ply, if its characters are sure to be a token, as `is_token` tells; returns false for any other, which the
    /// grammar then reads.
    ///
    /// # Errors
    /// The reason to read no further.
    fn plain_ply(&mut self, ply: PlainPly<'a>, is_token: impl FnOnce() -> bool) -> Result<bool, Self::Stop>;

    /// Takes the clock of the last ply. Of several, the last counts.
    fn clock(&mut self, clock: Spanned<u64>);

    /// The number of plies taken.
    fn count(&self) -> usize;

    /// Takes a comment before the first ply.
    fn comment(&mut self, text: Cow<'a, str>);

    /// The notes of the last ply, for a consumer that keeps them.
    fn notes(&mut self) -> Option<&mut Notes<'a>>;
}

impl<'a> MoveSink<'a> for Movetext<'a> {
    type Stop = ReadError;

    fn ply(&mut self, WrittenPly { token, span, number }: WrittenPly<'a>) -> Result<(), ReadError> {
        self.plies.push(Ply { token: Cow::Borrowed(token), span, number, clock: None, notes: None });
        Ok(())
    }

    #[inline]
    fn plain_ply(&mut self, ply: PlainPly<'a>, is_token: impl FnOnce() -> bool) -> Result<bool, ReadError> {
        if !is_token() {
            return Ok(false);
        }
        self.ply(WrittenPly { token: ply.token(), span: ply.span(), number: ply.number(self.plies.len()) })?;
        Ok(true)
    }

    fn clock(&mut self, clock: Spanned<u64>) {
        if let Some(ply) = self.plies.last_mut() {
            ply.clock = Some(clock);
        }
    }

    fn count(&self) -> usize {
        self.plies.len()
    }

    fn comment(&mut self, text: Cow<'a, str>) {
        self.comments.push(text);
    }

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        Some(self.plies.last_mut()?.notes.get_or_insert_default())
    }
}

/// Counts the plies of a variation that is checked and dropped.
#[derive(Debug, Default)]
pub(super) struct DroppedMoves(usize);

impl<'a> MoveSink<'a> for DroppedMoves {
    type Stop = ReadError;

    fn ply(&mut self, _: WrittenPly<'a>) -> Result<(), ReadError> {
        self.0 += 1;
        Ok(())
    }

    /// A variation has no plain plies.
    fn plain_ply(&mut self, _: PlainPly<'a>, _: impl FnOnce() -> bool) -> Result<bool, ReadError> {
        Ok(false)
    }

    fn clock(&mut self, _: Spanned<u64>) {}

    fn count(&self) -> usize {
        self.0
    }

    fn comment(&mut self, _: Cow<'a, str>) {}

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        None
    }
}
