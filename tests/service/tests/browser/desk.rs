//! The desk itself: pieces drawn on their buttons, a piece on its way, the names of the sides, the endings by kind, and the
//! clocks after a move is taken back.

use serde_json::{Value, json};

use quipu_options::Scope;

use super::score::{Keeper, moves};

#[test]
fn the_pieces_beside_the_board_are_drawn_and_named() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    let buttons = "return [...document.querySelectorAll('#beside button')].map(one =>
        [one.textContent, one.title, one.querySelector('img').naturalWidth > 0])";
    keeper.begin("andes", &[]);
    browser.wait_for("return [...document.querySelectorAll('#beside img')].every(one => one.complete)");
    let expected = [["persona", "0"], ["estatal to the left", "1"], ["militar", "2"], ["estatal to the right", "3"]];
    let expected: Vec<_> =
        expected.map(|[word, digit]| json!([word, format!("In the notation: {digit}"), true])).into();
    assert_eq!(browser.run(buttons), json!(expected));
    // On a large screen too they are in sight together with the board.
    browser.screen(1280, 900, false, "light");
    browser.run("scrollTo(0, 0)");
    let bottom = browser.run("return document.getElementById('beside').getBoundingClientRect().bottom <= innerHeight");
    assert_eq!(bottom, true);
    keeper.begin("pastores", &[]);
    browser.wait_for("return [...document.querySelectorAll('#beside img')].every(one => one.complete)");
    let expected = json!([["guerrero", "In the notation: G", true], ["pastor", "In the notation: P", true]]);
    assert_eq!(browser.run(buttons), expected);
    // A square says what stands on it.
    keeper.touch("P");
    keeper.touch("A3");
    keeper.plies(1);
    assert_eq!(browser.run("return document.querySelector('[data-name=A3]').title"), "A3, pastor · Norte");
}

/// A chain of Querni: the piece is seen where it was touched last, and fades where it stood.
#[test]
fn a_piece_is_seen_on_its_way() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    keeper.begin("querni", &[("seed", "7")]);
    let record = browser.run("return JSON.parse(localStorage.getItem(`quipu.game.${location.hash.slice(1)}`))");
    let list = record["desk"]["moves"]["list"].as_array().expect("a list");
    let cells = record["desk"]["board"]["cells"].as_array().expect("a list");
    let is_free = |tap: &Value| cells.iter().any(|cell| cell["name"] == *tap && cell["label"] == *tap);
    // Moves that remove nothing: all squares after the first are free.
    let moves = list.iter().filter_map(|one| one["taps"].as_array()).filter(|taps| taps[1..].iter().all(is_free));
    let jumps = moves.max_by_key(|taps| taps.len()).expect("a move");
    assert!(jumps.len() > 2, "{jumps:?}");
    let drawn = "return [document.querySelectorAll('#moving image').length,
        document.querySelector('#moving polyline')?.points.length ?? 0]";
    for (count, tap) in jumps[..jumps.len() - 1].iter().enumerate() {
        keeper.touch(tap.as_str().expect("a name"));
        let expected = if count == 0 { json!([0, 0]) } else { json!([1, count + 1]) };
        assert_eq!(browser.run(drawn), expected, "{jumps:?}");
    }
    // It stands on the square that was touched last.
    let away = browser.run(
        "const [circle, square] = [document.querySelector('#moving clipPath circle'), [...document.querySelectorAll('#cells [aria-pressed=true]')]];
         const box = document.getElementById('moving').getBoundingClientRect();
         const scale = box.width / document.getElementById('moving').viewBox.baseVal.width;
         const at = [box.left + circle.cx.baseVal.value * scale, box.top + circle.cy.baseVal.value * scale];
         return square.map(one => one.getBoundingClientRect()).some(({ left, right, top, bottom }) =>
           Math.abs((left + right) / 2 - at[0]) < 2 && Math.abs((top + bottom) / 2 - at[1]) < 2)",
    );
    assert_eq!(away, true);
    keeper.press("Cancel");
    assert_eq!(browser.run(drawn), json!([0, 0]));
}

#[test]
fn the_sides_have_one_name_in_each_language() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    keeper.begin("brandubh", &[("negros", "Ana")]);
    let address = browser.address();
    for (lang, [black, red], prompt) in [
        ("en", ["Black", "Red"], "Black to move: tap a piece."),
        ("es", ["Negros", "Rojos"], "Turno de Negros: toque una pieza."),
    ] {
        browser.open(&address.replace("lang=en", &format!("lang={lang}")));
        browser.wait_for(&format!("return document.getElementById('now').textContent === {}", json!(prompt)));
        let seats = "return [...document.querySelectorAll('.seat .name')].map(one => one.textContent)";
        assert_eq!(browser.run(seats), json!([format!("{black} · Ana"), red]));
        browser.run("document.getElementById('ending').click()");
        let ways = browser.run("return document.getElementById('ways').textContent");
        let ways = ways.as_str().expect("a text");
        let other = if lang == "en" { "Negros" } else { "Black" };
        assert!(ways.contains(black) && ways.contains(red) && !ways.contains(other), "{ways}");
        browser.run("document.getElementById('ending').click()");
    }
}

#[test]
fn endings_are_grouped_by_their_kind() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    keeper.begin("andes", &[]);
    keeper.touch("0");
    keeper.touch("d3");
    keeper.plies(1);
    keeper.press("End the game…");
    let groups = browser.run(
        "return [...document.querySelectorAll('#ways [role=group]')].map(group =>
           [document.getElementById(group.getAttribute('aria-labelledby')).textContent,
            [...group.querySelectorAll('button')].map(one => one.textContent)])",
    );
    let won = json!(["Sol wins · 1-0", "Luna wins · 0-1"]);
    assert_eq!(groups[0], json!(["Resignation", won]));
    assert_eq!(groups[1], json!(["Loss on time", won]));
    assert_eq!(groups[2], json!(["Draw by agreement", ["Draw · 1/2-1/2"]]));
    assert_eq!([&groups[3][0], &groups[3][1][0]], ["Other ending", "Sol · 1-0 · the decision of the arbiter"]);
    assert_eq!(groups[3][1].as_array().map(Vec::len), Some(6));
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    // None of the controls is as loud as the end of a game is.
    let color = "return ['clock', 'undo', 'flip', 'ending'].map(id => getComputedStyle(document.getElementById(id)).borderTopColor)";
    let colors = browser.run(color);
    let colors = colors.as_array().expect("a list");
    assert!(colors[0] == colors[1] && colors[1] == colors[2] && colors[2] != colors[3], "{colors:?}");
}

#[test]
fn both_clocks_stand_where_they_stood_after_an_undo() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    keeper.begin("andes", &[]);
    let game =
        || -> Value { browser.run("return JSON.parse(localStorage.getItem(`quipu.game.${location.hash.slice(1)}`))") };
    let left = |side: usize| game()["clock"]["left"][side].as_f64().expect("a number");
    keeper.press("Start the clock");
    for (ply, taps) in (0..).zip([["0", "d3"], ["2", "g3"], ["0", "a1"]]) {
        keeper.touch(taps[0]);
        keeper.touch(taps[1]);
        keeper.plies(ply + 1);
    }
    // The clock of the side to move runs; each ply that is taken back gives both their times again.
    for count in [2, 1, 0] {
        let before = game();
        keeper.press("Undo the last move");
        keeper.plies(count);
        let (mover, other) = (count % 2, 1 - count % 2);
        let written = before["record"]["moves"][count]["clock_ms"].as_f64().expect("a clock");
        let earlier = (0..count).rev().find(|ply| ply % 2 == other);
        let stood =
            earlier.map_or(720_000.0, |ply| before["record"]["moves"][ply]["clock_ms"].as_f64().expect("a clock"));
        assert_eq!(game()["clock"]["side"], json!(mover), "it runs on");
        assert!(left(mover) <= written, "{} after {written}", left(mover));
        assert!((left(other) - stood).abs() < 0.5, "{} and not {stood}", left(other));
    }
}

/// The game of this device, as it is stored on it.
fn game(keeper: &Keeper) -> Value {
    keeper.browser.run("return JSON.parse(localStorage.getItem(`quipu.game.${location.hash.slice(1)}`))")
}

/// The room may have a clock of its own, so a clock that was stopped writes nothing.
#[test]
fn only_plies_during_which_a_clock_ran_have_a_time() {
    let keeper = Keeper::new();
    keeper.begin("andes", &[]);
    keeper.press("Start the clock");
    let play = |ply: usize, taps: [&str; 2]| {
        for tap in &taps {
            keeper.touch(tap);
        }
        keeper.plies(ply);
    };
    play(1, ["0", "d3"]);
    keeper.press("Stop the clock");
    play(2, ["2", "g3"]);
    play(3, ["0", "a1"]);
    keeper.press("Start the clock");
    play(4, ["0", "a0"]);
    let game = game(&keeper);
    let moves = game["record"]["moves"].as_array().expect("a list");
    let timed: Vec<_> = moves.iter().map(|ply| ply["clock_ms"].is_number()).collect();
    // The second side's clock had begun to run when both were stopped.
    assert_eq!(timed, [true, true, false, true], "{moves:?}");
}

#[test]
fn a_clock_goes_on_when_the_move_that_ended_the_game_is_undone() {
    let (tokens, _) = moves("andes/games.quipu", 22);
    let keeper = Keeper::new();
    keeper.begin("andes", &[]);
    keeper.press("Start the clock");
    let mut record = "[Game \"andes\"]\n\n".to_owned();
    for (index, token) in tokens.iter().enumerate() {
        keeper.taps(&format!("{record}*\n"), token).iter().for_each(|tap| keeper.touch(tap));
        keeper.plies(index + 1);
        record.push_str(&format!("{token} "));
    }
    keeper.says("#ended", "The game is over");
    assert_eq!(game(&keeper)["clock"]["side"], Value::Null, "the clocks stand still");
    keeper.press("Undo the last move");
    keeper.plies(tokens.len() - 1);
    assert_eq!(game(&keeper)["clock"]["side"], json!((tokens.len() - 1) % 2), "the clock of the side to move runs");
}

/// The times of a game that has ended change no more, from whichever side its board is seen.
#[test]
fn a_board_seen_from_the_other_side_is_no_change() {
    let (tokens, _) = moves("andes/games.quipu", 22);
    let keeper = Keeper::new();
    let token = keeper.server.token(Scope::RecordsWrite);
    let text = format!("[Game \"andes\"]\n[TimeControl \"720\"]\n[Result \"*\"]\n\n{}\n*\n", tokens.join(" "));
    let ask = |method, path| keeper.server.ask(method, path).token(&token).body("text/plain", text.clone());
    assert_eq!(ask("POST", "/v1/live").send().status, 201);
    let timed = ask("PUT", "/v1/live/1?clock_one=600000&clock_two=500000").header("If-Match", "*");
    assert_eq!(timed.send().status, 200);
    keeper.browser.open(&keeper.at("/keep/desk?lang=en#live-1"));
    keeper.says("#ended", "The game is over");
    keeper.saved();
    let is_save = |url: &String| url.contains("/v1/live/1?");
    assert!(keeper.browser.requests().iter().any(is_save), "the result is saved");
    let picture = "return document.getElementById('picture').src";
    let before = keeper.browser.run(picture);
    keeper.browser.click("#flip");
    keeper.browser.wait_for(&format!("{picture} !== {before}"));
    assert!(!keeper.browser.requests().iter().any(is_save), "nothing is saved");
}
