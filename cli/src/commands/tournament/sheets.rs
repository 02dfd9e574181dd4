//! `quipu tournament sheets`: the scoresheets of a round, with names, round, board and leg filled in.

use clap::ArgMatches;
use quipu_pictures::{self as pictures, SheetHead};
use quipu_referee::games;
use quipu_tournament::model::RoundGame;

use super::{NotDone, read, round_of};
use crate::{
    args::number,
    commands::draw::PictureTarget,
    context::{CommandResult, Context, ExitStatus},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let target = PictureTarget::pdf(context, matches)?;
    let stored = read(context, matches)?;
    let round = match round_of(&stored, number(matches, "round")) {
        Ok(round) => round,
        Err(fault) => return NotDone::from(fault).tell(context, stored.number),
    };
    let head = |game: RoundGame<'_>| SheetHead {
        players: game.players.map(str::to_owned),
        event: stored.tournament.settings.name.clone(),
        round,
        board: game.board,
        leg: game.leg,
    };
    let heads: Vec<_> = stored.tournament.games_of(round).into_iter().map(head).collect();
    let game = games::find(stored.game.id).expect("the archive knows only our games");
    target.write(context, &pictures::sheets_pdf(game, &heads, context.lang))?;
    Ok(ExitStatus::Clean)
}
