//! Values of parameters and columns, in the binary format of the protocol.
//!
//! A text of PostgreSQL has no U+0000, and a record may have one. Texts are stored with U+0000 as U+0001 U+0001, and U+0001 as
//! U+0001 U+0002: no two texts are stored alike, and their order is the same.

use std::{borrow::Cow, error::Error, fmt, result};

use bytes::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};

use super::full_text;
use crate::store::database::value::Value;

/// The result that the library expects.
type Result<T> = result::Result<T, Box<dyn Error + Sync + Send>>;

/// A value that its column cannot have: no version stores it.
#[derive(Debug)]
pub(super) struct Mismatch(String);

impl Mismatch {
    fn new(what: &str, kind: &Type) -> Self {
        Self(format!("{what} for a column of type {kind}"))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Mismatch {}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull> {
        let mismatch = |what| Mismatch::new(what, kind);
        match *self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Integer(number) => match *kind {
                Type::INT8 => out.extend_from_slice(&number.to_be_bytes()),
                Type::INT4 => out
                    .extend_from_slice(&i32::try_from(number).map_err(|_| mismatch("a larger integer"))?.to_be_bytes()),
                Type::INT2 => out
                    .extend_from_slice(&i16::try_from(number).map_err(|_| mismatch("a larger integer"))?.to_be_bytes()),
                Type::BOOL => out.extend_from_slice(&[u8::from(number != 0)]),
                _ => return Err(mismatch("an integer").into()),
            },
            Self::Real(number) => out.extend_from_slice(&number.to_be_bytes()),
            Self::Text(text) if *kind == Type::TS_VECTOR => {
                let text = str::from_utf8(text).map_err(|_| mismatch("a text that is not UTF-8"))?;
                out.extend_from_slice(&escaped(full_text::vector(text).as_bytes()));
            }
            Self::Text(text) => out.extend_from_slice(&escaped(text)),
            Self::Blob(bytes) if *kind == Type::BYTEA => out.extend_from_slice(bytes),
            Self::Blob(_) => return Err(mismatch("a blob").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, kind: &Type) -> Format {
        if [Type::TS_VECTOR, Type::TSQUERY].contains(kind) { Format::Text } else { Format::Binary }
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull> {
        self.to_sql(kind, out)
    }
}

impl<'v> FromSql<'v> for Value<'v> {
    fn from_sql(kind: &Type, raw: &'v [u8]) -> Result<Self> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => Self::Integer(i32::from_be_bytes(raw.try_into()?).into()),
            Type::INT2 => Self::Integer(i16::from_be_bytes(raw.try_into()?).into()),
            Type::BOOL => Self::Integer((raw != [0]).into()),
            Type::FLOAT8 => Self::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => Self::Text(raw),
            Type::BYTEA => Self::Blob(raw),
            _ => return Err(Mismatch::new("no value", kind).into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Begins the two bytes that stand for U+0000 and for itself.
const ESCAPE: u8 = 1;

/// A text as it is stored.
fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    if text.iter().all(|byte| *byte > ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut stored = Vec::with_capacity(text.len() + 16);
    for byte in text {
        match *byte {
            low @ (0 | ESCAPE) => stored.extend([ESCAPE, low + 1]),
            byte => stored.push(byte),
        }
    }
    Cow::Owned(stored)
}

/// The text that is stored like this; none if it is the same.
pub(super) fn unescaped(stored: &[u8]) -> Option<Vec<u8>> {
    if !stored.contains(&ESCAPE) {
        return None;
    }
    let (mut text, mut bytes) = (Vec::with_capacity(stored.len()), stored.iter());
    while let Some(byte) = bytes.next() {
        text.push(match *byte {
            ESCAPE => bytes.next().map_or(ESCAPE, |low| low.saturating_sub(1)),
            byte => byte,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_read_as_they_were_and_keep_their_order(one in "[\u{0}-\u{3}a]{0,6}", other in "[\u{0}-\u{3}a]{0,6}") {
            let stored = escaped(one.as_bytes());
            prop_assert!(!stored.contains(&0));
            prop_assert_eq!(unescaped(&stored).unwrap_or_else(|| stored.to_vec()), one.as_bytes());
            prop_assert_eq!(stored.cmp(&escaped(other.as_bytes())), one.as_bytes().cmp(other.as_bytes()));
        }
    }
}
