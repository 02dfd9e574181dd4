//! Names of players: names that may belong to one person, and the alias file that says which do.
//!
//! Similarity merges nothing; only an alias file does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quipu_notation::Span;
use toml::Spanned;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// A name without diacritics, case and extra white space.
pub fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        let before = folded.len();
        if before > 0 {
            folded.push(' ');
        }
        let begun = folded.len();
        for letter in word.chars() {
            if letter.is_ascii() {
                folded.push(letter.to_ascii_lowercase());
                continue;
            }
            // Letter by letter: the lower case of a word differs for a final sigma.
            for letter in letter.to_lowercase() {
                decompose_canonical(letter, |part| {
                    if !is_combining_mark(part) {
                        folded.push(if part == 'ς' { 'σ' } else { part });
                    }
                });
            }
        }
        if folded.len() == begun {
            folded.truncate(before);
        }
    }
    folded
}

/// The same with `Last, First` turned into `First Last`. Names with the same normal form are likely one player's.
pub fn normal(name: &str) -> String {
    let folded = folded(name);
    match folded.split_once(',') {
        Some((last, first)) if !first.contains(',') => format!("{} {}", first.trim(), last.trim()).trim().to_owned(),
        _ => folded,
    }
}

/// The sort key of a name: its folded letters, then its bytes.
pub fn order(name: &str) -> (String, String) {
    (folded(name), name.to_owned())
}

/// Names that are likely different spellings of one player: groups of two or more, in the order of their names.
pub fn spelled_differently<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Vec<&'n str>> {
    let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in names.into_iter().collect::<BTreeSet<_>>() {
        groups.entry(normal(name)).or_default().insert(name);
    }
    let groups = groups.into_values().filter(|group| group.len() > 1);
    groups.map(|group| group.into_iter().collect()).collect()
}

/// The most names proposed for an unknown one.
const PROPOSED: usize = 5;

/// The names that `wanted` may stand for: those with the same normal form, or else those that share most of its words,
/// where the beginning of a word is enough.
pub fn likely<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = normal(wanted);
    let words: Vec<_> = wanted.split(' ').filter(|word| !word.is_empty()).collect();
    let likeness = |name: &str| {
        let name = normal(name);
        if name == wanted {
            return usize::MAX;
        }
        let found = |word: &&&str| name.split(' ').any(|part| part.starts_with(**word));
        words.iter().filter(found).count()
    };
    let mut names: Vec<_> = names.into_iter().map(|name| (likeness(name), name)).collect();
    let most = names.iter().map(|(likeness, _)| *likeness).max().unwrap_or_default();
    names.retain(|(likeness, _)| *likeness == most && most > 0);
    names.into_iter().map(|(_, name)| name).take(PROPOSED).collect()
}

/// True if the name has every word of `wanted`, or words that begin so: a short form of the name.
pub fn is_short_form(wanted: &str, name: &str) -> bool {
    let (wanted, name) = (normal(wanted), normal(name));
    wanted.split(' ').filter(|word| !word.is_empty()).all(|word| name.split(' ').any(|part| part.starts_with(word)))
}

/// The aliases of players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases(HashMap<String, String>);

/// A fault in an alias file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasError {
    /// The fault.
    pub fault: AliasFault,
    /// Its span in the text.
    pub span: Span,
}

/// A fault in an alias file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasFault {
    /// It is not TOML with a list of names behind each name.
    Form,
    /// A name without letters.
    Blank,
    /// An alias of two players.
    Twice {
        /// The name.
        alias: String,
        /// The player it was given to before.
        first: String,
    },
    /// An alias that has aliases itself.
    Chain(String),
}

impl Aliases {
    /// Reads an alias file: `"Name" = ["Other name", "Another"]`, one line for each player.
    ///
    /// # Errors
    /// The first fault in it.
    pub fn parse(text: &str) -> Result<Self, AliasError> {
        let players: BTreeMap<Spanned<String>, Vec<Spanned<String>>> = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            AliasError { fault: AliasFault::Form, span: Span::new(span.start, span.end) }
        })?;
        let names: BTreeSet<&str> = players.keys().map(|name| name.get_ref().as_str()).collect();
        let mut pairs: Vec<_> =
            players.iter().flat_map(|(name, aliases)| aliases.iter().map(move |alias| (alias, name))).collect();
        pairs.sort_by_key(|(alias, _)| alias.span().start);

        let refuse = |fault, at: &Spanned<String>| {
            let span = at.span();
            Err(AliasError { fault, span: Span::new(span.start, span.end) })
        };
        let mut all: HashMap<String, String> = HashMap::new();
        let blank = |name: &&Spanned<String>| matches!(name.get_ref().trim(), "" | "?");
        if let Some(name) = players.keys().chain(pairs.iter().map(|(alias, _)| *alias)).find(blank) {
            return refuse(AliasFault::Blank, name);
        }
        for (at, name) in pairs {
            let (alias, name) = (at.get_ref(), name.get_ref());
            if names.contains(alias.as_str()) {
                return refuse(AliasFault::Chain(alias.clone()), at);
            }
            match all.insert(alias.clone(), name.clone()) {
                Some(first) if first != *name => {
                    return refuse(AliasFault::Twice { alias: alias.clone(), first }, at);
                }
                _ => {}
            }
        }
        Ok(Self(all))
    }

    /// The name that a player is counted under.
    pub fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(names: &[&str], normal_form: &str) {
        for name in names {
            assert_eq!(normal(name), normal_form, "{name}");
        }
    }

    #[test]
    fn ways_to_write_one_name() {
        let ways = [
            "Núñez, Inés",
            "NÚÑEZ, INÉS",
            "Inés Núñez",
            " ines  nunez ",
            "Núñez,Inés",
            "nu\u{301}n\u{303}ez,\u{a0}Inés",
        ];
        same(&ways, "ines nunez");
        same(&["Ines, Nunez"], "nunez ines");
        same(&["Núñez"], "nunez");
        same(&["Núñez,"], "nunez");
        same(&[",", ""], "");
        same(&["a, b, c"], "a, b, c");
        same(&["秘魯"], "秘魯");
    }

    /// Letter by letter gives the same as the normal form of all.
    #[test]
    fn every_letter_is_folded_as_its_normal_form() {
        use unicode_normalization::UnicodeNormalization;
        let slowly = |name: &str| {
            let letters = name.chars().flat_map(char::to_lowercase).nfd().filter(|letter| !is_combining_mark(*letter));
            let letters: String = letters.map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect();
            letters.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for letter in '\0'..=char::MAX {
            let name = format!("A\u{301}{letter}x {letter} \u{300}");
            assert_eq!(folded(&name), slowly(&name), "{letter:?}");
        }
    }

    #[test]
    fn groups_of_spellings() {
        let names = ["Ana Paz", "Li Bo", "Paz, Ana", "ANA PAZ", "Ana Paz"];
        assert_eq!(spelled_differently(names), [["ANA PAZ", "Ana Paz", "Paz, Ana"]]);
        assert_eq!(spelled_differently(["Ana Paz", "Ana Pax"]), [[""; 0]; 0]);
    }

    #[test]
    fn names_that_may_be_meant() {
        let names = ["Quispe Mamani, Rosa", "Quispe Ccori, Julio", "Painemal, Rosa"];
        assert_eq!(likely("rosa quispe mamani", names), ["Quispe Mamani, Rosa"]);
        assert_eq!(likely("Quispe", names), ["Quispe Mamani, Rosa", "Quispe Ccori, Julio"]);
        assert_eq!(likely("ros mam", names), ["Quispe Mamani, Rosa"]);
        assert_eq!(likely("Zuluaga", names), [""; 0]);
        assert_eq!(likely("", names), [""; 0]);
    }

    #[test]
    fn an_alias_file() {
        let text = "# two ways\n\"Paz, Ana\" = [\"Ana Paz\", 'A. \"Paz\"', \"Ana Paz\"]\nBo = []\n";
        let aliases = Aliases::parse(text).expect("it is good");
        let resolved = ["Ana Paz", "A. \"Paz\"", "Paz, Ana", "Bo", "ana paz"].map(|name| aliases.resolve(name));
        assert_eq!(resolved, ["Paz, Ana", "Paz, Ana", "Paz, Ana", "Bo", "ana paz"]);
        assert_eq!(Aliases::parse(""), Ok(Aliases::default()));
    }

    /// Asserts the fault of an alias file, and the text at its span.
    #[track_caller]
    fn refused(text: &str, fault: AliasFault, part: &str) {
        let error = Aliases::parse(text).expect_err("it is refused");
        assert_eq!((error.fault, &text[error.span.range()]), (fault, part), "{text}");
    }

    #[test]
    fn alias_files_that_are_refused() {
        let twice = AliasFault::Twice { alias: "x".to_owned(), first: "B".to_owned() };
        refused("B = [\"x\"]\nA = [\"y\", \"x\"]\n", twice, "\"x\"");
        refused("A = [\"B\"]\nB = [\"x\"]\n", AliasFault::Chain("B".to_owned()), "\"B\"");
        refused("A = [\"A\"]\n", AliasFault::Chain("A".to_owned()), "\"A\"");
        refused("A = [\" \"]\n", AliasFault::Blank, "\" \"");
        refused("A = [\"?\"]\n", AliasFault::Blank, "\"?\"");
        refused("\"\" = [\"A\"]\n", AliasFault::Blank, "\"\"");
        refused("A = \"x\"\n", AliasFault::Form, "\"x\"");
        refused("A = [\"x\"]\nA = [\"y\"]\n", AliasFault::Form, "A");
    }
}
