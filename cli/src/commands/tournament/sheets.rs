//! `quipu tournament sheets`: the scoresheets of a round, with names, round, board and leg filled in.

use clap::ArgMatches;
use quipu_pictures::{self as pictures, SheetHead};
use quipu_referee::games;

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
    let tournament = &stored.tournament;
    let mut heads = Vec::new();
    for (board, paired) in (1..).zip(&tournament.rounds[round as usize - 1].boards) {
        let games = u32::try_from(paired.games.len()).unwrap_or(u32::MAX);
        for game in 1..=games {
            let mut players = paired.players.map(|id| tournament.name(id).to_owned());
            if game.is_multiple_of(2) {
                players.reverse();
            }
            let leg = (games > 1).then_some(game);
            heads.push(SheetHead { players, event: tournament.settings.name.clone(), round, board, leg });
        }
    }
    let game = games::find(stored.game.id).expect("the archive knows only our games");
    target.write(context, &pictures::sheets_pdf(game, &heads, context.lang))?;
    Ok(ExitStatus::Clean)
}
