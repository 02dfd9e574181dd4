//! Names of players: names that may belong to one person, and the alias file that says which do.
//!
//! Similarity merges nothing; only an alias file does. The same likeness is told by advice on records ([`crate::advice`]).

use std::{
    borrow::Borrow,
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use quipu_notation::Span;
use toml::Spanned;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// A name without diacritics, case and extra white space.
pub fn folded(name: &str) -> String {
    if is_plain(name) {
        return name.to_ascii_lowercase();
    }
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

/// True for words of visible ASCII characters with one space between them.
fn is_plain(name: &str) -> bool {
    let mut before = b' ';
    let mut bytes = name.bytes();
    let is_of_words = bytes.all(|byte| {
        let before = std::mem::replace(&mut before, byte);
        byte.is_ascii_graphic() || byte == b' ' && before != b' '
    });
    is_of_words && before != b' '
}

/// The same with `Last, First` turned into `First Last`. Names with the same normal form are likely one player's.
pub fn normal(name: &str) -> String {
    let folded = folded(name);
    match folded.split_once(',') {
        Some((last, first)) if !first.contains(',') => [first.trim(), last.trim()].join(" ").trim().to_owned(),
        _ => folded,
    }
}

/// The sort key of a name: its folded letters, then its bytes.
pub fn order(name: &str) -> (String, String) {
    (folded(name), name.to_owned())
}

/// Letters of a name, at least, for one different letter to be a likely slip.
const LONG: usize = 6;
/// Names in normal form that are compared with each other letter by letter, at most.
const COMPARED: usize = 1000;

/// Names that are likely different spellings of one player or event: groups of two or more, in the order of their normal
/// forms. Those with one normal form are in one group, and so are those among the first `COMPARED` normal forms that
/// differ by one letter ([`is_near`]).
pub fn spelled_differently<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Vec<&'n str>> {
    let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in names.into_iter().collect::<BTreeSet<_>>() {
        groups.entry(normal(name)).or_default().insert(name);
    }
    let mut groups: Vec<(String, Vec<&str>)> =
        groups.into_iter().map(|(normal, names)| (normal, names.into_iter().collect())).collect();
    let normals: Vec<String> = groups.iter().take(COMPARED).map(|(normal, _)| normal.clone()).collect();
    // The group that each name joins: the first one of those that it is near to, or its own.
    let mut first: Vec<usize> = (0..normals.len()).collect();
    for (index, name) in normals.iter().enumerate() {
        if let Some(near) = normals[..index].iter().position(|other| is_near(other, name)) {
            first[index] = first[near];
        }
    }
    for (index, first) in first.into_iter().enumerate().filter(|(index, first)| first != index) {
        let names = std::mem::take(&mut groups[index].1);
        groups[first].1.extend(names);
    }
    groups.into_iter().map(|(_, names)| names).filter(|names| names.len() > 1).collect()
}

/// True if two normal forms differ by one letter: one is added, missing or changed, or two are swapped. Names that differ in a
/// digit, in a Roman numeral or in a word of one letter are different.
pub fn is_near(one: &str, other: &str) -> bool {
    if one.len().abs_diff(other.len()) > char::MAX.len_utf8() || one.chars().nth(LONG - 1).is_none() {
        return false;
    }
    let start = shared_bytes(one.chars(), other.chars());
    let end = shared_bytes(one[start..].chars().rev(), other[start..].chars().rev());
    let [mut one_letters, mut other_letters] = [one, other].map(|name| name[start..name.len() - end].chars());
    let is_one = match [(); 3].map(|()| (one_letters.next(), other_letters.next())) {
        [(None, None), ..] => false,
        [_, (None, None), _] => true,
        [(a, b), (c, d), (None, None)] => (a, c) == (d, b),
        _ => false,
    };
    let is_long = other.chars().nth(LONG - 1).is_some();
    is_one && is_long && [one, other].into_iter().all(|name| !is_counter(name, start, name.len() - end))
}

/// Bytes of the letters with which both begin.
fn shared_bytes(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum()
}

/// True if the words around these bytes of a name tell it from others of a series: `2`, `A`, `II`.
fn is_counter(name: &str, start: usize, end: usize) -> bool {
    let begin = name[..start].rfind(' ').map_or(0, |at| at + 1);
    let close = name[end..].find(' ').map_or(name.len(), |at| end + at);
    let word = &name[begin..close];
    let is_letter = word.chars().count() == 1;
    let is_roman = !word.is_empty() && word.chars().all(|letter| matches!(letter, 'i' | 'v' | 'x'));
    is_letter || is_roman || name[start..end].contains(|letter: char| letter.is_ascii_digit())
}

/// The most names proposed for an unknown one.
const PROPOSED: usize = 5;

/// The names that `wanted` may stand for, at most `PROPOSED`: those with the same normal form, or else those that share
/// the highest number of its words; a name shares a word that one of its own begins with.
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
    /// The other names of players.
    ///
    /// # Errors
    /// The first fault in them.
    pub fn new(players: impl IntoIterator<Item = (String, Vec<String>)>) -> Result<Self, AliasFault> {
        let players: Vec<_> = players.into_iter().collect();
        Self::of(&players).map_err(|(fault, _)| fault)
    }

    /// Reads an alias file: `"Name" = ["Other name", "Another"]`, one line for each player.
    ///
    /// # Errors
    /// The first fault in it.
    pub fn parse(text: &str) -> Result<Self, AliasError> {
        let error = |fault, span: Range<usize>| AliasError { fault, span: Span::new(span.start, span.end) };
        let players: BTreeMap<Spanned<String>, Vec<Spanned<String>>> =
            toml::from_str(text).map_err(|fault| error(AliasFault::Form, fault.span().unwrap_or_default()))?;
        let mut players: Vec<_> = players.into_iter().collect();
        players.sort_by_key(|(name, _)| name.span().start);
        Self::of(&players).map_err(|(fault, at)| error(fault, at.span()))
    }

    /// The aliases of players, or the first fault and the name that has it.
    fn of<N: Borrow<str>>(players: &[(N, Vec<N>)]) -> Result<Self, (AliasFault, &N)> {
        let names: BTreeSet<&str> = players.iter().map(|(name, _)| name.borrow()).collect();
        let pairs = || players.iter().flat_map(|(name, aliases)| aliases.iter().map(move |alias| (alias, name)));
        let is_blank = |name: &&N| matches!((*name).borrow().trim(), "" | "?");
        let mut every_name = players.iter().map(|(name, _)| name).chain(pairs().map(|(alias, _)| alias));
        if let Some(name) = every_name.find(is_blank) {
            return Err((AliasFault::Blank, name));
        }
        let mut all: HashMap<String, String> = HashMap::new();
        for (at, name) in pairs() {
            let (alias, name): (&str, &str) = (at.borrow(), name.borrow());
            if names.contains(alias) {
                return Err((AliasFault::Chain(alias.to_owned()), at));
            }
            match all.insert(alias.to_owned(), name.to_owned()) {
                Some(first) if first != name => {
                    return Err((AliasFault::Twice { alias: alias.to_owned(), first }, at));
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
    fn similar_spellings_are_grouped() {
        let names = ["Ana Paz", "Li Bo", "Paz, Ana", "ANA PAZ", "Ana Paz"];
        assert_eq!(spelled_differently(names), [["ANA PAZ", "Ana Paz", "Paz, Ana"]]);
        let near = ["Quispe, Roza", "ROSA QUISPE", "Quispe, Rosa", "Quispe, Rosas", "Luis Mamani"];
        let expected = [["Quispe, Rosa", "ROSA QUISPE", "Quispe, Rosas", "Quispe, Roza"]];
        assert_eq!(spelled_differently(near), expected);
        assert_eq!(spelled_differently(["Bo Paz", "Bo Ruiz", "Grupo A", "Grupo B"]), [[""; 0]; 0]);
    }

    /// Names beyond the limit are compared in their normal forms only.
    #[test]
    fn very_many_names_are_grouped() {
        let word = |number: usize| format!("{number:b}").replace('0', "aa").replace('1', "bc");
        let mut names: Vec<_> = (0..2 * COMPARED).map(|number| word(number + 4096)).collect();
        names.extend(["Zulema Paz", "PAZ, ZULEMA", "Zulema Pas"].map(str::to_owned));
        assert_eq!(spelled_differently(names.iter().map(String::as_str)), [["PAZ, ZULEMA", "Zulema Paz"]]);
    }

    #[test]
    fn one_letter_is_near() {
        for (one, other, expected) in [
            ("rosa quispe", "roza quispe", true),
            ("rosa quispe", "rosa quispes", true),
            ("rosa quispe", "rsoa quispe", true),
            ("rosa quispe", "rosa quispe", false),
            ("rosa quispe", "raza quispe", false),
            ("ana", "ena", false),
            ("jugador 1", "jugador 2", false),
            ("jugador 1", "jugador 11", false),
            ("grupo a", "grupo b", false),
            ("copa i", "copa ii", false),
            ("copa xi", "copa ix", false),
            ("copa del cusco", "copa del cuzco", true),
            ("иван петров", "иван петрав", true),
            ("иван петров", "иван петро", true),
            ("иван петров", "иван пертов", true),
            ("иван петров", "иван патрав", false),
            ("иван", "ивон", false),
            ("秘魯", "秘鲁", false),
        ] {
            assert_eq!(is_near(one, other), expected, "{one}, {other}");
            assert_eq!(is_near(other, one), expected, "{other}, {one}");
        }
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
    fn an_alias_file_resolves_names() {
        let text = "# two ways\n\"Paz, Ana\" = [\"Ana Paz\", 'A. \"Paz\"', \"Ana Paz\"]\nBo = []\n";
        let aliases = Aliases::parse(text).expect("it is good");
        let resolved = ["Ana Paz", "A. \"Paz\"", "Paz, Ana", "Bo", "ana paz"].map(|name| aliases.resolve(name));
        assert_eq!(resolved, ["Paz, Ana", "Paz, Ana", "Paz, Ana", "Bo", "ana paz"]);
        assert_eq!(Aliases::parse(""), Ok(Aliases::default()));
        let players = [("Paz, Ana", &["Ana Paz", "A. \"Paz\""][..]), ("Bo", &[])];
        let owned =
            players.map(|(name, aliases)| (name.to_owned(), aliases.iter().map(|&alias| alias.to_owned()).collect()));
        assert_eq!(Aliases::new(owned), Ok(aliases), "the same without a file");
        assert_eq!(Aliases::new([("A".to_owned(), vec!["?".to_owned()])]), Err(AliasFault::Blank));
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
