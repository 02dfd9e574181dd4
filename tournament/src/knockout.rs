//! Knock-out: the loser of an encounter is out.

use crate::{
    fault::{self, Fault},
    model::{PlayerId, Tournament},
};

/// The pairing of the next round: boards and byes. The seeds meet as late as possible: 1 and 2 in the final.
pub(crate) fn pair(tournament: &Tournament, third_place: bool) -> Result<Vec<[PlayerId; 2]>, Fault> {
    let seeds = tournament.seeding(1);
    if seeds.len() < 2 {
        return Err(Fault::new(fault::TOO_FEW).with("found", seeds.len()).with("least", 2));
    }
    let mut places: Vec<Option<PlayerId>> =
        bracket_order(seeds.len().next_power_of_two()).into_iter().map(|seed| seeds.get(seed).copied()).collect();
    let mut losers = Vec::new();
    for number in 1..tournament.next_round() {
        losers.clear();
        places = places
            .chunks(2)
            .map(|pair| {
                let winner = match pair {
                    [Some(one), Some(two)] => {
                        let winner = winner(tournament, number, [*one, *two])?;
                        losers.push(if winner == *one { *two } else { *one });
                        Some(winner)
                    }
                    pair => pair.iter().flatten().next().copied(),
                };
                Ok(winner)
            })
            .collect::<Result<_, Fault>>()?;
    }
    let mut boards: Vec<[PlayerId; 2]> =
        places.chunks(2).filter_map(|pair| Some([(*pair.first()?)?, (*pair.get(1)?)?])).collect();
    if let ([_], [one, two], true) = (boards.as_slice(), losers.as_slice(), third_place) {
        boards.push([*one, *two]);
    }
    let rank = |id: &PlayerId| seeds.iter().position(|seed| seed == id);
    for board in boards.iter_mut().filter(|[one, two]| rank(one) > rank(two)) {
        board.reverse();
    }
    Ok(boards)
}

/// The seeds, from 0, in the order of their places: each pair of neighbours meets, and the winners of neighbouring pairs.
fn bracket_order(count: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < count {
        let size = 2 * order.len();
        order = order.into_iter().flat_map(|seed| [seed, size - 1 - seed]).collect();
    }
    order
}

fn winner(tournament: &Tournament, number: u32, players: [PlayerId; 2]) -> Result<PlayerId, Fault> {
    let round = tournament.round(number);
    let board =
        round.and_then(|round| round.boards.iter().find(|board| players.iter().all(|id| board.players.contains(id))));
    let winner = board.and_then(|board| Some(board.players[board.result(tournament.settings.encounter)?.winner()?]));
    winner.ok_or_else(|| {
        let [one, two] = players.map(|id| tournament.name(id));
        Fault::new(fault::NO_WINNER).with("round", number).with("one", one).with("two", two)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_seeds_meet_last() {
        assert_eq!(bracket_order(2), [0, 1]);
        assert_eq!(bracket_order(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    }
}
