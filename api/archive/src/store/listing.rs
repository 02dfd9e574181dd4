//! Pages of lists: bounded in items and in bytes, with long names cut.
//!
//! A tag may have 64 KiB, and a control character becomes six bytes of JSON. So a page of two hundred items could have hundreds
//! of megabytes; it ends after the item that passes [`PAGE_BYTES`] instead, and the next page continues from there.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    database::{self, Row, Rows},
    error::StoreError,
};

/// Characters of a name, an event or a round in a list, at most. The record itself has the whole text.
pub(super) const SHOWN: usize = 256;
/// Bytes after which a page ends.
pub(super) const PAGE_BYTES: usize = 256 * 1024;
/// Approximate bytes of an item besides its texts.
const ITEM: usize = 512;

/// A cursor as a text for the next request.
pub fn cursor_text(cursor: &impl Serialize) -> Option<String> {
    serde_json::to_vec(cursor).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

/// The cursor of a text, if it is one of this type.
pub fn cursor_of<C: DeserializeOwned>(text: &str) -> Option<C> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPage<T, C> {
    /// The items.
    pub items: Vec<T>,
    /// The position after the page, if the list continues.
    pub next: Option<C>,
}

/// Bytes of a page: of each text its size in the database or in JSON, whichever is more.
#[derive(Default)]
pub(super) struct PageBytes(usize);

impl PageBytes {
    /// A text cut to [`SHOWN`] characters, the last of which is `…` then.
    pub(super) fn shown(&mut self, text: &str) -> String {
        let shown = if text.chars().nth(SHOWN).is_none() {
            text.to_owned()
        } else {
            text.chars().take(SHOWN - 1).chain(['…']).collect()
        };
        let escaped = 5 * shown.chars().filter(|letter| letter.is_control()).count();
        self.count(text.len().max(shown.len() + escaped));
        shown
    }

    /// Counts the bytes of an uncut value.
    pub(super) fn count(&mut self, bytes: usize) {
        self.0 += bytes;
    }
}

/// Items of a page, and true in `more` if the list continues.
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) more: bool,
}

impl<T> Listed<T> {
    /// The page; `cursor` makes the position after its last item.
    pub(super) fn page<C>(self, cursor: impl Fn(&T) -> C) -> ListPage<T, C> {
        let next = self.items.last().filter(|_| self.more).map(cursor);
        ListPage { items: self.items, next }
    }
}

/// Reads a page from the rows of a query with a limit of one more item.
pub(super) fn listed<T>(
    mut rows: Rows<'_>,
    limit: usize,
    mut item: impl FnMut(&Row<'_>, &mut PageBytes) -> database::Result<T>,
) -> Result<Listed<T>, StoreError> {
    let (mut items, mut bytes) = (Vec::new(), PageBytes::default());
    while let Some(row) = rows.next()? {
        if items.len() >= limit || bytes.0 >= PAGE_BYTES {
            return Ok(Listed { items, more: true });
        }
        bytes.count(ITEM);
        items.push(item(&row, &mut bytes)?);
    }
    Ok(Listed { items, more: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_short_ones_are_not() {
        let mut bytes = PageBytes::default();
        let (fits, long) = ("ñ".repeat(SHOWN), "ñ".repeat(SHOWN + 1));
        assert_eq!(bytes.shown(&fits), fits);
        assert_eq!(bytes.0, 2 * SHOWN);
        let cut = bytes.shown(&long);
        assert_eq!((cut.chars().count(), cut.ends_with("ñ…")), (SHOWN, true));
    }

    #[test]
    fn control_characters_count_as_their_escapes() {
        let mut bytes = PageBytes::default();
        bytes.shown(&"\u{1}".repeat(SHOWN));
        assert_eq!(bytes.0, 6 * SHOWN);
    }
}
