//! Sheets of one game merged: the true game, the plies in dispute, and sheets that are of no one game.

use fastrand::Rng;
use quipu_referee::{Status, games, repaired, repaired::MergeFault, verify};
use quipu_tests_core::{
    fixture,
    repaired::{MergeCount, Pair, pairs, with_moves},
    slipped, spoilt,
};

#[test]
fn pairs_of_the_fixture_are_merged_to_the_true_game() {
    for game in games::ALL {
        let text =
            std::fs::read_to_string(fixture(&format!("{}/sheets.ndjson", game.notation().id))).expect("it is there");
        let mut count = MergeCount::default();
        for pair in pairs(&text) {
            drop(count.add(&pair));
        }
        assert!(count.right * 100 >= count.pairs * 99, "{}: {count:?}", game.notation().id);
        assert_eq!((count.unmarked, count.refused, count.none), (0, 0, 0), "{}: {count:?}", game.notation().id);
    }
}

/// Pairs with more slips than those of the fixtures.
#[test]
fn no_merged_game_is_wrong_without_being_marked() {
    let mut random = Rng::with_seed(3);
    for game in games::ALL {
        let games = spoilt::games(*game);
        let mut count = MergeCount::default();
        for case in 1..=60 {
            let sheet = &games[random.usize(..games.len())];
            let sheets = spoilt::pair(&mut random, &sheet.record, &sheet.truth).into();
            drop(count.add(&Pair { case, sheets, truth: sheet.truth.clone() }));
        }
        assert_eq!((count.unmarked, count.refused), (0, 0), "{}: {count:?}", game.notation().id);
        assert!(count.right * 100 >= count.pairs * 93, "{}: {count:?}", game.notation().id);
    }
}

#[test]
fn equal_sheets_agree_on_every_ply() {
    for game in games::ALL {
        for record in slipped::written(*game).iter().take(10) {
            let sheets = [record.clone(), record.clone(), record.clone()];
            let merged = repaired::merge(&sheets).expect("it is one game");
            assert_eq!(merged.merged.agreed, record.movetext.plies.len() as u64);
            assert!(merged.merged.disputed.is_empty() && merged.merged.is_complete);
            assert_eq!(merged.verdict.id, verify::record(record).id);
        }
    }
}

#[test]
fn a_sheet_that_breaks_off_is_disputed_from_there_on() {
    for game in games::ALL {
        let record = &slipped::written(*game)[0];
        let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
        let kept = truth.len() - 3;
        let sheets = [record.clone(), with_moves(record, &truth[..kept])];
        let merged = repaired::merge(&sheets).expect("it is one game");
        assert_eq!(merged.merged.moves, truth);
        assert_eq!(merged.merged.agreed, kept as u64);
        assert_eq!(merged.merged.disputed.len(), 3);
        assert_eq!(merged.verdict.status, Status::Verified);
    }
}

#[test]
fn sheets_of_different_games_are_not_merged() {
    let of = |game: &str| slipped::written(games::find(game).expect("it is in the table"));
    let andes = of("andes");
    let fault = |sheets: &[_]| repaired::merge(sheets).map(|merged| merged.merged.cost).expect_err("not one game");
    assert_eq!(fault(&andes[..1]), MergeFault::Few);
    assert_eq!(fault(&[andes[0].clone(), of("querni")[0].clone()]), MergeFault::Tag(1, "Game"));
    let many: Vec<_> = andes.iter().cycle().take(17).cloned().collect();
    assert_eq!(fault(&many), MergeFault::Many(17));
    for game in games::ALL {
        let ten: Vec<_> = of(game.notation().id).into_iter().take(10).collect();
        fault(&ten);
        // Even if nobody is named.
        let nameless: Vec<_> = ten
            .iter()
            .map(|record| {
                let mut record = record.clone();
                record.tags.retain(|tag| matches!(&*tag.name, "Game" | "Setup" | "Rules" | "First"));
                record
            })
            .collect();
        fault(&nameless);
    }
}
