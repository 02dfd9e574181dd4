//! A stored record can be judged again, with the same verdict.

use proptest::{collection::vec, prelude::*, sample::select};
use quipu_archive::model::{Judgement, Submission};
use quipu_referee::verify;
use quipu_tests_service::{NASTY, NASTY_CSV, NASTY_JSON, each_chunk};

/// Checks that the records of a source are those of the referee, and that each is the same when it is read alone.
fn check(source: &[u8]) {
    each_chunk(source, |chunk| {
        let submissions: Vec<_> = Submission::all(chunk).collect();
        let judged = verify::chunk(chunk).count();
        assert_eq!(submissions.len(), judged, "{:?}", String::from_utf8_lossy(chunk.text()));
        for submission in submissions.iter().filter(|submission| submission.is_whole()) {
            let again = Submission::again(&submission.source, submission.format).expect("a record");
            let verdicts = [&again, submission].map(|judged| Judgement::new(0, &judged.verdict));
            assert!(verdicts[0].agrees(&verdicts[1]), "{verdicts:?}");
            assert_eq!((again.id, &again.canonical), (submission.id, &submission.canonical));
            assert_eq!(&again.source, &submission.source);
        }
    });
}

#[test]
fn fixtures_are_judged_again_as_they_were() {
    for game in quipu_notation::games::GAMES {
        for name in ["games", "loose", "mutants"] {
            for file in quipu_tests_service::every(game.id, name, "quipu") {
                check(&quipu_tests_service::bytes(&file));
            }
        }
    }
}

#[test]
fn text_behind_a_result() {
    check(b"[Game \"andes\"]\n\n1. 0d3 * 1. 0d3 * 1. 0d3\n");
    check(b"[Game \"andes\"]\n\n1-0[Game \"andes\"]\n");
    check(b"[Game \"andes\"]\n\n1-0% x\n* * {x} * ; y\n");
    check(b"[Game \"andes\"]\n\n* {");
    // A comment that is cut off by the next record, because it is too long in the file.
    let long = format!("[Game \"andes\"]\n\n* {{\n\n[Game \"andes\"]\n\n* {}", "x".repeat(70_000));
    check(long.as_bytes());
}

proptest! {
    #[test]
    fn a_stored_submission_is_judged_again_with_the_same_result(
        form in 0..3_usize,
        pieces in vec((any::<prop::sample::Index>(), select(vec![&b""[..], b" ", b"\n", b"1-0", b"*"])), 0..40),
    ) {
        let nasty = [NASTY, NASTY_JSON, NASTY_CSV][form];
        let source: Vec<u8> = pieces.iter().flat_map(|(index, more)| [*index.get(nasty), more].concat()).collect();
        check(&source);
    }
}
