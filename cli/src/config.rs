//! Configuration of the service: each setting from its default, the file, a variable or a flag, in rising precedence,
//! and the origin of its value. Names and bounds come from the table of settings.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use etcetera::BaseStrategy;
use quipu_files::names;
use quipu_notation::LineColumn;
use quipu_options::settings::{Kind, LEVELS, SETTINGS, Setting, Settings};
use toml::de::DeValue;

use crate::{
    context::{CommandError, Context, harmless, print_to_stderr},
    language,
    toml_file::{Entry, TomlFile},
    user_settings::PAGER_VARIABLE,
};

/// The variable that names another configuration file.
const VARIABLE: &str = "QUIPU_CONFIG";
/// The variable with the token of `quipu watch`.
pub(crate) const TOKEN_VARIABLE: &str = "QUIPU_TOKEN";
/// Prefix of the variables of this program.
const PREFIX: &str = "QUIPU_";
/// Variables of this program that are no settings of the service.
const OTHERS: [&str; 4] = [VARIABLE, language::VARIABLE, PAGER_VARIABLE, TOKEN_VARIABLE];

/// All settings with the origins of their values.
pub(crate) struct Config {
    /// The effective values.
    pub(crate) settings: Settings,
    /// The origins, in the order of the table.
    origins: Vec<Origin>,
}

/// Origin of a value.
enum Origin {
    Default,
    File { name: String, place: LineColumn },
    Variable(String),
    Flag(String),
}

/// A setting and the text given for it.
type GivenValue = (&'static Setting, String);

impl Config {
    /// Reads the configuration of a command, which may have any of the settings as flags.
    ///
    /// # Errors
    /// If a file cannot be read, or a value is not valid.
    pub(crate) fn read(context: Context, matches: &ArgMatches) -> Result<Self, CommandError> {
        let (variables, flags) = (variables(context)?, flags(context, matches)?);
        let folder = data_among(&flags).or(data_among(&variables)).map(PathBuf::from).or_else(data_of_platform);
        let mut config = Self {
            settings: Settings { data: folder.clone().unwrap_or_default(), ..Settings::default() },
            origins: SETTINGS.iter().map(|_| Origin::Default).collect(),
        };
        let named = matches.try_get_one::<OsString>("config").ok().flatten().cloned().or_else(|| env::var_os(VARIABLE));
        let inside = folder.map(|folder| folder.join(names::SETTINGS));
        match (named, inside) {
            (Some(path), _) => config.take_file(context, Path::new(&path), false)?,
            (None, Some(path)) => config.take_file(context, &path, true)?,
            (None, None) => {}
        }
        for (setting, text) in variables {
            config.set(context, setting, &text, Origin::Variable(setting.variable()))?;
        }
        for (setting, text) in flags {
            config.set(context, setting, &text, Origin::Flag(setting.flag()))?;
        }
        if config.settings.data.as_os_str().is_empty() {
            return Err(CommandError::Usage(context.say("config.no-folder").to_owned()));
        }
        match config.settings.contradiction() {
            None => Ok(config),
            Some(pair) => Err(CommandError::Usage(config.contradiction(context, pair))),
        }
    }

    /// Prints the configuration as a file that can be read again, each setting with its origin.
    ///
    /// # Errors
    /// Any error of `out`.
    pub(crate) fn print(&self, context: Context, out: &mut impl Write) -> io::Result<()> {
        SETTINGS.iter().zip(&self.origins).try_for_each(|(setting, origin)| {
            writeln!(out, "{}  # {}", setting.line(&self.settings), origin.tell(context))
        })
    }

    fn set(&mut self, context: Context, setting: &Setting, text: &str, origin: Origin) -> Result<(), CommandError> {
        setting.set(&mut self.settings, text).map_err(|kind| wrong(context, setting, text, &kind, &origin))?;
        let own = SETTINGS.iter().zip(&mut self.origins).find(|(other, _)| other.name == setting.name);
        if let Some((_, own)) = own {
            *own = origin;
        }
        Ok(())
    }

    /// Applies a file. The file in the data folder is optional, and cannot set that folder.
    fn take_file(&mut self, context: Context, path: &Path, inside: bool) -> Result<(), CommandError> {
        let Some(file) = TomlFile::read(context, path, inside)? else { return Ok(()) };
        file.each(context, |Entry { key, at, value, text }| {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.key() == *key) else {
                let known = SETTINGS.iter().map(Setting::key).collect::<Vec<_>>().join(", ");
                let key = harmless(key);
                return Err(file.fault(at, &context.fill("config.unknown-key", &[("key", &key), ("known", &known)])));
            };
            if inside && setting.kind() == Kind::Path {
                return Err(file.fault(at, &context.fill("config.data-inside", &[("key", &setting.key())])));
            }
            let origin = Origin::File { name: file.name().to_owned(), place: file.place(at) };
            match scalar(value) {
                Some((text, quoted)) if quoted || setting.kind() != Kind::Path => {
                    self.set(context, setting, &text, origin)
                }
                _ => Err(wrong(context, setting, text, &setting.kind(), &origin)),
            }
        })
    }

    fn contradiction(&self, context: Context, pair: [&Setting; 2]) -> String {
        let [(first, first_value, first_origin), (second, second_value, second_origin)] = pair.map(|setting| {
            let own = SETTINGS.iter().zip(&self.origins).find(|(other, _)| other.name == setting.name);
            let origin = own.map(|(_, origin)| origin.tell(context)).unwrap_or_default();
            (setting.key(), setting.show(&self.settings), origin)
        });
        context.fill(
            "config.contradiction",
            &[
                ("first", &first),
                ("first_value", &first_value),
                ("first_origin", &first_origin),
                ("second", &second),
                ("second_value", &second_value),
                ("second_origin", &second_origin),
            ],
        )
    }
}

impl Origin {
    /// The origin for people.
    fn tell(&self, context: Context) -> String {
        match self {
            Self::Default => context.say("config.default").to_owned(),
            Self::File { name, place } => format!("{name}:{}:{}", place.line, place.column),
            Self::Variable(name) => context.fill("config.variable", &[("name", name)]),
            Self::Flag(name) => context.fill("config.flag", &[("name", name)]),
        }
    }
}

/// The error about an invalid value: its origin, the value, and the permitted ones.
fn wrong(context: Context, setting: &Setting, found: &str, kind: &Kind, origin: &Origin) -> CommandError {
    let between = |key: &str, [least, most]: &[String; 2]| {
        let bounds = context.fill("config.between", &[("least", least), ("most", most)]);
        format!("{}, {bounds}", context.say(key))
    };
    let right = match kind {
        Kind::Path => context.say("config.right.path").to_owned(),
        Kind::Address => context.say("config.right.address").to_owned(),
        Kind::Url => context.say("config.right.url").to_owned(),
        Kind::Database => context.say("config.right.database").to_owned(),
        Kind::Flag => "true, false".to_owned(),
        Kind::Level => LEVELS.join(", "),
        Kind::Number(bounds) => between("config.right.number", bounds),
        Kind::Size(bounds) => between("config.right.size", bounds),
        Kind::Time(bounds) => between("config.right.time", bounds),
    };
    let (origin, key, found) = (origin.tell(context), setting.key(), harmless(found));
    CommandError::Usage(
        context.fill("config.wrong", &[("origin", &origin), ("key", &key), ("found", &found), ("right", &right)]),
    )
}

/// The text of a value in a file, and true if it is quoted there.
fn scalar(value: &DeValue<'_>) -> Option<(String, bool)> {
    match value {
        DeValue::String(text) => Some((text.clone().into_owned(), true)),
        DeValue::Boolean(value) => Some((value.to_string(), false)),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some((number.to_string(), false))
        }
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Settings from the environment. Unknown variables with our prefix get a warning.
fn variables(context: Context) -> Result<Vec<GivenValue>, CommandError> {
    let mut given = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX) && !OTHERS.contains(name)) else {
            continue;
        };
        match SETTINGS.iter().find(|setting| setting.variable() == name) {
            Some(setting) => given.push((setting, text(context, &value, &Origin::Variable(name.to_owned()))?)),
            None => print_to_stderr(context.fill("config.unknown-variable", &[("name", &name)])),
        }
    }
    Ok(given)
}

/// Settings from the command line.
fn flags(context: Context, matches: &ArgMatches) -> Result<Vec<GivenValue>, CommandError> {
    let mut given = Vec::new();
    for setting in &SETTINGS {
        let value = match setting.kind() {
            Kind::Path => matches.try_get_one::<OsString>(setting.name).ok().flatten().cloned(),
            _ => matches.try_get_one::<String>(setting.name).ok().flatten().map(OsString::from),
        };
        if let Some(value) = value {
            given.push((setting, text(context, &value, &Origin::Flag(setting.flag()))?));
        }
    }
    Ok(given)
}

fn text(context: Context, value: &OsStr, origin: &Origin) -> Result<String, CommandError> {
    let text = value.to_str().map(str::to_owned);
    text.ok_or_else(|| CommandError::Usage(format!("{}: {}", origin.tell(context), context.say("io.utf8"))))
}

/// The data folder, if it is among these settings.
fn data_among(given: &[GivenValue]) -> Option<&str> {
    given.iter().find(|(setting, _)| setting.kind() == Kind::Path).map(|(_, text)| text.as_str())
}

/// The data folder of a user who gives none, without reading a file.
pub(crate) fn usual_folder() -> Option<PathBuf> {
    let setting = SETTINGS.iter().find(|setting| setting.kind() == Kind::Path)?;
    env::var_os(setting.variable()).map(PathBuf::from).or_else(data_of_platform)
}

/// The data folder of the system for this program.
fn data_of_platform() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|folders| folders.data_dir().join("quipu"))
}
