//! Output of a command: standard output, or a file that appears whole or not at all. An output never replaces a file of
//! an archive.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use quipu_files::{self as files, ArchiveFile, followed};
use tempfile::{Builder, NamedTempFile};

use crate::{
    config,
    context::{self, CommandError, Context, harmless},
    input::{self, InputSource},
};

/// The error about a file that cannot be written.
pub(crate) fn failure(context: Context, path: &Path, error: &io::Error) -> CommandError {
    let file = harmless(&path.display().to_string());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    if let Some(folder) = folder.filter(|_| error.kind() == io::ErrorKind::NotFound) {
        let folder = harmless(&folder.display().to_string());
        return CommandError::Failed(context.fill("output.no-folder", &[("file", &file), ("folder", &folder)]));
    }
    CommandError::Failed(context.fill("output.failed", &[("file", &file), ("error", &input::reason(context, error))]))
}

/// The path of `--output`; `-` is standard output, like none.
pub(crate) fn path_asked(matches: &ArgMatches) -> Option<&Path> {
    let path = matches.try_get_one::<OsString>("output").ok().flatten();
    path.map(Path::new).filter(|path| *path != Path::new("-"))
}

/// Checks that the file of `-o` is none of the files that are read, so that no original is replaced.
pub(crate) fn check_no_source(
    context: Context,
    matches: &ArgMatches,
    sources: &[InputSource],
) -> Result<(), CommandError> {
    let Some(output) = path_asked(matches) else { return Ok(()) };
    match sources.iter().find(|source| source.is(output)) {
        Some(source) => Err(CommandError::Usage(context.fill("output.is-input", &[("file", &source.name())]))),
        None => Ok(()),
    }
}

/// The error about the output of a command.
pub(crate) fn failed(context: Context, matches: &ArgMatches) -> impl Fn(io::Error) -> CommandError {
    let path = path_asked(matches);
    move |error| match path {
        Some(path) => failure(context, path, &error),
        None => CommandError::from(error),
    }
}

/// Refuses a path that belongs to an archive: to the one in this folder, or to any other.
///
/// # Errors
/// [`CommandError::Usage`] if it does, [`CommandError::Failed`] if it cannot be inspected.
pub(crate) fn spare_archives(context: Context, path: &Path, folder: Option<&Path>) -> Result<(), CommandError> {
    match ArchiveFile::at(path, folder).map_err(|error| failure(context, path, &error))? {
        None => Ok(()),
        Some(part) => Err(of_archive(context, path, part)),
    }
}

/// The refusal to write to a file of an archive.
pub(crate) fn of_archive(context: Context, path: &Path, part: ArchiveFile) -> CommandError {
    let key = match part {
        ArchiveFile::InUse => "output.archive-in-use",
        ArchiveFile::Copy | ArchiveFile::Companion => "output.archive",
    };
    CommandError::Usage(context.fill(key, &[("file", &harmless(&path.display().to_string()))]))
}

/// Destination of a command's output.
pub(crate) enum Output {
    Stdout(BufWriter<Stdout>),
    /// Standard output on a terminal, with active characters replaced.
    Terminal(BufWriter<TerminalFilter<Stdout>>),
    /// A device or a pipe with a path.
    Device(BufWriter<File>),
    /// A temporary file, and the path it will be moved to.
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    /// Standard output. Texts from records pass unchanged, except on a terminal, which would act on some of their
    /// characters.
    pub(crate) fn stdout() -> Self {
        let out = context::stdout();
        if out.get_ref().is_terminal() {
            Self::Terminal(BufWriter::new(TerminalFilter { out: io::stdout(), begun: Vec::new() }))
        } else {
            Self::Stdout(out)
        }
    }

    /// The output of a command: the file of `--output`, or standard output. `text` is true for texts of records, in which
    /// a terminal would act on some characters; others have escapes of their own.
    ///
    /// # Errors
    /// Those of [`Output::file`].
    pub(crate) fn from_args(context: Context, matches: &ArgMatches, text: bool) -> Result<Self, CommandError> {
        match path_asked(matches) {
            Some(path) => Self::file(context, path, config::usual_folder().as_deref()),
            None if text => Ok(Self::stdout()),
            None => Ok(Self::Stdout(context::stdout())),
        }
    }

    /// Output to the file at `path`. An existing file stays until [`Output::finish`]; a device or a pipe cannot be
    /// replaced, so it is written to directly. `folder` is that of the archive in use.
    ///
    /// # Errors
    /// [`CommandError::Usage`] if the path belongs to an archive. [`CommandError::Failed`] if it cannot be written.
    pub(crate) fn file(context: Context, path: &Path, folder: Option<&Path>) -> Result<Self, CommandError> {
        spare_archives(context, path, folder)?;
        Self::replacing(path).map_err(|error| failure(context, path, &error))
    }

    fn replacing(path: &Path) -> io::Result<Self> {
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file() && !there.is_dir()) {
            let path = path.to_owned();
            let opened = input::within_patience(move || File::options().write(true).open(path))?;
            return Ok(Self::Device(BufWriter::new(opened)));
        }
        // A link keeps pointing to the file.
        let path = followed(path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".quipu-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less what the user masks, as usual
        let new = builder.tempfile_in(folder)?;
        keep_owner(new.as_file(), there.as_ref(), &path)?;
        if let Some(there) = there {
            // Permissions come after the owner, because a change of owner clears some of them.
            new.as_file().set_permissions(there.permissions())?;
        }
        Ok(Self::File(BufWriter::with_capacity(64 * 1024, new), path))
    }

    /// Writes the rest, and moves a file to its place.
    ///
    /// # Errors
    /// Any error of the device. The file at the path is unchanged then.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::Terminal(mut out) => out.flush(),
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

/// Gives the new file the owner and the group of the file that it replaces; a file that root creates in another user's
/// folder belongs to that user. Only root can give files away: for others the file is their own, and the group is kept
/// if they are in it.
#[cfg(unix)]
fn keep_owner(new: &File, there: Option<&Metadata>, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let ids = |about: &Metadata| (about.uid(), about.gid());
    let made = new.metadata()?;
    let own = ids(&made);
    let wanted = match there {
        Some(there) => ids(there),
        None => files::owner_of_folder(path, &made)?.unwrap_or(own),
    };
    if wanted != own && fchown(new, Some(wanted.0), Some(wanted.1)).is_err() {
        let _ = fchown(new, None, Some(wanted.1));
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: Option<&Metadata>, _: &Path) -> io::Result<()> {
    Ok(())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Terminal(out) => out.write(bytes),
            Self::Device(out) => out.write(bytes),
            Self::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Terminal(out) => out.flush(),
            Self::Device(out) => out.flush(),
            Self::File(out, _) => out.flush(),
        }
    }
}

/// A writer that replaces every character a terminal acts on, except line ends and tabs.
pub(crate) struct TerminalFilter<W> {
    out: W,
    /// Begin of a character that is not complete yet.
    begun: Vec<u8>,
}

impl<W: Write> Write for TerminalFilter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = [&self.begun, bytes].concat();
        // Only the next byte shows whether this belongs to a line end.
        let turns_back = text.pop_if(|last| *last == b'\r').is_some();
        let (mut shown, mut rest) = (String::with_capacity(text.len()), &text[..]);
        self.begun.clear();
        for chunk in text.utf8_chunks() {
            for part in chunk.valid().split_inclusive(['\n', '\t']) {
                let end = if part.ends_with("\r\n") { 2 } else { usize::from(part.ends_with(['\n', '\t'])) };
                let (own, end) = part.split_at(part.len() - end);
                shown.push_str(&harmless(own));
                shown.push_str(end);
            }
            rest = &rest[chunk.valid().len() + chunk.invalid().len()..];
            let is_begun = rest.is_empty() && str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            if is_begun {
                self.begun = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                shown.push('\u{fffd}');
            }
        }
        self.begun.extend(turns_back.then_some(b'\r'));
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.begun).is_empty() {
            self.out.write_all("\u{fffd}".as_bytes())?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result is the same for every division into writes.
    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        let text = "[White \"A\u{1b}[2Jña\u{9b}x\u{202e}\"]\r\n\t♔ 𐀀\u{7}\n".as_bytes();
        let text = [text, b"\xff\xc3(a\rb\r\r\n", &"é".as_bytes()[..1]].concat();
        let shown = "[White \"A\u{fffd}[2Jña\u{fffd}x\u{fffd}\"]\r\n\t♔ 𐀀\u{fffd}\n\u{fffd}\u{fffd}(a\u{fffd}b\u{fffd}\r\n\u{fffd}";
        for size in 1..=text.len() {
            let mut out = TerminalFilter { out: Vec::new(), begun: Vec::new() };
            text.chunks(size).for_each(|piece| out.write_all(piece).expect("there is room"));
            out.flush().expect("there is room");
            assert_eq!(String::from_utf8(out.out).as_deref(), Ok(shown), "{size}");
        }
    }
}
