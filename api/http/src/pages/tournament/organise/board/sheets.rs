//! The records of a board: those that count, those that contradict them, and those that were retracted or replaced.

use std::collections::{BTreeMap, BTreeSet};

use quipu_archive::{
    model::{Attribution, Card, Change, ChangeKind, Id, Number, RecordState},
    store::{Filter, ReadTx, RecordOrder, StoreError, StoredTournament},
};
use quipu_notation::record::Record;
use quipu_referee::{
    Status,
    competition::{Aliases, Entry},
    games, repaired, verify,
};
use quipu_tournament::{
    model::Board,
    records::{BoardIndex, Place},
};

/// Records of the two players that are read: current ones, and others.
const SHOWN: usize = 32;
/// Bytes of a record whose moves are shown.
const MAX_RECORD: usize = 64 * 1024;

pub(super) struct BoardSheets {
    pub(super) stored: StoredTournament,
    pub(super) round: u32,
    pub(super) number: u32,
    /// The records of each game of the encounter, in the order of entry.
    pub(super) games: Vec<Vec<Sheet>>,
    /// Records of the players in this round that belong to no game.
    pub(super) others: Vec<Sheet>,
    /// True if records are left out.
    pub(super) is_cut: bool,
    /// Decisions about these records, the latest first.
    pub(super) decisions: Vec<Change>,
}

pub(super) struct Sheet {
    pub(super) card: Card,
    pub(super) by: Attribution,
    /// The record, if it is short enough for its moves to be shown.
    pub(super) record: Option<Record<'static>>,
    place: Option<Place>,
}

/// A stored record, read if it is short.
struct Loaded {
    card: Card,
    record: Option<Record<'static>>,
    entry: Option<Entry>,
}

impl Loaded {
    fn of(reading: &ReadTx<'_>, card: Card) -> Result<Self, StoreError> {
        let is_short = reading.size(&card.id)?.is_some_and(|size| size.record <= MAX_RECORD);
        let source = if is_short { reading.source(&card.id)? } else { None };
        let read = source.as_ref().and_then(|source| {
            let record = source.chunk().records().next()?.ok()?;
            let entry = Entry::new(0, &record, &verify::record(&record), &Aliases::default()).ok();
            Some((repaired::owned(&record), entry))
        });
        let (record, entry) = read.map_or((None, None), |(record, entry)| (Some(record), entry));
        Ok(Self { card, record, entry })
    }
}

impl Sheet {
    pub(super) fn is_current(&self) -> bool {
        self.card.state == RecordState::Current
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
        let (games, others, decisions) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = Self { stored, round, number, games, others, is_cut: false, decisions };
        let Some(board) = read.board() else { return Ok(Some(read)) };
        let count = board.games.len();
        let (cards, is_cut) = read.cards(reading, board)?;
        read.is_cut = is_cut;
        let loaded = cards.into_iter().map(|card| Loaded::of(reading, card)).collect::<Result<Vec<_>, _>>()?;
        let places = read.places(reading, &loaded)?;
        read.games = (0..count).map(|_| Vec::new()).collect();
        let mut decisions = BTreeMap::new();
        for (loaded, place) in loaded.into_iter().zip(places) {
            let Some((sheet, changes)) = read.sheet(reading, loaded, place)? else { continue };
            for change in changes {
                if matches!(change.kind, ChangeKind::Correction | ChangeKind::Retraction) {
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

    /// The first game with sheets that contradict each other, from 0.
    pub(super) fn first_disputed(&self) -> Option<usize> {
        self.games.iter().position(|sheets| are_contradictory(sheets))
    }

    /// The records of the two players in the event, in the order of entry: those that count or contradict each other on this
    /// board, and others as far as there is room. True if some are left out.
    fn cards(&self, reading: &ReadTx<'_>, board: &Board) -> Result<(Vec<Card>, bool), StoreError> {
        let tournament = &self.stored.tournament;
        let number = |name: &str| -> Result<Option<i64>, StoreError> {
            let person = reading.player_named(name)?;
            Ok(person.map(|person| person.counts_as.map_or(person.number, |(root, _)| root)))
        };
        let [one, two] = board.players.map(|id| tournament.name(id));
        let event = reading.event_named(&tournament.settings.name)?;
        let (Some(event), Some(one), Some(two)) = (event, number(one)?, number(two)?) else {
            return Ok((Vec::new(), false));
        };
        let filter = Filter {
            games: vec![self.stored.game.id.to_owned()],
            event: Some(event.number),
            player: Some(one),
            against: Some(two),
            ..Filter::default()
        };
        let mut cards = Vec::new();
        let mut is_cut = false;
        // Of the others the newest, whose decisions may have to be undone.
        let older = vec![RecordState::Corrected, RecordState::Retracted];
        for (states, order) in
            [(vec![RecordState::Current], RecordOrder::FirstEntered), (older, RecordOrder::LastEntered)]
        {
            let filter = Filter { states, ..filter.clone() };
            let page = reading.cards_in(order, &filter, None, SHOWN)?;
            is_cut |= page.next.is_some();
            cards.extend(page.items);
        }
        let known: BTreeSet<_> = cards.iter().map(|card| card.id).collect();
        for id in self.board_places().flat_map(|place| self.stored.bindings.at(place)) {
            if !known.contains(&id) {
                cards.extend(reading.card(&id)?);
            }
        }
        cards.sort_by_key(|card| card.number);
        Ok((cards, is_cut))
    }

    /// The games of the board.
    fn board_places(&self) -> impl Iterator<Item = Place> {
        let (round, board) = (self.round, self.number);
        let count = self.board().map_or(0, |board| board.games.len());
        (1..).take(count).map(move |game| Place { round, board, game })
    }

    /// The places of records in the tournament.
    fn places(&self, reading: &ReadTx<'_>, loaded: &[Loaded]) -> Result<Vec<Option<Place>>, StoreError> {
        if loaded.is_empty() {
            return Ok(Vec::new());
        }
        let mut entries: Vec<_> = loaded.iter().map(|loaded| loaded.entry.clone()).collect();
        reading.enter_names(&self.stored.tournament, entries.iter_mut().flatten())?;
        let index = BoardIndex::new(&self.stored.tournament);
        let place = |(loaded, entry): (&Loaded, &Option<Entry>)| match entry {
            Some(entry) => index.place(entry).ok(),
            None => self.bound(&loaded.card.id),
        };
        Ok(loaded.iter().zip(&entries).map(place).collect())
    }

    /// A record with its changes; none if it is of another round or board.
    fn sheet(
        &self,
        reading: &ReadTx<'_>,
        Loaded { card, record, .. }: Loaded,
        place: Option<Place>,
    ) -> Result<Option<(Sheet, Vec<Change>)>, StoreError> {
        let named = || card.round.as_ref().and_then(|round| round.trim().parse().ok());
        let is_here = match place {
            Some(place) => (place.round, place.board) == (self.round, self.number),
            None => named() == Some(self.round),
        };
        if !is_here {
            return Ok(None);
        }
        let Some(history) = reading.history(&card.id)? else { return Ok(None) };
        Ok(Some((Sheet { card, by: history.by, record, place }, history.changes)))
    }

    /// The place of a record on this board that counts, or would if no other contradicted it.
    fn bound(&self, id: &Id) -> Option<Place> {
        self.board_places().find(|place| self.stored.bindings.at(*place).contains(id))
    }
}
