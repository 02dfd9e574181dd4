//! Sources of records in Python: text, bytes, paths and open files.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use pyo3::{
    exceptions::{PyIsADirectoryError, PyOSError},
    intern,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::{PyBytes, PyMemoryView, PyString},
};
use quipu_notation::record::Reader;
use quipu_referee::Lang;

use crate::{
    arguments::ReadOptions,
    batch::{Batch, Feed},
    errors::{refused, wrong_type},
};

/// Bytes that a Python file is asked for at a time.
const READ: usize = 128 * 1024;

/// A source that is being read.
pub(crate) struct Source {
    reader: Reader<Box<dyn Read + Send>>,
    /// The path, if it has one.
    pub(crate) file: Option<String>,
    /// The failure behind the records that were returned.
    failure: Option<io::Error>,
}

impl Source {
    /// Opens what Python passed.
    pub(crate) fn open(source: &Bound<'_, PyAny>, options: ReadOptions, lang: Lang) -> PyResult<Self> {
        let py = source.py();
        if source.is_instance_of::<PyString>() {
            let text: PyBackedStr = source.extract()?;
            if is_file_name(&text) {
                return Err(refused(py, "python.path", lang, &[("found", &&*text)]));
            }
            if options.encoding.is_some() {
                return Err(refused(py, "python.encoding-of-text", lang, &[]));
            }
            return Ok(Self::new(Box::new(Cursor::new(text)), None, options));
        }
        if let Ok(bytes) = source.extract::<PyBackedBytes>() {
            return Ok(Self::new(Box::new(Cursor::new(bytes)), None, options));
        }
        if source.is_instance_of::<PyMemoryView>() {
            let bytes: PyBackedBytes = py.get_type::<PyBytes>().call1((source,))?.extract()?;
            return Ok(Self::new(Box::new(Cursor::new(bytes)), None, options));
        }
        if source.hasattr(intern!(py, "__fspath__"))? {
            let path: PathBuf = source.extract()?;
            let opened = py.detach(|| if path.is_dir() { Ok(None) } else { File::open(&path).map(Some) });
            return match opened {
                Ok(Some(file)) => Ok(Self::new(Box::new(file), Some(path.display().to_string()), options)),
                Ok(None) => Err(PyIsADirectoryError::new_err(path)),
                Err(error) => Err(unopened(error, path)),
            };
        }
        if source.hasattr(intern!(py, "read"))? {
            let file = PythonFile { file: source.clone().unbind(), read: Vec::new(), at: 0 };
            return Ok(Self::new(Box::new(file), None, options));
        }
        Err(wrong_type(source, "python.source", lang))
    }

    fn new(source: Box<dyn Read + Send>, file: Option<String>, options: ReadOptions) -> Self {
        let reader = match options.format {
            Some(format) => Reader::with_form(source, format),
            None => Reader::new(source),
        };
        let reader = match options.encoding {
            Some(encoding) => reader.with_encoding(encoding),
            None => reader,
        };
        Self { reader, file, failure: None }
    }

    /// Files in a zip that are not read because of their extensions; known once the first records were read.
    pub(crate) fn skipped(&self) -> Vec<String> {
        self.reader.skipped().to_vec()
    }
}

/// True for the name of an existing file: no record is so short.
fn is_file_name(text: &str) -> bool {
    text.len() < 4096 && !text.contains(['\n', '[', '{', '\0']) && Path::new(text).is_file()
}

/// The exception of the operating system, as `open` raises it.
fn unopened(error: io::Error, path: PathBuf) -> PyErr {
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, error.to_string(), path)),
        None => error.into(),
    }
}

impl Feed for Source {
    fn next(&mut self) -> io::Result<Option<Batch>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut batch = Batch::default();
        while !batch.is_full() {
            match self.reader.next_chunk() {
                Ok(Some(chunk)) => {
                    batch.push(0, &chunk);
                    if chunk.part().is_some() {
                        batch.parts = self.reader.parts();
                    }
                }
                Ok(None) => break,
                Err(failure) if batch.is_empty() => return Err(failure),
                Err(failure) => {
                    self.failure = Some(failure);
                    break;
                }
            }
        }
        Ok((!batch.is_empty()).then_some(batch))
    }
}

/// A file object, opened as text or as bytes.
struct PythonFile {
    file: Py<PyAny>,
    read: Vec<u8>,
    /// The first byte of `read` that was not passed on.
    at: usize,
}

impl PythonFile {
    fn fill(&mut self) -> PyResult<()> {
        Python::attach(|py| {
            let read = self.file.bind(py).call_method1(intern!(py, "read"), (READ,))?;
            self.at = 0;
            self.read.clear();
            if read.is_instance_of::<PyString>() {
                self.read.extend_from_slice(read.extract::<PyBackedStr>()?.as_bytes());
            } else {
                self.read.extend_from_slice(&read.extract::<PyBackedBytes>()?);
            }
            Ok(())
        })
    }
}

impl Read for PythonFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.read.len() {
            self.fill()?;
        }
        let mut rest = &self.read[self.at..];
        let read = rest.read(into)?;
        self.at += read;
        Ok(read)
    }
}
