//! The records of a pile of files: those of files that were sent now, and those that the page keeps from before.

use base64::{Engine, engine::general_purpose::STANDARD};
use quipu_archive::model::Submission;
use quipu_notation::record::Format;
use quipu_referee::shown;

use super::upload::{Files, NAME, Unread, too_many};
use crate::{
    budget::Reservation,
    problem::{self, Problem},
};

pub(super) const MAX_RECORDS: usize = 500;
/// Bytes of the records that the page keeps, so that they can be stored.
pub(super) const KEPT: usize = 1 << 20;
/// Bytes of a judged record besides its texts, about.
const SIZE: usize = 4 * 1024;

pub(super) struct Sheet {
    /// Its file and, in a workbook or a zip, its sheet or file; and its number there.
    pub(super) origin: String,
    pub(super) submission: Submission,
}

#[derive(Default)]
pub(super) struct Pile {
    pub(super) sheets: Vec<Sheet>,
    pub(super) unread: Vec<Unread>,
    /// Records that were in the pile already.
    pub(super) again: usize,
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
        let read = files.into_iter().try_for_each(|file| {
            let unread = file.read(|origin, submission| self.add(Sheet { origin, submission }, room))?;
            self.unread.extend(unread);
            Ok(())
        });
        read.inspect_err(|_| self.sheets.truncate(kept))
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
        if self.sheets.len() == MAX_RECORDS {
            return Err(too_many("records", MAX_RECORDS));
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
        let Submission { format, source, .. } = &self.submission;
        format!("{} {} {}", format.as_str(), STANDARD.encode(source), self.origin)
    }

    fn kept(field: &str) -> Option<Self> {
        let mut parts = field.splitn(3, ' ');
        let format = Format::parse(parts.next()?)?;
        let source = STANDARD.decode(parts.next()?).ok()?;
        // As `File::read` writes it: two names and a number.
        let origin = shown(parts.next()?.as_bytes()).chars().take(2 * NAME + 20).collect();
        Some(Self { origin, submission: Submission::again(&source, format)? })
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
