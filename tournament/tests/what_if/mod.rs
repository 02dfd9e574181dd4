//! Possible places, compared with all ways, or many ways, to play the games that are left.

mod cup;

use cup::{Cup, absent};
use quipu_referee::competition::Half;
use quipu_reference::{Fixture, Played, Report, Row};
use quipu_tournament::{
    exchange::trf::{self, Edition},
    model::{Board, Change, Encounter, GameOutcome, GameResult, System, Tournament},
    pairing,
    standings::{Method, PlayerProspects, Prospects, prospects, prospects_within},
};

/// Cups that are compared.
const CUPS: u64 = 400;
/// Ways to play a cup to its end where not all are tried.
const WAYS: u64 = 40;

/// The tie-breaks by their names.
fn names(tournament: &Tournament) -> Vec<&'static str> {
    tournament.tie_breaks.iter().map(|tie_break| tie_break.as_str()).collect()
}

/// A board as the slow computation sees it.
fn fixture(tournament: &Tournament, round: u32, board: &Board) -> Fixture {
    let game = |result: &GameResult| Played {
        halves: result.outcome.scores().map(Half::halves),
        is_forfeit: !result.outcome.was_played(),
        points: result.tallies.map(|tallies| tallies.map(|tally| tally.points.into())),
    };
    Fixture {
        round: round as usize,
        names: board.players.map(|id| tournament.name(id).to_owned()),
        games: board.games.iter().flatten().map(game).collect(),
        left: board.games.iter().filter(|game| game.is_none()).count(),
        by_points: tournament.settings.encounter == Encounter::TwoLegs,
        absent: absent(tournament, board.players, round),
    }
}

/// The report file of a tournament that is over, with the points of its encounters.
fn report(tournament: &Tournament) -> Report {
    let mut report = Report::read(&trf::write(tournament, Edition::Trf26).0);
    for (round, paired) in (1..).zip(&tournament.rounds) {
        for board in &paired.boards {
            report.set(&fixture(tournament, round, board));
        }
    }
    report
}

/// The tournament with any results of the games that are left, and its open encounters. All pairings are known.
fn filled(tournament: &Tournament) -> (Tournament, Vec<Fixture>) {
    let (mut filled, mut open) = (tournament.clone(), Vec::new());
    loop {
        let round = filled.next_round() - 1;
        let boards = filled.rounds.last().map_or(Vec::new(), |round| round.boards.clone());
        for (number, board) in (1..).zip(boards) {
            let fixture = fixture(&filled, round, &board);
            open.extend((fixture.left > 0).then_some(fixture));
            for (game, _) in (1..).zip(&board.games).filter(|(_, game)| game.is_none()) {
                let (players, result) = (board.players, GameResult::by_arbiter(GameOutcome::Draw));
                let change = Change::Result { round, board: number, game, players, result };
                filled.apply(&change).expect("an open game");
            }
        }
        if round == filled.round_count() {
            return (filled, open);
        }
        if filled.rounds.last().is_some_and(|round| !round.is_closed) {
            filled.apply(&Change::Close { round }).expect("no result is missing");
        }
        let next = pairing::next(&filled).expect("a round robin goes on");
        filled.apply(&next.change()).expect("it is the next round");
    }
}

fn place_of(rows: &[Row], name: &str) -> u32 {
    let row = rows.iter().find(|row| row.name == name).expect("every player has a place");
    u32::try_from(row.place).expect("a small number")
}

/// Compares places with those after all ways to play the games that are left, and the ways to the best ones.
fn check_exact(tournament: &Tournament, found: &Prospects) {
    let order = names(tournament);
    let (filled, open) = filled(tournament);
    assert_eq!(found.open, open.len());
    let report = report(&filled);
    let expected = report.places(&open, &order);
    let bounds = prospects_within(tournament, 0);
    assert_eq!(bounds.method, Method::Bounds);
    for (PlayerProspects { player, best, worst, takes }, outer) in found.players.iter().zip(&bounds.players) {
        let name = tournament.name(*player);
        let places = expected[name].map(|place| u32::try_from(place).expect("a small number"));
        assert_eq!([*best, *worst], places, "{name}, {order:?}: {open:?}\n{tournament:?}");
        assert!(outer.best <= *best && outer.worst >= *worst, "{name}: {outer:?}, {order:?}\n{tournament:?}");
        let halves: Vec<[u64; 2]> = open
            .iter()
            .map(|fixture| {
                let is_of = |names: [&str; 2]| fixture.names.iter().eq(names);
                let mut needed = takes.iter().filter(|needed| needed.round as usize == fixture.round);
                let needed = needed.find(|needed| is_of(needed.players.map(|id| tournament.name(id))));
                needed.expect("every open encounter").scores.map(Half::halves)
            })
            .collect();
        assert_eq!(place_of(&report.clone().after(&open, &halves, &order), name), *best, "{name}: {takes:?}");
    }
    assert_eq!(found.players.len(), expected.len());
}

/// Checks that no way to play on leads to a place out of the bounds. The number of ways that come to an end.
fn check_bounds(cup: &Cup, found: &Prospects) -> usize {
    let order = names(&cup.tournament);
    let ends = (0..WAYS).filter_map(|seed| cup.clone().end(seed));
    let check = |end: Tournament| {
        let rows = report(&end).standings(&order);
        for PlayerProspects { player, best, worst, .. } in &found.players {
            let place = place_of(&rows, end.name(*player));
            let name = end.name(*player);
            assert!(
                (*best..=*worst).contains(&place),
                "{name}: {place} is not in {best}..={worst}, {order:?}\n{:?}\n{end:?}",
                cup.tournament
            );
        }
    };
    ends.map(check).count()
}

#[test]
fn possible_places_are_those_of_a_slow_computation() {
    let (mut exact, mut played) = (0, 0);
    for seed in 0..CUPS {
        let cup = Cup::new(seed);
        let tournament = &cup.tournament;
        let found = prospects(tournament);
        let is_known = matches!(tournament.settings.system, System::RoundRobin { .. })
            || tournament.next_round() > tournament.round_count();
        let is_exact = is_known && (found.open == 0 || !tournament.counts_points());
        assert_eq!(found.method == Method::Exact, is_exact, "{tournament:?}");
        if is_exact {
            check_exact(tournament, &found);
            exact += 1;
        } else {
            played += check_bounds(&cup, &found);
        }
    }
    // Neither part of the comparison is empty.
    assert!(exact > 100 && played > 1000, "{exact} exact, {played} ways");
}
