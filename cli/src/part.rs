//! Names and places of records in sources that have parts: sheets of a workbook, files in a zip.

use quipu_notation::{LineColumn, record::Chunk};

use crate::context::harmless;

/// The name of a source with that of the part that a chunk is in: `cup.xlsx:Hoja1`, `round3.zip:table1.csv`.
pub(crate) fn name(source: &str, parts: &[String], chunk: &Chunk<'_>) -> String {
    let part = chunk.part().and_then(|number| parts.get(number - 1)).filter(|name| !name.is_empty());
    part.map_or_else(|| source.to_owned(), |part| format!("{source}:{}", harmless(part)))
}

/// A place in the style of compilers, `name:7:3`, and in a worksheet in that of spreadsheets, `name!C7`.
pub(crate) fn place(name: &str, chunk: &Chunk<'_>, place: LineColumn) -> String {
    if chunk.is_of_cells() {
        format!("{name}!{}{}", column(place.column), place.line)
    } else {
        format!("{name}:{}:{}", place.line, place.column)
    }
}

/// The letters of a column: `A`, `Z`, `AA`.
fn column(mut number: u64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(char::from(b'A' + u8::try_from(number % 26).unwrap_or_default()));
        number /= 26;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (number, letters) in [(1, "A"), (26, "Z"), (27, "AA"), (52, "AZ"), (703, "AAA")] {
            assert_eq!(column(number), letters);
        }
    }
}
