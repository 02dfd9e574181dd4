//! Formats that one game brings along: those of other programs for it.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use crate::{
    Span,
    record::{BASE_RULES, Dropped, Format, Movetext, Notes, Ply, ReadError, Record, clock},
};

/// A format of another program, for records of one game.
#[derive(Debug)]
pub struct ForeignFormat {
    /// The format.
    pub format: Format,
    /// The game, by its value of the tag `Game`.
    pub game: &'static str,
    /// True if a source in it is one record, so that a file has no second one.
    pub is_single: bool,
    /// Names of fields of its objects in JSON; an object that begins with one of them is in this format.
    pub fields: &'static [&'static str],
    /// Name and value of a tag that only texts in this format have, without `Game`; nothing if they have other tags than a record.
    pub tag: Option<(&'static str, &'static str)>,
    /// Parts of values of the tag `Site`: without `Game` and before a move of squares alone, they tell the program that wrote a text.
    pub sites: &'static [&'static str],
    /// Reads the text of a record.
    pub read: fn(&str) -> Result<Record<'_>, ReadError>,
    /// Writes a record as far as the format can express it.
    pub write: fn(&Record<'_>) -> Result<String, Unwritable>,
}

impl PartialEq for ForeignFormat {
    fn eq(&self, other: &Self) -> bool {
        self.format == other.format
    }
}

impl Eq for ForeignFormat {}

/// The reason that a record is not written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// It is not of the game of the format.
    Game,
    /// The format has no spelling for the token of the ply at this index.
    Token(usize),
    /// The format has no spelling for the value of this tag, without which the game would be judged differently.
    Tag(&'static str),
    /// It is too large in this format: the limits of records are exceeded.
    Large,
}

impl ForeignFormat {
    /// The text of a record, and its parts that the text lacks, in their order.
    ///
    /// # Errors
    /// The format cannot express the record at all.
    pub fn written(&self, record: &Record<'_>) -> Result<(String, Vec<Dropped<'static>>), Unwritable> {
        if record.value("Game") != Some(self.game) {
            return Err(Unwritable::Game);
        }
        let text = (self.write)(record)?;
        // The loss is the difference from the record that the text is read as, so that the report cannot miss a part.
        let lost = losses(record, &(self.read)(&text).map_err(|_| Unwritable::Large)?);
        Ok((text, lost))
    }
}

/// Characters of a comment that are shown.
const SHOWN: usize = 60;

/// The parts of a record that another one, read from a written text, lacks.
fn losses(record: &Record<'_>, again: &Record<'_>) -> Vec<Dropped<'static>> {
    let mut losses = Losses::default();
    let kept: HashMap<&str, &str> = again.tags.iter().map(|tag| (&*tag.name, &*tag.value)).collect();
    for tag in &record.tags {
        let is_default = tag.name == "Rules" && tag.value == BASE_RULES;
        if !is_default && kept.get(&*tag.name) != Some(&&*tag.value) {
            losses.add(format!("[{} \"{}\"]", tag.name, tag.value), tag.span);
        }
    }
    let start = Span::new(record.span.start as usize, record.span.start as usize);
    losses.movetext(&record.movetext, &again.movetext, start);
    if record.outcome() != again.outcome() {
        let span = record.result.map_or(start, |result| result.span);
        losses.add(record.outcome().as_str(), span);
    }
    losses.parts.extend(losses.captures);
    losses.parts
}

/// Gathers the lost parts.
#[derive(Default)]
struct Losses {
    parts: Vec<Dropped<'static>>,
    /// The captures of all moves that are written without, as one part.
    captures: Option<Dropped<'static>>,
}

impl Losses {
    fn add(&mut self, what: impl Into<Cow<'static, str>>, span: Span) {
        self.parts.push(Dropped::new(what, span));
    }

    fn movetext(&mut self, line: &Movetext<'_>, again: &Movetext<'_>, start: Span) {
        self.comments(&line.comments, &again.comments, start);
        for (index, ply) in line.plies.iter().enumerate() {
            match again.plies.get(index) {
                Some(again) => self.ply(ply, again),
                None => self.add(ply.token.clone().into_owned(), ply.span),
            }
        }
    }

    fn ply(&mut self, ply: &Ply<'_>, again: &Ply<'_>) {
        let captures = ply.token.strip_prefix(&*again.token).filter(|rest| rest.starts_with('x'));
        if let Some(captures) = captures {
            let all = self.captures.get_or_insert(Dropped::new("", ply.span));
            let joint = if all.what.is_empty() { "" } else { " " };
            all.what.to_mut().extend([joint, captures]);
        } else if ply.token != again.token {
            self.add(ply.token.clone().into_owned(), ply.span);
        }
        if let Some(clock) = ply.clock
            && again.clock.map(|clock| clock.value) != Some(clock.value)
        {
            let mut text = clock::OPEN.to_owned();
            let written = clock::write(clock.value, &mut text);
            debug_assert!(written.is_ok(), "a String takes everything");
            self.add(text + "]", clock.span);
        }
        let Some(notes) = ply.notes.as_deref() else { return };
        let none = Notes::default();
        let kept = again.notes.as_deref().unwrap_or(&none);
        if notes.nags != kept.nags {
            notes.nags.iter().for_each(|nag| self.add(format!("${nag}"), ply.span));
        }
        self.comments(&notes.comments, &kept.comments, ply.span);
        // A format may leave out some, and keeps the order of the others.
        let mut variations = kept.variations.iter().peekable();
        for line in &notes.variations {
            match variations.next_if(|kept| tokens(kept).eq(tokens(line))) {
                Some(kept) => self.movetext(line, kept, ply.span),
                None => self.add(format!("({})", tokens(line).collect::<Vec<_>>().join(" ")), ply.span),
            }
        }
    }

    /// Compares comments. A format may join those of a ply.
    fn comments(&mut self, comments: &[Cow<'_, str>], kept: &[Cow<'_, str>], span: Span) {
        if comments.join("\n") == kept.join("\n") {
            return;
        }
        let kept: HashSet<_> = kept.iter().collect();
        for comment in comments.iter().filter(|comment| !kept.contains(comment)) {
            let shown: String = comment.chars().take(SHOWN).collect();
            let more = if shown.len() < comment.len() { "…" } else { "" };
            self.add(format!("{{{shown}{more}}}"), span);
        }
    }
}

/// The tokens of a line.
fn tokens<'l>(line: &'l Movetext<'_>) -> impl Iterator<Item = &'l str> {
    line.plies.iter().map(|ply| &*ply.token)
}
