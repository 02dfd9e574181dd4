//! The files that are sent with the form, and their records.

use std::io::Cursor;

use actix_web::web::Bytes;
use quipu_archive::model::Submission;
use quipu_notation::record::Chunk;
use quipu_referee::shown;

use crate::{
    pages::form_data::Part,
    problem::{self, Problem},
    request::RequestContext,
    routes::ingest::{self, Ingest},
};

/// Files at once.
pub(super) const MAX_FILES: usize = 200;
/// Characters of the name of a file that are kept.
pub(super) const NAME: usize = 100;

/// Files that are not read yet.
pub(super) struct Files(Vec<File>);

/// A file that is read while it is judged.
pub(super) struct File {
    name: String,
    records: Ingest<Cursor<Bytes>, Judged>,
}

/// A file without any record that can be read.
pub(super) struct Unread {
    pub(super) file: String,
    pub(super) problem: Problem,
}

/// A record with the number of the sheet or file that it stands in.
struct Judged {
    submission: Submission,
    part: Option<usize>,
}

fn judge(chunk: &Chunk<'_>, most: usize) -> Vec<Judged> {
    Submission::all(chunk).take(most).map(|submission| Judged { submission, part: chunk.part() }).collect()
}

impl Files {
    /// The files of a form.
    ///
    /// # Errors
    /// `api.too-large` if there are too many.
    pub(super) fn of(context: &RequestContext, files: Vec<Part>) -> Result<Self, Problem> {
        // A browser sends a file without a name if none is chosen.
        let is_chosen = |file: &Part| !file.value.is_empty() || file.file.as_deref() != Some("");
        let files: Vec<_> = files.into_iter().filter(is_chosen).collect();
        if files.len() > MAX_FILES {
            return Err(too_many("files", MAX_FILES));
        }
        let file = |file: Part| File {
            name: file.file.unwrap_or_default().chars().take(NAME).collect(),
            records: Ingest::in_format(context, Cursor::new(file.value), judge, ingest::form_of_file(context)),
        };
        Ok(Self(files.into_iter().map(file).collect()))
    }
}

impl IntoIterator for Files {
    type Item = File;
    type IntoIter = std::vec::IntoIter<File>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl File {
    /// Passes each record on, with the names of its file and sheet and its number there. Returns the file if it cannot be read
    /// to its end. Blocks the thread.
    ///
    /// # Errors
    /// That of `add`, or of the service.
    pub(super) fn read(
        mut self,
        mut add: impl FnMut(String, Submission) -> Result<(), Problem>,
    ) -> Result<Option<Unread>, Problem> {
        let mut number = 0;
        loop {
            let batch = match self.records.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => return Ok(None),
                Err(problem) if problem.code() == problem::BODY.id => {
                    return Ok(Some(Unread { file: shown(self.name.as_bytes()), problem }));
                }
                Err(problem) => return Err(problem),
            };
            for Judged { submission, part } in batch {
                number += 1;
                let part = self.records.part_name(part).map(|part| part.chars().take(NAME).collect());
                let names = [Some(self.name.clone()), part, Some(number.to_string())];
                let names: Vec<String> = names.into_iter().flatten().collect();
                add(shown(names.join(" · ").as_bytes()), submission)?;
            }
        }
    }
}

pub(super) fn too_many(variant: &'static str, max: usize) -> Problem {
    Problem::variant(problem::TOO_LARGE, variant).with("max", max)
}
