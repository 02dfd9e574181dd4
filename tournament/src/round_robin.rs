//! Round robin by Berger tables (FIDE, C.05, Annex 1).

use crate::model::PlayerId;

/// The pairing of a round: boards in the order of the table, and the player without an opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Berger {
    pub(crate) boards: Vec<[PlayerId; 2]>,
    pub(crate) bye: Option<PlayerId>,
}

/// A round, from 1, of players in the order of their numbers. In the second half of a double round robin the sides are swapped.
///
/// With *n* players, an even number, all but the last one sit on a circle, and the one whom round *r* pairs with the last
/// player is number *(r - 1) n / 2 + 1*, counted around the circle. In odd rounds the last player has side 2, in even ones
/// side 1. An odd number of players has an absent one more, and whoever meets that one is free.
pub(crate) fn round(players: &[PlayerId], number: u32, double: bool) -> Berger {
    let count = players.len() + players.len() % 2;
    let circle = count.saturating_sub(1);
    if circle == 0 {
        return Berger { boards: Vec::new(), bye: players.first().copied() };
    }
    let index = number.saturating_sub(1) as usize;
    let (turn, is_second) = (index % circle, double && index >= circle);
    let meets_last = turn * (count / 2) % circle;
    let mut pairs = vec![if turn % 2 == 0 { [meets_last, circle] } else { [circle, meets_last] }];
    for distance in 1..count / 2 {
        pairs.push([(meets_last + distance) % circle, (meets_last + circle - distance) % circle]);
    }
    let mut found = Berger { boards: Vec::new(), bye: None };
    for [one, two] in pairs {
        match (players.get(one), players.get(two)) {
            (Some(one), Some(two)) => found.boards.push(if is_second { [*two, *one] } else { [*one, *two] }),
            (Some(free), None) | (None, Some(free)) => found.bye = Some(*free),
            (None, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(count: u32, rounds: u32, double: bool) -> Vec<String> {
        let players: Vec<_> = (1..=count).map(PlayerId).collect();
        let line = |number| {
            let round = round(&players, number, double);
            let boards = round.boards.iter().map(|[one, two]| format!("{one}-{two}"));
            boards.collect::<Vec<_>>().join(" ")
        };
        (1..=rounds).map(line).collect()
    }

    #[test]
    fn tables_are_those_of_the_handbook() {
        assert_eq!(table(4, 3, false), ["1-4 2-3", "4-3 1-2", "2-4 3-1"]);
        assert_eq!(table(6, 5, false), ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"]);
        assert_eq!(table(8, 2, false), ["1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2"]);
        assert_eq!(table(4, 6, true)[3..], ["4-1 3-2", "3-4 2-1", "4-2 1-3"]);
    }

    #[test]
    fn everyone_meets_everyone_once() {
        for count in 2..=15u32 {
            let players: Vec<_> = (1..=count).map(PlayerId).collect();
            let rounds = count - 1 + count % 2;
            let mut met = std::collections::BTreeSet::new();
            for number in 1..=rounds {
                let round = round(&players, number, false);
                assert_eq!(round.bye.is_some(), count % 2 == 1);
                for mut pair in round.boards {
                    pair.sort_unstable();
                    assert!(met.insert(pair), "{count} players: {pair:?} twice");
                }
            }
            assert_eq!(met.len(), players.len() * (players.len() - 1) / 2);
        }
    }
}
