//! Cells that are kept as comments.

use std::borrow::Cow;

use super::{
    super::{
        Notes, OddClock, ReadError, Record, Spanned,
        comment::{self, Piece},
        limits,
        text::is_blank,
    },
    cells::Cell,
};

/// A cell that is kept as a comment, and the name of its column.
#[derive(Debug)]
pub(super) struct Remark<'a> {
    pub(super) column: Option<String>,
    pub(super) cell: Cell<'a>,
}

impl<'a> Remark<'a> {
    /// The text of the comment.
    fn text(self) -> Cow<'a, str> {
        match self.column {
            Some(column) => format!("{column}: {}", self.cell.text).trim_matches(is_blank).to_owned().into(),
            None => self.cell.text,
        }
    }
}

/// Keeps a comment: of the last move, or of the record before its first.
pub(super) fn add_comment<'a>(record: &mut Record<'a>, remark: Remark<'a>) -> Result<(), ReadError> {
    let span = remark.cell.span;
    let text = remark.text();
    comment::check_length(&text, span)?;
    comment::check(&text, span)?;
    let Some(ply) = record.movetext.plies.last_mut() else {
        record.movetext.comments.push(text);
        return Ok(());
    };
    let mut notes = std::mem::take(&mut ply.notes).unwrap_or_default();
    let (mut time, odd_clocks) = (ply.clock, &mut record.odd_clocks);
    comment::pieces(
        &text,
        |range| comment::slice(&text, range),
        |piece| {
            match piece {
                Piece::Clock(value, _) => time = time.or(Some(Spanned { value, span })),
                Piece::Text(text) => notes.comments.push(text),
                Piece::Odd(found, _) if odd_clocks.len() < limits::FAULTS => odd_clocks.push(OddClock { found, span }),
                Piece::Odd(..) => {}
            }
            Ok::<_, ReadError>(())
        },
    )?;
    ply.clock = time;
    ply.notes = (*notes != Notes::default()).then_some(notes);
    Ok(())
}
