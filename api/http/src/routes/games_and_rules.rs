//! The games, and the codes of everything that can be found against a record or a request: the page that a problem's
//! `type` names.

use quipu_referee::{Lang, Severity, code::Source, codes, games, words, words::catalog};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        call::{Cache, Call},
        pages::{self, View},
        problem::{self, CODES, Problem},
        words as own,
    },
    Answered, HTML,
};

/// All games.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Games {
    /// In the order of the table.
    items: Vec<Game>,
}

/// One game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the tag that it is the value of")]
struct Game {
    /// Value of the tag `Game`.
    game: &'static str,
    /// Its name.
    name: String,
    /// Its sides, side 1 first.
    sides: Vec<Side>,
    /// Values of the tag `Rules`; the first is what holds where there is none.
    rules: Vec<&'static str>,
    /// How a game can end.
    terminations: Vec<Ending>,
    /// Whether its games count points.
    points: bool,
}

/// One side of a game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Side {
    /// Its name in verdicts.
    name: &'static str,
    /// The tag that names its player.
    tag: &'static str,
}

/// One end of a game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ending {
    /// Value of the tag `Termination`.
    termination: &'static str,
    /// The same in words.
    title: String,
}

pub(super) async fn games(call: Call) -> Answered {
    let word = |key: &str| catalog().word(key, call.lang).to_owned();
    let game = |game: &&dyn quipu_referee::Referee| {
        let notation = game.notation();
        let ends = game.ends().iter().chain(quipu_referee::termination::DECLARED);
        let board = game.board(None, None).ok();
        Game {
            game: notation.id,
            name: word(game.name()),
            sides: notation.sides.iter().map(|side| Side { name: side.name, tag: side.tag }).collect(),
            rules: game.rule_sets(),
            terminations: ends.map(|end| Ending { termination: end.name, title: word(end.word) }).collect(),
            points: board.is_some_and(|board| board.points().is_some()),
        }
    };
    let games = Games { items: games::ALL.iter().map(game).collect() };
    Ok(call.tagged(call.json(&games), Cache::Revalidate, format_args!("games")))
}

/// All codes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Rules {
    /// Those of the record, those of each game in order of precedence, and those of the service.
    items: Vec<RuleTitle>,
}

/// A code in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RuleTitle {
    /// The code.
    code: &'static str,
    /// `error` or `warning`.
    severity: &'static str,
    /// What it means, in one line.
    title: String,
}

pub(super) async fn rules(call: Call) -> Answered {
    let referee = codes::all().map(|code| RuleTitle {
        code: code.id,
        severity: code.severity.as_str(),
        title: catalog().code(code).map_or_else(String::new, |words| words.title.get(call.lang).to_owned()),
    });
    let service = CODES.iter().map(|code| RuleTitle {
        code: code.id,
        severity: Severity::Error.as_str(),
        title: own::code(code.id).map_or_else(String::new, |words| words.title.get(call.lang).to_owned()),
    });
    let rules = Rules { items: referee.chain(service).collect() };
    Ok(call.tagged(call.json(&rules), Cache::Revalidate, format_args!("rules")))
}

/// Everything that is known of a code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Rule {
    /// The code.
    pub(crate) code: &'static str,
    /// `error` or `warning`.
    pub(crate) severity: &'static str,
    /// What it means, in one line.
    pub(crate) title: String,
    /// Where the law stands: `article`, `ruling`, `follows`, `format` or `service`.
    pub(crate) source: &'static str,
    /// The article or ruling, where there is one.
    pub(crate) article: Option<&'static str>,
    /// What the law says, in both languages; null for codes of the service.
    pub(crate) law: Option<Law>,
    /// What to do instead.
    pub(crate) right: String,
    /// Something that triggers it, and its correction; null for codes of the service.
    pub(crate) example: Option<Example>,
    /// The HTTP status of a request that it is answered to.
    pub(crate) status: Option<u16>,
}

/// A law in both languages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Law {
    /// Spanish.
    pub(crate) es: String,
    /// English.
    pub(crate) en: String,
}

/// An example of a code: a record, or a position with or without a move in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Example {
    /// A record.
    pub(crate) record: Option<String>,
    /// A position.
    pub(crate) position: Option<String>,
    /// A move in it.
    pub(crate) token: Option<String>,
    /// What is right: a record, a position or a move.
    pub(crate) right: String,
}

impl Rule {
    /// What is known of a code of the referee or of the service.
    pub(crate) fn find(id: &str, lang: Lang) -> Option<Self> {
        let Some(code) = codes::find(id) else { return Self::of_service(id, lang) };
        let words = catalog().code(code)?;
        let (source, article) = match code.source {
            Source::Article(article) => ("article", Some(article)),
            Source::Ruling(ruling) => ("ruling", Some(ruling)),
            Source::Follows(article) => ("follows", Some(article)),
            Source::Format => ("format", None),
        };
        let words::Example { record, position, token, right } = words.example.clone();
        Some(Self {
            code: code.id,
            severity: code.severity.as_str(),
            title: words.title.get(lang).to_owned(),
            source,
            article,
            law: Some(Law { es: words.law.es.clone(), en: words.law.en.clone() }),
            right: words.right.get(lang).to_owned(),
            example: Some(Example { record, position, token, right }),
            status: (code.severity == Severity::Error).then_some(422),
        })
    }

    fn of_service(id: &str, lang: Lang) -> Option<Self> {
        let code = CODES.iter().find(|code| code.id == id)?;
        let words = own::code(id)?;
        Some(Self {
            code: code.id,
            severity: Severity::Error.as_str(),
            title: words.title.get(lang).to_owned(),
            source: "service",
            article: None,
            law: None,
            right: words.right.get(lang).to_owned(),
            example: None,
            status: Some(code.status),
        })
    }
}

pub(super) async fn rule(call: Call) -> Answered {
    let id = call.text("code").unwrap_or_default();
    let Some(rule) = Rule::find(id, call.lang) else {
        return Err(Problem::variant(problem::NOT_FOUND, "code").with_quoted("found", id));
    };
    let answer = match call.media {
        HTML => call.spoken(call.plain(pages::rules::page(&View::of(&call), &rule))),
        _ => call.json(&rule),
    };
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{id}")))
}
