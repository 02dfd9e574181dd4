//! Receipts of verdicts, the receipt log, and the signing keys. [`quipu_archive::receipts`] defines the signed bytes.

use quipu_referee::report::hex;
use sha2::{Digest, Sha256};

use super::{records::no_record, shared::RECORD};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, GET, Response, Route},
};
use quipu_archive::receipts::{Consistency, Keys, Receipt, SignedHead};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/receipt",
            id: "receipt",
            group: "receipts",
            params: &[RECORD],
            responses: &[Response::ok(&[Content::json::<Receipt>()])],
            problems: &[problem::ID, problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/log",
            id: "log",
            group: "receipts",
            responses: &[Response::ok(&[Content::json::<SignedHead>()])],
            ..GET
        },
        handler: |context| Box::pin(head(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/log/consistency",
            id: "log-consistency",
            group: "receipts",
            params: &[Param::query("from", Kind::Number(0)).required(), Param::query("to", Kind::Number(0))],
            responses: &[Response::ok(&[Content::json::<Consistency>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(consistency(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/keys",
            id: "keys",
            group: "receipts",
            access: Access::Open,
            responses: &[Response::ok(&[Content::json::<Keys>()])],
            problems: &[problem::ARCHIVE],
            ..GET
        },
        handler: |context| Box::pin(keys(context)),
    },
];

/// Distinguishes a proof from that of another log of the same size.
fn state(Consistency { proof, .. }: &Consistency) -> String {
    let nodes = proof.iter().map(|node| &node.0[..]).collect::<Vec<_>>().concat();
    hex(&Sha256::digest(nodes)[..8])
}

async fn show(context: RequestContext) -> HandlerResult {
    let id = context.record();
    let signer = context.store().signer()?;
    let receipt = context.read(|reading| reading.receipt(&id, &signer))?.ok_or_else(|| no_record(&id))?;
    let name = hex(&signer.public().id()[..8]);
    let response = context.json(&receipt);
    // Two logs can have the same size after an archive was restored from a copy.
    let (index, size, root) = (receipt.index, receipt.head.size, receipt.head.root);
    Ok(context.with_etag(
        response,
        CachePolicy::UntilChange,
        format_args!("{index}-{size}-{root}-{}-{name}", receipt.state),
    ))
}

async fn head(context: RequestContext) -> HandlerResult {
    let signer = context.store().signer()?;
    let head = context.read(|reading| reading.signed_head(&signer))?;
    let name = hex(&signer.public().id()[..8]);
    Ok(context.with_etag(
        context.json(&head),
        CachePolicy::UntilChange,
        format_args!("{}-{}-{name}", head.size, head.root),
    ))
}

async fn consistency(context: RequestContext) -> HandlerResult {
    let count = |name| context.number(name).and_then(|number| u64::try_from(number).ok());
    let (from, to) = (count("from").unwrap_or_default(), count("to"));
    let (size, found) = context.read(|reading| {
        let size = reading.receipts()?;
        let to = to.unwrap_or(size);
        Ok((size, reading.consistency(from, to)?.map(|proof| Consistency { from, to, proof })))
    })?;
    let found = found.ok_or_else(|| {
        let problem = Problem::variant(problem::NOT_FOUND, "log").with("size", size);
        problem.with("from", from).with("to", to.unwrap_or(size))
    })?;
    Ok(context.with_etag(
        context.json(&found),
        CachePolicy::UntilChange,
        format_args!("{from}-{}-{}", found.to, state(&found)),
    ))
}

async fn keys(context: RequestContext) -> HandlerResult {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let keys = context.read(|reading| reading.keys())?;
    let last = keys.keys.last().map(|key| hex(&key.key.0)).unwrap_or_default();
    Ok(context.with_etag(context.json(&keys), CachePolicy::UntilChange, format_args!("{last}")))
}
