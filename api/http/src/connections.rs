//! Limits on open connections, in total and per address.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use actix_web::HttpRequest;

use super::{
    client::Client,
    slots::{Full, Slot, Slots},
};
use quipu_options::settings::Settings;

/// Connections beyond a client's share that get a response with the reason; further ones are closed without a response.
const ANSWERED: usize = 8;

pub(super) struct Connections {
    slots: Slots,
    /// Slots for connections beyond the share of their client that are answered with the reason.
    refusals: Slots,
    /// All open connections, the refused ones included.
    open: Arc<AtomicUsize>,
    /// True if all connections come from a proxy, so that shares per address make no sense.
    trust_proxy: bool,
}

pub(super) struct Connection {
    /// The limit that the connection exceeds, if it does.
    pub(super) refused: Option<Full>,
    /// True if the connection is closed without a response, because its client already gets the reason on others.
    pub(super) closed: bool,
    open: Arc<AtomicUsize>,
    _slot: Option<Slot>,
}

impl Connections {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            slots: Slots::new(settings.max_connections, settings.client_share),
            refusals: Slots::with_share(usize::MAX, ANSWERED),
            open: Arc::default(),
            trust_proxy: settings.trust_proxy,
        }
    }

    /// Counts a connection from this address.
    pub(super) fn connect(&self, peer: Option<SocketAddr>) -> Connection {
        self.open.fetch_add(1, Ordering::Relaxed);
        let client = Client::of(None, peer.map(|peer| peer.ip())).filter(|_| !self.trust_proxy);
        let (slot, refused) = match self.slots.take(client) {
            Ok(slot) => (Some(slot), None),
            Err(full @ Full::All(_)) => (None, Some(full)),
            Err(full @ Full::Share(_)) => (self.refusals.take(client).ok(), Some(full)),
        };
        let closed = slot.is_none() && matches!(refused, Some(Full::Share(_)));
        Connection { refused, closed, open: Arc::clone(&self.open), _slot: slot }
    }

    /// The number of open connections.
    pub(super) fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The limit that the connection of a request exceeds, if it does.
pub(super) fn refusal(request: &HttpRequest) -> Option<Full> {
    request.conn_data::<Connection>().and_then(|connection| connection.refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_beyond_the_limit_are_refused_until_others_close() {
        let connections = Connections::new(&Settings { max_connections: 1, ..Settings::default() });
        let refused = |peer: [u8; 4]| connections.connect(Some((peer, 1).into())).refused;
        let first = connections.connect(None);
        assert_eq!((first.refused, refused([127, 0, 0, 1])), (None, Some(Full::All(1))));
        drop(first);
        assert_eq!(refused([127, 0, 0, 1]), None);
    }

    #[test]
    fn one_address_has_a_share_of_the_connections() {
        let settings = Settings { max_connections: 8, client_share: 25, ..Settings::default() };
        let connections = Connections::new(&settings);
        let connect = |connections: &Connections, peer: &str| connections.connect(peer.parse().ok());
        let mut held: Vec<_> = (0..2 + ANSWERED).map(|_| connect(&connections, "10.0.0.1:5")).collect();
        assert_eq!(held.iter().filter(|one| one.refused.is_none()).count(), 2);
        assert!(held.iter().all(|one| !one.closed));
        let beyond = connect(&connections, "10.0.0.1:5");
        assert!(beyond.closed && beyond.refused == Some(Full::Share(2)));
        // Other addresses have their own shares; an IPv6 network counts as one; loopback and proxies have no share.
        held.extend(["[2001:db8::1]:5", "[2001:db8::2]:5"].map(|peer| connect(&connections, peer)));
        assert_eq!(connect(&connections, "[2001:db8::3]:5").refused, Some(Full::Share(2)));
        held.extend(
            ["127.0.0.1:5", "127.0.0.1:5", "[::1]:5", "[::ffff:127.0.0.1]:5"].map(|peer| connect(&connections, peer)),
        );
        assert!(held[2 + ANSWERED..].iter().all(|one| one.refused.is_none()));
        assert_eq!(connect(&connections, "127.0.0.1:5").refused, Some(Full::All(8)));
        assert_eq!(connections.count(), held.len() + 1);
        let behind = Connections::new(&Settings { trust_proxy: true, ..settings });
        let held: Vec<_> = (0..8).map(|_| connect(&behind, "10.0.0.1:5")).collect();
        assert!(held.iter().all(|one| one.refused.is_none()));
    }
}
