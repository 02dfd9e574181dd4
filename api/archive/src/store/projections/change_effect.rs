//! A change as the projections take it.

use crate::{
    model::{ChangeKind, Facts, Id, Judgement, Number},
    store::{database::Row, error::StoreError, rows},
};

/// The effect of a change, with the numbers of the records that it is about.
#[derive(Clone, Debug)]
pub(in crate::store) enum ChangeEffect {
    /// A record is added.
    Record(Number),
    /// A record gets another verdict.
    Verdict(Number),
    /// A record replaces another.
    Correction { new: Number, old: Number },
    /// A record is retracted.
    Retraction(Number),
    /// A name is merged into another.
    Merge { name: String, into: String },
    /// A tournament is created or changed. It is the replay of its changes, and has no derived table.
    Tournament,
    /// A change is undone.
    Undo(Number),
}

impl ChangeEffect {
    /// Columns of `change` that [`ChangeEffect::from_row`] reads.
    pub(in crate::store) const COLUMNS: &str = "number, kind, record, corrects, name, into_name, undoes";

    /// The record that the change with this number adds. A correction may put a stored record in the place of another.
    pub(in crate::store) fn added_record(&self, change: Number) -> Option<Number> {
        match self {
            Self::Record(record) | Self::Correction { new: record, .. } if *record == change => Some(*record),
            _ => None,
        }
    }

    pub(in crate::store) fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(match rows::parsed(row, "kind", ChangeKind::parse)? {
            ChangeKind::Record => Self::Record(row.get("record")?),
            ChangeKind::Verdict => Self::Verdict(row.get("record")?),
            ChangeKind::Correction => Self::Correction { new: row.get("record")?, old: row.get("corrects")? },
            ChangeKind::Retraction => Self::Retraction(row.get("record")?),
            ChangeKind::Merge => Self::Merge { name: row.get("name")?, into: row.get("into_name")? },
            ChangeKind::Tournament => Self::Tournament,
            ChangeKind::Undo => Self::Undo(row.get("undoes")?),
        })
    }
}

/// A new record that is in memory, and so need not be read from its rows.
pub(in crate::store) struct NewRecord<'a> {
    pub(in crate::store) id: &'a Id,
    /// Time of its change, in milliseconds.
    pub(in crate::store) at: i64,
    pub(in crate::store) facts: &'a Facts,
    pub(in crate::store) judgement: &'a Judgement,
}
