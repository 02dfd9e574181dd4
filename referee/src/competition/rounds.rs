//! The rounds of an event: their order, and the games up to one of them.

use std::collections::HashSet;

use super::Entry;

/// The rounds of games. Numbers come first, by their values (`2`, `10`, `10.1`), then other texts in the order of their
/// first games. Games without a round belong to none.
pub fn rounds(entries: &[Entry]) -> Vec<&str> {
    let mut known = HashSet::new();
    let named = entries.iter().filter_map(|entry| entry.round.as_deref());
    let mut rounds: Vec<&str> = named.filter(|round| known.insert(*round)).collect();
    // The sort is stable.
    rounds.sort_by_cached_key(|round| numeric_key(round));
    rounds
}

/// The games of the rounds up to this one; none if no game is of this round.
pub fn until_round(entries: Vec<Entry>, round: &str) -> Option<Vec<Entry>> {
    let rounds = rounds(&entries);
    let last = rounds.iter().position(|known| *known == round)?;
    let counted: HashSet<String> = rounds[..=last].iter().map(|round| (*round).to_owned()).collect();
    let is_counted = |entry: &Entry| entry.round.as_ref().is_some_and(|round| counted.contains(round));
    Some(entries.into_iter().filter(is_counted).collect())
}

/// The sort key of a round or a board: numbers such as `10` or `10.1` by their parts, before all other texts.
pub fn numeric_key(text: &str) -> (bool, Option<Vec<u64>>) {
    let numbers: Option<Vec<u64>> = text.split('.').map(|part| part.trim().parse().ok()).collect();
    (numbers.is_none(), numbers)
}
