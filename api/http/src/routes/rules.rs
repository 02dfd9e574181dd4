//! The codes of the referee and of the service. A problem document names the page of its code in `type`.

use quipu_referee::{Severity, codes, messages::catalog};
use schemars::JsonSchema;
use serde::Serialize;

use super::shared::{LANG, NAME};
use crate::{
    endpoint::Endpoint,
    messages,
    pages::rule_page,
    params::{Kind, Param},
    problem::{self, CODES, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, GET, HTML, Response, Route},
    rule::Rule,
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/rules",
            id: "rules",
            group: "laws",
            access: Access::Open,
            responses: &[Response::ok(&[Content::json::<Rules>()])],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/rules/{code}",
            id: "rule",
            group: "laws",
            access: Access::Open,
            params: &[Param::path("code", Kind::Text(NAME)), LANG],
            responses: &[Response::ok(&[Content::json::<Rule>(), Content::text(HTML)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
];

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Rules {
    /// The codes of records, of advice and of relations between records, then of each game in order of precedence, then of the service.
    items: Vec<RuleTitle>,
}

/// A code in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RuleTitle {
    code: &'static str,
    /// `error`, `warning` or `advice`.
    severity: &'static str,
    /// The meaning in one line.
    title: String,
}

async fn index(context: RequestContext) -> HandlerResult {
    let referee = codes::all().map(|code| RuleTitle {
        code: code.id,
        severity: code.severity.as_str(),
        title: catalog().code(code).map_or_else(String::new, |words| words.title.get(context.lang).to_owned()),
    });
    let service = CODES.iter().map(|code| RuleTitle {
        code: code.id,
        severity: Severity::Error.as_str(),
        title: messages::code_words(code.id).map_or_else(String::new, |words| words.title.get(context.lang).to_owned()),
    });
    let rules = Rules { items: referee.chain(service).collect() };
    Ok(context.with_etag(context.json(&rules), CachePolicy::UntilChange, format_args!("rules")))
}

async fn show(context: RequestContext) -> HandlerResult {
    let id = context.text("code").unwrap_or_default();
    let Some(rule) = Rule::find(id, context.lang) else {
        return Err(Problem::variant(problem::NOT_FOUND, "code").with_quoted("found", id));
    };
    let response = match context.media {
        HTML => rule_page(&context, &rule),
        _ => context.json(&rule),
    };
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{id}")))
}
