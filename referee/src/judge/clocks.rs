//! The time left on both clocks.

use quipu_notation::Side;

use crate::record::Breach;

/// The time left on both clocks.
pub(crate) struct Clocks {
    /// The most milliseconds at the start.
    control: Option<u64>,
    left: [Option<u64>; 2],
    flagged: [bool; 2],
}

impl Clocks {
    pub(crate) fn new(tag: Option<&str>, default: Option<u64>) -> Self {
        let seconds = match tag {
            // Digits beyond 64 bits allow any clock.
            Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse::<u64>().ok()
            }
            Some(_) => None,
            None => default,
        };
        let control = seconds.map(|seconds| seconds.saturating_mul(1000));
        Self { control, left: [None; 2], flagged: [false; 2] }
    }

    /// True if a side that plays has no time left; only once for each side.
    pub(crate) fn flag(&mut self, side: Side) -> bool {
        let out = self.left[side.index()] == Some(0);
        out && !std::mem::replace(&mut self.flagged[side.index()], true)
    }

    /// Sets the time left after a side's ply.
    pub(crate) fn set(&mut self, side: Side, clock: u64, word: &'static str) -> Option<Breach> {
        match (self.left[side.index()].replace(clock), self.control) {
            (Some(before), _) if clock > before => Some(Breach::ClockRises { side: word, clock, before }),
            (None, Some(limit)) if clock > limit => Some(Breach::ClockStart { side: word, clock, limit }),
            _ => None,
        }
    }
}
