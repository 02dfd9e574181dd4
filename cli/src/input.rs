//! Where records come from: files, folders and standard input.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use quipu_notation::record::{Format, Reader};
use tempfile::NamedTempFile;
use walkdir::WalkDir;

use crate::context::{CommandError, Context, harmless};

/// Time for another program to open the other end of a pipe that has a name.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a path. A named pipe at whose other end nobody is would block for ever: it is given up after [`PATIENCE`].
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if nobody came in time, or as [`File::open`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if !is_special(path) {
        return File::open(path);
    }
    let path = path.to_owned();
    within_patience(move || File::open(path))
}

/// A pipe, a device or a socket: anything but a file or a folder.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// The same for any way of opening. The thread that waits in vain ends with the program.
pub(crate) fn within_patience(open: impl FnOnce() -> io::Result<File> + Send + 'static) -> io::Result<File> {
    let (sender, opened) = mpsc::channel();
    thread::Builder::new().spawn(move || drop(sender.send(open())))?;
    opened.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Whether a file that a folder holds is looked for: by its ending it is of the form that is read. A folder may well hold
/// other JSON and CSV than records, so these are looked for only where they are asked for.
fn is_record_file(path: &Path, form: Format) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    path.is_file() && ending.and_then(Format::parse) == Some(form)
}

/// One thing to read.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// `-`
    Stdin,
    /// A file.
    File(PathBuf),
    /// What can be read only once, and is kept to be read again.
    Kept(Arc<Kept>),
}

impl Source {
    /// What one path of the command line stands for.
    fn one(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// Its path as it was given; standard input has none.
    pub(crate) fn path(&self) -> Option<String> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path.display().to_string()),
            Self::Kept(kept) => kept.source.path(),
        }
    }

    /// The path of a file.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Stdin | Self::Kept(_) => None,
        }
    }

    /// Its name for people; `-` is standard input.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| harmless(&path))
    }

    /// Whether it is the file at a path, by whatever way.
    pub(crate) fn is(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        matches!(self, Self::File(own) if real(own).is_some() && real(own) == real(path))
    }

    /// Its size, if it is known beforehand.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Kept(_) => None,
            Self::File(path) => fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len()),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(open(path)?),
            Self::Kept(kept) => kept.open()?,
        })
    }

    /// The same source as one that can be read again anywhere, as soon as it was read there: what can be read only once is
    /// kept in a file that goes when nobody needs it any more.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(crate) fn kept(self) -> io::Result<Self> {
        let once = match &self {
            Self::Stdin => true,
            // A pipe may have a name. What is not there is told when it is read.
            Self::File(path) => is_special(path),
            Self::Kept(_) => false,
        };
        if !once {
            return Ok(self);
        }
        Ok(Self::Kept(Arc::new(Kept { source: self, copy: NamedTempFile::new()? })))
    }

    /// A file to read anywhere what was read before.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn again(&self) -> io::Result<File> {
        match self {
            Self::Stdin => Err(io::ErrorKind::Unsupported.into()),
            Self::File(path) => open(path),
            Self::Kept(kept) => kept.copy.reopen(),
        }
    }

    /// A reader of its records, which are of this form, or else of the one that they begin like.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn reader(&self, form: Option<Format>) -> io::Result<Reader<Box<dyn Read + Send>>> {
        let opened = self.open()?;
        Ok(match form {
            Some(form) => Reader::with_form(opened, form),
            None => Reader::new(opened),
        })
    }

    /// What is said of it when it fails.
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
        form: Option<Format>,
    ) -> Result<(Self, Reader<Box<dyn Read + Send>>), CommandError> {
        let source = Self::one(Path::new(path));
        let opened = source.reader(form).map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        Ok((source, opened))
    }
}

/// What can be read only once, with a copy of what was read of it.
pub(crate) struct Kept {
    source: Source,
    copy: NamedTempFile,
}

impl Kept {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Copying { source: self.source.open()?, copy: self.copy.reopen()? }))
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

/// Copies what is read, before it is handed out.
struct Copying {
    source: Box<dyn Read + Send>,
    copy: File,
}

impl Read for Copying {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.copy.write_all(&buffer[..count])?;
        Ok(count)
    }
}

/// What is said of a file that fails.
pub(crate) fn failure(context: Context, name: &str, error: &io::Error) -> String {
    context.fill("input.failed", &[("file", &name), ("error", &reason(context, error))])
}

/// Why a file or device failed; what is seldom seen stays in the words of the system.
pub(crate) fn reason(context: Context, error: &io::Error) -> String {
    let key = match error.kind() {
        io::ErrorKind::NotFound => "io.not-found",
        io::ErrorKind::PermissionDenied => "io.denied",
        io::ErrorKind::IsADirectory => "io.folder",
        io::ErrorKind::NotSeekable => "io.no-file",
        io::ErrorKind::InvalidData => "io.utf8",
        io::ErrorKind::StorageFull => "io.full",
        io::ErrorKind::ReadOnlyFilesystem => "io.read-only",
        io::ErrorKind::TimedOut => return context.fill("io.no-peer", &[("seconds", &PATIENCE.as_secs())]),
        _ => return context.fill("io.other", &[("error", error)]),
    };
    context.say(key).to_owned()
}

/// What the paths of the command line stand for, folders resolved to the files in them in the order of their names;
/// and what is to be said of folders that cannot be read.
pub(crate) fn sources<'p>(
    context: Context,
    paths: impl Iterator<Item = &'p OsString>,
    form: Option<Format>,
) -> (Vec<Source>, Vec<String>) {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for path in paths.map(Path::new) {
        if !path.is_dir() {
            found.push(Source::one(path));
            continue;
        }
        for entry in WalkDir::new(path).follow_links(false).sort_by_file_name() {
            match entry {
                Ok(entry) if is_record_file(entry.path(), form.unwrap_or(Format::Quipu)) => {
                    found.push(Source::File(entry.into_path()));
                }
                Ok(_) => {}
                Err(error) => {
                    let name = error.path().unwrap_or(path).display().to_string();
                    failed.push(failure(context, &name, &error.into()));
                }
            }
        }
    }
    (found, failed)
}
