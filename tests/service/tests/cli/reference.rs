//! `explain`, `completions`, `man` and help: what is read off the tables is all there.

use std::{collections::BTreeSet, process::Command};

use quipu_referee::{Lang, code::Source, codes, messages::catalog};
use quipu_tests_service::program::{commands, run};

use crate::words;

#[test]
fn explain_lists_every_code() {
    for lang in Lang::ALL {
        let list = run(&["explain", "--lang", lang.as_str()]).stdout;
        let expected: Vec<_> = codes::all()
            .map(|code| {
                let severity = catalog().word(code.severity.word(), lang);
                let title = catalog().code(code).expect("it has words").title.get(lang);
                format!("{:<19} {severity:<11}  {title}", code.id)
            })
            .collect();
        assert_eq!(list.lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn explain_explains_each() {
    for lang in Lang::ALL {
        for code in codes::all() {
            let run = run(&["explain", code.id, "--lang", lang.as_str()]);
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{}", code.id);
            let page = run.stdout;
            let words = catalog().code(code).expect("it has words");
            let [wrong, right] = match lang {
                Lang::Es => ["Mal:", "Bien:"],
                Lang::En => ["Wrong:", "Right:"],
            };
            let example = [&words.example.record, &words.example.position, &words.example.token];
            // An example of several lines is indented.
            let example = example.into_iter().flatten().chain([&words.example.right]).flat_map(|text| text.lines());
            let said = [code.id, words.title.get(lang), words.right.get(lang), wrong, right];
            let law = [&*words.law.es, &*words.law.en];
            for expected in said.into_iter().chain(law).chain(example) {
                assert!(page.contains(expected), "{} in {}: {expected:?} in {page}", code.id, lang.as_str());
            }
            let source = match code.source {
                Source::Article(place) | Source::Follows(place) | Source::Ruling(place) => place,
                Source::Format => "quipu",
            };
            let heading = page.lines().next().expect("a heading");
            assert!(heading.contains(source), "{}: {heading}", code.id);
            // The heading names the source of a rule that is not the author's.
            let ours = ["no es texto del autor", "not the author's text"].iter().any(|said| heading.contains(said));
            assert_eq!(ours, !matches!(code.source, Source::Article(_)), "{}: {heading}", code.id);
        }
    }
}

#[test]
fn explain_has_a_place_for_every_code_in_the_list() {
    let list = run(&["explain", "--lang", "en"]).stdout;
    let longest = codes::all().map(|code| code.id.len()).max().expect("there are codes");
    for line in list.lines() {
        assert_eq!(line.find(' ').map(|end| end <= longest), Some(true), "{line}");
        assert_eq!(line.trim_end(), line);
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        for lang in ["es", "en"] {
            let script = run(&["completions", shell, "--lang", lang]);
            assert_eq!((script.status, script.stderr.as_str()), (Some(0), ""), "{shell}");
            for command in commands() {
                for word in command.split(' ') {
                    assert!(script.stdout.contains(word), "{shell}: {command}");
                }
            }
            for option in ["lang", "json", "boards", "divide", "positions", "crosstable", "tie-breaks", "aliases"] {
                assert!(script.stdout.contains(option), "{shell}: --{option}");
            }
        }
    }
}

/// Words that bash proposes at the end of a command line.
fn proposed(line: &str) -> Vec<String> {
    let script = run(&["completions", "bash"]).stdout;
    let complete = "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()\n\
                    _quipu quipu \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n\
                    printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let script = format!("{script}\nCOMP_WORDS=({line})\n{complete}");
    let found = Command::new("bash").args(["--norc", "-c", &script]).output().expect("there is bash");
    String::from_utf8(found.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_codes_and_lists() {
    let codes: Vec<_> = codes::all().map(|code| code.id).filter(|id| id.starts_with("andes.3.")).collect();
    let mut found = proposed("quipu explain andes.3.");
    found.sort();
    assert_eq!(found, BTreeSet::from_iter(codes).into_iter().collect::<Vec<_>>());
    assert_eq!(proposed("quipu standings --tie-breaks so"), ["sonneborn-berger"]);
    assert_eq!(proposed("quipu standings --tie-breaks points,w"), ["points,wins"]);
    assert_eq!(proposed("quipu help ver"), ["verify", "version"]);
    assert_eq!(proposed("quipu verify --output-format s"), ["short", "sarif"]);
    assert_eq!(proposed("quipu score --csv e"), ["excel"]);
    let fish = run(&["completions", "fish"]).stdout;
    assert!(fish.contains("-a \"(__fish_append , buchholz sonneborn-berger "), "{fish}");
    assert!(fish.contains(" andes.3.6 "), "{fish}");
    let zsh = run(&["completions", "zsh"]).stdout;
    assert!(zsh.contains(": _values -s , tie-breaks buchholz sonneborn-berger "), "{zsh}");
    assert!(zsh.contains(" andes.3.6 "), "{zsh}");
}

#[test]
fn the_manual_has_every_command() {
    for lang in ["es", "en"] {
        let page = run(&["man", "--lang", lang]).stdout;
        assert!(page.contains("\n.TH quipu 1"), "it is a manual page");
        // Hyphens are escaped there.
        let page = page.replace("\\-", "-");
        for command in commands() {
            assert!(page.contains(&format!(".SH \"quipu {command}\"")), "{command} has a section");
            let about = run(&words(&command, &["--help", "--lang", lang])).stdout;
            let about = about.lines().next().expect("help begins with what the command does");
            assert!(page.contains(about), "the section says what {command} does: {about}");
        }
        for option in ["--json", "--boards", "--jobs", "--record", "--ply", "--from", "--divide", "--lang", "--color"] {
            assert!(page.contains(option), "{option}");
        }
    }
}

#[test]
fn help_says_what_every_command_does() {
    for lang in ["es", "en"] {
        for command in commands() {
            let (before, _) = command.rsplit_once(' ').unwrap_or_default();
            let call: Vec<_> = before.split_whitespace().chain(["--help", "--lang", lang]).collect();
            let help = run(&call).stdout;
            let own = run(&words(&command, &["--help", "--lang", lang])).stdout;
            let about = own.lines().next().expect("help begins with what the command does");
            assert!(help.contains(about), "{command}: {about}");
            assert!(own.contains(&format!(" quipu {command} ")), "{own}");
        }
    }
}
