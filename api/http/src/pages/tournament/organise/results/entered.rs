//! The results that an organiser entered into the form, and the changes that they make.

use quipu_archive::store::StoredTournament;
use quipu_tournament::model::{Board, Change, GameOutcome, GameResult, PlayerId, Tally};

use super::super::fields::Fields;

/// A result that was entered into the form.
#[derive(Clone)]
pub(super) struct Entered {
    pub(super) board: u32,
    game: u32,
    players: [PlayerId; 2],
    /// The outcome that the form showed.
    pub(super) before: Option<GameOutcome>,
    /// The points that it showed, if it has fields for them.
    had: Option<String>,
    pub(super) outcome: Option<GameOutcome>,
    /// The points; an error if they cannot be those of this outcome.
    pub(super) points: Result<Option<[u32; 2]>, ()>,
}

fn board_of<'s>(stored: &'s StoredTournament, round: u32, one: &Entered) -> Option<&'s Board> {
    stored.tournament.round(round)?.board(one.board)
}

/// True if the board has the players of the form.
pub(super) fn has_players(stored: &StoredTournament, round: u32, one: &Entered) -> bool {
    board_of(stored, round, one).is_some_and(|board| board.players == one.players)
}

/// The result of the game as it is stored.
fn result<'s>(stored: &'s StoredTournament, round: u32, one: &Entered) -> Option<&'s GameResult> {
    board_of(stored, round, one)?.games.get((one.game as usize).checked_sub(1)?)?.as_ref()
}

/// True if the game, of the same players, has the result that was entered.
pub(super) fn is_there(stored: &StoredTournament, round: u32, one: &Entered) -> bool {
    let now = result(stored, round, one);
    let same_points = || Ok(now.and_then(points_of)) == one.points;
    has_players(stored, round, one) && now.map(|now| now.outcome) == one.outcome && (one.had.is_none() || same_points())
}

/// The change that a result makes; none if it is there already, or the game is not as the form showed it.
pub(super) fn step(stored: &StoredTournament, round: u32, one: &Entered) -> Option<Change> {
    let (board, game, now) = (one.board, one.game, result(stored, round, one));
    let had_points = one.had.as_ref().is_none_or(|had| *had == points_text(now));
    if !has_players(stored, round, one) || now.map(|now| now.outcome) != one.before || !had_points {
        return None;
    }
    let Some(outcome) = one.outcome else { return Some(Change::Clear { round, board, game }) };
    let tally = |points| Tally { points, ..Tally::default() };
    let tallies = one.points.ok()?.map(|points| points.map(tally));
    let result = GameResult { tallies, ..GameResult::by_arbiter(outcome) };
    (now != Some(&result)).then_some(Change::Result { round, board, game, players: one.players, result })
}

pub(super) fn points_of(result: &GameResult) -> Option<[u32; 2]> {
    result.tallies.map(|tallies| tallies.map(|tally| tally.points))
}

/// The same as the form says them back: `31-24`, or nothing.
pub(super) fn points_text(result: Option<&GameResult>) -> String {
    result.and_then(points_of).map(|[one, two]| format!("{one}-{two}")).unwrap_or_default()
}

/// The results that were changed in the form.
pub(super) fn entered(fields: &Fields) -> Vec<Entered> {
    let mut found = Vec::new();
    for (board, game) in fields.places() {
        let at = |name: &str| format!("{name}-{board}-{game}");
        let outcome =
            |name: &str| fields.number::<usize>(&at(name)).and_then(|index| GameOutcome::ALL.get(index).copied());
        let players = fields.text(&format!("players-{board}")).and_then(|text| text.split_once('-'));
        let player = |text: &str| text.parse().map(PlayerId).ok();
        let Some((Some(one), Some(two))) = players.map(|(one, two)| (player(one), player(two))) else { continue };
        let (before, outcome) = (outcome("before"), outcome("result"));
        let had = fields.has(&at("points1")).then(|| fields.raw(&at("had")).to_owned());
        let points = ["points1", "points2"].map(|name| fields.raw(&at(name)).trim().to_owned());
        let written = if points.iter().all(String::is_empty) { String::new() } else { points.join("-") };
        if before != outcome || had.as_ref().is_some_and(|had| *had != written) {
            let points = match outcome {
                // Points go with the result.
                None if before.is_some() => Ok(None),
                _ => read_points(&points, outcome),
            };
            found.push(Entered { board, game, players: [one, two], before, had, outcome, points });
        }
    }
    found
}

/// The points in two fields, which may both be empty.
fn read_points([one, two]: &[String; 2], outcome: Option<GameOutcome>) -> Result<Option<[u32; 2]>, ()> {
    if one.is_empty() && two.is_empty() {
        return Ok(None);
    }
    let number = |text: &str| text.parse().map_err(|_| ());
    let was_played = outcome.is_none_or(GameOutcome::was_played);
    if was_played { Ok(Some([number(one)?, number(two)?])) } else { Err(()) }
}
