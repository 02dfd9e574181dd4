//! Verdicts as they are kept: facts and, of what was found, the words of the day it was found in both languages.

use quipu_notation::{games, record::Outcome};
use quipu_referee::{
    Count, Finding, Lang, Points, Status, Verdict,
    report::{DiagnosticReport, PointsReport, VerdictReport, hex},
    termination::{self, Termination},
    words::catalog,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Id, Number};

/// A verdict that was given once.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The change that brought it.
    pub number: Number,
    /// The edition of the rules.
    pub edition: u32,
    /// The version of the program.
    pub program: String,
    /// The game, if known.
    pub game: Option<String>,
    /// The rule set, if known.
    pub rules: Option<String>,
    /// What became of the record.
    pub status: Status,
    /// Lawful plies.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<String>,
    /// How it ended.
    pub termination: Option<String>,
    /// The result.
    pub result: Option<Outcome>,
    /// What both sides counted.
    pub points: Option<Points>,
    /// What was found.
    pub diagnostics: Vec<StoredDiagnostic>,
    /// The id of the record, if it has one.
    pub id: Option<Id>,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SignedDiagnostic")]
pub struct StoredDiagnostic {
    /// Stable name of what was found.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// At which ply, from 1.
    pub ply: Option<u64>,
    /// Line of the record, from 1.
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    pub column: Option<u64>,
    /// The token it is about.
    pub token: Option<String>,
    /// What was said of it, in Spanish.
    pub es: String,
    /// The same in English.
    pub en: String,
}

impl StoredDiagnostic {
    /// What was said of it in a language.
    pub fn message(&self, lang: Lang) -> &str {
        match lang {
            Lang::Es => &self.es,
            Lang::En => &self.en,
        }
    }
}

impl Judgement {
    /// A verdict of this program.
    pub fn new(number: Number, verdict: &Verdict) -> Self {
        let finding = verdict.finding;
        let diagnostics = verdict.diagnostics.iter().map(|found| StoredDiagnostic {
            code: found.code().id.to_owned(),
            severity: found.severity().as_str().to_owned(),
            ply: found.ply,
            line: found.place.map(|place| place.line),
            column: found.place.map(|place| place.column),
            token: found.token.clone(),
            es: catalog().message(&found.message, Lang::Es),
            en: catalog().message(&found.message, Lang::En),
        });
        Self {
            number,
            edition: quipu_referee::verify::EDITION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            game: verdict.game.map(str::to_owned),
            rules: verdict.rules.map(str::to_owned),
            status: verdict.status,
            plies: verdict.plies,
            position: verdict.position.clone(),
            termination: finding.and_then(|finding| finding.termination).map(|row| row.name.to_owned()),
            result: finding.map(|finding| finding.outcome),
            points: verdict.points,
            diagnostics: diagnostics.collect(),
            id: verdict.id,
        }
    }

    /// Whether it says the same as another, whoever gave it and in whatever words.
    pub fn agrees(&self, other: &Self) -> bool {
        let found = |judgement: &Self| -> Vec<_> {
            let facts = |found: &StoredDiagnostic| {
                (found.code.clone(), found.severity.clone(), found.ply, found.line, found.column, found.token.clone())
            };
            judgement.diagnostics.iter().map(facts).collect()
        };
        let facts = |judgement: &Self| Self {
            number: 0,
            edition: 0,
            program: String::new(),
            diagnostics: Vec::new(),
            ..judgement.clone()
        };
        facts(self) == facts(other) && found(self) == found(other)
    }

    /// The same without the places of what was found in the bytes of the record: those are of one way to write it.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        for found in &mut self.diagnostics {
            (found.line, found.column, found.token) = (None, None, None);
        }
        self
    }

    /// The facts of it as the referee has them; what was found is left out. Ends that no game has any more are none.
    pub fn verdict(&self) -> Verdict {
        let game = self.game.as_deref().and_then(quipu_referee::games::find);
        let ends = || game.map_or(&[][..], |game| game.ends()).iter().chain(termination::DECLARED);
        let end = |name: &str| -> Option<&'static Termination> { ends().find(|end| end.name == name) };
        let rules = self.rules.as_deref();
        Verdict {
            game: game.map(|game| game.notation().id),
            rules: game.and_then(|game| game.rule_sets().into_iter().find(|name| Some(*name) == rules)),
            status: self.status,
            plies: self.plies,
            position: self.position.clone(),
            finding: self
                .result
                .map(|outcome| Finding { termination: self.termination.as_deref().and_then(end), outcome }),
            points: self.points,
            diagnostics: Vec::new(),
            id: self.id,
        }
    }

    /// The public JSON of it, in one language.
    pub fn report(&self, lang: Lang) -> VerdictReport<'_> {
        let game = self.game.as_deref().and_then(games::find);
        let winner = self.result.and_then(Outcome::winner);
        VerdictReport {
            file: None,
            index: 1,
            game: self.game.as_deref(),
            rules: self.rules.as_deref(),
            status: self.status.as_str(),
            plies: self.plies,
            position: self.position.as_deref(),
            termination: self.termination.as_deref(),
            result: self.result.map(Outcome::as_str),
            winner: game.zip(winner).map(|(game, side)| game.side(side).name),
            points: self.points.zip(game).map(|(points, game)| PointsReport::new(game, points)),
            diagnostics: self
                .diagnostics
                .iter()
                .map(|found| DiagnosticReport {
                    code: &found.code,
                    severity: &found.severity,
                    ply: found.ply,
                    line: found.line,
                    column: found.column,
                    token: found.token.as_deref(),
                    message: found.message(lang).to_owned(),
                    // They are found for who can still mend the record, and are not part of what is kept and signed.
                    suggestions: &[],
                })
                .collect(),
            id: self.id.as_ref().map(|id| hex(id)),
        }
    }
}

/// The numbers that points are made of, side 1 first: `22 5 2 0;14 3 5 1`.
pub(crate) fn write_points(points: &Points) -> String {
    let [one, two] = points.0.each_ref().map(|Count { points, breaks: [a, b, c] }| format!("{points} {a} {b} {c}"));
    one + ";" + &two
}

/// Reads what [`write_points`] wrote.
pub(crate) fn read_points(text: &str) -> Option<Points> {
    let side = |text: &str| {
        let mut numbers = text.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Count { points: next()?, breaks: [next()?, next()?, next()?] })
    };
    let (one, two) = text.split_once(';')?;
    let points = Points([side(one)?, side(two)?]);
    // Written in any other way it was not written here.
    (write_points(&points) == text).then_some(points)
}
