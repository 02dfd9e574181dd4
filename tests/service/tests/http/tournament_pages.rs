//! The pages of tournaments: a small cup with the forms of the organiser, the forms that are refused, and what the public sees.

use quipu_options::Scope;
use serde_json::json;

use super::{
    organiser::{FORM, Form, NAMES, Organiser},
    pages::{attributes, between, check, open},
    tournaments::won,
};

/// The changes that a page of the history undoes, in their order on the page.
fn buttons(page: &str) -> Vec<u64> {
    let values = attributes(page, "value");
    values.iter().filter_map(|value| value.strip_prefix("undo ")?.parse().ok()).collect()
}

/// The fields of the result of a game on board 1, whose players are 1 and 3.
fn result<'f>(before: &'f str, outcome: &'f str) -> [(&'f str, &'f str); 4] {
    [("do", "save"), ("players-1", "1-3"), ("before-1-1", before), ("result-1-1", outcome)]
}

#[test]
fn a_cup_with_forms_alone() {
    let cup = Organiser::with_players();
    let plan = cup.send("/organise", &[("do", "pair-check"), ("round", "1")]);
    check("a preview", &plan, 200, "en");
    assert!(plan.text().contains("not confirmed") && plan.text().contains("Rosa Quispe: number 1, score 0"));
    cup.pair(&[]);
    let first = cup.page("/rounds/1");
    let sides = attributes(&first, "href");
    assert!(sides.iter().any(|href| href.ends_with("/players/3")), "{first}");
    // The lot decides the sides of board 1.
    let results = cup.page("/rounds/1/results");
    let players = |board: usize| {
        let hidden = format!("name=\"players-{board}\" value=\"");
        between(&results, &hidden, "\"").to_owned()
    };
    let (one, two) = (players(1), players(2));
    let fields = [
        ("do", "close"),
        ("players-1", one.as_str()),
        ("before-1-1", ""),
        ("result-1-1", "0"),
        ("players-2", two.as_str()),
        ("before-2-1", ""),
        ("result-2-1", "2"),
    ];
    let closed = cup.done("/rounds/1/results", &fields);
    assert!(closed.contains("The round is closed."), "{closed}");
    let standings = cup.page("/standings");
    assert!(standings.contains("Buchholz") && standings.contains("after round 1"), "{standings}");
    let winner = one.split('-').next().expect("a player");
    assert!(standings.contains(&format!("{}/players/{winner}?round=1#games", cup.path)), "{standings}");
    // Each figure leads to its parts.
    for link in
        attributes(&standings, "href").into_iter().filter(|href| href.contains("/players/") && href.contains('#'))
    {
        let (path, fragment) = link.split_once('#').expect("a fragment");
        let card = open(&cup.server, path, "en");
        assert!(attributes(card.text(), "id").contains(&fragment.to_owned()), "{link}");
    }
    let csv = open(&cup.server, &format!("{}/standings.csv?round=1", cup.path), "en");
    assert!(csv.header("content-type").starts_with("text/csv") && csv.text().lines().count() == 5, "{}", csv.text());
    assert!(cup.page("/rounds/1/pairing").contains("the number of the higher ranked player decides"));
    let sheets = cup.server.get(&format!("{}/rounds/1/sheets.pdf", cup.path));
    assert!(sheets.status == 200 && sheets.header("content-type") == "application/pdf");
    let round = cup.page("/rounds/1");
    for (page, links, media, start) in [
        (&standings, 2, "application/", &b""[..]),
        (&cup.page(""), 2, "application/", b""),
        (&round, 2, "application/pdf", b"%PDF"),
    ] {
        let files: Vec<_> =
            attributes(page, "href").into_iter().filter(|href| href.starts_with("/v1/tournaments/")).collect();
        assert_eq!(files.len(), links, "{files:?}");
        for file in files {
            let file = cup.server.get(&file.replace("&amp;", "&"));
            assert!(file.status == 200 && file.header("content-type").starts_with(media), "{file:?}");
            assert!(file.body.starts_with(start), "{file:?}");
        }
    }
    let screen = open(&cup.server, &format!("{}/screen", cup.path), "en");
    assert_eq!((screen.status, screen.header("refresh")), (200, "30"));
    let missing = open(&cup.server, "/tournaments/999/screen", "en");
    assert_eq!((missing.status, missing.header("refresh")), (404, "30"));
    assert!(open(&cup.server, "/tournaments", "en").text().contains("Copa"));
    assert!(open(&cup.server, "/events", "en").text().contains("/tournaments"));
}

#[test]
fn records_replace_results_and_say_why_they_do_not_fit() {
    let cup = Organiser::paired();
    let results = cup.page("/rounds/1/results");
    let players = between(&results, "name=\"players-1\" value=\"", "\"").to_owned();
    let names = players.split('-').map(|id| NAMES.lines().nth(id.parse::<usize>().expect("a number") - 1).expect("it"));
    let names: Vec<_> = names.map(|line| line.split(';').next().expect("a name")).collect();
    let id = &cup.server.keep(won(1, [names[0], names[1]]).as_bytes())[0];
    let id = quipu_referee::report::hex(id);
    cup.server.keep(won(1, [names[0], "Eva Paz"]).as_bytes());
    let round = cup.page("/rounds/1");
    assert!(round.contains(&format!("<a href=\"/records/{id}\"><span class=\"result\">1–0</span></a>")), "{round}");
    assert!(cup.page("").contains("“Eva Paz” is not in the tournament."));
    // A game with a record has no field.
    let results = cup.page("/rounds/1/results");
    assert!(!results.contains("name=\"result-1-1\"") && results.contains("name=\"result-2-1\""), "{results}");
    let card = cup.page(&format!("/players/{}", players.split('-').next().expect("one")));
    assert!(card.contains(&format!("/records/{id}")) && card.contains("Best possible place: 1"), "{card}");
}

#[test]
fn lists_of_names_lose_nothing() {
    let cup = Organiser::new();
    let broken = "Ana;x\nLuis\n";
    let page = cup.send("/organise", &[("do", "names-check"), ("names", broken)]);
    assert!(page.text().contains("Line 1: the rating cannot be read: “x”."), "{}", page.text());
    let page = cup.send_with_token("/organise", &[("do", "names"), ("names", broken)]);
    assert!(page.text().contains("\nAna;x\nLuis\n</textarea>"), "{}", page.text());
    assert!(cup.page("").contains("Nobody is on the list yet."));
    // The same list twice, as after a lost connection.
    for expected in ["Entered: 4. Already there: 0.", "To be entered: 0. Already there: 4."] {
        let page = cup.done("/organise", &[("do", "names"), ("names", NAMES)]);
        assert!(page.contains(expected), "{page}");
    }
    let page = cup.done("/organise", &[("do", "presence"), ("player", "4"), ("step", "absent-half"), ("from", "1")]);
    assert!(page.contains("Saved."), "{page}");
    assert!(cup.page("").contains("absent in round 1 (½)"));
}

#[test]
fn a_list_is_checked_for_all_that_would_refuse_it() {
    let cup = Organiser::new();
    let checked = |names: &str| cup.send("/organise", &[("do", "names-check"), ("names", names)]).text().to_owned();
    assert!(checked(&"A".repeat(201)).contains("the name has 201 characters. At most 200 are allowed."));
    let page = checked("Rosa Quispe, 2000\nQuispe, Luis; 1900\n");
    assert!(page.contains("which stays in the name. A rating follows a semicolon: Rosa Quispe, 2000</p>"), "{page}");
    let page = open(&cup.server, "/tournaments/new", "en");
    assert!(page.text().contains("maxlength=\"200\""), "{}", page.text());
}

/// A button takes its own fields; the others stay for the next one.
#[test]
fn fields_of_other_buttons_stay() {
    let cup = Organiser::with_players();
    let absent =
        [("player", "4"), ("step", "absent-half"), ("from", "2"), ("names", "Eva Paz"), ("reason", "a wedding")];
    let absent = cup.open("/organise").with(&absent).press("presence");
    let refused = absent.send_without_token();
    let page = refused.text();
    assert!(page.contains("\nEva Paz</textarea>") && page.contains("value=\"a wedding\""), "{page}");
    assert_eq!(cup.form(page).value("from"), "2");
    let page = absent.done();
    assert!(page.contains("\nEva Paz</textarea>") && !page.contains("value=\"a wedding\""), "{page}");
    assert_eq!((cup.form(&page).value("player"), cup.form(&page).value("from")), ("", "1"));
}

#[test]
fn forms_that_are_refused() {
    let cup = Organiser::with_players();
    let pair = [("do", "pair"), ("round", "1")];
    assert!(Organiser::refused(&cup.send("/organise", &pair), 401).contains("Type your token"));
    let wrong = [&[("token", "wrong")], &pair[..]].concat();
    assert!(Organiser::refused(&cup.send("/organise", &wrong), 401).contains("not valid"));
    let reader = cup.server.token(Scope::RecordsWrite);
    let little = [&[("token", reader.as_str())], &pair[..]].concat();
    assert!(Organiser::refused(&cup.send("/organise", &little), 403).contains("The scope “events:admin” is required"));
    cup.pair(&[]);
    // A round is not paired twice.
    let again = cup.send_with_token("/organise", &pair);
    assert!(Organiser::refused(&again, 409).contains("Round 1 is already paired"));
    let unpair = cup.open("/organise").press("unpair").send();
    assert!(Organiser::refused(&unpair, 409).contains("needs a reason"));
    let close = cup.open("/organise").press("close").send();
    assert!(Organiser::refused(&close, 409).contains("Results are missing in round 1: boards 1, 2."));
    let nobody = cup.send_with_token("/tournaments/new", &[("name", "Copa")]);
    assert!(Organiser::refused(&nobody, 409).contains("A field is missing"));
    // A form says which button was pressed.
    for path in ["/organise", "/rounds/1/results"] {
        for form in [cup.open(path), cup.open(path).press("x")] {
            assert!(Organiser::refused(&form.send(), 409).contains("Press one of the buttons"), "{path}");
        }
    }
    let missing = cup.send_with_token("/tournaments/999/organise", &pair);
    assert_eq!(missing.status, 404);
    // Programs get the problem.
    let program =
        cup.server.ask("POST", &format!("{}/organise", cup.path)).header("Accept", "application/json, text/html;q=0.1");
    let program = program.body(FORM, "do=close").send();
    program.problem(401, "api.token");
}

/// An organiser with an old page overwrites nothing, and hears of it.
#[test]
fn two_organisers_at_once() {
    let cup = Organiser::paired();
    let players = between(&cup.page("/rounds/1/results"), "name=\"players-1\" value=\"", "\"").to_owned();
    let fields = |before, outcome| {
        let mut fields = result(before, outcome);
        fields[1].1 = &players;
        fields
    };
    let saved = cup.done("/rounds/1/results", &fields("", "0"));
    assert!(saved.contains("Saved."), "{saved}");
    // The same again, as after a lost connection.
    assert!(cup.done("/rounds/1/results", &fields("", "0")).contains("nothing new"));
    let late = cup.send_with_token("/rounds/1/results", &fields("", "1"));
    assert!(Organiser::refused(&late, 200).contains("meanwhile: board 1."), "{}", late.text());
    // A board that was paired again.
    let others = cup.send_with_token(
        "/rounds/1/results",
        &[("do", "save"), ("players-1", "1-2"), ("before-1-1", ""), ("result-1-1", "1")],
    );
    assert!(Organiser::refused(&others, 200).contains("meanwhile: board 1."), "{}", others.text());
    // To take a result back is a change with a reason.
    let clear = cup.send_with_token("/rounds/1/results", &fields("0", ""));
    assert!(Organiser::refused(&clear, 409).contains("needs a reason"));
    let cleared = cup.done("/rounds/1/results", &[&fields("0", "")[..], &[("reason", "wrong board")]].concat());
    assert!(cleared.contains("Saved."), "{cleared}");
}

/// A refused form is sent again as it is on the page of the refusal, and still overwrites nothing.
#[test]
fn a_refused_form_still_says_what_it_saw() {
    let cup = Organiser::paired();
    let mine = cup.open("/rounds/1/results").with(&[("result-1-1", "0")]).press("save");
    cup.open("/rounds/1/results").with(&[("result-1-1", "1"), ("result-2-1", "2")]).press("save").done();
    let refused = mine.send_without_token();
    assert!(Organiser::refused(&refused, 401).contains("Type your token"));
    let again = cup.form(refused.text());
    assert_eq!(again.value("result-1-1"), "0", "it is not lost");
    let response = again.with(&[("reason", "x")]).press("save").send();
    assert!(Organiser::refused(&response, 200).contains("meanwhile: board 1."), "{}", response.text());
    // The page after it, and the archive, have the results of the other organiser.
    for form in [cup.form(response.text()), cup.open("/rounds/1/results")] {
        assert_eq!((form.value("result-1-1"), form.value("result-2-1")), ("1", "2"));
    }
}

/// Results for players who have left the board meanwhile are named, and not shown for others.
#[test]
fn results_for_other_players_are_left() {
    let cup = Organiser::paired();
    let mine = cup.open("/rounds/1/results").with(&[("result-1-1", "0")]).press("save");
    cup.open("/organise").with(&[("reason", "x")]).press("unpair").done();
    cup.pair(&[("by-hand", "1-2\n3-4")]);
    let refused = mine.send_without_token();
    assert!(refused.text().contains("meanwhile: board 1."), "{}", refused.text());
    let again = cup.form(refused.text());
    assert_eq!((again.value("players-1"), again.value("result-1-1")), ("1-2", ""));
    // To clear a result of other players is left too.
    let clear = [("players-1", mine.value("players-1")), ("before-1-1", "0"), ("result-1-1", ""), ("reason", "x")];
    let clear = mine.clone().with(&clear).send();
    assert!(Organiser::refused(&clear, 200).contains("meanwhile: board 1."), "{}", clear.text());
}

#[test]
fn a_round_is_not_closed_over_a_result_that_is_left() {
    let cup = Organiser::paired();
    let mine = cup.open("/rounds/1/results").with(&[("result-1-1", "0"), ("result-2-1", "0")]).press("close");
    cup.open("/rounds/1/results").with(&[("result-1-1", "1")]).press("save").done();
    let response = mine.send();
    let said = Organiser::refused(&response, 200);
    assert!(said.contains("meanwhile: board 1.") && said.contains("The round is still open."), "{said}");
    let form = cup.open("/rounds/1/results");
    assert_eq!((form.value("result-1-1"), form.value("result-2-1")), ("1", "0"));
    // The same form twice, as after a lost connection.
    let form = form.press("close");
    for _ in 0..2 {
        assert!(form.done().contains("The round is closed."));
    }
}

#[test]
fn points_are_those_of_both_players() {
    let cup = Organiser::of("two-legs").enter();
    cup.pair(&[]);
    let path = "/rounds/1/results";
    let points = |one, two, outcome| [("points1-1-1", one), ("points2-1-1", two), ("result-1-1", outcome)];
    let wrong = |one, two, outcome| {
        let response = cup.open(path).with(&points(one, two, outcome)).press("save").send();
        let said = Organiser::refused(&response, 409);
        assert!(said.contains("Board 1: points are written for both players"), "{one} {two} {outcome}: {said}");
        assert_eq!(cup.form(response.text()).value("points1-1-1"), one);
    };
    for (one, two) in [("31", ""), ("", "24"), ("31,5", "24"), ("-4", "24"), ("5000000000", "24")] {
        wrong(one, two, "0");
    }
    wrong("31", "24", "3");
    let old = cup.open(path);
    // The 14 pieces are worth at most 42 points.
    let response = cup.open(path).with(&points("31", "24", "0")).press("save").send();
    let said = Organiser::refused(&response, 409);
    assert!(said.contains("the points 31-24 add up to 55"), "{said}");
    assert_eq!(cup.form(response.text()).value("points2-1-1"), "24");
    assert!(cup.page(path).contains("max=\"42\""));
    cup.open(path).with(&points("22", "14", "0")).press("save").done();
    // Points that are there are not lost either.
    wrong("31,5", "24", "0");
    // Other points meanwhile, and points that were added meanwhile.
    let seen = cup.open(path);
    assert_eq!((seen.value("points1-1-1"), seen.value("points2-1-1")), ("22", "14"));
    cup.open(path).with(&points("28", "14", "0")).press("save").done();
    for mine in [seen.with(&points("21", "20", "0")), old.with(&points("21", "20", "0"))] {
        let response = mine.press("save").send();
        assert!(Organiser::refused(&response, 200).contains("meanwhile: board 1."), "{}", response.text());
        assert_eq!((cup.open(path).value("points1-1-1"), cup.open(path).value("points2-1-1")), ("28", "14"));
    }
    // A result without points takes them away.
    let cleared = points("28", "14", "");
    cup.open(path).with(&cleared).with(&[("reason", "x")]).press("save").done();
    assert_eq!(cup.open(path).value("points1-1-1"), "");
}

#[test]
fn corrections_have_reasons() {
    let cup = Organiser::paired();
    let page = cup.open("/organise").with(&[("reason", "Eva is late")]).press("unpair").done();
    assert!(page.contains("The pairing is taken back."), "{page}");
    let change = between(&page, "name=\"change\" value=\"", "\"").to_owned();
    let undo = [("do", "undo"), ("change", change.as_str()), ("reason", "Eva is here")];
    assert!(cup.done("/organise", &undo).contains("The change is undone."));
    assert!(cup.page("/rounds/1").contains("boards without a result: 2"));
    let again = cup.send_with_token("/organise", &undo);
    assert!(Organiser::refused(&again, 409).contains("changed meanwhile"));
    // By hand, against the rules only if it is asked for.
    cup.open("/organise").with(&[("reason", "x")]).press("unpair").done();
    let wrong = cup.send_with_token("/organise", &[("do", "pair"), ("round", "1"), ("by-hand", "1 and 2")]);
    assert!(Organiser::refused(&wrong, 409).contains("cannot be read"));
    cup.pair(&[("by-hand", "1-2\n3-4")]);
    assert!(cup.page("/rounds/1/pairing").contains("It was paired by hand"));
}

/// Buttons that take something back, or close a round, mean what the page showed.
#[test]
fn buttons_mean_what_the_page_showed() {
    let cup = Organiser::paired();
    let moved = |form: Form<'_>| {
        let response = form.with(&[("reason", "x")]).send();
        let said = Organiser::refused(&response, 409);
        assert!(said.contains("The tournament has changed meanwhile"), "{said}");
        response.text().to_owned()
    };
    let old = cup.open("/organise");
    let results = [("result-1-1", "0"), ("result-2-1", "0")];
    cup.open("/rounds/1/results").with(&results).press("save").done();
    // The results would be lost with the pairing.
    let page = moved(old.clone().press("unpair"));
    let changed = cup.form(&page).value("change").to_owned();
    assert!(
        page.contains(&format!("Last change: number {changed}, by ")) && page.contains("<time datetime="),
        "{page}"
    );
    // Without a reason the old form is refused, and means the same the next time.
    let refused = old.clone().press("undo").send();
    assert!(Organiser::refused(&refused, 409).contains("needs a reason"));
    let again = cup.form(refused.text());
    assert_eq!(again.value("change"), old.value("change"));
    moved(again.press("undo"));
    assert!(cup.page("/rounds/1").contains("open, all results are there"));
    // The round of the button is not the last one any more.
    let close = cup.open("/organise").press("close");
    cup.open("/rounds/1/results").press("close").done();
    let reopen = cup.open("/organise").press("reopen");
    cup.pair(&[]);
    cup.open("/rounds/2/results").with(&results).press("save").done();
    moved(close);
    assert!(cup.page("/rounds/2").contains("open, all results are there"));
    cup.open("/organise").press("close").done();
    let page = moved(reopen);
    assert_eq!(cup.form(&page).value("last"), "2");
    assert!(cup.page("/rounds/2").contains("closed"));
    let reopened = cup.form(&page).with(&[("reason", "x")]).press("reopen").done();
    assert!(reopened.contains("The round is open again."), "{reopened}");
}

#[test]
fn only_the_pairing_that_was_shown_is_made() {
    let cup = Organiser::with_players();
    let shown = cup.send("/organise", &[("do", "pair-check"), ("round", "1")]);
    cup.done("/organise", &[("do", "presence"), ("player", "1"), ("step", "withdraw"), ("from", "1")]);
    let other = cup.form(shown.text()).press("pair").send();
    assert!(Organiser::refused(&other, 409).contains("The tournament has changed meanwhile"));
    assert!(other.text().contains("not confirmed") && other.text().contains("bye of a player"), "{}", other.text());
    assert_eq!(open(&cup.server, &format!("{}/rounds/1", cup.path), "en").status, 404);
    assert!(cup.form(other.text()).press("pair").done().contains("The round is paired."));
}

/// Anybody may have a pairing shown, which is expensive.
#[test]
fn a_pairing_that_is_shown_counts_more() {
    let cup = Organiser::with("single", 60).enter();
    let shown = cup.send("/organise", &[("do", "pair-check")]);
    let left = shown.header("ratelimit").rsplit('=').next().and_then(|left| left.parse::<u32>().ok());
    assert!(left.is_some_and(|left| (30..45).contains(&left)), "{left:?}");
}

#[test]
fn boards_beyond_a_long_table_are_linked() {
    let cup = Organiser::new();
    let names: String = (1..=402).map(|number| format!("Jugador {number:03}\n")).collect();
    cup.done("/organise", &[("do", "names"), ("names", &names)]);
    let boards: String = (1..=201).map(|board| format!("{}-{}\n", 2 * board - 1, 2 * board)).collect();
    cup.pair(&[("by-hand", &boards)]);
    let first = cup.open("/rounds/1/results");
    let results: Vec<_> = (1..=50).map(|board| format!("result-{board}-1")).collect();
    let results: Vec<_> = results.iter().map(|name| (name.as_str(), "0")).collect();
    first.with(&results).press("save").done();
    let page = cup.page("/rounds/1");
    let links =
        |page: &str| attributes(page, "href").into_iter().filter(|href| href.contains("#board-")).collect::<Vec<_>>();
    assert!(links(&page).contains(&"#board-51".to_owned()), "{:?}", links(&page));
    let last = links(&page).pop().expect("a link");
    let (path, fragment) = last.split_once('#').expect("a fragment");
    assert_eq!(fragment, "board-201");
    assert!(attributes(open(&cup.server, path, "en").text(), "id").contains(&fragment.to_owned()), "{last}");
}

/// A form with two tie-breaks, and an empty field between them.
fn choose<'o>(form: Form<'o>, [one, two]: [&str; 2]) -> Form<'o> {
    form.with(&[("order-1", one), ("order-2", ""), ("order-3", two), ("order-4", "")])
}

/// Another order of tie-breaks has a reason, which the public sees with the order.
#[test]
fn a_new_order_of_tie_breaks_shows_its_reason() {
    let cup = Organiser::paired();
    let public = ["", "/standings"];
    let said = "The tie-breaks were changed after the tournament was created:";
    for path in public {
        assert!(!cup.page(path).contains(said), "{path}");
    }
    let form = cup.open("/tie-breaks");
    let order: Vec<_> = (1..=6).map(|place| form.value(&format!("order-{place}")).to_owned()).collect();
    assert_eq!(order, ["buchholz-cut1", "buchholz", "sonneborn-berger", "direct-encounter", "", ""]);
    let old = form.clone();
    let form = choose(form, ["wins", "koya"]);
    // Without a reason, and twice the same.
    let response = form.clone().press("save").send();
    assert!(Organiser::refused(&response, 409).contains("needs a reason"), "{}", response.text());
    assert_eq!(cup.form(response.text()).value("order-1"), "wins");
    let twice = choose(old.clone(), ["wins", "wins"]).with(&[("reason", "x")]).press("save").send();
    assert!(Organiser::refused(&twice, 409).contains("wins"), "{}", twice.text());
    let form = form.with(&[("reason", "a <bulletin>")]).press("save");
    assert!(form.clone().done().contains("Saved."));
    // The same form again, as after a lost connection, and another that saw the old order.
    assert!(form.done().contains("There was nothing new to save."));
    let late = choose(old, ["progressive", "wins"]).with(&[("reason", "x")]).press("save").send();
    assert!(Organiser::refused(&late, 409).contains("changed meanwhile"), "{}", late.text());
    for path in public {
        let page = cup.page(path);
        for words in [said, "tie-breaks: wins, Koya", "reason: a &lt;bulletin&gt;"] {
            assert!(page.contains(words), "{path}: {words}");
        }
    }
    // The order of the score alone.
    let fields: Vec<_> = (1..=6).map(|place| format!("order-{place}")).collect();
    let none: Vec<_> = fields.iter().map(|field| (field.as_str(), "")).chain([("reason", "no ties")]).collect();
    cup.open("/tie-breaks").with(&none).press("save").done();
    assert!(cup.page("").contains("tie-breaks: total score"));
    assert!(cup.page("/standings").contains("Order: total score."), "{}", cup.page("/standings"));
    cup.undo_last();
    // Undone, it is in force no longer.
    cup.undo_last();
    assert!(!cup.page("").contains("bulletin"));
    assert!(cup.page("/history").contains("reason: a &lt;bulletin&gt;"));
}

/// A round robin says so where its tie-breaks break no tie.
#[test]
fn tie_breaks_that_say_nothing_show_a_remark() {
    let cup = Organiser::of_system("round-robin", "single");
    let remark = "these break no tie";
    assert!(!cup.page("/tie-breaks").contains(remark));
    let form = cup.open("/tie-breaks").with(&[("order-1", "buchholz"), ("order-2", ""), ("reason", "x")]);
    assert!(form.press("save").done().contains(remark));
}

#[test]
fn forbidden_pairs_are_kept_apart() {
    let cup = Organiser::with_players();
    let forbid =
        |one: &str, two: &str| cup.open("/organise").with(&[("pair-one", one), ("pair-two", two)]).press("forbid");
    for (one, two) in [("", ""), ("1", ""), ("2", "2")] {
        let response = forbid(one, two).send();
        assert!(Organiser::refused(&response, 409).contains("Choose two different players."), "{}", response.text());
    }
    let response = forbid("1", "9").send();
    assert!(Organiser::refused(&response, 409).contains("No player has the number 9"), "{}", response.text());
    // The first round would be Rosa against Ana.
    assert!(forbid("3", "1").done().contains("Saved."));
    assert!(forbid("1", "3").done().contains("There was nothing new to save."));
    assert!(cup.page("").contains("Forbidden pair: Rosa Quispe and Ana Ruiz"));
    cup.pair(&[]);
    let round = cup.server.get(&format!("/v1{}/rounds/1", cup.path)).json();
    let meet = |one: &str, two: &str| {
        let mut boards = round["boards"].as_array().expect("boards").iter();
        boards.any(|board| [json!([one, two]), json!([two, one])].contains(&board["players"]))
    };
    assert!(meet("Rosa Quispe", "Inés Soto") && meet("Luis Tapia", "Ana Ruiz"), "{round}");
    let allow = cup.open("/organise").press("allow 3-1");
    assert!(allow.clone().done().contains("Saved."));
    assert!(allow.done().contains("There was nothing new to save."));
    assert!(!cup.page("").contains("Forbidden pair"));
    // Without a token nothing changes.
    assert_eq!(cup.send("/organise", &[("do", "forbid"), ("pair-one", "1"), ("pair-two", "2")]).status, 401);
    assert!(!cup.page("").contains("Forbidden pair"));
}

/// Each change of the history has a button that undoes it, with the refusals of the command.
#[test]
fn the_history_undoes_any_change() {
    let cup = Organiser::paired();
    let page = cup.page("/history");
    let changes = buttons(&page);
    assert_eq!(changes.len(), 3, "created, entered, paired: {page}");
    let [paired, entered, created] = [changes[0], changes[1], changes[2]];
    assert!(paired > entered && entered > created);
    let press = |change: u64, reason: &str| {
        let field = format!("reason-{change}");
        cup.open("/history").with(&[(field.as_str(), reason)]).press(&format!("undo {change}"))
    };
    let response = press(paired, " ").send();
    assert!(Organiser::refused(&response, 409).contains("needs a reason"), "{}", response.text());
    let response = press(entered, "a wrong list").send();
    let said = Organiser::refused(&response, 409);
    let later = format!("change {paired} of the tournament would no longer apply: ");
    assert!(said.contains(&later) && said.ends_with(&format!("Undo change {paired} first.")), "{said}");
    assert_eq!(cup.form(response.text()).value(&format!("reason-{entered}")), "a wrong list");
    // An older change than the last one.
    cup.done("/organise", &[("do", "presence"), ("player", "4"), ("step", "withdraw"), ("from", "3")]);
    let paired_again = press(paired, "by hand <now>");
    let page = paired_again.clone().done();
    assert!(page.contains(&format!("Change {paired} is undone.")), "{page}");
    assert!(page.contains("reason: by hand &lt;now&gt;") && !buttons(&page).contains(&paired), "{page}");
    assert!(cup.page("").contains("No round is paired yet."));
    assert!(cup.page("").contains("withdrawn from round 3"));
    let again = paired_again.send();
    assert!(
        Organiser::refused(&again, 409).contains(&format!("has already undone change {paired}")),
        "{}",
        again.text()
    );
    // A change of another tournament, and none at all.
    let other = Organiser::create(&cup, "Otra");
    for change in [other, 999] {
        let response =
            cup.send_with_token("/history", &[("do", &format!("undo {change}")), (&format!("reason-{change}"), "x")]);
        assert!(Organiser::refused(&response, 404).contains(&change.to_string()), "{}", response.text());
    }
    assert_eq!(cup.send_with_token("/history", &[("do", "undo"), ("reason-1", "x")]).status, 409);
    assert_eq!(
        cup.send("/history", &[("do", &format!("undo {entered}")), (&format!("reason-{entered}"), "x")]).status,
        401
    );
    // The creation goes last, and the tournament with it.
    assert!(Organiser::refused(&press(created, "x").send(), 409).contains("would no longer apply"));
    let left: Vec<_> = buttons(&cup.page("/history")).into_iter().filter(|change| *change != created).collect();
    for change in left {
        press(change, "x").done();
    }
    let page = press(created, "a wrong name").done();
    assert!(page.contains("The tournament no longer exists"), "{page}");
    assert_eq!(open(&cup.server, &format!("{}/history", cup.path), "en").status, 404);
}

/// A long history has pages, and a form on a later one stays there.
#[test]
fn a_long_history_has_pages() {
    let cup = Organiser::with_players();
    let forbid = |action: &str| json!({ "steps": [{ "change": action, "players": [1, 2] }] });
    for count in 0..60 {
        let steps = forbid(if count % 2 == 0 { "forbid" } else { "allow" });
        let changed = cup.server.ask("POST", &format!("/v1{}/changes", cup.path)).token(&cup.token).json(&steps).send();
        assert_eq!(changed.status, 201, "{}", changed.text());
    }
    let first = cup.page("/history");
    let links = attributes(&first, "href");
    let next =
        links.iter().find(|href| href.contains("cursor=")).expect("a link to the next page").replace("&amp;", "&");
    let second = open(&cup.server, &next, "en").text().to_owned();
    let all = [buttons(&first), buttons(&second)].concat();
    assert_eq!(all.len(), 62);
    assert!(all.is_sorted_by(|one, other| one > other), "{all:?}");
    let oldest = buttons(&second)[0];
    let undone = cup.form(&second).with(&[(&format!("reason-{oldest}"), "x")]).press(&format!("undo {oldest}")).send();
    assert_eq!(buttons(undone.text()).last(), all.last(), "{}", undone.text());
}

/// A token for one board writes the result of that board on the pages too, and nothing else.
#[test]
fn a_token_for_a_board() {
    let cup = Organiser::paired();
    let keys = cup.server.token(Scope::Admin);
    let limit = json!({ "tournament": cup.path.rsplit('/').next().expect("it").parse::<u64>().expect("a number"), "round": 1, "board": 1 });
    let body = json!({ "name": "board", "scopes": ["events:admin"], "limit": limit });
    let made = cup.server.ask("POST", "/v1/tokens").token(&keys).json(&body).send();
    assert_eq!(made.status, 201, "{}", made.text());
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    let players = |board: u32| {
        between(&cup.page("/rounds/1/results"), &format!("name=\"players-{board}\" value=\""), "\"").to_owned()
    };
    let (one, two) = (players(1), players(2));
    let own = [("token", token.as_str()), ("do", "save"), ("players-1", &one), ("before-1-1", ""), ("result-1-1", "0")];
    assert!(cup.send("/rounds/1/results", &own).text().contains("Saved."));
    let other =
        [("token", token.as_str()), ("do", "save"), ("players-2", &two), ("before-2-1", ""), ("result-2-1", "0")];
    assert_eq!(cup.send("/rounds/1/results", &other).status, 403);
    for action in ["close", "reopen", "unpair", "undo", "names", "pair", "presence", "forbid", "allow 1-2"] {
        let fields = [
            ("token", token.as_str()),
            ("do", action),
            ("reason", "x"),
            ("names", "Eva Paz"),
            ("player", "1"),
            ("step", "withdraw"),
            ("from", "2"),
            ("pair-one", "1"),
            ("pair-two", "2"),
        ];
        let response = cup.send("/organise", &fields);
        assert!(Organiser::refused(&response, 403).contains("limited to a tournament or a board"), "{action}");
    }
    let change = buttons(&cup.page("/history"))[0];
    let (button, reason) = (format!("undo {change}"), format!("reason-{change}"));
    let undo = [("token", token.as_str()), ("do", button.as_str()), (reason.as_str(), "x")];
    let order = [("token", token.as_str()), ("order-1", "wins"), ("reason", "x")];
    for (path, fields) in [("/history", undo), ("/tie-breaks", order)] {
        let said = Organiser::refused(&cup.send(path, &fields), 403);
        assert!(said.contains("limited to a tournament or a board"), "{path}: {said}");
    }
    let create = [
        ("token", token.as_str()),
        ("name", "Otra"),
        ("game", "andes"),
        ("system", "swiss"),
        ("encounter", "single"),
        ("rounds", "3"),
    ];
    assert_eq!(cup.send("/tournaments/new", &create).status, 403);
}
