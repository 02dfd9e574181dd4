//! What a referee says of a record.

use quipu_notation::{LineColumn, Side, Span, record::Outcome};

use crate::{Code, Message, Points, Severity, termination::Termination};

/// The verdict on one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The game, if the record names one that is known.
    pub game: Option<&'static str>,
    /// The rule set, if it is known.
    pub rules: Option<&'static str>,
    /// What became of it.
    pub status: Status,
    /// Lawful plies replayed; nothing of an unreadable record.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<String>,
    /// How it ended, as the referee found it.
    pub finding: Option<Finding>,
    /// The points in that position, in games that have them.
    pub points: Option<Points>,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// SHA-256 of the canonical text.
    pub id: Option<[u8; 32]>,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Every move is lawful, the game is over, every claim holds.
    Verified,
    /// Every move is lawful and the game is not over.
    Incomplete,
    /// A move is unlawful, a claim is wrong, or there is nothing to replay on.
    Rejected,
    /// It is no record.
    Unreadable,
}

impl Status {
    /// All, in the order reports count them.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Incomplete, Self::Rejected, Self::Unreadable];

    /// As verdicts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Incomplete => "incomplete",
            Self::Rejected => "rejected",
            Self::Unreadable => "unreadable",
        }
    }

    /// Key of the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "status.verified",
            Self::Incomplete => "status.incomplete",
            Self::Rejected => "status.rejected",
            Self::Unreadable => "status.unreadable",
        }
    }
}

/// How a game ended, from the board or from a declaration that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which end; none for a game that goes on.
    pub termination: Option<&'static Termination>,
    /// The result.
    pub outcome: Outcome,
}

impl Finding {
    /// Who won.
    pub fn winner(&self) -> Option<Side> {
        self.outcome.winner()
    }
}

/// One thing found, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What.
    pub message: Message,
    /// At which ply, from 1.
    pub ply: Option<u64>,
    /// Where in the text.
    pub span: Option<Span>,
    /// The same in lines and columns, when the text was there to count them.
    pub place: Option<LineColumn>,
    /// The token that it is about.
    pub token: Option<String>,
    /// Legal moves that may have been meant by a refused token, the likeliest first.
    pub suggestions: Vec<String>,
}

impl Diagnostic {
    /// A finding about the record.
    pub fn new(message: Message, span: Option<Span>) -> Self {
        Self { message, ply: None, span, place: None, token: None, suggestions: Vec::new() }
    }

    /// Its code.
    pub fn code(&self) -> &'static Code {
        self.message.code
    }

    /// Its severity.
    pub fn severity(&self) -> Severity {
        self.message.code.severity
    }
}

impl Verdict {
    /// A rejected record about which nothing is known.
    pub(crate) fn nothing() -> Self {
        Self {
            game: None,
            rules: None,
            status: Status::Rejected,
            plies: None,
            position: None,
            finding: None,
            points: None,
            diagnostics: Vec::new(),
            id: None,
        }
    }

    /// The first error, if there is one: what to tell a player first.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity() == Severity::Error)
    }
}
