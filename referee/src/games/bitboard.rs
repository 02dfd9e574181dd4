//! Sets of squares as bits, for the boards of several games.

/// The indices of the bits that are set, in order.
pub(super) fn indices(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let index = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(index)
    })
}

/// The squares of `prey` that are next to a square on a board of `SIZE` files and ranks, and have one of `behind` directly behind
/// them. All four directions together take less than a loop.
#[inline]
pub(super) const fn enclosed<const SIZE: usize>(from: u64, prey: u64, behind: u64) -> u64 {
    const fn along(by: usize, from: u64, prey: u64, behind: u64) -> u64 {
        prey & (from << by & behind >> by | from >> by & behind << by)
    }
    // Squares of the inner files have both neighbours on their rank; beyond the first and last rank there are no bits.
    along(SIZE, from, prey, behind) | along(1, from, prey & inner_files::<SIZE>(), behind)
}

/// The files of a board but for the first and the last.
const fn inner_files<const SIZE: usize>() -> u64 {
    const {
        let mut files = 0;
        let mut index = 0;
        while index < SIZE * SIZE {
            if index % SIZE > 0 && index % SIZE < SIZE - 1 {
                files |= 1 << index;
            }
            index += 1;
        }
        files
    }
}
