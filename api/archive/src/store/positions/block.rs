//! Entries of a block as bytes: a few for each, because they are sorted and hold only differences.
//!
//! For each fingerprint in order: its difference to the one before, doubled, plus one if several games have it; then, if so, the
//! number of games less two; then the offset of each game, from the second on as the difference to the one before, less one. All
//! are LEB128 numbers.

/// The first bits of the key of a position.
pub(super) type Fingerprint = u32;

/// A game that has a position with this fingerprint, by the offset of its verdict in the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockEntry {
    pub(super) fingerprint: Fingerprint,
    pub(super) offset: u32,
}

/// Writes entries, which are sorted and different, of fingerprints from `first` on.
pub(super) fn encode(entries: &[BlockEntry], first: Fingerprint) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5 * entries.len());
    let mut before = first;
    for games in entries.chunk_by(|one, other| one.fingerprint == other.fingerprint) {
        let [one, others @ ..] = games else { continue };
        let several = u64::from(!others.is_empty());
        put(&mut bytes, u64::from(one.fingerprint - before) * 2 + several);
        before = one.fingerprint;
        if !others.is_empty() {
            put(&mut bytes, others.len() as u64 - 1);
        }
        put(&mut bytes, one.offset.into());
        for pair in games.windows(2) {
            put(&mut bytes, u64::from(pair[1].offset - pair[0].offset) - 1);
        }
    }
    bytes
}

/// Reads the entries of a block; none if its bytes are damaged.
pub(super) fn decode(bytes: &[u8], first: Fingerprint) -> Option<Vec<BlockEntry>> {
    let mut entries = Vec::with_capacity(bytes.len() / 4);
    each_group(bytes, first, |fingerprint, games| {
        entries.extend(games.iter().map(|&offset| BlockEntry { fingerprint, offset }));
        true
    })?;
    Some(entries)
}

/// The offsets of the games with a fingerprint; none if the bytes of the block are damaged.
pub(super) fn find(bytes: &[u8], first: Fingerprint, sought: Fingerprint) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    each_group(bytes, first, |fingerprint, games| {
        if fingerprint == sought {
            found.extend_from_slice(games);
        }
        fingerprint < sought
    })?;
    Some(found)
}

/// Calls `each` with every fingerprint and the offsets of its games, until it returns false.
fn each_group(mut bytes: &[u8], first: Fingerprint, mut each: impl FnMut(Fingerprint, &[u32]) -> bool) -> Option<()> {
    let mut fingerprint = first;
    let mut games = Vec::new();
    while !bytes.is_empty() {
        let number = take(&mut bytes)?;
        fingerprint = fingerprint.checked_add(u32::try_from(number / 2).ok()?)?;
        // An entry takes a byte or more, so the list is not longer than the block.
        let others = if number % 2 == 1 { take(&mut bytes)?.checked_add(1)? } else { 0 };
        let mut offset = u32::try_from(take(&mut bytes)?).ok()?;
        games.clear();
        games.push(offset);
        for _ in 0..others {
            let difference = u32::try_from(take(&mut bytes)?).ok()?;
            offset = offset.checked_add(difference)?.checked_add(1)?;
            games.push(offset);
        }
        if !each(fingerprint, &games) {
            break;
        }
    }
    Some(())
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    // Five bytes hold a doubled fingerprint.
    for shift in 0..5 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * shift);
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::{collection::btree_set, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn entries_read_back(
            first in any::<u32>(),
            entries in btree_set((prop_oneof![0..50_u32, any::<u32>()], prop_oneof![0..9_u32, any::<u32>()]), 0..200),
        ) {
            let entries: Vec<_> = entries
                .into_iter()
                .filter(|(fingerprint, _)| *fingerprint >= first)
                .map(|(fingerprint, offset)| BlockEntry { fingerprint, offset })
                .collect();
            let bytes = encode(&entries, first);
            for entry in &entries {
                let same = entries.iter().filter(|other| other.fingerprint == entry.fingerprint);
                let same: Vec<_> = same.map(|other| other.offset).collect();
                prop_assert_eq!(find(&bytes, first, entry.fingerprint), Some(same));
            }
            prop_assert_eq!(decode(&bytes, first), Some(entries));
        }

        #[test]
        fn damaged_blocks_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let read = decode(&bytes, 0);
            prop_assert!(read.is_none_or(|entries| entries.len() <= bytes.len()));
        }
    }
}
