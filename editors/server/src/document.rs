//! An open file: its text, and the verdict on each part of it. A change judges again only what it touches.

use std::collections::HashMap;

use gen_lsp_types::{Position, Range};
use quipu_notation::record::Chunk;
use quipu_referee::Lang;

use crate::{
    changes::{Change, changed},
    judgement::{self, JudgedRecord},
    position::{Locator, PositionEncoding, boundary, count_breaks, offset_of},
    split::{LOOKAHEAD, Piece, split},
};

/// The most bytes of a file that is judged.
pub(crate) const MAX_FILE: usize = 64 * 1024 * 1024;

const START: Position = Position { line: 0, character: 0 };

/// An open file.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
    encoding: PositionEncoding,
    lang: Lang,
    /// Blank text before the first part.
    lead: Extent,
    parts: Vec<Part>,
    /// The part that was changed last.
    changed: usize,
    /// Chunks that were judged so far.
    #[cfg(test)]
    judged: u64,
    /// Times that the text was split so far.
    #[cfg(test)]
    splits: u64,
}

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Extent {
    bytes: usize,
    breaks: u32,
}

impl Extent {
    fn of(text: &str) -> Self {
        Self { bytes: text.len(), breaks: count_breaks(text) }
    }
}

/// A chunk of the text with all up to the next one.
#[derive(Clone, Debug)]
struct Part {
    extent: Extent,
    piece: Piece,
    /// Its records, and the line that it began at when they were judged.
    records: Option<(u32, Vec<JudgedRecord>)>,
}

/// Bytes of the text that are replaced.
#[derive(Debug, Default)]
struct Replaced {
    start: usize,
    end: usize,
    /// The parts that they touch, if these are more than two: the first and the last one mostly change.
    parts: std::ops::Range<usize>,
    /// The text of those parts, and its offset.
    text: String,
    at: usize,
}

impl Replaced {
    /// The parts by their texts. All parts began at `starts`.
    fn by_text(&self, starts: &[usize]) -> HashMap<&str, usize> {
        let end = self.at + self.text.len();
        let next = |part: usize| starts.get(part + 1).copied().unwrap_or(end);
        self.parts.clone().map(|part| (&self.text[starts[part] - self.at..next(part) - self.at], part)).collect()
    }
}

/// A part of the text with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPlace {
    /// Its number, from 0.
    pub(crate) index: usize,
    /// The offset of its first byte.
    pub(crate) start: usize,
    /// The number of its first line, from 0.
    pub(crate) line: u32,
}

impl Document {
    pub(crate) fn new(text: String, encoding: PositionEncoding, lang: Lang) -> Self {
        let (lead, parts) = (Extent::default(), Vec::new());
        let mut document = Self {
            text,
            encoding,
            lang,
            lead,
            parts,
            changed: 0,
            #[cfg(test)]
            judged: 0,
            #[cfg(test)]
            splits: 0,
        };
        document.split_again(&Replaced::default(), 0);
        document
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// True if the file has more than [`MAX_FILE`] bytes, so that nothing in it is judged.
    pub(crate) fn is_too_large(&self) -> bool {
        self.text.len() > MAX_FILE
    }

    /// Changes the text, one change after the other.
    pub(crate) fn change(&mut self, changes: &[Change]) {
        // Nothing before a whole text matters.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        let (whole, rest) = match whole {
            Some(at) => (Some(&*changes[at].text), &changes[at + 1..]),
            None => (None, changes),
        };
        match (whole, rest) {
            (None, []) => {}
            (None, [Change { range: Some(range), text }]) => {
                let (one, other) = (self.offset(range.start), self.offset(range.end));
                self.replace(one.min(other), one.max(other), text);
            }
            (Some(whole), []) => self.replace_all(whole),
            // The text is split once for all of them.
            _ => {
                let new = changed(whole.unwrap_or(&self.text), rest, self.encoding);
                self.replace_all(&new);
            }
        }
    }

    /// Replaces the whole text. The parts that did not change keep their verdicts.
    fn replace_all(&mut self, new: &str) {
        let old = self.text.as_bytes();
        let same = old.iter().zip(new.as_bytes()).take_while(|(one, other)| one == other).count();
        let start = boundary(&self.text, same).min(boundary(new, same));
        let (old_rest, new_rest) = (&self.text[start..], &new[start..]);
        let both = old_rest.bytes().rev().zip(new_rest.bytes().rev());
        let same = both.take_while(|(one, other)| one == other).count();
        let is_cut = |same: &usize| new_rest.is_char_boundary(new_rest.len() - same);
        let same = (0..=same).rev().find(is_cut).unwrap_or_default();
        let end = self.text.len() - same;
        self.replace(start, end, &new[start..new.len() - same]);
    }

    /// Replaces the bytes from `start` to `end`.
    fn replace(&mut self, start: usize, end: usize, new: &str) {
        let was_too_large = self.is_too_large();
        let replaced = if was_too_large { Replaced::default() } else { self.replaced(start, end) };
        self.text.replace_range(start..end, new);
        self.split_again(&replaced, if was_too_large { 0 } else { start + new.len() });
    }

    /// The bytes from `start` to `end`, before they are replaced.
    fn replaced(&self, start: usize, end: usize) -> Replaced {
        let bytes = Replaced { start, end, ..Replaced::default() };
        let end_of = |place: &PartPlace| place.start + self.parts[place.index].extent.bytes;
        let is_touched = |place: &PartPlace| place.start <= end && end_of(place) >= start;
        let mut touched = self.places().skip_while(|place| !is_touched(place)).take_while(is_touched);
        let Some(first) = touched.next() else { return bytes };
        match touched.last() {
            Some(last) if last.index > first.index + 1 => {
                let text = self.text[first.start..end_of(&last)].to_owned();
                Replaced { parts: first.index..last.index + 1, text, at: first.start, ..bytes }
            }
            _ => bytes,
        }
    }

    /// Splits the text after bytes of it became those up to `new_end`.
    fn split_again(&mut self, replaced: &Replaced, new_end: usize) {
        #[cfg(test)]
        {
            self.splits += 1;
        }
        if self.is_too_large() {
            (self.lead, self.parts, self.changed) = (Extent::of(""), Vec::new(), 0);
            return;
        }
        let (start, old_end) = (replaced.start, replaced.end);
        let mut starts = Vec::with_capacity(self.parts.len());
        let mut at = self.lead.bytes;
        for part in &self.parts {
            starts.push(at);
            at += part.extent.bytes;
        }
        let is_plain = self.parts.iter().all(|part| part.piece.is_plain());
        let first = if is_plain { self.unchanged_before(&starts, start) } else { 0 };
        let from = if first == 0 { 0 } else { starts[first] };
        let mut pieces = Vec::new();
        // The parts from here on are as before.
        let mut kept = self.parts.len();
        let mut is_known = true;
        let moved = |offset: usize| offset - new_end + old_end;
        for piece in split(&self.text[from..], from) {
            // The division of such a text is known only from its beginning.
            is_known = piece.is_plain() || from == 0;
            if !is_known {
                break;
            }
            let same = (is_plain && piece.start >= new_end).then(|| moved(piece.start));
            let same = same.and_then(|old| starts.binary_search(&old).ok());
            if let Some(same) = same.filter(|same| *same >= first && is_same(&self.parts[*same].piece, &piece)) {
                kept = same;
                break;
            }
            pieces.push(piece);
        }
        if !is_known {
            self.parts.clear();
            return self.split_again(&Replaced::default(), 0);
        }
        let end = starts.get(kept).map_or(self.text.len(), |old| old + new_end - old_end);
        let lead_end = if first > 0 { self.lead.bytes } else { pieces.first().map_or(end, |piece| piece.start) };
        let by_text = replaced.by_text(&starts);
        let new: Vec<_> = pieces
            .iter()
            .enumerate()
            .map(|(index, piece)| {
                let next = pieces.get(index + 1).map_or(end, |next| next.start);
                let whole = &self.text[piece.start..next];
                // Of a part before the change and one after it, the verdict is known, and of one in it with a text of before.
                let old = if next <= start {
                    starts.binary_search(&piece.start).ok()
                } else if piece.start >= new_end {
                    starts.binary_search(&moved(piece.start)).ok()
                } else {
                    by_text.get(whole).copied()
                };
                let old = old.map(|at| &self.parts[at]);
                let old = old.filter(|old| is_same(&old.piece, piece) && old.extent.bytes == whole.len());
                let records = old.and_then(|old| old.records.clone());
                Part { extent: Extent::of(whole), piece: *piece, records }
            })
            .collect();
        self.lead = Extent::of(&self.text[..lead_end]);
        let changed = new.iter().position(|part| part.records.is_none()).map_or(first, |at| first + at);
        self.parts.splice(first..kept, new);
        self.changed = changed.min(self.parts.len().saturating_sub(1));
    }

    /// A part such that neither it nor one before it depends on the text from `start` on.
    fn unchanged_before(&self, starts: &[usize], start: usize) -> usize {
        let safe = start.saturating_sub(LOOKAHEAD);
        let ends_before = |at: usize| starts[at] + self.parts[at].extent.bytes <= safe;
        let (mut low, mut high) = (0, starts.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if ends_before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut first = low.saturating_sub(1);
        // The tags before a part that has none of its own are told with it.
        while first > 0 && self.parts[first].piece.chunk.tags_before().is_some() {
            first -= 1;
        }
        first
    }

    /// Judges what has changed, and the parts whose messages name lines that have moved.
    pub(crate) fn judge(&mut self) {
        let (mut start, mut line) = (self.lead.bytes, self.lead.breaks);
        for part in &mut self.parts {
            let is_known = part.records.as_ref().is_some_and(|(judged_at, records)| {
                *judged_at == line || !records.iter().flat_map(|record| &record.findings).any(|found| found.names_line)
            });
            if !is_known {
                let chunk = chunk(&self.text, part, start, line);
                part.records = Some((line, judgement::judge(&chunk, self.encoding, self.lang)));
                #[cfg(test)]
                {
                    self.judged += 1;
                }
            }
            start += part.extent.bytes;
            line += part.extent.breaks;
        }
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = PartPlace> {
        let mut place = PartPlace { index: 0, start: self.lead.bytes, line: self.lead.breaks };
        self.parts.iter().map(move |part| {
            let here = place;
            let (start, line) = (here.start + part.extent.bytes, here.line + part.extent.breaks);
            place = PartPlace { index: here.index + 1, start, line };
            here
        })
    }

    /// The parts that a range touches.
    pub(crate) fn places_in(&self, range: Range) -> impl Iterator<Item = PartPlace> {
        let end = |place: &PartPlace| place.line + self.parts[place.index].extent.breaks;
        let is_before = move |place: &PartPlace| end(place) < range.start.line;
        self.places().skip_while(is_before).take_while(move |place| place.line <= range.end.line)
    }

    /// The part that an offset is in, if it is after the blank text at the beginning.
    pub(crate) fn place_at(&self, offset: usize) -> Option<PartPlace> {
        self.places().take_while(|place| place.start <= offset).last()
    }

    /// The part that was changed last.
    pub(crate) fn changed(&self) -> usize {
        self.changed
    }

    /// The text of a part, up to the next one.
    pub(crate) fn text_of(&self, place: PartPlace) -> &str {
        &self.text[place.start..place.start + self.parts[place.index].extent.bytes]
    }

    pub(crate) fn chunk(&self, place: PartPlace) -> Chunk<'_> {
        chunk(&self.text, &self.parts[place.index], place.start, place.line)
    }

    /// The judged records of a part; none before [`Document::judge`].
    pub(crate) fn records(&self, place: PartPlace) -> &[JudgedRecord] {
        self.parts[place.index].records.as_ref().map_or(&[], |(_, records)| records)
    }

    /// Finds positions in a part.
    pub(crate) fn locator(&self, place: PartPlace) -> Locator<'_> {
        Locator::new(self.text_of(place), Position { line: place.line, character: 0 }, self.encoding)
    }

    /// The text of a part, the first one with the blank text before it, and positions in it.
    pub(crate) fn with_lead(&self, place: PartPlace) -> (&str, Locator<'_>) {
        let (start, line) = if place.index == 0 { (0, 0) } else { (place.start, place.line) };
        let text = &self.text[start..place.start + self.parts[place.index].extent.bytes];
        (text, Locator::new(text, Position { line, character: 0 }, self.encoding))
    }

    /// The offset of a position, cut short as [`offset_of`] does.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let (start, line) = match self.places().take_while(|place| place.line <= position.line).last() {
            Some(place) => (place.start, place.line),
            None => (0, 0),
        };
        let inner = Position { line: position.line - line, ..position };
        start + offset_of(&self.text[start..], inner, self.encoding)
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        match self.place_at(offset) {
            Some(place) => self.locator(place).position(offset - place.start),
            None => Locator::new(&self.text, START, self.encoding).position(offset),
        }
    }

    /// The range of the whole text before the first part.
    pub(crate) fn lead(&self) -> Range {
        Locator::new(&self.text[..self.lead.bytes], START, self.encoding).range(0..self.lead.bytes)
    }
}

/// True if two chunks that begin at the same text are the same, with the tags before them at the same distance.
fn is_same(one: &Piece, other: &Piece) -> bool {
    let lines = |piece: &Piece, line: u64| piece.chunk.first_line().saturating_sub(line);
    let tags = |piece: &Piece| piece.chunk.tags_before().map(|before| (before.has_game, lines(piece, before.line)));
    let is_cut = |piece: &Piece| piece.chunk.has_long_comment();
    one.bytes == other.bytes
        && tags(one) == tags(other)
        && is_cut(one) == is_cut(other)
        && one.is_plain()
        && other.is_plain()
}

fn chunk<'t>(text: &'t str, part: &Part, start: usize, line: u32) -> Chunk<'t> {
    let text = &text.as_bytes()[start..start + part.piece.bytes];
    part.piece.chunk.at_line(u64::from(line) + 1).with_text(text)
}

#[cfg(test)]
mod tests {
    use std::{fs, ops::Range as Bytes, path::Path};

    use proptest::prelude::*;

    use super::*;

    fn document(text: &str) -> Document {
        let mut document = Document::new(text.to_owned(), PositionEncoding::Utf16, Lang::En);
        document.judge();
        document
    }

    impl Document {
        fn edit(&mut self, range: Option<Range>, text: &str) {
            self.change(&[Change { range, text: text.to_owned() }]);
        }
    }

    /// All parts with their places and all that is known about them.
    fn state(document: &Document) -> Vec<String> {
        let part = |place: PartPlace| {
            let (chunk, records) = (document.chunk(place), document.records(place));
            format!("{place:?} {} {:?} {records:?}", chunk.first_line(), chunk.text().len())
        };
        document.places().map(part).collect()
    }

    fn range(document: &Document, bytes: Bytes<usize>) -> Range {
        Range { start: document.position(bytes.start), end: document.position(bytes.end) }
    }

    /// Changes a text step by step, and compares each state with that of a file that is opened with the changed text.
    #[track_caller]
    fn check(text: &str, changes: &[(Bytes<usize>, &str)]) {
        let mut file = document(text);
        for (bytes, new) in changes {
            let range = range(&file, bytes.clone());
            file.edit(Some(range), new);
            file.judge();
            assert_eq!(state(&file), state(&document(file.text())), "{:?}", file.text());
        }
    }

    const TWO: &str = "[Game \"brandubh\"]\n\n1. d3-c3 *\n\n[Game \"andes\"]\n\n1. 0d3 *\n\n";

    #[test]
    fn a_change_leads_to_what_opening_leads_to() {
        check(TWO, &[(20..20, "x"), (0..0, "\n\n"), (0..1, "")]);
        // Records are joined and parted.
        check(TWO, &[(31..33, ""), (31..31, "\n[")]);
        // A comment that is not closed hides the next record, unless that begins with its game.
        check(TWO, &[(29..29, "{"), (33..47, ""), (30..30, "}")]);
        check("{ x\n[Event \"a\"]\n\n1. 0d3\n[Game \"andes\"]\n", &[(24..30, "")]);
        check(TWO, &[(0..TWO.len(), ""), (0..0, TWO)]);
        check("[Event \"x\"]\n\n[Game \"andes\"]\n*\n", &[(0..0, "\n"), (1..13, ""), (0..0, "[Event \"x\"]\n\n")]);
        check("", &[(0..0, "x"), (0..1, "%PDF-1.7\n"), (0..9, "[Game \"andes\"]\n"), (0..0, "\u{feff}")]);
        check("[Game \"andes\"]\r\n\r\n1. 0d3 *\r\n", &[(3..3, "\r"), (15..16, ""), (14..15, "\r\n")]);
    }

    #[test]
    fn a_whole_text_is_a_change_too() {
        let mut changed = document(TWO);
        let new = TWO.replace("0d3", "2a1");
        changed.edit(None, &new);
        changed.judge();
        assert_eq!(state(&changed), state(&document(&new)));
        assert_eq!(changed.judged, 3, "the first record was not judged again");
        for (old, new) in [("ñ", "ñañ"), ("aa", "a"), ("", "é"), ("è", "é"), ("𝄞", "𝄢"), ("x", "x")] {
            let mut changed = document(old);
            changed.edit(None, new);
            assert_eq!(changed.text(), new);
        }
    }

    /// The records that none of many changes touches keep their verdicts, and the text is split once.
    #[test]
    fn many_changes_at_once_cost_no_more_than_one() {
        let cup = cup();
        let text = cup.repeat(100);
        let mut file = document(&text);
        let count = file.places().count() as u64;
        let each = cup.find("1. ").expect("a move") + 3;
        let change = |at: usize| {
            let here = file.position(each + at * cup.len());
            Change { range: Some(Range { start: here, end: here }), text: "x".to_owned() }
        };
        // Each position is one of the text after the changes that follow it.
        let changes: Vec<_> = (0..100).rev().map(change).collect();
        file.change(&changes);
        file.judge();
        assert_eq!((file.splits, file.judged), (2, count + 100));
        assert_eq!(state(&file), state(&document(file.text())));
        let back = Change { range: None, text: text.clone() };
        file.change(&[changes, vec![back]].concat());
        file.judge();
        assert_eq!((file.splits, file.judged, file.text()), (3, count + 200, &*text));
        assert_eq!(state(&file), state(&document(&text)));
    }

    #[test]
    fn ranges_that_do_not_exist_are_cut_short() {
        let mut changed = document(TWO);
        let far = Position { line: 99, character: 99 };
        changed.edit(Some(Range { start: far, end: far }), "x");
        assert_eq!(changed.text(), format!("{TWO}x"));
        let start = Position { line: 0, character: 99 };
        changed.edit(Some(Range { start: Position { line: 1, character: 5 }, end: start }), "");
        assert_eq!(changed.text(), format!("{TWO}x").replacen('\n', "", 1), "ends in the wrong order");
    }

    /// A message that names a line is right after lines were added before it.
    #[test]
    fn lines_in_messages_move() {
        check(
            "[Game \"andes\"]\n\n*\n\n[Game \"andes\"]\n[Sol \"a\"]\n[Sol \"b\"]\n\n*\n",
            &[(15..15, "\n\n"), (0..0, "\n")],
        );
        check("[Game \"andes\"]\n\n[Sol \"a\"]\n\n*\n", &[(0..0, "; x\n"), (0..4, "")]);
    }

    /// The text after a chunk decides if the comment that it ends with is too long.
    #[test]
    fn a_comment_that_was_too_long_and_is_not() {
        let text = format!("[Game \"andes\"]\n\n1. 0d3 {{x\n[Event \"a\"]\n{}", "y\n".repeat(35 * 1024));
        check(&text, &[(50 * 1024..70 * 1024, "")]);
        check(&text, &[(50 * 1024..text.len(), ""), (50 * 1024..50 * 1024, &"z".repeat(20 * 1024))]);
    }

    fn crc32(bytes: &[u8]) -> u32 {
        let step = |crc: u32| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
    }

    /// A zip that is UTF-8: its only file begins with this text and is not compressed, and the bytes of its checksum are ASCII.
    fn stored_zip(text: &str) -> String {
        let number = |value: u32| -> String { value.to_le_bytes().map(char::from).iter().collect() };
        let ended = (0..10_000).map(|number| format!("{text}{{{number}}}"));
        let is_ascii = |text: &String| crc32(text.as_bytes()).to_le_bytes().is_ascii();
        let file = ended.into_iter().find(is_ascii).expect("one of 16 is so");
        let [name, size] = ["g.quipu", &number(u32::try_from(file.len()).expect("few"))];
        let sizes = format!("{}{size}{size}\u{7}\0", number(crc32(file.as_bytes())));
        let local = format!("PK\u{3}\u{4}\u{a}\0\0\0\0\0\0\0\0\0{sizes}\0\0{name}{file}");
        let entry = format!("PK\u{1}\u{2}\u{a}\0\u{a}\0\0\0\0\0\0\0\0\0{sizes}{}{name}", "\0".repeat(16));
        let [at, length] = [&local, &entry].map(|text| number(u32::try_from(text.len()).expect("few")));
        let zip = format!("{local}{entry}PK\u{5}\u{6}\0\0\0\0\u{1}\0\u{1}\0{length}{at}\0\0");
        assert!(zip.len() < 256, "no size has a byte beyond ASCII");
        zip
    }

    /// The text of an editor is text, also if it begins as a file of another kind does.
    #[test]
    fn text_that_looks_like_another_file_is_split_as_text() {
        let zip = stored_zip(&format!("{}\n\n[Game \"andes\"]\n*", "ñ".repeat(20)));
        // Its second chunk would begin inside a letter of the zip.
        assert_eq!(document(&zip).places().count(), 2);
        for text in [zip, format!("[abcftyp \"x\"]\n\n{TWO}"), format!("{}ustar\n\n{TWO}", " ".repeat(257))] {
            assert!(document(&text).places().count() > 1, "{text:?}");
            check(&text, &[(0..0, "x"), (0..1, ""), (text.len() - 1..text.len(), "")]);
        }
        check(TWO, &[(1..5, "abcftyp"), (40..40, "x"), (1..8, "Game")]);
    }

    fn cup() -> String {
        let cup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/andes/cup.quipu");
        fs::read_to_string(cup).expect("a fixture")
    }

    /// 10 MiB of records.
    fn large() -> String {
        let cup = cup();
        cup.repeat(10 * 1024 * 1024 / cup.len() + 1)
    }

    #[test]
    fn only_the_changed_record_of_a_large_file_is_judged_again() {
        let text = large();
        let mut document = document(&text);
        let count = document.places().count() as u64;
        assert!(count > 5_000 && document.judged == count, "{count}");
        let middle = text[text.len() / 2..].find("1. ").expect("a move") + text.len() / 2 + 3;
        for (step, (bytes, new)) in [
            (middle..middle, "x"),
            (middle..middle + 1, ""),
            (middle..middle, "{"),
            (middle..middle + 1, ""),
            (0..0, "; a line before everything\n"),
            (text.len() - 4..text.len() - 4, " "),
        ]
        .into_iter()
        .enumerate()
        {
            let range = range(&document, bytes);
            document.edit(Some(range), new);
            document.judge();
            assert_eq!(document.judged, count + step as u64 + 1, "{new:?}");
        }
        assert_eq!(document.places().count() as u64, count);
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_judged() {
        let mut document = document(&" ".repeat(MAX_FILE));
        assert!(!document.is_too_large());
        document.edit(Some(range(&document, 0..0)), "[Game \"andes\"]\n");
        document.judge();
        assert!(document.is_too_large() && document.places().count() == 0);
        document.edit(Some(range(&document, 20..40)), "");
        document.judge();
        assert_eq!(document.places().count(), 1);
    }

    /// A record beyond the limit of the reader, and what is before and after it.
    #[test]
    fn a_record_that_is_too_large_is_told_at_its_place() {
        let large = format!("[Game \"andes\"]\n\n{{x}}\n{}1. 0d3 *\n\n", "; comment\n".repeat(2 * 1024 * 1024));
        let text = [TWO, &large, TWO].concat();
        let mut changed = document(&text);
        let codes = |document: &Document| -> Vec<_> {
            let findings =
                document.places().flat_map(|place| document.records(place).iter().flat_map(|record| &record.findings));
            findings.map(|found| found.code.id).collect()
        };
        assert_eq!(codes(&changed), ["record.limit"]);
        let range = range(&changed, text.len() - 6..text.len() - 5);
        changed.edit(Some(range), "x");
        changed.judge();
        assert_eq!(state(&changed), state(&document(changed.text())));
    }

    const PIECES: [&str; 20] = [
        "[Game \"andes\"]\n",
        "[Game \"brandubh\"]\n\n",
        "1. 0d3 0A3\n",
        "2. 2a1 {[%clk 9:37]}\n",
        "1. d3-c3 *\n",
        "*\n",
        "\n",
        "{",
        "}",
        "{ x\n[Event \"a\"]\n",
        "% [x\n",
        "; [\n",
        "[Round \"uno\"]\n",
        "[Sol \"Ana\"]\n",
        "ñ𝄞",
        "1-0\n\n",
        "\r\n",
        "\u{feff}[Game \"querni\"]\n",
        "(",
        ")",
    ];

    fn pieces(most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..most).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn changes_of_any_text_lead_to_what_opening_leads_to(
            text in pieces(30),
            changes in prop::collection::vec((0..1000_usize, 0..20_usize, pieces(4)), 1..6),
        ) {
            let mut file = document(&text);
            for (at, length, new) in changes {
                let start = boundary(file.text(), at * (file.text().len() + 1) / 1000);
                let end = boundary(file.text(), start + length);
                let range = range(&file, start..end);
                file.edit(Some(range), &new);
                file.judge();
                prop_assert_eq!(state(&file), state(&document(file.text())), "{:?}", file.text());
            }
        }
    }
}
