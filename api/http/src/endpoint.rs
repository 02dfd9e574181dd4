//! An endpoint: a route with the handler that answers it.

use futures_util::future::LocalBoxFuture;

use super::{problem::HandlerResult, request::RequestContext, route::Route};

/// An asynchronous function from a request to its response.
pub(crate) type Handler = fn(RequestContext) -> LocalBoxFuture<'static, HandlerResult>;

/// A route and its handler. Every file of handlers exports its endpoints as `ROUTES`.
#[derive(Clone, Copy)]
pub(crate) struct Endpoint {
    pub(crate) route: Route,
    pub(crate) handler: Handler,
}
