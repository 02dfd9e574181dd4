//! Legal moves that may have been meant by a refused token, the likeliest first.
//!
//! The likelihood of a move follows from three things: what its slip costs ([`crate::slips`]), how far the moves written after
//! it can be played, and what the record then claims against the board. They add up to one score.

use quipu_notation::record::Ply;

use crate::{
    Position,
    slips::{Cost, LIMIT, Miswriting, SlipKind, Written},
};

/// Suggested moves, at most.
const MAX_SUGGESTIONS: usize = 5;

/// Candidates whose games are played on, the cheapest ones.
const CANDIDATES: usize = 256;

/// Plies that all candidates together are played on, so that no record takes much longer than to verify it.
const PLIES: usize = 8_000;

/// Plies that a candidate is played on before it is the turn of the next one.
const ROUND: usize = 16;

/// Cost beyond that of the likeliest candidate from which on a candidate is left out.
const WINDOW: Cost = 45;

/// Cost of a game that cannot be played on to its end: there must be another slip.
const STOPS: Cost = 20;

/// Cost of plies at its end that cannot be played: one for so many, and at most [`STOPS`].
const UNPLAYED: usize = 4;

/// Cost of a claim of the record, such as its result, that the board contradicts.
const CONTRADICTION: Cost = 15;

/// A move that may have been meant, and what its game came to so far.
struct Candidate<P> {
    token: String,
    cost: Cost,
    position: P,
    played: usize,
    is_stopped: bool,
}

/// Moves that may have been meant by `token`, which was refused in `position`; `rest` is written after it. `contradictions`
/// counts the claims of the record that do not fit a position at its end.
pub(crate) fn suggestions<P: Position>(
    position: &P,
    token: &str,
    rest: &[Ply<'_>],
    contradictions: impl Fn(&P) -> u32,
) -> Vec<String> {
    if position.end().is_some() {
        return Vec::new();
    }
    let written = Written::new(token);
    let mut candidates = candidates(position, |each| position.each_near(&written, LIMIT, each));
    let is_near = !candidates.is_empty() && !written.is_unreadable();
    if candidates.is_empty() {
        let other = Miswriting::of(SlipKind::Other);
        candidates = self::candidates(position, |each| position.each_outcome(|mv| each(mv, other)));
    }
    play_on(&mut candidates, rest);
    let scored = candidates.into_iter().map(|candidate| {
        let score = match rest.len() - candidate.played {
            0 => candidate.cost + CONTRADICTION * contradictions(&candidate.position),
            left => candidate.cost + STOPS + STOPS.min(Cost::try_from(left / UNPLAYED).unwrap_or(STOPS)),
        };
        (score, candidate.token)
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_unstable();
    let Some(best) = scored.first().map(|(score, _)| *score) else { return Vec::new() };
    // Nothing speaks for any of so many that nothing distinguishes.
    if !is_near && scored.get(MAX_SUGGESTIONS).is_some_and(|(score, _)| *score == best) {
        return Vec::new();
    }
    scored
        .into_iter()
        .take(MAX_SUGGESTIONS)
        .take_while(|(score, _)| *score <= best + WINDOW)
        .map(|(_, token)| token)
        .collect()
}

/// The cheapest moves that `find` comes to, each once, in the order of cost and token.
fn candidates<P: Position>(position: &P, find: impl FnOnce(&mut dyn FnMut(P::Move, Miswriting))) -> Vec<Candidate<P>> {
    let mut found = Vec::new();
    find(&mut |mv, miswriting: Miswriting| {
        let mut token = String::new();
        let written = position.write_move(mv, &mut token);
        debug_assert!(written.is_ok(), "a String takes everything");
        found.push((miswriting.cost, token, mv));
    });
    found.sort_unstable_by(|(cost, token, _), (other, another, _)| (token, cost).cmp(&(another, other)));
    found.dedup_by(|(_, token, _), (_, known, _)| token == known);
    found.sort_by_key(|(cost, _, _)| *cost);
    let cheapest = found.first().map_or(0, |(cost, _, _)| *cost);
    let near = found.into_iter().take(CANDIDATES).take_while(|(cost, _, _)| *cost <= cheapest + WINDOW);
    let candidate = |(cost, token, mv)| {
        let mut position = *position;
        position.play(mv);
        Candidate { token, cost, position, played: 0, is_stopped: false }
    };
    near.map(candidate).collect()
}

/// Plays the written moves on after each candidate, as far as they are legal, in rounds.
fn play_on<P: Position>(candidates: &mut [Candidate<P>], rest: &[Ply<'_>]) {
    let mut left = PLIES;
    loop {
        let before = left;
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.is_stopped) {
            for ply in rest[candidate.played..].iter().take(ROUND.min(left)) {
                left -= 1;
                let is_over = candidate.position.end().is_some();
                let Some(mv) = candidate.position.resolve(&ply.token).ok().filter(|_| !is_over) else {
                    candidate.is_stopped = true;
                    break;
                };
                candidate.position.play(mv);
                candidate.played += 1;
            }
        }
        if left == before {
            return;
        }
    }
}
