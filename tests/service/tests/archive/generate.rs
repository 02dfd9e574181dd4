//! Records made for these tests: real games under other names, days and events.

use std::{fmt::Write, path::Path, sync::LazyLock};

use quipu_archive::{
    model::{Attribution, Id, Number, Submission},
    store::{Added, Store, StoreError},
};
use quipu_notation::{
    Side,
    games::GAMES,
    record::{Format, Outcome},
};
use quipu_referee::{Status, verify};
use quipu_tests_service::{each_chunk, every};

/// Tags that these tests say themselves.
const OURS: [&str; 9] = ["Event", "Site", "Date", "Round", "UTCDate", "UTCTime", "Annotator", "Leg", "Board"];

/// A game without who played it, and when.
pub(crate) struct Template {
    /// Tags of the players.
    tags: [&'static str; 2],
    game: &'static str,
    /// The other tags, the empty line and the moves.
    rest: String,
}

/// Of each game, for each result, the shortest verified one.
pub(crate) static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let mut templates = Vec::new();
    for game in GAMES {
        let tags = Side::BOTH.map(|side| game.side(side).tag);
        let mut found: Vec<(Outcome, String)> = Vec::new();
        for file in every(game.id, "games", "quipu") {
            each_chunk(&quipu_tests_service::bytes(&file)[..], |chunk| {
                let text = String::from_utf8(chunk.text().to_vec()).expect("UTF-8");
                let is_ours = |line: &&str| {
                    let name = line.strip_prefix('[').and_then(|tag| tag.split(' ').next());
                    name.is_some_and(|name| name == "Game" || OURS.contains(&name) || tags.contains(&name))
                };
                let rest: Vec<_> = text.lines().filter(|line| !is_ours(line)).collect();
                let rest = rest.join("\n");
                let submission = submission(&format!("[Game \"{}\"]\n{rest}\n", game.id));
                if let (Status::Verified, Some(end)) = (submission.verdict.status, submission.verdict.end) {
                    found.push((end.outcome, rest));
                }
            });
        }
        found.sort_by_key(|(outcome, rest)| (outcome.as_str(), rest.len()));
        found.dedup_by_key(|(outcome, _)| *outcome);
        templates.extend(found.into_iter().map(|(_, rest)| Template { tags, game: game.id, rest }));
    }
    assert!(templates.len() > 2 * GAMES.len(), "wins and losses of all games");
    templates
});

/// A record that is made.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampleRecord {
    /// Which template.
    pub(crate) template: usize,
    pub(crate) players: [Option<&'static str>; 2],
    pub(crate) event: Option<&'static str>,
    pub(crate) round: Option<&'static str>,
    pub(crate) leg: Option<&'static str>,
    pub(crate) date: Option<&'static str>,
    pub(crate) time: Option<&'static str>,
    pub(crate) site: Option<String>,
    /// Only the beginning, so that it is not verified.
    pub(crate) is_cut: bool,
}

impl SampleRecord {
    pub(crate) fn text(&self) -> String {
        let template = &TEMPLATES[self.template % TEMPLATES.len()];
        let mut text = format!("[Game \"{}\"]\n", template.game);
        let [one, two] = template.tags.into_iter().zip(self.players).collect::<Vec<_>>()[..] else { unreachable!() };
        let site = self.site.as_deref();
        let (event, round, leg) = (self.event, self.round, self.leg);
        let tags = [("Event", event), ("Site", site), ("Round", round), ("Leg", leg), one, two];
        for (name, value) in tags.into_iter().chain([("UTCDate", self.date), ("UTCTime", self.time)]) {
            if let Some(value) = value {
                let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
            }
        }
        if self.is_cut {
            let setup = template.rest.lines().filter(|line| line.starts_with("[Setup") || line.starts_with("[First"));
            return text + &setup.collect::<Vec<_>>().join("\n") + "\n\n*\n";
        }
        text + &template.rest + "\n"
    }

    pub(crate) fn submission(&self) -> Submission {
        submission(&self.text())
    }
}

/// The one record of a text.
#[track_caller]
pub(crate) fn submission(text: &str) -> Submission {
    Submission::again(text.as_bytes(), Format::Quipu).expect("a record")
}

/// Verified games that differ, as many as are wanted, some with players in common.
pub(crate) fn games(count: usize) -> Vec<Submission> {
    const NAMES: [&str; 5] = ["Quispe, Ana", "Núñez, Inés", "Li Bo", "Painemal, Rosa", "Ccori, Julio"];
    let game = |index: usize| SampleRecord {
        template: index,
        players: [Some(NAMES[index % 5]), Some(NAMES[(index + 1 + index / 5 % 4) % 5])],
        event: Some(["Copa", "Liga"][index / 3 % 2]),
        round: Some(["1", "2", "3"][index % 3]),
        date: Some(["2026.01.01", "2026.01.02", "2025.12.31"][index / 2 % 3]),
        site: Some(format!("Sala {index}")),
        ..SampleRecord::default()
    };
    let games: Vec<_> = (0..count).map(|index| game(index).submission()).collect();
    assert!(games.iter().all(|game| game.verdict.status == Status::Verified));
    games
}

pub(crate) fn by(submitter: &str) -> Attribution {
    Attribution { submitter: submitter.to_owned(), author: None, reason: None }
}

#[track_caller]
pub(crate) fn open(folder: &Path) -> Store {
    Store::open(folder).expect("an archive")
}

/// Stores a record, and says its number.
#[track_caller]
pub(crate) fn add(store: &Store, submission: &Submission) -> Number {
    let submission = submission.clone();
    let added = store.write(move |writing| writing.add(&submission, &by("test"), true)).wait();
    let Ok(Added::New(number)) = added else { panic!("{added:?}") };
    number
}

/// An archive with these games; what was stored.
#[track_caller]
pub(crate) fn filled(folder: &Path, count: usize) -> (Store, Vec<Id>) {
    let store = open(folder);
    let games = games(count);
    let ids = games.iter().map(|game| game.id).collect();
    let all = move |writing: &quipu_archive::store::WriteTx<'_>| {
        games.iter().map(|game| writing.add(game, &by("test"), false)).collect::<Result<Vec<_>, StoreError>>()
    };
    let added = store.write(all).wait().expect("stored");
    assert!(added.iter().all(|added| matches!(added, Added::New(_))), "{added:?}");
    (store, ids)
}

/// The verdict of the referee alone on a stored record.
pub(crate) fn judged(text: &str) -> Vec<verify::Judged<'_>> {
    verify::chunk(&quipu_notation::record::Chunk::new(text.as_bytes())).collect()
}
