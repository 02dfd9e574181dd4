//! The board that is set up with clicks: a form with a button for each square. Each click puts the chosen piece on a square, or
//! takes it away, and leads to the page of the new position.

use std::{collections::BTreeMap, sync::LazyLock};

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{
    Board, Referee,
    drawing::{Cell, Drawing, Glyph},
    games,
};

use crate::{
    pages::{
        boards::first,
        frame::{View, captioned_table},
    },
    request::RequestContext,
};

/// The path of the page.
pub(super) const PATH: &str = "/positions";

/// The letters of each game's pieces in position strings, with their looks.
static PIECES: LazyLock<BTreeMap<&str, Vec<(char, Glyph)>>> =
    LazyLock::new(|| games::ALL.iter().map(|game| (game.notation().id, pieces(*game))).collect());

/// The board at the start of a game under a rule set.
fn start_of(game: &'static dyn Referee, rules: Option<&str>) -> Option<Box<dyn Board>> {
    game.board(rules, None).ok().or_else(|| first(game))
}

/// The pieces of a game, in the order of the alphabet: the letters with which a row can begin.
fn pieces(game: &'static dyn Referee) -> Vec<(char, Glyph)> {
    let Some(drawing) = first(game).map(|board| board.drawing()) else { return Vec::new() };
    let (columns, rows) = (drawing.columns, drawing.cells.len() / drawing.columns);
    let others = format!("/{columns}").repeat(rows - 1);
    let piece = |letter: char| {
        let arranged = game.arrange(None, &format!("{letter}{}{others}", columns - 1)).ok()?;
        Some((letter, arranged.drawing.cells.into_iter().next()?.piece?))
    };
    ('A'..='Z').chain('a'..='z').filter_map(piece).collect()
}

/// The state of the form.
pub(super) struct Editor {
    /// A known rule set.
    pub(super) rules: Option<String>,
    /// The position string as it is searched for.
    pub(super) position: String,
    /// The same if it can be drawn, else its rows.
    pub(super) drawn: String,
    /// The letter of the chosen piece; none for an empty square.
    piece: Option<char>,
    turn: Side,
}

impl Editor {
    /// The position of a request, after its click.
    pub(super) fn of(context: &RequestContext, game: &'static dyn Referee) -> Self {
        let rules = context.text("rules").filter(|rules| game.rule_sets().contains(rules)).map(str::to_owned);
        let start = || start_of(game, rules.as_deref()).map(|board| board.position()).unwrap_or_default();
        let given = context.text("position").map_or_else(start, str::to_owned);
        let (rows, rest) = given.split_once(' ').unwrap_or((&given, ""));
        let sides = Side::BOTH.map(|side| game.notation().side(side).letter.to_string());
        let side_of = |letter: &str| Side::BOTH.into_iter().find(|side| sides[side.index()] == letter);
        let before = rest.split(' ').next().and_then(side_of);
        let chosen = context.text("turn").and_then(side_of);
        let turn = chosen.or(before).unwrap_or(Side::One);
        let piece = context.text("piece").and_then(|text| text.chars().next());
        let piece = piece.filter(|piece| PIECES[game.notation().id].iter().any(|(letter, _)| letter == piece));
        let at = context.number("at").and_then(|at| usize::try_from(at).ok());
        let edited = at.and_then(|at| with_piece(game, rows, at, piece));
        // The button of the choices makes an invalid position valid if it can be. A text that is searched for stays as it is.
        let is_invalid = || chosen.is_some() && game.board(rules.as_deref(), Some(&given)).is_err();
        let is_changed = edited.is_some() || before != Some(turn) || is_invalid();
        let completed = |rows: &str| game.completed(rules.as_deref(), rows, turn);
        let rows = edited.as_deref().unwrap_or(rows);
        let position = if is_changed { completed(rows).unwrap_or_else(|| given.clone()) } else { given.clone() };
        let is_drawn = game.arrange(rules.as_deref(), &position).is_ok();
        let drawn = if is_drawn { position.clone() } else { rows.to_owned() };
        Self { rules, position, drawn, piece, turn }
    }

    /// The address of the page of a position.
    pub(super) fn address(&self, view: &View, game: &dyn Referee, position: &str) -> String {
        let rules = self.rules.as_deref().map(|rules| ("rules", rules));
        let query: Vec<_> = [("game", game.notation().id), ("position", position)].into_iter().chain(rules).collect();
        view.href(PATH, &query)
    }

    /// Links to the position under each rule set, in games that have several: the start leads to the start.
    pub(super) fn rule_sets(&self, view: &View, game: &'static dyn Referee) -> Markup {
        let sets = game.rule_sets();
        if sets.len() < 2 {
            return html! {};
        }
        let shown = self.rules.as_deref().or(sets.first().copied());
        let is_start = start_of(game, self.rules.as_deref()).is_some_and(|board| board.position() == self.position);
        let rows = self.drawn.split(' ').next().unwrap_or_default();
        let address = |rules: &str| {
            let fits = game.board(Some(rules), Some(&self.position)).is_ok();
            let position =
                if fits { Some(self.position.clone()) } else { game.completed(Some(rules), rows, self.turn) };
            let query = [("game", game.notation().id), ("rules", rules)].into_iter();
            let position = position.as_deref().filter(|_| !is_start).map(|position| ("position", position));
            view.href(PATH, &query.chain(position).collect::<Vec<_>>())
        };
        html! {
            nav.tabs aria-label=(view.say("keep.rules")) {
                ul {
                    @for rules in sets {
                        li {
                            a href=(address(rules)) aria-current=[(shown == Some(rules)).then_some("page")] { (rules) }
                        }
                    }
                }
            }
        }
    }

    /// The form with the squares, and the one with the position as text.
    pub(super) fn form(&self, view: &View, game: &'static dyn Referee) -> Markup {
        let arranged = game.arrange(self.rules.as_deref(), &self.drawn).ok();
        html! {
            @if let Some(arranged) = arranged {
                form.editor action=(PATH) method="get" {
                    (self.hidden(view, game))
                    input type="hidden" name="position" value=(self.position);
                    (self.palette(view, game))
                    (self.sides(view, game))
                    (squares(view, game, &arranged.drawing))
                }
            }
            form action=(PATH) method="get" {
                (self.hidden(view, game))
                p.line {
                    label for="position" { (view.say("positions.text")) }
                    input #position name="position" value=(self.position) maxlength="256" size="48";
                    button { (view.say("records.search")) }
                }
            }
        }
    }

    fn hidden(&self, view: &View, game: &dyn Referee) -> Markup {
        html! {
            (view.language_field())
            input type="hidden" name="game" value=(game.notation().id);
            @if let Some(rules) = &self.rules { input type="hidden" name="rules" value=(rules); }
        }
    }

    /// The choice of the piece that a click puts on a square.
    fn palette(&self, view: &View, game: &dyn Referee) -> Markup {
        let one = |value: &str, is_chosen: bool, words: &str| {
            html! { label { input type="radio" name="piece" value=(value) checked[is_chosen]; " " (words) } " " }
        };
        html! {
            fieldset {
                legend { (view.say("positions.piece")) }
                @for (letter, glyph) in &PIECES[game.notation().id] {
                    (one(&letter.to_string(), self.piece == Some(*letter), &words(view, game, glyph)))
                }
                (one("-", self.piece.is_none(), view.say("positions.empty")))
            }
        }
    }

    /// The choice of the side to move.
    fn sides(&self, view: &View, game: &dyn Referee) -> Markup {
        html! {
            fieldset {
                legend { (view.say("positions.turn")) }
                @for side in Side::BOTH {
                    label {
                        input type="radio" name="turn" value=(game.notation().side(side).letter) checked[side == self.turn];
                        " " (view.word(game.side_words()[side.index()]))
                    }
                    " "
                }
                button.plain { (view.say("positions.apply")) }
            }
        }
    }
}

/// The squares as a table of buttons, with the names of columns and rows as side 1 calls them.
fn squares(view: &View, game: &dyn Referee, drawing: &Drawing) -> Markup {
    let head = html! {
        td {}
        @for name in &drawing.bottom { th scope="col" { (name) } }
    };
    let rows = drawing.cells.chunks(drawing.columns).zip(&drawing.left);
    let body = html! {
        tbody {
            @for (row, (cells, name)) in rows.enumerate() {
                tr {
                    th scope="row" { (name) }
                    @for (column, cell) in cells.iter().enumerate() {
                        td { (square(view, game, row * drawing.columns + column, cell)) }
                    }
                }
            }
        }
    };
    captioned_table(view.say("positions.squares"), &head, &body)
}

/// The button of a square. Its name begins with its text, which is the word for a command by voice.
fn square(view: &View, game: &dyn Referee, index: usize, cell: &Cell) -> Markup {
    let (text, label) = match &cell.piece {
        Some(glyph) => (&*glyph.plain, format!("{}, {}: {}", glyph.plain, cell.name, words(view, game, glyph))),
        None => ("·", cell.name.clone()),
    };
    html! { button.plain name="at" value=(index) aria-label=(label) title=(label) { (text) } }
}

/// A piece in words: its kind or number, and its side.
fn words(view: &View, game: &dyn Referee, glyph: &Glyph) -> String {
    let side = view.word(game.side_words()[glyph.side.index()]);
    let kind = glyph.word.map_or(&*glyph.label, |word| view.word(word));
    format!("{kind} ({side})")
}

/// Rows with a piece on a square; without it if it stands there already. None if there is no such square.
fn with_piece(game: &dyn Referee, rows: &str, at: usize, piece: Option<char>) -> Option<String> {
    let columns = game.arrange(None, rows).ok()?.drawing.columns;
    let mut squares: Vec<Vec<Option<char>>> = Vec::new();
    for row in rows.split('/') {
        let mut squares_of_row = Vec::new();
        let mut run = 0;
        for letter in row.chars().map(Some).chain([None]) {
            if let Some(digit) = letter.and_then(|letter| letter.to_digit(10)) {
                run = 10 * run + digit as usize;
                continue;
            }
            squares_of_row.extend(std::iter::repeat_n(None, run));
            run = 0;
            squares_of_row.extend(letter.map(Some));
        }
        squares.push(squares_of_row);
    }
    let square = squares.get_mut(at / columns)?.get_mut(at % columns)?;
    *square = piece.filter(|piece| *square != Some(*piece));
    let written = |row: &Vec<Option<char>>| {
        let groups = row.chunk_by(|one, other| one.is_none() && other.is_none());
        groups.map(|group| group[0].map_or_else(|| group.len().to_string(), String::from)).collect::<String>()
    };
    Some(squares.iter().map(written).collect::<Vec<_>>().join("/"))
}
