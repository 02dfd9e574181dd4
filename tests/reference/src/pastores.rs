//! Pastores y Guerreros, from its page of rules. A sentence in quotes is of that page.

use std::collections::BTreeMap;

use crate::{
    Code, End, Player, Position,
    rows::{self, Square, letter, place},
};

/// "Norte (side 1) owns rows A-B, Sur (side 2) rows D-E (NOR.03)."
const NORTE: Player = 0;

/// "on the 25 points of an alquerque board (GEN.03)". Points are (column, row), from 0.
const SIZE: Square = (5, 5);

const PASTOR: usize = 0;
const GUERRERO: usize = 1;

/// "`P`/`G` for norte, `p`/`g` for sur"
const LETTERS: [[char; 2]; 2] = [['P', 'G'], ['p', 'g']];

#[derive(Clone)]
pub(crate) struct Pastores {
    board: BTreeMap<Square, (Player, usize)>,
    turn: Player,
    /// "HANDS: stones not yet placed, pastores then guerreros"
    hands: [[u64; 2]; 2],
    /// "COUNTDOWN `-`, or the plies left once it is one against one, 10 to 0."
    countdown: Option<u64>,
    ply: u64,
}

enum Written {
    Placing(usize, Square),
    Moving { from: Square, to: Square, captures: bool },
}

/// "a point is row then column: `A1` top left, `C3` centre."
fn point(row: char, column: char) -> Option<Square> {
    Some((place("12345", column)?, place("ABCDE", row)?))
}

fn name((column, row): Square) -> String {
    format!("{}{}", letter("ABCDE", row), letter("12345", column))
}

/// "A point has diagonals when its row and column numbers (A = 0.., 1 = 0..) add up to an even number"
fn has_diagonals((column, row): Square) -> bool {
    (column + row) % 2 == 0
}

fn is_orthogonal(from: Square, to: Square) -> bool {
    (from.0 - to.0).abs() + (from.1 - to.1).abs() == 1
}

/// "a diagonal joins two such points"
fn is_diagonal(from: Square, to: Square) -> bool {
    (from.0 - to.0).abs() == 1 && (from.1 - to.1).abs() == 1 && has_diagonals(from) && has_diagonals(to)
}

fn points() -> Vec<Square> {
    (0..5).flat_map(|column| (0..5).map(move |row| (column, row))).collect()
}

impl Pastores {
    /// "Position string: `ROWS TURN HANDS COUNTDOWN PLY`"
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [rows, turn, hands, countdown, ply] = fields[..] else { return None };
        let mut board = BTreeMap::new();
        for (point, letter) in rows::read(rows, SIZE)? {
            let owner = (0..2).find(|owner| LETTERS[*owner].contains(&letter))?;
            let kind = (0..2).find(|kind| LETTERS[owner][*kind] == letter)?;
            board.insert(point, (owner, kind));
        }
        let digits: Vec<u64> = hands.chars().filter_map(|digit| digit.to_digit(10)).map(u64::from).collect();
        let [a, b, c, d] = digits[..] else { return None };
        let countdown = if countdown == "-" { None } else { Some(rows::number(countdown)?) };
        let turn = usize::from(turn != "n");
        let read = Self { board, turn, hands: [[a, b], [c, d]], countdown, ply: rows::number(ply)? };
        // "A position string is refused unless it is canonical,"
        if read.text() != text || read.countdown.is_some_and(|left| left > 10) {
            return None;
        }
        // "no side has more than 5 pastores or 3 guerreros, hand and board together,"
        let count = |owner, kind| {
            let standing = read.board.values().filter(|stone| **stone == (owner, kind)).count();
            u64::try_from(standing).expect("25 points") + read.hands[owner][kind]
        };
        for owner in 0..2 {
            if count(owner, PASTOR) > 5 || count(owner, GUERRERO) > 3 {
                return None;
            }
        }
        let hand = [0, 1].map(|owner: Player| read.hands[owner].iter().sum::<u64>());
        if read.ply < 16 {
            // "before ply 16 each side's hand and board make 8 stones"
            if (0..2).any(|owner| count(owner, PASTOR) + count(owner, GUERRERO) != 8) {
                return None;
            }
            // "and both hands together hold 16 - PLY, equal when PLY is even, the side to move having one more when it is odd;"
            if hand[0] + hand[1] != 16 - read.ply || hand[read.turn] != hand[1 - read.turn] + read.ply % 2 {
                return None;
            }
        } else if hand != [0, 0] {
            // "from ply 16 on both hands are empty."
            return None;
        }
        // "COUNTDOWN is a number only from ply 16 on and with at most one stone a side."
        if read.countdown.is_some() && (read.ply < 16 || (0..2).any(|owner| read.stones(owner) > 1)) {
            return None;
        }
        Some(read)
    }

    fn stones(&self, owner: Player) -> usize {
        self.board.values().filter(|(other, _)| *other == owner).count()
    }

    /// "Token: type and point, upper case for both sides: `PA3`, `GE5`." "Token: `B2-C2` to an empty point, `B2xC2` onto an enemy stone"
    fn take_apart(token: &str) -> Option<Written> {
        let letters: Vec<char> = token.chars().collect();
        match letters[..] {
            ['P', row, column] => Some(Written::Placing(PASTOR, point(row, column)?)),
            ['G', row, column] => Some(Written::Placing(GUERRERO, point(row, column)?)),
            [row, column, sign @ ('-' | 'x'), to_row, to_column] => Some(Written::Moving {
                from: point(row, column)?,
                to: point(to_row, to_column)?,
                captures: sign == 'x',
            }),
            _ => None,
        }
    }

    fn judge(&self, written: &Written) -> Result<(), Code> {
        // "The first 16 plies (NOR.02, NOR.03)"; "From ply 16 on."
        let placing_phase = self.ply < 16;
        match *written {
            Written::Placing(kind, point) => {
                if !placing_phase {
                    return Err("pastores.NOR.02");
                }
                if self.hands[self.turn][kind] == 0 {
                    return Err("pastores.hand");
                }
                // "one stone of either type on any empty point of one's own two rows."
                let own_rows = if self.turn == NORTE { [0, 1] } else { [3, 4] };
                if !own_rows.contains(&point.1) {
                    return Err("pastores.NOR.03");
                }
                if self.board.contains_key(&point) {
                    return Err("pastores.occupied");
                }
            }
            Written::Moving { from, to, captures } => {
                if placing_phase {
                    return Err("pastores.NOR.02");
                }
                let Some((owner, kind)) = self.board.get(&from) else { return Err("pastores.empty") };
                if *owner != self.turn {
                    return Err("pastores.owner");
                }
                // "Each step is to an adjacent point along a line (NOR.07)."
                if !is_orthogonal(from, to) && !is_diagonal(from, to) {
                    return Err("pastores.NOR.07");
                }
                let there = self.board.get(&to).map(|(owner, _)| *owner);
                if there == Some(self.turn) {
                    return Err("pastores.own");
                }
                // "`-` onto an enemy stone, or `x` onto an empty point"
                if captures != there.is_some() {
                    return Err("pastores.NOR.08");
                }
                // "Pastor: one step orthogonally, moving or capturing (NOR.05)."
                if *kind == PASTOR && is_diagonal(from, to) {
                    return Err("pastores.NOR.05");
                }
                // "Guerrero: one step diagonally, moving or capturing (NOR.06)."
                if *kind == GUERRERO && is_orthogonal(from, to) {
                    // "If none of its diagonal neighbours is empty (which includes a point without diagonals),"
                    let blocked = points().iter().all(|p| !is_diagonal(from, *p) || self.board.contains_key(p));
                    // "it may instead step left or right along its row to an empty point ."
                    // "It never captures orthogonally and never steps vertically."
                    if !blocked || captures || from.1 != to.1 {
                        return Err("pastores.NOR.06");
                    }
                }
            }
        }
        Ok(())
    }
}

impl Position for Pastores {
    fn play(&mut self, token: &str) -> Result<String, Code> {
        let written = Self::take_apart(token).ok_or("pastores.notation")?;
        self.judge(&written)?;
        // "every later ply lowers it by one, the one that ends the game included."
        self.countdown = self.countdown.map(|left| left.saturating_sub(1));
        match written {
            Written::Placing(kind, point) => {
                self.hands[self.turn][kind] -= 1;
                self.board.insert(point, (self.turn, kind));
            }
            Written::Moving { from, to, captures } => {
                let stone = self.board.remove(&from).expect("it was judged");
                self.board.insert(to, stone);
                // "When a *capture* leaves one stone against one, COUNTDOWN is set to 10"
                if captures && self.stones(0) == 1 && self.stones(1) == 1 {
                    self.countdown = Some(10);
                }
            }
        }
        self.turn = 1 - self.turn;
        self.ply += 1;
        Ok(token.to_owned())
    }

    fn text(&self) -> String {
        let rows = rows::write(SIZE, |point| self.board.get(&point).map(|(owner, kind)| LETTERS[*owner][*kind]));
        let turn = if self.turn == NORTE { "n" } else { "s" };
        let [[a, b], [c, d]] = self.hands;
        let countdown = self.countdown.map_or("-".to_owned(), |left| left.to_string());
        format!("{rows} {turn} {a}{b}-{c}{d} {countdown} {}", self.ply)
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn end(&self) -> Option<End> {
        // "After a ply, in this order; only in the moving phase, which is the plies from 16 on"
        if self.ply < 16 {
            return None;
        }
        let other = Some(1 - self.turn);
        if self.stones(self.turn) == 0 {
            // "annihilation (GEN.07): the side to move has no stone left: the other wins."
            Some(End { name: "annihilation", winner: other, tie: false })
        } else if self.moves(1).is_empty() {
            // "immobile (GEN.07): the side to move has no legal move: it loses, also when the countdown has just run out."
            Some(End { name: "immobile", winner: other, tie: false })
        } else if self.countdown == Some(0) {
            // "countdown (NOR.12, R-3): COUNTDOWN is 0: a draw (tablas)."
            Some(End { name: "countdown", winner: None, tie: false })
        } else {
            None
        }
    }

    fn moves(&self, most: usize) -> Vec<String> {
        let mut moves = Vec::new();
        if self.ply < 16 {
            for (letter, kind) in [("P", PASTOR), ("G", GUERRERO)] {
                for point in points() {
                    if moves.len() < most && self.judge(&Written::Placing(kind, point)).is_ok() {
                        moves.push(format!("{letter}{}", name(point)));
                    }
                }
            }
            return moves;
        }
        for from in self.board.keys().copied() {
            for to in points() {
                for (sign, captures) in [("-", false), ("x", true)] {
                    if moves.len() < most && self.judge(&Written::Moving { from, to, captures }).is_ok() {
                        moves.push(format!("{}{sign}{}", name(from), name(to)));
                    }
                }
            }
        }
        moves
    }

    fn again(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
