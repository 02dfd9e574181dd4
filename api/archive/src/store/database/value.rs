//! Values of parameters and columns.

use std::{array, fmt::Display};

use super::error::{Error, Result};

/// A value, borrowed from a parameter or from the row of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::store) enum Value<'v> {
    Null,
    Integer(i64),
    Real(f64),
    /// The bytes of a text. Those of a column are UTF-8 unless the database is damaged.
    Text(&'v [u8]),
    Blob(&'v [u8]),
}

impl<'v> Value<'v> {
    /// The text of a value that is one.
    pub(in crate::store) fn as_str(self) -> Result<&'v str> {
        match self {
            Self::Text(text) => str::from_utf8(text).map_err(|error| Error::Corrupt(error.to_string())),
            other => Err(other.unexpected("a text")),
        }
    }

    /// [`Value::as_str`] for a value that may be null.
    pub(in crate::store) fn as_str_or_null(self) -> Result<Option<&'v str>> {
        if self == Self::Null { Ok(None) } else { self.as_str().map(Some) }
    }

    /// The bytes of a value that is a blob.
    pub(in crate::store) fn as_blob(self) -> Result<&'v [u8]> {
        match self {
            Self::Blob(bytes) => Ok(bytes),
            other => Err(other.unexpected("a blob")),
        }
    }

    fn as_integer(self) -> Result<i64> {
        match self {
            Self::Integer(number) => Ok(number),
            other => Err(other.unexpected("an integer")),
        }
    }

    /// The error for a value of another type than the one that every version stores.
    #[cold]
    fn unexpected(self, expected: &str) -> Error {
        let found = match self {
            Self::Null => "null",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a real number",
            Self::Text(_) => "a text",
            Self::Blob(_) => "a blob",
        };
        Error::Corrupt(format!("{found} in place of {expected}"))
    }
}

/// A value on its own.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) enum OwnedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.to_vec()),
            Value::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl Parameter for OwnedValue {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

/// A type whose values can be parameters.
pub(in crate::store) trait Parameter {
    fn value(&self) -> Value<'_>;
}

impl Parameter for Value<'_> {
    #[inline]
    fn value(&self) -> Value<'_> {
        *self
    }
}

impl<P: Parameter + ?Sized> Parameter for &P {
    #[inline]
    fn value(&self) -> Value<'_> {
        P::value(self)
    }
}

impl<P: Parameter + ?Sized> Parameter for Box<P> {
    #[inline]
    fn value(&self) -> Value<'_> {
        P::value(self)
    }
}

impl<P: Parameter> Parameter for Option<P> {
    #[inline]
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, P::value)
    }
}

/// Numbers that a column can hold, as it holds them.
macro_rules! integers {
    ($($number:ty),*) => {
        $(
            impl Parameter for $number {
                #[inline]
                fn value(&self) -> Value<'_> {
                    Value::Integer((*self).into())
                }
            }
        )*
    };
}

integers!(i64, i32, u32, u16, bool);

/// Numbers that may be too large for a column: no row has one beyond the largest integer, and no list is as long.
macro_rules! unsigned {
    ($($number:ty),*) => {
        $(
            impl Parameter for $number {
                #[inline]
                fn value(&self) -> Value<'_> {
                    Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
                }
            }
        )*
    };
}

unsigned!(u64, usize);

impl Parameter for str {
    #[inline]
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_bytes())
    }
}

impl Parameter for String {
    #[inline]
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_bytes())
    }
}

impl Parameter for [u8] {
    #[inline]
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl Parameter for Vec<u8> {
    #[inline]
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<const N: usize> Parameter for [u8; N] {
    #[inline]
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

/// The parameters of a statement, in their order.
pub(in crate::store) trait Parameters {
    /// Calls `bind` with the values.
    fn bound<T>(self, bind: impl FnOnce(&[Value<'_>]) -> T) -> T;
}

impl<P: Parameter, const N: usize> Parameters for [P; N] {
    #[inline]
    fn bound<T>(self, bind: impl FnOnce(&[Value<'_>]) -> T) -> T {
        bind(&array::from_fn::<_, N, _>(|place| self[place].value()))
    }
}

impl Parameters for &[Value<'_>] {
    #[inline]
    fn bound<T>(self, bind: impl FnOnce(&[Value<'_>]) -> T) -> T {
        bind(self)
    }
}

/// Lists of parameters whose number is known while the program runs.
macro_rules! lists {
    ($($parameter:ty),*) => {
        $(
            impl Parameters for &[$parameter] {
                fn bound<T>(self, bind: impl FnOnce(&[Value<'_>]) -> T) -> T {
                    bind(&self.iter().map(Parameter::value).collect::<Vec<_>>())
                }
            }
        )*
    };
}

lists!(&dyn Parameter, Box<dyn Parameter>, OwnedValue);

/// Values of different types as an array of [`Value`]. They live as long as the statement around it.
macro_rules! params {
    () => {
        [$crate::store::database::Value::Null; 0]
    };
    ($($value:expr),+ $(,)?) => {
        [$($crate::store::database::Parameter::value(&$value)),+]
    };
}

pub(in crate::store) use params;

/// A type that a column can be read as.
pub(in crate::store) trait FromValue: Sized {
    /// # Errors
    /// [`Error::Corrupt`] if the value has another type, or is none of this one.
    fn from_value(value: Value<'_>) -> Result<Self>;
}

impl<T: FromValue> FromValue for Option<T> {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        if value == Value::Null { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

impl FromValue for i64 {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        value.as_integer()
    }
}

/// Numbers of which a column may hold one that is out of range.
macro_rules! bounded {
    ($($number:ty),*) => {
        $(
            impl FromValue for $number {
                #[inline]
                fn from_value(value: Value<'_>) -> Result<Self> {
                    let number = value.as_integer()?;
                    number.try_into().map_err(|_| Error::Corrupt(format!("the number {number} is out of range")))
                }
            }
        )*
    };
}

bounded!(u64, u32, u16, usize);

impl FromValue for bool {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        value.as_integer().map(|number| number != 0)
    }
}

impl FromValue for String {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromValue for Vec<u8> {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        value.as_blob().map(<[u8]>::to_vec)
    }
}

impl<const N: usize> FromValue for [u8; N] {
    #[inline]
    fn from_value(value: Value<'_>) -> Result<Self> {
        let bytes = value.as_blob()?;
        bytes.try_into().map_err(|_| Error::Corrupt(format!("{} bytes in place of {N}", bytes.len())))
    }
}

/// A column by its name, or by its index where there are many rows. (A name is compared with those of the columns before it for
/// each row, which took a third of the time of a list.)
pub(in crate::store) trait Column: Copy + Display {
    fn place(&self) -> Place<'_>;
}

/// The place of a column in a row.
#[derive(Clone, Copy)]
pub(in crate::store) enum Place<'c> {
    Index(usize),
    Name(&'c str),
}

impl Column for usize {
    #[inline]
    fn place(&self) -> Place<'_> {
        Place::Index(*self)
    }
}

impl Column for &str {
    #[inline]
    fn place(&self) -> Place<'_> {
        Place::Name(self)
    }
}
