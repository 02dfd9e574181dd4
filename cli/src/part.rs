//! Names and places of records in sources that have parts: sheets of a workbook, files in a zip.

use quipu_notation::{LineColumn, record::Chunk};

use crate::context::harmless;

/// The name of a source and of the part that contains a chunk: `cup.xlsx:Hoja1`, `round3.zip:table1.csv`.
pub(crate) fn name(source: &str, parts: &[String], chunk: &Chunk<'_>) -> String {
    let part = chunk.part().and_then(|number| parts.get(number - 1)).filter(|name| !name.is_empty());
    part.map_or_else(|| source.to_owned(), |part| format!("{source}:{}", harmless(part)))
}

/// A place in the style of compilers, `name:7:3`; in a worksheet in the style of spreadsheets, `name!C7`.
pub(crate) fn place(name: &str, chunk: &Chunk<'_>, place: LineColumn) -> String {
    if chunk.is_of_cells() {
        format!("{name}!{}", place.cell())
    } else {
        format!("{name}:{}:{}", place.line, place.column)
    }
}
