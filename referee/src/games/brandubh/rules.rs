//! The switches that the rule sets of this family differ in, and the table of those that are known.
//!
//! A rule set is a row here and nothing else: no line of code asks for its name. What a switch does is told with the
//! rules, in `docs/rules/brandubh.md`.

use quipu_notation::Side;

use super::board::{CENTRE, CORNERS, Squares};
use crate::RuleSet;

/// What rule sets differ in. Every combination can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Who makes the first move.
    pub starts: Side,
    /// How far the king goes (B-2).
    pub king_reach: Reach,
    /// Whether the king captures what he moves beside (B-6).
    pub king_captures_moving: bool,
    /// Whether the king is an enemy of what a piece of his side moves beside (B-6).
    pub king_captures_standing: bool,
    /// What the centre is to pawns (B-5).
    pub centre: Throne,
    /// What the corners are to pawns (B-5). They are the ends of their lines, so there is no passing over them.
    pub corners: Throne,
    /// Whose enemy the empty centre is.
    pub centre_against: Against,
    /// Whose enemy an empty corner is.
    pub corners_against: Against,
    /// How the king is taken on the centre (B-8).
    pub king_on_centre: Siege,
    /// How the king is taken on a square next to the centre (B-8).
    pub king_beside_centre: Siege,
    /// How the king is taken anywhere else (B-8).
    pub king_elsewhere: Siege,
    /// What becomes of a pawn that moves in between two enemies (R-3, B-12).
    pub walking_in: WalkingIn,
    /// When it is judged whether the king is taken (R-4, B-12).
    pub king_judged: Judged,
}

/// How far the king goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One square.
    Step,
    /// As far as a pawn.
    Slide,
}

/// What a throne is to pawns. To the king it is a square like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throne {
    /// They neither stop on it nor pass over it.
    Closed,
    /// They pass over it while it is empty, and do not stop on it.
    Passable,
    /// A square like any other.
    Open,
}

/// Whose enemy an empty throne is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Nobody's.
    Nobody,
    /// Of the pieces of one side.
    Only(Side),
    /// Of every piece beside it.
    Everybody,
}

/// How the king is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siege {
    /// With an enemy on every square around him; the centre beside him needs none.
    Around,
    /// Like a pawn: with enemies on two squares that face each other.
    Between,
}

/// What becomes of a pawn that moves in between two enemies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkingIn {
    /// It is taken, after its own captures.
    Taken,
    /// It is safe.
    Safe,
}

/// When it is judged whether the king is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// After every ply, by the position alone.
    EveryPly,
    /// After the plies of red, by the position alone.
    RedPlies,
    /// After the plies of red, which take him only with the piece that moved.
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
    king_judged: Judged::EveryPly,
};

/// The variant of the author's text (B-12).
const CUERVO: Rules = Rules { walking_in: WalkingIn::Safe, king_judged: Judged::RedPlies, ..BASE };

/// As tafl clubs play it.
const NIELSEN: Rules = Rules {
    starts: Side::Two,
    king_reach: Reach::Slide,
    king_captures_moving: true,
    king_captures_standing: true,
    centre: Throne::Passable,
    corners_against: Against::Everybody,
    king_elsewhere: Siege::Between,
    walking_in: WalkingIn::Safe,
    king_judged: Judged::RedMover,
    ..BASE
};

/// The rule sets, the default first.
pub(super) const RULE_SETS: &[RuleSet<&Rules>] = &[
    RuleSet { name: "base", rules: &BASE },
    RuleSet { name: "cuervo", rules: &CUERVO },
    RuleSet { name: "nielsen", rules: &NIELSEN },
];

impl Rules {
    /// Whose turn it is after so many plies.
    pub(super) fn turn(&self, ply: u64) -> Side {
        if ply.is_multiple_of(2) { self.starts } else { !self.starts }
    }

    /// The squares that pawns do not stop on (B-5).
    #[inline]
    pub(super) fn barred(&self) -> Squares {
        self.thrones(|throne| throne != Throne::Open)
    }

    /// The squares that pawns do not pass over (B-5).
    #[inline]
    pub(super) fn walls(&self) -> Squares {
        self.thrones(|throne| throne == Throne::Closed)
    }

    #[inline]
    fn thrones(&self, are: impl Fn(Throne) -> bool) -> Squares {
        (if are(self.centre) { CENTRE } else { 0 }) | (if are(self.corners) { CORNERS } else { 0 })
    }

    /// The thrones that are enemies of `side` while they are empty.
    #[inline]
    pub(super) fn against(&self, side: Side) -> Squares {
        let when = |whose: Against, squares| match whose {
            Against::Everybody => squares,
            Against::Only(only) if only == side => squares,
            Against::Only(_) | Against::Nobody => 0,
        };
        when(self.centre_against, CENTRE) | when(self.corners_against, CORNERS)
    }
}
