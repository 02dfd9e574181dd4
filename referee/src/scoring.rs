//! The state of a game in progress, for score keeping: position, legal moves with the taps that enter them, and the
//! ways to end it. It is a pure function of the record.

use std::num::NonZero;

use quipu_notation::{
    Side, Span,
    record::{Outcome, Record, Tag},
};

use crate::{
    Board, Referee, Verdict, games,
    termination::{DECLARED, Termination},
    verify,
};

pub use crate::tap::{Tap, Tapped};

/// The most legal moves that are listed. A position of Querni can have two million.
pub const LISTED: u64 = 2_000;

/// A way to end a game in its current position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The termination.
    pub termination: &'static Termination,
    /// The result.
    pub outcome: Outcome,
    /// The tags that declare it in the record.
    pub tags: Vec<(&'static str, &'static str)>,
}

/// The state of a game in progress.
pub struct ScoringState {
    /// The game.
    pub game: &'static dyn Referee,
    /// The verdict on the record so far.
    pub verdict: Verdict,
    /// The side that moves first.
    pub first: Side,
    /// The position after the last legal ply.
    pub board: Box<dyn Board>,
    /// The number of legal plies.
    pub plies: usize,
    /// The time left to each side after its last legal ply, in milliseconds.
    pub clocks: [Option<u64>; 2],
    /// The number of legal moves; 0 if a ply is refused or the game is over.
    pub count: u64,
    /// The legal moves, unless there are more than [`LISTED`].
    pub moves: Option<Vec<Tapped>>,
    /// The ways to end it now.
    pub endings: Vec<Ending>,
}

/// Computes the state of a record.
///
/// # Errors
/// The verdict, if there is no start position.
pub fn look(record: &Record<'_>) -> Result<ScoringState, Box<Verdict>> {
    let verdict = verify::record(record);
    let start = record.value("Game").and_then(games::find).map(|game| (game, game.start(record)));
    let Some((game, Ok(mut board))) = start else { return Err(Box::new(verdict)) };
    let first = board.turn();
    let (mut plies, mut clocks) = (0, [None; 2]);
    for ply in &record.movetext.plies {
        let side = board.turn();
        if board.play(&ply.token).is_err() {
            break;
        }
        plies += 1;
        let clock = &mut clocks[side.index()];
        *clock = ply.clock.map(|clock| clock.value).or(*clock);
    }
    // After an illegal ply the position is unknown.
    let open = plies == record.movetext.plies.len() && board.end().is_none();
    let count = if open { board.perft(1, NonZero::<usize>::MIN) } else { 0 };
    let moves = (count <= LISTED).then(|| if open { board.tapped_moves() } else { Vec::new() });
    let endings = endings(game, &*board, record);
    Ok(ScoringState { game, verdict, first, board, plies, clocks, count, moves, endings })
}

/// The ways to end a game: the end on the board, or else all that can be declared.
fn endings(game: &dyn Referee, board: &dyn Board, record: &Record<'_>) -> Vec<Ending> {
    let Some(end) = board.end() else {
        let declared = |termination: &'static Termination| {
            let fits = Outcome::ALL.into_iter().filter(move |&outcome| outcome != Outcome::Open);
            let fits = fits.filter(|&outcome| termination.kind.fits(outcome));
            fits.map(move |outcome| Ending { termination, outcome, tags: vec![("Termination", termination.name)] })
        };
        return DECLARED.iter().flat_map(declared).collect();
    };
    let mut all = vec![Ending { termination: end.termination, outcome: end.outcome, tags: Vec::new() }];
    if end.outcome == Outcome::Draw {
        // If the laws leave a tie to the arbiter, the tag `Decision` makes it a win.
        for side in Side::BOTH {
            let decision = game.notation().side(side).name;
            let decided = game.judge(&with(record, "Decision", decision), None).end;
            if decided.is_some_and(|end| end.winner() == Some(side)) {
                let (termination, outcome) = (end.termination, Outcome::Win(side));
                all.push(Ending { termination, outcome, tags: vec![("Decision", decision)] });
            }
        }
    }
    all
}

/// A record with another value of a tag.
fn with<'a>(record: &Record<'a>, name: &'static str, value: &'static str) -> Record<'a> {
    let mut record = record.clone();
    record.tags.retain(|tag| tag.name != name);
    record.tags.push(Tag { name: name.into(), value: value.into(), span: Span::default() });
    record
}
