//! Every record judged again under the rules of today. A verdict that is the same is confirmed, so that it need not be
//! given again; one that is another is stored beside the first, and holds from then on.

use quipu_referee::verify::EDITION;
use rusqlite::params;

use super::{
    Progress, Step, Store, StoreError, WriteTx,
    rejudge::{Which, par_map},
    upkeep::end,
};
use crate::{
    model::{By, Card, Judgement, Number},
    receipts::SignedVerdict,
};

/// A record on which the verdict is another now.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The record as it was listed before.
    pub card: Card,
    /// The verdict that held.
    pub before: Judgement,
    /// The verdict of today. Its number is that of the change that stored it; of a dry run, that of the one before.
    pub after: Judgement,
}

/// How many records were judged again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reverified {
    /// All that were.
    pub judged: u64,
    /// Those of them on which the verdict is another.
    pub changed: u64,
}

/// A record that was judged again: its number, the verdict that held, and the one of today.
type Judged = (Number, Judgement, Judgement);

impl Store {
    /// Judges records again: those whose verdicts were given under another edition of the rules, or all. A dry run stores
    /// nothing. `seen` is told of every record on which the verdict is another, in the order of entry.
    ///
    /// It may be broken off at any time; what is done is not done again.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn reverify(
        &self,
        all: bool,
        dry: bool,
        by: &By,
        mut progress: impl FnMut(Progress),
        mut seen: impl FnMut(Changed),
    ) -> Result<Reverified, StoreError> {
        let which = if all { Which::All } else { Which::NotOfToday };
        let mut told = Reverified::default();
        let mut last = 0;
        let end = self.read(end)?;
        loop {
            let page = self.read(|reading| reading.stored(which, last))?;
            let Some((number, _)) = page.last() else { return Ok(told) };
            last = *number;
            let page = page.into_iter().map(|(number, stored)| Ok((number, stored?)));
            let page: Vec<_> = page.collect::<Result<_, StoreError>>()?;
            let after = par_map(&page, |(_, stored)| stored.again().map(|(_, judgement)| judgement));
            let mut judged: Vec<Judged> = Vec::with_capacity(page.len());
            for ((number, stored), after) in page.into_iter().zip(after) {
                // A source in which nothing is found any more is damage, and not for the referee to say.
                let after = after.ok_or_else(|| StoreError::Corrupt(format!("the source of record {number}")))?;
                judged.push((number, stored.judgement, after));
            }
            told.judged += judged.len() as u64;
            let mut changed = Vec::new();
            for (number, before, after) in judged.iter().filter(|(_, before, after)| !before.agrees(after)) {
                let card = self.read(|reading| reading.card_of(*number))?;
                let card = card.ok_or_else(|| StoreError::Corrupt(format!("record {number} has no card")))?;
                changed.push(Changed { card, before: before.clone(), after: after.clone() });
            }
            if !dry {
                let by = by.clone();
                let stored = self.write_slowly(move |writing| writing.judged_again(&judged, &by)).wait()?;
                let with_number = |(mut changed, number): (Changed, Option<Number>)| {
                    changed.after.number = number?;
                    Some(changed)
                };
                changed = changed.into_iter().zip(stored).filter_map(with_number).collect();
            }
            told.changed += changed.len() as u64;
            changed.into_iter().for_each(&mut seen);
            progress(Progress::of(Step::Records, last, end));
        }
    }
}

impl WriteTx<'_> {
    /// Stores what judging again came to; says of each verdict that is another under what number it is stored, which is
    /// under none if the record was meanwhile judged by somebody else.
    fn judged_again(&self, judged: &[Judged], by: &By) -> Result<Vec<Option<Number>>, StoreError> {
        let mut confirm =
            self.connection.prepare_cached("INSERT OR IGNORE INTO confirmation VALUES (?, ?, ?, ?, ?)")?;
        let mut numbers = Vec::new();
        for (record, before, after) in judged {
            let holds = self.verdict_that_holds(*record)? == before.number;
            if !before.agrees(after) {
                numbers.push(if holds { Some(self.judge(*record, after, by)?) } else { None });
            } else if holds && before.edition != EDITION {
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
