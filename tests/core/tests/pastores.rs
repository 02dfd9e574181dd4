//! Pastores y Guerreros: in positions of all kinds the referee judges every possible token as the reference does. The
//! fixtures of the game are tested in `corpus.rs`.

use proptest::prelude::*;
use quipu_notation::{Side, record::Outcome};
use quipu_referee::{Board, games};
use quipu_reference as reference;

/// A stone: whose it is (0 norte, 1 sur) and what (0 pastor, 1 guerrero).
type Stone = (usize, usize);

/// A position, before it is read by either referee.
#[derive(Clone, Debug)]
struct Setup {
    /// Row by row from the top left.
    points: [Option<Stone>; 25],
    turn: usize,
    /// Stones left to place, by side and kind.
    hands: [[usize; 2]; 2],
    countdown: Option<u64>,
    ply: u64,
}

/// A token of either form.
#[derive(Clone, Copy)]
enum Token {
    Place(usize, usize),
    Step(usize, bool, usize),
}

/// Every token there is.
fn tokens() -> impl Iterator<Item = Token> {
    let places = (0..2).flat_map(|kind| (0..25).map(move |to| Token::Place(kind, to)));
    let steps = (0..25).flat_map(|from| (0..50).map(move |to| Token::Step(from, to % 2 == 1, to / 2)));
    places.chain(steps)
}

fn name(point: usize) -> String {
    format!("{}{}", ["A", "B", "C", "D", "E"][point / 5], point % 5 + 1)
}

impl Token {
    fn text(self) -> String {
        match self {
            Self::Place(kind, to) => format!("{}{}", ["P", "G"][kind], name(to)),
            Self::Step(from, captures, to) => format!("{}{}{}", name(from), if captures { "x" } else { "-" }, name(to)),
        }
    }

    /// The same for the player at the other side of the board.
    fn turned(self) -> Self {
        match self {
            Self::Place(kind, to) => Self::Place(kind, 24 - to),
            Self::Step(from, captures, to) => Self::Step(24 - from, captures, 24 - to),
        }
    }
}

impl Setup {
    fn text(&self) -> String {
        let row = |row: &[Option<Stone>]| {
            let letters =
                row.iter().map(|stone| stone.map_or("1", |(side, kind)| [["P", "G"], ["p", "g"]][side][kind]));
            let row = letters.collect::<String>();
            (2..=5).rev().fold(row, |row, run| row.replace(&"1".repeat(run), &run.to_string()))
        };
        let rows = self.points.chunks(5).map(row).collect::<Vec<_>>().join("/");
        let [[np, ng], [sp, sg]] = self.hands;
        let countdown = self.countdown.map_or("-".to_owned(), |left| left.to_string());
        format!("{rows} {} {np}{ng}-{sp}{sg} {countdown} {}", ["n", "s"][self.turn], self.ply)
    }

    fn board(&self) -> Box<dyn Board> {
        let game = games::find("pastores").expect("it is in the table");
        game.board(None, Some(&self.text())).unwrap_or_else(|faults| panic!("{}: {faults:?}", self.text()))
    }

    fn reference(&self) -> Box<dyn reference::Position> {
        let position = reference::position("pastores", "base", &self.text());
        position.unwrap_or_else(|| panic!("{} is refused", self.text()))
    }

    /// Name and winner of the end that this position is.
    fn end(&self) -> Option<(&'static str, Option<usize>)> {
        self.reference().end().map(|end| (end.name, end.winner))
    }

    /// The same position for the player at the other side of the board.
    fn turned(&self) -> Self {
        let mut turned = self.clone();
        turned.points.reverse();
        turned.points.iter_mut().flatten().for_each(|(side, _)| *side = 1 - *side);
        turned.hands.reverse();
        turned.turn = 1 - self.turn;
        turned
    }
}

/// Stones of one side, `count` of each kind.
fn some(side: usize, count: [usize; 2]) -> impl Iterator<Item = Stone> {
    (0..2).flat_map(move |kind| std::iter::repeat_n((side, kind), count[kind]))
}

/// A position with these stones on the board, on points in the order given.
fn arranged(counts: [[usize; 2]; 2], order: &[usize], turn: usize) -> Setup {
    let mut points = [None; 25];
    let stones = (0..2).flat_map(|side| some(side, counts[side]));
    for (stone, &point) in stones.zip(order) {
        points[point] = Some(stone);
    }
    Setup { points, turn, hands: [[0; 2]; 2], countdown: None, ply: 0 }
}

fn order() -> impl Strategy<Value = Vec<usize>> {
    Just((0..25).collect::<Vec<_>>()).prop_shuffle()
}

/// Positions while stones are placed; a stone need not stand where it was placed.
fn placing() -> impl Strategy<Value = Setup> {
    (0..16_usize, 0..2_usize, order(), [0..4_usize, 0..4]).prop_map(|(ply, turn, order, guerreros)| {
        let hand = |side: usize| {
            let left = if side == turn { (16 - ply).div_ceil(2) } else { (16 - ply) / 2 };
            let guerreros = guerreros[side].clamp(left.saturating_sub(5), left.min(3));
            [left - guerreros, guerreros]
        };
        let hands = [hand(0), hand(1)];
        let counts = hands.map(|[pastores, guerreros]| [5 - pastores, 3 - guerreros]);
        Setup { hands, ply: ply as u64, ..arranged(counts, &order, turn) }
    })
}

/// Positions after all stones are placed, when stones move.
fn moving() -> impl Strategy<Value = Setup> {
    let side = || (0..6_usize, 0..4_usize).prop_map(<[usize; 2]>::from);
    ([side(), side()], order(), 0..2_usize, 16..4_000_000_000_u64)
        .prop_map(|(counts, order, turn, ply)| Setup { ply, ..arranged(counts, &order, turn) })
}

/// At most one stone against one, with a countdown or without; or one more, which a capture can take.
fn few() -> impl Strategy<Value = Setup> {
    let one = || prop_oneof![1 => Just([0, 0]), 4 => Just([1, 0]), 4 => Just([0, 1])];
    let countdown = prop_oneof![Just(None), Just(Some(0)), (1..11_u64).prop_map(Some)];
    let counted = ([one(), one()], countdown);
    let uncounted = prop_oneof![Just([[1, 0], [1, 1]]), Just([[0, 2], [0, 1]])].prop_map(|counts| (counts, None));
    (prop_oneof![counted, uncounted], order(), 0..2_usize).prop_map(|((counts, countdown), order, turn)| Setup {
        countdown,
        ply: 99,
        ..arranged(counts, &order, turn)
    })
}

/// Corners and edges crowded: guerreros with nowhere to go.
fn crowded() -> impl Strategy<Value = Setup> {
    (order(), 0..2_usize, 0..12_usize).prop_map(|(mut order, turn, near)| {
        order.sort_by_key(|&point| (point / 5 + point % 5).abs_diff(near));
        Setup { ply: 16, ..arranged([[5, 3]; 2], &order, turn) }
    })
}

/// Guerreros of the side to move off the diagonals, with enemies at their left and right.
fn hemmed_in() -> impl Strategy<Value = Setup> {
    (order(), order(), 1..4_usize, 0..2_usize).prop_map(|(order, plain, count, turn)| {
        let mine: Vec<_> = plain.into_iter().filter(|point| point % 2 == 1).take(count).collect();
        let beside = |point: usize| (0..25).filter(move |&other| other / 5 == point / 5 && other.abs_diff(point) == 1);
        let mut enemies: Vec<_> = mine.iter().flat_map(|&point| beside(point)).chain(order).collect();
        enemies.retain(|point| !mine.contains(point));
        let mut seen = [false; 25];
        enemies.retain(|&point| !std::mem::replace(&mut seen[point], true));
        let mut counts = [[5, 3]; 2];
        counts[turn] = [0, count];
        let points = if turn == 0 { [mine, enemies] } else { [enemies[..8].to_vec(), mine] };
        Setup { ply: 16, ..arranged(counts, &points.concat(), turn) }
    })
}

fn any_position() -> impl Strategy<Value = Setup> {
    prop_oneof![placing(), moving(), few(), crowded(), hemmed_in()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_token_is_judged_as_the_rules_say(setup in any_position()) {
        let (mut board, start) = (setup.board(), setup.reference());
        let end = board.end().map(|end| (end.termination.name, end.outcome.winner().map(Side::index)));
        prop_assert_eq!(end, setup.end());
        let mut legal = Vec::new();
        for token in tokens() {
            let text = token.text();
            let found = board.play(&text).map_err(|message| message.code.id);
            if end.is_some() {
                prop_assert_eq!(found, Err("record.after-end"));
                continue;
            }
            let mut next = start.again();
            match next.play(&text) {
                Ok(canonical) => {
                    prop_assert_eq!(found, Ok(canonical));
                    prop_assert_eq!(board.position(), next.text());
                    legal.push(text);
                    board = setup.board();
                }
                Err(code) => prop_assert_eq!(found, Err(code), "{} in {}", text, board.position()),
            }
        }
        legal.sort_unstable();
        prop_assert_eq!(board.legal_moves(), legal);
    }

    /// Only the names of sides and points differ.
    #[test]
    fn both_sides_of_the_board_are_alike(setup in any_position()) {
        let (board, other) = (setup.board(), setup.turned().board());
        let legal = board.legal_moves();
        let turned = tokens().filter(|token| legal.contains(&token.text())).map(|token| token.turned().text());
        let mut turned: Vec<_> = turned.collect();
        turned.sort_unstable();
        prop_assert_eq!(other.legal_moves(), turned);
        let turned = |outcome| match outcome {
            Outcome::Win(side) => Outcome::Win(!side),
            outcome => outcome,
        };
        let end = board.end().map(|end| (end.termination, turned(end.outcome)));
        prop_assert_eq!(other.end().map(|end| (end.termination, end.outcome)), end);
    }

    /// For a move with the wrong sign, that move is suggested first.
    #[test]
    fn a_wrong_sign_is_mended(setup in any_position()) {
        let board = setup.board();
        for legal in board.legal_moves().iter().filter(|token| token.len() == 5) {
            let wrong = if legal.contains('x') { legal.replace('x', "-") } else { legal.replace('-', "x") };
            let suggestions = board.suggestions(&wrong);
            prop_assert_eq!(suggestions.first(), Some(legal));
        }
    }
}

/// The strategies above make positions of every kind: otherwise they would show little.
#[test]
fn positions_of_every_kind_are_made() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    let mut runner = TestRunner::deterministic();
    let mut made = || any_position().new_tree(&mut runner).expect("a position").current();
    let positions: Vec<_> = (0..400).map(|_| made()).collect();
    let ends: Vec<_> = positions.iter().filter_map(Setup::end).map(|(name, _)| name).collect();
    for name in ["annihilation", "immobile", "countdown"] {
        assert!(ends.contains(&name), "{name}");
    }
    let outcome = |setup: &Setup| {
        let start = setup.reference();
        tokens().filter_map(move |token| start.again().play(&token.text()).err()).collect::<Vec<_>>()
    };
    let codes: Vec<_> = positions.iter().filter(|setup| setup.end().is_none()).flat_map(outcome).collect();
    let game = games::find("pastores").expect("it is in the table");
    for code in game.codes().iter().filter(|code| !["pastores.notation", "pastores.position"].contains(&code.id)) {
        assert!(codes.contains(&code.id), "{}", code.id);
    }
}
