//! The levels of blocks, and the order in which small blocks are merged into larger ones.
//!
//! A segment of level 0 has 512 changes, one of the next level those of sixteen. A block has the entries of a segment for one
//! prefix of fingerprints. There are sixteen times as many prefixes on each next level, so blocks of all levels have about the
//! same size, a merge reads sixteen blocks and writes sixteen, and a query reads at most 32 of each level. The entries of a
//! segment are merged prefix by prefix while the next segments come: after every fourth segment of level 0, each level takes one
//! step. A segment is merged whole before the next of its level begins.

use super::block::Fingerprint;
use crate::model::Number;

/// Changes of a segment of level 0.
pub(super) const SEGMENT: Number = 512;
/// Segments of a level that make one of the next.
pub(super) const FAN: Number = 16;
/// The highest level. Its segments have half a billion changes, and are not merged.
pub(super) const HIGHEST: u32 = 5;
/// Bits of the prefix on level 0, and how many more the next level has.
const BITS: u32 = 2;
const MORE_BITS: u32 = 4;
/// Segments of level 0 between two steps of a level.
const PACE: Number = 4;

/// Changes of a segment.
pub(super) const fn span(level: u32) -> Number {
    SEGMENT * FAN.pow(level)
}

/// The prefix of a fingerprint.
pub(super) fn prefix_of(level: u32, fingerprint: Fingerprint) -> u32 {
    fingerprint >> (Fingerprint::BITS - bits(level))
}

/// The first fingerprint with a prefix.
pub(super) fn first_of(level: u32, prefix: u32) -> Fingerprint {
    prefix << (Fingerprint::BITS - bits(level))
}

const fn bits(level: u32) -> u32 {
    BITS + MORE_BITS * level
}

/// A step: the blocks with a prefix of the level below, in the segments that make a segment, are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merge {
    /// The level of the new blocks.
    pub(super) level: u32,
    /// The segment of the new blocks.
    pub(super) segment: Number,
    /// The prefix of the merged blocks.
    pub(super) prefix: u32,
}

/// The steps when this many segments of level 0 are there.
pub(super) fn merges(segments: Number) -> Vec<Merge> {
    let mut merges = Vec::new();
    // Segments of level 0 after which the blocks that a segment is merged from are whole.
    let mut delay = 0;
    for level in 1..=HIGHEST {
        let whole = FAN.pow(level);
        let now = segments - delay;
        if now < whole {
            break;
        }
        if now % PACE == 0 {
            let prefix = u32::try_from(now % whole / PACE).unwrap_or_default();
            merges.push(Merge { level, segment: now / whole - 1, prefix });
        }
        delay += whole;
    }
    merges
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Blocks exist when they are merged, each once; no fingerprint has more of a level than documented.
    #[test]
    fn every_block_is_merged_once_and_in_time() {
        let mut blocks: BTreeSet<(u32, u32, Number)> = BTreeSet::new();
        let mut most = 0;
        for segments in 1..=9_000 {
            for prefix in 0..4 {
                assert!(blocks.insert((0, prefix, segments - 1)));
            }
            for Merge { level, segment, prefix } in merges(segments) {
                for part in FAN * segment..FAN * (segment + 1) {
                    assert!(blocks.remove(&(level - 1, prefix, part)), "{segments}: {level} {segment} {prefix}");
                }
                for part in 0..16 {
                    assert!(blocks.insert((level, 16 * prefix + part, segment)));
                }
            }
            // The first and the last prefix have the fewest and the most.
            for fingerprint in [0, Fingerprint::MAX] {
                let of = |level| {
                    let prefix = prefix_of(level, fingerprint);
                    blocks.range((level, prefix, 0)..=(level, prefix, Number::MAX)).count()
                };
                most = most.max((0..3).map(of).max().unwrap_or_default());
                // Together they cover every segment once, the older ones on higher levels.
                let mut next = 0;
                for level in (0..4).rev() {
                    let prefix = prefix_of(level, fingerprint);
                    for (_, _, segment) in blocks.range((level, prefix, 0)..=(level, prefix, Number::MAX)) {
                        assert_eq!(segment * FAN.pow(level), next, "{segments}");
                        next += FAN.pow(level);
                    }
                }
                assert_eq!(next, segments);
            }
        }
        assert!((17..=32).contains(&most), "{most}");
    }

    #[test]
    fn prefixes_are_the_first_bits() {
        assert_eq!([0, 1, 2].map(|level| prefix_of(level, 0xdead_beef)), [3, 0x37, 0x37a]);
        for level in 0..=HIGHEST {
            let prefix = prefix_of(level, 0xdead_beef);
            assert_eq!(prefix_of(level, first_of(level, prefix)), prefix);
            assert!(first_of(level, prefix) <= 0xdead_beef);
        }
    }
}
