//! A game at the desk of who keeps its score: where it stands, what can be played next and by touching what, how it can
//! be ended. All of it follows from the record alone; nothing is remembered between two looks at it.

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

/// Lawful moves that are listed at the most. A position of Querni can have two million.
pub const LISTED: u64 = 2_000;

/// A way to end a game that stands as it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Which end it is.
    pub termination: &'static Termination,
    /// The result.
    pub outcome: Outcome,
    /// The tags that a record says it with.
    pub tags: Vec<(&'static str, &'static str)>,
}

/// A game that is being kept.
pub struct Desk {
    /// The game.
    pub game: &'static dyn Referee,
    /// The verdict on the record as it is.
    pub verdict: Verdict,
    /// Who moves first.
    pub first: Side,
    /// The position after the last lawful ply.
    pub board: Box<dyn Board>,
    /// Lawful plies.
    pub plies: usize,
    /// The time that each side had left after its last lawful ply, in milliseconds.
    pub clocks: [Option<u64>; 2],
    /// How many moves there are, unless a ply is refused or the game is over.
    pub count: u64,
    /// These moves, if they are not too many to list.
    pub moves: Option<Vec<Tapped>>,
    /// The ways to end it now.
    pub endings: Vec<Ending>,
}

/// Looks at a record.
///
/// # Errors
/// The verdict, where there is nothing to play on.
pub fn look(record: &Record<'_>) -> Result<Desk, Box<Verdict>> {
    let verdict = verify::record(record);
    let start = record.value("Game").and_then(games::find).map(|game| (game, game.start(record)));
    let Some((game, Ok(mut board))) = start else { return Err(Box::new(verdict)) };
    let first = board.turn();
    let (mut plies, mut clocks) = (0, [None; 2]);
    for ply in &record.line.plies {
        let side = board.turn();
        if board.play(&ply.token).is_err() {
            break;
        }
        plies += 1;
        let clock = &mut clocks[side.index()];
        *clock = ply.clock.map(|clock| clock.value).or(*clock);
    }
    // What comes after a ply that is refused nobody knows.
    let open = plies == record.line.plies.len() && board.end().is_none();
    let count = if open { board.perft(1, NonZero::<usize>::MIN) } else { 0 };
    let moves = (count <= LISTED).then(|| if open { board.tapped_moves() } else { Vec::new() });
    let endings = endings(game, &*board, record);
    Ok(Desk { game, verdict, first, board, plies, clocks, count, moves, endings })
}

/// The ways to end a game: what the board shows, or else what can be declared.
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
        // Where the laws leave a tie to the arbiter, saying how it was decided makes it a win.
        for side in Side::BOTH {
            let decision = game.notation().side(side).name;
            let decided = game.judge(&with(record, "Decision", decision), None).finding;
            if decided.is_some_and(|finding| finding.winner() == Some(side)) {
                let (termination, outcome) = (end.termination, Outcome::Win(side));
                all.push(Ending { termination, outcome, tags: vec![("Decision", decision)] });
            }
        }
    }
    all
}

/// A record in which a tag says something else.
fn with<'a>(record: &Record<'a>, name: &'static str, value: &'static str) -> Record<'a> {
    let mut record = record.clone();
    record.tags.retain(|tag| tag.name != name);
    record.tags.push(Tag { name: name.into(), value: value.into(), span: Span::default() });
    record
}
