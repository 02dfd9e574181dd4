//! Likely slips, and their codes.

use crate::{Code, Message, code};

/// The codes.
pub const CODES: &[Code] = &[
    Code::format("advice.tag").advice(),
    Code::format("advice.date").advice(),
    Code::format("advice.round").advice(),
    Code::format("advice.leg").advice(),
    Code::format("advice.time-control").advice(),
    Code::format("advice.clock").advice(),
    Code::format("advice.blank-line").advice(),
    Code::format("advice.player").advice(),
];

/// A likely slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slip<'r> {
    /// The name of a tag that is close to a known one.
    Tag { found: &'r str, tag: &'static str },
    /// A date in another form, and the possible dates.
    Date { found: &'r str, readings: String },
    /// A value that is not a date.
    NoDate { found: &'r str },
    /// A date in the right form of a day that does not exist.
    NoDay { found: &'r str },
    /// A round that is not written as its number.
    Round { found: &'r str, round: u32 },
    /// A leg that is not 1 or 2, and the likely one.
    Leg { found: &'r str, leg: Option<u32> },
    /// A time control that is not a number of seconds, and the likely number.
    TimeControl { found: &'r str, seconds: Option<u64> },
    /// A clock in another form, and the possible clocks.
    Clock { found: &'r str, readings: String },
    /// A value that is not a clock.
    NoClock { found: &'r str },
    /// Tags that an empty line separates from earlier tags; `line` is the first line of the earlier ones.
    BlankLine { line: u64 },
    /// A name of a player that differs by one letter from another one.
    Player { found: &'r str, other: String },
}

impl From<Slip<'_>> for Message {
    fn from(slip: Slip<'_>) -> Self {
        let row = |id| code::row(CODES, id);
        match slip {
            Slip::Tag { found, tag } => Self::new(row("advice.tag")).with("found", found).with("tag", tag),
            Slip::Date { found, readings } => {
                Self::variant(row("advice.date"), "form").with("found", found).with("readings", readings)
            }
            Slip::NoDate { found } => Self::variant(row("advice.date"), "none").with("found", found),
            Slip::NoDay { found } => Self::variant(row("advice.date"), "day").with("found", found),
            Slip::Round { found, round } => Self::new(row("advice.round")).with("found", found).with("round", round),
            Slip::Leg { found, leg: Some(leg) } => {
                Self::variant(row("advice.leg"), "near").with("found", found).with("leg", leg)
            }
            Slip::Leg { found, leg: None } => Self::variant(row("advice.leg"), "none").with("found", found),
            Slip::TimeControl { found, seconds: Some(seconds) } => {
                Self::variant(row("advice.time-control"), "near").with("found", found).with("seconds", seconds)
            }
            Slip::TimeControl { found, seconds: None } => {
                Self::variant(row("advice.time-control"), "none").with("found", found)
            }
            Slip::Clock { found, readings } => {
                Self::variant(row("advice.clock"), "near").with("found", found).with("readings", readings)
            }
            Slip::NoClock { found } => Self::variant(row("advice.clock"), "none").with("found", found),
            Slip::BlankLine { line } => Self::new(row("advice.blank-line")).with("line", line),
            Slip::Player { found, other } => Self::new(row("advice.player")).with("found", found).with("other", other),
        }
    }
}
