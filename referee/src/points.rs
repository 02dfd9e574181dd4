//! Points of a position, and the order between two counts.

use std::{cmp::Ordering, fmt, ops::AddAssign};

use quipu_notation::{Side, record::Outcome};

/// The counts of both sides, side 1 first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points(pub [Count; 2]);

/// The count of one side. The greater of two counts is ahead: by points, then by the other numbers in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// Points.
    pub points: u32,
    /// Numbers that decide between equal points, the first one first. In Andes: pieces on the board, attacked, in
    /// reserve (5.2).
    pub breaks: [u32; 3],
}

/// The points by the laws of a game: each piece of either side always counts for one of them, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointRule {
    /// Pieces of both sides together.
    pub pieces: u32,
    /// Points of a piece in each of the numbers [`Count::breaks`].
    pub worth: [u32; 3],
}

impl PointRule {
    /// The points of a side with so many pieces in each place.
    pub const fn points(self, breaks: [u32; 3]) -> u32 {
        let mut points: u32 = 0;
        let mut place = 0;
        while place < breaks.len() {
            points = points.saturating_add(self.worth[place].saturating_mul(breaks[place]));
            place += 1;
        }
        points
    }

    /// The least and the most points of both sides together.
    pub fn sums(self) -> [u32; 2] {
        let least = self.worth.into_iter().min().unwrap_or_default();
        let most = self.worth.into_iter().max().unwrap_or_default();
        [self.pieces * least, self.pieces * most]
    }
}

impl Points {
    /// The points of both sides, without the numbers that decide between equal ones.
    pub fn counted(&self) -> [u32; 2] {
        self.0.map(|count| count.points)
    }

    /// True if a text is that of these points.
    pub(crate) fn is_written(&self, text: &str) -> bool {
        // Of all texts of a number only the one without sign and leading zeros is as short as its digits.
        let is = |number: u32, text: &str| {
            text.len() == number.checked_ilog10().map_or(1, |tens| tens as usize + 1) && text.parse() == Ok(number)
        };
        let [one, two] = self.counted();
        text.split_once('-').is_some_and(|(first, second)| is(one, first) && is(two, second))
    }

    /// The outcome that the counts decide.
    pub fn outcome(&self) -> Outcome {
        let [one, two] = self.0;
        match one.cmp(&two) {
            Ordering::Greater => Outcome::Win(Side::One),
            Ordering::Less => Outcome::Win(Side::Two),
            Ordering::Equal => Outcome::Draw,
        }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two] = self.counted();
        write!(f, "{one}-{two}")
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.points += other.points;
        for (sum, more) in self.breaks.iter_mut().zip(other.breaks) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_points() {
        for pair in [[0, 0], [0, 7], [9, 10], [26, 9], [100, u32::MAX]] {
            let points = Points(pair.map(|points| Count { points, ..Count::default() }));
            let [one, two] = pair;
            assert!(points.is_written(&points.to_string()), "{points}");
            let others = ["", "-", "1", "1-", "-1", "1-2-3"].map(str::to_owned);
            let same = [
                format!("0{points}"),
                format!("+{points}"),
                format!("{one}-0{two}"),
                format!("{points} "),
                format!("{points}-"),
            ];
            for text in others.iter().chain(&same) {
                assert!(!points.is_written(text), "{points} {text}");
            }
        }
    }
}
