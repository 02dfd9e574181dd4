//! Players, and their levels: those of their last two wins.

use quipu_referee::competition::{Entry, Player, Start, encounters, players};

use super::{DAY, game, result};

/// The only player who won anything in games that Ana won, with these starts and points in the order of entry.
fn winner(games: &[(&str, &str, u32)]) -> Player {
    let entries = (1..).zip(games).map(|(place, (date, time, points))| Entry {
        start: Start::new(Some(date), Some(time)),
        round: Some(place.to_string()),
        ..game(place, &format!("Ana 0/0/{points} 1-0 Bo 0/0/7"))
    });
    let entries: Vec<_> = entries.collect();
    players(&entries, &encounters(&entries)).remove(0)
}

/// Checks the levels after the wins from the second on: place of the game, points in it and before it, level, tier.
#[track_caller]
fn levels(games: &[(&str, &str, u32)], expected: &[&str]) {
    let player = winner(games);
    let steps = player.history.iter().map(|step| {
        let level = step.level.map_or("-".to_owned(), |level| format!("{} {}", level.value(), level.tier().as_str()));
        format!("{}: {}/{} = {level}", step.game, step.last, step.previous)
    });
    assert_eq!(steps.collect::<Vec<_>>(), expected, "{games:?}");
    assert_eq!(player.level(), player.history.last().and_then(|step| step.level));
}

#[test]
fn a_level_is_of_the_last_two_wins() {
    levels(&[(DAY, "14:00:00", 24)], &[]);
    levels(&[(DAY, "14:00:00", 24), (DAY, "15:00:00", 18)], &["2: 18/24 = 270 oro"]);
    let expected = ["2: 10/25 = 144 plata", "3: 1/10 = 36 cobre", "4: 0/1 = 0 cobre", "5: 0/0 = -", "6: 7/0 = 360 oro"];
    let points = [25, 10, 1, 0, 0, 7];
    let times = ["10:00:00", "11:00:00", "12:00:00", "13:00:00", "14:00:00", "15:00:00"];
    levels(&times.iter().zip(points).map(|(time, points)| (DAY, *time, points)).collect::<Vec<_>>(), &expected);
}

#[test]
fn wins_are_ordered_by_their_start() {
    let later = "2026.08.13";
    levels(&[(later, "09:00:00", 18), (DAY, "23:59:59", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(DAY, "10:00:01", 18), (DAY, "10:00:00", 24)], &["1: 18/24 = 270 oro"]);
    // Then by the order of entry.
    levels(&[(DAY, "10:00:00", 24), (DAY, "10:00:00", 18)], &["2: 18/24 = 270 oro"]);
    // Without a date it is the oldest, whatever its time; without a time the first of its day.
    levels(&[(DAY, "10:00:00", 18), ("", "23:00:00", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(DAY, "00:00:00", 18), (DAY, "", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(later, "", 18), (DAY, "10:00:00", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[("", "23:00:00", 24), ("", "22:00:00", 18)], &["2: 18/24 = 270 oro"]);
}

#[test]
fn an_invalid_date_is_unknown() {
    let unknown = Start::default();
    for date in [
        "2026.??.??",
        "????.??.??",
        "2026.02.30",
        "2026.13.01",
        "2026-08-12",
        "2026.8.12",
        " 2026.08.12",
        "",
        "12.08.2026",
    ] {
        assert_eq!(Start::new(Some(date), Some("10:00:00")), unknown, "{date}");
    }
    let day = Start::new(Some(DAY), None);
    assert!(day > unknown);
    for time in ["24:00:00", "10:60:00", "10:00", "10:0:00", "??:??:??", "10:00:00Z", "-1:00:00", "１0:00:00"] {
        assert_eq!(Start::new(Some(DAY), Some(time)), day, "{time}");
    }
    assert!(Start::new(Some("2028.02.29"), Some("23:59:60")) > Start::new(Some("2028.02.29"), Some("23:59:59")));
    assert_eq!(Start::new(Some(DAY), Some("04:05:06")).to_string(), "2026.08.12 04:05:06");
}

#[test]
fn only_wins_have_levels() {
    let lines =
        ["Ana 0/0/9 1-0 Bo 0/0/5", "Ana 0/0/9 1/2-1/2 Bo 0/0/5", "Bo 0/0/9 1-0 Ana 0/0/5", "Bo 0/0/2 0-1 Ana 0/0/5"];
    let entries: Vec<_> = (1..).zip(lines).map(|(place, line)| game(place, line)).collect();
    let found = players(&entries, &encounters(&entries));
    let shown = found.iter().map(|player| {
        let level = player.level().map_or_else(|| "-".to_owned(), |level| level.value().to_string());
        format!(
            "{} {} {} {} {} {level}",
            player.name,
            player.games,
            player.won,
            player.points,
            player.points_with_bonus()
        )
    });
    // Four games of one round are no encounter: there is no bonus.
    assert_eq!(shown.collect::<Vec<_>>(), ["Ana 4 2 28 28 200", "Bo 4 1 21 21 -"]);
}

#[test]
fn players_are_in_the_order_of_their_letters() {
    let lines = ["Zoe 1-0 Ñusta", "ana 1-0 Álvarez", "Ana 1-0 Olmo", "Nadal 1-0 Nuñez"];
    let entries: Vec<_> = (1..).zip(lines).map(|(place, line)| result(place, line)).collect();
    let names: Vec<_> = players(&entries, &[]).into_iter().map(|player| player.name).collect();
    assert_eq!(names, ["Álvarez", "Ana", "ana", "Nadal", "Nuñez", "Ñusta", "Olmo", "Zoe"]);
}
