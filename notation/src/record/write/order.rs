//! Canonical order of the tags of a record.

use super::super::{Record, Tag};
use crate::games::GameNotation;

/// The first tags, in this order; `Rules` only if it is not [`BASE_RULES`].
const FIRST_TAGS: [&str; 6] = ["Game", "Rules", "Event", "Site", "Date", "Round"];

/// The default rule set.
pub const BASE_RULES: &str = "base";

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
    let players = game.map_or([""; 2], |game| [game.sides[0].tag, game.sides[1].tag]);
    let rank = |tag: &Tag<'_>| {
        let first = FIRST_TAGS.iter().chain(&players).chain(&["Result"]).position(|name| *name == tag.name);
        first.unwrap_or(usize::MAX)
    };
    let said = record.tags.iter().filter(|tag| !(tag.name == "Rules" && tag.value == BASE_RULES));
    let mut tags: Vec<_> = said.map(|tag| (rank(tag), tag)).collect();
    // Most records have this order already, and then sorting is one pass.
    tags.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
    tags.into_iter().map(|(_, tag)| tag)
}
