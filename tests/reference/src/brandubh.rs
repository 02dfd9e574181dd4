//! Brandubh in its three rule sets, from its page of rules. A sentence in quotes is of that page.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Code, End, Player, Position,
    rows::{self, Square, letter, place},
};

/// "Negros (black, side 1: the king and 4 pawns) move first; rojos (red, side 2) have 8 pawns."
const BLACK: Player = 0;
const RED: Player = 1;

/// Squares are (file, row from the top), so that rank 7 is row 0: "rank 7 first, down to rank 1".
const SIZE: Square = (7, 7);

/// "Thrones: the centre `d4` and the corners `a1 a7 g1 g7`."
const CENTRE: Square = (3, 3);
const CORNERS: [Square; 4] = [(0, 0), (0, 6), (6, 0), (6, 6)];

const AROUND: [Square; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    King,
    Black,
    Red,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    Base,
    Cuervo,
    Nielsen,
}

#[derive(Clone)]
pub(crate) struct Brandubh {
    rules: Rules,
    board: BTreeMap<Square, Piece>,
    turn: Player,
    ply: u64,
    /// Under `nielsen`, where the king is taken by a ply and not by a position (N-7): that the last ply has.
    /// "Where it is read with the king enclosed and black to move, he stands as if he had walked in" (N-8).
    taken_by_the_last_ply: bool,
}

struct Written {
    king: bool,
    from: Square,
    to: Square,
    captures: Option<BTreeSet<Square>>,
}

fn is_throne(square: Square) -> bool {
    square == CENTRE || CORNERS.contains(&square)
}

fn is_on_the_board((file, row): Square) -> bool {
    (0..7).contains(&file) && (0..7).contains(&row)
}

fn owner(piece: Piece) -> Player {
    if piece == Piece::Red { RED } else { BLACK }
}

fn square(file: char, rank: char) -> Option<Square> {
    Some((place("abcdefg", file)?, place("7654321", rank)?))
}

fn name((file, row): Square) -> String {
    format!("{}{}", letter("abcdefg", file), letter("7654321", row))
}

/// A square from the front of a text, and what is left of it.
fn take_square(text: &str) -> Option<(Square, &str)> {
    let mut letters = text.chars();
    let found = square(letters.next()?, letters.next()?)?;
    Some((found, letters.as_str()))
}

/// "Token: `d3-c3`; captures follow, `d3-c3xc4`, several joined by `/`: `d3-c3xc4/b3`."
fn take_apart(token: &str) -> Option<Written> {
    // "Accepted too: `Kd4-d5` for the king,"
    let (king, text) = token.strip_prefix('K').map_or((false, token), |rest| (true, rest));
    let (from, text) = take_square(text)?;
    let (to, mut text) = take_square(text.strip_prefix('-')?)?;
    let mut captures = None;
    if let Some(rest) = text.strip_prefix('x') {
        let mut squares = BTreeSet::new();
        let (first, mut rest) = take_square(rest)?;
        squares.insert(first);
        while let Some(more) = rest.strip_prefix('/') {
            let (next, more) = take_square(more)?;
            // "(the same square twice is `brandubh.notation`)"
            if !squares.insert(next) {
                return None;
            }
            rest = more;
        }
        captures = Some(squares);
        text = rest;
    }
    // "and `+`, `-`, `++`, `--` at the end, which are dropped."
    ["", "+", "-", "++", "--"].contains(&text).then_some(Written { king, from, to, captures })
}

impl Brandubh {
    /// "Position string: `ROWS TURN PLY`"
    pub(crate) fn read(text: &str, rules: &str) -> Option<Self> {
        let rules = match rules {
            "base" => Rules::Base,
            "cuervo" => Rules::Cuervo,
            "nielsen" => Rules::Nielsen,
            _ => return None,
        };
        let fields: Vec<&str> = text.split(' ').collect();
        let [rows, turn, ply] = fields[..] else { return None };
        let mut board = BTreeMap::new();
        for (square, letter) in rows::read(rows, SIZE)? {
            let piece = match letter {
                'K' => Piece::King,
                'T' => Piece::Black,
                't' => Piece::Red,
                _ => return None,
            };
            board.insert(square, piece);
        }
        let turn = if turn == "n" { BLACK } else { RED };
        let read = Self { rules, board, turn, ply: rows::number(ply)?, taken_by_the_last_ply: false };
        // "A position string is refused unless it is canonical,"
        if read.text() != text {
            return None;
        }
        // "has exactly one king, at most 4 `T` and 8 `t`,"
        let count = |piece| read.board.values().filter(|other| **other == piece).count();
        if count(Piece::King) != 1 || count(Piece::Black) > 4 || count(Piece::Red) > 8 {
            return None;
        }
        // "no pawn on a throne,"
        if read.board.iter().any(|(square, piece)| is_throne(*square) && *piece != Piece::King) {
            return None;
        }
        // "and TURN is `n` exactly when PLY is even." N-1: "TURN is `r` exactly when PLY is even."
        let starts = if rules == Rules::Nielsen { RED } else { BLACK };
        ((read.turn == starts) == read.ply.is_multiple_of(2)).then_some(read)
    }

    fn at(&self, square: Square) -> Option<Piece> {
        self.board.get(&square).copied()
    }

    fn king(&self) -> Square {
        *self.board.iter().find(|(_, piece)| **piece == Piece::King).expect("there is always a king").0
    }

    /// Ok if the piece may go there, regardless of captures.
    fn may_go(&self, king_is_written: bool, from: Square, to: Square) -> Result<(), Code> {
        let Some(piece) = self.at(from) else { return Err("brandubh.empty") };
        if owner(piece) != self.turn {
            return Err("brandubh.owner");
        }
        if king_is_written && piece != Piece::King {
            return Err("brandubh.piece");
        }
        if from == to || (from.0 != to.0 && from.1 != to.1) {
            return Err("brandubh.line");
        }
        let far = (from.0 - to.0).abs() + (from.1 - to.1).abs();
        let step = ((to.0 - from.0) / far, (to.1 - from.1) / far);
        let way: Vec<Square> = (1..=far).map(|n| (from.0 + n * step.0, from.1 + n * step.1)).collect();
        // "The king moves one square along a rank or file to an empty square, thrones included (B-2, B-6)."
        // nielsen: "the king slides like a pawn"
        if piece == Piece::King && self.rules != Rules::Nielsen && far > 1 {
            return Err("brandubh.B-2");
        }
        if piece != Piece::King {
            // "They neither stop on nor pass through a throne (B-5)."
            // nielsen: "only the king may stop on the centre and the corners; every piece may pass over the empty centre"
            let forbidden = match self.rules {
                Rules::Nielsen => is_throne(to),
                Rules::Base | Rules::Cuervo => way.iter().any(|square| is_throne(*square)),
            };
            if forbidden {
                return Err("brandubh.B-5");
            }
        }
        // "a piece stands in the way or on the destination"
        if way.iter().any(|square| self.board.contains_key(square)) {
            return Err("brandubh.blocked");
        }
        Ok(())
    }

    /// The board after a piece has gone there, and all pawns that this takes off it.
    fn after(&self, from: Square, to: Square) -> (BTreeMap<Square, Piece>, BTreeSet<Square>) {
        let mut board = self.board.clone();
        let piece = board.remove(&from).expect("a piece goes");
        board.insert(to, piece);
        let mut taken = BTreeSet::new();
        let enemy_pawn = if self.turn == BLACK { Piece::Red } else { Piece::Black };
        let own_pawn = if self.turn == BLACK { Piece::Black } else { Piece::Red };
        // "The king takes no part in captures, neither by moving nor by standing (B-6 "ni capturar fichas")."
        // nielsen: "takes part in captures, moving or standing"
        let nielsen = self.rules == Rules::Nielsen;
        if piece != Piece::King || nielsen {
            // "after a pawn of side X has moved, each enemy pawn next to its new square (orthogonally) with another *pawn of X*
            // directly behind it is taken." N-4: "An empty corner is the second piece of a capture on the square beside it"
            for (right, down) in AROUND {
                let next = (to.0 + right, to.1 + down);
                let behind = (to.0 + 2 * right, to.1 + 2 * down);
                let second = board.get(&behind).copied();
                let helps = second == Some(own_pawn)
                    || (nielsen && second == Some(Piece::King) && self.turn == BLACK)
                    || (nielsen && second.is_none() && CORNERS.contains(&behind));
                if board.get(&next) == Some(&enemy_pawn) && helps {
                    taken.insert(next);
                }
            }
        }
        for square in &taken {
            board.remove(square);
        }
        // "Walking into it (R-3): then, if the moved pawn stands between two enemy pawns in a rank or file, it is itself taken."
        // "In the variant El Cuervo (B-12) it is not." nielsen: "walking in is safe."
        if self.rules == Rules::Base && piece != Piece::King {
            let between = |right: i32, down: i32| {
                let sides = [(to.0 + right, to.1 + down), (to.0 - right, to.1 - down)];
                sides.iter().all(|square| board.get(square) == Some(&enemy_pawn))
            };
            if between(1, 0) || between(0, 1) {
                board.remove(&to);
                taken.insert(to);
            }
        }
        (board, taken)
    }

    /// True if a ply of red to `moved_to` captures the king, under `nielsen`.
    fn takes_the_king(&self, moved_to: Square) -> bool {
        let king = self.king();
        let neighbours = AROUND.map(|(right, down)| (king.0 + right, king.1 + down));
        if !neighbours.contains(&moved_to) {
            return false;
        }
        let red = |square: &Square| self.at(*square) == Some(Piece::Red);
        if king == CENTRE {
            // "the king is taken on all four sides on the centre,"
            neighbours.iter().all(red)
        } else if neighbours.contains(&CENTRE) {
            // "on the three others next to it,"
            neighbours.iter().filter(|square| **square != CENTRE).all(red)
        } else {
            // "elsewhere like a pawn": N-6 "between two that face each other: two red pawns, or a red pawn and an empty corner."
            let facing = (2 * king.0 - moved_to.0, 2 * king.1 - moved_to.1);
            red(&facing) || (CORNERS.contains(&facing) && self.at(facing).is_none())
        }
    }

    /// "the king is taken when red pawns stand on all four squares around it; on an edge, on the three that exist; on a square next
    /// to d4, on the other three."
    fn king_is_surrounded(&self) -> bool {
        let king = self.king();
        let mut must_be_red: Vec<Square> = AROUND.iter().map(|(right, down)| (king.0 + right, king.1 + down)).collect();
        must_be_red.retain(|square| is_on_the_board(*square));
        must_be_red.retain(|square| *square != CENTRE);
        must_be_red.iter().all(|square| self.at(*square) == Some(Piece::Red))
    }
}

/// "every pawn that the ply takes off the board written, in board order (rank 7 to 1, then a to g)"
fn canonical(from: Square, to: Square, taken: &BTreeSet<Square>) -> String {
    let mut order: Vec<Square> = taken.iter().copied().collect();
    order.sort_by_key(|(file, row)| (*row, *file));
    let names: Vec<String> = order.into_iter().map(name).collect();
    let captures = if names.is_empty() { String::new() } else { format!("x{}", names.join("/")) };
    format!("{}-{}{captures}", name(from), name(to))
}

impl Position for Brandubh {
    fn play(&mut self, token: &str) -> Result<String, Code> {
        let Written { king, from, to, captures } = take_apart(token).ok_or("brandubh.notation")?;
        self.may_go(king, from, to)?;
        let (board, off) = self.after(from, to);
        // "Captures that are written are checked."
        if captures.is_some_and(|written| written != off) {
            return Err("brandubh.claim");
        }
        self.board = board;
        let red_has_moved = self.turn == RED;
        self.turn = 1 - self.turn;
        self.ply += 1;
        self.taken_by_the_last_ply = self.rules == Rules::Nielsen && red_has_moved && self.takes_the_king(to);
        Ok(canonical(from, to, &off))
    }

    fn text(&self) -> String {
        let rows = rows::write(SIZE, |square| {
            Some(match self.at(square)? {
                Piece::King => 'K',
                Piece::Black => 'T',
                Piece::Red => 't',
            })
        });
        format!("{rows} {} {}", if self.turn == BLACK { "n" } else { "r" }, self.ply)
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn end(&self) -> Option<End> {
        // "corner (B-10): the king stands on a corner: black wins."
        if CORNERS.contains(&self.king()) {
            return Some(End { name: "corner", winner: Some(BLACK), tie: false });
        }
        // "king-captured (B-10): red wins." "Judged after every ply; in El Cuervo after red's plies only, that is when it is black's turn"
        let captured = match self.rules {
            Rules::Base => self.king_is_surrounded(),
            Rules::Cuervo => self.turn == BLACK && self.king_is_surrounded(),
            Rules::Nielsen => self.taken_by_the_last_ply,
        };
        if captured {
            return Some(End { name: "king-captured", winner: Some(RED), tie: false });
        }
        // "immobile (R-5): the side to move has no legal move: it loses."
        let stuck = self.moves(1).is_empty();
        stuck.then_some(End { name: "immobile", winner: Some(1 - self.turn), tie: false })
    }

    fn moves(&self, most: usize) -> Vec<String> {
        let mut moves = Vec::new();
        for from in self.board.keys() {
            for to in (0..7).flat_map(|file| (0..7).map(move |row| (file, row))) {
                if moves.len() < most && self.may_go(false, *from, to).is_ok() {
                    moves.push(canonical(*from, to, &self.after(*from, to).1));
                }
            }
        }
        moves
    }

    fn again(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
