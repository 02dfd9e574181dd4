//! Andes, from its page of rules. A sentence in quotes is of that page.

use std::collections::BTreeMap;

use crate::{
    Code, End, Player, Position,
    rows::{self, Square, letter, place},
};

/// "Two players, Sol (light, side 1, moves first: 1.2) and Luna (dark, side 2)".
const SOL: Player = 0;
const LUNA: Player = 1;

/// "on a 7 x 7 board". Squares are (x, y): "columns x = 0..6 from left to right and rows y = 0..6 from top to bottom."
const SIZE: Square = (7, 7);

/// "Sol's name for a square: mark `gfedcba`[x] (lower case), then scale `6 - y`. `a0` is bottom right."
const SOL_MARKS: &str = "gfedcba";
/// "Luna's name for a square: mark `ABCDEFG`[x] (upper case), then scale `y`. `A0` is top left".
const LUNA_MARKS: &str = "ABCDEFG";

/// "letters as above": "a / A persona", "b / B estatal, left", "c / C militar", "d / D estatal, right".
const LETTERS: [&str; 2] = ["abcd", "ABCD"];

/// "centre (government) | d3"
const CENTRE: &str = "d3";
/// "sierra | c3 d2 d4 e3 | c2 c4 e2 e4"
const SIERRA: &str = "c3 d2 d4 e3 c2 c4 e2 e4";
/// "jungle (selva) | b2 b4 c1 c5 e1 e5 f2 f4 | b3 d1 d5 f3"
const JUNGLE: &str = "b2 b4 c1 c5 e1 e5 f2 f4 b3 d1 d5 f3";
/// "coast | a3 d0 d6 g3"
const COAST: &str = "a3 d0 d6 g3";
/// "island | a0 a6 g0 g6"
const ISLAND: &str = "a0 a6 g0 g6";

#[derive(Clone)]
pub(crate) struct Andes {
    /// "board": whose piece, and of which type
    board: BTreeMap<Square, (Player, i32)>,
    turn: Player,
    /// "Reserves hold untyped discs, so a reserve is a number (R-3; 6.3)."
    reserve: [u64; 2],
    /// "number of enemy pieces each side has attacked"
    attacked: [u64; 2],
    /// Sides that have "*entered* the continent".
    entered: [bool; 2],
    /// "which of Sol's objectives are met"
    persona_in_the_centre: bool,
    sol_has_captured: bool,
    ply: u64,
}

/// A token, taken apart.
struct Written {
    kind: i32,
    from: Square,
    to: Option<Square>,
    all_marks_are_mine: bool,
    attacks: bool,
    captures: Option<String>,
}

/// Effects of a legal move.
struct Outcome {
    lands: Square,
    attacks: bool,
    captured: Vec<Square>,
}

fn square_of_sol(name: &str) -> Square {
    let mut letters = name.chars();
    let x = letters.next().and_then(|mark| place(SOL_MARKS, mark)).expect("a mark");
    let scale = letters.next().and_then(|scale| place("0123456", scale)).expect("a scale");
    (x, 6 - scale)
}

fn is_one_of(square: Square, names: &str) -> bool {
    let (x, y) = square;
    let name: String = [letter(SOL_MARKS, x), letter("0123456", 6 - y)].iter().collect();
    names.split(' ').any(|other| other == name)
}

/// "Continent = centre + sierra + jungle + coast, 25 squares (7.3.1)."
fn is_continent(square: Square) -> bool {
    [CENTRE, SIERRA, JUNGLE, COAST].iter().any(|names| is_one_of(square, names))
}

/// "Border (frontera) = the 24 squares of the rim (7.2)"
fn is_border((x, y): Square) -> bool {
    x == 0 || x == 6 || y == 0 || y == 6
}

/// "4 islands and 4 coasts are dark, 16 ocean squares light."
fn is_dark_border(square: Square) -> bool {
    is_border(square) && (is_one_of(square, ISLAND) || is_one_of(square, COAST))
}

impl Andes {
    /// "Position string: `ROWS TURN RESERVES ATTACKED ENTERED OBJECTIVES PLY`"
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [rows, turn, reserves, attacked, entered, objectives, ply] = fields[..] else { return None };
        let mut board = BTreeMap::new();
        for (square, letter) in rows::read(rows, SIZE)? {
            let owner = if letter.is_ascii_lowercase() { SOL } else { LUNA };
            board.insert(square, (owner, place(LETTERS[owner], letter)?));
        }
        let read = Self {
            board,
            turn: if turn == "s" { SOL } else { LUNA },
            reserve: rows::pair(reserves)?,
            attacked: rows::pair(attacked)?,
            entered: [entered.contains('s'), entered.contains('l')],
            persona_in_the_centre: objectives.contains('p'),
            sol_has_captured: objectives.contains('c'),
            ply: rows::number(ply)?,
        };
        // "A position string is refused unless it is written in canonical form,"
        if read.text() != text {
            return None;
        }
        // "pieces on the board + both reserves + both attacked counts make 14,"
        let pieces = u64::try_from(read.board.len()).ok()?;
        let sum = pieces + read.reserve[SOL] + read.reserve[LUNA] + read.attacked[SOL] + read.attacked[LUNA];
        // "TURN is `s` exactly when PLY is even,"
        let turn_fits = (read.turn == SOL) == read.ply.is_multiple_of(2);
        // "every side that stands on the continent is in ENTERED,"
        let entered_fits = [SOL, LUNA].iter().all(|side| !read.stands_on_the_continent(*side) || read.entered[*side]);
        // "and `p` is in OBJECTIVES when a Sol persona stands on d3."
        let persona_fits = !read.a_sol_persona_stands_on_d3() || read.persona_in_the_centre;
        (sum == 14 && turn_fits && entered_fits && persona_fits).then_some(read)
    }

    fn stands_on_the_continent(&self, side: Player) -> bool {
        self.board.iter().any(|(square, (owner, _))| *owner == side && is_continent(*square))
    }

    fn a_sol_persona_stands_on_d3(&self) -> bool {
        self.board.get(&square_of_sol(CENTRE)) == Some(&(SOL, 0))
    }

    /// The name of a square for who is to move.
    fn name(&self, (x, y): Square) -> [char; 2] {
        if self.turn == SOL {
            [letter(SOL_MARKS, x), letter("0123456", 6 - y)]
        } else {
            [letter(LUNA_MARKS, x), letter("0123456", y)]
        }
    }

    /// "A token is TYPE MARK SCALE, and for a movement the destination: the mark or the scale that changes, or both (6.6)."
    fn take_apart(&self, token: &str) -> Option<Written> {
        let mut letters: Vec<char> = token.chars().collect();
        letters.reverse();
        let kind = place("0123", letters.pop()?)?;
        let mut all_marks_are_mine = true;
        // a mark, in whichever case, is a column; a scale is counted by who moves
        let mut mark = |letter: char| {
            let of = [place(SOL_MARKS, letter), place(LUNA_MARKS, letter)];
            let column = of[SOL].or(of[LUNA])?;
            all_marks_are_mine &= of[self.turn].is_some();
            Some(column)
        };
        let scale = |letter: char| {
            let number = place("0123456", letter)?;
            Some(if self.turn == SOL { 6 - number } else { number })
        };
        let from = (mark(letters.pop()?)?, scale(letters.pop()?)?);
        let mut to = None;
        if let Some(x) = letters.last().and_then(|letter| mark(*letter)) {
            letters.pop();
            to = Some((x, from.1));
        }
        if let Some(y) = letters.last().and_then(|letter| scale(*letter)) {
            letters.pop();
            to = Some((to.unwrap_or(from).0, y));
        }
        // "Optional claims may follow a token, first `x` (the move attacks),"
        let attacks = letters.last() == Some(&'x');
        if attacks {
            letters.pop();
        }
        // "then `+N` (it captures N pieces; N is 1 or more, without leading zeros);"
        let mut captures = None;
        if letters.last() == Some(&'+') {
            letters.pop();
            letters.reverse();
            let number: String = letters.drain(..).collect();
            if number.is_empty() || number.starts_with('0') || !number.chars().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            captures = Some(number);
        }
        // "anything else there is `andes.notation`."
        letters.is_empty().then_some(Written { kind, from, to, all_marks_are_mine, attacks, captures })
    }

    /// "Placing (3.4-3.6, R-4): the square is empty and the reserve is not."
    fn place(&self, kind: i32, square: Square) -> Result<Outcome, Code> {
        if self.reserve[self.turn] == 0 {
            return Err("andes.reserve");
        }
        if self.board.contains_key(&square) {
            return Err("andes.R-4");
        }
        // "Sol's very first move, at PLY 0, may place a persona on any continent square (3.4)."
        let first_move = self.ply == 0 && self.turn == SOL && kind == 0 && is_continent(square);
        if !first_move {
            // "Any other placing is on the border:"
            if !is_border(square) {
                return Err("andes.3.5");
            }
            // "on a dark border square any type, on a light one a persona only."
            if !is_dark_border(square) && kind != 0 {
                return Err("andes.3.6");
            }
        }
        Ok(self.outcome(None, square, kind))
    }

    /// "Moving (3.1-3.3, R-5)"
    fn walk(&self, kind: i32, from: Square, to: Square) -> Result<Outcome, Code> {
        // "the piece is the mover's and of the type written;"
        let Some((owner, standing)) = self.board.get(&from) else { return Err("andes.empty") };
        if *owner != self.turn {
            return Err("andes.owner");
        }
        if *standing != kind {
            return Err("andes.3.2");
        }
        // "the destination is within its reach;"
        let (right, down) = (to.0 - from.0, to.1 - from.1);
        let far = right.abs().max(down.abs());
        let straight = right == 0 || down == 0;
        let diagonal = right.abs() == down.abs();
        let in_reach = match kind {
            // "persona | one square in any of 8 directions"
            0 => far == 1,
            // "militar | one or two squares horizontally or vertically"
            2 => straight && (far == 1 || far == 2),
            // "estatal | one or two squares diagonally"
            _ => diagonal && (far == 1 || far == 2),
        };
        if !in_reach {
            return Err("andes.3.3");
        }
        // "for two squares the one between is empty;"
        if far == 2 && self.board.contains_key(&(from.0 + right / 2, from.1 + down / 2)) {
            return Err("andes.R-5");
        }
        // "the destination is empty, or holds an enemy and the move is an attack that the mode allows."
        match self.board.get(&to) {
            Some((owner, _)) if *owner == self.turn => return Err("andes.3.1"),
            Some(_) if self.centre_is_occupied_after(Some(from), to) => return Err("andes.4.3"),
            _ => {}
        }
        Ok(self.outcome(Some(from), to, kind))
    }

    /// "look at the centre d3 *as it stands once the moved piece is on its new square*."
    fn centre_is_occupied_after(&self, from: Option<Square>, to: Square) -> bool {
        let centre = square_of_sol(CENTRE);
        to == centre || (from != Some(centre) && self.board.contains_key(&centre))
    }

    fn outcome(&self, from: Option<Square>, to: Square, kind: i32) -> Outcome {
        let mut captured = Vec::new();
        // "Occupied by anyone: captures only. Empty: attacks only."
        if self.centre_is_occupied_after(from, to) {
            let mut after = self.board.clone();
            if let Some(from) = from {
                after.remove(&from);
            }
            after.insert(to, (self.turn, kind));
            // "from the square where the piece landed (moved or placed), look in each of the four orthogonal directions:"
            for (right, down) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                let next = (to.0 + right, to.1 + down);
                let behind = (to.0 + 2 * right, to.1 + 2 * down);
                // "an enemy piece next to it with a piece of the mover directly behind is captured."
                let enemy = after.get(&next).is_some_and(|(owner, _)| *owner != self.turn);
                let mine = after.get(&behind).is_some_and(|(owner, _)| *owner == self.turn);
                if enemy && mine {
                    captured.push(next);
                }
            }
        }
        Outcome { lands: to, attacks: self.board.contains_key(&to), captured }
    }

    fn settle(&mut self, kind: i32, from: Option<Square>, outcome: &Outcome) {
        match from {
            Some(from) => drop(self.board.remove(&from)),
            None => self.reserve[self.turn] -= 1,
        }
        // "the mover lands on an enemy piece, which leaves the game for good; ATTACKED of the mover + 1."
        if outcome.attacks {
            self.attacked[self.turn] += 1;
        }
        self.board.insert(outcome.lands, (self.turn, kind));
        for square in &outcome.captured {
            self.board.remove(square);
            // "Each goes to the mover's reserve."
            self.reserve[self.turn] += 1;
            // "`c` once Sol has captured (1.4)."
            self.sol_has_captured |= self.turn == SOL;
        }
        // "After the ply: a side with a piece on the continent has *entered* (it keeps the mark for good)."
        for side in [SOL, LUNA] {
            self.entered[side] |= self.stands_on_the_continent(side);
        }
        // "Sol's objective `p` is met once a Sol persona stands on d3 after a ply;"
        self.persona_in_the_centre |= self.a_sol_persona_stands_on_d3();
        self.turn = 1 - self.turn;
        self.ply += 1;
    }

    /// "Canonical: only what changes (`2a3c` a3 to c3, `2a35` a3 to a5, `0d3e4` d3 to e4)."
    fn canonical(&self, kind: i32, from: Square, to: Option<Square>) -> String {
        let [mark, scale] = self.name(from);
        let mut token = format!("{kind}{mark}{scale}");
        if let Some(to) = to {
            let [new_mark, new_scale] = self.name(to);
            if to.0 != from.0 {
                token.push(new_mark);
            }
            if to.1 != from.1 {
                token.push(new_scale);
            }
        }
        token
    }
}

impl Position for Andes {
    fn play(&mut self, token: &str) -> Result<String, Code> {
        let written = self.take_apart(token).ok_or("andes.notation")?;
        // "The case of both marks must be the mover's (`andes.2.4`)."
        if !written.all_marks_are_mine {
            return Err("andes.2.4");
        }
        let outcome = match written.to {
            None => self.place(written.kind, written.from)?,
            Some(to) => self.walk(written.kind, written.from, to)?,
        };
        // "A claim is checked if it is there; its absence claims nothing."
        let captures = written.captures.is_none_or(|number| number == outcome.captured.len().to_string());
        if written.attacks && !outcome.attacks || !captures {
            return Err("andes.claim");
        }
        let canonical = self.canonical(written.kind, written.from, written.to);
        self.settle(written.kind, written.to.map(|_| written.from), &outcome);
        Ok(canonical)
    }

    fn text(&self) -> String {
        let rows = rows::write(SIZE, |square| {
            let (owner, kind) = self.board.get(&square)?;
            Some(letter(LETTERS[*owner], *kind))
        });
        let turn = if self.turn == SOL { "s" } else { "l" };
        let entered = match self.entered {
            [false, false] => "-",
            [true, false] => "s",
            [false, true] => "l",
            [true, true] => "sl",
        };
        let objectives = match (self.persona_in_the_centre, self.sol_has_captured) {
            (false, false) => "-",
            (true, false) => "p",
            (false, true) => "c",
            (true, true) => "pc",
        };
        let [reserve, attacked] = [self.reserve, self.attacked].map(|[sol, luna]| format!("{sol}-{luna}"));
        format!("{rows} {turn} {reserve} {attacked} {entered} {objectives} {}", self.ply)
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn end(&self) -> Option<End> {
        // "continent (1.6, R-8): after a ply, a side that has entered has no piece on the continent."
        let gone = [SOL, LUNA].iter().any(|side| self.entered[*side] && !self.stands_on_the_continent(*side));
        let name = if gone {
            "continent"
        } else if self.moves(1).is_empty() {
            // "immobile: the side to move has no legal move."
            "immobile"
        } else {
            return None;
        };
        // "For continent and immobile the points decide (1.7, 5.1)."
        let on_the_board = |side| self.board.values().filter(|(owner, _)| *owner == side).count();
        // "Tie (5.2): more pieces on the board wins; if equal, more attacked; if equal, more in reserve; if equal, it is a tie."
        let points = self.points().expect("Andes has points");
        let steps = [SOL, LUNA].map(|side| (points[side], on_the_board(side), self.attacked[side], self.reserve[side]));
        let winner = match steps[SOL].cmp(&steps[LUNA]) {
            std::cmp::Ordering::Greater => Some(SOL),
            std::cmp::Ordering::Less => Some(LUNA),
            std::cmp::Ordering::Equal => None,
        };
        Some(End { name, winner, tie: winner.is_none() })
    }

    fn moves(&self, most: usize) -> Vec<String> {
        let mut moves = Vec::new();
        let squares: Vec<Square> = (0..7).flat_map(|x| (0..7).map(move |y| (x, y))).collect();
        for (from, (owner, kind)) in &self.board {
            for to in &squares {
                if *owner == self.turn && moves.len() < most && self.walk(*kind, *from, *to).is_ok() {
                    moves.push(self.canonical(*kind, *from, Some(*to)));
                }
            }
        }
        for square in &squares {
            for kind in 0..4 {
                if moves.len() < most && self.place(kind, *square).is_ok() {
                    moves.push(self.canonical(kind, *square, None));
                }
            }
        }
        moves
    }

    /// "Points (5.1.1-5.1.3): 3 for each own piece on the board (anywhere on it), 2 for each enemy piece attacked, 1 for each in reserve."
    fn points(&self) -> Option<[u64; 2]> {
        let mut points = [0, 0];
        for (owner, _) in self.board.values() {
            points[*owner] += 3;
        }
        for side in [SOL, LUNA] {
            points[side] += 2 * self.attacked[side] + self.reserve[side];
        }
        Some(points)
    }

    fn again(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
