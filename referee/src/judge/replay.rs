//! A record being replayed, and its claims compared with the position that it comes to. Both consumers of moves share it.

use quipu_notation::{
    Side, Span,
    record::{Outcome, PlainPly, Record, Spanned, WrittenPly},
};

use super::clocks::Clocks;
use crate::{
    Diagnostic, End, Game, GameEnd, Message, Position, Severity, Status, Verdict,
    canonical_text::CanonicalText,
    record::Breach,
    suggest,
    termination::{self, Kind, Termination},
};

impl From<End> for GameEnd {
    fn from(end: End) -> Self {
        Self { termination: Some(end.termination), outcome: end.outcome }
    }
}

/// The termination that a record declares.
#[derive(Clone, Copy)]
enum Declared {
    /// There is no tag `Termination`.
    Nothing,
    /// A known termination.
    End(&'static Termination),
    /// An unknown value.
    Unknown,
}

impl Declared {
    /// True if a game without a result may continue.
    fn goes_on(self) -> bool {
        match self {
            Self::Nothing => true,
            Self::End(found) => found.kind.fits(Outcome::Open),
            Self::Unknown => false,
        }
    }
}

/// The reason why a ply is refused.
pub(super) enum PlyRefusal<B> {
    /// The game is over.
    AfterEnd(&'static Termination),
    /// The token is not a legal move.
    Breach(B),
}

impl<B: Into<Message>> From<PlyRefusal<B>> for Message {
    #[cold]
    fn from(refusal: PlyRefusal<B>) -> Self {
        match refusal {
            PlyRefusal::AfterEnd(end) => Breach::AfterEnd(end).into(),
            PlyRefusal::Breach(breach) => breach.into(),
        }
    }
}

/// A record being replayed.
pub(super) struct Replay<G: Game> {
    position: G::Position,
    /// The plies played.
    plies: usize,
    /// The side that played the last.
    mover: Side,
    /// The end on the board.
    end: Option<End>,
    /// True if a ply was refused: nothing after it is judged.
    stopped: bool,
    clocks: Clocks,
    found: Vec<Diagnostic>,
}

impl<G: Game> Replay<G> {
    pub(super) fn new(position: G::Position, record: &Record<'_>) -> Self {
        const { assert!(G::NOTATION.clocks == G::TIME_CONTROL.is_some(), "sheets have columns for the clocks of the game") };
        let clocks = Clocks::new(record.value("TimeControl"), G::TIME_CONTROL);
        Self { position, plies: 0, mover: position.turn(), end: None, stopped: false, clocks, found: Vec::new() }
    }

    /// Plays the moves up to the first refused one, and writes all to `canonical`.
    pub(super) fn run(&mut self, record: &Record<'_>, canonical: &mut CanonicalText<'_>) {
        for (index, ply) in record.movetext.plies.iter().enumerate() {
            let written = WrittenPly { token: &ply.token, span: ply.span, number: ply.number };
            if let Err(refusal) = self.ply(written, canonical) {
                self.refuse(record, index, refusal.into());
                canonical.rest(record, index);
                break;
            }
            if let Some(clock) = ply.clock {
                self.clock(clock, canonical);
            }
        }
        self.settle(record);
    }

    /// Plays the next ply, and writes it to `canonical`.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub(super) fn ply(
        &mut self,
        ply: WrittenPly<'_>,
        canonical: &mut CanonicalText<'_>,
    ) -> Result<(), PlyRefusal<<G::Position as Position>::Breach>> {
        if let Some(number) = ply.number {
            let expected = Record::expected_number(self.plies);
            if number.value != expected {
                self.report(self.plies, Breach::Number { found: number.value, expected }, number.span);
            }
        }
        if let Some(end) = self.end {
            return Err(PlyRefusal::AfterEnd(end.termination));
        }
        let mv = self.position.resolve(ply.token).map_err(PlyRefusal::Breach)?;
        canonical.ply(&self.position, mv, ply);
        self.play(mv, || ply.span);
        Ok(())
    }

    /// The move of the next ply, if it is legal and written in a way that needs no second look.
    #[inline]
    pub(super) fn plain_move(&self, ply: PlainPly<'_>) -> Option<<G::Position as Position>::Move> {
        if self.end.is_some() {
            return None;
        }
        self.position.legal(ply.bytes())
    }

    /// Plays the move of the next ply, and writes it to `canonical`.
    #[inline]
    pub(super) fn plain_ply(
        &mut self,
        mv: <G::Position as Position>::Move,
        ply: PlainPly<'_>,
        canonical: &mut CanonicalText<'_>,
    ) {
        canonical.plain_ply(&self.position, mv, ply);
        self.play(mv, || ply.span());
    }

    /// Plays a move.
    #[inline]
    fn play(&mut self, mv: <G::Position as Position>::Move, span: impl FnOnce() -> Span) {
        let side = self.position.turn();
        if self.clocks.flag(side) {
            self.report(self.plies, Breach::Flag(G::side_word(side)), span());
        }
        self.mover = side;
        self.position.play(mv);
        self.plies += 1;
        self.end = self.position.end();
    }

    /// Sets the clock of the ply that was played last, and writes it to `canonical`.
    #[inline]
    pub(super) fn clock(&mut self, clock: Spanned<u64>, canonical: &mut CanonicalText<'_>) {
        canonical.clock(clock);
        if let Some(breach) = self.clocks.set(self.mover, clock.value, G::side_word(self.mover)) {
            self.report(self.plies - 1, breach, clock.span);
        }
    }

    /// Settles an end on the board as the record says.
    pub(super) fn settle(&mut self, record: &Record<'_>) {
        self.end = self.end.map(|end| G::settle(end, record));
    }

    /// The number of plies played.
    pub(super) fn plies(&self) -> usize {
        self.plies
    }

    /// True if there is nothing to report so far.
    pub(super) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// The position string.
    pub(super) fn position_string(&self) -> String {
        self.position.to_string()
    }

    /// The verdict, with the game, rule set and position of `verdict`.
    pub(super) fn conclude(mut self, record: &Record<'_>, verdict: Verdict) -> Verdict {
        let end = if self.stopped { self.end.map(GameEnd::from) } else { self.judge(record) };
        let clean = self.found.iter().all(|diagnostic| diagnostic.severity() == Severity::Warning);
        let open = end.is_none_or(|end| end.termination.is_none());
        Verdict {
            status: match (clean, open) {
                (false, _) => Status::Rejected,
                (true, true) => Status::Incomplete,
                (true, false) => Status::Verified,
            },
            plies: Some(self.plies as u64),
            // An open result means something only if the record is legal so far.
            end: end.filter(|end| clean || end.termination.is_some()),
            points: self.position.points(),
            diagnostics: self.found,
            ..verdict
        }
    }

    /// Stops at a ply that is refused.
    #[cold]
    fn refuse(&mut self, record: &Record<'_>, index: usize, message: Message) {
        let ply = &record.movetext.plies[index];
        let rest = &record.movetext.plies[index + 1..];
        let suggestions = match self.end {
            Some(_) => Vec::new(),
            None => suggest::suggestions(&self.position, &ply.token, rest, |end| contradictions::<G>(*end, record)),
        };
        self.report(index, message, ply.span);
        if let Some(last) = self.found.last_mut() {
            last.token = Some(ply.token.clone().into_owned());
            last.suggestions = suggestions;
        }
        self.stopped = true;
    }

    /// Hardly any ply has a finding, so this stays out of the hot path.
    #[cold]
    fn report(&mut self, index: usize, message: impl Into<Message>, span: Span) {
        let diagnostic = Diagnostic::new(message.into(), Some(span));
        self.found.push(Diagnostic { ply: Some(index as u64 + 1), ..diagnostic });
    }

    /// Judges the result and termination of the record. The end is only the one that the board or a consistent declaration
    /// supports.
    fn judge(&mut self, record: &Record<'_>) -> Option<GameEnd> {
        let result = self.result(record);
        let declared = self.termination(record);
        let game_end = match self.end {
            Some(end) => {
                self.judge_ended(record, end, result, declared);
                Some(end.into())
            }
            None => self.judge_open(record, result, declared),
        };
        G::judge(record, &self.position, game_end.as_ref(), &mut self.found);
        game_end
    }

    /// The claimed result; reports a contradiction within the record and returns nothing.
    fn result(&mut self, record: &Record<'_>) -> Option<Outcome> {
        let token = record.result;
        let Some(tag) = record.tag("Result") else { return Some(token.map_or(Outcome::Open, |token| token.value)) };
        let breach = match (Outcome::parse(&tag.value), token) {
            (None, _) => Breach::ResultUnknown(tag.value.clone().into_owned()),
            (Some(value), Some(token)) if token.value != value => {
                Breach::ResultTag { tag: tag.value.clone().into_owned(), token: token.value }
            }
            (Some(value), _) => return Some(value),
        };
        self.found.push(Diagnostic::new(breach.into(), Some(tag.span)));
        None
    }

    /// The declared termination; reports an unknown one.
    fn termination(&mut self, record: &Record<'_>) -> Declared {
        let Some(tag) = record.tag("Termination") else { return Declared::Nothing };
        let known = G::ENDS.iter().chain(termination::DECLARED);
        if let Some(found) = known.clone().find(|row| row.name == tag.value) {
            return Declared::End(found);
        }
        let meant = termination::meant(&tag.value, known.clone()).join(", ");
        let known = known.map(|row| row.name).collect::<Vec<_>>().join(", ");
        let breach = Breach::TerminationUnknown { found: tag.value.clone().into_owned(), meant, known };
        self.found.push(Diagnostic::new(breach.into(), Some(tag.span)));
        Declared::Unknown
    }

    fn judge_ended(&mut self, record: &Record<'_>, end: End, result: Option<Outcome>, declared: Declared) {
        let (shown, outcome) = (end.termination, end.outcome);
        match result {
            Some(Outcome::Open) => {
                let open = record.result.is_some() || record.tag("Result").is_some();
                let breach = Breach::NoResult { open, end: shown, result: outcome };
                self.found.push(Diagnostic::new(breach.into(), Some(result_span(record))));
            }
            Some(claimed) if claimed != outcome => {
                let breach = Breach::ResultBoard { claimed, end: shown, result: outcome };
                self.found.push(Diagnostic::new(breach.into(), Some(result_span(record))));
            }
            _ => {}
        }
        if let Declared::End(found) = declared
            && found.name != shown.name
        {
            self.against_tag(record, Breach::TerminationBoard { found, end: shown });
        }
    }

    fn judge_open(&mut self, record: &Record<'_>, result: Option<Outcome>, declared: Declared) -> Option<GameEnd> {
        let going_on = Some(GameEnd { termination: None, outcome: Outcome::Open });
        match (declared, result) {
            (Declared::End(found), _) if found.kind == Kind::Board => {
                self.against_tag(record, Breach::TerminationOpen(found));
                None
            }
            (Declared::Unknown, _) | (_, None) => None,
            (_, Some(Outcome::Open)) if declared.goes_on() => going_on,
            (Declared::Nothing, Some(result)) => {
                let breach = Breach::Unsupported(result);
                self.found.push(Diagnostic::new(breach.into(), Some(result_span(record))));
                None
            }
            (Declared::End(found), Some(result)) if !found.kind.fits(result) => {
                self.against_tag(record, Breach::TerminationResult { found, result });
                None
            }
            (Declared::End(found), Some(outcome)) => Some(GameEnd { termination: Some(found), outcome }),
        }
    }

    fn against_tag(&mut self, record: &Record<'_>, breach: Breach) {
        let span = record.tag("Termination").map(|tag| tag.span);
        self.found.push(Diagnostic::new(breach.into(), span));
    }
}

/// The span of a record's result, or the end of the record.
fn result_span(record: &Record<'_>) -> Span {
    let token = record.result.map(|result| result.span);
    let tag = || record.tag("Result").map(|tag| tag.span);
    token.or_else(tag).unwrap_or(Span { start: record.span.end, end: record.span.end })
}

/// Errors in what a record claims of a game that came to this position.
pub(crate) fn contradictions<G: Game>(position: G::Position, record: &Record<'_>) -> u32 {
    let mut replay = Replay::<G>::new(position, record);
    replay.end = position.end().map(|end| G::settle(end, record));
    replay.judge(record);
    let errors = replay.found.iter().filter(|found| found.severity() == Severity::Error).count();
    u32::try_from(errors).unwrap_or(u32::MAX)
}
