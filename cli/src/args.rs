//! Values of arguments, as the commands read them.

use std::num::NonZero;

use clap::ArgMatches;
use quipu_notation::record::Format;

/// Name of the option for colours.
pub(crate) const COLOR: &str = "color";

/// The number given for an argument.
pub(crate) fn number(matches: &ArgMatches, name: &str) -> Option<u32> {
    matches.get_one::<u32>(name).copied()
}

/// The format given by `--from`; without it the content decides.
pub(crate) fn form(matches: &ArgMatches) -> Option<Format> {
    text(matches, "from").and_then(Format::parse)
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
