//! Messages about a wrong command line. clap finds the fault; the words are ours.

use std::{error::Error, fmt};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::{context::Context, wrap};

/// The least and the greatest value of a number, as the error of a number outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Bounds {
    /// The number that a text is.
    ///
    /// # Errors
    /// The bounds themselves, if it is none or outside.
    pub(crate) fn number(self, text: &str) -> Result<u64, Self> {
        text.parse().ok().filter(|number| (self.least..=self.most).contains(number)).ok_or(self)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.least, self.most)
    }
}

impl Error for Bounds {}

/// The help of a command, or of the program.
pub(crate) fn help(mut parser: clap::Command, context: Context, called: &[&str]) -> String {
    parser.build();
    let command = called.iter().fold(&mut parser, |command, name| {
        command.find_subcommand_mut(name).expect("the names are those of the table")
    });
    wrap::help(&command.render_help().to_string(), context.width)
}

/// The lines to print about a usage error.
pub(crate) fn complaint(context: Context, error: &clap::Error, called: &[&str]) -> Vec<String> {
    let value = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = value(ContextKind::InvalidArg);
    let found = value(ContextKind::InvalidValue);
    let known = value(ContextKind::ValidValue);
    let what = match error.kind() {
        ErrorKind::UnknownArgument => context.fill("usage.unknown", &[("argument", &argument)]),
        ErrorKind::InvalidSubcommand => {
            context.fill("usage.command", &[("found", &value(ContextKind::InvalidSubcommand))])
        }
        ErrorKind::InvalidValue if found.is_empty() => context.fill("usage.no-value", &[("argument", &argument)]),
        ErrorKind::InvalidValue if known.is_empty() => {
            context.fill("usage.value", &[("argument", &argument), ("found", &found)])
        }
        ErrorKind::InvalidValue => {
            context.fill("usage.choice", &[("argument", &argument), ("found", &found), ("known", &known)])
        }
        ErrorKind::ValueValidation => match error.source().and_then(|source| source.downcast_ref::<Bounds>()) {
            Some(Bounds { least, most }) => context
                .fill("usage.range", &[("argument", &argument), ("found", &found), ("least", least), ("most", most)]),
            None => context.fill("usage.value", &[("argument", &argument), ("found", &found)]),
        },
        ErrorKind::MissingRequiredArgument if argument.contains(", ") => {
            context.fill("usage.several-missing", &[("arguments", &argument)])
        }
        ErrorKind::MissingRequiredArgument => context.fill("usage.missing", &[("argument", &argument)]),
        ErrorKind::ArgumentConflict => context.fill("usage.conflict", &[("argument", &argument)]),
        _ => context.say("usage.other").to_owned(),
    };
    let mut lines = vec![context.fill("error", &[("what", &what)])];
    let close = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    if let Some(close) = close.map(value).into_iter().find(|close| !close.is_empty()) {
        // clap lists the likeliest last.
        let close = close.rsplit(", ").next().unwrap_or_default();
        lines.push(context.fill("usage.close", &[("close", &close)]));
    }
    lines.push(hint(context, called));
    lines
}

/// The line that points to the help of a command.
pub(crate) fn hint(context: Context, called: &[&str]) -> String {
    let call = [&["quipu"], called].concat().join(" ");
    context.fill("usage.hint", &[("command", &call)])
}
