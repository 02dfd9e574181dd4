//! Documents name every code, command, file and test that exists, and no other.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use quipu_notation::{games::FOREIGN, record::Reader};
use quipu_referee::{
    Code, Status, code::Source, codes, competition::TieBreak, games, messages::catalog, record, verify,
};
use quipu_tests_service::{
    fixture,
    program::{commands, run},
    root, verdicts,
};
use serde_json::Value;

use quipu_tests_service::contract::{document, nothing, project};

/// The words between backticks on one line, blocks of code left out.
pub(crate) fn in_backticks(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(str::lines).flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Words of a text that are a letter, a hyphen and a number: the names of rulings.
fn rulings(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_ruling = |word: &&str| {
        word.split_once('-').is_some_and(|(letter, number)| {
            letter.len() == 1
                && letter.bytes().all(|byte| byte.is_ascii_uppercase())
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    words.filter(is_ruling).collect()
}

/// The pages about the rules of a game.
fn pages(game: &str) -> [String; 2] {
    [format!("docs/rules/{game}.md"), format!("docs/rules/{game}.es.md")]
}

#[track_caller]
fn documented(page: &str, codes: &[Code]) {
    let text = document(page);
    let named: BTreeSet<_> = in_backticks(&text).into_iter().collect();
    nothing(
        codes.iter().map(|code| code.id).filter(|id| !named.contains(id)),
        &format!("codes that {page} does not name"),
    );
}

/// The codes that a page names and that are in no table.
#[track_caller]
fn no_other(page: &str, owner: &str) {
    let text = document(page);
    let prefix = format!("{owner}.");
    let ending = |word: &str| Path::new(word).extension().is_some_and(|ending| ending == "md" || ending == "toml");
    let named = in_backticks(&text).into_iter().filter(|word| word.starts_with(&prefix) && !ending(word));
    nothing(named.filter(|id| codes::find(id).is_none()), &format!("codes of {page} that are not"));
}

#[test]
fn every_code_is_in_the_guide() {
    for page in ["docs/notation.md", "docs/notation.es.md"] {
        documented(page, record::CODES);
        no_other(page, "record");
    }
    for game in games::ALL {
        for page in pages(game.notation().id) {
            documented(&page, game.codes());
            no_other(&page, game.notation().id);
        }
    }
}

/// The guide says of each code in its table what the table of codes says.
#[test]
fn the_guide_says_which_are_warnings() {
    let text = document("docs/notation.md");
    for code in record::CODES {
        let row = format!("| `{}` | {} |", code.id, code.severity.as_str());
        assert!(text.contains(&row), "docs/notation.md: {row}");
    }
}

/// The guide shows one record in several forms: it is the same in each.
#[test]
fn the_guide_shows_one_record_in_every_form() {
    for page in ["docs/notation.md", "docs/notation.es.md"] {
        let text = document(page);
        let blocks = text.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
        let is_record = |text: &str| ["[Game ", "{\n  \"game\"", "#Game"].iter().any(|start| text.starts_with(start));
        let records: Vec<_> = blocks.filter(|(_, text)| is_record(text)).collect();
        let kinds: Vec<_> = records.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, ["", "json", "csv"], "{page}");
        let ids: BTreeSet<_> = records
            .iter()
            .flat_map(|(_, record)| verdicts(record.as_bytes()))
            .map(|verdict| (verdict.status, verdict.id))
            .collect();
        assert!(ids.len() == 1 && ids.iter().all(|(status, _)| *status == Status::Verified), "{page}: {ids:?}");
    }
}

/// The guide shows one game in the formats of other programs: each is found, and has the same moves and result.
#[test]
fn the_guide_shows_a_game_in_the_formats_of_other_programs() {
    for page in ["docs/notation.md", "docs/notation.es.md"] {
        let text = document(page);
        let blocks = text.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
        let mut games = Vec::new();
        for format in FOREIGN.iter().map(|row| row.format) {
            let block = blocks.clone().find(|(kind, _)| *kind == format.as_str());
            let (_, game) = block.unwrap_or_else(|| panic!("{page} has no example of {}", format.as_str()));
            let mut reader = Reader::new(game.as_bytes());
            let chunk = reader.next_chunk().expect("memory does not fail").expect("there is a game");
            assert_eq!(chunk.format(), format, "{page}: {game}");
            let record = chunk.records().next().expect("a record").expect("it can be read");
            let moves: Vec<_> = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
            let verdict = verify::record(&record);
            let rules = record.value("Rules").map(str::to_owned);
            games.push((moves, verdict.status, verdict.plies, record.outcome(), rules));
        }
        assert_eq!(games.len(), FOREIGN.len(), "{page}");
        assert!(games.windows(2).all(|pair| pair[0] == pair[1]), "{page}: {games:?}");
    }
}

#[test]
fn every_ruling_is_in_the_guide() {
    for game in games::ALL {
        let of_codes = game.codes().iter().filter_map(|code| match code.source {
            Source::Ruling(ruling) => Some(ruling),
            Source::Article(_) | Source::Follows(_) | Source::Format => None,
        });
        let of_words = game.codes().iter().filter_map(|code| catalog().code(code)).flat_map(|words| {
            let sentences = words.message.iter().map(|(_, text)| text);
            let texts = [&words.title, &words.law, &words.right].into_iter().chain(sentences);
            texts.flat_map(|text| rulings(&text.es).into_iter().chain(rulings(&text.en)))
        });
        let cited: BTreeSet<_> = of_codes.chain(of_words).collect();
        for page in pages(game.notation().id) {
            let text = document(&page);
            let missing = cited.iter().filter(|ruling| !text.contains(&format!("| {ruling} |")));
            nothing(missing, &format!("rulings without a row in {page}"));
        }
    }
}

#[test]
fn both_pages_have_the_same_rulings() {
    for game in games::ALL {
        let [en, es] = pages(game.notation().id).map(|page| document(&page));
        assert_eq!(rulings(&en), rulings(&es), "{}", game.notation().id);
    }
}

#[test]
fn every_command_is_in_the_guide() {
    for page in ["README.md", "README.es.md"] {
        let text = document(page);
        let missing = commands().into_iter().filter(|command| !text.contains(&format!("quipu {command}")));
        nothing(missing, &format!("commands that {page} does not show"));
    }
}

/// The names of all fields in a value.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.insert(name.clone());
                fields(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

#[test]
fn columns_of_competitions_are_in_the_guide() {
    let cup = "fixtures/andes/cup.quipu";
    let mut named: BTreeSet<_> = TieBreak::ALL.map(|tie_break| tie_break.as_str().to_owned()).into();
    for call in [&["score"][..], &["rank"], &["standings", "--crosstable"]] {
        // There are several if a file is read twice.
        let json = run(&[call, &["--json", cup, cup]].concat()).stdout;
        fields(&serde_json::from_str(&json).expect("JSON"), &mut named);
        let csv = run(&[call, &["--csv", cup]].concat()).stdout;
        let header = csv.lines().next().expect("a header").split(',').filter(|name| name.parse::<u32>().is_err());
        named.extend(header.map(str::to_owned));
    }
    assert!(named.len() > 40, "{named:?}");
    for page in ["docs/competition.md", "docs/competition.es.md"] {
        let text = document(page);
        let told: BTreeSet<_> = in_backticks(&text).into_iter().collect();
        nothing(named.iter().filter(|name| !told.contains(name.as_str())), &format!("names that {page} does not tell"));
    }
}

/// True for a word in backticks that is meant as a path of the project.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let named = word.chars().any(|c| c.is_ascii_lowercase()) && !word.starts_with('/');
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    plain && named && (word.contains('/') || matches!(ending, "rs" | "toml" | "md" | "ndjson" | "tsv" | "txt"))
}

#[test]
fn every_path_of_the_developers_guides_exists() {
    let project = project();
    let exists = |path: &str| {
        let path = path.trim_end_matches('/');
        // A name alone may be one that several folders have.
        project.contains(path) || !path.contains('/') && project.iter().any(|file| file.ends_with(&format!("/{path}")))
    };
    for page in ["ARCHITECTURE.md", "docs/internals.md", "docs/adding-a-game.md", "docs/adding-a-game.es.md"] {
        let text = document(page);
        let paths: Vec<_> = in_backticks(&text).into_iter().filter(|word| is_path(word)).collect();
        assert!(paths.len() > 10, "{page} names where things are: {paths:?}");
        nothing(paths.into_iter().filter(|path| !exists(path)), &format!("paths of {page} that do not exist"));
    }
}

/// Links between the documents lead to files that are there.
/// The files and tests that the last cell of each row of the threat model names.
#[track_caller]
fn tests_of_threats(page: &str, [heading, next]: [&str; 2]) -> Vec<Vec<String>> {
    let text = document(page);
    let section = text.split_once(heading).and_then(|(_, rest)| rest.split_once(next)).expect("the section").0;
    let cells = section.lines().filter_map(|line| line.trim().strip_suffix(" |")?.rsplit(" | ").next());
    let named = cells.map(|cell| in_backticks(cell).into_iter().map(str::to_owned).collect::<Vec<_>>());
    named.filter(|named| !named.is_empty()).collect()
}

#[test]
fn every_test_of_the_threat_model_exists() {
    let english = tests_of_threats("docs/security.md", ["### Defences and their tests\n", "### Out of scope\n"]);
    let spanish = tests_of_threats("docs/security.es.md", ["### Defensas y sus pruebas\n", "### Fuera de alcance\n"]);
    assert!(english.len() > 20, "{english:?}");
    assert_eq!(english, spanish);
    for named in english {
        let (files, tests): (Vec<_>, Vec<_>) = named.into_iter().partition(|name| name.contains('/'));
        let sources: String = files.iter().map(|path| document(path)).collect();
        nothing(tests.iter().filter(|test| !sources.contains(&format!("fn {test}("))), &format!("tests of {files:?}"));
    }
}

#[test]
fn links_lead_somewhere() {
    let documents =
        project().into_iter().filter(|path| Path::new(path).extension().is_some_and(|ending| ending == "md"));
    let mut broken = Vec::new();
    for page in documents {
        let text = document(&page);
        let folder: PathBuf = root().join(&page).parent().expect("it is in a folder").into();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') && !folder.join(target).exists() {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    nothing(broken, "links that lead nowhere");
}

#[test]
fn every_game_has_the_fixtures_that_are_described() {
    let text = document("fixtures/README.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let files: Vec<_> = rows.filter(|name| Path::new(name).extension().is_some()).collect();
    assert!(files.contains(&"games.quipu") && files.contains(&"perft.tsv"), "the table of files: {files:?}");
    for game in games::ALL {
        let folder = fixture(game.notation().id);
        nothing(
            files.iter().filter(|name| !folder.join(name).is_file()),
            &format!("without them in {}", folder.display()),
        );
        assert!(
            text.contains(&format!("### {}", game.notation().id))
                || text.contains(&format!("## {}", game.notation().id))
        );
    }
    let folders = fs::read_dir(fixture("")).expect("it is there").map(|entry| entry.expect("it is listed"));
    let names =
        folders.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().to_string_lossy().into_owned());
    nothing(names.filter(|name| games::find(name).is_none()), "folders of no game");
}

/// A test that `./test` does not run would never fail: all targets are named for the whole run, and those of packages
/// that the quick part runs as a whole are in its list of packages.
#[test]
fn every_test_target_is_run() {
    let script = document("test");
    let mut targets = 0;
    for folder in ["core", "reference", "differential", "service"] {
        let package = root().join("tests").join(folder);
        let manifest: toml::Table = document(&format!("tests/{folder}/Cargo.toml")).parse().expect("it is TOML");
        let listed: Vec<_> = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten().collect();
        let in_folder = fs::read_dir(package.join("tests")).expect("it is there");
        let in_folder = in_folder.map(|entry| entry.expect("it is listed").path()).filter(|_| listed.is_empty());
        let in_folder = in_folder
            .filter(|test| test.join("main.rs").is_file() || test.extension().is_some_and(|ending| ending == "rs"))
            .map(|test| test.file_stem().expect("a name").to_string_lossy().into_owned());
        let listed = listed.iter().map(|test| test["name"].as_str().expect("a name").to_owned());
        for name in in_folder.chain(listed) {
            assert!(script.contains(&format!("--test {name}")), "{folder}/{name} is not in ./test");
            targets += 1;
        }
    }
    assert!(targets > 12, "{targets}");
    nothing(["-p quipu-tests-core", "-p quipu-reference"].iter().filter(|core| !script.contains(*core)), "quick");
}

/// A file of tests that no program includes would never run.
#[test]
fn every_file_of_the_core_tests_is_included() {
    let program = document("tests/core/tests/main.rs");
    let files = fs::read_dir(root().join("tests/core/tests")).expect("it is there");
    let names = files.map(|entry| entry.expect("it is listed").path().file_stem().expect("a name").to_owned());
    let names =
        names.map(|name| name.to_string_lossy().into_owned()).filter(|name| !["main", "allocation"].contains(&&**name));
    nothing(names.filter(|name| !program.contains(&format!("mod {name};"))), "files that no program includes");
}
