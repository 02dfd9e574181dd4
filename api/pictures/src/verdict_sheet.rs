//! The verdict on one game as printable pages: players, findings, board, every move.

use quipu_notation::{
    Side,
    record::{Outcome, Record, clock},
};
use quipu_referee::{
    Diagnostic, Lang, Referee, Verdict, drawing::Drawing, games, messages::catalog, replay::Replay, report::hex,
};

use super::{
    MOST_PLIES, Refused,
    a4::{self, A4Sheet, BOTTOM, LEFT, RIGHT, TOP, end_aligned, faint, style},
    caption, font,
    messages::{fill, say},
    scene::Scene,
    style::Look,
    words,
};

/// Findings with law and correction, at most; the others are counted.
const TOLD: usize = 3;
/// Left edge of the board, beside the findings.
const BOARD: i32 = 1080;
/// Sizes of moves and clocks, and height of a line.
const MOVE: i32 = 29;
const CLOCK: i32 = 22;
const ROW: i32 = 42;
/// Widths of numbers and clocks, and gaps after a move and between blocks.
const NUMBER: i32 = 74;
const CLOCKS: i32 = 142;
const GAP: i32 = 16;
const BETWEEN: i32 = 40;

/// The pages of a record.
///
/// # Errors
/// If the game has more than [`MOST_PLIES`] plies.
pub(super) fn pages(
    record: &Record<'_>,
    verdict: &Verdict,
    notice: Option<&str>,
    look: &Look,
) -> Result<Vec<Scene>, Refused> {
    if record.movetext.plies.len() > MOST_PLIES {
        return Err(Refused::Plies { most: MOST_PLIES });
    }
    let lang = look.lang;
    let title = caption::title(record, look);
    let mut replay = Replay::of(record);
    let mut tokens = Vec::new();
    while let Some(played) = replay.as_mut().and_then(Replay::play) {
        tokens.push(played.token);
    }
    let mut first = A4Sheet::default();
    let mut y = head(&mut first, record, &title, lang);
    if let Some(notice) = notice {
        y = first.lines(style(34, true), LEFT, y - 20, notice, RIGHT - LEFT) + 40;
    }
    let over = verdict.end.is_some_and(|end| end.termination.is_some());
    let shown = replay.as_ref().map(|replay| {
        let drawing = replay.board().drawing();
        let turn = drawing.turn.clone().filter(|_| !over);
        (replay.game(), Drawing { turn, ..drawing })
    });
    let said = outcome(&mut first, record, verdict, shown.as_ref().map(|(_, drawing)| drawing), y, lang);
    let y = match &shown {
        Some((game, drawing)) => said.max(pictured(&mut first, *game, drawing, verdict, tokens.len(), y, lang)),
        None => said,
    };
    let mut sheets = vec![first];
    moves(&mut sheets, &rows(record, &tokens, replay.is_some()), record, y, lang);
    let count = sheets.len();
    let finished = sheets.into_iter().enumerate().map(|(index, mut sheet)| {
        foot(&mut sheet, verdict, index + 1, count, lang);
        sheet.scene(&title, lang)
    });
    Ok(finished.collect())
}

/// The header of the first page; returns its lower edge.
fn head(sheet: &mut A4Sheet, record: &Record<'_>, title: &str, lang: Lang) -> i32 {
    let width = RIGHT - LEFT;
    sheet.text(style(58, true), LEFT, TOP + 50, title, width);
    sheet.text(faint(32), LEFT, TOP + 110, &caption::event_line(record, lang), width);
    sheet.rule([LEFT, TOP + 145], [RIGHT, TOP + 145]);
    TOP + 225
}

fn foot(sheet: &mut A4Sheet, verdict: &Verdict, page: usize, pages: usize, lang: Lang) {
    let y = BOTTOM + 80;
    sheet.rule([LEFT, y - 40], [RIGHT, y - 40]);
    if let Some(id) = &verdict.id {
        sheet.text(faint(22), LEFT, y, &hex(id), RIGHT - LEFT);
    }
    let by = fill("page.by", lang, &[("version", &env!("CARGO_PKG_VERSION"))]);
    let number = fill("page.number", lang, &[("page", &page), ("pages", &pages)]);
    sheet.text(end_aligned(faint(22)), RIGHT, y, &format!("{by} · {number}"), RIGHT - LEFT);
}

/// Players, status, result and findings; returns the lower edge.
fn outcome(
    sheet: &mut A4Sheet,
    record: &Record<'_>,
    verdict: &Verdict,
    drawing: Option<&Drawing>,
    y: i32,
    lang: Lang,
) -> i32 {
    let mut y = y;
    let width = if drawing.is_some() { BOARD - 60 - LEFT } else { RIGHT - LEFT };
    if let Some(game) = record.game() {
        for (side, name) in Side::BOTH.into_iter().zip(caption::players(record)) {
            sheet.text(faint(30), LEFT, y, game.side(side).tag, 170);
            sheet.text(style(38, true), LEFT + 180, y, &name, width - 180 - 90);
            if let Some(score) = verdict.end.and_then(|end| score(end.outcome, side)) {
                sheet.text(end_aligned(style(38, true)), LEFT + width, y, score, 80);
            }
            y += 62;
        }
        y += 20;
    }
    let status = catalog().word(verdict.status.word(), lang).to_uppercase();
    let result = verdict.end.map(|end| end.outcome.as_str()).filter(|result| *result != "*");
    let status = result.map_or(status.clone(), |result| format!("{status} · {result}"));
    sheet.text(style(44, true), LEFT, y, &status, width);
    y += 58;
    let end = verdict.end.and_then(|end| end.termination);
    if let Some(end) = end {
        let ended = fill("page.ended", lang, &[("end", &catalog().word(end.word, lang))]);
        y = sheet.lines(style(30, false), LEFT, y, &ended, width);
    } else if verdict.status == quipu_referee::Status::Incomplete {
        y = sheet.lines(style(30, false), LEFT, y, say("page.open", lang), width);
    }
    if let Some((points, game)) = verdict.points.zip(record.game()) {
        let counted = points.counted();
        let points: Vec<_> =
            game.sides.iter().zip(counted).map(|(side, points)| format!("{} {points}", side.tag)).collect();
        y = sheet.lines(
            style(30, true),
            LEFT,
            y,
            &format!("{}: {}", say("page.points", lang), points.join(" · ")),
            width,
        );
    }
    y += 14;
    let reasons = caption::reasons(verdict, Some(record));
    for diagnostic in reasons.iter().take(TOLD) {
        y = found(sheet, diagnostic, y + 16, width, lang);
    }
    if let more @ 1.. = reasons.len().saturating_sub(TOLD) {
        y = sheet.lines(faint(28), LEFT, y, &fill("page.more", lang, &[("count", &more)]), width);
    }
    for (label, values) in drawing.iter().flat_map(|drawing| &drawing.facts) {
        y = sheet.lines(faint(28), LEFT, y, &words::fact(label, values, lang), width);
    }
    y
}

/// A side's score by a result.
fn score(outcome: Outcome, side: Side) -> Option<&'static str> {
    match outcome {
        Outcome::Win(winner) => Some(if winner == side { "1" } else { "0" }),
        Outcome::Draw => Some("½"),
        Outcome::Open => None,
    }
}

/// A finding with the law and the correction; returns the lower edge.
fn found(sheet: &mut A4Sheet, diagnostic: &Diagnostic, y: i32, width: i32, lang: Lang) -> i32 {
    let code = diagnostic.code();
    let source = catalog().source(code, lang);
    let heading = match diagnostic.ply {
        Some(ply) => fill("page.at", lang, &[("code", &code.id), ("source", &source), ("ply", &ply)]),
        None => fill("page.found", lang, &[("code", &code.id), ("source", &source)]),
    };
    let mut y = sheet.lines(style(32, true), LEFT, y, &heading, width);
    let message = catalog().message(&diagnostic.message, lang);
    y = sheet.lines(style(29, false), LEFT, y, &caption::short(&message), width);
    if let Some(words) = catalog().code(code) {
        for (label, text) in [("page.law", &words.law), ("page.right", &words.right)] {
            y = sheet.lines(faint(26), LEFT, y + 4, &format!("{} {}", say(label, lang), text.get(lang)), width);
        }
    }
    y + 12
}

/// The board with its caption; returns the lower edge.
fn pictured(
    sheet: &mut A4Sheet,
    game: &'static dyn Referee,
    drawing: &Drawing,
    verdict: &Verdict,
    plies: usize,
    y: i32,
    lang: Lang,
) -> i32 {
    let end = sheet.board(game, drawing, lang, [BOARD, y - 40], RIGHT - BOARD);
    let refused = verdict.diagnostics.iter().any(|diagnostic| diagnostic.token.is_some());
    let caption = match (refused, plies) {
        (true, _) => fill("page.before", lang, &[("ply", &(plies + 1))]),
        (false, 0) => say("page.start", lang).to_owned(),
        (false, _) => fill("page.after", lang, &[("ply", &plies)]),
    };
    sheet.lines(faint(28), BOARD, end + 40, &caption, RIGHT - BOARD)
}

/// A move with its clock.
struct MoveCell {
    token: String,
    clock: String,
}

/// A pair of plies.
#[derive(Default)]
struct MoveRow {
    number: usize,
    cells: Vec<Option<MoveCell>>,
    /// Number of plies after a refused one, which are not printed.
    unjudged: Option<usize>,
}

/// The plies of a record in pairs, up to the refused one.
fn rows(record: &Record<'_>, played: &[String], replayed: bool) -> Vec<MoveRow> {
    let plies = &record.movetext.plies;
    let refused = (replayed && played.len() < plies.len()).then_some(played.len());
    let cells =
        plies.iter().enumerate().take(refused.map_or(plies.len(), |refused| refused + 1)).map(|(index, ply)| {
            let token = match played.get(index) {
                Some(token) => token.clone(),
                None if refused == Some(index) => format!("× {}", ply.token),
                None => ply.token.to_string(),
            };
            let mut left = String::new();
            if let Some(clock) = ply.clock {
                let _ = clock::write(clock.value, &mut left); // a String takes everything
            }
            Some(MoveCell { token, clock: left })
        });
    let mut rows: Vec<MoveRow> = Vec::new();
    for (index, cell) in cells.enumerate() {
        if index % 2 == 0 {
            rows.push(MoveRow { number: index / 2 + 1, ..MoveRow::default() });
        }
        rows.last_mut().expect("there is one").cells.push(cell);
    }
    if let (Some(refused), Some(last)) = (refused, rows.last_mut()) {
        last.unjudged = Some(plies.len() - refused - 1);
    }
    rows
}

/// Layout of the moves in blocks side by side.
struct Blocks {
    count: i32,
    width: i32,
    token: i32,
    clocks: i32,
}

impl Blocks {
    /// The greatest number of blocks whose columns fit every move; 1 if none does.
    fn of(rows: &[MoveRow]) -> Self {
        let cells = || rows.iter().flat_map(|row| row.cells.iter().flatten());
        let clocks = if cells().any(|cell| !cell.clock.is_empty()) { CLOCKS } else { 0 };
        let widest = cells().map(|cell| font::of(false).width(&cell.token, MOVE)).max().unwrap_or_default();
        let of = |count: i32| {
            let width = (RIGHT - LEFT - BETWEEN * (count - 1)) / count;
            Self { count, width, token: (width - NUMBER) / 2 - clocks - GAP, clocks }
        };
        [4, 3, 2].map(of).into_iter().find(|blocks| blocks.token >= widest).unwrap_or_else(|| of(1))
    }

    fn left(&self, block: i32) -> i32 {
        LEFT + block * (self.width + BETWEEN)
    }
}

/// Prints the moves, on as many sheets as needed.
fn moves(sheets: &mut Vec<A4Sheet>, rows: &[MoveRow], record: &Record<'_>, y: i32, lang: Lang) {
    let mut top = y + 50;
    if top > BOTTOM - 6 * ROW {
        sheets.push(A4Sheet::default());
        top = TOP;
    }
    let sheet = sheets.last_mut().expect("there is one");
    if rows.is_empty() {
        sheet.text(style(30, false), LEFT, top, say("page.no-moves", lang), RIGHT - LEFT);
        return;
    }
    sheet.text(style(34, true), LEFT, top, say("replay.moves", lang), RIGHT - LEFT);
    if let Some(count) = rows.iter().find_map(|row| row.unjudged) {
        let said = fill("page.unjudged", lang, &[("count", &count)]);
        sheet.text(end_aligned(faint(26)), RIGHT, top, &said, RIGHT - LEFT - 300);
    }
    top += 56;
    let blocks = Blocks::of(rows);
    let sides = sides(record);
    let lengths: Vec<_> = rows.iter().map(|row| height(&blocks, row)).collect();
    // The last sheet is filled evenly.
    let (mut block, mut y, mut row) = (0, top, 0);
    header(sheets.last_mut().expect("there is one"), &blocks, block, y, &sides);
    y += ROW;
    let mut bottom = even(&lengths, &blocks, y);
    while row < rows.len() {
        if y + lengths[row] > bottom && y > top + ROW {
            block += 1;
            if block == blocks.count {
                sheets.push(A4Sheet::default());
                (block, top) = (0, TOP);
            }
            y = top;
            header(sheets.last_mut().expect("there is one"), &blocks, block, y, &sides);
            y += ROW;
            if block == 0 {
                bottom = even(&lengths[row..], &blocks, y);
            }
        }
        print(sheets.last_mut().expect("there is one"), &blocks, block, y, &rows[row]);
        y += lengths[row];
        row += 1;
    }
}

/// Lower edge of the blocks on a sheet: its end, or the height at which the rest is divided evenly.
fn even(lengths: &[i32], blocks: &Blocks, y: i32) -> i32 {
    let all: i32 = lengths.iter().sum();
    let longest = lengths.iter().copied().max().unwrap_or_default();
    (y + all / blocks.count + longest).min(BOTTOM)
}

/// The tags of the sides in the order of their turns.
fn sides(record: &Record<'_>) -> [&'static str; 2] {
    let Some(game) = record.game() else { return ["", ""] };
    let board = games::find(game.id).and_then(|game| game.start(record).ok());
    let first = board.map_or(Side::One, |board| board.turn());
    [first, !first].map(|side| game.side(side).tag)
}

fn header(sheet: &mut A4Sheet, blocks: &Blocks, block: i32, y: i32, sides: &[&'static str; 2]) {
    let left = blocks.left(block);
    for (index, side) in (0..).zip(sides) {
        let x = left + NUMBER + index * ((blocks.width - NUMBER) / 2);
        sheet.text(faint(24), x, y, side, blocks.token);
    }
    sheet.rule([left, y + 12], [left + blocks.width, y + 12]);
}

/// The lines of a wrapped token.
fn lines(blocks: &Blocks, cell: &MoveCell) -> Vec<String> {
    font::of(false).lines(&cell.token, MOVE, blocks.token)
}

fn height(blocks: &Blocks, row: &MoveRow) -> i32 {
    let lines = row.cells.iter().flatten().map(|cell| lines(blocks, cell).len()).max().unwrap_or(1);
    ROW * i32::try_from(lines.max(1)).unwrap_or(1)
}

fn print(sheet: &mut A4Sheet, blocks: &Blocks, block: i32, y: i32, row: &MoveRow) {
    let (left, y) = (blocks.left(block), y + 6);
    sheet.text(end_aligned(faint(CLOCK)), left + NUMBER - 18, y, &format!("{}.", row.number), NUMBER);
    for (index, cell) in (0..).zip(&row.cells) {
        let Some(cell) = cell else { continue };
        let x = left + NUMBER + index * ((blocks.width - NUMBER) / 2);
        for (line, text) in (0..).zip(lines(blocks, cell)) {
            sheet.text(style(MOVE, cell.token.starts_with('×')), x, y + line * ROW, &text, a4::WIDTH);
        }
        if blocks.clocks > 0 {
            sheet.text(faint(CLOCK), x + blocks.token + GAP / 2, y, &cell.clock, CLOCKS);
        }
    }
}
