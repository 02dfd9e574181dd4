//! The board as sets of squares: neighbours and the eight ways to jump.

use quipu_notation::games::querni::{COLUMNS, ROWS, Square};

/// A set of squares, one bit each in the order of [`Square::all`].
pub(super) type Squares = u128;

/// The set of one square, from a table: shifting 128 bits takes longer.
#[inline]
pub(super) const fn bit(square: Square) -> Squares {
    BITS[square.index()]
}

const BITS: [Squares; Square::COUNT] = {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = 1 << index;
        index += 1;
    }
    table
};

/// All squares.
pub(super) const ALL: Squares = (1 << Square::COUNT) - 1;

/// The squares of a set, in order.
pub(super) fn each(mut set: Squares) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let index = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(Square::from_index(index))
    })
}

/// A direction on the board: along a row, a column or a diagonal.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// The difference that a step makes to the index of a square.
    step: isize,
    /// The squares with two more squares in this direction.
    room: Squares,
}

/// The eight of them.
pub(super) const WAYS: [Way; 8] =
    [way(-1, -1), way(0, -1), way(1, -1), way(-1, 0), way(1, 0), way(-1, 1), way(0, 1), way(1, 1)];

const fn way(right: isize, down: isize) -> Way {
    let mut room = 0;
    let mut index = 0;
    while index < Square::COUNT {
        if step(index, right, down, 2).is_some() {
            room |= 1 << index;
        }
        index += 1;
    }
    Way { step: right + down * COLUMNS.cast_signed(), room }
}

/// The index of the square `count` steps away, if it is on the board.
const fn step(index: usize, right: isize, down: isize, count: isize) -> Option<usize> {
    let x = (index % COLUMNS).checked_add_signed(right * count);
    let y = (index / COLUMNS).checked_add_signed(down * count);
    match (x, y) {
        (Some(x), Some(y)) if x < COLUMNS && y < ROWS => Some(y * COLUMNS + x),
        _ => None,
    }
}

impl Way {
    /// The squares from which a piece can hop in this direction: over a piece, onto an empty square.
    pub(super) const fn hops(self, occupied: Squares) -> Squares {
        moved(occupied, -self.step) & moved(!occupied & ALL, -2 * self.step) & self.room
    }

    /// The square that a hop in this direction leads to from a square with room.
    pub(super) const fn landing(self, from: Square) -> Square {
        Square::from_index(from.index().wrapping_add_signed(2 * self.step))
    }
}

/// A set with each square shifted; squares that leave the board sideways wrap into the next row.
const fn moved(set: Squares, by: isize) -> Squares {
    if by < 0 { set >> -by } else { set << by }
}

/// All neighbours of every square, and an empty set behind the last for a piece off the board.
pub(super) const NEIGHBOURS: [Squares; Square::COUNT + 1] = neighbours();

const fn neighbours() -> [Squares; Square::COUNT + 1] {
    let mut table = [0; Square::COUNT + 1];
    let mut index = 0;
    while index < Square::COUNT {
        let mut way = 0;
        while way < 9 {
            if way != 4
                && let Some(next) = step(index, way % 3 - 1, way / 3 - 1, 1)
            {
                table[index] |= 1 << next;
            }
            way += 1;
        }
        index += 1;
    }
    table
}

/// The squares that the pieces of a set can step to, and the set itself.
pub(super) const fn around(set: Squares) -> Squares {
    let wide = set | (set & !LAST_COLUMN) << 1 | (set & !FIRST_COLUMN) >> 1;
    (wide | wide << COLUMNS | wide >> COLUMNS) & ALL
}

const FIRST_COLUMN: Squares = column(0);
const LAST_COLUMN: Squares = column(COLUMNS - 1);

const fn column(x: usize) -> Squares {
    let mut set = 0;
    let mut y = 0;
    while y < ROWS {
        set |= bit(Square::at(x, y));
        y += 1;
    }
    set
}

/// The square that a hop from one square to another passes over, if the two are two apart in a straight line.
#[inline]
pub(super) fn between(from: Square, to: Square) -> Option<Square> {
    BETWEEN[from.index()][to.index()]
}

/// The table of all squares, since a jump needs one look-up for each hop.
static BETWEEN: [[Option<Square>; Square::COUNT]; Square::COUNT] = {
    let mut table = [[None; Square::COUNT]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT * Square::COUNT {
        let (from, to) = (index / Square::COUNT, index % Square::COUNT);
        let ((from_x, from_y), (to_x, to_y)) =
            (Square::from_index(from).coordinates(), Square::from_index(to).coordinates());
        if matches!((from_x.abs_diff(to_x), from_y.abs_diff(to_y)), (0 | 2, 2) | (2, 0)) {
            table[from][to] = Some(Square::at(usize::midpoint(from_x, to_x), usize::midpoint(from_y, to_y)));
        }
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(one: Square, other: Square) -> (usize, usize) {
        let ((x, y), (other_x, other_y)) = (one.coordinates(), other.coordinates());
        (x.abs_diff(other_x), y.abs_diff(other_y))
    }

    #[test]
    fn neighbours_touch_by_a_side_or_a_corner() {
        for square in Square::all() {
            let expected = Square::all().filter(|&other| matches!(apart(square, other), (0 | 1, 1) | (1, 0)));
            let expected = expected.map(bit).fold(0, |set, one| set | one);
            assert_eq!(NEIGHBOURS[square.index()], expected, "{square}");
            assert_eq!(around(bit(square)), expected | bit(square), "{square}");
        }
        assert_eq!(NEIGHBOURS.map(u128::count_ones).iter().sum::<u32>(), 2 * (9 * 7 + 10 * 6 + 2 * 9 * 6));
        assert_eq!(around(ALL), ALL);
    }

    #[test]
    fn hops_lead_over_one_square() {
        for from in Square::all() {
            for over in Square::all() {
                let landings = WAYS.iter().filter(|way| way.hops(bit(from) | bit(over)) & bit(from) != 0);
                let found: Vec<_> = landings.map(|way| way.landing(from)).collect();
                let expected: Vec<_> = Square::all().filter(|&to| between(from, to) == Some(over)).collect();
                assert_eq!(found, expected, "{from} over {over}");
                assert!(found.iter().all(|&to| apart(from, over) == apart(over, to) && to != from));
                // Nobody hops onto a piece.
                let blocked = found.iter().fold(bit(from) | bit(over), |set, &to| set | bit(to));
                assert!(WAYS.iter().all(|way| way.hops(blocked) & bit(from) == 0), "{from} over {over}");
            }
        }
    }
}
