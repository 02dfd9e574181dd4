//! Values of arguments, as the commands read them.

use std::num::NonZero;

use clap::ArgMatches;
use quipu_notation::record::{Encoding, Format};

use crate::input::ReadOptions;

/// Name of the option for colours.
pub(crate) const COLOR: &str = "color";

/// The number given for an argument.
pub(crate) fn number(matches: &ArgMatches, name: &str) -> Option<u32> {
    matches.get_one::<u32>(name).copied()
}

/// The format given by `--from` and the encoding given by `--encoding`; without them the content decides.
pub(crate) fn reading(matches: &ArgMatches) -> ReadOptions {
    let given = |name| matches.try_get_one::<String>(name).ok().flatten().map(String::as_str);
    ReadOptions { format: given("from").and_then(Format::parse), encoding: given("encoding").and_then(Encoding::find) }
}

/// The number of threads: `--jobs`, else all cores.
pub(crate) fn jobs(matches: &ArgMatches) -> NonZero<usize> {
    let asked = number(matches, "jobs").and_then(|jobs| NonZero::new(jobs as usize));
    asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The text given for an argument.
pub(crate) fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}
