//! Places by the rules of FIDE (C.07) and of Andes, and the places that are still possible.

use quipu_referee::competition::{Half, Quarter};
use quipu_tournament::{
    exchange::trf::{self, Edition},
    model::{Change, Encounter, GameOutcome, GameResult, PlayerId, System, Tally, Tournament},
    standings::{Method, TournamentTieBreak, prospects, standings},
};

use super::{SWISS, pair, play, tournament};

#[test]
fn a_direct_encounter_decides_among_equals() {
    let mut four = tournament(System::RoundRobin { double: false }, 1, Encounter::Single, 4);
    four.apply(&Change::TieBreaks { order: vec![TournamentTieBreak::DirectEncounter, TournamentTieBreak::Koya] })
        .expect("a list");
    for outcomes in [
        [GameOutcome::Second, GameOutcome::First],
        [GameOutcome::First, GameOutcome::First],
        [GameOutcome::First, GameOutcome::Draw],
    ] {
        pair(&mut four);
        play(&mut four, &outcomes);
    }
    let table = standings(&four, None);
    let order: Vec<_> =
        table.rows.iter().map(|row| (four.name(row.player), row.place, row.score.to_string())).collect();
    assert_eq!(order[0].0, "B");
    assert_eq!(table.rows.iter().map(|row| row.score).sum::<Half>(), Half::whole(6));
}

#[test]
fn prospects_of_a_swiss_tournament_are_bounds() {
    let mut four = tournament(SWISS, 3, Encounter::Single, 4);
    pair(&mut four);
    play(&mut four, &[GameOutcome::First, GameOutcome::First]);
    let prospects = prospects(&four);
    assert_eq!(prospects.method, Method::Bounds);
    assert!(prospects.players.iter().all(|one| one.best == 1 && one.worst == 4));
}

/// Sets the results of both legs of a board with their points, and those of another one without.
fn play_legs(tournament: &mut Tournament, board: u32, points: Option<[u32; 2]>) {
    let round = tournament.next_round() - 1;
    let players = tournament.round(round).expect("it is paired").boards[board as usize - 1].players;
    for game in 1..=2 {
        let tallies = points.map(|points| points.map(|points| Tally { points, ..Tally::default() }));
        let outcome = if points.is_some() { GameOutcome::First } else { GameOutcome::ForfeitToFirst };
        let result = GameResult { tallies, ..GameResult::by_arbiter(outcome) };
        tournament.apply(&Change::Result { round, board, game, players, result }).expect("a board");
    }
}

#[test]
fn prospects_by_points_are_exact_at_the_end_and_bounds_before() {
    let mut four = tournament(SWISS, 1, Encounter::TwoLegs, 4);
    four.apply(&Change::TieBreaks { order: TournamentTieBreak::by_points() }).expect("a list");
    assert_eq!(pair(&mut four), ["A-C", "D-B"]);
    let places = |tournament: &Tournament| {
        let found = prospects(tournament);
        (found.method, found.players.iter().map(|one| (one.best, one.worst)).collect::<Vec<_>>())
    };
    // A has 60 points and a bonus of 30, C has 40; B and D may still get any number.
    play_legs(&mut four, 1, Some([30, 20]));
    assert_eq!(places(&four), (Method::Bounds, vec![(1, 3), (1, 4), (2, 4), (1, 4)]));
    play_legs(&mut four, 2, None);
    assert_eq!(places(&four), (Method::Exact, vec![(1, 1), (4, 4), (2, 2), (3, 3)]));
}

/// Plays all rounds with the results of pairs such as `AB`, where the first letter is the first player.
fn play_pairs(tournament: &mut Tournament, results: &[(&str, GameOutcome)]) {
    while tournament.next_round() <= tournament.round_count() {
        let outcomes = pair(tournament).into_iter().filter_map(|board| {
            let players = board.split_once('-')?;
            let of = |(pair, outcome): &(&str, GameOutcome)| {
                let known = pair.split_at(1);
                let is_turned = (players.1, players.0) == known;
                (players == known || is_turned).then(|| if is_turned { outcome.in_game(2) } else { *outcome })
            };
            results.iter().find_map(of)
        });
        let outcomes: Vec<_> = outcomes.collect();
        play(tournament, &outcomes);
    }
}

/// Each player with place and first figure, if the direct encounter ranks before the score.
fn by_direct_encounter(tournament: &mut Tournament) -> Vec<(String, u32, Option<Quarter>)> {
    let order = vec![TournamentTieBreak::DirectEncounter, TournamentTieBreak::Score];
    tournament.apply(&Change::TieBreaks { order }).expect("a list");
    let rows = standings(tournament, None).rows.into_iter();
    rows.map(|row| (tournament.name(row.player).to_owned(), row.place, row.figures[0].value)).collect()
}

fn row(name: &str, place: u32, quarters: u64) -> (String, u32, Option<Quarter>) {
    (name.to_owned(), place, Some(Quarter::quarter_of(quarters)))
}

#[test]
fn players_who_stay_equal_are_compared_once_more() {
    let mut four = tournament(System::RoundRobin { double: false }, 1, Encounter::Single, 4);
    let [won, lost] = [GameOutcome::First, GameOutcome::Second];
    // A and B have two points, C and D one each.
    play_pairs(&mut four, &[("AB", lost), ("AC", won), ("AD", won), ("BC", lost), ("BD", won), ("CD", lost)]);
    let expected = [row("B", 1, 4), row("A", 2, 0), row("D", 3, 4), row("C", 4, 0)];
    assert_eq!(by_direct_encounter(&mut four), expected);
}

#[test]
fn a_forfeit_counts_in_a_round_robin() {
    let mut four = tournament(System::RoundRobin { double: false }, 1, Encounter::Single, 4);
    let [won, lost, forfeit] = [GameOutcome::First, GameOutcome::Second, GameOutcome::ForfeitToSecond];
    let results = [("AB", forfeit), ("AC", won), ("AD", won), ("BC", lost), ("BD", won), ("CD", lost)];
    play_pairs(&mut four, &results);
    assert_eq!(by_direct_encounter(&mut four)[..2], [row("B", 1, 4), row("A", 2, 0)]);
    let mut figures = |tie_break: TournamentTieBreak| -> Vec<_> {
        four.apply(&Change::TieBreaks { order: vec![TournamentTieBreak::Score, tie_break] }).expect("a list");
        let mut rows = standings(&four, None).rows;
        rows.sort_by_key(|row| row.player);
        rows.into_iter().map(|row| row.figures[1].value.map_or(String::new(), |value| value.to_string())).collect()
    };
    // Those with two points or more of three are A and B; C beat B, and D nobody of them.
    assert_eq!(figures(TournamentTieBreak::Koya), ["0", "1", "1", "0"]);
    // Ratings count of opponents in played games alone: those of B are C and D.
    let mut rated = figures(TournamentTieBreak::AverageRating);
    assert_eq!(rated.remove(1), "1998");
    // A won two encounters, B one by forfeit and one on the board.
    assert_eq!(figures(TournamentTieBreak::Encounters), ["2", "2", "1", "1"]);
    // The forfeit that A lost, against B, is not cut before a weaker opponent.
    assert_eq!(figures(TournamentTieBreak::BuchholzCut1), ["3", "3", "4", "4"]);
}

#[test]
fn encounters_with_one_opponent_count_with_their_mean() {
    let mut three = tournament(System::Manual, 4, Encounter::Single, 3);
    let pairs = [([1, 2], 3), ([1, 2], 3), ([3, 1], 2), ([2, 3], 1)];
    for (players, bye) in pairs {
        let round = three.next_round();
        let change = Change::Pair { round, boards: vec![players.map(PlayerId)], bye: Some(PlayerId(bye)) };
        three.apply(&change).expect("a round by hand");
        play(&mut three, &[GameOutcome::First]);
    }
    let figures: Vec<_> = by_direct_encounter(&mut three).into_iter().map(|(_, _, value)| value).collect();
    assert_eq!(figures, [Some(Quarter::quarter_of(4)); 3]);
}

#[test]
fn two_legs_with_a_forfeit_of_each_player_are_played() {
    let result = |outcomes: [GameOutcome; 2]| {
        let mut two = tournament(SWISS, 1, Encounter::TwoLegs, 2);
        pair(&mut two);
        for (game, outcome) in (1..).zip(outcomes) {
            let (players, result) = ([PlayerId(1), PlayerId(2)], GameResult::by_arbiter(outcome));
            two.apply(&Change::Result { round: 1, board: 1, game, players, result }).expect("a board");
        }
        let (text, _) = trf::write(&two, Edition::Trf16);
        let letters = text.lines().filter(|line| line.starts_with("001")).filter_map(|line| line.chars().last());
        letters.collect::<String>()
    };
    let [one, two, both] = [GameOutcome::ForfeitToFirst, GameOutcome::ForfeitToSecond, GameOutcome::DoubleForfeit];
    assert_eq!(result([one, two]), "==");
    assert_eq!(result([one, one]), "+-");
    assert_eq!(result([one, both]), "+-");
    assert_eq!(result([both, both]), "--");
    assert_eq!(result([GameOutcome::Second, one]), "==");
}

#[test]
fn players_out_of_a_knock_out_have_no_better_place_left() {
    let places = |third_place: bool| {
        let mut four = tournament(System::Knockout { third_place }, 1, Encounter::Single, 4);
        assert_eq!(pair(&mut four), ["A-D", "B-C"]);
        play(&mut four, &[GameOutcome::First, GameOutcome::First]);
        prospects(&four).players.iter().map(|one| (one.best, one.worst)).collect::<Vec<_>>()
    };
    assert_eq!(places(false), [(1, 2), (1, 2), (3, 4), (3, 4)]);
    assert_eq!(places(true), [(1, 4), (1, 4), (1, 4), (1, 4)]);
}
