//! Querni, from its page of rules. A sentence in quotes is of that page.

use std::collections::BTreeMap;

use crate::{
    Code, End, Player, Position,
    rows::{self, Square, letter, place},
};

/// "azul (blue, side 1) and rosa (pink, side 2)"
const AZUL: Player = 0;

/// "on a board of 10 columns and 7 rows". Squares are (column, row from the top): "row 7 first, down to row 1".
const SIZE: Square = (10, 7);

/// "Azul's pieces 1..16 are `A`..`P`, rosa's are `a`..`p`."
const LETTERS: [&str; 2] = ["ABCDEFGHIJKLMNOP", "abcdefghijklmnop"];

const WAYS: [Square; 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

#[derive(Clone)]
pub(crate) struct Querni {
    /// Owner of each piece, and its number from 1.
    board: BTreeMap<Square, (Player, i32)>,
    turn: Player,
    /// "plies since the last removal, or since the start"
    idle: u64,
    ply: u64,
}

#[derive(Clone)]
enum Motion {
    Step(Square),
    Jump(Vec<Square>),
}

#[derive(Clone)]
enum Written {
    Pass,
    Turn { motion: Option<(Option<i32>, Square, Motion)>, removal: Option<(i32, i32)> },
}

fn are_neighbours(one: Square, other: Square) -> bool {
    one != other && (one.0 - other.0).abs() <= 1 && (one.1 - other.1).abs() <= 1
}

fn is_on_the_board((column, row): Square) -> bool {
    (0..10).contains(&column) && (0..7).contains(&row)
}

fn name((column, row): Square) -> String {
    format!("{}{}", letter("abcdefghij", column), letter("7654321", row))
}

fn take_square(text: &str) -> Option<(Square, &str)> {
    let mut letters = text.chars();
    let column = place("abcdefghij", letters.next()?)?;
    let row = place("7654321", letters.next()?)?;
    Some(((column, row), letters.as_str()))
}

/// "Numbers run from 1 to 16 and are written without leading zeros; others are `querni.notation`."
fn number(text: &str) -> Option<i32> {
    (1..=16).find(|number| number.to_string() == text)
}

fn take_apart(token: &str) -> Option<Written> {
    // "A pass is `--`"
    if token == "--" {
        return Some(Written::Pass);
    }
    // "Removal `*5-9`" "Both: `b3-c4*5-9`, `b3^d5*1-3`."
    let (motion, removal) = token.split_once('*').map_or((token, None), |(motion, run)| (motion, Some(run)));
    let removal = match removal {
        None => None,
        Some(run) => {
            let (first, last) = run.split_once('-')?;
            Some((number(first)?, number(last)?))
        }
    };
    if motion.is_empty() {
        removal?;
        return Some(Written::Turn { motion: None, removal });
    }
    // "A token with a motion may begin with the number of the moving piece, `8b3-c4`"
    let digits = motion.find(|letter: char| !letter.is_ascii_digit())?;
    let (claim, rest) = motion.split_at(digits);
    let claim = if claim.is_empty() { None } else { Some(number(claim)?) };
    let (from, mut rest) = take_square(rest)?;
    let motion = if let Some(to) = rest.strip_prefix('-') {
        let (to, nothing) = take_square(to)?;
        rest = nothing;
        Motion::Step(to)
    } else {
        let mut path = Vec::new();
        while let Some(next) = rest.strip_prefix('^') {
            let (landing, more) = take_square(next)?;
            path.push(landing);
            rest = more;
        }
        if path.is_empty() {
            return None;
        }
        Motion::Jump(path)
    };
    rest.is_empty().then_some(Written::Turn { motion: Some((claim, from, motion)), removal })
}

fn write(written: &Written) -> String {
    let Written::Turn { motion, removal } = written else { return "--".to_owned() };
    let mut token = String::new();
    match motion {
        None => {}
        Some((_, from, Motion::Step(to))) => token += &format!("{}-{}", name(*from), name(*to)),
        Some((_, from, Motion::Jump(path))) => {
            token += &name(*from);
            for landing in path {
                token += &format!("^{}", name(*landing));
            }
        }
    }
    if let Some((first, last)) = removal {
        token += &format!("*{first}-{last}");
    }
    token
}

impl Querni {
    /// "Position string: `ROWS TURN IDLE PLY`"
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [rows, turn, idle, ply] = fields[..] else { return None };
        let mut board = BTreeMap::new();
        for (square, letter) in rows::read(rows, SIZE)? {
            let owner = usize::from(letter.is_ascii_lowercase());
            let piece = (owner, 1 + place(LETTERS[owner], letter)?);
            // "each piece stands at most once"
            if board.values().any(|other| *other == piece) {
                return None;
            }
            board.insert(square, piece);
        }
        let turn = usize::from(turn != "a");
        let read = Self { board, turn, idle: rows::number(idle)?, ply: rows::number(ply)? };
        // "A position string is refused unless it is canonical, ... and IDLE is at most PLY."
        (read.text() == text && read.idle <= read.ply).then_some(read)
    }

    /// "a record must carry its start position in the tag `Setup`, with all 32 pieces on 32 squares (any squares), IDLE 0 and PLY 0"
    pub(crate) fn can_start_a_record(&self) -> bool {
        self.board.len() == 32 && self.idle == 0 && self.ply == 0
    }

    /// The square of the mover's piece with this number.
    fn standing(&self, number: i32) -> Option<Square> {
        self.board.iter().find(|(_, piece)| **piece == (self.turn, number)).map(|(square, _)| *square)
    }

    /// Ok if a lifted piece that has landed on `landed` may hop from `at` to `to`.
    fn hop(&self, at: Square, landed: &[Square], to: Square) -> Result<(), Code> {
        // "a jump lands on a square for the second time, the origin included"
        if landed.contains(&to) {
            return Err("querni.Q-7");
        }
        // "the square landed on is occupied"
        if self.board.contains_key(&to) {
            return Err("querni.occupied");
        }
        // "over exactly one piece of either colour on the neighbouring square, to the empty square directly behind it, in any of the 8 directions"
        let straight = WAYS.iter().find(|way| (at.0 + 2 * way.0, at.1 + 2 * way.1) == to);
        // "The moving piece is lifted from its origin."
        let over = straight.map(|way| (at.0 + way.0, at.1 + way.1));
        if over.is_none_or(|over| landed.first() == Some(&over) || !self.board.contains_key(&over)) {
            return Err("querni.Q-5");
        }
        Ok(())
    }

    fn moved(&self, from: Square, to: Square) -> Self {
        let mut after = self.clone();
        let piece = after.board.remove(&from).expect("a piece moves");
        after.board.insert(to, piece);
        after
    }

    /// The position after a motion, the turn being still the same.
    fn after_motion(&self, claim: Option<i32>, from: Square, motion: &Motion) -> Result<Self, Code> {
        let Some((owner, number)) = self.board.get(&from) else { return Err("querni.empty") };
        if *owner != self.turn {
            return Err("querni.owner");
        }
        if claim.is_some_and(|claim| claim != *number) {
            return Err("querni.claim");
        }
        match motion {
            // "Step `b3-c4`: to an empty neighbouring square (Q-4)."
            Motion::Step(to) => {
                // "in a step the origin itself counts as occupied"
                if self.board.contains_key(to) {
                    return Err("querni.occupied");
                }
                if !are_neighbours(from, *to) {
                    return Err("querni.Q-4");
                }
                Ok(self.moved(from, *to))
            }
            // "In a jump path the hops are judged one after the other, each through the rows `Q-7`, `occupied`, `Q-5`; the first hop at fault
            // names the code."
            Motion::Jump(path) => {
                let mut landed = vec![from];
                for to in path {
                    let at = *landed.last().expect("the origin is there");
                    self.hop(at, &landed, *to)?;
                    landed.push(*to);
                }
                Ok(self.moved(from, *landed.last().expect("the origin is there")))
            }
        }
    }

    /// "Removal `*5-9`: own pieces 5 to 9, at least three, all on the board, each on a square that neighbours its predecessor's (Q-9, Q-10)."
    fn may_remove(&self, first: i32, last: i32) -> Result<(), Code> {
        if last < first + 2 {
            return Err("querni.Q-9");
        }
        if (first..=last).any(|number| self.standing(number).is_none()) {
            return Err("querni.missing");
        }
        let apart = |number| match (self.standing(number), self.standing(number + 1)) {
            (Some(one), Some(next)) => !are_neighbours(one, next),
            _ => true,
        };
        if (first..last).any(apart) {
            return Err("querni.Q-10");
        }
        Ok(())
    }

    /// Every run that can be removed: "Any such run may be chosen, it need not be the longest; one run a turn."
    fn runs(&self) -> Vec<(i32, i32)> {
        let mut runs = Vec::new();
        for first in 1..=16 {
            // a run that cannot be removed is no beginning of a longer one that can
            runs.extend(
                (first + 2..=16)
                    .map(|last| (first, last))
                    .take_while(|(_, last)| self.may_remove(first, *last).is_ok()),
            );
        }
        runs
    }

    fn judge(&self, written: &Written) -> Result<Self, Code> {
        let (motion, removal) = match written {
            Written::Pass => {
                // "A pass is `--` and is legal only when the player has no motion and no removal (R-4)."
                if self.can_do_something() {
                    return Err("querni.Q-8");
                }
                (&None, &None)
            }
            Written::Turn { motion, removal } => (motion, removal),
        };
        let mut after = match motion {
            None => self.clone(),
            Some((claim, from, motion)) => self.after_motion(*claim, *from, motion)?,
        };
        after.idle += 1;
        if let Some((first, last)) = removal {
            after.may_remove(*first, *last)?;
            after.board.retain(|_, (owner, number)| *owner != self.turn || *number < *first || *number > *last);
            after.idle = 0;
        }
        after.turn = 1 - self.turn;
        after.ply += 1;
        Ok(after)
    }

    fn can_do_something(&self) -> bool {
        !self.runs().is_empty() || !self.motions(1).is_empty()
    }

    fn own(&self) -> Vec<Square> {
        self.board.iter().filter(|(_, (owner, _))| *owner == self.turn).map(|(square, _)| *square).collect()
    }

    /// Motions: all, or so many.
    fn motions(&self, most: usize) -> Vec<(Square, Motion)> {
        let mut motions = Vec::new();
        for from in self.own() {
            for (right, down) in WAYS {
                let to = (from.0 + right, from.1 + down);
                if is_on_the_board(to) && !self.board.contains_key(&to) && motions.len() < most {
                    motions.push((from, Motion::Step(to)));
                }
            }
            self.jumps(&mut vec![from], most, &mut motions);
        }
        motions
    }

    fn jumps(&self, landed: &mut Vec<Square>, most: usize, motions: &mut Vec<(Square, Motion)>) {
        let at = *landed.last().expect("the origin is there");
        for (right, down) in WAYS {
            let to = (at.0 + 2 * right, at.1 + 2 * down);
            if motions.len() < most && is_on_the_board(to) && self.hop(at, landed, to).is_ok() {
                landed.push(to);
                motions.push((landed[0], Motion::Jump(landed[1..].to_vec())));
                self.jumps(landed, most, motions);
                landed.pop();
            }
        }
    }
}

impl Position for Querni {
    fn play(&mut self, token: &str) -> Result<String, Code> {
        let written = take_apart(token).ok_or("querni.notation")?;
        *self = self.judge(&written)?;
        // "it is checked when there and left out of the canonical form."
        Ok(write(&written))
    }

    fn text(&self) -> String {
        let rows = rows::write(SIZE, |square| {
            let (owner, number) = self.board.get(&square)?;
            Some(letter(LETTERS[*owner], *number - 1))
        });
        format!("{rows} {} {} {}", if self.turn == AZUL { "a" } else { "r" }, self.idle, self.ply)
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn end(&self) -> Option<End> {
        let left = |side| {
            let numbers = self.board.values().filter(move |(owner, _)| *owner == side).map(|(_, number)| *number);
            numbers.collect::<Vec<i32>>()
        };
        // "cleared (Q-11): the mover (the side not to move) has no piece left: it wins."
        let mover = 1 - self.turn;
        if left(mover).is_empty() {
            return Some(End { name: "cleared", winner: Some(mover), tie: false });
        }
        // "dead (Q-12, R-5): neither side has three consecutive numbers left on the board: draw."
        let alive = |side| {
            let numbers = left(side);
            numbers.iter().any(|number| numbers.contains(&(number + 1)) && numbers.contains(&(number + 2)))
        };
        if !alive(0) && !alive(1) {
            return Some(End { name: "dead", winner: None, tie: false });
        }
        // "idle (Q-13, R-6): IDLE has reached 30: draw."
        (self.idle >= 30).then_some(End { name: "idle", winner: None, tie: false })
    }

    fn moves(&self, most: usize) -> Vec<String> {
        let mut moves = Vec::new();
        for run in self.runs() {
            moves.push(write(&Written::Turn { motion: None, removal: Some(run) }));
        }
        // "A turn is one of: a motion; a removal; a motion and then a removal (of any run, whether or not the moved piece is in it)"
        for (from, motion) in self.motions(most) {
            let after = self.after_motion(None, from, &motion).expect("it was found");
            let motion = Some((None, from, motion));
            moves.push(write(&Written::Turn { motion: motion.clone(), removal: None }));
            for run in after.runs() {
                moves.push(write(&Written::Turn { motion: motion.clone(), removal: Some(run) }));
            }
        }
        // "or, when none of these exists, a pass, which is a ply like another (Q-3, Q-8)."
        if moves.is_empty() {
            moves.push(write(&Written::Pass));
        }
        moves.truncate(most);
        moves
    }

    fn again(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
