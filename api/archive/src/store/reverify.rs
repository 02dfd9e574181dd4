//! Judging records again under the current rules. An equal verdict is confirmed, so that it need not be given again; a different
//! one is stored beside the first and is current from then on.

use quipu_referee::verify::EDITION;

use super::{
    archive::Store,
    database::params,
    error::StoreError,
    progress::{Progress, Step},
    rejudge::{Selection, par_map},
    write_tx::WriteTx,
};
use crate::model::{Attribution, Card, Judgement, Number, SignedVerdict};

/// A record whose verdict has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedVerdict {
    /// The record before.
    pub card: Card,
    /// The verdict before.
    pub before: Judgement,
    /// The verdict now. Its number is that of the change that stored it; in a dry run, that of `before`.
    pub after: Judgement,
}

/// The counts of a reverification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReverifySummary {
    /// Records that were judged.
    pub judged: u64,
    /// Those of them whose verdicts have changed.
    pub changed: u64,
}

/// Number of a record, its current verdict, and the new one.
type Judged = (Number, Judgement, Judgement);

impl Store {
    /// Judges records again: those whose verdicts are of another edition of the rules, or all. A dry run stores nothing.
    /// `on_change` is called for every record whose verdict has changed, in the order of entry.
    ///
    /// It may be interrupted at any time; the next run continues where it was.
    pub fn reverify(
        &self,
        all: bool,
        dry: bool,
        by: &Attribution,
        mut progress: impl FnMut(Progress),
        mut on_change: impl FnMut(ChangedVerdict),
    ) -> Result<ReverifySummary, StoreError> {
        let selection = if all { Selection::All } else { Selection::OtherEditions };
        let mut summary = ReverifySummary::default();
        let mut last = 0;
        let end = self.last_change()?;
        loop {
            let page = self.read(|reading| reading.stored(selection, last))?;
            let Some((number, _)) = page.last() else { return Ok(summary) };
            last = *number;
            let page = page.into_iter().map(|(number, stored)| Ok((number, stored?)));
            let page: Vec<_> = page.collect::<Result<_, StoreError>>()?;
            let after = par_map(&page, |(_, stored)| stored.rejudge().map(|(_, judgement)| judgement));
            let mut judged: Vec<Judged> = Vec::with_capacity(page.len());
            for ((number, stored), after) in page.into_iter().zip(after) {
                // A source without a record is damaged.
                let after = after.ok_or_else(|| StoreError::Corrupt(format!("the source of record {number}")))?;
                judged.push((number, stored.judgement, after));
            }
            summary.judged += judged.len() as u64;
            let mut changed = Vec::new();
            for (number, before, after) in judged.iter().filter(|(_, before, after)| !before.agrees(after)) {
                let card = self.read(|reading| reading.card_of(*number))?;
                let card = card.ok_or_else(|| StoreError::Corrupt(format!("record {number} has no card")))?;
                changed.push(ChangedVerdict { card, before: before.clone(), after: after.clone() });
            }
            if !dry {
                let by = by.clone();
                let stored = self.write_blocking(move |writing| writing.store_rejudged(&judged, &by)).wait()?;
                let with_number = |(mut changed, number): (ChangedVerdict, Option<Number>)| {
                    changed.after.number = number?;
                    Some(changed)
                };
                changed = changed.into_iter().zip(stored).filter_map(with_number).collect();
            }
            summary.changed += changed.len() as u64;
            changed.into_iter().for_each(&mut on_change);
            progress(Progress::of(Step::Records, last, end));
        }
    }
}

impl WriteTx<'_> {
    /// Stores changed verdicts and confirms equal ones. Returns the number of each changed verdict; none if the record got another
    /// verdict meanwhile.
    fn store_rejudged(&self, judged: &[Judged], by: &Attribution) -> Result<Vec<Option<Number>>, StoreError> {
        let mut confirm =
            self.connection.prepare("INSERT INTO confirmation VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")?;
        let mut numbers = Vec::new();
        for (record, before, after) in judged {
            let is_current = self.current_verdict(*record)? == before.number;
            if !before.agrees(after) {
                numbers.push(if is_current { Some(self.judge(*record, after, by)?) } else { None });
            } else if is_current && before.edition != EDITION {
                let (at, receipt) = (self.now().timestamp_millis(), self.next_receipt()?);
                if confirm.execute(params![EDITION, before.number, after.program, at, receipt])? == 1 {
                    let (id, source) = self.hashes_of(*record)?;
                    let confirmed = Judgement { program: after.program.clone(), ..before.clone() };
                    let signed = SignedVerdict::new(&confirmed).text();
                    self.issue(receipt, [&id, &source], &confirmed, EDITION, signed);
                }
            }
        }
        Ok(numbers)
    }
}
