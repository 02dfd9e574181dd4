//! Small TOML files of keys and values, read whole; an error names its line and column.

use std::{
    io::{self, Read},
    path::Path,
};

use quipu_files::regular;
use quipu_notation::{LineColumn, record::Chunk};
use toml::de::{DeTable, DeValue};

use crate::{
    context::{CommandError, Context},
    input::{self, InputSource},
};

/// Bytes of a file, at most.
const MAX_BYTES: u64 = 1024 * 1024;

/// The text of a file of keys and values.
pub(crate) struct TomlFile {
    name: String,
    text: String,
}

/// A value with its key and its text in the file.
pub(crate) struct Entry<'f> {
    pub(crate) key: &'f str,
    /// Byte at which the key begins.
    pub(crate) at: usize,
    pub(crate) value: &'f DeValue<'f>,
    pub(crate) text: &'f str,
}

impl TomlFile {
    /// Reads the file at a path; `None` if it is optional and does not exist.
    ///
    /// # Errors
    /// If it cannot be read, is too large or not UTF-8.
    pub(crate) fn read(context: Context, path: &Path, optional: bool) -> Result<Option<Self>, CommandError> {
        let source = InputSource::File(path.to_owned());
        let failed = |error: io::Error| CommandError::Failed(source.failure(context, &error));
        let name = source.name();
        // A pipe would block: an optional file is not named by the user, so nobody writes to it.
        if optional && regular(path).map_err(failed)?.is_none() {
            return Ok(None);
        }
        let file = input::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(CommandError::Usage(context.fill("config.size", &[("file", &name), ("max", &MAX_BYTES)])));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
        Ok(Some(Self { name, text }))
    }

    /// The name of the file for people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The place of a byte.
    pub(crate) fn place(&self, at: usize) -> LineColumn {
        Chunk::new(self.text.as_bytes()).place(at)
    }

    /// The error `what`, at the place of a byte.
    pub(crate) fn fault(&self, at: usize, what: &str) -> CommandError {
        let LineColumn { line, column, .. } = self.place(at);
        CommandError::Usage(format!("{}:{line}:{column}: {what}", self.name))
    }

    /// Passes the values to `take` in the order of the file.
    ///
    /// # Errors
    /// If the file is not TOML, and the errors of `take`.
    pub(crate) fn each(
        &self,
        context: Context,
        mut take: impl FnMut(Entry<'_>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let table = DeTable::parse(&self.text)
            .map_err(|error| self.fault(error.span().map_or(0, |span| span.start), context.say("config.syntax")))?;
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().try_for_each(|(key, value)| {
            let (at, text) = (key.span().start, &self.text[value.span()]);
            take(Entry { key: key.get_ref(), at, value: value.get_ref(), text })
        })
    }
}
