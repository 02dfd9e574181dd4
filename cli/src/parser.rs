//! Builds the parser from the table of commands, in the reader's language, and runs the command.

use std::{
    ffi::OsString,
    io::{Write, stdout},
};

use clap::{
    Arg, ArgAction,
    builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser},
    error::ErrorKind,
    value_parser,
};
use clap_complete::Shell;
use quipu_notation::record::{
    Encoding, Format, Outcome,
    write::{FileFormat, OutputFormat},
};
use quipu_options::Scope;
use quipu_options::look::{Picture, Theme};
use quipu_options::settings::{Kind, LEVELS};
use quipu_referee::{Lang, Status, codes, competition::TieBreak, games};

use crate::{
    args::{COLOR, text},
    command::{Action, Argument, Command, PARQUET, Shape, ValueKind},
    commands::{self, position::BOARD},
    context::{self, CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    input, language, messages, output,
    report_format::ReportFormat,
    table::CsvForm,
    usage::{self, Bounds},
    user_settings::{COLORS, LANGUAGES},
    user_settings_file, wrap,
};

/// Position of the common options in help: after a command's own.
const LAST: usize = 100;

const LANGUAGE: &str = "lang";

pub(crate) fn run(arguments: &[OsString]) -> ExitStatus {
    // Every message needs the language, help included.
    let (mut context, user) = context_of(arguments);
    if let Err(error) = user {
        return ended(context, &[], Err(error));
    }
    let lang = context.lang;
    let is_named = |command: &Command| arguments.iter().any(|argument| *argument == *command.name);
    let matches = match parser_of(lang, &is_named).try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return refused(context, &error, arguments),
    };
    let color = text(&matches, COLOR).or(context.user.color.as_deref()).map(str::to_owned);
    let color = color.as_deref();
    context.color = context::wants_color(color, &stdout());
    let (mut matches, mut commands, mut called) = (&matches, commands::ALL, Vec::new());
    while let Some((name, own)) = matches.subcommand() {
        let Some(command) = find(commands, name) else { break };
        called.push(command.name);
        matches = own;
        match command.does {
            Action::Run(run) | Action::RunWithHelp(run, _) => {
                if output::path_asked(matches).is_some() {
                    // A file is no terminal.
                    context.width = None;
                    context.color = color == Some("always");
                }
                let is_quiet = matches.try_get_one::<bool>("quiet").ok().flatten() == Some(&true);
                if !is_quiet && output::path_asked(matches).is_none() && context::is_closed(&stdout()) {
                    print_to_stderr(context.say("output.closed"));
                }
                return ended(context, &called, run(context, matches));
            }
            Action::Subcommands(own) => commands = own,
            Action::NotBuilt => return ended(context, &called, Err(not_built(context, &called))),
            Action::RunWithParser(run) => return ended(context, &called, run(context, matches, parser(lang))),
        }
    }
    ExitStatus::Usage
}

/// Language and form of the output, and the error of the user's settings or of `QUIPU_LANG`, if there is one.
fn context_of(arguments: &[OsString]) -> (Context, Result<(), CommandError>) {
    let asked = language_asked(arguments).as_deref().and_then(Lang::parse);
    let variable = language::of_variable();
    let told = asked.or(variable.as_ref().ok().copied().flatten());
    let mut context = Context::plain(told.unwrap_or_else(language::of_locale));
    context.width = context::terminal_width();
    let user = user_settings_file::read(context).map(|user| {
        // Read once, and used until the end of the program.
        context.user = Box::leak(Box::new(user));
        context.lang = told.or(context.user.lang).unwrap_or(context.lang);
    });
    context.color = context::wants_color(context.user.color.as_deref(), &stdout());
    let user = user.and_then(|()| match variable {
        Err(found) if asked.is_none() => {
            let (argument, known) = (language::VARIABLE, LANGUAGES.join(", "));
            let what = context.fill("usage.choice", &[("argument", &argument), ("found", &found), ("known", &known)]);
            Err(CommandError::Usage(what))
        }
        _ => Ok(()),
    });
    (context, user)
}

/// The command of a name in a table.
fn find<'c>(commands: &'c [Command], name: &str) -> Option<&'c Command> {
    commands.iter().find(|command| command.name == name)
}

/// The error about a command that is not compiled in, with the line that builds it.
fn not_built(context: Context, called: &[&str]) -> CommandError {
    CommandError::Usage(context.fill("command.not-built", &[("command", &called.join(" "))]))
}

/// Prints the reason why a command stopped, if it did.
fn ended(context: Context, called: &[&str], outcome: CommandResult) -> ExitStatus {
    match outcome {
        Ok(status) => status,
        Err(CommandError::Closed) => ExitStatus::Clean,
        Err(CommandError::Usage(message)) => {
            print_to_stderr(context.fill("error", &[("what", &message)]));
            print_to_stderr(usage::hint(context, called));
            ExitStatus::Usage
        }
        Err(CommandError::Failed(message)) => {
            print_to_stderr(context.fill("error", &[("what", &message)]));
            ExitStatus::Failed
        }
        Err(CommandError::Device(error)) => {
            let (file, error) = (context.say("output.stdout"), input::reason(context, &error));
            let what = context.fill("output.failed", &[("file", &file), ("error", &error)]);
            print_to_stderr(context.fill("error", &[("what", &what)]));
            ExitStatus::Failed
        }
    }
}

/// The value of `--lang`, at any position.
fn language_asked(arguments: &[OsString]) -> Option<String> {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--").collect();
    words.iter().enumerate().find_map(|(index, word)| match word.strip_prefix("--lang") {
        Some("") => words.get(index + 1).map(|value| value.clone().into_owned()),
        Some(value) => value.strip_prefix('=').map(str::to_owned),
        None => None,
    })
}

/// Prints help and version to standard output, and any other error in the reader's language.
fn refused(context: Context, error: &clap::Error, arguments: &[OsString]) -> ExitStatus {
    let called = called(arguments);
    let shown = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Some(wrap::help(&error.render().to_string(), context.width))
        }
        // The program alone, or a group of commands, is asked for its commands.
        ErrorKind::MissingSubcommand => Some(usage::help(parser(context.lang), context, &called)),
        _ => None,
    };
    if let Some(shown) = shown {
        let printed = stdout().write_all(shown.as_bytes()).map_err(CommandError::from);
        return ended(context, &[], printed.map(|()| ExitStatus::Clean));
    }
    for line in usage::complaint(context, error, &called) {
        print_to_stderr(line);
    }
    ExitStatus::Usage
}

/// The names of the command and its subcommand, as far as they were given.
fn called(arguments: &[OsString]) -> Vec<&'static str> {
    let (mut called, mut commands) = (Vec::new(), commands::ALL);
    for argument in arguments {
        let Some(command) = argument.to_str().and_then(|name| find(commands, name)) else { continue };
        called.push(command.name);
        match command.does {
            Action::Run(_) | Action::RunWithHelp(..) | Action::RunWithParser(_) | Action::NotBuilt => break,
            Action::Subcommands(own) => commands = own,
        }
    }
    called
}

/// The parser in one language.
fn parser(lang: Lang) -> clap::Command {
    parser_of(lang, &|_| true)
}

/// The parser in one language with the arguments of the commands that can be called. With those of all commands it takes ten
/// times as long to make.
fn parser_of(lang: Lang, can_be_called: &dyn Fn(&Command) -> bool) -> clap::Command {
    let say = |key: &str| messages::get(key, lang);
    let template = |usage: &str| {
        let usage_word = say("help.usage");
        format!("{{about}}\n\n{usage_word} {usage}\n\n{{all-args}}{{after-help}}")
    };
    let mut parser = clap::Command::new("quipu")
        .version(env!("CARGO_PKG_VERSION"))
        .about(say("quipu.about"))
        .after_help(say("quipu.more"))
        .help_template(template(say("quipu.usage")))
        .subcommand_help_heading(say("help.commands"))
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .display_order(LAST)
                .help(say("help.version"))
                .help_heading(say("help.options")),
        )
        .args(shared(lang));
    for command in commands::ALL {
        parser = parser.subcommand(subcommand(command, &[], &template("{usage}"), lang, can_be_called));
    }
    parser
}

fn shared(lang: Lang) -> [Arg; 3] {
    let say = |key: &str| messages::get(key, lang);
    let heading = say("help.options");
    let choice = |name: &'static str, value: &'static str, values: &'static [&'static str]| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(PossibleValuesParser::new(values))
            .hide_possible_values(true)
            .global(true)
            .display_order(LAST)
            .help_heading(heading)
    };
    [
        choice(LANGUAGE, "es|en", &LANGUAGES).value_parser(LanguageParser).help(say("help.lang")),
        choice(COLOR, "auto|always|never", &COLORS).help(say("help.color")),
        Arg::new("help")
            .long("help")
            .short('h')
            .action(ArgAction::Help)
            .global(true)
            .display_order(LAST)
            .help(say("help.help"))
            .help_heading(heading),
    ]
}

/// The parser of a command and its subcommands; `before` are the names of its parents. One that cannot be called has no
/// arguments.
fn subcommand(
    command: &Command,
    before: &[&str],
    template: &str,
    lang: Lang,
    can_be_called: &dyn Fn(&Command) -> bool,
) -> clap::Command {
    let path = [before, &[command.name]].concat();
    let say = |key: &str| messages::get(&format!("{}.{key}", path.join(".")), lang);
    let bare = clap::Command::new(command.name).about(say("about")).disable_help_flag(true).disable_version_flag(true);
    if !can_be_called(command) {
        return bare;
    }
    let arguments: Vec<_> = (0..)
        .zip(command.arguments)
        .map(|(order, argument)| to_clap(*argument, say(argument.name), lang).display_order(order))
        .collect();
    let options = messages::get("help.some-options", lang);
    let mut usage = format!("quipu {}", path.join(" "));
    match command.does {
        Action::Run(_) | Action::RunWithHelp(..) | Action::RunWithParser(_) | Action::NotBuilt => {
            usage.extend([" ", options]);
        }
        Action::Subcommands(_) => usage.extend([" ", messages::get("help.a-command", lang), " ", options]),
    }
    for argument in arguments.iter().filter(|argument| argument.is_positional()) {
        usage.extend([" ", &argument.to_string()]);
    }
    let more = match command.does {
        Action::Run(_) | Action::RunWithParser(_) | Action::NotBuilt | Action::Subcommands(_) => say("more").to_owned(),
        Action::RunWithHelp(_, guide) => say("more").to_owned() + &guide(lang),
    };
    let mut parser = bare.after_help(more).override_usage(usage).help_template(template.to_owned()).args(arguments);
    if let Action::Subcommands(own) = command.does {
        parser = parser
            .subcommand_help_heading(messages::get("help.commands", lang))
            .subcommand_required(true)
            .disable_help_subcommand(true);
        for command in own {
            parser = parser.subcommand(subcommand(command, &path, template, lang, can_be_called));
        }
    }
    parser
}

fn to_clap(Argument { name, former, shape }: Argument, help: &'static str, lang: Lang) -> Arg {
    let arg = Arg::new(name).aliases(former).help(help);
    let options = messages::get("help.options", lang);
    let arguments = messages::get("help.arguments", lang);
    match shape {
        Shape::Flag => arg.long(name).action(ArgAction::SetTrue).help_heading(options),
        Shape::ShortFlag(short) => arg.long(name).short(short).action(ArgAction::SetTrue).help_heading(options),
        Shape::Maybe(values) => {
            let usual = match values {
                ValueKind::Csv => CsvForm::Plain.as_str(),
                _ => "",
            };
            with_values(arg.long(name).num_args(0..=1).require_equals(true), values, lang)
                .default_missing_value(usual)
                .help_heading(options)
        }
        Shape::Option(values) => with_values(arg.long(name), values, lang).help_heading(options),
        Shape::Short(short, values) => with_values(arg.long(name).short(short), values, lang).help_heading(options),
        Shape::Options(values) => {
            with_values(arg.long(name).action(ArgAction::Append), values, lang).help_heading(options)
        }
        Shape::Setting(setting) => {
            let arg = arg.long(name).help_heading(options);
            let shown = |key| messages::get(key, lang);
            match setting.kind() {
                Kind::Path => with_values(arg, ValueKind::Folder, lang),
                Kind::Flag => {
                    arg.value_name("true|false").num_args(0..=1).require_equals(true).default_missing_value("true")
                }
                Kind::Level => arg.value_name(LEVELS.join("|")),
                Kind::Address => arg.value_name(shown("value.address")),
                Kind::Url | Kind::Database => arg.value_name("URL"),
                Kind::Number(_) => arg.value_name(shown("value.number")),
                Kind::Size(_) => arg.value_name(shown("value.size")),
                Kind::Time(_) => arg.value_name(shown("value.time")),
            }
        }
        Shape::Word { required, values } => with_values(arg.required(required), values, lang).help_heading(arguments),
        Shape::Names(values) => with_values(arg.num_args(0..), values, lang).help_heading(arguments),
        Shape::Words(shown) => arg
            .num_args(0..)
            .value_name(messages::get(shown, lang))
            .value_parser(value_parser!(OsString))
            .help_heading(arguments),
    }
}

fn with_values(arg: Arg, values: ValueKind, lang: Lang) -> Arg {
    let say = |key: &str| messages::get(key, lang);
    let choices = |arg: Arg, names: Vec<&'static str>| {
        arg.value_name(names.join("|")).value_parser(PossibleValuesParser::new(names)).hide_possible_values(true)
    };
    match values {
        ValueKind::Text(shown) => arg.value_name(say(shown)).allow_hyphen_values(true),
        ValueKind::Name(shown) => arg.value_name(say(shown)),
        ValueKind::Path => arg.value_name(say("value.file")).value_parser(value_parser!(OsString)),
        ValueKind::PathOr(shown) => arg.value_name(say(shown)).value_parser(value_parser!(OsString)),
        ValueKind::Folder => arg.value_name(say("value.folder")).value_parser(value_parser!(OsString)),
        ValueKind::Number(shown, least, most) => {
            let bounds = Bounds { least: least.into(), most: most.into() };
            let number =
                move |found: &str| bounds.number(found).and_then(|number| u32::try_from(number).map_err(|_| bounds));
            arg.value_name(say(shown)).value_parser(number)
        }
        ValueKind::Long(shown) => {
            let bounds = Bounds { least: 0, most: u64::MAX };
            arg.value_name(say(shown)).value_parser(move |found: &str| bounds.number(found))
        }
        ValueKind::Command => {
            let names = commands::ALL.iter().flat_map(|command| match command.does {
                Action::Subcommands(own) => [command].into_iter().chain(own).map(|command| command.name).collect(),
                _ => vec![command.name],
            });
            suggested(arg.value_name(say("value.command")), names.collect())
        }
        ValueKind::Code => suggested(arg.value_name(say("value.code")), codes::all().map(|code| code.id).collect()),
        ValueKind::TieBreaks => {
            suggested(arg.value_name(say("value.list")), TieBreak::ALL.map(TieBreak::as_str).to_vec())
        }
        ValueKind::Report => choices(arg, ReportFormat::ALL.map(ReportFormat::as_str).to_vec()),
        ValueKind::Csv => choices(arg, CsvForm::ALL.map(CsvForm::as_str).to_vec()),
        ValueKind::PositionFormat => {
            let mut forms: Vec<_> = games::ALL.iter().flat_map(|game| game.forms()).copied().collect();
            forms.push(BOARD);
            let mut seen = std::collections::BTreeSet::new();
            forms.retain(|form| seen.insert(*form));
            choices(arg, forms)
        }
        ValueKind::Read => {
            let written = OutputFormat::ALL.map(OutputFormat::as_str);
            let others = Format::ALL.map(Format::as_str).into_iter().filter(|name| !written.contains(name));
            choices(arg, written.into_iter().chain(others).collect())
        }
        ValueKind::Written => choices(arg, FileFormat::names()),
        ValueKind::Exported => choices(arg, FileFormat::names().into_iter().chain([PARQUET]).collect()),
        ValueKind::Encoding => {
            let known = |name: &str| Encoding::find(name).map(|_| name.to_owned()).ok_or_else(String::new);
            arg.value_name(say("value.encoding")).value_parser(known)
        }
        ValueKind::Game => {
            let names: Vec<_> = games::ALL.iter().map(|game| game.notation().id).collect();
            let help = format!("{}: {}", arg.get_help().cloned().unwrap_or_default(), names.join(", "));
            choices(arg, names).value_name(say("value.game")).help(help)
        }
        ValueKind::Picture => choices(arg, Picture::ALL.map(Picture::as_str).to_vec()),
        ValueKind::Sheet => choices(arg, Picture::SHEETS.map(Picture::as_str).to_vec()),
        ValueKind::Theme => choices(arg, Theme::ALL.map(Theme::as_str).to_vec()),
        ValueKind::Scope => choices(arg, Scope::ALL.map(Scope::as_str).to_vec()),
        ValueKind::Result => choices(arg, Outcome::ALL.map(Outcome::as_str).to_vec()),
        ValueKind::Choice(words) => choices(arg, words.to_vec()),
        ValueKind::Status => choices(arg, Status::ALL.map(Status::as_str).to_vec()),
        ValueKind::Shell => {
            arg.value_name(say("value.shell")).value_parser(value_parser!(Shell)).hide_possible_values(true)
        }
    }
}

/// An argument that takes any text; shells complete these values.
fn suggested(arg: Arg, values: Vec<&'static str>) -> Arg {
    arg.value_parser(SuggestedParser(values)).hide_possible_values(true)
}

/// Takes any text, and names the values that shells complete.
#[derive(Clone)]
struct SuggestedParser(Vec<&'static str>);

impl TypedValueParser for SuggestedParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// Takes the tags of a language: `es`, `EN`, `en_US`, `es-AR`.
#[derive(Clone)]
struct LanguageParser;

impl TypedValueParser for LanguageParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        match value.to_str().and_then(Lang::parse) {
            Some(lang) => Ok(lang.as_str().to_owned()),
            None => PossibleValuesParser::new(LANGUAGES).parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(LANGUAGES.iter().map(PossibleValue::new)))
    }
}
