//! Changes: a tournament is what they make of it, one after the other.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::TIME_CONTROL;
use super::{About, Bye, GameResult, Player, PlayerId, TournamentSettings};
use crate::standings::TournamentTieBreak;

/// A change. Its author, its reason and its time are the archive's.
///
/// The JSON Schema has the steps that clients list. To create and to pair are requests of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentStep"))]
#[serde(tag = "change", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// Creates the tournament; the first change of all.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Create {
        /// The settings.
        settings: TournamentSettings,
    },
    /// Sets the facts that only exchange files carry.
    Describe {
        /// The facts.
        about: About,
    },
    /// Sets the tie-breaks.
    TieBreaks {
        /// The first one first.
        order: Vec<TournamentTieBreak>,
    },
    /// Sets the time control.
    TimeControl {
        /// The seconds with which each player starts a game; none for games without a clock of the tournament.
        #[cfg_attr(feature = "schema", schemars(range(min = TIME_CONTROL[0], max = TIME_CONTROL[1])))]
        seconds: Option<u32>,
    },
    /// Enters a player, who gets the next [`PlayerId`].
    Enter {
        /// The player.
        player: Player,
        /// The first round; later than 1 for a late entry.
        first: u32,
    },
    /// Corrects the data of a player.
    Edit {
        /// The player.
        id: PlayerId,
        /// The corrected data.
        player: Player,
    },
    /// Withdraws a player.
    Withdraw {
        /// The player.
        id: PlayerId,
        /// The first round without the player.
        round: u32,
    },
    /// Brings a player back who had withdrawn.
    Return {
        /// The player.
        id: PlayerId,
        /// The first round with the player again. The rounds between are absences.
        round: u32,
    },
    /// Excuses a player from a round.
    Absent {
        /// The player.
        id: PlayerId,
        /// The round.
        round: u32,
        /// The points for it.
        bye: Bye,
    },
    /// Takes an absence back.
    Present {
        /// The player.
        id: PlayerId,
        /// The round.
        round: u32,
    },
    /// Forbids a pair.
    Forbid {
        /// The players.
        players: [PlayerId; 2],
    },
    /// Allows a pair again.
    Allow {
        /// The players.
        players: [PlayerId; 2],
    },
    /// Pairs a round.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Pair {
        /// The round.
        round: u32,
        /// The players of each board; the first one has side 1 in the first game.
        boards: Vec<[PlayerId; 2]>,
        /// The player with the bye.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bye: Option<PlayerId>,
    },
    /// Takes the pairing of the last round back, with its results.
    Unpair {
        /// The round.
        round: u32,
    },
    /// Sets the result of a game, also over another one.
    Result {
        /// The round.
        round: u32,
        /// The board, from 1.
        board: u32,
        /// The game of the encounter, from 1.
        game: u32,
        /// The players for whom the result is meant: it is refused if the board was paired again with others.
        players: [PlayerId; 2],
        /// The result.
        result: GameResult,
    },
    /// Takes the result of a game back.
    Clear {
        /// The round.
        round: u32,
        /// The board, from 1.
        board: u32,
        /// The game of the encounter, from 1.
        game: u32,
    },
    /// Closes a round: its results are complete.
    Close {
        /// The round.
        round: u32,
    },
    /// Opens a closed round again.
    Reopen {
        /// The round.
        round: u32,
    },
}

impl Change {
    /// True for a change that takes back what others rely on: it is made with a reason.
    pub const fn needs_reason(&self) -> bool {
        matches!(
            self,
            Self::Reopen { .. }
                | Self::Unpair { .. }
                | Self::TieBreaks { .. }
                | Self::TimeControl { .. }
                | Self::Clear { .. }
        )
    }
}
