//! Output about a rejected record: the framed line with carets, the law, the legal moves, the board.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    sync::LazyLock,
};

use quipu_referee::{Lang, games};
use quipu_tests_service::{
    bytes, every,
    program::{run, run_with},
    root,
};
use serde_json::Value;

use crate::record_files;

/// Checks the frame around the first fault of a record: where it is, the line that is shown, the carets under it.
#[track_caller]
fn check(record: impl AsRef<[u8]>, place: (u64, u64), shown: &str, carets: &str) {
    let run = run_with(&["verify", "-"], record.as_ref());
    let lines: Vec<_> = run.stdout.lines().collect();
    let top = lines.iter().position(|line| line.contains("╭─")).unwrap_or_else(|| panic!("no frame: {run:#?}"));
    let (line, column) = place;
    let margin = " ".repeat(line.to_string().len());
    let expected = [
        format!("    {margin} ╭─ -:{line}:{column}"),
        format!("    {line} │ {shown}"),
        format!("    {margin} │ {carets}"),
        format!("    {margin} ╰─"),
    ];
    assert_eq!(lines[top..top + 4].join("\n"), expected.join("\n"));
}

const HEAD: &str = "[Game \"andes\"]\n\n";

fn game(movetext: &str) -> String {
    format!("{HEAD}{movetext}")
}

#[test]
fn carets_stand_under_the_token() {
    check(game("1. 0d3 2A1 *\n"), (3, 8), "1. 0d3 2A1 *", "       ^^^");
    check(game("1. 0d3 2A1 *\n").replace('\n', "\r\n"), (3, 8), "1. 0d3 2A1 *", "       ^^^");
    check(game("\n\n\n\n\n\n\n1. 0d3 2A1"), (10, 8), "1. 0d3 2A1", "       ^^^");
    // A mark at the beginning of the file takes no column.
    check("\u{feff}[Event \"Copa]\n", (1, 8), "[Event \"Copa]", "       ^^^^^^");
    // A tab is shown as one column.
    check(game("1.\t0d3\t \t2A1"), (3, 10), "1. 0d3   2A1", "         ^^^");
}

#[test]
fn places_count_characters_and_carets_columns() {
    check(game("1. {el ñandú} 0d3 2A1"), (3, 19), "1. {el ñandú} 0d3 2A1", "                  ^^^");
    // Two characters, each two columns wide.
    check(game("1. {秘魯} 0d3 2A1"), (3, 13), "1. {秘魯} 0d3 2A1", "              ^^^");
    // A tilde that is a character of its own takes no column.
    check(game("1. {n\u{303}} 0d3 2A1"), (3, 13), "1. {n\u{303}} 0d3 2A1", "           ^^^");
    check(game("1. ñd秘 *"), (3, 4), "1. ñd秘 *", "   ^^^^");
}

#[test]
fn a_fault_in_a_tag() {
    let setup = |position: &str| format!("[Game \"andes\"]\n[Setup \"{position}\"]\n\n*");
    let position = "7/7/7/3x3/7/7/7 l 6-7 0-0 s p 1";
    check(setup(position), (2, 16), &format!("[Setup \"{position}\"]"), "               ^");
    check(game("1. 0d3\n1-0"), (4, 1), "1-0", "^^^");
    check("[Game \"go\"]\n", (1, 8), "[Game \"go\"]", "       ^^");
    check("[Game \"andes\"]\n[Site \"Ñuñoa\" ]]\n", (2, 16), "[Site \"Ñuñoa\" ]]", "               ^");
    check("[Game \"andes\"]\n[Game \"andes\"]\n", (2, 2), "[Game \"andes\"]", " ^^^^");
}

#[test]
fn a_byte_that_is_not_utf8() {
    let record = b"[Game \"andes\"]\n[Site \"\xc3\x91u\xf1oa\xff\"]\n\n0d3 *";
    check(record, (2, 10), "[Site \"Ñu\u{fffd}oa\u{fffd}\"]", "         ^");
}

#[test]
fn where_the_text_ends() {
    check(game("1. 0a1 0D0\n2. 0b0 0D0C"), (4, 12), "2. 0b0 0D0C", "           ^");
    check(game("1. 0d3 (0a1"), (3, 8), "1. 0d3 (0a1", "       ^");
    check(game("1. 0d3 {open"), (3, 8), "1. 0d3 {open", "       ^");
    check("*", (1, 1), "*", "^");
}

/// A result that is missing is missed where the record ends, not in the record that follows.
#[test]
fn a_missing_result_before_another_record() {
    let record = game("1. 0a1 0D0\n2. 0b0 0D0C\n\n") + HEAD;
    check(record, (4, 12), "2. 0b0 0D0C", "           ^");
}

#[test]
fn a_line_that_fits_is_not_cut() {
    let line = "1. 0d3 {Sol comienza por el centro, como es costumbre} 2A1 {y Luna se equivoca}";
    check(game(line), (3, 56), line, &format!("{}^^^", " ".repeat(55)));
}

/// A long line is cut so that the frame stays narrow and the fault stays in it.
#[test]
fn a_long_line_is_cut_on_both_sides() {
    let wide = "é".repeat(500);
    let shown = format!("…{}}} 0d3 2A1 {{{}…", "é".repeat(25), "é".repeat(58));
    check(game(&format!("{{{wide}}} 0d3 2A1 {{{wide}}}")), (3, 508), &shown, &format!("{}^^^", " ".repeat(32)));
    // A token that is longer than what is shown of it.
    let token = "x".repeat(200);
    let shown = format!("1. {}…", "x".repeat(31));
    check(game(&format!("1. {token}")), (3, 4), &shown, &format!("   {}", "^".repeat(32)));
    for line in run_with(&["verify", "-"], game(&format!("1. 0d3 {token} {wide}")).as_bytes()).stdout.lines() {
        assert!(!line.contains('│') || line.chars().count() <= 110, "{line}");
    }
}

/// Of a record that is too large nothing is kept to be shown: its place is.
#[test]
fn a_record_that_is_too_large() {
    let mut record = game("");
    record += &"{0123456789 0123456789}\n".repeat(800_000);
    let run = run_with(&["verify", "-", "--lang", "en"], record.as_bytes());
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains("× record.limit"), "{}", run.stdout);
    assert!(run.stdout.contains("\n    -:"), "{}", run.stdout);
    assert!(!run.stdout.contains("╭─"), "{}", run.stdout);
}

/// Frames in an output: file, line, column, the line shown, what is above the carets and how many they are.
fn frames(output: &str) -> Vec<(String, usize, usize, String, usize)> {
    let mut frames = Vec::new();
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        let Some((_, place)) = line.split_once("╭─ ") else { continue };
        let mut parts = place.rsplitn(3, ':');
        let (column, number, file) = (parts.next(), parts.next(), parts.next().expect("a name"));
        let parse = |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
        let (number, column) = (parse(number), parse(column));
        let (_, shown) = lines.next().and_then(|line| line.split_once("│ ")).expect("the line");
        let (_, carets) = lines.next().and_then(|line| line.split_once("│ ")).expect("the carets");
        frames.push((
            file.to_owned(),
            number,
            column,
            shown.to_owned(),
            carets.chars().take_while(|c| *c == ' ').count(),
        ));
    }
    frames
}

/// Every frame shows the line that it names, with the carets where it says.
#[test]
fn frames_show_the_lines_of_their_files() {
    let cut = |character: char| character == '…';
    let files: Vec<_> = record_files();
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &files {
        let read = bytes(file.strip_prefix("fixtures/").expect("it is a fixture"));
        let lines = read.split(|&byte| byte == b'\n').map(|line| {
            // As the program shows them: a byte that is not UTF-8 is one sign.
            let chunks = line.utf8_chunks().map(|chunk| {
                let invalid = "\u{fffd}".repeat(chunk.invalid().len());
                chunk.valid().replace(['\r', '\u{feff}'], "").replace('\t', " ") + &invalid
            });
            chunks.collect::<String>().trim_end().to_owned()
        });
        texts.insert(file, lines.collect());
    }
    let call: Vec<_> = ["verify"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let found = frames(&run(&call).stdout);
    assert!(found.len() > 70, "every refused record has a frame");
    for (file, line, column, shown, before) in found {
        let text = &texts[file.as_str()][line - 1];
        if shown.contains(cut) {
            assert!(shown.split(cut).all(|part| text.contains(part)), "{file}:{line}:{column}: {shown}");
        } else {
            assert_eq!((shown.as_str(), before), (text.as_str(), column - 1), "{file}:{line}:{column}");
        }
    }
}

/// Output about all mutants, by file and number: the verdict, and the lines for people under it. Their readings take seconds.
static EXPLAINED: LazyLock<Vec<(Value, String)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for file in games::ALL.iter().flat_map(|game| every(game.notation().id, "mutants", "quipu")) {
        let file = format!("fixtures/{file}");
        let json = run(&["verify", "--json", &file]).stdout;
        let people = run(&["verify", "--boards", "--lang", "en", &file]).stdout;
        let mut texts: Vec<String> = Vec::new();
        for line in people.lines() {
            match (line.strip_prefix("    "), texts.last_mut()) {
                (Some(under), Some(text)) => text.extend([under, "\n"]),
                _ => texts.push(String::new()),
            }
        }
        all.extend(json.lines().map(|line| serde_json::from_str(line).expect("JSON")).zip(texts));
    }
    all
});

#[test]
fn suggestions_are_few_and_legal() {
    let mut suggested = 0;
    for (verdict, text) in &*EXPLAINED {
        let Some((_, line)) = text.split_once("you may have meant: ") else { continue };
        let tokens: Vec<_> = line.lines().next().expect("a line").split(' ').collect();
        assert!((1..=5).contains(&tokens.len()), "{text}");
        assert!(verdict["termination"].is_null(), "a game that is over has no legal moves: {text}");
        let call = ["game", "rules", "position"].map(|name| verdict[name].as_str().expect("it was replayed"));
        let [game, rules, position] = call;
        let legal = run(&["moves", game, "--rules", rules, "--position", position]).stdout;
        let legal: BTreeSet<_> = legal.lines().collect();
        assert!(tokens.iter().all(|token| legal.contains(token)), "{text}");
        let fault =
            verdict["diagnostics"].as_array().and_then(|found| found.iter().find(|one| !one["token"].is_null()));
        assert_eq!(fault.map(|fault| &fault["suggestions"]), Some(&serde_json::json!(tokens)), "{text}");
        suggested += 1;
    }
    assert!(suggested > 5, "for many a refused move there is something to suggest: {suggested}");
}

#[test]
fn boards_show_the_position_before_the_refused_move() {
    for (verdict, text) in &*EXPLAINED {
        let refused = verdict["diagnostics"].as_array().expect("a list").iter().any(|found| !found["token"].is_null());
        let call = ["game", "rules", "position"].map(|name| verdict[name].as_str().unwrap_or_default());
        let [game, rules, position] = call;
        if refused && !game.is_empty() {
            let board = run(&["position", "--lang", "en", "--rules", rules, game, position]).stdout;
            // A sheet that contradicts another one ends with a line about that.
            let (before, last) = text.trim_end().rsplit_once('\n').unwrap_or_default();
            let contradicts = last.starts_with("this record contradicts ");
            assert_eq!(contradicts, !verdict["contradicts"].is_null(), "{verdict:#}\n{text}");
            let found = if contradicts { before } else { text.trim_end_matches('\n') };
            // A clear reading stands below the board.
            let (before, last) = found.rsplit_once('\n').unwrap_or_default();
            let found = if last.starts_with("most likely played: ") { before } else { found };
            let found = format!("{found}\n");
            assert!(found.ends_with(&board), "{verdict:#}\n{found}\n{board}");
        } else {
            assert!(!text.contains("to move: "), "{text}");
        }
    }
}

/// Compares an output with `expected/<name>.<language>.txt`. `UPDATE_EXPECTED=1 cargo test --package quipu-tests-service
/// --test cli` writes those files anew: look at what has changed before you commit it.
#[track_caller]
fn as_expected(name: &str, arguments: &[&str], record: &str) {
    for lang in Lang::ALL.map(Lang::as_str) {
        let path = root().join(format!("tests/service/tests/expected/{name}.{lang}.txt"));
        let found = run_with(&[arguments, &["--lang", lang]].concat(), record.as_bytes()).stdout;
        if env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&path, &found).expect("it is written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(found, expected, "{name}.{lang}.txt");
    }
}

const NAMES: &str = "[Game \"andes\"]\n[Event \"Copa del Cusco\"]\n[Sol \"Ñusta, Inés\"]\n[Luna \"Mamani, Luis\"]\n";

#[test]
fn an_illegal_move_as_a_whole() {
    let record = format!("{NAMES}[Result \"*\"]\n\n1. 0d3 {{¡al ñandú!}} 2A3\n2. 0d3g 2A2\n*\n");
    as_expected("illegal-move", &["verify", "--boards", "-"], &record);
}

#[test]
fn a_setup_that_is_refused_as_a_whole() {
    let record = format!("{NAMES}[Result \"*\"]\n[Setup \"7/7/7/3a3/7/7/7 r 6-7 0-0 s p 1\"]\n\n1. 2A3\n*\n");
    as_expected("setup", &["verify", "-"], &record);
}

#[test]
fn a_record_that_cannot_be_read_as_a_whole() {
    let record = format!("{NAMES}[Result \"1-0\"]\n\n1. 0a1 {{Ñusta 0D0\n2. 0b0 0D0C\n1-0\n");
    as_expected("unreadable", &["verify", "-"], &record);
}

#[test]
fn several_findings_and_a_good_game_as_a_whole() {
    let wrong = format!("{NAMES}[Result \"0-1\"]\n[Points \"12-9\"]\n\n1. 0a1 0D0\n3. 0b0 0D0C\n0-1\n");
    let good = format!("{NAMES}[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n");
    as_expected("findings", &["verify", "-"], &format!("{wrong}\n{good}"));
}

/// The placing phase of a game on points, then three moves.
const POINTS: &str = "[Game \"pastores\"]\n[Norte \"Ñusta, Inés\"]\n[Sur \"Mamani, Luis\"]\n[Result \"*\"]\n[Handshake \"yes\"]\n\n\
    1. PA1 PE1\n2. PA2 PE2\n3. GB2 GD4\n4. PA3 PE3\n5. PA4 PE4\n6. PA5 PE5\n7. GB3 GD2\n8. GB4 GD3\n\
    9. B2-C3 D4-C5\n10. C3xD2 E2xD2\n";

#[test]
fn a_replay_on_points_as_a_whole() {
    as_expected("points-replay", &["replay", "-", "--from", "15"], &format!("{POINTS}*\n"));
}

#[test]
fn an_illegal_move_on_points_as_a_whole() {
    as_expected("points-illegal-move", &["verify", "--boards", "-"], &format!("{POINTS}11. B4-B5\n*\n"));
}

#[test]
fn a_replay_as_a_whole() {
    let record = format!("{NAMES}[Result \"1-0\"]\n\n1. 0a1 {{[%clk 0:11:55.120]}} 0D0\n2. 0b0 0D0C\n1-0\n");
    as_expected("replay", &["replay", "-", "--from", "2"], &record);
}
