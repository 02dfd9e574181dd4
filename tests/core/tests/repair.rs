//! Readings of sheets with slips: the true game is among them, all are legal, and the search is bounded.

use fastrand::Rng;
use quipu_notation::record::Record;
use quipu_referee::{Status, games, repair::PLY_SLIPS, slips::SLIPS, verify};
use quipu_tests_core::{
    fixture,
    repaired::{Count, sheets, with_moves},
    slipped,
};

#[test]
fn the_true_game_is_among_the_readings_of_the_fixture() {
    let mut every = Count::default();
    for game in games::ALL {
        let text =
            std::fs::read_to_string(fixture(&format!("{}/repair.ndjson", game.notation().id))).expect("it is there");
        let mut all = Count::default();
        for sheet in sheets(&text) {
            all.add(*game, &sheet);
        }
        assert_eq!(all.refused, 0, "{}: readings that the judge does not verify", game.notation().id);
        assert!(all.wrong * 100 <= all.sheets * 2, "{}: {all:?}", game.notation().id);
        every += all;
    }
    assert!(every.first * 100 >= every.sheets * 86, "{every:?}");
    assert!(every.found * 100 >= every.sheets * 95, "{every:?}");
    assert!(every.clear * 100 >= every.sheets * 80, "{every:?}");
}

#[test]
fn a_legal_sheet_is_its_own_reading() {
    for game in games::ALL {
        for record in slipped::written(*game) {
            let readings = game.readings(&record);
            let first = readings.readings.first().expect("it is legal");
            assert!(readings.is_complete);
            assert_eq!((first.cost, first.edits.len()), (0, 0), "{}", readings.doubt);
            assert!(first.moves.iter().eq(record.movetext.plies.iter().map(|ply| &*ply.token)));
        }
    }
}

/// Omits, doubles or swaps plies.
fn ply_slip(random: &mut Rng, moves: &[String]) -> Vec<String> {
    let mut moves = moves.to_vec();
    let ply = random.usize(..moves.len() - 1);
    match random.u8(..3) {
        0 => drop(moves.remove(ply)),
        1 => moves.insert(ply, moves[ply].clone()),
        _ => moves.swap(ply, ply + 1),
    }
    moves
}

#[test]
fn slips_of_plies_are_undone() {
    let mut random = Rng::with_seed(1532);
    for game in games::ALL {
        let (mut found, mut made) = (0, 0);
        for record in slipped::written(*game).iter().take(20) {
            let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
            let slipped = ply_slip(&mut random, &truth);
            let readings = game.readings(&with_moves(record, &slipped));
            made += 1;
            found += u32::from(readings.readings.iter().any(|reading| reading.moves == truth));
        }
        // An omitted jump of Querni is one of many to the same square.
        assert!(found * 10 >= made * 7, "{}: {found} of {made}", game.notation().id);
    }
}

#[test]
fn repairing_twice_changes_nothing() {
    let mut random = Rng::with_seed(1532);
    for game in games::ALL {
        for record in slipped::written(*game).iter().take(10) {
            let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
            let slipped = ply_slip(&mut random, &truth);
            for reading in game.readings(&with_moves(record, &slipped)).readings {
                let again = game.readings(&with_moves(record, &reading.moves));
                assert_eq!(again.readings.first().map(|first| (first.cost, &first.moves)), Some((0, &reading.moves)));
            }
        }
    }
}

#[test]
fn edits_lead_from_the_sheet_to_the_reading() {
    for game in games::ALL {
        let text =
            std::fs::read_to_string(fixture(&format!("{}/repair.ndjson", game.notation().id))).expect("it is there");
        for sheet in sheets(&text) {
            for reading in game.readings(&sheet.record).readings {
                let mut written = sheet.record.movetext.plies.iter().map(|ply| &*ply.token);
                let mut read = reading.moves.iter();
                for edit in &reading.edits {
                    let at = usize::try_from(edit.ply).expect("a ply") - 1;
                    while reading.moves.len() - read.len() < at {
                        read.next();
                        written.next();
                    }
                    for token in edit.from.iter().flat_map(|from| from.split(' ')) {
                        assert_eq!(written.next(), Some(token), "{edit:?}");
                    }
                    for token in edit.to.iter().flat_map(|to| to.split(' ')) {
                        assert_eq!(read.next().map(String::as_str), Some(token), "{edit:?}");
                    }
                }
                assert_eq!(written.len(), read.len());
                let costs = reading.edits.iter().map(|edit| cost(edit.kind)).sum::<u32>();
                assert!(reading.cost >= costs, "{reading:?}");
            }
        }
    }
}

/// Cost of one slip of this name.
fn cost(name: &str) -> u32 {
    let of_tokens = SLIPS.iter().map(|row| (row.name, row.cost));
    let mut rows = of_tokens.chain(PLY_SLIPS.iter().map(|row| (row.name, row.cost)));
    rows.find(|(known, _)| *known == name).expect("a slip of the tables").1
}

#[test]
fn noise_has_no_reading_and_takes_bounded_time() {
    for game in games::ALL {
        let record = &slipped::written(*game)[0];
        let noise: Vec<_> = (0..200).map(|index| format!("zz{index}y")).collect();
        let readings = game.readings(&with_moves(record, &noise));
        assert!(readings.readings.is_empty() && !readings.is_clear, "{readings:?}");
    }
}

#[test]
fn a_record_of_a_hundred_thousand_plies_takes_bounded_time() {
    let andes = games::find("andes").expect("it is in the table");
    let to_and_fro = ["0a12", "0A12", "0a21", "0A21"];
    let mut moves = vec!["0a1".to_owned(), "0A1".to_owned()];
    moves.extend(to_and_fro.iter().cycle().take(99_997).map(|token| (*token).to_owned()));
    moves[50_000] = moves[50_000].replace('a', "d");
    let record = with_moves(&record_of("andes"), &moves);
    assert_eq!(verify::record(&record).status, Status::Rejected);
    let readings = andes.readings(&record);
    assert!(!readings.is_complete || readings.is_clear, "{:?}", readings.is_complete);
}

fn record_of(game: &str) -> Record<'static> {
    let game = games::find(game).expect("it is in the table");
    let mut record = slipped::written(game).swap_remove(0);
    record.tags.retain(|tag| tag.name == "Game");
    record.result = None;
    record
}
