//! Ratings, step by step from Mark Glickman, “Example of the Glicko-2 system” (2022), with his numbers of the steps. Every month
//! is a rating period, also one in which nobody plays.

use std::f64::consts::PI;

/// The system constant.
const TAU: f64 = 0.5;
/// The ratio of the two scales.
const SCALE: f64 = 173.7178;
/// The deviation of an unrated player.
const UNRATED: f64 = 350.0;

/// Rating, deviation and volatility on the scale for people.
pub type Figures = [f64; 3];

/// A game: its month, its players, and the score of the first of them.
pub type Rated = (u32, [usize; 2], f64);

/// The figures of each player before a month; none without games until then.
pub fn rate(players: usize, games: &[Rated], month: u32) -> Vec<Option<Figures>> {
    let mut all: Vec<Option<Figures>> = vec![None; players];
    for now in 0..month {
        let before = all.clone();
        for (player, figures) in all.iter_mut().enumerate() {
            let of = |player: usize| before[player].unwrap_or([1500.0, UNRATED, 0.06]);
            let mut met = Vec::new();
            for (_, [one, two], score) in games.iter().filter(|(month, ..)| *month == now) {
                if *one == player {
                    met.push((of(*two), *score));
                }
                if *two == player {
                    met.push((of(*one), 1.0 - score));
                }
            }
            if !met.is_empty() || figures.is_some() {
                *figures = Some(step(of(player), &met));
            }
        }
    }
    all
}

/// A player's figures after one period.
fn step([rating, deviation, volatility]: Figures, met: &[(Figures, f64)]) -> Figures {
    // Step 2: the other scale.
    let (mu, phi) = ((rating - 1500.0) / SCALE, deviation / SCALE);
    if met.is_empty() {
        // Nobody knows less about a player than about one who never played.
        let grown = (phi * phi + volatility * volatility).sqrt();
        return [rating, (grown * SCALE).min(UNRATED), volatility];
    }
    let weight = |phi: f64| 1.0 / (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt();
    let chance = |mu_j: f64, phi_j: f64| 1.0 / (1.0 + (-weight(phi_j) * (mu - mu_j)).exp());
    // Steps 3 and 4.
    let (mut information, mut surplus) = (0.0, 0.0);
    for ([rating_j, deviation_j, _], score) in met {
        let (mu_j, phi_j) = ((rating_j - 1500.0) / SCALE, deviation_j / SCALE);
        let expected = chance(mu_j, phi_j);
        information += weight(phi_j) * weight(phi_j) * expected * (1.0 - expected);
        surplus += weight(phi_j) * (score - expected);
    }
    let variance = 1.0 / information;
    let delta = variance * surplus;
    // Step 5: the function falls, so that its zero is between two points with different signs.
    let start = (volatility * volatility).ln();
    let slope = |x: f64| {
        let square = x.exp();
        let whole = phi * phi + variance + square;
        square * (delta * delta - whole) / (2.0 * whole * whole) - (x - start) / (TAU * TAU)
    };
    let (mut low, mut high) = (start - 50.0, start + 50.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let sigma = (low / 2.0).exp();
    // Steps 6 to 8.
    let before = (phi * phi + sigma * sigma).sqrt();
    let after = 1.0 / (1.0 / (before * before) + 1.0 / variance).sqrt();
    [SCALE * (mu + after * after * surplus) + 1500.0, (SCALE * after).min(UNRATED), sigma]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper.
    #[test]
    fn the_example_of_the_paper() {
        let met = [([1400.0, 30.0, 0.06], 1.0), ([1550.0, 100.0, 0.06], 0.0), ([1700.0, 300.0, 0.06], 0.0)];
        let [rating, deviation, volatility] = step([1500.0, 200.0, 0.06], &met);
        assert!((rating - 1464.06).abs() < 0.02, "{rating}");
        assert!((deviation - 151.52).abs() < 0.01, "{deviation}");
        assert!((volatility - 0.05999).abs() < 0.00001, "{volatility}");
    }
}
