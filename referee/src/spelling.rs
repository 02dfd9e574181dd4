//! Words that are close to a known one.

/// Letters of a word from which on two may be wrong.
const LONG: usize = 6;

/// The one of the known words that a `written` one is likely meant for: the same, or else the nearest that differs by one letter,
/// or by two in a long word.
pub(crate) fn nearest<'k, T>(written: &str, known: impl IntoIterator<Item = (T, &'k str)>) -> Option<T> {
    let length = written.chars().count();
    let most = if length >= LONG { 2 } else { 1 };
    let near = known.into_iter().filter_map(|(value, word)| {
        let can_be = word == written || (length > 2 && word.chars().count().abs_diff(length) <= most);
        let distance = can_be.then(|| strsim::osa_distance(word, written))?;
        (distance <= most).then_some((distance, value))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, value)| value)
}
