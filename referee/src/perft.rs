//! Perft: how many sequences of lawful plies a position has. The measure of a move generator, and its proof.

use std::{
    num::NonZero,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::Position;

/// The number of sequences of exactly `depth` lawful plies; a game that is over has none.
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
    position.each_move(|mv| {
        let mut next = *position;
        next.play(mv);
        nodes += perft(&next, depth - 1);
    });
    nodes
}

/// The same for each first move, counted by several threads.
pub(crate) fn divide<P: Position>(position: &P, depth: u32, threads: NonZero<usize>) -> Vec<(P::Move, u64)> {
    if depth == 0 || position.end().is_some() {
        return Vec::new();
    }
    let mut moves = Vec::new();
    position.each_move(|mv| moves.push(mv));
    let next = AtomicUsize::new(0);
    let counts: Vec<_> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(moves.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&mv) = moves.get(index) else { break };
                    let mut after = *position;
                    after.play(mv);
                    counts[index].store(perft(&after, depth - 1), Ordering::Relaxed);
                }
            });
        }
    });
    moves.into_iter().zip(counts.into_iter().map(AtomicU64::into_inner)).collect()
}
