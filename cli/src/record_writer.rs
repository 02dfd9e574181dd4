//! Writes records one after another in an output format.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use clap::ArgMatches;
#[cfg(feature = "spreadsheets")]
use quipu_notation::record::write::{LabelLanguage, ScoresheetWorkbook, WorkbookError};
use quipu_notation::{
    Span,
    games::{ForeignFormat, Unwritable},
    record::{
        Dropped, Record,
        write::{self, FileFormat, Omitted, OutputFormat},
    },
};
#[cfg(feature = "spreadsheets")]
use quipu_referee::Lang;

use crate::{
    args,
    context::{CommandError, Context, harmless, print_to_stderr},
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
    let (file, known) = (harmless(&path.display().to_string()), FileFormat::names().join(", "));
    CommandError::Usage(context.fill("draw.ending", &[("file", &file), ("known", &known)]))
}

/// The reason that a record is not written.
pub(crate) enum AddError {
    /// The output fails.
    Output(io::Error),
    /// The format has no place for this record, in words.
    Record(String),
}

impl From<io::Error> for AddError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<AddError> for io::Error {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Output(error) => error,
            AddError::Record(words) => Self::new(io::ErrorKind::InvalidData, words),
        }
    }
}

/// Writes records one after another.
pub(crate) enum RecordWriter {
    Text(TextWriter),
    /// In the format of another program.
    Foreign(ForeignWriter),
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
            FileFormat::Foreign(format) => Ok(Self::Foreign(ForeignWriter { context, format, out, is_begun: false })),
            FileFormat::Xlsx if matches!(out, Output::Terminal(_)) && io::stdout().is_terminal() => {
                Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &format.as_str())])))
            }
            FileFormat::Xlsx => workbook(context, out),
        }
    }

    /// Writes a record, and returns the counts of the notes that the format has no place for.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> Result<Omitted, AddError> {
        self.add_placed(record, |_| None)
    }

    /// The same. A format of another program has its losses reported one by one, with the place of a span in the source.
    pub(crate) fn add_placed(
        &mut self,
        record: &Record<'_>,
        place: impl Fn(Span) -> Option<String>,
    ) -> Result<Omitted, AddError> {
        match self {
            Self::Text(writer) => Ok(writer.add(record)?),
            Self::Foreign(writer) => writer.add(record, place).map(|()| Omitted::default()),
            #[cfg(feature = "spreadsheets")]
            Self::Workbook(workbook, _) => Ok(workbook.add(record).map_err(too_large)?),
        }
    }

    /// Writes an empty record to fill in.
    pub(crate) fn add_template(&mut self, record: &Record<'_>) -> Result<(), AddError> {
        match self {
            Self::Text(writer) if writer.layout == OutputFormat::Csv => {
                Ok(writer.put_page(&write::empty_sheet(record))?)
            }
            Self::Text(writer) => Ok(writer.add(record).map(drop)?),
            Self::Foreign(writer) => writer.add(record, |_| None),
            #[cfg(feature = "spreadsheets")]
            Self::Workbook(workbook, _) => Ok(workbook.add_template(record).map_err(too_large)?),
        }
    }

    /// Writes the source bytes of a record, and ends their line.
    #[cfg(feature = "archive")]
    pub(crate) fn add_as_is(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Source bytes are only exported as they are.
        let Self::Text(writer) = self else { return Ok(()) };
        writer.out.write_all(bytes)?;
        if bytes.ends_with(b"\n") { Ok(()) } else { writer.out.write_all(b"\n") }
    }

    /// Writes the rest.
    pub(crate) fn end(self) -> io::Result<()> {
        match self {
            Self::Text(writer) => writer.end(),
            Self::Foreign(writer) => writer.out.finish(),
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

/// Writes records in the format of another program.
pub(crate) struct ForeignWriter {
    context: Context,
    format: &'static ForeignFormat,
    out: Output,
    is_begun: bool,
}

impl ForeignWriter {
    fn add(&mut self, record: &Record<'_>, place: impl Fn(Span) -> Option<String>) -> Result<(), AddError> {
        let form = self.format.format.as_str();
        if self.is_begun && self.format.is_single {
            return Err(AddError::Record(self.context.fill("convert.single", &[("form", &form)])));
        }
        let (text, lost) =
            self.format.written(record).map_err(|reason| AddError::Record(self.reason(record, reason)))?;
        for Dropped { what, span, .. } in &lost {
            let said = self.context.fill("convert.lost", &[("form", &form), ("what", &harmless(what))]);
            print_to_stderr(match place(*span) {
                Some(place) => format!("{place}: {said}"),
                None => said,
            });
        }
        self.is_begun = true;
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// The reason that a record has no place in the format, in words.
    fn reason(&self, record: &Record<'_>, reason: Unwritable) -> String {
        let form = self.format.format.as_str();
        match reason {
            Unwritable::Game => {
                self.context.fill("convert.other-game", &[("form", &form), ("game", &self.format.game)])
            }
            Unwritable::Token(index) => {
                let token = harmless(&record.movetext.plies[index].token);
                self.context.fill("convert.token", &[("form", &form), ("ply", &(index + 1)), ("token", &token)])
            }
            Unwritable::Tag(tag) => self.context.fill("convert.tag", &[("form", &form), ("tag", &tag)]),
            Unwritable::Large => self.context.fill("convert.large", &[("form", &form)]),
        }
    }
}

/// Reports the notes that a format has no place for.
pub(crate) fn omitted(context: Context, layout: FileFormat, omitted: Omitted) {
    if omitted == Omitted::default() {
        return;
    }
    let Omitted { comments, annotations, variations } = omitted;
    print_to_stderr(context.fill(
        "convert.omitted",
        &[
            ("form", &layout.as_str()),
            ("comments", &comments),
            ("annotations", &annotations),
            ("variations", &variations),
        ],
    ));
}
