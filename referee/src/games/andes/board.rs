//! The board as sets of squares: terrain (article 7), steps and reaches (3.3).

use quipu_notation::games::andes::{SIZE, Square};

use crate::games::bitboard;

/// A set of squares, one bit each in the order of [`Square::all`].
pub(super) type Squares = u64;

/// The set of one square.
#[inline]
pub(super) const fn bit(square: Square) -> Squares {
    // Indices are less than the bits; a shift by any other would be checked.
    1 << (square.index() % Squares::BITS as usize)
}

/// All squares.
pub(super) const ALL: Squares = (1 << Square::COUNT) - 1;

/// The squares of a set, in order.
pub(super) fn each(set: Squares) -> impl Iterator<Item = Square> {
    bitboard::indices(set).map(|index| Square::at(index % SIZE, index / SIZE))
}

/// The squares that Sol calls by these names.
const fn named(names: &str) -> Squares {
    let bytes = names.as_bytes();
    let mut set = 0;
    let mut at = 0;
    while at < bytes.len() {
        set |= bit(Square::named(quipu_notation::Side::One, bytes[at] - b'a', bytes[at + 1] - b'0'));
        at += 3;
    }
    set
}

/// The government, d3 (7.1.5).
pub(super) const CENTRE_SQUARE: Square = Square::at(3, 3);
pub(super) const CENTRE: Squares = bit(CENTRE_SQUARE);
/// 7.3.4, with c3 for the second c2.
pub(super) const SIERRA: Squares = named("c3 d2 d4 e3 c2 c4 e2 e4");
/// 7.3.3, with b2 for a2.
pub(super) const JUNGLE: Squares = named("b2 b4 c1 c5 e1 e5 f2 f4 b3 d1 d5 f3");
/// 7.3.2
pub(super) const COAST: Squares = named("a3 d0 d6 g3");
/// 7.2.1
pub(super) const ISLANDS: Squares = named("a0 a6 g0 g6");
/// 7.3.1: 25 squares.
pub(super) const CONTINENT: Squares = CENTRE | SIERRA | JUNGLE | COAST;
/// The rim, 24 squares (7.2).
pub(super) const BORDER: Squares = rim();
/// Islands and coasts are its dark squares.
pub(super) const DARK_BORDER: Squares = ISLANDS | COAST;
/// Dark squares of the whole board.
pub(super) const DARK: Squares = DARK_BORDER | named("c3 d2 d4 e3 b2 b4 c1 c5 e1 e5 f2 f4");

const fn rim() -> Squares {
    let mut set = 0;
    let mut at = 0;
    while at < SIZE {
        set |= bit(Square::at(at, 0))
            | bit(Square::at(at, SIZE - 1))
            | bit(Square::at(0, at))
            | bit(Square::at(SIZE - 1, at));
        at += 1;
    }
    set
}

/// The squares in one direction: the next one and the one behind it, as sets that are empty off the board.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    pub(super) next: Squares,
    pub(super) behind: Squares,
}

/// The rays along rows and columns, and those along diagonals, of every square.
pub(super) const ORTHOGONAL: [[Ray; 4]; Square::COUNT] = rays([(0, -1), (-1, 0), (1, 0), (0, 1)]);
pub(super) const DIAGONAL: [[Ray; 4]; Square::COUNT] = rays([(-1, -1), (1, -1), (-1, 1), (1, 1)]);

/// The squares that a kind reaches from a square of an empty board (3.3).
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// The squares next to it.
    pub(super) near: Squares,
    /// Those behind them.
    pub(super) far: Squares,
}

/// The reach of every kind, in the order of their digits, from every square: one look-up for each move.
pub(super) const REACHES: [[Reach; Square::COUNT]; 4] = {
    let (militar, estatal) = (reaches(&ORTHOGONAL), reaches(&DIAGONAL));
    let mut persona = [Reach { near: 0, far: 0 }; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        persona[index].near = NEIGHBOURS[index];
        index += 1;
    }
    [persona, estatal, militar, estatal]
};

const fn reaches(rays: &[[Ray; 4]; Square::COUNT]) -> [Reach; Square::COUNT] {
    let mut table = [Reach { near: 0, far: 0 }; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut way = 0;
        while way < 4 {
            table[index].near |= rays[index][way].next;
            table[index].far |= rays[index][way].behind;
            way += 1;
        }
        index += 1;
    }
    table
}

/// The square between two that are two steps apart in one direction.
#[inline]
pub(super) const fn middle(from: Square, to: Square) -> Squares {
    1 << usize::midpoint(from.index(), to.index())
}

/// The squares of a set and those next to them.
#[inline]
pub(super) const fn around(set: Squares) -> Squares {
    let (not_first, not_last) = (!column(0), !column(SIZE - 1));
    let wide = set | (set & not_last) << 1 | (set & not_first) >> 1;
    (wide | wide << SIZE | wide >> SIZE) & ALL
}

const fn column(x: usize) -> Squares {
    let mut set = 0;
    let mut y = 0;
    while y < SIZE {
        set |= bit(Square::at(x, y));
        y += 1;
    }
    set
}

/// All neighbours of every square.
pub(super) const NEIGHBOURS: [Squares; Square::COUNT] = neighbours();

const fn rays(directions: [(isize, isize); 4]) -> [[Ray; 4]; Square::COUNT] {
    let mut table = [[Ray { next: 0, behind: 0 }; 4]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut way = 0;
        while way < 4 {
            table[index][way] = Ray { next: step(index, directions[way], 1), behind: step(index, directions[way], 2) };
            way += 1;
        }
        index += 1;
    }
    table
}

/// The square `count` steps away, or nothing.
const fn step(index: usize, direction: (isize, isize), count: isize) -> Squares {
    let x = (index % SIZE).checked_add_signed(direction.0 * count);
    let y = (index / SIZE).checked_add_signed(direction.1 * count);
    match (x, y) {
        (Some(x), Some(y)) if x < SIZE && y < SIZE => bit(Square::at(x, y)),
        _ => 0,
    }
}

const fn neighbours() -> [Squares; Square::COUNT] {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = around(1 << index) & !(1 << index);
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use quipu_notation::games::andes::Kind;

    use super::*;

    /// The table agrees with the rays, for every kind and every two squares.
    #[test]
    fn reaches_are_rays() {
        for from in Square::all() {
            for kind in Kind::ALL {
                let rays: &[&[[Ray; 4]; Square::COUNT]] = match kind {
                    Kind::Persona => &[&ORTHOGONAL, &DIAGONAL],
                    Kind::Militar => &[&ORTHOGONAL],
                    Kind::EstatalLeft | Kind::EstatalRight => &[&DIAGONAL],
                };
                let Reach { near, far } = REACHES[kind as usize][from.index()];
                let rays: Vec<_> = rays.iter().flat_map(|table| table[from.index()]).collect();
                assert_eq!(rays.iter().fold(0, |set, ray| set | ray.next), near, "{kind:?} {from:?}");
                let behind = rays.iter().fold(0, |set, ray| set | ray.behind);
                assert_eq!(if kind == Kind::Persona { 0 } else { behind }, far, "{kind:?} {from:?}");
                for to in each(far) {
                    let ray = rays.iter().find(|ray| ray.behind == bit(to)).expect("it is on a ray");
                    assert_eq!(middle(from, to), ray.next, "{from:?} {to:?}");
                }
            }
        }
    }

    #[test]
    fn terrain_counts_of_article_7() {
        let counts = [CENTRE, SIERRA, JUNGLE, COAST, ISLANDS, CONTINENT, BORDER, DARK_BORDER].map(u64::count_ones);
        assert_eq!(counts, [1, 8, 12, 4, 4, 25, 24, 8]);
        assert_eq!((ALL & !CONTINENT & !ISLANDS).count_ones(), 20);
        assert_eq!(CENTRE & SIERRA | SIERRA & JUNGLE | JUNGLE & COAST | COAST & CENTRE, 0);
        assert_eq!(BORDER & CONTINENT, COAST);
    }

    /// 7.3.1: six squares of the continent in each sector of twelve.
    #[test]
    fn each_sector_has_six_squares_of_the_continent() {
        let sector = |marks: std::ops::RangeInclusive<u8>, scales: std::ops::RangeInclusive<u8>| {
            let squares = Square::all().filter(|square| {
                let (mark, scale) = square.coordinates(quipu_notation::Side::One);
                marks.contains(&mark) && scales.contains(&scale)
            });
            squares.map(bit).fold(0, |set, square| set | square)
        };
        for set in [sector(0..=3, 0..=2), sector(4..=6, 0..=3), sector(3..=6, 4..=6), sector(0..=2, 3..=6)] {
            assert_eq!(set.count_ones(), 12);
            assert_eq!((set & CONTINENT).count_ones(), 6);
        }
    }
}
