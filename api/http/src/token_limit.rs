//! Limits of tokens. A token for a tournament changes and pairs it, and undoes its changes except its creation; one for a board
//! writes its results. Both submit records and save games in progress: those of the tournament, or of the board.
//!
//! Games are checked in the transaction that writes them. Their tournament was read before, and is read again only if it has
//! changed since.

use std::sync::Arc;

use quipu_archive::{
    model::{Draft, Live, Number, Submission, TokenLimit},
    store::{ReadTx, StoreError},
};
use quipu_notation::games::GameNotation;
use quipu_tournament::model::Change;

use super::{auth::Bearer, paired_boards::PairedBoards, problem::Problem, request::RequestContext};

impl Bearer {
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
}

/// The games that a request may write: all of them, or those of the limit of its token.
#[derive(Clone)]
pub(crate) struct AllowedGames(Option<LimitedGames>);

#[derive(Clone)]
struct LimitedGames {
    bearer: Bearer,
    limit: TokenLimit,
    /// The boards of the tournament as they were.
    boards: Option<Arc<PairedBoards>>,
}

impl RequestContext {
    /// The games that the request may write.
    ///
    /// # Errors
    /// That of the archive, or `api.busy`.
    pub(crate) async fn allowed_games(&self) -> Result<AllowedGames, Problem> {
        let limited = self.bearer.as_ref().and_then(|bearer| Some((bearer, bearer.limit?)));
        let Some((bearer, limit)) = limited else { return Ok(AllowedGames(None)) };
        let cache = Arc::clone(&self.service.boards);
        let mut boards = self.read(|reading| cache.find(reading, limit.tournament))?;
        if boards.is_none() {
            let (store, time) = (self.store().clone(), self.settings().query_timeout);
            let load = move || Ok(store.read_within(time, |reading| cache.load(reading, limit.tournament))?);
            boards = self.work(load).await?;
        }
        Ok(AllowedGames(Some(LimitedGames { bearer: bearer.clone(), limit, boards })))
    }
}

impl AllowedGames {
    /// The check of games in a transaction.
    ///
    /// # Errors
    /// That of the archive.
    pub(super) fn now<'a>(&'a self, reading: &'a ReadTx<'a>) -> Result<GameCheck<'a>, StoreError> {
        let Some(LimitedGames { bearer, limit, boards }) = &self.0 else { return Ok(GameCheck(None)) };
        let version = reading.tournament_version(limit.tournament)?;
        let boards = match boards {
            Some(boards) if Some(boards.version) == version => Some(Arc::clone(boards)),
            _ => PairedBoards::read(reading, limit.tournament)?.map(Arc::new),
        };
        Ok(GameCheck(Some(LimitedCheck { reading, bearer, limit: *limit, boards })))
    }
}

/// The check of games in a transaction.
pub(super) struct GameCheck<'a>(Option<LimitedCheck<'a>>);

struct LimitedCheck<'a> {
    reading: &'a ReadTx<'a>,
    bearer: &'a Bearer,
    limit: TokenLimit,
    boards: Option<Arc<PairedBoards>>,
}

/// The facts of a game by which it belongs to a board.
struct Played<'a> {
    game: Option<&'static GameNotation>,
    event: Option<&'a str>,
    round: Option<&'a str>,
    players: [Option<&'a str>; 2],
}

impl GameCheck<'_> {
    /// Checks that a record may be submitted.
    ///
    /// # Errors
    /// `api.scope`, or that of the archive.
    pub(super) fn submit(&self, submission: &Submission) -> Result<(), Problem> {
        let facts = &submission.facts;
        self.play(&Played {
            game: facts.game,
            event: facts.event.as_deref(),
            round: facts.round.as_deref(),
            players: facts.players.each_ref().map(Option::as_deref),
        })
    }

    /// Checks that a game in progress may be saved.
    ///
    /// # Errors
    /// `api.scope`, or that of the archive.
    pub(super) fn save(&self, draft: &Draft) -> Result<(), Problem> {
        self.play(&Played {
            game: Some(draft.game),
            event: draft.event.as_deref(),
            round: draft.round.as_deref(),
            players: draft.players.each_ref().map(Option::as_deref),
        })
    }

    /// Checks that a game may be finished. A name may have been corrected since it was saved, while the board has its players.
    ///
    /// # Errors
    /// `api.scope`, or that of the archive.
    pub(super) fn finish(&self, live: &Live) -> Result<(), Problem> {
        let has_players = self.0.as_ref().is_some_and(LimitedCheck::has_players);
        if has_players && self.is_own(live)? { Ok(()) } else { self.save(&live.draft) }
    }

    /// True if this token opened the game, or another one of the same board and players: scoresheets are printed again.
    ///
    /// # Errors
    /// That of the archive.
    pub(super) fn is_own(&self, live: &Live) -> Result<bool, StoreError> {
        let Some(check) = &self.0 else { return Ok(true) };
        if live.submitter == check.bearer.name {
            return Ok(true);
        }
        let opener = check.reading.token_called(&live.submitter)?.and_then(|token| token.limit);
        Ok(check.limit.players.is_some() && opener == Some(check.limit))
    }

    fn play(&self, played: &Played<'_>) -> Result<(), Problem> {
        let Some(check) = &self.0 else { return Ok(()) };
        if check.allows(played)? { Ok(()) } else { Err(check.bearer.beyond_limit()) }
    }
}

impl LimitedCheck<'_> {
    /// True if a game is of the tournament and, if the limit names one, of the board.
    fn allows(&self, played: &Played<'_>) -> Result<bool, StoreError> {
        let Some(boards) = &self.boards else { return Ok(false) };
        let is_of_event = played.event == Some(&*boards.event);
        if !is_of_event || played.game.is_none_or(|game| game.id != boards.game.id) {
            return Ok(false);
        }
        let Some(own) = self.limit.board else { return Ok(true) };
        if self.limit.players.is_some() && !self.has_players() {
            return Ok(false);
        }
        let is_of_round = played.round.and_then(|text| text.trim().parse().ok()) == Some(own.0);
        let ([Some(one), Some(two)], Some(names), true) = (played.players, boards.names(own), is_of_round) else {
            return Ok(false);
        };
        Ok(sorted([one, two]) == sorted(names) || self.merged([one, two])? == self.merged(names)?)
    }

    /// True if the token is of a code, and its board has the players for whom it was printed: a round may be paired again.
    fn has_players(&self) -> bool {
        let (Some(boards), Some(own), Some(meant)) = (&self.boards, self.limit.board, self.limit.players) else {
            return false;
        };
        boards.players(own).map(sorted) == Some(sorted(meant))
    }

    /// The names that two names count as, as when the records of a tournament find their boards.
    fn merged(&self, names: [&str; 2]) -> Result<[String; 2], StoreError> {
        let root = |name: &str| -> Result<_, StoreError> {
            let player = self.reading.player_named(name)?.and_then(|player| player.counts_as);
            Ok(player.map_or_else(|| name.to_owned(), |(_, name)| name))
        };
        Ok(sorted([root(names[0])?, root(names[1])?]))
    }
}

fn sorted<T: Ord>(mut names: [T; 2]) -> [T; 2] {
    names.sort_unstable();
    names
}
