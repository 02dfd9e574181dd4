//! `quipu rank`: players with their level and tier (9.5).

use std::io::Write;

use clap::ArgMatches;
use quipu_referee::{
    competition::rank,
    report::{self, competition::RankReport},
};

use super::score::{ScoreInput, ranked_table};
use crate::{
    args::text,
    breakdown,
    context::{CommandResult, Context},
    output::{self, Output},
    table::{self, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let ScoreInput { form, input, encounters, mut players } = ScoreInput::read(context, matches)?;
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, false)?;
    rank(&mut players);
    if let Some(name) = text(matches, "explain") {
        out.write_all(breakdown::points(context, &input, &encounters, &players, name)?.as_bytes()).map_err(&failed)?;
    } else if form == TableFormat::Json {
        let players = players.iter().map(report::competition::ranked).collect();
        report::write(&RankReport { players, files: input.files(), sheets: input.related() }, &mut out)
            .map_err(&failed)?;
    } else {
        table::print(context, form, &[ranked_table(context, &players)], &mut out).map_err(&failed)?;
    }
    out.finish().map_err(&failed)?;
    Ok(input.status)
}
