//! One host of an address: connecting to it, with or without TLS, and probes.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use tokio_postgres::{CancelToken, Client, Config, NoTls, Socket, tls::MakeTlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::round_trip::{self, Late};
use crate::store::database::error::{Error, Result};

/// Time limit of connecting to one host, with the exchange before the first query: the library's own covers TCP alone, and a host
/// that was paused accepts connections and does not answer.
pub(super) const HOST_TIMEOUT: Duration = Duration::from_secs(1);
/// Time after which a server that has not answered yet is asked if it still answers others.
const PROBE: Duration = Duration::from_secs(2);
/// Probes without an answer after which an operation that may take long is given up: one alone may be the server's own work.
const SILENT_PROBES: u32 = 3;

/// A host of an address.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) config: Config,
    /// None without encryption.
    pub(super) tls: Option<MakeRustlsConnect>,
}

impl Host {
    async fn open(&self) -> std::result::Result<Client, tokio_postgres::Error> {
        match &self.tls {
            Some(tls) => open(&self.config, tls.clone()).await,
            None => open(&self.config, NoTls).await,
        }
    }

    /// Asks the server to cancel the statement of a session.
    pub(super) async fn cancel(&self, session: CancelToken) -> std::result::Result<(), tokio_postgres::Error> {
        match &self.tls {
            Some(tls) => session.cancel_query(tls.clone()).await,
            None => session.cancel_query(NoTls).await,
        }
    }
}

async fn open<T>(config: &Config, tls: T) -> std::result::Result<Client, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    // It ends when the client is dropped, or with the session.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

/// Probes of the host of a server that has not answered yet: a long query is no sign of a server that is frozen, but if no other
/// connection is answered either, it is.
pub(super) struct Probes<'h> {
    /// None if it is not known.
    host: Option<&'h Host>,
    asked: Instant,
    /// Those in a row that were not answered, and the number at which the server is given up.
    silent: u32,
    most: u32,
}

impl<'h> Probes<'h> {
    pub(super) fn new(host: Option<&'h Host>, is_patient: bool) -> Self {
        Self { host, asked: Instant::now(), silent: 0, most: if is_patient { SILENT_PROBES } else { 1 } }
    }

    /// True if the server is frozen. It is asked from time to time.
    pub(super) fn find_frozen(&mut self) -> bool {
        let Some(host) = self.host.filter(|_| self.asked.elapsed() >= PROBE) else { return false };
        // Even a refusal is an answer.
        let is_silent = matches!(connect_in_time(host), Ok(None));
        self.silent = if is_silent { self.silent + 1 } else { 0 };
        self.asked = Instant::now();
        self.silent >= self.most
    }
}

/// Connects to a host.
pub(super) fn connect(host: &Host) -> Result<Client> {
    connect_in_time(host)?.ok_or_else(|| Late::Expired.into())
}

/// Connects to a host; none if it does not answer within [`HOST_TIMEOUT`].
fn connect_in_time(host: &Host) -> Result<Option<Client>> {
    let runtime = round_trip::runtime().map_err(|error| Error::Other(error.to_string()))?;
    let host = host.clone();
    let connecting = runtime.spawn(async move {
        let Ok(opened) = timeout(HOST_TIMEOUT, host.open()).await else { return Ok(None) };
        Ok::<_, Error>(Some(opened?))
    });
    let connected = round_trip::wait(connecting, 2 * HOST_TIMEOUT, || None)?;
    connected.map_err(|error| Error::Other(error.to_string()))?
}
