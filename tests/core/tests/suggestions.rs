//! Suggestions for refused moves: how often they have the move that was meant, and what they must never do.

use std::fs;

use quipu_notation::record::Record;
use quipu_referee::{
    Severity, games,
    slips::{SLIPS, Slip},
    verify,
};
use quipu_tests_core::{
    bytes, each_chunk, every, root,
    slipped::{self, Count, HOPELESS, KINDS},
};

/// Of slips whose ply is refused, in hundredths: the true move first, and among the five.
const AIM: [u32; 2] = [90, 98];

#[test]
fn the_move_that_was_meant_is_suggested() {
    for game in games::ALL {
        let name = game.notation().id;
        let mut aimed = Count::default();
        for ((kind, _), count) in KINDS.iter().zip(slipped::measure(*game, 80, 1532)) {
            if HOPELESS.contains(kind) {
                continue;
            }
            assert!(count.suggested * 100 >= count.refused * 85, "{name}, {kind}: {count:?}");
            aimed += count;
        }
        assert!(aimed.refused > 600, "{name}: {aimed:?}");
        let [first, suggested] = AIM;
        assert!(aimed.first * 100 >= aimed.refused * first, "{name}: {aimed:?}");
        assert!(aimed.suggested * 100 >= aimed.refused * suggested, "{name}: {aimed:?}");
    }
}

#[test]
fn the_sheets_of_the_fixture() {
    let mut all = Count::default();
    for (kind, count) in games::ALL.iter().flat_map(|game| slipped::measure_fixture(*game)) {
        if !HOPELESS.contains(&&*kind) {
            all += count;
        }
    }
    assert!(all.refused > 60, "{all:?}");
    assert!(all.first * 100 >= all.refused * 95 && all.suggested == all.refused, "{all:?}");
}

#[test]
fn the_guide_has_the_table_of_slips() {
    for page in ["docs/repair.md", "docs/repair.es.md"] {
        let text = fs::read_to_string(root().join(page)).expect("the guide");
        for Slip { name, cost, example: [meant, written], .. } in SLIPS {
            let row = format!("| `{name}` | {cost} | `{meant}` | `{written}` |");
            assert!(text.contains(&row), "{page}: {row}");
        }
    }
}

/// With each move that is suggested the record is legal one ply further at least.
#[test]
fn suggestions_are_legal_and_belong_to_refused_moves() {
    let mut suggested = 0;
    for game in games::ALL {
        for file in every(game.notation().id, "mutants", "quipu") {
            each_chunk(&*bytes(&file), |chunk| {
                for judged in verify::chunk(chunk) {
                    let (Some(record), verdict) = (judged.record, judged.verdict) else { continue };
                    for found in &verdict.diagnostics {
                        let is_refused = found.token.is_some() && found.severity() == Severity::Error;
                        assert!(is_refused || found.suggestions.is_empty(), "{found:?}");
                        assert!(found.suggestions.len() <= 5, "{found:?}");
                        for (place, token) in found.suggestions.iter().enumerate() {
                            assert!(!found.suggestions[..place].contains(token), "twice: {found:?}");
                            assert!(
                                verify::record(&with(&record, found.ply, token)).plies > verdict.plies,
                                "{found:?}"
                            );
                            suggested += 1;
                        }
                    }
                }
            });
        }
    }
    assert!(suggested > 300, "{suggested}");
}

/// The record with another move at a ply.
fn with<'a>(record: &Record<'a>, ply: Option<u64>, token: &str) -> Record<'a> {
    let index = ply.and_then(|ply| usize::try_from(ply).ok()).expect("a refused move has a ply") - 1;
    let mut record = record.clone();
    record.movetext.plies[index].token = token.to_owned().into();
    record
}
