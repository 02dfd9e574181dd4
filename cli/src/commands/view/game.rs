//! Records prepared for the screen: a row of the list, or a game with its plies, boards and diagnostics.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use quipu_notation::{
    Side,
    record::{Chunk, Movetext, Notes, Record, clock},
};
use quipu_referee::{Board, Diagnostic, Referee, Status, Verdict, findings, games, replay::Replay, verify::Judged};

use super::query::{Direction, Query};
use crate::{
    context::{Context, harmless},
    diagnostics::{self, Explained, MANY},
    styled::Styled,
};

/// Plies between stored positions; the positions between are replayed on demand.
const KEPT: usize = 64;
/// Tags shown, at most; a record may have a million.
const TAGS: usize = 1000;

/// The list's data about a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListRow {
    pub(super) game: String,
    pub(super) players: String,
    pub(super) event: String,
    pub(super) round: String,
    pub(super) date: String,
    pub(super) result: String,
    /// Termination in words.
    pub(super) end: String,
    /// File and line.
    pub(super) place: String,
    /// The first error.
    pub(super) finding: Option<String>,
}

impl ListRow {
    /// The row of a judged record.
    pub(super) fn new(context: Context, name: &str, chunk: &Chunk<'_>, judged: &Judged<'_>) -> Self {
        let Judged { record, verdict } = judged;
        let start = record.as_ref().map_or(0, |record| record.span.start as usize);
        let value = |tag: &str| {
            let value = record.as_ref().and_then(|record| record.value(tag)).unwrap_or_default();
            harmless(value)
        };
        let game = record.as_ref().and_then(|record| record.value("Game")).and_then(games::find);
        let written = record.as_ref().and_then(|record| record.result).map(|result| result.value.as_str());
        let found = verdict.end.map(|end| end.outcome.as_str());
        let fault = verdict.first_error();
        Self {
            game: game.map_or_else(|| value("Game"), |game| context.word(game.name()).to_owned()),
            players: record.as_ref().map_or_else(|| "-".to_owned(), diagnostics::players),
            event: value("Event"),
            round: value("Round"),
            date: value("Date"),
            // Without an end, the result in the record is shown.
            result: found.or(written).map_or_else(|| value("Result"), str::to_owned),
            end: ended(context, verdict).unwrap_or_default(),
            place: format!("{name}:{}", chunk.place(start).line),
            finding: fault.map(|fault| format!("{}: {}", fault.code().id, context.message(&fault.message))),
        }
    }

    /// The row of a record that could not be read again.
    pub(super) fn failed(why: String) -> Self {
        Self { finding: Some(why), ..Self::default() }
    }
}

/// The termination of a game in words.
fn ended(context: Context, verdict: &Verdict) -> Option<String> {
    let end = verdict.end?;
    let word = context.word(end.termination?.word);
    Some(context.fill("replay.end", &[("end", &word), ("result", &end.outcome.as_str())]))
}

/// A game with its plies, boards and diagnostics.
pub(super) struct GameView {
    /// Name of the file, and number of the record in it.
    pub(super) name: String,
    pub(super) number: usize,
    pub(super) referee: Option<&'static dyn Referee>,
    /// Names and values as written.
    pub(super) tags: Vec<(String, String)>,
    pub(super) verdict: Verdict,
    pub(super) plies: Vec<PlyView>,
    /// Comments before the first move.
    opening: Vec<String>,
    /// Values of tags that are not judged.
    remarks: Vec<String>,
    /// The start position and every [`KEPT`]th after it; empty if the record cannot be replayed.
    boards: Vec<Box<dyn Board>>,
    /// Number of plies that were played.
    played: usize,
    /// The findings as people read them.
    told: Vec<Diagnostic>,
    /// Ply and index of each finding, in the order of the plies.
    found: Vec<(usize, usize)>,
    /// The chunk of the record, to show excerpts.
    chunk: Chunk<'static>,
    text: Vec<u8>,
}

/// A ply, legal or not.
pub(super) struct PlyView {
    /// The token as written.
    pub(super) token: String,
    /// The side that plays it.
    pub(super) side: Option<Side>,
    pub(super) clock: Option<u64>,
    /// Points of both sides after it.
    pub(super) points: Option<[u32; 2]>,
    notes: Option<Box<PlyNotes>>,
}

struct PlyNotes {
    /// Annotations, by their signs.
    signs: String,
    comments: Vec<String>,
    variations: Vec<String>,
}

impl PlyNotes {
    fn new(notes: &Notes<'_>) -> Self {
        Self {
            signs: notes.nags.iter().map(|nag| annotation(*nag)).collect::<Vec<_>>().join(" "),
            comments: notes.comments.iter().map(|comment| harmless(comment)).collect(),
            variations: notes.variations.iter().map(written).collect(),
        }
    }
}

/// The sign of an annotation, or its number if it has none.
fn annotation(nag: u32) -> String {
    let signs = ["!", "?", "!!", "??", "!?", "?!"];
    let sign = usize::try_from(nag).ok().and_then(|nag| signs.get(nag.checked_sub(1)?));
    sign.map_or_else(|| format!("${nag}"), |sign| (*sign).to_owned())
}

/// Moves with their notes, in one line.
fn written(line: &Movetext<'_>) -> String {
    let mut parts: Vec<_> = line.comments.iter().map(|comment| format!("{{{}}}", harmless(comment))).collect();
    for ply in &line.plies {
        parts.push(harmless(&ply.token));
        let Some(notes) = &ply.notes else { continue };
        parts.extend(notes.nags.iter().map(|nag| annotation(*nag)));
        parts.extend(notes.comments.iter().map(|comment| format!("{{{}}}", harmless(comment))));
        parts.extend(notes.variations.iter().map(|line| format!("({})", written(line))));
    }
    parts.join(" ")
}

impl GameView {
    /// The game of a judged record.
    pub(super) fn new(
        context: Context,
        name: String,
        number: usize,
        chunk: &Chunk<'_>,
        record: Option<&Record<'_>>,
        verdict: Verdict,
    ) -> Self {
        let referee = record.and_then(|record| record.value("Game")).and_then(games::find);
        let tags = record.iter().flat_map(|record| &record.tags);
        let plies = record.iter().flat_map(|record| &record.movetext.plies).map(|ply| PlyView {
            token: harmless(&ply.token),
            side: None,
            clock: ply.clock.map(|clock| clock.value),
            points: None,
            notes: ply.notes.as_deref().map(|notes| Box::new(PlyNotes::new(notes))),
        });
        let comments = record.iter().flat_map(|record| &record.movetext.comments);
        let remarks = record.iter().flat_map(|record| diagnostics::remarks(context, record)).collect();
        let told = findings::for_people(&verdict, record).into_iter().map(Cow::into_owned);
        let told = told.chain(verdict.advice.iter().cloned()).collect();
        let mut game = Self {
            referee,
            tags: tags.map(|tag| (tag.name.to_string(), harmless(&tag.value))).collect(),
            plies: plies.collect(),
            opening: comments.map(|comment| harmless(comment)).collect(),
            remarks,
            boards: Vec::new(),
            played: 0,
            told,
            found: Vec::new(),
            chunk: chunk.with_text(&[]),
            text: chunk.text().to_owned(),
            name,
            number,
            verdict,
        };
        if let Some(record) = record {
            game.replay(record);
        }
        let places = game.told.iter().map(|diagnostic| game.place_of(diagnostic));
        let mut found: Vec<_> = places.zip(0..).collect();
        found.sort_unstable();
        game.found = found;
        game
    }

    /// Plays the moves up to the first that is refused.
    fn replay(&mut self, record: &Record<'_>) {
        let Some(mut replay) = Replay::of(record) else { return };
        self.boards.push(replay.board().copied());
        let mut turn = replay.board().turn();
        for ply in &mut self.plies {
            turn = replay.board().turn();
            if replay.play().is_none() {
                break;
            }
            ply.side = Some(turn);
            ply.points = replay.board().points().map(|points| points.counted());
            self.played += 1;
            if self.played.is_multiple_of(KEPT) {
                self.boards.push(replay.board().copied());
            }
        }
        // The rest is not played; the sides are taken to alternate.
        for ply in &mut self.plies[self.played..] {
            ply.side = Some(turn);
            turn = !turn;
        }
    }

    /// The position after this many plies, or the last one reached.
    pub(super) fn board(&self, plies: usize) -> Option<Box<dyn Board>> {
        let plies = plies.min(self.played);
        // At least one move is replayed, so that the last move is marked.
        let kept = plies.saturating_sub(1) / KEPT;
        let mut board = self.boards.get(kept)?.copied();
        for ply in &self.plies[kept * KEPT..plies] {
            board.play(&ply.token).ok()?;
        }
        Some(board)
    }

    pub(super) fn played(&self) -> usize {
        self.played
    }

    /// The tag of a side, and the name of its player.
    pub(super) fn player(&self, side: Side) -> Option<(&'static str, &str)> {
        let tag = self.referee?.notation().side(side).tag;
        let name = self.tags.iter().find(|(name, _)| name == tag).map_or("?", |(_, name)| name);
        Some((tag, name))
    }

    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Time left of a side after this many plies, if it is recorded.
    pub(super) fn clock(&self, side: Side, plies: usize) -> Option<u64> {
        let played = self.plies[..plies.min(self.plies.len())].iter().rev();
        played.filter(|ply| ply.side == Some(side)).find_map(|ply| ply.clock)
    }

    /// Points of both sides after this many plies.
    pub(super) fn points(&self, plies: usize) -> Option<[u32; 2]> {
        match plies.min(self.played).checked_sub(1) {
            Some(last) => self.plies[last].points,
            None => self.boards.first()?.points().map(|points| points.counted()),
        }
    }

    /// Number of plies after which a diagnostic is shown. A diagnostic of the whole record is shown at the end, or at
    /// the start if the record cannot be replayed.
    fn place_of(&self, diagnostic: &Diagnostic) -> usize {
        let of_ply = diagnostic.ply.and_then(|ply| usize::try_from(ply).ok());
        of_ply.unwrap_or(if self.boards.is_empty() { 0 } else { self.plies.len() })
    }

    fn found_at(&self, plies: usize) -> impl Iterator<Item = &Diagnostic> {
        let first = self.found.partition_point(|(place, _)| *place < plies);
        let found = self.found[first..].iter().take_while(move |(place, _)| *place == plies);
        found.map(|(_, number)| &self.told[*number])
    }

    /// The codes of the diagnostics shown after this many plies.
    pub(super) fn codes_at(&self, plies: usize) -> impl Iterator<Item = &'static str> {
        self.found_at(plies).map(|diagnostic| diagnostic.code().id)
    }

    /// The ply to open at: the fault of a rejected record, else the start.
    pub(super) fn opened_at(&self) -> usize {
        let refused = matches!(self.verdict.status, Status::Rejected | Status::Unreadable);
        let fault = self.verdict.first_error().filter(|_| refused);
        fault.map_or(0, |fault| self.place_of(fault))
    }

    /// The ply of the next diagnostic; after the last one comes the first.
    pub(super) fn next_fault(&self, plies: usize) -> Option<usize> {
        let next = self.found.partition_point(|(place, _)| *place <= plies);
        self.found.get(next).or(self.found.first()).map(|(place, _)| *place)
    }

    /// The next ply whose move or notes contain the query, and true if the search wrapped around.
    pub(super) fn search(&self, query: &Query, from: usize, direction: Direction) -> Option<(usize, bool)> {
        let hit = |place: &usize| self.is_at(query, *place);
        let end = self.plies.len() + 1;
        let (near, far) = match direction {
            Direction::Forward => ((from + 1..end).find(hit), (0..=from).find(hit)),
            Direction::Back => ((0..from).rev().find(hit), (from..end).rev().find(hit)),
        };
        near.map(|place| (place, false)).or_else(|| far.map(|place| (place, true)))
    }

    fn is_at(&self, query: &Query, plies: usize) -> bool {
        let Some(last) = plies.checked_sub(1) else {
            return self.opening.iter().any(|comment| query.is_in_text(comment));
        };
        let said = self.plies[last].notes.iter().flat_map(|said| said.comments.iter().chain(&said.variations));
        query.begins_in(self.plies[last..].iter().map(|ply| ply.token.as_str()))
            || said.into_iter().any(|text| query.is_in_text(text))
    }

    /// Sign and style of a ply in the move list.
    pub(super) fn mark(&self, plies: usize) -> (&'static str, Style) {
        let plain = Style::new();
        let worst = self.found_at(plies).map(Diagnostic::severity).max();
        match (worst, plies.checked_sub(1).and_then(|last| self.plies[last].notes.as_ref())) {
            (Some(severity), _) => diagnostics::sign(severity),
            (None, _) if plies == 0 && !self.opening.is_empty() => ("…", plain),
            (None, Some(said)) if !said.comments.is_empty() || !said.variations.is_empty() => ("…", plain),
            (None, _) => ("", plain),
        }
    }

    /// The heading of a ply: number, side, move, annotations, clock.
    pub(super) fn heading(&self, context: Context, plies: usize) -> Styled {
        let (bold, plain) = (Style::new().bold(), Style::new());
        let mut line = match plies.checked_sub(1).map(|last| &self.plies[last]) {
            None if self.verdict.status == Status::Unreadable => Styled::default(),
            None => Styled::of(bold, context.say("replay.start")),
            Some(ply) => {
                let side = ply.side.and_then(|side| self.player(side)).map_or("", |(tag, _)| tag);
                let mut line = Styled::of(bold, format!("{plies}. {side} {}", ply.token));
                if let Some(said) = &ply.notes {
                    line.push(bold, format!(" {}", said.signs).trim_end());
                }
                if let Some(left) = ply.clock {
                    line.push(plain, &format!("  {}", time(left)));
                }
                line
            }
        };
        if plies > self.played + 1 || plies > self.played && self.boards.is_empty() {
            line.push(plain, &format!("  {}", context.say("view.not-judged")));
        }
        if plies == self.plies.len()
            && let Some(end) = ended(context, &self.verdict)
        {
            line.push(AnsiColor::Yellow.on_default(), &format!("  {end}"));
        }
        line
    }

    /// Notes of a ply or of the start, in at most `most` lines: heading, diagnostics, comments, variations.
    pub(super) fn notes(&self, context: Context, plies: usize, width: usize, most: usize) -> Vec<Styled> {
        let heading = Some(self.heading(context, plies)).filter(|heading| heading.width() > 0);
        let mut lines = heading.map_or_else(Vec::new, |heading| heading.wrapped(width, 2, most));
        let found: Vec<_> = self.found_at(plies).collect();
        for diagnostic in found.iter().take(MANY) {
            if lines.len() >= most {
                break;
            }
            let chunk = self.chunk.with_text(&self.text);
            // The frame has a margin for the line number.
            let margin = diagnostic.place.map_or(0, |place| place.line.to_string().len()) + 3;
            let window = width.saturating_sub(margin).max(12);
            let Explained { head, place, law } =
                diagnostics::explained(context, &self.name, &chunk, diagnostic, window);
            let suggestions = diagnostics::suggestions(context, diagnostic, findings::turn_is_missing(&self.told));
            lines.extend([&head].into_iter().chain(&suggestions).flat_map(|line| line.wrapped(width, 2, most)));
            lines.extend(place);
            // The correction comes before the law, which may be long.
            lines.extend(law.iter().rev().flat_map(|line| line.wrapped(width, 2, most)));
        }
        if let more @ 1.. = found.len().saturating_sub(MANY) {
            lines.push(Styled::plain(context.fill("verify.more-found", &[("count", &more)])));
        }
        let comments = match plies.checked_sub(1).map(|last| &self.plies[last].notes) {
            None => (&self.opening[..], &[][..]),
            Some(None) => (&[][..], &[][..]),
            Some(Some(said)) => (&said.comments[..], &said.variations[..]),
        };
        let comments = comments.0.iter().cloned().chain(comments.1.iter().map(|line| format!("({line})")));
        for comment in comments {
            if lines.len() >= most {
                break;
            }
            lines.extend(Styled::plain(comment).wrapped(width, 2, most));
        }
        if plies == 0 {
            lines.extend(self.remarks.iter().take(most).flat_map(|line| Styled::plain(line).wrapped(width, 2, most)));
        }
        lines.truncate(most);
        lines
    }

    /// A page with all details of the record and of the ply.
    pub(super) fn page(&self, context: Context, plies: usize, width: usize) -> Vec<Styled> {
        let (bold, dim, plain) = (Style::new().bold(), Style::new().dimmed(), Style::new());
        let all = usize::MAX;
        let labelled =
            |label: &str, text: &str| Styled::of(dim, format!("{label}: ")).and(plain, text).wrapped(width, 2, all);
        let mut lines = vec![Styled::of(bold, context.say("view.page.record"))];
        let status = context.word(self.verdict.status.word());
        let status =
            Styled::of(diagnostics::style(self.verdict.status), format!("{} {status}", sign(self.verdict.status)));
        lines.push(status);
        for (name, value) in self.tags.iter().take(TAGS) {
            lines.extend(labelled(name, value));
        }
        if let more @ 1.. = self.tags.len().saturating_sub(TAGS) {
            lines.push(Styled::plain(context.fill("view.page.more-tags", &[("count", &more)])));
        }
        if let Some(points) = self.verdict.points {
            lines.extend(labelled(context.say("view.page.points"), &points.to_string()));
        }
        if let Some(id) = self.verdict.id {
            let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            lines.extend(labelled(context.say("view.page.id"), &id));
        }
        if let Some(board) = self.board(plies) {
            lines.extend(labelled(context.say("view.page.position"), &board.position()));
        }
        // Diagnostics of the whole record are shown at every ply.
        let places = [0, plies, self.plies.len()];
        let mut shown = Vec::new();
        for place in places.into_iter().chain(self.next_fault(plies)) {
            if !shown.contains(&place) {
                shown.push(place);
            }
        }
        shown.sort_unstable();
        for place in shown {
            let said = self.notes(context, place, width, all);
            if said.len() > 1 || place == plies {
                lines.push(Styled::default());
                lines.extend(said);
            }
        }
        lines
    }
}

/// The sign of a status, so that it does not depend on colour.
pub(super) fn sign(status: Status) -> &'static str {
    match status {
        Status::Verified => "✓",
        Status::Incomplete => "○",
        Status::Rejected => "×",
        Status::Unreadable => "?",
    }
}

/// Milliseconds as a clock.
pub(super) fn time(millis: u64) -> String {
    let mut text = String::new();
    let _ = clock::write(millis, &mut text); // a String takes everything
    text
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;
    use quipu_referee::{Lang, verify};

    use super::*;

    const CONTEXT: Context = Context::plain(Lang::En);

    /// The only record of a text.
    fn game(text: &str) -> GameView {
        let chunk = Chunk::new(text.as_bytes());
        let read = chunk.records().next().expect("a record");
        let Judged { record, verdict } = verify::of_chunk(&chunk, read);
        GameView::new(CONTEXT, "game.quipu".to_owned(), 1, &chunk, record.as_ref(), verdict)
    }

    #[test]
    fn every_position_is_that_of_a_replay() {
        let text = std::fs::read_to_string("../fixtures/andes/games.quipu").expect("it is there");
        let records = text.split_inclusive("\n\n[").map(|record| record.trim_end_matches('['));
        let mut longest = 0;
        for record in
            records.map(|record| if record.starts_with('[') { record.to_owned() } else { format!("[{record}") })
        {
            let game = game(&record);
            let mut board = game.board(0).expect("it has a start");
            for plies in 0..=game.played() {
                let found = game.board(plies).expect("there is a board");
                assert_eq!(
                    (found.position(), found.drawing()),
                    (board.position(), board.drawing()),
                    "{plies}: {record}"
                );
                if plies < game.played() {
                    board.play(&game.plies[plies].token).expect("it was played");
                }
            }
            assert_eq!(game.board(usize::MAX).map(|board| board.position()), game.verdict.position);
            longest = longest.max(game.played());
        }
        assert!(longest > 2 * KEPT, "positions are kept and played on from: {longest}");
    }

    /// The ply at which a record opens, and the plies of its diagnostics in the order of `next_fault`.
    #[track_caller]
    fn check(text: &str, opened: usize, faults: &[usize]) {
        let game = game(text);
        assert_eq!(game.opened_at(), opened, "{text}");
        let mut at = opened;
        for fault in faults {
            at = game.next_fault(at).expect("something was found");
            assert_eq!(at, *fault, "{text}");
        }
        assert_eq!(game.next_fault(at).is_some(), !faults.is_empty(), "{text}");
    }

    #[test]
    fn a_refused_record_is_opened_at_its_fault() {
        check("[Game \"andes\"]\n\n1. 0d3 2A3\n*\n", 0, &[]);
        check("[Game \"andes\"]\n\n1. 0d3 2A3\n2. 2a1 0D0\n*\n", 3, &[3]);
        check("[Game \"andes\"]\n\n1. 0d3 2A3\n1-0\n", 2, &[2]);
        // The wrong number is only a warning.
        check("[Game \"andes\"]\n\n1. 0d3 2A3\n3. 2a1\n*\n", 3, &[3]);
        check("[Game \"andes\"]\n\n2. 0d3 2A3\n1-0\n", 2, &[1, 2, 1]);
        check("[Game \"andes\"]\n[Setup \"7/7\"]\n\n1. 0d3 2A3\n*\n", 0, &[0]);
        check("[Game \"go\"]\n\n1. 0d3 2A3\n*\n", 0, &[0]);
        check("[Game \"andes\"]\n\n1. 0d3 {open\n*\n", 0, &[0]);
    }

    #[test]
    fn clocks_and_points_are_those_of_the_ply() {
        let game = game(
            "[Game \"andes\"]\n\n1. 0d3 {[%clk 0:11:55.120]} 2A3\n2. 0a1 {[%clk 0:11:41]} 0D0 {[%clk 0:11:32]}\n*\n",
        );
        let clocks = |plies| Side::BOTH.map(|side| game.clock(side, plies));
        assert_eq!(clocks(0), [None, None]);
        assert_eq!(clocks(1), [Some(715_120), None]);
        assert_eq!(clocks(2), [Some(715_120), None]);
        assert_eq!(clocks(4), [Some(701_000), Some(692_000)]);
        for plies in 0..=4 {
            let counted = game.board(plies).and_then(|board| board.points()).map(|points| points.counted());
            assert_eq!(game.points(plies), counted, "{plies}");
        }
        assert_eq!(game.points(0), Some([7, 7]));
    }

    #[test]
    fn moves_are_searched_in_both_directions() {
        let game = game("[Game \"andes\"]\n\n{al sol} 1. 0d3 {centro} 2A3\n2. 0a1 2A3 3. 0d3\n*\n");
        let search =
            |text, from, direction| game.search(&Query::new(text).expect("something is searched"), from, direction);
        assert_eq!(search("2a3", 0, Direction::Forward), Some((2, false)));
        assert_eq!(search("2a3", 2, Direction::Forward), Some((4, false)));
        assert_eq!(search("2a3", 4, Direction::Forward), Some((2, true)));
        assert_eq!(search("2a3", 2, Direction::Back), Some((4, true)));
        assert_eq!(search("2a3 0d", 0, Direction::Forward), Some((4, false)));
        assert_eq!(search("centro", 0, Direction::Back), Some((1, true)));
        assert_eq!(search("sol", 3, Direction::Forward), Some((0, true)));
        assert_eq!(search("1b", 0, Direction::Forward), None);
    }

    #[test]
    fn annotations_have_signs() {
        let signs: Vec<_> = (0..8).map(annotation).collect();
        assert_eq!(signs, ["$0", "!", "?", "!!", "??", "!?", "?!", "$7"]);
    }

    #[test]
    fn annotations_of_a_move_are_shown() {
        let game = game("[Game \"andes\"]\n\n1. 0d3!? {centro} (0a1 {o} 0D0 (0G0)) *\n");
        let lines: Vec<_> = game.notes(CONTEXT, 1, 60, 9).iter().map(|line| line.paint(CONTEXT)).collect();
        assert_eq!(lines, ["1. Sol 0d3 !?", "centro", "(0a1 {o} 0D0 (0G0))"]);
    }
}
