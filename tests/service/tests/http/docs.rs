//! The pages `/docs`: every operation of the API is on the page of its group, with all that a client needs, and no page is
//! large.

use std::collections::BTreeSet;

use quipu_tests_service::server::Server;

use super::{
    pages::{attributes, between, open},
    routes::{Operation, api_operations},
};

/// Most bytes of a page.
const MAX_PAGE: usize = 120 * 1024;

/// The name of the type of a response in JSON.
fn type_of(operation: &Operation) -> Option<String> {
    let answers = operation.said["responses"].as_object().expect("responses").iter();
    let mut good = answers.filter(|(status, _)| status.starts_with('2'));
    let name = good.find_map(|(_, response)| response["content"]["application/json"]["schema"]["$ref"].as_str());
    name.map(|name| name.rsplit('/').next().unwrap_or_default().to_owned())
}

/// Text of a page that is not code.
fn prose(page: &str) -> String {
    let without = |text: &str, element: &str| {
        let (open, close) = (format!("<{element}>"), format!("</{element}>"));
        let parts = text.split(&open).enumerate();
        parts
            .map(|(at, part)| if at == 0 { part } else { part.split_once(&close).map_or("", |(_, rest)| rest) })
            .collect()
    };
    let text: String = without(page, "pre");
    without(&text, "code")
}

#[test]
fn every_operation_is_on_the_page_of_its_group() {
    let server = Server::start();
    let operations = api_operations(&server);
    let group = |operation: &Operation| operation.said["tags"][0].as_str().expect("a group").to_owned();
    let groups: BTreeSet<_> = operations.iter().map(group).collect();
    assert!(groups.len() > 5, "{groups:?}");
    for lang in ["es", "en"] {
        let introduction = open(&server, "/docs", lang);
        assert!(introduction.body.len() < MAX_PAGE);
        for of in &groups {
            let path = format!("/docs/{of}");
            let response = open(&server, &path, lang);
            let page = response.text();
            assert!(response.status == 200 && page.len() < MAX_PAGE, "{path}: {} {}", response.status, page.len());
            assert!(!prose(page).contains('`'), "{path}: {}", prose(page));
            let ids = attributes(page, "id");
            for link in attributes(page, "href").iter().filter_map(|link| link.strip_prefix('#')) {
                assert!(ids.iter().any(|id| id == link), "{path}#{link}");
            }
            for operation in operations.iter().filter(|operation| group(operation) == *of) {
                let id = operation.id();
                assert!(introduction.text().contains(&format!("{path}#{id}")), "{lang}: {id} is not in the contents");
                let article = between(page, &format!("<article id=\"{id}\">"), "</article>");
                assert!(article.contains("<pre>curl ") && article.contains("$QUIPU/"), "{path} {id}: no line for curl");
                if let Some(name) = type_of(operation) {
                    assert!(article.contains(&format!("<a href=\"#type-{name}\">")), "{path} {id}: {name}");
                    assert!(id == "openapi" || article.contains("<details><summary>"), "{path} {id}: no example");
                }
                for param in operation.said["parameters"].as_array().into_iter().flatten() {
                    let name = param["name"].as_str().expect("a name");
                    assert!(article.contains(&format!("<code>{name}</code>")), "{path} {id}: {name}");
                }
            }
        }
        // Pages and what they load are no part of the API.
        assert!(!introduction.text().contains("/assets/style.css</code>"));
    }
    server.get("/docs/nothing").problem(404, "api.not-found");
}
