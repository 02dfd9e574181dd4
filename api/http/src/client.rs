//! Identity of clients for rate limits and fair shares.

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::{HeaderMap, HeaderName};

use super::auth::Bearer;
use quipu_archive::model::TokenText;

/// One client: a token, an IPv4 address, or an IPv6 network of 64 bits, because the owner of one address of such a network
/// has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Client {
    V4(u32),
    V6(u64),
    Token([u8; TokenText::ID]),
}

impl Client {
    /// The client behind a request: its token, or else its address. Requests from the loopback interface have no client:
    /// a proxy on this machine may act for any number of clients.
    pub(super) fn of(bearer: Option<&Bearer>, address: Option<IpAddr>) -> Option<Self> {
        let remote = address.filter(|address| !address.to_canonical().is_loopback());
        bearer.map(|bearer| Self::Token(bearer.id)).or(remote.map(Self::from))
    }
}

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6(u64::try_from(address.to_bits() >> 64).unwrap_or_default()),
        }
    }
}

/// The address that a request comes from. Behind a trusted proxy it is the last address in `X-Forwarded-For`, the only one
/// that the proxy itself wrote.
pub(super) fn address(headers: &HeaderMap, peer: Option<SocketAddr>, trust_proxy: bool) -> Option<IpAddr> {
    let peer = peer.map(|peer| peer.ip());
    if !trust_proxy {
        return peer;
    }
    let forwarded = headers.get_all(HeaderName::from_static("x-forwarded-for")).last();
    let last = forwarded.and_then(|value| value.to_str().ok()).and_then(|value| value.rsplit(',').next());
    // Some proxies write the port too.
    let read = |last: &str| last.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|last| last.ip()));
    last.and_then(|last| read(last.trim())).or(peer)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str, expected: bool) {
        let client = |text: &str| Client::from(text.parse::<IpAddr>().expect("an address"));
        assert_eq!(client(one) == client(other), expected, "{one} {other}");
    }

    #[test]
    fn clients() {
        same("10.0.0.1", "10.0.0.1", true);
        same("10.0.0.1", "10.0.0.2", false);
        same("::ffff:10.0.0.1", "10.0.0.1", true);
        same("2001:db8::1", "2001:db8::ffff", true);
        same("2001:db8::1", "2001:db8:0:1::1", false);
    }

    #[test]
    fn only_the_last_hop_is_believed_and_only_behind_a_proxy() {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static("1.1.1.1, 2.2.2.2"));
        let peer: SocketAddr = "127.0.0.1:5".parse().expect("an address");
        let seen = |trust| address(&headers, Some(peer), trust).map(|address| address.to_string());
        for (written, read) in
            [("3.3.3.3:567", "3.3.3.3"), ("[2001:db8::1]:9", "2001:db8::1"), ("unknown", "127.0.0.1")]
        {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(written));
            assert_eq!(address(&headers, Some(peer), true).map(|found| found.to_string()).as_deref(), Some(read));
        }
        assert_eq!(seen(false).as_deref(), Some("127.0.0.1"));
        assert_eq!(seen(true).as_deref(), Some("2.2.2.2"));
    }
}
