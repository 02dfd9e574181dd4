//! Compares screens with the expected ones, in both languages and three sizes.

use std::{env, fs, path::Path};

use quipu_referee::Lang;
use ratatui::{Terminal, backend::TestBackend, style::Modifier};

use super::{super::harness::TestViewer, *};

/// The screen of a terminal of this size.
pub(in super::super) fn screen(state: &ViewState) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).expect("it does not fail");
    terminal.draw(|found| frame(state, found)).expect("it does not fail");
    terminal.backend().buffer().clone()
}

/// The characters of that screen, line by line.
pub(in super::super) fn drawn(state: &ViewState) -> String {
    let screen = screen(state);
    let rows = (0..screen.area.height).map(|row| {
        let line: String = (0..screen.area.width).map(|column| screen[(column, row)].symbol()).collect();
        line.trim_end().to_owned() + "\n"
    });
    rows.collect()
}

/// Terminal sizes of the expected screens.
const SIZES: [(u16, u16); 3] = [(80, 24), (40, 12), (200, 60)];

/// Presses keys and compares the screen in each size with `expected/<name>.<language>.txt`. `UPDATE_EXPECTED=1
/// cargo test --package quipu` rewrites those files: review the changes before you commit them.
#[track_caller]
fn check(name: &str, path: &str, keys: &str) {
    for lang in Lang::ALL {
        let mut found = String::new();
        for size in SIZES {
            let mut viewer = TestViewer::new(Context::plain(lang), path, size);
            viewer.press(keys);
            found += &format!("{} x {}\n{}", size.0, size.1, drawn(&viewer.state));
        }
        let path = Path::new("src/commands/view/expected").join(format!("{name}.{}.txt", lang.as_str()));
        if env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&path, &found).expect("it is written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(found, expected, "{}", path.display());
    }
}

#[test]
fn the_list_shows_records() {
    check("list", "../fixtures/andes/mutants.quipu", "jjj");
}

#[test]
fn the_list_is_filtered() {
    check("filtered", "../fixtures/andes/cup.quipu", "&curin\nG");
}

#[test]
fn a_game_on_squares_is_shown() {
    check("squares", "../fixtures/andes/cup.quipu", "j\n20\n");
}

#[test]
fn a_game_on_points_is_shown() {
    check("points", "../fixtures/pastores/games.quipu", "\n30\nf");
}

#[test]
fn a_game_of_many_pieces_is_shown() {
    check("pieces", "../fixtures/querni/games.quipu", "j\n7\n");
}

#[test]
fn a_fault_is_shown() {
    check("fault", "src/commands/view/expected/refused.quipu", "\n");
}

#[test]
fn readings_of_a_rejected_record_are_shown() {
    check("readings", "src/commands/view/expected/refused.quipu", "\nr");
}

#[test]
fn unreadable_records_are_shown() {
    check("unreadable", "src/commands/view/expected/refused.quipu", "j\n");
}

#[test]
fn the_page_of_keys_is_shown() {
    check("keys", "../fixtures/andes/cup.quipu", "?");
}

#[test]
fn the_details_of_a_record_are_shown() {
    check("details", "src/commands/view/expected/refused.quipu", "\ni");
}

#[test]
fn typed_text_is_shown() {
    check("prompt", "../fixtures/andes/cup.quipu", "/quispe");
}

#[test]
fn a_small_terminal_shows_a_notice() {
    for (lang, said) in [(Lang::Es, "hacen falta 40 × 10"), (Lang::En, "at least 40 × 10")] {
        for size in [(39, 24), (80, 9), (10, 3), (1, 1), (0, 0)] {
            let viewer = TestViewer::new(Context::plain(lang), "../fixtures/andes/cup.quipu", size);
            let text = drawn(&viewer.state).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(said) || size.0 < 20, "{text}");
            assert!(!text.contains('✓'), "nothing else is shown: {text}");
        }
    }
}

#[test]
fn key_hints_are_always_visible() {
    for keys in ["", "\n", "?", "\ni", "/x", "\n9"] {
        let mut viewer = TestViewer::new(CONTEXT, "src/commands/view/expected/refused.quipu", (80, 24));
        viewer.press(keys);
        for size in (40..130).step_by(7).flat_map(|columns| (10..50).step_by(3).map(move |lines| (columns, lines))) {
            viewer.resize(size);
            let text = drawn(&viewer.state);
            let last = text.lines().last().expect("there are lines");
            assert!(last.contains("q quit") || last.contains("q back"), "{keys:?} {size:?}: {text}");
        }
    }
}

const CONTEXT: Context = Context::plain(Lang::En);

/// The chosen row is not marked by colour alone.
#[test]
fn with_colours_off_no_cell_has_one() {
    for color in [false, true] {
        let mut colored = 0;
        for keys in ["", "\n", "\ni"] {
            let context = Context { color, ..CONTEXT };
            let mut viewer = TestViewer::new(context, "src/commands/view/expected/refused.quipu", (80, 24));
            viewer.press(keys);
            let screen = screen(&viewer.state);
            let has = |cell: &ratatui::buffer::Cell| {
                use ratatui::style::Color::Reset;
                (cell.fg, cell.bg) != (Reset, Reset)
            };
            colored += screen.content.iter().filter(|cell| has(cell)).count();
            let reversed = |row: u16| screen[(5, row)].modifier.contains(Modifier::REVERSED);
            assert!(reversed(0), "the title");
            if keys.is_empty() {
                assert!(reversed(2) && !reversed(3) && screen[(0, 2)].symbol() == "▸", "the first row");
            }
        }
        assert_eq!(colored > 0, color, "{colored}");
    }
}

#[test]
fn control_characters_are_not_shown() {
    const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{8}\u{7f}\u{9b}31m\u{202e}";
    let token = HOSTILE.replace(['[', ']'], "");
    let text = format!(
        "[Game \"andes\"]\n[Event \"{HOSTILE}\"]\n[Sol \"{HOSTILE}Ana\"]\n\n{{{HOSTILE}}} 1. 0d3{token} {{{HOSTILE}}} *\n\n\
         [Game \"{HOSTILE}\"]\n[Event \"{HOSTILE}\"]\n\n{{{HOSTILE}}} {token} *\n"
    );
    let file = tempfile::NamedTempFile::new().expect("there is room");
    fs::write(file.path(), text).expect("there is room");
    for keys in ["", "\n", "\nl", "\ni", "j\n", "j\ni"] {
        let mut viewer = TestViewer::new(CONTEXT, file.path().to_str().expect("UTF-8"), (80, 24));
        viewer.press(keys);
        let text = drawn(&viewer.state);
        assert!(text.contains('\u{fffd}'), "{keys:?}: {text}");
        assert!(!text.chars().any(|character| character != '\n' && quipu_referee::is_active(character)), "{text:?}");
    }
}

/// A flipped board shows the second side's names of the squares.
#[test]
fn a_board_is_flipped() {
    let mut viewer = TestViewer::new(CONTEXT, "../fixtures/andes/cup.quipu", (80, 24));
    viewer.press("\n4\n");
    let [one, other] = ["", "f"].map(|key| {
        viewer.press(key);
        drawn(&viewer.state)
    });
    assert!(one.contains("A  B  C  D  E  F  G") && one.contains("g  f  e  d  c  b  a"), "{one}");
    assert!(other.contains("a  b  c  d  e  f  g") && other.contains("G  F  E  D  C  B  A"), "{other}");
    viewer.press("f");
    assert_eq!(drawn(&viewer.state), one);
}
