//! Reads the prose of the project: sentences of comments, of pages and of catalogues.

use std::{mem, path::Path};

use crate::{contract, root};

/// A sentence, with the place where its paragraph begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// File from the root of the project.
    pub file: String,
    /// Line of the paragraph, from 1.
    pub line: usize,
    /// The sentence without the spaces around it.
    pub text: String,
    /// True for the first sentence of its paragraph, list item, heading or cell.
    pub first: bool,
}

/// Languages of comments, by how a comment begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    /// `//`, `///`, `//!`, and `/* … */` on lines of their own.
    Slashes,
    /// `/* … */`
    Stars,
    /// `--`
    Dashes,
    /// `#`
    Hash,
}

/// Folders of other people's words, of generated files, and of data.
const LEFT_OUT: [&str; 5] = [
    "fixtures/",
    "tests/fuzz/corpus/",
    "tests/service/tests/expected/",
    "docs/pictures/",
    "tests/differential/regressions/",
];

/// Files of the project with prose in them, from its root.
pub fn files() -> Vec<String> {
    contract::project().into_iter().filter(|file| !LEFT_OUT.iter().any(|folder| file.starts_with(folder))).collect()
}

/// True for a page in Spanish.
pub fn is_spanish(file: &str) -> bool {
    file.ends_with(".es.md")
}

/// The sentences of all comments and pages.
pub fn sentences() -> Vec<Sentence> {
    let mut all = Vec::new();
    for file in files() {
        let page = Path::new(&file).extension().is_some_and(|ending| ending == "md");
        let comments = comments_of(&file);
        if !page && comments.is_none() || root().join(&file).is_dir() {
            continue;
        }
        let text = contract::document(&file);
        let runs = match comments {
            Some(comments) => comment_runs(comments, &text),
            None => vec![(1, text.lines().map(str::to_owned).collect())],
        };
        for (line, paragraph) in runs.into_iter().flat_map(|(line, lines)| paragraphs(line, &lines)) {
            for (at, text) in split(&paragraph).into_iter().enumerate() {
                all.push(Sentence { file: file.clone(), line, text: text.to_owned(), first: at == 0 });
            }
        }
    }
    all
}

fn comments_of(file: &str) -> Option<Comments> {
    let path = Path::new(file);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("rs" | "js") => Some(Comments::Slashes),
        Some("css") => Some(Comments::Stars),
        Some("sql") => Some(Comments::Dashes),
        Some("toml" | "py" | "sh") => Some(Comments::Hash),
        None if ["test", "justfile", ".ci/run"].contains(&file) => Some(Comments::Hash),
        _ => None,
    }
}

/// Comments on lines that follow each other, joined, with the number of the first line. A comment after code is a run
/// of its own.
fn comment_runs(comments: Comments, text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut runs, mut open): (Vec<(usize, Vec<String>)>, Option<&str>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let Some((kind, words)) = comment(comments, line) else {
            open = None;
            continue;
        };
        if open != Some(kind) {
            runs.push((number + 1, Vec::new()));
        }
        open = (kind != BEHIND).then_some(kind);
        runs.last_mut().expect("one was begun").1.push(words.to_owned());
    }
    runs
}

/// Kind of a comment after code.
const BEHIND: &str = "behind code";

/// The comment of a line, with its kind.
fn comment(comments: Comments, line: &str) -> Option<(&'static str, &str)> {
    let trimmed = line.trim();
    let marks: &[&'static str] = match comments {
        Comments::Slashes => &["///", "//!", "//", "/**", "/*"],
        Comments::Stars => &["/*"],
        Comments::Dashes => &["--"],
        Comments::Hash => &["#!", "#"],
    };
    if let Some((mark, words)) = marks.iter().find_map(|mark| Some((*mark, trimmed.strip_prefix(mark)?))) {
        return (mark != "#!").then(|| (mark, words.trim_end_matches("*/").trim()));
    }
    let mark = match comments {
        Comments::Slashes => " // ",
        Comments::Stars => "/* ",
        Comments::Dashes => "-- ",
        Comments::Hash => " # ",
    };
    // A mark inside of a string has an odd number of quotes before it.
    let (code, words) = line.split_once(mark).filter(|(code, _)| code.matches('"').count() % 2 == 0)?;
    (!code.trim().is_empty()).then(|| (BEHIND, words.trim_end().trim_end_matches("*/").trim()))
}

/// Paragraphs, list items, headings and cells of tables, with their lines; blocks of code are left out.
fn paragraphs(first: usize, lines: &[String]) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let (mut open, mut is_code) = (false, false);
    for (number, line) in (first..).zip(lines.iter().map(|line| line.trim())) {
        if line.starts_with("```") {
            is_code = !is_code;
            open = false;
        } else if is_code || line.is_empty() {
            open = false;
        } else if let Some(row) = line.strip_prefix('|') {
            all.extend(row.split(" | ").map(|cell| (number, cell.trim_matches([' ', '|']).to_owned())));
            open = false;
        } else if let Some(words) = after_bullet(line) {
            all.push((number, words.to_owned()));
            open = !line.starts_with('#');
        } else if open {
            let (_, paragraph) = all.last_mut().expect("one is open");
            paragraph.push(' ');
            paragraph.push_str(line);
        } else {
            all.push((number, line.to_owned()));
            open = true;
        }
    }
    all
}

/// The words after a bullet, a number, or the mark of a heading or quotation.
fn after_bullet(line: &str) -> Option<&str> {
    let (mark, words) = line.split_once(' ')?;
    let is_number = mark.strip_suffix('.').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let is_heading = mark.bytes().all(|byte| byte == b'#');
    (is_number || is_heading || ["-", "*", ">"].contains(&mark)).then_some(words)
}

/// Characters that may stand around a sentence and do not belong to it.
const AROUND: [char; 16] = ['"', '“', '”', '«', '»', '\'', '(', ')', '[', ']', '*', '_', '¿', '¡', '`', ' '];

/// The sentences of a paragraph: each ends with `.`, `!`, `?` or `…` before a space.
pub fn split(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut begin, mut is_end) = (0, false);
    for (at, letter) in paragraph.char_indices() {
        if letter.is_whitespace() && mem::take(&mut is_end) {
            sentences.push(paragraph[begin..at].trim());
            begin = at;
        } else if ".!?…".contains(letter) {
            is_end = true;
        } else if !AROUND.contains(&letter) {
            is_end = false;
        }
    }
    sentences.push(paragraph[begin..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// True for a sentence that begins with one of these words or phrases and is no question. The first sentence of a
/// paragraph may begin with a small letter, any other begins with a capital one.
pub fn opens_with(sentence: &str, first: bool, openers: &[&str]) -> bool {
    // A name of code is no word of the sentence.
    let bare = sentence.trim_start_matches(|letter| letter != '`' && AROUND.contains(&letter));
    let is_question = sentence.trim_end_matches(AROUND).ends_with('?');
    let is_cased = first || bare.starts_with(char::is_uppercase);
    !is_question && is_cased && openers.iter().any(|opener| begins_with_phrase(bare, opener))
}

/// True if a text begins with this phrase, in whatever case, and the phrase ends where a word does.
fn begins_with_phrase(text: &str, phrase: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    phrase.chars().all(|letter| letters.next() == Some(letter)) && !letters.next().is_some_and(char::is_alphanumeric)
}

/// True if a text has this phrase in it as words of its own, in whatever case; each word may have an `s` or `es` more.
pub fn has_phrase(text: &str, phrase: &str) -> bool {
    fn words(text: &str) -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '{' && letter != '}');
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }
    let (text, phrase) = (words(text), words(phrase));
    let is_word =
        |word: &String, of: &String| word.strip_prefix(of.as_str()).is_some_and(|more| ["", "s", "es"].contains(&more));
    text.windows(phrase.len()).any(|found| found.iter().zip(&phrase).all(|(word, of)| is_word(word, of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comments: Comments, text: &str) -> Vec<String> {
        let runs = comment_runs(comments, text);
        let paragraphs = runs.into_iter().flat_map(|(line, lines)| paragraphs(line, &lines));
        paragraphs.flat_map(|(_, text)| split(&text).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn lines_of_a_comment_are_joined_into_sentences() {
        let text = "/// One sentence\n/// on two lines. Another.\n///\n/// - An item.\nlet a = 1; // behind\nlet b = \" // \";\n";
        assert_eq!(of(Comments::Slashes, text), ["One sentence on two lines.", "Another.", "An item.", "behind"]);
        assert_eq!(of(Comments::Hash, "#!/bin/sh\n# First.\na = 1 # second\nb = \"a # b\"\n"), ["First.", "second"]);
        assert_eq!(of(Comments::Dashes, "-- One,\n-- two.\na INTEGER, -- three\n"), ["One, two.", "three"]);
        assert_eq!(of(Comments::Stars, "/* One. */\na { b: c } /* Two */\n"), ["One.", "Two"]);
    }

    #[test]
    fn code_of_a_page_is_left_out_and_cells_are_apart() {
        let lines = ["# Head", "Text", "goes on.", "", "```", "What code", "```", "| a | what b |"].map(str::to_owned);
        let found: Vec<_> = paragraphs(1, &lines).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, ["Head", "Text goes on.", "a", "what b"]);
    }

    #[test]
    fn openings_are_found_and_questions_are_not() {
        let opens = |sentence: &str, first| opens_with(sentence, first, &["what", "who"]);
        assert!(opens("What is asked.", true) && opens("**Who** hands in.", false) && opens("what b", true));
        assert!(!opens("What is it?", true) && !opens("Whatever.", true) && !opens("(Who is it?)", true));
        assert!(!opens("what follows an abbreviation", false) && !opens("The one who hands in.", true));
        assert!(opens_with("Lo que pide.", true, &["lo que"]) && !opens_with("Lo pide.", true, &["lo que"]));
    }

    #[test]
    fn phrases_are_whole_words_in_number() {
        assert!(has_phrase("Las jugadas lícitas", "jugada lícita") && has_phrase("a lo más, dos", "a lo más"));
        assert!(!has_phrase("librería", "libro") && !has_phrase("lo más", "a lo más"));
    }
}
