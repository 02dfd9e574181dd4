//! Judges records of one game: replays the moves, then compares what the record claims with what the board shows.
//!
//! Generic over the game. The table of games is looked up above, in [`crate::verify`]. A record is judged from its moves in
//! memory, or while its moves are read ([`while_reading`]); the second has no findings.

use quipu_notation::record::{
    Record,
    write::{Bytes, Writer},
};

use crate::{Diagnostic, Game, Located, Verdict, canonical_text::CanonicalText};

mod claims;
mod clocks;
mod replay;
mod start;
mod while_reading;

pub(crate) use claims::{WrongClaim, ends_out_of_turn, wrong_claims};
pub(crate) use clocks::Clocks;
pub(crate) use start::{rule_set, start};
pub(crate) use while_reading::verdict_while_reading;

use self::{
    replay::Replay,
    start::{rules_of, start_under},
};

/// The verdict on a record of the game `G`, without its id.
pub(crate) fn verdict<G: Game>(record: &Record<'_>, text: Option<Writer<&mut Bytes>>) -> Verdict {
    let mut canonical = CanonicalText::new::<G>(record, text);
    let rules = rules_of::<G>(record);
    let verdict = Verdict {
        game: Some(G::NOTATION.id),
        rules: rules.as_ref().ok().map(|set| set.name),
        plies: Some(0),
        ..Verdict::nothing()
    };
    let start = match rules.and_then(|rules| start_under::<G>(rules, record)) {
        Ok(position) => position,
        Err(Located { message, span }) => {
            canonical.rest(record, 0);
            canonical.end(record);
            let diagnostics = vec![Diagnostic::new(message, Some(span))];
            return Verdict { diagnostics, ..verdict };
        }
    };
    let mut replay = Replay::<G>::new(start, record);
    replay.run(record, &mut canonical);
    canonical.end(record);
    let position = Some(replay.position_string());
    replay.conclude(record, Verdict { position, ..verdict })
}
