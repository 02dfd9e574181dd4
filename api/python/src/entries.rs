//! Standings and ratings of entries, which `verify_batch` makes. `quipu/results.py` makes classes of the JSON.

use pyo3::prelude::*;
use quipu_referee::{
    Lang,
    competition::{Candidate, CountedGames, Entry, Half, Level, Rating, ratings, read_entry, standings},
    report::competition::{Numbers, crosstable},
};
use serde::Serialize;

use crate::{
    arguments::Language,
    errors::refused,
    json,
    standings::{ListOrText, order_of},
};

/// An entry with the place of its record in the order of entry.
type PlacedEntry = (u64, String);

/// The games in the order of their places. Two with one place are refused: they would have no
/// order, and a list of places could not leave one of them out.
fn read(py: Python<'_>, mut entries: Vec<PlacedEntry>, lang: Lang) -> PyResult<Vec<(u64, Candidate)>> {
    entries.sort_by_key(|(place, _)| *place);
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(refused(py, "python.place", lang, &[("place", &pair[0].0)]));
    }
    let candidates = entries.iter().map(|(place, text)| {
        let candidate = read_entry(text).ok_or_else(|| refused(py, "python.entry", lang, &[("place", place)]))?;
        Ok((*place, candidate))
    });
    candidates.collect()
}

/// The games as they are: [`distinct_games`] has removed all but one of each.
fn counted(py: Python<'_>, entries: Vec<PlacedEntry>, lang: Lang) -> PyResult<Vec<Entry>> {
    let candidates = read(py, entries, lang)?.into_iter();
    let entries = candidates.filter_map(|(place, candidate)| match candidate {
        Candidate::Entry(entry, _) => Some(Entry { place, ..entry }),
        Candidate::Uncounted(..) | Candidate::Elsewhere(_) => None,
    });
    Ok(entries.collect())
}

/// Finds the entries that count: of several sheets or copies of a game the first.
///
/// All entries of the same two players must be passed together; those of other players do not matter.
///
/// Parameters
/// ----------
/// entries : sequence of tuple of int and str
///     The place of each record in the order of entry, and its ``entry`` of `verify_batch`.
/// lang : {"en", "es"}, default "en"
///     The language of messages.
///
/// Returns
/// -------
/// list of int
///     The places of those that count, in their order.
///
/// Raises
/// ------
/// QuipuError
///     An entry is another text, or two entries have the same place.
#[pyfunction]
#[pyo3(
    signature = (entries, *, lang = Language::DEFAULT),
    text_signature = "(entries, *, lang='en')"
)]
pub(crate) fn distinct_games(py: Python<'_>, entries: Vec<PlacedEntry>, lang: Language) -> PyResult<Vec<u64>> {
    let candidates = read(py, entries, lang.0)?;
    let mut count = CountedGames::default();
    for (place, candidate) in candidates {
        count.add(place, candidate);
    }
    Ok(count.entries.all().iter().map(|entry| entry.place).collect())
}

/// The tables of some entries as JSON.
#[pyfunction]
pub(crate) fn tables(
    py: Python<'_>,
    entries: Vec<PlacedEntry>,
    tie_breaks: Option<ListOrText>,
    lang: Language,
) -> PyResult<String> {
    let order = order_of(py, tie_breaks, lang.0)?;
    let entries = counted(py, entries, lang.0)?;
    let tables = standings(&entries, &order);
    Ok(json::line(&tables.iter().map(|table| crosstable(table, &Numbers::new())).collect::<Vec<_>>()))
}

/// A rating in JSON.
#[derive(Serialize)]
struct RatingReport {
    game: &'static str,
    name: String,
    games: u64,
    wins: u64,
    draws: u64,
    points: Option<u64>,
    bonus: Half,
    points_with_bonus: Option<Half>,
    level: Option<u16>,
    tier: Option<&'static str>,
}

/// The ratings of the players of some entries as JSON.
#[pyfunction]
pub(crate) fn ratings_in(py: Python<'_>, entries: Vec<PlacedEntry>, lang: Language) -> PyResult<String> {
    let entries = counted(py, entries, lang.0)?;
    let report = |(name, rating): (String, Rating)| {
        let Rating { game, games, wins, draws, points, bonus, level } = rating;
        RatingReport {
            game: game.id,
            name,
            games,
            wins,
            draws,
            points,
            bonus,
            points_with_bonus: points.map(|points| Half::whole(points) + bonus),
            level: level.map(Level::value),
            tier: level.map(|level| level.tier().as_str()),
        }
    };
    Ok(json::line(&ratings(&entries).into_iter().map(report).collect::<Vec<_>>()))
}
