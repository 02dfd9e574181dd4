//! One host of an address: connecting to it, and asking if it answers.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Config, NoTls};

use super::round_trip;
use crate::store::database::error::{Error, Result};

/// Time limit of connecting to one host, with the exchange before the first query: the library's own covers TCP alone, and a host
/// that was paused accepts connections and does not answer.
pub(super) const HOST: Duration = Duration::from_secs(1);
/// The message about a host that does not answer.
pub(super) const SILENT: &str = "the server does not answer";

/// True if a host answers, even if that is a refusal.
pub(super) fn answers(host: &Config) -> bool {
    !matches!(connect(host), Err(Error::Unreachable(text)) if text == SILENT)
}

/// Connects to a host.
pub(super) fn connect(host: &Config) -> Result<Client> {
    let runtime = round_trip::runtime().map_err(|error| Error::Other(error.to_string()))?;
    let host = host.clone();
    let connecting = runtime.spawn(async move {
        let late = || Error::Unreachable(SILENT.to_owned());
        let (client, connection) = timeout(HOST, host.connect(NoTls)).await.map_err(|_| late())??;
        // It ends when the client is dropped, or with the session.
        tokio::spawn(async move { drop(connection.await) });
        Ok::<_, Error>(client)
    });
    let connected = round_trip::wait(connecting, 2 * HOST, || None)?;
    connected.map_err(|error| Error::Other(error.to_string()))?
}
