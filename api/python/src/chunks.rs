//! `quipu.chunks`: the places at which a text may be divided.

use std::{io, sync::Mutex};

use pyo3::{prelude::*, types::PyBytes};
use quipu_notation::record::Format;

use crate::{
    arguments::{Language, ReadOptions},
    exclusive::exclusive,
    source::Source,
};

/// Divides a text at tag sections.
///
/// A part begins with a tag section and ends before the next one. It has a record, or several without tags of their own. A
/// source that begins anywhere in a file has the parts of the file from its second one on, if it begins 128 KiB before them or
/// earlier.
///
/// Parameters
/// ----------
/// source : str, bytes, bytearray, memoryview, os.PathLike or file object
///     A text in quipu's own format.
///
/// Returns
/// -------
/// Chunks
///     An iterator of the offset of each part in bytes, and its text; ``None`` for one of more than 16 MiB.
///
/// Raises
/// ------
/// OSError
///     The file cannot be opened or read.
#[pyfunction]
pub(crate) fn chunks(source: &Bound<'_, PyAny>) -> PyResult<Chunks> {
    let Language(lang) = Language::DEFAULT;
    let options = ReadOptions { format: Some(Format::Quipu), ..ReadOptions::default() };
    Ok(Chunks(Mutex::new(Source::open(source, options, lang)?)))
}

/// The parts of a text.
#[pyclass(frozen, module = "quipu")]
pub(crate) struct Chunks(Mutex<Source>);

/// The offset of the next part, and its text unless it is too large.
fn next(source: &mut Source) -> io::Result<Option<(u64, Option<Vec<u8>>)>> {
    let chunk = source.next_chunk()?;
    Ok(chunk.map(|chunk| (chunk.offset(), chunk.oversized().is_none().then(|| chunk.text().to_vec()))))
}

#[pymethods]
impl Chunks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<(u64, Option<Bound<'py, PyBytes>>)>> {
        let Language(lang) = Language::DEFAULT;
        let chunk = exclusive(py, &self.0, lang, next)??;
        Ok(chunk.map(|(offset, text)| (offset, text.map(|text| PyBytes::new(py, &text)))))
    }
}
