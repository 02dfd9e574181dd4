//! Files as people save them, against `fixtures/sources.tsv`: cases that a fixture of text records cannot express, since they
//! depend on the first bytes of a file, or exist only in scoresheets.

use std::io::{Cursor, Write};

use quipu_notation::record::Record;
use quipu_referee::{
    Status,
    advice::{PlayerName, Players},
    games, verify,
};
use quipu_tests_core::{each_chunk, rows};
use zip::{ZipWriter, write::SimpleFileOptions};

/// The bytes of a field.
fn unescaped(field: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((before, behind)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, length) = match behind.as_bytes() {
            [b'n', ..] => (b'\n', 1),
            [b'0', ..] => (0, 1),
            [b'x', ..] => (u8::from_str_radix(&behind[1..3], 16).expect("two digits"), 3),
            _ => panic!("{field}: an escape is \\n, \\0 or \\xNN"),
        };
        bytes.push(byte);
        rest = &behind[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The canonical tokens of a record.
fn tokens(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find).expect("it has a game");
    let normalized = game.normalized(record);
    normalized.movetext.plies.iter().map(|ply| &*ply.token).collect::<Vec<_>>().join(" ")
}

#[test]
fn sources_have_their_verdicts() {
    for [source, status, codes, moves] in rows("sources.tsv") {
        let (mut found, mut players) = (Vec::<[String; 3]>::new(), Players::default());
        each_chunk(&*unescaped(&source), |chunk| {
            for judged in verify::chunk(chunk) {
                let names = judged.record.iter().flat_map(|record| PlayerName::all(record));
                let slips: Vec<_> = names.filter_map(|name| players.note(&name)).collect();
                let told = judged.verdict.diagnostics.iter().chain(&judged.verdict.advice).chain(&slips);
                let codes: Vec<_> = told.map(|found| found.code().id).collect();
                let codes = if codes.is_empty() { "-".to_owned() } else { codes.join(" ") };
                let refused = judged.verdict.first_error().is_some();
                let moves = judged.record.filter(|_| !refused).map_or_else(|| "-".to_owned(), |record| tokens(&record));
                found.push([judged.verdict.status.as_str().to_owned(), codes, moves]);
            }
        });
        let found: [String; 3] =
            std::array::from_fn(|field| found.iter().map(|row| &*row[field]).collect::<Vec<_>>().join(" / "));
        assert_eq!(found, [status, codes, moves], "{source}");
    }
}

/// The parts of a workbook of Excel with every kind of cell.
const XLSX: [(&str, &str); 7] = [
    (
        "_rels/.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
    ("[Content_Types].xml", r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#),
    (
        "xl/workbook.xml",
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="0"/><sheets><sheet name="Hoja1" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#,
    ),
    (
        "xl/styles.xml",
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="h:mm:ss"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>"#,
    ),
    (
        "xl/sharedStrings.xml",
        r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="2" uniqueCount="2"><si><t>Juego</t></si><si><r><t>an</t></r><r><t xml:space="preserve">des</t></r></si></sst>"#,
    ),
    (
        "xl/worksheets/sheet1.xml",
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:C4"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>n</t></is></c><c r="B2" t="str"><v>Sol</v></c><c r="C2" t="inlineStr"><is><t>reloj</t></is></c><c r="D2" t="str"><v>Luna</v></c><c r="E2" t="str"><v>a</v></c><c r="F2" t="str"><v>b</v></c><c r="G2" t="str"><v>c</v></c><c r="H2" t="str"><v>d</v></c></row><row r="3"><c r="A3"><v>1</v></c><c r="B3" t="str"><f>"0a"&amp;1</f><v>0a1</v></c><c r="C3" s="1"><v>0.0082</v></c><c r="D3" t="str"><v>0D0</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="e"><v>#N/A</v></c><c r="G3" t="d"><v>2026-08-15T00:00:00</v></c><c r="H3" s="2"><v>46249</v></c></row></sheetData><mergeCells><mergeCell ref="A5:B6"/></mergeCells></worksheet>"#,
    ),
];

/// The parts of a workbook of `LibreOffice`.
const ODS: [(&str, &str); 2] = [
    ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
    (
        "content.xml",
        r#"<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="Hoja1"><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"/></table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>Juego</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>an<text:span>d</text:span><text:s text:c="1"/>&#101;s</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>n</text:p></table:table-cell><table:table-cell><text:p>Sol</text:p></table:table-cell><table:table-cell><text:p>Reloj</text:p></table:table-cell><table:table-cell><text:p>Luna</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell/><table:table-cell office:value-type="float" office:value="2E+064"><text:p>2E+64</text:p></table:table-cell><table:table-cell office:value-type="time" office:time-value="PT00H11M55.123S"><text:p>x</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="1899-12-30T00:11:55"><office:annotation><text:p>x</text:p></office:annotation><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"#,
    ),
];

/// Texts that are put into a damaged workbook.
const SPLICED: [&str; 26] = [
    "",
    "<",
    ">",
    "/>",
    "\"",
    "&",
    "&#x110000;",
    "&none;",
    "]]>",
    "<!--",
    "0",
    "-1",
    "4294967296",
    "99999999999999999999",
    "1e308",
    "-1e308",
    "NaN",
    "A0",
    "XFE1",
    "ZZZZZZZZ1",
    "A1048577",
    "A99999999999",
    "PT99999999999H1M1S",
    "9999-99-99",
    "\u{feff}",
    "ñ",
];

fn zipped(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("memory does not fail");
        zip.write_all(bytes).expect("memory does not fail");
    }
    zip.finish().expect("memory does not fail").into_inner()
}

/// Replaces some bytes of a part by a text, or by another place of it.
fn spoil(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    for _ in 0..=random.usize(..3) {
        let start = random.usize(..=bytes.len());
        let end = (start + random.usize(..12)).min(bytes.len());
        let text = match random.usize(..4) {
            0 => bytes[random.usize(..=start)..start].iter().copied().take(60).collect(),
            1 => vec![random.u8(..)],
            _ => SPLICED[random.usize(..SPLICED.len())].as_bytes().to_vec(),
        };
        bytes.splice(start..end, text);
    }
}

/// The statuses of the records in a source.
fn statuses(source: &[u8]) -> Vec<Status> {
    let mut found = Vec::new();
    each_chunk(source, |chunk| found.extend(verify::chunk(chunk).map(|judged| judged.verdict.status)));
    found
}

/// A workbook with damage inside or in its zip is read or refused; nothing panics, and no damage is ignored silently.
#[test]
fn damaged_workbooks_are_read_or_refused() {
    let mut random = fastrand::Rng::with_seed(19);
    for parts in [&XLSX[..], &ODS[..]] {
        let whole: Vec<_> = parts.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect();
        let found = statuses(&zipped(&whole));
        assert!(found.len() == 1 && found != [Status::Unreadable], "the whole one is read: {found:?}");
        for _ in 0..1_000 {
            let mut spoilt = whole.clone();
            let index = random.usize(..spoilt.len());
            spoil(&mut spoilt[index].1, &mut random);
            assert!(!statuses(&zipped(&spoilt)).is_empty());
        }
        let zip = zipped(&whole);
        for _ in 0..500 {
            let mut spoilt = zip.clone();
            spoil(&mut spoilt, &mut random);
            assert!(!statuses(&spoilt).is_empty());
        }
    }
}
