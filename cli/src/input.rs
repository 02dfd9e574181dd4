//! Sources of records: files, folders and standard input.

use std::{
    ffi::OsString,
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use clap::ArgMatches;
use quipu_notation::record::{Encoding, Format, Reader, as_windows_1252, is_plain};
use tempfile::NamedTempFile;
use walkdir::WalkDir;

use crate::{
    context::{CommandError, Context, harmless},
    skipped_files::{self, EmptyFolders, Reason, SkippedFiles},
};

/// Bytes at the beginning of a file that decide how it is read.
const BEGINNING: u64 = 64 * 1024;

/// Time limit for another program to open the other end of a named pipe.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a path. Opening a named pipe without a peer would block for ever; it fails after [`PATIENCE`].
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] for a pipe without a peer, else the errors of [`File::open`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if !is_special(path) {
        return File::open(path);
    }
    let path = path.to_owned();
    within_patience(move || File::open(path))
}

/// True for a pipe, a device or a socket: anything but a file or a folder.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Runs any opening with that time limit. A thread that waits in vain ends with the program.
pub(crate) fn within_patience(open: impl FnOnce() -> io::Result<File> + Send + 'static) -> io::Result<File> {
    let (sender, opened) = mpsc::channel();
    thread::Builder::new().spawn(move || drop(sender.send(open())))?;
    opened.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Format and encoding of a source. Without a format or an encoding, its content decides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) encoding: Option<Encoding>,
}

/// True if the extension of a file in a folder, in upper or lower case, is that of a format to read. A compressed file with
/// another extension before that, as in `round3.csv.gz`, is of the format that this one tells.
fn is_record_file(path: &Path, format: Option<Format>) -> bool {
    let extension = skipped_files::extension(path);
    let found = path.file_name().and_then(|name| Format::of_name(&name.to_string_lossy()));
    let is_read = Format::of_extension(&extension).is_some() || skipped_files::COMPRESSED.contains(&extension.as_str());
    let is_wanted = is_read && format.zip(found).is_none_or(|(format, found)| format.may_be_named(found));
    is_wanted && path.is_file()
}

/// One source of records.
#[derive(Clone, Debug)]
pub(crate) enum InputSource {
    /// `-`
    Stdin,
    File(PathBuf),
    /// A source that can be read only once, with a copy to read again.
    Spooled(Arc<SpooledInput>),
}

impl InputSource {
    /// The source that a path of the command line names.
    fn one(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// Its path as given; `None` for standard input.
    pub(crate) fn path(&self) -> Option<String> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path.display().to_string()),
            Self::Spooled(spooled) => spooled.source.path(),
        }
    }

    /// The path of a file; `None` for standard input.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Stdin | Self::Spooled(_) => None,
        }
    }

    /// Its name for people; `-` is standard input.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| harmless(&path))
    }

    /// True if this is the file at a path, also through a link.
    pub(crate) fn is(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        match self {
            Self::Stdin => false,
            Self::File(own) => real(own).is_some() && real(own) == real(path),
            Self::Spooled(spooled) => spooled.source.is(path),
        }
    }

    /// Its size in bytes, if known in advance.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Spooled(_) => None,
            Self::File(path) => fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len()),
        }
    }

    /// Opens it for reading.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(open(path)?),
            Self::Spooled(spooled) => spooled.source.open()?,
        })
    }

    /// A source whose text can be read again at any place, once it was read up to there. The text of a source that can be
    /// read only once, or that is compressed or in another encoding, is copied to a temporary file.
    ///
    /// # Errors
    /// If the temporary file cannot be created.
    pub(crate) fn spooled(self, reading: ReadOptions) -> io::Result<Self> {
        let once = match &self {
            Self::Stdin => true,
            // Named pipes and devices are copied. A missing file is reported when it is read.
            Self::File(path) => is_special(path) || reading.encoding.is_some() || !self.is_plain(),
            Self::Spooled(_) => false,
        };
        if !once {
            return Ok(self);
        }
        Ok(Self::Spooled(Arc::new(SpooledInput { source: self, copy: NamedTempFile::new()? })))
    }

    /// True if the bytes of the file are the text that is read of it, or if it cannot be opened.
    pub(crate) fn is_plain(&self) -> bool {
        let Self::File(path) = self else { return false };
        let mut beginning = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
        read.is_err() || is_plain(&beginning)
    }

    /// Opens the file, or the copy, to read again.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn reopen(&self) -> io::Result<File> {
        match self {
            Self::Stdin => Err(io::ErrorKind::Unsupported.into()),
            Self::File(path) => open(path),
            Self::Spooled(spooled) => spooled.copy.reopen(),
        }
    }

    /// A reader of its records.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn reader(&self, reading: ReadOptions) -> io::Result<Reader<Box<dyn Read + Send>>> {
        let opened = self.open()?;
        let mut reader = match reading.format {
            Some(format) => Reader::with_format(opened, format),
            None => Reader::new(opened),
        };
        if let Some(encoding) = reading.encoding {
            reader = reader.with_encoding(encoding);
        }
        if let Self::Spooled(spooled) = self {
            reader = reader.copying(Box::new(spooled.copy.reopen()?));
        }
        Ok(reader)
    }

    /// The message about a failure of this source.
    pub(crate) fn failure(&self, context: Context, error: &io::Error) -> String {
        failure(context, &self.name(), error)
    }

    /// Opens the path of a command that takes one file.
    ///
    /// # Errors
    /// [`CommandError::Failed`] with the reason.
    pub(crate) fn open_one(
        context: Context,
        path: &OsString,
        reading: ReadOptions,
    ) -> Result<(Self, Reader<Box<dyn Read + Send>>), CommandError> {
        let source = Self::one(Path::new(path));
        let opened = source.reader(reading).map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        Ok((source, opened))
    }
}

/// A source that can be read only once, with a copy of the text read.
pub(crate) struct SpooledInput {
    source: InputSource,
    copy: NamedTempFile,
}

impl fmt::Debug for SpooledInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

/// A source that failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Its path as given.
    pub(crate) file: Option<String>,
    /// The kind of failure, such as `io.not-found`.
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Failure {
    /// The failure of a source.
    pub(crate) fn of(context: Context, source: &InputSource, error: &io::Error) -> Self {
        Self { file: source.path(), code: code(error), message: source.failure(context, error) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The text of a source that a path of the command line names; `-` is standard input. Text that is not UTF-8 is Windows-1252, in
/// which spreadsheets save CSV.
///
/// # Errors
/// [`CommandError::Failed`] with the reason.
pub(crate) fn text(context: Context, path: &Path) -> Result<String, CommandError> {
    let source = InputSource::one(path);
    let mut bytes = Vec::new();
    let read = source.open().and_then(|mut source| source.read_to_end(&mut bytes)).and_then(|_| decoded(bytes));
    read.map_err(|error| CommandError::Failed(source.failure(context, &error)))
}

/// UTF-8 or Windows-1252. A mixture, or bytes that are no letters, cannot be decoded.
fn decoded(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).or_else(|error| {
        let (before, text) = (error.utf8_error().valid_up_to(), as_windows_1252(error.as_bytes()));
        let is_text = error.as_bytes()[..before].is_ascii() && !text.contains(['\0', char::REPLACEMENT_CHARACTER]);
        is_text.then_some(text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    })
}

/// The message about a file that fails.
pub(crate) fn failure(context: Context, name: &str, error: &io::Error) -> String {
    context.fill("input.failed", &[("file", &name), ("error", &reason(context, error))])
}

/// The kind of an I/O error, which is also the key of its message.
fn code(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "io.not-found",
        io::ErrorKind::PermissionDenied => "io.denied",
        io::ErrorKind::IsADirectory => "io.folder",
        io::ErrorKind::NotSeekable => "io.no-file",
        io::ErrorKind::InvalidData => "io.utf8",
        io::ErrorKind::StorageFull => "io.full",
        io::ErrorKind::ReadOnlyFilesystem => "io.read-only",
        io::ErrorKind::TimedOut => "io.no-peer",
        _ => "io.other",
    }
}

/// The reason of an I/O error; rare ones stay in the words of the system.
pub(crate) fn reason(context: Context, error: &io::Error) -> String {
    match code(error) {
        "io.no-peer" => context.fill("io.no-peer", &[("seconds", &PATIENCE.as_secs())]),
        "io.other" => context.fill("io.other", &[("error", error)]),
        code => context.say(code).to_owned(),
    }
}

/// The sources of a command: those that its paths name or, without a path, standard input if something is piped into it.
///
/// # Errors
/// [`CommandError::Usage`] if there is neither.
pub(crate) fn find_sources(
    context: Context,
    matches: &ArgMatches,
    reading: ReadOptions,
) -> Result<FoundSources, CommandError> {
    match matches.get_many("path") {
        Some(paths) if paths.len() > 0 => Ok(sources(context, paths, reading)),
        _ if is_piped() => Ok(FoundSources { sources: vec![InputSource::Stdin], ..FoundSources::default() }),
        _ => Err(CommandError::Usage(context.say("input.none").to_owned())),
    }
}

/// The path of a command that takes one file; without one, standard input if something is piped into it.
///
/// # Errors
/// [`CommandError::Usage`] if there is neither.
pub(crate) fn source_path(context: Context, path: Option<&OsString>) -> Result<OsString, CommandError> {
    match path {
        Some(path) => Ok(path.clone()),
        None if is_piped() => Ok("-".into()),
        None => Err(CommandError::Usage(context.say("input.no-file").to_owned())),
    }
}

/// True if standard input is a pipe, a file or a socket, and not a terminal or another device.
#[cfg(unix)]
pub(crate) fn is_piped() -> bool {
    use std::os::{fd::AsFd, unix::fs::FileTypeExt};
    let about = io::stdin().as_fd().try_clone_to_owned().and_then(|stdin| File::from(stdin).metadata());
    about.is_ok_and(|about| {
        let kind = about.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
    })
}

/// True if standard input is no terminal.
#[cfg(not(unix))]
pub(crate) fn is_piped() -> bool {
    !io::IsTerminal::is_terminal(&io::stdin())
}

/// The sources that the paths of a command line name.
#[derive(Default)]
pub(crate) struct FoundSources {
    /// The files of a folder come in the order of their names.
    pub(crate) sources: Vec<InputSource>,
    /// Messages about folders that cannot be read.
    pub(crate) failures: Vec<Failure>,
    /// Files that are not read.
    pub(crate) skipped: SkippedFiles,
}

/// Finds the sources that the paths of the command line name.
fn sources<'p>(context: Context, paths: impl Iterator<Item = &'p OsString>, reading: ReadOptions) -> FoundSources {
    let mut found = FoundSources::default();
    for path in paths.map(Path::new) {
        if path.is_dir() {
            found.add_folder(context, path, reading.format);
        } else if is_empty(path) {
            found.add_skipped(path.display(), Reason::Empty);
        } else {
            found.sources.push(InputSource::one(path));
        }
    }
    found
}

impl FoundSources {
    fn add_folder(&mut self, context: Context, folder: &Path, format: Option<Format>) {
        let mut empty = EmptyFolders::default();
        for entry in WalkDir::new(folder).follow_links(false).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let folder = InputSource::File(error.path().unwrap_or(folder).to_owned());
                    self.failures.push(Failure::of(context, &folder, &error.into()));
                    continue;
                }
            };
            let path = entry.path();
            if let Some(folder) = empty.next(path, entry.depth(), entry.file_type().is_dir()) {
                self.add_skipped(folder.display(), Reason::EmptyFolder);
            }
            if !is_record_file(path, format) {
                if let Some(reason) = skipped_files::of_entry(path, entry.path_is_symlink())
                    && !is_hidden(path.strip_prefix(folder).unwrap_or(path))
                {
                    self.add_skipped(path.display(), reason);
                }
            } else if format.is_none() && is_other_json(path) {
                self.add_skipped(path.display(), Reason::OtherJson);
            } else if is_empty(path) {
                self.add_skipped(path.display(), Reason::Empty);
            } else {
                self.sources.push(InputSource::File(entry.into_path()));
            }
        }
        if let Some(folder) = empty.end() {
            self.add_skipped(folder.display(), Reason::EmptyFolder);
        }
    }

    fn add_skipped(&mut self, path: impl fmt::Display, reason: Reason) {
        self.skipped.add(&path.to_string(), reason);
    }
}

/// True for a file without a byte. The size alone does not tell it: that of some system files is always 0.
fn is_empty(path: &Path) -> bool {
    let is_blank = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0);
    is_blank && File::open(path).and_then(|mut file| file.read(&mut [0])).is_ok_and(|read| read == 0)
}

/// Members of a record in JSON, of which it has at least one, unlike reports of verdicts and settings of programs.
const MEMBERS: [&[u8]; 3] = [b"\"moves\"", b"\"tags\"", b"\"setup\""];

/// True for a file with an extension of JSON that does not begin with a record, as in the folders of many programs.
fn is_other_json(path: &Path) -> bool {
    if Format::of_extension(&skipped_files::extension(path)) != Some(Format::Json) {
        return false;
    }
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    let has_member = |member: &&[u8]| beginning.windows(member.len()).any(|part| part == *member);
    read.is_ok() && !beginning.trim_ascii().is_empty() && is_plain(&beginning) && !MEMBERS.iter().any(has_member)
}

/// True if a name in the path begins with a dot, for a file of a program such as that of a version control system, or with
/// `~$`, for the owner file of an open workbook.
fn is_hidden(path: &Path) -> bool {
    path.iter().any(|name| [&b"."[..], b"~$"].iter().any(|start| name.as_encoded_bytes().starts_with(start)))
}
