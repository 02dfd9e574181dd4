//! The HTTP service of quipu: API, web pages and their settings.
//!
//! Each group of handlers has its routes in the same file. One table of all routes feeds the router, the parameter
//! checks, the OpenAPI document and the page `/docs`. Every request takes one pipeline: rate limit, authorize, parse, run
//! the handler, finalize the response. Storage is the task of [`quipu_archive::store`], and the rules that of the referee.
//!
//! # Example
//!
//! A service starts on a free port, answers one request and stops:
//!
//! ```
//! use std::{
//!     io::{Read, Write},
//!     net::TcpStream,
//! };
//!
//! use actix_web::rt;
//! use quipu_archive::store::Store;
//! use quipu_options::settings::Settings;
//! use tokio::sync::oneshot;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let store = Store::open(folder.path())?;
//! let settings = Settings { listen: "127.0.0.1:0".parse()?, workers: 1, ..Settings::default() };
//! let (stop, stopped) = oneshot::channel::<()>();
//! let response = rt::System::new().block_on(async {
//!     let (server, address) = quipu_http::start(settings, store, async { drop(stopped.await) })?;
//!     let server = rt::spawn(server);
//!     let response = rt::task::spawn_blocking(move || {
//!         let mut stream = TcpStream::connect(address)?;
//!         stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//!         let mut response = String::new();
//!         stream.read_to_string(&mut response).map(|_| response)
//!     });
//!     let response = response.await??;
//!     drop(stop);
//!     server.await??;
//!     Ok::<_, std::io::Error>(response)
//! })?;
//! assert!(response.starts_with("HTTP/1.1 200 OK"));
//! # Ok(())
//! # }
//! ```

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
mod messages;
mod negotiate;
mod openapi;
mod pages;
mod paging;
mod paired_boards;
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
mod token_limit;

pub use problem::{CODES, Code};
pub use server::{start, start_telling};

/// An OpenAPI document of the pages, in the shape of that of the API. No service serves it: tests walk it, so that pages
/// are tested like the API.
#[must_use]
pub fn document_of_pages(private: bool) -> serde_json::Value {
    openapi::Document::new(table::pages(), quipu_referee::Lang::Es, private).value
}
