//! Chance that is the same on every machine: `SplitMix64`.

use quipu_referee::games::brandubh::{Rules, Throne};

use super::reference::Reference;

/// Throws one number after the other from a seed.
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % sides as u64).expect("it is below a usize")
    }

    pub(crate) fn pick<T: Clone>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())].clone()
    }

    /// Pieces anywhere, often close together, that can be played from; somebody may already have won.
    pub(crate) fn arrangement(&mut self, rules: Rules) -> Reference {
        loop {
            let (width, height) = (3 + self.below(5), 3 + self.below(5));
            let (left, top) = (self.below(8 - width), self.below(8 - height));
            let mut board = [[b'.'; 7]; 7];
            let (black, red) = (self.below(5), self.below(9));
            for piece in [&b"K"[..], &b"TTTT"[..black], &b"tttttttt"[..red]].concat() {
                let (column, row) = (left + self.below(width), top + self.below(height));
                let throne = (column, row) == (3, 3) && rules.centre != Throne::Open
                    || [0, 6].contains(&column) && [0, 6].contains(&row) && rules.corners != Throne::Open;
                let square = &mut board[row][column];
                if *square == b'.' && (piece == b'K' || !throne) {
                    *square = piece;
                }
            }
            let row = |row: &[u8; 7]| {
                let row = String::from_utf8_lossy(row).into_owned();
                (1..=7).rev().fold(row, |row, run| row.replace(&".".repeat(run), &run.to_string()))
            };
            let rows = board.each_ref().map(row).join("/");
            let (turn, ply) = (self.pick(&["n", "r"]), self.below(120));
            if let Some(position) = Reference::read(rules, &format!("{rows} {turn} {ply}")) {
                return position;
            }
        }
    }
}
