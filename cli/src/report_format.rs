//! The formats in which `quipu verify` reports.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    /// For people: a line for each record, and its findings with snippet, law and correction.
    Text,
    /// A line for each finding, in the style of compilers.
    Short,
    /// A verdict per line, as JSON.
    Json,
    /// Workflow commands of GitHub Actions, which annotate the files.
    Github,
    /// One document of SARIF 2.1.0.
    Sarif,
}

impl ReportFormat {
    /// In the order of the help.
    pub(crate) const ALL: [Self; 5] = [Self::Text, Self::Short, Self::Json, Self::Github, Self::Sarif];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Short => "short",
            Self::Json => "json",
            Self::Github => "github",
            Self::Sarif => "sarif",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}
