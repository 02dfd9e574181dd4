//! Receipts: what the service has verified, signed, and in a log that only grows. The texts that are hashed and signed, the
//! documents that say them, keys, and how all that is checked by who has nothing but the documents. No SQL and no HTTP.
//!
//! `docs/receipts.md` tells the format byte by byte: what is changed here is another format, and needs another first line.

use chrono::{DateTime, SecondsFormat, Utc};
use quipu_notation::record::Outcome;
use quipu_referee::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::{Id, Judgement, StoredDiagnostic, read_points, write_points};

mod check;
mod hex;
mod keys;
pub mod merkle;

pub use check::{Flaw, Sound, Trusted};
pub use hex::Hex;
pub use keys::{KeyError, PublicKey, SIGNATURE, SecretKey, rename, write_private};
pub use merkle::Hash;

/// A verdict as it is signed: all of it, in the words of the day in both languages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedVerdict {
    /// The version of the program that gave it.
    pub program: String,
    /// The game, if known.
    pub game: Option<String>,
    /// The rule set, if known.
    pub rules: Option<String>,
    /// What became of the record.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    pub status: String,
    /// Lawful plies.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<String>,
    /// How it ended.
    pub termination: Option<String>,
    /// The result.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*", null]))]
    pub result: Option<String>,
    /// What both sides counted.
    pub points: Option<String>,
    /// Whether the id is that of a canonical text, and not of bytes that cannot be read.
    pub named: bool,
    /// What was found.
    pub diagnostics: Vec<StoredDiagnostic>,
}

impl SignedVerdict {
    /// A verdict that was given, to be signed.
    pub fn new(judgement: &Judgement) -> Self {
        let judgement = judgement.clone();
        Self {
            program: judgement.program,
            game: judgement.game,
            rules: judgement.rules,
            status: judgement.status.as_str().to_owned(),
            plies: judgement.plies,
            position: judgement.position,
            termination: judgement.termination,
            result: judgement.result.map(|result| result.as_str().to_owned()),
            points: judgement.points.as_ref().map(write_points),
            named: judgement.id.is_some(),
            diagnostics: judgement.diagnostics,
        }
    }

    /// What is hashed of it: compact JSON with its members in their order, in UTF-8.
    pub fn text(&self) -> Vec<u8> {
        // A type of texts and numbers can always be written.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The hash of that.
    pub fn hash(&self) -> Hash {
        Sha256::digest(self.text()).into()
    }

    /// The verdict on the record of an id, to be compared with others; nothing if it is none.
    pub fn judgement(&self, id: Id) -> Option<Judgement> {
        let maybe = |text: &Option<String>, known: fn(&str) -> bool| text.as_deref().is_none_or(known);
        let fits = maybe(&self.result, |text| Outcome::parse(text).is_some())
            && maybe(&self.points, |text| read_points(text).is_some());
        fits.then_some(Judgement {
            number: 0,
            edition: 0,
            program: self.program.clone(),
            game: self.game.clone(),
            rules: self.rules.clone(),
            status: Status::ALL.into_iter().find(|status| status.as_str() == self.status)?,
            plies: self.plies,
            position: self.position.clone(),
            termination: self.termination.clone(),
            result: self.result.as_deref().and_then(Outcome::parse),
            points: self.points.as_deref().and_then(read_points),
            diagnostics: self.diagnostics.clone(),
            id: self.named.then_some(id),
        })
    }
}

/// A leaf of the log: that a verdict was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf<'l> {
    /// Its place in the log, from 0.
    pub index: u64,
    /// The id of the record.
    pub id: Id,
    /// SHA-256 of the bytes that were handed in.
    pub source: Hash,
    /// What [`SignedVerdict::hash`] says.
    pub verdict: Hash,
    /// What became of the record.
    pub status: &'l str,
    /// The edition of the rules.
    pub edition: u32,
    /// When the verdict was given, as [`time`] writes it.
    pub time: &'l str,
}

impl Leaf<'_> {
    /// What is hashed and signed of it.
    pub fn text(&self) -> String {
        let Self { index, id, source, verdict, status, edition, time } = self;
        let [id, source, verdict] = [id, source, verdict].map(|bytes| Hex(*bytes));
        format!(
            "quipu receipt v1\nindex {index}\nid {id}\nsource {source}\nverdict {verdict}\nstatus {status}\nedition {edition}\ntime {time}\n"
        )
    }
}

/// The head of the log: all that was in it at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<'h> {
    /// How many leaves it had.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
    /// When the last of them came, as [`time`] writes it.
    pub time: &'h str,
}

impl Head<'_> {
    /// What is signed of it.
    pub fn text(&self) -> String {
        let Self { size, root, time } = self;
        format!("quipu log v1\nsize {size}\nroot {}\ntime {time}\n", Hex(*root))
    }
}

/// That a key signs from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession<'s> {
    /// The key.
    pub public: PublicKey,
    /// How many leaves there were.
    pub size: u64,
    /// When it came into use, as [`time`] writes it.
    pub time: &'s str,
}

impl Succession<'_> {
    /// What is signed of it, by the key before it or by itself.
    pub fn text(&self) -> String {
        let Self { public, size, time } = self;
        format!("quipu key v1\npublic {}\nsize {size}\ntime {time}\n", Hex(public.bytes()))
    }
}

/// A time as it stands in documents and in what is signed: RFC 3339 in UTC with milliseconds.
pub fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A receipt as it is handed out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Its place in the log, from 0.
    pub index: u64,
    /// The id of the record.
    pub id: Hex<32>,
    /// SHA-256 of the bytes that were handed in.
    pub source: Hex<32>,
    /// The verdict.
    pub verdict: SignedVerdict,
    /// The edition of the rules.
    pub edition: u32,
    /// When the verdict was given.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// What became of the record since; this is not signed.
    #[schemars(extend("enum" = crate::model::State::ALL.map(crate::model::State::as_str)))]
    pub state: String,
    /// The key that signed.
    pub key: Hex<32>,
    /// Its signature.
    pub signature: Hex<64>,
    /// The proof that it is in the log.
    pub proof: Vec<Hex<32>>,
    /// The head of the log that the proof leads to.
    pub head: SignedHead,
}

/// A head of the log as it is handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedHead {
    /// How many receipts it had.
    pub size: u64,
    /// The root of their tree.
    pub root: Hex<32>,
    /// When the last of them came.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// The key that signed.
    pub key: Hex<32>,
    /// Its signature.
    pub signature: Hex<64>,
}

/// The proof that the log began as it did before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consistency {
    /// How many receipts it had.
    pub from: u64,
    /// How many it had later.
    pub to: u64,
    /// Nodes of the tree.
    pub proof: Vec<Hex<32>>,
}

/// The keys of an archive, the first first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The keys.
    pub keys: Vec<Key>,
}

/// A key as it is handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// What it is named by: SHA-256 of its bytes.
    pub key: Hex<32>,
    /// Its bytes.
    pub public: Hex<32>,
    /// How many receipts there were when it came into use.
    pub from: u64,
    /// When that was.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// How many there were when the next came into use; null while it is in use.
    pub until: Option<u64>,
    /// The key that signed this: the one before it, or itself where that was not at hand.
    pub signed_by: Hex<32>,
    /// The signature.
    pub signature: Hex<64>,
}

impl Receipt {
    /// The leaf that it says.
    pub fn leaf(&self) -> Leaf<'_> {
        Leaf {
            index: self.index,
            id: self.id.0,
            source: self.source.0,
            verdict: self.verdict.hash(),
            status: &self.verdict.status,
            edition: self.edition,
            time: &self.time,
        }
    }
}

impl SignedHead {
    /// A head, signed.
    pub fn new(head: &Head<'_>, key: &SecretKey) -> Self {
        Self {
            size: head.size,
            root: Hex(head.root),
            time: head.time.to_owned(),
            key: Hex(key.public().id()),
            signature: Hex(key.sign(&head.text())),
        }
    }

    /// What is signed of it.
    pub fn head(&self) -> Head<'_> {
        Head { size: self.size, root: self.root.0, time: &self.time }
    }
}

impl Key {
    /// That it came into use, if its bytes are a key.
    pub fn succession(&self) -> Option<Succession<'_>> {
        Some(Succession { public: PublicKey::new(&self.public.0)?, size: self.from, time: &self.time })
    }
}
