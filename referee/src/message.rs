//! Findings as facts. [`crate::words`] puts them into words.

use std::borrow::Cow;

use quipu_notation::{
    Span,
    games::{GrammarFault, RowsFault, SetupFault},
};

use crate::Code;

/// A finding without words: a code, the variant of its sentence, and the values that fill it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The code.
    pub code: &'static Code,
    /// The variant of the code's sentence; `default` if it has one sentence.
    pub variant: &'static str,
    /// Values by their names in the sentence.
    pub facts: Vec<(&'static str, Fact)>,
}

/// A value in a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A text to show as it is.
    Text(String),
    /// A key to look up in the reader's language.
    Word(&'static str),
    /// A sentence of its own.
    Message(Box<Message>),
}

impl Message {
    /// A finding whose code has one sentence.
    pub fn new(code: &'static Code) -> Self {
        Self::variant(code, "default")
    }

    /// A finding with a variant of the code's sentence.
    pub fn variant(code: &'static Code, variant: &'static str) -> Self {
        Self { code, variant, facts: Vec::new() }
    }

    /// A fault in the rows of a position; `found` is the text at its place.
    pub(crate) fn of_rows(code: &'static Code, fault: RowsFault, found: String) -> Self {
        let say = |variant| Self::variant(code, variant);
        match fault {
            RowsFault::Rows { found, expected } => say("rows").with("found", found).with("expected", expected),
            RowsFault::Row { row, width, expected } => {
                say("row").with("row", row).with("width", width).with("expected", expected)
            }
            RowsFault::Run { most } => say("run").with("found", found).with("most", most),
            RowsFault::Piece => say("piece").with("found", found),
        }
    }

    /// A fault in a position string; `found` is the text at its place.
    pub(crate) fn of_setup(code: &'static Code, fault: SetupFault, found: String) -> Self {
        let say = |variant| Self::variant(code, variant);
        match fault {
            SetupFault::Fields { found, expected } => say("fields").with("found", found).with("expected", expected),
            SetupFault::Rows(fault) => Self::of_rows(code, fault, found),
            SetupFault::Turn => say("turn").with("found", found),
            SetupFault::Number => say("number").with("found", found),
            SetupFault::Field(variant) => say(variant).with("found", found),
        }
    }

    /// Adds a value to show as it is; an empty one becomes the word for nothing.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "values are handed over as they are made")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let text = value.to_string();
        let fact = if text.is_empty() { Fact::Word("nothing") } else { Fact::Text(printable(&text)) };
        self.facts.push((name, fact));
        self
    }

    /// Adds a text of quipu's own, such as a list of names, which is never shortened.
    #[must_use]
    pub fn with_whole(mut self, name: &'static str, text: String) -> Self {
        self.facts.push((name, Fact::Text(text)));
        self
    }

    /// Adds a word to look up.
    #[must_use]
    pub fn with_word(mut self, name: &'static str, key: &'static str) -> Self {
        self.facts.push((name, Fact::Word(key)));
        self
    }

    /// Adds another message.
    #[must_use]
    pub fn with_message(mut self, name: &'static str, message: Message) -> Self {
        self.facts.push((name, Fact::Message(Box::new(message))));
        self
    }
}

/// A finding with its span in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The finding.
    pub message: Message,
    /// Its span.
    pub span: Span,
}

impl Located {
    /// A fault of form in a text, with the text at its place.
    pub(crate) fn of_fault<K, B: Into<Message>>(
        fault: GrammarFault<K>,
        text: &str,
        breach: impl Fn(K, String) -> B,
    ) -> Self {
        let found = text[fault.span.range()].to_owned();
        Self { message: breach(fault.kind, found).into(), span: fault.span }
    }
}

/// True if a terminal or a reader of lines would act on a character instead of showing it: control characters, line and
/// paragraph separators, and those that change the direction of writing.
pub fn is_active(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns || matches!(character, '\u{2028}' | '\u{2029}')
}

/// True for a text of printable ASCII characters, as nearly all are. The loop does not stop at the first other one, so that many
/// bytes are compared at once.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().fold(true, |printable, byte| printable & matches!(byte, b' '..=b'~'))
}

/// A text with U+FFFD for each active character ([`is_active`]).
pub fn harmless(text: &str) -> Cow<'_, str> {
    if is_printable_ascii(text) || !text.contains(is_active) {
        return text.into();
    }
    text.chars().map(|character| if is_active(character) { char::REPLACEMENT_CHARACTER } else { character }).collect()
}

/// Bytes of a source as a line that is safe to show: U+FFFD for each active character and each byte that is not UTF-8.
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\t' => text.push(' '),
                '\r' | '\u{feff}' => {}
                _ if is_active(character) => text.push('\u{fffd}'),
                _ => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().map(|_| '\u{fffd}'));
    }
    text
}

/// The most characters of a quoted text.
const SHOWN: usize = 60;

/// A text from outside for use in a sentence: shortened, with tabs as spaces and other active characters escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push('…');
            break;
        }
        if character == '\t' {
            // The cells of a worksheet are separated by it.
            shown.push(' ');
        } else if is_active(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}
