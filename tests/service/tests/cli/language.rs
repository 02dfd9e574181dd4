//! Which language the program speaks, and that it speaks only that.

use quipu_referee::Lang;
use quipu_tests_service::program::{Run, command, commands, run};

use crate::with;

/// Runs the program in an environment, and says in which language it complains of a missing command.
#[track_caller]
fn check(expected: Lang, arguments: &[&str], environment: &[(&str, &str)]) {
    let run: Run = command(arguments).envs(environment.iter().copied()).output().expect("quipu runs").into();
    let (es, en) = (run.stderr.contains("no existe la orden"), run.stderr.contains("there is no command"));
    assert_eq!((es, en), (expected == Lang::Es, expected == Lang::En), "{arguments:?} {environment:?}: {run:#?}");
}

/// Without a locale, as in containers and in continuous integration, and in languages of readers elsewhere.
#[test]
fn english_unless_told_otherwise() {
    check(Lang::En, &["juega"], &[("LANG", "")]);
    for locale in ["C", "C.UTF-8", "C.utf8", "POSIX", "de_DE.UTF-8", "fr", "tlh", "enm", "est"] {
        check(Lang::En, &["juega"], &[("LANG", locale)]);
    }
    check(Lang::En, &["juega"], &[("LC_ALL", "C"), ("LANG", "es_PE.UTF-8")]);
}

/// Languages that are spoken beside Spanish.
#[test]
fn spanish_where_it_is_closer() {
    for locale in ["qu_PE.UTF-8", "ay_BO", "gn_PY", "arn_CL", "pt_BR.UTF-8", "PT", "gl_ES", "ca_ES@valencia", "eu"] {
        check(Lang::Es, &["juega"], &[("LANG", locale)]);
    }
}

/// `LANGUAGE` is a list, and only counts where there is a locale.
#[test]
fn the_first_known_language_of_a_list_counts() {
    check(Lang::En, &["juega"], &[("LANGUAGE", "en"), ("LANG", "es_PE.UTF-8")]);
    check(Lang::En, &["juega"], &[("LANGUAGE", "de:en_GB:es"), ("LANG", "es_PE.UTF-8")]);
    check(Lang::Es, &["juega"], &[("LANGUAGE", "es_AR:en"), ("LC_ALL", "de_DE.UTF-8")]);
    check(Lang::Es, &["juega"], &[("LANGUAGE", "de:fr"), ("LANG", "es_PE.UTF-8")]);
    check(Lang::En, &["juega"], &[("LANGUAGE", "es"), ("LC_ALL", "C.UTF-8")]);
}

#[test]
fn the_environment_says() {
    check(Lang::En, &["juega"], &[("LANG", "en_US.UTF-8")]);
    check(Lang::En, &["juega"], &[("LANG", "en")]);
    check(Lang::En, &["juega"], &[("LANG", "EN-GB")]);
    check(Lang::Es, &["juega"], &[("LANG", "es_PE.UTF-8")]);
    check(Lang::En, &["juega"], &[("LC_MESSAGES", "en_GB"), ("LANG", "es_PE")]);
    check(Lang::Es, &["juega"], &[("LC_MESSAGES", "es_CL"), ("LANG", "en_US")]);
    check(Lang::En, &["juega"], &[("LC_ALL", "en_GB"), ("LC_MESSAGES", "es_PE"), ("LANG", "es_PE")]);
    check(Lang::Es, &["juega"], &[("LC_ALL", "es_EC"), ("LC_MESSAGES", "en_GB"), ("LANG", "en_GB")]);
    check(Lang::En, &["juega"], &[("LC_ALL", ""), ("LC_MESSAGES", ""), ("LANG", "en_GB")]);
}

#[test]
fn the_option_comes_first() {
    check(Lang::En, &["--lang", "en", "juega"], &[]);
    check(Lang::En, &["--lang=en", "juega"], &[]);
    check(Lang::En, &["--lang", "en", "juega"], &[("LC_ALL", "es_PE")]);
    check(Lang::Es, &["--lang", "es", "juega"], &[("LC_ALL", "en_US"), ("LANG", "en_US")]);
    check(Lang::Es, &["--lang", "es", "juega"], &[("QUIPU_LANG", "en")]);
    for tag in ["EN", "en_US", "en-GB", "en_US.UTF-8"] {
        check(Lang::En, &["--lang", tag, "juega"], &[]);
    }
    check(Lang::Es, &["--lang=es-AR", "juega"], &[("LANG", "en_US")]);
    let wrong = run(&["--lang", "fr", "explain"]);
    assert!(wrong.status == Some(2) && wrong.stderr.contains("es, en"), "{wrong:#?}");
}

#[test]
fn the_option_stands_before_or_after_the_command() {
    for arguments in [["--lang", "en", "explain"], ["explain", "--lang", "en"]] {
        assert!(run(&arguments).stdout.starts_with("record.syntax       error        The record"), "{arguments:?}");
    }
    // After -- it is a move like any other.
    let run = run(&["play", "andes", "--", "--lang", "en"]);
    assert!(run.stderr.starts_with("La jugada debe empezar"), "{run:#?}");
}

/// Words of a help text that are not words of a language: options, placeholders, names.
fn letters(help: &str) -> Vec<&str> {
    help.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).collect()
}

#[test]
fn help_speaks_one_language() {
    let english_only =
        ["Usage", "Options", "Arguments", "Commands", "Print", "Shows", "the", "of", "possible", "values"];
    let spanish_only = ["Uso", "Opciones", "Argumentos", "Órdenes", "Muestra", "el", "la", "de", "los"];
    let calls = commands().into_iter().map(Some).chain([None]);
    for command in calls {
        let call: Vec<_> = command.iter().flat_map(|command| command.split(' ')).chain(["--help"]).collect();
        let [es, en] = ["es", "en"].map(|lang| run(&with(&call, &["--lang", lang])).stdout);
        assert_ne!(es, en, "{call:?}");
        assert_eq!(es, run(&call).stdout, "{call:?}: that of the environment if nothing is said");
        for (help, foreign) in [(&es, &english_only[..]), (&en, &spanish_only[..])] {
            let found: Vec<_> = letters(help).into_iter().filter(|word| foreign.contains(word)).collect();
            assert!(found.is_empty(), "{call:?}: {found:?} in {help}");
        }
        assert_eq!(es.lines().count(), en.lines().count(), "{call:?}: the same things are said");
    }
}

#[track_caller]
fn complains(arguments: &[&str], es: &str, en: &str) {
    for (lang, expected) in [("es", es), ("en", en)] {
        let run = run(&with(&["--lang", lang], arguments));
        assert_eq!((run.stderr.as_str(), run.stdout.as_str(), run.status), (expected, "", Some(2)), "{arguments:?}");
    }
}

#[test]
fn usage_errors_speak_it_too() {
    complains(
        &["verfy"],
        "error: no existe la orden «verfy»\n¿Quiso decir «verify»?\nAyuda: quipu --help\n",
        "error: there is no command “verfy”\nDid you mean “verify”?\nHelp: quipu --help\n",
    );
    complains(
        &["verify", "--jsn"],
        "error: no existe el argumento «--jsn»\n¿Quiso decir «--json»?\nAyuda: quipu verify --help\n",
        "error: there is no argument “--jsn”\nDid you mean “--json”?\nHelp: quipu verify --help\n",
    );
    complains(
        &["verify", "--jobs", "0"],
        "error: «0» no es un valor válido para «--jobs <N>»; se admite: de 1 a 256\nAyuda: quipu verify --help\n",
        "error: “0” is not a valid value for “--jobs <N>”; allowed: 1 to 256\nHelp: quipu verify --help\n",
    );
    complains(
        &["verify", "--color", "red"],
        "error: «red» no es un valor válido para «--color <auto|always|never>»; se admite: auto, always, never\n\
         Ayuda: quipu verify --help\n",
        "error: “red” is not a valid value for “--color <auto|always|never>”; allowed: auto, always, never\n\
         Help: quipu verify --help\n",
    );
    complains(
        &["verify"],
        "error: no hay nada que leer: indique archivos o carpetas, o envíe los registros por una tubería\nAyuda: quipu verify --help\n",
        "error: there is nothing to read: name files or folders, or pipe records into the command\nHelp: quipu verify --help\n",
    );
    complains(
        &["view"],
        "error: no hay nada que leer: indique archivos o carpetas, o envíe los registros por una tubería\nAyuda: quipu view --help\n",
        "error: there is nothing to read: name files or folders, or pipe records into the command\nHelp: quipu view --help\n",
    );
    complains(
        &["view", "fixtures/andes/cup.quipu"],
        "error: «quipu view» necesita una terminal, y la salida no lo es; «quipu replay» y «quipu verify» escriben texto\n\
         Ayuda: quipu view --help\n",
        "error: `quipu view` needs a terminal, and the output is not one; `quipu replay` and `quipu verify` write text\n\
         Help: quipu view --help\n",
    );
    complains(
        &["rank"],
        "error: no hay nada que leer: indique archivos o carpetas, o envíe los registros por una tubería\nAyuda: quipu rank --help\n",
        "error: there is nothing to read: name files or folders, or pipe records into the command\nHelp: quipu rank --help\n",
    );
    complains(
        &["score", "fixtures/andes/cup.quipu", "--explain", "ch"],
        "error: «ch» no figura en las partidas que cuentan; nombres parecidos: «Choque Limachi, Edwin», \
         «Cuatindioy Chindoy, Luz»\nAyuda: quipu score --help\n",
        "error: “ch” is in none of the games that count; similar names: “Choque Limachi, Edwin”, \
         “Cuatindioy Chindoy, Luz”\nHelp: quipu score --help\n",
    );
    complains(
        &["explain", "andes.99"],
        "error: no existe el código «andes.99»; «quipu explain» los enumera\ncódigos parecidos: «andes.9.2», «andes.2.4», \
         «andes.R-4», «andes.3.5», «andes.3.6»\nAyuda: quipu explain --help\n",
        "error: there is no code “andes.99”; `quipu explain` lists them\nsimilar codes: “andes.9.2”, “andes.2.4”, “andes.R-4”, \
         “andes.3.5”, “andes.3.6”\nHelp: quipu explain --help\n",
    );
    complains(
        &["position", "andes", "7/7/7/7/7/7/7", "--to", "position"],
        "error: no se puede convertir en «position»: el diagrama no tiene todos los datos, o el juego no tiene ese formato\n\
         Ayuda: quipu position --help\n",
        "error: it cannot be converted to “position”: the diagram lacks some data, or the game has no such format\n\
         Help: quipu position --help\n",
    );
    complains(
        &["verify", "--jobs", "1", "--jobs", "2"],
        "error: «--jobs <N>» no se puede repetir ni combinar así\nAyuda: quipu verify --help\n",
        "error: “--jobs <N>” cannot be repeated or combined like this\nHelp: quipu verify --help\n",
    );
    complains(
        &["completions"],
        "error: falta <SHELL>\nAyuda: quipu completions --help\n",
        "error: <SHELL> is missing\nHelp: quipu completions --help\n",
    );
}

#[test]
fn failures_speak_it_too() {
    for (lang, expected) in [
        ("es", "error: no se pudo leer a.quipu: no existe\n"),
        ("en", "error: cannot read a.quipu: it does not exist\n"),
    ] {
        let run = run(&["verify", "a.quipu", "--lang", lang]);
        assert_eq!((run.stderr.as_str(), run.status), (expected, Some(3)));
    }
}
