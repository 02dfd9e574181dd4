//! Every route of the OpenAPI document, and every page: what all of them answer to requests that are wrong.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use jsonschema::Validator;
use quipu_tests_service::server::{Ask, Server};
use serde_json::{Value, json};

/// An operation of the document.
pub(crate) struct Operation {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub(crate) method: String,
    /// The path, with values for its places, and with the parameters that must be there.
    pub(crate) path: String,
    /// Its description in the document, references to responses replaced by what they refer to.
    pub(crate) said: Value,
    document: Arc<Document>,
}

/// The document, with a validator of each schema that was asked for: compiling one takes longer than all answers to it.
struct Document {
    value: Value,
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// All operations of the API, as a service says, and all pages.
#[track_caller]
pub(crate) fn operations(server: &Server) -> Vec<Operation> {
    let api = api_operations(server);
    let is_private = api.iter().any(|one| one.path.starts_with("/v1/records?") && one.needs_token() && one.is_get());
    let pages = operations_of(quipu_http::document_of_pages(is_private));
    assert!(pages.len() > 20, "{} pages", pages.len());
    api.into_iter().chain(pages).collect()
}

/// All operations that a service says it has.
#[track_caller]
pub(crate) fn api_operations(server: &Server) -> Vec<Operation> {
    let api = operations_of(server.get("/openapi.json").json());
    assert!(api.len() > 30, "{} operations", api.len());
    api
}

fn operations_of(value: Value) -> Vec<Operation> {
    let document = Arc::new(Document { value, validators: Mutex::default() });
    let paths = document.value["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &Value)| -> Vec<Operation> {
        let operations = item.as_object().expect("operations");
        operations.iter().map(|(method, said)| Operation::new(&document, path, method, said)).collect()
    };
    paths.iter().flat_map(of_path).collect()
}

impl Operation {
    fn new(document: &Arc<Document>, path: &str, method: &str, said: &Value) -> Self {
        let mut path = path.to_owned();
        let places = [
            ("{id}", &*"0".repeat(64)),
            ("{number}", "1"),
            ("{ply}", "0"),
            ("{code}", "record.syntax"),
            ("{game}", "andes"),
            ("{group}", "records"),
            ("{token}", "abcdefgh"),
            ("{webhook}", "abcdefgh"),
            ("{round}", "1"),
            ("{board}", "1"),
            ("{player}", "1"),
            ("{leg}", "1"),
        ];
        for (place, value) in places {
            path = path.replace(place, value);
        }
        assert!(!path.contains('{'), "{path}: a place without a value");
        let mut operation =
            Self { method: method.to_uppercase(), path, said: said.clone(), document: Arc::clone(document) };
        let responses = said["responses"].as_object().expect("responses").iter();
        let responses = responses.map(|(status, response)| (status.clone(), operation.resolved(response).clone()));
        operation.said["responses"] = Value::Object(responses.collect());
        let required: Vec<_> = operation.params("query").filter(|param| param["required"] == true).collect();
        let required = required.iter().map(|param| {
            format!(
                "{}={}",
                param["name"].as_str().expect("a name"),
                // A choice, or a number.
                param["schema"]["enum"][0].as_str().unwrap_or("0")
            )
        });
        let query = required.collect::<Vec<_>>().join("&");
        operation.path = format!("{}?{query}", operation.path);
        operation
    }

    /// Its parameters of a place.
    pub(crate) fn params(&self, place: &str) -> impl Iterator<Item = Value> {
        let params = self.said["parameters"].as_array().cloned().unwrap_or_default();
        let place = place.to_owned();
        params.into_iter().filter(move |param| param["in"] == *place)
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        self.said["operationId"].as_str().expect("an id")
    }

    /// True if it reads.
    pub(crate) fn is_get(&self) -> bool {
        self.method == "GET"
    }

    /// A request to it, with the headers that it must have.
    pub(crate) fn ask(&self, server: &Server) -> Ask {
        let required = self.params("header").filter(|param| param["required"] == true);
        required.fold(server.ask(&self.method, &self.path), |ask, param| {
            assert_eq!(param["name"], "If-Match");
            ask.header("If-Match", "*")
        })
    }

    /// True if it has a body.
    pub(crate) fn takes_a_body(&self) -> bool {
        !self.said["requestBody"].is_null()
    }

    /// True if it has a query parameter of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.params("query").any(|param| param["name"] == name)
    }

    /// The same with more in its query.
    pub(crate) fn with(&self, more: &str) -> String {
        format!("{}&{more}", self.path)
    }

    /// True if it needs a token in every case.
    pub(crate) fn needs_token(&self) -> bool {
        self.said["security"]
            .as_array()
            .is_some_and(|ways| !ways.is_empty() && ways.iter().all(|way| way != &json!({})))
    }

    /// The target of a reference, or the value itself if it is none.
    pub(crate) fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let Some(reference) = value["$ref"].as_str() else { return value };
        let pointer = reference.strip_prefix('#').expect("a place in the document");
        self.document.value.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"))
    }

    /// A validator of one of its schemas.
    pub(crate) fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut validators = self.document.validators.lock().expect("no check panics in here");
        let of_schema = validators.entry(schema.to_string()).or_insert_with(|| {
            let whole = json!({ "allOf": [schema], "components": self.document.value["components"] });
            Arc::new(jsonschema::validator_for(&whole).expect("a schema"))
        });
        Arc::clone(of_schema)
    }

    /// Checks that it says that it can answer so.
    #[track_caller]
    pub(crate) fn declares(&self, status: u16, code: &str) {
        let description = self.said["responses"][status.to_string()]["description"].as_str().unwrap_or_default();
        assert!(description.contains(&format!("`{code}`")), "{} {}: {status} {code}", self.method, self.path);
    }
}

#[test]
fn paths_and_methods_that_there_are_not() {
    let server = Server::start();
    for path in ["/v1", "/v1/", "/v1/record", "/v1/records/", "/v2/records", "/docs/", "/v1/rules/a/b"] {
        server.get(path).problem(404, "api.not-found");
    }
    let operations = operations(&server);
    for operation in &operations {
        let known =
            |method: &str| operations.iter().any(|other| other.path == operation.path && other.method == method);
        for method in ["DELETE", "PUT", "PATCH", "TRACE"].into_iter().filter(|method| !known(method)) {
            let response = server.ask(method, &operation.path).send();
            response.problem(405, "api.method");
            let allow = response.header("allow").to_owned();
            assert!(allow.contains(&operation.method) && allow.contains("OPTIONS"), "{}: {allow}", operation.path);
            assert_eq!(allow.contains("GET"), allow.contains("HEAD"), "{}: {allow}", operation.path);
        }
        for method in ["GET", "POST"] {
            if !known(method) {
                server.ask(method, &operation.path).send().problem(405, "api.method");
            }
        }
    }
}

#[test]
fn parameters_that_there_are_not() {
    let server = Server::start();
    let token = server.token(quipu_options::Scope::Admin);
    for operation in operations(&server) {
        let ask = |path: &str| server.ask(&operation.method, path).token(&token).send();
        operation.declares(400, "api.parameter");
        for query in ["nothing=1", "%6eothing=1", "limit=", "%ff=1"] {
            let problem = ask(&operation.with(query)).problem(400, "api.parameter");
            assert!(!problem["detail"].as_str().expect("a text").is_empty());
        }
        for (name, wrong, code) in [
            ("cursor", "!", "api.cursor"),
            ("cursor", "bm90aGluZw", "api.cursor"),
            ("limit", "201", "api.parameter"),
            ("since", "x", "api.parameter"),
            ("game", "chess", "api.parameter"),
            ("lang", "qu", "api.parameter"),
        ] {
            let set = operation.path.contains(&format!("{name}="));
            if operation.takes(name) && !set {
                operation.declares(400, code);
                ask(&operation.with(&format!("{name}={wrong}"))).problem(400, code);
            }
        }
        for param in operation.params("query").filter(|param| param["required"] == true) {
            let path = operation.path.split('?').next().expect("a path");
            let problem = ask(path).problem(400, "api.parameter");
            assert!(problem["detail"].as_str().expect("a text").contains(param["name"].as_str().expect("a name")));
        }
        if operation.params("path").any(|param| param["name"] == "id") {
            operation.declares(400, "api.id");
            operation.declares(404, "api.not-found");
            for id in ["0", &"0".repeat(65), &"F".repeat(64), "%2e%2e"] {
                ask(&operation.path.replace(&"0".repeat(64), id)).problem(400, "api.id");
            }
        }
        if operation.params("path").any(|param| param["name"] == "number") {
            for number in ["0", "-1", "x", "99999999999999999999"] {
                ask(&operation.path.replacen("/1", &format!("/{number}"), 1)).problem(400, "api.parameter");
            }
        }
    }
}

#[test]
fn unknown_addresses_are_not_found() {
    let server = Server::start();
    for operation in operations(&server).iter().filter(|operation| operation.method == "GET") {
        let placed = operation.params("path").any(|param| param["name"] == "id" || param["name"] == "number");
        if placed {
            operation.declares(404, "api.not-found");
            server.get(&operation.path).problem(404, "api.not-found");
        }
    }
    server.get("/v1/rules/no.such").problem(404, "api.not-found");
}

#[test]
fn media_types_that_there_are_not() {
    let server = Server::start();
    let token = server.token(quipu_options::Scope::Admin);
    // A source has one format only, which no client chooses.
    let as_it_came = |operation: &Operation| operation.path.contains("/source");
    for operation in operations(&server).into_iter().filter(|operation| !as_it_came(operation)) {
        operation.declares(406, "api.not-acceptable");
        let ask = || operation.ask(&server).token(&token);
        let problem = ask().header("Accept", "video/mp4").send().problem(406, "api.not-acceptable");
        let known: Vec<_> = problem["available"].as_array().expect("a list").clone();
        let statuses = operation.said["responses"].as_object().expect("responses").iter();
        let good = statuses.filter(|(status, _)| status.starts_with('2'));
        for media in good.flat_map(|(_, response)| response["content"].as_object().expect("contents").keys()) {
            let essence = media.split(';').next().expect("a type");
            assert!(known.iter().any(|known| known == essence), "{}: {media}", operation.path);
        }
        if operation.takes_a_body() {
            operation.declares(415, "api.media");
            ask().body("image/png", "x").send().problem(415, "api.media");
            ask().body("application/json", "x").header("Content-Encoding", "br").send().problem(415, "api.media");
        }
    }
}
