//! The HTTP service. What is asked and answered is told in one table ([`routes`](self)); from it come the router, the
//! OpenAPI document and the page of the documentation.
//!
//! Every request goes one way (`dispatch`): it is counted and let in or not, its parameters are read, a handler answers,
//! and the answer is made good. A handler is given a `Call` and gives an answer or a `Problem`. What is stored is for
//! [`store`](quipu_archive::store), what is lawful for the referee.

mod auth;
mod body;
mod budget;
mod cache;
mod call;
mod compression;
mod dispatch;
mod limits;
mod negotiate;
mod openapi;
mod pages;
mod params;
mod permits;
mod problem;
mod router;
mod routes;
mod schema;
mod server;
mod slots;
mod spool;
mod stream;
mod telemetry;
mod words;

pub use problem::{CODES, Code};
pub use server::start;
