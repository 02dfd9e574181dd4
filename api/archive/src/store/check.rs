//! Whether an archive is sound: the file, what its rows refer to, every record and verdict in it, their receipts, and whether the derived
//! tables are what follows from the changes. Nothing is changed, and who reads and writes meanwhile is not kept waiting.

use std::{collections::BTreeSet, path::PathBuf};

use rusqlite::Connection;

use super::{
    Access, Progress, ReadTx, Step, Store, StoreError,
    checksum::of_tables,
    idempotency::spoilt_answers,
    projections,
    rejudge::{Found, Stored, Which, par_map},
    schema,
    upkeep::end,
};
use crate::model::{Id, Judgement, Number};

/// What is wrong with an archive.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The file is damaged; what SQLite says.
    File(String),
    /// The log that belongs to the file is not beside it.
    Log(PathBuf),
    /// A table, index or trigger is not as it was made, missing, or nobody's; its name.
    Schema(String),
    /// A row refers to one that is not there.
    Reference {
        /// The table it is in.
        table: String,
        /// Its number, if it has one.
        row: Option<i64>,
        /// The table it refers to.
        parent: String,
    },
    /// Changes are missing: the first and the last of them. There are later ones.
    Gap(Number, Number),
    /// A change is not what one of its kind is, or what it brought is not there.
    Change(Number),
    /// A record cannot be had from its tables; why.
    Record(Number, String),
    /// The bytes of a record are not those that came in.
    Source(Number, Id),
    /// The id of a record is not that of its source; the one that is.
    Id(Number, Id, Id),
    /// The canonical text of a record is not that of its source.
    Canonical(Number, Id),
    /// The verdict on a record, given under the rules of today, is not the one that they give.
    Verdict {
        /// The record.
        id: Id,
        /// The verdict that is stored.
        stored: Box<Judgement>,
        /// The one that should be.
        right: Box<Judgement>,
    },
    /// A receipt is not there, or not that of its verdict; its place in the log.
    Receipt(u64),
    /// From this place in the log on, the tree is not that of the receipts.
    Tree(u64),
    /// A verdict, or its confirmation under another edition, is not that of any receipt; its number.
    Unreceipted(Number),
    /// A head of the log is not that of the receipts, or is not signed; of how many it is.
    Head(u64),
    /// The log does not go on from the head that is kept in this file.
    Rewritten(PathBuf),
    /// A key of the log is not signed by the one before it; its number.
    Key(Number),
    /// The answer kept for a request, by the key that came with it, is not the one that was given.
    Answer(String),
    /// A derived table is not what follows from the changes.
    Derived {
        /// The table.
        table: &'static str,
        /// Rows that it has.
        rows: u64,
        /// Rows that it should have.
        right: u64,
    },
    /// Nothing follows from the changes, because they contradict each other; how.
    Rebuild(String),
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Records.
    pub records: u64,
    /// Those of them whose verdicts were given under other editions of the rules, and are not for this one to check.
    pub of_other_editions: u64,
    /// Faults found.
    pub faults: u64,
}

/// The changes that are not what one of their kind is. What each kind says of columns stands here once.
const SENSELESS: &str = "
  SELECT number FROM change WHERE NOT ifnull(CASE kind
    WHEN 'record' THEN record = number AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'verdict' THEN record < number AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes IS NULL
      AND EXISTS (SELECT 1 FROM verdict WHERE verdict.number = change.number AND verdict.record = change.record)
    WHEN 'correction' THEN record <= number AND corrects < number AND corrects <> record
      AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'retraction' THEN record < number AND corrects IS NULL
      AND name IS NULL AND into_name IS NULL AND undoes IS NULL
    WHEN 'merge' THEN record IS NULL AND corrects IS NULL AND name <> into_name AND undoes IS NULL
    WHEN 'undo' THEN record IS NULL AND corrects IS NULL AND name IS NULL AND into_name IS NULL AND undoes < number
      AND (SELECT kind FROM change AS undone WHERE undone.number = change.undoes) IN ('correction', 'retraction', 'merge')
  END, false)
  UNION SELECT number FROM change WHERE kind IN ('record', 'correction') AND record = number
    AND NOT (EXISTS (SELECT 1 FROM record WHERE record.number = change.number)
      AND EXISTS (SELECT 1 FROM verdict WHERE verdict.number = change.number AND verdict.record = change.number))
  UNION SELECT number FROM record WHERE NOT EXISTS (SELECT 1 FROM change
    WHERE change.number = record.number AND change.record = record.number AND change.kind IN ('record', 'correction'))
  UNION SELECT number FROM verdict WHERE record <> number AND NOT EXISTS (SELECT 1 FROM change
    WHERE change.number = verdict.number AND change.record = verdict.record AND change.kind = 'verdict')
  ORDER BY number";

/// Ends of gaps between the numbers of changes.
const GAPS: &str = "SELECT before + 1, number - 1 FROM
  (SELECT number, lag(number, 1, 0) OVER (ORDER BY number) AS before FROM change) WHERE number > before + 1";

impl Store {
    /// Checks everything. `fault` is told what is wrong.
    ///
    /// # Errors
    /// If the archive cannot be read for another reason than that it is damaged.
    pub fn check(
        &self,
        mut progress: impl FnMut(Progress),
        mut fault: impl FnMut(Fault),
    ) -> Result<Checked, StoreError> {
        let mut checked = Checked::default();
        let mut faults = 0;
        let mut fault = |found| {
            faults += 1;
            fault(found);
        };
        self.missing_log().map(|log| Fault::Log(log.to_owned())).into_iter().for_each(&mut fault);
        progress(Progress::of(Step::File, 0, 1));
        let found = self.read(file_faults);
        or_damage(found, &mut fault)?.into_iter().flatten().for_each(&mut fault);
        progress(Progress::of(Step::File, 1, 1));
        let read = self.check_rows();
        or_damage(read, &mut fault)?;
        let spoilt = self.read(spoilt_answers);
        or_damage(spoilt, &mut fault)?.into_iter().flatten().map(Fault::Answer).for_each(&mut fault);
        let walked = self.check_records(&mut checked, &mut progress, &mut fault);
        or_damage(walked, &mut fault)?;
        let log = self.check_log(&mut progress, &mut fault);
        or_damage(log, &mut fault)?;
        self.check_derived(&mut progress, &mut fault)?;
        Ok(Checked { faults, ..checked })
    }

    /// Reads what no other check looks into.
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

    fn check_records(
        &self,
        checked: &mut Checked,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(Fault),
    ) -> Result<(), StoreError> {
        let end = self.read(end)?;
        let mut last = 0;
        loop {
            // Each page is a question of its own: one that lasted for hours would keep the log from being emptied.
            let page = self.read(|reading| reading.stored(Which::All, last))?;
            let Some((number, _)) = page.last() else { return Ok(()) };
            last = *number;
            checked.records += page.len() as u64;
            let of_another = |(_, stored): &&Found| stored.as_ref().is_ok_and(|stored| !stored.is_of_today);
            checked.of_other_editions += page.iter().filter(of_another).count() as u64;
            let faults = par_map(&page, |(number, stored)| match stored {
                Ok(stored) => record_faults(stored),
                Err(error) => vec![Fault::Record(*number, error.to_string())],
            });
            faults.into_iter().flatten().for_each(&mut *fault);
            progress(Progress::of(Step::Records, last, end));
        }
    }

    /// Makes the derived tables anew in a file that is nobody else's and goes by itself, and compares them. The changes
    /// are read where they are.
    fn check_derived(
        &self,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(Fault),
    ) -> Result<(), StoreError> {
        let _permit = self.0.file.permit()?;
        let scratch = Connection::open("")?;
        schema::prepare(&scratch, Access::Write)?;
        scratch.pragma_update(None, "synchronous", "off")?;
        scratch.execute("ATTACH ? AS archive", [super::text_of(&self.0.file.address()?)?])?;
        // All of it is of one moment.
        scratch.execute_batch("BEGIN")?;
        let end: Number = scratch.query_row("SELECT ifnull(max(number), 0) FROM change", [], |row| row.get(0))?;
        // Names of tables are looked for here first and in the archive then, so that what is derived comes to be here.
        let made = projections::make(&scratch, |change| {
            if change % PROGRESS == 0 || change == end {
                progress(Progress::of(Step::Derived, change, end));
            }
        });
        match made {
            Ok(()) => {}
            Err(error @ (StoreError::Corrupt(_) | StoreError::Other(_))) => {
                fault(Fault::Rebuild(error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let right = of_tables(&scratch, "main")?;
        let Some(found) = or_damage(of_tables(&scratch, "archive"), fault)? else { return Ok(()) };
        for ((table, digest, rows), (_, right_digest, right)) in found.into_iter().zip(right) {
            if digest != right_digest {
                fault(Fault::Derived { table, rows, right });
            }
        }
        Ok(())
    }
}

/// Changes that are read at once.
const PAGE: usize = 1_000;
/// Changes between two reports of progress.
pub(super) const PROGRESS: Number = 1_000;

/// What is wrong with the file, with what its rows refer to, and with the changes.
fn file_faults(reading: &ReadTx<'_>) -> Result<Vec<Fault>, StoreError> {
    let mut faults = Vec::new();
    let mut integrity = reading.connection.prepare("PRAGMA integrity_check")?;
    let said = integrity.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    faults.extend(said.into_iter().filter(|said| said != "ok").map(Fault::File));
    let (objects, right) = (schema::objects(reading.connection)?, schema::right_objects()?);
    let names: BTreeSet<_> = objects.keys().chain(right.keys()).collect();
    let changed = names.into_iter().filter(|name| objects.get(*name) != right.get(*name));
    faults.extend(changed.map(|name| Fault::Schema(name.clone())));
    let mut references = reading.connection.prepare("PRAGMA foreign_key_check")?;
    let references = references
        .query_map([], |row| Ok(Fault::Reference { table: row.get(0)?, row: row.get(1)?, parent: row.get(2)? }))?;
    faults.extend(references.collect::<Result<Vec<_>, _>>()?);
    let mut gaps = reading.connection.prepare(GAPS)?;
    let gaps = gaps.query_map([], |row| Ok(Fault::Gap(row.get(0)?, row.get(1)?)))?;
    faults.extend(gaps.collect::<Result<Vec<_>, _>>()?);
    let mut senseless = reading.connection.prepare(SENSELESS)?;
    let senseless = senseless.query_map([], |row| row.get(0).map(Fault::Change))?;
    faults.extend(senseless.collect::<Result<Vec<_>, _>>()?);
    Ok(faults)
}

/// What is wrong with a record.
fn record_faults(stored: &Stored) -> Vec<Fault> {
    let (number, id) = (stored.source.number, stored.id);
    let Some((now, right)) = stored.again() else { return vec![Fault::Source(number, id)] };
    let mut faults = Vec::new();
    if now.digest != stored.digest {
        faults.push(Fault::Source(number, id));
    }
    if now.id != id {
        faults.push(Fault::Id(number, id, now.id));
    }
    if now.canonical != stored.source.canonical {
        faults.push(Fault::Canonical(number, id));
    }
    if stored.is_of_today && !stored.judgement.agrees(&right) {
        let (stored, right) = (Box::new(stored.judgement.clone()), Box::new(right));
        faults.push(Fault::Verdict { id, stored, right });
    }
    faults
}

/// What was found, or that it cannot be found because the archive is damaged.
fn or_damage<T>(found: Result<T, StoreError>, fault: &mut impl FnMut(Fault)) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        // A question that SQLite does not understand is one about tables that are not what they were.
        Err(StoreError::Corrupt(what) | StoreError::Other(what)) => {
            fault(Fault::File(what));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
