//! Queries of positions.

use std::{collections::BTreeMap, ops::ControlFlow};

use quipu_referee::{Board, symmetry::PositionKey};

use super::{
    games::Candidate,
    look_up::fingerprint,
    scan::scan,
    totals::{self, Outcomes},
};
use crate::{
    model::{Card, Number},
    store::{error::StoreError, listing::ListPage, read_tx::ReadTx},
};

/// Games that count with a position, each once, by what followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionTotals {
    /// All of them by outcome: won by side 1, won by side 2, drawn.
    pub outcomes: [u64; 3],
    /// Those that ended with the position.
    pub ended: [u64; 3],
    /// The others by their next move, most games first, then by the bytes of the move.
    pub moves: Vec<NextMove>,
    /// False if there are more games that were not counted.
    pub is_exact: bool,
}

/// A move that was played in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextMove {
    /// The move in the position as it was asked for; of moves that are images of each other the first by its bytes.
    pub token: String,
    /// Its games by outcome.
    pub outcomes: [u64; 3],
}

/// A game that reached a position.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAtPosition {
    /// Its record.
    pub card: Card,
    /// Completed plies when it reached the position for the first time.
    pub ply: u64,
}

/// The games of a position, and a page of them.
#[derive(Clone, Debug)]
pub struct PositionGames {
    /// Those of all games, whatever the page.
    pub totals: PositionTotals,
    /// The last added first.
    pub page: ListPage<GameAtPosition, Number>,
}

impl ReadTx<'_> {
    /// The games that reached the position of a board or one of its images, and a page of those before the verdict with a number.
    pub fn position_games(
        &self,
        board: &dyn Board,
        before: Option<Number>,
        limit: usize,
    ) -> Result<PositionGames, StoreError> {
        let key = board.key();
        if let Some(moves) = totals::stored(self.connection, &key)? {
            let page = self.page(&key, before, limit)?;
            return Ok(PositionGames { totals: totals_of(board, moves, true)?, page });
        }
        let (mut page, mut moves) = (PageOfGames::new(before, limit), BTreeMap::<String, Outcomes>::new());
        let left_out =
            scan(self.connection, fingerprint(&key), None, |Candidate { number, record, outcome, game }| {
                if let Some((outcome, ply)) = outcome.and_then(|outcome| Some((outcome, game.find(&key)?))) {
                    let next = game.next_moves(&[ply]).pop().unwrap_or_default();
                    moves.entry(next).or_default()[outcome] += 1;
                    // The others are counted all the same.
                    let _ = page.add(number, record, ply);
                }
                ControlFlow::Continue(())
            })?;
        // A page that goes on beyond the games that were counted is read by itself.
        let page = if left_out.is_some() { self.page(&key, before, limit)? } else { self.with_cards(page)? };
        Ok(PositionGames { totals: totals_of(board, moves, left_out.is_none())?, page })
    }

    fn page(
        &self,
        key: &PositionKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<ListPage<GameAtPosition, Number>, StoreError> {
        let mut page = PageOfGames::new(before, limit);
        let left_out = scan(
            self.connection,
            fingerprint(key),
            before,
            |Candidate { number, record, outcome, game }| match outcome.and_then(|_| game.find(key)) {
                Some(ply) => page.add(number, record, ply),
                None => ControlFlow::Continue(()),
            },
        )?;
        page.next = page.next.or(left_out.map(|number| number + 1));
        self.with_cards(page)
    }

    fn with_cards(&self, page: PageOfGames) -> Result<ListPage<GameAtPosition, Number>, StoreError> {
        let records: Vec<_> = page.found.iter().map(|(record, _)| *record).collect();
        let mut cards = self.cards_of_numbers(&records)?;
        let item = |(record, ply): (Number, u64)| Some(GameAtPosition { card: cards.remove(&record)?, ply });
        Ok(ListPage { items: page.found.into_iter().filter_map(item).collect(), next: page.next })
    }
}

/// A page of games while it is collected.
struct PageOfGames {
    before: Number,
    limit: usize,
    /// Records, each with the plies before its position.
    found: Vec<(Number, u64)>,
    next: Option<Number>,
}

impl PageOfGames {
    fn new(before: Option<Number>, limit: usize) -> Self {
        Self { before: before.unwrap_or(Number::MAX), limit, found: Vec::new(), next: None }
    }

    /// Adds the game of a verdict, if it belongs to the page. Breaks after the last one.
    fn add(&mut self, number: Number, record: Number, ply: usize) -> ControlFlow<()> {
        if self.next.is_some() {
            return ControlFlow::Break(());
        }
        if number >= self.before {
            return ControlFlow::Continue(());
        }
        if self.found.len() == self.limit {
            self.next = Some(number + 1);
            return ControlFlow::Break(());
        }
        self.found.push((record, ply as u64));
        ControlFlow::Continue(())
    }
}

/// Totals with the moves as they are in the position that was asked for.
fn totals_of(
    board: &dyn Board,
    moves: impl IntoIterator<Item = (String, Outcomes)>,
    is_exact: bool,
) -> Result<PositionTotals, StoreError> {
    let mut found = PositionTotals { is_exact, ..PositionTotals::default() };
    for (next, outcomes) in moves {
        let outcomes = unsigned(outcomes);
        for (all, more) in found.outcomes.iter_mut().zip(outcomes) {
            *all += more;
        }
        if next.is_empty() {
            found.ended = outcomes;
        } else {
            let token = board.own_token(&next).ok_or_else(|| damaged_total(&next))?;
            found.moves.push(NextMove { token, outcomes });
        }
    }
    let games = |next: &NextMove| next.outcomes.iter().sum::<u64>();
    found.moves.sort_by(|one, other| games(other).cmp(&games(one)).then_with(|| one.token.cmp(&other.token)));
    Ok(found)
}

/// The error for a stored move that the position does not have.
fn damaged_total(next: &str) -> StoreError {
    StoreError::Corrupt(format!("the move {next} in the totals of positions"))
}

fn unsigned(outcomes: Outcomes) -> [u64; 3] {
    outcomes.map(|games| u64::try_from(games).unwrap_or_default())
}
