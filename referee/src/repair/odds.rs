//! Costs and likelihoods: 10 more in cost is ten times less likely.

use crate::slips::Cost;

/// The powers of a tenth between 0 and 1, in thousandths.
const TENTHS: [u64; 10] = [1000, 794, 631, 501, 398, 316, 251, 200, 158, 126];

/// The likelihood of a cost in millionths.
pub(super) fn likelihood(cost: Cost) -> u64 {
    let (whole, part) = (cost / 10, cost as usize % TENTHS.len());
    10u64.checked_pow(whole).map_or(0, |power| 1_000 * TENTHS[part] / power)
}

/// Cost of one of so many equally likely ways, given in thousandths.
pub(super) fn one_of(thousandths: u64) -> Cost {
    let mut cost = 0;
    // A way of a cost has 1 / TENTHS of the likelihood.
    while cost < 200 && thousandths.saturating_mul(likelihood(cost)) > 1_100_000_000 {
        cost += 1;
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_as_many_ways_cost_ten_more() {
        assert_eq!([1_000, 2_000, 10_000, 20_000, 1_000_000].map(one_of), [0, 3, 10, 13, 30]);
        assert_eq!([0, 3, 10, 25, 60, 1_000].map(likelihood), [1_000_000, 501_000, 100_000, 3_160, 1, 0]);
    }
}
