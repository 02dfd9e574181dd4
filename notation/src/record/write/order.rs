//! Canonical order of the tags of a record.

use super::super::{Record, Tag};
use crate::games::GameNotation;

/// The first tags, in this order; `Rules` only if it is not [`BASE_RULES`].
const FIRST_TAGS: [&str; 6] = ["Game", "Rules", "Event", "Site", "Date", "Round"];

/// The default rule set.
pub const BASE_RULES: &str = "base";

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
