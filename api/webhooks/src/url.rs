//! Addresses of receivers, as an administrator gives them.

use std::net::IpAddr;

use quipu_archive::model::Webhook;
use ureq::http::Uri;

use crate::address::AddressClass;

/// A fault of the address of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlFault {
    /// It is not an address with a host.
    Syntax,
    /// It has more than [`Webhook::URL`] characters.
    TooLong,
    /// It does not begin with `https://`, nor with `http://` where that is allowed.
    Scheme,
    /// It has a name or a password.
    UserInfo,
    /// It has a fragment, which is never sent.
    Fragment,
    /// Its host is an IP address that may not be called.
    Address,
}

/// Parses the address of a receiver. `allows_private` allows private networks, and there `http`.
///
/// # Errors
/// Its fault. The addresses of a name are checked with each delivery.
pub fn receiver_url(text: &str, allows_private: bool) -> Result<Uri, UrlFault> {
    if text.len() > Webhook::URL {
        return Err(UrlFault::TooLong);
    }
    if text.contains('#') {
        return Err(UrlFault::Fragment);
    }
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    let uri: Uri = text.parse().ok().filter(|_| is_visible).ok_or(UrlFault::Syntax)?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(UrlFault::Syntax) };
    if scheme != "https" && !(scheme == "http" && allows_private) {
        return Err(UrlFault::Scheme);
    }
    if authority.as_str().contains('@') {
        return Err(UrlFault::UserInfo);
    }
    // The library has no port where there is a wrong one.
    let is_whole = authority.as_str() == authority.host() || authority.port_u16().is_some_and(|port| port != 0);
    if authority.host().is_empty() || !is_whole {
        return Err(UrlFault::Syntax);
    }
    match host_address(authority.host()) {
        Some(address) if !may_call(address, allows_private, scheme == "https") => Err(UrlFault::Address),
        _ => Ok(uri),
    }
}

/// The host of an address, if it is an IP address.
fn host_address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// True if an address may be called. Without TLS only private ones may.
pub(crate) fn may_call(address: IpAddr, allows_private: bool, is_secure: bool) -> bool {
    match AddressClass::of(address) {
        AddressClass::Public => is_secure,
        AddressClass::Private => allows_private,
        AddressClass::Forbidden => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_receivers() {
        let long = format!("https://example.com/{}", "a".repeat(Webhook::URL));
        for (text, public, private) in [
            ("https://example.com", Ok(()), Ok(())),
            ("https://example.com:8443/a/b?c=d", Ok(()), Ok(())),
            ("https://1.1.1.1/", Ok(()), Ok(())),
            ("https://[2606:4700::1]/", Ok(()), Ok(())),
            ("http://example.com", Err(UrlFault::Scheme), Ok(())),
            ("http://1.1.1.1/", Err(UrlFault::Scheme), Err(UrlFault::Address)),
            ("https://127.0.0.1/", Err(UrlFault::Address), Ok(())),
            ("https://10.1.2.3:8080/", Err(UrlFault::Address), Ok(())),
            ("https://[::1]/", Err(UrlFault::Address), Ok(())),
            ("https://[::ffff:127.0.0.1]/", Err(UrlFault::Address), Ok(())),
            ("https://169.254.169.254/latest", Err(UrlFault::Address), Err(UrlFault::Address)),
            ("https://[fe80::1]/", Err(UrlFault::Address), Err(UrlFault::Address)),
            ("ftp://example.com", Err(UrlFault::Scheme), Err(UrlFault::Scheme)),
            ("file:///etc/passwd", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://user:secret@example.com/", Err(UrlFault::UserInfo), Err(UrlFault::UserInfo)),
            ("https://@example.com/", Err(UrlFault::UserInfo), Err(UrlFault::UserInfo)),
            ("https://example.com/#a", Err(UrlFault::Fragment), Err(UrlFault::Fragment)),
            ("https://example.com:0/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://example.com:/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://example.com:65536/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://:443/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://exa mple.com/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://ñandú.example/", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("https://", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("example.com", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("/path", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            ("", Err(UrlFault::Syntax), Err(UrlFault::Syntax)),
            (&*long, Err(UrlFault::TooLong), Err(UrlFault::TooLong)),
        ] {
            assert_eq!(receiver_url(text, false).map(drop), public, "{text}");
            assert_eq!(receiver_url(text, true).map(drop), private, "{text} in a private network");
        }
    }
}
