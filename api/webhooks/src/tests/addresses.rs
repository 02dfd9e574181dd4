//! The addresses that may be called, and the failures of those that cannot.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
};

use quipu_archive::model::DeliveryFailure;

use super::service::{NOW, Receiver, Service};
use crate::{
    courier::Step,
    resolver::{Lookup, system_lookup},
};

#[test]
fn a_redirect_is_not_followed() {
    let other = Receiver::start(&[]);
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let receiver = Receiver::start(&[&format!("{status}\r\nLocation: {}", other.url())]);
        let service = Service::start(1);
        let id = service.hook(&receiver.url(), &[], &[]);
        assert_eq!(service.failure(&id), Some(DeliveryFailure::Redirect), "{status}");
        assert_eq!((receiver.requests().len(), other.requests().len()), (1, 0), "{status}");
    }
}

/// A lookup of any name that gives these addresses one after the other, and counts how often it was asked.
fn lookup(answers: &[&[SocketAddr]]) -> (Lookup, Arc<Mutex<usize>>) {
    let (answers, asked) = (answers.iter().map(|found| found.to_vec()).collect::<Vec<_>>(), Arc::new(Mutex::new(0)));
    let count = Arc::clone(&asked);
    let lookup: Lookup = Arc::new(move |_, _| {
        let mut count = count.lock().expect("a lock");
        *count += 1;
        Ok(answers[(*count - 1).min(answers.len() - 1)].clone())
    });
    (lookup, asked)
}

#[test]
fn private_addresses_are_refused_unless_they_are_allowed() {
    let receiver = Receiver::start(&[]);
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]"] {
        let found = format!("{address}:{}", receiver.address.port()).parse().expect("an address");
        let (lookup, _) = lookup(&[&[found]]);
        let service = Service::with(1, false, lookup);
        let id = service.hook("https://receiver.example/", &[], &[]);
        assert_eq!(service.failure(&id), Some(DeliveryFailure::Address), "{address}");
    }
    for name in ["localhost", "2130706433", "0x7f000001", "127.1"] {
        let service = Service::with(1, false, system_lookup());
        let id = service.hook(&format!("https://{name}:{}/", receiver.address.port()), &[], &[]);
        let failure = service.failure(&id);
        assert!(matches!(failure, Some(DeliveryFailure::Address | DeliveryFailure::Name)), "{name}: {failure:?}");
    }
    assert_eq!(receiver.requests().len(), 0);
}

/// Only private addresses are called without TLS: `http` to a public one would be in the clear.
#[test]
fn http_goes_to_private_addresses_alone() {
    let (lookup, _) = lookup(&[&["8.8.8.8:80".parse().expect("an address")]]);
    let service = Service::with(1, true, lookup);
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address));
    let service = Service::with(1, false, system_lookup());
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address), "http is not allowed at all");
}

/// The name of a receiver has another address for each lookup, as with DNS rebinding. Each attempt looks it up once, and connects
/// to the address that was checked.
#[test]
fn a_name_that_changes_its_address_leads_nowhere_else() {
    let (receiver, metadata) = (Receiver::start(&[]), "169.254.169.254:80".parse().expect("an address"));
    let (lookup, asked) = lookup(&[&[metadata, receiver.address], &[metadata]]);
    let service = Service::with(2, true, lookup);
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.step(&id, NOW), Step::More, "the address that may be called is called");
    assert_eq!((receiver.changes(), *asked.lock().expect("a lock")), (vec![1], 1));
    assert_eq!(receiver.requests()[0].headers["host"], "receiver.example");
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address));
    assert_eq!((receiver.changes(), *asked.lock().expect("a lock")), (vec![1], 2));
}

#[test]
fn other_failures() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let plain = Receiver::start(&[]);
    let long = Receiver::start(&[&format!("200 OK\r\nX-Long: {}", "x".repeat(100_000))]);
    let wrong = Receiver::start(&["nothing"]);
    for (url, failure) in [
        (format!("http://{closed}/"), DeliveryFailure::Connection),
        ("http://receiver.invalid/".to_owned(), DeliveryFailure::Name),
        (format!("https://{}/", plain.address), DeliveryFailure::Tls),
        (long.url(), DeliveryFailure::Response),
        (wrong.url(), DeliveryFailure::Response),
    ] {
        let service = Service::start(1);
        let id = service.hook(&url, &[], &[]);
        assert_eq!(service.failure(&id), Some(failure), "{url}");
        assert_eq!(service.deliveries(&id)[0].status, None, "{url}");
    }
}
