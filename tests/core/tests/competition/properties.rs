//! Properties of the figures of any games.

use std::collections::BTreeSet;

use proptest::{collection::vec, prelude::*, sample::select};
use quipu_referee::competition::{Entry, Half, Quarter, StandingsRow, TieBreak, encounters, players, standings};

/// Some games among a few players, with rounds and legs as they come.
fn any_games() -> impl Strategy<Value = Vec<Entry>> {
    let players = (0..6_usize, 1..6_usize).prop_map(|(one, step)| [one, (one + step) % 6]);
    let outcome = select(&["1-0", "0-1", "1/2-1/2"][..]);
    let leg = select(&[None, Some("1"), Some("2"), Some("3")][..]);
    let counts = || (0..4_u32, 0..3_u32, 0..5_u32);
    let game = (players, outcome, leg, 1..4_u8, 0..2_u8, counts(), counts());
    vec(game, 0..40).prop_map(|games| {
        let games = (1..).zip(games).map(|(place, (players, outcome, leg, round, event, one, two))| {
            let [first, second] = players.map(|player| ["Ana", "Bo", "Cy", "Di", "Eva", "Flo"][player]);
            let counts = |(board, attacked, reserve): (u32, u32, u32)| format!("{board}/{attacked}/{reserve}");
            let line = format!("{first} {} {outcome} {second} {}", counts(one), counts(two));
            let event = ["Copa", "Liga"][usize::from(event)].to_owned();
            Entry {
                event: Some(event),
                round: Some(round.to_string()),
                leg: leg.map(str::to_owned),
                ..super::game(place, &line)
            }
        });
        games.collect()
    })
}

/// Everything that standings say, but the games by their places.
fn said(entries: &[Entry]) -> BTreeSet<String> {
    let rows = standings(entries, &TieBreak::ALL).into_iter().flat_map(|table| {
        let event = table.event.clone();
        let names: Vec<_> = table.rows.iter().map(|row| row.name.clone()).collect();
        table.rows.into_iter().enumerate().map(move |(index, row)| {
            let meetings: Vec<_> =
                row.meetings().into_iter().map(|meeting| (names[meeting.opponent].clone(), meeting.score())).collect();
            format!("{event:?} {index} {} {} {} {:?} {meetings:?}", row.place, row.name, row.score, row.figures)
        })
    });
    rows.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn scores_are_the_games(entries in any_games()) {
        for table in standings(&entries, &TieBreak::DEFAULT) {
            let of_event = entries.iter().filter(|entry| entry.event == table.event).count() as u64;
            let sum = |of: &dyn Fn(&StandingsRow) -> u64| table.rows.iter().map(of).sum::<u64>();
            prop_assert_eq!(table.rows.iter().map(|row| row.score).sum::<Half>(), Half::whole(of_event));
            prop_assert_eq!(sum(&|row| row.wins), sum(&|row| row.losses));
            prop_assert_eq!(sum(&|row| row.games()), 2 * of_event);
            // Every score counts as often as somebody has met it.
            let met: Half = table.rows.iter().flat_map(|row| row.played.iter().map(|_| row.score)).sum();
            let buchholz: Quarter = table.rows.iter().filter_map(|row| row.figures[0]).sum();
            prop_assert_eq!(buchholz, met.into());
            for (index, row) in table.rows.iter().enumerate() {
                for meeting in row.meetings() {
                    let back = table.rows[meeting.opponent].meetings();
                    let back = back.iter().find(|back| back.opponent == index).expect("who was met has met");
                    prop_assert_eq!(meeting.score() + back.score(), Half::whole(meeting.games.len() as u64));
                }
            }
            prop_assert!(table.rows.windows(2).all(|pair| pair[0].score >= pair[1].score));
            let equal = |one: &StandingsRow, other: &StandingsRow| one.score == other.score && one.figures == other.figures;
            for pair in table.rows.windows(2) {
                prop_assert_eq!(pair[0].place == pair[1].place, equal(&pair[0], &pair[1]));
            }
        }
    }

    #[test]
    fn the_order_of_entry_does_not_matter_for_standings(
        (entries, shuffled) in
            any_games().prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle())),
    ) {
        let shuffled: Vec<_> = (1..).zip(shuffled).map(|(place, entry)| Entry { place, ..entry }).collect();
        prop_assert_eq!(said(&shuffled), said(&entries));
        let totals = |entries: &[Entry]| {
            let players = players(entries, &encounters(entries));
            players.into_iter().map(|player| (player.name, player.won, player.points, player.bonus)).collect::<Vec<_>>()
        };
        prop_assert_eq!(totals(&shuffled), totals(&entries));
    }

    #[test]
    fn bonuses_are_half_of_the_winners_points(entries in any_games()) {
        let encounters = encounters(&entries);
        for encounter in &encounters {
            let expected = [0, 1].map(|index| match encounter.winner() {
                Some(name) if name == encounter.players[index] => Half::half_of(encounter.sums[index].points.into()),
                _ => Half::ZERO,
            });
            prop_assert_eq!(encounter.bonus(), expected);
        }
        // Each game is in one encounter.
        let mut games: Vec<_> = encounters.iter().flat_map(|encounter| encounter.games.clone()).collect();
        games.sort_unstable();
        prop_assert_eq!(games, entries.iter().map(|entry| entry.place).collect::<Vec<_>>());
        for player in players(&entries, &encounters) {
            let own = encounters.iter().filter_map(|encounter| Some((encounter, encounter.index_of(&player.name)?)));
            let points: u64 = own.map(|(encounter, index)| u64::from(encounter.sums[index].points)).sum();
            prop_assert_eq!(player.points, points);
        }
    }
}
