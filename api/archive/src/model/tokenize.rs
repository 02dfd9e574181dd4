//! The words of a text that the search index contains.

use quipu_referee::competition::folded;

/// The words of a text, joined by spaces: runs of letters and digits, without case and diacritics.
pub(crate) fn words(text: &str) -> String {
    // Most texts are ASCII, and need no folding.
    let text = if text.is_ascii() { text.to_ascii_lowercase() } else { folded(text) };
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_without_case_and_marks() {
        for (text, expected) in [
            ("", ""),
            (" -- ", ""),
            ("Torneo 7\n2026.11.20", "torneo 7 2026 11 20"),
            ("Núñez, INÉS", "nunez ines"),
            ("Nu\u{301}n\u{303}ez_a", "nunez a"),
            ("ÀNDES – Straße", "andes straße"),
            ("記録", "記録"),
            ("Οδυσσέας ΟΔΟΣ.Α", "οδυσσεασ οδοσ α"),
            ("O'Higgins\tARTURO\0x", "o higgins arturo x"),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
            assert_eq!(words(expected), expected, "{text:?} once more");
        }
        // ASCII takes a shorter path with the same result.
        let ascii: String = (0..128).map(char::from).collect();
        assert_eq!(words(&ascii), words(&format!("{ascii} é")).trim_end_matches(" e"));
    }
}
