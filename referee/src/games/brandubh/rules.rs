//! The switches of rule sets of this family of games, and the table of rule sets.
//!
//! A rule set is a row here and nothing else: no code compares its name. `docs/rules/brandubh.md` explains the
//! switches.

use quipu_notation::Side;

use super::board::{CENTRE, CORNERS, Squares};
use crate::RuleSet;

/// The switches of a rule set. Every combination is playable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The side of the first move.
    pub starts: Side,
    /// Distance of the king's moves (B-2).
    pub king_reach: Reach,
    /// True if the king captures by moving (B-6).
    pub king_captures_moving: bool,
    /// True if the king helps a moving piece of its side to capture (B-6).
    pub king_captures_standing: bool,
    /// The centre for pawns (B-5).
    pub centre: Throne,
    /// The corners for pawns (B-5). They end their lines, so nothing passes over them.
    pub corners: Throne,
    /// Pieces that the empty centre is hostile to.
    pub centre_against: Against,
    /// Pieces that an empty corner is hostile to.
    pub corners_against: Against,
    /// Capture of the king on the centre (B-8).
    pub king_on_centre: Siege,
    /// Capture of the king on a square next to the centre (B-8).
    pub king_beside_centre: Siege,
    /// Capture of the king anywhere else (B-8).
    pub king_elsewhere: Siege,
    /// Fate of a pawn that moves in between two enemies (R-3, B-12).
    pub walking_in: WalkingIn,
    /// The plies that can take the king (R-4, B-12).
    pub king_capturers: KingCapturers,
}

/// Distance of the king's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One square.
    Step,
    /// As far as a pawn.
    Slide,
}

/// A throne for pawns. For the king it is a square like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throne {
    /// Pawns neither stop on it nor pass over it.
    Closed,
    /// Pawns pass over it while it is empty, and do not stop on it.
    Passable,
    /// A square like any other.
    Open,
}

/// Pieces that an empty throne is hostile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// None.
    Nobody,
    /// Those of one side.
    Only(Side),
    /// All.
    Everybody,
}

/// Ways to take the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siege {
    /// An enemy on every square around it, except an adjacent centre.
    Around,
    /// Like a pawn: enemies on two opposite squares.
    Between,
}

/// Fate of a pawn that moves in between two enemies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkingIn {
    /// It is taken, after its own captures.
    Taken,
    /// It is safe.
    Safe,
}

/// The plies that can take the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KingCapturers {
    /// Every ply, by the position alone.
    EveryPly,
    /// Plies of red, by the position alone.
    RedPlies,
    /// Plies of red, and only with the piece that moved.
    RedMover,
}

/// The rules of the author's text.
const BASE: Rules = Rules {
    starts: Side::One,
    king_reach: Reach::Step,
    king_captures_moving: false,
    king_captures_standing: false,
    centre: Throne::Closed,
    corners: Throne::Closed,
    centre_against: Against::Nobody,
    corners_against: Against::Nobody,
    king_on_centre: Siege::Around,
    king_beside_centre: Siege::Around,
    king_elsewhere: Siege::Around,
    walking_in: WalkingIn::Taken,
    king_capturers: KingCapturers::EveryPly,
};

/// The variant of the author's text (B-12).
const CUERVO: Rules = Rules { walking_in: WalkingIn::Safe, king_capturers: KingCapturers::RedPlies, ..BASE };

/// The rules of tafl clubs.
const NIELSEN: Rules = Rules {
    starts: Side::Two,
    king_reach: Reach::Slide,
    king_captures_moving: true,
    king_captures_standing: true,
    centre: Throne::Passable,
    corners_against: Against::Everybody,
    king_elsewhere: Siege::Between,
    walking_in: WalkingIn::Safe,
    king_capturers: KingCapturers::RedMover,
    ..BASE
};

/// The rule sets, the default first.
pub(super) const RULE_SETS: &[RuleSet<&Rules>] = &[
    RuleSet { name: "base", rules: &BASE },
    RuleSet { name: "cuervo", rules: &CUERVO },
    RuleSet { name: "nielsen", rules: &NIELSEN },
];

impl Rules {
    /// The side to move after this number of plies.
    pub(super) fn turn(&self, ply: u64) -> Side {
        if ply.is_multiple_of(2) { self.starts } else { !self.starts }
    }

    /// The thrones as sets of squares.
    pub(super) fn thrones(&self) -> Thrones {
        let centre = |is: bool| if is { CENTRE } else { 0 };
        let corners = |is: bool| if is { CORNERS } else { 0 };
        let are = |is: fn(Throne) -> bool| centre(is(self.centre)) | corners(is(self.corners));
        let against = |side: Side| {
            let is = |whose| whose == Against::Everybody || whose == Against::Only(side);
            centre(is(self.centre_against)) | corners(is(self.corners_against))
        };
        Thrones {
            barred: are(|throne| throne != Throne::Open),
            walls: are(|throne| throne == Throne::Closed),
            against: Side::BOTH.map(against),
        }
    }
}

/// The thrones of a rule set as sets of squares, which every ply needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thrones {
    /// The squares that pawns do not stop on (B-5).
    pub(super) barred: Squares,
    /// The squares that pawns do not pass over (B-5).
    pub(super) walls: Squares,
    /// The squares that are hostile to each side while they are empty.
    pub(super) against: [Squares; 2],
}
