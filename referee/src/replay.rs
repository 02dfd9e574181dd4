//! Replays a game ply by ply, for display. [`crate::verify`] judges the record.

use std::slice;

use quipu_notation::{
    Side,
    record::{Outcome, Ply, Record},
};

use crate::{
    Board, Referee, games,
    termination::{DECLARED, Termination},
};

/// The end that a record declares after its last ply, true or not: its result, and its termination if that is one that can
/// be declared. None while the game is open.
pub fn declared_end(record: &Record<'_>) -> Option<(Outcome, Option<&'static Termination>)> {
    let tag = || record.value("Result").and_then(Outcome::parse);
    let outcome = record.result.map(|result| result.value).or_else(tag)?;
    let named = record.value("Termination");
    let termination = DECLARED.iter().find(|termination| Some(termination.name) == named);
    (outcome != Outcome::Open).then_some((outcome, termination))
}

/// A record that is being replayed.
pub struct Replay<'r> {
    game: &'static dyn Referee,
    board: Box<dyn Board>,
    plies: slice::Iter<'r, Ply<'r>>,
    ply: u64,
}

/// A ply that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its number, from 1.
    pub ply: u64,
    /// The side that played it.
    pub side: Side,
    /// The move, in its canonical form.
    pub token: String,
    /// The time left to this side after the ply, in milliseconds.
    pub clock: Option<u64>,
}

impl<'r> Replay<'r> {
    /// A record at its start; nothing without a start position.
    pub fn of(record: &'r Record<'_>) -> Option<Self> {
        let game = games::find(record.value("Game")?)?;
        let board = game.start(record).ok()?;
        Some(Self { game, board, plies: record.movetext.plies.iter(), ply: 0 })
    }

    /// Plays the next ply; nothing at the end, or if the ply is illegal.
    pub fn play(&mut self) -> Option<Played> {
        let ply = self.plies.next()?;
        let side = self.board.turn();
        let Ok(token) = self.board.play(&ply.token) else {
            self.plies = [].iter();
            return None;
        };
        self.ply += 1;
        Some(Played { ply: self.ply, side, token, clock: ply.clock.map(|clock| clock.value) })
    }

    /// The game.
    pub fn game(&self) -> &'static dyn Referee {
        self.game
    }

    /// The position reached.
    pub fn board(&self) -> &dyn Board {
        &*self.board
    }

    /// The number of plies played.
    pub fn ply(&self) -> u64 {
        self.ply
    }
}
