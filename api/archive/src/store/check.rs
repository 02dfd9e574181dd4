//! Checking an archive: the file, references of rows, every record and verdict, the receipt log, and the derived tables against the
//! changes. A check changes nothing, and neither readers nor the writer wait for it.

use std::collections::BTreeSet;

use super::{
    archive::Store,
    checksum::of_tables,
    database::{Scratch, params},
    error::StoreError,
    fault::ArchiveFault,
    idempotency::damaged_outcomes,
    migrate::{expected_objects, expected_objects_aside},
    progress::{EVERY, Progress, Step},
    projections,
    read_tx::ReadTx,
    rejudge::{Selection, StoredRecord, StoredResult, par_map},
    schema::{Objects, objects},
    tournaments::{Misplaced, replay},
};
use crate::model::Number;

/// Changes that are read in one query.
const PAGE: usize = 1_000;

/// The counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckSummary {
    /// Checked records.
    pub records: u64,
    /// Those of them whose verdicts are of other editions of the rules, and so are not compared.
    pub of_other_editions: u64,
    /// Faults found.
    pub faults: u64,
}

/// SQL for changes whose columns are not those of their kind, or whose record or verdict is missing.
const INVALID_CHANGES: &str = "
  SELECT number FROM change WHERE NOT ifnull(CASE kind
    WHEN 'record' THEN record = number AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'verdict' THEN record < number AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes IS NULL
      AND EXISTS (SELECT 1 FROM verdict WHERE verdict.number = change.number AND verdict.record = change.record)
    WHEN 'correction' THEN record <= number AND corrects < number AND corrects <> record
      AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'retraction' THEN record < number AND corrects IS NULL
      AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'merge' THEN record IS NULL AND corrects IS NULL AND name <> into_name AND undoes IS NULL
    WHEN 'tournament' THEN record IS NULL AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes IS NULL
      AND EXISTS (SELECT 1 FROM tournament_change WHERE tournament_change.number = change.number)
    WHEN 'undo' THEN record IS NULL AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes < number
      AND (SELECT kind FROM change AS undone WHERE undone.number = change.undoes) 
        IN ('correction', 'retraction', 'merge', 'tournament')
  END, false)
  UNION SELECT number FROM change WHERE kind IN ('record', 'correction') AND record = number
    AND NOT (EXISTS (SELECT 1 FROM record WHERE record.number = change.number)
      AND EXISTS (SELECT 1 FROM verdict WHERE verdict.number = change.number AND verdict.record = change.number))
  UNION SELECT number FROM record WHERE NOT EXISTS (SELECT 1 FROM change
    WHERE change.number = record.number AND change.record = record.number AND change.kind IN ('record', 'correction'))
  UNION SELECT number FROM verdict WHERE record <> number AND NOT EXISTS (SELECT 1 FROM change
    WHERE change.number = verdict.number AND change.record = verdict.record AND change.kind = 'verdict')
  UNION SELECT number FROM tournament_change WHERE tournament > number OR NOT EXISTS (SELECT 1 FROM change
    WHERE change.number = tournament_change.number AND change.kind = 'tournament')
  ORDER BY number";

/// SQL for the first and last number of each gap between changes.
const GAPS: &str = "SELECT before + 1, number - 1 FROM
  (SELECT number, lag(number, 1, 0) OVER (ORDER BY number) AS before FROM change) AS changes WHERE number > before + 1";

impl Store {
    /// Checks everything and calls `fault` for each fault.
    ///
    /// # Errors
    /// If the archive cannot be read for another reason than damage.
    pub fn check(
        &self,
        mut progress: impl FnMut(Progress),
        mut fault: impl FnMut(ArchiveFault),
    ) -> Result<CheckSummary, StoreError> {
        let mut checked = CheckSummary::default();
        let mut faults = 0;
        let mut fault = |found| {
            faults += 1;
            fault(found);
        };
        self.missing_log().map(|log| ArchiveFault::Log(log.to_owned())).into_iter().for_each(&mut fault);
        progress(Progress::of(Step::File, 0, 1));
        let found = self.read(file_faults);
        or_damage(found, &mut fault)?.into_iter().flatten().for_each(&mut fault);
        if !self.0.database.is_file() {
            self.check_schema(&mut fault)?;
        }
        progress(Progress::of(Step::File, 1, 1));
        let read = self.check_rows();
        or_damage(read, &mut fault)?;
        let tournaments = self.check_tournaments(&mut fault);
        or_damage(tournaments, &mut fault)?;
        let damaged = self.read(damaged_outcomes);
        or_damage(damaged, &mut fault)?.into_iter().flatten().map(ArchiveFault::StoredOutcome).for_each(&mut fault);
        let walked = self.check_records(&mut checked, &mut progress, &mut fault);
        or_damage(walked, &mut fault)?;
        let log = self.check_log(&mut progress, &mut fault);
        or_damage(log, &mut fault)?;
        self.check_derived(&mut progress, &mut fault)?;
        Ok(CheckSummary { faults, ..checked })
    }

    /// Compares the tables on a server with those of a new archive.
    fn check_schema(&self, fault: &mut impl FnMut(ArchiveFault)) -> Result<(), StoreError> {
        let Scratch { connection: scratch, archive } = self.0.database.scratch()?;
        let found = objects(&scratch, archive.strip_suffix('.'))?;
        changed_objects(&found, &expected_objects_aside(&scratch)?).for_each(fault);
        Ok(())
    }

    /// Reads the rows that no other check reads.
    fn check_rows(&self) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            let page = self.read(|reading| reading.changes(last, PAGE))?;
            let Some(next) = page.next else { break };
            last = next;
        }
        let mut before = None;
        loop {
            let page = self.read(|reading| reading.lives(before, PAGE))?;
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        self.read(|reading| reading.tokens().map(drop))
    }

    /// Replays all tournaments.
    fn check_tournaments(&self, fault: &mut impl FnMut(ArchiveFault)) -> Result<(), StoreError> {
        let mut before = None;
        loop {
            let numbers = self.read(|reading| reading.tournament_numbers(before, PAGE))?;
            let Some(last) = numbers.last() else { return Ok(()) };
            before = Some(*last);
            for number in numbers {
                let held = or_damage(self.read(|reading| reading.held_changes(number)), fault)?;
                if let Some(Err(Misplaced { change, fault: reason })) = held.map(|held| replay(&held)) {
                    fault(ArchiveFault::Tournament { number, change, reason });
                }
            }
        }
    }

    fn check_records(
        &self,
        checked: &mut CheckSummary,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(ArchiveFault),
    ) -> Result<(), StoreError> {
        let end = self.last_change()?;
        let mut last = 0;
        loop {
            // Each page has its own transaction: one that lasts for hours would prevent checkpoints.
            let page = self.read(|reading| reading.stored(Selection::All, last))?;
            let Some((number, _)) = page.last() else { return Ok(()) };
            last = *number;
            checked.records += page.len() as u64;
            let of_another =
                |(_, stored): &&StoredResult| stored.as_ref().is_ok_and(|stored| !stored.is_current_edition);
            checked.of_other_editions += page.iter().filter(of_another).count() as u64;
            let faults = par_map(&page, |(number, stored)| match stored {
                Ok(stored) => record_faults(stored),
                Err(error) => vec![ArchiveFault::Record(*number, error.to_string())],
            });
            faults.into_iter().flatten().for_each(&mut *fault);
            progress(Progress::of(Step::Records, last, end));
        }
    }

    /// Builds the derived tables from the changes in a temporary database, and compares them.
    fn check_derived(
        &self,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(ArchiveFault),
    ) -> Result<(), StoreError> {
        let Scratch { connection: scratch, archive } = self.0.database.scratch()?;
        let end: Number =
            scratch.query_row("SELECT ifnull(max(number), 0) FROM change", params![], |row| row.get(0))?;
        // Table names are looked up in the temporary database first and then in the archive, so this builds the derived tables
        // in the former from the changes in the latter.
        let made = projections::build(&scratch, |change| {
            if change % EVERY == 0 || change == end {
                progress(Progress::of(Step::Derived, change, end));
            }
        });
        match made {
            Ok(()) => {}
            Err(error @ (StoreError::Corrupt(_) | StoreError::Other(_))) => {
                fault(ArchiveFault::Rebuild(error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let right = of_tables(&scratch, "")?;
        let Some(found) = or_damage(of_tables(&scratch, &archive), fault)? else { return Ok(()) };
        for ((table, digest, rows), (_, right_digest, right)) in found.into_iter().zip(right) {
            if digest != right_digest {
                fault(ArchiveFault::Derived { table, rows, right });
            }
        }
        Ok(())
    }
}

/// The faults of the file, of references between rows, and of changes.
fn file_faults(reading: &ReadTx<'_>) -> Result<Vec<ArchiveFault>, StoreError> {
    let mut faults = Vec::new();
    if reading.connection.is_file() {
        inspect(reading, &mut faults)?;
    }
    let mut gaps = reading.connection.prepare(GAPS)?;
    let gaps = gaps.query_map(params![], |row| Ok(ArchiveFault::Gap(row.get(0)?, row.get(1)?)))?;
    faults.extend(gaps.collect::<Result<Vec<_>, _>>()?);
    let mut invalid = reading.connection.prepare(INVALID_CHANGES)?;
    let invalid = invalid.query_map(params![], |row| row.get(0).map(ArchiveFault::Change))?;
    faults.extend(invalid.collect::<Result<Vec<_>, _>>()?);
    Ok(faults)
}

/// The faults that SQLite finds in the file. PostgreSQL has a program of its own for that, and does not let rows refer to missing
/// ones.
fn inspect(reading: &ReadTx<'_>, faults: &mut Vec<ArchiveFault>) -> Result<(), StoreError> {
    let mut integrity = reading.connection.prepare("PRAGMA integrity_check")?;
    let said = integrity.query_map(params![], |row| row.get::<String>(0))?.collect::<Result<Vec<_>, _>>()?;
    faults.extend(said.into_iter().filter(|said| said != "ok").map(ArchiveFault::File));
    faults.extend(changed_objects(&objects(reading.connection, None)?, &expected_objects()?));
    let mut references = reading.connection.prepare("PRAGMA foreign_key_check")?;
    let references = references.query_map(params![], |row| {
        Ok(ArchiveFault::Reference { table: row.get(0)?, row: row.get(1)?, parent: row.get(2)? })
    })?;
    faults.extend(references.collect::<Result<Vec<_>, _>>()?);
    Ok(())
}

/// The objects of a schema that are not those of a new archive.
fn changed_objects(found: &Objects, right: &Objects) -> impl Iterator<Item = ArchiveFault> + use<> {
    let names: BTreeSet<_> = found.keys().chain(right.keys()).collect();
    let changed = names.into_iter().filter(|name| found.get(*name) != right.get(*name));
    changed.map(|[name, _]| ArchiveFault::Schema(name.clone())).collect::<Vec<_>>().into_iter()
}

/// The faults of a record.
fn record_faults(stored: &StoredRecord) -> Vec<ArchiveFault> {
    let (number, id) = (stored.source.number, stored.id);
    let Some((now, right)) = stored.rejudge() else { return vec![ArchiveFault::Source(number, id)] };
    let mut faults = Vec::new();
    if now.digest != stored.digest {
        faults.push(ArchiveFault::Source(number, id));
    }
    if now.id != id {
        faults.push(ArchiveFault::Id(number, id, now.id));
    }
    if now.canonical != stored.source.canonical {
        faults.push(ArchiveFault::Canonical(number, id));
    }
    if stored.is_current_edition && !stored.judgement.agrees(&right) {
        let (stored, right) = (Box::new(stored.judgement.clone()), Box::new(right));
        faults.push(ArchiveFault::Verdict { id, stored, right });
    }
    faults
}

/// Turns an error of damage into a fault.
fn or_damage<T>(found: Result<T, StoreError>, fault: &mut impl FnMut(ArchiveFault)) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        // A query that SQLite does not understand means that its tables have changed.
        Err(StoreError::Corrupt(what) | StoreError::Other(what)) => {
            fault(ArchiveFault::File(what));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
