//! Games and positions at random on the boards of both referees, side by side.

use std::num::NonZero;

use fastrand::Rng;
use quipu_referee::Board;
use quipu_reference as reference;

use crate::{
    Difference, Kind, Tally, compare,
    random_records::{Draft, Turn, break_draft, break_text, freely, truthful, write_down},
    random_tokens::{any, garble, one_in, position, random_token, start},
};

/// Moves that are listed, at most. Querni has positions with millions of them, and the second referee has a map for a
/// board; such a position is played from, and each of its moves that is tried is judged, but it is not listed.
const LISTED: usize = 1_500;

/// Plays one game and has both referees read it in many ways.
///
/// # Errors
/// The first difference.
pub fn game(kind: Kind, random: &mut Rng, tally: &mut Tally) -> Result<(), Difference> {
    let draft = play(kind, random, tally)?;
    judge(&truthful(&draft).into_bytes(), tally)?;
    for _ in 0..8 {
        let mut draft = draft.clone();
        for _ in 0..random.usize(0..3) {
            break_draft(kind, &mut draft, random);
        }
        let mut text = freely(&draft, random).into_bytes();
        if one_in(random, 8) {
            let other = freely(&draft, random);
            text.extend_from_slice(other.as_bytes());
        }
        if one_in(random, 3) {
            break_text(&mut text, random);
        }
        judge(&text, tally)?;
    }
    Ok(())
}

fn judge(text: &[u8], tally: &mut Tally) -> Result<(), Difference> {
    compare(text, tally).map_or(Ok(()), |what| Err(Difference { text: text.to_vec(), what }))
}

/// Reads position strings at random, good ones and broken ones, and plays a little from the good ones.
///
/// # Errors
/// The first difference between the referees.
pub fn positions(kind: Kind, random: &mut Rng, tally: &mut Tally) -> Result<(), Difference> {
    let mut text = position(kind, random);
    for _ in 0..4 {
        tally.positions += 1;
        let at = |what: String| Difference { text: text.clone().into_bytes(), what: format!("{kind:?}: {what}") };
        match (kind.board(&text), kind.second(&text)) {
            (None, None) => {}
            (Some(board), Some(second)) => {
                let mut sides = Sides { kind, start: text.clone(), tokens: Vec::new(), board, second };
                for _ in 0..random.usize(1..8) {
                    if sides.compare(true, tally)? {
                        break;
                    }
                    sides.refuse(random, tally)?;
                    sides.move_on(random, tally)?;
                }
            }
            (Some(_), None) => return Err(at("quipu reads this position and the second referee does not".to_owned())),
            (None, Some(_)) => return Err(at("the second referee reads this position and quipu does not".to_owned())),
        }
        let mut broken: Vec<char> = text.chars().collect();
        garble(&mut broken, "12345670 /-nsarlPpGgTtKABcd", random);
        text = broken.into_iter().collect();
    }
    Ok(())
}

/// A game on the boards of both referees.
pub(crate) struct Sides {
    kind: Kind,
    start: String,
    pub(crate) tokens: Vec<String>,
    board: Box<dyn Board>,
    pub(crate) second: Box<dyn reference::Position>,
}

impl Sides {
    /// Compares what stands there, and now and then what can be played. Says whether the game is over.
    fn compare(&self, list: bool, tally: &mut Tally) -> Result<bool, Difference> {
        let (one, other) = (self.board.position(), self.second.text());
        if one != other {
            return Err(self.apart(None, &format!("positions {one} and {other}")));
        }
        let points = self.board.points().map(|points| points.counted().map(u64::from));
        if points != self.second.points() {
            return Err(self.apart(None, &format!("points {points:?} and {:?}", self.second.points())));
        }
        let one = self.board.end().map(|end| (end.termination.name, end.outcome.as_str()));
        let result = |winner: Option<usize>| winner.map_or("1/2-1/2", |winner| ["1-0", "0-1"][winner]);
        let other = self.second.end().map(|end| (end.name, result(end.winner)));
        if one != other {
            return Err(self.apart(None, &format!("ends {one:?} and {other:?}")));
        }
        if list {
            let mut other = if other.is_some() { Vec::new() } else { self.second.moves(LISTED) };
            let few = other.len() < LISTED && self.board.perft(1, NonZero::<usize>::MIN) <= LISTED as u64;
            if few {
                tally.listed += 1;
                let one = self.board.legal_moves();
                other.sort_unstable();
                if one != other {
                    let differs = one.iter().find(|token| !other.contains(token));
                    let differs = differs.or_else(|| other.iter().find(|token| !one.contains(token)));
                    return Err(self.apart(differs.map(String::as_str), &format!("moves {one:?} and {other:?}")));
                }
            }
        }
        Ok(one.is_some())
    }

    /// Has both refuse a token that is none, or accept it.
    fn refuse(&self, random: &mut Rng, tally: &mut Tally) -> Result<(), Difference> {
        for _ in 0..2 {
            let token = random_token(self.kind, random);
            let one = self.board.copied().play(&token).map_err(|message| message.code.id);
            let other = self.second.again().play(&token);
            if one != other {
                return Err(self.apart(Some(&token), &format!("{token}: {one:?} and {other:?}")));
            }
            tally.refused += u64::from(one.is_err());
        }
        Ok(())
    }

    /// Plays a legal move at random on both.
    fn move_on(&mut self, random: &mut Rng, tally: &mut Tally) -> Result<(), Difference> {
        let token = self.choose(random);
        let one = self.board.play(&token).map_err(|message| message.code.id);
        let other = self.second.play(&token);
        tally.played += 1;
        if one != other {
            return Err(self.apart(Some(&token), &format!("{token}: {one:?} and {other:?}")));
        }
        self.tokens.push(one.unwrap_or(token));
        Ok(())
    }

    /// A legal move. One that takes something is a little likelier, so that games end.
    fn choose(&self, random: &mut Rng) -> String {
        if self.kind.game == "querni" && !one_in(random, 3) {
            // to list is slow here, and a guess is often good enough
            for _ in 0..40 {
                let token = random_token(self.kind, random);
                if let Ok(canonical) = self.second.again().play(&token) {
                    return canonical;
                }
            }
        }
        let moves = self.second.moves(LISTED);
        let taking: Vec<&String> = moves.iter().filter(|token| token.contains(['x', '*'])).collect();
        if !taking.is_empty() && random.bool() {
            return taking[random.usize(..taking.len())].clone();
        }
        moves[random.usize(..moves.len())].clone()
    }

    /// The way to here as a record, and what is not the same there.
    fn apart(&self, next: Option<&str>, what: &str) -> Difference {
        let plies = self.tokens.iter().map(String::as_str).chain(next);
        let plies = plies.map(|token| Turn { token: token.to_owned(), clock: None }).collect();
        let mut tags = vec![("Game".to_owned(), self.kind.game.to_owned())];
        tags.push(("Rules".to_owned(), self.kind.rules.to_owned()));
        tags.push(("Setup".to_owned(), self.start.clone()));
        let text = truthful(&Draft { tags, plies, result: None }).into_bytes();
        Difference { text, what: format!("{:?}: {what}", self.kind) }
    }
}

/// Plays a game on both boards, and writes down how it went.
fn play(kind: Kind, random: &mut Rng, tally: &mut Tally) -> Result<Draft, Difference> {
    let mut tags = vec![("Game".to_owned(), kind.game.to_owned())];
    if kind.rules != "base" || one_in(random, 8) {
        tags.push(("Rules".to_owned(), kind.rules.to_owned()));
    }
    let (start, told) = start(kind, random);
    if told || kind.game == "querni" {
        tags.push(("Setup".to_owned(), start.clone()));
    } else if start.contains(" s ") && kind.game == "pastores" {
        tags.push(("First".to_owned(), "sur".to_owned()));
    }
    let (Some(board), Some(second)) = (kind.board(&start), kind.second(&start)) else {
        let text = start.into_bytes();
        return Err(Difference { text, what: format!("{kind:?}: not both read this position") });
    };
    let mut sides = Sides { kind, start, tokens: Vec::new(), board, second };
    let most = any(random, &[&4, &20, &60, &120, &200]);
    while sides.tokens.len() < *most {
        if sides.compare(one_in(random, 12), tally)? {
            break;
        }
        sides.refuse(random, tally)?;
        sides.move_on(random, tally)?;
    }
    let over = sides.compare(false, tally)?;
    Ok(write_down(kind, &sides, over, tags, random))
}
