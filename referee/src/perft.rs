//! Perft: the number of sequences of legal plies from a position, the usual test and benchmark of a move generator.

use std::{
    num::NonZero,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::Position;

/// The number of sequences of exactly `depth` legal plies; none when the game is over.
pub(crate) fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.end().is_some() {
        return 0;
    }
    if depth == 1 {
        return position.count_moves();
    }
    let mut nodes = 0;
    position.each_move(|mv| nodes += perft(&played(position, mv), depth - 1));
    nodes
}

/// The same for each first move, counted by several threads.
///
/// First moves can be few and unequal, so threads share second moves, if the rest is deep enough. Every thread iterates
/// over all second moves, which is cheap and needs no list, and counts those it has drawn.
pub(crate) fn divide<P: Position>(position: &P, depth: u32, threads: NonZero<usize>) -> Vec<(P::Move, u64)> {
    if depth == 0 || position.end().is_some() {
        return Vec::new();
    }
    let mut moves = Vec::new();
    position.each_move(|mv| moves.push(mv));
    let next = AtomicUsize::new(0);
    let counts: Vec<_> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let work = || {
        let draw = || next.fetch_add(1, Ordering::Relaxed);
        let (mut passed, mut drawn) = (0, draw());
        let mut is_mine = || {
            let mine = passed == drawn;
            if mine {
                drawn = draw();
            }
            passed += 1;
            mine
        };
        for (&mv, count) in moves.iter().zip(&counts) {
            let after = played(position, mv);
            let add = |nodes| count.fetch_add(nodes, Ordering::Relaxed);
            if depth < WORTH_SHARING || after.end().is_some() {
                if is_mine() {
                    add(perft(&after, depth - 1));
                }
            } else {
                after.each_move(|reply| {
                    if is_mine() {
                        add(perft(&played(&after, reply), depth - 2));
                    }
                });
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(moves.len().max(MANY)) {
            scope.spawn(work);
        }
    });
    moves.into_iter().zip(counts.into_iter().map(AtomicU64::into_inner)).collect()
}

/// The most threads where there are fewer first moves.
const MANY: usize = 64;

/// The depth from which threads share second moves: below it, iterating takes as long as counting.
const WORTH_SHARING: u32 = 4;

/// The position after a move.
fn played<P: Position>(position: &P, mv: P::Move) -> P {
    let mut after = *position;
    after.play(mv);
    after
}
