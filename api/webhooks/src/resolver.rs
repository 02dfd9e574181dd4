//! Names of receivers, resolved to the addresses that may be called. The connection goes to one of exactly these, so a name that
//! changes its address meanwhile leads nowhere else.

use std::{
    error::Error as StdError,
    fmt, io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use ureq::{
    Error, Timeout,
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

use crate::url::may_call;

/// Time limit of resolving a name.
const LIMIT: Duration = Duration::from_secs(5);
/// Addresses of a name that are tried.
const TRIED: usize = 4;

/// The addresses of a host and port.
pub(crate) type Lookup = Arc<dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// The look-up of the system.
pub(crate) fn system_lookup() -> Lookup {
    Arc::new(|host, port| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Ok((host, port).to_socket_addrs()?.collect())
    })
}

/// None of the addresses of a host may be called.
#[derive(Debug)]
pub(crate) struct Uncallable;

impl fmt::Display for Uncallable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no address of the host may be called")
    }
}

impl StdError for Uncallable {}

/// Resolves names to addresses that may be called.
pub(crate) struct GuardedResolver {
    pub(crate) allows_private: bool,
    pub(crate) lookup: Lookup,
}

impl fmt::Debug for GuardedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedResolver").field("allows_private", &self.allows_private).finish_non_exhaustive()
    }
}

impl Resolver for GuardedResolver {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let is_secure = uri.scheme_str() == Some("https");
        let host = uri.host().ok_or(Error::HostNotFound)?.to_owned();
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let (lookup, (sender, receiver)) = (Arc::clone(&self.lookup), mpsc::sync_channel(1));
        // The system has no time limit of its own.
        thread::spawn(move || drop(sender.send(lookup(&host, port))));
        let found = receiver.recv_timeout(LIMIT).map_err(|_| Error::Timeout(Timeout::Resolve))?;
        let found = found.map_err(|_| Error::HostNotFound)?;
        if found.is_empty() {
            return Err(Error::HostNotFound);
        }
        let mut callable = self.empty();
        let may_call = |found: &&SocketAddr| may_call(found.ip(), self.allows_private, is_secure);
        for address in found.iter().filter(may_call).take(TRIED) {
            callable.push(*address);
        }
        if callable.is_empty() { Err(Error::Other(Box::new(Uncallable))) } else { Ok(callable) }
    }
}
