//! A code: the stable name of one kind of finding, with the place of its rule in the laws.
//!
//! People and programs match on codes. They are literals in the tables of [`crate::codes`], and none is derived from a
//! Rust name. The words of a code are in the `messages.toml` beside its rule.

/// One thing that a referee can find.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `andes.3.6`: the game or `record`, then an article, a ruling or a name.
    pub id: &'static str,
    /// Whether it refuses the record.
    pub severity: Severity,
    /// Where the law stands.
    pub source: Source,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the record stands.
    Warning,
    /// The record is refused.
    Error,
}

impl Severity {
    /// As verdicts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Where a code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An article of the game's laws.
    Article(&'static str),
    /// A ruling of this project where the laws are silent or open.
    Ruling(&'static str),
    /// A rule of this project that follows from an article without standing there.
    Follows(&'static str),
    /// The record format, which is this project's own.
    Format,
}

impl Code {
    /// An error that an article speaks of.
    pub const fn article(id: &'static str, article: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Article(article) }
    }

    /// An error against a ruling.
    pub const fn ruling(id: &'static str, ruling: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Ruling(ruling) }
    }

    /// An error against what follows from an article.
    pub const fn follows(id: &'static str, article: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Follows(article) }
    }

    /// An error against the record format.
    pub const fn format(id: &'static str) -> Self {
        Self { id, severity: Severity::Error, source: Source::Format }
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
