//! A position of Andes: its pieces, counts and points.

use std::fmt;

use quipu_notation::{
    Side,
    games::andes::{Diagram, Kind, Objectives, Piece, Setup, Square},
};

use super::{
    board::{self, CENTRE, Squares, bit},
    breach::PositionBreach,
};
use crate::{Count, PointRule, Points};

/// A position that can be played from.
///
/// Two positions are equal when their position strings are: squares, turn, reserves, pieces attacked, entries,
/// objectives and plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Pieces of each side.
    pub(super) pieces: [Squares; 2],
    /// Low and high bit of the digit of the kind on each square.
    low: Squares,
    high: Squares,
    pub(super) turn: Side,
    pub(super) reserves: [u8; 2],
    pub(super) attacked: [u8; 2],
    pub(super) entered: [bool; 2],
    pub(super) objectives: Objectives,
    /// Completed plies.
    pub(super) ply: u64,
}

/// Discs in the game: seven for each side (2.2), none is ever added.
const DISCS: u32 = 14;
/// Three points for a piece on the board, two for an attacked one, one for one in reserve (5.1.1-5.1.3).
pub(super) const POINTS: PointRule = PointRule { pieces: DISCS, worth: [3, 2, 1] };

impl Position {
    /// The start (2.2).
    pub const START: Self = Self {
        pieces: [0, 0],
        low: 0,
        high: 0,
        turn: Side::One,
        reserves: [7, 7],
        attacked: [0, 0],
        entered: [false, false],
        objectives: Objectives { persona: false, capture: false },
        ply: 0,
    };

    /// The position of an arrangement, or all its faults.
    ///
    /// # Errors
    /// `andes.position`, once for each fault.
    pub fn from_setup(setup: &Setup) -> Result<Self, Vec<PositionBreach>> {
        let mut position = Self { turn: setup.turn, ply: setup.ply, ..Self::START };
        for (square, piece) in Square::all().zip(setup.diagram.cells) {
            if let Some(piece) = piece {
                position.put(square, piece);
            }
        }
        position.entered = setup.entered;
        position.objectives = setup.objectives;

        let mut breaches = Vec::new();
        let on_board: u64 = position.pieces.iter().map(|pieces| u64::from(pieces.count_ones())).sum();
        let off_board: u64 = setup.reserves.iter().chain(&setup.attacked).copied().map(u64::from).sum();
        if on_board + off_board == u64::from(DISCS) {
            let small = |counts: [u32; 2]| counts.map(|count| u8::try_from(count).unwrap_or(u8::MAX));
            position.reserves = small(setup.reserves);
            position.attacked = small(setup.attacked);
        } else {
            breaches.push(PositionBreach::Count(on_board + off_board));
        }
        if (setup.turn == Side::One) != setup.ply.is_multiple_of(2) {
            breaches.push(PositionBreach::Parity { turn: setup.turn, ply: setup.ply });
        }
        for side in Side::BOTH {
            if position.on_continent(side) && !setup.entered[side.index()] {
                breaches.push(PositionBreach::NotEntered(side));
            }
        }
        if position.persona_in_centre() && !setup.objectives.persona {
            breaches.push(PositionBreach::Persona);
        }
        if breaches.is_empty() { Ok(position) } else { Err(breaches) }
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        let mut diagram = Diagram::EMPTY;
        for side in Side::BOTH {
            for square in board::each(self.pieces[side.index()]) {
                diagram.cells[square.index()] = Some(Piece { side, kind: self.kind(bit(square)) });
            }
        }
        Setup {
            diagram,
            turn: self.turn,
            reserves: self.reserves.map(u32::from),
            attacked: self.attacked.map(u32::from),
            entered: self.entered,
            objectives: self.objectives,
            ply: self.ply,
        }
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        self.turn
    }

    /// The piece on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        let bit = bit(square);
        let side = Side::BOTH.into_iter().find(|side| self.pieces[side.index()] & bit != 0)?;
        Some(Piece { side, kind: self.kind(bit) })
    }

    /// The points of both sides now (5.1.1-5.1.3), with the numbers that decide between equal ones (5.2).
    pub fn points_counted(&self) -> Points {
        Points(Side::BOTH.map(|side| {
            let index = side.index();
            let on_board = self.pieces[index].count_ones();
            let (attacked, reserve) = (u32::from(self.attacked[index]), u32::from(self.reserves[index]));
            let breaks = [on_board, attacked, reserve];
            Count { points: POINTS.points(breaks), breaks }
        }))
    }

    #[inline]
    pub(super) fn occupied(&self) -> Squares {
        self.pieces[0] | self.pieces[1]
    }

    #[inline]
    pub(super) fn kind(&self, bit: Squares) -> Kind {
        Kind::ALL[usize::from(self.low & bit != 0) + 2 * usize::from(self.high & bit != 0)]
    }

    /// The squares of a side's pieces of one kind.
    #[inline]
    pub(super) fn of_kind(&self, side: Side, kind: Kind) -> Squares {
        let low = if kind as u8 & 1 == 0 { !self.low } else { self.low };
        let high = if kind as u8 & 2 == 0 { !self.high } else { self.high };
        self.pieces[side.index()] & low & high
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        let bit = bit(square);
        self.pieces[piece.side.index()] |= bit;
        self.low |= if piece.kind as u8 & 1 == 0 { 0 } else { bit };
        self.high |= if piece.kind as u8 & 2 == 0 { 0 } else { bit };
    }

    #[inline]
    pub(super) fn remove(&mut self, squares: Squares) {
        self.pieces = self.pieces.map(|pieces| pieces & !squares);
        self.low &= !squares;
        self.high &= !squares;
    }

    #[inline]
    pub(super) fn on_continent(&self, side: Side) -> bool {
        self.pieces[side.index()] & board::CONTINENT != 0
    }

    #[inline]
    pub(super) fn persona_in_centre(&self) -> bool {
        self.of_kind(Side::One, Kind::Persona) & CENTRE != 0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}
