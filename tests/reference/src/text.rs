//! The text of records. First a file is cut before each tag section, knowing only what can hide one; then each piece is read,
//! letter by letter, up to its first fault. A sentence in quotes is of the page about records.

use crate::Code;

/// A record as it was read, without what no judge asks for.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Tags in the order in which they stand.
    pub tags: Vec<(String, String)>,
    /// Plies of the game itself.
    pub plies: Vec<Ply>,
    /// The final token, if there is one.
    pub result: Option<String>,
}

/// A ply as it was read.
#[derive(Clone, Debug, Default)]
pub struct Ply {
    /// The token as written.
    pub token: String,
    /// Move numbers before it.
    pub numbers: Vec<String>,
    /// The mover's remaining time after it, in milliseconds.
    pub clock: Option<u64>,
}

const SYNTAX: Code = "record.syntax";
const ENCODING: Code = "record.encoding";
const LIMIT: Code = "record.limit";
const BOM: char = '\u{feff}';
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// "White space is space, tab, carriage return, line feed, vertical tab and form feed, and nothing else."
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n' | '\u{b}' | '\u{c}')
}

/// "`(`, `)`, `[`, `]`, `{`, `}`, `$`, `!` and `?` are never part of a token"
fn is_apart(letter: char) -> bool {
    "()[]{}$!?".contains(letter)
}

/// All records of a file, or the fault that makes one unreadable.
pub fn read(file: &[u8]) -> Vec<Result<Record, Code>> {
    // "A byte order mark is skipped at the start of the file, at the start of its first line that is not empty,"
    let mut file = unmarked(file);
    let blank = file.iter().take_while(|byte| is_space(char::from(**byte))).count();
    if file[..blank].ends_with(b"\n") {
        file = unmarked(&file[blank..]);
    }
    cut(file).into_iter().flat_map(read_block).collect()
}

/// The text after a byte order mark, if there is one.
fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(BOM.to_string().as_bytes()).unwrap_or(text)
}

/// Offset of the end of a comment that begins here, behind its mark; if it is not closed, the offset from which reading resumes.
fn end_of_comment(file: &[u8], at: usize) -> Result<usize, usize> {
    let close = (at..file.len()).find(|i| file[*i] == b'}').unwrap_or(file.len());
    // "and, anywhere in it, before a `[` that begins a line"
    let begins = |i: &usize, text: &str| file[i - 1] == b'\n' && unmarked(&file[*i..]).starts_with(text.as_bytes());
    // "a line inside it that begins with `[Game "` shows that it was not closed."
    if close < file.len() && !(at + 1..close).any(|i| begins(&i, "[Game \"")) {
        return Ok(close + 1);
    }
    // "After a comment that was not closed, it goes on at the first line after its `{` that begins with `[`."
    Err((at + 1..file.len()).find(|i| begins(i, "[")).unwrap_or(file.len()))
}

/// Cuts a file before each tag section.
fn cut(file: &[u8]) -> Vec<&[u8]> {
    #[derive(PartialEq)]
    enum Stage {
        Before,
        Tags,
        Moves,
    }
    let mut cuts = vec![0];
    let mut stage = Stage::Before;
    let mut i = 0;
    let end_of_line = |i: usize| (i..file.len()).find(|i| file[*i] == b'\n').unwrap_or(file.len());
    while i < file.len() {
        if i == 0 || file[i - 1] == b'\n' {
            let line = &file[i..end_of_line(i)];
            // "A byte order mark is skipped at the start of the file and, anywhere in it, before a `[` that begins a line"
            if unmarked(line).starts_with(b"[") {
                // "Once a tag section has ended, the next line that begins with `[` begins the next record."
                if stage == Stage::Moves {
                    cuts.push(i);
                }
                stage = Stage::Tags;
                i = end_of_line(i) + 1;
                continue;
            }
            if line.starts_with(b"%") {
                i = end_of_line(i) + 1;
                continue;
            }
            // "An empty line ends the tag section"
            if stage == Stage::Tags && line.iter().all(|byte| is_space(char::from(*byte))) {
                stage = Stage::Moves;
                i = end_of_line(i) + 1;
                continue;
            }
        }
        match char::from(file[i]) {
            '{' => match end_of_comment(file, i) {
                Ok(end) => i = end,
                Err(resumes) => {
                    if resumes < file.len() {
                        cuts.push(resumes);
                    }
                    stage = Stage::Before;
                    i = resumes;
                }
            },
            ';' => i = end_of_line(i),
            letter if is_space(letter) => i += 1,
            letter => {
                // "The first empty line after a tag, or the first thing of the movetext, ends the tag section."
                stage = Stage::Moves;
                i += 1;
                let goes_on = |i: usize| i < file.len() && !is_space(file[i].into()) && !is_apart(file[i].into());
                while !is_apart(letter) && goes_on(i) {
                    i += 1;
                }
            }
        }
    }
    cuts.push(file.len());
    cuts.windows(2).map(|pair| &file[pair[0]..pair[1]]).collect()
}

/// Reads the records of what stands between two cuts: one, or several if text goes on after a result.
fn read_block(block: &[u8]) -> Vec<Result<Record, Code>> {
    // "a record 16 MiB" "counted from its first byte to its last that is not white space."
    if block.trim_ascii().len() > 16 * 1024 * 1024 {
        return vec![Err(LIMIT)];
    }
    let mut reader = Reader { letters: Vec::new(), other_bytes: None, at: 0, commented: false };
    for part in block.utf8_chunks() {
        reader.letters.extend(part.valid().chars());
        if !part.invalid().is_empty() {
            reader.other_bytes = reader.other_bytes.or(Some(reader.letters.len()));
            reader.letters.push(char::REPLACEMENT_CHARACTER);
        }
    }
    let mut found = Vec::new();
    loop {
        let record = reader.record(found.is_empty());
        // "Other bytes are an error that says where (`record.encoding`), never silently replaced." The first of both is
        // the fault.
        let passed = reader.other_bytes.is_some_and(|other| other < reader.at);
        let reached = reader.other_bytes == Some(reader.at);
        let record = if passed || (reached && record.is_err()) { Err(ENCODING) } else { record };
        match record {
            Ok(None) => return found,
            Ok(Some(record)) => found.push(Ok(record)),
            Err(code) => {
                found.push(Err(code));
                return found;
            }
        }
    }
}

struct Reader {
    letters: Vec<char>,
    /// Offset of the first byte that is not UTF-8.
    other_bytes: Option<usize>,
    at: usize,
    /// True after a comment, which is a record by itself.
    commented: bool,
}

impl Reader {
    fn now(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn begins_a_line(&self) -> bool {
        self.at == 0 || self.letters[self.at - 1] == '\n'
    }

    fn while_all(&mut self, so: impl Fn(char) -> bool) -> String {
        let from = self.at;
        while self.now().is_some_and(&so) {
            self.at += 1;
        }
        self.letters[from..self.at].iter().collect()
    }

    /// Goes past white space, comments and lines that are skipped. Comes back with the comments.
    fn gap(&mut self, stop_at_an_empty_line: bool) -> Result<Vec<String>, Code> {
        let mut comments = Vec::new();
        loop {
            if self.begins_a_line() {
                let line: String = self.letters[self.at..].iter().take_while(|letter| **letter != '\n').collect();
                if stop_at_an_empty_line && line.chars().all(is_space) {
                    return Ok(comments);
                }
                // "a line that begins with `%` is skipped, except inside a comment."
                if line.starts_with('%') {
                    self.while_all(|letter| letter != '\n');
                    continue;
                }
            }
            let comment = match self.now() {
                Some(letter) if is_space(letter) => {
                    self.at += 1;
                    continue;
                }
                // "`{comment}` anywhere;"
                Some('{') => {
                    let begins = self.at;
                    self.at += 1;
                    let comment = self.while_all(|letter| letter != '}');
                    if self.now().is_none() {
                        // "A comment without its `}` is an error at its `{`", but for a byte in it "that is the fault"
                        if self.other_bytes.is_none() {
                            self.at = begins;
                        }
                        return Err(SYNTAX);
                    }
                    self.at += 1;
                    comment
                }
                // "`;` to the end of a line;"
                Some(';') => {
                    self.at += 1;
                    self.while_all(|letter| letter != '\n')
                }
                _ => return Ok(comments),
            };
            // "a tag value or a comment 64 KiB"
            if comment.len() > 64 * 1024 {
                return Err(LIMIT);
            }
            self.commented = true;
            comments.push(comment);
        }
    }

    fn record(&mut self, may_have_tags: bool) -> Result<Option<Record>, Code> {
        let mut record = Record::default();
        self.commented = false;
        self.gap(false)?;
        while may_have_tags && self.tag(&mut record)? {
            self.gap(true)?;
        }
        let ended = self.moves(&mut record)?;
        let something = ended || self.commented || !record.tags.is_empty() || !record.plies.is_empty();
        Ok(something.then_some(record))
    }

    /// "Tag pairs `[Name "value"]`, one a line, names of letters, digits and `_`, `\"` and `\\` as escapes, no line break in a value."
    fn tag(&mut self, record: &mut Record) -> Result<bool, Code> {
        let bracket = if self.now() == Some(BOM) { self.at + 1 } else { self.at };
        if !self.begins_a_line() || self.letters.get(bracket) != Some(&'[') {
            return Ok(false);
        }
        self.at = bracket + 1;
        // "if the line of a tag, or a comment that is not closed, has such a byte in it, that is the fault"
        let length = self.letters[self.at..].iter().take_while(|letter| **letter != '\n').count();
        if self.other_bytes.is_some_and(|other| other < self.at + length) {
            return Err(ENCODING);
        }
        let is_blank = |letter| letter == ' ' || letter == '\t';
        self.while_all(is_blank);
        let name = self.while_all(|letter| letter.is_alphanumeric() || letter == '_');
        let between = self.while_all(is_blank);
        if name.is_empty() || between.is_empty() || self.now() != Some('"') {
            return Err(SYNTAX);
        }
        self.at += 1;
        let mut value = String::new();
        loop {
            // "no line break in a value"
            let letter = self.now().filter(|letter| !matches!(letter, '\n' | '\r')).ok_or(SYNTAX)?;
            self.at += 1;
            match (letter, self.now()) {
                ('"', _) => break,
                ('\\', Some(escaped @ ('"' | '\\'))) => {
                    value.push(escaped);
                    self.at += 1;
                }
                // "A backslash before any other character stands for itself."
                _ => value.push(letter),
            }
        }
        self.while_all(is_blank);
        if self.now() != Some(']') {
            return Err(SYNTAX);
        }
        self.at += 1;
        // "Nothing else stands on a line of the tag section"
        self.while_all(|letter| is_space(letter) && letter != '\n');
        if self.now().is_some_and(|letter| letter != '\n') {
            return Err(SYNTAX);
        }
        if value.len() > 64 * 1024 {
            return Err(LIMIT);
        }
        // "A name appears once (`record.tag`)."
        if record.tags.iter().any(|(other, _)| *other == name) {
            return Err("record.tag");
        }
        self.at = self.letters.len().min(self.at + 1);
        record.tags.push((name, value));
        Ok(true)
    }

    /// Reads moves up to a result and what belongs to it, or to the end. Says whether anything was there.
    fn moves(&mut self, record: &mut Record) -> Result<bool, Code> {
        let mut numbers = Vec::new();
        let mut anything = false;
        loop {
            let comments = self.gap(false)?;
            // "`[%clk H:MM:SS.mmm]` in a comment after a move: the mover's remaining time after it." "of several clocks after a move the last counts"
            if let Some(ply) = record.plies.last_mut() {
                ply.clock = comments.iter().filter_map(|comment| last_clock(comment)).next_back().or(ply.clock);
            }
            // "A record ends with `1-0`, `0-1`, `1/2-1/2` or `*`."
            let Some(letter) = self.now().filter(|_| record.result.is_none()) else { return Ok(anything) };
            anything = true;
            if is_apart(letter) {
                self.beside_a_move(!record.plies.is_empty(), 0)?;
                continue;
            }
            let (mut before, token) = self.run();
            numbers.append(&mut before);
            if RESULTS.contains(&token.as_str()) {
                record.result = Some(token);
            } else if !token.is_empty() {
                if token.len() > 256 || record.plies.len() == 100_000 {
                    return Err(LIMIT);
                }
                record.plies.push(Ply { token, numbers: std::mem::take(&mut numbers), clock: None });
            }
        }
    }

    /// "Move numbers come first in a run, if there are any: digits followed by one or more dots." "A token may touch its number (`1.0d3`)."
    fn run(&mut self) -> (Vec<String>, String) {
        let mut run = self.while_all(|letter| !is_space(letter) && !is_apart(letter));
        let mut numbers = Vec::new();
        loop {
            let digits: String = run.chars().take_while(char::is_ascii_digit).collect();
            let rest = &run[digits.len()..];
            let behind = rest.trim_start_matches('.');
            // "A number that touches a `;` is part of the token: `1.;x` is one token"
            if digits.is_empty() || behind == rest || behind.starts_with(';') {
                return (numbers, run);
            }
            run = String::from(behind);
            numbers.push(digits);
        }
    }

    /// An annotation, which is looked at for itself before it is asked what it stands after, or a variation.
    fn beside_a_move(&mut self, any_move: bool, depth: u32) -> Result<(), Code> {
        match self.now() {
            // "`$7` and `!`, `?`, `!!`, `??`, `!?`, `?!` after a token are annotations, kept."
            Some('$') => {
                self.at += 1;
                let number = self.while_all(|letter| !is_space(letter) && !is_apart(letter));
                if number.is_empty() || !number.chars().all(|letter| letter.is_ascii_digit()) {
                    return Err(SYNTAX);
                }
                // "the number of an annotation `$n` | 4 294 967 295"
                let value = number.trim_start_matches('0');
                if value.len() > 10 || value.parse::<u64>().is_ok_and(|value| value > 4_294_967_295) {
                    return Err(LIMIT);
                }
            }
            Some('!' | '?') => {
                let signs = self.while_all(|letter| letter == '!' || letter == '?');
                let known = ["!", "?", "!!", "??", "!?", "?!"].contains(&signs.as_str());
                if !known {
                    return Err(SYNTAX);
                }
            }
            Some('(') if any_move => return self.variation(depth + 1),
            _ => return Err(SYNTAX),
        }
        // "an annotation before any move"
        if any_move { Ok(()) } else { Err(SYNTAX) }
    }

    /// "`( ... )` is a variation, kept and by default not verified; it nests at most 64 deep."
    fn variation(&mut self, depth: u32) -> Result<(), Code> {
        if depth > 64 {
            return Err(LIMIT);
        }
        self.at += 1;
        let mut any_move = false;
        loop {
            self.gap(false)?;
            match self.now() {
                None => return Err(SYNTAX),
                Some(')') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(letter) if is_apart(letter) => {
                    self.beside_a_move(any_move, depth)?;
                }
                Some(_) => {
                    let (_, token) = self.run();
                    if token.len() > 256 {
                        return Err(LIMIT);
                    }
                    any_move |= !token.is_empty();
                }
            }
        }
    }
}

/// The last clock in a comment: `[%clk H:MM:SS]` or `[%clk H:MM:SS.mmm]`: "one to nine digits of hours, two digits of
/// minutes and two of seconds, both below 60, and, after a point, exactly three digits of milliseconds. Anything else
/// stays text of the comment."
fn last_clock(comment: &str) -> Option<u64> {
    let begins = comment.match_indices("[%clk ").map(|(at, mark)| at + mark.len());
    begins.filter_map(|at| clock(comment[at..].split_once(']')?.0)).last()
}

fn clock(text: &str) -> Option<u64> {
    let number = |digits: &str, least: usize, most: usize| -> Option<u64> {
        let good = (least..=most).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_digit());
        if good { digits.parse().ok() } else { None }
    };
    let (text, milliseconds) = match text.split_once('.') {
        Some((text, milliseconds)) => (text, number(milliseconds, 3, 3)?),
        None => (text, 0),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else { return None };
    let (hours, minutes, seconds) = (number(hours, 1, 9)?, number(minutes, 2, 2)?, number(seconds, 2, 2)?);
    (minutes < 60 && seconds < 60).then_some(((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds)
}
