//! Chains: consecutive numbers of a side on neighbouring squares, and the runs that can be removed.

use quipu_notation::games::querni::{Number, Run, Square};

use super::board::{NEIGHBOURS, bit};

/// The places of a side's pieces, in the order of their numbers: the index of a square, or [`OFF`].
pub(super) type Places = [u8; Number::COUNT];

/// The place of a piece off the board, which is no square and has no neighbours.
#[expect(clippy::cast_possible_truncation, reason = "the board is small")]
pub(super) const OFF: u8 = Square::COUNT as u8;

/// The place of a piece on a square.
#[expect(clippy::cast_possible_truncation, reason = "the board is small")]
#[inline]
pub(super) const fn place(square: Square) -> u8 {
    square.index() as u8
}

/// The fewest pieces of a chain.
pub(super) const MIN_CHAIN: usize = 3;

/// The links of a side, one bit for each number whose piece is a neighbour of the next: bit 0 if 1 and 2 are
/// neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Links(u16);

/// True for each two places that are neighbours.
const NEAR: [[bool; PLACES]; PLACES] = near();

/// The number of places: the squares, and [`OFF`].
const PLACES: usize = Square::COUNT + 1;

const fn near() -> [[bool; PLACES]; PLACES] {
    let mut table = [[false; PLACES]; PLACES];
    let mut index = 0;
    while index < Square::COUNT * Square::COUNT {
        let (one, other) = (index / Square::COUNT, index % Square::COUNT);
        table[one][other] = NEIGHBOURS[one] & bit(Square::from_index(other)) != 0;
        index += 1;
    }
    table
}

/// The number of a side's piece on a square. All places are compared at once, because the end of a search is
/// unpredictable for the processor: the borrow of a subtraction marks each byte where place and square are equal.
#[inline]
pub(super) fn number_at(places: &Places, square: Square) -> Option<Number> {
    const ONES: u128 = u128::MAX / 0xff;
    const TOPS: u128 = ONES << 7;
    let differing = u128::from_le_bytes(*places) ^ u128::from_le_bytes([place(square); Number::COUNT]);
    // The lowest marked byte is right; a borrow may have marked those above it.
    let equal = differing.wrapping_sub(ONES) & !differing & TOPS;
    (equal != 0).then(|| Number::from_index(equal.trailing_zeros() as usize / 8))
}

/// The places of the pieces with the number before and after this one; [`OFF`] if there is none.
#[inline]
pub(super) fn next_in_number(places: &Places, number: Number) -> [u8; 2] {
    let place = |index: Option<usize>| index.and_then(|index| places.get(index)).copied().unwrap_or(OFF);
    [place(number.index().checked_sub(1)), place(Some(number.index() + 1))]
}

/// The bits of the links of a piece: to the number before it, and to the number after it.
#[inline]
fn joints(number: Number) -> [u16; 2] {
    // Indices are less than the bits; a shift by any other would be checked.
    let after = 1 << (number.index() % Number::COUNT);
    [after >> 1, after]
}

/// The numbers of a run, one bit each.
#[inline]
pub(super) fn bits(run: Run) -> u16 {
    // As in `joints`. All bits up to the last one, but for those below the first one.
    let [first, last] = [run.first, run.last].map(|number| number.index() % Number::COUNT);
    u16::MAX >> (Number::COUNT - 1 - last) & u16::MAX << first
}

impl Links {
    /// The links of a side without pieces.
    pub(super) const NONE: Self = Self(0);

    /// The links of a side with pieces at these places.
    pub(super) fn of(places: &Places) -> Self {
        let pairs = places.windows(2).enumerate();
        let near = |pair: &[u8]| NEAR[usize::from(pair[0])][usize::from(pair[1])];
        Self(pairs.fold(0, |links, (index, pair)| links | u16::from(near(pair)) << index))
    }

    /// The same without the links of some pieces.
    #[inline]
    pub(super) fn without(self, run: Run) -> Self {
        let after = bits(run);
        Self(self.0 & !(after >> 1 | after))
    }

    /// The same with the links of one piece set: to the number before it, and to the number after it.
    #[inline]
    pub(super) fn with(self, number: Number, beside: [bool; 2]) -> Self {
        let [before, after] = joints(number);
        let joint = |bit, is_link| if is_link { bit } else { 0 };
        Self(self.0 & !(before | after) | joint(before, beside[0]) | joint(after, beside[1]))
    }

    /// The same with one piece moved to another square.
    #[inline]
    pub(super) fn moved(self, places: &Places, number: Number, to: Square) -> Self {
        let near = &NEAR[to.index()];
        let [before, after] = next_in_number(places, number);
        self.with(number, [near[usize::from(before)], near[usize::from(after)]])
    }

    /// The first piece of a run that is not a neighbour of the next.
    #[inline]
    pub(super) fn broken(self, run: Run) -> Option<Number> {
        let joints = run.last.index() - run.first.index();
        let missing = !self.0 >> run.first.index() & ((1 << joints) - 1);
        (missing != 0).then(|| Number::from_index(run.first.index() + missing.trailing_zeros() as usize))
    }

    /// True if anything can be removed: two consecutive links make a chain of three.
    pub(super) fn any(self) -> bool {
        self.0 & self.0 >> 1 != 0
    }

    /// The number of runs that can be removed: any of three or more, not only the longest.
    pub(super) fn count(self) -> u64 {
        let mut count = 0;
        // First the chains of three, then those of four, which are two overlapping chains of three, and so on.
        let mut chains = self.0 & self.0 >> 1;
        while chains != 0 {
            count += u64::from(chains.count_ones());
            chains &= chains >> 1;
        }
        count
    }

    /// Calls `each` with every run that can be removed.
    pub(super) fn each(self, mut each: impl FnMut(Run)) {
        let mut starts = self.0 & self.0 >> 1;
        while starts != 0 {
            let first = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            let end = first + (self.0 >> first).trailing_ones() as usize;
            for last in first + MIN_CHAIN - 1..=end {
                each(Run { first: Number::from_index(first), last: Number::from_index(last) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces in one row from the left, the others off the board.
    fn row(numbers: &[u8]) -> Places {
        let mut places = [OFF; Number::COUNT];
        for (place, number) in (0..).zip(numbers) {
            places[usize::from(*number) - 1] = place;
        }
        places
    }

    #[test]
    fn the_piece_on_a_square() {
        // Squares that differ in one bit, and some that borrow from one another.
        let places = [33, 32, 34, 1, 0, 2, 64, 69, 65, OFF, OFF, 16, 8, 17, 9, 3];
        for square in Square::all() {
            let searched = places.iter().position(|&place| usize::from(place) == square.index());
            assert_eq!(number_at(&places, square), searched.map(Number::from_index), "{square}");
        }
    }

    #[track_caller]
    fn check(numbers: &[u8], expected: &[[u8; 2]]) {
        let links = Links::of(&row(numbers));
        let mut found = Vec::new();
        links.each(|run| found.push([run.first, run.last].map(Number::get)));
        assert_eq!(found, expected, "{numbers:?}");
        assert_eq!(links.count(), expected.len() as u64, "{numbers:?}");
        assert_eq!(links.any(), !expected.is_empty(), "{numbers:?}");
    }

    #[test]
    fn runs_of_three_and_more() {
        check(&[], &[]);
        check(&[1, 2], &[]);
        check(&[1, 2, 4], &[]);
        check(&[7, 8, 9], &[[7, 9]]);
        check(&[9, 8, 7], &[[7, 9]]);
        check(&[2, 3, 4, 5], &[[2, 4], [2, 5], [3, 5]]);
        check(&[14, 15, 16], &[[14, 16]]);
        // 1 and 2 apart from 3.
        check(&[1, 2, 4, 3], &[]);
        check(&[1, 2, 3, 5, 6, 7], &[[1, 3], [5, 7]]);
    }

    #[test]
    fn where_a_run_is_broken() {
        let links = Links::of(&row(&[1, 2, 3, 5, 6, 7, 16, 15, 14]));
        let broken = |first: usize, last: usize| {
            let run = Run { first: Number::from_index(first - 1), last: Number::from_index(last - 1) };
            links.broken(run).map(Number::get)
        };
        assert_eq!([broken(1, 3), broken(5, 7), broken(14, 16)], [None; 3]);
        assert_eq!([broken(1, 4), broken(2, 7), broken(1, 16), broken(13, 16)], [Some(3), Some(3), Some(3), Some(13)]);
    }

    #[test]
    fn a_whole_side_in_one_chain() {
        // Rows one below the other in alternating directions: the longest possible chain.
        let places = [0, 1, 2, 3, 4, 5, 6, 7, 17, 16, 15, 14, 13, 12, 11, 10];
        assert_eq!(Links::of(&places).count(), 105);
    }

    #[test]
    fn a_piece_that_moves_takes_its_links_along() {
        let places = row(&[1, 2, 3, 4]);
        for number in Number::all() {
            for to in Square::all() {
                let mut after = places;
                after[number.index()] = u8::try_from(to.index()).unwrap();
                let before = Links::of(&places);
                assert_eq!(before.moved(&places, number, to), Links::of(&after), "{number} to {to}");
                after[number.index()] = OFF;
                assert_eq!(before.without(Run { first: number, last: number }), Links::of(&after), "{number}");
            }
        }
    }
}
