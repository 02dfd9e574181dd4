//! Tokens with a limit change one tournament, or the results, records and live games of one board.
//! Everything else is refused, in the transaction that would write it.

use quipu_archive::{
    model::{Draft, Number, Submission, TokenLimit},
    store::{ReadTx, StoredTournament},
};
use quipu_notation::games::GameNotation;
use quipu_tournament::model::{Board, Change};

use super::{auth::Bearer, problem::Problem};

/// The facts of a game by which it belongs to a board.
struct Played<'a> {
    game: Option<&'static GameNotation>,
    event: Option<&'a str>,
    round: Option<&'a str>,
    players: [Option<&'a str>; 2],
}

impl Bearer {
    /// Checks that the token may submit a record.
    ///
    /// # Errors
    /// `api.scope`, or that of the archive.
    pub(super) fn may_submit(&self, reading: &ReadTx<'_>, submission: &Submission) -> Result<(), Problem> {
        let facts = &submission.facts;
        self.may_play(
            reading,
            &Played {
                game: facts.game,
                event: facts.event.as_deref(),
                round: facts.round.as_deref(),
                players: facts.players.each_ref().map(Option::as_deref),
            },
        )
    }

    /// Checks that the token may save a game in progress.
    ///
    /// # Errors
    /// `api.scope`, or that of the archive.
    pub(super) fn may_save(&self, reading: &ReadTx<'_>, draft: &Draft) -> Result<(), Problem> {
        self.may_play(
            reading,
            &Played {
                game: Some(draft.game),
                event: draft.event.as_deref(),
                round: draft.round.as_deref(),
                players: draft.players.each_ref().map(Option::as_deref),
            },
        )
    }

    /// Checks that the token may pair rounds and undo changes of a tournament.
    ///
    /// # Errors
    /// `api.scope`
    pub(super) fn may_direct(&self, tournament: Option<Number>) -> Result<(), Problem> {
        let fits = |limit: TokenLimit| Some(limit.tournament) == tournament && limit.board.is_none();
        if self.limit.is_none_or(fits) { Ok(()) } else { Err(self.beyond_limit()) }
    }

    /// Checks that the token may change a tournament by these steps: one for a board writes results of its games.
    ///
    /// # Errors
    /// `api.scope`
    pub(super) fn may_change(&self, tournament: Number, steps: &[Change]) -> Result<(), Problem> {
        let Some(TokenLimit { board: Some(own), .. }) = self.limit.filter(|limit| limit.tournament == tournament)
        else {
            return self.may_direct(Some(tournament));
        };
        let is_own = |step: &Change| matches!(step, Change::Result { round, board, .. } if (*round, *board) == own);
        if steps.iter().all(is_own) { Ok(()) } else { Err(self.beyond_limit()) }
    }

    fn may_play(&self, reading: &ReadTx<'_>, played: &Played<'_>) -> Result<(), Problem> {
        let Some(limit) = self.limit else { return Ok(()) };
        let stored = reading.tournament(limit.tournament)?;
        let fits = stored.is_some_and(|stored| belongs(&stored, limit, played));
        if fits { Ok(()) } else { Err(self.beyond_limit()) }
    }
}

/// True if a game is of the tournament and, if the limit names one, of the board.
fn belongs(stored: &StoredTournament, limit: TokenLimit, played: &Played<'_>) -> bool {
    let tournament = &stored.tournament;
    let is_of_event = played.event == Some(&*tournament.settings.name);
    if !is_of_event || played.game.is_none_or(|game| game.id != stored.game.id) {
        return false;
    }
    let Some((round, number)) = limit.board else { return true };
    let board = tournament.round(round).and_then(|paired| paired.boards.get((number as usize).checked_sub(1)?));
    let meets = |board: &Board| {
        let names = board.players.map(|id| Some(tournament.name(id)));
        played.players == names || played.players == [names[1], names[0]]
    };
    let is_of_round = played.round.and_then(|text| text.trim().parse().ok()) == Some(round);
    is_of_round && board.is_some_and(meets)
}
