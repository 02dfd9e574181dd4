//! Tokens: made, listed and revoked by the holder of an administrator's token. The secret of a token is in the response that
//! makes it and nowhere else, so that response cannot be repeated, and the route takes no idempotency key.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use chrono::{DateTime, Utc};
use quipu_archive::{
    model::{StoredToken, TokenLimit, TokenText},
    report::{TokenLimitReport, TokenReport, time},
    store::{ListPage, ReadTx, TokenCursor, TokenRefusal, WriteTx},
};
use quipu_options::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::shared::{CURSOR, LIMIT};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, Content, GET, Method, Response, Route},
};

const ADMIN: Access = Access::Scope(Scope::Admin);
const TOKEN: Param = Param::path("token", Kind::Key(TokenText::ID));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/tokens",
            id: "token-add",
            group: "tokens",
            access: ADMIN,
            body: &[Content::json::<NewToken>()],
            responses: &[Response::created(&[Content::json::<MadeToken<'_>>()])],
            problems: &[problem::CONFLICT],
            ..GET
        },
        handler: |context| Box::pin(add(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tokens",
            id: "tokens",
            group: "tokens",
            access: ADMIN,
            params: &[LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<TokenReport<'_>>>()])],
            problems: &[problem::CURSOR],
            volatile: true,
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Delete,
            path: "/v1/tokens/{token}",
            id: "token-revoke",
            group: "tokens",
            access: ADMIN,
            params: &[TOKEN],
            responses: &[Response::ok(&[Content::json::<TokenReport<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(revoke(context)),
    },
];

/// JSON Schema pattern of a name: one line, without white space around it and without characters that act on a terminal.
const NAME: &str = concat!(
    r"^[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]",
    r"([^\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000])?$"
);

/// A token to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    #[schemars(length(min = 1, max = StoredToken::NAME), regex(pattern = NAME))]
    name: String,
    #[schemars(length(min = 1), extend("items" = json!({ "type": "string", "enum": Scope::ALL.map(Scope::as_str) })))]
    scopes: Vec<String>,
    /// Time from which it is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    expires: Option<String>,
    /// The only tournament or board that it may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<TokenLimitReport>,
}

/// A token that was made, with its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MadeToken<'t> {
    /// The text to send in the header `Authorization`.
    token: String,
    #[serde(flatten)]
    report: TokenReport<'t>,
}

async fn add(mut context: RequestContext) -> HandlerResult {
    let NewToken { name, scopes, expires, limit } = context.body_json().await?;
    let scopes = scopes.iter().map(|name| scope(name)).collect::<Result<Vec<_>, _>>()?;
    let expires = expires.as_deref().map(parse_time).transpose()?;
    let limit = limit.as_ref().map(self::limit).transpose()?;
    let maker = context.bearer.as_ref().map(|bearer| String::from_utf8_lossy(&bearer.id).into_owned());
    let made = context.write(move |writing| {
        let maker = maker.as_deref().map(|id| writing.token(id)).transpose()?.flatten();
        check_expiry(maker.as_ref(), expires)?;
        writing.add_limited_token(&name, &scopes, expires, limit).map_err(|refusal| refused(refusal, &name))
    });
    let (token, secret): (StoredToken, TokenText) = made.await?;
    tracing::info!(id = token.id, name = token.name, by = context.submitter(), "token made");
    let made = MadeToken { token: secret.reveal(), report: TokenReport::new(&token) };
    let mut response = HttpResponse::Created();
    response.insert_header((header::LOCATION, format!("/v1/tokens/{}", token.id)));
    Ok(context.json_with(response, &made))
}

async fn index(context: RequestContext) -> HandlerResult {
    let (after, limit): (Option<TokenCursor>, _) = (context.cursor()?, context.limit());
    let ask = move |reading: &ReadTx<'_>| reading.tokens_after(after.as_ref(), limit);
    let ListPage { items, next } = context.read_slowly(ask).await?;
    let mut response = context.page(items.iter().map(TokenReport::new).collect(), next.as_ref());
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn revoke(context: RequestContext) -> HandlerResult {
    let id = context.text("token").unwrap_or_default().to_owned();
    let own = id.clone();
    let revoked = context.write(move |writing| revoked(writing, &own));
    let (token, is_new) = revoked.await?;
    if is_new {
        tracing::info!(id = token.id, name = token.name, by = context.submitter(), "token revoked");
    }
    Ok(context.json(&TokenReport::new(&token)))
}

/// Revokes the token of an id. Returns it, and true if it was not revoked before.
fn revoked(writing: &WriteTx<'_>, id: &str) -> Result<(StoredToken, bool), Problem> {
    // The path has an id, never a name.
    let none = || Problem::variant(problem::NOT_FOUND, "token").with_quoted("found", id);
    let token = writing.token(id)?.ok_or_else(none)?;
    if token.revoked.is_some() {
        return Ok((token, false));
    }
    let token = writing.revoke(id).map_err(|refusal| refused(refusal, id))?;
    Ok((token, true))
}

fn scope(name: &str) -> Result<Scope, Problem> {
    let known = || Scope::ALL.map(Scope::as_str).join(", ");
    Scope::parse(name).ok_or_else(|| {
        Problem::variant(problem::BODY, "choice")
            .with("name", "scopes")
            .with_quoted("found", name)
            .with("known", known())
    })
}

/// The limit in a body: a round comes with a board.
fn limit(given: &TokenLimitReport) -> Result<TokenLimit, Problem> {
    let board = match (given.round, given.board) {
        (None, None) => None,
        (Some(round), Some(board)) if round > 0 && board > 0 => Some((round, board)),
        _ => return Err(Problem::variant(problem::BODY, "limit")),
    };
    Ok(TokenLimit { tournament: given.tournament, board, players: None })
}

fn parse_time(text: &str) -> Result<DateTime<Utc>, Problem> {
    let moment = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    moment.map_err(|_| Problem::variant(problem::BODY, "time").with("name", "expires").with_quoted("found", text))
}

/// Checks that a token does not last longer than the one that makes it: an expiry would mean nothing if it could be extended
/// that way.
fn check_expiry(maker: Option<&StoredToken>, expires: Option<DateTime<Utc>>) -> Result<(), Problem> {
    let Some(last) = maker.and_then(|maker| maker.expires) else { return Ok(()) };
    if expires.is_some_and(|expires| expires <= last) {
        return Ok(());
    }
    Err(Problem::variant(problem::BODY, "outlives").with("name", "expires").with("time", time(last)))
}

/// The problem of a token that cannot be made or revoked.
pub(crate) fn refused(refusal: TokenRefusal, name: &str) -> Problem {
    let conflict = |variant| Problem::variant(problem::CONFLICT, variant).extension("conflict", &variant);
    match refusal {
        TokenRefusal::Store(error) => error.into(),
        TokenRefusal::Name => {
            Problem::variant(problem::BODY, "name").with("name", "name").with("max", StoredToken::NAME)
        }
        TokenRefusal::Taken => conflict("token-name").with_quoted("found", name),
        TokenRefusal::TooManyOfBoards(most) => conflict("token-board").with("max", most),
        TokenRefusal::TooMany(most) => conflict("token-many").with("max", most),
        TokenRefusal::Unlimited => Problem::variant(problem::BODY, "limit-admin"),
        TokenRefusal::NoTournament => Problem::variant(problem::BODY, "limit-tournament"),
        TokenRefusal::NoScope => Problem::variant(problem::BODY, "missing").with("name", "scopes"),
        TokenRefusal::Expired => Problem::variant(problem::BODY, "past").with("name", "expires"),
        TokenRefusal::NoToken | TokenRefusal::Revoked(_) => {
            Problem::variant(problem::NOT_FOUND, "token").with_quoted("found", name)
        }
    }
}
