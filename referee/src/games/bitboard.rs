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
