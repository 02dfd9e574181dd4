//! The public JSON of repaired and of merged sheets.

use serde::Serialize;

use super::VerdictReport;
use crate::{
    Lang,
    messages::{catalog, fill},
    repair::{Disputed, DisputedReading, Edit},
    repaired::{CLAIMS, MOST_SHEETS, MergeFault, MergedSheets, Repair},
};

/// The readings of a record.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct RepairReport<'r> {
    /// The file the record was read from, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub file: Option<&'r str>,
    /// 1 for the first record of its file.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub index: u64,
    /// The status of the record as it stands.
    pub status: &'r str,
    /// The readings, the cheapest first.
    pub readings: Vec<ReadingReport<'r>>,
    /// True if the first reading may be trusted.
    pub clear: bool,
    /// False if the search hit its bound.
    pub complete: bool,
}

/// A reading.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct ReadingReport<'r> {
    /// The cost of its edits. Ten more is ten times less likely.
    pub cost: u32,
    /// Canonical tokens.
    pub moves: &'r [String],
    /// The changes, in the order of the plies.
    pub edits: Vec<EditReport<'r>>,
    /// The verdict on the repaired record.
    pub verdict: VerdictReport<'r>,
}

/// A change.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct EditReport<'r> {
    /// The ply of the repaired game, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: u64,
    /// Name of the slip that is undone, or of the tag whose value is corrected.
    pub kind: &'r str,
    /// The written text; null for a ply that is not written.
    pub from: Option<&'r str>,
    /// The text read instead; null for a ply that was written twice.
    pub to: Option<&'r str>,
}

impl<'r> From<&'r Edit> for EditReport<'r> {
    fn from(edit: &'r Edit) -> Self {
        Self { ply: edit.ply, kind: edit.kind, from: edit.from.as_deref(), to: edit.to.as_deref() }
    }
}

/// The readings of a record, with their words in one language.
pub fn repair<'r>(repair: &'r Repair<'_>, index: u64, lang: Lang) -> RepairReport<'r> {
    let readings = repair.readings.readings.iter().zip(&repair.verdicts);
    RepairReport {
        file: None,
        index,
        status: repair.verdict.status.as_str(),
        readings: readings
            .map(|(reading, verdict)| ReadingReport {
                cost: reading.cost,
                moves: &reading.moves,
                edits: reading.edits.iter().map(EditReport::from).collect(),
                verdict: super::verdict(verdict, index, lang),
            })
            .collect(),
        clear: repair.readings.is_clear,
        complete: repair.readings.is_complete,
    }
}

/// The report on text that is no record.
pub fn unreadable(index: u64) -> RepairReport<'static> {
    let status = crate::Status::Unreadable.as_str();
    RepairReport { file: None, index, status, readings: Vec::new(), clear: false, complete: true }
}

/// The game of several sheets.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct MergeReport<'m> {
    /// Canonical tokens.
    pub moves: &'m [String],
    /// The verdict on the merged record.
    pub verdict: VerdictReport<'m>,
    /// The plies that are not beyond doubt.
    pub disputed: Vec<DisputedReport<'m>>,
    /// Plies on which all sheets agree.
    pub agreed: u64,
    /// The tags in which the sheets differ; the record has one of their values.
    pub tags: Vec<DifferingTagReport<'m>>,
    /// False if the search hit its bound.
    pub complete: bool,
}

/// A tag in which sheets differ.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct DifferingTagReport<'m> {
    /// Its name.
    pub tag: &'m str,
    /// Its value in each sheet; null if the sheet does not have it.
    pub values: &'m [Option<String>],
}

/// A disputed ply.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct DisputedReport<'m> {
    /// The ply of the merged game, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: u64,
    /// The text of every sheet, then other moves that explain the sheets nearly as well.
    pub readings: Vec<DisputedReadingReport<'m>>,
}

/// One account of a disputed ply.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct DisputedReadingReport<'m> {
    /// The number of the sheet, from 1; null for a move of another game.
    pub sheet: Option<usize>,
    /// The text of the sheet, or the other move; null if the sheet has no such ply.
    pub written: Option<&'m str>,
    /// Cost of the other game beyond that of the merged one; null for a sheet.
    pub cost: Option<u32>,
}

/// The game of several sheets, with its words in one language.
pub fn merge<'m>(sheets: &'m MergedSheets<'_>, lang: Lang) -> MergeReport<'m> {
    let reading = |reading: &'m DisputedReading| match reading {
        DisputedReading::Sheet(sheet, written) => {
            DisputedReadingReport { sheet: Some(sheet + 1), written: written.as_deref(), cost: None }
        }
        DisputedReading::Other(token, cost) => {
            DisputedReadingReport { sheet: None, written: Some(token), cost: Some(*cost) }
        }
    };
    let disputed = |disputed: &'m Disputed| DisputedReport {
        ply: disputed.ply,
        readings: disputed.readings.iter().map(reading).collect(),
    };
    MergeReport {
        moves: &sheets.merged.moves,
        verdict: super::verdict(&sheets.verdict, 1, lang),
        disputed: sheets.merged.disputed.iter().map(disputed).collect(),
        agreed: sheets.merged.agreed,
        tags: sheets.tags.iter().map(|of| DifferingTagReport { tag: &of.tag, values: &of.values }).collect(),
        complete: sheets.merged.is_complete,
    }
}

/// An edit in words, with the slip. The texts in it are those of the sheet.
pub fn edit_in_words(edit: &Edit, lang: Lang) -> String {
    filled(edit, ["repair.edit", "repair.edit-omitted", "repair.edit-out"], lang)
}

/// An edit in few words.
pub fn edit_in_short(edit: &Edit, lang: Lang) -> String {
    filled(edit, ["repair.short", "repair.short-omitted", "repair.short-out"], lang)
}

/// An edit in the words for a changed, an omitted or a superfluous ply.
fn filled(edit: &Edit, [changed, omitted, out]: [&str; 3], lang: Lang) -> String {
    let key = match (&edit.from, &edit.to) {
        _ if CLAIMS.contains(&edit.kind) => "repair.claim",
        (Some(_), Some(_)) => changed,
        (None, _) => omitted,
        (_, None) => out,
    };
    let word = catalog().word(edit.word(), lang);
    fill(catalog().word(key, lang), |place| match place {
        "ply" => Some(edit.ply.to_string()),
        "from" => edit.from.clone(),
        "to" => edit.to.clone(),
        "tag" => Some(edit.kind.to_owned()),
        "kind" => Some(word.to_owned()),
        _ => None,
    })
}

/// The reason why sheets are not merged, in words. `of` names a sheet, from 0.
pub fn fault_in_words(fault: &MergeFault, lang: Lang, of: impl Fn(usize) -> String) -> String {
    let (sheet, tag) = match fault {
        MergeFault::Game(sheet) | MergeFault::Players(sheet) | MergeFault::Moves(sheet) => (Some(*sheet), None),
        MergeFault::Tag(sheet, tag) => (Some(*sheet), Some(*tag)),
        MergeFault::Few | MergeFault::Many(_) | MergeFault::NoGame => (None, None),
    };
    fill(catalog().word(fault.code(), lang), |place| match place {
        "sheet" => sheet.map(&of),
        "tag" => tag.map(str::to_owned),
        "max" => Some(MOST_SHEETS.to_string()),
        _ => None,
    })
}
