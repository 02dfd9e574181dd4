//! The board as sets of points: the lines of an alquerque (GEN.03, NOR.07), the rows of each player (NOR.03).

use quipu_notation::{
    Side,
    games::pastores::{Point, SIZE},
};

/// A set of points, one bit each in the order of [`Point::all`].
pub(super) type Set = u32;

/// The set of one point.
#[inline]
pub(super) const fn bit(point: Point) -> Set {
    1 << point.index()
}

/// The points of a set, in order.
pub(super) fn each(mut set: Set) -> impl Iterator<Item = Point> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let index = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(Point::nth(index))
    })
}

/// All points.
pub(super) const ALL: Set = (1 << Point::COUNT) - 1;

/// The points with diagonals: the sum of row and column is even, and so is the index, since a row has an odd number of
/// points.
pub(super) const CROSSINGS: Set = 0x0155_5555;

/// The two rows of a player, A-B and D-E (NOR.03).
#[inline]
pub(super) const fn rows(side: Side) -> Set {
    let two = (1 << (2 * SIZE)) - 1;
    match side {
        Side::One => two,
        Side::Two => two << (3 * SIZE),
    }
}

/// One step along a line, in one direction.
pub(super) struct Step {
    /// The points that have this line.
    from: Set,
    /// The difference of the indices.
    by: i8,
}

impl Step {
    const fn new(x: isize, y: isize) -> Self {
        let mut from = 0;
        let mut index = 0;
        while index < Point::COUNT {
            let column = (index % SIZE).checked_add_signed(x);
            let row = (index / SIZE).checked_add_signed(y);
            if let (Some(column), Some(row)) = (column, row)
                && column < SIZE
                && row < SIZE
            {
                from |= 1 << index;
            }
            index += 1;
        }
        let diagonal = x != 0 && y != 0;
        #[expect(clippy::cast_possible_truncation, reason = "at most six")]
        let by = (SIZE.cast_signed() * y + x) as i8;
        Self { from: if diagonal { from & CROSSINGS } else { from }, by }
    }

    /// The points that a step reaches from those of a set.
    pub(super) const fn ahead(&self, set: Set) -> Set {
        let set = set & self.from;
        if self.by >= 0 { set << self.by } else { set >> -self.by }
    }

    /// The point from which the step reaches `to`.
    pub(super) fn origin(&self, to: Point) -> Point {
        Point::nth(to.index().wrapping_add_signed(-isize::from(self.by)))
    }
}

/// The steps of a pastor (NOR.05).
pub(super) const ORTHOGONAL: [Step; 4] = [Step::new(1, 0), Step::new(0, 1), Step::new(-1, 0), Step::new(0, -1)];
/// The steps of a guerrero (NOR.06).
pub(super) const DIAGONAL: [Step; 4] = [Step::new(1, 1), Step::new(-1, 1), Step::new(-1, -1), Step::new(1, -1)];
/// The steps along a row.
pub(super) const SIDEWAYS: [Step; 2] = [Step::new(1, 0), Step::new(-1, 0)];

/// The points that steps in several directions reach from those of a set.
#[inline]
pub(super) const fn around<const N: usize>(steps: &[Step; N], set: Set) -> Set {
    let mut reached = 0;
    let mut way = 0;
    while way < N {
        reached |= steps[way].ahead(set);
        way += 1;
    }
    reached
}

/// The points that steps along rows and columns reach from those of a set.
#[inline]
pub(super) const fn beside(set: Set) -> Set {
    const FIRST: Set = ALL / ((1 << SIZE) - 1);
    const LAST: Set = FIRST << (SIZE - 1);
    (set << SIZE | set >> SIZE | (set & !LAST) << 1 | (set & !FIRST) >> 1) & ALL
}

/// The points that one point is joined with.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// By a line of its row or column.
    pub(super) orthogonal: Set,
    /// By a line of its row.
    pub(super) sideways: Set,
    /// By a diagonal.
    pub(super) diagonal: Set,
}

/// The lines of every point.
pub(super) const LINES: [Lines; Point::COUNT] = {
    let mut table = [Lines { orthogonal: 0, sideways: 0, diagonal: 0 }; Point::COUNT];
    let mut index = 0;
    while index < Point::COUNT {
        let point = 1 << index;
        table[index] =
            Lines { orthogonal: beside(point), sideways: around(&SIDEWAYS, point), diagonal: around(&DIAGONAL, point) };
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of an alquerque: 40 along rows and columns and a diagonal in each of 16 squares, all with two ends.
    #[test]
    fn lines_of_an_alquerque() {
        let ends = |lines: fn(&Lines) -> Set| LINES.iter().map(|point| lines(point).count_ones()).sum::<u32>();
        assert_eq!(ends(|point| point.orthogonal), 80);
        assert_eq!(ends(|point| point.sideways), 40);
        assert_eq!(ends(|point| point.diagonal), 32);
        let with_diagonals = each(ALL).filter(|point| LINES[point.index()].diagonal != 0).map(bit);
        assert_eq!(with_diagonals.fold(0, |set, point| set | point), CROSSINGS);
    }

    #[test]
    fn points_beside_are_one_step_away() {
        for point in each(ALL) {
            assert_eq!(beside(bit(point)), around(&ORTHOGONAL, bit(point)), "{point}");
        }
        assert_eq!(beside(ALL), around(&ORTHOGONAL, ALL));
    }

    #[test]
    fn steps_lead_back_where_they_came_from() {
        for step in ORTHOGONAL.iter().chain(&DIAGONAL) {
            for from in each(step.from) {
                let reached = step.ahead(bit(from));
                assert_eq!(reached.count_ones(), 1);
                assert!(each(reached).all(|to| step.origin(to) == from));
            }
        }
    }

    #[test]
    fn rows_of_the_players() {
        assert_eq!(Side::BOTH.map(|side| rows(side).count_ones()), [10, 10]);
        let names = |side| each(rows(side)).map(Point::row).collect::<String>();
        assert_eq!(Side::BOTH.map(names), ["AAAAABBBBB", "DDDDDEEEEE"]);
    }
}
