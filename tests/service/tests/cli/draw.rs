//! `quipu draw` and `quipu sheet`: which picture comes of which call, where it goes, and what is said where there is none.

use std::{fs, process::Output};

use quipu_notation::record::{Chunk, Record};
use quipu_pictures::{self as pictures, Look, Theme};
use quipu_referee::{Lang, games, replay::Replay, verify};
use quipu_tests_service::program::{command, run, run_with};

use crate::{BAD, GOOD, OVER, UNREADABLE, each_game};

/// A file of the fixtures with more than one record.
const CUP: &str = "fixtures/andes/cup.quipu";

/// Bytes on standard output, and nothing said.
#[track_caller]
fn drawn(arguments: &[&str]) -> Vec<u8> {
    let Output { status, stdout, stderr } = command(arguments).output().expect("quipu runs");
    let stderr = String::from_utf8_lossy(&stderr);
    // The first record of several is drawn, which is said if none was asked for.
    let is_silent = stderr.is_empty() || !arguments.contains(&"--record") && stderr.contains("--record");
    assert_eq!((status.code(), is_silent), (Some(0), true), "{arguments:?}: {stderr}");
    stdout
}

/// Runs `with` with a record of the cup.
fn cup<T>(number: usize, with: impl FnOnce(&Record<'_>) -> T) -> T {
    let text = quipu_tests_service::bytes("andes/cup.quipu");
    let mut found = Vec::new();
    quipu_tests_service::each_chunk(&text[..], |chunk| found.push(chunk.text().to_vec()));
    let chunk = Chunk::new(&found[number - 1]);
    let record = chunk.records().next().expect("a record").expect("it can be read");
    with(&record)
}

/// The board of a record of the cup after a ply, or at its end.
fn board(number: usize, ply: Option<u64>, look: &Look) -> String {
    cup(number, |record| {
        let mut replay = Replay::of(record).expect("it can be replayed");
        while ply.is_none_or(|ply| replay.ply() < ply) && replay.play().is_some() {}
        pictures::svg(replay.game(), &replay.board().drawing(), look).expect("a good size")
    })
}

fn look(lang: Lang) -> Look {
    Look::new(lang)
}

#[test]
fn a_file_comes_to_the_board_at_its_end_or_after_a_ply() {
    assert_eq!(drawn(&["draw", CUP]), board(1, None, &look(Lang::Es)).into_bytes());
    assert_eq!(drawn(&["draw", CUP, "--ply", "0"]), board(1, Some(0), &look(Lang::Es)).into_bytes());
    let call = ["draw", CUP, "--record", "3", "--ply", "5", "--lang", "en"];
    assert_eq!(drawn(&call), board(3, Some(5), &look(Lang::En)).into_bytes());
    let chosen = Look {
        theme: Theme::Dark,
        width: 300,
        title: Some("-1- & más".to_owned()),
        flip: true,
        marks: false,
        ..look(Lang::Es)
    };
    let call =
        ["draw", CUP, "--ply", "9", "--theme", "dark", "--size", "300", "--title", "-1- & más", "--flip", "--no-marks"];
    assert_eq!(drawn(&call), board(1, Some(9), &chosen).into_bytes());
}

#[test]
fn every_form() {
    let es = look(Lang::Es);
    let small = Look { width: 64, ..es.clone() };
    cup(2, |record| {
        let mut replay = Replay::of(record).expect("it can be replayed");
        while replay.play().is_some() {}
        let (game, drawing) = (replay.game(), replay.board().drawing());
        let made = [
            ("svg", pictures::svg(game, &drawing, &small).expect("a good size").into_bytes()),
            ("png", pictures::png(game, &drawing, &small).expect("a good size")),
            ("gif", pictures::gif(record, &small).expect("a game").expect("it is short")),
            ("html", pictures::html(record, &es).expect("a game").expect("it is short").into_bytes()),
            ("pdf", pictures::verdict(record, &verify::record(record), None, &es).expect("it is short")),
        ];
        let folder = tempfile::tempdir().expect("a folder");
        for (form, expected) in made {
            let sized: &[&str] = if ["html", "pdf"].contains(&form) { &[] } else { &["--size", "64"] };
            let call = [&["draw", CUP, "--record", "2"], sized].concat();
            assert!(drawn(&[&call[..], &["--to", form]].concat()) == expected, "{form}");
            // The extension of the file says it as well.
            for name in [format!("a.{form}"), format!("B.{}", form.to_uppercase())] {
                let path = folder.path().join(name);
                let path = path.to_str().expect("UTF-8");
                assert_eq!(drawn(&[&call[..], &["-o", path]].concat()), b"");
                assert!(fs::read(path).expect("it is written") == expected, "{path}");
            }
            // And what is asked for counts for more.
            let odd = folder.path().join("odd.png");
            let odd = odd.to_str().expect("UTF-8");
            assert_eq!(drawn(&[&call[..], &["--to", form, "--output", odd]].concat()), b"");
            assert!(fs::read(odd).expect("it is written") == expected, "{form}");
        }
        let pdf = pictures::pdf(game, &drawing, &small).expect("a good size");
        let last = replay.ply().to_string();
        let call = ["draw", CUP, "--record", "2", "--size", "64", "--to", "pdf", "--ply", &last];
        assert!(drawn(&call) == pdf, "the board after a ply");
    });
}

#[test]
fn positions_are_drawn_too() {
    each_game(|id, game| {
        let board =
            game.deal(None, 5, None).expect("base").unwrap_or_else(|| game.board(None, None).expect("it starts"));
        let position = board.position();
        let game = games::find(id).expect("a game");
        let expected =
            pictures::svg(game, &game.arrange(None, &position).expect("a position").drawing, &look(Lang::Es));
        let expected = expected.expect("a good size").into_bytes();
        assert_eq!(drawn(&["draw", &position, "--game", id]), expected);
        // A whole position tells by itself.
        assert_eq!(drawn(&["draw", &position]), expected);
        let start = command(&["draw", "--game", id]).output().expect("quipu runs");
        match game.board(None, None) {
            Ok(board) => {
                let expected = pictures::svg(game, &board.drawing(), &look(Lang::Es)).expect("a good size");
                assert_eq!(start.stdout, expected.into_bytes());
            }
            Err(_) => assert_eq!((start.status.code(), start.stdout.len()), (Some(1), 0)),
        }
    });
    let board = drawn(&["draw", "+0.D3;-2.A3;"]);
    assert_eq!(board, drawn(&["draw", "7/7/7/C2a3/7/7/7", "--game", "andes"]));
    assert!(!drawn(&["draw", OVER]).is_empty());
    assert!(!drawn(&["draw", "--game", "brandubh", "--rules", "nielsen", "--to", "png"]).is_empty());
}

#[test]
fn from_standard_input() {
    let response = run_with(&["draw", "-"], GOOD.as_bytes());
    assert_eq!((response.status, response.stderr.as_str()), (Some(0), ""));
    assert!(response.stdout.starts_with("<svg "), "{response:?}");
}

/// A refused record has a board all the same: the one before the fault. Findings are reported as `replay` reports them.
#[test]
fn a_refused_record_is_drawn_up_to_its_fault() {
    let refused = run_with(&["draw", "-"], BAD.as_bytes());
    let replayed = run_with(&["replay", "-"], BAD.as_bytes());
    assert_eq!((refused.status, &refused.stderr), (Some(1), &replayed.stderr));
    assert!(refused.stdout.starts_with("<svg ") && refused.stdout.contains("persona d3"), "{refused:?}");
    for form in ["svg", "gif", "html", "pdf"] {
        let unreadable = run_with(&["draw", "-", "--to", form], UNREADABLE.as_bytes());
        assert_eq!((unreadable.status, unreadable.stdout.as_str()), (Some(1), ""), "{form}");
        assert!(unreadable.stderr.contains("record.syntax"), "{unreadable:?}");
    }
    for form in ["svg", "gif", "html"] {
        let nowhere = run_with(&["draw", "-", "--to", form], b"[Game \"damas\"]\n\n1. e4 *\n");
        assert_eq!((nowhere.status, nowhere.stdout.as_str()), (Some(1), ""), "{form}");
        assert!(nowhere.stderr.contains("record.game"), "{nowhere:?}");
    }
}

#[test]
fn impossible_pictures_are_reported() {
    let complains = |arguments: &[&str], es: &str, en: &str| {
        for (lang, expected) in [("es", es), ("en", en)] {
            let run = run(&[&["--lang", lang][..], arguments].concat());
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
            assert!(run.stderr.contains(expected), "{expected}: {run:#?}");
        }
    };
    complains(&["draw"], "indique un archivo, una posición", "name a file, a position");
    for (form, option) in [("html", "--size=100"), ("pdf", "--size=100"), ("pdf", "--theme=dark"), ("pdf", "--flip")] {
        let option: &[&str] = &[option];
        let said = option[0].split('=').next().expect("a name");
        let call = [&["draw", CUP, "--record", "2", "--to", form], option].concat();
        complains(
            &call,
            &format!("{said} no tiene efecto en un {form}"),
            &format!("{said} has no effect on the {form}"),
        );
    }
    complains(&["draw", CUP, "--title", ""], "de 1 a 200 caracteres", "1 to 200 characters");
    complains(&["draw", "no-such-file"], "no es un archivo existente ni una posición", "is neither an existing file");
    complains(
        &["draw", "7/7/7/7/7/7/7"],
        "andes, brandubh; indique uno con --game",
        "andes, brandubh; choose one with --game",
    );
    complains(&["draw", CUP, "--game", "andes"], "un registro ya indica su juego", "a record names its game");
    complains(&["draw", OVER, "--ply", "1"], "esto es una posición", "this is a position");
    complains(&["draw", OVER, "--to", "gif"], "gif muestra una partida entera", "gif shows a whole game");
    complains(
        &["draw", CUP, "--to", "html", "--ply", "1"],
        "html muestra una partida entera",
        "html shows a whole game",
    );
    complains(&["draw", CUP, "--ply", "9999"], "no existe la jugada 9999", "there is no ply 9999");
    complains(&["draw", CUP, "--record", "99"], "no existe el registro 99", "there is no record 99");
    complains(&["draw", CUP, "--size", "63"], "«63» no es un valor válido", "“63” is not a valid value");
    complains(&["draw", CUP, "--size", "2049"], "«2049» no es un valor válido", "“2049” is not a valid value");
    complains(&["draw", CUP, "--to", "gif", "--size", "801"], "de 64 a 800 píxeles", "64 to 800 pixels");
    complains(
        &["draw", CUP, "--to", "bmp"],
        "se admite: svg, png, gif, html, pdf",
        "allowed: svg, png, gif, html, pdf",
    );
    complains(
        &["draw", CUP, "-o", "a.bmp"],
        "con --to: svg, png, gif, html, pdf",
        "with --to: svg, png, gif, html, pdf",
    );
    complains(&["draw", CUP, "-o", "a"], "la extensión de a no es", "the extension of a is not");
    complains(&["draw", CUP, "--theme", "blue"], "se admite: light, dark", "allowed: light, dark");
    let long = "x".repeat(pictures::TITLE_LENGTH + 1);
    complains(&["draw", CUP, "--title", &long], "de 1 a 200 caracteres", "1 to 200 characters");
    complains(&["sheet", "andes", "--to", "png"], "se admite: svg, pdf", "allowed: svg, pdf");
    complains(&["sheet", "andes", "-o", "a.png"], "con --to: svg, pdf", "with --to: svg, pdf");
    assert!(!std::path::Path::new("a.bmp").exists() && !std::path::Path::new("a").exists());
}

#[test]
fn a_position_that_is_none_says_why() {
    let refused = run(&["draw", "7/7/8/7/7/7/7", "--game", "andes", "--lang", "en"]);
    let position = run(&["position", "andes", "7/7/8/7/7/7/7", "--lang", "en"]);
    assert_eq!((refused.status, &refused.stderr), (Some(1), &position.stderr));
    assert!(refused.stderr.contains("andes.position"), "{refused:?}");
}

#[test]
fn games_that_are_too_long_are_refused() {
    let tokens = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(pictures::MOST_PLIES + 1);
    let text = format!("[Game \"brandubh\"]\n\n{} *\n", tokens.copied().collect::<Vec<_>>().join(" "));
    for (form, most) in [("gif", pictures::MOST_FRAMES), ("html", pictures::MOST_PLIES), ("pdf", pictures::MOST_PLIES)]
    {
        for (lang, said) in [("es", "jugadas"), ("en", "plies")] {
            let narrow: &[&str] = if form == "gif" { &["--size", "64"] } else { &[] };
            let call = [&["draw", "-", "--to", form, "--lang", lang], narrow].concat();
            let refused = run_with(&call, text.as_bytes());
            assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{form}");
            assert!(refused.stderr.contains(said) && refused.stderr.contains(&most.to_string()), "{refused:?}");
        }
    }
    // One board of it can be had.
    assert_eq!(run_with(&["draw", "-"], text.as_bytes()).status, Some(0));
}

/// An existing file stays as it is until the new picture is whole.
#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.svg");
    fs::write(&path, "before").expect("it is written");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(run(&["draw", CUP, "--ply", "9999", "-o", path]).status, Some(2));
    assert_eq!(fs::read_to_string(path).expect("it is there"), "before");
    assert_eq!(run(&["draw", CUP, "-o", path]).status, Some(0));
    assert!(fs::read_to_string(path).expect("it is there").starts_with("<svg "));
    let nowhere = folder.path().join("no/such/folder/a.svg");
    let failed = run(&["draw", CUP, "-o", nowhere.to_str().expect("UTF-8"), "--lang", "en"]);
    assert_eq!(failed.status, Some(3));
    assert!(failed.stderr.contains("cannot write"), "{failed:?}");
}

#[test]
fn scoresheets() {
    each_game(|id, game| {
        let game = games::find(game.notation().id).expect("a game");
        for lang in Lang::ALL {
            let call = ["sheet", id, "--lang", lang.as_str()];
            assert!(drawn(&call) == pictures::sheet_pdf(game, 1, lang), "{id}");
            assert!(
                drawn(&[&call[..], &["--to", "svg"]].concat()) == pictures::sheet_svg(game, 1, lang).into_bytes(),
                "{id}"
            );
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hoja.svg");
        drawn(&["sheet", id, "-o", path.to_str().expect("UTF-8")]);
        assert_eq!(fs::read_to_string(path).expect("it is written"), pictures::sheet_svg(game, 1, Lang::Es));
    });
}
