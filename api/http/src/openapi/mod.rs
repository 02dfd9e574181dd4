//! The OpenAPI document, built from the routes, the codes, the types of the responses, and recorded examples.

use actix_web::web::Bytes;
use quipu_referee::Lang;
use schemars::{Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use super::{messages, problem::ProblemDocument, route::Route};

pub(crate) mod examples;
mod headers;
mod operation;
mod words;

pub(crate) use words::param_words;

/// The document of some routes in one language.
pub(crate) struct Document {
    pub(crate) value: Value,
    /// The same as bytes, indented, so that two versions can be compared line by line.
    pub(crate) json: Bytes,
}

impl Document {
    pub(super) fn new<'r>(routes: impl Iterator<Item = &'r Route>, lang: Lang, private: bool) -> Self {
        let value = build(routes, lang, private);
        let mut json = serde_json::to_vec_pretty(&value).unwrap_or_default();
        json.push(b'\n');
        Self { value, json: json.into() }
    }
}

/// The place of the schema of problems.
const PROBLEM: &str = "#/components/schemas/Problem";

fn build<'r>(routes: impl Iterator<Item = &'r Route>, lang: Lang, private: bool) -> Value {
    let word = |key: &str| messages::get(key, lang);
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(bound)));
    });
    let generator = settings.into_generator();
    let mut shared = operation::Shared { lang, private, generator, responses: Map::new() };
    let problem = shared.generator.subschema_for::<ProblemDocument>();
    debug_assert_eq!(problem.get("$ref"), Some(&PROBLEM.into()));
    let mut paths: Map<String, Value> = Map::new();
    let mut groups: Vec<&str> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = shared.operation(route);
    }
    let mut schemas = shared.generator.take_definitions(true);
    for (name, schema) in &mut schemas {
        words::describe(name, schema, lang);
    }
    let tag = |group: &&str| json!({ "name": group, "description": word(&format!("group.{group}")) });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "quipu",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": word("docs.summary"),
            "description": word("docs.about"),
            "contact": { "name": word("docs.contact") },
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "tags": groups.iter().map(tag).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": shared.responses,
            "headers": headers::headers(lang),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": word("docs.token") }
            }
        }
    })
}

/// Gives an integer of 32 or 64 bits the maximum of its type, which JSON does not have.
fn bound(schema: &mut Schema) {
    let max: Value = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => u32::MAX.into(),
        Some("uint" | "uint64") => u64::MAX.into(),
        Some("int64") => i64::MAX.into(),
        _ => return,
    };
    schema.ensure_object().entry("maximum").or_insert(max);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Value {
        build(crate::table::api(), Lang::En, false)
    }

    fn walk(value: &Value, each: &mut impl FnMut(&Map<String, Value>)) {
        match value {
            Value::Object(object) => {
                each(object);
                object.values().for_each(|value| walk(value, each));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, each)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = whole();
        let mut found = 0;
        walk(&document, &mut |object| {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                found += 1;
                let pointer = reference.strip_prefix('#').expect("a place in this document");
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
        });
        assert!(found > 0);
    }

    #[test]
    fn every_integer_has_a_maximum() {
        let mut found = 0;
        walk(&whole()["components"]["schemas"], &mut |object| {
            if object.get("format").and_then(Value::as_str).is_some_and(|format| format.contains("int")) {
                found += 1;
                assert!(object.contains_key("maximum"), "{object:?}");
            }
        });
        assert!(found > 0);
    }

    #[test]
    fn every_field_has_words() {
        let document = whole();
        let mut missing = Vec::new();
        for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
            if words::type_words(name, Lang::Es).is_none() {
                missing.push(format!("schema.{name}"));
            }
            walk(schema, &mut |object| {
                let fields = object.get("properties").and_then(Value::as_object);
                for field in fields.into_iter().flat_map(Map::keys) {
                    if words::field_words(name, field, Lang::Es).is_none() {
                        missing.push(format!("field.{name}.{field}"));
                    }
                }
            });
        }
        assert!(missing.is_empty(), "messages.toml lacks {missing:#?}");
    }
}
