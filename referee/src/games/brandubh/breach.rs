//! Breaches of the rules of Brandubh: one variant for each code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        GrammarFault, RowsFault, SetupFault,
        brandubh::{MoveTextFault, OtgBoardFault, Square},
    },
};

use super::{captures, words::side_word};
use crate::{Code, Message, code};

/// The codes of Brandubh: those of moves in order of precedence, then that of positions.
pub(super) const CODES: &[Code] = &[
    Code::format("brandubh.notation"),
    Code::follows("brandubh.empty", "B-9"),
    Code::article("brandubh.owner", "B-9"),
    Code::format("brandubh.piece"),
    Code::article("brandubh.line", "B-1"),
    Code::article("brandubh.B-2", "B-2"),
    Code::article("brandubh.B-5", "B-5"),
    Code::article("brandubh.blocked", "B-1"),
    Code::format("brandubh.claim"),
    Code::format("brandubh.position"),
];

/// The reason why a token is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `brandubh.notation`: a fault of form, with the text at its place.
    Notation(MoveTextFault, String),
    /// `brandubh.empty`: the origin is empty.
    Empty(Square),
    /// `brandubh.owner`: the piece there is the opponent's.
    Owner(Square, Side),
    /// `brandubh.piece`: the piece there is not the king.
    NotKing(Square),
    /// `brandubh.line`: the squares are not on one rank or file, or are the same.
    Line {
        /// The origin.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// `brandubh.B-2`: the king moves more than one square.
    KingSteps {
        /// The origin.
        from: Square,
        /// The destination.
        to: Square,
    },
    /// `brandubh.B-5`: a pawn stops on a throne.
    StopsOnThrone(Square),
    /// `brandubh.B-5`: a pawn passes through a throne.
    PassesThrone(Square),
    /// `brandubh.blocked`: a piece is in the way.
    Between(Square),
    /// `brandubh.blocked`: a piece is on the destination.
    Occupied(Square),
    /// `brandubh.claim`: the claimed captures are wrong.
    Claim {
        /// The squares written, as bits.
        claimed: u64,
        /// The squares captured, as bits.
        captures: u64,
    },
}

impl Breach {
    pub(super) fn notation(fault: GrammarFault<MoveTextFault>, token: &str) -> Self {
        Self::Notation(fault.kind, token[fault.span.range()].to_owned())
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Notation(..) => "brandubh.notation",
            Self::Empty(_) => "brandubh.empty",
            Self::Owner(..) => "brandubh.owner",
            Self::NotKing(_) => "brandubh.piece",
            Self::Line { .. } => "brandubh.line",
            Self::KingSteps { .. } => "brandubh.B-2",
            Self::StopsOnThrone(_) | Self::PassesThrone(_) => "brandubh.B-5",
            Self::Between(_) | Self::Occupied(_) => "brandubh.blocked",
            Self::Claim { .. } => "brandubh.claim",
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
                    MoveTextFault::File => "file",
                    MoveTextFault::Rank => "rank",
                    MoveTextFault::Hyphen => "hyphen",
                    MoveTextFault::Twice => "twice",
                    MoveTextFault::Rest => "rest",
                };
                say(variant).with("found", found)
            }
            Breach::Empty(square) | Breach::NotKing(square) => Self::new(code).with("square", square),
            Breach::Owner(square, owner) => Self::new(code).with("square", square).with_word("owner", side_word(owner)),
            Breach::Line { from, to } if from == to => say("same").with("from", from),
            Breach::Line { from, to } => say("apart").with("from", from).with("to", to),
            Breach::KingSteps { from, to } => Self::new(code).with("from", from).with("to", to),
            Breach::StopsOnThrone(throne) => say("stops").with("throne", throne),
            Breach::PassesThrone(throne) => say("passes").with("throne", throne),
            Breach::Between(square) => say("between").with("square", square),
            Breach::Occupied(square) => say("occupied").with("square", square),
            Breach::Claim { claimed, captures } => {
                let message = Self::new(code).with("claimed", captures::text(claimed));
                match captures {
                    0 => message.with_word("actual", "brandubh.nothing"),
                    _ => message.with("actual", captures::text(captures)),
                }
            }
        }
    }
}

/// `brandubh.position`: the reason why a text is not a playable position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// A fault of form, with the text at its place.
    Form(SetupFault, String),
    /// A fault of form in a diagram.
    Rows(RowsFault, String),
    /// A fault of form in a board of `OpenTafl`.
    Otg(OtgBoardFault, String),
    /// A pawn on a throne.
    Throne(Square),
    /// The number of kings, which is not one.
    Kings(u32),
    /// More pawns than a side has.
    Pawns {
        /// The side.
        side: Side,
        /// The number on the board.
        found: u32,
        /// The largest number.
        most: u32,
    },
    /// The turn contradicts the number of plies.
    Parity {
        /// As written.
        turn: Side,
        /// As written.
        ply: u64,
    },
}

impl From<PositionBreach> for Message {
    fn from(breach: PositionBreach) -> Self {
        let code = code::row(CODES, "brandubh.position");
        let say = |variant| Self::variant(code, variant);
        match breach {
            PositionBreach::Otg(OtgBoardFault::Rows(fault), found) | PositionBreach::Rows(fault, found) => {
                Self::of_rows(code, fault, found)
            }
            PositionBreach::Form(fault, found) => Self::of_setup(code, fault, found),
            PositionBreach::Otg(..) => say("otg"),
            PositionBreach::Throne(square) => say("throne").with("square", square),
            PositionBreach::Kings(found) => say("kings").with("found", found),
            PositionBreach::Pawns { side, found, most } => {
                say("pawns").with_word("side", side_word(side)).with("found", found).with("most", most)
            }
            PositionBreach::Parity { turn, ply } => {
                say("parity").with("ply", ply).with_word("turn", side_word(turn)).with_word("right", side_word(!turn))
            }
        }
    }
}
