//! Breaches of the laws of Andes: one variant for each code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        GrammarFault, RowsFault, SetupFault,
        andes::{Claims, Kind, LogFault, Mark, MoveTextFault, Square, SquareName},
    },
};

use super::{
    terrain::ground,
    words::{kind_word, side_word},
};
use crate::{Code, Message, Points, code};

/// The codes of Andes: those of moves in order of precedence, then those of positions and records.
pub(super) const CODES: &[Code] = &[
    Code::article("andes.notation", "6.6"),
    Code::article("andes.2.4", "2.4"),
    Code::follows("andes.reserve", "2.2"),
    Code::ruling("andes.R-4", "R-4"),
    Code::article("andes.3.5", "3.5"),
    Code::article("andes.3.6", "3.6"),
    Code::follows("andes.empty", "1.1"),
    Code::article("andes.owner", "1.1"),
    Code::article("andes.3.2", "3.2"),
    Code::article("andes.3.3", "3.3"),
    Code::ruling("andes.R-5", "R-5"),
    Code::article("andes.3.1", "3.1"),
    Code::article("andes.4.3", "4.3"),
    Code::format("andes.claim"),
    Code::article("andes.position", "6.5"),
    Code::article("andes.points", "5.1"),
    Code::article("andes.9.2", "9.2").warning(),
    Code::article("andes.5.3", "5.3").warning(),
];

/// The reason why a token is not a legal move. Squares have the mover's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `andes.notation`: a fault of form, with the text at its place.
    Notation(MoveTextFault, String),
    /// `andes.2.4`: the mark is in the other player's case.
    Mark {
        /// As written.
        mark: Mark,
        /// The side to move.
        mover: Side,
    },
    /// `andes.reserve`: nothing left to place.
    Reserve(Side),
    /// `andes.R-4`: placing on an occupied square.
    Occupied(SquareName),
    /// `andes.3.5`: placing away from the border.
    AwayFromBorder(SquareName, Square),
    /// `andes.3.6`: another kind than persona on a light square of the border.
    LightBorder(SquareName, Kind),
    /// `andes.empty`: the origin is empty.
    Empty(SquareName),
    /// `andes.owner`: the piece there is the opponent's.
    Owner(SquareName, Side),
    /// `andes.3.2`: the piece there is of another kind.
    Kind {
        /// The origin.
        square: SquareName,
        /// The kind written.
        written: Kind,
        /// The kind of the piece there.
        piece: Kind,
    },
    /// `andes.3.3`: out of reach.
    Reach {
        /// The kind that moves.
        kind: Kind,
        /// The origin.
        from: SquareName,
        /// The destination.
        to: SquareName,
    },
    /// `andes.R-5`: a piece is in between.
    Between(SquareName),
    /// `andes.3.1`: the mover's own piece is there.
    OwnPiece(SquareName),
    /// `andes.4.3`: an attack while the centre is occupied.
    Attack {
        /// The attacked square.
        to: SquareName,
        /// The centre in the mover's naming.
        centre: SquareName,
    },
    /// `andes.claim`: the claims are wrong.
    Claims {
        /// As written.
        claims: Claims,
        /// True if the move attacks.
        attacks: bool,
        /// The number of captured pieces.
        captured: u32,
    },
}

/// A mark as `side` writes it.
fn mark_letter(mark: Mark, side: Side) -> char {
    Square::named(side, mark.index, 0).name(side).mark()
}

impl Breach {
    pub(super) fn notation(fault: GrammarFault<MoveTextFault>, token: &str) -> Self {
        Self::Notation(fault.kind, token[fault.span.range()].to_owned())
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Notation(..) => "andes.notation",
            Self::Mark { .. } => "andes.2.4",
            Self::Reserve(_) => "andes.reserve",
            Self::Occupied(_) => "andes.R-4",
            Self::AwayFromBorder(..) => "andes.3.5",
            Self::LightBorder(..) => "andes.3.6",
            Self::Empty(_) => "andes.empty",
            Self::Owner(..) => "andes.owner",
            Self::Kind { .. } => "andes.3.2",
            Self::Reach { .. } => "andes.3.3",
            Self::Between(_) => "andes.R-5",
            Self::OwnPiece(_) => "andes.3.1",
            Self::Attack { .. } => "andes.4.3",
            Self::Claims { .. } => "andes.claim",
        }
    }
}

impl From<Breach> for Message {
    fn from(breach: Breach) -> Self {
        let code = code::row(CODES, breach.code());
        match breach {
            Breach::Notation(fault, found) => {
                let variant = match fault {
                    MoveTextFault::Empty => return Self::variant(code, "empty"),
                    MoveTextFault::Type => "type",
                    MoveTextFault::Mark => "mark",
                    MoveTextFault::Scale => "scale",
                    MoveTextFault::Rest => "rest",
                    MoveTextFault::Captures => "captures",
                };
                Self::variant(code, variant).with("found", found)
            }
            Breach::Mark { mark, mover } => Self::new(code)
                .with("mark", mark_letter(mark, mark.side))
                .with("right", mark_letter(mark, mover))
                .with_word("side", side_word(mover)),
            Breach::Reserve(side) => Self::new(code).with_word("side", side_word(side)),
            Breach::Occupied(square) | Breach::Empty(square) => Self::new(code).with("square", square),
            Breach::AwayFromBorder(name, square) => {
                Self::new(code).with("square", name).with_word("terrain", ground(square).word)
            }
            Breach::LightBorder(square, kind) => {
                Self::new(code).with("square", square).with_word("piece", kind_word(kind))
            }
            Breach::Owner(square, owner) => Self::new(code).with("square", square).with_word("owner", side_word(owner)),
            Breach::Kind { square, written, piece } => Self::new(code)
                .with("square", square)
                .with_word("written", kind_word(written))
                .with_word("piece", kind_word(piece)),
            Breach::Reach { from, to, .. } if from == to => Self::variant(code, "same").with("from", from),
            Breach::Reach { kind, from, to } => {
                Self::variant(code, "reach").with_word("piece", kind_word(kind)).with("from", from).with("to", to)
            }
            Breach::Between(square) => Self::new(code).with("between", square),
            Breach::OwnPiece(square) => Self::new(code).with("to", square),
            Breach::Attack { to, centre } if to == centre => Self::variant(code, "arrives").with("to", to),
            Breach::Attack { to, centre } => Self::variant(code, "occupied").with("to", to).with("centre", centre),
            Breach::Claims { claims, attacks, captured } => {
                let message = Self::new(code).with("claimed", claim_text(claims.attack, claims.captures));
                if !attacks && captured == 0 {
                    return message.with_word("actual", "andes.nothing");
                }
                message.with("actual", claim_text(attacks, Some(captured).filter(|&count| count > 0)))
            }
        }
    }
}

/// Claims as they are written.
fn claim_text(attack: bool, captures: Option<impl ToString>) -> String {
    let attack = if attack { "x" } else { "" };
    captures.map_or_else(|| attack.to_owned(), |count| format!("{attack}+{}", count.to_string()))
}

/// `andes.position`: the reason why a text is not a playable position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// A fault of form, with the text at its place.
    Form(SetupFault, String),
    /// A fault of form in a diagram.
    Rows(RowsFault, String),
    /// A fault of form in a log.
    Log(LogFault, String),
    /// The number of discs, which is not 14.
    Count(u64),
    /// The turn contradicts the number of plies.
    Parity {
        /// As written.
        turn: Side,
        /// As written.
        ply: u64,
    },
    /// A side is on the continent and is said not to have entered it.
    NotEntered(Side),
    /// A persona of Sol is in the centre, and the objective is said not to be met.
    Persona,
}

impl PositionBreach {
    pub(super) fn message(self) -> Message {
        self.into()
    }
}

impl From<PositionBreach> for Message {
    fn from(breach: PositionBreach) -> Self {
        let code = code::row(CODES, "andes.position");
        let say = |variant| Self::variant(code, variant);
        match breach {
            PositionBreach::Rows(fault, found) => Self::of_rows(code, fault, found),
            PositionBreach::Form(fault, found) => Self::of_setup(code, fault, found),
            PositionBreach::Log(LogFault::Item, found) => say("log-item").with("found", found),
            PositionBreach::Log(LogFault::Twice(square), _) => say("log-twice").with("square", square.name(Side::One)),
            PositionBreach::Count(count) => say("count").with("found", count),
            PositionBreach::Parity { turn, ply } => say("parity").with_word("turn", side_word(turn)).with("ply", ply),
            PositionBreach::NotEntered(side) => say("not-entered").with_word("side", side_word(side)),
            PositionBreach::Persona => say("persona"),
        }
    }
}

/// `andes.points`: points as a record claims them.
pub(super) struct Claim<'a> {
    pub(super) claimed: &'a str,
    pub(super) counted: Points,
}

impl Claim<'_> {
    pub(super) fn message(&self) -> Message {
        let numbers = self.claimed.split_once('-').map(|(sol, luna)| [sol, luna]);
        let canonical = |text: &str| text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
        let well_formed = numbers.is_some_and(|numbers| numbers.into_iter().all(canonical));
        let variant = if well_formed { "count" } else { "form" };
        Message::variant(code::row(CODES, "andes.points"), variant)
            .with("claimed", self.claimed)
            .with("counted", self.counted)
    }
}

/// `andes.9.2`: a tie in a single game.
pub(super) fn tie_stands(points: Points) -> Message {
    Message::new(code::row(CODES, "andes.9.2")).with("points", points)
}

/// `andes.5.3`: `side` resigns when it is not to move.
pub(super) fn resigned_out_of_turn(side: Side) -> Message {
    Message::new(code::row(CODES, "andes.5.3")).with_word("side", side_word(side)).with_word("turn", side_word(!side))
}
