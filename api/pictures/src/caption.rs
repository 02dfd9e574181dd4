//! Texts and positions of a game: title, players, and a caption for each ply.

use std::borrow::Cow;

use quipu_notation::record::Record;
use quipu_referee::{
    Diagnostic, Lang, Severity, Status, Verdict,
    drawing::Drawing,
    findings,
    messages::catalog,
    replay::{Played, Replay},
    verify,
};

use super::{
    Refused, TITLE_LENGTH,
    messages::{fill, say},
    style::Look,
    svg::printable,
};

/// Maps the start position, and the position after each legal ply.
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

/// A ply in a line: number, side, move, and the termination if it was the last.
pub(super) fn heading(replay: &Replay<'_>, played: &Played, lang: Lang) -> String {
    let side = catalog().word(replay.game().side_words()[played.side.index()], lang);
    let line = format!("{}. {side} {}", played.ply, played.token);
    match replay.board().end() {
        Some(end) => {
            let word = catalog().word(end.termination.word, lang);
            let ended = fill("caption.ended", lang, &[("end", &word), ("result", &end.outcome.as_str())]);
            format!("{line} · {ended}")
        }
        None => line,
    }
}

/// The end of a game whose last board does not show it.
pub(super) struct EndCaption {
    /// The termination, or the reason why the record was refused.
    text: String,
    /// True if the game is over.
    is_over: bool,
}

impl EndCaption {
    /// Adds it to the last board and its caption.
    pub(super) fn close(self, drawing: &mut Drawing, heading: &mut String) {
        if self.is_over {
            drawing.turn = None;
        }
        if !heading.is_empty() {
            heading.push_str(" · ");
        }
        heading.push_str(&self.text);
    }
}

/// The end of a game that the last board does not show: a declared termination, such as resignation, or the rejection
/// of the record.
pub(super) fn outcome(record: &Record<'_>, replay: &Replay<'_>, lang: Lang) -> Option<EndCaption> {
    let verdict = verify::record_without_id(record);
    if verdict.status == Status::Rejected {
        let code = reasons(&verdict, Some(record)).first().map_or("", |found| found.code().id);
        return Some(EndCaption { text: fill("caption.refused", lang, &[("code", &code)]), is_over: false });
    }
    let end = verdict.end.filter(|_| replay.board().end().is_none())?;
    let word = catalog().word(end.termination?.word, lang);
    let text = fill("caption.ended", lang, &[("end", &word), ("result", &end.outcome.as_str())]);
    Some(EndCaption { text, is_over: true })
}

/// Findings by importance: the one that stopped the replay, other errors, warnings.
pub(super) fn reasons<'v>(verdict: &'v Verdict, record: Option<&Record<'_>>) -> Vec<Cow<'v, Diagnostic>> {
    let mut found = findings::for_people(verdict, record);
    found.sort_by_key(|found| (found.severity() != Severity::Error, found.token.is_none()));
    found
}

/// Caption of the start position.
pub(super) fn beginning(lang: Lang) -> &'static str {
    say("caption.start", lang)
}

/// The value of a tag, cut to the length of a title; `None` if it is empty or unknown.
pub(super) fn tag(record: &Record<'_>, name: &str) -> Option<String> {
    let value = record.value(name)?.trim();
    let known = !value.is_empty() && value.chars().any(|character| character != '?' && character != '.');
    known.then(|| short(value))
}

/// The text cut to the length of a title, without unprintable characters.
pub(super) fn short(text: &str) -> String {
    let text = || text.chars().filter_map(printable);
    if text().count() <= TITLE_LENGTH {
        return text().collect();
    }
    text().take(TITLE_LENGTH - 1).chain(['…']).collect()
}

/// Names of the players, side 1 first; a question mark for a missing one.
pub(super) fn players(record: &Record<'_>) -> [String; 2] {
    let name = |index: usize| record.game().and_then(|game| tag(record, game.sides[index].tag));
    [0, 1].map(|index| name(index).unwrap_or_else(|| "?".to_owned()))
}

/// The title of the look, else the players.
pub(super) fn title(record: &Record<'_>, look: &Look) -> String {
    look.title.as_deref().map_or_else(
        || {
            let [one, two] = players(record);
            fill("caption.against", look.lang, &[("one", &one), ("two", &two)])
        },
        short,
    )
}

/// Game, rules, event, round, date and site, as far as they are known.
pub(super) fn event_line(record: &Record<'_>, lang: Lang) -> String {
    let game = record.value("Game").and_then(quipu_referee::games::find);
    let name = game.map(|game| catalog().word(game.name(), lang).to_owned()).or_else(|| tag(record, "Game"));
    let round = tag(record, "Round").map(|round| fill("caption.round", lang, &[("round", &round)]));
    let rules = tag(record, "Rules").filter(|rules| rules != quipu_notation::record::write::BASE_RULES);
    let parts = [name, rules, tag(record, "Event"), round, tag(record, "Date"), tag(record, "Site")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
