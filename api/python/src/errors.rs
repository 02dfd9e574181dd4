//! Exceptions: each has a code, a message and, where there is one, a place.

use std::io;

use pyo3::{
    PyTypeInfo, create_exception,
    exceptions::{PyException, PyTypeError, PyValueError},
    prelude::*,
};
use quipu_notation::LineColumn;
use quipu_referee::{Lang, Message, messages::catalog};

use crate::messages::fill;

create_exception!(quipu, QuipuError, PyValueError, "Base class of the errors of this package.");
create_exception!(quipu, UnreadableError, QuipuError, "A text that is not a record.");
create_exception!(quipu, IllegalMoveError, QuipuError, "A move that is illegal in its position.");
create_exception!(quipu, PositionError, QuipuError, "A text that is not a position of the game.");
create_exception!(quipu, MergeError, QuipuError, "Sheets that cannot be merged into one game.");

/// The facts of an exception.
#[derive(Default)]
pub(crate) struct ErrorFacts<'f> {
    pub(crate) code: &'f str,
    pub(crate) message: String,
    pub(crate) place: Option<LineColumn>,
    /// The number of a move, from 1.
    pub(crate) ply: Option<u64>,
    /// Legal moves that may have been meant.
    pub(crate) suggestions: Vec<String>,
}

impl ErrorFacts<'_> {
    /// A finding of the referee.
    pub(crate) fn of(message: &Message, lang: Lang) -> Self {
        Self { code: message.code.id, message: catalog().message(message, lang), ..Self::default() }
    }

    /// The exception, of a class that derives from [`QuipuError`].
    pub(crate) fn raised<E: PyTypeInfo>(self, py: Python<'_>) -> PyErr {
        let Self { code, message, place, ply, suggestions } = self;
        let at = place.map(|place| format!("{}:{}: ", place.line, place.column)).unwrap_or_default();
        let error = PyErr::new::<E, _>(format!("{at}{code}: {message}"));
        let value = error.value(py);
        let set = || {
            value.setattr("code", code)?;
            value.setattr("message", message)?;
            value.setattr("line", place.map(|place| place.line))?;
            value.setattr("column", place.map(|place| place.column))?;
            value.setattr("ply", ply)?;
            value.setattr("suggestions", suggestions)
        };
        set().err().unwrap_or(error)
    }
}

/// True for an exception such as `KeyboardInterrupt`, which is no `Exception`: it tells the program to stop.
pub(crate) fn is_interrupt(failure: &io::Error) -> bool {
    let raised = failure.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>());
    raised.is_some_and(|raised| Python::attach(|py| !raised.is_instance_of::<PyException>(py)))
}

/// The exception about an argument, whose code is the key of its message.
pub(crate) fn refused(py: Python<'_>, code: &str, lang: Lang, values: &[(&str, &dyn std::fmt::Display)]) -> PyErr {
    ErrorFacts { code, message: fill(code, lang, values), ..ErrorFacts::default() }.raised::<QuipuError>(py)
}

/// The exception about an argument of another type than those that are accepted.
pub(crate) fn wrong_type(object: &Bound<'_, PyAny>, code: &str, lang: Lang) -> PyErr {
    object.get_type().name().map_or_else(std::convert::identity, |found| type_error(code, lang, &[("found", &found)]))
}

/// The same with other facts.
pub(crate) fn type_error(code: &str, lang: Lang, values: &[(&str, &dyn std::fmt::Display)]) -> PyErr {
    PyTypeError::new_err(format!("{code}: {}", fill(code, lang, values)))
}
