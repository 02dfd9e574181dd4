//! Writes records one after another in an output format.

use std::io::{self, Write};

use quipu_notation::record::{
    Record,
    write::{Omitted, OutputFormat},
};

use crate::{
    context::{Context, complain},
    output::Output,
};

/// Writes records one after another. Several records in JSON become an array.
pub(crate) struct RecordWriter {
    layout: OutputFormat,
    out: Output,
    /// The first record in JSON, delayed until a second one comes or none does.
    first: Option<String>,
    /// An array was begun.
    many: bool,
}

impl RecordWriter {
    pub(crate) fn new(layout: OutputFormat, out: Output) -> Self {
        Self { layout, out, first: None, many: false }
    }

    /// Writes a record, and returns the parts that the format has no place for.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> io::Result<Omitted> {
        let (page, left_out) = self.layout.write(record);
        if self.layout != OutputFormat::Json {
            self.out.write_all(page.as_bytes())?;
            return Ok(left_out);
        }
        match self.first.take() {
            Some(first) => {
                self.many = true;
                write!(self.out, "[\n{},\n{}", first.trim_end(), page.trim_end())?;
            }
            None if self.many => write!(self.out, ",\n{}", page.trim_end())?,
            None => self.first = Some(page),
        }
        Ok(left_out)
    }

    /// Writes the source bytes of a record, and ends their line.
    pub(crate) fn add_as_is(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        if bytes.ends_with(b"\n") { Ok(()) } else { self.out.write_all(b"\n") }
    }

    /// Writes the rest.
    pub(crate) fn end(mut self) -> io::Result<()> {
        match self.first.take() {
            Some(only) => self.out.write_all(only.as_bytes())?,
            None if self.many => self.out.write_all(b"\n]\n")?,
            None if self.layout == OutputFormat::Json => self.out.write_all(b"[]\n")?,
            None => {}
        }
        self.out.finish()
    }
}

/// Reports the parts that a format has no place for.
pub(crate) fn omitted(context: Context, layout: OutputFormat, omitted: Omitted) {
    if omitted == Omitted::default() {
        return;
    }
    let Omitted { comments, annotations, variations } = omitted;
    complain(context.fill(
        "convert.omitted",
        &[
            ("form", &layout.as_str()),
            ("comments", &comments),
            ("annotations", &annotations),
            ("variations", &variations),
        ],
    ));
}
