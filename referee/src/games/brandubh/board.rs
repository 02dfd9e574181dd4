//! The board as sets of squares: thrones, neighbours, and sliding.

use quipu_notation::games::brandubh::{SIZE, Square};

use crate::games::bitboard;

/// A set of squares, one bit each in the order of the board.
pub(super) type Squares = u64;

/// The set of one square.
pub(super) const fn bit(square: Square) -> Squares {
    // Indices are less than the bits; a shift by any other would be checked.
    1 << (square.index() % Squares::BITS as usize)
}

/// The squares of a set, in the order of the board.
pub(super) fn each(set: Squares) -> impl Iterator<Item = Square> {
    bitboard::indices(set).map(Square::new)
}

/// The square of the centre, d4.
pub(super) const D4: Square = Square::new(24);
pub(super) const CENTRE: Squares = bit(D4);
/// a7, g7, a1, g1.
pub(super) const CORNERS: Squares = 1 | 1 << 6 | 1 << 42 | 1 << 48;

const UP: (isize, isize) = (0, -1);
const LEFT: (isize, isize) = (-1, 0);
const RIGHT: (isize, isize) = (1, 0);
const DOWN: (isize, isize) = (0, 1);

/// The squares next to every square.
pub(super) const NEIGHBOURS: [Squares; Square::COUNT] = {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = around(1 << index);
        index += 1;
    }
    table
};

/// The two squares that face each other across every square, on its rank and on its file; nothing at an edge.
pub(super) const FACING: [[Squares; 2]; Square::COUNT] = {
    let mut table = [[0; 2]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let next = [step(index, UP, 1), step(index, LEFT, 1), step(index, RIGHT, 1), step(index, DOWN, 1)];
        let [up, left, right, down] = next;
        table[index] = [pair(left, right), pair(up, down)];
        index += 1;
    }
    table
};

const fn pair(one: Squares, other: Squares) -> Squares {
    if one == 0 || other == 0 { 0 } else { one | other }
}

/// The square `count` steps away, or nothing.
const fn step(index: usize, direction: (isize, isize), count: isize) -> Squares {
    let column = (index % SIZE).checked_add_signed(direction.0 * count);
    let row = (index / SIZE).checked_add_signed(direction.1 * count);
    match (column, row) {
        (Some(column), Some(row)) if column < SIZE && row < SIZE => 1 << (row * SIZE + column),
        _ => 0,
    }
}

/// The squares of a rank or file as the low bits of a number.
type Line = u8;
const LINES: usize = 1 << SIZE;

/// The top rank, and the left file.
const RANK: Squares = (1 << SIZE) - 1;
const FILE: Squares = SPREAD[LINES - 1];

/// A line along the left file.
const SPREAD: [Squares; LINES] = {
    let mut table = [0; LINES];
    let mut line = 0;
    while line < LINES {
        let mut at = 0;
        while at < SIZE {
            table[line] |= ((line >> at & 1) as Squares) << (at * SIZE);
            at += 1;
        }
        line += 1;
    }
    table
};

/// A factor that gathers the squares of the left file: that of row `n` goes to bit `GATHERED + n`. No two terms of the
/// product share a bit, so there is no carry.
const GATHER: Squares = {
    let mut factor = 0;
    let mut row = 0;
    while row < SIZE {
        factor |= 1 << (GATHERED - row * (SIZE - 1));
        row += 1;
    }
    factor
};
const GATHERED: usize = (SIZE - 1) * (SIZE - 1);

/// The squares that a piece slides to on a line, by its index and the occupied squares.
const REACH: [[Line; LINES]; SIZE] = {
    let mut table = [[0; LINES]; SIZE];
    let mut from = 0;
    while from < SIZE {
        let mut line = 0;
        while line < LINES {
            let mut at = from + 1;
            while at < SIZE && line >> at & 1 == 0 {
                table[from][line] |= 1 << at;
                at += 1;
            }
            at = from;
            while at > 0 && line >> (at - 1) & 1 == 0 {
                at -= 1;
                table[from][line] |= 1 << at;
            }
            line += 1;
        }
        from += 1;
    }
    table
};

/// The squares that a piece slides to over squares that are not blocked.
#[inline]
pub(super) fn slide(from: Square, blocked: Squares) -> Squares {
    let (column, row) = (from.column(), from.row());
    let rank = blocked >> (row * SIZE) & RANK;
    let file = (blocked >> column & FILE).wrapping_mul(GATHER) >> GATHERED & RANK;
    let along = Squares::from(REACH[column][rank as usize]) << (row * SIZE);
    along | SPREAD[usize::from(REACH[row][file as usize])] << column
}

/// The rank and the file of every square.
const CROSSES: [[Squares; 2]; Square::COUNT] = {
    let mut table = [[0; 2]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = [RANK << (index / SIZE * SIZE), FILE << (index % SIZE)];
        index += 1;
    }
    table
};

/// The squares between two on one rank or file; nothing if they are not on one, or are the same.
#[inline]
pub(super) fn between(one: Square, other: Square) -> Option<Squares> {
    let [rank, file] = CROSSES[one.index()];
    let (from, to) = (bit(one), bit(other));
    if (rank ^ file) & to == 0 {
        return None;
    }
    let line = if rank & to == 0 { file } else { rank };
    let (low, high) = (from.min(to), from.max(to));
    // The bits between the lower and the higher one.
    Some((high - low) & !low & line)
}

/// The squares next to those of a set.
#[inline]
pub(super) const fn around(set: Squares) -> Squares {
    let (not_first, not_last) = (!FILE, !(FILE << (SIZE - 1)));
    (set << SIZE | set >> SIZE | (set & not_last) << 1 | (set & not_first) >> 1) & ALL
}

/// All squares.
const ALL: Squares = (1 << Square::COUNT) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// The table agrees with walking, for every square and every way to block its two lines.
    #[test]
    fn sliding_is_walking() {
        let walk = |from: usize, direction, blocked: Squares| {
            let steps = (1..).map(|count| step(from, direction, count));
            steps.take_while(|next| *next != 0 && next & blocked == 0).fold(0, |reached, next| reached | next)
        };
        for from in Square::all() {
            for line in 0..LINES {
                let rank = (line as Squares) << (from.row() * SIZE);
                let file = SPREAD[LINES - 1 - line] << from.column();
                // The rest of the board is once full and once empty.
                let lines = RANK << (from.row() * SIZE) | FILE << from.column();
                for rest in [0, !lines & ((1 << Square::COUNT) - 1)] {
                    let blocked = (rank | file | rest) & !bit(from);
                    let ways = [UP, LEFT, RIGHT, DOWN].map(|way| walk(from.index(), way, blocked));
                    assert_eq!(slide(from, blocked), ways.into_iter().fold(0, |all, way| all | way), "{from}");
                }
            }
        }
    }

    #[test]
    fn between_is_what_is_passed() {
        for from in Square::all() {
            for to in Square::all() {
                let passed = between(from, to);
                assert_eq!(passed.is_some(), slide(from, 0) & bit(to) != 0, "{from} {to}");
                assert_eq!(passed, between(to, from));
                for square in each(passed.unwrap_or(0)) {
                    assert_eq!(slide(from, bit(square)) & bit(to), 0, "{square} is on the way from {from} to {to}");
                }
                if let Some(passed) = passed {
                    let distance = from.column().abs_diff(to.column()) + from.row().abs_diff(to.row());
                    assert_eq!(passed.count_ones() as usize, distance - 1, "{from} {to}");
                }
            }
        }
    }

    #[test]
    fn enclosed_is_between() {
        for from in Square::all() {
            let next = |way, count| step(from.index(), way, count);
            let ways = [UP, LEFT, RIGHT, DOWN];
            assert_eq!(NEIGHBOURS[from.index()], ways.into_iter().fold(0, |set, way| set | next(way, 1)), "{from}");
            // Every square that may be behind, with a full board between, and every two that may be enclosed.
            for behind in Square::all() {
                let expected = ways.into_iter().find(|way| next(*way, 2) == bit(behind)).map_or(0, |way| next(way, 1));
                assert_eq!(bitboard::enclosed::<SIZE>(bit(from), ALL, bit(behind)), expected, "{from} {behind}");
                assert_eq!(bitboard::enclosed::<SIZE>(bit(from), ALL & !expected, bit(behind)), 0, "{from} {behind}");
                assert_eq!(bitboard::enclosed::<SIZE>(bit(from), expected, ALL), expected, "{from} {behind}");
            }
        }
    }

    #[test]
    fn thrones() {
        let named = |names: [&str; 4]| names.map(|name| bit(Square::parse(name).expect("a square")));
        assert_eq!(named(["a1", "a7", "g1", "g7"]).into_iter().sum::<Squares>(), CORNERS);
        assert_eq!(Square::parse("d4").map(bit), Some(CENTRE));
    }
}
