//! The judge as the consumer of moves: it plays each ply as it is read and keeps none.
//!
//! It only ever answers that there is nothing to report. Any other record is read whole and judged from its moves, which
//! explains well.

use std::borrow::Cow;

use quipu_notation::record::{
    MoveSink, Notes, OpenRecord, PlainPly, ReadError, Spanned, WrittenPly,
    write::{Bytes, Writer},
};

use super::{
    replay::Replay,
    start::{rules_of, start_under},
};
use crate::{Game, Verdict, canonical_text::CanonicalText};

/// The verdict on a record that is judged while it is read. Nothing if there is anything to report.
pub(crate) fn verdict_while_reading<G: Game>(
    open: OpenRecord<'_, '_>,
    text: Option<Writer<&mut Bytes>>,
    with_position: bool,
) -> Option<Verdict> {
    let rules = rules_of::<G>(open.record()).ok()?;
    let start = start_under::<G>(rules, open.record()).ok()?;
    let mut judge = Judge::<G> {
        replay: Replay::new(start, open.record()),
        canonical: CanonicalText::copying::<G>(&open, text),
        clock: None,
    };
    let record = open.read_moves(&mut judge).ok()?;
    judge.take_clock().ok()?;
    let Judge { mut replay, canonical, .. } = judge;
    replay.settle(record);
    canonical.end(record);
    let position = with_position.then(|| replay.position_string());
    let verdict = Verdict { game: Some(G::NOTATION.id), rules: Some(rules.name), position, ..Verdict::nothing() };
    let verdict = replay.conclude(record, verdict);
    // An odd clock gets advice, which names its ply.
    (verdict.diagnostics.is_empty() && record.odd_clocks.is_empty()).then_some(verdict)
}

/// Judges moves as long as there is nothing to report.
struct Judge<'t, G: Game> {
    replay: Replay<G>,
    canonical: CanonicalText<'t>,
    /// The clock of the last ply, until the next one: another may follow, which counts instead.
    clock: Option<Spanned<u64>>,
}

/// There is something to report.
struct Unclean;

impl From<ReadError> for Unclean {
    fn from(_: ReadError) -> Self {
        Self
    }
}

impl<G: Game> Judge<'_, G> {
    #[inline]
    fn take_clock(&mut self) -> Result<(), Unclean> {
        let Some(clock) = self.clock else { return Ok(()) };
        self.clock = None;
        self.replay.clock(clock, &mut self.canonical);
        if self.replay.is_clean() { Ok(()) } else { Err(Unclean) }
    }
}

impl<'a, G: Game> MoveSink<'a> for Judge<'_, G> {
    type Stop = Unclean;

    fn ply(&mut self, ply: WrittenPly<'a>) -> Result<(), Unclean> {
        self.take_clock()?;
        let played = self.replay.ply(ply, &mut self.canonical);
        if played.is_ok() && self.replay.is_clean() { Ok(()) } else { Err(Unclean) }
    }

    /// Characters that are a legal move are a token. A flag that fell is found at the end: there are at most two.
    #[inline]
    fn plain_ply(&mut self, ply: PlainPly<'a>, _: impl FnOnce() -> bool) -> Result<bool, Unclean> {
        // Anything but a ply, such as the result, leaves the clock: another may follow it.
        let Some(mv) = self.replay.plain_move(ply) else { return Ok(false) };
        self.take_clock()?;
        self.replay.plain_ply(mv, ply, &mut self.canonical);
        Ok(true)
    }

    #[inline]
    fn clock(&mut self, clock: Spanned<u64>) {
        self.clock = Some(clock);
    }

    #[inline]
    fn count(&self) -> usize {
        self.replay.plies()
    }

    fn comment(&mut self, _: Cow<'a, str>) {}

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        None
    }
}
