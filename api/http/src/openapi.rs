//! The OpenAPI document, built from the routes, the codes and the types of the responses.

use actix_web::web::Bytes;
use quipu_referee::Lang;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    messages,
    params::{Kind, Location, Param},
    problem::{self, Code, Document},
    route::{Access, Content, HTML, Method, Route},
};

/// The document of these routes in one language.
pub(super) fn document(routes: &[&Route], lang: Lang, private: bool) -> Bytes {
    let document = build(routes, lang, private);
    serde_json::to_vec(&document).unwrap_or_default().into()
}

fn build(routes: &[&Route], lang: Lang, private: bool) -> Value {
    let word = |key: &str| messages::get(key, lang);
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let problem = generator.subschema_for::<Document>().to_value();
    let mut paths: Map<String, Value> = Map::new();
    let mut groups: Vec<&str> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
        let operation = operation(route, lang, private, &mut generator, &problem);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        let method = match route.method {
            Method::Get => "get",
            Method::Post => "post",
            Method::Put => "put",
        };
        path[method] = operation;
    }
    let mut schemas = generator.take_definitions(true);
    for (name, schema) in &mut schemas {
        describe(name, schema, lang);
    }
    let tag = |group: &&str| json!({ "name": group, "description": word(&format!("group.{group}")) });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "quipu",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": word("docs.summary"),
            "description": word("docs.about"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "tags": groups.iter().map(tag).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": headers(lang),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": word("docs.token") }
            }
        }
    })
}

fn operation(route: &Route, lang: Lang, private: bool, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut operation = json!({
        "operationId": route.id,
        "tags": [route.group],
        "summary": messages::get(&format!("route.{}", route.id), lang),
        "security": security(route.access, private),
        "responses": responses(route, lang, generator, problem)
    });
    if let Some(more) = messages::find(&format!("route.{}.more", route.id), lang) {
        operation["description"] = more.into();
    }
    if !route.params.is_empty() {
        operation["parameters"] = route.params.iter().map(|param| parameter(route, param, lang)).collect();
    }
    if !route.body.is_empty() {
        // For text, a schema can only require that it is not blank, and for bytes nothing.
        let text = json!({ "type": "string", "pattern": "\\S" });
        operation["requestBody"] = json!({ "required": true, "content": content(route.body, &text, generator) });
    }
    operation
}

fn security(access: Access, private: bool) -> Value {
    match access {
        Access::Open => json!([]),
        Access::Read if private => json!([{ "token": [] }]),
        Access::Read => json!([{}, { "token": [] }]),
        Access::Scope(scope) => json!([{ "token": [scope.as_str()] }]),
    }
}

fn parameter(route: &Route, param: &Param, lang: Lang) -> Value {
    let mut parameter = json!({
        "name": param.name,
        "in": param.location.as_str(),
        "required": param.required,
        "description": param_words(route, param, lang).unwrap_or_default(),
        "schema": param.kind.schema()
    });
    if param.blank {
        let description =
            format!("{} {}", param_words(route, param, lang).unwrap_or_default(), messages::get("param.blank", lang));
        parameter["description"] = description.into();
        parameter["schema"] = json!({ "anyOf": [param.kind.schema(), { "type": "string", "maxLength": 0 }] });
    }
    if matches!(param.kind, Kind::Choices(_)) {
        parameter["style"] = "form".into();
        parameter["explode"] = false.into();
    }
    parameter
}

/// The words of a parameter: those of this route, or else those of all routes.
pub(super) fn param_words(route: &Route, param: &Param, lang: Lang) -> Option<&'static str> {
    let own = format!("param.{}.{}", route.id, param.name);
    messages::find(&own, lang).or_else(|| messages::find(&format!("param.{}", param.name), lang))
}

/// The content of each media type. `text` is the schema of text.
fn content(content: &[Content], text: &Value, generator: &mut SchemaGenerator) -> Value {
    let of = |content: &Content| {
        let schema = match content.schema {
            Some(schema) => Some(schema(generator).to_value()),
            None => content.media.starts_with("text/").then(|| text.clone()),
        };
        (content.media.to_owned(), schema.map_or_else(|| json!({}), |schema| json!({ "schema": schema })))
    };
    Value::Object(content.iter().map(of).collect())
}

fn responses(route: &Route, lang: Lang, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut responses = Map::new();
    for answer in route.answers {
        let status = answer.status.to_string();
        let own = messages::find(&format!("answer.{}.{status}", route.id), lang);
        let description = own.or_else(|| messages::find(&format!("answer.{status}"), lang)).unwrap_or_default();
        let content = content(answer.content, &json!({ "type": "string" }), generator);
        let headers = headers_of(route, answer.status);
        let response = json!({ "description": description, "headers": headers, "content": content });
        responses.insert(status, response);
    }
    if route.method == Method::Get {
        let response = json!({ "description": messages::get("answer.304", lang), "headers": headers_of(route, 304) });
        responses.insert("304".to_owned(), response);
    }
    let mut codes: Vec<Code> = route.problems().collect();
    codes.sort_by_key(|code| code.status);
    for same in codes.chunk_by(|one, other| one.status == other.status) {
        let describe = |code: &Code| {
            let title = messages::code(code.id).map_or("", |words| words.title.get(lang));
            format!("`{}`: {title}.", code.id)
        };
        let status = same.first().map_or(problem::INTERNAL.status, |code| code.status);
        let description = same.iter().map(describe).collect::<Vec<_>>().join("\n");
        let page = json!({ "schema": { "type": "string" } });
        let content = json!({ problem::MEDIA_TYPE: { "schema": problem }, HTML: page });
        let headers = headers_of(route, status);
        let response = json!({ "description": description, "headers": headers, "content": content });
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

/// All response headers with their schemas. Their words are `header.<name>`.
fn headers(lang: Lang) -> Value {
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let number = || json!({ "type": "integer", "minimum": 0 });
    // The flag is true for headers that are present wherever `headers_of` names them.
    let all = [
        ("X-Request-Id", true, text("^[A-Za-z0-9_.-]{1,64}$")),
        ("RateLimit", false, text("^\"(address|token)\";r=[0-9]+$")),
        ("RateLimit-Policy", false, text("^\"(address|token)\";q=[0-9]+;w=60$")),
        ("ETag", false, text("^\"[!#-~]+\"$")),
        ("Idempotency-Replayed", false, json!({ "type": "string", "enum": ["true"] })),
        ("Link", false, text("^<[^>]+>; rel=\"")),
        ("Location", true, json!({ "type": "string", "format": "uri-reference" })),
        ("Quipu-Last-Change", true, number()),
        ("Retry-After", false, number()),
        ("WWW-Authenticate", true, text("^Bearer realm=\"quipu\"")),
    ];
    let header = |(name, required, schema): (&str, bool, Value)| {
        let description = messages::get(&format!("header.{name}"), lang);
        (name.to_owned(), json!({ "description": description, "required": required, "schema": schema }))
    };
    Value::Object(all.into_iter().map(header).collect())
}

/// The headers that a response of a route can have.
fn headers_of(route: &Route, status: u16) -> Value {
    let takes = |place, name: &str| route.params.iter().any(|param| param.location == place && param.name == name);
    let goes_on = takes(Location::Query, "limit") || route.id == "history";
    let known = [
        (true, "X-Request-Id"),
        (true, "RateLimit"),
        (true, "RateLimit-Policy"),
        (matches!(status, 200 | 304) && route.method == Method::Get, "ETag"),
        (status < 300 && takes(Location::Header, "Idempotency-Key"), "Idempotency-Replayed"),
        (status == 200 && goes_on, "Link"),
        (matches!((route.id, status), ("submit" | "correct", 201) | (_, 307)), "Location"),
        (status == 200 && route.id == "export", "Quipu-Last-Change"),
        (matches!(status, 429 | 503), "Retry-After"),
        (matches!(status, 401 | 403), "WWW-Authenticate"),
    ];
    let known = known.into_iter().filter(|(applies, _)| *applies);
    let reference = |(_, name)| (String::from(name), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(known.map(reference).collect())
}

/// Replaces the descriptions of a schema with the words of a language.
fn describe(name: &str, schema: &mut Value, lang: Lang) {
    if let Some(text) = type_words(name, lang) {
        schema["description"] = text.into();
    }
    describe_fields(name, schema, lang);
}

fn describe_fields(name: &str, schema: &mut Value, lang: Lang) {
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (field, schema) in fields {
            if let Some(text) = field_words(name, field, lang) {
                schema["description"] = text.into();
            }
            describe_fields(name, schema, lang);
        }
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(inner).filter(|inner| inner.is_object()) {
            describe_fields(name, inner, lang);
        }
    }
    for several in ["anyOf", "oneOf", "allOf"] {
        for inner in schema.get_mut(several).and_then(Value::as_array_mut).into_iter().flatten() {
            describe_fields(name, inner, lang);
        }
    }
}

/// The words of a type: its own, or those of all lists.
fn type_words(name: &str, lang: Lang) -> Option<&'static str> {
    messages::find(&format!("schema.{name}"), lang)
        .or_else(|| messages::find("schema.List", lang).filter(|_| name.ends_with("List")))
}

/// The words of a field: those of this type, or else those of all types.
fn field_words(name: &str, field: &str, lang: Lang) -> Option<&'static str> {
    messages::find(&format!("field.{name}.{field}"), lang).or_else(|| messages::find(&format!("field.{field}"), lang))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Vec<&'static Route> {
        super::super::table::endpoints().map(|endpoint| &endpoint.route).collect()
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
        let document = build(&routes(), Lang::En, false);
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
    fn every_field_has_words() {
        let document = build(&routes(), Lang::En, false);
        let mut missing = Vec::new();
        for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
            if type_words(name, Lang::Es).is_none() {
                missing.push(format!("schema.{name}"));
            }
            walk(schema, &mut |object| {
                let fields = object.get("properties").and_then(Value::as_object);
                for field in fields.into_iter().flat_map(Map::keys) {
                    if field_words(name, field, Lang::Es).is_none() {
                        missing.push(format!("field.{name}.{field}"));
                    }
                }
            });
        }
        assert!(missing.is_empty(), "messages.toml lacks {missing:#?}");
    }
}
