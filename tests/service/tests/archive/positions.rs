//! The index of positions against a scan of all games, which knows nothing of keys and tables: it turns boards by their drawings
//! on paper, square by square, and reads every game from its text.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use quipu_archive::{
    model::{Number, Submission},
    store::{NextMove, PositionGames, PositionTotals, Store, StoreError, WriteTx},
};
use quipu_notation::{
    Side,
    games::GAMES,
    record::{Format, Outcome},
};
use quipu_referee::{Board, Status, games};
use quipu_tests_service::{
    engine::{number, spoil},
    files_only,
    generator::RandomGames,
};
use tempfile::tempdir;

use super::{
    generate::{by, open},
    maintenance::faults,
};

/// A game of the scan: its start, its moves and its outcome.
struct Scanned {
    number: Number,
    game: &'static str,
    rules: Option<String>,
    positions: Vec<String>,
    /// The least image of each position.
    classes: Vec<String>,
    moves: Vec<String>,
    outcome: Outcome,
}

/// Rows and other fields of a position without the counts of plies, as text.
fn likeness(game: &str, position: &str) -> (Vec<Vec<char>>, Vec<String>) {
    let mut fields = position.split(' ');
    let rows = fields.next().expect("rows").split('/').map(|row| {
        let mut squares = Vec::new();
        let mut run = 0;
        for letter in row.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = 10 * run + digit;
            } else {
                squares.extend(std::iter::repeat_n('.', run as usize));
                run = 0;
                squares.push(letter);
            }
        }
        squares.extend(std::iter::repeat_n('.', run as usize));
        squares
    });
    let rows = rows.collect();
    let mut rest: Vec<_> = fields.map(str::to_owned).collect();
    let ply = rest.pop().expect("a count of plies");
    match game {
        // OBJECTIVES; the first placing of all has squares of its own.
        "andes" => {
            rest.pop();
            rest.push((ply == "0").to_string());
        }
        "brandubh" => {}
        // IDLE, COUNTDOWN.
        _ => drop(rest.pop()),
    }
    (rows, rest)
}

fn mirrored(rows: &[Vec<char>]) -> Vec<Vec<char>> {
    rows.iter().map(|row| row.iter().rev().copied().collect()).collect()
}

fn flipped(rows: &[Vec<char>]) -> Vec<Vec<char>> {
    rows.iter().rev().cloned().collect()
}

fn transposed(rows: &[Vec<char>]) -> Vec<Vec<char>> {
    (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

/// The images of a position that the rules of its game make the same.
fn images(game: &str, position: &str) -> BTreeSet<(Vec<Vec<char>>, Vec<String>)> {
    let (rows, rest) = likeness(game, position);
    let mut all = vec![rows.clone(), mirrored(&rows)];
    // In the placing phase of Pastores each side has its rows.
    let is_placing = game == "pastores" && rest[1] != "00-00";
    if !is_placing {
        all = all.into_iter().flat_map(|rows| [flipped(&rows), rows]).collect();
    }
    if matches!(game, "andes" | "brandubh") {
        all = all.into_iter().flat_map(|rows| [transposed(&rows), rows]).collect();
    }
    all.into_iter().map(|rows| (rows, rest.clone())).collect()
}

/// The least image, which stands for all.
fn class(game: &str, position: &str) -> String {
    let (rows, rest) = images(game, position).into_iter().next().expect("an image");
    let rows: Vec<String> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
    format!("{} {}", rows.join("/"), rest.join(" "))
}

fn scanned(number: Number, text: &str) -> Scanned {
    let chunk = quipu_notation::record::Chunk::new(text.as_bytes());
    let record = chunk.records().next().expect("a record").expect("it can be read");
    let game = record.game().expect("a game").id;
    let rules = record.value("Rules").map(str::to_owned);
    let mut board = games::find(game).expect("a referee").start(&record).expect("a start");
    let mut positions = vec![board.position()];
    let mut moves = Vec::new();
    for ply in &record.movetext.plies {
        moves.push(board.play(&ply.token).expect("legal"));
        positions.push(board.position());
    }
    let outcome = Outcome::parse(record.value("Result").expect("a result")).expect("a result");
    let classes = positions.iter().map(|position| class(game, position)).collect();
    Scanned { number, game, rules, positions, classes, moves, outcome }
}

/// Expected results: the totals, with the next positions in place of the moves; and the games with their plies, the last
/// first.
type Expected = ([u64; 3], [u64; 3], BTreeMap<String, [u64; 3]>, Vec<(Number, u64)>);

fn scan(all: &[Scanned], Sought { game, rules, position }: &Sought) -> Expected {
    let sought = class(game, position);
    let (mut totals, mut ended, mut next, mut games) = ([0; 3], [0; 3], BTreeMap::new(), Vec::new());
    for one in all.iter().filter(|one| one.game == *game && one.rules == *rules) {
        let Some(ply) = one.classes.iter().position(|class| *class == sought) else { continue };
        let index = match one.outcome {
            Outcome::Win(Side::One) => 0,
            Outcome::Win(Side::Two) => 1,
            _ => 2,
        };
        totals[index] += 1;
        match one.classes.get(ply + 1) {
            None => ended[index] += 1,
            Some(after) => next.entry(after.clone()).or_insert([0; 3])[index] += 1,
        }
        games.push((one.number, ply as u64));
    }
    games.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    (totals, ended, next, games)
}

/// A position that is asked for.
#[derive(Debug)]
struct Sought {
    game: &'static str,
    rules: Option<String>,
    position: String,
}

impl Sought {
    fn board(&self) -> Box<dyn Board> {
        let game = games::find(self.game).expect("a game");
        game.board(self.rules.as_deref(), Some(&self.position)).expect("a position")
    }
}

fn games_of(store: &Store, board: &dyn Board, before: Option<Number>, limit: usize) -> PositionGames {
    store.read(|reading| reading.position_games(board, before, limit)).expect("games")
}

/// Compares the index with the scan at a position.
#[track_caller]
fn check(store: &Store, all: &[Scanned], sought: &Sought) {
    let board = sought.board();
    let (totals, ended, next, games) = scan(all, sought);
    let found = games_of(store, &*board, None, 0).totals;
    assert!(found.is_exact, "{sought:?}");
    assert_eq!((found.outcomes, found.ended), (totals, ended), "{sought:?}");
    // Different moves may lead to images of one position.
    let mut by_position = BTreeMap::new();
    let mut before: Option<&NextMove> = None;
    for one in &found.moves {
        let mut after = board.copied();
        after.play(&one.token).expect("the move is legal in the position that was asked for");
        let sum = by_position.entry(class(sought.game, &after.position())).or_insert([0; 3]);
        for (sum, games) in sum.iter_mut().zip(one.outcomes) {
            *sum += games;
        }
        let games = |one: &NextMove| one.outcomes.iter().sum::<u64>();
        assert!(games(one) > 0, "{sought:?} {}", one.token);
        assert!(before.is_none_or(|before| games(before) >= games(one)), "{sought:?}");
        before = Some(one);
    }
    assert_eq!(by_position, next, "{sought:?}");

    // Pages of every size are one list.
    for limit in [1, 7, 1_000] {
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let PositionGames { totals, page } = games_of(store, &*board, before, limit);
            assert_eq!(totals, found, "{sought:?} {limit}");
            assert!(page.items.len() <= limit);
            listed.extend(page.items.iter().map(|item| (item.card.number, item.ply)));
            before = page.next;
            if before.is_none() || limit == 1 && listed.len() > 3 {
                break;
            }
        }
        let expected = &games[..listed.len().max(games.len() * usize::from(limit > 1))];
        assert_eq!(listed, expected, "{sought:?} {limit}");
    }
}

/// Stores texts in transactions of different sizes, some of them with games that the writer has to replay; the numbers of the
/// records.
fn stored(store: &Store, texts: &[String], random: &mut Rng) -> Vec<Number> {
    let mut numbers = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let size = random.usize(1..=rest.len().min(400));
        let (now, later) = rest.split_at(size);
        numbers.extend(stored_at_once(store, now, random));
        rest = later;
    }
    numbers
}

/// Stores texts in one transaction, and returns the numbers of the records.
fn stored_at_once(store: &Store, texts: &[String], random: &mut Rng) -> Vec<Number> {
    // All games of a transaction are replayed before, none, or some.
    let share = random.choice([0, 1, 2]).expect("a share");
    let mut submission = |text: &String| {
        let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
        if random.u8(..2) < share { submission.replayed() } else { submission }
    };
    let submissions: Vec<_> = texts.iter().map(&mut submission).collect();
    for (submission, text) in submissions.iter().zip(texts) {
        assert_eq!(submission.verdict.status, Status::Verified, "{text}");
    }
    let added = store.write(move |writing: &WriteTx<'_>| {
        let add = |submission| writing.add(submission, &by("test"), false);
        submissions.iter().map(add).collect::<Result<Vec<_>, StoreError>>()
    });
    added.wait().expect("stored").into_iter().map(|added| added.number().expect("a number")).collect()
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
fn digest(store: &Store) -> [u8; 32] {
    store.read(|reading| reading.digest()).expect("a digest")
}

/// Positions to ask for: some of games of every kind, each in one of its images, and the starts.
fn sample(all: &[Scanned], random: &mut Rng) -> Vec<Sought> {
    let mut sample = Vec::new();
    let sought = |one: &Scanned, ply: usize| {
        let position = one.positions[ply].clone();
        Sought { game: one.game, rules: one.rules.clone(), position }
    };
    for game in GAMES {
        let of_game: Vec<_> = all.iter().filter(|one| one.game == game.id).collect();
        for _ in 0..12 {
            let one = of_game[random.usize(..of_game.len())];
            // Early positions are those that games share.
            let last = if random.bool() { one.positions.len().min(6) } else { one.positions.len() };
            // The last position string under Nielsen's rules does not tell that the king is captured.
            let last = if one.rules.as_deref() == Some("nielsen") { last.min(one.moves.len()) } else { last };
            sample.push(sought(one, random.usize(..last)));
        }
        sample.push(sought(of_game[0], 0));
    }
    sample
}

/// A position in another of its images, with the same counts.
fn turned(sought: Sought, random: &mut Rng) -> Sought {
    let Sought { game, position, .. } = &sought;
    let images: Vec<_> = images(game, position).into_iter().collect();
    let (rows, _) = &images[random.usize(..images.len())];
    let row = |row: &Vec<char>| {
        let mut text = String::new();
        let mut run = 0;
        for letter in row.iter().chain(&['/']) {
            if *letter == '.' {
                run += 1;
                continue;
            }
            if run > 0 {
                text.push_str(&run.to_string());
                run = 0;
            }
            text.push(*letter);
        }
        text.trim_end_matches('/').to_owned()
    };
    let rows = rows.iter().map(row).collect::<Vec<_>>().join("/");
    let (_, rest) = position.split_once(' ').expect("more fields");
    Sought { position: format!("{rows} {rest}"), ..sought }
}

#[test]
fn the_index_finds_what_a_scan_finds() {
    let mut random = Rng::with_seed(1532);
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let mut games = RandomGames::new(7);
    let mut texts: Vec<_> = (0..600).map(|_| games.record()).collect();
    // More than a thousand games of the first four segments have the first positions of Pastores.
    texts.extend((0..1_500).map(|_| games.record_of(1)));
    let numbers = stored(&store, &texts, &mut random);
    let mut all: Vec<_> = numbers.iter().zip(&texts).map(|(number, text)| scanned(*number, text)).collect();
    for sought in sample(&all, &mut random) {
        check(&store, &all, &turned(sought, &mut random));
    }
    assert!(number(folder.path(), "SELECT count(*) FROM position_total") > 0, "some positions are common");
    assert!(number(folder.path(), "SELECT count(*) FROM position_block") > 0, "some segments are whole");

    // Games that cease to count are not found, whether their positions are common or not.
    let mut retracted = BTreeSet::new();
    for _ in 0..60 {
        retracted.insert(random.usize(..all.len()));
    }
    let ids: Vec<_> = retracted
        .iter()
        .map(|&index| Submission::again(texts[index].as_bytes(), Format::Quipu).expect("a record").id)
        .collect();
    let done = store.write(move |writing: &WriteTx<'_>| {
        ids.iter().map(|id| writing.retract(id, &by("test"))).collect::<Result<Vec<_>, _>>()
    });
    let changes = done.wait().expect("retracted");
    let gone: BTreeSet<_> = retracted.iter().map(|&index| all[index].number).collect();
    let (kept, lost): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| !gone.contains(&one.number));
    for sought in sample(&kept, &mut random) {
        check(&store, &kept, &sought);
    }
    // An undone retraction brings a game back.
    let undone: Vec<_> = changes.into_iter().step_by(2).collect();
    let undo = undone.clone();
    let undo = store.write(move |writing: &WriteTx<'_>| {
        undo.iter().map(|change| writing.undo(*change, &by("test"))).collect::<Result<Vec<_>, _>>()
    });
    undo.wait().expect("undone");
    all = kept;
    all.extend(lost.into_iter().enumerate().filter(|(index, _)| index % 2 == 0).map(|(_, one)| one));
    for sought in sample(&all, &mut random) {
        check(&store, &all, &turned(sought, &mut random));
    }

    // A rebuilt index is the same byte by byte, and so is one that was made in one go.
    let before = digest(&store);
    let rebuilt = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!((rebuilt.before, rebuilt.after), (Some(before), before));
    assert_eq!(faults(&store), []);
}

#[test]
fn positions_that_no_game_reached_have_no_games() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    for game in games::ALL {
        let board = game.board(None, None).ok().or_else(|| game.deal(None, 9, None).ok().flatten()).expect("a start");
        let PositionGames { totals, page } = games_of(&store, &*board, None, 10);
        assert_eq!(totals, PositionTotals { is_exact: true, ..PositionTotals::default() });
        assert!(page.items.is_empty() && page.next.is_none());
    }
}

/// Bytes of index for a ply, with everything that the engine needs besides.
#[test]
fn the_index_takes_at_most_eight_bytes_a_ply() {
    files_only!("the size of a table on a server is asked for differently");
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let mut games = RandomGames::new(11);
    let texts: Vec<_> = (0..3_000).map(|_| games.record()).collect();
    let numbers = stored(&store, &texts, &mut Rng::with_seed(3));
    let plies: usize = numbers.iter().zip(&texts).map(|(number, text)| scanned(*number, text).moves.len()).sum();
    store.close().expect("closed");
    let bytes = number(folder.path(), "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%position_%'");
    let plies = i64::try_from(plies).expect("few");
    println!("{bytes} bytes for {plies} plies");
    assert!(bytes <= 8 * plies, "{bytes} bytes for {plies} plies");
}

/// A query leaves out games after some 260 000 plies: it says so, and the pages go on.
#[test]
fn long_games_are_counted_up_to_the_limit() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let moves: String = (1..=15_000)
        .map(|number| match number % 2 {
            1 => format!("{number}. d3-c3 d2-c2\n"),
            _ => format!("{number}. c3-d3 c2-d2\n"),
        })
        .collect();
    let text = |round: usize| {
        format!(
            "[Game \"brandubh\"]\n[Event \"Largo\"]\n[Round \"{round}\"]\n[Negros \"Paz, Eva\"]\n[Rojos \"Roca, Luz\"]\n\
             [Result \"1-0\"]\n[Termination \"resignation\"]\n\n{moves}1-0\n"
        )
    };
    let texts: Vec<_> = (1..=11).map(text).collect();
    let board = games::find("brandubh").and_then(|game| game.board(None, None).ok()).expect("a board");
    let (few, others) = texts.split_at(5);
    let mut numbers = Vec::new();
    // Nine games have 270 000 plies.
    for (texts, counted, is_exact) in [(few, 5, true), (others, 9, false)] {
        numbers.extend(stored(&store, texts, &mut Rng::with_seed(1)));
        let found = games_of(&store, &*board, None, 100).totals;
        assert_eq!((found.outcomes, found.is_exact), ([counted, 0, 0], is_exact));
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let page = games_of(&store, &*board, before, 2).page;
            listed.extend(page.items.iter().map(|item| item.card.number));
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        listed.reverse();
        assert_eq!(listed, numbers);
    }
}

#[test]
fn a_check_finds_a_damaged_index() {
    for (sql, table) in [
        ("UPDATE position_block SET entries = substr(entries, 2) WHERE level = 0 AND prefix = 1", "position_block"),
        ("DELETE FROM position_block WHERE level = 0 AND prefix = 2", "position_block"),
        ("DELETE FROM position_tail WHERE number = (SELECT max(number) FROM position_tail)", "position_tail"),
        ("UPDATE position_total SET one = one + 1 WHERE move = ''", "position_total"),
        ("UPDATE position_extent SET last = last - 1", "position_extent"),
    ] {
        let folder = tempdir().expect("a folder");
        let store = open(folder.path());
        let mut games = RandomGames::new(5);
        let texts: Vec<_> = match table {
            // Positions that one to two thousand games have are counted with every second segment.
            "position_total" => (0..2_060).map(|_| games.record_of(1)).collect(),
            _ => (0..560).map(|_| games.record()).collect(),
        };
        stored(&store, &texts, &mut Rng::with_seed(1));
        assert_eq!(faults(&store), []);
        store.close().expect("closed");
        spoil(folder.path(), sql);
        let mut store = open(folder.path());
        let found = faults(&store);
        let names = |fault: &quipu_archive::store::ArchiveFault| matches!(fault, quipu_archive::store::ArchiveFault::Derived { table: found, .. } if *found == table);
        assert!(found.len() == 1 && names(&found[0]), "{sql}: {found:?}");
        if table == "position_extent" {
            // A game that is entered again is no reason to refuse others, in the tail and in a block.
            let more: Vec<_> = (0..520).map(|_| games.record()).collect();
            let (first, last) = more.split_at(10);
            stored_at_once(&store, first, &mut Rng::with_seed(2));
            store.close().expect("closed");
            spoil(folder.path(), sql);
            store = open(folder.path());
            stored_at_once(&store, last, &mut Rng::with_seed(2));
        }
        store.rebuild(|_| ()).expect("rebuilt");
        assert_eq!(faults(&store), [], "{sql}");
    }
}
