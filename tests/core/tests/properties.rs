//! Properties of every record and every position: no expectation here is an example.

use std::{collections::BTreeSet, num::NonZero, sync::LazyLock};

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select, subsequence},
    string::string_regex,
};
use quipu_differential::targets;
use quipu_notation::{
    Span,
    games::andes::{Objectives, Setup},
    record::{
        Format, Movetext, Outcome, Record, Spanned,
        write::{self, Omitted, OutputFormat},
    },
};
use quipu_referee::{Board, Lang, Referee, games, messages, report, verify};
use quipu_tests_core::{
    NASTY, NASTY_CSV, NASTY_JSON, bytes, each_chunk_in, every_object, listed, slow_querni::Slow, verdicts,
};

/// A position from which a game can be played.
struct Start {
    game: &'static dyn Referee,
    rules: String,
    position: String,
}

/// The positions of the fixtures that are not over, and the start of each game, dealt a few times where it is dealt.
static STARTS: LazyLock<Vec<Start>> = LazyLock::new(|| {
    let mut starts = Vec::new();
    for &game in games::ALL {
        for rules in game.rule_sets() {
            if let Ok(board) = game.board(Some(rules), None) {
                starts.push(Start { game, rules: rules.to_owned(), position: board.position() });
            }
        }
        let dealt = (0..5).filter_map(|seed| game.deal(None, seed, None).expect("there are base rules"));
        starts.extend(dealt.map(|board| Start { game, rules: "base".to_owned(), position: board.position() }));
        for row in every_object(game.notation().id, "positions") {
            let field = |name: &str| row[name].as_str().expect("a text").to_owned();
            starts.push(Start { game, rules: field("rules"), position: field("position") });
        }
    }
    starts.retain(|start| start.board().end().is_none());
    starts
});

impl Start {
    fn any() -> impl Strategy<Value = &'static Self> {
        Self::with(|_| true)
    }

    /// Of one game.
    fn of(game: &'static str) -> impl Strategy<Value = &'static Self> {
        Self::with(move |start| start.game.notation().id == game)
    }

    /// A position in which a record can start too.
    fn of_a_record() -> impl Strategy<Value = &'static Self> {
        Self::with(|start| verdicts(start.record(&[]).as_bytes())[0].diagnostics.is_empty())
    }

    fn with(wanted: impl Fn(&Self) -> bool) -> impl Strategy<Value = &'static Self> {
        let starts: Vec<_> = STARTS.iter().filter(|start| wanted(start)).collect();
        select(starts).boxed()
    }

    /// The game.
    fn id(&self) -> &'static str {
        self.game.notation().id
    }

    fn board(&self) -> Box<dyn Board> {
        self.at(&self.position)
    }

    /// Another position of the same game.
    fn at(&self, position: &str) -> Box<dyn Board> {
        self.game.board(Some(&self.rules), Some(position)).expect("a good position")
    }

    /// A legal game: its positions from the first to the last, and the moves between them.
    fn playout(&self, choices: &[Index]) -> (Vec<String>, Vec<String>) {
        let mut board = self.board();
        let (mut positions, mut moves) = (vec![board.position()], Vec::new());
        for choice in choices {
            let Some(legal) = listed(&*board).filter(|legal| !legal.is_empty()) else { break };
            let token = choice.get(&legal);
            board.play(token).expect("it is legal");
            positions.push(board.position());
            moves.push(token.clone());
        }
        (positions, moves)
    }

    /// The tags of a record that begins here.
    fn tags(&self) -> String {
        let (id, rules, position) = (self.id(), &self.rules, &self.position);
        format!("[Game \"{id}\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n")
    }

    /// A record of these moves.
    fn record(&self, moves: &[String]) -> String {
        format!("{}\n{} *\n", self.tags(), moves.join(" "))
    }

    /// Another accepted spelling of a move in a position of the game, where there is one.
    fn respelled(&self, position: &str, token: &str) -> Option<String> {
        match self.id() {
            "andes" => andes_in_full(token),
            "querni" => querni_in_full(position, token),
            "brandubh" => unclaimed(token),
            _ => None,
        }
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

/// A motion of Querni with the number of its piece.
fn querni_in_full(position: &str, token: &str) -> Option<String> {
    let number = Slow::read(position).number_on(token.get(..2)?)?;
    Some(format!("{number}{token}"))
}

/// A move of Andes with mark and scale both, though only one changes.
fn andes_in_full(token: &str) -> Option<String> {
    let &[_, mark, scale, changed] = token.as_bytes() else { return None };
    let place = &token[..3];
    let changed = char::from(changed);
    Some(match changed {
        '0'..='6' => format!("{place}{}{changed}", char::from(mark)),
        _ => format!("{place}{changed}{}", char::from(scale)),
    })
}

/// A move of Brandubh without its captures, and with a sign that is dropped.
fn unclaimed(token: &str) -> Option<String> {
    let (squares, _) = token.split_once('x')?;
    Some(format!("{squares}++"))
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
    if let Some(moves) = listed(board) {
        assert_eq!(board.perft(1, NonZero::<usize>::MIN), moves.len() as u64);
    }
    assert!(board.suggestions(token).len() <= 5);
    board.drawing();
    if let Err(message) = board.play(token) {
        for lang in Lang::ALL {
            assert_ne!(messages::catalog().message(&message, lang), "");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn lawful_moves_are_read_from_their_own_text(start in Start::any(), choices in choices(12)) {
        for position in start.playout(&choices).0 {
            for token in listed(&*start.at(&position)).unwrap_or_default() {
                prop_assert_eq!(start.at(&position).play(&token), Ok(token.clone()));
                if let Some(full) = start.respelled(&position, &token) {
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
            if let Some(moves) = listed(&*board) {
                prop_assert_eq!(board.perft(1, NonZero::<usize>::MIN), moves.len() as u64);
            }
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
    fn the_replay_of_a_prefix_is_a_prefix_of_the_replay(start in Start::of_a_record(), choices in choices(40)) {
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
                other.play(&turned_move(token)).expect("it is legal");
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
        for (game, rules) in games::ALL.iter().flat_map(|game| game.rule_sets().into_iter().map(move |rules| (game, rules))) {
            let _ = game.arrange(Some(rules), &text);
            match game.board(Some(rules), Some(&text)) {
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

/// Every token of Andes that has the form of a move is accepted exactly where it is a spelling of a legal move.
#[test]
fn exactly_the_legal_moves_are_accepted() {
    let changes = ["", "a", "b", "c", "d", "e", "f", "g", "A", "B", "C", "D", "E", "F", "G"];
    let scales = ["", "0", "1", "2", "3", "4", "5", "6"];
    let places = changes[1..].iter().flat_map(|mark| scales[1..].iter().map(move |scale| format!("{mark}{scale}")));
    let places: Vec<_> = places.collect();
    let destinations: Vec<_> =
        changes.iter().flat_map(|mark| scales.iter().map(move |scale| format!("{mark}{scale}"))).collect();
    for start in STARTS.iter().filter(|start| start.id() == "andes").step_by(13) {
        let legal = start.board().legal_moves();
        let expected: BTreeSet<_> =
            legal.iter().cloned().chain(legal.iter().filter_map(|token| andes_in_full(token))).collect();
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
        regex("[PGp]?[A-Fa][0-6]([x-][A-Fa][0-6])?"),
        regex("K?[a-g][1-7]-[a-g][1-7](x[a-g][1-7](/[a-h][1-8]){0,3})?[+-]{0,2}"),
        regex("(1?[0-9])?[a-j][1-7](-[a-j][1-7]|(\\^[a-j][1-7]){1,30})(\\*1?[0-9]-1?[0-9])?"),
        regex("[a-k0-8*^-]{0,12}"),
    ]
}

/// Texts of all kinds, and position strings with a few characters wrong.
fn position_like() -> impl Strategy<Value = String> {
    let regex = |text: &str| string_regex(text).expect("a good pattern");
    let wrong = (Start::any(), vec((any::<Index>(), regex("[0-9a-eA-EKTtPGg/ slnr+.;pcñ-]{0,2}")), 0..3));
    prop_oneof![
        regex("\\PC{0,40}"),
        regex("[+-][0-4]\\.[A-H][0-7];([+-][0-3]\\.[A-G][0-6];){0,3}"),
        regex("[a-dA-D1-7/]{0,20} [sl] [0-9]{1,11}-[0-9]{1,11} [0-9]-[0-9] [sl-]{1,2} [pc-]{1,2} [0-9]{1,11}"),
        regex(
            "([PGpg][PGpg1-4]{1,3}|5)(/([PGpg][PGpg1-4]{1,3}|5)){4} [ns] [0-5][0-3]-[0-5][0-3] (-|1?[0-9]) [0-9]{1,3}"
        ),
        regex("/?[KTt1-7/]{0,20}( [nr] [0-9]{1,11})?"),
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

/// The part of a record that its canonical form keeps, tokens aside if `spelled` is not set.
fn kept<'a>(record: &Record<'a>, spelled: bool) -> Record<'a> {
    let mut kept = Record { span: Span::default(), ..record.clone() };
    kept.tags.retain(|tag| !(tag.name == "Rules" && tag.value == write::BASE_RULES));
    kept.tags.sort_by(|a, b| a.name.cmp(&b.name));
    for tag in &mut kept.tags {
        tag.span = Span::default();
    }
    keep(&mut kept.movetext);
    // They stand in comments, which are compared.
    kept.odd_clocks.clear();
    if !spelled {
        kept.movetext.plies.iter_mut().for_each(|ply| ply.token = "".into());
    }
    let result = Outcome::parse(write::result_line(record));
    kept.result = result.map(|value| Spanned { value, span: Span::default() });
    kept
}

fn keep(line: &mut Movetext<'_>) {
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
fn each_record(form: Option<Format>, text: &[u8], mut each: impl FnMut(&Record<'_>)) -> usize {
    let mut count = 0;
    each_chunk_in(form, text, |chunk| {
        for record in chunk.records().flatten() {
            each(&record);
            count += 1;
        }
    });
    count
}

/// Writing what was read and reading it again changes nothing, and neither does judging while reading. Says how many records
/// there are.
fn check_stable(form: Option<Format>, text: &[u8]) -> usize {
    targets::judge(form, text);
    each_record(form, text, |record| {
        let record = &restored(record);
        check_form(record, canonical, false);
        check_form(record, write::as_written, true);
        for layout in OutputFormat::ALL {
            check_layout(record, layout);
        }
    })
}

/// The record with changed cells restored, where that can be done. Those that cannot are taken as they are from here on: only
/// a scoresheet has them.
fn restored<'a>(record: &Record<'a>) -> Record<'a> {
    let game = record.value("Game").and_then(games::find);
    let restored = game.map_or_else(|| record.clone(), |game| game.restored(record.clone()).0);
    Record { damaged: Vec::new(), ..restored }
}

/// One form of a record is stable; in it, tokens stand as they were if they are `spelled`.
fn check_form(record: &Record<'_>, form: impl Fn(&Record<'_>) -> String, spelled: bool) {
    let written = form(record);
    let count = each_record(Some(Format::Quipu), written.as_bytes(), |again| {
        assert_eq!(form(again), written);
        assert_eq!(kept(again, spelled), kept(record, spelled), "{written}");
        check_verdict(again, record, &written);
    });
    assert_eq!(count, 1, "{written}");
}

/// Checks that the verdict on a record does not depend on its format.
fn check_verdict(again: &Record<'_>, record: &Record<'_>, written: &str) {
    let (mut found, expected) = (verify::record(again), verify::record(record));
    // Places are others, and numbers and results are written where they were missing.
    found.diagnostics.clone_from(&expected.diagnostics);
    found.advice.clone_from(&expected.advice);
    assert_eq!(found, expected, "{written}");
}

/// Written in any form and read from there it is the same record, but for what is said to be left out.
fn check_layout(record: &Record<'_>, layout: OutputFormat) {
    let (written, omitted) = layout.write(record);
    let (mut expected, mut dropped) = (record.clone(), Omitted::default());
    if layout == OutputFormat::Csv {
        leave_out(&mut expected.movetext, &mut dropped);
    }
    assert_eq!(omitted, dropped, "{written}");
    let count = each_record(Some(layout.form()), written.as_bytes(), |again| {
        assert_eq!(write::as_written(again), write::as_written(&expected), "{written}");
        assert_eq!(layout.write(again).0, written);
        check_verdict(again, record, &written);
    });
    assert_eq!(count, 1, "{written}");
}

fn leave_out(line: &mut Movetext<'_>, dropped: &mut Omitted) {
    dropped.comments += line.comments.drain(..).len();
    for notes in line.plies.iter_mut().filter_map(|ply| ply.notes.take()) {
        dropped.comments += notes.comments.len();
        dropped.annotations += notes.nags.len();
        dropped.variations += notes.variations.len();
        for mut variation in notes.variations {
            leave_out(&mut variation, dropped);
        }
    }
}

fn parts(alphabet: &'static [&'static str], most: usize) -> impl Strategy<Value = String> + Clone {
    vec(select(alphabet), 0..most).prop_map(|parts| parts.concat())
}

/// White space of all kinds, with what is skipped.
fn gap() -> impl Strategy<Value = &'static str> + Clone {
    select(&[" ", " ", " ", "\n", "\r\n", "\t", " \u{b}\u{c} ", "\n% skipped { ( [\n", "\n\n"][..])
}

/// Anything that may stand beside a move: gaps, comments, clocks, annotations, numbers, variations.
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

/// Texts between double quotes as JSON has them.
fn json_texts() -> impl Strategy<Value = String> + Clone {
    let texts: &[&str] = &[
        "a",
        "",
        " b ",
        "}",
        "a\\nb",
        "a\\r\\n\\r\\nb\\r",
        "[%clk 0:00:05.250]",
        "x [%clk 0:00:01] }",
        "[%clk ",
        "[Event \\\"x\\\"]",
        "[Game \\\"x",
        "{ ( ; % $",
        "\\u00f1\\/",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\\\",
    ];
    vec(select(texts), 0..3).prop_map(|texts| match &texts[..] {
        [one] => format!("\"{one}\""),
        several => format!("[{}]", several.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",")),
    })
}

/// A move in JSON, with what may stand beside it.
fn json_move() -> impl Strategy<Value = String> {
    let token =
        || select(&["0d3", "2A3", "0a1x", "x;y", "\\u0030a1", "1.;x", "%", "#", "\\\\", "\u{feff}", ",\\\""][..]);
    let clock = select(&["null", "0", "5", "3599999999999999"][..]);
    let alone = token().prop_map(|token| format!("\"{token}\""));
    let beside = (token(), clock, json_texts(), vec(any::<u32>(), 0..3)).prop_map(|(token, clock, texts, nags)| {
        format!("{{\"clock_ms\":{clock},\"move\":\"{token}\",\"nags\":{nags:?},\n\"comment\":{texts}}}")
    });
    prop_oneof![alone, beside].prop_recursive(3, 16, 3, move |inner| {
        let variation = (json_texts(), vec(inner, 0..3))
            .prop_map(|(texts, moves)| format!("{{\"comments\":{texts},\"moves\":[{}]}}", moves.join(",\n")));
        (token(), vec(variation, 0..3)).prop_map(|(token, variations)| {
            format!("{{\"move\":\"{token}\",\"variations\":[{}]}}", variations.join(","))
        })
    })
}

/// A record in JSON that can be read.
fn json_record() -> impl Strategy<Value = String> {
    let fields: &[&str] = &[
        r#""game":"andes""#,
        r#""rules":"base""#,
        r#""first":"luna""#,
        r#""setup":"7\/7\/7\/3a3\/7\/7\/7 l 6-7 0-0 s p 1""#,
        r#""tags":{"Event":"\"a\", ; ","Ñ_7":" \\","Result":null,"Sol":null}"#,
        r#""result":"1-0""#,
    ];
    let fields = subsequence(fields.to_vec(), 0..=fields.len()).prop_shuffle();
    (fields, json_texts(), vec(json_move(), 0..8)).prop_map(|(fields, texts, moves)| {
        let fields: String = fields.into_iter().map(|field| format!("{field},\n ")).collect();
        format!("{{{fields}\"comments\":{texts},\n\"moves\":[\n{}]}}", moves.join(","))
    })
}

/// A scoresheet that can be read.
fn scoresheet() -> impl Strategy<Value = String> {
    let tags: &[&str] = &[
        "#Game: andes",
        "#Event:  a, b ",
        "\"#Sol: Quispe; \"\"Ana\"\",\"",
        "#Result: 1-0",
        "#First: luna",
        "# Setup : 7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1",
        "#Ñ_7:",
    ];
    let tags = subsequence(tags.to_vec(), 0..=tags.len());
    let header =
        select(&["n,sol,luna", "N,Luna,Luna_Clock,Sol,Sol_Clock", "sol, sol_clock,luna,,n", "n,\"luna\",sol"][..]);
    let token = select(&["0d3", "2A3", "\"0a1\"", " x ", "\"a\"\"b\"", "ñ", "%", "\u{feff}x", "0", "."][..]);
    // If each row is read from its second column, none can end with its first.
    let moves = vec([token.clone(), token], 0..5).prop_map(|pairs| pairs.concat());
    let first = select(&[None, Some("")][..]);
    let result = select(&[None, Some("1-0"), Some("*")][..]);
    let cells = (first, moves, result).prop_map(|(first, moves, result)| {
        first.into_iter().chain(moves).chain(result).map(str::to_owned).collect::<Vec<_>>()
    });
    let line_end = select(&["\n", "\r\n", "\n\n", ",,\r\n,,,\n"][..]);
    (tags, header, cells, line_end, any::<bool>()).prop_map(|(tags, header, cells, line_end, semicolons)| {
        let mut lines: Vec<_> = tags.into_iter().chain([header]).map(str::to_owned).collect();
        let mut cells = cells.into_iter().peekable();
        while cells.peek().is_some() {
            let mut clock = "";
            let row = header.split(',').map(|name| match name.trim().to_lowercase() {
                name if name == "n" => "7".to_owned(),
                name if name.is_empty() => name,
                name if name.ends_with("_clock") => clock.to_owned(),
                _ => {
                    let cell = cells.next().unwrap_or_default();
                    clock = if matches!(&*cell, "" | "1-0" | "*") { "" } else { " 0:11:50" };
                    cell
                }
            });
            lines.push(row.collect::<Vec<_>>().join(","));
        }
        let text = lines.join(line_end) + line_end;
        if semicolons { text.replace(',', ";") } else { text }
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
        let (positions, moves) = start.playout(&choices);
        // A name appears once; a rule set that the tags name may not be the one that the position is of.
        let own = start.tags().replace("[Rules ", if tags.contains("[Rules \"") { "[Other " } else { "[Rules " });
        let mut text = format!("{own}{tags}\n{opening}");
        for ((token, position), (_, respelled, beside)) in moves.into_iter().zip(positions).zip(plies) {
            let respelled = if respelled { start.respelled(&position, &token) } else { None };
            text.extend([" ", &*respelled.unwrap_or(token), " ", &beside]);
        }
        for (token, beside) in odd {
            text.extend([" ", &*token, " ", &beside]);
        }
        text.extend([" ", result]);
        prop_assert_eq!(check_stable(None, text.as_bytes()), 1, "{}", text);
    }

    #[test]
    fn any_bytes_can_be_read(nasty in vec(select(NASTY), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(None, &nasty.concat());
        check_stable(None, &noise);
        check_stable(None, &[&noise, &nasty.concat()[..]].concat());
    }

    #[test]
    fn objects_are_written_as_they_are_read(object in json_record()) {
        prop_assert_eq!(check_stable(Some(Format::Json), object.as_bytes()), 1, "{}", object);
        let array = format!("[{object},\n {object}]");
        prop_assert_eq!(check_stable(None, array.as_bytes()), 2, "{}", object);
    }

    #[test]
    fn scoresheets_are_written_as_they_are_read(sheet in scoresheet()) {
        prop_assert_eq!(check_stable(Some(Format::Csv), sheet.as_bytes()), 1, "{}", sheet);
    }

    #[test]
    fn any_bytes_can_be_read_in_json(nasty in vec(select(NASTY_JSON), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(Some(Format::Json), &nasty.concat());
        check_stable(Some(Format::Json), &noise);
        check_stable(Some(Format::Json), &[b"{", &nasty.join(&b","[..])[..], b"}"].concat());
    }

    #[test]
    fn any_bytes_can_be_read_in_scoresheets(nasty in vec(select(NASTY_CSV), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(Some(Format::Csv), &nasty.concat());
        check_stable(Some(Format::Csv), &noise);
        check_stable(Some(Format::Csv), &[b"#Game: andes\nn,sol,luna\n", &nasty.concat()[..]].concat());
    }

    #[test]
    fn fixtures_with_something_wrong_can_be_read(changes in vec((any::<Index>(), select(NASTY)), 1..20)) {
        let mut text = LOOSE.clone();
        for (at, part) in changes {
            let at = at.index(text.len());
            text.splice(at..=at, part.iter().copied());
        }
        check_stable(None, &text);
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
