//! A game as it is told: its title, its players, and its positions in their order.

use quipu_notation::record::Record;
use quipu_referee::{
    Diagnostic, Lang, Severity, Status, Verdict,
    drawing::Drawing,
    replay::{Played, Replay},
    verify,
    words::catalog,
};

use super::{
    Refused, TITLE,
    style::Look,
    svg::printable,
    words::{fill, say},
};

/// Makes something of the start and of the position after each lawful ply.
///
/// # Errors
/// If there are more plies than `most`.
pub(super) fn boards<T>(
    replay: &mut Replay<'_>,
    most: usize,
    mut each: impl FnMut(&Replay<'_>, Option<&Played>) -> T,
) -> Result<Vec<T>, Refused> {
    let mut made = vec![each(replay, None)];
    while let Some(played) = replay.play() {
        if made.len() > most {
            return Err(Refused::Plies { most });
        }
        made.push(each(replay, Some(&played)));
    }
    Ok(made)
}

/// A ply in a line: its number, who played it, what, and the end if it was the last.
pub(super) fn heading(replay: &Replay<'_>, played: &Played, lang: Lang) -> String {
    let side = catalog().word(replay.game().side_words()[played.side.index()], lang);
    let line = format!("{}. {side} {}", played.ply, played.token);
    match replay.board().end() {
        Some(end) => {
            let word = catalog().word(end.termination.word, lang);
            let ended = fill("story.ended", lang, &[("end", &word), ("result", &end.outcome.as_str())]);
            format!("{line} · {ended}")
        }
        None => line,
    }
}

/// What becomes of a game behind its last board.
pub(super) struct Outcome {
    /// How it ended, or why its record was refused.
    said: String,
    /// Whether nobody is to move any more.
    over: bool,
}

impl Outcome {
    /// Says it with the last board of a game.
    pub(super) fn close(self, drawing: &mut Drawing, heading: &mut String) {
        if self.over {
            drawing.turn = None;
        }
        if !heading.is_empty() {
            heading.push_str(" · ");
        }
        heading.push_str(&self.said);
    }
}

/// What is to be said behind the last board of a game that does not end on it: that it ended by a declaration, such as
/// resignation, or that its record was refused.
pub(super) fn outcome(record: &Record<'_>, replay: &Replay<'_>, lang: Lang) -> Option<Outcome> {
    let verdict = verify::record_without_id(record);
    if verdict.status == Status::Rejected {
        let code = reasons(&verdict).first().map_or("", |found| found.code().id);
        return Some(Outcome { said: fill("story.refused", lang, &[("code", &code)]), over: false });
    }
    let finding = verdict.finding.filter(|_| replay.board().end().is_none())?;
    let end = catalog().word(finding.termination?.word, lang);
    let said = fill("story.ended", lang, &[("end", &end), ("result", &finding.outcome.as_str())]);
    Some(Outcome { said, over: true })
}

/// What was found in a record: what refused it first, then what else is wrong, then warnings.
pub(super) fn reasons(verdict: &Verdict) -> Vec<&Diagnostic> {
    let mut found: Vec<_> = verdict.diagnostics.iter().collect();
    found.sort_by_key(|found| (found.severity() != Severity::Error, found.token.is_none()));
    found
}

/// What is said where no ply was played yet.
pub(super) fn beginning(lang: Lang) -> &'static str {
    say("story.start", lang)
}

/// A value of a tag, if it says anything: no longer than a title.
pub(super) fn tag(record: &Record<'_>, name: &str) -> Option<String> {
    let value = record.value(name)?.trim();
    let known = !value.is_empty() && value.chars().any(|character| character != '?' && character != '.');
    known.then(|| short(value))
}

/// The beginning of a text, no longer than a title, with nothing in it that is no sign.
pub(super) fn short(text: &str) -> String {
    let text = || text.chars().filter_map(printable);
    if text().count() <= TITLE {
        return text().collect();
    }
    text().take(TITLE - 1).chain(['…']).collect()
}

/// The names of the players, side 1 first; a question mark where none is written.
pub(super) fn players(record: &Record<'_>) -> [String; 2] {
    let name = |index: usize| record.game().and_then(|game| tag(record, game.sides[index].tag));
    [0, 1].map(|index| name(index).unwrap_or_else(|| "?".to_owned()))
}

/// What a game is called: what was asked for, else who played it.
pub(super) fn title(record: &Record<'_>, look: &Look) -> String {
    look.title.as_deref().map_or_else(
        || {
            let [one, two] = players(record);
            fill("story.against", look.lang, &[("one", &one), ("two", &two)])
        },
        short,
    )
}

/// Where and when: game, event, round, day, place.
pub(super) fn occasion(record: &Record<'_>, lang: Lang) -> String {
    let game = record.value("Game").and_then(quipu_referee::games::find);
    let name = game.map(|game| catalog().word(game.name(), lang).to_owned()).or_else(|| tag(record, "Game"));
    let round = tag(record, "Round").map(|round| fill("story.round", lang, &[("round", &round)]));
    let rules = tag(record, "Rules").filter(|rules| rules != quipu_notation::record::write::BASE_RULES);
    let parts = [name, rules, tag(record, "Event"), round, tag(record, "Date"), tag(record, "Site")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
