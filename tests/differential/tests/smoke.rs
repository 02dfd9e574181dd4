//! The two referees for some seconds, and every text that they were once apart on.
//!
//! The long form is the program of this package. A text in `tests/differential/regressions` is what is left of a difference that it found; the page of rules
//! that decided it stands in the commit that brought it.

use std::{fs, path::PathBuf};

use fastrand::Rng;
use quipu_differential::{Kind, Tally, compare, game, positions, shrink};

#[test]
fn referees_agree_on_games_of_chance() {
    let mut sum = Tally::default();
    for kind in Kind::all() {
        let mut tally = Tally::default();
        for seed in 0..40 {
            let mut random = Rng::with_seed(0x5eed_0000 + seed);
            let found = game(kind, &mut random, &mut tally).and_then(|()| positions(kind, &mut random, &mut tally));
            if let Err(mut difference) = found {
                difference.text = shrink(&difference.text);
                panic!("{kind:?} {seed}: {difference}");
            }
        }
        assert!(tally.played > 500 && tally.replayed > 2_000 && tally.listed > 50 && tally.refused > 500, "{tally:?}");
        sum.add(&tally);
    }
    println!("{} plies compared", sum.plies());
}

#[test]
fn referees_agree_where_they_once_did_not() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let files = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it is listed").path());
    let mut count = 0;
    for file in files {
        let text = fs::read(&file).expect("it is a file");
        let difference = compare(&text, &mut Tally::default());
        assert_eq!(difference, None, "{file:?}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn a_text_is_shrunk_while_the_referees_are_apart_and_not_further() {
    let agreed = b"[Game \"andes\"]\n\n1. 0d3 *\n\n";
    assert_eq!(compare(agreed, &mut Tally::default()), None);
    assert_eq!(shrink(agreed), agreed, "nothing can be left out of what is no difference");
}
