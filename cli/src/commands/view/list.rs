//! The list of records: statuses, filters, the chosen record and the visible rows.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use quipu_referee::Status;

use super::{game::ListRow, query::Query};

/// Rows in memory, besides the visible ones.
const KEPT: usize = 2_000;

#[derive(Default)]
pub(super) struct List {
    /// Status of every record read so far.
    statuses: Vec<Status>,
    /// Number of records by status.
    counts: [usize; Status::ALL.len()],
    /// Progress of reading, if the size of the input is known.
    pub(super) percent: Option<u64>,
    /// True once everything was read.
    pub(super) ended: bool,
    /// True to show rejected and unreadable records only.
    pub(super) faults: bool,
    /// The text filter, if one is set.
    pub(super) filter: Option<TextFilter>,
    /// The records that are shown, in ascending order; `None` if all are.
    shown: Option<Vec<usize>>,
    /// Index of the chosen record among those shown.
    pub(super) cursor: usize,
    /// Index of the first visible record among those shown.
    pub(super) top: usize,
    rows: HashMap<usize, ListRow>,
    asked: Vec<usize>,
}

/// A text filter and the records that passed it.
pub(super) struct TextFilter {
    pub(super) query: Query,
    pub(super) found: Vec<usize>,
    /// True once all records were searched.
    pub(super) ended: bool,
}

fn is_refused(status: Status) -> bool {
    matches!(status, Status::Rejected | Status::Unreadable)
}

impl List {
    /// Number of records read so far.
    pub(super) fn known(&self) -> usize {
        self.statuses.len()
    }

    /// Number of records with this status.
    pub(super) fn count(&self, status: Status) -> usize {
        self.counts[status as usize]
    }

    pub(super) fn status(&self, record: usize) -> Option<Status> {
        self.statuses.get(record).copied()
    }

    /// Number of records that are shown.
    pub(super) fn len(&self) -> usize {
        self.shown.as_ref().map_or(self.statuses.len(), Vec::len)
    }

    /// The records that are shown; `None` if all are.
    pub(super) fn shown(&self) -> Option<&[usize]> {
        self.shown.as_deref()
    }

    /// The record at an index among those shown.
    pub(super) fn record(&self, place: usize) -> Option<usize> {
        match &self.shown {
            Some(shown) => shown.get(place).copied(),
            None => (place < self.statuses.len()).then_some(place),
        }
    }

    pub(super) fn chosen(&self) -> Option<usize> {
        self.record(self.cursor)
    }

    /// Index of a record among those shown; `Err` with the index of the next one if it is hidden.
    fn place(&self, record: usize) -> Result<usize, usize> {
        match &self.shown {
            Some(shown) => shown.binary_search(&record),
            None if record < self.statuses.len() => Ok(record),
            None => Err(self.statuses.len()),
        }
    }

    /// Chooses a record. Returns false if it is hidden.
    pub(super) fn choose(&mut self, record: usize) -> bool {
        let place = self.place(record);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_ok()
    }

    /// The record shown before or after another one.
    pub(super) fn beside(&self, record: usize, next: bool) -> Option<usize> {
        let place = match (self.place(record), next) {
            (Ok(place), true) => place + 1,
            (Err(place), true) => place,
            (Ok(place) | Err(place), false) => place.checked_sub(1)?,
        };
        self.record(place)
    }

    /// The row of a record, if it was loaded.
    pub(super) fn row(&self, record: usize) -> Option<&ListRow> {
        self.rows.get(&record)
    }

    /// Adds the statuses of further records.
    pub(super) fn read(&mut self, statuses: &[Status]) {
        let first = self.statuses.len();
        self.statuses.extend_from_slice(statuses);
        for status in statuses {
            self.counts[*status as usize] += 1;
        }
        if let (Some(shown), None) = (&mut self.shown, &self.filter) {
            shown.extend((first..).zip(statuses).filter(|(_, status)| is_refused(**status)).map(|(record, _)| record));
        }
    }

    /// Adds records that passed the text filter.
    pub(super) fn found(&mut self, records: Vec<usize>) {
        let Some(filter) = &mut self.filter else { return };
        filter.found.extend_from_slice(&records);
        let (faults, statuses) = (self.faults, &self.statuses);
        let counts = |record: &usize| !faults || statuses.get(*record).copied().is_some_and(is_refused);
        self.shown.get_or_insert_default().extend(records.into_iter().filter(counts));
    }

    /// Applies the filters again. The chosen record stays chosen; if it is hidden, the next one is chosen.
    pub(super) fn choose_shown(&mut self) {
        let chosen = self.chosen();
        let refused = |record: &usize| self.statuses.get(*record).copied().is_some_and(is_refused);
        self.shown = match (&self.filter, self.faults) {
            (None, false) => None,
            (None, true) => Some((0..self.statuses.len()).filter(refused).collect()),
            (Some(filter), false) => Some(filter.found.clone()),
            (Some(filter), true) => Some(filter.found.iter().copied().filter(refused).collect()),
        };
        let place = chosen.map_or(0, |chosen| self.place(chosen).unwrap_or_else(|next| next));
        self.cursor = place.min(self.len().saturating_sub(1));
    }

    pub(super) fn go(&mut self, cursor: usize) {
        self.cursor = cursor.min(self.len().saturating_sub(1));
    }

    /// Scrolls so that the chosen record is visible on this many lines, and returns the visible indices.
    pub(super) fn settle(&mut self, lines: usize) -> Range<usize> {
        let lines = lines.max(1);
        self.go(self.cursor);
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(lines), self.cursor);
        // Lines stay empty only if there are too few records.
        self.top = self.top.min(self.len().saturating_sub(lines));
        self.top..self.len().min(self.top + lines)
    }

    /// The visible records whose rows are missing; `None` if they were requested already.
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

    /// Adds rows that were requested.
    pub(super) fn learn(&mut self, rows: Vec<(usize, ListRow)>) {
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
    fn the_visible_rows_follow_the_cursor() {
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
        list.filter = Query::new("ana").map(|query| TextFilter { query, found: Vec::new(), ended: false });
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
        list.filter = None;
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
        list.learn(vec![(0, ListRow::default()), (1, ListRow::default())]);
        assert_eq!(list.wanted(seen), Some(vec![2]));
        for first in (0..9_000).step_by(50) {
            let wanted = list.wanted(first..first + 50).unwrap_or_default();
            list.learn(wanted.into_iter().map(|record| (record, ListRow::default())).collect());
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
