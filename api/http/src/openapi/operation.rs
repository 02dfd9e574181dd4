//! One operation: a route with its parameters, its body and its responses.

use quipu_referee::Lang;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::{
    examples::{Example, example},
    headers::headers_of,
    words::param_words,
};
use crate::{
    messages,
    params::Param,
    problem::{self, Code},
    route::{Access, Content, HTML, Route, Shape},
};

/// The parts of a document that all its operations share.
pub(super) struct Shared {
    pub(super) lang: Lang,
    pub(super) private: bool,
    pub(super) generator: SchemaGenerator,
    /// Responses that operations refer to, by their names.
    pub(super) responses: Map<String, Value>,
}

/// The name of the response to a client that has it already.
const NOT_MODIFIED: &str = "304";

impl Shared {
    pub(super) fn operation(&mut self, route: &Route) -> Value {
        let lang = self.lang;
        let example = example(route.id, lang);
        let mut operation = json!({
            "operationId": route.id,
            "tags": [route.group],
            "security": security(route.access, self.private),
            "responses": self.responses_of(route, example)
        });
        if let Some(summary) = messages::find(&format!("route.{}", route.id), lang) {
            operation["summary"] = summary.into();
            let more = messages::find(&format!("route.{}.more", route.id), lang);
            let description = more.map_or(summary.to_owned(), |more| format!("{summary}\n\n{more}"));
            operation["description"] = description.into();
        }
        if !route.params.is_empty() {
            operation["parameters"] = route.params.iter().map(|param| parameter(route, param, lang)).collect();
        }
        if !route.body.is_empty() {
            // A schema can only require of text that it is not blank.
            let text = json!({ "type": "string", "pattern": "\\S" });
            let content = self.content(route.body, &text, example.map(|example| &example.body));
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation
    }

    /// The content of each media type. `text` is the schema of text.
    fn content(&mut self, content: &[Content], text: &Value, examples: Option<&Map<String, Value>>) -> Value {
        let of = |content: &Content| {
            let schema = match content.shape {
                Shape::Json(schema) => schema(&mut self.generator).to_value(),
                Shape::Text => text.clone(),
                Shape::Bytes => json!({ "type": "string", "format": "binary" }),
            };
            let mut media = json!({ "schema": schema });
            if let Some(example) = examples.and_then(|examples| examples.get(content.media)) {
                media["example"] = example.clone();
            }
            (content.media.to_owned(), media)
        };
        Value::Object(content.iter().map(of).collect())
    }

    fn responses_of(&mut self, route: &Route, example: Option<&Example>) -> Value {
        let lang = self.lang;
        let mut responses = Map::new();
        for response in route.responses {
            let status = response.status.to_string();
            let own = messages::find(&format!("answer.{}.{status}", route.id), lang);
            let description = own.or_else(|| messages::find(&format!("answer.{status}"), lang)).unwrap_or_default();
            let examples = example.and_then(|example| example.answers.get(&status));
            let content = self.content(response.content, &json!({ "type": "string" }), examples);
            let headers = headers_of(route, response.status);
            let response = json!({ "description": description, "headers": headers, "content": content });
            responses.insert(status, response);
        }
        if route.has_tag() {
            let description = messages::get("answer.304", lang);
            let response = json!({ "description": description, "headers": headers_of(route, 304) });
            responses.insert("304".to_owned(), self.shared(NOT_MODIFIED.to_owned(), || response));
        }
        let mut codes: Vec<Code> = route.problems().collect();
        codes.sort_by_key(|code| code.status);
        for same in codes.chunk_by(|one, other| one.status == other.status) {
            let status = same.first().map_or(problem::INTERNAL.status, |code| code.status);
            let names = same.iter().map(|code| code.id.trim_start_matches("api."));
            let mut name = names.fold(status.to_string(), |name, code| format!("{name}.{code}"));
            if route.is_for_people() {
                name.push_str(".page");
            }
            let response =
                self.shared(name, || problems(same, &headers_of(route, status), route.is_for_people(), lang));
            responses.insert(status.to_string(), response);
        }
        Value::Object(responses)
    }

    /// A reference to a response of this name, which is the same for all operations that name it.
    fn shared(&mut self, name: String, response: impl FnOnce() -> Value) -> Value {
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        self.responses.entry(name).or_insert_with(response);
        reference
    }
}

/// The response with one of these problems, which have the same status. Their body is that of [`super::PROBLEM`], or a page if
/// the route offers one.
fn problems(codes: &[Code], headers: &Value, has_page: bool, lang: Lang) -> Value {
    let describe = |code: &Code| {
        let title = messages::code_words(code.id).map_or("", |words| words.title.get(lang));
        format!("`{}`: {title}.", code.id)
    };
    let description = codes.iter().map(describe).collect::<Vec<_>>().join("\n");
    let mut content = json!({ problem::MEDIA_TYPE: { "schema": { "$ref": super::PROBLEM } } });
    if has_page {
        content[HTML] = json!({ "schema": { "type": "string" } });
    }
    json!({ "description": description, "headers": headers, "content": content })
}

fn security(access: Access, private: bool) -> Value {
    match access {
        Access::Open => json!([]),
        Access::Read if private => json!([{ "token": [] }]),
        Access::Read => json!([{}, { "token": [] }]),
        // In OpenAPI 3.1 this list has the roles that are needed, whatever the kind of the scheme.
        Access::Scope(scope) => json!([{ "token": [scope.as_str()] }]),
    }
}

fn parameter(route: &Route, param: &Param, lang: Lang) -> Value {
    let mut schema = param.kind.schema();
    if param.blank {
        schema = json!({ "anyOf": [schema, { "type": "string", "maxLength": 0 }] });
    }
    let mut parameter = json!({
        "name": param.name,
        "in": param.location.as_str(),
        "required": param.required,
        "description": param_words(route, param, lang).unwrap_or_default(),
        "schema": schema
    });
    if param.kind.is_list() {
        parameter["style"] = "form".into();
        parameter["explode"] = false.into();
    }
    parameter
}
