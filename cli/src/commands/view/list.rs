//! The list of all records: what each came to, which are shown, which one is chosen.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use quipu_referee::Status;

use super::{find::Query, game::Row};

/// Rows that are kept at the most; those that are seen always are.
const KEPT: usize = 2_000;

/// Everything that the list knows.
#[derive(Default)]
pub(super) struct List {
    /// What every record came to, as far as they were read.
    statuses: Vec<Status>,
    /// How many came to what.
    counts: [usize; Status::ALL.len()],
    /// How much of the input was read, if that is known.
    pub(super) percent: Option<u64>,
    /// Everything was read.
    pub(super) ended: bool,
    /// Only those are shown that are rejected or unreadable.
    pub(super) faults: bool,
    /// Only those are shown in which there is what is searched.
    pub(super) sift: Option<Filter>,
    /// The records that are shown, in order, where not all are.
    shown: Option<Vec<usize>>,
    /// The place of the chosen one among them.
    pub(super) cursor: usize,
    /// The place of the uppermost one on the screen.
    pub(super) top: usize,
    rows: HashMap<usize, Row>,
    asked: Vec<usize>,
}

/// Records in which there is what is searched.
pub(super) struct Filter {
    pub(super) needle: Query,
    pub(super) found: Vec<usize>,
    /// All were looked at.
    pub(super) ended: bool,
}

fn is_refused(status: Status) -> bool {
    matches!(status, Status::Rejected | Status::Unreadable)
}

impl List {
    /// Records that were read.
    pub(super) fn known(&self) -> usize {
        self.statuses.len()
    }

    /// How many came to this.
    pub(super) fn count(&self, status: Status) -> usize {
        self.counts[status as usize]
    }

    /// What a record came to.
    pub(super) fn status(&self, record: usize) -> Option<Status> {
        self.statuses.get(record).copied()
    }

    /// Records that are shown.
    pub(super) fn len(&self) -> usize {
        self.shown.as_ref().map_or(self.statuses.len(), Vec::len)
    }

    /// The records that are shown, if not all are.
    pub(super) fn shown(&self) -> Option<&[usize]> {
        self.shown.as_deref()
    }

    /// The record at a place among those that are shown.
    pub(super) fn record(&self, place: usize) -> Option<usize> {
        match &self.shown {
            Some(shown) => shown.get(place).copied(),
            None => (place < self.statuses.len()).then_some(place),
        }
    }

    /// The chosen record.
    pub(super) fn chosen(&self) -> Option<usize> {
        self.record(self.cursor)
    }

    /// The place of a record among those that are shown; if it is not, that of the next one.
    fn place(&self, record: usize) -> Result<usize, usize> {
        match &self.shown {
            Some(shown) => shown.binary_search(&record),
            None if record < self.statuses.len() => Ok(record),
            None => Err(self.statuses.len()),
        }
    }

    /// Chooses a record. Says whether it is shown.
    pub(super) fn choose(&mut self, record: usize) -> bool {
        let place = self.place(record);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_ok()
    }

    /// The record shown before or behind another one.
    pub(super) fn beside(&self, record: usize, next: bool) -> Option<usize> {
        let place = match (self.place(record), next) {
            (Ok(place), true) => place + 1,
            (Err(place), true) => place,
            (Ok(place) | Err(place), false) => place.checked_sub(1)?,
        };
        self.record(place)
    }

    /// What the list knows of a record.
    pub(super) fn row(&self, record: usize) -> Option<&Row> {
        self.rows.get(&record)
    }

    /// Takes what further records came to.
    pub(super) fn read(&mut self, statuses: &[Status]) {
        let first = self.statuses.len();
        self.statuses.extend_from_slice(statuses);
        for status in statuses {
            self.counts[*status as usize] += 1;
        }
        if let (Some(shown), None) = (&mut self.shown, &self.sift) {
            shown.extend((first..).zip(statuses).filter(|(_, status)| is_refused(**status)).map(|(record, _)| record));
        }
    }

    /// Takes records in which there is what is searched.
    pub(super) fn found(&mut self, records: Vec<usize>) {
        let Some(sift) = &mut self.sift else { return };
        sift.found.extend_from_slice(&records);
        let (faults, statuses) = (self.faults, &self.statuses);
        let counts = |record: &usize| !faults || statuses.get(*record).copied().is_some_and(is_refused);
        self.shown.get_or_insert_default().extend(records.into_iter().filter(counts));
    }

    /// Finds anew which records are shown; the chosen one stays so if it is, else the next one is.
    pub(super) fn choose_shown(&mut self) {
        let chosen = self.chosen();
        let refused = |record: &usize| self.statuses.get(*record).copied().is_some_and(is_refused);
        self.shown = match (&self.sift, self.faults) {
            (None, false) => None,
            (None, true) => Some((0..self.statuses.len()).filter(refused).collect()),
            (Some(sift), false) => Some(sift.found.clone()),
            (Some(sift), true) => Some(sift.found.iter().copied().filter(refused).collect()),
        };
        let place = chosen.map_or(0, |chosen| self.place(chosen).unwrap_or_else(|next| next));
        self.cursor = place.min(self.len().saturating_sub(1));
    }

    /// Moves the cursor, and what is seen with it.
    pub(super) fn go(&mut self, cursor: usize) {
        self.cursor = cursor.min(self.len().saturating_sub(1));
    }

    /// The places that are seen on so many lines, the chosen one among them.
    pub(super) fn settle(&mut self, lines: usize) -> Range<usize> {
        let lines = lines.max(1);
        self.go(self.cursor);
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(lines), self.cursor);
        // No line stays empty for which there is a record.
        self.top = self.top.min(self.len().saturating_sub(lines));
        self.top..self.len().min(self.top + lines)
    }

    /// The records that are seen at these places and of which nothing is known, if they were not asked for before.
    pub(super) fn wanted(&mut self, seen: Range<usize>) -> Option<Vec<usize>> {
        let seen: BTreeSet<_> = seen.filter_map(|place| self.record(place)).collect();
        if self.rows.len() > KEPT {
            self.rows.retain(|record, _| seen.contains(record));
        }
        let wanted: Vec<_> = seen.into_iter().filter(|record| !self.rows.contains_key(record)).collect();
        let new = !wanted.is_empty() && wanted != self.asked;
        self.asked.clone_from(&wanted);
        new.then_some(wanted)
    }

    /// Takes what was asked for.
    pub(super) fn learn(&mut self, rows: Vec<(usize, Row)>) {
        self.rows.extend(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Status; 4] = [Status::Verified, Status::Rejected, Status::Incomplete, Status::Unreadable];

    fn list(count: usize) -> List {
        let mut list = List::default();
        list.read(&KINDS.iter().copied().cycle().take(count).collect::<Vec<_>>());
        list
    }

    #[test]
    fn what_is_seen_follows_the_cursor() {
        let mut list = list(100);
        assert_eq!(list.settle(10), 0..10);
        for (cursor, seen) in [(9, 0..10), (10, 1..11), (99, 90..100), (91, 90..100), (89, 89..99), (0, 0..10)] {
            list.go(cursor);
            assert_eq!(list.settle(10), seen, "{cursor}");
        }
        list.go(1000);
        assert_eq!((list.cursor, list.settle(30)), (99, 70..100));
        assert_eq!(list.settle(1000), 0..100);
        assert_eq!(List::default().settle(10), 0..0);
    }

    #[test]
    fn only_faults_are_shown() {
        let mut list = list(8);
        list.go(2);
        list.faults = true;
        list.choose_shown();
        assert_eq!(list.shown(), Some(&[1, 3, 5, 7][..]));
        assert_eq!(list.chosen(), Some(3), "the next one that is shown");
        list.read(&KINDS);
        assert_eq!(list.shown(), Some(&[1, 3, 5, 7, 9, 11][..]), "also those that are read later");
        assert_eq!([list.beside(3, false), list.beside(3, true)], [Some(1), Some(5)]);
        assert_eq!([list.beside(4, false), list.beside(4, true)], [Some(3), Some(5)], "from one that is not shown");
        assert_eq!([list.beside(1, false), list.beside(11, true)], [None, None]);
        assert!(list.choose(11) && !list.choose(4));
        assert_eq!(list.chosen(), Some(11));
        list.faults = false;
        list.choose_shown();
        assert_eq!((list.len(), list.chosen()), (12, Some(11)));
    }

    #[test]
    fn sifted_records_come_one_after_the_other() {
        let mut list = list(8);
        list.sift = Query::new("ana").map(|needle| Filter { needle, found: Vec::new(), ended: false });
        list.choose_shown();
        assert_eq!((list.len(), list.chosen()), (0, None));
        list.found(vec![0, 3]);
        list.found(vec![4, 5]);
        assert_eq!(list.shown(), Some(&[0, 3, 4, 5][..]));
        list.faults = true;
        list.choose_shown();
        assert_eq!(list.shown(), Some(&[3, 5][..]));
        list.found(vec![6, 7]);
        assert_eq!(list.shown(), Some(&[3, 5, 7][..]));
        list.sift = None;
        list.faults = false;
        list.choose_shown();
        assert_eq!(list.len(), 8);
    }

    #[test]
    fn rows_are_asked_for_once_and_forgotten_in_the_end() {
        let mut list = list(10_000);
        let seen = list.settle(3);
        assert_eq!(list.wanted(seen.clone()), Some(vec![0, 1, 2]));
        assert_eq!(list.wanted(seen.clone()), None, "they are on their way");
        list.learn(vec![(0, Row::default()), (1, Row::default())]);
        assert_eq!(list.wanted(seen), Some(vec![2]));
        for first in (0..9_000).step_by(50) {
            let wanted = list.wanted(first..first + 50).unwrap_or_default();
            list.learn(wanted.into_iter().map(|record| (record, Row::default())).collect());
            assert!((first..first + 50).all(|record| list.row(record).is_some()));
            assert!(list.rows.len() <= KEPT + 50);
        }
    }

    #[test]
    fn records_are_counted() {
        let list = list(10);
        assert_eq!(Status::ALL.map(|status| list.count(status)), [3, 2, 3, 2]);
    }
}
