//! A game as it is told: its title, its players, and its positions in their order.

use quipu_notation::record::Record;
use quipu_referee::{
    Lang,
    replay::{Played, Replay},
    words::catalog,
};

use super::{
    Refused,
    look::{Look, TITLE},
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
    let side = replay.game().notation().side(played.side).tag;
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

/// The beginning of a text, no longer than a title.
pub(super) fn short(text: &str) -> String {
    if text.chars().count() <= TITLE {
        return text.to_owned();
    }
    text.chars().take(TITLE - 1).chain(['…']).collect()
}

/// The names of the players, side 1 first; a question mark where none is written.
pub(super) fn players(record: &Record<'_>) -> [String; 2] {
    let name = |index: usize| record.game().and_then(|game| tag(record, game.sides[index].tag));
    [0, 1].map(|index| name(index).unwrap_or_else(|| "?".to_owned()))
}

/// What a game is called: what was asked for, else who played it.
pub(super) fn title(record: &Record<'_>, look: &Look) -> String {
    look.title.clone().unwrap_or_else(|| {
        let [one, two] = players(record);
        fill("story.against", look.lang, &[("one", &one), ("two", &two)])
    })
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
