//! Symmetries of the laws: an image of a position has the images of its moves, and they lead to the images of the positions after
//! them; and keys, which images share.

use fastrand::Rng;
use quipu_notation::Side;
use quipu_referee::{
    Game, Position, Referee,
    games::{self, andes::Andes, brandubh::Brandubh, pastores::Pastores, querni::Querni},
    symmetry::Symmetry,
};

/// Games of each rule set.
const GAMES: u64 = 30;
/// Moves of a position that are compared.
const MOVES: usize = 12;

fn token<P: Position>(position: &P, mv: P::Move) -> String {
    let mut token = String::new();
    position.write_move(mv, &mut token).expect("a String takes everything");
    token
}

/// The moves in the image of a position.
fn carried<P: Position>(mv: P::Move, symmetry: Symmetry) -> P::Move {
    P::carried(mv, |square| symmetry.iter().position(|from| usize::from(*from) == square).expect("a square"))
}

/// Compares a position with its images.
fn check<P: Position>(position: &P, random: &mut Rng) {
    let mut moves = Vec::new();
    position.each_outcome(|mv| moves.push(mv));
    for &symmetry in position.symmetries() {
        let image = position.image(symmetry);
        assert_eq!(image.turn(), position.turn(), "{position}");
        assert_eq!(image.end(), position.end(), "{position} {image}");
        assert_eq!(image.count_moves(), position.count_moves(), "{position} {image}");
        for _ in 0..MOVES.min(moves.len()) {
            let mv = moves[random.usize(..moves.len())];
            let carried = carried::<P>(mv, symmetry);
            let written = token(&image, carried);
            assert!(image.resolve(&written).is_ok_and(|found| found == carried), "{position} {image} {written}");
            let (mut after, mut image_after) = (*position, image);
            after.play(mv);
            image_after.play(carried);
            assert_eq!(after.image(symmetry).to_string(), image_after.to_string(), "{position} {written}");
        }
    }
}

fn check_game<G: Game>() {
    for rules in G::RULE_SETS {
        for seed in 0..GAMES {
            let mut random = Rng::with_seed(seed);
            let first = Side::BOTH[usize::from(random.bool())];
            let start = G::initial(rules.rules, Some(first)).or_else(|| G::deal(rules.rules, seed, Some(first)));
            let mut position = start.expect("a start");
            for _ in 0..40 {
                check(&position, &mut random);
                let mut moves = Vec::new();
                position.each_outcome(|mv| moves.push(mv));
                if position.end().is_some() || moves.is_empty() {
                    break;
                }
                position.play(moves[random.usize(..moves.len())]);
            }
        }
    }
}

#[test]
fn images_are_played_alike() {
    check_game::<Andes>();
    check_game::<Brandubh>();
    check_game::<Pastores>();
    check_game::<Querni>();
}

fn board(game: &'static dyn Referee, position: &str) -> Box<dyn quipu_referee::Board> {
    game.board(None, Some(position)).unwrap_or_else(|faults| panic!("{position}: {faults:?}"))
}

#[test]
fn keys_are_those_of_images_and_of_no_other_positions() {
    let same = [
        ("brandubh", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 44"),
        ("brandubh", "2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1", "3t3/3t3/t2T3/1tTKTtt/3T3/3t3/3t3 r 3"),
        ("brandubh", "2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/4t2 r 7"),
        ("andes", "7/7/7/7/7/7/a6 l 6-7 0-0 - - 1", "6a/7/7/7/7/7/7 l 6-7 0-0 - - 3"),
        ("andes", "7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1", "7/7/7/3a3/7/7/7 l 6-7 0-0 s pc 1"),
        ("andes", "7/7/7/7/7/7/1a5 l 6-7 0-0 - - 1", "7/6a/7/7/7/7/7 l 6-7 0-0 - - 1"),
        ("pastores", "P4/5/5/5/5 s 43-53 - 1", "4P/5/5/5/5 s 43-53 - 1"),
        ("pastores", "P4/5/5/5/4g n 00-00 - 16", "g4/5/5/5/4P n 00-00 - 18"),
        ("pastores", "P4/5/5/5/4g n 00-00 10 16", "g4/5/5/5/4P n 00-00 - 18"),
        ("querni", "A9/10/10/10/10/10/9a a 0 0", "9A/10/10/10/10/10/a9 a 3 9"),
    ];
    let different = [
        ("brandubh", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1"),
        ("brandubh", "2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1", "1t5/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1"),
        ("andes", "7/7/7/7/7/7/a6 l 6-7 0-0 - - 1", "7/7/7/7/7/7/b6 l 6-7 0-0 - - 1"),
        ("andes", "7/7/7/7/7/7/b6 l 6-7 0-0 - - 1", "7/7/7/7/7/7/d6 l 6-7 0-0 - - 1"),
        ("andes", "7/7/7/7/7/7/a6 l 6-7 0-0 - - 1", "7/7/7/7/7/7/a6 l 5-7 1-0 - - 1"),
        // Sol's first piece may be placed on the continent (3.4).
        ("andes", "7/7/7/7/7/7/a6 s 6-7 0-0 - - 0", "7/7/7/7/7/7/a6 s 6-7 0-0 - - 2"),
        ("pastores", "P4/5/5/5/4g n 00-00 - 16", "P4/5/5/5/4g s 00-00 - 16"),
        ("querni", "A9/10/10/10/10/10/9a a 0 0", "B9/10/10/10/10/10/9a a 0 0"),
    ];
    for (game, one, other) in same {
        let game = games::find(game).expect("a game");
        assert_eq!(board(game, one).key(), board(game, other).key(), "{one} {other}");
    }
    for (game, one, other) in different {
        let game = games::find(game).expect("a game");
        assert_ne!(board(game, one).key(), board(game, other).key(), "{one} {other}");
    }
    let starts = [("andes", None), ("pastores", None), ("brandubh", None), ("brandubh", Some("cuervo"))];
    let starts = starts.map(|(game, rules)| games::find(game).and_then(|game| game.board(rules, None).ok()));
    let keys: std::collections::BTreeSet<_> = starts.iter().flatten().map(|board| board.key()).collect();
    assert_eq!(keys.len(), 4);
    let brandubh = games::find("brandubh").expect("a game");
    let base = brandubh.board(Some("base"), None).expect("a start");
    assert_eq!(base.key(), brandubh.board(None, None).expect("a start").key());
}

/// A move is written in the same way for all images of a position, and back as it is in each.
#[test]
fn moves_that_are_images_have_one_token() {
    let game = games::find("brandubh").expect("a game");
    let start = game.board(None, None).expect("a start");
    let common = start.common_token("d3-c3").expect("legal");
    for same in ["d3-e3", "d5-c5", "d5-e5", "c4-c3", "c4-c5", "e4-e3", "e4-e5"] {
        assert_eq!(start.common_token(same).as_deref(), Some(&*common), "{same}");
    }
    assert_ne!(start.common_token("d3-b3").as_deref(), Some(&*common));
    assert_eq!(start.own_token(&common).as_deref(), Some("c4-c3"));
    assert_eq!(start.common_token("a1-a2"), None);
    // Without symmetry a move is its own image in each orientation.
    let [one, mirrored] = ["2t4/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 2", "4t2/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 2"];
    let [one, mirrored] = [one, mirrored].map(|position| board(game, position));
    let common = one.common_token("d3-c3").expect("legal");
    assert_eq!(mirrored.common_token("d3-e3").as_deref(), Some(&*common));
    assert_eq!(mirrored.own_token(&common).as_deref(), Some("d3-e3"));
    assert_eq!(one.own_token(&common).as_deref(), Some("d3-c3"));
}
