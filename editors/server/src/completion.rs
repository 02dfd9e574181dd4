//! Completion: legal moves, results, names of tags, and their values.

use std::{collections::BTreeMap, num::NonZero, ops::Range as Bytes};

use gen_lsp_types::{CompletionItem, CompletionItemKind, CompletionList, InsertTextFormat, Position, Range, TextEdit};
use quipu_notation::{
    games::{GAMES, GameNotation},
    record::{Chunk, Outcome, Record, tag_names, write::BASE_RULES},
};
use quipu_referee::{Board, Referee, games, replay::Replay, scoring::LISTED, termination::DECLARED};

use crate::{
    document::{Document, PartPlace},
    settings::SessionSettings,
    tags::{self, TagPlace},
};

/// Values from other records of the file that are offered, at most: the most frequent ones.
pub(crate) const VALUES: usize = 200;

/// Bytes of a value that is offered, at most.
pub(crate) const LONG: usize = 200;

/// The characters at which an editor asks by itself.
pub(crate) const TRIGGERS: [&str; 3] = ["[", "\"", " "];

/// The possible continuations at a position.
pub(crate) fn completions(document: &Document, position: Position, settings: &SessionSettings) -> CompletionList {
    let offset = document.offset(position);
    let place = document.place_at(offset);
    let start = place.map_or(0, |place| place.start);
    let before = &document.text()[start..offset];
    let found = match (tags::place_in(before, before.len()), place) {
        (Some(TagPlace::Name(bytes)), _) => Offer { bytes, items: names(document, place, settings, offset) },
        (Some(TagPlace::Value(name, bytes)), _) => Offer { bytes, items: values(document, place, name) },
        (None, Some(_)) => moves(before).unwrap_or_default(),
        (None, None) => Offer::default(),
    };
    let typed = before.len() - found.bytes.start;
    let range = Range { start: document.position(offset - typed), end: position };
    let items = found.items.into_iter().enumerate().map(|(index, item)| item.completion(index, range));
    CompletionList { is_incomplete: false, item_defaults: None, apply_kind: None, items: items.collect() }
}

/// Texts to write in place of some bytes before the cursor.
#[derive(Debug, Default)]
struct Offer {
    bytes: Bytes<usize>,
    items: Vec<Item>,
}

/// A text to write.
#[derive(Debug)]
struct Item {
    label: String,
    text: String,
    kind: CompletionItemKind,
    is_snippet: bool,
}

impl Item {
    fn new(label: impl Into<String>, kind: CompletionItemKind) -> Self {
        let label = label.into();
        Self { text: label.clone(), label, kind, is_snippet: false }
    }

    fn completion(self, index: usize, range: Range) -> CompletionItem {
        let format = if self.is_snippet { InsertTextFormat::Snippet } else { InsertTextFormat::PlainText };
        CompletionItem {
            filter_text: Some(self.label.clone()),
            sort_text: Some(format!("{index:05}")),
            kind: Some(self.kind),
            insert_text_format: Some(format),
            text_edit: Some(TextEdit { range, new_text: self.text }.into()),
            label: self.label,
            ..CompletionItem::default()
        }
    }
}

/// The legal moves after a part of a record, and the results; none in comments, variations and after the result.
fn moves(before: &str) -> Option<Offer> {
    // A letter makes the word before the cursor a token of its own, whatever stands there.
    let text = format!("{before}x");
    let chunk = Chunk::new(text.as_bytes());
    let record = chunk.records_without_notes().collect::<Result<Vec<_>, _>>().ok()?.pop()?;
    let typed = record.movetext.plies.last().filter(|ply| ply.span.range().end == text.len())?;
    let bytes = typed.span.range().start..before.len();
    let word = &before[bytes.clone()];
    let mut replay = Replay::of(&record)?;
    for _ in 1..record.movetext.plies.len() {
        replay.play()?;
    }
    let result = |result: Outcome| Item::new(result.as_str(), CompletionItemKind::Value);
    let items = if let Some(end) = replay.board().end() {
        vec![result(end.outcome)]
    } else {
        let moves = legal_moves(replay.board(), word).into_iter();
        let moves = moves.map(|token| Item::new(token, CompletionItemKind::EnumMember));
        moves.chain(Outcome::ALL.map(result)).collect()
    };
    Some(Offer { bytes, items })
}

/// The legal moves, or of too many those that are close to what is typed.
fn legal_moves(board: &dyn Board, word: &str) -> Vec<String> {
    if board.perft(1, NonZero::<usize>::MIN) <= LISTED { board.legal_moves() } else { board.suggestions(word) }
}

/// The record that a place is in, as far as its tags can be read.
fn record(document: &Document, place: Option<PartPlace>) -> Option<Record<'_>> {
    place.and_then(|place| tags::of_chunk(&document.chunk(place)))
}

/// The game of a record; if its tags cannot be read, of the line with the tag `Game` in it.
fn game(document: &Document, place: Option<PartPlace>) -> Option<&'static GameNotation> {
    if let Some(record) = record(document, place) {
        return record.game();
    }
    let text = document.text_of(place?);
    let value = text.split_once("[Game \"")?.1.split_once('"')?.0;
    quipu_notation::games::find(value)
}

/// The names of tags that the record does not have.
fn names(document: &Document, place: Option<PartPlace>, settings: &SessionSettings, offset: usize) -> Vec<Item> {
    let game = game(document, place);
    let text = place.map(|place| document.text_of(place)).unwrap_or_default();
    let sides = GAMES.iter().filter(|row| game.is_none_or(|game| game.id == row.id));
    let sides = sides.flat_map(|row| &row.sides).map(|side| side.tag);
    let mut names: Vec<&str> = Vec::new();
    for name in tag_names().map(|(tag, _)| tag).chain(sides) {
        let is_there = text.contains(&format!("[{name} "));
        if !names.contains(&name) && !is_there && is_of(game, name) {
            names.push(name);
        }
    }
    // Editors close a bracket as soon as it is typed.
    let is_closed = document.text()[offset..].starts_with(']');
    let end = if is_closed { "" } else { "]" };
    let item = |name: &str| Item {
        text: if settings.snippets { format!("{name} \"$1\"{end}") } else { format!("{name} \"\"{end}") },
        is_snippet: settings.snippets,
        ..Item::new(name, CompletionItemKind::Property)
    };
    names.into_iter().map(item).collect()
}

/// True for a tag that applies to records of a game.
fn is_of(game: Option<&'static GameNotation>, name: &str) -> bool {
    let Some(notation) = game else { return true };
    let remarks = || games::ALL.iter().filter(|row| row.remarks().iter().any(|remark| remark.tag == name));
    match name {
        "First" => notation.first,
        "Points" => notation.points,
        _ => remarks().next().is_none() || remarks().any(|row| row.notation().id == notation.id),
    }
}

/// The values of a tag: those of its table, or those that other records of the file have.
fn values(document: &Document, place: Option<PartPlace>, name: &str) -> Vec<Item> {
    let game = game(document, place);
    let known = known_values(game, name);
    let known = if known.is_empty() { written_values(document, place, name) } else { known };
    known
        .into_iter()
        .map(|value| Item { text: tags::quoted(&value), ..Item::new(value, CompletionItemKind::Value) })
        .collect()
}

/// The values that a table has.
fn known_values(notation: Option<&'static GameNotation>, name: &str) -> Vec<String> {
    let game = notation.and_then(|notation| games::find(notation.id));
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let sides = || notation.map(|game| game.sides.iter().map(|side| side.name.to_owned()).collect());
    match name {
        "Game" => games::ALL.iter().map(|game| game.notation().id.to_owned()).collect(),
        "Rules" => game.map_or_else(|| owned(&[BASE_RULES]), |game| owned(&game.rule_sets())),
        "Result" => owned(&Outcome::ALL.map(Outcome::as_str)),
        "Termination" => {
            let ends = game.into_iter().flat_map(Referee::ends);
            DECLARED.iter().chain(ends).map(|end| end.name.to_owned()).collect()
        }
        "First" | "Decision" => sides().unwrap_or_default(),
        "Leg" => owned(&["1", "2"]),
        "TimeControl" => game.and_then(Referee::time_control).map(|time| time.to_string()).into_iter().collect(),
        _ => {
            let remarks = game.into_iter().flat_map(Referee::remarks).filter(|remark| remark.tag == name);
            remarks.flat_map(|remark| remark.values).map(|(value, _)| (*value).to_owned()).collect()
        }
    }
}

/// The values that other records of the file have, the most frequent first. A name of a player is offered for each side.
fn written_values(document: &Document, place: Option<PartPlace>, name: &str) -> Vec<String> {
    let is_player = |name: &str| GAMES.iter().flat_map(|game| &game.sides).any(|side| side.tag == name);
    let is_wanted = |tag: &str| tag == name || is_player(name) && is_player(tag);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for other in document.places().filter(|other| place.is_none_or(|place| place.index != other.index)) {
        let Some(record) = tags::of_chunk(&document.chunk(other)) else { continue };
        for tag in record.tags.iter().filter(|tag| is_wanted(&tag.name) && tag.value.len() <= LONG) {
            *counts.entry(tag.value.clone().into_owned()).or_default() += 1;
        }
    }
    let mut values: Vec<_> = counts.into_iter().filter(|(value, _)| !matches!(&**value, "" | "?")).collect();
    values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    values.into_iter().take(VALUES).map(|(value, _)| value).collect()
}
