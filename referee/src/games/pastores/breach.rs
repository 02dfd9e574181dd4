//! What the laws of Pastores y Guerreros refuse: one variant a code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        Fault, RowsFault,
        pastores::{Kind, MoveTextFault, Point, Setup, SetupFault},
    },
};

use super::{
    counts::{COUNTDOWN, STONES},
    words::{kind_word, rows_word, side_word},
};
use crate::{Code, Message, code};

/// The codes of Pastores y Guerreros: those of moves in order of precedence, then that of positions.
pub(super) const CODES: &[Code] = &[
    Code::format("pastores.notation"),
    Code::article("pastores.NOR.02", "NOR.02"),
    Code::follows("pastores.hand", "GEN.06"),
    Code::article("pastores.NOR.03", "NOR.03"),
    Code::article("pastores.occupied", "NOR.03"),
    Code::follows("pastores.empty", "NOR.07"),
    Code::follows("pastores.owner", "GEN.05"),
    Code::article("pastores.NOR.07", "NOR.07"),
    Code::follows("pastores.own", "NOR.10"),
    Code::follows("pastores.NOR.08", "NOR.08"),
    Code::article("pastores.NOR.05", "NOR.05"),
    Code::article("pastores.NOR.06", "NOR.06"),
    Code::format("pastores.position"),
];

/// Why a token is no lawful move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `pastores.notation`: it is of neither form, and what stands where it stops being.
    Notation(MoveTextFault, String),
    /// `pastores.NOR.02`: a movement, and so many stones are still to be placed.
    StillPlacing(u64),
    /// `pastores.NOR.02`: placing where all stones are placed.
    AllPlaced(Point),
    /// `pastores.hand`: no stone of that kind left to place.
    Hand(Side, Kind),
    /// `pastores.NOR.03`: placing outside one's own two rows.
    Rows(Point, Side),
    /// `pastores.occupied`: placing where a stone stands.
    Occupied(Point),
    /// `pastores.empty`: no stone on the origin.
    Empty(Point),
    /// `pastores.owner`: the stone there is the opponent's.
    Owner(Point, Side),
    /// `pastores.NOR.07`: no line joins the two points.
    Lines(Point, Point),
    /// `pastores.own`: a stone of the mover stands there.
    OwnStone(Point),
    /// `pastores.NOR.08`: the sign is not what the move does.
    Sign {
        /// The destination.
        to: Point,
        /// `x` is written.
        captures: bool,
    },
    /// `pastores.NOR.05`: a pastor on a diagonal.
    Pastor(Point, Point),
    /// `pastores.NOR.06`: a guerrero off the diagonals.
    Guerrero {
        /// The origin.
        from: Point,
        /// The destination.
        to: Point,
        /// Why it may not.
        why: NotDiagonal,
    },
}

/// Why a guerrero may not step along a row or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDiagonal {
    /// It would capture.
    Captures,
    /// The step is vertical.
    Vertical,
    /// It can move along a diagonal, to this point.
    Possible(Point),
}

impl Breach {
    pub(super) fn notation(fault: Fault<MoveTextFault>, token: &str) -> Self {
        Self::Notation(fault.kind, token[fault.span.range()].to_owned())
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Notation(..) => "pastores.notation",
            Self::StillPlacing(_) | Self::AllPlaced(_) => "pastores.NOR.02",
            Self::Hand(..) => "pastores.hand",
            Self::Rows(..) => "pastores.NOR.03",
            Self::Occupied(_) => "pastores.occupied",
            Self::Empty(_) => "pastores.empty",
            Self::Owner(..) => "pastores.owner",
            Self::Lines(..) => "pastores.NOR.07",
            Self::OwnStone(_) => "pastores.own",
            Self::Sign { .. } => "pastores.NOR.08",
            Self::Pastor(..) => "pastores.NOR.05",
            Self::Guerrero { .. } => "pastores.NOR.06",
        }
    }
}

impl From<Breach> for Message {
    fn from(breach: Breach) -> Self {
        let code = code::row(CODES, breach.code());
        let say = |variant| Self::variant(code, variant);
        match breach {
            Breach::Notation(fault, found) => {
                let variant = match fault {
                    MoveTextFault::Empty => return say("empty"),
                    MoveTextFault::Start => "start",
                    MoveTextFault::Row => "row",
                    MoveTextFault::Column => "column",
                    MoveTextFault::Sign => "sign",
                    MoveTextFault::Rest => "rest",
                };
                say(variant).with("found", found)
            }
            Breach::StillPlacing(left) => say("still-placing").with("left", left),
            Breach::AllPlaced(to) => say("all-placed").with("to", to),
            Breach::Hand(side, kind) => {
                Self::new(code).with_word("side", side_word(side)).with_word("kind", kind_word(kind))
            }
            Breach::Rows(to, side) => {
                Self::new(code).with("to", to).with_word("side", side_word(side)).with_word("rows", rows_word(side))
            }
            Breach::Occupied(point) | Breach::Empty(point) => Self::new(code).with("point", point),
            Breach::Owner(point, owner) => Self::new(code).with("point", point).with_word("owner", side_word(owner)),
            Breach::Lines(from, to) if from == to => say("same").with("from", from),
            Breach::Lines(from, to) => say("lines").with("from", from).with("to", to),
            Breach::OwnStone(to) => Self::new(code).with("to", to),
            Breach::Sign { to, captures } => say(if captures { "empty" } else { "enemy" }).with("to", to),
            Breach::Pastor(from, to) => Self::new(code).with("from", from).with("to", to),
            Breach::Guerrero { from, to, why } => {
                let say = |variant| say(variant).with("from", from).with("to", to);
                match why {
                    NotDiagonal::Captures => say("captures"),
                    NotDiagonal::Vertical => say("vertical"),
                    NotDiagonal::Possible(open) => say("possible").with("open", open),
                }
            }
        }
    }
}

/// `pastores.position`: why a text is no position to play from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// It is not of the form, and what stands there.
    Form(SetupFault, String),
    /// A diagram is not of the form.
    Rows(RowsFault, String),
    /// A side has more stones of a kind than there are (GEN.06).
    Many {
        /// Whose.
        side: Side,
        /// Of which kind.
        kind: Kind,
        /// How many, hand and board together.
        found: u32,
        /// How many there are.
        most: u8,
    },
    /// While stones are placed, a side has more or fewer than it started with (GEN.05).
    Stones {
        /// Whose.
        side: Side,
        /// How many, hand and board together.
        found: u32,
    },
    /// What a side has left to place does not go with the plies (NOR.03).
    Hand {
        /// Whose.
        side: Side,
        /// How many stones.
        found: u32,
        /// How many there should be.
        expected: u64,
        /// As written.
        ply: u64,
    },
    /// The countdown is longer than it ever is.
    CountdownRange(u32),
    /// It runs while stones are placed.
    CountdownPlacing,
    /// It runs with more than one stone a side.
    CountdownStones,
}

impl PositionBreach {
    /// The field that is at fault, if it is one alone.
    pub(super) const fn field(&self) -> Option<usize> {
        match self {
            Self::Form(..) | Self::Rows(..) | Self::Many { .. } | Self::Stones { .. } => None,
            Self::Hand { .. } => Some(Setup::HANDS),
            Self::CountdownRange(_) | Self::CountdownPlacing | Self::CountdownStones => Some(Setup::COUNTDOWN),
        }
    }
}

impl From<PositionBreach> for Message {
    fn from(breach: PositionBreach) -> Self {
        let code = code::row(CODES, "pastores.position");
        let say = |variant| Self::variant(code, variant);
        match breach {
            PositionBreach::Form(SetupFault::Rows(fault), found) | PositionBreach::Rows(fault, found) => {
                Self::of_rows(code, fault, found)
            }
            PositionBreach::Form(fault, found) => match fault {
                SetupFault::Fields { found, expected } => say("fields").with("found", found).with("expected", expected),
                SetupFault::Turn => say("turn").with("found", found),
                SetupFault::Hands => say("hands").with("found", found),
                SetupFault::Countdown => say("countdown").with("found", found).with("most", COUNTDOWN),
                SetupFault::Number | SetupFault::Rows(_) => say("number").with("found", found),
            },
            PositionBreach::Many { side, kind, found, most } => say("many")
                .with_word("side", side_word(side))
                .with_word("kind", kind_word(kind))
                .with("found", found)
                .with("most", most),
            PositionBreach::Stones { side, found } => {
                say("stones").with_word("side", side_word(side)).with("found", found).with("expected", STONES)
            }
            PositionBreach::Hand { side, found, expected, ply } => say("hand")
                .with_word("side", side_word(side))
                .with("found", found)
                .with("expected", expected)
                .with("ply", ply),
            PositionBreach::CountdownRange(found) => say("countdown").with("found", found).with("most", COUNTDOWN),
            PositionBreach::CountdownPlacing => say("countdown-placing"),
            PositionBreach::CountdownStones => say("countdown-stones"),
        }
    }
}
