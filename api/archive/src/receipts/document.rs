//! The JSON documents of receipts, heads, proofs and keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Head, Hex, Leaf, PublicKey, SecretKey, Succession};
use crate::model::{RecordState, SignedVerdict};

/// The document of a receipt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Index in the receipt log, from 0.
    pub index: u64,
    /// The id of the record.
    pub id: Hex<32>,
    /// SHA-256 of the source.
    pub source: Hex<32>,
    /// The verdict.
    pub verdict: SignedVerdict,
    /// The edition of the rules.
    pub edition: u32,
    /// Time of the verdict.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// Current state of the record; this is not signed.
    #[schemars(extend("enum" = RecordState::ALL.map(RecordState::as_str)))]
    pub state: String,
    /// Id of the signing key.
    pub key: Hex<32>,
    /// Signature of the leaf.
    pub signature: Hex<64>,
    /// Proof of inclusion in the receipt log.
    pub proof: Vec<Hex<32>>,
    /// The head of the receipt log that the proof leads to.
    pub head: SignedHead,
}

/// The document of a signed head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedHead {
    /// Number of receipts.
    pub size: u64,
    /// Root of the tree.
    pub root: Hex<32>,
    /// Time of the last receipt.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// Id of the signing key.
    pub key: Hex<32>,
    /// Signature of the head.
    pub signature: Hex<64>,
}

/// The document of a consistency proof: the receipt log of one size continues that of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consistency {
    /// The smaller size.
    pub from: u64,
    /// The larger size.
    pub to: u64,
    /// Nodes of the tree.
    pub proof: Vec<Hex<32>>,
}

/// The document of the keys of an archive, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The keys.
    pub keys: Vec<Key>,
}

/// The document of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Id: SHA-256 of the public key.
    pub key: Hex<32>,
    /// The public key.
    pub public: Hex<32>,
    /// Number of receipts when it came into use.
    pub from: u64,
    /// Time when it came into use.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// Number of receipts when the next key came into use; null while it is in use.
    pub until: Option<u64>,
    /// Id of the key that signed this one: the previous key, or itself if that was missing.
    pub signed_by: Hex<32>,
    /// The signature.
    pub signature: Hex<64>,
}

impl Receipt {
    /// The leaf that the receipt states.
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
    /// Signs a head.
    pub fn new(head: &Head<'_>, key: &SecretKey) -> Self {
        Self {
            size: head.size,
            root: Hex(head.root),
            time: head.time.to_owned(),
            key: Hex(key.public().id()),
            signature: Hex(key.sign(&head.text())),
        }
    }

    /// The head that is signed.
    pub fn head(&self) -> Head<'_> {
        Head { size: self.size, root: self.root.0, time: &self.time }
    }
}

impl Key {
    /// The succession that the document states; none if its bytes are no key.
    pub fn succession(&self) -> Option<Succession<'_>> {
        Some(Succession { public: PublicKey::new(&self.public.0)?, size: self.from, time: &self.time })
    }
}
