//! The words of parameters, types and fields.

use quipu_referee::Lang;
use serde_json::Value;

use crate::{messages, params::Param, route::Route};

/// The words of a parameter: those of this route, or else those of all routes.
pub(crate) fn param_words(route: &Route, param: &Param, lang: Lang) -> Option<&'static str> {
    let own = format!("param.{}.{}", route.id, param.name);
    messages::find(&own, lang).or_else(|| messages::find(&format!("param.{}", param.name), lang))
}

/// Replaces the descriptions of a schema with the words of a language.
pub(super) fn describe(name: &str, schema: &mut Value, lang: Lang) {
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
pub(super) fn type_words(name: &str, lang: Lang) -> Option<&'static str> {
    messages::find(&format!("schema.{name}"), lang)
        .or_else(|| messages::find("schema.List", lang).filter(|_| name.ends_with("List")))
}

/// The words of a field: those of this type, or else those of all types. A type of submissions has the words of its
/// canonical form: `NewRecord` those of `Record`.
pub(super) fn field_words(name: &str, field: &str, lang: Lang) -> Option<&'static str> {
    let name = name.strip_prefix("New").map_or(name, |name| name.trim_end_matches('s'));
    messages::find(&format!("field.{name}.{field}"), lang).or_else(|| messages::find(&format!("field.{field}"), lang))
}
