//! What the laws of Andes refuse: one variant a code, in order of precedence.

use quipu_notation::{
    Side,
    games::{
        Fault, RowsFault,
        andes::{Claims, Kind, LogFault, Mark, MoveTextFault, SetupFault, Square, SquareName},
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

/// Why a token is no lawful move. Squares are named as the mover names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// `andes.notation`: it is not of the form, and what stands where it stops being.
    Notation(MoveTextFault, String),
    /// `andes.2.4`: the mark is in the other player's case.
    Mark {
        /// As written.
        mark: Mark,
        /// Who moves.
        mover: Side,
    },
    /// `andes.reserve`: nothing left to place.
    Reserve(Side),
    /// `andes.R-4`: placing where somebody stands.
    Occupied(SquareName),
    /// `andes.3.5`: placing away from the border.
    AwayFromBorder(SquareName, Square),
    /// `andes.3.6`: another kind than persona on a light square of the border.
    LightBorder(SquareName, Kind),
    /// `andes.empty`: nobody stands on the origin.
    Empty(SquareName),
    /// `andes.owner`: who stands there is the opponent's.
    Owner(SquareName, Side),
    /// `andes.3.2`: who stands there is of another kind.
    Kind {
        /// The origin.
        square: SquareName,
        /// The kind written.
        written: Kind,
        /// The kind that stands there.
        piece: Kind,
    },
    /// `andes.3.3`: out of reach.
    Reach {
        /// What moves.
        kind: Kind,
        /// From where.
        from: SquareName,
        /// To where.
        to: SquareName,
    },
    /// `andes.R-5`: somebody stands between.
    Between(SquareName),
    /// `andes.3.1`: one's own piece stands there.
    OwnPiece(SquareName),
    /// `andes.4.3`: an attack while the centre is occupied.
    Attack {
        /// Whom it would hit.
        to: SquareName,
        /// The centre in the mover's naming.
        centre: SquareName,
    },
    /// `andes.claim`: what is claimed is not what happens.
    Claims {
        /// As written.
        claims: Claims,
        /// Whether the move attacks.
        attacks: bool,
        /// How many it captures.
        captured: u32,
    },
}

/// A mark as `side` writes it.
fn mark_letter(mark: Mark, side: Side) -> char {
    Square::named(side, mark.index, 0).name(side).mark()
}

impl Breach {
    pub(super) fn notation(fault: Fault<MoveTextFault>, token: &str) -> Self {
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

/// `andes.position`: why a text is no position to play from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionBreach {
    /// It is not of the form, and what stands there.
    Form(SetupFault, String),
    /// A diagram is not of the form.
    Rows(RowsFault, String),
    /// A log is not of the form.
    Log(LogFault, String),
    /// So many discs, and not 14.
    Count(u64),
    /// The turn does not go with the plies.
    Parity {
        /// As written.
        turn: Side,
        /// As written.
        ply: u64,
    },
    /// A side stands on the continent and has not entered it.
    NotEntered(Side),
    /// A persona of Sol stands in the centre and the objective is not met.
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
            PositionBreach::Form(SetupFault::Rows(fault), found) | PositionBreach::Rows(fault, found) => {
                Self::of_rows(code, fault, found)
            }
            PositionBreach::Form(fault, found) => match fault {
                SetupFault::Fields { found, expected } => say("fields").with("found", found).with("expected", expected),
                SetupFault::Turn => say("turn").with("found", found),
                SetupFault::Pair => say("pair").with("found", found),
                SetupFault::Entered => say("entered").with("found", found),
                SetupFault::Objectives => say("objectives").with("found", found),
                SetupFault::Number | SetupFault::Rows(_) => say("number").with("found", found),
            },
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

/// `andes.5.3`: `side` gives up and it is not its turn.
pub(super) fn resigned_out_of_turn(side: Side) -> Message {
    Message::new(code::row(CODES, "andes.5.3")).with_word("side", side_word(side)).with_word("turn", side_word(!side))
}
