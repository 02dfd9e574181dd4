//! A position of Pastores y Guerreros: its stones, hands and countdown.

use std::fmt;

use quipu_notation::{
    Side,
    games::pastores::{Diagram, Hand, Kind, Point, Setup, Stone},
};

use super::{
    board::{self, Set, bit},
    breach::PositionBreach,
    counts::{COUNTDOWN, PLACINGS, STONES, WHOLE},
};

/// A position that can be played from.
///
/// Two positions are equal when their position strings are: stones, turn, hands, countdown and plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Stones of each side.
    pub(super) stones: [Set; 2],
    /// Those of them that are guerreros.
    pub(super) guerreros: Set,
    pub(super) turn: Side,
    /// The stones that each side has left to place.
    pub(super) hands: [Hand; 2],
    /// Plies left in the countdown of one against one, once it runs.
    pub(super) countdown: Option<u8>,
    /// Completed plies.
    pub(super) ply: u64,
}

impl Position {
    /// The start, `first` to move (NOR.01).
    pub const fn start(first: Side) -> Self {
        Self { stones: [0; 2], guerreros: 0, turn: first, hands: [WHOLE; 2], countdown: None, ply: 0 }
    }

    /// The position of an arrangement, or all its faults.
    ///
    /// # Errors
    /// `pastores.position`, once for each fault.
    pub fn from_setup(setup: &Setup) -> Result<Self, Vec<PositionBreach>> {
        let mut position = Self { hands: setup.hands, ply: setup.ply, ..Self::start(setup.turn) };
        for (point, stone) in Point::all().zip(setup.diagram.cells) {
            if let Some(stone) = stone {
                position.put(point, stone);
            }
        }
        let mut breaches = Vec::new();
        for side in Side::BOTH {
            let (stones, hand) = (position.stones[side.index()], setup.hands[side.index()]);
            let guerreros = (stones & position.guerreros).count_ones();
            let pastores = stones.count_ones() - guerreros;
            for (kind, on_board, in_hand, most) in [
                (Kind::Pastor, pastores, hand.pastores, WHOLE.pastores),
                (Kind::Guerrero, guerreros, hand.guerreros, WHOLE.guerreros),
            ] {
                let found = on_board + u32::from(in_hand);
                if found > most.into() {
                    breaches.push(PositionBreach::Many { side, kind, found, most });
                }
            }
            let (found, in_hand) = (stones.count_ones() + hand.total(), hand.total());
            if position.is_placing() && found != STONES {
                breaches.push(PositionBreach::Stones { side, found });
            }
            let expected = position.hand_now(side);
            if u64::from(in_hand) != expected {
                breaches.push(PositionBreach::Hand { side, found: in_hand, expected, ply: setup.ply });
            }
        }
        if let Some(left) = setup.countdown {
            position.countdown = u8::try_from(left).ok().filter(|left| *left <= COUNTDOWN);
            if position.countdown.is_none() {
                breaches.push(PositionBreach::CountdownRange(left));
            }
            if position.is_placing() {
                breaches.push(PositionBreach::CountdownPlacing);
            }
            if position.stones.iter().any(|stones| stones.count_ones() > 1) {
                breaches.push(PositionBreach::CountdownStones);
            }
        }
        if breaches.is_empty() { Ok(position) } else { Err(breaches) }
    }

    /// The arrangement.
    pub fn setup(&self) -> Setup {
        let mut diagram = Diagram::EMPTY;
        for side in Side::BOTH {
            for point in board::each(self.stones[side.index()]) {
                let kind = if self.guerreros & bit(point) == 0 { Kind::Pastor } else { Kind::Guerrero };
                diagram.cells[point.index()] = Some(Stone { side, kind });
            }
        }
        let countdown = self.countdown.map(u32::from);
        Setup { diagram, turn: self.turn, hands: self.hands, countdown, ply: self.ply }
    }

    /// The stone on a point.
    pub fn stone(&self, point: Point) -> Option<Stone> {
        let bit = bit(point);
        let side = Side::BOTH.into_iter().find(|side| self.stones[side.index()] & bit != 0)?;
        let kind = if self.guerreros & bit == 0 { Kind::Pastor } else { Kind::Guerrero };
        Some(Stone { side, kind })
    }

    /// True in the placing phase; afterwards stones move (NOR.02).
    #[inline]
    pub(super) fn is_placing(&self) -> bool {
        self.ply < PLACINGS
    }

    /// The number of stones that both sides have left to place.
    pub(super) fn left_to_place(&self) -> u64 {
        PLACINGS.saturating_sub(self.ply)
    }

    /// The number of stones that a side must have in hand now: both sides place one stone in turn (NOR.03).
    fn hand_now(&self, side: Side) -> u64 {
        let left = self.left_to_place();
        if side == self.turn { left.div_ceil(2) } else { left / 2 }
    }

    #[inline]
    pub(super) fn occupied(&self) -> Set {
        self.stones[0] | self.stones[1]
    }

    /// Puts a stone on an empty point.
    #[inline]
    pub(super) fn put(&mut self, point: Point, stone: Stone) {
        self.stones[stone.side.index()] |= bit(point);
        self.guerreros |= if stone.kind == Kind::Guerrero { bit(point) } else { 0 };
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}
