//! Positions that are set up by hand: the fields besides the stones.

use quipu_notation::{
    Side,
    games::pastores::{Diagram, Hand, Kind, Point, Setup},
};

use super::{
    board::{self, bit},
    counts::{PLACINGS, WHOLE},
};

/// A diagram in the placing phase, if the stones can have been placed so, else in the moving phase.
pub(super) fn completed(diagram: Diagram, turn: Side) -> Setup {
    let is_placed = |point: Point| diagram.get(point).is_none_or(|stone| board::rows(stone.side) & bit(point) != 0);
    let left = |side, kind, whole: u8| {
        let placed = diagram.cells.iter().flatten().filter(|stone| stone.side == side && stone.kind == kind).count();
        whole.checked_sub(u8::try_from(placed).ok()?)
    };
    let hand = |side| {
        let pastores = left(side, Kind::Pastor, WHOLE.pastores)?;
        Some(Hand { pastores, guerreros: left(side, Kind::Guerrero, WHOLE.guerreros)? })
    };
    let hands = hand(Side::One).zip(hand(Side::Two)).filter(|_| Point::all().all(is_placed));
    let hands = hands.map(<[Hand; 2]>::from).filter(|hands| {
        let [own, other] = [turn, !turn].map(|side| hands[side.index()].total());
        // The side to move has as many stones left as the other, or one more.
        own == other || own == other + 1
    });
    let hands = hands.unwrap_or_default();
    let ply = PLACINGS - hands.iter().map(|hand| u64::from(hand.total())).sum::<u64>();
    Setup { diagram, turn, hands, countdown: None, ply }
}
