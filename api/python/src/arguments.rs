//! Arguments that many functions have.

use std::{num::NonZero, thread};

use pyo3::{prelude::*, pybacked::PyBackedStr};
use quipu_notation::record::{Encoding, Format};
use quipu_referee::{Lang, Referee, games};

use crate::errors::refused;

/// Threads that judge, at most.
const MAX_JOBS: usize = 256;

/// The language of messages.
#[derive(Clone, Copy)]
pub(crate) struct Language(pub(crate) Lang);

impl Language {
    pub(crate) const DEFAULT: Self = Self(Lang::En);
}

impl<'py> FromPyObject<'_, 'py> for Language {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let tag: PyBackedStr = object.extract()?;
        let known = Lang::ALL.into_iter().find(|lang| lang.as_str() == &*tag);
        known.map(Self).ok_or_else(|| refused(object.py(), "python.lang", Lang::En, &[("found", &&*tag)]))
    }
}

/// The number of threads; without one, all processors.
pub(crate) fn jobs(py: Python<'_>, asked: Option<usize>, lang: Lang) -> PyResult<NonZero<usize>> {
    let Some(asked) = asked else { return Ok(thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)) };
    let valid = NonZero::new(asked).filter(|jobs| jobs.get() <= MAX_JOBS);
    valid.ok_or_else(|| refused(py, "python.jobs", lang, &[("most", &MAX_JOBS), ("found", &asked)]))
}

/// The names in an error message.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// The game of this name.
pub(crate) fn game(py: Python<'_>, name: &str, lang: Lang) -> PyResult<&'static dyn Referee> {
    games::find(name).ok_or_else(|| refused(py, "python.game", lang, &[("found", &name), ("known", &known_games())]))
}

/// The names of all games.
pub(crate) fn known_games() -> String {
    listed(games::ALL.iter().map(|game| game.notation().id))
}

/// Format and encoding of a source. Without a format or an encoding, its content decides.
#[derive(Clone, Copy, Default)]
pub(crate) struct ReadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) encoding: Option<Encoding>,
}

impl ReadOptions {
    pub(crate) fn new(py: Python<'_>, format: Option<&str>, encoding: Option<&str>, lang: Lang) -> PyResult<Self> {
        let no_format = |found: &str| {
            let known = listed(Format::ALL.map(Format::as_str));
            refused(py, "python.format", lang, &[("found", &found), ("known", &known)])
        };
        let no_encoding = |found: &str| {
            refused(py, "python.encoding", lang, &[("found", &found), ("known", &listed(Encoding::NAMES))])
        };
        Ok(Self {
            format: format.map(|name| Format::parse(name).ok_or_else(|| no_format(name))).transpose()?,
            encoding: encoding.map(|name| Encoding::find(name).ok_or_else(|| no_encoding(name))).transpose()?,
        })
    }
}
