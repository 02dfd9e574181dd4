//! Querni the slow way: moves found square by square on a plain table, to compare the referee's with.
//!
//! It is written from `docs/rules/querni.md` and knows nothing of the referee's ways. It takes position strings for good.

use std::collections::BTreeMap;

/// Column and row, both from 1; `a1` is (1, 1).
type Square = (i32, i32);

/// A position.
#[derive(Clone)]
pub struct Slow {
    /// Pieces by column and row, with a margin around the board.
    cells: [[Option<char>; 10]; 13],
    azul_moves: bool,
}

fn name((column, row): Square) -> String {
    format!("{}{row}", char::from(b'a' + u8::try_from(column - 1).expect("it is on the board")))
}

fn squares() -> impl Iterator<Item = Square> {
    (1..=10).flat_map(|column| (1..=7).map(move |row| (column, row)))
}

/// The squares so many steps away in the eight directions, as far as they are on the board.
fn around((column, row): Square, distance: i32) -> impl Iterator<Item = Square> {
    let ways = (-1..=1).flat_map(|right| (-1..=1).map(move |up| (right, up))).filter(|way| *way != (0, 0));
    let away = ways.map(move |(right, up)| (column + right * distance, row + up * distance));
    away.filter(|(column, row)| (1..=10).contains(column) && (1..=7).contains(row))
}

impl Slow {
    /// Reads a position string.
    ///
    /// # Panics
    /// If it is none.
    pub fn read(position: &str) -> Self {
        let (rows, rest) = position.split_once(' ').expect("fields");
        let mut slow = Self { cells: [[None; 10]; 13], azul_moves: rest.starts_with('a') };
        for (text, row) in rows.replace("10", "91").split('/').zip((1..=7).rev()) {
            let mut column = 1;
            for letter in text.chars() {
                if letter.is_ascii_alphabetic() {
                    *slow.cell((column, row)) = Some(letter);
                }
                column += letter.to_digit(10).map_or(1, |empty| i32::try_from(empty).expect("a digit"));
            }
        }
        slow
    }

    fn cell(&mut self, (column, row): Square) -> &mut Option<char> {
        &mut self.cells[usize::try_from(column).expect("it is on the board")][usize::try_from(row).expect("it is")]
    }

    fn at(&self, (column, row): Square) -> Option<char> {
        self.cells[usize::try_from(column).expect("it is on the board")][usize::try_from(row).expect("it is")]
    }

    /// The number of the mover's piece on a square.
    fn own(&self, square: Square) -> Option<u32> {
        let letter = self.at(square).filter(|letter| letter.is_ascii_uppercase() == self.azul_moves)?;
        Some(u32::from(letter.to_ascii_lowercase()) - u32::from('a') + 1)
    }

    /// The number of the piece on the square of this name, whoever it belongs to.
    pub fn number_on(&self, square: &str) -> Option<u32> {
        let letter = squares().find(|found| name(*found) == square).and_then(|square| self.at(square))?;
        Some(u32::from(letter.to_ascii_lowercase()) - u32::from('a') + 1)
    }

    /// Calls `each` with every path that a lifted piece can jump on from the end of `path`, the origin being the first.
    fn jump(&self, path: &mut Vec<Square>, each: &mut impl FnMut(&[Square])) {
        let at = *path.last().expect("an origin");
        for to in around(at, 2) {
            let over = (i32::midpoint(at.0, to.0), i32::midpoint(at.1, to.1));
            if self.at(over).is_some() && self.at(to).is_none() && !path.contains(&to) {
                path.push(to);
                each(path);
                self.jump(path, each);
                path.pop();
            }
        }
    }

    /// Calls `each` with every jump of the piece on `from`.
    fn jumps(&self, from: Square, mut each: impl FnMut(&[Square])) {
        let mut lifted = self.clone();
        *lifted.cell(from) = None;
        lifted.jump(&mut vec![from], &mut each);
    }

    /// The number of jumps of the mover's piece on the square of this name.
    pub fn count_jumps(&self, from: &str) -> u64 {
        let mut count = 0;
        if let Some(from) = squares().find(|&square| name(square) == from && self.own(square).is_some()) {
            self.jumps(from, |_| count += 1);
        }
        count
    }

    /// First and last numbers of the chains that the mover can remove.
    fn runs(&self) -> Vec<(u32, u32)> {
        let mut places = [None; 18];
        for square in squares() {
            if let Some(number) = self.own(square) {
                places[number as usize] = Some(square);
            }
        }
        let touch = |number: u32| {
            let [one, next] = [number, number + 1].map(|number| places[number as usize]);
            one.zip(next).is_some_and(|(one, next)| around(one, 1).any(|square| square == next))
        };
        let mut runs = Vec::new();
        for first in 1..=16 {
            let mut last = first;
            while last < 16 && touch(last) {
                last += 1;
                if last - first >= 2 {
                    runs.push((first, last));
                }
            }
        }
        runs
    }

    fn after(&self, from: Square, to: Square) -> Self {
        let mut after = self.clone();
        *after.cell(to) = after.cell(from).take();
        after
    }

    /// Calls `each` with every move that is not a pass: a motion with what can be removed after it, or nothing with what
    /// can be removed.
    fn turns(&self, mut each: impl FnMut(&[Square], &[(u32, u32)])) {
        each(&[], &self.runs());
        for from in squares().filter(|&square| self.own(square).is_some()) {
            for to in around(from, 1).filter(|&to| self.at(to).is_none()) {
                each(&[from, to], &self.after(from, to).runs());
            }
            // Millions of paths lead to few squares.
            let mut runs_on = BTreeMap::new();
            self.jumps(from, |path| {
                let to = path[path.len() - 1];
                each(path, runs_on.entry(to).or_insert_with(|| self.after(from, to).runs()));
            });
        }
    }

    /// All legal moves in the order of their bytes.
    pub fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.turns(|path, runs| {
            let step = path.len() == 2 && around(path[0], 1).any(|square| square == path[1]);
            let names: Vec<_> = path.iter().map(|square| name(*square)).collect();
            let motion = names.join(if step { "-" } else { "^" });
            moves.extend(runs.iter().map(|(first, last)| format!("{motion}*{first}-{last}")));
            if !motion.is_empty() {
                moves.push(motion);
            }
        });
        if moves.is_empty() {
            moves.push("--".to_owned());
        }
        moves.sort();
        moves
    }

    /// Their number.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.turns(|path, runs| count += runs.len() as u64 + u64::from(!path.is_empty()));
        count.max(1)
    }
}
