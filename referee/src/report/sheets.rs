//! The public JSON of sheets of one game, and of sheets that contradict each other.

use serde::Serialize;

use crate::competition::Difference;

/// A record of the input: its file and its number in that file.
#[derive(Debug, Serialize)]
pub struct OriginReport<'s> {
    /// The file; absent for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'s str>,
    /// 1 for the first record of its file.
    pub index: u64,
}

/// An earlier record of the input that a record contradicts.
#[derive(Debug, Serialize)]
pub struct ContradictsReport<'s> {
    /// The earlier record.
    #[serde(flatten)]
    pub origin: OriginReport<'s>,
    /// The difference.
    #[serde(flatten)]
    pub difference: DifferenceReport<'s>,
}

/// Sheets of one game by their places.
#[derive(Debug, Serialize)]
pub struct SheetsReport<'s> {
    /// The counted one first.
    pub games: &'s [u64],
}

/// Two sheets that contradict each other, by their places.
#[derive(Debug, Serialize)]
pub struct ContradictionReport<'s> {
    /// The two, in the order of entry.
    pub games: [u64; 2],
    /// The difference.
    #[serde(flatten)]
    pub difference: DifferenceReport<'s>,
}

/// The difference between two sheets; the values of both are in the order of entry.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct DifferenceReport<'s> {
    /// The first ply at which they differ, from 1; null if only the results differ.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: Option<u64>,
    /// Their moves there; null for a sheet that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<[Option<&'s str>; 2]>,
    /// Their results, if only these differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<[&'static str; 2]>,
}

/// The public JSON of a difference.
pub fn difference(difference: &Difference) -> DifferenceReport<'_> {
    match difference {
        Difference::Ply(ply, moves) => {
            DifferenceReport { ply: Some(*ply), moves: Some(moves.each_ref().map(Option::as_deref)), results: None }
        }
        Difference::Result(results) => DifferenceReport {
            ply: None,
            moves: None,
            results: Some(results.map(quipu_notation::record::Outcome::as_str)),
        },
    }
}
