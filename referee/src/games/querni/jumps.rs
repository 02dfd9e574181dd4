//! Jumps: hops, and the paths that they make.
//!
//! A position can have two million paths for one piece. This module counts and lists them; judging a path, or testing
//! for any, does not iterate over them.

use quipu_notation::games::querni::{COLUMNS, Square};

use super::board::{self, Squares, WAYS};

/// The most squares that a jump can land on. A hop changes column and row by two or not at all, so all its squares
/// share both parities with the origin: at most 5 x 4, of which the origin is one.
const MAX_LANDINGS: usize = ALIKE - 1;

/// The most squares that share both parities.
const ALIKE: usize = 20;

/// The squares of them in a row.
const WIDTH: usize = COLUMNS / 2;

/// The squares of a motion after its origin, in order: one for a step, one or more for a jump.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    squares: [Square; MAX_LANDINGS],
    length: u8,
}

impl Path {
    /// No square yet.
    pub(super) const EMPTY: Self = Self { squares: [Square::at(0, 0); MAX_LANDINGS], length: 0 };

    /// The path to one square.
    #[inline]
    pub(super) fn to(square: Square) -> Self {
        let mut path = Self::EMPTY;
        path.push(square);
        path
    }

    /// Appends a square.
    #[inline]
    pub(super) fn push(&mut self, square: Square) {
        self.squares[usize::from(self.length)] = square;
        self.length += 1;
    }

    fn pop(&mut self) {
        self.length -= 1;
    }

    /// The squares.
    #[inline]
    pub fn squares(&self) -> &[Square] {
        &self.squares[..usize::from(self.length)]
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.squares() == other.squares()
    }
}

impl Eq for Path {}

/// A set of squares that share both parities, one bit each in the order of [`Square::all`].
type Landings = u32;

/// The parities of a square as a number from 0 to 3.
const fn parities(square: Square) -> usize {
    let (x, y) = square.coordinates();
    y % 2 * 2 + x % 2
}

/// The rank of a square among those with its parities.
const fn rank(square: Square) -> usize {
    let (x, y) = square.coordinates();
    y / 2 * WIDTH + x / 2
}

/// The parities and the rank of every square, and back.
const RANKS: [(u8, u8); Square::COUNT] = ranks();
const RANKED: [[Square; ALIKE]; 4] = ranked();
/// The squares of each parities.
const OF_PARITIES: [Squares; 4] = of_parities();

#[expect(clippy::cast_possible_truncation, reason = "both are small")]
const fn ranks() -> [(u8, u8); Square::COUNT] {
    let mut table = [(0, 0); Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::from_index(index);
        table[index] = (parities(square) as u8, rank(square) as u8);
        index += 1;
    }
    table
}

const fn ranked() -> [[Square; ALIKE]; 4] {
    let mut table = [[Square::at(0, 0); ALIKE]; 4];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::from_index(index);
        table[parities(square)][rank(square)] = square;
        index += 1;
    }
    table
}

const fn of_parities() -> [Squares; 4] {
    let mut table = [0; 4];
    let mut index = 0;
    while index < Square::COUNT {
        table[parities(Square::from_index(index))] |= 1 << index;
        index += 1;
    }
    table
}

/// The parities and the rank of a square.
fn ranked_as(square: Square) -> (usize, usize) {
    let (parities, rank) = RANKS[square.index()];
    (usize::from(parities), usize::from(rank))
}

/// The ranks in a set, in order.
fn each_rank(mut set: Landings) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let rank = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(rank)
    })
}

/// The destinations of one hop from each square of a position, by parities and rank. The origin of the moving piece
/// counts as occupied, which makes no difference: no hop passes over it or lands on it.
pub(super) struct Hops([[Landings; ALIKE]; 4]);

impl Hops {
    /// The hops from the squares of `sources` and from the empty ones.
    pub(super) fn new(occupied: Squares, sources: Squares) -> Self {
        let mut hops = [[0; ALIKE]; 4];
        for way in WAYS {
            for from in board::each(way.hops(occupied) & (sources | !occupied)) {
                let (parities, rank) = ranked_as(from);
                hops[parities][rank] |= 1 << ranked_as(way.landing(from)).1;
            }
        }
        Self(hops)
    }

    /// True if a piece on this square can jump.
    pub(super) fn any(&self, from: Square) -> bool {
        let (parities, rank) = ranked_as(from);
        self.0[parities][rank] != 0
    }

    /// The squares that one hop leads to.
    pub(super) fn from(&self, square: Square) -> impl Iterator<Item = Square> {
        let (parities, rank) = ranked_as(square);
        each_rank(self.0[parities][rank]).map(move |rank| RANKED[parities][rank])
    }

    /// Calls `each` with every path of a piece.
    pub(super) fn each_path(&self, from: Square, mut each: impl FnMut(&Path)) {
        let (parities, rank) = ranked_as(from);
        let hops = &self.0[parities];
        extend(hops, &RANKED[parities], hops[rank], !0, &mut Path::EMPTY.clone(), &mut each);
    }

    /// The sum over all paths of a piece of the worth of their last squares: `most_are`, or `worth` for the squares of
    /// `others`.
    pub(super) fn sum(&self, from: Square, most_are: u64, others: Squares, worth: impl Fn(Square) -> u64) -> u64 {
        let (parities, rank) = ranked_as(from);
        let mut worths = [most_are; ALIKE];
        for square in board::each(others & OF_PARITIES[parities]) {
            worths[ranked_as(square).1] = worth(square);
        }
        let hops = &self.0[parities];
        sum(hops, &worths, hops[rank], !0)
    }
}

/// Calls `each` with every path that continues to one of the squares of `open`.
fn extend(
    hops: &[Landings; ALIKE],
    squares: &[Square; ALIKE],
    open: Landings,
    fresh: Landings,
    path: &mut Path,
    each: &mut impl FnMut(&Path),
) {
    for rank in each_rank(open) {
        let fresh = fresh & !(1 << rank);
        path.push(squares[rank]);
        each(path);
        extend(hops, squares, hops[rank] & fresh, fresh, path, each);
        path.pop();
    }
}

fn sum(hops: &[Landings; ALIKE], worths: &[u64; ALIKE], open: Landings, fresh: Landings) -> u64 {
    let mut total = 0;
    for rank in each_rank(open) {
        let fresh = fresh & !(1 << rank);
        total += worths[rank];
        let next = hops[rank] & fresh;
        if next != 0 {
            total += sum(hops, worths, next, fresh);
        }
    }
    total
}
