//! The records of a pile of files: those of files that were sent now, and those that the page keeps from before.

use std::io::Cursor;

use actix_web::web::Bytes;
use base64::{Engine, engine::general_purpose::STANDARD};
use quipu_archive::model::Submission;
use quipu_notation::record::{Chunk, Format};
use quipu_referee::shown;

use crate::{
    budget::Reservation,
    pages::form_data::Part,
    problem::{self, Problem},
    request::RequestContext,
    routes::ingest::{self, Ingest},
};

/// Files at once.
pub(super) const MOST_FILES: usize = 200;
/// Records of a pile.
pub(super) const MOST_RECORDS: usize = 500;
/// Bytes of the records that the page keeps, so that they can be stored.
pub(super) const KEPT: usize = 1 << 20;
/// Characters of the name of a file that are kept.
const NAME: usize = 100;
/// Bytes of a judged record besides its texts, about.
const SIZE: usize = 4 * 1024;

/// A record of a pile.
pub(super) struct Sheet {
    /// Its file and, in a workbook or a zip, its sheet or file; and its number there.
    pub(super) origin: String,
    pub(super) submission: Submission,
}

/// A file without any record that can be read.
pub(super) struct Unread {
    pub(super) file: String,
    pub(super) problem: Problem,
}

#[derive(Default)]
pub(super) struct Pile {
    pub(super) sheets: Vec<Sheet>,
    pub(super) unread: Vec<Unread>,
    /// Records that were in the pile already.
    pub(super) again: usize,
}

/// Files that are not read yet.
pub(super) struct Files(Vec<(String, Ingest<Cursor<Bytes>, Judged>)>);

/// A record with the number of the sheet or file that it stands in.
pub(super) struct Judged {
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
        if files.len() > MOST_FILES {
            return Err(too_many("files", MOST_FILES));
        }
        let reader = |file: Part| {
            let name = file.file.unwrap_or_default().chars().take(NAME).collect();
            (name, Ingest::in_form(context, Cursor::new(file.value), judge, ingest::form_of_file(context)))
        };
        Ok(Self(files.into_iter().map(reader).collect()))
    }
}

fn too_many(variant: &'static str, max: usize) -> Problem {
    Problem::variant(problem::TOO_LARGE, variant).with("max", max)
}

impl Pile {
    /// The records that a page has kept.
    ///
    /// # Errors
    /// `api.body` if a field is not of this page, `api.too-large`, or `api.busy`.
    pub(super) fn kept<'f>(fields: impl Iterator<Item = &'f str>, room: &mut Reservation) -> Result<Self, Problem> {
        let mut pile = Self::default();
        for field in fields {
            let sheet = Sheet::kept(field).ok_or_else(|| Problem::variant(problem::BODY, "form"))?;
            pile.add(sheet, room)?;
        }
        Ok(pile)
    }

    /// Adds the records of files, all or none. Blocks the thread.
    ///
    /// # Errors
    /// `api.too-large`, `api.busy`, or that of the service.
    pub(super) fn read(&mut self, files: Files, room: &mut Reservation) -> Result<(), Problem> {
        let kept = self.sheets.len();
        let read = files.0.into_iter().try_for_each(|(file, ingest)| self.read_file(&file, ingest, room));
        read.inspect_err(|_| self.sheets.truncate(kept))
    }

    fn read_file(
        &mut self,
        file: &str,
        mut ingest: Ingest<Cursor<Bytes>, Judged>,
        room: &mut Reservation,
    ) -> Result<(), Problem> {
        let mut number = 0;
        loop {
            let batch = match ingest.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => return Ok(()),
                Err(problem) if problem.code() == problem::BODY.id => {
                    self.unread.push(Unread { file: shown(file.as_bytes()), problem });
                    return Ok(());
                }
                Err(problem) => return Err(problem),
            };
            for Judged { submission, part } in batch {
                number += 1;
                let part = ingest.part_name(part).map(|part| part.chars().take(NAME).collect());
                let names = [Some(file.to_owned()), part, Some(number.to_string())];
                let names: Vec<String> = names.into_iter().flatten().collect();
                self.add(Sheet { origin: shown(names.join(" · ").as_bytes()), submission }, room)?;
            }
        }
    }

    /// True if there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.sheets.is_empty() && self.unread.is_empty()
    }

    fn add(&mut self, sheet: Sheet, room: &mut Reservation) -> Result<(), Problem> {
        if self.sheets.iter().any(|known| known.submission.id == sheet.submission.id) {
            self.again += 1;
            return Ok(());
        }
        if self.sheets.len() == MOST_RECORDS {
            return Err(too_many("records", MOST_RECORDS));
        }
        let Submission { source, canonical, .. } = &sheet.submission;
        room.grow(SIZE + 3 * source.len() + canonical.as_ref().map_or(0, String::len))?;
        self.sheets.push(sheet);
        Ok(())
    }

    /// The fields that keep the records: none for one that has no source, or for which there is no room.
    pub(super) fn fields(&self) -> Vec<Option<String>> {
        let mut kept = 0;
        let field = |sheet: &Sheet| {
            let size = sheet.submission.source.len();
            (sheet.submission.is_whole() && kept + size <= KEPT).then(|| {
                kept += size;
                sheet.field()
            })
        };
        self.sheets.iter().map(field).collect()
    }
}

impl Sheet {
    /// Format, source and origin. The source is encoded, because a browser changes line breaks.
    fn field(&self) -> String {
        let Submission { form, source, .. } = &self.submission;
        format!("{} {} {}", form.as_str(), STANDARD.encode(source), self.origin)
    }

    fn kept(field: &str) -> Option<Self> {
        let mut parts = field.splitn(3, ' ');
        let form = Format::parse(parts.next()?)?;
        let source = STANDARD.decode(parts.next()?).ok()?;
        // As `read_file` writes it: two names and a number.
        let origin = shown(parts.next()?.as_bytes()).chars().take(2 * NAME + 20).collect();
        Some(Self { origin, submission: Submission::again(&source, form)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_kept_as_it_is() {
        let source = "[Game \"andes\"]\r\n[Sol \"Ana\u{202e}\"]\r\n\r\n1. 0a1\r\n*\r\n";
        let submission = Submission::again(source.as_bytes(), Format::Quipu).expect("a record");
        let sheet = Sheet { origin: "a b.txt · 1".to_owned(), submission };
        let kept = Sheet::kept(&sheet.field()).expect("a field of the page");
        assert_eq!((&kept.origin, &kept.submission), (&sheet.origin, &sheet.submission));
        for broken in ["", "quipu", "quipu é x", "klingon AAAA x", "quipu AAAA"] {
            assert!(Sheet::kept(broken).is_none(), "{broken}");
        }
    }
}
