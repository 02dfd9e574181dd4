//! Graphs of a bracket with all players left give the same pairing as those with the next bracket only.

#![cfg(test)]

use super::*;
use crate::{
    model::{Bye, Change, GameOutcome, GameResult, Player, TournamentSettings},
    random::Random,
};

fn tournament(players: usize, random: &mut Random) -> Tournament {
    let settings: TournamentSettings = serde_json::from_str(
        r#"{"name":"Copa","system":{"kind":"swiss"},"rounds":7,"encounter":{"kind":"single"},"first_side":1}"#,
    )
    .expect("good settings");
    let mut tournament = Tournament::new(settings).expect("good settings");
    for number in 0..players {
        let rating = Some(1200 + u32::try_from(random.below(1000)).expect("a rating"));
        let player = Player { name: number.to_string(), rating, ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("it is allowed");
    }
    tournament
}

fn play(tournament: &mut Tournament, random: &mut Random) {
    let round = tournament.next_round();
    for id in tournament.playing(round) {
        if random.below(20) == 0 {
            tournament.apply(&Change::Absent { id, round, bye: Bye::Half }).expect("it is allowed");
        }
    }
    let (boards, bye) = pair(tournament).expect("it can be paired");
    let boards: Vec<_> =
        boards.iter().map(|board| board.players.each_ref().map(|placement| placement.player)).collect();
    tournament.apply(&Change::Pair { round, boards: boards.clone(), bye }).expect("it is the next round");
    for (board, players) in (1..).zip(boards) {
        let outcomes = [GameOutcome::First, GameOutcome::Second, GameOutcome::Draw];
        let result = GameResult::by_arbiter(outcomes[random.below(3)]);
        tournament.apply(&Change::Result { round, board, game: 1, players, result }).expect("a board");
    }
    tournament.apply(&Change::Close { round }).expect("it is complete");
}

#[test]
fn the_size_of_graphs_changes_no_pairing() {
    let mut random = Random::new(5);
    for players in [9, 12, 17, 24, 31] {
        let mut tournament = tournament(players, &mut random);
        for _ in 0..6 {
            let pool = Pool::new(&tournament);
            assert_eq!(brackets(&pool, 0), brackets(&pool, usize::MAX), "{players} players");
            play(&mut tournament, &mut random);
        }
    }
}
