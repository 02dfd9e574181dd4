//! Receipts over HTTP: what was verified is signed, what becomes of the record changes nothing of that, and the log and the
//! keys can be had by who checks it. That nothing in it can be changed unseen is looked at in `archive`.

use quipu_archive::receipts::{Keys, PublicKey, Receipt, SignedHead, TrustedKeys, merkle};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::server::Server;
use serde_json::{Value, from_value, json};

use crate::submit::{BAD, TEXT, game};

fn receipt(server: &Server, id: &str) -> Receipt {
    from_value(server.get(&format!("/v1/records/{id}/receipt")).json()).expect("a receipt")
}

fn head(server: &Server) -> SignedHead {
    from_value(server.get("/v1/log").json()).expect("a head")
}

fn trusted(server: &Server) -> TrustedKeys {
    let keys: Keys = from_value(server.get("/v1/keys").json()).expect("keys");
    let public = PublicKey::new(&keys.keys[0].public.0).expect("a key");
    TrustedKeys::from_succession(public, &keys).expect("they follow each other")
}

#[test]
fn every_stored_record_has_a_receipt() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let post = |path: &str, record: String| {
        let response = server.ask("POST", path).token(&token).body(TEXT, record).send();
        let stored: Value = serde_json::from_slice(&response.body).expect("JSON");
        stored["id"].as_str().expect("an id").to_owned()
    };
    let good = post("/v1/records", game("Ana", "Beto"));
    let bad = post("/v1/records?keep=refused", BAD.to_owned());
    for (id, status, index) in [(&good, "verified", 0), (&bad, "rejected", 1)] {
        let receipt = receipt(&server, id);
        assert_eq!((receipt.check(&trusted(&server)), receipt.index), (Ok(()), index));
        assert_eq!((receipt.verdict.status.as_str(), receipt.state.as_str()), (status, "current"));
        let verdict = server.get(&format!("/v1/records/{id}/verdict")).json();
        for member in ["game", "rules", "status", "plies", "position", "termination", "result"] {
            let signed = serde_json::to_value(&receipt.verdict).expect("JSON");
            assert_eq!(signed[member], verdict[member], "{member}");
        }
    }
    // The same bytes each time, until something is stored.
    let path = format!("/v1/records/{good}/receipt");
    let first = server.get(&path);
    assert_eq!(first.body, server.get(&path).body);
    let again = server.ask("GET", &path).header("If-None-Match", first.header("etag")).send();
    assert_eq!((again.status, again.header("cache-control")), (304, "no-cache"));
    post("/v1/records", game("Ana", "Carla"));
    let again = server.ask("GET", &path).header("If-None-Match", first.header("etag")).send();
    assert_eq!(again.status, 200);
    // The page of the record leads there.
    let page = server.ask("GET", &format!("/records/{good}")).header("Accept", "text/html").send();
    assert!(page.text().contains(&path), "{}", page.text());
}

#[test]
fn the_state_of_a_record_is_reported_and_not_signed() {
    let server = Server::start();
    let ids = server.keep([game("Ana", "Beto"), game("Ana", "Carla")].join("\n").as_bytes());
    let ids: Vec<_> = ids.iter().map(|id| hex(id)).collect();
    let before = receipt(&server, &ids[0]);
    let token = server.token(Scope::EventsAdmin);
    let post = |path: &str, body: &Value| {
        let response = server.ask("POST", path).token(&token).json(body).send();
        assert_eq!(response.status, 201, "{}", response.text());
    };
    let correction = json!({ "record": game("Ana", "Dora"), "reason": "misread" });
    post(&format!("/v1/records/{}/corrections", ids[0]), &correction);
    post(&format!("/v1/records/{}/retractions", ids[1]), &json!({ "reason": "a friendly game" }));
    let after = receipt(&server, &ids[0]);
    assert_eq!((after.state.as_str(), receipt(&server, &ids[1]).state.as_str()), ("corrected", "retracted"));
    assert_eq!((after.signature, after.index, after.leaf()), (before.signature, 0, before.leaf()));
    assert_eq!(after.check(&trusted(&server)), Ok(()));
    assert_eq!(head(&server).size, 3, "the record in its place has a receipt too");
    // Merging names makes no verdict.
    let players = server.get("/v1/players?q=Beto").json();
    let merge = format!("/v1/players/{}/merges", players["items"][0]["number"]);
    post(&merge, &json!({ "into": "Carla", "reason": "x" }));
    assert_eq!(head(&server).size, 3);
}

#[test]
fn the_log_is_followed() {
    let server = Server::start();
    let mut heads = vec![head(&server)];
    for names in [["Ana", "Beto"], ["Ana", "Carla"], ["Ana", "Dora"]] {
        server.keep(game(names[0], names[1]).as_bytes());
        heads.push(head(&server));
    }
    let public = PublicKey::new(&from_value::<Keys>(server.get("/v1/keys").json()).expect("keys").keys[0].public.0);
    for pair in heads.windows(2) {
        let [from, to] = pair else { unreachable!() };
        assert!(public.expect("a key").has_signed(&to.head().text(), &to.signature.0));
        let proof = server.get(&format!("/v1/log/consistency?from={}&to={}", from.size, to.size)).json();
        assert_eq!((&proof["from"], &proof["to"]), (&json!(from.size), &json!(to.size)));
        let proof: Vec<quipu_archive::receipts::Hex<32>> = from_value(proof["proof"].clone()).expect("hashes");
        let proof: Vec<_> = proof.iter().map(|node| node.0).collect();
        assert!(merkle::is_consistent((from.size, &from.root.0), (to.size, &to.root.0), &proof));
    }
    assert_eq!(server.get("/v1/log/consistency?from=1").json()["to"], 3);
    for query in ["from=4", "from=1&to=4", "from=2&to=1", "from=9007199254740991"] {
        server.get(&format!("/v1/log/consistency?{query}")).problem(404, "api.not-found");
    }
    for query in ["to=1", "from=-1", "from=x", "from=1&from=1", "from=9007199254740992"] {
        server.get(&format!("/v1/log/consistency?{query}")).problem(400, "api.parameter");
    }
    let server = server.restart();
    assert_eq!(head(&server), heads[3], "it is the same log after the service was started again");
}

#[test]
fn keys_are_open_and_the_log_is_as_the_records_are() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    assert_eq!(server.get("/v1/keys").status, 200);
    for path in ["/v1/log", "/v1/log/consistency?from=0"] {
        server.get(path).problem(401, "api.token");
    }
    server.get(&format!("/v1/records/{}/receipt", "0".repeat(64))).problem(401, "api.token");
}
