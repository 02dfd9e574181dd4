//! Values of parameters and columns, in the binary format of the protocol.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};

use super::full_text;
use crate::store::database::value::Value;

type Failure = Box<dyn Error + Sync + Send>;

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match *self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Integer(number) => match *kind {
                Type::INT8 => out.extend_from_slice(&number.to_be_bytes()),
                Type::INT4 => out.extend_from_slice(&i32::try_from(number)?.to_be_bytes()),
                Type::INT2 => out.extend_from_slice(&i16::try_from(number)?.to_be_bytes()),
                Type::BOOL => out.extend_from_slice(&[u8::from(number != 0)]),
                _ => return Err(format!("an integer for {kind}").into()),
            },
            Self::Real(number) => out.extend_from_slice(&number.to_be_bytes()),
            Self::Text(text) if *kind == Type::TS_VECTOR => {
                out.extend_from_slice(full_text::vector(str::from_utf8(text)?).as_bytes());
            }
            Self::Text(text) => out.extend_from_slice(text),
            Self::Blob(bytes) if *kind == Type::BYTEA => out.extend_from_slice(bytes),
            Self::Blob(_) => return Err(format!("a blob for {kind}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, kind: &Type) -> Format {
        if [Type::TS_VECTOR, Type::TSQUERY].contains(kind) { Format::Text } else { Format::Binary }
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        self.to_sql(kind, out)
    }
}

impl<'v> FromSql<'v> for Value<'v> {
    fn from_sql(kind: &Type, raw: &'v [u8]) -> Result<Self, Failure> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => Self::Integer(i32::from_be_bytes(raw.try_into()?).into()),
            Type::INT2 => Self::Integer(i16::from_be_bytes(raw.try_into()?).into()),
            Type::BOOL => Self::Integer((raw != [0]).into()),
            Type::FLOAT8 => Self::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::JSON | Type::UNKNOWN => Self::Text(raw),
            Type::BYTEA => Self::Blob(raw),
            _ => return Err(format!("a column of type {kind}").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failure> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
