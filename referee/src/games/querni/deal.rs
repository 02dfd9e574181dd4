//! The start that quipu deals, reproducible from the seed.

use quipu_notation::{
    Side,
    games::querni::{COLUMNS, Number, Piece, Square},
};

use super::Position;

/// Rows of the squares that pieces are dealt on, from the top and from 0: 6, 5, 3 and 2.
const ROWS: [usize; 4] = [1, 2, 4, 5];

/// The pieces of both sides.
const PIECES: usize = 2 * Number::COUNT;

/// The squares b to i of these rows, which are those around eight vertices, in the order of position strings.
fn squares() -> impl Iterator<Item = Square> {
    ROWS.into_iter().flat_map(|y| (1..COLUMNS - 1).map(move |x| Square::at(x, y)))
}

/// Deals the 32 pieces: shuffled from azul's 1 to rosa's 16 by Fisher and Yates, from the last place down, then laid
/// out square by square.
pub(super) fn deal(seed: u64, turn: Side) -> Position {
    let mut random = SplitMix64(seed);
    let mut order: [usize; PIECES] = std::array::from_fn(|index| index);
    for place in (1..PIECES).rev() {
        order.swap(place, random.below(place + 1));
    }
    let mut position = Position::empty(turn);
    for (square, index) in squares().zip(order) {
        let side = Side::BOTH[index / Number::COUNT];
        position.put(Piece { side, number: Number::from_index(index % Number::COUNT) }, square);
    }
    position
}

/// `SplitMix64`, the generator of Steele, Lea and Flood (2014), whose state is one number.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A uniform number below `count`: numbers beyond its last whole multiple are drawn again.
    fn below(&mut self, count: usize) -> usize {
        let count = count as u64;
        let beyond = (u64::MAX % count + 1) % count;
        loop {
            let drawn = self.next();
            if drawn <= u64::MAX - beyond {
                #[expect(clippy::cast_possible_truncation, reason = "it is below a count")]
                return (drawn % count) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that the author's own program draws from the seed 1234567.
    #[test]
    fn the_generator_is_the_known_one() {
        let mut random = SplitMix64(1_234_567);
        let drawn = [(); 5].map(|()| random.next());
        let known = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, known);
    }

    #[test]
    fn each_piece_is_dealt_once_and_all_squares_are_taken() {
        for seed in 0..200 {
            let position = deal(seed, Side::One);
            assert_eq!(position.counts(), [16, 16]);
            assert!(squares().all(|square| position.piece(square).is_some()));
        }
    }

    /// Every piece is dealt to every square: in 3 200 deals each pair occurs a hundred times on average.
    #[test]
    fn every_piece_comes_to_every_square() {
        let mut seen = [[0; PIECES]; PIECES];
        for seed in 0..3_200 {
            let position = deal(seed, Side::One);
            for (row, square) in seen.iter_mut().zip(squares()) {
                let piece = position.piece(square).unwrap();
                row[piece.side.index() * Number::COUNT + piece.number.index()] += 1;
            }
        }
        assert!(seen.as_flattened().iter().all(|times| (50..=150).contains(times)), "{seen:?}");
    }
}
