//! Rating periods: the months of the calendar.

use std::fmt;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

/// A month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Period(i32);

impl Period {
    /// The month of a day.
    pub fn of(date: NaiveDate) -> Self {
        Self(12 * date.year() + i32::try_from(date.month0()).unwrap_or_default())
    }

    /// The month after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Number of months between this one and a later one, neither of them counted; 0 if the other is not later.
    pub fn months_until(self, later: Self) -> u32 {
        u32::try_from(later.0.saturating_sub(self.0) - 1).unwrap_or(0)
    }

    /// Its first day; none after the year 9999, the last one that dates can write.
    pub fn first_day(self) -> Option<NaiveDate> {
        let month = u32::try_from(self.0.rem_euclid(12) + 1).ok()?;
        NaiveDate::from_ymd_opt(self.0.div_euclid(12), month, 1).filter(|day| day.year() <= 9999)
    }
}

/// In the form `2026-08`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(date: &str) -> Period {
        Period::of(date.parse().expect("a date"))
    }

    #[test]
    fn months_follow_each_other() {
        let december = period("2026-12-31");
        assert_eq!((december.to_string(), december.next().to_string()), ("2026-12".to_owned(), "2027-01".to_owned()));
        assert_eq!(december.next().first_day(), "2027-01-01".parse().ok());
        assert_eq!(period("0000-01-01").to_string(), "0000-01");
        assert_eq!(period("9999-12-31").next().first_day(), None);
    }

    #[test]
    fn months_between() {
        let may = period("2026-05-10");
        let until = |date| may.months_until(period(date));
        assert_eq!((until("2026-05-31"), until("2026-06-01"), until("2026-08-01")), (0, 0, 2));
        assert_eq!((until("2025-01-01"), until("2027-05-01")), (0, 11));
    }
}
