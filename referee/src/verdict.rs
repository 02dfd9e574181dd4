//! Verdicts and their diagnostics.

use quipu_notation::{LineColumn, Side, Span, record::Outcome};

use crate::{Code, Message, Points, Severity, termination::Termination};

/// The verdict on one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The game, if the record names one that is known.
    pub game: Option<&'static str>,
    /// The rule set, if it is known.
    pub rules: Option<&'static str>,
    /// The status.
    pub status: Status,
    /// Legal plies replayed; nothing for an unreadable record.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<String>,
    /// The end that the referee found.
    pub end: Option<GameEnd>,
    /// The points in that position, in games that have them.
    pub points: Option<Points>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// Likely slips that break no rule. Stored verdicts do not contain them.
    pub advice: Vec<Diagnostic>,
    /// SHA-256 of the canonical text, if it was asked for.
    pub id: Option<[u8; 32]>,
}

/// The status of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Every move is legal, the game is over, every claim is correct.
    Verified,
    /// Every move is legal and the game is not over.
    Incomplete,
    /// A move is illegal, a claim is wrong, or there is no start position.
    Rejected,
    /// It is not a record.
    Unreadable,
}

impl Status {
    /// All, in the order reports count them.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Incomplete, Self::Rejected, Self::Unreadable];

    /// Its name in verdicts.
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

/// The end of a game, on the board or by a consistent declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// The termination; none for a game that continues.
    pub termination: Option<&'static Termination>,
    /// The result.
    pub outcome: Outcome,
}

impl GameEnd {
    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Side> {
        self.outcome.winner()
    }
}

/// One finding with its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The finding.
    pub message: Message,
    /// The ply, from 1.
    pub ply: Option<u64>,
    /// Its span in the text.
    pub span: Option<Span>,
    /// Line and column, if they were counted in the text.
    pub place: Option<LineColumn>,
    /// The refused token.
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
    /// A rejected record without any facts.
    pub(crate) fn nothing() -> Self {
        Self {
            game: None,
            rules: None,
            status: Status::Rejected,
            plies: None,
            position: None,
            end: None,
            points: None,
            diagnostics: Vec::new(),
            advice: Vec::new(),
            id: None,
        }
    }

    /// Adds the diagnostic about a cell that a spreadsheet has changed. An error takes the place of the one that its ply gave
    /// otherwise; after the ply where the replay stopped, nothing is added.
    pub(crate) fn add_restored(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity() == Severity::Warning {
            self.diagnostics.insert(0, diagnostic);
            return;
        }
        let stopped = self.diagnostics.iter_mut().find(|found| found.token.is_some());
        match stopped {
            Some(found) if found.ply < diagnostic.ply => return,
            Some(found) if found.span == diagnostic.span => {
                let token = found.token.take();
                *found = Diagnostic { token, ..diagnostic };
            }
            _ => self.diagnostics.push(diagnostic),
        }
        self.status = Status::Rejected;
    }

    /// The first error, if there is one.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity() == Severity::Error)
    }
}
