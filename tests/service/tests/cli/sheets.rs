//! Files as people save them: scoresheets of all kinds, compressed and in other encodings, and files that are not records.

use std::{
    fs,
    io::{Cursor, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use quipu_notation::record::limits;
use quipu_tests_service::{
    bytes,
    program::{Run, run, run_with},
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

/// A scoresheet with a letter that is not ASCII.
const SHEET: &str = "Juego;andes;\nEvento;Copa de Tumbesñ;\nSol;Muñoz, Ana;\nLuna;Peña, Luis;\nResultado;1-0;\n\
                     No.;Sol;Luna\n1;0a1;0D0\n2;0b0;0D0C\n";

pub(crate) fn folder() -> TempDir {
    TempDir::new().expect("there is room")
}

/// A file in a folder, and its path.
pub(crate) fn put(folder: &TempDir, name: &str, content: &[u8]) -> String {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
    fs::write(&path, content).expect("there is room");
    path.to_str().expect("our names are UTF-8").to_owned()
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(content).expect("memory does not fail");
    compressed.finish().expect("memory does not fail")
}

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("memory does not fail");
        zip.write_all(content).expect("memory does not fail");
    }
    zip.finish().expect("memory does not fail").into_inner()
}

/// Windows-1252 of a text whose letters are in Latin-1.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("a letter of Latin-1")).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// The verdicts on some files.
#[track_caller]
fn verdicts(arguments: &[&str]) -> Vec<Value> {
    let run = run(&[&["verify", "--json"], arguments].concat());
    assert!(run.status == Some(0) || run.status == Some(1), "{run:?}");
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The ids of the records in some files.
#[track_caller]
fn ids(arguments: &[&str]) -> Vec<String> {
    verdicts(arguments).iter().map(|verdict| verdict["id"].as_str().unwrap_or("none").to_owned()).collect()
}

/// The codes found in some files.
fn codes(arguments: &[&str]) -> Vec<String> {
    let code = |diagnostic: &Value| diagnostic["code"].as_str().expect("a code").to_owned();
    verdicts(arguments)
        .iter()
        .flat_map(|verdict| verdict["diagnostics"].as_array().expect("a list").clone())
        .map(|d| code(&d))
        .collect()
}

#[test]
fn compressed_files_and_encodings_are_read_by_their_content() {
    let folder = folder();
    let plain = ids(&[&put(&folder, "plain.csv", SHEET.as_bytes())]);
    assert_ne!(plain, ["none"]);
    let sheet = SHEET.as_bytes();
    for (name, content) in [
        ("a.csv.gz", gzip(sheet)),
        ("b.csv.zst", compress_to_vec(sheet, CompressionLevel::Fastest)),
        ("c.zip", zip(&[("mesa 1.csv", sheet)])),
        (
            "d.zip",
            zip(&[("a/", b""), ("a/b.csv.gz", &gzip(sheet)), ("__MACOSX/x.csv", sheet), ("README.md", b"# none")]),
        ),
        ("e.csv", utf16(SHEET)),
        ("f.csv.gz", gzip(&utf16(SHEET))),
        ("g.bin", gzip(sheet)),
        ("h.gz", [gzip(&sheet[..30]), gzip(&sheet[30..])].concat()),
    ] {
        assert_eq!(ids(&[&put(&folder, name, &content)]), plain, "{name}");
    }
    let windows = put(&folder, "windows.csv", &latin(SHEET));
    for encoding in ["windows-1252", "latin-1", "ISO-8859-1"] {
        assert_eq!(ids(&["--encoding", encoding, &windows]), plain);
    }
    let compressed = put(&folder, "windows.zip", &zip(&[("w.csv", &latin(SHEET))]));
    assert_eq!(ids(&["--encoding", "windows-1252", &compressed]), plain);
    let piped = run_with(&["verify", "--json", "-"], &gzip(sheet));
    assert!(piped.stdout.contains(&plain[0]), "{piped:?}");
}

/// One encoding serves a folder in which some files are UTF-8.
#[test]
fn an_encoding_applies_only_to_text_that_is_not_utf_8() {
    let folder = folder();
    let (utf, windows) = (SHEET.as_bytes(), latin(SHEET));
    let plain = ids(&[&put(&folder, "utf.csv", utf)]);
    put(&folder, "windows.csv", &windows);
    put(&folder, "utf.zip", &zip(&[("w.csv", &windows), ("u.csv", utf)]));
    put(&folder, "utf.csv.gz", &gzip(utf));
    put(&folder, "windows.csv.gz", &gzip(&windows));
    let path = folder.path().to_str().expect("our names are UTF-8");
    assert_eq!(ids(&["--encoding", "windows-1252", path]), vec![plain[0].clone(); 6]);
    let mixture = put(&folder, "mixture.csv", &[utf, &windows].concat());
    assert_eq!(codes(&["--encoding", "windows-1252", &mixture]), ["record.encoding"; 3]);
}

/// Without an encoding the text is unreadable, and the message suggests one and shows the letter in it.
#[test]
fn an_encoding_is_proposed_with_the_letter_that_a_byte_would_be() {
    let folder = folder();
    let path = put(&folder, "windows.csv", &latin(SHEET));
    for (lang, said) in [("en", "in Windows-1252 it is the letter “ñ”, and it reads “Tumbesñ”"), ("es", "la letra «ñ»")]
    {
        let run = run(&["--lang", lang, "verify", &path]);
        assert_eq!(run.status, Some(1));
        assert!(run.stdout.contains(said) && run.stdout.contains("--encoding windows-1252"), "{}", run.stdout);
        assert!(run.stdout.contains("windows.csv:2:22"), "{}", run.stdout);
    }
    let unknown = run(&["verify", "--encoding", "klingon", &path]);
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
}

/// The uncompressed size of a compressed file is limited, however small the file is.
#[test]
fn bombs_are_refused() {
    let folder = folder();
    // A little more than a workbook may have, and of that a stream which is more than its limit.
    let blank = vec![b' '; limits::WORKBOOK_UNPACKED + 1];
    let stream = &blank[..48 << 20];
    for (name, content) in [
        ("gzip", gzip(stream)),
        ("zstd", compress_to_vec(stream, CompressionLevel::Fastest)),
        ("zip", zip(&[("a.quipu", &blank)])),
        ("workbook", zip(&[("xl/workbook.xml", &blank), ("[Content_Types].xml", b"")])),
    ] {
        assert!(content.len() < 1 << 20, "{name}");
        let path = put(&folder, name, &content);
        let found = verdicts(&[&path]);
        assert_eq!(
            found.last().map(|verdict| &verdict["diagnostics"][0]["code"]),
            Some(&"record.foreign".into()),
            "{name}"
        );
        let said = run(&["--lang", "en", "verify", &path]).stdout;
        assert!(said.contains("too large"), "{said}");
    }
}

/// A workbook with one sheet, as its parts.
fn xlsx(sheet: &str, texts: &str) -> Vec<u8> {
    const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#;
    const PACKAGE: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    const BOOK: &str = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Hoja1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let sheet = format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{sheet}</sheetData></worksheet>"#);
    let texts = format!(r#"<sst xmlns="{MAIN}">{texts}</sst>"#);
    zip(&[
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", PACKAGE.as_bytes()),
        ("xl/workbook.xml", BOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", RELATIONS.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", texts.as_bytes()),
    ])
}

/// A workbook of `LibreOffice` with these rows.
fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="Hoja1">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    let media = "application/vnd.oasis.opendocument.spreadsheet";
    zip(&[("mimetype", media.as_bytes()), ("content.xml", content.as_bytes())])
}

/// The rows of a scoresheet, each with its number in the sheet and its cells.
const ROWS: [(u32, [&str; 3]); 5] = [
    (1, ["Juego", "andes", ""]),
    (2, ["Resultado", "1-0", ""]),
    (4, ["No.", "Sol", "Luna"]),
    (5, ["1", "0a1", "0D0"]),
    (1_048_576, ["2", "0b0", "0D0C"]),
];

/// Empty rows take no memory, however many there are.
#[test]
fn a_workbook_of_a_million_empty_rows_is_read() {
    let folder = folder();
    let text = "Juego;andes\nResultado;1-0\nNo.;Sol;Luna\n1;0a1;0D0\n2;0b0;0D0C\n";
    let expected = ids(&[&put(&folder, "plain.csv", text.as_bytes())]);
    assert_ne!(expected, ["none"]);
    let mut rows = String::new();
    for (row, cells) in ROWS {
        rows += &format!(r#"<row r="{row}">"#);
        for (letter, cell) in ["A", "B", "C"].into_iter().zip(cells) {
            rows += &format!(r#"<c r="{letter}{row}" t="inlineStr"><is><t>{cell}</t></is></c>"#);
        }
        rows += "</row>";
    }
    assert_eq!(ids(&[&put(&folder, "rows.xlsx", &xlsx(&rows, ""))]), expected);
    let (mut rows, mut next) = (String::new(), 1);
    for (row, cells) in ROWS {
        if row > next {
            rows += &format!(
                r#"<table:table-row table:number-rows-repeated="{}"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>"#,
                row - next
            );
        }
        next = row + 1;
        rows += "<table:table-row>";
        rows.extend(cells.map(|cell| format!("<table:table-cell><text:p>{cell}</text:p></table:table-cell>")));
        rows += "</table:table-row>";
    }
    assert_eq!(ids(&[&put(&folder, "rows.ods", &ods(&rows))]), expected);
}

/// Few bytes of a workbook can stand for very many cells, or for very long ones.
#[test]
fn workbooks_with_too_much_in_them_are_refused() {
    let folder = folder();
    let text = "x".repeat(1 << 20);
    let cells: String =
        (1..=100).map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>"#)).collect();
    let cell = "<table:table-cell><text:p>x</text:p></table:table-cell>";
    for (name, content) in [
        ("texts.xlsx", xlsx(&cells, &format!("<si><t>{text}</t></si>"))),
        (
            "cells.ods",
            ods(&format!(r#"<table:table-row table:number-rows-repeated="1000001">{cell}</table:table-row>"#)),
        ),
        (
            "texts.ods",
            ods(&format!(
                r#"<table:table-row><table:table-cell table:number-columns-repeated="100"><text:p>{text}</text:p></table:table-cell></table:table-row>"#
            )),
        ),
        ("files.zip", zip(&(0..10_001).map(|number| (&*format!("{number}.csv").leak(), &b""[..])).collect::<Vec<_>>())),
    ] {
        let path = put(&folder, name, &content);
        assert_eq!(codes(&[&path]), ["record.foreign"], "{name}");
        let said = run(&["--lang", "en", "verify", &path]).stdout;
        assert!(said.contains("too large"), "{name}: {said}");
    }
}

/// A failed conversion does not replace its output file.
#[test]
fn a_failed_conversion_leaves_its_output_alone() {
    let folder = folder();
    let source = put(&folder, "windows.csv", &latin(SHEET));
    let kept = put(&folder, "keep.csv", b"precious\n");
    for format in ["quipu", "csv", "json", "xlsx"] {
        let run = run(&["convert", &source, "--to", format, "-o", &kept]);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert_eq!(fs::read(&kept).expect("it is there"), b"precious\n", "{format}");
    }
    let photo = put(&folder, "photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF");
    assert_eq!(run(&["convert", &photo, "--to", "quipu", "-o", &kept]).status, Some(1));
    assert_eq!(fs::read(&kept).expect("it is there"), b"precious\n");
}

/// A tar archive of an empty file.
fn tar() -> Vec<u8> {
    let mut header = [0; 512];
    header[0] = b'a';
    header[257..262].copy_from_slice(b"ustar");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    [&header[..], &[0; 1024]].concat()
}

#[test]
fn other_files_are_named_as_what_they_are() {
    let folder = folder();
    for (name, content, said) in [
        ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), "a JPEG picture"),
        ("b.pdf", b"%PDF-1.7\n%\xe2\xe3".to_vec(), "a PDF document"),
        ("c.docx", zip(&[("[Content_Types].xml", b""), ("word/document.xml", b"<w/>")]), "a Word document"),
        ("d.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "an old .xls"),
        ("e.zip", zip(&[("photo.txt.png", b"\x89PNG\r\n\x1a\n")]), "a PNG picture"),
        ("f.zip", zip(&[("README.md", b"# x")]), "no scoresheet"),
        ("g.db", b"SQLite format 3\0".to_vec(), "an SQLite database"),
        ("h.exe", b"\x7fELF\x02\x01".to_vec(), "a program"),
        ("i.csv.gz", gzip(SHEET.as_bytes())[..40].to_vec(), "incomplete or damaged"),
        ("j.xlsx", zip(&[("xl/workbook.xml", b"<no")]), "incomplete or damaged"),
        ("l.gz", gzip(&gzip(SHEET.as_bytes())), "inside another compressed file"),
        ("m.zst", compress_to_vec(&*gzip(SHEET.as_bytes()), CompressionLevel::Fastest), "unpack the outer file"),
        ("n.zip", zip(&[("a.zip", &zip(&[("b.csv", SHEET.as_bytes())]))]), "a zip file inside another compressed file"),
        ("o.zip", zip(&[("a.gz", &gzip(&gzip(SHEET.as_bytes())))]), "inside another compressed file"),
        ("p.tar.gz", gzip(&tar()), "a tar archive"),
        ("q.htm", b"<html><body>1. 0d3</body></html>".to_vec(), "an HTML page"),
        ("k.odt", zip(&[("mimetype", b"application/vnd.oasis.opendocument.text")]), "a text document of LibreOffice"),
    ] {
        let path = put(&folder, name, &content);
        assert!(codes(&[&path]).contains(&"record.foreign".to_owned()), "{name}");
        let run = run(&["--lang", "en", "verify", &path]);
        assert!(run.stdout.contains(said), "{name}: {}", run.stdout);
    }
}

#[test]
fn a_workbook_is_written_and_read_back() {
    let folder = folder();
    let cup = "fixtures/andes/cup.quipu";
    let expected = ids(&[cup]);
    let path = folder.path().join("cup.xlsx").to_str().expect("our names are UTF-8").to_owned();
    for lang in ["en", "es"] {
        let written = run(&["--lang", lang, "convert", cup, "--to", "xlsx", "-o", &path]);
        assert_eq!(written, Run { status: Some(0), stdout: String::new(), stderr: String::new() });
        let first = fs::read(&path).expect("it was written");
        assert_eq!(ids(&[&path]), expected, "{lang}");
        run(&["--lang", lang, "convert", cup, "--to", "xlsx", "-o", &path]);
        assert!(first == fs::read(&path).expect("it was written"), "the same records give the same bytes");
    }
    let compressed = put(&folder, "all.zip", &zip(&[("x.xlsx", &fs::read(&path).expect("it was written"))]));
    assert_eq!(ids(&[&compressed]), expected);
    let view = run(&["replay", &path, "--record", "3", "--ply", "2", "--positions"]);
    assert_eq!(view.status, Some(0), "{view:?}");
}

/// A place in a workbook is a sheet and a cell.
#[test]
fn faults_in_a_workbook_have_their_cells() {
    let folder = folder();
    let bad = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Luis\"]\n[Result \"*\"]\n\n1. 0d3 2A1\n*\n";
    let source = put(&folder, "bad.quipu", format!("{}\n{bad}", crate::GOOD).as_bytes());
    let path = folder.path().join("bad.xlsx").to_str().expect("our names are UTF-8").to_owned();
    assert_eq!(run(&["--lang", "en", "convert", &source, "--to", "xlsx", "-o", &path]).status, Some(0));
    let found = run(&["--lang", "en", "verify", &path]);
    assert!(found.stdout.contains("bad.xlsx:2 Ana – Luis!C7"), "{}", found.stdout);
    let verdict = &verdicts(&[&path])[1];
    assert_eq!(verdict["part"], "2 Ana – Luis");
    assert_eq!([&verdict["diagnostics"][0]["line"], &verdict["diagnostics"][0]["column"]], [7, 3]);
    let said = run(&["--lang", "en", "convert", &path, "--to", "quipu"]);
    assert_eq!(said.status, Some(0), "a rejected record is a record: {said:?}");
    // The archive names the same cell.
    let [data, refused] = ["data", "refused.quipu"].map(|name| format!("{}/{name}", folder.path().display()));
    let import = run(&["archive", "import", &path, "--data", &data, "--unverified", &refused, "--lang", "en"]);
    let place = format!("{path}:2 Ana – Luis!C7: ");
    assert!(import.stderr.starts_with(&format!("{place}record 2: rejected: andes.3.6: ")), "{import:?}");
    let written = fs::read_to_string(&refused).expect("it is written");
    assert!(written.contains(&format!("% {place}andes.3.6: ")), "{written}");
}

/// Places behind the first record of a worksheet are cells too, in the archive as in `verify`.
#[test]
fn cells_of_an_import_are_those_of_verify() {
    let folder = folder();
    let path = put(
        &folder,
        "two.xlsx",
        &xlsx(
            "<row r=\"3\"><c r=\"A3\" t=\"inlineStr\"><is><t>Game</t></is></c><c r=\"B3\" t=\"inlineStr\"><is><t>andes</t></is></c></row>\
             <row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><t>n</t></is></c><c r=\"B4\" t=\"inlineStr\"><is><t>sol</t></is></c><c r=\"C4\" t=\"inlineStr\"><is><t>luna</t></is></c></row>\
             <row r=\"5\"><c r=\"A5\" t=\"inlineStr\"><is><t>1</t></is></c><c r=\"B5\" t=\"inlineStr\"><is><t>2a1</t></is></c><c r=\"C5\" t=\"inlineStr\"><is><t>2A3</t></is></c></row>",
            "",
        ),
    );
    let found = run(&["--lang", "en", "verify", "--output-format", "short", &path]);
    let place = found.stdout.split(": ").next().expect("a place").to_owned();
    assert!(place.ends_with("!B5"), "{found:?}");
    let data = format!("{}/data", folder.path().display());
    let import = run(&["archive", "import", &path, "--data", &data, "--lang", "en"]);
    assert!(import.stderr.starts_with(&format!("{place}: record 1: rejected: ")), "{import:?}");
}

#[test]
fn a_new_scoresheet_is_a_workbook_to_fill_in() {
    let folder = folder();
    for (game, lang) in [("andes", "es"), ("pastores", "en"), ("querni", "es"), ("brandubh", "en")] {
        let path = folder.path().join(format!("{game}.xlsx")).to_str().expect("our names are UTF-8").to_owned();
        let made = run(&["--lang", lang, "new", game, "--to", "xlsx", "--tag", "Event=Copa", "-o", &path]);
        assert_eq!(made.status, Some(0), "{made:?}");
        let [verdict] = &verdicts(&[&path])[..] else { panic!("one record") };
        assert_eq!(verdict["status"], "incomplete", "{verdict}");
        assert_eq!(verdict["diagnostics"], serde_json::json!([]), "{verdict}");
        assert_eq!(verdict["game"], game);
        let text = run(&["convert", &path, "--to", "quipu"]).stdout;
        assert!(text.contains("[Event \"Copa\"]") && !text.contains('{'), "{text}");
    }
    let text = run(&["new", "andes", "--to", "csv"]);
    assert!(text.stdout.starts_with("#Game: andes\n"), "{text:?}");
}

/// All kinds of scoresheets in a folder are read, with extensions in upper or lower case.
#[test]
fn a_folder_of_all_kinds() {
    let folder = folder();
    let sheet = SHEET.as_bytes();
    put(&folder, "a.QUIPU", crate::GOOD.as_bytes());
    put(&folder, "b/c.CSV", sheet);
    put(&folder, "d.tsv", SHEET.replace(';', "\t").as_bytes());
    put(&folder, "e.csv.GZ", &gzip(sheet));
    put(&folder, "f.zst", &compress_to_vec(sheet, CompressionLevel::Fastest));
    put(&folder, "g.zip", &zip(&[("x.csv", sheet)]));
    put(&folder, "h.json", b"{}");
    put(&folder, "i.md", b"# x");
    let path = folder.path().to_str().expect("our names are UTF-8");
    assert_eq!(verdicts(&[path]).len(), 6);
    assert_eq!(verdicts(&["--from", "csv", path]).len(), 5);
    assert_eq!(verdicts(&["--from", "json", path]).len(), 2, "and a compressed file whose name tells no format");
}

/// Messages about a scoresheet name cells.
#[test]
fn faults_of_scoresheets_speak_of_cells() {
    for (sheet, said) in [
        ("n,sol,luna\n1,0d3,2A3\n", "#Game: andes in one cell"),
        ("#Game: andes\nn,blancas,luna\n1,0d3,2A3\n", "the header, with the columns of moves, sol, luna"),
        ("#Game: andes\nn\tblancas\tluna\n1\t0d3\t2A3\n", "it says “n blancas luna”"),
        ("#Game: andes\n#Result: 1-0\nn,sol,luna\n1,0d3,2A3\n", "Add a row Termination with one of these values"),
        ("#Game: andes\nn\tsol\tluna\n1\t0d3\t2A3\tx\n", "The cell “x” is in a column that has no name"),
        ("#Game: andes\nn,sol,luna\n1,\"0d3,2A3\n", "A cell in quotes"),
    ] {
        let run = run_with(&["--lang", "en", "verify", "-"], sheet.as_bytes());
        assert!(run.stdout.contains(said), "{}", run.stdout);
        assert!(!run.stdout.contains("[Name") && !run.stdout.contains("tag Termination"), "{}", run.stdout);
        assert!(!run.stdout.contains("\\u{9}"), "{}", run.stdout);
    }
}

/// A move that a spreadsheet turned into a number is restored, and every command reports it.
#[test]
fn restored_cells_are_reported() {
    let sheet = b"#Game: andes\nn,sol,luna\n1,0d3,0.00E+00\n2,0a3,0E65\n";
    let verified = run_with(&["--lang", "en", "verify", "-"], sheet);
    assert_eq!(verified.status, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("record.restored") && verified.stdout.contains("0E6"), "{}", verified.stdout);
    let converted = run_with(&["--lang", "es", "convert", "-", "--to", "quipu"], sheet);
    assert!(converted.stdout.contains("1. 0d3 0E6\n"), "{}", converted.stdout);
    assert!(converted.stderr.contains("record.restored: Una hoja de cálculo"), "{}", converted.stderr);
    let several = run_with(&["--lang", "en", "verify", "-"], b"#Game: andes\nn,sol,luna\n1,0d3,0\n");
    assert_eq!(several.status, Some(1));
    assert!(several.stdout.contains("It may have said 0E0, 0E6"), "{}", several.stdout);
}

/// The warning on clocks, and its help, are about clocks.
#[test]
fn clocks_in_another_form_are_reported() {
    let sheet = b"#Game: andes\nn,sol,sol_clock,luna\n1,0d3,11:35,0D0\n";
    for (lang, said, help) in [
        ("en", "Clocks that are not written as H:MM:SS: 1; the first, “11:35”", "write clocks as H:MM:SS"),
        ("es", "Relojes que no están escritos como H:MM:SS: 1; el primero, «11:35»", "anote los relojes como H:MM:SS"),
    ] {
        let run = run_with(&["--lang", lang, "verify", "-"], sheet);
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said) && text.contains(help), "{}", run.stdout);
    }
}

/// `fmt` rewrites only plain text.
#[test]
fn fmt_leaves_compressed_files_alone() {
    let folder = folder();
    let compressed = gzip(&bytes("andes/cup.quipu"));
    let path = put(&folder, "cup.quipu.gz", &compressed);
    let written = run(&["--lang", "en", "fmt", "--write", &path]);
    assert_eq!(written.status, Some(3), "{written:?}");
    assert!(written.stderr.contains("compressed"), "{}", written.stderr);
    assert!(compressed == fs::read(Path::new(&path)).expect("it is there"));
    assert_eq!(run(&["fmt", &path]).stdout.as_bytes(), bytes("andes/cup.quipu"));
}
