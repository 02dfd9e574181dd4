//! Looks for positions of Querni in which one piece can jump along very many paths: `find_hard_positions SEED...`.
//!
//! From the start that each seed deals it climbs: it takes one piece after the other to the square where the most paths of
//! one piece are more than before, until none helps anywhere. Prints rows of `fixtures/querni/hard.tsv`.

use quipu_notation::games::querni::{Number, Setup, Square};
use quipu_referee::{
    Game, Position as _,
    games::querni::{Position, Querni},
};

fn main() {
    for word in std::env::args().skip(1) {
        let seed = word.parse().expect("a number");
        let start = Querni::deal((), seed, None).expect("Querni is dealt");
        let best = climb(start.setup());
        let position = Position::from_setup(&best).expect("a good position");
        let (paths, from) = most_paths(&position);
        let mut longest = String::new();
        position.each_move(|mv| {
            let mut token = String::new();
            position.write_move(mv, &mut token).expect("a String takes everything");
            if token.len() > longest.len() {
                longest = token;
            }
        });
        println!("base\t{best}\t{from}\t{paths}\t{}\t{longest}", position.count_moves());
    }
}

/// The most paths that one piece can jump along, and where it stands. Only rows 1, 3, 5 and 7 are looked at: from there a
/// piece can land on squares of four rows, from the others on squares of three.
fn most_paths(position: &Position) -> (u64, Square) {
    let mut paths = [(0, Square::at(0, 0)); Number::COUNT];
    position.each_move(|mv| {
        if let (Some(motion), None) = (mv.motion, mv.removal)
            && motion.from.coordinates().1 % 2 == 0
        {
            let (count, from) = &mut paths[motion.number.index()];
            *count += u64::from(!motion.is_step());
            *from = motion.from;
        }
    });
    paths.into_iter().max().expect("there are numbers")
}

fn climb(mut best: Setup) -> Setup {
    let count = |setup: &Setup| most_paths(&Position::from_setup(setup).expect("a good position")).0;
    let mut most = count(&best);
    loop {
        let before = most;
        for from in Square::all() {
            if best.diagram.get(from).is_none() {
                continue;
            }
            let current = best;
            for to in Square::all().filter(|&to| current.diagram.get(to).is_none()) {
                let mut moved = current;
                moved.diagram.cells.swap(from.index(), to.index());
                let paths = count(&moved);
                if paths > most {
                    (best, most) = (moved, paths);
                }
            }
        }
        if most == before {
            return best;
        }
    }
}
