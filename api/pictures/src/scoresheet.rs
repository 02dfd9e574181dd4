//! An empty scoresheet, to record a game at the board (9.1: every move). A game that deals its pieces has an empty
//! board to note them on. The numbers of a further sheet follow those of the one before.

use quipu_notation::Side;
use quipu_referee::{Lang, Referee, drawing::Drawing, messages::catalog};
use quipu_tournament::model::{RoundGame, Tournament};

use super::{
    a4::{A4Sheet, BOTTOM, LEFT, RIGHT, TOP, end_aligned, faint, style},
    code::{self, SheetCode},
    messages::{fill, say},
    scene::Scene,
};

/// Left edge of the board, beside the fields.
const BOARD: i32 = 1150;
/// Pairs of plies in a block, height of a line, width of the numbers, and gap between blocks.
const ROWS: i32 = 36;
const ROW: i32 = 42;
const NUMBER: i32 = 70;
const BETWEEN: i32 = 40;
/// Width of a handwritten character: two millimetres.
const SIGN: i32 = 20;

/// The facts at the head of a scoresheet, filled in before the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetHead {
    /// The players, side 1 first.
    pub players: [String; 2],
    /// The event.
    pub event: String,
    /// The round.
    pub round: u32,
    /// The board.
    pub board: u32,
    /// The game of the encounter, if that has several.
    pub leg: Option<u32>,
    /// The seconds with which each player starts.
    pub time_control: Option<u32>,
    /// The code that opens the page on which the game is scored.
    pub code: Option<SheetCode>,
}

impl SheetHead {
    /// The facts of a game of a paired round.
    pub fn new(tournament: &Tournament, round: u32, game: &RoundGame<'_>, code: Option<SheetCode>) -> Self {
        Self {
            players: game.players.map(str::to_owned),
            event: tournament.settings.name.clone(),
            round,
            board: game.board,
            leg: game.leg,
            time_control: tournament.time_control,
            code,
        }
    }
}

/// The scoresheet of a game, by its number from 1.
pub(super) fn scene(game: &'static dyn Referee, number: u32, head: Option<&SheetHead>, lang: Lang) -> Scene {
    let mut sheet = A4Sheet::default();
    let name = catalog().word(game.name(), lang);
    let title = fill("sheet.title", lang, &[("game", &name)]);
    sheet.text(style(58, true), LEFT, TOP + 50, &title, RIGHT - LEFT - 400);
    sheet.text(end_aligned(faint(32)), RIGHT, TOP + 50, &fill("sheet.number", lang, &[("number", &number)]), 400);
    sheet.rule([LEFT, TOP + 85], [RIGHT, TOP + 85]);
    let board = game.board(None, None).ok();
    let points = board.as_ref().is_some_and(|board| board.points().is_some());
    let (drawing, dealt) = start(game, board.map(|board| board.drawing()));
    let mut end = TOP + 110;
    if let Some(drawing) = &drawing {
        end = sheet.board(game, drawing, lang, [BOARD, TOP + 110], RIGHT - BOARD);
    }
    let y = fields(&mut sheet, game, head, dealt, lang);
    let y = table(&mut sheet, game, number, y.max(end) + 60, lang);
    below(&mut sheet, game, points, y + 50, lang);
    sheet.text(faint(24), LEFT, BOTTOM + 60, say("sheet.how", lang), RIGHT - LEFT);
    sheet.scene(&title, lang)
}

/// The start position, or an empty board if it is dealt; true if it is dealt.
fn start(game: &dyn Referee, drawing: Option<Drawing>) -> (Option<Drawing>, bool) {
    if let Some(drawing) = drawing {
        return (Some(Drawing { turn: None, ..drawing }), false);
    }
    let dealt = game.deal(None, 0, None).ok().flatten();
    (dealt.map(|board| board.drawing().emptied()), true)
}

/// A labelled line to fill in.
fn field(sheet: &mut A4Sheet, label: &str, from: i32, to: i32, y: i32) {
    sheet.text(faint(28), from, y, label, to - from);
    sheet.rule([from, y + 52], [to, y + 52]);
}

/// A labelled line with its text.
fn filled(sheet: &mut A4Sheet, label: &str, text: &str, from: i32, to: i32, y: i32) {
    field(sheet, label, from, to, y);
    sheet.text(style(34, true), from, y + 42, text, to - from);
}

/// The fields to fill in before the game, with those of a head filled in; returns their lower edge.
fn fields(sheet: &mut A4Sheet, game: &dyn Referee, head: Option<&SheetHead>, dealt: bool, lang: Lang) -> i32 {
    let (right, middle) = (BOARD - 60, i32::midpoint(LEFT, BOARD - 60));
    let code = head.and_then(|head| head.code.as_ref());
    let beside = if code.is_some() { right - code::PLACE } else { right };
    let mut y = TOP + 150;
    for side in Side::BOTH {
        let player = head.map_or("", |head| &head.players[side.index()]);
        filled(sheet, game.notation().side(side).tag, player, LEFT, beside, y);
        y += 100;
    }
    let round = |head: &SheetHead| fill("sheet.round-board", lang, &[("round", &head.round), ("board", &head.board)]);
    let (round, leg) = (head.map(round).unwrap_or_default(), head.and_then(|head| head.leg));
    let say = |key| say(key, lang);
    filled(sheet, say("sheet.event"), head.map_or("", |head| &head.event), LEFT, beside, y);
    y += 100;
    if let Some(code) = code {
        y = y.max(draw_code(sheet, code, beside, TOP + 95) + 40);
    }
    let time_control = head.and_then(|head| head.time_control);
    let time_control = time_control.map(|seconds| fill("sheet.seconds", lang, &[("seconds", &seconds)]));
    for [one, other] in [["sheet.site", "sheet.round"], ["sheet.date", "sheet.time"], ["sheet.control", "sheet.leg"]] {
        let first = time_control.as_deref().filter(|_| one == "sheet.control").unwrap_or_default();
        let text = match other {
            "sheet.round" => round.clone(),
            "sheet.leg" => leg.map(|leg| leg.to_string()).unwrap_or_default(),
            _ => String::new(),
        };
        filled(sheet, say(one), first, LEFT, middle - 20, y);
        filled(sheet, say(other), &text, middle + 20, right, y);
        y += 100;
    }
    if game.rule_sets().len() > 1 {
        field(sheet, say("sheet.rules"), LEFT, middle - 20, y);
        y += 100;
    }
    if game.notation().first || dealt {
        field(sheet, say("sheet.first"), LEFT, middle - 20, y);
        if dealt {
            y = sheet.lines(faint(26), middle + 20, y + 8, say("sheet.setup"), right - middle - 20);
        }
        y += 60;
    }
    y
}

/// A code with its address below; returns its lower edge.
fn draw_code(sheet: &mut A4Sheet, code: &SheetCode, x: i32, y: i32) -> i32 {
    sheet.shape(code.outline(x, y));
    let below = sheet.lines(faint(20), x, y + code::PLACE + 16, &code.text, code::PLACE);
    below - 20
}

/// The boxes for the moves; returns their lower edge.
fn table(sheet: &mut A4Sheet, game: &dyn Referee, number: u32, y: i32, lang: Lang) -> i32 {
    let of = |blocks: i32| (RIGHT - LEFT - BETWEEN * (blocks - 1)) / blocks;
    let token = |width: i32| (width - NUMBER) / 2 * 62 / 100;
    // Two blocks side by side, if the longest move fits its box.
    let blocks = if token(of(2)) >= SIGN * i32::from(game.move_length()) { 2 } else { 1 };
    let width = of(blocks);
    // The header of some games leaves room for fewer lines.
    let rows = ROWS.min((BOTTOM - 250 - y - ROW) / ROW);
    let bottom = y + (rows + 1) * ROW;
    let before = i32::try_from(number).unwrap_or(1).saturating_sub(1) * rows * blocks;
    for block in 0..blocks {
        let left = LEFT + block * (width + BETWEEN);
        let side = (width - NUMBER) / 2;
        let columns = [NUMBER, token(width), side - token(width), token(width)];
        let mut x = left;
        let [one, two] = game.notation().sides.each_ref().map(|side| side.tag);
        let clock = say("sheet.clock", lang);
        for (label, wide) in [("", columns[0]), (one, columns[1]), (clock, columns[2]), (two, columns[3]), (clock, 0)] {
            sheet.rule([x, y], [x, bottom]);
            sheet.text(faint(24), x + 10, y + 30, label, side);
            x += wide;
        }
        sheet.rule([left + width, y], [left + width, bottom]);
        for row in 0..=rows + 1 {
            sheet.rule([left, y + row * ROW], [left + width, y + row * ROW]);
        }
        for row in 1..=rows {
            let number = (before + block * rows + row).to_string();
            sheet.text(faint(24), left + 10, y + row * ROW + 30, &number, NUMBER);
        }
    }
    bottom
}

/// The fields to fill in after the game.
fn below(sheet: &mut A4Sheet, game: &dyn Referee, points: bool, y: i32, lang: Lang) {
    let sides = Side::BOTH.map(|side| game.notation().side(side).tag);
    let mut labels = vec![say("sheet.result", lang).to_owned(), say("sheet.end", lang).to_owned()];
    if points {
        labels.extend(sides.map(|side| fill("sheet.points", lang, &[("side", &side)])));
        // A tie on points can be decided (9.2).
        labels.push(say("sheet.decision", lang).to_owned());
    }
    labels.extend(game.remarks().iter().map(|remark| catalog().word(remark.word, lang).to_owned()));
    across(sheet, &labels, y);
    let mut labels: Vec<_> = sides.map(|side| fill("sheet.signed", lang, &[("side", &side)])).into();
    labels.push(say("sheet.recorder", lang).to_owned());
    across(sheet, &labels, y + 110);
}

/// Fields side by side over the whole width.
fn across(sheet: &mut A4Sheet, labels: &[String], y: i32) {
    let count = i32::try_from(labels.len()).unwrap_or(1).max(1);
    let width = (RIGHT - LEFT + BETWEEN) / count;
    for (index, label) in (0..).zip(labels) {
        let from = LEFT + index * width;
        field(sheet, label, from, from + width - BETWEEN, y);
    }
}

#[cfg(test)]
mod tests {
    use quipu_referee::games;
    use rqrr::PreparedImage;

    use super::*;
    use crate::{raster, svg::ScenePart};

    /// Pixels of the width of a sheet: 300 dots for an inch, as it is printed.
    const WIDTH: u32 = 2480;

    /// The texts of the codes on a sheet.
    fn codes(scene: &Scene) -> Vec<String> {
        let mut pixels = raster::blank(scene, WIDTH);
        raster::draw(scene, ScenePart::Whole, &mut pixels);
        let (width, height) = (pixels.width() as usize, pixels.height() as usize);
        let grey = |x: usize, y: usize| pixels.pixels()[y * width + x].green();
        let mut image = PreparedImage::prepare_from_greyscale(width, height, grey);
        image.detect_grids().iter().map(|grid| grid.decode().expect("it can be read").1).collect()
    }

    fn head(code: Option<SheetCode>) -> SheetHead {
        SheetHead {
            players: ["Rosa Quispe".to_owned(), "Luis Tapia".to_owned()],
            event: "Copa de Mayo".to_owned(),
            round: 2,
            board: 4,
            leg: Some(1),
            time_control: Some(720),
            code,
        }
    }

    #[test]
    fn the_code_of_a_sheet_says_its_address() {
        let short = "https://cup.example/keep/1/2/4/1";
        let token = format!("{short}?players=7-12#token=quipu_{}", "x".repeat(52));
        let longest = format!("{short}?{}", "x".repeat(SheetCode::ADDRESS - short.len() - 1));
        for (game, address) in games::ALL.iter().flat_map(|game| [(game, short), (game, &token), (game, &longest)]) {
            let code = SheetCode::new(address, short).expect("it fits");
            assert_eq!(codes(&scene(*game, 1, Some(&head(Some(code))), Lang::Es)), [address]);
        }
        assert!(codes(&scene(games::ALL[0], 1, Some(&head(None)), Lang::Es)).is_empty());
        assert_eq!(SheetCode::new(&format!("{longest}x"), short), None);
    }
}
