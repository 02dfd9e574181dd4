//! Exact halves and quarters.

use std::{fmt, iter::Sum, ops::Add};

use serde::{Serialize, Serializer};

/// A count in half points: bonuses are halves of points (9.4), draws half of a win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Half(u64);

/// A count in quarters: the Sonneborn-Berger of a draw is half of a score that may have a half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quarter(u64);

impl Half {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The score of a draw.
    pub const HALF: Self = Self(1);
    /// The score of a win.
    pub const ONE: Self = Self(2);

    /// A whole number.
    pub const fn whole(count: u64) -> Self {
        Self(2 * count)
    }

    /// Half of a whole number.
    pub const fn half_of(count: u64) -> Self {
        Self(count)
    }

    /// The number of halves.
    pub const fn halves(self) -> u64 {
        self.0
    }

    /// Half of it.
    pub const fn half(self) -> Quarter {
        Quarter(self.0)
    }
}

impl From<Half> for Quarter {
    fn from(half: Half) -> Self {
        Self(2 * half.0)
    }
}

impl Add for Half {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Add for Quarter {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sum for Half {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}

impl Sum for Quarter {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self(0), Add::add)
    }
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Quarter::from(*self).fmt(f)
    }
}

/// Decimal, with no more digits than needed: `21`, `20.5`, `8.25`.
impl fmt::Display for Quarter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = match self.0 % 4 {
            0 => "",
            1 => ".25",
            2 => ".5",
            _ => ".75",
        };
        f.pad(&format!("{}{fraction}", self.0 / 4))
    }
}

impl Quarter {
    /// Quarters of a whole number.
    pub const fn quarter_of(count: u64) -> Self {
        Self(count)
    }

    /// As a floating-point number, for files that have no others. It is exact up to 2^51.
    pub fn to_float(self) -> f64 {
        self.to_string().parse().unwrap_or_default()
    }

    /// For people, with signs for the fractions: `½`, `20½`, `8¼`.
    pub fn with_signs(self) -> String {
        let sign = ["", "¼", "½", "¾"][usize::try_from(self.0 % 4).unwrap_or_default()];
        match self.0 / 4 {
            0 if !sign.is_empty() => sign.to_owned(),
            whole => format!("{whole}{sign}"),
        }
    }
}

impl Serialize for Half {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Quarter::from(*self).serialize(serializer)
    }
}

/// A JSON number. Binary floating point represents halves and quarters exactly.
impl Serialize for Quarter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(4) {
            return serializer.serialize_u64(self.0 / 4);
        }
        serializer.serialize_f64(self.to_float())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quarters: u64, text: &str) {
        assert_eq!(Quarter(quarters).to_string(), text);
        assert_eq!(serde_json::to_string(&Quarter(quarters)).expect("it is a number"), text);
    }

    #[test]
    fn quarters_are_written_exactly() {
        check(0, "0");
        check(1, "0.25");
        check(2, "0.5");
        check(3, "0.75");
        check(4, "1");
        check(83, "20.75");
        check(4 * 1_000_000_000 + 1, "1000000000.25");
    }

    #[test]
    fn people_read_signs() {
        let check = |quarters, text| assert_eq!(Quarter(quarters).with_signs(), text);
        check(0, "0");
        check(1, "¼");
        check(2, "½");
        check(3, "¾");
        check(4, "1");
        check(82, "20½");
    }

    #[test]
    fn halves_of_halves() {
        assert_eq!(Half::half_of(41).to_string(), "20.5");
        assert_eq!(Half::whole(41).to_string(), "41");
        assert_eq!((Half::ONE + Half::HALF).half().to_string(), "0.75");
        assert_eq!(Quarter::from(Half::HALF), Half::ONE.half());
    }
}
