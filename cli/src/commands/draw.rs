//! `quipu draw`: draws a board, a game or a verdict.

use std::{
    ffi::{OsStr, OsString},
    io::{self, IsTerminal, Write},
    path::Path,
};

use clap::{ArgMatches, parser::ValueSource};
use quipu_notation::record::Record;
use quipu_options::look::{Picture, TITLE_LENGTH, Theme};
use quipu_pictures::{self as pictures, Look, Refused};
use quipu_referee::{Referee, drawing::Drawing, games, replay::Replay, verify::Judged};

use super::position::{refuse, underline};
use crate::{
    args::{number, reading, text},
    config,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    input,
    output::{self, Output},
    select_record,
};

/// The file and the format of a picture.
pub(super) struct PictureTarget<'m> {
    pub(super) form: Picture,
    path: Option<&'m Path>,
}

impl<'m> PictureTarget<'m> {
    /// Chooses the format: `--to`, else the extension of the file name, else `usual`. It must be one of `forms`.
    pub(super) fn of(
        context: Context,
        matches: &'m ArgMatches,
        known: &[Picture],
        usual: Picture,
    ) -> Result<Self, CommandError> {
        let path = matches.get_one::<OsString>("output").map(Path::new).filter(|path| *path != Path::new("-"));
        let form = match (text(matches, "to").and_then(Picture::parse), path) {
            (Some(form), _) => form,
            (None, None) => usual,
            (None, Some(path)) => {
                let ending = path.extension().and_then(OsStr::to_str).and_then(Picture::parse);
                ending.filter(|form| known.contains(form)).ok_or_else(|| {
                    let file = harmless(&path.display().to_string());
                    let known: Vec<_> = known.iter().map(|form| form.as_str()).collect();
                    let known = known.join(", ");
                    CommandError::Usage(context.fill("draw.ending", &[("file", &file), ("known", &known)]))
                })?
            }
        };
        if path.is_none() && !form.is_text() && io::stdout().is_terminal() {
            return Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &form.as_str())])));
        }
        Ok(Self { form, path })
    }

    /// A PDF document, whatever the extension of the file name. Its path is checked before an archive is read.
    #[cfg(feature = "archive")]
    pub(super) fn pdf(context: Context, matches: &'m ArgMatches) -> Result<Self, CommandError> {
        let path = output::path_asked(matches);
        if path.is_none() && io::stdout().is_terminal() {
            return Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &Picture::Pdf.as_str())])));
        }
        path.map_or(Ok(()), |path| output::spare_archives(context, path, config::usual_folder().as_deref()))?;
        Ok(Self { form: Picture::Pdf, path })
    }

    /// Writes a picture, whole or not at all.
    pub(super) fn write(&self, context: Context, picture: &[u8]) -> Result<(), CommandError> {
        let failed = |error: io::Error| match self.path {
            Some(path) => output::failure(context, path, &error),
            None => CommandError::from(error),
        };
        let folder = config::usual_folder();
        let out = self.path.map(|path| Output::file(context, path, folder.as_deref()));
        let mut out = out.unwrap_or_else(|| Ok(Output::stdout()))?;
        out.write_all(picture).map_err(failed)?;
        out.finish().map_err(failed)
    }
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let target = PictureTarget::of(context, matches, &Picture::ALL, Picture::Svg)?;
    let look = look(context, matches)?;
    let piped = OsString::from("-");
    let is_alone = text(matches, "game").is_none() && input::is_piped();
    let what = matches.get_one::<OsString>("what").or(is_alone.then_some(&piped));
    match what.filter(|what| *what == "-" || Path::new(what).exists()) {
        Some(file) => {
            if text(matches, "game").is_some() || text(matches, "rules").is_some() {
                return Err(CommandError::Usage(context.say("draw.game-of-record").to_owned()));
            }
            if target.form.is_whole() && number(matches, "ply").is_some() {
                return Err(whole(context, target.form));
            }
            // An option without effect is an error, not ignored.
            let idle: &[&str] = match target.form {
                Picture::Html => &["size"],
                Picture::Pdf if number(matches, "ply").is_none() => &["theme", "size", "flip", "no-marks"],
                _ => &[],
            };
            let given = |name: &&&str| matches.value_source(name) == Some(ValueSource::CommandLine);
            if let Some(option) = idle.iter().find(given) {
                let option = format!("--{option}");
                let said = context.fill("draw.idle", &[("option", &option), ("form", &target.form.as_str())]);
                return Err(CommandError::Usage(said));
            }
            select_record::show(context, matches, Some(file), reading(matches), |judged| {
                of_record(context, matches, &target, &look, judged)
            })
        }
        None => of_position(context, matches, &target, &look, what),
    }
}

/// The look that the options set.
fn look(context: Context, matches: &ArgMatches) -> Result<Look, CommandError> {
    let usual = Look::new(context.lang);
    let title = text(matches, "title").map(str::to_owned);
    if title.as_ref().is_some_and(|title| !(1..=TITLE_LENGTH).contains(&title.chars().count())) {
        return Err(CommandError::Usage(context.fill("draw.title-long", &[("most", &TITLE_LENGTH)])));
    }
    Ok(Look {
        theme: text(matches, "theme").and_then(Theme::parse).or(context.user.theme).unwrap_or(usual.theme),
        width: number(matches, "size").unwrap_or(usual.width),
        title,
        flip: matches.get_flag("flip"),
        marks: !matches.get_flag("no-marks"),
        ..usual
    })
}

fn whole(context: Context, form: Picture) -> CommandError {
    CommandError::Usage(context.fill("draw.whole", &[("form", &form.as_str())]))
}

fn too_much(context: Context) -> impl Fn(Refused) -> CommandError {
    move |refused| CommandError::Usage(refused.message(context.lang))
}

/// A board in one of the formats that show a single board.
fn board(
    context: Context,
    form: Picture,
    game: &'static dyn Referee,
    drawing: &Drawing,
    look: &Look,
) -> Result<Vec<u8>, CommandError> {
    let drawn = match form {
        Picture::Svg => pictures::svg(game, drawing, look).map(String::into_bytes),
        Picture::Png => pictures::png(game, drawing, look),
        Picture::Pdf => pictures::pdf(game, drawing, look),
        Picture::Gif | Picture::Html => return Err(whole(context, form)),
    };
    drawn.map_err(too_much(context))
}

/// Draws a record, or one board of it.
fn of_record(
    context: Context,
    matches: &ArgMatches,
    target: &PictureTarget<'_>,
    look: &Look,
    Judged { record, verdict }: &Judged<'_>,
) -> CommandResult {
    let Some(record) = record else { return Ok(ExitStatus::Faults) };
    let ply = number(matches, "ply");
    let made = match target.form {
        Picture::Gif => pictures::gif(record, look),
        Picture::Html => pictures::html(record, look).map(|page| page.map(String::into_bytes)),
        Picture::Pdf if ply.is_none() => Some(pictures::verdict(record, verdict, None, look)),
        form => return of_ply(context, target, form, ply, record, look),
    };
    // Without a board to replay on, the findings explain the reason.
    let Some(made) = made else { return Ok(ExitStatus::Faults) };
    target.write(context, &made.map_err(too_much(context))?)?;
    Ok(ExitStatus::Clean)
}

/// Draws the board after a ply, or after the last ply that was played.
fn of_ply(
    context: Context,
    target: &PictureTarget<'_>,
    form: Picture,
    ply: Option<u32>,
    record: &Record<'_>,
    look: &Look,
) -> CommandResult {
    let Some(mut replay) = Replay::of(record) else { return Ok(ExitStatus::Faults) };
    let wanted = ply.map_or(u64::MAX, u64::from);
    while replay.ply() < wanted && replay.play().is_some() {}
    if let Some(ply) = ply.filter(|_| replay.ply() < wanted) {
        print_to_stderr(context.fill("replay.no-ply", &[("ply", &ply), ("count", &replay.ply())]));
        return Ok(ExitStatus::Usage);
    }
    target.write(context, &board(context, form, replay.game(), &replay.board().drawing(), look)?)?;
    Ok(ExitStatus::Clean)
}

/// Draws a position, or the start position of a game.
fn of_position(
    context: Context,
    matches: &ArgMatches,
    target: &PictureTarget<'_>,
    look: &Look,
    what: Option<&OsString>,
) -> CommandResult {
    let of_record = ["record", "ply"].iter().any(|name| number(matches, name).is_some());
    if of_record || text(matches, "from").is_some() {
        return Err(CommandError::Usage(context.say("draw.of-record").to_owned()));
    }
    if target.form.is_whole() {
        return Err(whole(context, target.form));
    }
    let (game, rules) = (text(matches, "game").and_then(games::find), text(matches, "rules"));
    let (game, drawing) = match (what.map(|what| what.to_string_lossy()), game) {
        (None, None) => return Err(CommandError::Usage(context.say("draw.nothing").to_owned())),
        (None, Some(game)) => match game.board(rules, None) {
            Ok(board) => (game, board.drawing()),
            Err(faults) => return Ok(refuse(context, &faults)),
        },
        (Some(position), Some(game)) => match game.arrange(rules, &position) {
            Ok(arrangement) => (game, arrangement.drawing),
            Err(faults) => {
                for fault in &faults {
                    underline(context, &position, fault);
                }
                return Ok(refuse(context, &faults));
            }
        },
        (Some(position), None) => recognized(context, rules, &position)?,
    };
    target.write(context, &board(context, target.form, game, &drawing, look)?)?;
    Ok(ExitStatus::Clean)
}

/// The only game that accepts a text as a position.
fn recognized(
    context: Context,
    rules: Option<&str>,
    position: &str,
) -> Result<(&'static dyn Referee, Drawing), CommandError> {
    let fitting = games::ALL.iter().filter_map(|game| Some((*game, game.arrange(rules, position).ok()?.drawing)));
    let mut fitting: Vec<_> = fitting.collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(CommandError::Usage(context.fill("draw.neither", &[("what", &harmless(position))]))),
        _ => {
            let games: Vec<_> = fitting.iter().map(|(game, _)| game.notation().id).collect();
            Err(CommandError::Usage(context.fill("draw.several", &[("games", &games.join(", "))])))
        }
    }
}
