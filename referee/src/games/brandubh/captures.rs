//! Captures as tokens write them: `xd3/d5`.

use std::fmt;

use quipu_notation::games::brandubh::Square;

use super::board::{self, Squares};
use crate::games::token_table::ascii;

/// Writes the captured squares; nothing if there are none.
pub(super) fn write(captures: Squares, out: &mut impl fmt::Write) -> fmt::Result {
    let mut of_mark = 0;
    for square in board::each(captures) {
        let at = (of_mark + square.index()) * CAPTURE;
        out.write_str(&CAPTURES[at..at + CAPTURE])?;
        of_mark = Square::COUNT;
    }
    Ok(())
}

/// The captured squares as a text.
pub(super) fn text(captures: Squares) -> String {
    let mut text = String::new();
    let written = write(captures, &mut text);
    debug_assert!(written.is_ok(), "a String takes everything");
    text
}

/// Length of one capture: a mark and a square.
const CAPTURE: usize = 3;

/// All captures, with `x` and then with `/`.
const CAPTURES: &str = ascii(&CAPTURES_SIGNS);

const CAPTURES_SIGNS: [u8; 2 * Square::COUNT * CAPTURE] = {
    let mut signs = [0; 2 * Square::COUNT * CAPTURE];
    let mut at = 0;
    while at < signs.len() {
        let square = Square::new(at / CAPTURE % Square::COUNT);
        signs[at] = if at < signs.len() / 2 { b'x' } else { b'/' };
        signs[at + 1] = square.file() as u8;
        signs[at + 2] = square.rank() as u8;
        at += CAPTURE;
    }
    signs
};
