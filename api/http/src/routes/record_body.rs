//! Bodies of records: their media types, and the schema of records in JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use crate::route::{Content, NDJSON};
use quipu_notation::record::{clock, limits};

/// A body of any number of records.
pub(crate) const RECORDS: &[Content] = &in_any_form::<NewRecords>();
/// A body of exactly one record.
pub(crate) const ONE_RECORD: &[Content] = &in_any_form::<NewRecord>();

/// Number of media types of records.
const MEDIA_TYPES: usize = 11;

/// The media types of a form, and then those of a body of records as they are.
pub(crate) const fn form_or_records(form: [Content; 2]) -> [Content; 2 + MEDIA_TYPES] {
    let mut all = [form[0]; 2 + MEDIA_TYPES];
    all[1] = form[1];
    let mut place = 0;
    while place < MEDIA_TYPES {
        all[2 + place] = RECORDS[place];
        place += 1;
    }
    all
}

/// The media types of a body of records, with its type in JSON.
const fn in_any_form<T: JsonSchema>() -> [Content; MEDIA_TYPES] {
    [
        Content::text("text/plain"),
        Content::json::<T>(),
        Content::text(NDJSON),
        Content::text("text/csv"),
        Content::text("text/tab-separated-values"),
        Content::bytes("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        Content::bytes("application/vnd.oasis.opendocument.spreadsheet"),
        Content::bytes("application/gzip"),
        Content::bytes("application/zstd"),
        Content::bytes("application/zip"),
        Content::bytes("application/octet-stream"),
    ]
}

/// One record, or an array of records.
enum NewRecords {}

impl JsonSchema for NewRecords {
    fn schema_name() -> Cow<'static, str> {
        "NewRecords".into()
    }

    /// As a choice between two types it would be clearer, but no client that openapi-python-client generates could send
    /// such a body: it compares the body with a parameterized list, which Python refuses.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let record = generator.subschema_for::<NewRecord>();
        let fields = fields(generator);
        json_schema!({
            "not": { "type": ["string", "number", "boolean", "null"] },
            "additionalProperties": false,
            "properties": fields,
            "items": record,
            "minItems": 1
        })
    }
}

/// A record as the reader takes it: a field with `null` counts as absent, a move may be its token alone, and a comment
/// may be a list. [`Record`](super::records::Record) is the canonical form of it.
enum NewRecord {}

/// A move of such a record.
enum NewMove {}

/// A variation of such a move.
enum NewVariation {}

fn fields(generator: &mut SchemaGenerator) -> serde_json::Value {
    let value = json!({ "type": ["string", "null"], "maxLength": limits::VALUE, "pattern": r"^[^\n\r]*$" });
    json!({
        "game": value,
        "rules": value,
        "tags": {
            "type": ["object", "null"],
            "propertyNames": { "pattern": r"^[^\u0000-/:-@\[-^`{-\u00a9]+$" },
            "additionalProperties": value
        },
        "setup": value,
        "first": value,
        "comments": comments(),
        "moves": moves(generator),
        "result": value
    })
}

fn comments() -> serde_json::Value {
    let one = json!({ "type": "string", "maxLength": limits::COMMENT });
    json!({ "type": ["string", "array", "null"], "maxLength": limits::COMMENT, "items": one })
}

fn moves(generator: &mut SchemaGenerator) -> serde_json::Value {
    let one = generator.subschema_for::<NewMove>();
    json!({ "type": ["array", "null"], "items": { "anyOf": [token(), one] } })
}

/// The token of a move. Move numbers and results are none either, which the pattern does not tell.
fn token() -> serde_json::Value {
    let pattern = r"^[^\u0009-\u000d ()\[\]{}$!?;][^\u0009-\u000d ()\[\]{}$!?]*$";
    json!({ "type": "string", "maxLength": limits::TOKEN, "pattern": pattern })
}

impl JsonSchema for NewRecord {
    fn schema_name() -> Cow<'static, str> {
        "NewRecord".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let fields = fields(generator);
        json_schema!({ "type": "object", "additionalProperties": false, "properties": fields })
    }
}

impl JsonSchema for NewMove {
    fn schema_name() -> Cow<'static, str> {
        "NewMove".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let variation = generator.subschema_for::<NewVariation>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["move"],
            "properties": {
                "move": token(),
                "clock_ms": { "type": ["integer", "null"], "minimum": 0, "maximum": clock::MOST },
                "comment": comments(),
                "nags": {
                    "type": ["array", "null"],
                    "items": { "type": "integer", "minimum": 0, "maximum": limits::NAG }
                },
                "variations": { "type": ["array", "null"], "items": variation }
            }
        })
    }
}

impl JsonSchema for NewVariation {
    fn schema_name() -> Cow<'static, str> {
        "NewVariation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "properties": { "comments": comments(), "moves": moves(generator) }
        })
    }
}
