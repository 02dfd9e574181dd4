//! `quipu tournament sheets`: the scoresheets of a round, with names, round, board and leg filled in, and the codes that open the
//! pages on which a service scores the games.

use clap::ArgMatches;
use quipu_archive::model::ScoreAddress;
use quipu_options::settings::web_address;
use quipu_pictures::{self as pictures, SheetCode, SheetHead};
use quipu_referee::games;
use quipu_tournament::model::RoundGame;

use super::{NotDone, read, round_of};
use crate::{
    args::{number, text},
    commands::draw::PictureTarget,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let target = PictureTarget::pdf(context, matches)?;
    let service = text(matches, "url").map(|url| service(context, url)).transpose()?;
    let stored = read(context, matches)?;
    let round = match round_of(&stored, number(matches, "round")) {
        Ok(round) => round,
        Err(fault) => return NotDone::from(fault).tell(context, stored.number),
    };
    let code = |game: &RoundGame<'_>| {
        let (address, service) = (ScoreAddress::new(stored.number, round, game), service.as_deref()?);
        SheetCode::new(&format!("{service}{}", address.path_for_players()), &format!("{service}{}", address.path()))
    };
    let tournament = &stored.tournament;
    let head = |game: &RoundGame<'_>| SheetHead::new(tournament, round, game, code(game));
    let heads: Vec<_> = tournament.games_of(round).iter().map(head).collect();
    let game = games::find(stored.game.id).expect("the archive knows only our games");
    target.write(context, &pictures::sheets_pdf(game, &heads, context.lang))?;
    Ok(ExitStatus::Clean)
}

/// The address of the service that scores the games.
fn service(context: Context, url: &str) -> Result<String, CommandError> {
    let fits = |url: &String| (1..=ScoreAddress::SERVICE).contains(&url.len());
    web_address(url).filter(fits).ok_or_else(|| {
        CommandError::Usage(
            context.fill("tournament.sheets.bad-url", &[("found", &harmless(url)), ("most", &ScoreAddress::SERVICE)]),
        )
    })
}
