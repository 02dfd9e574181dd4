//! The count of a competition: the games that count, record by record, and the relations of their sheets.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::record::Record;

use super::{Aliases, Contradiction, Entries, Entry, Moves, Related, Sheet, Sheets, Uncounted, event};
use crate::{Status, Verdict};

/// The games that are counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// Only games that count points.
    pub points: bool,
    /// Only games of this event.
    pub event: Option<&'w str>,
}

/// A judged record with the facts that decide if it counts.
#[derive(Debug)]
pub enum Candidate {
    /// A game that counts, unless it was entered before.
    Entry(Entry, Option<Sheet>),
    /// A record that does not count.
    Uncounted(Uncounted, Option<Sheet>),
    /// A game of another event than the wanted one.
    Elsewhere(Option<String>),
}

impl Candidate {
    /// The facts of a record, which is absent if it is unreadable; `text` is the one from which its id is computed.
    /// [`CountedGames::add`] gives it its place.
    pub fn new(
        record: Option<&Record<'_>>,
        verdict: &Verdict,
        text: &str,
        aliases: &Aliases,
        wanted: Wanted<'_>,
    ) -> Self {
        let Some(record) = record else { return Self::Uncounted(Uncounted::not_verified(verdict), None) };
        let event = event(record);
        if wanted.event.is_some_and(|wanted| event != Some(wanted)) {
            return Self::Elsewhere(event.map(str::to_owned));
        }
        let sheet = Sheet::new(record, verdict, || Moves::of_text(text), aliases);
        let entry = Entry::new(0, record, verdict, aliases);
        match if wanted.points { entry.and_then(Entry::with_points) } else { entry } {
            Ok(entry) => Self::Entry(entry, sheet),
            Err(uncounted) => Self::Uncounted(uncounted, sheet),
        }
    }
}

/// The games that count, and their relations.
#[derive(Default)]
pub struct CountedGames {
    /// The games that count.
    pub entries: Entries,
    sheets: Sheets,
    /// Places of the sheets of each game that has several, the counted one first, by its place.
    pub sheets_of_games: BTreeMap<u64, Vec<u64>>,
    /// The place of a later sheet, and the earlier one that it contradicts.
    pub contradictions: Vec<(u64, Contradiction)>,
    /// Places of games with the moves of an earlier one, which is another by its tags; and its place.
    pub repeated: Vec<(u64, u64)>,
    /// True once a record of the wanted event was read, counted or not.
    pub met: bool,
    /// The other events; none stands for records without one.
    pub other_events: BTreeSet<Option<String>>,
}

impl CountedGames {
    /// Adds the record of a place, in the order of places. Returns the reason if it does not count.
    pub fn add(&mut self, place: u64, candidate: Candidate) -> Option<Uncounted> {
        match candidate {
            Candidate::Entry(entry, sheet) => {
                self.met = true;
                self.enter(Entry { place, ..entry }, sheet.as_ref())
            }
            Candidate::Uncounted(uncounted, sheet) => {
                self.met |= !matches!(uncounted, Uncounted::NotVerified(Status::Unreadable, _));
                // Only a sheet that is not verified may be one of a game that counts.
                let sheet = sheet.filter(|_| matches!(uncounted, Uncounted::NotVerified(..)));
                self.compare(place, sheet.as_ref());
                Some(uncounted)
            }
            Candidate::Elsewhere(event) => {
                self.other_events.insert(event);
                None
            }
        }
    }

    /// Adds a game, unless it was entered before: as the same record, or as another sheet.
    fn enter(&mut self, entry: Entry, sheet: Option<&Sheet>) -> Option<Uncounted> {
        if let Some(first) = self.entries.place(&entry.id) {
            return Some(Uncounted::Duplicate(first));
        }
        let Some(first) = self.compare(entry.place, sheet) else { return self.entries.add(entry).err() };
        self.entries.add_sheet(&entry);
        self.sheets_of_games.entry(first).or_insert_with(|| vec![first]).push(entry.place);
        None
    }

    /// Compares a sheet with earlier ones. Returns the place of the first sheet of the same game.
    fn compare(&mut self, place: u64, sheet: Option<&Sheet>) -> Option<u64> {
        let Related { sheet_of, contradicts, repeats } = self.sheets.add(place, sheet?);
        self.repeated.extend(repeats.map(|first| (place, first)));
        self.contradictions.extend(contradicts.map(|contradicted| (place, contradicted)));
        sheet_of
    }
}
