//! Canonical order of the tags of a record.

use super::super::{BASE_RULES, Record, Tag};
use crate::games::GameNotation;

/// Tags with a row in an empty scoresheet, above those of the players and below the result.
const TEMPLATE_TAGS: ([&str; 6], [&str; 2]) =
    (["Event", "Site", "Date", "Round", "Leg", "Board"], ["Termination", "Points"]);

/// Names and values of the tags of an empty scoresheet: those of the record, and those to fill in, which have no value.
pub(super) fn template(record: &Record<'_>, game: Option<&GameNotation>) -> Vec<(String, Option<String>)> {
    let mut rows: Vec<_> = tags(record, game).map(|tag| (tag.name.to_string(), Some(tag.value.to_string()))).collect();
    let players = game.iter().flat_map(|game| &game.sides).map(|side| side.tag);
    let has_points = game.is_some_and(|game| game.points);
    let (above, below) = TEMPLATE_TAGS;
    let below = below.into_iter().filter(|name| *name != "Points" || has_points);
    let mut at = usize::from(!rows.is_empty());
    for name in above.into_iter().chain(players).chain(["Result"]).chain(below) {
        if let Some(own) = rows.iter().position(|(own, _)| own == name) {
            at = own + 1;
        } else {
            rows.insert(at, (name.to_owned(), None));
            at += 1;
        }
    }
    rows
}

/// The tags in canonical order, without that of the default rule set.
pub(super) fn tags<'r, 'a>(record: &'r Record<'a>, game: Option<&GameNotation>) -> impl Iterator<Item = &'r Tag<'a>> {
    let mut tags: Vec<_> = record.tags.iter().filter(|tag| !is_base(tag)).map(|tag| (rank(tag, game), tag)).collect();
    // Most records have this order already, and then sorting is one pass.
    tags.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
    tags.into_iter().map(|(_, tag)| tag)
}

/// True if the tags of a record are written as canonical text has them: in this order, without the default rule set.
pub fn tags_are_in_order(record: &Record<'_>, game: Option<&GameNotation>) -> bool {
    let ranks = record.tags.iter().map(|tag| (rank(tag, game), &*tag.name));
    ranks.is_sorted() && !record.tags.iter().any(is_base)
}

/// True for the tag of the default rule set, which is not written.
fn is_base(tag: &Tag<'_>) -> bool {
    tag.name == "Rules" && tag.value == BASE_RULES
}

/// The place of a tag among the first ones; the others follow in alphabetical order.
fn rank(tag: &Tag<'_>, game: Option<&GameNotation>) -> usize {
    match &*tag.name {
        "Game" => 0,
        "Rules" => 1,
        "Event" => 2,
        "Site" => 3,
        "Date" => 4,
        "Round" => 5,
        "Result" => 8,
        name => match game.and_then(|game| game.sides.iter().position(|side| side.tag == name)) {
            Some(side) => 6 + side,
            None => usize::MAX,
        },
    }
}
