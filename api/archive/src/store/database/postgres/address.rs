//! The address of a database.

use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

use super::{
    engine,
    host::{HOST_TIMEOUT, Host, connect},
    tls,
};
use crate::store::database::error::{Error, Result};

/// Default limit of reading connections.
const DEFAULT_CONNECTIONS: usize = 32;

/// The value of `target_session_attrs` with which reads prefer a standby. The library does not know it.
const PREFERS_STANDBY: &str = "prefer-standby";

/// An address as `postgres://user@host,other/database`, with several hosts of which the one that accepts writes is used. With the
/// parameter `target_session_attrs=prefer-standby` reads use another. With `sslmode=verify-full`, or `require`, connections have
/// TLS, and the certificate of the server is checked: by the authorities of the file `sslrootcert`, or those of the system. Its
/// text has no password.
#[derive(Clone)]
pub struct Address {
    hosts: Vec<Host>,
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
        let (without, preferred) = take_parameter(text, "target_session_attrs");
        let prefers_standby = preferred.as_deref() == Some(PREFERS_STANDBY);
        // The library knows the other values.
        let text = if prefers_standby { &without } else { text };
        let (text, ssl_mode) = take_parameter(text, "sslmode");
        let (text, root_file) = take_parameter(&text, "sslrootcert");
        let tls = match (ssl_mode.as_deref(), &root_file) {
            (Some("require" | "verify-full"), file) => Some(tls::connector(file.as_ref().map(Path::new))?),
            (None | Some("disable"), None) => None,
            (None | Some("disable"), Some(_)) => return Err("sslrootcert needs sslmode=verify-full".to_owned()),
            (Some(other), _) => return Err(format!("sslmode is disable, require or verify-full, not {other}")),
        };
        let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| error.to_string())?;
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        let count = config.get_hosts().len().max(config.get_hostaddrs().len());
        if count == 0 {
            return Err("no host".to_owned());
        }
        let hosts: Vec<_> = (0..count).map(|host| Host { config: single(&config, host), tls: tls.clone() }).collect();
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
            let own = host.config.get_options().unwrap_or_default();
            let options = format!("{own} -c search_path={schema}");
            host.config.options(options.trim());
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
            host.config.target_session_attrs(TargetSessionAttrs::ReadOnly);
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
fn accepted(host: &Host, min_commit: i64, latest: &Arc<AtomicI64>) -> Result<engine::Connection> {
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

/// An address without a parameter, and the value that it had.
fn take_parameter(text: &str, name: &str) -> (String, Option<String>) {
    let is_url = text.contains("://");
    let (address, parameters, separator) = match text.split_once('?') {
        Some((address, parameters)) if is_url => (address, parameters, "&"),
        None if is_url => return (text.to_owned(), None),
        _ => ("", text, " "),
    };
    let is_named = |part: &&str| part.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    let (found, kept): (Vec<_>, Vec<_>) = parameters.split(separator).partition(is_named);
    let kept = kept.join(separator);
    let text = match (is_url, kept.is_empty()) {
        (false, _) => kept,
        (true, true) => address.to_owned(),
        (true, false) => format!("{address}?{kept}"),
    };
    let value = found.last().map(|part| &part[name.len() + 1..]);
    let value =
        value.map(|value| if is_url { percent_decode_str(value).decode_utf8_lossy().into() } else { value.to_owned() });
    (text, value)
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

fn name(Host { config: host, .. }: &Host) -> String {
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
            assert_eq!(address.hosts[0].config.get_user(), Some("u"), "{text}");
        };
        check("postgres://u@one,two/archive", false);
        check("postgres://u@one,two/archive?target_session_attrs=read-write", false);
        check("postgres://u@one,two/archive?target_session_attrs=prefer-standby", true);
        check("postgres://u@one,two/archive?target_session_attrs=prefer-standby&connect_timeout=3", true);
        check("postgres://u@one,two/archive?connect_timeout=3&target_session_attrs=prefer-standby", true);
        check("host=one,two user=u target_session_attrs=prefer-standby", true);
    }

    #[test]
    fn an_address_may_ask_for_tls() {
        let parse = |parameters: &str| Address::parse(&format!("postgres://u@one/archive{parameters}"));
        let has_tls = |parameters: &str| parse(parameters).map(|address| address.hosts[0].tls.is_some());
        assert_eq!(has_tls(""), Ok(false));
        assert_eq!(has_tls("?sslmode=disable&connect_timeout=3"), Ok(false));
        // The library would go on without encryption, or without a check of the certificate.
        for mode in ["allow", "prefer", "verify-ca"] {
            let refused = has_tls(&format!("?connect_timeout=3&sslmode={mode}"));
            assert_eq!(refused, Err(format!("sslmode is disable, require or verify-full, not {mode}")));
        }
        assert_eq!(has_tls("?sslrootcert=ca.pem"), Err("sslrootcert needs sslmode=verify-full".to_owned()));
        let missing = has_tls("?sslmode=verify-full&sslrootcert=%2Fno%20file").expect_err("there is none");
        assert!(missing.starts_with("sslrootcert /no file: "), "{missing}");
    }
}
