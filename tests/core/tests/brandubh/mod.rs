//! Brandubh held to a second referee, which was written another way: under its rule sets, and under every other row that
//! its table of switches could have.

mod generate;
mod reference;
mod splitmix;

use proptest::{prelude::*, sample::select};
use quipu_notation::{Side, record::Outcome};
use quipu_referee::{
    Game, Lang, Message, Position as _, RuleSet,
    games::brandubh::{Against, Brandubh, KingCapturers, Position, Reach, Rules, Siege, Throne, WalkingIn},
    messages::catalog,
};
use quipu_tests_core::rows;

use self::{reference::Reference, splitmix::SplitMix};

const RULE_SETS: &[RuleSet<&Rules>] = Brandubh::RULE_SETS;

/// The switches of a rule set.
#[track_caller]
fn rules(name: &str) -> &'static Rules {
    RULE_SETS.iter().find(|set| set.name == name).unwrap_or_else(|| panic!("{name} is in the table")).rules
}

/// Any row of the table of switches.
fn any_rules() -> impl Strategy<Value = Rules> {
    let side = || select(&Side::BOTH[..]);
    let throne = || select(&[Throne::Closed, Throne::Passable, Throne::Open][..]);
    let against = || {
        let known = [Side::One, Side::Two].map(Against::Only);
        select([&known[..], &[Against::Nobody, Against::Everybody]].concat())
    };
    let siege = || select(&[Siege::Around, Siege::Between][..]);
    let king = (select(&[Reach::Step, Reach::Slide][..]), any::<bool>(), any::<bool>());
    let walking_in = select(&[WalkingIn::Taken, WalkingIn::Safe][..]);
    let judged = select(&[KingCapturers::EveryPly, KingCapturers::RedPlies, KingCapturers::RedMover][..]);
    let thrones = (throne(), throne(), against(), against());
    (side(), king, thrones, [siege(), siege(), siege()], walking_in, judged).prop_map(
        |(starts, king, thrones, sieges, walking_in, king_capturers)| {
            let (king_reach, king_captures_moving, king_captures_standing) = king;
            let (centre, corners, centre_against, corners_against) = thrones;
            let [king_on_centre, king_beside_centre, king_elsewhere] = sieges;
            Rules {
                starts,
                king_reach,
                king_captures_moving,
                king_captures_standing,
                centre,
                corners,
                centre_against,
                corners_against,
                king_on_centre,
                king_beside_centre,
                king_elsewhere,
                walking_in,
                king_capturers,
            }
        },
    )
}

fn token(position: &Position, mv: <Position as quipu_referee::Position>::Move) -> String {
    let mut token = String::new();
    position.write_move(mv, &mut token).expect("a String takes everything");
    token
}

/// Both referees find the same in a position; says the moves.
#[track_caller]
fn agree(quick: &Position, reference: &Reference) -> Vec<String> {
    assert_eq!(quick.to_string(), reference.position());
    let end = quick.end().map(|end| (end.termination.name, end.outcome));
    assert_eq!(end, reference.end().map(|(name, winner)| (name, Outcome::Win(winner))), "{quick}");
    let mut moves = Vec::new();
    if end.is_none() {
        quick.each_move(|mv| moves.push(token(quick, mv)));
        assert_eq!(quick.count_moves(), moves.len() as u64, "{quick}");
        moves.sort();
    }
    assert_eq!(moves, reference.moves(), "{quick}");
    moves
}

/// Both play a token, or both refuse it for the same reason.
#[track_caller]
fn both_play(quick: &mut Position, reference: &mut Reference, played: &str) {
    let before = quick.to_string();
    let found = quick.resolve(played).map(|mv| {
        let canonical = token(quick, mv);
        quick.play(mv);
        canonical
    });
    let found = found.map_err(|breach| Message::from(breach).code.id);
    assert_eq!(found, reference.play(played), "{played} in {before}");
}

/// Both referees go through a game of chance together, up to its end or so many plies.
#[track_caller]
fn play_out(quick: &mut Position, reference: &mut Reference, random: &mut SplitMix, plies: usize) {
    for _ in 0..plies {
        let moves = agree(quick, reference);
        if moves.is_empty() {
            return;
        }
        let played = random.pick(&moves);
        both_play(quick, reference, &played);
    }
    agree(quick, reference);
}

/// The quick referee's position of a reference one.
fn quick(rules: &'static Rules, reference: &Reference) -> Position {
    Brandubh::position(rules, &reference.position()).expect("both read the same positions")
}

/// Texts that are tokens, or nearly.
fn token_like(random: &mut SplitMix) -> String {
    let parts: &[&str] = &["x", "/", "-", "+", "++", "K", "a1", "d4", "g7", "c", "5", "h", "8", ""];
    let mut square = || [random.pick(b"abcdefg"), random.pick(b"1234567")].map(char::from).iter().collect::<String>();
    let mut token = format!("{}-{}", square(), square());
    let captures: Vec<_> = (0..3).map(|_| square()).collect();
    match random.below(6) {
        0 => token.insert(0, 'K'),
        1 => token += &format!("x{}", captures[..=random.below(3)].join("/")),
        2 => token += random.pick(&["+", "-", "++", "--"]),
        3 => token.insert_str(random.below(token.len()), random.pick(parts)),
        4 => token += random.pick(parts),
        _ => {}
    }
    token
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn both_referees_judge_games_alike(set in select(RULE_SETS.iter().map(|set| set.rules).collect::<Vec<_>>()), seed: u64) {
        let mut random = SplitMix::new(seed);
        play_out(&mut Position::start(set), &mut Reference::start(*set), &mut random, 60);
        for _ in 0..6 {
            let mut reference = random.arrangement(*set);
            play_out(&mut quick(set, &reference), &mut reference, &mut random, 12);
        }
    }

    #[test]
    fn both_referees_judge_alike_by_any_switches(set in any_rules(), seed: u64) {
        // A position borrows its rules for good, as those of the table are.
        let set: &'static Rules = Box::leak(Box::new(set));
        let mut random = SplitMix::new(seed);
        play_out(&mut Position::start(set), &mut Reference::start(*set), &mut random, 30);
        for _ in 0..6 {
            let mut reference = random.arrangement(*set);
            play_out(&mut quick(set, &reference), &mut reference, &mut random, 12);
        }
    }

    #[test]
    fn both_referees_refuse_alike(set in any_rules(), seed: u64) {
        let set: &'static Rules = Box::leak(Box::new(set));
        let mut random = SplitMix::new(seed);
        for _ in 0..10 {
            let reference = random.arrangement(*set);
            let position = quick(set, &reference);
            for _ in 0..200 {
                both_play(&mut position.clone(), &mut reference.clone(), &token_like(&mut random));
            }
        }
    }
}

/// Between any two squares, with the king named or not.
#[test]
fn both_referees_refuse_the_same_ways() {
    let squares: Vec<_> = ('a'..='g').flat_map(|file| (1..=7).map(move |rank| format!("{file}{rank}"))).collect();
    for set in RULE_SETS {
        let mut random = SplitMix::new(7);
        for reference in [Reference::start(*set.rules), random.arrangement(*set.rules), random.arrangement(*set.rules)]
        {
            let position = quick(set.rules, &reference);
            for from in &squares {
                for to in &squares {
                    for king in ["", "K"] {
                        both_play(&mut position.clone(), &mut reference.clone(), &format!("{king}{from}-{to}"));
                    }
                }
            }
        }
    }
}

/// Positions of each sentence of the rules, worked out by hand, for both referees.
#[test]
fn readings() {
    for [reading, set, position, played, canonical, after, end] in rows("brandubh/readings.tsv") {
        let set = rules(&set);
        let mut reference = Reference::read(*set, &position).unwrap_or_else(|| panic!("{reading}: {position}"));
        let mut quick = quick(set, &reference);
        assert!(agree(&quick, &reference).contains(&canonical), "{reading}: {canonical} in {position}");
        both_play(&mut quick, &mut reference, &played);
        assert_eq!(quick.to_string(), after, "{reading}: {played} in {position}");
        assert_eq!(quick.end().map_or("-", |end| end.termination.name), end, "{reading}: {after}");
        agree(&quick, &reference);
    }
}

/// Checks the English message about a token, or about a position if there is no token.
#[track_caller]
fn says(set: &str, text: &str, played: Option<&str>, expected: &str) {
    let read = Brandubh::position(rules(set), text);
    let message = match (read, played) {
        (Ok(position), Some(played)) => position.resolve(played).expect_err("it is refused").into(),
        (Err(faults), None) => faults.into_iter().next().expect("a fault").message,
        (read, _) => panic!("{text}: {read:?}"),
    };
    assert_eq!(catalog().message(&message, Lang::En), expected);
}

#[test]
fn a_blocked_move_names_the_first_piece_in_the_way() {
    for (position, played, square) in [
        ("7/7/7/K6/2t1t1T/7/7 n 0", "g3-a3", "e3"),
        ("7/7/7/K6/T1t1t2/7/7 n 0", "a3-g3", "c3"),
        ("1T5/7/1t5/7/1t5/K6/7 n 0", "b7-b2", "b5"),
        ("7/7/1t5/7/1t5/K6/1T5 n 0", "b1-b7", "b3"),
    ] {
        says("base", position, Some(played), &format!("There is a piece in the way, on {square}."));
    }
}

/// Each rule set is told what holds under it.
#[test]
fn sentences_fit_the_rule_set() {
    let stops = "The square d4 is a throne: a pawn does not stop on it.";
    let passes = "The throne d4 is on the way: a pawn does not pass through it.";
    let in_the_way = "There is a piece in the way, on d4.";
    let too_far = "The king does not go from c6 to e6: he moves one square a turn.";
    says("base", "7/2K4/7/t5T/7/7/7 n 0", Some("g4-d4"), stops);
    says("base", "7/2K4/7/t5T/7/7/7 n 0", Some("g4-c4"), passes);
    says("base", "7/7/7/t2K2T/7/7/7 n 0", Some("g4-c4"), passes);
    says("base", "7/2K4/7/t5T/7/7/7 n 0", Some("c6-e6"), too_far);
    says("nielsen", "7/2K4/7/t5T/7/7/7 n 1", Some("g4-d4"), stops);
    says("nielsen", "7/7/7/t2K2T/7/7/7 n 1", Some("g4-c4"), in_the_way);
    says(
        "base",
        "7/7/7/K6/7/7/7 r 2",
        None,
        "With the count of plies at 2 it is, under this rule set, Black's turn and not Red's.",
    );
    says(
        "nielsen",
        "7/7/7/K6/7/7/7 n 2",
        None,
        "With the count of plies at 2 it is, under this rule set, Red's turn and not Black's.",
    );
}

/// A king that is taken by a move is taken, though the position string of it goes on (N-8).
#[test]
fn facts_outside_the_position_string_count() {
    let position = |name, text| Brandubh::position(rules(name), text).expect("a good position");
    let mut taken = position("nielsen", "7/7/7/7/3tK2/7/5t1 r 2");
    taken.play(taken.resolve("f1-f3").expect("it is legal"));
    let read = position("nielsen", "7/7/7/7/3tKt1/7/7 n 3");
    assert_eq!(taken.to_string(), read.to_string());
    assert_ne!(taken, read);
    assert_eq!((taken.end().map(|end| end.termination.name), read.end()), (Some("king-captured"), None));
    // By the position alone, it is read back as it was.
    let mut taken = position("base", "7/7/3t3/2tKt2/7/3t3/7 r 1");
    taken.play(taken.resolve("d2-d3").expect("it is legal"));
    assert_eq!(taken, position("base", &taken.to_string()));
}
