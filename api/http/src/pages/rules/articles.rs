//! Articles in a text: `3.6`, `NOR.06`, `Q-9`, `R-1`.

/// The parts of a text in their order, each with true if it is the name of an article.
pub(super) fn parts(text: &str) -> Vec<(&str, bool)> {
    let in_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let (mut parts, mut plain, mut from) = (Vec::new(), 0, 0);
    while let Some(start) = text[from..].find(in_name).map(|at| from + at) {
        let end = text[start..].find(|letter| !in_name(letter)).map_or(text.len(), |at| start + at);
        let name = text[start..end].trim_end_matches(['.', '-']);
        if is_article(name) {
            parts.extend(Some((&text[plain..start], false)).filter(|(before, _)| !before.is_empty()));
            parts.push((name, true));
            plain = start + name.len();
        }
        from = end;
    }
    parts.extend(Some((&text[plain..], false)).filter(|(rest, _)| !rest.is_empty()));
    parts
}

/// True for the name of an article, a statement or a ruling.
pub(super) fn is_article(name: &str) -> bool {
    let is_number = |text: &str, digits: usize| {
        (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_word =
        |text: &str, letters: usize| text.len() == letters && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if let Some((letter, number)) = name.split_once('-') {
        return is_word(letter, 1) && is_number(number, 2);
    }
    match name.split('.').collect::<Vec<_>>()[..] {
        [word, number] if is_word(word, 3) => number.len() == 2 && is_number(number, 2),
        [chapter, ref rest @ ..] if (1..=2).contains(&rest.len()) => {
            chapter != "0" && is_number(chapter, 1) && rest.iter().all(|number| is_number(number, 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_in_a_text() {
        for (text, expected) in [
            ("Placing is on the border (3.5).", &["3.5"][..]),
            ("(5.1.1 to 5.1.3), 6.6.", &["5.1.1", "5.1.3", "6.6"]),
            ("NOR.06, GEN.01 and R-2; Q-13.", &["NOR.06", "GEN.01", "R-2", "Q-13"]),
            ("15 points become 22.5, 7 x 7, SHA-256, 0.5, d3-c3, R-, NOR.6, 1.2.3.4.", &[]),
            ("", &[]),
        ] {
            let found: Vec<_> = parts(text).into_iter().filter(|(_, is_one)| *is_one).map(|(name, _)| name).collect();
            assert_eq!(found, expected, "{text}");
            assert_eq!(parts(text).into_iter().map(|(part, _)| part).collect::<String>(), text);
        }
    }
}
