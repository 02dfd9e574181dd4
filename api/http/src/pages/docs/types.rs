//! The types of JSON in requests and responses: their fields, as the OpenAPI document describes them.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::text::marked;
use crate::{
    messages,
    openapi::Document,
    pages::frame::{View, scrollable_table},
    route::Route,
};

/// The types that some routes use.
pub(super) struct Schemas<'d> {
    document: &'d Value,
    /// Their names, with those of the types of their fields.
    names: BTreeSet<&'d str>,
}

impl<'d> Schemas<'d> {
    /// Those of some routes of a document.
    pub(super) fn of(document: &'d Document, routes: &[&Route]) -> Self {
        let mut found = Self { document: &document.value, names: BTreeSet::new() };
        for route in routes {
            let operation = found.operation(route);
            let answers = route.responses.iter().map(|response| &operation["responses"][response.status.to_string()]);
            let contents = answers.chain([&operation["requestBody"]]).filter_map(|place| place["content"].as_object());
            contents.flat_map(Map::values).for_each(|media| found.add(&media["schema"]));
        }
        found
    }

    fn operation(&self, route: &Route) -> &'d Value {
        &self.document["paths"][route.path][route.method.as_str().to_ascii_lowercase()]
    }

    fn schema(&self, name: &str) -> &'d Value {
        &self.document["components"]["schemas"][name]
    }

    /// Adds all types that a schema refers to.
    fn add(&mut self, value: &'d Value) {
        if let Some(name) = referred(value) {
            if self.names.insert(name) {
                self.add(self.schema(name));
            }
            return;
        }
        match value {
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            _ => {}
        }
    }

    /// The type of JSON in a body or a response; none for text and bytes.
    pub(super) fn shape(&self, route: &Route, status: Option<u16>, media: &str) -> Option<Markup> {
        let operation = self.operation(route);
        let place = match status {
            Some(status) => &operation["responses"][status.to_string()],
            None => &operation["requestBody"],
        };
        let schema = &place["content"][media]["schema"];
        (schema["type"] != "string").then(|| shape(schema))
    }

    /// All types with their fields.
    pub(super) fn all(&self, view: &View) -> Markup {
        html! {
            @if !self.names.is_empty() { h2 { (messages::get("docs.types", view.lang)) } }
            @for name in &self.names { (fields(view, name, self.schema(name))) }
        }
    }
}

/// A type with its fields, or with the types that it is one of.
fn fields(view: &View, name: &str, schema: &Value) -> Markup {
    let word = |key: &str| messages::get(key, view.lang);
    let none = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&none);
    html! {
        h3 id={ "type-" (name) } { (name) }
        p { (marked(schema["description"].as_str().unwrap_or_default())) }
        @if fields.is_empty() { p { code { (shape(schema)) } } } @else {
            (scrollable_table(name, &html! {
                table {
                    caption { (word("docs.fields")) }
                    thead {
                        tr {
                            th scope="col" { (word("docs.field")) }
                            th scope="col" { (word("docs.type")) }
                            th scope="col" { (word("docs.meaning")) }
                        }
                    }
                    tbody {
                        @for (field, schema) in fields {
                            tr {
                                th scope="row" { code { (field) } }
                                td { code { (shape(schema)) } }
                                td { (marked(schema["description"].as_str().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// The name of the type that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// A schema in the notation of types: `integer | null`, `Move[]`, `"won" | "tied"`.
fn shape(schema: &Value) -> Markup {
    if let Some(name) = referred(schema) {
        return html! { a href={ "#type-" (name) } { (name) } };
    }
    if let Some(values) = schema["enum"].as_array() {
        return alternatives(values, |value| html! { (value.to_string()) });
    }
    if let Some(parts) = ["anyOf", "oneOf", "allOf"].iter().find_map(|several| schema[*several].as_array()) {
        return alternatives(parts, shape);
    }
    match &schema["type"] {
        Value::String(name) => of_type(schema, name),
        Value::Array(names) => alternatives(names, |name| of_type(schema, name.as_str().unwrap_or_default())),
        _ => html! { "any" },
    }
}

fn of_type(schema: &Value, name: &str) -> Markup {
    match name {
        "array" => {
            let items = &schema["items"];
            let several = ["anyOf", "oneOf", "enum"].iter().any(|several| !items[*several].is_null());
            html! { @if several || items["type"].is_array() { "(" (shape(items)) ")[]" } @else { (shape(items)) "[]" } }
        }
        "object" if schema["additionalProperties"].is_object() => {
            html! { "{ [name]: " (shape(&schema["additionalProperties"])) " }" }
        }
        name => html! { (name) },
    }
}

fn alternatives(parts: &[Value], mut each: impl FnMut(&Value) -> Markup) -> Markup {
    html! {
        @for (place, part) in parts.iter().enumerate() {
            @if place > 0 { " | " }
            (each(part))
        }
    }
}
