//! Sheets of one game: records of the same game by each player, and often by an arbiter. They count as one game. Records
//! that should be sheets of one game, but differ in moves or result, contradict each other.
//!
//! Two keys find them in constant time: [`Sheet::key`] is equal for sheets of one game, and [`Sheet::seat`] for games at
//! the same place in a competition: event, round, leg and players. The [`Occasion`] decides among sheets with equal keys.

use std::collections::{HashMap, VecDeque};

use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Outcome, Record, write},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Aliases, known_value, normal};
use crate::{Code, Referee, Status, Verdict, games};

/// The codes of relations between records. No verdict has them.
pub const CODES: &[Code] = &[Code::format("sheets.same").advice(), Code::format("sheets.contradicts")];

/// Plies of a game, at least, for its sheets to be recognized without a round.
const LONG: usize = 8;
/// Groups of sheets with the same moves, players and result with which another such sheet is compared, at most.
pub const COMPARED: usize = 100;

/// The first half of a SHA-256 hash.
pub type SheetKey = [u8; 16];

/// The facts of a record that decide which other records are sheets of the same game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    game: &'static GameNotation,
    /// Hash of the game, its rule set, start, moves and result; none if the record is not verified.
    played: Option<SheetKey>,
    players: [String; 2],
    occasion: Occasion,
    /// The result, if there is one: that of the verdict if it is verified, or else the claimed one.
    outcome: Option<Outcome>,
    moves: Moves,
    key: Option<SheetKey>,
    seat: Option<SheetKey>,
}

/// The tokens of a record, with a space after each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves(Box<str>);

/// The event, round, leg, board and date of a game, as far as a sheet has them. Texts are compared as names are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occasion {
    event: Option<String>,
    round: Option<String>,
    leg: Option<String>,
    board: Option<String>,
    date: PlayDate,
    /// True if the game has at least [`LONG`] plies.
    long: bool,
}

/// A day of play that may be partly unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PlayDate {
    /// Year, month and day.
    Parts([Option<u16>; 3]),
    /// A text in another form than that of the tag `Date`.
    Text(String),
}

impl Default for PlayDate {
    fn default() -> Self {
        Self::Parts([None; 3])
    }
}

impl Sheet {
    /// The facts of a record; none if its game is unknown or a player has no name. `moves` are those of its canonical text.
    pub fn new(record: &Record<'_>, verdict: &Verdict, moves: Moves, aliases: &Aliases) -> Option<Self> {
        let game = record.game()?;
        let referee = games::find(game.id)?;
        let player = |side| known_value(record, game.side(side).tag).map(|name| normal(aliases.resolve(name)));
        let players = [player(Side::One)?, player(Side::Two)?];
        let found = verdict.finding.map(|finding| finding.outcome);
        let claimed = || record.result.map(|result| result.value).or_else(|| Outcome::parse(record.value("Result")?));
        let is_verified = verdict.status == Status::Verified;
        // A rejected sheet is compared by the result that it claims.
        let merged = if is_verified { found } else { claimed() };
        let outcome = merged.filter(|outcome| *outcome != Outcome::Open);
        let digest = is_verified.then_some(outcome).flatten().map(|outcome| {
            let rules = verdict.rules.unwrap_or_default();
            hash(&[game.id, rules, &start(referee, record), &moves.0, outcome.as_str()])
        });
        let occasion = Occasion::new(record, moves.tokens().take(LONG).count() == LONG);
        Some(Self { game, played: digest, players, occasion, outcome, moves, key: None, seat: None }.with_keys())
    }

    /// A sheet of a verified game by its key and occasion alone, which show other sheets of the game.
    pub(super) fn with_key(
        game: &'static GameNotation,
        players: [String; 2],
        key: SheetKey,
        occasion: Occasion,
    ) -> Self {
        let moves = Moves::default();
        Self { game, played: None, players, occasion, outcome: None, moves, key: Some(key), seat: None }
    }

    fn with_keys(self) -> Self {
        let [one, two] = &self.players;
        let key = self.played.map(|played| hash(&[played.as_slice(), one.as_bytes(), two.as_bytes()]));
        let seat = match &self.occasion {
            Occasion { event: Some(event), round: Some(round), leg, .. } if self.outcome.is_some() => {
                Some(hash(&[self.game.id, event, round, leg.as_deref().unwrap_or_default(), one, two]))
            }
            _ => None,
        };
        Self { key, seat, ..self }
    }

    /// The same record with other names of its players, such as those of the players into which they are merged.
    #[must_use]
    pub fn with_players(self, names: [&str; 2]) -> Self {
        Self { players: names.map(normal), ..self }.with_keys()
    }

    /// The same record without its moves, which only [`Sheet::difference`] and [`Sheets`] need.
    #[must_use]
    pub fn without_moves(self) -> Self {
        Self { moves: Moves::default(), ..self }
    }

    /// Equal for records whose game, rule set, start, moves, result and players are the same. None if the record is not verified.
    pub fn key(&self) -> Option<SheetKey> {
        self.key
    }

    /// Equal for records of the same event, round, leg and players. None if event or round is unknown, or there is no result.
    pub fn seat(&self) -> Option<SheetKey> {
        self.seat
    }

    /// The event, round, leg, board and date.
    pub fn occasion(&self) -> &Occasion {
        &self.occasion
    }

    /// The difference between this sheet and one that was entered later, if there is one.
    pub fn difference(&self, later: &Self) -> Option<Difference> {
        difference([&self.moves, &later.moves], [self.outcome, later.outcome])
    }
}

/// The start position of a record; empty if it is the usual one of the game.
fn start(referee: &dyn Referee, record: &Record<'_>) -> String {
    if record.tag("Setup").is_none() && record.tag("First").is_none() {
        return String::new();
    }
    let start = referee.start(record).map(|board| board.position()).unwrap_or_default();
    let usual = referee.board(record.value("Rules"), None).map(|board| board.position());
    if usual.is_ok_and(|usual| usual == start) { String::new() } else { start }
}

/// Hash of texts, each prefixed with its length.
fn hash<T: AsRef<[u8]>>(texts: &[T]) -> SheetKey {
    let mut hash = Sha256::new();
    for text in texts {
        let text = text.as_ref();
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let hash: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|index| hash[index])
}

impl<'t> FromIterator<&'t str> for Moves {
    fn from_iter<I: IntoIterator<Item = &'t str>>(tokens: I) -> Self {
        Self(tokens.into_iter().fold(String::new(), |text, token| text + token + " ").into())
    }
}

impl Moves {
    /// Those of a canonical text.
    pub fn of_text(text: &str) -> Self {
        Self(write::moves(text).into())
    }

    fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(' ')
    }
}

impl Occasion {
    fn new(record: &Record<'_>, long: bool) -> Self {
        let text = |name| known_value(record, name).map(normal);
        Self {
            event: text("Event"),
            round: text("Round"),
            leg: text("Leg"),
            board: text("Board"),
            date: known_value(record, "Date").map_or_else(PlayDate::default, PlayDate::new),
            long,
        }
    }

    /// The texts other than the date.
    fn texts(&self) -> [&Option<String>; 4] {
        [&self.event, &self.round, &self.leg, &self.board]
    }

    fn contradicts(&self, other: &Self) -> bool {
        let differ =
            |(one, other): (&Option<String>, &Option<String>)| one.is_some() && other.is_some() && one != other;
        self.texts().into_iter().zip(other.texts()).any(differ) || self.date.contradicts(&other.date)
    }
}

impl PlayDate {
    /// Parts are separated by `.`, `-` or `/`, year first. One with `?` is unknown, and so is a missing one.
    fn new(text: &str) -> Self {
        let other = || Self::Text(normal(text));
        let mut parts = text.trim().split(['.', '-', '/']);
        let mut read = [None; 3];
        for part in &mut read {
            match parts.next() {
                None => {}
                Some(text) if text.contains('?') && text.bytes().all(|byte| byte == b'?' || byte.is_ascii_digit()) => {}
                Some(text) => match text.parse() {
                    Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => *part = Some(number),
                    _ => return other(),
                },
            }
        }
        // A first part up to 31 is a day or a month: the parts are in another order.
        let year_first = read[0].is_none_or(|year| year > 31);
        if parts.next().is_none() && year_first { Self::Parts(read) } else { other() }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Parts(one), Self::Parts(other)) => {
                one.iter().zip(other).any(|(one, other)| one.is_some() && other.is_some() && one != other)
            }
            _ => !self.is_unknown() && !other.is_unknown() && self != other,
        }
    }

    fn join(&mut self, other: &Self) {
        if self.is_unknown() {
            self.clone_from(other);
        } else if let (Self::Parts(one), Self::Parts(other)) = (self, other) {
            for (one, other) in one.iter_mut().zip(other) {
                *one = one.or(*other);
            }
        }
    }
}

/// Sheets of one game. A sheet agrees with all of them if it agrees with their merged occasion.
#[derive(Clone, Debug)]
struct Group {
    /// Place of the first.
    first: u64,
    /// The merged occasion of all.
    merged: Occasion,
    /// True if each of them has a round.
    rounds: bool,
}

impl Group {
    fn new(place: u64, occasion: &Occasion) -> Self {
        Self { first: place, merged: occasion.clone(), rounds: occasion.round.is_some() }
    }

    /// Adds a sheet; false if it contradicts one of the group.
    fn join(&mut self, occasion: &Occasion) -> bool {
        let told_apart = occasion.long || occasion.round.is_some() || self.rounds;
        if !told_apart || self.merged.contradicts(occasion) {
            return false;
        }
        let Occasion { event, round, leg, board, date, long: _ } = &mut self.merged;
        for (merged, new) in [event, round, leg, board].into_iter().zip(occasion.texts()) {
            if merged.is_none() {
                merged.clone_from(new);
            }
        }
        date.join(&occasion.date);
        self.rounds &= occasion.round.is_some();
        true
    }

    /// Approximate bytes in memory.
    fn size(&self) -> usize {
        let texts: usize = self.merged.texts().into_iter().flatten().map(String::len).sum();
        size_of::<(SheetKey, Self)>() + texts + 64
    }
}

/// Groups sheets with one key, given in the order of entry: for each, the index of the first sheet of its group.
pub fn group<'o>(sheets: impl IntoIterator<Item = &'o Occasion>) -> Vec<usize> {
    let mut groups: Vec<Group> = Vec::new();
    let firsts = sheets.into_iter().enumerate().map(|(index, occasion)| {
        let joined = groups.iter_mut().find_map(|group| group.join(occasion).then_some(group.first));
        let first = joined.unwrap_or_else(|| {
            groups.push(Group::new(index as u64, occasion));
            index as u64
        });
        usize::try_from(first).unwrap_or(index)
    });
    firsts.collect()
}

/// The difference between two sheets that should be of one game. Pairs of values are in the order of entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The first ply at which they differ, from 1, and their moves there; none where a sheet has ended.
    Ply(u64, [Option<String>; 2]),
    /// Equal moves and different results.
    Result([Outcome; 2]),
}

/// A sheet that was entered earlier, and the difference from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Its place.
    pub place: u64,
    /// The difference.
    pub difference: Difference,
}

fn difference([one, other]: [&Moves; 2], outcomes: [Option<Outcome>; 2]) -> Option<Difference> {
    let (mut earlier, mut later) = (one.tokens(), other.tokens());
    for ply in 1.. {
        match [earlier.next(), later.next()] {
            [None, None] => break,
            [this, that] if this == that => {}
            moves => return Some(Difference::Ply(ply, moves.map(|token| token.map(str::to_owned)))),
        }
    }
    let [Some(one), Some(other)] = outcomes else { return None };
    (one != other).then_some(Difference::Result([one, other]))
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
    groups: HashMap<SheetKey, Vec<Group>>,
    versions: HashMap<SheetKey, Vec<Version>>,
    /// The keys of all groups and versions, the oldest first.
    kept: VecDeque<Kept>,
    bytes: usize,
    /// Bytes to keep, approximately.
    limit: usize,
    forgot: bool,
}

/// The moves and the result of a sheet. Two different versions of a seat are enough: a sheet that contradicts any sheet of
/// the seat contradicts one of them.
#[derive(Clone, Debug)]
struct Version {
    place: u64,
    moves: Moves,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    Group(SheetKey, u64),
    Version(SheetKey, u64),
}

impl Version {
    fn size(&self) -> usize {
        size_of::<(SheetKey, Self)>() + self.moves.0.len() + 64
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
        let repeats = sheet.key().filter(|_| sheet.occasion.long).and_then(|key| self.groups.get(&key)?.first());
        let repeats = repeats.map(|group| group.first);
        let sheet_of = sheet.key().and_then(|key| self.joined(place, key, &sheet.occasion));
        let repeats = repeats.filter(|_| sheet_of.is_none());
        let contradicts = sheet.seat().and_then(|seat| self.contradicted(place, seat, sheet));
        while self.bytes > self.limit
            && let Some(oldest) = self.kept.pop_front()
        {
            self.forget(oldest);
        }
        Related { sheet_of, contradicts, repeats }
    }

    fn joined(&mut self, place: u64, key: SheetKey, occasion: &Occasion) -> Option<u64> {
        let groups = self.groups.entry(key).or_default();
        if let Some(group) = groups.iter_mut().find_map(|group| group.join(occasion).then_some(&*group)) {
            return Some(group.first);
        }
        if groups.len() < COMPARED {
            let group = Group::new(place, occasion);
            self.bytes += group.size();
            groups.push(group);
            self.kept.push_back(Kept::Group(key, place));
        }
        None
    }

    fn contradicted(&mut self, place: u64, seat: SheetKey, sheet: &Sheet) -> Option<Contradiction> {
        let versions = self.versions.entry(seat).or_default();
        let contradicted = versions.iter().find_map(|version| {
            let difference = difference([&version.moves, &sheet.moves], [version.outcome, sheet.outcome])?;
            Some(Contradiction { place: version.place, difference })
        });
        if versions.is_empty() || versions.len() == 1 && contradicted.is_some() {
            let version = Version { place, moves: sheet.moves.clone(), outcome: sheet.outcome };
            self.bytes += version.size();
            versions.push(version);
            self.kept.push_back(Kept::Version(seat, place));
        }
        contradicted
    }

    fn forget(&mut self, oldest: Kept) {
        self.forgot = true;
        let bytes = match oldest {
            Kept::Group(key, place) => {
                removed(&mut self.groups, key, |group| group.first == place).map(|group| group.size())
            }
            Kept::Version(seat, place) => {
                removed(&mut self.versions, seat, |version| version.place == place).map(|version| version.size())
            }
        };
        // A group may have grown since it was counted.
        self.bytes = self.bytes.saturating_sub(bytes.unwrap_or_default());
    }
}

/// Removes one of the values of a key, and the key with its last value.
fn removed<T>(of: &mut HashMap<SheetKey, Vec<T>>, key: SheetKey, is_wanted: impl Fn(&T) -> bool) -> Option<T> {
    let things = of.get_mut(&key)?;
    let thing = things.iter().position(is_wanted).map(|index| things.remove(index));
    if things.is_empty() {
        of.remove(&key);
    }
    thing
}
