//! Sheets of one game: records of the same game by each player, and often by an arbiter. They count as one game. Records
//! that should be sheets of one game, but differ in moves or result, contradict each other.
//!
//! Hashes of two groups of facts find them in constant time: [`GameFacts`] are equal in sheets of one game, and [`PairingFacts`] in
//! games at the same place in a competition: event, round, leg and players. The [`EventTags`] decide among sheets with equal facts.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, Hash},
};

use quipu_notation::record::Outcome;

use super::{
    Difference, EventTags, Moves, Sheet,
    sheet::{GameFacts, PairingFacts, difference},
};
use crate::Code;

/// The codes of relations between records. No verdict has them.
pub const CODES: &[Code] = &[Code::format("sheets.same").advice(), Code::format("sheets.contradicts")];

/// Groups of sheets with the same moves, players and result with which another such sheet is compared, at most.
pub const COMPARED: usize = 100;

/// Two hashes of the same facts. Their keys are secret and new in every run, so that nobody can prepare two games with one
/// fingerprint.
type Fingerprint = [u64; 2];

/// Sheets of one game. A sheet agrees with all of them if it agrees with their merged event tags.
#[derive(Clone, Debug)]
struct Group {
    /// Place of the first.
    first: u64,
    /// The merged event tags of all.
    merged: EventTags,
    /// True if each of them has a round.
    rounds: bool,
}

impl Group {
    fn new(place: u64, event_tags: &EventTags) -> Self {
        Self { first: place, merged: event_tags.clone(), rounds: event_tags.round.is_some() }
    }

    /// Adds a sheet; false if it contradicts one of the group.
    fn join(&mut self, event_tags: &EventTags) -> bool {
        let told_apart = event_tags.long || event_tags.round.is_some() || self.rounds;
        if !told_apart || self.merged.contradicts(event_tags) {
            return false;
        }
        let EventTags { event, round, leg, board, date, long: _ } = &mut self.merged;
        for (merged, new) in [event, round, leg, board].into_iter().zip(event_tags.texts()) {
            if merged.is_none() {
                merged.clone_from(new);
            }
        }
        date.join(&event_tags.date);
        self.rounds &= event_tags.round.is_some();
        true
    }

    /// Approximate bytes in memory.
    fn size(&self) -> usize {
        let texts: usize = self.merged.texts().into_iter().flatten().map(String::len).sum();
        size_of::<(Fingerprint, Self)>() + texts + 64
    }
}

/// Groups sheets with one key, given in the order of entry: for each, the index of the first sheet of its group.
pub fn group<'o>(sheets: impl IntoIterator<Item = &'o EventTags>) -> Vec<usize> {
    let mut groups: Vec<Group> = Vec::new();
    let firsts = sheets.into_iter().enumerate().map(|(index, event_tags)| {
        let joined = groups.iter_mut().find_map(|group| group.join(event_tags).then_some(group.first));
        let first = joined.unwrap_or_else(|| {
            groups.push(Group::new(index as u64, event_tags));
            index as u64
        });
        usize::try_from(first).unwrap_or(index)
    });
    firsts.collect()
}

/// A sheet that was entered earlier, and the difference from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Its place.
    pub place: u64,
    /// The difference.
    pub difference: Difference,
}

/// The relations of a record to earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Related {
    /// Place of the first sheet of the same game.
    pub sheet_of: Option<u64>,
    /// The first sheet that it contradicts.
    pub contradicts: Option<Contradiction>,
    /// Place of an earlier game of some length with the same moves, players and result, which is another by its event, round,
    /// leg, board or date.
    pub repeats: Option<u64>,
}

/// Sheets in the order of entry. Each is compared with the earlier ones, in a time that does not grow with their number.
#[derive(Clone, Debug)]
pub struct Sheets {
    groups: HashMap<Fingerprint, Vec<Group>>,
    versions: HashMap<Fingerprint, Vec<Version>>,
    /// The keys of all groups and versions, the oldest first.
    kept: VecDeque<Evictable>,
    bytes: usize,
    /// Bytes to keep, approximately.
    limit: usize,
    forgot: bool,
}

/// The moves and the result of a sheet. Two different versions of a pairing are enough: a sheet that contradicts any sheet of
/// the pairing contradicts one of them.
#[derive(Clone, Debug)]
struct Version {
    place: u64,
    moves: Moves,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug)]
enum Evictable {
    Group(Fingerprint, u64),
    Version(Fingerprint, u64),
}

impl Version {
    fn size(&self) -> usize {
        size_of::<(Fingerprint, Self)>() + self.moves.size() + 64
    }
}

impl Default for Sheets {
    /// Keeps all games.
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

impl Sheets {
    /// Keeps about this many bytes. Beyond that it forgets the oldest games, and treats later sheets of them as first ones.
    pub fn within(bytes: usize) -> Self {
        Self {
            groups: HashMap::new(),
            versions: HashMap::new(),
            kept: VecDeque::new(),
            bytes: 0,
            limit: bytes,
            forgot: false,
        }
    }

    /// True once a game was forgotten.
    pub fn forgot(&self) -> bool {
        self.forgot
    }

    /// Adds the next sheet, and finds its relations to earlier ones.
    pub fn add(&mut self, place: u64, sheet: &Sheet) -> Related {
        let key = sheet.game_facts().map(|facts: GameFacts<'_>| self.fingerprint(facts));
        let pairing = sheet.pairing_facts().map(|facts: PairingFacts<'_>| self.fingerprint(facts));
        let repeats = key.filter(|_| sheet.event_tags.long).and_then(|key| self.groups.get(&key)?.first());
        let repeats = repeats.map(|group| group.first);
        let sheet_of = key.and_then(|key| self.joined(place, key, &sheet.event_tags));
        let repeats = repeats.filter(|_| sheet_of.is_none());
        let contradicts = pairing.and_then(|pairing| self.contradicted(place, pairing, sheet));
        while self.bytes > self.limit
            && let Some(oldest) = self.kept.pop_front()
        {
            self.forget(oldest);
        }
        Related { sheet_of, contradicts, repeats }
    }

    /// Each map has keys of its own.
    fn fingerprint(&self, facts: impl Hash + Copy) -> Fingerprint {
        [self.groups.hasher().hash_one(facts), self.versions.hasher().hash_one(facts)]
    }

    fn joined(&mut self, place: u64, key: Fingerprint, event_tags: &EventTags) -> Option<u64> {
        let groups = self.groups.entry(key).or_default();
        if let Some(group) = groups.iter_mut().find_map(|group| group.join(event_tags).then_some(&*group)) {
            return Some(group.first);
        }
        if groups.len() < COMPARED {
            let group = Group::new(place, event_tags);
            self.bytes += group.size();
            groups.push(group);
            self.kept.push_back(Evictable::Group(key, place));
        }
        None
    }

    fn contradicted(&mut self, place: u64, pairing: Fingerprint, sheet: &Sheet) -> Option<Contradiction> {
        let versions = self.versions.entry(pairing).or_default();
        let contradicted = versions.iter().find_map(|version| {
            let difference = difference([&version.moves, &sheet.moves], [version.outcome, sheet.outcome])?;
            Some(Contradiction { place: version.place, difference })
        });
        if versions.is_empty() || versions.len() == 1 && contradicted.is_some() {
            let version = Version { place, moves: sheet.moves.clone(), outcome: sheet.outcome };
            self.bytes += version.size();
            versions.push(version);
            self.kept.push_back(Evictable::Version(pairing, place));
        }
        contradicted
    }

    fn forget(&mut self, oldest: Evictable) {
        self.forgot = true;
        let bytes = match oldest {
            Evictable::Group(key, place) => {
                removed(&mut self.groups, key, |group| group.first == place).map(|group| group.size())
            }
            Evictable::Version(pairing, place) => {
                removed(&mut self.versions, pairing, |version| version.place == place).map(|version| version.size())
            }
        };
        // A group may have grown since it was counted.
        self.bytes = self.bytes.saturating_sub(bytes.unwrap_or_default());
    }
}

/// Removes one of the values of a key, and the key with its last value.
fn removed<T>(of: &mut HashMap<Fingerprint, Vec<T>>, key: Fingerprint, is_wanted: impl Fn(&T) -> bool) -> Option<T> {
    let things = of.get_mut(&key)?;
    let thing = things.iter().position(is_wanted).map(|index| things.remove(index));
    if things.is_empty() {
        of.remove(&key);
    }
    thing
}
