//! `quipu explain`: the meaning of a code, its source, an example and its correction.

use std::io::Write;

use anstyle::Style;
use clap::ArgMatches;
use quipu_referee::{
    Code, codes,
    messages::{CodeWords, catalog},
};

use crate::{
    args::text,
    citation,
    context::{CommandError, CommandResult, Context, ExitStatus, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let mut out = stdout();
    let Some(id) = text(matches, "code") else {
        for code in codes::all() {
            let title = catalog().code(code).map_or("", |words| words.title.get(context.lang));
            writeln!(out, "{:<19} {:<11}  {title}", code.id, severity(context, code))?;
        }
        out.flush()?;
        return Ok(ExitStatus::Clean);
    };
    let Some(code) = codes::find(id) else {
        return Err(CommandError::Usage(context.fill("explain.unknown", &[("code", &id)])));
    };
    if let Some(words) = catalog().code(code) {
        out.write_all(page(context, code, words).as_bytes())?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

fn severity(context: Context, code: &Code) -> &'static str {
    context.word(code.severity.word())
}

/// The whole page about a code, with the law in both languages.
fn page(context: Context, code: &Code, words: &CodeWords) -> String {
    let bold = |text: &str| context.paint(Style::new().bold(), text);
    let source = citation::source_at_length(context, code);
    let heading = format!("{} · {} · {source}", bold(code.id), severity(context, code));
    let mut text = format!("{heading}\n{}\n", words.title.get(context.lang));
    text += &format!("\nes  {}\nen  {}\n", words.law.es, words.law.en);
    text += &format!("\n{} {}\n", bold(context.say("verify.right")), words.right.get(context.lang));

    let example = &words.example;
    let wrong = context.say("explain.wrong");
    let right = context.say("explain.right");
    let block = |text: &str| {
        text.trim_end().lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect::<String>()
    };
    let shown = match (&example.record, &example.position, &example.token) {
        (Some(record), _, _) => {
            format!("{}\n{}{}\n{}", bold(wrong), block(record), bold(right), block(&example.right))
        }
        (None, Some(position), Some(token)) => {
            let at = context.fill("explain.position", &[("position", position)]);
            format!("{at}\n{} {token}\n{} {}\n", bold(wrong), bold(right), example.right)
        }
        (None, Some(position), None) => format!("{} {position}\n{} {}\n", bold(wrong), bold(right), example.right),
        (None, None, _) => String::new(),
    };
    text + "\n" + &shown
}
