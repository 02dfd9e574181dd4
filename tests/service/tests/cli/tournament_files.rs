//! `quipu tournament export`: workbooks, read back by another library, lists for the wall, and options without effect.

use std::{fs::File, io::Read};

use calamine::{Data, Reader, Xlsx, open_workbook};

use super::tournament::Cup;

/// Names that spreadsheets would take for formulas, and one with signs of XML.
const PLAYERS: &str = "name,rating,club\n=1+1,2000,+Puno\n@SUM(A1),1900,-1\nA & <B>,1800,Cusco\nInés,,Lima\n";

fn cup() -> Cup {
    let cup = Cup::swiss(PLAYERS, "2", &[]);
    cup.good(&["pair", "1"]);
    for board in ["1", "2"] {
        cup.good(&["result", "1", "--board", board, "1/2-1/2"]);
    }
    cup.good(&["pair", "1"]);
    cup
}

fn text(text: &str) -> Data {
    Data::String(text.to_owned())
}

#[test]
fn a_workbook_has_numbers_and_names_that_stay_names() {
    let cup = cup();
    let path = cup.folder.path().join("cup.xlsx");
    let file = path.to_str().expect("UTF-8");
    cup.good(&["export", "1", "--to", "xlsx", "-o", file]);
    let bytes = std::fs::read(&path).expect("a file");
    let mut book: Xlsx<_> = open_workbook(&path).expect("a workbook");
    assert_eq!(book.sheet_names(), ["Entry list", "Standings", "Crosstable", "Round 1", "Round 2"]);
    let entries = book.worksheet_range("Entry list").expect("a sheet");
    assert_eq!(entries.rows().next().expect("headings")[..3], ["no.", "player", "rating"].map(text));
    assert_eq!(entries.rows().nth(1).expect("a player")[..3], [Data::Float(1.0), text("=1+1"), Data::Float(2000.0)]);
    assert_eq!(entries.rows().nth(2).expect("a player")[5], text("-1"));
    assert_eq!(entries.rows().nth(4).expect("a player")[2], Data::Empty);
    assert!(entries.rows().any(|row| row[1] == text("A & <B>")));
    for name in book.sheet_names() {
        let formulas = book.worksheet_formula(&name).expect("a sheet");
        assert!(formulas.used_cells().next().is_none(), "{name}");
    }
    let standings = book.worksheet_range("Standings").expect("a sheet");
    let score = standings.rows().next().expect("headings").iter().position(|cell| *cell == text("score"));
    assert_eq!(standings.rows().nth(1).expect("a row")[score.expect("a column")], Data::Float(0.5));
    let round = book.worksheet_range("Round 2").expect("a sheet");
    assert_eq!(round.rows().nth(1).expect("a board")[4], Data::Empty, "it has no result");
    let crosstable = book.worksheet_range("Crosstable").expect("a sheet");
    assert!(crosstable.rows().next().expect("headings").contains(&text("R1")));
    assert!(!crosstable.rows().next().expect("headings").contains(&text("R2")), "the round is open");
    assert_eq!(crosstable.rows().nth(1).expect("a row")[4], text("3S½"));

    // The same tournament gives the same bytes, and the first row stays in sight.
    cup.good(&["export", "1", "--to", "xlsx", "-o", file]);
    assert_eq!(std::fs::read(&path).expect("a file"), bytes);
    let mut archive = zip::ZipArchive::new(File::open(&path).expect("a file")).expect("a workbook");
    let mut sheet = String::new();
    let mut part = archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet");
    part.read_to_string(&mut sheet).expect("UTF-8");
    assert!(sheet.contains("state=\"frozen\"") && sheet.contains("ySplit=\"1\""), "{sheet}");
    let spanish = cup.run("es", &["export", "1", "--to", "xlsx", "-o", file]);
    assert_eq!(spanish.status, Some(0), "{spanish:#?}");
    let book: Xlsx<_> = open_workbook(&path).expect("a workbook");
    assert_eq!(book.sheet_names(), ["Lista de inscritos", "Posiciones", "Tabla cruzada", "Ronda 1", "Ronda 2"]);
}

#[test]
fn lists_for_the_wall_are_pdf() {
    let cup = cup();
    for more in [&[][..], &["--round", "1"], &["--round", "2", "--order", "name"]] {
        let file = cup.folder.path().join("wall.pdf");
        let arguments = [&["export", "1", "--to", "pdf", "-o", file.to_str().expect("UTF-8")], more].concat();
        cup.good(&arguments);
        assert!(std::fs::read(&file).expect("a file").starts_with(b"%PDF-1.7"), "{more:?}");
    }
}

#[test]
fn options_of_other_formats_are_refused() {
    let cup = cup();
    cup.bad(&["export", "1", "--to", "pdf", "--round", "3"], 1, &["Round 3", "quipu tournament pair 1"]);
    cup.bad(&["export", "1", "--to", "pdf", "--order", "name"], 2, &["--round is missing"]);
    cup.bad(&["export", "1", "--to", "xlsx", "--round", "1"], 2, &["--round has no effect with --to xlsx"]);
    cup.bad(&["export", "1", "--order", "name"], 2, &["--order has no effect with --to trf26"]);
    cup.bad(&["export", "9", "--to", "xlsx"], 2, &["9"]);
}
