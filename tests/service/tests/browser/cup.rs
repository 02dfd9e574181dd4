//! A whole cup on the pages of the organiser: twelve players, five rounds of two legs, records in all ways in which they arrive, and
//! a final table whose every point leads to a game. The second referee computes the table again, from the report file and the
//! texts of the games. `tests/tournament/check.py` pairs the rounds of the file again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use quipu_notation::record::{
    Chunk,
    write::{LabelLanguage, OutputFormat, ScoresheetWorkbook},
};
use quipu_options::Scope;
use quipu_reference::{Report, Row, judge, read};
use quipu_tests_service::{generator::Generator, root};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    nothing_to_complain_of,
    score::{Keeper, begin},
    tournament::{choose, expect_message, press},
};

const EVENT: &str = "Copa de los Andes";
/// The entry list, in the order of ratings.
const NAMES: [&str; 11] = [
    "Rosa Quispe",
    "Luis Tapia",
    "Ana Ruiz",
    "Inés Soto",
    "Julio Mamani",
    "Wayra Choque",
    "Elena Huamán",
    "Katari Apaza",
    "Micaela Vilte",
    "Tomás Núñez",
    "Amaru Cusi",
];
/// A player who comes for the second round.
const LATE: &str = "Eva Paz";
/// Somebody who has half a point instead of round 3.
const ABSENT: &str = "Julio Mamani";
/// Somebody who is gone before round 4.
const WITHDRAWN: &str = "Katari Apaza";
/// The games of an encounter.
const LEGS: usize = 2;
/// The order in which the tie-breaks decide most: those that split all groups are last.
const ORDER: [&str; 15] = [
    "score",
    "direct-encounter",
    "wins",
    "encounters",
    "wins-side2",
    "koya",
    "buchholz-median",
    "buchholz-cut2",
    "buchholz-cut1",
    "buchholz",
    "sonneborn-berger",
    "progressive",
    "average-rating",
    "points",
    "points-with-bonus",
];
/// The order of two legs.
const BY_POINTS: [&str; 4] = ["points-with-bonus", "encounters", "points", "score"];

/// The organiser's device and the games that were played.
struct Cup {
    keeper: Keeper,
    generator: Generator,
    folder: TempDir,
    /// The records that count.
    records: Vec<String>,
}

/// A game of a round: its record, and one that differs in the last move.
struct Played {
    board: usize,
    leg: usize,
    sheets: [String; 2],
}

impl Cup {
    fn open(&self, rest: &str) {
        self.keeper.browser.open(&self.keeper.at(&format!("/tournaments/1{rest}?lang=en")));
    }

    fn get(&self, rest: &str) -> Value {
        self.keeper.server.get(&format!("/v1/tournaments/1{rest}")).json()
    }

    /// Creates the tournament and enters the players.
    fn create(&self) {
        let browser = &self.keeper.browser;
        browser.open(&self.keeper.at("/tournaments/new?lang=en"));
        browser.write("#name", EVENT);
        browser.write("#rounds", "5");
        choose(browser, "#game", "andes");
        choose(browser, "#system", "swiss");
        choose(browser, "#encounter", "two-legs");
        browser.click("form button:not([disabled])");
        expect_message(browser, "The tournament is created");
        let names: Vec<_> = (1..).zip(NAMES).map(|(place, name)| format!("{name}; {}", 2100 - 50 * place)).collect();
        self.enter(&names.join("\n"), "Entered: 11.");
    }

    fn enter(&self, names: &str, said: &str) {
        self.open("/organise");
        self.keeper.browser.write("#pasted", names);
        press(&self.keeper.browser, "names", said);
    }

    /// Excuses or withdraws a player.
    fn presence(&self, name: &str, step: &str, round: usize) {
        let browser = &self.keeper.browser;
        self.open("/organise");
        let place = NAMES.iter().position(|known| *known == name).expect("a player");
        choose(browser, "#player", &(place + 1).to_string());
        choose(browser, "#step", step);
        choose(browser, "#from", &round.to_string());
        press(browser, "presence", "Saved.");
    }

    /// Pairs the next round, and says the games that are played in it.
    fn pair(&self, round: usize) -> Vec<Played> {
        let browser = &self.keeper.browser;
        self.open("/organise");
        press(browser, "pair-check", "not confirmed");
        press(browser, "pair", "The round is paired.");
        let sheets = self.keeper.server.get(&format!("/tournaments/1/rounds/{round}/sheets.pdf"));
        assert_eq!((sheets.status, sheets.header("content-type")), (200, "application/pdf"));
        let boards = self.get(&format!("/rounds/{round}"))["boards"].clone();
        let mut games = Vec::new();
        for (board, paired) in (1..).zip(boards.as_array().expect("a list")) {
            let [one, two] = [0, 1].map(|index| paired["players"][index].as_str().expect("a name"));
            for (leg, players) in (1..).zip([[one, two], [two, one]]) {
                let roster = [("Event", EVENT.to_owned()), ("Round", round.to_string())];
                let place = [("Board", board.to_string()), ("Leg", leg.to_string())];
                // Some encounters get the same line twice, and are tied.
                let sheets = self.generator.andes(50 * round + 2 * board + leg, &roster, players, &place);
                games.push(Played { board, leg, sheets });
            }
        }
        games
    }

    /// Sends files together, and stores the records in them.
    fn pile(&self, files: &[(&str, Vec<u8>)], count: usize) {
        let browser = &self.keeper.browser;
        let path = |(name, content): &(&str, Vec<u8>)| {
            let path = self.folder.path().join(name);
            fs::write(&path, content).expect("there is room");
            path.display().to_string()
        };
        let paths: Vec<_> = files.iter().map(path).collect();
        self.open("/files");
        browser.write("#files", &paths.join("\n"));
        press(browser, "check", &format!("Records: {count}. With a board: {count}."));
        press(browser, "store", &format!("Stored: {count}. Already there: 0. Not stored: 0."));
    }

    /// Submits one record on the page that checks scoresheets.
    fn check(&self, record: &str) {
        let browser = &self.keeper.browser;
        browser.open(&self.keeper.at("/check?lang=en"));
        browser.write("#text", record);
        browser.click("#check button");
        browser.wait_for("return document.getElementById('token')?.value.length > 0");
        browser.click("[name=submit][value=all]");
        browser.wait_for("return document.getElementById('submitted') !== null");
    }

    /// Keeps the score of a board of a round.
    fn keep(&self, round: usize, game: &Played) {
        let browser = &self.keeper.browser;
        browser.open(&self.keeper.at(&format!("/keep/1/{round}/{}/{}?lang=en", game.board, game.leg)));
        begin(browser);
        let record = read(game.sheets[0].as_bytes()).swap_remove(0).expect("it can be read");
        for (count, ply) in (1..).zip(&record.plies) {
            browser.write("#move", &ply.token);
            browser.click("#typed button");
            self.keeper.plies(count);
        }
        self.keeper.saved();
        self.keeper.end("resignation", "");
        self.keeper.press("Verify and store");
        self.keeper.says("#outcome", "The game is in the archive.");
    }

    /// Lets the first sheet of a game count.
    fn settle(&self, round: usize, game: &Played) {
        let browser = &self.keeper.browser;
        self.open(&format!("/rounds/{round}"));
        expect_message(browser, "another record of the same game contradicts it");
        browser.click(&format!("#misfits ~ ul a[href*='/rounds/{round}/boards/{}']", game.board));
        expect_message(browser, "These sheets contradict each other");
        browser.write("#reason", "both players confirm the last move of this sheet");
        let id = judge(read(game.sheets[0].as_bytes())[0].as_ref().map_err(|code| *code)).id.expect("an id");
        press(browser, &format!("keep {id}"), "Settled.");
    }

    /// Writes that the second player of a board came to neither leg.
    fn forfeit(&self, round: usize, board: usize) {
        let browser = &self.keeper.browser;
        self.open(&format!("/rounds/{round}/results"));
        for leg in 1..=LEGS {
            // The fourth of the outcomes: the first player wins, and the second one did not come.
            choose(browser, &format!("#result-{board}-{leg}"), "3");
        }
        press(browser, "save", "Saved.");
    }

    fn close(&self, round: usize) {
        self.open(&format!("/rounds/{round}/results"));
        press(&self.keeper.browser, "close", "The round is closed.");
    }

    /// The rows of the standings, cell by cell.
    fn table(&self) -> Vec<Vec<String>> {
        self.open("/standings");
        let cells = "return [...document.querySelectorAll('main tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))";
        serde_json::from_value(self.keeper.browser.run(cells)).expect("rows")
    }

    /// The report file.
    fn report(&self) -> String {
        self.keeper.server.get("/v1/tournaments/1/export?to=trf16").text().to_owned()
    }
}

/// The text of several records.
fn text<'g>(games: impl IntoIterator<Item = &'g Played>) -> Vec<u8> {
    games.into_iter().map(|game| &*game.sheets[0]).collect::<String>().into_bytes()
}

fn workbook(record: &str) -> Vec<u8> {
    let mut book = ScoresheetWorkbook::new(LabelLanguage::Spanish);
    let chunk = Chunk::new(record.as_bytes());
    book.add(&chunk.records().next().expect("a record").expect("it can be read")).expect("it fits");
    book.finish().expect("it fits")
}

fn csv(record: &str) -> Vec<u8> {
    let chunk = Chunk::new(record.as_bytes());
    let record = chunk.records().next().expect("a record").expect("it can be read");
    OutputFormat::Csv.write(&record).0.into_bytes()
}

/// A figure in quarters as the pages write it.
fn figure(quarters: u64) -> String {
    let sign = ["", "¼", "½", "¾"][usize::try_from(quarters % 4).expect("small")];
    if quarters < 4 && !sign.is_empty() { sign.to_owned() } else { format!("{}{sign}", quarters / 4) }
}

/// A row as the page shows it.
fn shown(row: &Row) -> Vec<String> {
    let figures = row.figures.iter().map(|one| one.map_or_else(|| "–".to_owned(), figure));
    // Both orders name the score, which has no other column.
    let head = [row.place.to_string(), row.name.clone()];
    head.into_iter().chain(figures).chain(row.played.map(|count| count.to_string())).collect()
}

#[test]
fn a_cup_from_the_entry_list_to_the_podium() {
    let mut cup = Cup {
        keeper: Keeper::with(&[Scope::EventsAdmin, Scope::RecordsWrite]),
        generator: Generator::new(),
        folder: tempfile::tempdir().expect("a folder"),
        records: Vec::new(),
    };
    let file = root().join("target/cup.trf");
    // That of an earlier run is not checked in the place of this one.
    drop(fs::remove_file(&file));
    cup.create();
    for round in 1..=5 {
        match round {
            2 => cup.enter(&format!("{LATE}; 1500"), "Entered: 1."),
            3 => cup.presence(ABSENT, "absent-half", 3),
            4 => cup.presence(WITHDRAWN, "withdraw", 4),
            _ => {}
        }
        let mut games = cup.pair(round);
        assert_eq!(games.len(), if round == 2 { 12 } else { 10 });
        match round {
            // As text, as spreadsheets, and several in one file.
            1 => {
                cup.check(&games[0].sheets[0]);
                let sheets = [("uno.xlsx", workbook(&games[1].sheets[0])), ("dos.csv", csv(&games[2].sheets[0]))];
                cup.pile(&[&sheets[..], &[("otros.quipu", text(&games[3..]))]].concat(), 9);
            }
            2 => {
                cup.forfeit(round, 6);
                games.truncate(10);
                cup.keep(round, &games[0]);
                cup.pile(&[("ronda.quipu", text(&games[1..]))], 9);
            }
            3 => {
                let other = games[2].sheets[1].clone().into_bytes();
                cup.pile(&[("ronda.quipu", text(&games)), ("otra.quipu", other)], 11);
                cup.settle(round, &games[2]);
            }
            _ => cup.pile(&[("ronda.quipu", text(&games))], 10),
        }
        cup.close(round);
        cup.records.extend(games.into_iter().map(|game| {
            let [counts, _] = game.sheets;
            counts
        }));
    }
    assert_eq!(cup.records.len(), 50);
    let mut report = Report::read(&cup.report());
    report.add_records(cup.records.concat().as_bytes(), LEGS);
    let equals = |order: &[&str]| {
        let rows = cup.table();
        let expected: Vec<_> = report.standings(order).iter().map(shown).collect();
        assert_eq!(rows, expected, "{order:?}\n{}", cup.report());
        rows
    };
    let rows = equals(&BY_POINTS);
    assert_eq!(rows.len(), 12);
    every_point_opens_its_game(&cup, &rows);
    // All other tie-breaks, to the digit.
    let token = cup.keeper.server.token(Scope::EventsAdmin);
    let change = json!({ "steps": [{ "change": "tie-breaks", "order": ORDER }], "reason": "to compare them" });
    let ask = cup.keeper.server.ask("POST", "/v1/tournaments/1/changes");
    assert_eq!(ask.token(&token).json(&change).send().status, 201);
    equals(&ORDER);
    fs::create_dir_all(file.parent().expect("a folder")).expect("there is room");
    fs::write(&file, cup.report()).expect("there is room");
    nothing_to_complain_of(&cup.keeper.browser, &cup.keeper.server);
}

/// Follows the links from the score of each player to the records of all games: they are verified, of these players, in this round,
/// and their points add up to those of the table.
#[track_caller]
fn every_point_opens_its_game(cup: &Cup, rows: &[Vec<String>]) {
    let Keeper { browser, server, .. } = &cup.keeper;
    let links =
        "return [...document.querySelectorAll('main tbody tr')].map(row => row.cells[2].querySelector('a').pathname)";
    let cards: Vec<String> = serde_json::from_value(browser.run(links)).expect("paths");
    let (mut found, mut without) = (BTreeSet::new(), BTreeMap::new());
    for (row, card) in rows.iter().zip(cards) {
        browser.open(&cup.keeper.at(&format!("{card}?lang=en")));
        let games = "return [...document.querySelectorAll('section:has(#games) tbody tr')].map(row =>
            [row.cells[1].textContent, row.cells[4].textContent,
             [...row.querySelectorAll('a[href^=\"/records/\"]')].map(link => link.pathname)])";
        let rounds: Vec<(String, String, Vec<String>)> = serde_json::from_value(browser.run(games)).expect("rounds");
        let name = &row[1];
        let mut sum = 0;
        for (round, (opponent, score, records)) in (1..=5).zip(rounds) {
            if records.is_empty() {
                without.insert((name.clone(), round), score);
                continue;
            }
            assert_eq!(records.len(), LEGS, "{name} in round {round}");
            let mut points = [0, 0];
            for (leg, path) in (1..).zip(&records) {
                assert_eq!(server.get(path).status, 200, "{path}");
                let text = server.ask("GET", &format!("/v1{path}")).header("Accept", "text/plain").send();
                let record = read(&text.body).swap_remove(0).expect("it can be read");
                let tag = |name: &str| record.tags.iter().find(|(known, _)| known == name).expect("a tag").1.clone();
                let verdict = judge(Ok(&record));
                let sides = [tag("Sol"), tag("Luna")];
                let own = sides.iter().position(|side| side == name).expect("the player plays");
                assert_eq!(sides[1 - own], opponent);
                assert_eq!(
                    [tag("Event"), tag("Round"), tag("Leg")],
                    [EVENT.to_owned(), round.to_string(), leg.to_string()]
                );
                assert_eq!(verdict.status, "verified", "{path}");
                assert_eq!(server.get(&format!("/v1{path}/verdict")).json()["status"], "verified");
                let counted = verdict.points.expect("Andes has points");
                points = [points[0] + counted[own], points[1] + counted[1 - own]];
                found.insert(path.clone());
            }
            let expected = if points[0] > points[1] { "1" } else { "0" };
            assert!(score == expected || points[0] == points[1], "{name} in round {round}: {points:?}");
            sum += points[0];
        }
        assert_eq!(row[4], sum.to_string(), "{name}");
    }
    assert_eq!(found.len(), cup.records.len());
    let scores = |score: &str| without.values().filter(|known| *known == score).count();
    // A bye in each round but the second, the forfeit of the second, half a point, and rounds without the player.
    assert_eq!([scores("1"), scores("½"), scores("0")], [5, 1, 1], "{without:?}");
    assert_eq!(without[&(ABSENT.to_owned(), 3)], "½");
    assert_eq!(scores("–"), 3, "before a late entry and after a withdrawal: {without:?}");
}
