//! Records one after another in their form, as commands print them.

use std::io::{self, Write};

use quipu_notation::record::{
    Record,
    write::{Omitted, OutputFormat},
};

use crate::{
    context::{Context, complain},
    output::Output,
};

/// Records one after another in their form. JSON wants a list as soon as there are several.
pub(crate) struct RecordWriter {
    layout: OutputFormat,
    out: Output,
    /// A first record in JSON, held back until it is known whether it stays alone.
    first: Option<String>,
    /// A list is open.
    many: bool,
}

impl RecordWriter {
    /// Nothing so far.
    pub(crate) fn new(layout: OutputFormat, out: Output) -> Self {
        Self { layout, out, first: None, many: false }
    }

    /// Writes a record, and says what the form cannot hold of it.
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

    /// Writes the bytes of a record as they are, and ends their line.
    pub(crate) fn add_as_is(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        if bytes.ends_with(b"\n") { Ok(()) } else { self.out.write_all(b"\n") }
    }

    /// Writes what is left.
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

/// Tells what a form could not hold.
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
