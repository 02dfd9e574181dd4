//! What the laws of Querni refuse: one variant or more a code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        Fault, RowsFault,
        querni::{MoveTextFault, Number, Piece, Run, SetupFault, Square},
    },
};

use super::words::side_word;
use crate::{Code, Message, code};

/// The codes of Querni: those of moves in order of precedence, then that of positions.
pub(super) const CODES: &[Code] = &[
    Code::format("querni.notation"),
    Code::article("querni.Q-8", "Q-8"),
    Code::follows("querni.empty", "Q-3"),
    Code::follows("querni.owner", "Q-3"),
    Code::format("querni.claim"),
    Code::article("querni.Q-7", "Q-7"),
    Code::article("querni.occupied", "Q-4"),
    Code::article("querni.Q-4", "Q-4"),
    Code::article("querni.Q-5", "Q-5"),
    Code::article("querni.Q-9", "Q-9"),
    Code::follows("querni.missing", "Q-9"),
    Code::article("querni.Q-10", "Q-10"),
    Code::format("querni.position"),
];

/// Why a token is no lawful move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `querni.notation`: it is not of the form, and what stands where it stops being.
    Notation(MoveTextFault, String),
    /// `querni.Q-8`: a pass of a side that can move.
    CanMove(Side),
    /// `querni.Q-8`: a pass of a side that cannot move and can remove.
    CanRemove(Side),
    /// `querni.empty`: nothing stands on the origin.
    Empty(Square),
    /// `querni.owner`: what stands there is the opponent's.
    Owner(Square, Side),
    /// `querni.claim`: what stands there has another number.
    Claim {
        /// The origin.
        square: Square,
        /// The number written.
        written: Number,
        /// The number of the piece.
        piece: Number,
    },
    /// `querni.Q-7`: a jump lands on the square that it left.
    Returns(Square),
    /// `querni.Q-7`: a jump lands on a square again.
    Again(Square),
    /// `querni.occupied`: somebody stands there.
    Occupied(Square),
    /// `querni.occupied`: a step to where the piece stands.
    Stays(Square),
    /// `querni.Q-4`: a step to a square that is no neighbour.
    Far {
        /// From where.
        from: Square,
        /// To where.
        to: Square,
    },
    /// `querni.Q-5`: a hop that is not two squares in a straight line.
    NotStraight {
        /// From where.
        from: Square,
        /// To where.
        to: Square,
    },
    /// `querni.Q-5`: a hop over an empty square.
    OverNothing {
        /// From where.
        from: Square,
        /// To where.
        to: Square,
        /// The square between.
        over: Square,
    },
    /// `querni.Q-9`: the numbers descend.
    Descending(Run),
    /// `querni.Q-9`: fewer than three pieces.
    TooFew(Run),
    /// `querni.missing`: a piece that is no longer there.
    Missing(Side, Number),
    /// `querni.Q-10`: two that follow one another in number are no neighbours.
    Apart {
        /// The one.
        before: (Number, Square),
        /// The other.
        next: (Number, Square),
    },
}

impl Breach {
    pub(super) fn notation(fault: Fault<MoveTextFault>, token: &str) -> Self {
        Self::Notation(fault.kind, token[fault.span.range()].to_owned())
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Notation(..) => "querni.notation",
            Self::CanMove(_) | Self::CanRemove(_) => "querni.Q-8",
            Self::Empty(_) => "querni.empty",
            Self::Owner(..) => "querni.owner",
            Self::Claim { .. } => "querni.claim",
            Self::Returns(_) | Self::Again(_) => "querni.Q-7",
            Self::Occupied(_) | Self::Stays(_) => "querni.occupied",
            Self::Far { .. } => "querni.Q-4",
            Self::NotStraight { .. } | Self::OverNothing { .. } => "querni.Q-5",
            Self::Descending(_) | Self::TooFew(_) => "querni.Q-9",
            Self::Missing(..) => "querni.missing",
            Self::Apart { .. } => "querni.Q-10",
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
                    MoveTextFault::Column => "column",
                    MoveTextFault::Row => "row",
                    MoveTextFault::Motion => "motion",
                    MoveTextFault::Mixed => "mixed",
                    MoveTextFault::Number => "number",
                    MoveTextFault::Hyphen => "hyphen",
                    MoveTextFault::Rest => "rest",
                };
                say(variant).with("found", found)
            }
            Breach::CanMove(side) => say("motion").with_word("side", side_word(side)),
            Breach::CanRemove(side) => say("removal").with_word("side", side_word(side)),
            Breach::Empty(square) => Self::new(code).with("square", square),
            Breach::Owner(square, owner) => Self::new(code).with("square", square).with_word("owner", side_word(owner)),
            Breach::Claim { square, written, piece } => {
                Self::new(code).with("square", square).with("written", written).with("piece", piece)
            }
            Breach::Returns(square) => say("origin").with("square", square),
            Breach::Again(square) => say("again").with("square", square),
            Breach::Occupied(square) => say("piece").with("square", square),
            Breach::Stays(square) => say("same").with("square", square),
            Breach::Far { from, to } => Self::new(code).with("from", from).with("to", to),
            Breach::NotStraight { from, to } => say("straight").with("from", from).with("to", to),
            Breach::OverNothing { from, to, over } => {
                say("nothing").with("from", from).with("to", to).with("over", over)
            }
            Breach::Descending(run) => say("descending").with("first", run.first).with("last", run.last),
            Breach::TooFew(run) => say("few").with("first", run.first).with("last", run.last),
            Breach::Missing(side, number) => Self::new(code).with_word("side", side_word(side)).with("number", number),
            Breach::Apart { before: (before, square), next: (next, to) } => {
                Self::new(code).with("before", before).with("square", square).with("next", next).with("to", to)
            }
        }
    }
}

/// `querni.position`: why a text is no position to play from, or a position none to start a game from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// It is not of the form, and what stands there.
    Form(SetupFault, String),
    /// A diagram is not of the form.
    Rows(RowsFault, String),
    /// A piece is there a second time.
    Twice {
        /// Which.
        piece: Piece,
        /// Where it stands.
        first: Square,
        /// And where besides.
        second: Square,
    },
    /// More plies without a removal than plies.
    Idle {
        /// As written.
        idle: u64,
        /// As written.
        ply: u64,
    },
    /// A game begins with all pieces and with nothing played.
    Start {
        /// Pieces on the board.
        pieces: usize,
        /// As written.
        idle: u64,
        /// As written.
        ply: u64,
    },
}

impl From<PositionBreach> for Message {
    fn from(breach: PositionBreach) -> Self {
        let code = code::row(CODES, "querni.position");
        let say = |variant| Self::variant(code, variant);
        match breach {
            PositionBreach::Form(SetupFault::Rows(fault), found) | PositionBreach::Rows(fault, found) => {
                Self::of_rows(code, fault, found)
            }
            PositionBreach::Form(fault, found) => match fault {
                SetupFault::Fields { found, expected } => say("fields").with("found", found).with("expected", expected),
                SetupFault::Turn => say("turn").with("found", found),
                SetupFault::Number | SetupFault::Rows(_) => say("number").with("found", found),
            },
            PositionBreach::Twice { piece, first, second } => say("twice")
                .with("number", piece.number)
                .with_word("side", side_word(piece.side))
                .with("first", first)
                .with("second", second),
            PositionBreach::Idle { idle, ply } => say("idle").with("idle", idle).with("ply", ply),
            PositionBreach::Start { pieces, idle, ply } => {
                say("start").with("pieces", pieces).with("idle", idle).with("ply", ply)
            }
        }
    }
}
