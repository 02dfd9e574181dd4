//! JSON Schemas describe values as they are written, with all fields. In a request, fields with a default may be absent.

use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform},
};
use serde_json::Value;

/// Fields with a default, by their names.
const DEFAULTS: [&str; 8] = ["accelerated", "double", "third_place", "seed", "bye", "tie_breaks", "counts", "origin"];

/// Takes fields with a default off the required ones of a type and of its variants.
pub(crate) fn defaults(schema: &mut Schema) {
    let drop_defaults = |schema: &mut Schema| {
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| DEFAULTS.iter().all(|default| name != default));
        }
    };
    RecursiveTransform(drop_defaults).transform(schema);
}

/// Requires no field.
pub(crate) fn all_optional(schema: &mut Schema) {
    schema.remove("required");
}
