//! Authorization by bearer tokens and their scopes. [`admit`] alone decides it, from the access that a route declares
//! and before a body is read.

use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use chrono::Utc;

use super::{
    problem::{self, Problem},
    route::Access,
};
use quipu_archive::{
    model::{StoredToken, TokenLimit, TokenText},
    report::{TokenLimitReport, time},
    store::{ReadTx, Store, StoreError, WriteTx},
};
use quipu_options::Scope;

/// The holder of a token.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    /// Public id of the token.
    pub(crate) id: [u8; TokenText::ID],
    /// Name of the token, recorded as the submitter of changes.
    pub(crate) name: String,
    scopes: Vec<Scope>,
    /// The only tournament or board that it may change, if it is limited.
    pub(crate) limit: Option<TokenLimit>,
}

impl Bearer {
    /// True if the token has neither been revoked nor expired since the request began.
    ///
    /// # Errors
    /// If the archive fails.
    pub(super) fn still_holds(&self, store: &Store, limit: Duration) -> Result<bool, StoreError> {
        let id = self.id_text();
        let stored: Option<StoredToken> = store.read_autocommit(limit, |reading| reading.token(&id))?;
        Ok(stored.is_some_and(|stored| stored.holds(Utc::now())))
    }

    /// Checks inside a transaction that the token has not been revoked. Revocation is a transaction too, so nothing is
    /// written with a token after it, however long ago a request began.
    ///
    /// # Errors
    /// `api.token` if it was revoked, `api.token-expired` if it has expired, or the error of the archive.
    pub(super) fn check(&self, writing: &WriteTx<'_>) -> Result<(), Problem> {
        held(writing.token(&self.id_text())?).map(drop)
    }

    /// [`Bearer::check`] in a read transaction.
    pub(super) fn check_in_read(&self, reading: &ReadTx<'_>) -> Result<(), Problem> {
        held(reading.token(&self.id_text())?).map(drop)
    }

    /// The public id as a text.
    pub(super) fn id_text(&self) -> String {
        String::from_utf8_lossy(&self.id).into_owned()
    }

    /// The problem of a request for something beyond the limit of the token.
    pub(super) fn beyond_limit(&self) -> Problem {
        Problem::variant(problem::SCOPE, "limit")
            .with("name", &self.name)
            .extension("limit", &self.limit.map(TokenLimitReport::from))
    }

    /// Makes a check of the token of a request, if it has one.
    ///
    /// # Errors
    /// That of the check.
    pub(super) fn checked(
        bearer: Option<&Self>,
        check: impl FnOnce(&Self) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        bearer.map_or(Ok(()), check)
    }

    fn has(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|own| own.allows(scope))
    }
}

/// The holder of the token in a request, if there is one. The limit is that of the query.
///
/// # Errors
/// `api.token` if the token is malformed, unknown or revoked, `api.token-expired` if it has expired.
pub(super) fn bearer(headers: &HeaderMap, store: &Store, limit: Duration) -> Result<Option<Bearer>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    });
    holder(token.unwrap_or_default(), store, limit).map(Some)
}

/// The holder of a token that was typed into a form, if it gives access. The token of the request does not count there: a
/// proxy may have added it.
///
/// # Errors
/// `api.token` if it is missing, malformed, unknown or revoked, `api.token-expired`, or `api.scope`.
pub(super) fn holder_in_form(
    token: Option<&str>,
    access: Access,
    store: &Store,
    limit: Duration,
) -> Result<Bearer, Problem> {
    let bearer = token.map_or_else(|| Err(missing()), |token| holder(token, store, limit))?;
    // Each record is checked when it is written, as on a route for tokens with a limit.
    admit(access, true, Some(&bearer), true)?;
    Ok(bearer)
}

fn holder(token: &str, store: &Store, limit: Duration) -> Result<Bearer, Problem> {
    let Some(token) = TokenText::parse(token.trim()) else { return Err(invalid("form")) };
    let stored: Option<StoredToken> =
        store.read_autocommit(limit, |reading| reading.token(token.id())).map_err(Problem::from)?;
    // An unknown id is compared too, so that response times do not reveal which ids exist.
    let known = stored.as_ref().map_or([0; 32], |stored| stored.hash);
    let same = token.matches(&known);
    let StoredToken { name, scopes, limit, .. } = held(stored.filter(|_| same))?;
    let id = token.id().as_bytes().try_into().map_err(|_| invalid("wrong"))?;
    Ok(Bearer { id, name, scopes, limit })
}

/// A token that is neither unknown nor revoked nor expired.
fn held(stored: Option<StoredToken>) -> Result<StoredToken, Problem> {
    let Some(stored) = stored.filter(|stored| stored.revoked.is_none()) else { return Err(invalid("wrong")) };
    match stored.expires.filter(|_| stored.has_expired(Utc::now())) {
        Some(expires) => {
            let since = time(expires);
            let problem = Problem::new(problem::TOKEN_EXPIRED).with("time", &since).extension("expired", &since);
            Err(challenged(problem, ", error=\"invalid_token\", error_description=\"The token has expired\""))
        }
        None => Ok(stored),
    }
}

/// Lets a request pass, or returns the problem. `limited` routes take tokens with a limit.
pub(super) fn admit(access: Access, limited: bool, bearer: Option<&Bearer>, private: bool) -> Result<(), Problem> {
    let scope = match access {
        Access::Open => return Ok(()),
        Access::Read if !private || bearer.is_some() => return Ok(()),
        Access::Read => return Err(missing()),
        Access::Scope(scope) => scope,
    };
    let Some(bearer) = bearer else { return Err(missing()) };
    if bearer.has(scope) {
        return if limited || bearer.limit.is_none() { Ok(()) } else { Err(bearer.beyond_limit()) };
    }
    let scope = scope.as_str();
    let problem = Problem::new(problem::SCOPE).with("scope", scope).with("name", &bearer.name);
    let header = format!("Bearer realm=\"quipu\", error=\"insufficient_scope\", scope=\"{scope}\"");
    Err(problem.extension("scope", &scope).header_text(header::WWW_AUTHENTICATE, &header))
}

fn missing() -> Problem {
    challenged(Problem::variant(problem::TOKEN, "missing"), "")
}

/// The problem of a token that is not valid.
fn invalid(variant: &'static str) -> Problem {
    challenged(Problem::variant(problem::TOKEN, variant), ", error=\"invalid_token\"")
}

fn challenged(problem: Problem, more: &str) -> Problem {
    problem.header_text(header::WWW_AUTHENTICATE, &format!("Bearer realm=\"quipu\"{more}"))
}
