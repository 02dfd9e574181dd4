//! A tournament as a report file of FIDE.

use quipu_archive::report::FaultReport;
use quipu_tournament::exchange::trf::{self, Edition};
use schemars::JsonSchema;
use serde::Serialize;

use super::shown;
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult},
    request::RequestContext,
    route::{Content, GET, JSON, Response, Route, TEXT},
    routes::{events::json, shared::NUMBER},
};

const TO: Param = Param::query("to", Kind::Choice(editions)).required();

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/tournaments/{number}/export",
        id: "tournament-export",
        group: "tournaments",
        params: &[NUMBER, TO],
        responses: &[Response::ok(&[Content::text(TEXT), Content::json::<ExportedTournament>()])],
        problems: &[problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

fn editions() -> Vec<&'static str> {
    vec!["trf16", "trf26"]
}

/// A report file, and the facts that it lacks.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ExportedTournament {
    file: String,
    /// Values that the format has no field for or only a short one.
    remarks: Vec<FaultReport>,
}

async fn show(context: RequestContext) -> HandlerResult {
    let edition = if context.text(TO.name) == Some("trf16") { Edition::Trf16 } else { Edition::Trf26 };
    let (lang, media) = (context.lang, context.media);
    shown(&context, move |stored| {
        let (file, left_out) = trf::write(&stored.tournament, edition);
        if media != JSON {
            return Ok(file.into_bytes());
        }
        let remarks = left_out.iter().map(|fault| FaultReport::new(fault, lang)).collect();
        Ok(json(&ExportedTournament { file, remarks }))
    })
    .await
}
