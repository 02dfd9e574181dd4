//! Printed pages: the verdict on a game, and empty scoresheets.

use std::{collections::BTreeMap, io::Read};

use quipu_pictures::{self as pictures, Look, MOST_PLIES, Refused};
use quipu_referee::{Lang, Severity, games, messages::catalog, verify};
use quipu_tests_service::{bytes, each_chunk};
use roxmltree::Document;

use super::{games_of, record};

/// A PDF, taken apart by what its own table of objects says.
pub(super) struct Pdf {
    objects: BTreeMap<u32, Vec<u8>>,
}

impl Pdf {
    #[track_caller]
    pub(super) fn read(bytes: &[u8]) -> Self {
        assert!(bytes.starts_with(b"%PDF-1.7") && bytes.trim_ascii_end().ends_with(b"%%EOF"), "it is a whole PDF");
        let find = |what: &[u8]| bytes.windows(what.len()).rposition(|part| part == what).expect("it is there");
        let tail = String::from_utf8_lossy(&bytes[find(b"startxref")..]).into_owned();
        let start: usize = tail.split_whitespace().nth(1).expect("a place").parse().expect("a number");
        let table = String::from_utf8_lossy(&bytes[start..find(b"trailer")]).into_owned();
        let mut objects = BTreeMap::new();
        for (number, line) in (0..).zip(table.lines().skip(2)) {
            if !line.trim_end().ends_with('n') {
                continue;
            }
            let offset: usize = line[..10].parse().expect("a number");
            let head = format!("{number} 0 obj");
            assert!(bytes[offset..].starts_with(head.as_bytes()), "object {number} is at {offset}");
            let body = &bytes[offset..];
            let end = body.windows(6).position(|part| part == b"endobj").expect("an end");
            objects.insert(number, body[..end].to_vec());
        }
        Self { objects }
    }

    /// Width and height of each page in points.
    pub(super) fn pages(&self) -> Vec<(f32, f32)> {
        let boxes = self.objects.values().filter_map(|object| {
            let text = String::from_utf8_lossy(object).into_owned();
            let (_, rest) = text.split_once("/MediaBox [")?;
            let numbers: Vec<f32> = rest.split(']').next()?.split_whitespace().map(|n| n.parse().expect("n")).collect();
            Some((numbers[2], numbers[3]))
        });
        boxes.collect()
    }

    /// Contents of a stream, unpacked.
    fn stream(object: &[u8]) -> Option<Vec<u8>> {
        let start = object.windows(7).position(|part| part == b"stream\n")? + 7;
        let end = object.windows(9).rposition(|part| part == b"endstream")?;
        let mut out = Vec::new();
        if !object[..start].windows(11).any(|part| part == b"FlateDecode") {
            return Some(object[start..end].to_vec());
        }
        flate2::read::ZlibDecoder::new(&object[start..end]).read_to_end(&mut out).expect("it can be unpacked");
        Some(out)
    }

    /// All text, in its order: what glyphs mean is said by the document itself.
    pub(super) fn text(&self) -> String {
        let mut fonts = Vec::new();
        for object in self.objects.values() {
            let Some(map) = Self::stream(object).filter(|map| map.windows(10).any(|part| part == b"endbfchar\n"))
            else {
                continue;
            };
            let map = String::from_utf8(map).expect("ASCII");
            let pairs = map.lines().filter_map(|line| {
                let (glyph, character) = line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <")?;
                let of = |text: &str| u16::from_str_radix(text, 16).ok();
                Some((of(glyph)?, char::from_u32(u32::from(of(character)?))?))
            });
            fonts.push(pairs.collect::<BTreeMap<u16, char>>());
        }
        let mut text = String::new();
        for content in self.objects.values().filter_map(|object| Self::stream(object)) {
            if content.windows(3).any(|part| part == b" Tj") {
                shown(&content, &fonts, &mut text);
            }
        }
        text
    }
}

/// The texts of a page, each on a line.
fn shown(content: &[u8], fonts: &[BTreeMap<u16, char>], out: &mut String) {
    let mut font = 0;
    let mut at = 0;
    while at < content.len() {
        let rest = &content[at..];
        if rest.starts_with(b"/F") {
            font = usize::from(rest[2] - b'0');
        }
        let (bytes, length) = match rest[0] {
            b'(' => literal(rest),
            b'<' => hexadecimal(rest),
            _ => {
                at += 1;
                continue;
            }
        };
        for pair in bytes.chunks_exact(2) {
            let glyph = u16::from_be_bytes([pair[0], pair[1]]);
            out.push(fonts[font].get(&glyph).copied().unwrap_or('\u{fffd}'));
        }
        out.push('\n');
        at += length;
    }
}

/// The bytes of a string in parentheses, and how long it is written.
fn literal(text: &[u8]) -> (Vec<u8>, usize) {
    let (mut bytes, mut depth, mut at) = (Vec::new(), 0, 0);
    loop {
        match text[at] {
            b'\\' => {
                at += 1;
                let escaped = text[at];
                if escaped.is_ascii_digit() {
                    let digits = std::str::from_utf8(&text[at..at + 3]).expect("digits");
                    bytes.push(u8::from_str_radix(digits, 8).expect("octal"));
                    at += 2;
                } else {
                    bytes.push(match escaped {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'b' => 8,
                        b'f' => 12,
                        other => other,
                    });
                }
            }
            b'(' => {
                depth += 1;
                if depth > 1 {
                    bytes.push(b'(');
                }
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return (bytes, at + 1);
                }
                bytes.push(b')');
            }
            byte => bytes.push(byte),
        }
        at += 1;
    }
}

/// The bytes of a string in angle brackets, and how long it is written.
fn hexadecimal(text: &[u8]) -> (Vec<u8>, usize) {
    let end = text.iter().position(|byte| *byte == b'>').expect("an end");
    let digits: Vec<_> = text[1..end].iter().filter_map(|digit| char::from(*digit).to_digit(16)).collect();
    (digits.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).expect("a byte")).collect(), end + 1)
}

/// The pages of a record, and its text.
#[track_caller]
fn verdict(text: &str, lang: Lang) -> (Vec<(f32, f32)>, String) {
    record(text, |record| {
        let pdf = pictures::verdict(record, &verify::record(record), None, &Look::new(lang)).expect("it is short");
        assert_eq!(pictures::verdict(record, &verify::record(record), None, &Look::new(lang)), Ok(pdf.clone()));
        let pdf = Pdf::read(&pdf);
        let pages = pdf.pages();
        assert!(!pages.is_empty());
        for (width, height) in &pages {
            // 210 x 297 mm.
            assert!((width - 595.28).abs() < 0.1 && (height - 841.89).abs() < 0.1, "{width} x {height}");
        }
        (pages, pdf.text())
    })
}

/// The lines of a text without what breaks them.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_says_what_the_verdict_says() {
    for &game in games::ALL {
        for source in games_of(game).iter().take(2) {
            for lang in Lang::ALL {
                let (_, said) = verdict(source, lang);
                let said = joined(&said);
                record(source, |record| {
                    let verdict = verify::record(record);
                    let status = catalog().word(verdict.status.word(), lang).to_uppercase();
                    assert!(said.contains(&status), "{said}");
                    let id = quipu_referee::report::hex(&verdict.id.expect("an id"));
                    assert!(said.contains(&id), "{said}");
                    for side in &record.game().expect("a game").sides {
                        assert!(said.contains(record.value(side.tag).unwrap_or("?")), "{}: {said}", side.tag);
                    }
                    if let Some(points) = verdict.points {
                        for points in points.counted() {
                            assert!(said.contains(&format!(" {points}")), "{said}");
                        }
                    }
                    let mut board = game.start(record).expect("it starts");
                    for ply in &record.movetext.plies {
                        let token = board.play(&ply.token).expect("it is lawful");
                        assert!(said.contains(&token), "{token}: {said}");
                    }
                });
            }
        }
    }
}

#[test]
fn of_a_refusal_there_is_the_code_the_article_and_what_is_right() {
    let source = "[Game \"andes\"]\n[Sol \"Quispe, Ana\"]\n[Luna \"Mamani, Luis\"]\n\n1. 0d3 2A3 2. 2a1 0D0 3. 0a2 *\n";
    let (pages, said) = verdict(source, Lang::En);
    let said = joined(&said);
    assert_eq!(pages.len(), 1);
    for part in [
        "REJECTED",
        "andes.3.6 (article 3.6), ply 3",
        "The square a1 is light",
        "Law: Article 3.6",
        "Help: Place a persona there",
        "Board before the rejected ply (3)",
        "× 2a1",
        "the plies after it were not judged: 2.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("0D0"), "{said}");
}

/// Of each code the first three records: some have hundreds.
#[test]
fn broken_records_with_every_code_have_their_page() {
    for &game in games::ALL {
        let mut codes: BTreeMap<_, usize> = BTreeMap::new();
        let file = bytes(&format!("{}/mutants.quipu", game.notation().id));
        each_chunk(&file[..], |chunk| {
            for read in chunk.records().map_while(Result::ok) {
                let judged = verify::record(&read);
                let refusing = judged.diagnostics.iter().find(|found| found.severity() == Severity::Error);
                let Some(first) = refusing.or(judged.diagnostics.first()) else { continue };
                let count = codes.entry(first.code().id).or_default();
                *count += 1;
                if *count > 3 {
                    continue;
                }
                let pdf = pictures::verdict(&read, &judged, None, &Look::new(Lang::Es)).expect("it is short");
                let said = joined(&Pdf::read(&pdf).text());
                assert!(said.contains(first.code().id), "{said}");
            }
        });
        assert!(codes.len() > 5, "{}: {codes:?}", game.notation().id);
    }
}

/// Long games go on, to the last move; what is longer still is refused.
#[test]
fn a_long_game_takes_several_pages() {
    let long = |plies: usize| {
        let tokens = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(plies);
        format!("[Game \"brandubh\"]\n\n{} *\n", tokens.copied().collect::<Vec<_>>().join(" "))
    };
    let (pages, said) = verdict(&long(MOST_PLIES), Lang::Es);
    assert!((3..10).contains(&pages.len()), "{}", pages.len());
    assert_eq!(said.matches("d3-c3").count(), MOST_PLIES / 4);
    assert!(said.contains(&format!("{}.", MOST_PLIES / 2)) && said.contains(&format!("página 1 de {}", pages.len())));
    record(&long(MOST_PLIES + 1), |record| {
        let refused = pictures::verdict(record, &verify::record(record), None, &Look::new(Lang::Es));
        assert_eq!(refused, Err(Refused::Plies { most: MOST_PLIES }));
    });
}

/// A token of the greatest length, and tags that fill pages, stay on the paper.
#[test]
fn nothing_runs_off_the_paper() {
    let token = "x".repeat(256);
    let name = "Ana ".repeat(16_000);
    let source =
        format!("[Game \"andes\"]\n[Event \"{name}\"]\n[Sol \"{name}\"]\n[Luna \"{token}\"]\n\n1. 0d3 {token} *\n");
    let (pages, said) = verdict(&source, Lang::Es);
    assert!(pages.len() <= 2 && said.len() < 10_000, "{} {}", pages.len(), said.len());
    assert!(said.contains("andes.notation"), "{said}");
}

#[test]
fn a_record_of_no_known_game_has_a_page_too() {
    let (pages, said) = verdict("[Game \"damas\"]\n\n1. e4 e5 *\n", Lang::Es);
    assert_eq!(pages.len(), 1);
    assert!(joined(&said).contains("record.game"), "{said}");
}

#[test]
fn a_scoresheet_has_a_place_for_everything() {
    for &game in games::ALL {
        for lang in Lang::ALL {
            let pdf = pictures::sheet_pdf(game, 1, lang);
            assert_eq!(pdf, pictures::sheet_pdf(game, 1, lang));
            let pdf = Pdf::read(&pdf);
            assert_eq!(pdf.pages().len(), 1);
            let said = joined(&pdf.text());
            assert!(said.contains(catalog().word(game.name(), lang)), "{said}");
            for side in &game.notation().sides {
                // Players, moves, signatures, and points where there are any.
                assert!(said.matches(side.tag).count() >= 3, "{}: {said}", side.tag);
            }
            let svg = pictures::sheet_svg(game, 1, lang);
            let document = Document::parse(&svg).expect("XML");
            assert_eq!(document.root_element().attribute("width"), Some("210mm"));
            let numbers = document.descendants().filter_map(|node| node.text()?.parse::<u32>().ok());
            let greatest = numbers.max().expect("numbers");
            let least = if game.move_length() > 12 { 25 } else { 60 };
            assert!(greatest >= least, "{greatest}: so many pairs of plies at the least");
            // The next sheet goes on.
            let next = pictures::sheet_svg(game, 2, lang);
            let next = Document::parse(&next).expect("XML");
            let numbers = next.descendants().filter_map(|node| node.text()?.parse::<u32>().ok());
            assert_eq!(numbers.filter(|number| *number > 10).min(), Some(greatest + 1));
            let rules = said.contains(if lang == Lang::Es { "Reglas" } else { "Rules" });
            assert_eq!(rules, game.rule_sets().len() > 1, "{said}");
            for remark in game.remarks() {
                assert!(said.contains(catalog().word(remark.word, lang)), "{said}");
            }
        }
        let [es, en] = Lang::ALL.map(|lang| pictures::sheet_svg(game, 1, lang));
        assert_ne!(es, en);
    }
}

/// A board as PDF is a page of its own size.
#[test]
fn a_board_is_a_page_of_its_size() {
    for (game, board) in super::boards() {
        let pdf = pictures::pdf(game, &board.drawing(), &Look { width: 400, ..Look::new(Lang::Es) });
        let pdf = Pdf::read(&pdf.expect("a good size"));
        let pages = pdf.pages();
        assert!(pages.len() == 1 && (pages[0].0 - 300.0).abs() < 0.1, "{pages:?}: 400 pixels are 300 points");
        for name in &board.drawing().bottom {
            assert!(pdf.text().lines().any(|line| line == name), "{name}");
        }
    }
}

/// The reason of a refusal stands before warnings, however many there are.
#[test]
fn the_refusal_is_told_whatever_else_was_found() {
    let text = "[Game \"andes\"]\n[Result \"1-0\"]\n\n7. 0d3 0D6\n9. 0a0 2A3\n11. 0g0 2G3\n13. 5a1 1-0\n";
    let (_, said) = verdict(text, Lang::Es);
    let said = joined(&said);
    assert!(said.contains("andes.notation"), "{said}");
    assert!(said.find("andes.notation") < said.find("record.number"), "{said}");
}

/// A character that the font lacks is not copied as another one.
#[test]
fn letters_that_are_not_in_the_font_are_not_taken_for_others() {
    let (_, said) = verdict("[Game \"andes\"]\n[Sol \"王小明\"]\n[Result \"*\"]\n\n1. 0d3 *\n", Lang::Es);
    assert!(!said.contains('王') && said.contains("\u{fffd}\u{fffd}\u{fffd}"), "{said}");
}

/// A notice stands on the first page.
#[test]
fn a_record_that_does_not_stand_says_so() {
    record("[Game \"andes\"]\n[Result \"*\"]\n\n1. 0d3 *\n", |record| {
        let judged = verify::record(record);
        let pdf = pictures::verdict(record, &judged, Some("Se retiró."), &Look::new(Lang::Es)).expect("it is short");
        assert!(joined(&Pdf::read(&pdf).text()).contains("Se retiró."));
    });
}
