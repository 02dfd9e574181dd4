//! The address of a database.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio_postgres::{Config, config::TargetSessionAttrs};

use super::{
    engine,
    host::{HOST_TIMEOUT, connect},
};
use crate::store::database::error::{Error, Result};

/// Default limit of reading connections.
const DEFAULT_CONNECTIONS: usize = 32;

/// The parameter by which reads prefer a standby. The library does not know this value.
const PREFERS_STANDBY: &str = "target_session_attrs=prefer-standby";

/// An address as `postgres://user@host,other/database`, with several hosts of which the one that accepts writes is used; with the
/// parameter `target_session_attrs=prefer-standby` reads use another. Its text has no password.
#[derive(Clone)]
pub struct Address {
    /// One configuration for each host.
    hosts: Vec<Config>,
    /// Connections that read at once, at most.
    connections: usize,
    /// The schema of the tables; the first one of the user's search path if there is none.
    schema: Option<String>,
    prefers_standby: bool,
    /// Round-robin counter of the hosts tried first.
    next_standby: Arc<AtomicUsize>,
    text: String,
}

impl Address {
    /// Parses a connection URL.
    ///
    /// # Errors
    /// The reason, as text.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let (kept, prefers_standby) = without_preference(text);
        let config: Config = kept.parse().map_err(|error: tokio_postgres::Error| error.to_string())?;
        let count = config.get_hosts().len().max(config.get_hostaddrs().len());
        if count == 0 {
            return Err("no host".to_owned());
        }
        let hosts: Vec<_> = (0..count).map(|host| single(&config, host)).collect();
        let names: Vec<_> = hosts.iter().map(name).collect();
        let text = format!("postgres://{}/{}", names.join(","), config.get_dbname().unwrap_or_default());
        Ok(Self {
            hosts,
            connections: DEFAULT_CONNECTIONS,
            schema: None,
            prefers_standby,
            next_standby: Arc::default(),
            text,
        })
    }

    /// The same address with another number of connections that read at once.
    #[must_use]
    pub fn with_connections(mut self, most: usize) -> Self {
        self.connections = most;
        self
    }

    pub(super) fn connections(&self) -> usize {
        self.connections
    }

    /// The same address with the tables in a schema, which is created if it is missing.
    #[must_use]
    pub fn with_schema(mut self, schema: &str) -> Self {
        for host in &mut self.hosts {
            let own = host.get_options().unwrap_or_default();
            let options = format!("{own} -c search_path={schema}");
            host.options(options.trim());
        }
        self.schema = Some(schema.to_owned());
        self
    }

    /// The database that tests use in place of the file in a folder, if `QUIPU_TEST_DATABASE` names a server: each folder has a
    /// schema.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_test(folder: &std::path::Path) -> Option<Self> {
        let address = Self::parse(&std::env::var("QUIPU_TEST_DATABASE").ok()?).ok()?;
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name: String = folder
            .to_string_lossy()
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect();
        Some(address.with_schema(&format!("\"t{name}\"")))
    }

    /// The schema that the address names, as SQL.
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    pub(super) fn prefers_standby(&self) -> bool {
        self.prefers_standby
    }

    /// Connects to one of the hosts that accept no writes, if there is one.
    pub(super) fn connect_to_standby(&self) -> Option<engine::Connection> {
        let first = self.next_standby.fetch_add(1, Ordering::Relaxed) % self.hosts.len();
        let mut hosts = self.hosts.iter().cycle().skip(first).take(self.hosts.len());
        hosts.find_map(|host| {
            let mut host = host.clone();
            host.target_session_attrs(TargetSessionAttrs::ReadOnly);
            Some(engine::Connection::new(connect(&host).ok()?).with_host(&host))
        })
    }

    /// Reads the timeline of each writable host that has commit `min_commit`, and stores the latest.
    pub(super) fn note_latest(&self, min_commit: i64, latest: &Arc<AtomicI64>) {
        // A single host has no standby that could replace it.
        for host in self.hosts.iter().filter(|_| self.hosts.len() > 1) {
            drop(accepted(host, min_commit, latest));
        }
    }

    /// Connects to the first host that accepts writes, has commit `min_commit`, and is not on an older timeline than the latest
    /// one.
    pub(super) fn connect(&self, min_commit: i64, latest: &Arc<AtomicI64>) -> Result<engine::Connection> {
        let mut failure = None;
        for host in &self.hosts {
            match accepted(host, min_commit, latest) {
                Ok(connection) => return Ok(connection),
                // A host that lacks changes or refuses the user says more than one that is away.
                Err(error) => match (&failure, &error) {
                    (Some(Error::Behind(_) | Error::Denied(_)), Error::Unreachable(_)) => {}
                    _ => failure = Some(error),
                },
            }
        }
        Err(failure.unwrap_or_else(|| Error::Unreachable(self.text.clone())))
    }
}

/// Connects to a host that accepts writes, unless it has been replaced or lacks commit `min_commit`.
fn accepted(host: &Config, min_commit: i64, latest: &Arc<AtomicI64>) -> Result<engine::Connection> {
    let connection = engine::Connection::new(connect(host)?).with_host(host);
    connection.set_timeout(Some(HOST_TIMEOUT));
    let connection = connection.with_timeline(latest)?;
    let is_accepted = connection.is_accepted(min_commit)?;
    connection.set_timeout(None);
    if is_accepted { Ok(connection) } else { Err(Error::Behind(name(host))) }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An address without [`PREFERS_STANDBY`], and true if it had it.
fn without_preference(text: &str) -> (String, bool) {
    let Some((before, after)) = text.split_once(PREFERS_STANDBY) else { return (text.to_owned(), false) };
    let after = if before.ends_with('?') { after.trim_start_matches('&') } else { after };
    (format!("{}{after}", before.trim_end_matches('&')), true)
}

/// The configuration of one of several hosts.
fn single(all: &Config, host: usize) -> Config {
    let mut config = Config::new();
    if let Some(found) = all.get_hosts().get(host) {
        match found {
            tokio_postgres::config::Host::Tcp(name) => config.host(name),
            #[cfg(unix)]
            tokio_postgres::config::Host::Unix(path) => config.host_path(path),
        };
    }
    if let Some(address) = all.get_hostaddrs().get(host) {
        config.hostaddr(*address);
    }
    if let Some(port) = all.get_ports().get(host).or_else(|| all.get_ports().first()) {
        config.port(*port);
    }
    if let Some(user) = all.get_user() {
        config.user(user);
    }
    if let Some(password) = all.get_password() {
        config.password(password);
    }
    if let Some(database) = all.get_dbname() {
        config.dbname(database);
    }
    if let Some(options) = all.get_options() {
        config.options(options);
    }
    config.application_name(all.get_application_name().unwrap_or("quipu"));
    config.ssl_mode(all.get_ssl_mode());
    config.connect_timeout(HOST_TIMEOUT);
    config.keepalives_idle(Duration::from_secs(5));
    config.keepalives_interval(Duration::from_secs(1));
    config.keepalives_retries(5);
    config.tcp_user_timeout(Duration::from_secs(5));
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    config
}

fn name(host: &Config) -> String {
    let name = match host.get_hosts().first() {
        Some(tokio_postgres::config::Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(tokio_postgres::config::Host::Unix(path)) => path.display().to_string(),
        None => host.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
    };
    host.get_ports().first().map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_hosts_and_no_password() {
        let address = Address::parse("postgres://quipu:secret@one:5433,two/archive").expect("an address");
        assert_eq!(address.to_string(), "postgres://one:5433,two:5432/archive");
        assert!(Address::parse("postgres:///archive").is_err());
        assert!(Address::parse("sqlite").is_err());
    }

    #[test]
    fn an_address_may_prefer_a_standby() {
        let check = |text: &str, prefers: bool| {
            let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(address.prefers_standby(), prefers, "{text}");
            assert_eq!(address.hosts[0].get_user(), Some("u"), "{text}");
        };
        check("postgres://u@one,two/archive", false);
        check("postgres://u@one,two/archive?target_session_attrs=read-write", false);
        check("postgres://u@one,two/archive?target_session_attrs=prefer-standby", true);
        check("postgres://u@one,two/archive?target_session_attrs=prefer-standby&connect_timeout=3", true);
        check("postgres://u@one,two/archive?connect_timeout=3&target_session_attrs=prefer-standby", true);
        check("host=one,two user=u target_session_attrs=prefer-standby", true);
    }
}
