//! The facts of a record as a sheet of a game, and the hashes of these facts that an archive stores.

use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Outcome, Record, write},
};
use sha2::{Digest as _, Sha256};

use super::{Aliases, EventTags, event_tags::LONG, known_value, normal};
use crate::{Referee, Status, Verdict, games};

/// The facts of a record that decide which other records are sheets of the same game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    game: &'static GameNotation,
    rules: &'static str,
    /// The start position, empty if it is the usual one; none if the record is not verified, or has no result.
    start: Option<String>,
    players: [String; 2],
    pub(super) event_tags: EventTags,
    /// The result, if there is one: that of the verdict if it is verified, or else the claimed one.
    pub(super) outcome: Option<Outcome>,
    pub(super) moves: Moves,
}

/// The tokens of a record, with a space after each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves(Box<str>);

/// Facts that are equal in sheets of one game: game, rule set, start, moves, result and players.
pub(super) type GameFacts<'s> = ([&'s str; 5], &'s [String; 2]);

/// Facts that are equal in games at one place of a competition: game, event, round, leg and players.
pub(super) type PairingFacts<'s> = ([&'s str; 4], &'s [String; 2]);

/// The names of the players; none if one is unknown.
fn names<'r>(record: &'r Record<'_>, game: &GameNotation) -> Option<[&'r str; 2]> {
    let name = |side| known_value(record, game.side(side).tag);
    Some([name(Side::One)?, name(Side::Two)?])
}

impl Sheet {
    /// True if a record can be a sheet of a game: [`Sheet::new`] has its facts.
    pub fn is_of(record: &Record<'_>) -> bool {
        record.game().is_some_and(|game| names(record, game).is_some())
    }

    /// The facts of a record; none if its game is unknown or a player has no name. `moves` are those of its canonical text.
    pub fn new(
        record: &Record<'_>,
        verdict: &Verdict,
        moves: impl FnOnce() -> Moves,
        aliases: &Aliases,
    ) -> Option<Self> {
        let game = record.game()?;
        let referee = games::find(game.id)?;
        let names = names(record, game)?;
        let players = names.map(|name| normal(aliases.resolve(name)));
        let found = verdict.end.map(|end| end.outcome);
        let claimed = || record.result.map(|result| result.value).or_else(|| Outcome::parse(record.value("Result")?));
        let is_verified = verdict.status == Status::Verified;
        // A rejected sheet is compared by the result that it claims.
        let merged = if is_verified { found } else { claimed() };
        let outcome = merged.filter(|outcome| *outcome != Outcome::Open);
        let start = outcome.filter(|_| is_verified).map(|_| start(referee, record));
        let moves = moves();
        let event_tags = EventTags::new(record, moves.tokens().take(LONG).count() == LONG);
        Some(Self { game, rules: verdict.rules.unwrap_or_default(), start, players, event_tags, outcome, moves })
    }

    /// A sheet of a verified game that shows other sheets of it, and contradicts none: its key stands in the place of all facts
    /// but the game and the event tags.
    pub(super) fn with_key(game: &'static GameNotation, key: &str, event_tags: EventTags) -> Self {
        let start = Some(String::new());
        Self { game, rules: "", start, players: Default::default(), event_tags, outcome: None, moves: Moves::new(key) }
    }

    /// None if the record is not verified, or has no result.
    pub(super) fn game_facts(&self) -> Option<GameFacts<'_>> {
        let (start, outcome) = (self.start.as_deref()?, self.outcome.map_or("", Outcome::as_str));
        Some(([self.game.id, self.rules, start, &self.moves.0, outcome], &self.players))
    }

    /// None if event or round is unknown, or there is no result.
    pub(super) fn pairing_facts(&self) -> Option<PairingFacts<'_>> {
        let place = self.outcome.and(self.event_tags.place())?;
        Some((pairing(self.game, place), &self.players))
    }

    /// The hashes of these facts.
    pub fn hashed(self) -> HashedSheet {
        let played = self.game_facts().map(|(facts, _)| hash(&facts));
        let Self { game, players, event_tags, outcome, .. } = self;
        HashedSheet { game, played, players, event_tags, has_result: outcome.is_some(), key: None, pairing_key: None }
            .with_keys()
    }

    /// The difference between this sheet and one that was entered later, if there is one.
    pub fn difference(&self, later: &Self) -> Option<Difference> {
        difference([&self.moves, &later.moves], [self.outcome, later.outcome])
    }
}

/// The difference between two sheets that should be of one game. Pairs of values are in the order of entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The first ply at which they differ, from 1, and their moves there; none where a sheet has ended.
    Ply(u64, [Option<String>; 2]),
    /// Equal moves and different results.
    Result([Outcome; 2]),
}

pub(super) fn difference([one, other]: [&Moves; 2], outcomes: [Option<Outcome>; 2]) -> Option<Difference> {
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

/// Game, event, round and leg.
fn pairing<'s>(game: &'s GameNotation, [event, round, leg]: [&'s str; 3]) -> [&'s str; 4] {
    [game.id, event, round, leg]
}

/// The first half of a SHA-256 hash.
pub type SheetKey = [u8; 16];

/// The facts of a record for an archive, with a hash of its moves in place of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedSheet {
    game: &'static GameNotation,
    /// Hash of the game, its rule set, start, moves and result; none if the record is not verified.
    played: Option<SheetKey>,
    players: [String; 2],
    event_tags: EventTags,
    has_result: bool,
    key: Option<SheetKey>,
    pairing_key: Option<SheetKey>,
}

impl HashedSheet {
    /// Hashes at once, on the thread that judges: an archive has one that writes.
    fn with_keys(self) -> Self {
        let [one, two] = &self.players;
        let key = self.played.map(|played| hash(&[played.as_slice(), one.as_bytes(), two.as_bytes()]));
        let place = self.event_tags.place().filter(|_| self.has_result);
        let pairing_key = place.map(|place| {
            let [game, event, round, leg] = pairing(self.game, place);
            hash(&[game, event, round, leg, one, two])
        });
        Self { key, pairing_key, ..self }
    }

    /// The same record with other names of its players, such as those of the players into which they are merged.
    #[must_use]
    pub fn with_players(self, names: [&str; 2]) -> Self {
        let players = names.map(normal);
        if players == self.players { self } else { Self { players, ..self }.with_keys() }
    }

    /// Equal for records whose game, rule set, start, moves, result and players are the same. None if the record is not verified.
    pub fn key(&self) -> Option<SheetKey> {
        self.key
    }

    /// Equal for records of the same event, round, leg and players. None if event or round is unknown, or there is no result.
    pub fn pairing_key(&self) -> Option<SheetKey> {
        self.pairing_key
    }

    /// True for a sheet of the same verified game, whose players are known to be the same under whatever names.
    pub fn agrees(&self, other: &Self) -> bool {
        let key = |sheet: &Self| sheet.clone().with_players(["1", "2"]).key;
        let is_same = key(self).is_some_and(|own| key(other) == Some(own));
        is_same && !self.event_tags.contradicts(&other.event_tags)
    }

    /// The event, round, leg, board and date.
    pub fn event_tags(&self) -> &EventTags {
        &self.event_tags
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
    /// Tokens with a space after each.
    pub fn new(tokens: &str) -> Self {
        Self(tokens.into())
    }

    /// Those of a canonical text.
    pub fn of_text(text: &str) -> Self {
        Self(write::moves(text).into())
    }

    /// Bytes.
    pub(super) fn size(&self) -> usize {
        self.0.len()
    }

    pub(super) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(' ')
    }
}
