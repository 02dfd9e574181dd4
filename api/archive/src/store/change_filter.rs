//! Changes about certain games, events and players. They are found by reading the changes in their order, so many at a time
//! that a query is short however few of them match.

use super::{
    database::Parameter,
    error::StoreError,
    history::{change_row, changes_of},
    listing::{ListPage, listed},
    read_tx::ReadTx,
};
use crate::model::{Card, Change, Number};

/// Changes that one page of a list passes over at most.
const MAX_SCANNED_PER_PAGE: Number = 5_000;
/// Changes that the search for the next one passes over at most.
const MAX_SCANNED_PER_STEP: Number = 500;

/// A filter of changes. A field without a value matches all changes; one with several matches each of them.
///
/// A change is about its record and the record that it corrects, an undo about those of the undone change. A merge is about its
/// players, and about every game and event, because it may change the figures of any. A change of a tournament is about no record,
/// so it matches no filter but that of tournaments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeFilter {
    /// Ids of games.
    pub games: Option<Vec<String>>,
    /// Numbers of events.
    pub events: Option<Vec<i64>>,
    /// Numbers of players that are not merged into another.
    pub players: Option<Vec<i64>>,
    /// The number of a tournament.
    pub tournament: Option<Number>,
}

/// The result of a search for the next change.
#[derive(Clone, Debug, PartialEq)]
pub enum NextChange {
    /// The change, with the record that it is about.
    Found(Box<Change>, Option<Box<Card>>),
    /// No change up to this number matches.
    NoneUpTo(Number),
}

impl ReadTx<'_> {
    /// Changes after a number that match a filter, in their order. The cursor of the page is the number of the last change that
    /// was read, so a page may have few changes and still not be the last.
    pub fn changes_about(
        &self,
        filter: &ChangeFilter,
        since: Number,
        limit: usize,
    ) -> Result<ListPage<Change, Number>, StoreError> {
        if *filter == ChangeFilter::default() {
            return self.changes(since, limit);
        }
        let last = self.last_change()?;
        let end = since.saturating_add(MAX_SCANNED_PER_PAGE).min(last);
        let ListPage { items, next } = self.changes_between(filter, since, end, limit)?;
        Ok(ListPage { items, next: next.or((end < last).then_some(end)) })
    }

    /// The next change after a number that matches a filter.
    pub fn next_change(&self, filter: &ChangeFilter, since: Number) -> Result<NextChange, StoreError> {
        let end = since.saturating_add(MAX_SCANNED_PER_STEP).min(self.last_change()?);
        let found = if *filter == ChangeFilter::default() {
            self.changes(since, 1)?
        } else {
            self.changes_between(filter, since, end, 1)?
        };
        let Some(change) = found.items.into_iter().next() else { return Ok(NextChange::NoneUpTo(end.max(since))) };
        let card = change.record.map(|id| self.card(&id)).transpose()?.flatten();
        Ok(NextChange::Found(Box::new(change), card.map(Box::new)))
    }

    /// Changes after a number up to another that match a filter.
    fn changes_between(
        &self,
        filter: &ChangeFilter,
        since: Number,
        end: Number,
        limit: usize,
    ) -> Result<ListPage<Change, Number>, StoreError> {
        let mut values: Vec<&dyn Parameter> = vec![&since, &end];
        let sql = filter.numbers_sql(&mut values);
        let limit_and_one = limit + 1;
        values.push(&limit_and_one);
        let mut changes = self.connection.prepare(&changes_of(&sql))?;
        Ok(listed(changes.query(&values[..])?, limit, change_row)?.page(|change| change.number))
    }
}

impl ChangeFilter {
    /// SQL for the numbers of the matching changes between two numbers, up to a limit. The values of the filter are added to
    /// `values`.
    fn numbers_sql<'f>(&'f self, values: &mut Vec<&'f dyn Parameter>) -> String {
        let mut conditions = String::new();
        if let Some(tournament) = &self.tournament {
            conditions += " AND EXISTS (SELECT 1 FROM tournament_change AS own
                WHERE own.number IN (change.number, change.undoes) AND +own.tournament = ?)";
            values.push(tournament);
        }
        if self.games.is_some() || self.events.is_some() || self.players.is_some() {
            conditions += &self.of_records(values);
        }
        format!(
            "SELECT change.number AS number FROM change LEFT JOIN change AS undone ON undone.number = change.undoes
             WHERE change.number > ? AND change.number <= ?{conditions}
             ORDER BY change.number LIMIT ?"
        )
    }

    /// The condition of the filters about records.
    fn of_records<'f>(&'f self, values: &mut Vec<&'f dyn Parameter>) -> String {
        let mut of_record = String::new();
        for (column, count) in
            [("game", self.games.as_ref().map(Vec::len)), ("event", self.events.as_ref().map(Vec::len))]
        {
            if let Some(count) = count {
                of_record += &format!(" AND card.{column} IN ({})", placeholders(count));
            }
        }
        values.extend(self.games.iter().flatten().map(|game| game as &dyn Parameter));
        values.extend(self.events.iter().flatten().map(|event| event as &dyn Parameter));
        let mut of_names = String::new();
        if let Some(players) = &self.players {
            let numbers = placeholders(players.len());
            of_record += &format!(
                " AND EXISTS (SELECT 1 FROM part WHERE part.record = card.number AND part.player IN ({numbers}))"
            );
            of_names = format!(
                " AND EXISTS (SELECT 1 FROM player WHERE player.name IN (ifnull(change.name, undone.name),
                    ifnull(change.into_name, undone.into_name)) AND +player.root IN ({numbers}))"
            );
            for _ in 0..2 {
                values.extend(players.iter().map(|player| player as &dyn Parameter));
            }
        }
        // The table of cards without an index, so that SQLite looks up the two records and nothing else.
        format!(
            " AND (EXISTS (SELECT 1 FROM card NOT INDEXED
                     WHERE card.number IN (ifnull(change.record, undone.record), ifnull(change.corrects, undone.corrects)){of_record})
                   OR ifnull(change.name, undone.name) IS NOT NULL{of_names})"
        )
    }
}

/// SQL placeholders for `count` values.
fn placeholders(count: usize) -> String {
    // No value is equal to null.
    if count == 0 { "NULL".to_owned() } else { vec!["?"; count].join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    /// A search reads the changes between two numbers, and looks up their records and players.
    #[test]
    fn filters_look_rows_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let (games, numbers) =
            (Some(vec!["andes".to_owned(), "querni".to_owned()]), Some((1..=20).collect::<Vec<_>>()));
        let none = ChangeFilter::default();
        for filter in [
            ChangeFilter { games: games.clone(), ..none.clone() },
            ChangeFilter { events: numbers.clone(), ..none.clone() },
            ChangeFilter { players: numbers.clone(), ..none.clone() },
            ChangeFilter { tournament: Some(1), ..none.clone() },
            ChangeFilter { games, events: numbers.clone(), players: numbers, tournament: Some(1) },
            ChangeFilter { events: Some(Vec::new()), ..none },
        ] {
            let plan = store.read(|reading| {
                let mut values: Vec<&dyn Parameter> = vec![&1, &2];
                let sql = filter.numbers_sql(&mut values);
                values.push(&3);
                let mut explain = reading.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                let steps = explain.query_map(&values[..], |row| row.get("detail"))?;
                Ok::<_, StoreError>(steps.collect::<Result<Vec<String>, _>>()?)
            });
            let plan = plan.expect("a plan");
            assert!(plan[0].starts_with("SEARCH change USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"), "{plan:#?}");
            let is_long = |step: &String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
            assert!(!plan.iter().any(is_long), "{filter:?}: {plan:#?}");
        }
    }
}
