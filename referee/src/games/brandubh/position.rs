//! A position of Brandubh: its pieces, enemies, and the capture of the king.

use std::fmt;

use quipu_notation::{
    Side,
    games::brandubh::{Diagram, Piece, SIZE, Setup, Square},
};

use super::{
    board::{self, CENTRE, D4, FACING, NEIGHBOURS, Squares, bit},
    breach::PositionBreach,
    rules::{KingCapturers, Rules, Siege, Thrones},
};

/// A position that can be played from.
///
/// Two positions are equal when games continue from them alike: equal position strings, rules, and capture of the king.
/// The string does not contain the last, which does not follow from it under rules where only the piece that moved
/// takes the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Pawns of each side.
    pub(super) pawns: [Squares; 2],
    pub(super) king: Square,
    pub(super) turn: Side,
    /// True if the king has been taken; it stays on the board.
    pub(super) taken: bool,
    /// Completed plies.
    pub(super) ply: u64,
    pub(super) rules: &'static Rules,
    /// Those of the rules.
    pub(super) thrones: Thrones,
}

/// Pawns of each side at the start, none is ever added.
const MAX_PAWNS: [u32; 2] = [4, 8];

/// d3 d5 c4 e4 and d1 d2 d6 d7 a4 b4 f4 g4 around the king on d4.
const START: [Squares; 2] = [arms(1), arms(2) | arms(3)];

/// The four squares at a distance from the centre along its rank and file.
const fn arms(distance: usize) -> Squares {
    let (across, along) = (distance, SIZE * distance);
    CENTRE << across | CENTRE >> across | CENTRE << along | CENTRE >> along
}

impl Position {
    /// The start of a game.
    pub fn start(rules: &'static Rules) -> Self {
        let thrones = rules.thrones();
        Self { pawns: START, king: D4, turn: rules.turn(0), taken: false, ply: 0, rules, thrones }
    }

    /// The position of an arrangement, or all its faults.
    ///
    /// Under rules where only the piece that moved takes the king, an arrangement does not show that piece: the king
    /// counts as having walked in (N-8).
    ///
    /// # Errors
    /// `brandubh.position`, once for each fault.
    pub fn from_setup(rules: &'static Rules, setup: &Setup) -> Result<Self, Vec<PositionBreach>> {
        let mut position = Self { pawns: [0; 2], turn: setup.turn, ply: setup.ply, ..Self::start(rules) };
        let mut breaches = Vec::new();
        let mut kings = 0;
        for square in Square::all() {
            match setup.diagram.get(square) {
                None => {}
                Some(Piece::King) => {
                    kings += 1;
                    position.king = square;
                }
                Some(Piece::Pawn(side)) => {
                    position.pawns[side.index()] |= bit(square);
                    if position.thrones.barred & bit(square) != 0 {
                        breaches.push(PositionBreach::Throne(square));
                    }
                }
            }
        }
        if kings != 1 {
            breaches.push(PositionBreach::Kings(kings));
        }
        for side in Side::BOTH {
            let (found, most) = (position.pawns[side.index()].count_ones(), MAX_PAWNS[side.index()]);
            if found > most {
                breaches.push(PositionBreach::Pawns { side, found, most });
            }
        }
        if setup.turn != rules.turn(setup.ply) {
            breaches.push(PositionBreach::Parity { turn: setup.turn, ply: setup.ply });
        }
        position.taken = position.takes_king(None);
        if breaches.is_empty() { Ok(position) } else { Err(breaches) }
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        let mut diagram = Diagram::EMPTY;
        for side in Side::BOTH {
            for square in board::each(self.pawns[side.index()]) {
                diagram.cells[square.index()] = Some(Piece::Pawn(side));
            }
        }
        diagram.cells[self.king.index()] = Some(Piece::King);
        Setup { diagram, turn: self.turn, ply: self.ply }
    }

    /// The piece on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        if square == self.king {
            return Some(Piece::King);
        }
        Side::BOTH.into_iter().find(|side| self.pawns[side.index()] & bit(square) != 0).map(Piece::Pawn)
    }

    #[inline]
    pub(super) fn occupied(&self) -> Squares {
        self.pawns[0] | self.pawns[1] | bit(self.king)
    }

    /// The pieces of a side.
    #[inline]
    pub(super) fn pieces(&self, side: Side) -> Squares {
        let king = if side == Side::One { bit(self.king) } else { 0 };
        self.pawns[side.index()] | king
    }

    /// Moves a piece to another square, without captures.
    #[inline]
    pub(super) fn shift(&mut self, from: Square, to: Square) {
        if from == self.king {
            self.king = to;
        } else {
            self.pawns[self.turn.index()] ^= bit(from) | bit(to);
        }
    }

    /// The squares with an enemy of the pieces of `side`: pawns, the king if it captures, and thrones that are empty
    /// and hostile.
    #[inline]
    pub(super) fn enemies_of(&self, side: Side) -> Squares {
        let king = if side == Side::Two && self.rules.king_captures_standing { bit(self.king) } else { 0 };
        self.pawns[(!side).index()] | king | self.thrones.against[side.index()] & !self.occupied()
    }

    /// Passes the turn after a move to `to` and its captures.
    #[inline]
    pub(super) fn end_ply(&mut self, to: Square) {
        self.turn = !self.turn;
        self.ply += 1;
        self.taken = self.takes_king(Some(to));
    }

    /// True if the king is taken now, after a move to `moved` (B-4, B-8, R-4, N-7).
    #[inline]
    fn takes_king(&self, moved: Option<Square>) -> bool {
        match self.rules.king_capturers {
            KingCapturers::EveryPly => self.besiegers() != 0,
            KingCapturers::RedPlies => self.turn == Side::One && self.besiegers() != 0,
            KingCapturers::RedMover => {
                self.turn == Side::One && moved.is_some_and(|to| self.besiegers() & bit(to) != 0)
            }
        }
    }

    /// The squares from which the king is taken; none if it is not.
    #[inline]
    fn besiegers(&self) -> Squares {
        let enemies = self.enemies_of(Side::One);
        let around = NEIGHBOURS[self.king.index()];
        // One enemy alone takes no king: on a corner it has two neighbours, and elsewhere more.
        let beside = around & enemies;
        if beside & beside.wrapping_sub(1) == 0 {
            return 0;
        }
        let siege = match bit(self.king) {
            CENTRE => self.rules.king_on_centre,
            _ if around & CENTRE != 0 => self.rules.king_beside_centre,
            _ => self.rules.king_elsewhere,
        };
        match siege {
            Siege::Around => full(around & !CENTRE, enemies),
            Siege::Between => {
                let [rank, file] = FACING[self.king.index()];
                full(rank, enemies) | full(file, enemies)
            }
        }
    }
}

/// The squares, if all of them are in the set.
#[inline]
fn full(squares: Squares, set: Squares) -> Squares {
    if squares & !set == 0 { squares } else { 0 }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}
