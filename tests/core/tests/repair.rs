//! Readings of sheets with slips: the true game is among them, all are legal, and the search is bounded.

use fastrand::Rng;
use quipu_notation::record::{Outcome, Record, write::OutputFormat};
use quipu_referee::{
    Status, games,
    repair::{MOST_READINGS, PLY_SLIPS},
    repaired::{self, CLAIMS, Stamp},
    slips::SLIPS,
    verify,
};
use quipu_reference as reference;
use quipu_tests_core::{
    each_chunk, fixture,
    repaired::{Count, sheets, with_moves},
    slipped, spoilt,
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
    assert!(every.first * 100 >= every.sheets * 88, "{every:?}");
    assert!(every.of_three * 100 >= every.sheets * 93, "{every:?}");
    assert!(every.found * 100 >= every.sheets * 96, "{every:?}");
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

/// A single slip of any kind, in any ply: the true game is among the readings, unless the sheet is legal with the slip, or
/// there are as many readings as are listed.
#[test]
fn slips_of_every_kind_are_undone() {
    const EACH: usize = 12;
    let mut random = Rng::with_seed(2026);
    for (kind, make) in slipped::KINDS {
        let mut all = 0;
        for game in games::ALL {
            let records = slipped::written(*game);
            let (mut made, mut missed) = (0, Vec::new());
            for _ in 0..100 * EACH {
                let record = &records[random.usize(..records.len())];
                let ply = random.usize(..record.movetext.plies.len());
                let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
                let Some(token) = make(&mut random, &truth[ply], record).filter(|token| *token != truth[ply]) else {
                    continue;
                };
                let mut written = truth.clone();
                written[ply] = token;
                let sheet = with_moves(record, &written);
                if verify::record_without_id(&sheet).status != Status::Rejected {
                    continue;
                }
                let readings = game.readings(&sheet).readings;
                if readings.len() < MOST_READINGS && readings.iter().all(|reading| reading.moves != truth) {
                    missed.push((ply + 1, truth[ply].clone(), written[ply].clone()));
                }
                made += 1;
                if made == EACH {
                    break;
                }
            }
            assert!(missed.is_empty(), "{}, {kind}: {missed:?} of {made}", game.notation().id);
            all += made;
        }
        assert!(all > 0, "{kind} was never made");
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
                for edit in reading.edits.iter().filter(|edit| !CLAIMS.contains(&edit.kind)) {
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
    let name = if CLAIMS.contains(&name) { "claim-of-record" } else { name };
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

/// The judge that was written independently accepts them as well.
#[test]
fn the_reference_judge_verifies_every_reading() {
    for game in games::ALL {
        for sheet in spoilt::rejected(*game, 25, 7) {
            let repair = repaired::of(&sheet.record);
            for reading in &repair.readings.readings {
                let record = repaired::read(&repair.record, reading);
                let (text, _) = OutputFormat::Quipu.write(&record);
                let verdicts = reference::verdicts(text.as_bytes());
                let status = verdicts[0].status;
                assert!(matches!(status, "verified" | "incomplete"), "{status} {:?}\n{text}", reading.edits);
            }
        }
    }
}

/// Other slips than those of the fixtures, in other places.
#[test]
fn clear_readings_of_other_sheets_are_hardly_ever_wrong() {
    let mut every = Count::default();
    for game in games::ALL {
        for sheet in spoilt::rejected(*game, 60, 11) {
            every.add(*game, &sheet);
        }
    }
    assert_eq!(every.refused, 0);
    assert!(every.first * 100 >= every.sheets * 88, "{every:?}");
    assert!(every.clear * 100 >= every.sheets * 80, "{every:?}");
    assert!(every.wrong * 100 <= every.clear, "{every:?}");
}

#[test]
fn a_result_that_the_board_contradicts_is_corrected() {
    let mut tried = 0;
    for game in games::ALL {
        for record in slipped::written(*game) {
            let mut wrong = record.clone();
            let Some(result) = &mut wrong.result else { continue };
            let Outcome::Win(winner) = result.value else { continue };
            result.value = Outcome::Win(!winner);
            let shown = result.value.as_str().to_owned();
            let Some(tag) = wrong.tags.iter_mut().find(|tag| tag.name == "Result") else { continue };
            tag.value = shown.into();
            let repair = repaired::of(&wrong);
            if repair.verdict.status != Status::Rejected {
                continue;
            }
            tried += 1;
            let truth = |tag: &str| record.value(tag).map(str::to_owned);
            let right = repair.readings.readings.iter().any(|reading| {
                let read = repaired::read(&wrong, reading);
                reading.moves.iter().eq(record.movetext.plies.iter().map(|ply| &*ply.token))
                    && read.value("Result").map(str::to_owned) == truth("Result")
                    && read.result.map(|result| result.value) == record.result.map(|result| result.value)
            });
            // A declared end says nothing of the winner.
            assert!(right || record.value("Termination").is_none_or(|end| end == "resignation"), "{:?}", record.tags);
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn columns_that_changed_places_are_changed_back() {
    for game in games::ALL {
        let mut found = 0;
        for record in slipped::written(*game).iter().take(10) {
            let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
            let mut moves = truth.clone();
            for row in 2..5.min(moves.len() / 2) {
                moves.swap(2 * row, 2 * row + 1);
            }
            let sheet = with_moves(record, &moves);
            if verify::record(&sheet).status == Status::Rejected {
                let readings = game.readings(&sheet).readings;
                found += u32::from(readings.iter().any(|reading| reading.moves == truth));
            } else {
                found += 1;
            }
        }
        assert!(found >= 9, "{}: {found}", game.notation().id);
    }
}

#[test]
fn evidence_is_kept_in_every_format() {
    let andes = games::find("andes").expect("it is in the table");
    let record = slipped::written(andes).into_iter().find(|record| record.movetext.plies.len() > 20).expect("a game");
    let truth: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
    let mut moves = truth.clone();
    moves[4].push(']');
    moves.insert(9, moves[9].clone());
    let sheet = with_moves(&record, &moves);
    let repair = repaired::of(&sheet);
    let reading = repair.readings.readings.iter().find(|reading| reading.moves == truth).expect("it is found");
    let stamp = Stamp { by: "quipu 1.2.3", person: Some("Ana {López}") };
    let marked = repaired::marked(&repair.record, reading, stamp);
    assert_eq!(verify::record(&marked).id, verify::record(&repaired::read(&repair.record, reading)).id);
    for format in OutputFormat::ALL {
        let (text, omitted) = format.write(&marked);
        assert_eq!(omitted.comments, 0, "{format:?}");
        let mut again = None;
        each_chunk(text.as_bytes(), |chunk| {
            let record = chunk.records().next().expect("a record").expect("it is readable");
            again = again.take().or(Some(repaired::owned(&record)));
        });
        let again = again.expect("a record");
        let of_plies = again.movetext.plies.iter().filter_map(|ply| ply.notes.as_deref());
        let comments = again.movetext.comments.iter().chain(of_plies.flat_map(|notes| &notes.comments));
        let comments = comments.map(|comment| &**comment).collect::<Vec<_>>().join(" ");
        assert!(comments.contains("[%repaired quipu 1.2.3, Ana %7BLópez%7D]"), "{format:?}: {comments}");
        assert!(comments.contains(&format!("[%written 11 doubled {}]", moves[9])), "{format:?}: {comments}");
        assert!(comments.contains(&format!("[%written 5 extra {}%5D]", truth[4])), "{format:?}: {comments}");
        assert_eq!(verify::record(&again).status, verify::record(&marked).status, "{format:?}");
    }
}

#[test]
fn a_clock_that_cannot_be_right_is_left_out() {
    let text = "[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 0a1 {[%clk 0:10:00]} 0D0\n2. 0b0 {[%clk 0:11:00]} 0D0C\n1-0\n";
    each_chunk(text.as_bytes(), |chunk| {
        let record = chunk.records().next().expect("a record").expect("it is readable");
        let repair = repaired::of(&record);
        assert_eq!(repair.verdict.status, Status::Rejected);
        let first = &repair.readings.readings[0];
        assert_eq!((first.edits[0].kind, first.edits[0].ply, first.edits.len()), ("clock", 3, 1));
        assert_eq!(repair.verdicts[0].status, Status::Verified);
    });
}
