//! Verifying a ply asks for no memory.
//!
//! The allocator that counts serves the whole program, so this file holds one test and nothing beside it.

use std::fmt::Write;

use quipu_notation::record::Chunk;
use quipu_referee::{
    Status, Verdict, games,
    verify::{self, Ids},
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A game, and its possible lengths.
struct Walk {
    game: &'static str,
    /// Tags besides the game.
    tags: &'static str,
    /// The first pairs of plies.
    opening: &'static [&'static str],
    /// Moves of both sides after the opening, to and fro.
    to_and_fro: [[&'static str; 2]; 2],
    /// Lengths of games, each with as many digits, so that the position strings are of one length.
    plies: [usize; 3],
}

/// Lengths, if nothing ends a game that goes to and fro.
const LONG: [usize; 3] = [200, 400, 800];

/// One a game.
const WALKS: [Walk; 5] = [
    Walk {
        game: "andes",
        tags: "",
        opening: &["0a1 0A1"],
        to_and_fro: [["0a12", "0A12"], ["0a21", "0A21"]],
        plies: LONG,
    },
    Walk {
        game: "pastores",
        tags: "",
        opening: &["PA1 PE1", "PA2 PE2", "PA3 PE3", "PA4 PE4", "PA5 PE5", "GB2 GD2", "GB3 GD3", "GB4 GD4"],
        to_and_fro: [["A1-B1", "E1-D1"], ["B1-A1", "D1-E1"]],
        plies: LONG,
    },
    // Thirty plies without a removal would be the end.
    Walk {
        game: "querni",
        tags: "[Setup \"10/1NbHkfOcB1/1eIanKGCg1/10/1JoADEiFL1/1pmMhldjP1/10 a 0 0\"]\n",
        opening: &[],
        to_and_fro: [["b6^b4", "b2-b1"], ["b4^b6", "b1-b2"]],
        plies: [12, 20, 28],
    },
    Walk {
        game: "brandubh",
        tags: "",
        opening: &["d3-c3 d7-c7"],
        to_and_fro: [["c3-c2", "c7-b7"], ["c2-c3", "b7-c7"]],
        plies: LONG,
    },
    Walk {
        game: "brandubh",
        tags: "[Rules \"nielsen\"]\n",
        opening: &["d7-c7 d3-c3"],
        to_and_fro: [["c7-b7", "c3-c2"], ["b7-c7", "c2-c3"]],
        plies: LONG,
    },
];

impl Walk {
    /// A legal game of so many plies, numbered and clocked.
    fn record(&self, plies: usize) -> String {
        let mut text = format!("[Game \"{}\"]\n[Event \"a long walk\"]\n{}\n", self.game, self.tags);
        for pair in 0..plies / 2 {
            let number = pair + 1;
            let [one, two] = self.to_and_fro[(pair + self.opening.len()) % 2];
            let written = match self.opening.get(pair) {
                Some(pair) => writeln!(text, "{number}. {pair}"),
                None => writeln!(text, "{number}. {one} {{[%clk 0:11:00.500]}} {two} {{[%clk 0:10:00]}}"),
            };
            written.expect("a String takes everything");
        }
        text + "*\n"
    }
}

/// The blocks of memory asked for while a record is verified: the least of some counts, since the harness around this
/// test may ask for memory meanwhile.
fn blocks(plies: u64, verify: impl Fn() -> Verdict) -> Option<u64> {
    let counts = (0..5).map(|_| {
        let before = dhat::HeapStats::get().total_blocks;
        let verdict = verify();
        let after = dhat::HeapStats::get().total_blocks;
        assert_eq!((verdict.status, verdict.plies, verdict.diagnostics), (Status::Incomplete, Some(plies), Vec::new()));
        after - before
    });
    counts.min()
}

#[test]
fn verifying_a_ply_allocates_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let every: Vec<_> = games::ALL.iter().map(|game| game.notation().id).collect();
    let mut walked = WALKS.map(|walk| walk.game).to_vec();
    walked.dedup();
    assert_eq!(walked, every, "each game is walked, in the order of the table");
    for walk in WALKS {
        let texts = walk.plies.map(|plies| (plies, walk.record(plies)));
        let counts = texts.each_ref().map(|(plies, text)| {
            let chunk = Chunk::new(text.as_bytes());
            let record = chunk.records().next().expect("a record").expect("it can be read");
            let of_record = blocks(*plies as u64, || verify::record(&record));
            let while_reading = |ids| {
                blocks(*plies as u64, || {
                    let (_, judged) = verify::chunks([chunk], ids).next().expect("a record");
                    judged.verdict
                })
            };
            ([of_record, while_reading(Ids::Skipped)], while_reading(Ids::Computed))
        });
        let [shortest, .., longest] = counts;
        assert_eq!(counts.map(|(without_ids, _)| without_ids), [shortest.0; 3], "{}", walk.game);
        // The text from which the id is computed has one buffer, which may grow once.
        assert!(longest.1 <= shortest.1.map(|blocks| blocks + 1), "{}: {counts:?}", walk.game);
    }
}
