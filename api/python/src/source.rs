//! Sources of records in Python: text, bytes, paths and open files.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    mem,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pyo3::{
    intern,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::{PyBytes, PyMemoryView, PyString},
};
use quipu_notation::record::{Chunk, Reader};
use quipu_referee::Lang;

use crate::{
    arguments::ReadOptions,
    batch::{Batch, Feed},
    errors::{is_interrupt, refused, wrong_type},
};

/// Bytes that a Python file is asked for at a time.
const READ: usize = 128 * 1024;

/// A source that is being read.
pub(crate) struct Source {
    reader: Reader<Pausable>,
    /// The path, if it has one.
    pub(crate) file: Option<String>,
    /// Records that were not returned yet.
    batch: Batch,
    /// The failure after them.
    failure: Option<io::Error>,
    is_paused: Arc<AtomicBool>,
}

/// A source that is not read while it is paused: the reader goes on with the bytes that it has.
struct Pausable {
    source: Box<dyn Read + Send>,
    is_paused: Arc<AtomicBool>,
}

impl Read for Pausable {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_paused.load(Ordering::Relaxed) {
            Err(io::ErrorKind::WouldBlock.into())
        } else {
            self.source.read(into)
        }
    }
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
            // A file is read without the GIL. Python opens everything else, which may wait, and has its own errors.
            let file = py.detach(|| if path.is_file() { File::open(&path).ok() } else { None });
            let opened: Box<dyn Read + Send> = if let Some(file) = file {
                Box::new(file)
            } else {
                let open = py.import(intern!(py, "io"))?.getattr(intern!(py, "open"))?;
                Box::new(PythonFile::new(open.call1((source, "rb", 0))?))
            };
            return Ok(Self::new(opened, Some(path.display().to_string()), options));
        }
        if source.hasattr(intern!(py, "read"))? {
            return Ok(Self::new(Box::new(PythonFile::new(source.clone())), None, options));
        }
        Err(wrong_type(source, "python.source", lang))
    }

    /// The next part of the text.
    pub(crate) fn next_chunk(&mut self) -> io::Result<Option<Chunk<'_>>> {
        self.reader.next_chunk()
    }

    fn new(source: Box<dyn Read + Send>, file: Option<String>, options: ReadOptions) -> Self {
        let is_paused = Arc::new(AtomicBool::new(false));
        let source = Pausable { source, is_paused: Arc::clone(&is_paused) };
        let reader = match options.format {
            Some(format) => Reader::with_format(source, format),
            None => Reader::new(source),
        };
        let reader = match options.encoding {
            Some(encoding) => reader.with_encoding(encoding),
            None => reader,
        };
        Self { reader, file, batch: Batch::default(), failure: None, is_paused }
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

impl Feed for Source {
    fn next(&mut self) -> io::Result<Option<Batch>> {
        while !self.batch.is_full() {
            match self.reader.next_chunk() {
                Ok(Some(chunk)) => {
                    self.batch.push(0, &chunk);
                    if chunk.part().is_some() {
                        self.batch.parts = self.reader.parts();
                    }
                }
                Ok(None) => break,
                Err(failure) if is_interrupt(&failure) => return Err(failure),
                // The second failure is that of the pause: no record is left of the bytes before the first one.
                Err(_) if self.failure.is_some() => break,
                Err(failure) => {
                    self.failure = Some(failure);
                    self.is_paused.store(true, Ordering::Relaxed);
                }
            }
        }
        if !self.batch.is_empty() {
            return Ok(Some(mem::take(&mut self.batch)));
        }
        self.is_paused.store(false, Ordering::Relaxed);
        self.failure.take().map_or(Ok(None), Err)
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
    fn new(file: Bound<'_, PyAny>) -> Self {
        Self { file: file.unbind(), read: Vec::new(), at: 0 }
    }

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
