//! `quipu new`: an empty record to write moves into, with its start position where the game deals one.

use std::borrow::Cow;

use clap::ArgMatches;
use quipu_notation::{
    Span,
    record::{Outcome, Reader, Record, Spanned, Tag, limits, write::BASE_RULES},
};
use quipu_referee::{
    Status,
    verify::{self, Ids},
};

use super::position::{game, tell};
use crate::{
    args,
    context::{CommandError, CommandResult, Context, ExitStatus},
    output::{self, Output},
    record_writer::{RecordWriter, format_asked},
};

/// Tags that the command writes itself.
const OWN: [&str; 5] = ["Game", "Rules", "Result", "Seed", "Setup"];

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let game = game(matches);
    let rules = args::text(matches, "rules");
    let given = tags(context, matches)?;
    let asked = matches.get_one::<u64>("seed").copied();
    let seed = asked.map_or_else(|| random(context), Ok)?;
    let first = given.iter().find(|(name, _)| *name == "First");
    let first = first.and_then(|(_, side)| game.notation().side_named(side));
    let dealt = match game.deal(rules, seed, first) {
        Ok(board) => board.map(|board| board.position()),
        Err(message) => {
            tell(context, &message);
            return Ok(ExitStatus::Faults);
        }
    };
    if dealt.is_none() && asked.is_some() {
        return Err(CommandError::Usage(context.fill("new.not-dealt", &[("game", &game.notation().id)])));
    }

    let mut tags = vec![("Game", game.notation().id.to_owned()), ("Result", Outcome::Open.as_str().to_owned())];
    tags.extend(rules.filter(|name| *name != BASE_RULES).map(|name| ("Rules", name.to_owned())));
    tags.extend(dealt.into_iter().flat_map(|position| [("Seed", seed.to_string()), ("Setup", position)]));
    tags.extend(given.into_iter().map(|(name, value)| (name, value.to_owned())));
    let tag = |(name, value)| Tag { name: Cow::Borrowed(name), value: Cow::Owned(value), span: Span::default() };
    let record = Record {
        tags: tags.into_iter().map(tag).collect(),
        result: Some(Spanned { value: Outcome::Open, span: Span::default() }),
        ..Record::default()
    };
    let text = game.canonical(&record);
    if !is_sound(context, &text)? {
        return Ok(ExitStatus::Faults);
    }
    let failed = output::failed(context, matches);
    let format = format_asked(matches).unwrap_or_default();
    let mut writer = RecordWriter::new(context, format, Output::from_args(context, matches, true)?)?;
    writer.add_template(&game.normalized(&record)).map_err(|error| failed(error.into()))?;
    writer.end().map_err(&failed)?;
    Ok(ExitStatus::Clean)
}

/// True if a text is a record to write moves into; if not, the reason is printed.
fn is_sound(context: Context, text: &str) -> Result<bool, CommandError> {
    let mut sound = true;
    let mut reader = Reader::new(text.as_bytes());
    while let Some(chunk) = reader.next_chunk()? {
        for (_, judged) in verify::chunks([chunk], Ids::Skipped) {
            sound &= judged.verdict.status == Status::Incomplete;
            for diagnostic in judged.verdict.diagnostics.iter().chain(&judged.verdict.advice) {
                tell(context, &diagnostic.message);
            }
        }
    }
    Ok(sound)
}

/// A seed from the random numbers of the system.
fn random(context: Context) -> Result<u64, CommandError> {
    getrandom::u64().map_err(|error| CommandError::Failed(context.fill("io.other", &[("error", &error)])))
}

/// Tags of the command line, each `Name=Value`.
fn tags(context: Context, matches: &ArgMatches) -> Result<Vec<(&str, &str)>, CommandError> {
    let mut tags: Vec<(&str, &str)> = Vec::new();
    for text in matches.get_many::<String>("tag").unwrap_or_default() {
        let Some((name, value)) = text.split_once('=') else {
            return Err(CommandError::Usage(context.fill("new.tag-form", &[("found", text)])));
        };
        let wrong = if !Tag::is_name(name) {
            context.fill("new.tag-name", &[("name", &name)])
        } else if OWN.contains(&name) {
            context.fill("new.tag-own", &[("name", &name), ("own", &OWN.join(", "))])
        } else if tags.iter().any(|(other, _)| *other == name) {
            context.fill("new.tag-twice", &[("name", &name)])
        } else if value.contains(['\r', '\n']) {
            context.fill("new.tag-line", &[("name", &name)])
        } else if value.len() > limits::VALUE {
            context.fill("new.tag-long", &[("name", &name), ("most", &limits::VALUE)])
        } else {
            tags.push((name, value));
            continue;
        };
        return Err(CommandError::Usage(wrong));
    }
    Ok(tags)
}
