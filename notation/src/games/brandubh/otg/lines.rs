//! Lines of moves and their addresses: `3.` in the game, `8b.1.1a.` in a variation.

use crate::{
    Span,
    record::{Movetext, Ply, limits},
};

/// A line of moves.
pub(super) struct Turn<'a> {
    pub(super) address: Vec<Step>,
    /// The number of moves at its beginning that are dots.
    pub(super) passed: usize,
    pub(super) plies: Vec<Ply<'a>>,
    /// It ends with a resignation.
    pub(super) resigned: bool,
    /// The number of comments so far.
    pub(super) said: usize,
    pub(super) span: Span,
}

/// A part of the address of a line: `8`, or `8b` with the move of a turn.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) number: u64,
    /// 0 for `a`.
    letter: Option<u64>,
}

impl Step {
    /// The index of the move in its line, whose first turn lacks `missing` moves.
    fn index(self, missing: usize) -> Option<usize> {
        let turns = self.number.checked_sub(1)?.checked_mul(2)?;
        let index = turns.checked_add(self.letter.unwrap_or(0))?;
        usize::try_from(index).ok()?.checked_sub(missing)
    }
}

/// The plies that the line continues, if its address is valid.
pub(super) fn variation<'r, 'a>(game: &'r mut Movetext<'a>, turn: &Turn<'a>) -> Option<&'r mut Vec<Ply<'a>>> {
    let (last, path) = turn.address.split_last()?;
    // The address is ambiguous unless the turn has its own number.
    let number = game.plies.get(path[0].index(0)? / 2 * 2)?.number?;
    if number.value != path[0].number {
        return None;
    }
    last.letter?;
    let next = last.index(0)?.checked_add(turn.passed)?;
    let mut line = game;
    // Moves of the first turn that the line lacks: a variation begins with the move that it replaces.
    let mut missing = 0;
    for (depth, steps) in path.chunks(2).enumerate() {
        let [replaced, Step { number, letter: None }] = *steps else { return None };
        let ply = line.plies.get_mut(replaced.index(missing)?)?;
        missing = usize::try_from(replaced.letter?).ok()?;
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let is_last = depth + 1 == path.len() / 2;
        if is_last && next == missing && index == ply.notes.as_ref().map_or(0, |notes| notes.variations.len()) {
            ply.notes.get_or_insert_default().variations.push(Movetext::default());
        }
        line = ply.notes.as_mut()?.variations.get_mut(index)?;
    }
    (next == line.plies.len() + missing).then_some(&mut line.plies)
}

/// Reads the address at the beginning of a line, `3.` or `8b.1.1a.`: its steps and its length in bytes; nothing if it
/// nests too deep.
pub(super) fn address(run: &str) -> Option<(Vec<Step>, usize)> {
    let bytes = run.as_bytes();
    let (mut steps, mut at) = (Vec::new(), 0);
    loop {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let letter = bytes.get(at + digits).filter(|byte| byte.is_ascii_lowercase()).map(|byte| u64::from(byte - b'a'));
        let dot = at + digits + usize::from(letter.is_some());
        let dots = bytes[dot.min(bytes.len())..].iter().take_while(|&&byte| byte == b'.').count();
        if digits == 0 || dots == 0 {
            return Some((steps, at));
        }
        if steps.len() > 2 * limits::NESTING {
            return None;
        }
        steps.push(Step { number: run[at..at + digits].parse().unwrap_or(u64::MAX), letter });
        at = dot + dots;
    }
}
