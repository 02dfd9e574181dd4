//! A round of a player in ten columns: opponent, colour, result.

use quipu_notation::Side;
use quipu_referee::competition::Half;

use crate::model::{Bye, GameOutcome, Slot};

/// A round as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Not in the tournament.
    Out,
    /// A bye.
    Bye(Bye),
    /// A game with the player of a starting number; without a result if it is not played yet.
    Game { opponent: u32, side: Side, result: Option<char> },
}

impl Cell {
    /// The cell of a slot; `number` gives starting numbers, `rated` is false for a game that is not rated.
    pub(super) fn of(slot: &Slot, rated: bool, number: impl Fn(crate::model::PlayerId) -> u32) -> Self {
        match slot {
            Slot::Out => Self::Out,
            Slot::Bye(bye) => Self::Bye(*bye),
            Slot::Encounter { index, opponent, side, result, .. } => {
                let letter = |result: &crate::model::EncounterResult| match (result.was_played, rated) {
                    (false, _) => ['+', '-'][usize::from(result.scores[*index] == Half::ZERO)],
                    (true, true) => letter_of(result.scores[*index], ['1', '=', '0']),
                    (true, false) => letter_of(result.scores[*index], ['W', 'D', 'L']),
                };
                Self::Game { opponent: number(*opponent), side: *side, result: result.as_ref().map(letter) }
            }
        }
    }

    /// True for a round without the player, and without points for it.
    pub(super) fn is_absence(&self) -> bool {
        matches!(self, Self::Out | Self::Bye(Bye::Zero))
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Out => " ".repeat(10),
            Self::Bye(bye) => format!("  0000 - {}", bye_letter(*bye)),
            Self::Game { opponent, side, result } => {
                let side = if *side == Side::One { 'w' } else { 'b' };
                format!("  {opponent:>4} {side} {}", result.unwrap_or(' '))
            }
        }
    }

    /// Reads the eight characters after the two blanks; nothing for a cell that is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let field = |range: std::ops::Range<usize>| text.get(range).unwrap_or("").trim();
        let (opponent, side, result) = (field(0..4), field(5..6), field(7..8));
        let result = result.chars().next().map(|letter| letter.to_ascii_uppercase());
        if opponent.is_empty() && side.is_empty() && result.is_none() {
            return Some(Self::Out);
        }
        if opponent.is_empty() || opponent.chars().all(|digit| digit == '0') {
            let bye = match result? {
                'U' | '+' => Bye::Allocated,
                'F' | '1' => Bye::Full,
                'H' | '=' => Bye::Half,
                'Z' | '-' | '0' => Bye::Zero,
                _ => return None,
            };
            return Some(Self::Bye(bye));
        }
        let side = match side {
            "w" | "W" => Side::One,
            "b" | "B" => Side::Two,
            _ => return None,
        };
        if result.is_some_and(|letter| !"10=WDL+-".contains(letter)) {
            return None;
        }
        Some(Self::Game { opponent: opponent.parse().ok()?, side, result })
    }
}

fn letter_of(score: Half, letters: [char; 3]) -> char {
    match score {
        Half::ONE => letters[0],
        Half::HALF => letters[1],
        _ => letters[2],
    }
}

pub(super) const fn bye_letter(bye: Bye) -> char {
    match bye {
        Bye::Full => 'F',
        Bye::Half => 'H',
        Bye::Zero => 'Z',
        Bye::Allocated => 'U',
    }
}

/// The outcome for the player with side 1 of the results of both, and false if the game is not rated.
pub(super) fn outcome(one: char, two: char) -> Option<(GameOutcome, bool)> {
    Some(match (one, two) {
        ('1', '0') => (GameOutcome::First, true),
        ('0', '1') => (GameOutcome::Second, true),
        ('=', '=') => (GameOutcome::Draw, true),
        ('W', 'L') => (GameOutcome::First, false),
        ('L', 'W') => (GameOutcome::Second, false),
        ('D', 'D') => (GameOutcome::Draw, false),
        ('+', '-') => (GameOutcome::ForfeitToFirst, true),
        ('-', '+') => (GameOutcome::ForfeitToSecond, true),
        ('-', '-') => (GameOutcome::DoubleForfeit, true),
        _ => return None,
    })
}
