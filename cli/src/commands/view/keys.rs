//! The keys of the viewer: one table, from which key bindings, key hints, the page of keys, the help and the manual are
//! made.

use std::fmt::Write;

use quipu_referee::Lang;

use crate::messages;

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPress {
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
pub(super) enum Focus {
    List,
    Game,
    /// A page of text.
    Page,
}

impl Focus {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyAction {
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
    Flip,
    RecordBefore,
    RecordAfter,
    Fault,
    Details,
    Readings,
    Keys,
    Leave,
}

/// Keys that are documented together.
pub(super) struct KeyRow {
    focus: Focus,
    pub(super) keys: &'static [(KeyPress, KeyAction)],
    /// Key of the description in the catalogue.
    word: &'static str,
    /// Number of the keys in the key hints, and the key of their label there.
    short: Option<(usize, &'static str)>,
    /// Stays in the key hints when there is no room for all.
    stays: bool,
}

const fn row(focus: Focus, keys: &'static [(KeyPress, KeyAction)], word: &'static str) -> KeyRow {
    KeyRow { focus, keys, word, short: None, stays: false }
}

impl KeyRow {
    const fn short(self, count: usize, word: &'static str) -> Self {
        Self { short: Some((count, word)), ..self }
    }

    const fn stays(self) -> Self {
        Self { stays: true, ..self }
    }
}

use KeyPress::{Char, Digit, Down, End, Enter, Escape, Home, Left, PageDown, PageUp, Right, Up};

const PAGES: &[(KeyPress, KeyAction)] = &[(PageUp, KeyAction::PageUp), (PageDown, KeyAction::PageDown)];
const ENDS: &[(KeyPress, KeyAction)] =
    &[(Home, KeyAction::First), (End, KeyAction::Last), (Char('g'), KeyAction::First), (Char('G'), KeyAction::Last)];
const LINES: &[(KeyPress, KeyAction)] = &[
    (Up, KeyAction::Previous),
    (Down, KeyAction::Next),
    (Char('k'), KeyAction::Previous),
    (Char('j'), KeyAction::Next),
];
const NUMBER: &[(KeyPress, KeyAction)] = &[(Digit, KeyAction::Number)];
const SEARCH: &[(KeyPress, KeyAction)] = &[(Char('/'), KeyAction::Search)];
const SEARCH_ON: &[(KeyPress, KeyAction)] = &[(Char('n'), KeyAction::SearchOn), (Char('N'), KeyAction::SearchBack)];
const KEYS_PAGE: &[(KeyPress, KeyAction)] = &[(Char('?'), KeyAction::Keys)];
const LEAVE: &[(KeyPress, KeyAction)] = &[(Char('q'), KeyAction::Leave), (Escape, KeyAction::Leave)];

/// All keys, in the order of the help; of the key hints the first are dropped last.
pub(super) const KEYS: &[KeyRow] = &[
    row(Focus::List, LINES, "view.key.choose").short(2, "view.short.choose"),
    row(
        Focus::List,
        &[(Enter, KeyAction::Open), (Right, KeyAction::Open), (Char('l'), KeyAction::Open)],
        "view.key.open",
    )
    .short(1, "view.short.open"),
    row(Focus::List, PAGES, "view.key.page"),
    row(Focus::List, ENDS, "view.key.ends"),
    row(Focus::List, NUMBER, "view.key.record-number"),
    row(Focus::List, SEARCH, "view.key.search-records").short(1, "view.short.search"),
    row(Focus::List, SEARCH_ON, "view.key.search-on"),
    row(Focus::List, &[(Char('x'), KeyAction::Faults)], "view.key.faults").short(1, "view.short.faults"),
    row(Focus::List, &[(Char('&'), KeyAction::Filter)], "view.key.filter").short(1, "view.short.filter"),
    row(Focus::List, KEYS_PAGE, "view.key.keys").short(1, "view.short.keys").stays(),
    row(Focus::List, LEAVE, "view.key.quit").short(1, "view.short.quit").stays(),
    row(
        Focus::Game,
        &[
            (Left, KeyAction::Previous),
            (Right, KeyAction::Next),
            (Up, KeyAction::Previous),
            (Down, KeyAction::Next),
            (Char('h'), KeyAction::Previous),
            (Char('l'), KeyAction::Next),
            (Char('k'), KeyAction::Previous),
            (Char('j'), KeyAction::Next),
        ],
        "view.key.ply",
    )
    .short(2, "view.short.ply"),
    row(Focus::Game, PAGES, "view.key.plies"),
    row(Focus::Game, ENDS, "view.key.game-ends"),
    row(Focus::Game, NUMBER, "view.key.ply-number").short(1, "view.short.ply-number"),
    row(Focus::Game, &[(Char('f'), KeyAction::Flip)], "view.key.flip").short(1, "view.short.flip"),
    row(Focus::Game, &[(Char('['), KeyAction::RecordBefore), (Char(']'), KeyAction::RecordAfter)], "view.key.records")
        .short(2, "view.short.records"),
    row(Focus::Game, &[(Char('i'), KeyAction::Details)], "view.key.details").short(1, "view.short.details"),
    row(Focus::Game, &[(Char('x'), KeyAction::Fault)], "view.key.fault").short(1, "view.short.fault"),
    row(Focus::Game, &[(Char('r'), KeyAction::Readings)], "view.key.readings"),
    row(Focus::Game, SEARCH, "view.key.search-moves").short(1, "view.short.search"),
    row(Focus::Game, SEARCH_ON, "view.key.search-on"),
    row(Focus::Game, KEYS_PAGE, "view.key.keys").short(1, "view.short.keys").stays(),
    row(Focus::Game, LEAVE, "view.key.back").short(1, "view.short.back").stays(),
    row(Focus::Page, LINES, "view.key.line").short(2, "view.short.line"),
    row(Focus::Page, PAGES, "view.key.page").short(2, "view.short.page"),
    row(Focus::Page, ENDS, "view.key.ends"),
    row(Focus::Page, LEAVE, "view.key.back-from-page").short(1, "view.short.back").stays(),
];

pub(super) fn action(focus: Focus, key: KeyPress) -> Option<KeyAction> {
    let meant = match key {
        Char('0'..='9') => Digit,
        key => key,
    };
    let mut rows = KEYS.iter().filter(|row| row.focus == focus).flat_map(|row| row.keys);
    rows.find(|(of_row, _)| *of_row == meant).map(|(_, action)| *action)
}

fn name(key: KeyPress, lang: Lang) -> String {
    let word = match key {
        Char(character) => return character.to_string(),
        KeyPress::Control(letter) => return format!("Ctrl-{}", letter.to_ascii_uppercase()),
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
        KeyPress::Backspace => "view.name.backspace",
        Digit => "view.name.number",
    };
    messages::get(word, lang).to_owned()
}

/// A key hint: keys and their label.
pub(super) struct Hint {
    pub(super) keys: String,
    pub(super) word: &'static str,
    stays: bool,
}

/// The key hints that fit into this many columns. The last ones are dropped first, except those for all keys and for
/// leaving.
pub(super) fn line(focus: Focus, lang: Lang, columns: usize) -> Vec<Hint> {
    let rows = KEYS.iter().filter(|row| row.focus == focus);
    let hints = rows.filter_map(|row| {
        let (count, word) = row.short?;
        let names: Vec<_> = row.keys[..count].iter().map(|(key, _)| name(*key, lang)).collect();
        let signs = names.iter().all(|name| name.chars().count() == 1);
        Some(Hint { keys: names.join(if signs { "" } else { " " }), word: messages::get(word, lang), stays: row.stays })
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
pub(super) type KeyTable = Vec<(Focus, Vec<(String, &'static str)>)>;

/// All keys of all parts.
pub(super) fn table(lang: Lang) -> KeyTable {
    let of_focus = |focus: Focus| {
        let rows = KEYS.iter().filter(move |row| row.focus == focus);
        rows.map(|row| {
            let keys = row.keys.iter().map(|(key, _)| name(*key, lang)).collect::<Vec<_>>().join(" ");
            (keys, messages::get(row.word, lang))
        })
    };
    Focus::ALL.map(|focus| (focus, of_focus(focus).collect())).into()
}

/// The heading of a part.
pub(super) fn heading(focus: Focus, lang: Lang) -> &'static str {
    messages::get(focus.word(), lang)
}

/// Width of the widest keys in a table.
pub(super) fn widest(table: &KeyTable) -> usize {
    table.iter().flat_map(|(_, rows)| rows).map(|(keys, _)| keys.chars().count()).max().unwrap_or_default()
}

/// All keys, for the help of the command.
pub(super) fn guide(lang: Lang) -> String {
    let table = table(lang);
    let width = widest(&table);
    let mut text = String::new();
    for (focus, rows) in table {
        let _ = write!(text, "\n\n{}:", heading(focus, lang)); // a String takes everything
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
        for focus in Focus::ALL {
            let mut seen = Vec::new();
            for (key, found) in KEYS.iter().filter(|row| row.focus == focus).flat_map(|row| row.keys) {
                assert!(!seen.contains(key), "{key:?} in {focus:?}");
                let pressed = if *key == Digit { Char('7') } else { *key };
                assert_eq!(action(focus, pressed), Some(*found));
                seen.push(*key);
            }
            assert_eq!(action(focus, Char('%')), None);
            assert_eq!(action(focus, Escape), Some(KeyAction::Leave), "there is a way out of {focus:?}");
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
        let told: BTreeSet<_> = KEYS.iter().map(|row| messages::get(row.word, Lang::En)).collect();
        assert!(told.iter().all(|word| !word.is_empty()));
    }

    /// The key hints fit at every size the viewer works in, and always include all keys and leaving.
    #[test]
    fn the_line_of_keys_always_helps() {
        for (focus, lang) in Focus::ALL.into_iter().flat_map(|focus| Lang::ALL.map(|lang| (focus, lang))) {
            for columns in 40..240 {
                let line = line(focus, lang, columns);
                let width: usize = line.iter().map(Hint::width).sum();
                assert!(width <= columns, "{focus:?} in {columns}");
                let stay = KEYS.iter().filter(|row| row.focus == focus && row.stays).count();
                assert_eq!(line.iter().filter(|hint| hint.stays).count(), stay);
                assert!(line.len() > stay, "{focus:?} in {columns}");
            }
            let all = KEYS.iter().filter(|row| row.focus == focus && row.short.is_some()).count();
            assert_eq!(line(focus, lang, 200).len(), all);
            // At 80 columns all hints are shown.
            assert_eq!(line(focus, lang, 80).len(), all, "{focus:?} in {lang:?}");
        }
    }
}
