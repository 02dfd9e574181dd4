//! Repaired records: the readings of a sheet with their verdicts, the game of several sheets, and what remains as evidence.
//!
//! [`crate::repair`] searches; here its readings become records that are judged. A record of a reading has the plies of the
//! sheet with their clocks and comments. [`marked`] adds what was written at every changed ply.

use std::{borrow::Cow, fmt::Write as _};

use quipu_notation::{
    Span,
    record::{Movetext, Notes, Outcome, Ply, Record, Spanned, Tag, clock},
};

use crate::{
    Board, Referee, Status, Verdict,
    competition::normal,
    games,
    repair::{Disputed, Edit, Merged, PlySlip, Reading, Readings, SheetOf},
    verify,
};

/// Clocks that are left out of one reading at the most.
const CLOCKS: usize = 64;

/// Sheets that are merged at the most.
pub const MOST_SHEETS: usize = 16;

/// The share of the tokens of the shorter of two sheets of one game that the other has as well, at least: one in so many.
const COMMON: usize = 3;

/// The readings of a sheet.
#[derive(Clone, Debug)]
pub struct Repair<'r> {
    /// The sheet, with the cells restored that a spreadsheet had changed.
    pub record: Record<'r>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// Its readings. All are verified or incomplete.
    pub readings: Readings,
    /// The verdict on each reading.
    pub verdicts: Vec<Verdict>,
}

impl Repair<'_> {
    /// The same with a record that outlives its text.
    pub fn into_owned(self) -> Repair<'static> {
        let Self { record, verdict, readings, verdicts } = self;
        Repair { record: owned(&record), verdict, readings, verdicts }
    }
}

/// Finds the readings of a record. A record that is not rejected is its own only one.
pub fn of<'r>(record: &Record<'r>) -> Repair<'r> {
    let game = record.value("Game").and_then(games::find);
    let record = match game.filter(|_| !record.damaged.is_empty()) {
        Some(game) => game.restored(record.clone()).0,
        None => record.clone(),
    };
    let verdict = verify::record(&record);
    let Some(game) = game else {
        return Repair { record, verdict, readings: Readings::default(), verdicts: Vec::new() };
    };
    let mut readings = match verdict.status {
        Status::Verified | Status::Incomplete => itself(game, &record),
        Status::Rejected | Status::Unreadable => game.readings(&record),
    };
    let found = std::mem::take(&mut readings.readings);
    let mut judged: Vec<_> = found.into_iter().filter_map(|reading| judged(&record, reading)).collect();
    judged.sort_by(|(one, _), (other, _)| (one.cost, &one.moves).cmp(&(other.cost, &other.moves)));
    readings.is_clear &= !judged.is_empty();
    let verdicts;
    (readings.readings, verdicts) = judged.into_iter().unzip();
    Repair { record, verdict, readings, verdicts }
}

/// A legal record as its own reading.
fn itself(game: &dyn Referee, record: &Record<'_>) -> Readings {
    let plies = game.normalized(record).movetext.plies;
    let moves: Vec<_> = plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
    let written = (0..moves.len()).map(Some).collect();
    let reading = Reading { cost: 0, moves, edits: Vec::new(), written };
    Readings { readings: vec![reading], is_clear: true, is_complete: true, doubt: 0 }
}

/// A reading with its verdict, without the clocks that cannot be right; none if it is rejected all the same.
fn judged(record: &Record<'_>, mut reading: Reading) -> Option<(Reading, Verdict)> {
    for _ in 0..CLOCKS {
        let read = read(record, &reading);
        let verdict = verify::record(&read);
        if matches!(verdict.status, Status::Verified | Status::Incomplete) {
            return Some((reading, verdict));
        }
        let fault = verdict.first_error()?;
        let ply = usize::try_from(fault.ply?).ok()?.checked_sub(1)?;
        // A side without time plays on: the clock of its ply before is wrong.
        let mut back = (0..ply).rev().skip(1).step_by(2);
        let at = match fault.code().id {
            "record.clock" => ply,
            "record.flag" => back.find(|ply| read.movetext.plies[*ply].clock.is_some())?,
            _ => return None,
        };
        let mut from = String::new();
        clock::write(read.movetext.plies[at].clock?.value, &mut from).ok()?;
        let row = PlySlip::Clock.row();
        reading.cost += row.cost;
        reading.edits.push(Edit { ply: at as u64 + 1, kind: row.name, from: Some(from), to: None });
        reading.edits.sort_by_key(|edit| edit.ply);
    }
    None
}

/// The record of a reading of a sheet.
pub fn read<'r>(record: &Record<'r>, reading: &Reading) -> Record<'r> {
    let mut read = Record { damaged: Vec::new(), odd_clocks: Vec::new(), ..record.clone() };
    let ply = |(token, written): (&String, &Option<usize>)| {
        let known = written.and_then(|index| record.movetext.plies.get(index));
        let bare = || Ply { token: Cow::Borrowed(""), span: Span::default(), number: None, clock: None, notes: None };
        Ply { token: Cow::Owned(token.clone()), number: None, ..known.cloned().unwrap_or_else(bare) }
    };
    read.movetext.plies = reading.moves.iter().zip(&reading.written).map(ply).collect();
    for edit in &reading.edits {
        if edit.kind == PlySlip::Clock.row().name {
            let index = usize::try_from(edit.ply).map_or(usize::MAX, |ply| ply - 1);
            if let Some(ply) = read.movetext.plies.get_mut(index) {
                ply.clock = None;
            }
        } else if let Some(to) = &edit.to {
            claim(&mut read, edit.kind, to);
        }
    }
    read
}

/// The first ply that a reading changes, and the board before it; none if it corrects claims only.
pub fn board_before(record: &Record<'_>, reading: &Reading) -> Option<(u64, Box<dyn Board>)> {
    let edit = reading.edits.iter().find(|edit| !CLAIMS.contains(&edit.kind))?;
    let mut board = record.value("Game").and_then(games::find)?.start(record).ok()?;
    for token in reading.moves.iter().take(usize::try_from(edit.ply).ok()?.checked_sub(1)?) {
        board.play(token).ok()?;
    }
    Some((edit.ply, board))
}

/// Sets a claim of a record, if the kind of an edit is one.
fn claim(record: &mut Record<'_>, kind: &str, to: &str) {
    if !CLAIMS.contains(&kind) {
        return;
    }
    if let Some(tag) = record.tags.iter_mut().find(|tag| tag.name == kind) {
        tag.value = Cow::Owned(to.to_owned());
    }
    if let (Some(result), "Result", Some(value)) = (&mut record.result, kind, Outcome::parse(to)) {
        result.value = value;
    }
}

/// The claims that readings correct, by their tags.
pub const CLAIMS: [&str; 3] = ["Result", "Termination", "Points"];

/// The origin of a repaired record.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'s> {
    /// The program and its version, such as `quipu 1.2.3`.
    pub by: &'s str,
    /// The person who chose the reading, if one did.
    pub person: Option<&'s str>,
}

/// The record of a reading with the evidence in its comments: `[%repaired quipu 1.2.3, Name]` before the first move, and
/// at every changed ply `[%written PLY KIND TEXT]`. A ply that is not written has no text. A record without edits is as it is.
pub fn marked<'r>(record: &Record<'r>, reading: &Reading, stamp: Stamp<'_>) -> Record<'r> {
    let mut marked = read(record, reading);
    if reading.edits.is_empty() {
        return marked;
    }
    note(&mut marked, None, repaired_by(stamp));
    for edit in &reading.edits {
        let text = edit.from.as_deref().map(|from| format!(" {}", plain(from))).unwrap_or_default();
        note(&mut marked, Some(edit.ply), format!("[%written {} {}{text}]", edit.ply, edit.kind));
    }
    marked
}

/// A record with tags that it lacks, or whose value is unknown, and the evidence in its comments: `[%repaired quipu 1.2.3, Name]`
/// and `[%added Round 2]` for each tag, before the first move.
pub fn completed<'r>(record: &Record<'r>, tags: &[(&'static str, String)], stamp: Stamp<'_>) -> Record<'r> {
    let mut completed = record.clone();
    note(&mut completed, None, repaired_by(stamp));
    for (name, value) in tags {
        completed.tags.retain(|tag| tag.name != *name);
        let (name, value) = (Cow::Borrowed(*name), Cow::Owned(value.clone()));
        note(&mut completed, None, format!("[%added {name} {}]", plain(&value)));
        completed.tags.push(Tag { name, value, span: Span::default() });
    }
    completed
}

/// `[%repaired quipu 1.2.3, Name]`.
fn repaired_by(Stamp { by, person }: Stamp<'_>) -> String {
    let person = person.map(|name| format!(", {}", plain(name))).unwrap_or_default();
    format!("[%repaired {by}{person}]")
}

/// Adds a comment to a ply, the last if there are fewer, or before the first move.
fn note(record: &mut Record<'_>, ply: Option<u64>, comment: String) {
    let Movetext { comments, plies } = &mut record.movetext;
    let last = plies.len().checked_sub(1);
    let index = ply.zip(last).map(|(ply, last)| usize::try_from(ply).map_or(last, |ply| (ply - 1).min(last)));
    match index {
        Some(index) => {
            let notes = plies[index].notes.get_or_insert_with(|| Box::new(Notes::default()));
            notes.comments.push(Cow::Owned(comment));
        }
        None => comments.push(Cow::Owned(comment)),
    }
}

/// A text without the characters that end a command or a comment: they are written as `%` and two hexadecimal digits.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars() {
        if matches!(character, '[' | ']' | '{' | '}' | '%') || character.is_control() {
            let written = write!(plain, "%{:02X}", u32::from(character));
            debug_assert!(written.is_ok(), "a String takes everything");
        } else {
            plain.push(character);
        }
    }
    plain
}

/// A copy of a record that outlives its text. It has no spans of damaged cells: those are restored.
pub fn owned(record: &Record<'_>) -> Record<'static> {
    let game = record.value("Game").and_then(games::find).filter(|_| !record.damaged.is_empty());
    let restored = game.map(|game| game.restored(record.clone()).0);
    let record = restored.as_ref().unwrap_or(record);
    let text = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
    let tag = |tag: &Tag<'_>| Tag { name: text(&tag.name), value: text(&tag.value), span: tag.span };
    Record {
        span: record.span,
        tags: record.tags.iter().map(tag).collect(),
        movetext: owned_moves(&record.movetext),
        result: record.result,
        ..Record::default()
    }
}

fn owned_moves(moves: &Movetext<'_>) -> Movetext<'static> {
    let text = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
    let texts = |comments: &[Cow<'_, str>]| comments.iter().map(text).collect();
    let notes = |notes: &Notes<'_>| {
        Box::new(Notes {
            nags: notes.nags.clone(),
            comments: texts(&notes.comments),
            variations: notes.variations.iter().map(owned_moves).collect(),
        })
    };
    let ply = |ply: &Ply<'_>| Ply {
        token: text(&ply.token),
        span: ply.span,
        number: ply.number,
        clock: ply.clock,
        notes: ply.notes.as_deref().map(notes),
    };
    Movetext { comments: texts(&moves.comments), plies: moves.plies.iter().map(ply).collect() }
}

/// The game of several sheets.
#[derive(Clone, Debug)]
pub struct MergedSheets<'r> {
    /// Its moves, and what is disputed.
    pub merged: Merged,
    /// Its record: the tags of the sheet with the fewest slips, and those that only the others have.
    pub record: Record<'r>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The tags in which the sheets differ.
    pub tags: Vec<DifferingTag>,
}

/// The reason why sheets are not merged. Sheets are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeFault {
    /// Fewer than two sheets.
    Few,
    /// More sheets than [`MOST_SHEETS`].
    Many(usize),
    /// A sheet of no known game.
    Game(usize),
    /// A sheet whose value of a tag differs from that of the first.
    Tag(usize, &'static str),
    /// A sheet with other players than the first.
    Players(usize),
    /// A sheet whose moves have little in common with those of the first.
    Moves(usize),
    /// No legal game is near the sheets.
    NoGame,
}

impl MergeFault {
    /// Its stable name.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Few => "merge.few",
            Self::Many(_) => "merge.many",
            Self::Game(_) => "merge.game",
            Self::Tag(..) => "merge.tag",
            Self::Players(_) => "merge.players",
            Self::Moves(_) => "merge.moves",
            Self::NoGame => "merge.no-game",
        }
    }
}

/// A tag whose value differs between sheets of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingTag {
    /// The tag.
    pub tag: String,
    /// Its value in each sheet; none if the sheet does not have it.
    pub values: Vec<Option<String>>,
}

/// The tags that two or more sheets have with different values, in the order of the sheets.
fn differing_tags(records: &[Record<'_>]) -> Vec<DifferingTag> {
    let mut names: Vec<&str> = Vec::new();
    for tag in records.iter().flat_map(|record| &record.tags) {
        if !names.contains(&&*tag.name) {
            names.push(&tag.name);
        }
    }
    let of_name = |name: &str| {
        let values: Vec<_> = records.iter().map(|record| record.value(name).map(str::to_owned)).collect();
        let mut written = values.iter().flatten();
        let first = written.next();
        written.any(|value| Some(value) != first).then(|| DifferingTag { tag: name.to_owned(), values })
    };
    names.into_iter().filter_map(of_name).collect()
}

/// Finds the game that explains several sheets best.
///
/// # Errors
/// If the sheets are not of one game, or no legal game is near them.
pub fn merge<'r>(records: &[Record<'r>]) -> Result<MergedSheets<'r>, MergeFault> {
    merge_with(records, &[])
}

/// As [`merge`], with the tokens that a person chose at some plies of the merged game, counted from 1.
///
/// # Errors
/// As [`merge`]; [`MergeFault::NoGame`] also if no legal game near the sheets has all that was chosen.
pub fn merge_with<'r>(records: &[Record<'r>], chosen: &[(u64, String)]) -> Result<MergedSheets<'r>, MergeFault> {
    let game = of_one_game(records)?;
    let restored: Vec<_> = records.iter().map(|record| game.restored(record.clone()).0).collect();
    let sheets: Vec<_> = restored.iter().collect();
    let merged = game.merged(&sheets, chosen).ok_or(MergeFault::NoGame)?;
    // A sheet that needs a slip at every other ply is of another game.
    let strange = |of: &SheetOf| usize::try_from(of.cost).unwrap_or(usize::MAX) > 60 + 12 * of.written.len();
    if let Some(sheet) = merged.sheets.iter().position(strange) {
        return Err(MergeFault::Moves(sheet));
    }
    let mut order: Vec<_> = (0..sheets.len()).collect();
    order.sort_by_key(|sheet| merged.sheets[*sheet].cost);
    let with_base = |base: usize| of_base(&restored, &merged, base);
    let judged = order.into_iter().filter_map(|base| {
        let record = with_base(base);
        let verdict = verify::record(&record);
        if matches!(verdict.status, Status::Verified | Status::Incomplete) {
            return Some((record, verdict));
        }
        // Its claims or clocks are wrong.
        let mut repair = of(&record);
        let index = repair.readings.readings.iter().position(|reading| reading.moves == merged.moves)?;
        Some((read(&record, &repair.readings.readings[index]), repair.verdicts.swap_remove(index)))
    });
    let best = judged.into_iter().next();
    let (record, verdict) = best.ok_or(MergeFault::NoGame)?;
    Ok(MergedSheets { merged, record, verdict, tags: differing_tags(records) })
}

/// The game of sheets that may be of one game.
fn of_one_game(records: &[Record<'_>]) -> Result<&'static dyn Referee, MergeFault> {
    let [first, others @ ..] = records else { return Err(MergeFault::Few) };
    if others.is_empty() {
        return Err(MergeFault::Few);
    }
    if records.len() > MOST_SHEETS {
        return Err(MergeFault::Many(records.len()));
    }
    let game = first.value("Game").and_then(games::find).ok_or(MergeFault::Game(0))?;
    for (sheet, other) in (1..).zip(others) {
        for tag in ["Game", "Rules", "Setup", "First"] {
            let values = [first, other].map(|record| record.value(tag));
            let may_miss = matches!(tag, "Setup" | "First");
            if values[0] != values[1] && !(may_miss && values.contains(&None)) {
                return Err(MergeFault::Tag(sheet, tag));
            }
        }
        let differs = |side: quipu_notation::Side| {
            let name = |record: &Record<'_>| record.value(game.notation().side(side).tag).map(normal);
            name(first).zip(name(other)).is_some_and(|(one, other)| one != other)
        };
        if quipu_notation::Side::BOTH.into_iter().all(differs) {
            return Err(MergeFault::Players(sheet));
        }
        if !have_moves_in_common(first, other) {
            return Err(MergeFault::Moves(sheet));
        }
    }
    Ok(game)
}

/// True if a good part of the shorter sheet is in the longer one.
fn have_moves_in_common(one: &Record<'_>, other: &Record<'_>) -> bool {
    let sorted = |record: &Record<'_>| {
        let mut tokens: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.to_string()).collect();
        tokens.sort_unstable();
        tokens
    };
    let (one, other) = (sorted(one), sorted(other));
    let (mut left, mut common) = (other.iter().peekable(), 0);
    for token in &one {
        while left.next_if(|known| *known < token).is_some() {}
        common += usize::from(left.next_if(|known| *known == token).is_some());
    }
    common * COMMON >= one.len().min(other.len())
}

/// The record of a merged game with the tags of one sheet, and those that only others have.
fn of_base<'r>(records: &[Record<'r>], merged: &Merged, base: usize) -> Record<'r> {
    let mut record = Record { damaged: Vec::new(), odd_clocks: Vec::new(), ..records[base].clone() };
    let mut others = vec![base];
    others.extend((0..records.len()).filter(|sheet| *sheet != base));
    for sheet in &others[1..] {
        let is_new = |tag: &&Tag<'r>, record: &Record<'r>| {
            !CLAIMS.contains(&&*tag.name) && record.tags.iter().all(|known| known.name != tag.name)
        };
        let new: Vec<_> = records[*sheet].tags.iter().filter(|tag| is_new(tag, &record)).cloned().collect();
        record.tags.extend(new);
        let result = records[*sheet].result;
        record.result = record.result.or_else(|| result.map(|result| Spanned { span: record.span, ..result }));
    }
    let ply = |(index, token): (usize, &String)| {
        let of_sheet = |sheet: &usize| {
            let written = merged.sheets[*sheet].written[index]?;
            records[*sheet].movetext.plies.get(written).cloned()
        };
        let empty = || Ply { token: Cow::Borrowed(""), span: Span::default(), number: None, clock: None, notes: None };
        let known = of_sheet(&base).or_else(|| others.iter().find_map(of_sheet));
        Ply { token: Cow::Owned(token.clone()), number: None, ..known.unwrap_or_else(empty) }
    };
    record.movetext.plies = merged.moves.iter().enumerate().map(ply).collect();
    record
}

/// The record of a merged game with the evidence in its comments: `[%merged quipu 1.2.3, 2]` with the number of sheets
/// before the first move, and at every disputed ply `[%sheet PLY N TEXT]` for each sheet. A sheet without the ply has no text.
pub fn merged_and_marked<'r>(sheets: &MergedSheets<'r>, stamp: Stamp<'_>) -> Record<'r> {
    let mut marked = sheets.record.clone();
    let person = stamp.person.map(|name| format!(", {}", plain(name))).unwrap_or_default();
    note(&mut marked, None, format!("[%merged {}, {}{person}]", stamp.by, sheets.merged.sheets.len()));
    for Disputed { ply, readings } in &sheets.merged.disputed {
        for reading in readings {
            if let crate::repair::DisputedReading::Sheet(sheet, written) = reading {
                let text = written.as_deref().map(|text| format!(" {}", plain(text))).unwrap_or_default();
                note(&mut marked, Some(*ply), format!("[%sheet {ply} {}{text}]", sheet + 1));
            }
        }
    }
    marked
}
