//! `quipu completions`: completions for a shell. clap writes them; lists with commas, and in fish the values of positional
//! arguments, are added.

use std::io::Write;

use clap::ArgMatches;
use clap_complete::Shell;
use quipu_referee::competition::TieBreak;

use crate::context::{CommandResult, Context, ExitStatus, stdout};

pub(crate) fn run(_: Context, matches: &ArgMatches, mut parser: clap::Command) -> CommandResult {
    let shell = matches.get_one::<Shell>("shell").copied().expect("the parser asks for it");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut parser, "quipu", &mut script);
    let mut script = with_lists(shell, &String::from_utf8_lossy(&script));
    if shell == Shell::Fish {
        script += &positional_values(&parser);
    }
    let mut out = stdout();
    out.write_all(script.as_bytes())?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The script with completion of the tie-breaks after each comma of a list, in the shells that can.
fn with_lists(shell: Shell, script: &str) -> String {
    let names = TieBreak::ALL.map(TieBreak::as_str);
    let words = names.join(" ");
    let (from, to) = match shell {
        Shell::Bash => (
            format!(r#"compgen -W "{words}" -- "${{cur}}""#),
            format!(r#"compgen -P "${{cur%"${{cur##*,}}"}}" -W "{words}" -- "${{cur##*,}}""#),
        ),
        Shell::Zsh => (format!(":({words})'"), format!(": _values -s , tie-breaks {words}'")),
        Shell::Fish => {
            let lines: Vec<_> = names.iter().map(|name| format!("{name}\\t''")).collect();
            (format!("\"{}\"", lines.join("\n")), format!("\"(__fish_append , {words})\""))
        }
        _ => return script.to_owned(),
    };
    script.replace(&from, &to)
}

/// Lines of fish for the values of positional arguments, such as games and codes.
fn positional_values(parser: &clap::Command) -> String {
    let mut lines = String::new();
    for command in parser.get_subcommands() {
        for argument in command.get_positionals() {
            let values: Vec<_> =
                argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
            if !values.is_empty() {
                let (name, values) = (command.get_name(), values.join(" "));
                lines += &format!("complete -c quipu -n \"__fish_quipu_using_subcommand {name}\" -f -a \"{values}\"\n");
            }
        }
    }
    lines
}
