//! Connections with TLS: which servers are accepted, and which sessions are encrypted.

use std::{thread, time::Duration};

use quipu_archive::store::{Address, Store, StoreError};
use tempfile::tempdir;

use super::{Place, add, check, records};

/// An address of a server with the name that it is reached by.
fn address(place: &Place, host: &str, parameters: &str) -> Address {
    let text = format!("postgres://quipu@{host}:{}/postgres{parameters}", place.server.port());
    Address::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn all_sessions_of_a_store_with_tls_are_encrypted() {
    let place = Place::new();
    let authority = place.server.speak_tls();
    let verified = format!("?sslmode=verify-full&sslrootcert={}", authority.display());
    let store =
        Store::open_on_server(&address(&place, "localhost", &verified), place.folder.path()).expect("an archive");
    for record in records(0..5) {
        add(&store, &record);
    }
    check(&store, 5);
    let sessions = |condition: &str| {
        place.server.query(&format!(
            "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
             WHERE application_name = 'quipu' AND {condition}"
        ))
    };
    assert_eq!(sessions("NOT ssl"), "0");
    assert_ne!(sessions("ssl"), "0");
    // A query that is cancelled is so over TLS too.
    let slow = store.read_within(Duration::from_millis(100), |reading| {
        loop {
            reading.last_change()?;
            thread::sleep(Duration::from_millis(5));
        }
        #[expect(unreachable_code, reason = "the type of the result")]
        Ok::<(), StoreError>(())
    });
    assert!(matches!(slow, Err(StoreError::Slow)), "{slow:?}");
}

#[test]
fn a_server_is_refused_without_a_trusted_certificate_of_its_name() {
    let place = Place::new();
    let authority = place.server.speak_tls();
    let refused = |place: &Place, host: &str, parameters: &str| {
        let folder = tempdir().expect("a folder");
        match Store::open_on_server(&address(place, host, parameters), folder.path()) {
            Ok(_) => panic!("{parameters}: it is accepted"),
            Err(StoreError::Denied(text)) => text,
            Err(error) => panic!("{parameters}: {error:?}"),
        }
    };
    let own = format!("&sslrootcert={}", authority.display());
    let wrong_name = refused(&place, "127.0.0.1", &format!("?sslmode=verify-full{own}"));
    assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
    // Also by the mode that checks nothing elsewhere.
    let unknown = refused(&place, "localhost", "?sslmode=require");
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    let unencrypted = refused(&place, "localhost", "");
    assert!(unencrypted.contains("no encryption"), "{unencrypted}");
    let other = Place::new();
    let without = refused(&other, "localhost", &format!("?sslmode=verify-full{own}"));
    assert!(without.contains("does not support TLS"), "{without}");
}
