//! Weights of edges: several criteria in one number, the first one deciding.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Words of a weight, compared one after the other. Sums and differences are by word: no word carries into the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight<const N: usize>(pub(crate) [i128; N]);

impl<const N: usize> Weight<N> {
    /// Nothing.
    pub(crate) const ZERO: Self = Self([0; N]);

    /// Half of a weight whose words are even.
    pub(super) fn half(self) -> Self {
        debug_assert!(self.0.iter().all(|word| word % 2 == 0), "an odd weight: {self:?}");
        Self(self.0.map(|word| word / 2))
    }

    /// Half of a weight, each word rounded up.
    pub(super) fn half_up(self) -> Self {
        Self(self.0.map(|word| word.div_euclid(2) + word.rem_euclid(2)))
    }

    /// Twice a weight.
    pub(super) fn double(self) -> Self {
        self + self
    }
}

impl<const N: usize> Add for Weight<N> {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl<const N: usize> Sub for Weight<N> {
    type Output = Self;

    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<const N: usize> AddAssign for Weight<N> {
    fn add_assign(&mut self, other: Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word += more;
        }
    }
}

impl<const N: usize> SubAssign for Weight<N> {
    fn sub_assign(&mut self, other: Self) {
        for (word, less) in self.0.iter_mut().zip(other.0) {
            *word -= less;
        }
    }
}

/// A criterion's place in a weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    word: usize,
    shift: u32,
}

/// The layout of weights: fields from the most important to the least, none of which a sum over a matching overflows.
#[derive(Debug)]
pub(crate) struct Layout {
    word: usize,
    free: u32,
}

impl Layout {
    /// Bits of a word that fields use. The rest is for sums along paths of the search.
    const BITS: u32 = 96;

    /// No fields yet.
    pub(crate) const fn new() -> Self {
        Self { word: 0, free: Self::BITS }
    }

    /// The next field; `most` is the greatest sum of its values over a matching.
    pub(crate) fn field(&mut self, most: u64) -> Field {
        let bits = u64::BITS - most.leading_zeros() + 1;
        if bits > self.free {
            self.word += 1;
            self.free = Self::BITS;
        }
        self.free -= bits;
        Field { word: self.word, shift: self.free }
    }

    /// Words that the fields take.
    pub(crate) const fn words(&self) -> usize {
        self.word + 1
    }
}

impl Field {
    /// Adds to a field of a weight.
    pub(crate) fn add<const N: usize>(self, weight: &mut Weight<N>, value: i128) {
        weight.0[self.word] += value << self.shift;
    }

    /// A weight with this field alone.
    pub(crate) fn of<const N: usize>(self, value: i128) -> Weight<N> {
        let mut weight = Weight::ZERO;
        self.add(&mut weight, value);
        weight
    }
}
