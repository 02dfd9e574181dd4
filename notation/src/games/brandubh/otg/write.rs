//! Writes a record as a replay.
//!
//! Everything that a replay can hold is written as `OpenTafl` writes it. Tags that it has no name for are written with a
//! prefix ([`OWN`]), so that reading them gives the record again.

use std::fmt::{self, Write};

use super::{
    names::{FOREIGN, NO_RESULT, OWN, end_written, sentence, tag_of_replay},
    rules,
    time::Time,
    translate::{code, comment, end_told, token},
};
use crate::{
    games::{
        Unwritable,
        brandubh::setup::{START, Setup},
    },
    record::{
        BASE_RULES, Movetext, Outcome, Ply, Record, limits,
        text::{is_blank, is_special},
    },
};

/// Seconds that a time of `OpenTafl` can have.
const MAX_SECONDS: u64 = 999_999_999;

/// Tags without whose value a game is judged differently.
const JUDGED: [&str; 4] = ["Rules", "Setup", "Result", "Termination"];

/// Writes a record; the tag of the rules is the last.
pub(super) fn write(record: &Record<'_>) -> Result<String, Unwritable> {
    if let Some(index) = record.movetext.plies.iter().position(|ply| !is_written(&ply.token)) {
        return Err(Unwritable::Token(index));
    }
    if let Some(name) = JUDGED.into_iter().find(|name| !record.value(name).is_none_or(is_value)) {
        return Err(Unwritable::Tag(name));
    }
    let mut replay = Replay { out: String::new(), has_clocks: true, time_control: None };
    let written = replay.tags(record).and_then(|()| replay.line("", &record.movetext.plies, 0, 0));
    debug_assert!(written.is_ok(), "a String takes everything");
    Ok(replay.out)
}

/// True for a token that a replay can hold, and that is read as the same.
fn is_written(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.bytes().any(is_special)
        && text.len() <= limits::TOKEN
        && token(text) == text
}

/// True for a value that a tag can hold.
fn is_value(text: &str) -> bool {
    !text.contains([']', '\n', '\r']) && text.trim_matches(is_blank) == text && text.len() <= limits::VALUE
}

/// Comments as one that a replay can hold and that is read as it stands: no bracket may close it, no bar divide it, and its lines
/// have no white space around them if they are read one by one.
fn inside<'c>(comments: impl Iterator<Item = &'c str>) -> String {
    let joined = comments.collect::<Vec<_>>().join("\n");
    let text = joined.replace('[', "(").replace(']', ")").replace('|', "/");
    comment(&text).collect::<Vec<_>>().join("\n")
}

/// A replay that is written.
struct Replay {
    out: String,
    /// False if clocks would be read as something else.
    has_clocks: bool,
    /// The time control, if there is one.
    time_control: Option<bool>,
}

impl Replay {
    fn tag(&mut self, name: &str, value: &str) -> fmt::Result {
        if is_value(value) { writeln!(self.out, "[{name}:{value}]") } else { Ok(()) }
    }

    /// Writes a tag that `OpenTafl` has no name for.
    fn own(&mut self, name: &str, value: &str) -> fmt::Result {
        self.tag(&format!("{OWN}{name}"), value)
    }

    fn tags(&mut self, record: &Record<'_>) -> fmt::Result {
        let told = record.value("Otg_termination").filter(|told| {
            end_written(told).is_none() && is_value(told) && end_told(told) == record.value("Termination")
        });
        for tag in &record.tags {
            match &*tag.name {
                "Game" | "Rules" | "Setup" | "Result" | "Otg_rules" => {}
                "TimeControl" => self.time_control(&tag.value)?,
                "Otg_termination" if told.is_some() => self.tag("termination", &tag.value)?,
                "Termination" if told.is_some() => {}
                "Termination" => match sentence(&tag.value) {
                    Some(sentence) => self.tag("termination", sentence)?,
                    None => self.own(&tag.name, &tag.value)?,
                },
                name => match tag_of_replay(name) {
                    Some(otg) => self.tag(&otg, &tag.value)?,
                    None => self.own(name, &tag.value)?,
                },
            }
        }
        self.result(record)?;
        self.opening(&record.movetext)?;
        self.rules(record)?;
        self.out.push('\n');
        Ok(())
    }

    fn time_control(&mut self, value: &str) -> fmt::Result {
        let time = Time::parse(value).filter(|time| time.plain && time.length == value.len());
        // A time with an increment of 0 would be read without it.
        if !is_value(value) || time.is_some_and(|time| time.digits < value.len()) {
            return self.own("TimeControl", value);
        }
        self.has_clocks = time.is_some();
        self.time_control = Some(time.is_some());
        self.tag("time-control", value)
    }

    /// Writes the final token, or else the tag, and the tag by itself if it differs.
    fn result(&mut self, record: &Record<'_>) -> fmt::Result {
        let tag = record.value("Result");
        let token = record.result.map(|result| result.value).or_else(|| tag.and_then(Outcome::parse));
        // Without a tag, no result means the same as an open one.
        let token = token.filter(|token| tag.is_some() || *token != Outcome::Open);
        if let Some(outcome) = token {
            self.tag("result", code(outcome))?;
        }
        match tag {
            Some(tag) if token.is_none_or(|token| token.as_str() != tag) => self.own("Result", tag),
            None if token.is_some() => self.tag(NO_RESULT, ""),
            _ => Ok(()),
        }
    }

    fn opening(&mut self, movetext: &Movetext<'_>) -> fmt::Result {
        let comments = inside(movetext.comments.iter().map(|comment| &**comment));
        if comments.is_empty() || comments.len() > limits::COMMENT {
            return Ok(());
        }
        writeln!(self.out, "[start-comment:{comments}]")
    }

    fn rules(&mut self, record: &Record<'_>) -> fmt::Result {
        let name = record.value("Rules").unwrap_or(BASE_RULES);
        let known = rules::set(name);
        let set = known.unwrap_or(&rules::SETS[0]);
        let setup = record.value("Setup");
        let as_read = record.value("Otg_rules").filter(|text| is_value(text) && rules::gives(text, name, setup));
        let arranged = setup.and_then(|setup| Setup::parse(setup).ok());
        let mut position = String::new();
        let first = if let Some(Setup { diagram, turn, .. }) = &arranged {
            diagram.write_otg(&mut position)?;
            *turn
        } else {
            write!(position, "/{START}/")?;
            set.first
        };
        let text = match as_read {
            Some(text) => text.to_owned(),
            None => rules::spelled(set, first, &position),
        };
        // Switches that the rule set does not have are reported once, when a replay is read that has no such tag.
        if known.is_none() || rules::differs(&text) {
            self.own("Rules", name)?;
        }
        if let Some(setup) = setup
            && !rules::gives(&text, set.name, Some(setup))
        {
            self.own("Setup", setup)?;
        }
        if as_read.is_none()
            && let Some(text) = record.value(&format!("{FOREIGN}rules"))
        {
            self.own("Otg_rules", text)?;
        }
        self.tag("rules", &text)
    }

    /// Writes a line of moves, in which `missing` moves of the first turn stand as dots, and the lines that replace them.
    fn line(&mut self, address: &str, plies: &[Ply<'_>], missing: usize, depth: usize) -> fmt::Result {
        let letter = if depth > 0 { "a" } else { "" };
        let (mut at, mut turn) = (0, 1);
        while at < plies.len() {
            let dots = if turn == 1 { missing } else { 0 };
            let half = &plies[at..plies.len().min(at + 2 - dots)];
            write!(self.out, "{address}{turn}{letter}.{}", [" .....", ""][1 - dots])?;
            half.iter().try_for_each(|ply| write!(self.out, " {}", ply.token))?;
            self.out.push('\n');
            let comments: Vec<_> = half.iter().map(|ply| self.comment(ply)).collect();
            if comments.iter().any(|comment| !comment.is_empty()) {
                writeln!(self.out, "[{}]", comments.join("|"))?;
            }
            self.out.push('\n');
            for (index, ply) in half.iter().enumerate() {
                self.variations(&format!("{address}{turn}"), ply, dots + index, depth)?;
            }
            at += half.len();
            turn += 1;
        }
        Ok(())
    }

    /// Writes the variations of a ply, the first or second of its turn.
    fn variations(&mut self, turn: &str, ply: &Ply<'_>, half: usize, depth: usize) -> fmt::Result {
        let lines = ply.notes.iter().flat_map(|notes| &notes.variations);
        let written = lines.filter(|line| {
            depth < limits::NESTING && !line.plies.is_empty() && line.plies.iter().all(|ply| is_written(&ply.token))
        });
        for (index, line) in written.enumerate() {
            let address = format!("{turn}{}.{}.", ["a", "b"][half], index + 1);
            self.line(&address, &line.plies, half, depth + 1)?;
        }
        Ok(())
    }

    /// The clock and the comments of a ply. A clock is rounded up, so that one that runs is not at zero.
    fn comment(&self, ply: &Ply<'_>) -> String {
        let clock = ply
            .clock
            .map(|clock| clock.value.div_ceil(1000))
            .filter(|&seconds| self.has_clocks && seconds <= MAX_SECONDS);
        let comments = ply.notes.iter().flat_map(|notes| &notes.comments);
        let text = inside(comments.map(|comment| &**comment));
        let clock = clock.map(|seconds| format!("{seconds} 0/0 0i")).unwrap_or_default();
        let is_misread = clock.is_empty() && Time::clock(&text, self.time_control).is_some();
        let text = if is_misread || clock.len() + text.len() >= limits::COMMENT { "" } else { &text };
        let joint = if clock.is_empty() || text.is_empty() { "" } else { " " };
        format!("{clock}{joint}{text}")
    }
}
