//! Where a command writes to: standard output, or a file that appears whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Stdout, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::{
    context::{self, Context, Stop, harmless},
    input,
};

/// What is said of a file that cannot be written.
pub(crate) fn failure(context: Context, path: &Path, error: &io::Error) -> Stop {
    let file = harmless(&path.display().to_string());
    Stop::Failed(context.fill("output.failed", &[("file", &file), ("error", &input::reason(context, error))]))
}

/// What a command writes to.
pub(crate) enum Output {
    /// Standard output.
    Stdout(BufWriter<Stdout>),
    /// What is no file but has a path: a device, a pipe.
    Device(BufWriter<File>),
    /// A new file beside the one whose place it will take, and that one's path.
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        Self::Stdout(context::stdout())
    }

    /// The file at `path`. What is there stays as it is until [`Output::finish`], and if that is never called; a device
    /// or a pipe is written to as the words come, for nothing can take its place.
    ///
    /// # Errors
    /// If nothing can be written beside it, or to it.
    pub(crate) fn file(path: &Path) -> io::Result<Self> {
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file() && !there.is_dir()) {
            return Ok(Self::Device(BufWriter::new(File::options().write(true).open(path)?)));
        }
        // A link goes on leading to the file.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".quipu-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less what the user masks, as usual
        let new = builder.tempfile_in(folder)?;
        if let Some(there) = there {
            new.as_file().set_permissions(there.permissions())?;
        }
        Ok(Self::File(BufWriter::with_capacity(64 * 1024, new), path))
    }

    /// Writes what is left, and puts a file in its place.
    ///
    /// # Errors
    /// What the device reports. What is at the path is as it was then.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::Device(mut out) => out.flush(),
            Self::File(out, path) => {
                let new = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                new.as_file().sync_all()?;
                new.persist(path)?;
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Device(out) => out.write(bytes),
            Self::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Device(out) => out.flush(),
            Self::File(out, _) => out.flush(),
        }
    }
}
