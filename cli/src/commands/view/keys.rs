//! The keys of the viewer: one table, from which key bindings, key hints, the page of keys, the help and the manual are
//! made.

use std::fmt::Write;

use quipu_referee::Lang;

use crate::words;

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    /// Any digit; used in the table only.
    Digit,
    /// Ctrl and this letter.
    Control(char),
}

/// The part of the viewer that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The list of records.
    List,
    /// A game.
    Game,
    /// A page of text.
    Page,
}

impl Place {
    const ALL: [Self; 3] = [Self::List, Self::Game, Self::Page];

    /// Key of its name in the catalogue.
    const fn word(self) -> &'static str {
        match self {
            Self::List => "view.place.list",
            Self::Game => "view.place.game",
            Self::Page => "view.place.page",
        }
    }
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Previous,
    Next,
    PageUp,
    PageDown,
    First,
    Last,
    Number,
    Open,
    Search,
    SearchOn,
    SearchBack,
    Filter,
    Faults,
    Turn,
    RecordBefore,
    RecordAfter,
    Fault,
    Details,
    Keys,
    Leave,
}

/// Keys that are documented together.
pub(super) struct Row {
    place: Place,
    pub(super) keys: &'static [(Key, Action)],
    /// Key of the description in the catalogue.
    word: &'static str,
    /// Number of the keys in the key hints, and the key of their label there.
    short: Option<(usize, &'static str)>,
    /// Stays in the key hints when there is no room for all.
    stays: bool,
}

const fn row(place: Place, keys: &'static [(Key, Action)], word: &'static str) -> Row {
    Row { place, keys, word, short: None, stays: false }
}

impl Row {
    const fn short(self, count: usize, word: &'static str) -> Self {
        Self { short: Some((count, word)), ..self }
    }

    const fn stays(self) -> Self {
        Self { stays: true, ..self }
    }
}

use Key::{Char, Digit, Down, End, Enter, Escape, Home, Left, PageDown, PageUp, Right, Up};

const PAGES: &[(Key, Action)] = &[(PageUp, Action::PageUp), (PageDown, Action::PageDown)];
const ENDS: &[(Key, Action)] =
    &[(Home, Action::First), (End, Action::Last), (Char('g'), Action::First), (Char('G'), Action::Last)];
const LINES: &[(Key, Action)] =
    &[(Up, Action::Previous), (Down, Action::Next), (Char('k'), Action::Previous), (Char('j'), Action::Next)];
const NUMBER: &[(Key, Action)] = &[(Digit, Action::Number)];
const SEARCH: &[(Key, Action)] = &[(Char('/'), Action::Search)];
const SEARCH_ON: &[(Key, Action)] = &[(Char('n'), Action::SearchOn), (Char('N'), Action::SearchBack)];
const KEYS_PAGE: &[(Key, Action)] = &[(Char('?'), Action::Keys)];
const LEAVE: &[(Key, Action)] = &[(Char('q'), Action::Leave), (Escape, Action::Leave)];

/// All keys, in the order of the help; of the key hints the first are dropped last.
pub(super) const KEYS: &[Row] = &[
    row(Place::List, LINES, "view.key.choose").short(2, "view.short.choose"),
    row(Place::List, &[(Enter, Action::Open), (Right, Action::Open), (Char('l'), Action::Open)], "view.key.open")
        .short(1, "view.short.open"),
    row(Place::List, PAGES, "view.key.page"),
    row(Place::List, ENDS, "view.key.ends"),
    row(Place::List, NUMBER, "view.key.record-number"),
    row(Place::List, SEARCH, "view.key.search-records").short(1, "view.short.search"),
    row(Place::List, SEARCH_ON, "view.key.search-on"),
    row(Place::List, &[(Char('x'), Action::Faults)], "view.key.faults").short(1, "view.short.faults"),
    row(Place::List, &[(Char('&'), Action::Filter)], "view.key.filter").short(1, "view.short.filter"),
    row(Place::List, KEYS_PAGE, "view.key.keys").short(1, "view.short.keys").stays(),
    row(Place::List, LEAVE, "view.key.quit").short(1, "view.short.quit").stays(),
    row(
        Place::Game,
        &[
            (Left, Action::Previous),
            (Right, Action::Next),
            (Up, Action::Previous),
            (Down, Action::Next),
            (Char('h'), Action::Previous),
            (Char('l'), Action::Next),
            (Char('k'), Action::Previous),
            (Char('j'), Action::Next),
        ],
        "view.key.ply",
    )
    .short(2, "view.short.ply"),
    row(Place::Game, PAGES, "view.key.plies"),
    row(Place::Game, ENDS, "view.key.game-ends"),
    row(Place::Game, NUMBER, "view.key.ply-number").short(1, "view.short.ply-number"),
    row(Place::Game, &[(Char('f'), Action::Turn)], "view.key.turn").short(1, "view.short.turn"),
    row(Place::Game, &[(Char('['), Action::RecordBefore), (Char(']'), Action::RecordAfter)], "view.key.records")
        .short(2, "view.short.records"),
    row(Place::Game, &[(Char('i'), Action::Details)], "view.key.details").short(1, "view.short.details"),
    row(Place::Game, &[(Char('x'), Action::Fault)], "view.key.fault").short(1, "view.short.fault"),
    row(Place::Game, SEARCH, "view.key.search-moves").short(1, "view.short.search"),
    row(Place::Game, SEARCH_ON, "view.key.search-on"),
    row(Place::Game, KEYS_PAGE, "view.key.keys").short(1, "view.short.keys").stays(),
    row(Place::Game, LEAVE, "view.key.back").short(1, "view.short.back").stays(),
    row(Place::Page, LINES, "view.key.line").short(2, "view.short.line"),
    row(Place::Page, PAGES, "view.key.page").short(2, "view.short.page"),
    row(Place::Page, ENDS, "view.key.ends"),
    row(Place::Page, LEAVE, "view.key.back-from-page").short(1, "view.short.back").stays(),
];

/// The action of a key.
pub(super) fn deed(place: Place, key: Key) -> Option<Action> {
    let meant = match key {
        Char('0'..='9') => Digit,
        key => key,
    };
    let mut rows = KEYS.iter().filter(|row| row.place == place).flat_map(|row| row.keys);
    rows.find(|(of_row, _)| *of_row == meant).map(|(_, deed)| *deed)
}

/// The name of a key.
fn name(key: Key, lang: Lang) -> String {
    let word = match key {
        Char(character) => return character.to_string(),
        Key::Control(letter) => return format!("Ctrl-{}", letter.to_ascii_uppercase()),
        Up => return "↑".to_owned(),
        Down => return "↓".to_owned(),
        Left => return "←".to_owned(),
        Right => return "→".to_owned(),
        PageUp => "view.name.page-up",
        PageDown => "view.name.page-down",
        Home => "view.name.home",
        End => "view.name.end",
        Enter => "view.name.enter",
        Escape => "view.name.escape",
        Key::Backspace => "view.name.backspace",
        Digit => "view.name.number",
    };
    words::get(word, lang).to_owned()
}

/// A key hint: keys and their label.
pub(super) struct Hint {
    pub(super) keys: String,
    pub(super) word: &'static str,
    stays: bool,
}

/// The key hints that fit into this many columns. The last ones are dropped first, except those for all keys and for
/// leaving.
pub(super) fn line(place: Place, lang: Lang, columns: usize) -> Vec<Hint> {
    let rows = KEYS.iter().filter(|row| row.place == place);
    let hints = rows.filter_map(|row| {
        let (count, word) = row.short?;
        let names: Vec<_> = row.keys[..count].iter().map(|(key, _)| name(*key, lang)).collect();
        let signs = names.iter().all(|name| name.chars().count() == 1);
        Some(Hint { keys: names.join(if signs { "" } else { " " }), word: words::get(word, lang), stays: row.stays })
    });
    let mut hints: Vec<_> = hints.collect();
    let width = |hints: &[Hint]| -> usize { hints.iter().map(Hint::width).sum() };
    while width(&hints) > columns
        && let Some(last) = hints.iter().rposition(|hint| !hint.stays)
    {
        hints.remove(last);
    }
    hints
}

impl Hint {
    /// Width in columns, with a space before it and one inside.
    fn width(&self) -> usize {
        self.keys.chars().count() + self.word.chars().count() + 2
    }
}

/// For each part of the viewer, its keys with their descriptions.
pub(super) type Table = Vec<(Place, Vec<(String, &'static str)>)>;

/// All keys of all parts.
pub(super) fn table(lang: Lang) -> Table {
    let of_place = |place: Place| {
        let rows = KEYS.iter().filter(move |row| row.place == place);
        rows.map(|row| {
            let keys = row.keys.iter().map(|(key, _)| name(*key, lang)).collect::<Vec<_>>().join(" ");
            (keys, words::get(row.word, lang))
        })
    };
    Place::ALL.map(|place| (place, of_place(place).collect())).into()
}

/// The heading of a part.
pub(super) fn heading(place: Place, lang: Lang) -> &'static str {
    words::get(place.word(), lang)
}

/// Width of the widest keys in a table.
pub(super) fn widest(table: &Table) -> usize {
    table.iter().flat_map(|(_, rows)| rows).map(|(keys, _)| keys.chars().count()).max().unwrap_or_default()
}

/// All keys, for the help of the command.
pub(super) fn guide(lang: Lang) -> String {
    let table = table(lang);
    let width = widest(&table);
    let mut text = String::new();
    for (place, rows) in table {
        let _ = write!(text, "\n\n{}:", heading(place, lang)); // a String takes everything
        for (keys, what) in rows {
            let _ = write!(text, "\n  {keys:<width$}  {what}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_does_one_thing_in_a_place() {
        for place in Place::ALL {
            let mut seen = Vec::new();
            for (key, found) in KEYS.iter().filter(|row| row.place == place).flat_map(|row| row.keys) {
                assert!(!seen.contains(key), "{key:?} in {place:?}");
                let pressed = if *key == Digit { Char('7') } else { *key };
                assert_eq!(deed(place, pressed), Some(*found));
                seen.push(*key);
            }
            assert_eq!(deed(place, Char('%')), None);
            assert_eq!(deed(place, Escape), Some(Action::Leave), "there is a way out of {place:?}");
        }
    }

    #[test]
    fn every_key_is_told_in_both_languages() {
        let [es, en] = Lang::ALL.map(guide);
        assert_eq!(es.lines().count(), en.lines().count());
        for text in [&es, &en] {
            assert_eq!(text.matches("\n  ").count(), KEYS.len(), "{text}");
            assert!(text.lines().all(|line| line.trim_end() == line && line.chars().count() <= 100), "{text}");
        }
        let told: BTreeSet<_> = KEYS.iter().map(|row| words::get(row.word, Lang::En)).collect();
        assert!(told.iter().all(|word| !word.is_empty()));
    }

    /// The key hints fit at every size the viewer works in, and always include all keys and leaving.
    #[test]
    fn the_line_of_keys_always_helps() {
        for (place, lang) in Place::ALL.into_iter().flat_map(|place| Lang::ALL.map(|lang| (place, lang))) {
            for columns in 40..240 {
                let line = line(place, lang, columns);
                let width: usize = line.iter().map(Hint::width).sum();
                assert!(width <= columns, "{place:?} in {columns}");
                let stay = KEYS.iter().filter(|row| row.place == place && row.stays).count();
                assert_eq!(line.iter().filter(|hint| hint.stays).count(), stay);
                assert!(line.len() > stay, "{place:?} in {columns}");
            }
            let all = KEYS.iter().filter(|row| row.place == place && row.short.is_some()).count();
            assert_eq!(line(place, lang, 200).len(), all);
            // At 80 columns all hints are shown.
            assert_eq!(line(place, lang, 80).len(), all, "{place:?} in {lang:?}");
        }
    }
}
