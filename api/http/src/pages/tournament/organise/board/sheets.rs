//! The records of a board: those that count, those that contradict them, and those that were retracted or replaced.

use std::collections::{BTreeMap, BTreeSet};

use quipu_archive::{
    model::{By, Card, Change, Id, Kind, Number, State, Submission},
    store::{Filter, Order, ReadTx, StoreError, StoredTournament},
};
use quipu_notation::record::Record;
use quipu_referee::{Status, games, repaired};
use quipu_tournament::{
    model::Board,
    records::{BoardIndex, Place},
};

/// Records of a board that are shown.
const SHOWN: usize = 32;
/// Bytes of a record whose moves are shown.
const LARGEST: usize = 64 * 1024;

/// A board with its records.
pub(super) struct BoardSheets {
    pub(super) stored: StoredTournament,
    pub(super) round: u32,
    pub(super) number: u32,
    /// The records of each game of the encounter, in the order of entry.
    pub(super) games: Vec<Vec<Sheet>>,
    /// Records of the players in this round that belong to no game.
    pub(super) others: Vec<Sheet>,
    /// Decisions about these records, the latest first.
    pub(super) decisions: Vec<Change>,
}

/// A record of a board.
pub(super) struct Sheet {
    pub(super) card: Card,
    pub(super) by: By,
    /// The record, if it is short enough for its moves to be shown.
    pub(super) record: Option<Record<'static>>,
    place: Option<Place>,
}

impl Sheet {
    pub(super) fn is_current(&self) -> bool {
        self.card.state == State::Current
    }

    /// The record that counts for its game: equal for current records that agree.
    pub(super) fn first(&self) -> Id {
        self.card.sheet_of.unwrap_or(self.card.id)
    }

    /// The tokens of its plies: canonical ones if it is legal.
    pub(super) fn moves(&self) -> Vec<String> {
        let Some(record) = &self.record else { return Vec::new() };
        let game = record.value("Game").and_then(games::find);
        let canonical = game.filter(|_| self.card.status == Status::Verified).map(|game| game.normalized(record));
        let record = canonical.as_ref().unwrap_or(record);
        record.movetext.plies.iter().map(|ply| ply.token.to_string()).collect()
    }
}

/// The current records of a game that give a result.
pub(super) fn current(sheets: &[Sheet]) -> impl Iterator<Item = &Sheet> {
    sheets.iter().filter(|sheet| sheet.is_current() && sheet.place.is_some())
}

/// The same as the form says them back.
pub(super) fn seen(sheets: &[Sheet]) -> String {
    let ids = current(sheets).map(|sheet| sheet.card.number.to_string());
    ids.collect::<Vec<_>>().join(" ")
}

/// True if current records contradict each other.
pub(super) fn are_contradictory(sheets: &[Sheet]) -> bool {
    different(sheets).len() > 1
}

/// One current record of each of the games that contradict each other, in the order of entry.
pub(super) fn different(sheets: &[Sheet]) -> Vec<&Sheet> {
    let mut known = BTreeSet::new();
    current(sheets).filter(|sheet| known.insert(sheet.first())).collect()
}

impl BoardSheets {
    /// # Errors
    /// If the archive fails.
    pub(super) fn read(
        reading: &ReadTx<'_>,
        tournament: Number,
        round: u32,
        number: u32,
    ) -> Result<Option<Self>, StoreError> {
        let Some(stored) = reading.tournament(tournament)? else { return Ok(None) };
        let mut read = Self { stored, round, number, games: Vec::new(), others: Vec::new(), decisions: Vec::new() };
        let Some(board) = read.board() else { return Ok(Some(read)) };
        let count = board.games.len();
        let cards = read.cards(reading, board)?;
        read.games = (0..count).map(|_| Vec::new()).collect();
        let mut decisions = BTreeMap::new();
        for card in cards {
            let Some((sheet, changes)) = read.sheet(reading, card)? else { continue };
            for change in changes {
                if matches!(change.kind, Kind::Correction | Kind::Retraction) {
                    decisions.insert(change.number, change);
                }
            }
            match sheet.place {
                Some(place) => read.games[place.game as usize - 1].push(sheet),
                None => read.others.push(sheet),
            }
        }
        read.decisions = decisions.into_values().rev().collect();
        Ok(Some(read))
    }

    /// The board; none if there is none.
    pub(super) fn board(&self) -> Option<&Board> {
        self.stored.tournament.round(self.round)?.board(self.number)
    }

    /// The records of the two players in the event, in the order of entry.
    fn cards(&self, reading: &ReadTx<'_>, board: &Board) -> Result<Vec<Card>, StoreError> {
        let tournament = &self.stored.tournament;
        let number = |name: &str| -> Result<Option<i64>, StoreError> {
            let person = reading.player_named(name)?;
            Ok(person.map(|person| person.counts_as.map_or(person.number, |(root, _)| root)))
        };
        let [one, two] = board.players.map(|id| tournament.name(id));
        let event = reading.event_named(&tournament.settings.name)?;
        let (Some(event), Some(one), Some(two)) = (event, number(one)?, number(two)?) else { return Ok(Vec::new()) };
        let filter = Filter {
            games: vec![self.stored.game.id.to_owned()],
            event: Some(event.number),
            player: Some(one),
            against: Some(two),
            ..Filter::default()
        };
        Ok(reading.cards_in(Order::FirstEntered, &filter, None, SHOWN)?.items)
    }

    /// A record with its changes; none if it is of another round or board.
    fn sheet(&self, reading: &ReadTx<'_>, card: Card) -> Result<Option<(Sheet, Vec<Change>)>, StoreError> {
        let is_short = reading.size(&card.id)?.is_some_and(|size| size.record <= LARGEST);
        let source = if is_short { reading.source(&card.id)? } else { None };
        let submission = source.as_ref().and_then(|source| Submission::again(&source.bytes, source.form));
        let place = match submission.as_ref().map(|submission| submission.facts.entry.clone()) {
            Some(Some(mut entry)) => {
                reading.enter_names(&self.stored.tournament, [&mut entry])?;
                let place = BoardIndex::new(&self.stored.tournament).place(&entry).ok();
                if place.is_some_and(|place| (place.round, place.board) != (self.round, self.number)) {
                    return Ok(None);
                }
                place
            }
            _ => self.bound(&card.id),
        };
        let named = card.round.as_ref().and_then(|round| round.trim().parse().ok());
        if place.is_none() && named != Some(self.round) {
            return Ok(None);
        }
        let Some(history) = reading.history(&card.id)? else { return Ok(None) };
        let record =
            source.as_ref().and_then(|source| source.chunk().records().next()?.ok().map(|one| repaired::owned(&one)));
        Ok(Some((Sheet { card, by: history.by, record, place }, history.changes)))
    }

    /// The place of a record on this board that counts, or would if no other contradicted it.
    fn bound(&self, id: &Id) -> Option<Place> {
        let games = 1..=u32::try_from(self.board()?.games.len()).ok()?;
        let places = games.map(|game| Place { round: self.round, board: self.number, game });
        places.into_iter().find(|place| self.stored.bindings.at(*place).contains(id))
    }
}
