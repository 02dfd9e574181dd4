//! The sources that were read. A *place* is the number of a record in the whole input.

use quipu_referee::{
    competition::{Contradiction, Difference},
    report::{
        competition::FileReport,
        sheets::{ContradictsReport, OriginReport, difference},
    },
};

use crate::{context::Context, input::InputSource};

/// Sources in the order of reading.
#[derive(Debug, Default)]
pub(crate) struct Origins(Vec<Origin>);

/// A source that was read.
#[derive(Debug)]
struct Origin {
    path: Option<String>,
    name: String,
    /// Place of its first record in the whole input.
    first: u64,
    records: u64,
}

impl Origins {
    /// Adds a source whose first record has this place.
    pub(crate) fn add(&mut self, source: &InputSource, first: u64) {
        self.0.push(Origin { path: source.path(), name: source.name(), first, records: 0 });
    }

    /// Counts records of the last source.
    pub(crate) fn count(&mut self, records: usize) {
        if let Some(last) = self.0.last_mut() {
            last.records += records as u64;
        }
    }

    fn find(&self, place: u64) -> Option<(&Origin, u64)> {
        let after = self.0.partition_point(|origin| origin.first <= place);
        let origin = self.0.get(after.checked_sub(1)?)?;
        Some((origin, place - origin.first + 1))
    }

    /// The name of the source of a place, and the number of the record in that source.
    pub(crate) fn of(&self, place: u64) -> (&str, u64) {
        self.find(place).map_or(("-", place), |(origin, number)| (&origin.name, number))
    }

    /// Name and number in one text.
    pub(crate) fn shown(&self, place: u64) -> String {
        let (name, number) = self.of(place);
        format!("{name} {number}")
    }

    /// Path and number for JSON.
    pub(crate) fn report(&self, place: u64) -> OriginReport<'_> {
        let found = self.find(place);
        OriginReport {
            file: found.and_then(|(origin, _)| origin.path.as_deref()),
            index: found.map_or(place, |(_, index)| index),
        }
    }

    /// The contradicted record and the difference, for JSON.
    pub(crate) fn contradiction<'s>(&'s self, found: &'s Contradiction) -> ContradictsReport<'s> {
        ContradictsReport { origin: self.report(found.place), difference: difference(&found.difference) }
    }

    /// The range of places of each source, if there are several.
    pub(crate) fn files(&self) -> Vec<FileReport<'_>> {
        let origins = self.0.iter().filter(|_| self.0.len() > 1);
        origins
            .map(|origin| FileReport { file: origin.path.as_deref(), first: origin.first, records: origin.records })
            .collect()
    }
}

/// A contradiction in words: the sheet that is contradicted, and the difference.
pub(crate) fn difference_message(context: Context, other: &str, found: &Difference) -> String {
    match found {
        Difference::Ply(ply, moves) => {
            let [there, here] = moves
                .each_ref()
                .map(|token| token.as_deref().map_or_else(|| context.say("sheets.ended").to_owned(), quoted(context)));
            context.fill("sheets.ply", &[("other", &other), ("ply", ply), ("there", &there), ("here", &here)])
        }
        Difference::Result([there, here]) => {
            let (there, here) = (there.as_str(), here.as_str());
            context.fill("sheets.result", &[("other", &other), ("there", &there), ("here", &here)])
        }
    }
}

fn quoted(context: Context) -> impl Fn(&str) -> String {
    move |token| context.fill("quote", &[("text", &token)])
}
