//! A position of Querni: its pieces and their links.

use std::fmt;

use quipu_notation::{
    Side,
    games::querni::{Diagram, Number, Piece, Run, Setup, Square},
};

use super::{
    board::{Squares, bit},
    breach::PositionBreach,
    chains::{self, Links, OFF, Places},
};

/// Plies without a removal after which the game is a draw: a turn is one player's turn.
pub(super) const IDLE_PLIES: u64 = 30;

/// A position that can be played from.
///
/// Two positions are equal when their position strings are: squares, turn, plies since the last removal and all plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The squares of each side.
    pieces: [Squares; 2],
    /// The place of each piece of each side.
    places: [Places; 2],
    /// The numbers of each side that are still on the board, one bit each.
    pub(super) left: [u16; 2],
    /// The links between consecutive numbers.
    links: [Links; 2],
    pub(super) turn: Side,
    /// Plies since the last removal, or since the start.
    pub(super) idle: u64,
    /// Completed plies.
    pub(super) ply: u64,
}

impl Position {
    /// A board without pieces.
    pub(super) const fn empty(turn: Side) -> Self {
        let places = [[OFF; Number::COUNT]; 2];
        Self { pieces: [0; 2], places, left: [0; 2], links: [Links::NONE; 2], turn, idle: 0, ply: 0 }
    }

    /// The position of an arrangement, or all its faults.
    ///
    /// # Errors
    /// `querni.position`, once for each fault.
    pub fn from_setup(setup: &Setup) -> Result<Self, Vec<PositionBreach>> {
        let mut position = Self { idle: setup.idle, ply: setup.ply, ..Self::empty(setup.turn) };
        let mut breaches = Vec::new();
        for (square, piece) in Square::all().zip(setup.diagram.cells) {
            let Some(piece) = piece else { continue };
            match position.place(piece) {
                Some(first) => breaches.push(PositionBreach::Twice { piece, first, second: square }),
                None => position.stand(piece, square),
            }
        }
        position.links = position.places.each_ref().map(Links::of);
        if setup.idle > setup.ply {
            breaches.push(PositionBreach::Idle { idle: setup.idle, ply: setup.ply });
        }
        if breaches.is_empty() { Ok(position) } else { Err(breaches) }
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        let mut diagram = Diagram::EMPTY;
        for (side, number) in Side::BOTH.into_iter().flat_map(|side| Number::all().map(move |number| (side, number))) {
            let piece = Piece { side, number };
            if let Some(square) = self.place(piece) {
                diagram.cells[square.index()] = Some(piece);
            }
        }
        Setup { diagram, turn: self.turn, idle: self.idle, ply: self.ply }
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        self.turn
    }

    /// The number of pieces of each side on the board.
    pub fn counts(&self) -> [usize; 2] {
        self.left.map(|left| left.count_ones() as usize)
    }

    /// The square of a piece, if it is on the board.
    pub fn place(&self, Piece { side, number }: Piece) -> Option<Square> {
        let place = self.places[side.index()][number.index()];
        (place != OFF).then(|| Square::from_index(usize::from(place)))
    }

    /// The piece on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        let side = Side::BOTH.into_iter().find(|side| self.pieces[side.index()] & bit(square) != 0)?;
        Some(Piece { side, number: chains::number_at(&self.places[side.index()], square)? })
    }

    pub(super) fn occupied(&self) -> Squares {
        self.pieces[0] | self.pieces[1]
    }

    /// The squares of the side to move.
    pub(super) fn own(&self) -> Squares {
        self.pieces[self.turn.index()]
    }

    /// The places of the pieces of the side to move.
    pub(super) fn own_places(&self) -> &Places {
        &self.places[self.turn.index()]
    }

    /// The numbers of the side to move that are on the board, one bit each.
    pub(super) fn own_numbers(&self) -> u16 {
        self.left[self.turn.index()]
    }

    /// The pieces of the side to move, with their squares.
    pub(super) fn each_own(&self) -> impl Iterator<Item = (Number, Square)> {
        let places = self.own_places();
        let mut left = self.own_numbers();
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            Some((Number::from_index(index), Square::from_index(usize::from(places[index]))))
        })
    }

    /// The links of the side to move.
    pub(super) fn links(&self) -> Links {
        self.links[self.turn.index()]
    }

    /// Puts a piece that is not on the board on an empty square.
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.stand(piece, square);
        self.settle(piece, square);
    }

    /// The same without its links.
    fn stand(&mut self, piece: Piece, square: Square) {
        let side = piece.side.index();
        self.pieces[side] |= bit(square);
        self.left[side] |= 1 << piece.number.index();
        self.places[side][piece.number.index()] = chains::place(square);
    }

    /// Updates the place of a piece and its links.
    fn settle(&mut self, piece: Piece, square: Square) {
        let side = piece.side.index();
        self.links[side] = self.links[side].moved(&self.places[side], piece.number, square);
        self.places[side][piece.number.index()] = chains::place(square);
    }

    /// Puts a piece that is on the board on an empty square.
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        let side = piece.side.index();
        self.pieces[side] ^= bit(from) | bit(to);
        self.settle(piece, to);
    }

    /// Takes pieces of a side off the board, all of which are on it.
    pub(super) fn take(&mut self, side: Side, run: Run) {
        let side = side.index();
        for place in &mut self.places[side][run.first.index()..=run.last.index()] {
            self.pieces[side] &= !bit(Square::from_index(usize::from(*place)));
            *place = OFF;
        }
        self.left[side] &= !chains::bits(run);
        self.links[side] = self.links[side].without(run);
    }

    /// True if a side can still form a chain: three consecutive numbers are left, on any squares.
    pub(super) fn alive(&self, side: Side) -> bool {
        let left = self.left[side.index()];
        left & left >> 1 & left >> 2 != 0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}
