//! Judges records of one game: replays the moves, then compares what the record claims with what the board shows.
//!
//! Generic over the game. The table of games is looked up above, in [`crate::verify`].

use quipu_notation::{
    Side, Span,
    record::{
        Outcome, Record, Spanned,
        write::{BASE_RULES, Bytes},
    },
};

use crate::{
    Diagnostic, End, Finding, Game, Located, Message, Position, RuleSet, Severity, Status, Verdict,
    record::{self, Breach},
    record_id::CanonicalText,
    suggest,
    termination::{self, Kind, Termination},
};

/// The rule set with this name.
pub(crate) fn rule_set<G: Game>(name: &str) -> Result<&'static RuleSet<G::Rules>, Message> {
    G::RULE_SETS.iter().find(|set| set.name == name).ok_or_else(|| {
        let known = G::RULE_SETS.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
        Breach::Rules { found: name.to_owned(), known }.into()
    })
}

/// The rule set that a record names.
fn rules_of<G: Game>(record: &Record<'_>) -> Result<&'static RuleSet<G::Rules>, Located> {
    rule_set::<G>(record.value("Rules").unwrap_or(BASE_RULES))
        .map_err(|message| Located { message, span: record.tag("Rules").map_or(record.span, |tag| tag.span) })
}

/// The start position of a record.
pub(crate) fn start<G: Game>(record: &Record<'_>) -> Result<G::Position, Located> {
    start_under::<G>(rules_of::<G>(record)?, record)
}

fn start_under<G: Game>(rules: &RuleSet<G::Rules>, record: &Record<'_>) -> Result<G::Position, Located> {
    let first = if G::NOTATION.first { first::<G>(record)? } else { None };
    let setup = record.tag("Setup");
    let span = setup.map_or(record.span, |tag| tag.span);
    let refuse = |breach: Breach| Located { message: breach.into(), span };
    let position = match setup {
        Some(tag) => {
            let read = G::position(rules.rules, &tag.value);
            let position = read.map_err(|faults| record::setup_fault(faults, tag.span))?;
            G::can_start(&position).map_err(|why| refuse(Breach::SetupPosition(why)))?;
            position
        }
        None => G::initial(rules.rules, first.map(|tag| tag.value)).ok_or_else(|| refuse(Breach::SetupMissing))?,
    };
    let (turn, word) = (position.turn(), G::side_word(position.turn()));
    if let Some(first) = first.filter(|first| first.value != turn) {
        let found = G::NOTATION.side(first.value).name.to_owned();
        return Err(Located { message: Breach::First { found, turn: word }.into(), span: first.span });
    }
    position.end().map_or(Ok(position), |end| Err(refuse(Breach::SetupOver(end.termination))))
}

/// The side in the tag `First`, if there is one.
fn first<G: Game>(record: &Record<'_>) -> Result<Option<Spanned<Side>>, Located> {
    let Some(tag) = record.tag("First") else { return Ok(None) };
    let span = tag.span;
    G::NOTATION.side_named(&tag.value).map(|value| Some(Spanned { value, span })).ok_or_else(|| {
        let known = G::NOTATION.sides.each_ref().map(|side| side.name).join(", ");
        Located { message: Breach::FirstUnknown { found: tag.value.clone().into_owned(), known }.into(), span }
    })
}

/// The verdict on a record of the game `G`, without its id.
pub(crate) fn verdict<G: Game>(record: &Record<'_>, text: Option<&mut Bytes>) -> Verdict {
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
    let finding = if replay.stopped { replay.end.map(Finding::from) } else { replay.judge(record) };
    let clean = replay.found.iter().all(|diagnostic| diagnostic.severity() == Severity::Warning);
    let open = finding.is_none_or(|finding| finding.termination.is_none());
    Verdict {
        status: match (clean, open) {
            (false, _) => Status::Rejected,
            (true, true) => Status::Incomplete,
            (true, false) => Status::Verified,
        },
        plies: Some(replay.plies as u64),
        position: Some(replay.position.to_string()),
        // An open result means something only if the record is legal so far.
        finding: finding.filter(|finding| clean || finding.termination.is_some()),
        points: replay.position.points(),
        diagnostics: replay.found,
        ..verdict
    }
}

impl From<End> for Finding {
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

/// A record being replayed.
struct Replay<G: Game> {
    position: G::Position,
    plies: usize,
    /// The end on the board.
    end: Option<End>,
    /// True if a ply was refused: nothing after it is judged.
    stopped: bool,
    clocks: Clocks,
    found: Vec<Diagnostic>,
}

impl<G: Game> Replay<G> {
    fn new(position: G::Position, record: &Record<'_>) -> Self {
        const { assert!(G::NOTATION.clocks == G::TIME_CONTROL.is_some(), "sheets have columns for the clocks of the game") };
        let clocks = Clocks::new(record.value("TimeControl"), G::TIME_CONTROL);
        Self { position, plies: 0, end: None, stopped: false, clocks, found: Vec::new() }
    }

    /// Plays the moves up to the first refused one, and writes all to `canonical`.
    fn run(&mut self, record: &Record<'_>, canonical: &mut CanonicalText<'_>) {
        for (index, ply) in record.movetext.plies.iter().enumerate() {
            if let Some(number) = ply.number {
                let expected = Record::expected_number(index);
                if number.value != expected {
                    self.report(index, Breach::Number { found: number.value, expected }, number.span);
                }
            }
            let side = self.position.turn();
            let resolved = match self.end {
                Some(end) => Err(Breach::AfterEnd(end.termination).into()),
                None => self.position.resolve(&ply.token).map_err(Into::into),
            };
            let mv = match resolved {
                Ok(mv) => mv,
                Err(message) => {
                    self.refuse(record, index, message);
                    canonical.rest(record, index);
                    break;
                }
            };
            canonical.ply(&self.position, mv, ply);
            let word = G::side_word(side);
            if self.clocks.flag(side) {
                self.report(index, Breach::Flag(word), ply.span);
            }
            if let Some(clock) = ply.clock
                && let Some(breach) = self.clocks.set(side, clock.value, word)
            {
                self.report(index, breach, clock.span);
            }
            self.position.play(mv);
            self.plies += 1;
            self.end = self.position.end();
        }
        self.end = self.end.map(|end| G::settle(end, record));
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

    /// Judges the result and termination of the record. The finding is only what the board or a consistent declaration
    /// supports.
    fn judge(&mut self, record: &Record<'_>) -> Option<Finding> {
        let result = self.result(record);
        let declared = self.termination(record);
        let finding = match self.end {
            Some(end) => {
                self.judge_ended(record, end, result, declared);
                Some(end.into())
            }
            None => self.judge_open(record, result, declared),
        };
        G::judge(record, &self.position, finding.as_ref(), &mut self.found);
        finding
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

    fn judge_open(&mut self, record: &Record<'_>, result: Option<Outcome>, declared: Declared) -> Option<Finding> {
        let going_on = Some(Finding { termination: None, outcome: Outcome::Open });
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
            (Declared::End(found), Some(outcome)) => Some(Finding { termination: Some(found), outcome }),
        }
    }

    fn against_tag(&mut self, record: &Record<'_>, breach: Breach) {
        let span = record.tag("Termination").map(|tag| tag.span);
        self.found.push(Diagnostic::new(breach.into(), span));
    }
}

/// Errors in what a record claims of a game that came to this position.
pub(crate) fn contradictions<G: Game>(position: G::Position, record: &Record<'_>) -> u32 {
    let mut replay = Replay::<G>::new(position, record);
    replay.end = position.end().map(|end| G::settle(end, record));
    replay.judge(record);
    let errors = replay.found.iter().filter(|found| found.severity() == Severity::Error).count();
    u32::try_from(errors).unwrap_or(u32::MAX)
}

/// A claim of a record that the board contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongClaim {
    /// The tag. `Result` stands for the final token as well.
    pub(crate) tag: &'static str,
    /// The claim as it is written.
    pub(crate) written: String,
    /// The claim that the board supports.
    pub(crate) shown: String,
}

/// The claims of a record that have to change for a game that came to this position; none if no change of claims helps.
pub(crate) fn wrong_claims<G: Game>(position: G::Position, record: &Record<'_>) -> Option<Vec<WrongClaim>> {
    if contradictions::<G>(position, record) == 0 {
        return Some(Vec::new());
    }
    let end = position.end().map(|end| G::settle(end, record));
    let mut wrong = Vec::new();
    let mut change = |tag: &'static str, written: &str, shown: String| {
        if written != shown {
            wrong.push(WrongClaim { tag, written: written.to_owned(), shown });
        }
    };
    let (tag, token) = (record.value("Result"), record.result.map(|result| result.value));
    let written = match (tag, token) {
        (Some(tag), Some(token)) if tag != token.as_str() => format!("{tag} {}", token.as_str()),
        (Some(tag), _) => tag.to_owned(),
        (None, token) => token.map_or_else(String::new, |token| token.as_str().to_owned()),
    };
    if let Some(end) = end {
        if token != Some(Outcome::Open) || tag.is_some_and(|tag| tag != Outcome::Open.as_str()) {
            change("Result", &written, end.outcome.as_str().to_owned());
        }
        if let Some(declared) = record.value("Termination") {
            change("Termination", declared, end.termination.name.to_owned());
        }
    } else if let Some(token) = token.filter(|token| tag.is_some_and(|tag| tag != token.as_str())) {
        change("Result", &written, token.as_str().to_owned());
    }
    if let (Some(claimed), Some(points)) = (record.value("Points"), position.points()) {
        change("Points", claimed, points.to_string());
    }
    let holds = contradictions::<G>(position, &with_claims(record, &wrong)) == 0;
    (holds && !wrong.is_empty()).then_some(wrong)
}

/// The tags and the result of a record, with other claims.
fn with_claims<'r>(record: &'r Record<'r>, claims: &'r [WrongClaim]) -> Record<'r> {
    let mut changed = Record { tags: record.tags.clone(), result: record.result, ..Record::default() };
    for claim in claims {
        if let Some(tag) = changed.tags.iter_mut().find(|tag| tag.name == claim.tag) {
            tag.value = claim.shown.as_str().into();
        }
        if let (Some(result), "Result") = (&mut changed.result, claim.tag) {
            result.value = Outcome::parse(&claim.shown).unwrap_or(result.value);
        }
    }
    changed
}

/// True if a player resigned or ran out of time, as the record says, while the other was to move.
pub(crate) fn ends_out_of_turn<G: Game>(position: G::Position, record: &Record<'_>) -> bool {
    let is_own = matches!(record.value("Termination"), Some("resignation" | "time"));
    let winner = record.result.and_then(|result| result.value.winner());
    is_own && position.end().is_none() && winner == Some(position.turn())
}

/// The span of a record's result, or the end of the record.
fn result_span(record: &Record<'_>) -> Span {
    let token = record.result.map(|result| result.span);
    let tag = || record.tag("Result").map(|tag| tag.span);
    token.or_else(tag).unwrap_or(Span { start: record.span.end, end: record.span.end })
}

/// The time left on both clocks.
pub(crate) struct Clocks {
    /// The most milliseconds at the start.
    control: Option<u64>,
    left: [Option<u64>; 2],
    flagged: [bool; 2],
}

impl Clocks {
    pub(crate) fn new(tag: Option<&str>, default: Option<u64>) -> Self {
        let seconds = match tag {
            // Digits beyond 64 bits allow any clock.
            Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse::<u64>().ok()
            }
            Some(_) => None,
            None => default,
        };
        let control = seconds.map(|seconds| seconds.saturating_mul(1000));
        Self { control, left: [None; 2], flagged: [false; 2] }
    }

    /// True if a side that plays has no time left; only once for each side.
    pub(crate) fn flag(&mut self, side: Side) -> bool {
        let out = self.left[side.index()] == Some(0);
        out && !std::mem::replace(&mut self.flagged[side.index()], true)
    }

    /// Sets the time left after a side's ply.
    pub(crate) fn set(&mut self, side: Side, clock: u64, word: &'static str) -> Option<Breach> {
        match (self.left[side.index()].replace(clock), self.control) {
            (Some(before), _) if clock > before => Some(Breach::ClockRises { side: word, clock, before }),
            (None, Some(limit)) if clock > limit => Some(Breach::ClockStart { side: word, clock, limit }),
            _ => None,
        }
    }
}
