//! JSON Schemas of what the referee's reports write, whose types know of no schemas.

use std::borrow::Cow;

use quipu_referee::{
    competition::TieBreak,
    report::{
        VerdictReport,
        competition::{EncounterReport, PlayerReport, StandingsReport},
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

/// A verdict as `record.md` writes it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Verdict<'v>(pub(crate) VerdictReport<'v>);

impl JsonSchema for Verdict<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Verdict".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = |minimum: u64| json!({ "type": ["integer", "null"], "minimum": minimum });
        let text = json!({ "type": ["string", "null"] });
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": [
                "index", "game", "rules", "status", "plies", "position", "termination", "result", "winner", "points",
                "diagnostics", "id"
            ],
            "properties": {
                "index": { "type": "integer", "minimum": 1 },
                "game": text,
                "rules": text,
                "status": { "type": "string", "enum": ["verified", "incomplete", "rejected", "unreadable"] },
                "plies": number(0),
                "position": text,
                "termination": text,
                "result": { "type": ["string", "null"], "enum": ["1-0", "0-1", "1/2-1/2", "*", null] },
                "winner": text,
                "points": {
                    "type": ["object", "null"],
                    "additionalProperties": { "type": "integer", "minimum": 0 }
                },
                "diagnostics": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["code", "severity", "ply", "line", "column", "token", "message"],
                        "properties": {
                            "code": { "type": "string" },
                            "severity": { "type": "string", "enum": ["error", "warning"] },
                            "ply": number(1),
                            "line": number(1),
                            "column": number(1),
                            "token": text,
                            "message": { "type": "string" },
                            "suggestions": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 5 }
                        }
                    }
                },
                "id": { "type": ["string", "null"], "pattern": "^[0-9a-f]{64}$" }
            }
        })
    }
}

/// The standings of one game in one event.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Table<'c>(pub(crate) StandingsReport<'c>);

impl JsonSchema for Table<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Table".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        table(&row())
    }
}

/// The same with the games of each player against each other.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct CrossTable<'c>(pub(crate) StandingsReport<'c>);

impl JsonSchema for CrossTable<'_> {
    fn schema_name() -> Cow<'static, str> {
        "CrossTable".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let game = object(&json!({ "game": count(1), "score": { "type": "number", "enum": [0, 0.5, 1] } }));
        let opponent = json!({ "name": text(), "score": figure(), "games": list(&game) });
        let mut row = row();
        row["opponents"] = list(&object(&opponent));
        table(&row)
    }
}

/// An encounter.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Encounter<'c>(pub(crate) EncounterReport<'c>);

impl JsonSchema for Encounter<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Encounter".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let two = |of: Value| json!({ "type": "array", "items": of, "minItems": 2, "maxItems": 2 });
        schema(&json!({
            "event": maybe_text(),
            "round": maybe_text(),
            "games": list(&count(1)),
            "state": { "type": "string", "enum": ["won", "tied", "open", "irregular"] },
            "players": two(text()),
            "points": two(count(0)),
            "winner": maybe_text(),
            "bonus": two(figure())
        }))
    }
}

/// What the games of an event come to for a player.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Score<'c>(pub(crate) PlayerReport<'c>);

impl JsonSchema for Score<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Score".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(&json!({
            "name": text(),
            "games": count(1),
            "won": count(0),
            "points": count(0),
            "points_with_bonus": figure(),
            "level": { "type": ["integer", "null"], "minimum": 0, "maximum": 360 },
            "tier": { "type": ["string", "null"], "enum": ["cobre", "plata", "oro", null] }
        }))
    }
}

fn table(row: &Value) -> Schema {
    let names = json!({ "type": "string", "enum": TieBreak::ALL.map(TieBreak::as_str) });
    schema(&json!({
        "game": text(),
        "event": maybe_text(),
        "tie_breaks": list(&names),
        "players": list(&object(row))
    }))
}

/// The fields of a row of standings.
fn row() -> Value {
    let maybe_figure = json!({ "type": ["number", "null"], "minimum": 0 });
    json!({
        "place": count(1),
        "name": text(),
        "games": count(1),
        "wins": count(0),
        "draws": count(0),
        "losses": count(0),
        "score": figure(),
        "tie_breaks": { "type": "object", "additionalProperties": maybe_figure }
    })
}

/// An object that has all of these fields and no other.
fn object(fields: &Value) -> Value {
    let names: Vec<_> = fields.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    json!({ "type": "object", "additionalProperties": false, "required": names, "properties": fields })
}

fn schema(fields: &Value) -> Schema {
    // An object is a schema, so this does not fail.
    Schema::try_from(object(fields)).unwrap_or_default()
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn count(minimum: u64) -> Value {
    json!({ "type": "integer", "minimum": minimum })
}

/// A number with halves or quarters.
fn figure() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn maybe_text() -> Value {
    json!({ "type": ["string", "null"] })
}
