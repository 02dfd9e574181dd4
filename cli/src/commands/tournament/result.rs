//! `quipu tournament result`: the result of a board, as the arbiter writes it.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::store::StoredTournament;
use quipu_tournament::{
    fault::{self, Fault},
    model::{Board, Change, GameOutcome, GameResult, Origin, Tally},
    records::Place,
};

use super::{NotDone, by, change, player, remark, round_of, texts};
use crate::{
    args::{number, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, stdout},
};

/// The result on the command line.
struct ResultArguments {
    round: Option<u32>,
    board: u32,
    leg: Option<u32>,
    /// None takes the result back.
    outcome: Option<GameOutcome>,
    points: Option<[u32; 2]>,
    /// Players who must be on the board.
    players: Vec<String>,
    /// True if another result may be replaced.
    replaces: bool,
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let arguments = ResultArguments::new(context, matches)?;
    // To take a result back needs a reason.
    let by = by(context, matches, "result", arguments.outcome.is_none())?;
    let (round, board) = (arguments.round, arguments.board);
    change(
        context,
        matches,
        by,
        move |stored| arguments.steps(stored),
        |stored| {
            let mut out = stdout();
            if let Ok(round) = round_of(stored, round) {
                print(context, stored, round, board, &mut out)?;
                remark(context, &remarks(stored, round, board));
            }
            out.flush()?;
            Ok(ExitStatus::Clean)
        },
    )
}

impl ResultArguments {
    fn new(context: Context, matches: &ArgMatches) -> Result<Self, CommandError> {
        let missing = |argument: &str| CommandError::Usage(context.fill("usage.missing", &[("argument", &argument)]));
        let outcome = text(matches, "result").map(GameOutcome::read);
        let clear = matches.get_flag("clear");
        let outcome = match (outcome, clear) {
            (Some(outcome), false) => outcome,
            (None, true) => None,
            (Some(_), true) => {
                return Err(CommandError::Usage(context.say("tournament.result.clear-alone").to_owned()));
            }
            (None, false) => return Err(missing("RESULT")),
        };
        let points = text(matches, "points").map(|text| {
            let bad =
                || CommandError::Usage(context.fill("tournament.result.bad-points", &[("found", &harmless(text))]));
            let (one, two) = text.split_once('-').ok_or_else(bad)?;
            Ok::<_, CommandError>([one.parse().map_err(|_| bad())?, two.parse().map_err(|_| bad())?])
        });
        Ok(Self {
            round: number(matches, "round"),
            board: number(matches, "board").ok_or_else(|| missing("--board"))?,
            leg: number(matches, "leg"),
            outcome,
            points: points.transpose()?,
            players: texts(matches, "player"),
            replaces: text(matches, "reason").is_some(),
        })
    }

    fn steps(&self, stored: &StoredTournament) -> Result<Vec<Change>, NotDone> {
        let tournament = &stored.tournament;
        let round = round_of(stored, self.round)?;
        let at = |code| Fault::new(code).with("round", round).with("board", self.board);
        let boards = &tournament.rounds[round as usize - 1].boards;
        let board = boards.get((self.board as usize).wrapping_sub(1)).ok_or_else(|| at(fault::UNKNOWN_BOARD))?;
        for name in &self.players {
            let id = player(stored, name)?;
            if board.index_of(id).is_none() {
                let [one, two] = board.players.map(|id| tournament.name(id).to_owned());
                let facts = vec![
                    ("player", tournament.name(id).to_owned()),
                    ("round", round.to_string()),
                    ("board", self.board.to_string()),
                    ("one", one),
                    ("two", two),
                ];
                return Err(NotDone::Conflict("tournament.result.other-players", facts));
            }
        }
        let mut steps = Vec::new();
        for game in self.games(board)? {
            let place = Place { round, board: self.board, game };
            let Some(result) = self.result(board, game) else {
                steps.push(Change::Clear { round, board: self.board, game });
                continue;
            };
            let before = stored.result(place);
            if before.is_some_and(|before| before.outcome == result.outcome && before.tallies == result.tallies) {
                continue;
            }
            if let Some(before) = before.filter(|_| !self.replaces && !stored.bindings.places.contains_key(&place)) {
                let facts = vec![
                    ("round", round.to_string()),
                    ("board", self.board.to_string()),
                    ("result", before.outcome.in_game(game).written().to_owned()),
                ];
                return Err(NotDone::Conflict("tournament.result.there", facts));
            }
            steps.push(Change::Result { round, board: self.board, game, players: board.players, result });
        }
        Ok(steps)
    }

    /// The games that the result is for: that of `--leg`, the only one, or all of an encounter that was not played.
    fn games(&self, board: &Board) -> Result<Vec<u32>, NotDone> {
        let all = 1..=u32::try_from(board.games.len()).unwrap_or(u32::MAX);
        let is_unplayed = self.outcome.is_none_or(|outcome| !outcome.was_played());
        match self.leg {
            Some(leg) => Ok(vec![leg]),
            None if board.games.len() == 1 || is_unplayed => Ok(all.collect()),
            None => {
                Err(NotDone::Unknown("tournament.result.which-leg", vec![("games", board.games.len().to_string())]))
            }
        }
    }

    /// The result for the players of the board in their order.
    fn result(&self, board: &Board, game: u32) -> Option<GameResult> {
        // With `--leg`, a result is as on the scoresheet: side 1 of that leg first.
        let swaps = board.games.len() > 1 && self.leg.is_some() && game.is_multiple_of(2);
        let outcome = self.outcome?;
        let mut points = self.points;
        if swaps && let Some(points) = &mut points {
            points.reverse();
        }
        let tallies = points.map(|points| points.map(|points| Tally { points, ..Tally::default() }));
        Some(GameResult { tallies, ..GameResult::by_arbiter(if swaps { outcome.swapped() } else { outcome }) })
    }
}

/// Remarks on the results of a board that the arbiter wrote.
fn remarks(stored: &StoredTournament, round: u32, number: u32) -> Vec<Fault> {
    let tournament = &stored.tournament;
    let games = tournament.round(round).and_then(|round| round.board(number)).map_or(&[][..], |board| &board.games);
    let written = (1_u32..).zip(games).filter_map(|(game, result)| Some((game, result.as_ref()?)));
    let written = written.filter(|(_, result)| result.origin == Origin::Arbiter);
    let remarks = written.filter_map(|(game, result)| {
        if stored.counts_points() && result.outcome.was_played() && result.tallies.is_none() {
            let fault = Fault::new(fault::NO_POINTS).with("round", round).with("board", number);
            return Some(fault.with("game", game));
        }
        result.remark(round, number)
    });
    remarks.collect()
}

/// Prints the games of a board in lines such as `1.1  Ana 1-0 Luis`.
fn print(
    context: Context,
    stored: &StoredTournament,
    round: u32,
    number: u32,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let tournament = &stored.tournament;
    let boards = tournament.round(round).map_or(&[][..], |round| &round.boards);
    let Some(board) = boards.get((number as usize).wrapping_sub(1)) else { return Ok(()) };
    for (game, result) in (1..).zip(&board.games) {
        let [mut one, mut two] = board.players.map(|id| harmless(tournament.name(id)));
        if u32::is_multiple_of(game, 2) {
            std::mem::swap(&mut one, &mut two);
        }
        let result = result.as_ref().map_or("–", |result| result.outcome.in_game(game).written());
        let facts: [(&str, &dyn std::fmt::Display); 6] =
            [("round", &round), ("board", &number), ("game", &game), ("one", &one), ("result", &result), ("two", &two)];
        let key = if board.games.len() == 1 { "tournament.result.done" } else { "tournament.result.done-leg" };
        writeln!(out, "{}", context.fill(key, &facts))?;
    }
    Ok(())
}
