//! Stored verdicts: facts, and diagnostics with their messages of that day in both languages.

use quipu_notation::{games, record::Outcome};
use quipu_referee::{
    Count, GameEnd, Lang, Points, Status, Verdict,
    messages::catalog,
    report::{DiagnosticReport, PointsReport, VerdictReport, hex},
    termination::{self, Termination},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Id, Number};

/// A stored verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Number of its change.
    pub number: Number,
    /// The edition of the rules.
    pub edition: u32,
    /// The version of the program.
    pub program: String,
    /// The game, if known.
    pub game: Option<String>,
    /// The rule set, if known.
    pub rules: Option<String>,
    /// Status of the record.
    pub status: Status,
    /// Number of legal plies.
    pub plies: Option<u64>,
    /// Position after them.
    pub position: Option<String>,
    /// Termination, if the game has ended.
    pub termination: Option<String>,
    /// The result.
    pub result: Option<Outcome>,
    /// Points of both sides.
    pub points: Option<Points>,
    /// The diagnostics.
    pub diagnostics: Vec<StoredDiagnostic>,
    /// The id of the record, if it has one.
    pub id: Option<Id>,
}

/// A stored diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SignedDiagnostic")]
pub struct StoredDiagnostic {
    /// Code.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// Ply, from 1.
    pub ply: Option<u64>,
    /// Line of the record, from 1.
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    pub column: Option<u64>,
    /// The token.
    pub token: Option<String>,
    /// Message in Spanish.
    pub es: String,
    /// Message in English.
    pub en: String,
}

impl StoredDiagnostic {
    /// The message in a language.
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
        let end = verdict.end;
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
            termination: end.and_then(|end| end.termination).map(|row| row.name.to_owned()),
            result: end.map(|end| end.outcome),
            points: verdict.points,
            diagnostics: diagnostics.collect(),
            id: verdict.id,
        }
    }

    /// True if both verdicts have the same facts and diagnostics, whatever program, edition and wording they are of.
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

    /// The verdict without lines, columns and tokens of its diagnostics, which differ between equal records.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        for found in &mut self.diagnostics {
            (found.line, found.column, found.token) = (None, None, None);
        }
        self
    }

    /// The facts as a verdict of the referee, without diagnostics. A termination that no game has any more is omitted.
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
            end: self.result.map(|outcome| GameEnd { termination: self.termination.as_deref().and_then(end), outcome }),
            points: self.points,
            diagnostics: Vec::new(),
            advice: Vec::new(),
            id: self.id,
        }
    }

    /// The public JSON of the verdict, in one language.
    pub fn report(&self, lang: Lang) -> VerdictReport<'_> {
        let game = self.game.as_deref().and_then(games::find);
        let winner = self.result.and_then(Outcome::winner);
        VerdictReport {
            file: None,
            part: None,
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
            // Like suggestions, advice is for who can still mend the record.
            advice: Vec::new(),
            sheet_of: None,
            contradicts: None,
        }
    }
}

/// A verdict as it is signed, with its messages of that day in both languages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedVerdict {
    /// The version of the program that gave it.
    pub program: String,
    /// The game, if known.
    pub game: Option<String>,
    /// The rule set, if known.
    pub rules: Option<String>,
    /// Status of the record.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    pub status: String,
    /// Number of legal plies.
    pub plies: Option<u64>,
    /// Position after them.
    pub position: Option<String>,
    /// Termination, if the game has ended.
    pub termination: Option<String>,
    /// The result.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*", null]))]
    pub result: Option<String>,
    /// Points of both sides.
    pub points: Option<String>,
    /// True if the id is the hash of a canonical text, and not of unreadable bytes.
    pub named: bool,
    /// The diagnostics.
    pub diagnostics: Vec<StoredDiagnostic>,
}

impl SignedVerdict {
    /// The signed form of a verdict.
    pub fn new(judgement: &Judgement) -> Self {
        let judgement = judgement.clone();
        Self {
            program: judgement.program,
            game: judgement.game,
            rules: judgement.rules,
            status: judgement.status.as_str().to_owned(),
            plies: judgement.plies,
            position: judgement.position,
            termination: judgement.termination,
            result: judgement.result.map(|result| result.as_str().to_owned()),
            points: judgement.points.as_ref().map(write_points),
            named: judgement.id.is_some(),
            diagnostics: judgement.diagnostics,
        }
    }

    /// The text that is hashed: compact JSON in UTF-8, with the members in this order.
    pub fn text(&self) -> Vec<u8> {
        // Texts and numbers can always be written as JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// SHA-256 of [`SignedVerdict::text`].
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.text()).into()
    }

    /// The verdict on the record with an id, for comparison; none if a member has an unknown value.
    pub fn judgement(&self, id: Id) -> Option<Judgement> {
        let maybe = |text: &Option<String>, known: fn(&str) -> bool| text.as_deref().is_none_or(known);
        let fits = maybe(&self.result, |text| Outcome::parse(text).is_some())
            && maybe(&self.points, |text| read_points(text).is_some());
        fits.then_some(Judgement {
            number: 0,
            edition: 0,
            program: self.program.clone(),
            game: self.game.clone(),
            rules: self.rules.clone(),
            status: Status::ALL.into_iter().find(|status| status.as_str() == self.status)?,
            plies: self.plies,
            position: self.position.clone(),
            termination: self.termination.clone(),
            result: self.result.as_deref().and_then(Outcome::parse),
            points: self.points.as_deref().and_then(read_points),
            diagnostics: self.diagnostics.clone(),
            id: self.named.then_some(id),
        })
    }
}

/// Points as a text, side 1 first: `22 5 2 0;14 3 5 1`.
pub(crate) fn write_points(points: &Points) -> String {
    let mut text = String::with_capacity(32);
    for Count { points, breaks: [a, b, c] } in &points.0 {
        text.push_str(if text.is_empty() { "" } else { ";" });
        push_number(&mut text, *points);
        for number in [a, b, c] {
            text.push(' ');
            push_number(&mut text, *number);
        }
    }
    text
}

/// Appends a number. Formatting takes a thousand instructions for the eight of a game, and three rows have them.
fn push_number(text: &mut String, number: u32) {
    if number > 9 {
        push_number(text, number / 10);
    }
    text.extend(char::from_digit(number % 10, 10));
}

/// Parses the text of [`write_points`].
pub(crate) fn read_points(text: &str) -> Option<Points> {
    let side = |text: &str| {
        let mut numbers = text.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Count { points: next()?, breaks: [next()?, next()?, next()?] })
    };
    let (one, two) = text.split_once(';')?;
    let points = Points([side(one)?, side(two)?]);
    // Only the form that `write_points` writes is accepted.
    (write_points(&points) == text).then_some(points)
}
