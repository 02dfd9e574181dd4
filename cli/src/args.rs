//! Values of arguments, as the commands read them.

use std::num::NonZero;

use clap::ArgMatches;
use quipu_notation::record::Format;

/// The option that says whether to use colours.
pub(crate) const COLOR: &str = "color";

/// The value of an argument that is a number.
pub(crate) fn number(matches: &ArgMatches, name: &str) -> Option<u32> {
    matches.get_one::<u32>(name).copied()
}

/// The form that records are read in, if it was told.
pub(crate) fn form(matches: &ArgMatches) -> Option<Format> {
    text(matches, "from").and_then(Format::parse)
}

/// How many threads to use: as asked, else all cores.
pub(crate) fn jobs(matches: &ArgMatches) -> NonZero<usize> {
    let asked = number(matches, "jobs").and_then(|jobs| NonZero::new(jobs as usize));
    asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The value of an argument that is a text.
pub(crate) fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}
