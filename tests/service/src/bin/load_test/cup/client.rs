//! Clients behind a proxy, so that each has an address of its own and the share of one client counts.

use std::{net::Ipv4Addr, time::Duration};

use serde_json::Value;
use ureq::{
    Agent, Body,
    http::{self, Request},
};

use super::super::harness::HANG;

/// Longest idle time of a connection that is used again: the service closes one after five seconds.
const IDLE: Duration = Duration::from_secs(3);

/// One client, with a connection of its own.
pub(super) struct Client {
    agent: Agent,
    server: String,
    address: Ipv4Addr,
    /// The header with its token; empty without one.
    authorization: String,
}

impl Client {
    /// The client of this number.
    pub(super) fn new(server: &str, number: usize) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).timeout_global(Some(HANG));
        Self::with(agent.max_idle_age(IDLE).build().new_agent(), server, number)
    }

    /// The same client, to read a stream without an end.
    pub(super) fn listener(server: &str, number: usize) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).timeout_recv_response(Some(HANG));
        Self::with(agent.build().new_agent(), server, number)
    }

    fn with(agent: Agent, server: &str, number: usize) -> Self {
        let number = u32::try_from(number).expect("there are fewer clients");
        // All addresses of 10.0.0.0/8, from the first on.
        let address = Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + number);
        Self { agent, server: server.to_owned(), address, authorization: String::new() }
    }

    pub(super) fn with_token(self, token: &str) -> Self {
        Self { authorization: format!("Bearer {token}"), ..self }
    }

    /// The response to a request without a body.
    ///
    /// # Errors
    /// If there is none, or if it is a refusal.
    pub(super) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Result<http::Response<Body>, String> {
        self.send("GET", path, headers, None)
    }

    /// The JSON in the response to a request with a body of a media type.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub(super) fn json(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, &str)>,
    ) -> Result<Value, String> {
        let mut response = self.send(method, path, headers, body)?;
        serde_json::from_reader(response.body_mut().as_reader()).map_err(|error| format!("{method} {path}: {error}"))
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, &str)>,
    ) -> Result<http::Response<Body>, String> {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.server));
        request = request.header("X-Forwarded-For", self.address.to_string());
        if !self.authorization.is_empty() {
            request = request.header("Authorization", &self.authorization);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = match body {
            Some((media, body)) => self.agent.run(request.header("Content-Type", media).body(body).expect("a request")),
            None => self.agent.run(request.body(()).expect("a request")),
        };
        let mut response = response.map_err(|error| format!("{method} {path}: {error}"))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let said = response.body_mut().read_to_string().unwrap_or_default();
        Err(format!("{method} {path}: {} {}", response.status(), said.chars().take(300).collect::<String>()))
    }
}
