//! Breaches of the laws of Pastores y Guerreros: one variant for each code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        GrammarFault, RowsFault, SetupFault,
        pastores::{Kind, MoveTextFault, Point, Setup},
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

/// The reason why a token is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `pastores.notation`: a fault of form, with the text at its place.
    Notation(MoveTextFault, String),
    /// `pastores.NOR.02`: a movement while this number of stones is still to be placed.
    StillPlacing(u64),
    /// `pastores.NOR.02`: placing when all stones are placed.
    AllPlaced(Point),
    /// `pastores.hand`: no stone of that kind left to place.
    Hand(Side, Kind),
    /// `pastores.NOR.03`: placing outside one's own two rows.
    Rows(Point, Side),
    /// `pastores.occupied`: placing on an occupied point.
    Occupied(Point),
    /// `pastores.empty`: no stone on the origin.
    Empty(Point),
    /// `pastores.owner`: the stone there is the opponent's.
    Owner(Point, Side),
    /// `pastores.NOR.07`: no line joins the two points.
    Lines(Point, Point),
    /// `pastores.own`: a stone of the mover is there.
    OwnStone(Point),
    /// `pastores.NOR.08`: the sign contradicts the move.
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
        /// The reason.
        why: NotDiagonal,
    },
}

/// The reason why a guerrero may not step along a row or column.
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
    pub(super) fn notation(fault: GrammarFault<MoveTextFault>, token: &str) -> Self {
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

/// `pastores.position`: the reason why a text is not a playable position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// A fault of form, with the text at its place.
    Form(SetupFault, String),
    /// A fault of form in a diagram.
    Rows(RowsFault, String),
    /// A side has more stones of a kind than there are (GEN.06).
    Many {
        /// The side.
        side: Side,
        /// The kind.
        kind: Kind,
        /// The number in hand and on the board.
        found: u32,
        /// The largest number.
        most: u8,
    },
    /// While stones are placed, a side has more or fewer than it started with (GEN.05).
    Stones {
        /// The side.
        side: Side,
        /// The number in hand and on the board.
        found: u32,
    },
    /// The stones left to place contradict the number of plies (NOR.03).
    Hand {
        /// The side.
        side: Side,
        /// The number in hand.
        found: u32,
        /// The correct number.
        expected: u64,
        /// As written.
        ply: u64,
    },
    /// The countdown is above its start.
    CountdownRange(u32),
    /// The countdown runs while stones are placed.
    CountdownPlacing,
    /// The countdown runs with more than one stone on a side.
    CountdownStones,
}

impl PositionBreach {
    /// The faulty field, if it is a single one.
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
            PositionBreach::Rows(fault, found) => Self::of_rows(code, fault, found),
            PositionBreach::Form(SetupFault::Field("countdown"), found) => {
                say("countdown").with("found", found).with("most", COUNTDOWN)
            }
            PositionBreach::Form(fault, found) => Self::of_setup(code, fault, found),
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
