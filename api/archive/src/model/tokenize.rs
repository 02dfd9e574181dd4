//! Words of texts, as the search indexes contain them.

use quipu_referee::competition::folded;

/// Words of a name that a search finds, at most: a tag may have 64 KiB.
const NAME_WORDS: usize = 16;
/// Letters of such a word that are compared, at most.
const WORD_LETTERS: usize = 32;
/// Letters of a part of a word that a search finds inside of it, at least.
pub(crate) const PART_LETTERS: usize = 3;
/// Letters by which names with the same word are sorted, at most.
const SORT_LETTERS: usize = 64;

/// A text without case and diacritics, and with the letters of [`plain`]. For searches only: [`folded`] tells `ł` from `l`,
/// and it decides if two names are one person's.
fn search_form(text: &str) -> String {
    let folded = folded(text);
    if folded.is_ascii() {
        return folded;
    }
    let mut form = String::with_capacity(folded.len());
    for letter in folded.chars() {
        match plain(letter) {
            Some(letters) => form.push_str(letters),
            None => form.push(letter),
        }
    }
    form
}

/// The letters that people type for a lower-case letter which Unicode does not decompose.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ⱥ' => "a",
        'æ' => "ae",
        'ƀ' | 'ɓ' => "b",
        'đ' | 'ð' | 'ɖ' | 'ɗ' => "d",
        'ɛ' | 'ə' | 'ǝ' => "e",
        'ǥ' | 'ɠ' => "g",
        'ħ' => "h",
        'ı' | 'ɨ' | 'ɩ' => "i",
        'ĳ' => "ij",
        'ĸ' | 'ƙ' => "k",
        'ł' | 'ŀ' | 'ƚ' => "l",
        'ŋ' | 'ŉ' | 'ɲ' => "n",
        'ø' | 'ɔ' => "o",
        'œ' => "oe",
        'ɍ' => "r",
        'ſ' => "s",
        'ß' => "ss",
        'ŧ' => "t",
        'þ' => "th",
        'ʉ' | 'ʋ' => "u",
        'ƴ' => "y",
        'ƶ' => "z",
        _ => return None,
    })
}

/// The words of a text, joined by spaces: runs of letters and digits in their search form.
pub(crate) fn words(text: &str) -> String {
    // Most texts are ASCII, and need no folding.
    let text = if text.is_ascii() { text.to_ascii_lowercase() } else { search_form(text) };
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The words of a name by which it is found, and the text by which it is sorted among names with the same word.
pub(crate) fn name_words(name: &str) -> (Vec<String>, String) {
    let words = words(name);
    let mut found: Vec<String> = Vec::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let word = cut(word, WORD_LETTERS);
        if found.len() < NAME_WORDS && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    (found, cut(&words, SORT_LETTERS).to_owned())
}

/// The suffixes of a word after each of its first letters, by which a search finds the middle of it. Long words, as no language
/// writes them, and numbers have none: an index would have many times their size.
pub(crate) fn suffixes(word: &str) -> impl Iterator<Item = &str> {
    let letters = word.chars().count();
    let is_indexed = letters <= WORD_LETTERS && word.chars().any(char::is_alphabetic);
    let starts = if is_indexed { letters.saturating_sub(PART_LETTERS) } else { 0 };
    word.char_indices().skip(1).take(starts).map(|(start, _)| &word[start..])
}

/// The first letters of a text.
fn cut(text: &str, letters: usize) -> &str {
    text.char_indices().nth(letters).map_or(text, |(end, _)| &text[..end])
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
            ("ÀNDES – Straße", "andes strasse"),
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

    #[test]
    fn letters_that_unicode_does_not_decompose() {
        for (text, expected) in [
            ("Łucja ŁÓDŹ", "lucja lodz"),
            ("Søren ǾRSTED", "soren orsted"),
            ("Đorđe, Guðrún", "dorde gudrun"),
            ("STRAẞE", "strasse"),
            ("Ægir Œuvre Þór", "aegir oeuvre thor"),
            ("Ħamrun ILGIN Ilgın", "hamrun ilgin ilgin"),
            ("Şahin İnönü", "sahin inonu"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        // A folded letter is plain: no text needs a second pass.
        for letter in '\0'..=char::MAX {
            let form = search_form(&letter.to_string());
            assert_eq!(search_form(&form), form, "{letter:?}");
        }
    }

    #[test]
    fn suffixes_have_three_letters_or_more() {
        let of = |word: &'static str| suffixes(word).collect::<Vec<_>>();
        assert_eq!(of("rosario"), ["osario", "sario", "ario", "rio"]);
        assert_eq!(of("記録映画"), ["録映画"]);
        assert_eq!([of("li"), of("ana"), of("2026"), of("")], [[""; 0]; 4].map(Vec::from));
        assert_eq!(of("2bis7"), ["bis7", "is7"]);
        assert_eq!(suffixes(&"a".repeat(WORD_LETTERS)).count(), WORD_LETTERS - PART_LETTERS);
        assert_eq!(suffixes(&"a".repeat(WORD_LETTERS + 1)).count(), 0);
    }

    #[test]
    fn words_of_names_are_bounded() {
        let name = |name: &str| name_words(name).0;
        assert_eq!(name("Quispe Mamani, Rosa"), ["quispe", "mamani", "rosa"]);
        assert_eq!(name("Li LI lí"), ["li"]);
        assert_eq!(name("?"), [""; 0]);
        let many: Vec<_> = (0..100).map(|number| format!("w{number}")).collect();
        assert_eq!(name(&many.join(" ")), many[..NAME_WORDS]);
        assert_eq!(name(&"ñ".repeat(100)), ["n".repeat(WORD_LETTERS)]);
        assert_eq!(name_words(&"Ñ".repeat(100)).1, "n".repeat(SORT_LETTERS));
    }
}
