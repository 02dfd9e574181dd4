//! Bytes as lower-case hexadecimal text.

use std::{borrow::Cow, fmt};

use quipu_referee::report::hex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// `N` bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Hex<N> {
    /// Parses exactly `2 * N` lower-case digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; N];
        if text.len() != 2 * N {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format_args!("not {} hexadecimal digits", 2 * N)))
    }
}

impl<const N: usize> JsonSchema for Hex<N> {
    fn schema_name() -> Cow<'static, str> {
        format!("Hex{N}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": format!("^[0-9a-f]{{{}}}$", 2 * N) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_a_byte() {
        let bytes = Hex([0, 0x0f, 0xa0, 0xff]);
        assert_eq!((bytes.to_string().as_str(), Hex::parse("000fa0ff")), ("000fa0ff", Some(bytes)));
        assert_eq!(serde_json::to_string(&bytes).ok().as_deref(), Some("\"000fa0ff\""));
        assert_eq!(serde_json::from_str::<Hex<4>>("\"000fa0ff\"").ok(), Some(bytes));
        for wrong in ["", "000fa0f", "000fa0ff0", "000FA0FF", " 00fa0ff", "000fa0fg", "é00fa0f"] {
            assert_eq!(Hex::<4>::parse(wrong), None, "{wrong}");
        }
    }
}
