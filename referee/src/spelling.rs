//! Finds the known word that a misspelt one is close to.

/// Letters of a word, at least, for two of them to be wrong.
const LONG: usize = 6;

/// The known word that was likely meant by a `written` one: the same word, or else the nearest that differs by one letter,
/// or by two in a long word. All words are in lower case.
pub(crate) fn nearest<'k, T>(written: &str, known: impl IntoIterator<Item = (T, &'k str)>) -> Option<T> {
    let length = written.chars().count();
    let most: u32 = if length >= LONG { 2 } else { 1 };
    let mark = letters(written);
    let near = known.into_iter().filter_map(|(value, word)| {
        // Length and letters rule out nearly every word, in a hundredth of the time of an edit distance.
        let is_alike = (letters(word) ^ mark).count_ones() <= 2 * most
            && word.chars().count().abs_diff(length) <= most as usize
            && length > 2;
        let distance = (is_alike || word == written).then(|| strsim::osa_distance(word, written))?;
        (distance <= most as usize).then_some((distance, value))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, value)| value)
}

/// A bit for each letter of the alphabet that a word has. A changed letter changes at most two of them.
fn letters(word: &str) -> u32 {
    let letters = word.bytes().filter(u8::is_ascii_lowercase);
    letters.fold(0, |mark, letter| mark | 1 << (letter - b'a'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_close() {
        let known = ["sol", "round", "termination", "1-0"].map(|word| (word, word));
        for (written, expected) in [
            ("sol", Some("sol")),
            ("soll", Some("sol")),
            ("sl", None),
            ("slo", Some("sol")),
            ("rpund", Some("round")),
            ("rpumd", None),
            ("termiation", Some("termination")),
            ("ternination", Some("termination")),
            ("tremimation", Some("termination")),
            ("trenimation", None),
            ("terminación", Some("termination")),
            ("1-0", Some("1-0")),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }

    /// No word is told apart that counting finds near.
    #[test]
    fn letters_tell_only_what_is_apart() {
        let word = "handshake";
        for at in 0..word.len() {
            for letter in 'a'..='z' {
                let changed = format!("{}{letter}{}", &word[..at], &word[at + 1..]);
                let longer = format!("{}{letter}{}", &word[..at], &word[at..]);
                let shorter = format!("{}{}", &word[..at], &word[at + 1..]);
                for written in [changed, longer, shorter] {
                    assert_eq!(nearest(&written, [((), word)]), Some(()), "{written}");
                }
            }
        }
    }
}
