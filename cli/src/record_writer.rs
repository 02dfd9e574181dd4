//! Writes records one after another in an output format.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use clap::ArgMatches;
#[cfg(feature = "spreadsheets")]
use quipu_notation::record::write::{LabelLanguage, ScoresheetWorkbook, WorkbookError};
use quipu_notation::record::{
    Record,
    write::{self, FileFormat, Omitted, OutputFormat},
};
#[cfg(feature = "spreadsheets")]
use quipu_referee::Lang;

use crate::{
    args,
    context::{CommandError, Context, complain, harmless},
    output::{self, Output},
};

/// The format of `--to`, or that of the extension of `--output`, in upper or lower case.
pub(crate) fn format_asked(matches: &ArgMatches) -> Option<FileFormat> {
    let of_extension = || {
        let ending = output::path_asked(matches)?.extension()?.to_str()?.to_ascii_lowercase();
        FileFormat::parse(&ending)
    };
    args::text(matches, "to").and_then(FileFormat::parse).or_else(of_extension)
}

/// The error about a file whose extension belongs to no format.
pub(crate) fn no_format(context: Context, path: &Path) -> CommandError {
    let (file, known) = (harmless(&path.display().to_string()), FileFormat::ALL.map(FileFormat::as_str).join(", "));
    CommandError::Usage(context.fill("draw.ending", &[("file", &file), ("known", &known)]))
}

/// Writes records one after another.
pub(crate) enum RecordWriter {
    /// As text.
    Text(TextWriter),
    /// As a workbook, which is written when all records are known.
    #[cfg(feature = "spreadsheets")]
    Workbook(Box<ScoresheetWorkbook>, Output),
}

impl RecordWriter {
    /// # Errors
    /// [`CommandError::Usage`] for a workbook on a terminal, or in a build without workbooks.
    pub(crate) fn new(context: Context, format: FileFormat, out: Output) -> Result<Self, CommandError> {
        match format {
            FileFormat::Text(layout) => {
                // Spreadsheets recognize UTF-8 by the byte order mark. Pipes lead to other programs, which do not expect it.
                let marked = layout == OutputFormat::Csv && matches!(out, Output::File(..));
                Ok(Self::Text(TextWriter { layout, out, marked, first: None, many: false }))
            }
            FileFormat::Xlsx if matches!(out, Output::Terminal(_)) && io::stdout().is_terminal() => {
                Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &format.as_str())])))
            }
            FileFormat::Xlsx => workbook(context, out),
        }
    }

    /// Writes a record, and returns the parts that the format has no place for.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> io::Result<Omitted> {
        match self {
            Self::Text(writer) => writer.add(record),
            #[cfg(feature = "spreadsheets")]
            Self::Workbook(workbook, _) => workbook.add(record).map_err(too_large),
        }
    }

    /// Writes an empty record to fill in.
    pub(crate) fn add_template(&mut self, record: &Record<'_>) -> io::Result<()> {
        match self {
            Self::Text(writer) if writer.layout == OutputFormat::Csv => writer.put_page(&write::empty_sheet(record)),
            Self::Text(writer) => writer.add(record).map(drop),
            #[cfg(feature = "spreadsheets")]
            Self::Workbook(workbook, _) => workbook.add_template(record).map_err(too_large),
        }
    }

    /// Writes the source bytes of a record, and ends their line.
    #[cfg(feature = "archive")]
    pub(crate) fn add_as_is(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Source bytes are only exported as they are, and never as a workbook.
        #[cfg_attr(not(feature = "spreadsheets"), expect(irrefutable_let_patterns, reason = "there are no workbooks"))]
        let Self::Text(writer) = self else { return Ok(()) };
        writer.out.write_all(bytes)?;
        if bytes.ends_with(b"\n") { Ok(()) } else { writer.out.write_all(b"\n") }
    }

    /// Writes the rest.
    pub(crate) fn end(self) -> io::Result<()> {
        match self {
            Self::Text(writer) => writer.end(),
            #[cfg(feature = "spreadsheets")]
            Self::Workbook(workbook, mut out) => {
                out.write_all(&workbook.finish().map_err(too_large)?)?;
                out.finish()
            }
        }
    }
}

#[cfg(feature = "spreadsheets")]
#[expect(clippy::unnecessary_wraps, reason = "a build without workbooks fails")]
fn workbook(context: Context, out: Output) -> Result<RecordWriter, CommandError> {
    let language = match context.lang {
        Lang::Es => LabelLanguage::Spanish,
        Lang::En => LabelLanguage::English,
    };
    Ok(RecordWriter::Workbook(Box::new(ScoresheetWorkbook::new(language)), out))
}

#[cfg(not(feature = "spreadsheets"))]
fn workbook(context: Context, _: Output) -> Result<RecordWriter, CommandError> {
    Err(CommandError::Usage(context.fill("command.not-built", &[("command", &"convert --to xlsx")])))
}

/// The error about a record that exceeds the limits of a workbook.
#[cfg(feature = "spreadsheets")]
fn too_large(error: WorkbookError) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, error)
}

/// Writes records as text. Several records in JSON become an array.
pub(crate) struct TextWriter {
    layout: OutputFormat,
    out: Output,
    /// A byte order mark is to be written first.
    marked: bool,
    /// The first record in JSON, delayed until a second one comes or none does.
    first: Option<String>,
    /// An array was begun.
    many: bool,
}

impl TextWriter {
    fn add(&mut self, record: &Record<'_>) -> io::Result<Omitted> {
        let (page, dropped) = self.layout.write(record);
        if self.layout != OutputFormat::Json {
            self.put_page(&page)?;
            return Ok(dropped);
        }
        match self.first.take() {
            Some(first) => {
                self.many = true;
                write!(self.out, "[\n{},\n{}", first.trim_end(), page.trim_end())?;
            }
            None if self.many => write!(self.out, ",\n{}", page.trim_end())?,
            None => self.first = Some(page),
        }
        Ok(dropped)
    }

    fn put_page(&mut self, page: &str) -> io::Result<()> {
        if std::mem::take(&mut self.marked) {
            self.out.write_all("\u{feff}".as_bytes())?;
        }
        self.out.write_all(page.as_bytes())
    }

    fn end(mut self) -> io::Result<()> {
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
pub(crate) fn omitted(context: Context, layout: FileFormat, omitted: Omitted) {
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
