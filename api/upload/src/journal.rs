//! The journal: the contents that a service has confirmed, one line of JSON each.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

/// The journal cannot be used.
#[derive(Debug)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    Io(io::Error),
    /// Another process has it open.
    InUse,
    /// This line, from 1, is none of a journal.
    Line(u64),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A line.
#[derive(Debug, Deserialize, Serialize)]
struct Entry {
    /// The address of the service.
    to: String,
    /// Digest of the content, in hexadecimal digits.
    sha256: String,
    /// The file, relative to the folder.
    file: String,
}

/// The contents that one service has confirmed. Each is on disk before the next begins.
#[derive(Debug)]
pub struct Journal {
    file: File,
    to: String,
    /// Files by digest.
    uploaded: HashMap<String, String>,
}

impl Journal {
    /// Opens the journal for a service, or creates it. It is locked until it is dropped. A last line that a crash left
    /// incomplete is removed.
    pub fn open(path: &Path, to: &str) -> Result<Self, JournalError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse,
            TryLockError::Error(error) => error.into(),
        })?;
        let mut uploaded = HashMap::new();
        let mut reader = BufReader::new(&file);
        let (mut end, mut number, mut line) = (0, 0, Vec::new());
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            number += 1;
            if !line.ends_with(b"\n") {
                // Any other file is left as it is.
                if !is_torn(&line) {
                    return Err(JournalError::Line(number));
                }
                break;
            }
            let entry: Entry = serde_json::from_slice(&line).map_err(|_| JournalError::Line(number))?;
            end += read as u64;
            if entry.to == to {
                uploaded.insert(entry.sha256, entry.file);
            }
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Self { file, to: to.to_owned(), uploaded })
    }

    /// The file with this content that is uploaded.
    pub(crate) fn find(&self, sha256: &str) -> Option<&str> {
        self.uploaded.get(sha256).map(String::as_str)
    }

    /// Adds a content, and waits until it is on disk.
    pub(crate) fn add(&mut self, sha256: &str, file: &str) -> io::Result<()> {
        let entry = Entry { to: self.to.clone(), sha256: sha256.to_owned(), file: file.to_owned() };
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.uploaded.insert(entry.sha256, entry.file);
        Ok(())
    }
}

/// True for the beginning of a line, and for the zeros that a file system leaves in its place after a power cut.
fn is_torn(line: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"to\":";
    line.starts_with(BEGINNING) || BEGINNING.starts_with(line) || line.iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_journal_is_read_again_and_a_torn_line_is_removed() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path, "http://a").expect("a journal");
        journal.add("aa", "one.quipu").expect("there is room");
        assert!(matches!(Journal::open(&path, "http://a"), Err(JournalError::InUse)));
        journal.add("bb", "two.quipu").expect("there is room");
        drop(journal);
        let whole = fs::read(&path).expect("it is there");
        for torn in [&b"{"[..], b"{\"to\":\"http", b"\0\0\0", b"{\"to\":\"http\0\0"] {
            fs::write(&path, [&whole[..], torn].concat()).expect("there is room");
            let journal = Journal::open(&path, "http://a").expect("a journal");
            assert_eq!((journal.find("aa"), journal.find("bb")), (Some("one.quipu"), Some("two.quipu")));
            drop(journal);
            assert_eq!(fs::read(&path).expect("it is there"), whole);
        }
        let other = Journal::open(&path, "http://b").expect("a journal");
        assert_eq!(other.find("aa"), None, "each service has its own");
    }

    #[test]
    fn another_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("notes");
        for content in ["[Game \"andes\"]\n", "notes", "\0\0notes", "\0\0\n"] {
            fs::write(&path, content).expect("there is room");
            assert!(matches!(Journal::open(&path, "http://a"), Err(JournalError::Line(1))), "{content}");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), content);
        }
    }
}
