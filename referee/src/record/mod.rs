//! Findings in the records of every game: the codes `record.*`.

use quipu_notation::{
    Span,
    record::{
        Chunk, CsvFault, JsonFault, Limit, Outcome, ReadError, ReadErrorKind, SourceRefusal, SyntaxFault,
        as_windows_1252, clock, limits,
    },
};

use crate::{
    Code, Located, Message, code,
    termination::{Kind, Termination},
    text::Messages,
};

/// The words of these codes, and those that games share.
pub static MESSAGES: Messages = include!(concat!(env!("OUT_DIR"), "/record/messages.rs"));

/// The codes that every game shares.
pub const CODES: &[Code] = &[
    Code::format("record.syntax"),
    Code::format("record.encoding"),
    Code::format("record.foreign"),
    Code::format("record.tag"),
    Code::format("record.limit"),
    Code::format("record.game"),
    Code::format("record.rules"),
    Code::format("record.setup"),
    Code::format("record.after-end"),
    Code::format("record.result"),
    Code::format("record.termination"),
    Code::format("record.unsupported"),
    Code::format("record.clock"),
    Code::format("record.flag"),
    Code::format("record.damaged"),
    Code::format("record.restored").warning(),
    Code::format("record.left-out").warning(),
    Code::format("record.number").warning(),
    Code::format("record.no-result").warning(),
];

/// A finding in the record of any game.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// No tag `Game`.
    GameMissing {
        /// Games that can be refereed.
        known: String,
    },
    /// No tag `Game`, but there is one above an empty line.
    GameAbove {
        /// The line where the tags above begin.
        line: u64,
        /// Games that can be refereed.
        known: String,
    },
    /// A game that is not known.
    GameUnknown {
        /// As written.
        found: String,
        /// The game that is likely meant.
        meant: Option<&'static str>,
        /// Games that can be refereed.
        known: String,
    },
    /// A rule set that is not known.
    Rules {
        /// As written.
        found: String,
        /// The known ones.
        known: String,
    },
    /// A start position that cannot be read.
    SetupPosition(Message),
    /// A start position that is over.
    SetupOver(&'static Termination),
    /// A game that needs a start position has none.
    SetupMissing,
    /// The start position of a game that has no fixed one.
    NoStart,
    /// `First` contradicts the start position.
    First {
        /// As written.
        found: String,
        /// Word for the side that the start position names.
        turn: &'static str,
    },
    /// `First` is no side.
    FirstUnknown {
        /// As written.
        found: String,
        /// The sides.
        known: String,
    },
    /// Moves after the end of the game.
    AfterEnd(&'static Termination),
    /// The result is none of the four.
    ResultUnknown(String),
    /// Tag and final token differ.
    ResultTag {
        /// The tag.
        tag: String,
        /// The final token.
        token: Outcome,
    },
    /// The result is not that of the board.
    ResultBoard {
        /// As written.
        claimed: Outcome,
        /// The end on the board.
        end: &'static Termination,
        /// Its outcome.
        result: Outcome,
    },
    /// A termination that is not known.
    TerminationUnknown {
        /// As written.
        found: String,
        /// Those that are likely meant.
        meant: String,
        /// The known ones.
        known: String,
    },
    /// An end that the board does not show.
    TerminationOpen(&'static Termination),
    /// Another end than the board shows.
    TerminationBoard {
        /// As declared.
        found: &'static Termination,
        /// The end on the board.
        end: &'static Termination,
    },
    /// A declared end that does not go with the result.
    TerminationResult {
        /// As declared.
        found: &'static Termination,
        /// The result.
        result: Outcome,
    },
    /// A result without a reason.
    Unsupported(Outcome),
    /// A clock rises.
    ClockRises {
        /// Word for its owner.
        side: &'static str,
        /// Milliseconds now.
        clock: u64,
        /// Milliseconds before.
        before: u64,
    },
    /// A clock starts above the time control.
    ClockStart {
        /// Word for its owner.
        side: &'static str,
        /// Milliseconds now.
        clock: u64,
        /// Milliseconds allowed.
        limit: u64,
    },
    /// A side plays on without time. The word for it.
    Flag(&'static str),
    /// A changed cell with several readings, each legal to the end.
    DamagedSeveral {
        /// As it was found.
        found: String,
        /// Texts that it may have had before.
        readings: String,
    },
    /// A changed cell with several readings that can be played, none of them legal to the end.
    DamagedUnsure {
        /// As it was found.
        found: String,
        /// Texts that it may have had before.
        readings: String,
    },
    /// A changed cell without a reading that can be played.
    DamagedNone {
        /// As it was found.
        found: String,
    },
    /// More changed moves than the search accepts.
    DamagedMany {
        /// The first of them, as it was found.
        found: String,
        /// Their number.
        count: usize,
    },
    /// Clocks that can be read in two ways, both legal.
    DamagedClocks {
        /// The first of them, as it was found.
        found: String,
        /// Both ways.
        readings: String,
    },
    /// A changed move of which one reading is legal.
    Restored {
        /// As it was found.
        found: String,
        /// The reading.
        reading: String,
    },
    /// A changed value of a tag of which one reading is legal.
    RestoredTag {
        /// Name of the tag.
        name: String,
        /// As it was found.
        found: String,
        /// The reading.
        reading: String,
    },
    /// Clocks in another form, read in the only way that is legal.
    RestoredClocks {
        /// The first of them, as it was found.
        found: String,
        /// Its reading.
        reading: String,
        /// Their number.
        count: usize,
    },
    /// A part of another program's format that a record has no place for, as it was written.
    LeftOut(String),
    /// A game in such a format names no rule set. The one that it is judged by.
    RulesAssumed(&'static str),
    /// A wrong move number.
    Number {
        /// As written.
        found: u64,
        /// The correct number.
        expected: u64,
    },
    /// The game is over on the board, and the record has no result.
    NoResult {
        /// `*` is written.
        open: bool,
        /// The end on the board.
        end: &'static Termination,
        /// Its outcome.
        result: Outcome,
    },
}

impl Breach {
    const fn code(&self) -> &'static str {
        match self {
            Self::GameMissing { .. } | Self::GameAbove { .. } | Self::GameUnknown { .. } => "record.game",
            Self::Rules { .. } => "record.rules",
            Self::SetupPosition(_)
            | Self::SetupOver(_)
            | Self::SetupMissing
            | Self::NoStart
            | Self::First { .. }
            | Self::FirstUnknown { .. } => "record.setup",
            Self::AfterEnd(_) => "record.after-end",
            Self::ResultUnknown(_) | Self::ResultTag { .. } | Self::ResultBoard { .. } => "record.result",
            Self::TerminationUnknown { .. }
            | Self::TerminationOpen(_)
            | Self::TerminationBoard { .. }
            | Self::TerminationResult { .. } => "record.termination",
            Self::Unsupported(_) => "record.unsupported",
            Self::ClockRises { .. } | Self::ClockStart { .. } => "record.clock",
            Self::Flag(_) => "record.flag",
            Self::DamagedSeveral { .. }
            | Self::DamagedUnsure { .. }
            | Self::DamagedNone { .. }
            | Self::DamagedMany { .. }
            | Self::DamagedClocks { .. } => "record.damaged",
            Self::Restored { .. } | Self::RestoredTag { .. } | Self::RestoredClocks { .. } => "record.restored",
            Self::LeftOut(_) | Self::RulesAssumed(_) => "record.left-out",
            Self::Number { .. } => "record.number",
            Self::NoResult { .. } => "record.no-result",
        }
    }
}

/// Milliseconds as clocks are written.
fn clock_text(millis: u64) -> String {
    let mut text = String::new();
    let written = clock::write(millis, &mut text);
    debug_assert!(written.is_ok(), "a String takes everything");
    text
}

impl From<Breach> for Message {
    fn from(breach: Breach) -> Self {
        let code = code::row(CODES, breach.code());
        match breach {
            Breach::GameMissing { known } => Self::variant(code, "missing").with_whole("known", known),
            Breach::GameAbove { line, known } => {
                Self::variant(code, "above").with("line", line).with_whole("known", known)
            }
            Breach::GameUnknown { found, meant: Some(meant), known } => {
                Self::variant(code, "near").with("found", found).with("meant", meant).with_whole("known", known)
            }
            Breach::TerminationUnknown { found, meant, known } if !meant.is_empty() => {
                Self::variant(code, "near").with("found", found).with_whole("meant", meant).with_whole("known", known)
            }
            Breach::GameUnknown { found, known, .. } | Breach::TerminationUnknown { found, known, .. } => {
                Self::variant(code, "unknown").with("found", found).with_whole("known", known)
            }
            Breach::Rules { found, known } => Self::new(code).with("found", found).with_whole("known", known),
            Breach::SetupPosition(detail) => Self::variant(code, "position").with_message("detail", detail),
            Breach::SetupOver(end) => Self::variant(code, "over").with_word("end", end.word),
            Breach::SetupMissing => Self::variant(code, "missing"),
            Breach::NoStart => Self::variant(code, "no-start"),
            Breach::First { found, turn } => Self::variant(code, "first").with("found", found).with_word("turn", turn),
            Breach::FirstUnknown { found, known } => {
                Self::variant(code, "first-unknown").with("found", found).with("known", known)
            }
            Breach::AfterEnd(end) => Self::new(code).with_word("end", end.word),
            Breach::ResultUnknown(found) => Self::variant(code, "unknown").with("found", found),
            Breach::ResultTag { tag, token } => {
                Self::variant(code, "tag").with("tag", tag).with("token", token.as_str())
            }
            Breach::ResultBoard { claimed, end, result } => Self::variant(code, "board")
                .with("claimed", claimed.as_str())
                .with_word("end", end.word)
                .with("result", result.as_str()),
            Breach::TerminationOpen(found) => Self::variant(code, "open").with("found", found.name),
            Breach::TerminationBoard { found, end } => {
                Self::variant(code, "board").with("found", found.name).with_word("end", end.word)
            }
            Breach::TerminationResult { found, result } => {
                let variant = match found.kind {
                    Kind::NeedsDraw => "needs-draw",
                    _ => "needs-winner",
                };
                Self::variant(code, variant).with("found", found.name).with("result", result.as_str())
            }
            Breach::Unsupported(result) => Self::new(code).with("result", result.as_str()),
            Breach::ClockRises { side, clock, before } => Self::variant(code, "rises")
                .with_word("side", side)
                .with("clock", clock_text(clock))
                .with("before", clock_text(before)),
            Breach::ClockStart { side, clock, limit } => Self::variant(code, "start")
                .with_word("side", side)
                .with("clock", clock_text(clock))
                .with("limit", clock_text(limit)),
            Breach::Flag(side) => Self::new(code).with_word("side", side),
            Breach::DamagedSeveral { found, readings } => {
                Self::variant(code, "several").with("found", found).with("readings", readings)
            }
            Breach::DamagedUnsure { found, readings } => {
                Self::variant(code, "unsure").with("found", found).with("readings", readings)
            }
            Breach::DamagedNone { found } => Self::variant(code, "none").with("found", found),
            Breach::DamagedMany { found, count } => {
                Self::variant(code, "many").with("found", found).with("count", count)
            }
            Breach::DamagedClocks { found, readings } => {
                Self::variant(code, "clocks").with("found", found).with("readings", readings)
            }
            Breach::Restored { found, reading } => {
                Self::variant(code, "move").with("found", found).with("reading", reading)
            }
            Breach::RestoredTag { name, found, reading } => {
                Self::variant(code, "tag").with("name", name).with("found", found).with("reading", reading)
            }
            Breach::RestoredClocks { found, reading, count } => {
                Self::variant(code, "clocks").with("found", found).with("reading", reading).with("count", count)
            }
            Breach::LeftOut(found) => Self::variant(code, "part").with("found", found),
            Breach::RulesAssumed(rules) => Self::variant(code, "rules").with("rules", rules),
            Breach::Number { found, expected } => Self::new(code).with("found", found).with("expected", expected),
            Breach::NoResult { open, end, result } => Self::variant(code, if open { "open" } else { "missing" })
                .with_word("end", end.word)
                .with("result", result.as_str()),
        }
    }
}

/// The variant for a fault of syntax; true if the message quotes the text at its place.
const fn syntax(fault: SyntaxFault) -> (&'static str, bool) {
    match fault {
        SyntaxFault::TagName => ("tag-name", true),
        SyntaxFault::TagQuote => ("tag-quote", true),
        SyntaxFault::TagValue => ("tag-value", false),
        SyntaxFault::TagClose => ("tag-close", false),
        SyntaxFault::TagRest => ("tag-rest", true),
        SyntaxFault::Bracket => ("bracket", true),
        SyntaxFault::Brace => ("brace", false),
        SyntaxFault::Comment => ("comment", false),
        SyntaxFault::Variation => ("variation", false),
        SyntaxFault::VariationStart => ("variation-start", false),
        SyntaxFault::VariationEnd => ("variation-end", false),
        SyntaxFault::Annotation => ("annotation", true),
        SyntaxFault::Marks => ("marks", true),
        SyntaxFault::Nag => ("nag", true),
        SyntaxFault::Name => ("name", true),
        SyntaxFault::ValueBreak => ("value-break", false),
        SyntaxFault::Token => ("token", true),
        SyntaxFault::CommentText => ("comment-text", false),
        SyntaxFault::Json(fault) => match fault {
            JsonFault::Form => ("json-form", true),
            JsonFault::End => ("json-end", false),
            JsonFault::Object => ("json-object", true),
            JsonFault::List => ("json-list", true),
            JsonFault::Text => ("json-text", true),
            JsonFault::Escape => ("json-escape", true),
            JsonFault::Field => ("json-field", true),
            JsonFault::Move => ("json-move", false),
            JsonFault::Clock => ("json-clock", true),
            JsonFault::Nag => ("json-nag", true),
        },
        SyntaxFault::Csv(fault) => match fault {
            CsvFault::Tag => ("csv-tag", true),
            CsvFault::TagRest => ("csv-tag-rest", true),
            CsvFault::Quote => ("csv-quote", true),
            CsvFault::ColumnTwice => ("csv-column-twice", true),
            CsvFault::Columns(Some(_)) => ("csv-columns", true),
            CsvFault::Columns(None) => ("csv-columns-any", true),
            CsvFault::Cell => ("csv-cell", true),
            CsvFault::Number => ("csv-number", true),
            CsvFault::Gap => ("csv-gap", false),
            CsvFault::Clock => ("csv-clock", true),
            CsvFault::ClockAlone => ("csv-clock-alone", true),
            CsvFault::AfterResult => ("csv-after-result", true),
        },
        SyntaxFault::Foreign(fault) => (fault.variant, fault.quotes),
    }
}

/// Bytes of a word on each side of one that is not UTF-8.
const WORD: usize = 20;

/// A byte that is not UTF-8. Where it can be a letter in Windows-1252, the word around it is shown as it reads there.
fn encoding(byte: u8, span: Span, chunk: &Chunk<'_>) -> Message {
    let code = code::row(CODES, "record.encoding");
    let (text, at) = (chunk.text(), span.start as usize);
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let before = text.get(..at).unwrap_or_default().iter().rev().take(WORD).take_while(is_part).count();
    let behind = text.get(at..).unwrap_or_default().iter().take(WORD).take_while(is_part).count();
    let word = as_windows_1252(text.get(at - before..at + behind).unwrap_or_default());
    let letter = as_windows_1252(&[byte]);
    let byte = format!("{byte:02x}");
    if [&letter, &word].iter().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
        return Message::new(code).with("byte", byte);
    }
    Message::variant(code, "letter").with("byte", byte).with("letter", letter).with("word", word)
}

/// The message on a source that is not text.
fn refused(refusal: SourceRefusal) -> Message {
    let code = code::row(CODES, "record.foreign");
    match refusal {
        SourceRefusal::FileKind(kind) => Message::new(code).with_word("kind", kind.word()),
        SourceRefusal::Broken(word) => Message::variant(code, "broken").with_word("kind", word),
        SourceRefusal::Large(word) => Message::variant(code, "large")
            .with_word("kind", word)
            .with("compressed", limits::WORKBOOK >> 20)
            .with("uncompressed", limits::WORKBOOK_UNPACKED >> 20)
            .with("times", limits::DECOMPRESSED_RATIO),
        SourceRefusal::NotBuilt(word) => Message::variant(code, "not-built").with_word("kind", word),
        SourceRefusal::Empty => Message::variant(code, "empty"),
        SourceRefusal::Nested(word) => Message::variant(code, "nested").with_word("kind", word),
    }
}

/// The message for a chunk that cannot be read as a record.
pub fn unreadable(error: &ReadError, chunk: &Chunk<'_>) -> Message {
    let found = || String::from_utf8_lossy(chunk.text().get(error.span.range()).unwrap_or_default()).into_owned();
    match error.kind {
        ReadErrorKind::Syntax(fault) => {
            let (variant, shows) = syntax(fault);
            let message = Message::variant(code::row(CODES, "record.syntax"), variant);
            match fault {
                SyntaxFault::Json(JsonFault::Clock) => message.with("found", found()).with("max", clock::MOST),
                SyntaxFault::Csv(CsvFault::Columns(Some(sides))) => {
                    message.with("found", found()).with("sides", sides.join(", "))
                }
                _ if shows => message.with("found", found()),
                _ => message,
            }
        }
        ReadErrorKind::Encoding { byte } => encoding(byte, error.span, chunk),
        ReadErrorKind::Refused(refusal) => refused(refusal),
        ReadErrorKind::Tag { first } => {
            let line = chunk.place(first.start as usize).line;
            Message::new(code::row(CODES, "record.tag")).with("name", found()).with("line", line)
        }
        ReadErrorKind::Limit(limit) => {
            let (variant, max) = match limit {
                Limit::Token => ("token", limits::TOKEN),
                Limit::Value => ("value", limits::VALUE),
                Limit::Comment => ("comment", limits::COMMENT),
                Limit::Nesting => ("nesting", limits::NESTING),
                Limit::Record => ("record", limits::RECORD),
                Limit::Plies => ("plies", limits::PLIES),
                Limit::Nag => ("nag", limits::NAG as usize),
                Limit::Faults => ("faults", limits::FAULTS),
            };
            Message::variant(code::row(CODES, "record.limit"), variant).with("max", max)
        }
    }
}

/// The finding for a `Setup` with a refused position string, at its place in the record.
pub(crate) fn setup_fault(faults: Vec<Located>, value: Span) -> Located {
    let first = faults.into_iter().next().expect("a position is refused for a reason");
    // A value with escapes is no position string anyway, and then the place may be a few characters off.
    let span = first.span.shifted(value.start as usize);
    Located { message: Breach::SetupPosition(first.message).into(), span }
}
