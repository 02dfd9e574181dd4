//! `quipu explain`: the meaning of a code, its source, an example and its correction.

use std::io::Write;

use anstyle::Style;
use clap::ArgMatches;
use quipu_referee::{
    Code, codes,
    messages::{CodeWords, catalog},
    report::{self, CodeReport},
};

use crate::{
    args::text,
    citation, closest,
    context::{CommandError, CommandResult, Context, ExitStatus, stdout},
    wrap,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let asked = text(matches, "code");
    let found = match asked {
        None => codes::all().collect(),
        Some(asked) => matching(asked),
    };
    if let (Some(asked), true) = (asked, found.is_empty()) {
        return Err(CommandError::Usage(unknown(context, asked)));
    }
    let mut out = stdout();
    match &*found {
        _ if matches.get_flag("json") => {
            for (code, words) in found.iter().filter_map(|code| Some((code, catalog().code(code)?))) {
                report::write(&CodeReport::new(code, words, context.lang), &mut out)?;
            }
        }
        [code] if asked.is_some() => {
            if let Some(words) = catalog().code(code) {
                out.write_all(wrap::text(&page(context, code, words), context.width).as_bytes())?;
            }
        }
        codes => {
            for code in codes {
                let title = catalog().code(code).map_or("", |words| words.title.get(context.lang));
                let line = format!("{:<19} {:<11}  {title}\n", code.id, severity(context, code));
                out.write_all(wrap::text(&line, context.width).as_bytes())?;
            }
        }
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The codes that a text names, in any case: the code itself; else those of a game, as `andes`, or of an article, as `andes.3`; else
/// those that end so, as `3.6`.
fn matching(asked: &str) -> Vec<&'static Code> {
    let asked = asked.to_lowercase();
    let exact: Vec<_> = codes::all().filter(|code| code.id.to_lowercase() == asked).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_part = |code: &&Code| {
        let id = code.id.to_lowercase();
        let before = id.strip_prefix(&asked).is_some_and(|rest| rest.starts_with('.'));
        before || id.strip_suffix(&asked).is_some_and(|rest| rest.ends_with('.'))
    };
    codes::all().filter(is_part).collect()
}

/// The error about a text that names no code, with codes close to it.
fn unknown(context: Context, asked: &str) -> String {
    let asked_lower = asked.to_lowercase();
    // A part of a code may be misspelt too.
    let ids = || codes::all().map(|code| code.id);
    let of_part = ids()
        .filter(|id| id.split_once('.').is_some_and(|(_, rest)| !closest::matches(&asked_lower, [rest]).is_empty()));
    let close = closest::matches(asked, ids());
    let close: Vec<_> = if asked.contains('.') { close } else { of_part.chain(close).collect() };
    let mut seen = std::collections::BTreeSet::new();
    let close = close.into_iter().filter(|id| seen.insert(*id)).take(closest::MAX_MATCHES);
    let close: Vec<_> = close.map(|id| context.fill("quote", &[("text", &id)])).collect();
    let mut message = context.fill("explain.unknown", &[("code", &asked)]);
    if !close.is_empty() {
        message.extend(["\n", &context.fill("explain.close", &[("codes", &close.join(", "))])]);
    }
    message
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
    let shown = match (example.record, example.position, example.token) {
        (Some(record), _, _) => {
            format!("{}\n{}{}\n{}", bold(wrong), block(record), bold(right), block(example.right))
        }
        (None, Some(position), Some(token)) => {
            let at = context.fill("explain.position", &[("position", &position)]);
            format!("{at}\n{} {token}\n{} {}\n", bold(wrong), bold(right), example.right)
        }
        (None, Some(position), None) => format!("{} {position}\n{} {}\n", bold(wrong), bold(right), example.right),
        (None, None, _) => String::new(),
    };
    text + "\n" + &shown
}
