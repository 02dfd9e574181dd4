//! Digests of representations, and parts of them that cannot be requested.

use base64::{Engine, engine::general_purpose::STANDARD};
use quipu_archive::model::Id;
use quipu_referee::report::hex;
use quipu_tests_service::{bytes, server::Server};
use sha2::{Digest, Sha256};

use super::records::UNKNOWN;

/// The header of bytes.
fn digest(bytes: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(bytes)))
}

#[test]
fn a_representation_has_the_digest_of_its_bytes() {
    let server = Server::start();
    let mut ids = server.keep(&bytes("andes/cup.quipu")[..]);
    ids.truncate(1);
    ids.extend(server.keep(&bytes("brandubh/replay.otg")[..]));
    ids.extend(server.keep(UNKNOWN));
    let check = |path: &str, id: &Id| {
        for _ in 0..2 {
            let ask = |method: &str| server.ask(method, path).header("Accept", "text/plain").send();
            let (response, head) = (ask("GET"), ask("HEAD"));
            assert_eq!(response.status, 200, "{path}");
            assert_eq!(response.header("repr-digest"), digest(&response.body), "{path}");
            assert_eq!(head.header("repr-digest"), response.header("repr-digest"), "{path}");
        }
        hex(id)
    };
    for (place, id) in ids.iter().enumerate() {
        let path = format!("/v1/records/{}", hex(id));
        check(&path, id);
        check(&format!("{path}/source"), id);
        if place == 0 {
            // The id of a record is the digest of its text.
            let text = server.ask("GET", &path).header("Accept", "text/plain").send();
            assert_eq!(text.header("repr-digest"), format!("sha-256=:{}:", STANDARD.encode(id)));
            // A digest is of the bytes that are sent, and those of a compressed response are not known.
            let compressed =
                server.ask("GET", &path).header("Accept", "text/plain").header("Accept-Encoding", "gzip").send();
            assert_eq!((compressed.header("content-encoding"), compressed.header("repr-digest")), ("gzip", ""));
            let json = server.ask("GET", &path).header("Accept", "application/json").send();
            assert_eq!(json.header("repr-digest"), "");
        }
    }
}

/// A part of a record is never asked for: records are small, and a list or an export goes on by its numbers.
#[test]
fn there_are_no_ranges() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    for path in [format!("/v1/records/{id}"), format!("/v1/records/{id}/source"), "/v1/export".to_owned()] {
        let whole = server.get(&path);
        assert_eq!(whole.header("accept-ranges"), "none", "{path}");
        let part = server.ask("GET", &path).header("Range", "bytes=0-9").send();
        assert_eq!((part.status, &part.body), (200, &whole.body), "{path}");
    }
}
