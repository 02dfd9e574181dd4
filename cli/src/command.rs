//! The types of the table of commands: a command, its handler, its arguments and their values.

use clap::ArgMatches;
use quipu_options::settings::Setting;
use quipu_referee::Lang;

use crate::context::{CommandResult, Context};

/// The output format of `archive export` that is a table.
pub(crate) const PARQUET: &str = "parquet";

/// One command. Its words are `<name>.about`, `<name>.more` and `<name>.<argument>`; the name of a subcommand is
/// prefixed with that of its parent and a point.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) does: Action,
}

/// Handler of a command.
pub(crate) enum Action {
    Run(fn(Context, &ArgMatches) -> CommandResult),
    /// Runs; the second function writes the end of its help.
    RunWithHelp(fn(Context, &ArgMatches) -> CommandResult, fn(Lang) -> String),
    /// Runs with the parser of the program, to describe it.
    RunWithParser(fn(Context, &ArgMatches, clap::Command) -> CommandResult),
    /// Not compiled in: the feature is off.
    #[allow(dead_code, reason = "a build of the whole program leaves nothing out")]
    NotBuilt,
    /// Has subcommands, one of which must be given.
    Subcommands(&'static [Command]),
}

/// One argument or option of a command.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    /// A former name of the option, which help, manual and completions leave out.
    pub(crate) former: Option<&'static str>,
    pub(crate) shape: Shape,
}

impl Argument {
    /// The option with a former name, which is still accepted.
    pub(crate) const fn formerly(self, name: &'static str) -> Self {
        Self { former: Some(name), ..self }
    }
}

/// Syntax of an argument.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// One positional word.
    Word { required: bool, values: ValueKind },
    /// Any number of positional words; the key of their value name in help.
    Words(&'static str),
    /// Any number of positional words of a kind.
    Names(ValueKind),
    /// `--name`
    Flag,
    /// `--name`, with a one-letter form.
    ShortFlag(char),
    /// `--name`, or `--name=VALUE`
    Maybe(ValueKind),
    /// `--name VALUE`
    Option(ValueKind),
    /// `--name VALUE`, with a one-letter form.
    Short(char, ValueKind),
    /// `--name VALUE`, repeatable
    Options(ValueKind),
    /// `--name VALUE`, or `--name` alone for a setting that is true or false.
    Setting(&'static Setting),
}

/// States of records in the archive, and the word for any of them.
pub(crate) const STATES: [&str; 4] = ["current", "corrected", "retracted", "all"];

/// Permitted values of an argument. A `&str` is the key of the value name in help.
#[derive(Clone, Copy)]
pub(crate) enum ValueKind {
    /// Any text, also one that begins with a hyphen.
    Text(&'static str),
    /// Any text that does not begin with a hyphen.
    Name(&'static str),
    Path,
    /// A file or something else.
    PathOr(&'static str),
    Folder,
    /// A whole number, with its least and greatest value.
    Number(&'static str, u32, u32),
    /// A whole number of 64 bits.
    Long(&'static str),
    Command,
    /// A code, or the beginning or the end of one.
    Code,
    /// Tie-breaks, separated by commas.
    TieBreaks,
    Report,
    Csv,
    /// A position format of some game, or a drawing.
    PositionFormat,
    /// An input format of records.
    Read,
    /// An output format of records.
    Written,
    /// The same, or a table.
    Exported,
    Encoding,
    /// Identifier of a game.
    Game,
    /// A format of boards and games.
    Picture,
    /// A format of scoresheets.
    Sheet,
    Theme,
    /// A shell with completions.
    Shell,
    Scope,
    Status,
    Result,
    /// One of these words.
    Choice(&'static [&'static str]),
}
