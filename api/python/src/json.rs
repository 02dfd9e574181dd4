//! Public JSON as a text and as Python objects.

use pyo3::{intern, prelude::*, types::PyDict};
use quipu_referee::report;
use serde::Serialize;

/// A report as the line of JSON that the program prints, without its line break.
pub(crate) fn line(report: &impl Serialize) -> String {
    let mut out = Vec::new();
    let written = report::write(report, &mut out);
    debug_assert!(written.is_ok(), "a Vec takes everything");
    let mut text = String::from_utf8(out).unwrap_or_default();
    text.pop();
    text
}

/// The same as a `dict`.
pub(crate) fn dict<'py>(py: Python<'py>, report: &impl Serialize) -> PyResult<Bound<'py, PyDict>> {
    let read = py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (line(report),))?;
    Ok(read.cast_into()?)
}
