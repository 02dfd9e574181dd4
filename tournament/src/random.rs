//! Random numbers from a seed, the same everywhere: `SplitMix64` by Steele, Lea and Flood.

/// A generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below a limit, which is not zero. All are equally likely up to one part in 2^32.
    pub fn below(&mut self, limit: usize) -> usize {
        let product = u128::from(self.bits()) * limit as u128;
        usize::try_from(product >> 64).expect("the product's upper half is below the limit")
    }
}
