//! What was found, as facts. Words come last ([`crate::words`]).

use std::borrow::Cow;

use quipu_notation::{
    Span,
    games::{Fault, RowsFault},
};

use crate::Code;

/// A finding without words: a code, which of its sentences applies, and the values that fill it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What was found.
    pub code: &'static Code,
    /// Which of the code's sentences says it; `default` if it has one.
    pub variant: &'static str,
    /// Values by the names that the sentence has for them.
    pub facts: Vec<(&'static str, Fact)>,
}

/// A value in a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// To be shown as it is.
    Text(String),
    /// To be looked up in the reader's language.
    Word(&'static str),
    /// A sentence of its own.
    Message(Box<Message>),
}

impl Message {
    /// A finding whose code has one sentence.
    pub fn new(code: &'static Code) -> Self {
        Self::variant(code, "default")
    }

    /// A finding that a certain sentence of the code says.
    pub fn variant(code: &'static Code, variant: &'static str) -> Self {
        Self { code, variant, facts: Vec::new() }
    }

    /// A fault in the rows of a position, where the text said `found`.
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

    /// With a value to be shown as it is; of an empty one it is said that there is nothing.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "values are handed over as they are made")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let text = value.to_string();
        let fact = if text.is_empty() { Fact::Word("nothing") } else { Fact::Text(printable(&text)) };
        self.facts.push((name, fact));
        self
    }

    /// With a word to be looked up.
    #[must_use]
    pub fn with_word(mut self, name: &'static str, key: &'static str) -> Self {
        self.facts.push((name, Fact::Word(key)));
        self
    }

    /// With another message inside.
    #[must_use]
    pub fn with_message(mut self, name: &'static str, message: Message) -> Self {
        self.facts.push((name, Fact::Message(Box::new(message))));
        self
    }
}

/// Something found at a place of the text it was found in.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// What was found.
    pub message: Message,
    /// Where.
    pub span: Span,
}

impl Located {
    /// A fault of form in a text, with what stands at its place.
    pub(crate) fn of_fault<K, B: Into<Message>>(fault: Fault<K>, text: &str, breach: impl Fn(K, String) -> B) -> Self {
        let found = text[fault.span.range()].to_owned();
        Self { message: breach(fault.kind, found).into(), span: fault.span }
    }
}

/// Whether a terminal or a reader of lines would act on a character and not show it: control characters, line and
/// paragraph separators, and those that turn the direction of writing.
pub fn is_active(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns || matches!(character, '\u{2028}' | '\u{2029}')
}

/// A text with U+FFFD for each character that a terminal or a reader of lines would act on.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return text.into();
    }
    text.chars().map(|character| if is_active(character) { char::REPLACEMENT_CHARACTER } else { character }).collect()
}

/// Bytes of a source as a line that can be shown: nothing in it that anybody would act on, and a sign where a byte is
/// not text.
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

/// Characters of a quoted text that are shown.
const SHOWN: usize = 60;

/// A text from outside, fit to stand in a sentence: shortened, and with nothing that a terminal would act on.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push('…');
            break;
        }
        if is_active(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}
