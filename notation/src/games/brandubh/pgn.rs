//! Games of tafl in the style of PGN, as playtafl and the program of hnefatafl.org write them, read and written as records of
//! Brandubh.
//!
//! The tags are those of PGN, and a move is the squares that it leads from and to, `d2e2`, without captures. Neither program
//! writes rules or a size of the board, so squares beyond the board of Brandubh tell a game of another size. A text that quipu
//! writes begins with [`VARIANT`], by which its format is detected.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{CLUB, FINAL_TOKEN, MoveText, NOTATION, Square};
use crate::{
    Span,
    games::{ForeignFormat, Unwritable},
    record::{
        BASE_RULES, Dropped, ForeignFault, Format, Movetext, Outcome, ReadError, Record, Spanned, SyntaxFault, Tag,
        text::{Records, is_blank},
    },
};

/// Games in the style of PGN.
pub const PGN: ForeignFormat = ForeignFormat {
    format: Format::Pgn,
    game: NOTATION.id,
    is_single: false,
    fields: &[],
    tag: Some((VARIANT, NOTATION.id)),
    sites: &["playtafl", "hnefatafl.org"],
    read,
    write,
};

/// The tag by which PGN names another game than chess. With the game of this format as its value it stands for `Game`.
const VARIANT: &str = "Variant";

/// Reads the text of a game. Its tags, comments, annotations and variations are written as in a record.
fn read(text: &str) -> Result<Record<'_>, ReadError> {
    let mut records = Records::new(text.as_bytes(), false, false);
    let mut record = records.next().transpose()?.unwrap_or_default();
    if let Some(more) = records.next() {
        let span = Span::new(more?.span.start as usize, text.trim_end_matches(is_blank).len());
        record.dropped.push(Dropped::new(&text[span.range()], span));
    }
    let start = Span::new(record.span.start as usize, record.span.start as usize);
    if record.tag("Game").is_none() {
        let variant = taken(&mut record, VARIANT, |value| (value == NOTATION.id).then_some(()));
        let span = variant.map_or(start, |variant| variant.span);
        record.tags.insert(0, Tag { name: "Game".into(), value: NOTATION.id.into(), span });
        if record.tag("Rules").is_none() {
            record.dropped.push(Dropped::absent("[Rules]", start, CLUB));
            record.tags.push(Tag { name: "Rules".into(), value: CLUB.into(), span: start });
        }
    }
    record.tags.retain(|tag| !(tag.name == "Rules" && tag.value == BASE_RULES));
    if record.result.is_none() {
        let of_tag = |tag: &Tag<'_>| Some(Spanned { value: Outcome::parse(&tag.value)?, span: tag.span });
        record.result =
            taken(&mut record, FINAL_TOKEN, Outcome::parse).or_else(|| record.tag("Result").and_then(of_tag));
    }
    moves(&mut record.movetext)?;
    Ok(record)
}

/// Takes the tag of this name out of a record, if its value has a meaning.
fn taken<T>(record: &mut Record<'_>, name: &str, meaning: impl Fn(&str) -> Option<T>) -> Option<Spanned<T>> {
    let index = record.tags.iter().position(|tag| tag.name == name)?;
    let value = meaning(&record.tags[index].value)?;
    Some(Spanned { value, span: record.tags.remove(index).span })
}

/// Spells the moves of a line as a record does.
fn moves(line: &mut Movetext<'_>) -> Result<(), ReadError> {
    for ply in &mut line.plies {
        match squares(&ply.token) {
            Some((from, to)) => ply.token = Cow::Owned(format!("{from}-{to}")),
            None if is_of_other_board(&ply.token) => {
                let fault = ForeignFault { variant: "pgn-board", quotes: true };
                return Err(ReadError::syntax(SyntaxFault::Foreign(fault), ply.span));
            }
            None => {}
        }
        ply.notes.iter_mut().flat_map(|notes| &mut notes.variations).try_for_each(moves)?;
    }
    Ok(())
}

/// The squares of a move such as `d2e2`.
fn squares(token: &str) -> Option<(Square, Square)> {
    let (from, to) = token.split_at_checked(2)?;
    Some((Square::parse(from)?, Square::parse(to)?))
}

/// True for a move such as `h10h8` on a larger board.
fn is_of_other_board(token: &str) -> bool {
    let square = |text: &str| -> Option<usize> {
        text.starts_with(|first: char| first.is_ascii_lowercase()).then_some(())?;
        let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
        (1..=2).contains(&digits).then_some(1 + digits)
    };
    let from = square(token).unwrap_or(0);
    from > 0 && square(&token[from..]).is_some_and(|to| from + to == token.len())
}

/// Writes a record. The programs take every word of the moves for a move, so there are no comments or results among them.
fn write(record: &Record<'_>) -> Result<String, Unwritable> {
    let mut text = String::new();
    let head = [(VARIANT, NOTATION.id), ("Rules", record.value("Rules").unwrap_or(BASE_RULES))];
    let tags = record.tags.iter().map(|tag| (&*tag.name, &*tag.value));
    // A tag with the name of the final token would be read as that.
    let others = tags.filter(|(name, _)| !["Game", "Rules", VARIANT, FINAL_TOKEN].contains(name));
    // Without a tag, no result means the same as an open one.
    let told = record.value("Result").and_then(Outcome::parse).unwrap_or(Outcome::Open);
    let token = record.result.map(|result| result.value).filter(|token| *token != told);
    let token = token.map(|token| (FINAL_TOKEN, token.as_str()));
    for (name, value) in head.into_iter().chain(others).chain(token) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.extend(["[", name, " \"", &value, "\"]\n"]);
    }
    text.push('\n');
    for (index, ply) in record.movetext.plies.iter().enumerate() {
        let played = MoveText::parse(&ply.token).ok().filter(|played| !played.king);
        let MoveText { from, to, .. } = played.ok_or(Unwritable::Token(index))?;
        let space = if index > 0 { " " } else { "" };
        if index.is_multiple_of(2) {
            text += &format!("{space}{}. {from}{to}", Record::expected_number(index));
        } else {
            text += &format!("{space}{from}{to}");
        }
    }
    text.push_str("\n\n");
    Ok(text)
}
