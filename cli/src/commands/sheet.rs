//! `quipu sheet`: an empty scoresheet of a game.

use clap::ArgMatches;
use quipu_options::look::Picture;
use quipu_pictures as pictures;

use super::{draw::PictureTarget, position::game};
use crate::{
    args::number,
    context::{CommandResult, Context, ExitStatus},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let target = PictureTarget::of(context, matches, &Picture::SHEETS, Picture::Pdf)?;
    let (game, lang, number) = (game(matches), context.lang, number(matches, "number").unwrap_or(1));
    let sheet = match target.form {
        Picture::Svg => pictures::sheet_svg(game, number, lang).into_bytes(),
        _ => pictures::sheet_pdf(game, number, lang),
    };
    target.write(context, &sheet)?;
    Ok(ExitStatus::Clean)
}
