//! The HTTP service of quipu: API, web pages and their settings.
//!
//! Handlers stand beside their routes, group by group. One table of them feeds the router, the parameter checks, the
//! OpenAPI document and the page `/docs`. Every request takes one pipeline: rate limit, authorize, parse, run the handler,
//! finalize the response. Storage is the task of [`quipu_archive::store`], and the rules that of the referee.

mod auth;
mod body;
mod budget;
mod cache;
mod client;
mod compression;
mod connections;
mod endpoint;
mod headers;
mod limits;
mod live_events;
mod negotiate;
mod openapi;
mod pages;
mod paging;
mod params;
mod permits;
mod pipeline;
mod problem;
mod rate_limit;
mod request;
mod respond;
mod route;
mod router;
mod routes;
mod rule;
mod scheduling;
mod schema;
mod server;
mod service;
mod slots;
mod spool;
mod stream;
mod table;
mod telemetry;
mod words;

pub use problem::{CODES, Code};
pub use server::start;
