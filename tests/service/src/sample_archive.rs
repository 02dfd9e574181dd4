//! An archive in which something of everything happened, behind a service.

use std::collections::BTreeSet;

use quipu_archive::{
    model::{Attribution, Creation, Draft, Submission},
    store::Refusal,
};
use quipu_options::settings::Settings;
use quipu_referee::{Status, games, report::hex};

use quipu_tournament::{model::Change, pairing};

use crate::{bytes, each_chunk, server::Server};

/// A record of a game that nobody knows.
pub const UNKNOWN: &[u8] = b"[Game \"damas\"]\n[Event \"Liga\"]\n\n1. e4 *\n";

/// All records of all games, and those that are broken on purpose.
pub fn fixtures() -> Vec<Submission> {
    let files = games::ALL.iter().flat_map(|game| ["games", "mutants"].map(|name| (game.notation().id, name)));
    let mut all = Vec::new();
    for (game, name) in files {
        let text = bytes(&format!("{game}/{name}.quipu"));
        each_chunk(text.as_slice(), |chunk| all.extend(Submission::all(chunk)));
    }
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(one.id));
    all
}

/// A service with records of every kind, of which some were corrected, retracted and merged; and the ids of some.
///
/// # Panics
/// If the archive refuses any of it.
pub fn sample_archive(settings: Settings) -> (Server, Vec<String>) {
    let server = Server::with(settings);
    small_cup(&server);
    let all = fixtures();
    let cup = server.keep(&bytes("andes/cup.quipu")[..]);
    server.keep(UNKNOWN);
    server.keep_all(&all);
    let of = |status: Status| all.iter().filter(move |one| one.verdict.status == status).take(3);
    let some = Status::ALL.into_iter().flat_map(of).chain(&all[..2]);
    let mut ids: Vec<_> = some.map(|one| hex(&one.id)).collect();
    ids.extend(cup[..4].iter().map(|id| hex(id)));
    let by =
        Attribution { submitter: "mesa".to_owned(), author: Some("Ana".to_owned()), reason: Some("prueba".to_owned()) };
    let other = String::from_utf8_lossy(&bytes("andes/cup.quipu")).replace("Arequipa", "Cusco");
    let mut others = Vec::new();
    each_chunk(other.as_bytes(), |chunk| others.extend(Submission::all(chunk)));
    let new = others.swap_remove(0);
    let done = server.store.write(move |writing| {
        writing.correct(&cup[0], &new, &by)?;
        let retracted = writing.retract(&cup[1], &by)?;
        writing.undo(retracted, &by)?;
        writing.retract(&cup[2], &by)?;
        writing.merge("Quispe Mamani, Rosa", "Toconás Vilte, Elena", &by)
    });
    done.wait().expect("all of it can be done");
    let open = all.iter().find(|one| one.verdict.status == Status::Incomplete).and_then(Draft::new);
    let open = open.expect("a game that goes on");
    let opened = server.store.write(move |writing| writing.open_live(&open, "mesa"));
    opened.wait().expect("it can be opened");
    (server, ids)
}

/// Tournament 1: four players, a paired round with one result.
fn small_cup(server: &Server) {
    let enter = |name: &str, rating: u32| {
        let player = serde_json::json!({ "name": name, "rating": rating });
        serde_json::json!({ "change": "enter", "player": player, "first": 1 })
    };
    let settings = serde_json::json!({
        "name": "Copa de Mayo", "system": { "kind": "swiss", "accelerated": false }, "rounds": 3,
        "encounter": { "kind": "single" }, "first_side": 1
    });
    let entered = [("Rosa Quispe", 2000), ("Luis Tapia", 1900), ("Ana Ruiz", 1800), ("Inés Soto", 1700)];
    let entered: Vec<_> = entered.map(|(name, rating)| enter(name, rating)).into();
    let result = serde_json::json!({
        "change": "result", "round": 1, "board": 1, "game": 1, "players": [1, 3], "result": { "outcome": "first" }
    });
    let by = Attribution { submitter: "mesa".to_owned(), author: Some("Ana".to_owned()), reason: None };
    let game = quipu_notation::games::find("andes").expect("a game");
    let made = server.store.write(move |writing| {
        let read = |steps: &[serde_json::Value]| -> Vec<Change> {
            steps.iter().map(|step| serde_json::from_value(step.clone()).expect("a step")).collect()
        };
        let settings = serde_json::from_value(settings.clone()).expect("settings");
        let number = writing.create_tournament(&Creation::new(game, settings, read(&entered))?, &by)?;
        writing.change_tournament(number, &by, |stored| -> Result<_, Refusal> {
            let paired = pairing::next(&stored.tournament)?;
            Ok([vec![paired.change()], read(std::slice::from_ref(&result))].concat())
        })
    });
    made.wait().expect("a small tournament");
}
