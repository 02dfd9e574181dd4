//! Changes and their refusals, encounters of legs, and the systems.

mod exchange;
mod standings;

use quipu_referee::{Lang, competition::Half, games};
use quipu_tournament::{
    exchange::{
        csv,
        trf::{self, Edition},
    },
    fault::{CODES, Fault, NOT_VERIFIED, Severity},
    messages::catalog,
    model::{
        About, Bye, Change, Encounter, GameOutcome, GameResult, MAX_PLAYERS, MAX_TEXT, Player, PlayerId, System, Tally,
        Tournament, TournamentSettings,
    },
    pairing,
    standings::{Method, TournamentRow, TournamentTieBreak, prospects, standings},
    summary::summary,
};

fn settings(system: System, rounds: u32, encounter: Encounter) -> TournamentSettings {
    TournamentSettings {
        name: "Copa".to_owned(),
        system,
        rounds,
        encounter,
        seed: 1,
        first_side: Some(quipu_notation::Side::One),
        bye: Bye::Full,
        time_control: None,
        tie_breaks: TournamentTieBreak::usual(),
    }
}

const SWISS: System = System::Swiss { accelerated: false };

/// A tournament of players A, B, C and so on, the first one with the highest rating.
fn tournament(system: System, rounds: u32, encounter: Encounter, players: u8) -> Tournament {
    let mut tournament = Tournament::new(settings(system, rounds, encounter)).expect("good settings");
    for index in 0..players {
        let name = char::from(b'A' + index).to_string();
        let player = Player { name, rating: Some(2000 - u32::from(index)), ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("it is allowed");
    }
    tournament
}

fn pair(tournament: &mut Tournament) -> Vec<String> {
    let pairing = pairing::next(tournament).expect("it can be paired");
    tournament.apply(&pairing.change()).expect("it is the next round");
    let boards = pairing.boards.iter().map(|board| board.players.map(|id| tournament.name(id)).join("-"));
    boards.chain(pairing.bye.map(|id| tournament.name(id).to_owned())).collect()
}

fn set(tournament: &mut Tournament, board: u32, outcome: GameOutcome) {
    let round = tournament.next_round() - 1;
    let players = tournament.round(round).expect("it is paired").boards[board as usize - 1].players;
    let result = GameResult::by_arbiter(outcome);
    tournament.apply(&Change::Result { round, board, game: 1, players, result }).expect("a board");
}

fn close(tournament: &mut Tournament) {
    let round = tournament.next_round() - 1;
    tournament.apply(&Change::Close { round }).expect("it is complete");
}

/// Sets the results of the last round and closes it.
fn play(tournament: &mut Tournament, outcomes: &[GameOutcome]) {
    for (board, outcome) in (1..).zip(outcomes) {
        set(tournament, board, *outcome);
    }
    close(tournament);
}

#[track_caller]
fn refused(tournament: &mut Tournament, change: &Change, code: &str) {
    let before = tournament.clone();
    let fault = tournament.apply(change).expect_err("it is refused");
    assert_eq!(fault.code.id, code);
    assert_eq!(*tournament, before, "a refused change changes nothing");
    for lang in Lang::ALL {
        let text = catalog().fault(&fault, lang);
        assert!(!text.contains('{'), "{text}");
    }
}

#[test]
fn every_code_has_a_sentence_in_both_languages() {
    let sentences: Vec<_> = catalog().sentences().map(|(code, _)| code).collect();
    for code in CODES {
        assert!(sentences.contains(&code.id), "{}", code.id);
    }
    assert_eq!(sentences.len(), CODES.len());
}

#[test]
fn a_tournament_has_a_name() {
    let named = |name: &str| {
        let settings = TournamentSettings { name: name.to_owned(), ..settings(SWISS, 3, Encounter::Single) };
        Tournament::new(settings).map(|tournament| tournament.settings.name)
    };
    assert_eq!(named(" Copa ").as_deref(), Ok("Copa"));
    for blank in ["", " ", "\u{3000}"] {
        assert_eq!(named(blank).expect_err("it is refused").code.id, "tournament.unnamed", "{blank:?}");
    }
}

#[test]
fn tie_breaks_that_are_not_given_are_those_of_the_system_and_the_encounter() {
    let of = |system: &str, encounter: &str, more: &str| -> TournamentSettings {
        let text = format!(
            r#"{{"name":"Copa","system":{{"kind":"{system}"}},"rounds":3,"encounter":{{"kind":"{encounter}"}}{more}}}"#
        );
        serde_json::from_str(&text).expect("settings")
    };
    let read = |encounter, more| of("swiss", encounter, more);
    assert_eq!(read("two-legs", "").tie_breaks, TournamentTieBreak::by_points());
    assert_eq!(read("single", "").tie_breaks, TournamentTieBreak::usual());
    assert_eq!(of("knockout", "single", "").tie_breaks, TournamentTieBreak::usual());
    let of_round_robin = [TournamentTieBreak::SonnebornBerger, TournamentTieBreak::DirectEncounter];
    assert_eq!(of("round-robin", "single", "").tie_breaks, of_round_robin);
    assert_eq!(of("round-robin", "two-legs", "").tie_breaks, TournamentTieBreak::by_points());
    assert_eq!(read("two-legs", r#","tie_breaks":[]"#).tie_breaks, []);
}

#[test]
fn names_of_players_differ() {
    let mut tournament = tournament(SWISS, 3, Encounter::Single, 2);
    let named = |name: &str| Player { name: name.to_owned(), ..Player::default() };
    let again = Change::Enter { player: named(" A "), first: 1 };
    refused(&mut tournament, &again, "tournament.same-name");
    refused(&mut tournament, &Change::Edit { id: PlayerId(2), player: named("A") }, "tournament.same-name");
    tournament.apply(&Change::Edit { id: PlayerId(1), player: named("A ") }).expect("its own name");
    // An archive of an earlier version may have a name twice.
    tournament.replay(&again).expect("it was accepted before");
}

#[test]
fn an_absence_has_no_bye_of_the_pairing() {
    let mut tournament = tournament(SWISS, 3, Encounter::Single, 3);
    let absent = |bye| Change::Absent { id: PlayerId(1), round: 1, bye };
    refused(&mut tournament, &absent(Bye::Allocated), "tournament.bye-of-pairing");
    tournament.apply(&absent(Bye::Half)).expect("it is allowed");
}

#[test]
fn an_entry_list_ends_where_a_tournament_is_full() {
    let list = |count: usize| format!("name\n{}", (0..count).map(|number| format!("{number}\n")).collect::<String>());
    assert_eq!(csv::entries(&list(MAX_PLAYERS), 1).expect("a list").0.len(), MAX_PLAYERS);
    let fault = csv::entries(&list(MAX_PLAYERS + 1), 1).expect_err("it is refused");
    assert_eq!(fault.code.id, "tournament.too-many-players");
}

#[test]
fn changes_out_of_order_are_refused() {
    let mut tournament = tournament(SWISS, 3, Encounter::Single, 4);
    let [one, two, three] = [1, 2, 3].map(PlayerId);
    refused(
        &mut tournament,
        &Change::Create { settings: settings(SWISS, 3, Encounter::Single) },
        "tournament.created-twice",
    );
    refused(&mut tournament, &Change::Withdraw { id: PlayerId(9), round: 1 }, "tournament.unknown-player");
    refused(&mut tournament, &Change::Enter { player: Player::default(), first: 1 }, "tournament.no-name");
    let pair_of = |boards: Vec<[PlayerId; 2]>| Change::Pair { round: 1, boards, bye: None };
    refused(&mut tournament, &pair_of(vec![[one, two]]), "tournament.not-placed");
    refused(&mut tournament, &pair_of(vec![[one, two], [one, three]]), "tournament.placed-twice");
    refused(&mut tournament, &Change::Pair { round: 2, boards: vec![], bye: None }, "tournament.round-order");
    pair(&mut tournament);
    refused(&mut tournament, &pair_of(vec![[one, two]]), "tournament.round-paired");
    refused(&mut tournament, &Change::Close { round: 1 }, "tournament.results-missing");
    let result = GameResult::by_arbiter(GameOutcome::First);
    let of = |board, game, players| Change::Result { round: 1, board, game, players, result: result.clone() };
    refused(&mut tournament, &of(3, 1, [one, two]), "tournament.unknown-board");
    refused(&mut tournament, &of(1, 1, [one, two]), "tournament.other-players");
    refused(&mut tournament, &of(1, 2, [one, three]), "tournament.unknown-game");
    play(&mut tournament, &[GameOutcome::First, GameOutcome::Draw]);
    refused(&mut tournament, &of(1, 1, [one, three]), "tournament.round-closed");
    refused(&mut tournament, &Change::Absent { id: one, round: 1, bye: Bye::Half }, "tournament.round-paired");
    let order = vec![TournamentTieBreak::Wins, TournamentTieBreak::Wins];
    refused(&mut tournament, &Change::TieBreaks { order }, "tournament.tie-break-twice");
    tournament.apply(&Change::Reopen { round: 1 }).expect("it is the last one");
    refused(&mut tournament, &Change::Pair { round: 2, boards: vec![], bye: None }, "tournament.round-open");
    tournament.apply(&Change::Unpair { round: 1 }).expect("it is open");
    assert_eq!(tournament.next_round(), 1);
}

#[test]
fn settings_have_bounds() {
    let refused = |settings| Tournament::new(settings).expect_err("it is refused").code.id;
    assert_eq!(refused(settings(SWISS, 0, Encounter::Single)), "tournament.setting");
    assert_eq!(refused(settings(SWISS, 101, Encounter::Single)), "tournament.setting");
    assert_eq!(refused(settings(SWISS, 3, Encounter::Games { count: 17 })), "tournament.setting");
}

#[test]
fn changes_are_json_and_make_the_tournament_again() {
    let id = PlayerId(2);
    let changes = vec![
        Change::Create { settings: settings(SWISS, 3, Encounter::TwoLegs) },
        Change::Enter { player: Player { name: "A".to_owned(), ..Player::default() }, first: 1 },
        Change::Enter { player: Player { name: "B".to_owned(), ..Player::default() }, first: 1 },
        Change::Absent { id, round: 1, bye: Bye::Half },
        Change::Present { id, round: 1 },
        Change::Withdraw { id, round: 2 },
        Change::Return { id, round: 3 },
    ];
    let text = serde_json::to_string(&changes).expect("JSON");
    let read: Vec<Change> = serde_json::from_str(&text).expect("the same JSON");
    assert_eq!(changes, read);
    let made = Tournament::from_changes(&read).expect("good changes");
    assert_eq!(made.entrants[1].absences.get(&2), Some(&Bye::Zero));
    assert_eq!(Tournament::from_changes(&read[1..]).expect_err("no creation").code.id, "tournament.not-created");
}

fn tallied(outcome: GameOutcome, points: [u32; 2], counts: [[u32; 3]; 2]) -> GameResult {
    let tally = |index: usize| Tally { points: points[index], counts: counts[index] };
    GameResult { tallies: Some([tally(0), tally(1)]), ..GameResult::by_arbiter(outcome) }
}

/// Andes 9.3, 9.4, 5.2.
#[test]
fn sums_of_points_decide_two_legs() {
    let check = |legs: [GameResult; 2], scores: [Half; 2], bonus: [Half; 2]| {
        let mut tournament = tournament(SWISS, 1, Encounter::TwoLegs, 2);
        pair(&mut tournament);
        let players = tournament.rounds[0].boards[0].players;
        for (game, result) in (1..).zip(legs) {
            let change = Change::Result { round: 1, board: 1, game, players, result };
            tournament.apply(&change).expect("a leg");
        }
        let result = tournament.rounds[0].boards[0].result(Encounter::TwoLegs).expect("it is complete");
        assert_eq!((result.scores, result.bonus()), (scores, bonus));
    };
    let none = [[0; 3]; 2];
    let won = [Half::ONE, Half::ZERO];
    // Both legs to the second player, and still the sum is the first one's.
    check(
        [tallied(GameOutcome::First, [20, 5], none), tallied(GameOutcome::Second, [9, 10], none)],
        won,
        [Half::half_of(29), Half::ZERO],
    );
    check(
        [tallied(GameOutcome::First, [10, 8], [[3, 0, 0], [2, 0, 0]]), tallied(GameOutcome::Second, [8, 10], none)],
        won,
        [Half::whole(9), Half::ZERO],
    );
    let tied = [Half::HALF, Half::HALF];
    check(
        [tallied(GameOutcome::First, [10, 8], none), tallied(GameOutcome::Second, [8, 10], none)],
        tied,
        [Half::ZERO; 2],
    );
    let forfeit = GameResult::by_arbiter(GameOutcome::ForfeitToFirst);
    check([tallied(GameOutcome::Draw, [10, 10], none), forfeit], won, [Half::ZERO; 2]);
    let nobody = GameResult::by_arbiter(GameOutcome::DoubleForfeit);
    check([nobody.clone(), nobody], [Half::ZERO; 2], [Half::ZERO; 2]);
}

#[test]
fn sums_of_stored_points_do_not_overflow() {
    let mut two = tournament(SWISS, 1, Encounter::TwoLegs, 2);
    pair(&mut two);
    let players = two.rounds[0].boards[0].players;
    let result = |game, result| Change::Result { round: 1, board: 1, game, players, result };
    let none = [[0; 3]; 2];
    let huge = |game| result(game, tallied(GameOutcome::First, [u32::MAX, 1], [[u32::MAX; 3], [0; 3]]));
    refused(
        &mut two,
        &result(1, tallied(GameOutcome::DoubleForfeit, [3, 4], none)),
        "tournament.points-of-unplayed-game",
    );
    // A change that is stored already is not refused.
    for game in 1..=2 {
        two.replay(&huge(game)).expect("it was accepted");
    }
    let result = two.rounds[0].boards[0].result(Encounter::TwoLegs).expect("it is complete");
    assert_eq!(result.tallies.map(|sums| sums[0].points), Some(u32::MAX));
    assert_eq!(standings(&two, None).rows[0].score, Half::ONE);
}

/// Each of 14 pieces counts 1, 2 or 3 points for one of the players (Andes 5.1), whatever the result.
#[test]
fn points_are_those_of_all_pieces() {
    let andes = games::find("andes").and_then(quipu_referee::Referee::point_rule);
    let check = |rule, points, counts, expected: Result<(), &str>| {
        let result = tallied(GameOutcome::First, points, counts);
        let change = Change::Result { round: 1, board: 2, game: 1, players: [PlayerId(1), PlayerId(2)], result };
        assert_eq!(change.check_points(rule).map_err(|fault| fault.code.id), expected, "{points:?} {counts:?}");
    };
    let none = [[0; 3]; 2];
    for points in [[42, 0], [0, 42], [14, 0], [21, 21], [7, 7]] {
        check(andes, points, none, Ok(()));
    }
    for points in [[43, 0], [31, 24], [22, 21], [13, 0], [0, 0], [u32::MAX, u32::MAX]] {
        check(andes, points, none, Err("tournament.impossible-points"));
    }
    let most = u32::MAX;
    let result = tallied(GameOutcome::First, [most, most], none);
    let change = Change::Result { round: 1, board: 2, game: 1, players: [PlayerId(1), PlayerId(2)], result };
    let facts = change.check_points(andes).expect_err("it is refused").facts;
    assert!(facts.contains(&("sum", "8589934590".to_owned())), "{facts:?}");
    check(andes, [16, 15], [[3, 2, 3], [4, 1, 1]], Ok(()));
    for (points, counts) in [
        ([16, 15], [[3, 2, 3], [4, 1, 2]]),
        ([16, 16], [[3, 2, 3], [4, 1, 1]]),
        ([15, 16], [[3, 2, 3], [4, 1, 1]]),
        ([16, 15], [[u32::MAX; 3], [u32::MAX; 3]]),
        // Points of their counts, but of 11 and of 15 pieces.
        ([20, 10], [[6, 1, 0], [2, 2, 0]]),
        ([8, 7], [[0, 0, 8], [0, 0, 7]]),
    ] {
        check(andes, points, counts, Err("tournament.impossible-counts"));
    }
    for game in ["pastores", "querni", "brandubh"] {
        let rule = games::find(game).expect("a game").point_rule();
        check(rule, [20, 10], none, Err("tournament.game-without-points"));
    }
}

/// The sums of opponents' scores (C.07, 8) are equal for equal scores where everybody meets everybody, also with forfeits.
#[test]
fn buchholz_breaks_no_tie_of_a_round_robin() {
    let buchholz: Vec<_> = TournamentTieBreak::ALL.into_iter().filter(|one| one.is_buchholz()).collect();
    assert_eq!(buchholz.len(), 4);
    let outcomes =
        [GameOutcome::First, GameOutcome::Draw, GameOutcome::ForfeitToSecond, GameOutcome::Second, GameOutcome::First];
    let mut ties = 0;
    for (double, players) in [(false, 6), (false, 7), (true, 5)] {
        let mut all = tournament(System::RoundRobin { double }, 1, Encounter::Single, players);
        all.apply(&Change::TieBreaks { order: buchholz.clone() }).expect("a list");
        for round in 1..=all.round_count() {
            pair(&mut all);
            for (board, paired) in (1..).zip(all.rounds.last().expect("it is paired").boards.clone()) {
                let result = GameResult::by_arbiter(outcomes[(round + 2 * board) as usize % outcomes.len()]);
                all.apply(&Change::Result { round, board, game: 1, players: paired.players, result })
                    .expect("a result");
            }
            all.apply(&Change::Close { round }).expect("it is complete");
        }
        let rows = standings(&all, None).rows;
        for pair in rows.windows(2).filter(|pair| pair[0].score == pair[1].score) {
            let values = |row: &TournamentRow| row.figures.iter().map(|figure| figure.value).collect::<Vec<_>>();
            assert_eq!(values(&pair[0]), values(&pair[1]));
            ties += 1;
        }
    }
    assert!(ties > 3, "{ties}");
    let remark =
        |system: System, order: &[TournamentTieBreak]| system.remark(order).map(|fault| (fault.code.id, fault.facts));
    let named = ("tie_breaks", "buchholz-cut1, buchholz".to_owned());
    let round_robin = System::RoundRobin { double: false };
    let said = Some(("tournament.tie-break-without-effect", vec![named]));
    assert_eq!(remark(round_robin, &TournamentTieBreak::usual()), said);
    assert_eq!(remark(round_robin, &[TournamentTieBreak::SonnebornBerger, TournamentTieBreak::Koya]), None);
    // Before the score, they tell players with other scores apart.
    assert_eq!(
        remark(
            round_robin,
            &[TournamentTieBreak::PointsWithBonus, TournamentTieBreak::Buchholz, TournamentTieBreak::Score]
        ),
        None
    );
    let said = Some(("tournament.tie-break-without-effect", vec![("tie_breaks", "buchholz".to_owned())]));
    assert_eq!(
        remark(
            round_robin,
            &[TournamentTieBreak::PointsWithBonus, TournamentTieBreak::Score, TournamentTieBreak::Buchholz]
        ),
        said
    );
    assert_eq!(remark(SWISS, &TournamentTieBreak::usual()), None);
    assert_eq!(remark(System::Knockout { third_place: false }, &TournamentTieBreak::usual()), None);
}

#[test]
fn a_result_that_is_not_that_of_its_points_has_a_remark() {
    let check = |outcome, points, has_remark| {
        let remark = tallied(outcome, points, [[0; 3]; 2]).remark(1, 1);
        assert_eq!(remark.map(|fault| fault.code.id), has_remark);
    };
    check(GameOutcome::First, [3, 4], Some("tournament.other-points"));
    check(GameOutcome::Second, [4, 3], Some("tournament.other-points"));
    check(GameOutcome::Draw, [4, 3], Some("tournament.other-points"));
    check(GameOutcome::First, [4, 4], None);
    check(GameOutcome::Draw, [4, 4], None);
    check(GameOutcome::Second, [3, 4], None);
}

#[test]
fn texts_have_bounds_and_no_control_characters() {
    let mut two = tournament(SWISS, 1, Encounter::Single, 2);
    let named = |name: &str| Player { name: name.to_owned(), ..Player::default() };
    let forged = "Rosa\n001    9 m    X\u{1b}[2J";
    let about = |about| Change::Describe { about };
    for change in [
        Change::Enter { player: named(forged), first: 1 },
        Change::Edit { id: PlayerId(1), player: Player { club: Some("a\tb".to_owned()), ..named("A") } },
        Change::Edit { id: PlayerId(1), player: Player { sex: Some('\n'), ..named("A") } },
        Change::Enter { player: named("\u{202e}asoR"), first: 1 },
        about(About { city: "Cusco\r".to_owned(), ..About::default() }),
        about(About { deputies: vec!["\0".to_owned()], ..About::default() }),
    ] {
        refused(&mut two, &change, "tournament.control-character");
    }
    refused(&mut two, &Change::Enter { player: named(&"ñ".repeat(201)), first: 1 }, "tournament.text-too-long");
    refused(&mut two, &about(About { days: vec!["x".to_owned(); 101], ..About::default() }), "tournament.setting");
    two.apply(&Change::Enter { player: named(&"ñ".repeat(MAX_TEXT)), first: 1 }).expect("the longest name");
    let settings = TournamentSettings { name: "Copa\n".to_owned(), ..settings(SWISS, 1, Encounter::Single) };
    let refusal = Tournament::new(settings.clone()).expect_err("it is refused");
    assert_eq!(refusal.code.id, "tournament.control-character");

    // A tournament that is stored already is read, and its report file has no forged line.
    let mut stored = Tournament::stored(settings).expect("it was accepted");
    stored.replay(&Change::Enter { player: named(forged), first: 1 }).expect("it was accepted");
    for edition in [Edition::Trf16, Edition::Trf26] {
        let (text, _) = trf::write(&stored, edition);
        assert!(!text.contains('\u{1b}') && !text.contains("\n\n"), "{text:?}");
        assert_eq!(text.lines().filter(|line| line.starts_with("001")).count(), 1);
    }
}

#[test]
fn ratings_have_four_digits() {
    let mut two = tournament(SWISS, 1, Encounter::Single, 2);
    let rated = |rating| Player { name: "C".to_owned(), rating: Some(rating), ..Player::default() };
    refused(&mut two, &Change::Enter { player: rated(10_000), first: 1 }, "tournament.setting");
    refused(&mut two, &Change::Edit { id: PlayerId(1), player: rated(99_999) }, "tournament.setting");
    two.apply(&Change::Enter { player: rated(9999), first: 1 }).expect("the highest rating");
}

#[test]
fn a_pairing_by_hand_is_that_of_a_fixed_field() {
    for system in [System::RoundRobin { double: false }, System::Knockout { third_place: false }] {
        let mut four = tournament(system, 1, Encounter::Single, 4);
        let [prescribed, not] = ["pairing.prescribed", "pairing.not-prescribed"];
        check_by_hand(&four, &[[3, 2], [1, 4]], None, &[]);
        check_by_hand(&four, &[[1, 2], [3, 4]], None, &[prescribed, prescribed, not, not]);
        check_by_hand(&four, &[[1, 4]], None, &[prescribed]);
        pair(&mut four);
        check_by_hand(&four, &[[1, 2]], None, &["tournament.round-open"]);
    }
    let mut four = tournament(System::Knockout { third_place: false }, 1, Encounter::Single, 4);
    pair(&mut four);
    play(&mut four, &[GameOutcome::First, GameOutcome::First]);
    check_by_hand(&four, &[[2, 1]], None, &[]);
    check_by_hand(&four, &[[2, 1]], Some(3), &["tournament.not-playing"]);
    check_by_hand(&four, &[[1, 2], [3, 4]], None, &["pairing.not-prescribed"]);
}

#[test]
fn a_fixed_field_has_no_absences_and_keeps_its_seeds() {
    for system in [System::RoundRobin { double: false }, System::Knockout { third_place: false }] {
        let mut none = tournament(system, 1, Encounter::Single, 0);
        assert_eq!(pairing::next(&none).expect_err("nobody is there").code.id, "tournament.too-few-players");
        refused(&mut none, &Change::Pair { round: 1, boards: vec![], bye: None }, "tournament.too-few-players");
        let mut five = tournament(system, 1, Encounter::Single, 5);
        let [two, five_th] = [PlayerId(2), PlayerId(5)];
        refused(&mut five, &Change::Absent { id: two, round: 1, bye: Bye::Half }, "tournament.no-absences");
        five.apply(&Change::Withdraw { id: five_th, round: 1 }).expect("it is allowed");
        assert_eq!(pair(&mut five), ["A-D", "B-C"]);
        refused(&mut five, &Change::Return { id: five_th, round: 2 }, "tournament.fixed-field");
        let rated = Player { name: "B".to_owned(), rating: Some(9), ..Player::default() };
        refused(&mut five, &Change::Edit { id: two, player: rated }, "tournament.fixed-field");
        five.apply(&Change::Withdraw { id: two, round: 2 }).expect("it is allowed");
        five.apply(&Change::Return { id: two, round: 2 }).expect("the seeds stay");
    }
}

#[test]
fn nothing_is_taken_back_that_was_not_there() {
    let mut two = tournament(SWISS, 3, Encounter::Single, 2);
    let [id, other] = [PlayerId(1), PlayerId(2)];
    refused(&mut two, &Change::Return { id, round: 1 }, "tournament.not-withdrawn");
    refused(&mut two, &Change::Present { id, round: 1 }, "tournament.not-absent");
    refused(&mut two, &Change::Allow { players: [other, id] }, "tournament.not-forbidden");
    refused(&mut two, &Change::Forbid { players: [id, id] }, "tournament.same-player");
    refused(&mut two, &Change::Allow { players: [id, id] }, "tournament.same-player");
    two.apply(&Change::Withdraw { id, round: 2 }).expect("it is allowed");
    refused(&mut two, &Change::Withdraw { id, round: 3 }, "tournament.withdrawn");
    assert_eq!(two.entrants[0].withdrawn, Some(2));
    two.apply(&Change::Withdraw { id, round: 1 }).expect("earlier");
    assert_eq!(two.entrants[0].withdrawn, Some(1));
    let player = Player { name: " Ana ".to_owned(), club: Some(" ".to_owned()), ..Player::default() };
    two.apply(&Change::Enter { player, first: 1 }).expect("a player");
    assert_eq!(two.entrants[2].player, Player { name: "Ana".to_owned(), ..Player::default() });
}

#[test]
fn missing_results_are_told_in_the_right_number() {
    let mut four = tournament(SWISS, 1, Encounter::Single, 4);
    pair(&mut four);
    let told = |four: &mut Tournament| {
        let fault = four.apply(&Change::Close { round: 1 }).expect_err("results are missing");
        Lang::ALL.map(|lang| catalog().fault(&fault, lang))
    };
    let both = ["Faltan resultados en la ronda 1: tableros 1, 2.", "Results are missing in round 1: boards 1, 2."];
    assert_eq!(told(&mut four), both);
    set(&mut four, 1, GameOutcome::Draw);
    let one = ["Faltan resultados en la ronda 1: tablero 2.", "Results are missing in round 1: board 2."];
    assert_eq!(told(&mut four), one);
    let fault = Fault::new(NOT_VERIFIED).with("status", "status.rejected");
    assert!(catalog().fault(&fault, Lang::En).contains("is rejected"));
}

#[test]
fn two_legs_rank_by_points() {
    let order = SWISS.usual_tie_breaks(Encounter::TwoLegs).into_iter().map(TournamentTieBreak::as_str);
    assert_eq!(order.collect::<Vec<_>>(), ["points-with-bonus", "encounters", "points", "score"]);
}

#[test]
fn swiss_pairs_halves_of_the_list_and_gives_the_last_the_bye() {
    let mut five = tournament(SWISS, 3, Encounter::Single, 5);
    assert_eq!(pair(&mut five), ["A-C", "D-B", "E"]);
    play(&mut five, &[GameOutcome::First, GameOutcome::Second]);
    let pairing = pairing::next(&five).expect("it can be paired");
    let first = pairing.boards[0].explanation.as_ref().expect("a Swiss pairing has reasons");
    assert_eq!(first.bracket, 1);
    let json = serde_json::to_value(first).expect("JSON");
    assert!(json["sides"].as_str().is_some_and(|article| article.starts_with("5.2.")));
}

#[test]
fn sides_do_not_matter_in_two_legs() {
    let mut four = tournament(SWISS, 3, Encounter::TwoLegs, 4);
    pair(&mut four);
    let players = four.rounds[0].boards[0].players;
    for game in 1..=2 {
        for board in 1..=2 {
            let players = four.rounds[0].boards[board as usize - 1].players;
            let result = GameResult::by_arbiter(GameOutcome::First);
            four.apply(&Change::Result { round: 1, board, game, players, result }).expect("a leg");
        }
    }
    close(&mut four);
    let pairing = pairing::next(&four).expect("it can be paired");
    assert!(pairing.boards.iter().all(|board| {
        let reasons = board.explanation.as_ref().expect("a Swiss pairing has reasons");
        reasons.players.iter().all(|placement| placement.prefers.is_none() && placement.granted)
    }));
    assert_ne!(pairing.boards[0].players, players);
}

#[test]
fn forbidden_pairs_and_repetitions_leave_no_pairing() {
    let mut two = tournament(SWISS, 3, Encounter::Single, 2);
    pair(&mut two);
    play(&mut two, &[GameOutcome::Draw]);
    assert_eq!(pairing::next(&two).expect_err("they have met").code.id, "tournament.no-pairing");
    let mut four = tournament(SWISS, 3, Encounter::Single, 4);
    four.apply(&Change::Forbid { players: [PlayerId(3), PlayerId(1)] }).expect("two players");
    assert_eq!(pair(&mut four), ["A-D", "C-B"]);
}

#[test]
fn virtual_points_part_the_halves() {
    let mut eight = tournament(System::Swiss { accelerated: true }, 4, Encounter::Single, 8);
    assert_eq!(pair(&mut eight), ["A-C", "D-B", "E-G", "H-F"]);
}

#[track_caller]
fn check_by_hand(tournament: &Tournament, boards: &[[u32; 2]], bye: Option<u32>, codes: &[&str]) {
    let boards: Vec<_> = boards.iter().map(|pair| pair.map(PlayerId)).collect();
    let faults = pairing::check(tournament, &boards, bye.map(PlayerId));
    let found: Vec<_> = faults.iter().map(|fault| fault.code.id).collect();
    assert_eq!(found, codes);
    let absolute = |fault: &&Fault| fault.code.severity == Severity::Error;
    assert_eq!(faults.iter().filter(absolute).count(), codes.iter().filter(|code| is_absolute(code)).count());
}

fn is_absolute(code: &str) -> bool {
    CODES.iter().any(|known| known.id == code && known.severity == Severity::Error)
}

#[test]
fn pairings_by_hand_are_checked() {
    let mut four = tournament(SWISS, 3, Encounter::Single, 4);
    check_by_hand(&four, &[[1, 3], [4, 2]], None, &[]);
    check_by_hand(&four, &[[1, 2], [3, 4]], None, &["pairing.other-pairing", "pairing.other-pairing"]);
    four.apply(&Change::Forbid { players: [PlayerId(1), PlayerId(2)] }).expect("two players");
    let other = "pairing.other-pairing";
    check_by_hand(&four, &[[1, 2], [3, 4]], None, &["pairing.forbidden", other, other]);
    pair(&mut four);
    play(&mut four, &[GameOutcome::First, GameOutcome::First]);
    let codes = ["pairing.met-before", "pairing.floats", "pairing.preference", "pairing.preference"];
    check_by_hand(&four, &[[1, 3]], Some(2), &[&codes[..], &["pairing.needless-bye", other]].concat());
}

#[test]
fn a_round_robin_is_played_to_its_end() {
    let mut four = tournament(System::RoundRobin { double: false }, 1, Encounter::Single, 4);
    assert_eq!(four.round_count(), 3);
    assert_eq!(pair(&mut four), ["A-D", "B-C"]);
    play(&mut four, &[GameOutcome::First, GameOutcome::Draw]);
    assert_eq!(pair(&mut four), ["D-C", "A-B"]);
    play(&mut four, &[GameOutcome::First, GameOutcome::First]);
    let prospects = prospects(&four);
    assert_eq!((prospects.method, prospects.open), (Method::Exact, 2));
    let places: Vec<_> = prospects.players.iter().map(|one| (one.best, one.worst)).collect();
    // A has 2 points and meets C (½); D has 1 and meets B (½), and reaches A only with a lower Sonneborn-Berger.
    assert_eq!(places, [(1, 1), (2, 4), (2, 4), (2, 4)]);
    assert_eq!(pair(&mut four), ["B-D", "C-A"]);
    let late = Player { name: "E".to_owned(), ..Player::default() };
    refused(&mut four, &Change::Enter { player: late, first: 4 }, "tournament.fixed-field");
}

#[test]
fn a_knock_out_ends_with_final_and_third_place() {
    let mut five = tournament(System::Knockout { third_place: true }, 1, Encounter::Single, 5);
    assert_eq!(five.round_count(), 3);
    assert_eq!(pair(&mut five), ["D-E"]);
    play(&mut five, &[GameOutcome::Draw]);
    assert_eq!(pairing::next(&five).expect_err("nobody won").code.id, "tournament.no-winner");
    five.apply(&Change::Reopen { round: 1 }).expect("the last round");
    play(&mut five, &[GameOutcome::Second]);
    assert_eq!(pair(&mut five), ["A-E", "B-C"]);
    play(&mut five, &[GameOutcome::First, GameOutcome::Second]);
    assert_eq!(pair(&mut five), ["A-C", "B-E"]);
}

#[test]
fn changes_are_told_in_a_few_words() {
    let mut four = tournament(SWISS, 3, Encounter::TwoLegs, 4);
    pair(&mut four);
    let enter = |name: &str| {
        let player = Player { name: name.to_owned(), ..Player::default() };
        Change::Enter { player, first: 1 }
    };
    let result = |game, outcome| Change::Result {
        round: 1,
        board: 1,
        game,
        players: [PlayerId(1), PlayerId(3)],
        result: GameResult::by_arbiter(outcome),
    };
    let check = |steps: &[Change], expected: &str| {
        assert_eq!(summary(steps, Some(&four), Lang::En), expected);
        for lang in Lang::ALL {
            let text = summary(steps, None, lang);
            assert!(!text.contains('{') && !text.contains("step."), "{text}");
        }
    };
    check(&[enter("Rosa")], "entry of Rosa");
    check(&[enter("Rosa"), enter("Luis")], "2 entries");
    check(&[result(2, GameOutcome::First)], "round 1, board 1, game 2: C 0-1 A");
    check(
        &[result(1, GameOutcome::Draw), result(2, GameOutcome::Draw), Change::Close { round: 1 }],
        "2 results of round 1; closing of round 1",
    );
    let [id, other] = [PlayerId(1), PlayerId(2)];
    check(&[Change::Withdraw { id, round: 2 }], "withdrawal of A from round 2");
    check(&[Change::Return { id, round: 3 }], "return of A from round 3");
    check(&[Change::Absent { id, round: 2, bye: Bye::Half }], "absence of A in round 2");
    check(&[Change::Present { id, round: 2 }], "absence of A in round 2 taken back");
    check(
        &[Change::Forbid { players: [id, other] }, Change::Allow { players: [id, other] }],
        "forbidden pair: A and B; pair allowed again: A and B",
    );
    check(&[Change::Edit { id, player: Player::default() }], "data of A");
    check(
        &[Change::Unpair { round: 1 }, Change::Reopen { round: 1 }],
        "pairing of round 1 taken back; reopening of round 1",
    );
    check(&[Change::Clear { round: 1, board: 2, game: 1 }], "round 1, board 2, game 1: result taken back");
    check(&[Change::TieBreaks { order: vec![TournamentTieBreak::Koya] }], "tie-breaks: Koya");
    check(&[Change::TieBreaks { order: Vec::new() }], "tie-breaks: total score");
    // Steps after the first 20 are counted.
    let pairings = |count: u32| (1..=count).map(|round| Change::Pair { round, boards: Vec::new(), bye: None });
    let named =
        |count: u32| (1..=count).map(|round| format!("pairing of round {round}")).collect::<Vec<_>>().join("; ");
    check(&pairings(20).collect::<Vec<_>>(), &named(20));
    check(&pairings(23).collect::<Vec<_>>(), &format!("{}; other steps: 3", named(20)));
    check(
        &[Change::TimeControl { seconds: Some(60) }, Change::TimeControl { seconds: None }],
        "time control: 60 s; time control of the game",
    );
    let create = Change::Create { settings: settings(SWISS, 3, Encounter::Single) };
    check(
        &[create, Change::Describe { about: About::default() }],
        "creation of the tournament; facts of the report file",
    );
    check(&[Change::Pair { round: 2, boards: Vec::new(), bye: None }], "pairing of round 2");
    let text = summary(&[result(1, GameOutcome::First)], None, Lang::Es);
    assert_eq!(text, "ronda 1, tablero 1, partida 1: n.º 1 1-0 n.º 3");
}
