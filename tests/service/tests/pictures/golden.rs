//! The pictures of the guide, one of each game in each theme: they are what the program draws, to the byte. `just pictures`
//! draws them anew.

use std::{collections::BTreeSet, fs};

use quipu_referee::games;
use quipu_tests_service::{program::run, root};

/// The calls of the recipe, each as its arguments and the file that it writes.
fn calls() -> Vec<(Vec<String>, String)> {
    let file = fs::read_to_string(root().join("justfile")).expect("it is there");
    let (_, recipe) = file.split_once("\npictures:\n").expect("the recipe");
    let lines = recipe.lines().take_while(|line| line.starts_with("    "));
    let calls = lines.filter_map(|line| line.split_once(" -- ")).map(|(_, call)| {
        let words: Vec<_> = call.split_whitespace().map(str::to_owned).collect();
        let (out, call) = words.split_last().expect("it names its file last");
        assert_eq!(call.last().map(String::as_str), Some("-o"), "{words:?}");
        (call[..call.len() - 1].to_vec(), out.clone())
    });
    calls.collect()
}

#[test]
fn the_pictures_of_the_guide_are_what_is_drawn() {
    for (call, file) in calls() {
        let call: Vec<_> = call.iter().map(String::as_str).collect();
        let drawn = run(&call);
        assert_eq!((drawn.status, drawn.stderr.as_str()), (Some(0), ""), "{call:?}");
        let kept = fs::read_to_string(root().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(drawn.stdout == kept, "{file} is not what is drawn any more; `just pictures` draws it anew");
    }
}

#[test]
fn every_game_is_there_in_every_theme() {
    let drawn: BTreeSet<_> = calls().into_iter().map(|(_, file)| file).collect();
    let expected: BTreeSet<_> = games::ALL
        .iter()
        .flat_map(|game| ["light", "dark"].map(|theme| format!("docs/pictures/{}.{theme}.svg", game.notation().id)))
        .collect();
    assert_eq!(drawn, expected);
    let kept = fs::read_dir(root().join("docs/pictures")).expect("it is there");
    let kept: BTreeSet<_> = kept
        .map(|file| format!("docs/pictures/{}", file.expect("it is listed").file_name().to_string_lossy()))
        .collect();
    assert_eq!(kept, expected, "and nothing else");
}
