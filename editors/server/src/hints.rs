//! Inlay hints: the points at the end of each line of moves, in games that have them.

use gen_lsp_types::{InlayHint, Position, Range};
use quipu_notation::record::Record;
use quipu_referee::replay::Replay;

use crate::document::Document;

/// Hints that an editor gets at a time, at most.
pub(crate) const MAX_HINTS: usize = 5000;

pub(crate) fn hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for place in document.places_in(range) {
        let text = document.text_of(place);
        let mut locator = document.locator(place);
        // The end of the line that the last move is on.
        let mut end = 0;
        for record in document.chunk(place).records_without_notes().map_while(Result::ok) {
            for (offset, points) in points(&record) {
                if end < offset {
                    let rest = &text.as_bytes()[offset..];
                    end = offset + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                let position = locator.position(end);
                if position < range.start {
                    continue;
                }
                if position.line > range.end.line {
                    return hints;
                }
                // Of several moves on a line the last one counts.
                if hints.last().is_some_and(|hint: &InlayHint| hint.position == position) {
                    hints.pop();
                }
                if hints.len() == MAX_HINTS {
                    return hints;
                }
                hints.push(hint(position, points));
            }
        }
    }
    hints
}

/// The points after each legal move, with the offset of its end.
fn points(record: &Record<'_>) -> Vec<(usize, String)> {
    let Some(mut replay) = Replay::of(record).filter(|replay| replay.game().point_rule().is_some()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for ply in &record.movetext.plies {
        let Some(points) = replay.play().and_then(|_| replay.board().points()) else { break };
        found.push((ply.span.range().end, points.to_string()));
    }
    found
}

fn hint(position: Position, points: String) -> InlayHint {
    InlayHint {
        position,
        label: points.into(),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
