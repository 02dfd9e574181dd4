//! What holds of every record and every position, whatever they are: no expectation here is an example.

use std::{collections::BTreeSet, num::NonZero, sync::LazyLock};

use proptest::{collection::vec, prelude::*, sample::Index, sample::select, string::string_regex};
use quipu_notation::{
    Span,
    games::andes::{Objectives, Setup},
    record::{Line, Outcome, Record, Written, write},
};
use quipu_referee::{Board, Lang, Referee, games, report, verify, words};
use quipu_tests::{NASTY, bytes, each_block, text, verdicts};
use serde_json::Value;

/// Where a game can be played from.
struct Start {
    game: &'static dyn Referee,
    rules: String,
    position: String,
}

/// The positions of the fixtures that are not over, and the start of each game.
static STARTS: LazyLock<Vec<Start>> = LazyLock::new(|| {
    let mut starts = Vec::new();
    for &game in games::ALL {
        if let Ok(board) = game.board(None, None) {
            starts.push(Start { game, rules: "base".to_owned(), position: board.position() });
        }
        for line in text(&format!("{}/positions.ndjson", game.notation().id)).lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            let field = |name: &str| row[name].as_str().expect("a text").to_owned();
            starts.push(Start { game, rules: field("rules"), position: field("position") });
        }
    }
    starts.retain(|start| start.board().end().is_none());
    starts
});

impl Start {
    fn any() -> impl Strategy<Value = &'static Self> {
        (0..STARTS.len()).prop_map(|index| &STARTS[index]).boxed()
    }

    /// Those of one game.
    fn of(game: &str) -> impl Strategy<Value = &'static Self> + use<> {
        select(STARTS.iter().filter(|start| start.game.notation().id == game).collect::<Vec<_>>())
    }

    fn board(&self) -> Box<dyn Board> {
        self.at(&self.position)
    }

    /// Another position of the same game.
    fn at(&self, position: &str) -> Box<dyn Board> {
        self.game.board(Some(&self.rules), Some(position)).expect("a good position")
    }

    /// A lawful game: its positions from the first to the last, and the moves between them.
    fn playout(&self, choices: &[Index]) -> (Vec<String>, Vec<String>) {
        let mut board = self.board();
        let (mut positions, mut moves) = (vec![board.position()], Vec::new());
        for choice in choices {
            let lawful = board.legal_moves();
            if lawful.is_empty() {
                break;
            }
            let token = choice.get(&lawful);
            board.play(token).expect("it is lawful");
            positions.push(board.position());
            moves.push(token.clone());
        }
        (positions, moves)
    }

    /// A record of these moves.
    fn record(&self, moves: &[String]) -> String {
        let (id, rules, position) = (self.game.notation().id, &self.rules, &self.position);
        format!("[Game \"{id}\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n\n{} *\n", moves.join(" "))
    }
}

impl std::fmt::Debug for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.game.notation().id, self.rules, self.position)
    }
}

fn choices(most: usize) -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..most)
}

/// The other accepted spelling of an Andes move, where there is one: mark and scale both, though only one changes.
fn in_full(token: &str) -> Option<String> {
    let &[_, mark, scale, changed] = token.as_bytes() else { return None };
    let place = &token[..3];
    let changed = char::from(changed);
    Some(match changed {
        '0'..='6' => format!("{place}{}{changed}", char::from(mark)),
        _ => format!("{place}{changed}{}", char::from(scale)),
    })
}

/// The same position for the player at the other side of the board.
fn turned(position: &str) -> String {
    let mut setup = Setup::parse(position).expect("a good position");
    setup.diagram.cells.reverse();
    for piece in setup.diagram.cells.iter_mut().flatten() {
        piece.side = !piece.side;
    }
    setup.turn = !setup.turn;
    setup.reserves.reverse();
    setup.attacked.reverse();
    setup.entered.reverse();
    // They are Sol's alone and decide nothing.
    setup.objectives = Objectives { persona: true, capture: true };
    setup.ply += 1;
    setup.to_string()
}

fn turned_move(token: &str) -> String {
    let turn = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    token.chars().map(turn).collect()
}

/// Nothing that can be asked of a board goes wrong.
fn ask_everything(board: &mut dyn Board, token: &str) {
    let moves = board.legal_moves();
    assert_eq!(board.perft(1, NonZero::<usize>::MIN), moves.len() as u64);
    assert!(board.suggestions(token, 3).len() <= 3);
    board.drawing();
    if let Err(message) = board.play(token) {
        for lang in Lang::ALL {
            assert_ne!(words::catalog().message(&message, lang), "");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn lawful_moves_are_read_from_their_own_text(start in Start::any(), choices in choices(12)) {
        for position in start.playout(&choices).0 {
            for token in start.at(&position).legal_moves() {
                prop_assert_eq!(start.at(&position).play(&token), Ok(token.clone()));
                if let Some(full) = in_full(&token) {
                    prop_assert_eq!(start.at(&position).play(&full), Ok(token));
                }
            }
        }
    }

    #[test]
    fn positions_read_back(start in Start::any(), choices in choices(60)) {
        for position in start.playout(&choices).0 {
            let board = start.at(&position);
            prop_assert_eq!(board.position(), position.as_str());
            prop_assert_eq!(board.perft(1, NonZero::<usize>::MIN), board.legal_moves().len() as u64);
        }
    }

    #[test]
    fn no_disc_is_added_or_lost(start in Start::of("andes"), choices in choices(60)) {
        for position in start.playout(&choices).0 {
            let setup = Setup::parse(&position).expect("a good position");
            let on_board = setup.diagram.cells.iter().flatten().count();
            let off_board: u32 = setup.reserves.iter().chain(&setup.attacked).sum();
            prop_assert_eq!(on_board + off_board as usize, 14);
        }
    }

    #[test]
    fn the_replay_of_a_prefix_is_a_prefix_of_the_replay(start in Start::any(), choices in choices(40)) {
        let (positions, moves) = start.playout(&choices);
        for (plies, position) in positions.iter().enumerate() {
            let [verdict] = &*verdicts(start.record(&moves[..plies]).as_bytes()) else { panic!("one record") };
            prop_assert_eq!((verdict.plies, verdict.position.as_ref()), (Some(plies as u64), Some(position)));
        }
    }

    /// Terrain, moves, mode, captures and ends are the same for both sides: only Sol's first move is his alone (3.4).
    #[test]
    fn both_sides_of_the_board_are_alike(start in Start::of("andes"), choices in choices(30)) {
        let (positions, moves) = start.playout(&choices);
        for (index, position) in positions.iter().enumerate() {
            if Setup::parse(position).expect("a good position").ply == 0 {
                continue;
            }
            let (board, mut other) = (start.at(position), start.at(&turned(position)));
            let mut expected: Vec<_> = board.legal_moves().iter().map(|token| turned_move(token)).collect();
            expected.sort_unstable();
            prop_assert_eq!(other.legal_moves(), expected);
            let points = board.points().map(|points| [points.0[1], points.0[0]]);
            prop_assert_eq!(other.points().map(|points| points.0), points);
            let end = |board: &dyn Board| board.end().map(|end| (end.termination, end.outcome.winner()));
            prop_assert_eq!(end(&*other), end(&*board).map(|(end, winner)| (end, winner.map(|side| !side))));
            if let Some(token) = moves.get(index) {
                other.play(&turned_move(token)).expect("it is lawful");
                prop_assert_eq!(other.position(), turned(&positions[index + 1]));
            }
        }
    }

    #[test]
    fn any_text_can_be_played(start in Start::any(), token in token_like()) {
        ask_everything(&mut *start.board(), &token);
    }

    #[test]
    fn any_text_can_be_asked_for_as_a_position(text in position_like(), token in token_like()) {
        for game in games::ALL {
            let _ = game.arrange(None, &text);
            match game.board(None, Some(&text)) {
                Ok(mut board) => {
                    prop_assert_eq!(board.position(), text.as_str());
                    ask_everything(&mut *board, &token);
                }
                Err(faults) => {
                    prop_assert!(!faults.is_empty());
                    prop_assert!(faults.iter().all(|fault| text.get(fault.span.range()).is_some()));
                }
            }
        }
    }
}

/// Every token that has the form of a move is accepted exactly where it is a spelling of a lawful move.
#[test]
fn what_is_accepted_is_what_is_lawful() {
    let changes = ["", "a", "b", "c", "d", "e", "f", "g", "A", "B", "C", "D", "E", "F", "G"];
    let scales = ["", "0", "1", "2", "3", "4", "5", "6"];
    let places = changes[1..].iter().flat_map(|mark| scales[1..].iter().map(move |scale| format!("{mark}{scale}")));
    let places: Vec<_> = places.collect();
    let destinations: Vec<_> =
        changes.iter().flat_map(|mark| scales.iter().map(move |scale| format!("{mark}{scale}"))).collect();
    for start in STARTS.iter().filter(|start| start.game.notation().id == "andes").step_by(13) {
        let lawful = start.board().legal_moves();
        let expected: BTreeSet<_> =
            lawful.iter().cloned().chain(lawful.iter().filter_map(|token| in_full(token))).collect();
        let mut board = start.board();
        let mut accepted = BTreeSet::new();
        for kind in 0..4 {
            for place in &places {
                for destination in &destinations {
                    let token = format!("{kind}{place}{destination}");
                    if board.play(&token).is_ok() {
                        accepted.insert(token);
                        board = start.board();
                    }
                }
            }
        }
        assert_eq!(accepted, expected, "{start:?}");
    }
}

fn token_like() -> impl Strategy<Value = String> {
    let regex = |text: &str| string_regex(text).expect("a good pattern");
    prop_oneof![
        regex("\\PC{0,20}"),
        regex("[0-4a-hA-H0-7x+]{0,7}"),
        regex("[0-3][a-gA-G][0-6][a-gA-G]?[0-6]?x?(\\+[0-9]{1,30})?"),
        regex("[PGp]?[A-Fa][0-6]([x-][A-Fa][0-6])?")
    ]
}

/// Texts of all kinds, and position strings with a few characters wrong.
fn position_like() -> impl Strategy<Value = String> {
    let regex = |text: &str| string_regex(text).expect("a good pattern");
    let wrong = (Start::any(), vec((any::<Index>(), regex("[0-9a-eA-E/ sl+.;pcñPGgn-]{0,2}")), 0..3));
    prop_oneof![
        regex("\\PC{0,40}"),
        regex("[+-][0-4]\\.[A-H][0-7];([+-][0-3]\\.[A-G][0-6];){0,3}"),
        regex("[a-dA-D1-7/]{0,20} [sl] [0-9]{1,11}-[0-9]{1,11} [0-9]-[0-9] [sl-]{1,2} [pc-]{1,2} [0-9]{1,11}"),
        regex(
            "([PGpg][PGpg1-4]{1,3}|5)(/([PGpg][PGpg1-4]{1,3}|5)){4} [ns] [0-5][0-3]-[0-5][0-3] (-|1?[0-9]) [0-9]{1,3}"
        ),
        wrong.prop_map(|(start, changes)| {
            let mut position = start.position.clone();
            for (at, text) in changes {
                let at = at.index(position.len());
                if position.is_char_boundary(at) && position.is_char_boundary(at + 1) {
                    position.replace_range(at..=at, &text);
                }
            }
            position
        }),
    ]
}

/// The canonical text, of records without a known game as far as it goes.
fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

/// What the canonical form keeps of a record, tokens aside if `spelled` is not set.
fn kept<'a>(record: &Record<'a>, spelled: bool) -> Record<'a> {
    let mut kept = Record { span: Span::default(), ..record.clone() };
    kept.tags.retain(|tag| !(tag.name == "Rules" && tag.value == write::BASE_RULES));
    kept.tags.sort_by(|a, b| a.name.cmp(&b.name));
    for tag in &mut kept.tags {
        tag.span = Span::default();
    }
    keep(&mut kept.line);
    if !spelled {
        kept.line.plies.iter_mut().for_each(|ply| ply.token = "".into());
    }
    let result = Outcome::parse(write::result_line(record));
    kept.result = result.map(|value| Written { value, span: Span::default() });
    kept
}

fn keep(line: &mut Line<'_>) {
    for ply in &mut line.plies {
        ply.span = Span::default();
        ply.number = None;
        if let Some(clock) = &mut ply.clock {
            clock.span = Span::default();
        }
        if let Some(notes) = &mut ply.notes {
            notes.variations.iter_mut().for_each(keep);
        }
    }
}

/// Runs `each` with all records of a text that can be read; says how many there are.
fn each_record(text: &[u8], mut each: impl FnMut(&Record<'_>)) -> usize {
    let mut count = 0;
    each_block(text, |block| {
        for record in block.records().flatten() {
            each(&record);
            count += 1;
        }
    });
    count
}

/// Writing what was read and reading it again changes nothing. Says how many records there are.
fn check_stable(text: &[u8]) -> usize {
    each_record(text, |record| {
        check_form(record, canonical, false);
        check_form(record, write::as_written, true);
    })
}

/// One form of a record is stable; in it, tokens stand as they were if they are `spelled`.
fn check_form(record: &Record<'_>, form: impl Fn(&Record<'_>) -> String, spelled: bool) {
    let written = form(record);
    let count = each_record(written.as_bytes(), |again| {
        assert_eq!(form(again), written);
        assert_eq!(kept(again, spelled), kept(record, spelled), "{written}");
        let (mut found, expected) = (verify::record(again), verify::record(record));
        // Places are others, and numbers and results are written where they were missing.
        found.diagnostics.clone_from(&expected.diagnostics);
        assert_eq!(found, expected, "{written}");
    });
    assert_eq!(count, 1, "{written}");
}

fn parts(alphabet: &'static [&'static str], most: usize) -> impl Strategy<Value = String> + Clone {
    vec(select(alphabet), 0..most).prop_map(|parts| parts.concat())
}

/// White space of all kinds, with what is skipped.
fn gap() -> impl Strategy<Value = &'static str> + Clone {
    select(&[" ", " ", " ", "\n", "\r\n", "\t", " \u{b}\u{c} ", "\n% skipped { ( [\n", "\n\n"][..])
}

/// What stands beside a move: gaps, comments, clocks, annotations, numbers, variations.
fn beside() -> impl Strategy<Value = String> {
    let inside: &[&str] = &[
        "a",
        "ñ",
        " ",
        "\n",
        "\r\n",
        "\r",
        "[%clk 0:00:05.250]",
        "[%clk ",
        "0:00:02]",
        "[Event \"",
        " [Game \"",
        "(",
        ")",
        ";",
        "%",
        "\n%",
        "{",
        "$",
        "!",
        "1-0",
        "\\",
        "\"",
        "\u{a0}",
    ];
    let to_line_end: &[&str] =
        &["a", "}", " ", "\r", "{", "[%clk 0:00:05]", "[%clk ", "0:00:02]", "[Game \"", "(", ";", "\\"];
    let note = prop_oneof![
        Just(String::new()),
        parts(inside, 6).prop_map(|text| format!("{{{text}}}")),
        parts(to_line_end, 6).prop_map(|text| format!(";{text}\n")),
        (0..720_u32).prop_map(|clock| format!("{{[%clk 0:{:02}:{:02}]}}", clock / 60, clock % 60)),
        any::<u32>().prop_map(|nag| format!("${nag}")),
        select(&["!", "?", "!!", "??", "!?", "?!", "1.", "7...", "0.2."][..]).prop_map(str::to_owned),
    ];
    let spaced =
        |note| (gap(), note, gap()).prop_map(|(before, note, after): (_, String, _)| format!("{before}{note}{after}"));
    let notes = vec(spaced(note.boxed()), 0..3).prop_map(|notes| notes.concat());
    notes.prop_recursive(3, 12, 3, move |inner| {
        let opening = parts(&["{a}", "{[%clk 0:00:05]}", ";}\n", "\n"], 3);
        let line = vec((token(), inner.clone()), 0..3);
        (inner, opening, line).prop_map(|(before, opening, line)| {
            let line: String = line.into_iter().map(|(token, beside)| format!(" {token} {beside}")).collect();
            format!("{before}({opening}{line})")
        })
    })
}

/// Tokens that are moves only by chance.
fn token() -> impl Strategy<Value = String> {
    let odd = select(&["0d3", "0a1x", "1.0A0+1", "%", "2.%x", "x;y", "1.;x", "\u{feff}", "1", ".5", "ñ", "\\"][..]);
    prop_oneof![odd.prop_map(str::to_owned), string_regex("[0-3][a-gA-G][0-6]").expect("a good pattern")]
}

/// Tag pairs in any order, each name once.
fn tags() -> impl Strategy<Value = String> {
    let names = [
        "Event",
        "Round",
        "Result",
        "Sol",
        "Luna",
        "Ñandú",
        "_7",
        "Termination",
        "TimeControl",
        "Points",
        "Decision",
        "Rules",
    ];
    let values = [
        "1-0",
        "0-1",
        "*",
        "1/2-1/2",
        "won",
        "0d3",
        "base",
        "",
        "sol",
        "60",
        "resignation",
        "7-7",
        "{ [Game \"x\"]",
        "\\",
    ];
    let value = prop_oneof![
        select(values.to_vec()).prop_map(str::to_owned),
        string_regex("[^\r\n]{0,8}").expect("a good pattern")
    ];
    let between = select(&["", "", "", "{comment\n\nof the head}\n", "% skipped\n", "; comment }\n"][..]);
    let tag = (select(names.to_vec()), value, between);
    vec(tag, 0..6).prop_map(|mut tags| {
        tags.sort_by_key(|(name, ..)| *name);
        tags.dedup_by_key(|(name, ..)| *name);
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
        tags.iter().map(|(name, value, between)| format!("[{name} \"{}\"]\n{between}", escaped(value))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn records_are_written_as_they_are_read(
        start in Start::any(),
        tags in tags(),
        opening in parts(&["{a}", "{b\n c}", ";d}\n", "\n", "{[%clk 0:00:05]}", " "], 4),
        plies in vec((any::<Index>(), any::<bool>(), beside()), 0..12),
        odd in vec((token(), beside()), 0..3),
        result in select(&["1-0", "0-1", "1/2-1/2", "*", "", "1-0 {after}", "* ;after }\n{[%clk 0:00:01]}"][..]),
    ) {
        let choices: Vec<_> = plies.iter().map(|(choice, ..)| *choice).collect();
        let (_, moves) = start.playout(&choices);
        let (id, position) = (start.game.notation().id, &start.position);
        let mut text = format!("[Game \"{id}\"]\n[Setup \"{position}\"]\n{tags}\n{opening}");
        for (token, (_, full, beside)) in moves.into_iter().zip(plies) {
            let full = if full { in_full(&token) } else { None };
            text.extend([" ", &*full.unwrap_or(token), " ", &beside]);
        }
        for (token, beside) in odd {
            text.extend([" ", &*token, " ", &beside]);
        }
        text.extend([" ", result]);
        prop_assert_eq!(check_stable(text.as_bytes()), 1, "{}", text);
    }

    #[test]
    fn any_bytes_can_be_read(nasty in vec(select(NASTY), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(&nasty.concat());
        check_stable(&noise);
        check_stable(&[&noise, &nasty.concat()[..]].concat());
    }

    #[test]
    fn fixtures_with_something_wrong_can_be_read(changes in vec((any::<Index>(), select(NASTY)), 1..20)) {
        let mut text = LOOSE.clone();
        for (at, part) in changes {
            let at = at.index(text.len());
            text.splice(at..=at, part.iter().copied());
        }
        check_stable(&text);
        let verdicts = verdicts(&*text);
        prop_assert!(verdicts.len() >= 10, "the others are read all the same");
        for (index, verdict) in (1..).zip(&verdicts) {
            for lang in Lang::ALL {
                prop_assert_eq!(report::verdict(verdict, index, lang).index, index);
            }
        }
    }
}

static LOOSE: LazyLock<Vec<u8>> = LazyLock::new(|| bytes("andes/loose.quipu"));
