//! Whole games: GIF, and the page that steps through one.

use base64::{Engine, engine::general_purpose::STANDARD};
use quipu_notation::record::write::OutputFormat;
use quipu_pictures::{self as pictures, Look, MOST_FRAMES, MOST_PLIES, MOST_POINTS, MOVING_WIDTHS, Refused, Theme};
use quipu_referee::{Lang, games, messages::catalog, replay::Replay};
use serde_json::Value;
use sha2::{Digest, Sha256};

use quipu_tests_service::bytes;

use super::{games_of, record};

/// The frames of a GIF, each as the whole picture after it, and how long they are shown in hundredths of a second.
fn frames(gif: &[u8]) -> (u16, u16, Vec<(Vec<u8>, u16)>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(gif).expect("a GIF");
    let (width, height) = (decoder.width(), decoder.height());
    let mut canvas = vec![0; usize::from(width) * usize::from(height)];
    let mut all = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        assert_eq!(frame.dispose, gif::DisposalMethod::Keep);
        let wide = usize::from(frame.width);
        for (row, points) in frame.buffer.chunks(wide).enumerate() {
            let start = (usize::from(frame.top) + row) * usize::from(width) + usize::from(frame.left);
            for (place, point) in canvas[start..start + wide].iter_mut().zip(points) {
                if Some(*point) != frame.transparent {
                    *place = *point;
                }
            }
        }
        all.push((canvas.clone(), frame.delay));
    }
    (width, height, all)
}

fn look() -> Look {
    Look { width: 120, ..Look::new(Lang::Es) }
}

#[test]
fn a_gif_has_a_frame_for_every_position() {
    for &game in games::ALL {
        let text = &games_of(game)[0];
        record(text, |record| {
            let gif = pictures::gif(record, &look()).expect("it can be replayed").expect("it is short");
            let (width, height, frames) = frames(&gif);
            assert_eq!(frames.len(), record.movetext.plies.len() + 1, "{}", game.notation().id);
            assert_eq!(width, 120);
            // Below the board there is room for the move.
            assert!(height > 60);
            let shown: Vec<_> = frames.iter().map(|(_, delay)| *delay).collect();
            assert!(shown[..shown.len() - 1].iter().all(|delay| *delay == 100) && shown.last() == Some(&400));
            for pair in frames.windows(2) {
                assert!(pair[0].0 != pair[1].0, "something changes with every ply");
            }
            assert_eq!(pictures::gif(record, &look()), Some(Ok(gif)), "the same bytes again");
        });
    }
}

/// A game of Brandubh in which the pieces only go to and fro, so long.
fn long(plies: usize) -> String {
    let tokens = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(plies);
    format!("[Game \"brandubh\"]\n\n{} *\n", tokens.copied().collect::<Vec<_>>().join(" "))
}

#[test]
fn games_that_are_too_long_are_refused() {
    let tiny = Look { width: *MOVING_WIDTHS.start(), ..look() };
    record(&long(MOST_FRAMES), |record| {
        let gif = pictures::gif(record, &tiny).expect("it can be replayed").expect("exactly the most");
        assert_eq!(frames(&gif).2.len(), MOST_FRAMES + 1);
        assert!(gif.len() < 4 * 1024 * 1024, "{} bytes", gif.len());
    });
    record(&long(MOST_FRAMES + 1), |record| {
        assert_eq!(pictures::gif(record, &tiny), Some(Err(Refused::Plies { most: MOST_FRAMES })));
    });
    // A wide one holds fewer.
    let wide = Look { width: *MOVING_WIDTHS.end(), ..look() };
    let most = usize::try_from(MOST_POINTS / u64::from(wide.width).pow(2)).expect("it is small");
    record(&long(most), |record| assert!(pictures::gif(record, &wide).is_some_and(|gif| gif.is_ok())));
    record(&long(most + 1), |record| {
        assert_eq!(pictures::gif(record, &wide), Some(Err(Refused::Plies { most })));
    });
    record(&long(MOST_PLIES), |record| {
        let page = pictures::html(record, &tiny).expect("it can be replayed").expect("exactly the most");
        assert!(page.len() < 8 * 1024 * 1024, "{} bytes", page.len());
    });
    record(&long(MOST_PLIES + 1), |record| {
        assert_eq!(pictures::html(record, &tiny), Some(Err(Refused::Plies { most: MOST_PLIES })));
    });
}

#[test]
fn gifs_have_their_own_widths() {
    record(&games_of(games::ALL[0])[0], |record| {
        let (least, most) = MOVING_WIDTHS.into_inner();
        for found in [least - 1, most + 1] {
            let refused = Refused::Width { least, most, found };
            assert_eq!(pictures::gif(record, &Look { width: found, ..look() }), Some(Err(refused)));
            for lang in Lang::ALL {
                let said = refused.message(lang);
                assert!(said.contains(&found.to_string()) && said.contains(&most.to_string()), "{said}");
            }
        }
    });
}

#[test]
fn where_there_is_nothing_to_replay_on_there_is_no_picture() {
    for text in ["[Game \"damas\"]\n\n1. e4 *\n", "[Game \"querni\"]\n\n*\n", "1. e4 *\n"] {
        record(text, |record| {
            assert!(pictures::gif(record, &look()).is_none() && pictures::html(record, &look()).is_none(), "{text}");
        });
    }
}

/// A page, and what its script is told of each ply.
fn page(text: &str, look: &Look) -> (String, Vec<Value>) {
    let page = record(text, |record| pictures::html(record, look).expect("it can be replayed").expect("it is short"));
    let (_, data) = page.split_once("type=\"application/json\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("an end");
    let data = serde_json::from_str(data).expect("JSON");
    (page, data)
}

#[test]
fn a_page_has_every_position_and_every_move() {
    for &game in games::ALL {
        let text = &games_of(game)[0];
        for lang in Lang::ALL {
            let (page, told) = page(text, &Look::new(lang));
            let mut headings = Vec::new();
            record(text, |record| {
                let mut replay = Replay::of(record).expect("it can be replayed");
                while let Some(played) = replay.play() {
                    let side = catalog().word(replay.game().side_words()[played.side.index()], lang);
                    headings.push(format!("{}. {side} {}", played.ply, played.token));
                }
            });
            assert_eq!(told.len(), headings.len() + 1);
            for (told, heading) in told[1..].iter().zip(&headings) {
                assert!(told["heading"].as_str().expect("a text").starts_with(heading), "{told}");
            }
            assert_eq!(page.matches("<g data-ply=").count(), told.len());
            assert_eq!(page.matches("display=\"none\"").count(), told.len() - 1, "one is shown without scripts");
            let [start, keys] = match lang {
                Lang::Es => ["Posición inicial", "Teclas:"],
                Lang::En => ["Start position", "Keys:"],
            };
            assert_eq!(told[0]["heading"], start);
            assert!(page.contains(keys) && page.contains(&format!("<html lang=\"{}\">", lang.as_str())));
        }
    }
}

/// Nothing that a browser would load: no address anywhere but the name of SVG.
#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for theme in Theme::ALL {
        let (page, _) = page(&games_of(games::ALL[0])[0], &Look { theme, ..Look::new(Lang::En) });
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        for foreign in
            ["http:", "https:", "src=", "@import", "url(", "<link", "<iframe", "fetch(", "XMLHttpRequest", "//cdn"]
        {
            assert!(!rest.contains(foreign), "{foreign}");
        }
        let policy = pictures::html_policy(theme);
        assert!(page.contains(&policy.replace('\'', "&#39;")) || page.contains(policy), "{policy}");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
}

/// The policy lets what is in the page run, and nothing else: its hashes are those of the style and of the script.
#[test]
fn the_policy_knows_its_page() {
    for theme in Theme::ALL {
        let (page, _) = page(&games_of(games::ALL[0])[0], &Look { theme, ..Look::new(Lang::Es) });
        let policy = pictures::html_policy(theme);
        for (open, close, directive) in [("<style>", "</style>", "style-src"), ("<script>", "</script>", "script-src")]
        {
            let parts: Vec<_> = page.split(open).skip(1).collect();
            assert_eq!(parts.len(), 1, "{open}");
            let (text, _) = parts[0].split_once(close).expect("an end");
            let expected = format!("{directive} 'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
            assert!(policy.contains(&expected), "{policy}: {expected}");
        }
    }
}

#[test]
fn names_cannot_break_out_of_a_page() {
    let name = "</script><script>alert(1)</script> & \\\" <b>";
    let text = format!("[Game \"andes\"]\n[Event \"{name}\"]\n[Sol \"{name}\"]\n\n1. 0d3 *\n");
    let (page, _) = page(&text, &Look::new(Lang::Es));
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;"), "{page}");
}

/// A record in any form comes to the same pictures.
#[test]
fn the_form_of_a_record_does_not_show() {
    let text = &games_of(games::ALL[0])[0];
    let json = record(text, |record| OutputFormat::Json.write(record).0);
    assert_eq!(page(text, &look()).0, page(&json, &look()).0);
}

/// Colours that are drawn with are in the palette, however few points have them: the cross on what was taken.
#[test]
fn marks_keep_their_colours() {
    const TAKEN: [u8; 3] = [196, 30, 58];
    for &game in games::ALL {
        let captures = |text: &&String| {
            record(text, |record| {
                let mut replay = Replay::of(record).expect("it can be replayed");
                let taken =
                    |replay: &Replay<'_>| replay.board().drawing().cells.iter().any(|cell| cell.taken.is_some());
                std::iter::from_fn(|| replay.play().map(|_| taken(&replay))).any(|taken| taken)
            })
        };
        let games = games_of(game);
        let text = games.iter().find(captures).expect("something is taken");
        let gif = record(text, |record| pictures::gif(record, &look()).expect("a game").expect("it is short"));
        let decoder = gif::DecodeOptions::new().read_info(&gif[..]).expect("a GIF");
        let palette = decoder.global_palette().expect("colours");
        assert!(palette.chunks(3).any(|color| color == TAKEN), "{}", game.notation().id);
    }
}

/// A caption gives the facts that the last board does not show.
#[test]
fn the_end_is_told() {
    let resigned = String::from_utf8(bytes("brandubh/replay-resigned.quipu")).expect("text");
    let refused = "[Game \"brandubh\"]\n\nd3-c3 d1-c1 d1-d7 *\n";
    for (text, lang, said) in [
        (&*resigned, Lang::Es, " por la rendición"),
        (&*resigned, Lang::En, " by the resignation"),
        (refused, Lang::Es, "registro rechazado: brandubh."),
        (refused, Lang::En, "record rejected: brandubh."),
    ] {
        let (_, told) = page(text, &Look::new(lang));
        let heading = |told: &Value| told["heading"].as_str().expect("a text").to_owned();
        let last = heading(told.last().expect("one"));
        assert!(last.contains(said), "{last}");
        assert!(told[..told.len() - 1].iter().all(|told| !heading(told).contains(said)));
    }
}

/// Every position of a page is there in words too.
#[test]
fn every_position_of_a_page_is_described() {
    let (page, told) = page(&games_of(games::ALL[0])[0], &Look::new(Lang::Es));
    let positions: Vec<_> = told.iter().map(|told| told["position"].as_str().expect("a text")).collect();
    assert!(positions.windows(2).all(|pair| pair[0] != pair[1]), "each is another");
    assert!(page.contains(&format!(">{}</desc>", positions[positions.len() - 1])));
}

/// A page contains no characters that turn the direction of a text or control a terminal.
#[test]
fn pages_have_signs_only() {
    let text = "[Game \"andes\"]\n[Event \"a\u{1b}[31mb\u{202e}c\"]\n[Sol \"x\u{7}\u{2066}y\"]\n\n1. 0d3 *\n";
    for title in [None, Some("t\u{1b}\u{202e}u".to_owned())] {
        let (page, _) = page(text, &Look { title, ..Look::new(Lang::Es) });
        assert!(!page.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{2066}']), "{page}");
    }
}
