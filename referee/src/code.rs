//! A code: the stable name of one kind of finding, with the place of its rule in the laws.
//!
//! People and programs match on codes. They are literals in the tables of [`crate::codes`], and none is derived from a
//! Rust name. The words of a code are in the `messages.toml` beside its rule.

/// The definition of one kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `andes.3.6`: the game or `record`, then an article, a ruling or a name.
    pub id: &'static str,
    /// Errors refuse the record, warnings and advice do not.
    pub severity: Severity,
    /// The place of the rule in the laws.
    pub source: Source,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The record breaks no rule, and is likely not what was meant. It is never among the diagnostics of a verdict.
    Advice,
    /// The record is accepted.
    Warning,
    /// The record is rejected.
    Error,
}

impl Severity {
    /// Its name in verdicts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Key of the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Advice => "severity.advice",
            Self::Warning => "severity.warning",
            Self::Error => "severity.error",
        }
    }
}

/// The source of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An article of the game's laws.
    Article(&'static str),
    /// A ruling of this project where the laws are silent or open.
    Ruling(&'static str),
    /// A rule of this project that follows from an article which does not state it.
    Follows(&'static str),
    /// The record format, which is this project's own.
    Format,
}

impl Code {
    /// An error against an article.
    pub const fn article(id: &'static str, article: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Article(article) }
    }

    /// An error against a ruling.
    pub const fn ruling(id: &'static str, ruling: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Ruling(ruling) }
    }

    /// An error against a rule that follows from an article.
    pub const fn follows(id: &'static str, article: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Follows(article) }
    }

    /// An error against the record format.
    pub const fn format(id: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Format }
    }

    /// The same as advice.
    #[must_use]
    pub const fn advice(mut self) -> Self {
        self.severity = Severity::Advice;
        self
    }

    /// The same as a warning.
    #[must_use]
    pub const fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

/// The row of a code in the table that defines it.
pub(crate) fn row(table: &'static [Code], id: &str) -> &'static Code {
    table.iter().find(|code| code.id == id).expect("every code that is reported has a row")
}
