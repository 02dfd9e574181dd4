//! Breaches of the laws of Querni: one or more variants for each code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        GrammarFault, RowsFault, SetupFault,
        querni::{MoveTextFault, Number, Piece, Run, Square},
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

/// The reason why a token is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `querni.notation`: a fault of form, with the text at its place.
    Notation(MoveTextFault, String),
    /// `querni.Q-8`: a pass of a side that can move.
    CanMove(Side),
    /// `querni.Q-8`: a pass of a side that cannot move and can remove.
    CanRemove(Side),
    /// `querni.empty`: the origin is empty.
    Empty(Square),
    /// `querni.owner`: the piece there is the opponent's.
    Owner(Square, Side),
    /// `querni.claim`: the piece there has another number.
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
    /// `querni.Q-7`: a jump lands on a square twice.
    Again(Square),
    /// `querni.occupied`: a piece is there.
    Occupied(Square),
    /// `querni.occupied`: a step to the origin.
    Stays(Square),
    /// `querni.Q-4`: a step to a square that is no neighbour.
    Far {
        /// The origin.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// `querni.Q-5`: a hop that is not two squares in a straight line.
    NotStraight {
        /// The origin.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// `querni.Q-5`: a hop over an empty square.
    OverNothing {
        /// The origin.
        from: Square,
        /// The destination.
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
    /// `querni.Q-10`: two pieces with consecutive numbers are not neighbours.
    Apart {
        /// The lower number and its square.
        before: (Number, Square),
        /// The higher number and its square.
        next: (Number, Square),
    },
}

impl Breach {
    pub(super) fn notation(fault: GrammarFault<MoveTextFault>, token: &str) -> Self {
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

/// `querni.position`: the reason why a text is not a playable position, or a position not a start of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// A fault of form, with the text at its place.
    Form(SetupFault, String),
    /// A fault of form in a diagram.
    Rows(RowsFault, String),
    /// A piece that appears twice.
    Twice {
        /// The piece.
        piece: Piece,
        /// Its first square.
        first: Square,
        /// Its second square.
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
            PositionBreach::Rows(fault, found) => Self::of_rows(code, fault, found),
            PositionBreach::Form(fault, found) => Self::of_setup(code, fault, found),
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
