//! Classes of IP addresses: only public ones may be called, unless private networks are allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The networks that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressClass {
    /// Reachable from everywhere.
    Public,
    /// Of this machine or of a private network.
    Private,
    /// Called never: link-local addresses, of which clouds give the credentials of a machine, multicast, documentation, addresses
    /// behind translators and tunnels, and all that is reserved.
    Forbidden,
}

use AddressClass::{Forbidden, Private, Public};

impl AddressClass {
    /// The class of an address, by the registries of special-purpose addresses of IANA (RFC 6890).
    pub(crate) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

fn of_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        [127 | 10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Private,
        // This network, link-local, protocol assignments, documentation, relays of 6to4, benchmarks, multicast, reserved.
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Forbidden,
        _ => Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return of_v4(mapped);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] | [0xfc00..=0xfdff, ..] => Private,
        // NAT64: a network of IPv6 alone reaches public addresses of IPv4 so.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
            if of_v4(Ipv4Addr::new(a, b, c, d)) == Public { Public } else { Forbidden }
        }
        // Protocol assignments with Teredo, documentation, 6to4.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => Forbidden,
        [0x2000..=0x3fff, ..] => Public,
        _ => Forbidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_addresses() {
        let classes: [(AddressClass, &[&str]); 3] = [
            (
                Public,
                &[
                    "1.1.1.1",
                    "8.8.8.8",
                    "9.255.255.255",
                    "11.0.0.0",
                    "100.63.255.255",
                    "100.128.0.0",
                    "128.0.0.1",
                    "169.253.255.255",
                    "169.255.0.0",
                    "172.15.255.255",
                    "172.32.0.0",
                    "192.0.1.0",
                    "192.88.98.255",
                    "192.167.255.255",
                    "192.169.0.0",
                    "198.17.255.255",
                    "198.20.0.0",
                    "198.51.99.255",
                    "203.0.114.0",
                    "223.255.255.255",
                    "2606:4700:4700::1111",
                    "2001:200::1",
                    "2a00::1",
                    "2003::1",
                    "3ffe:ffff::1",
                    "::ffff:8.8.8.8",
                    "64:ff9b::8.8.8.8",
                ],
            ),
            (
                Private,
                &[
                    "127.0.0.1",
                    "127.255.255.254",
                    "10.0.0.1",
                    "10.255.255.255",
                    "172.16.0.1",
                    "172.31.255.255",
                    "192.168.0.1",
                    "100.64.0.1",
                    "100.127.255.255",
                    "::1",
                    "fc00::1",
                    "fdff:ffff::1",
                    "::ffff:127.0.0.1",
                    "::ffff:10.0.0.1",
                ],
            ),
            (
                Forbidden,
                &[
                    "0.0.0.0",
                    "0.1.2.3",
                    "169.254.169.254",
                    "192.0.0.170",
                    "192.0.2.1",
                    "192.88.99.1",
                    "198.18.0.1",
                    "198.19.255.255",
                    "198.51.100.1",
                    "203.0.113.255",
                    "224.0.0.1",
                    "239.255.255.255",
                    "240.0.0.1",
                    "255.255.255.255",
                    "::",
                    "::127.0.0.1",
                    "::8.8.8.8",
                    "::ffff:169.254.169.254",
                    "64:ff9b::7f00:1",
                    "64:ff9b::a9fe:a9fe",
                    "64:ff9b::10.0.0.1",
                    "64:ff9b:1::1",
                    "100::1",
                    "fe80::1",
                    "febf::1",
                    "fec0::1",
                    "ff02::1",
                    "2001::1",
                    "2001:10::1",
                    "2001:20::1",
                    "2001:db8::1",
                    "2002:7f00:1::",
                    "2002:808:808::1",
                    "3fff::1",
                    "3fff:fff::1",
                    "4000::1",
                    "5f00::1",
                ],
            ),
        ];
        for (class, addresses) in classes {
            for address in addresses {
                assert_eq!(AddressClass::of(address.parse().expect("an address")), class, "{address}");
            }
        }
    }
}
