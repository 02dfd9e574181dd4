//! Numbers of the laws: stones of a side, plies of the phases.

use quipu_notation::games::pastores::Hand;

/// Stones of each kind that a side has (GEN.06).
pub(super) const WHOLE: Hand = Hand { pastores: 5, guerreros: 3 };
/// Stones of a side (GEN.05).
pub(super) const STONES: u32 = 8;
/// Plies of the placing phase: each places one stone (NOR.03).
pub(super) const PLACINGS: u64 = 16;
/// The countdown once a capture has left one stone against one: five turns for each player (NOR.12, R-3).
pub(super) const COUNTDOWN: u8 = 10;
