//! Measures the index of positions: `bench_positions [postgres] [GAMES]`.
//!
//! An archive gets GAMES random games, 100 000 unless said, which share their first moves as those of players do. Then positions of
//! these games are asked for in a random order, each with its totals and a page of its games: a tenth of them start positions, four
//! tenths from the first eight plies, and the others from any ply. It prints what `docs/performance.md` reports.

use std::{
    env,
    path::Path,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_archive::{
    model::{Attribution, Submission},
    store::{Address, PositionGames, Store, StoreError, WriteTx},
};
use quipu_notation::record::{Chunk, Format};
use quipu_referee::{Board, games};
use quipu_tests_service::{generator::RandomGames, postgres::Postgres};
use rusqlite::Connection;

/// Games of a transaction, as the import has them.
const GROUP: usize = 1_000;
/// Positions that are asked for.
const QUERIES: usize = 5_000;
/// Games of a page.
const PAGE: usize = 50;
/// Plies of an opening.
const OPENING: usize = 8;

/// Tables of the index.
const TABLES: [&str; 5] = ["position_extent", "position_tail", "position_block", "position_crowd", "position_total"];

fn main() {
    let mut arguments = env::args().skip(1).peekable();
    let server = arguments.next_if(|word| word == "postgres").map(|_| Postgres::start());
    let count: usize = arguments.next().map_or(100_000, |word| word.parse().expect("a number of games"));
    let folder = tempfile::tempdir().expect("a folder");
    let store = match &server {
        Some(server) => {
            let address = Address::parse(&server.address()).expect("an address");
            Store::open_on_server(&address, folder.path())
        }
        None => Store::open(folder.path()),
    };
    let store = store.expect("an archive");
    let (mut generator, mut random) = (RandomGames::new(1532), Rng::with_seed(7));
    let (mut asked, mut plies, mut writing) = (Vec::new(), 0, Duration::ZERO);
    let mut slowest = Duration::ZERO;
    for _ in 0..count.div_ceil(GROUP) {
        let texts: Vec<_> = (0..GROUP).map(|_| generator.record()).collect();
        let submissions: Vec<_> = texts.iter().map(|text| submission(text)).collect();
        plies += submissions.iter().filter_map(|submission| submission.verdict.plies).sum::<u64>();
        // As many of each group, for positions of all of them.
        for _ in 0..(QUERIES * GROUP).div_ceil(count) {
            asked.push(position(&texts[random.usize(..GROUP)], &mut random));
        }
        let begun = Instant::now();
        add(&store, submissions);
        writing += begun.elapsed();
        slowest = slowest.max(begun.elapsed());
    }
    random.shuffle(&mut asked);
    asked.truncate(QUERIES);
    println!(
        "{count} games with {plies} plies: {:.1} s to store them, {:.0} ms the slowest thousand.",
        writing.as_secs_f64(),
        ms(slowest)
    );
    let mut times: Vec<_> = asked.iter().map(|board| query(&store, &**board)).collect();
    times.sort_unstable();
    let [median, p99] = [times[times.len() / 2], times[times.len() * 99 / 100]];
    let most = times.last().copied().unwrap_or_default();
    println!("A query: {:.2} ms median, {:.2} ms p99, {:.2} ms at most.", ms(median), ms(p99), ms(most));
    store.close().expect("closed");
    let bytes = match &server {
        Some(server) => {
            // Deleted rows take room until the server cleans up, which it does by itself from time to time.
            for table in TABLES {
                server.sql(&format!("VACUUM FULL {table}"));
            }
            let sizes = TABLES.map(|table| format!("pg_total_relation_size('{table}')")).join(" + ");
            server.query(&format!("SELECT {sizes}")).parse().expect("a number of bytes")
        }
        None => size(folder.path()),
    };
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let per_ply = bytes as f64 / plies as f64;
    println!("The index: {} MiB, {per_ply:.2} bytes a ply.", bytes / (1 << 20));
}

fn submission(text: &str) -> Submission {
    Submission::again(text.as_bytes(), Format::Quipu).expect("a record").replayed()
}

fn add(store: &Store, submissions: Vec<Submission>) {
    let by = Attribution { submitter: "bench".to_owned(), author: None, reason: None };
    let add = move |writing: &WriteTx<'_>| {
        submissions.iter().try_for_each(|submission| writing.add(submission, &by, false).map(drop))
    };
    store.write(add).wait().unwrap_or_else(|error: StoreError| panic!("{error:?}"));
}

/// A position of a game.
fn position(text: &str, random: &mut Rng) -> Box<dyn Board> {
    let chunk = Chunk::new(text.as_bytes());
    let record = chunk.records().next().expect("a record").expect("it can be read");
    let game = record.game().and_then(|game| games::find(game.id)).expect("a game");
    let mut board = game.start(&record).expect("a start");
    let plies = record.movetext.plies.len();
    let ply = match random.usize(..10) {
        0 => 0,
        1..5 => random.usize(..=plies.min(OPENING)),
        _ => random.usize(..=plies),
    };
    for ply in &record.movetext.plies[..ply] {
        board.play(&ply.token).expect("legal");
    }
    board
}

fn query(store: &Store, board: &dyn Board) -> Duration {
    let begun = Instant::now();
    let found = store.read(|reading| reading.position_games(board, None, PAGE));
    let PositionGames { totals, page } = found.expect("it answers");
    let taken = begun.elapsed();
    assert!(totals.outcomes.iter().sum::<u64>() >= page.items.len() as u64 && !page.items.is_empty());
    taken
}

/// Bytes of the pages of the index in a file.
fn size(folder: &Path) -> u64 {
    let file = Connection::open(folder.join("quipu.db")).expect("a file");
    let sum = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%position_%'";
    let bytes: i64 = file.query_row(sum, [], |row| row.get(0)).expect("a number");
    u64::try_from(bytes).expect("a size")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
