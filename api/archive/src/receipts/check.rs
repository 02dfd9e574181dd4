//! Checks a receipt offline, with a trusted key.

use super::{Consistency, Hash, Keys, PublicKey, Receipt, SignedHead, merkle};
use crate::model::{Judgement, RecordState, Submission};

/// Something that is wrong with a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The signing key is not trusted; its id.
    Key(Hash),
    /// The key that signed the head is not trusted; its id.
    HeadKey(Hash),
    /// In the list of keys, a key has a wrong id or is not signed by the previous one; its id.
    Keys(Hash),
    /// The key that signed the head was not in use at that size of the receipt log; its id.
    Retired(Hash),
    /// The signature of the receipt is wrong.
    Signature,
    /// The signature of the head is wrong.
    Head,
    /// The proof of inclusion is wrong.
    Proof,
    /// The verdict has unknown values.
    Verdict,
    /// The state of the record is unknown.
    State,
    /// The receipt log of one head does not continue that of another.
    Consistency,
}

/// A record compared with a receipt.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// It has the same bytes, and gets the same verdict now.
    SameBytes,
    /// It is the same record in other bytes, and gets the same verdict now.
    SameRecord,
    /// It is another record; its id.
    OtherRecord(Hash),
    /// It gets another verdict now.
    DifferentVerdict(Box<Judgement>),
}

/// A trusted key and its successors.
#[derive(Clone, Debug)]
pub struct TrustedKeys {
    keys: Vec<TrustedKey>,
}

#[derive(Clone, Debug)]
struct TrustedKey {
    id: Hash,
    public: PublicKey,
    /// Sizes of the receipt log between which the key signed heads, if known.
    sizes: Option<(u64, Option<u64>)>,
}

impl TrustedKeys {
    /// A single key, at any size of the receipt log.
    pub fn from_key(public: PublicKey) -> Self {
        Self { keys: vec![TrustedKey { id: public.id(), public, sizes: None }] }
    }

    /// A key and all keys after it in a list, each signed by the previous one.
    ///
    /// # Errors
    /// If the list is invalid or does not have the key.
    pub fn from_succession(public: PublicKey, known: &Keys) -> Result<Self, Flaw> {
        let mut keys: Vec<TrustedKey> = Vec::new();
        for key in &known.keys {
            let succession = key.succession().filter(|succession| succession.public.id() == key.key.0);
            let succession = succession.ok_or(Flaw::Keys(key.key.0))?;
            let this = succession.public;
            match keys.last() {
                // Keys before the trusted one are ignored.
                None if this != public => continue,
                Some(last) if !last.public.has_signed(&succession.text(), &key.signature.0) => {
                    return Err(Flaw::Keys(key.key.0));
                }
                _ => {}
            }
            // The size at which a key was replaced is signed with the next key.
            if let Some(TrustedKey { sizes: Some((_, until)), .. }) = keys.last_mut() {
                *until = Some(key.from);
            }
            keys.push(TrustedKey { id: this.id(), public: this, sizes: Some((key.from, None)) });
        }
        if keys.is_empty() { Err(Flaw::Key(public.id())) } else { Ok(Self { keys }) }
    }

    fn key(&self, id: &Hash) -> Option<&TrustedKey> {
        self.keys.iter().find(|key| key.id == *id)
    }
}

impl SignedHead {
    /// Checks the signature, and that the key was in use.
    ///
    /// # Errors
    /// The first flaw.
    pub fn check(&self, trusted: &TrustedKeys) -> Result<(), Flaw> {
        let key = trusted.key(&self.key.0).ok_or(Flaw::HeadKey(self.key.0))?;
        if !key.public.has_signed(&self.head().text(), &self.signature.0) {
            return Err(Flaw::Head);
        }
        let in_use =
            |(from, until): (u64, Option<u64>)| from <= self.size && until.is_none_or(|until| self.size <= until);
        if key.sizes.is_none_or(in_use) { Ok(()) } else { Err(Flaw::Retired(key.id)) }
    }
}

impl Consistency {
    /// Checks that the receipt log of one head continues that of another. [`SignedHead::check`] checks their signatures.
    ///
    /// # Errors
    /// If it does not, or the proof is of other heads.
    pub fn check(&self, before: &SignedHead, now: &SignedHead) -> Result<(), Flaw> {
        let path: Vec<_> = self.proof.iter().map(|step| step.0).collect();
        let is_of_them = (self.from, self.to) == (before.size, now.size);
        let holds = is_of_them && merkle::is_consistent((before.size, &before.root.0), (now.size, &now.root.0), &path);
        if holds { Ok(()) } else { Err(Flaw::Consistency) }
    }
}

impl Receipt {
    /// Checks signatures, proof and values.
    ///
    /// # Errors
    /// The first flaw.
    pub fn check(&self, trusted: &TrustedKeys) -> Result<(), Flaw> {
        let key = trusted.key(&self.key.0).ok_or(Flaw::Key(self.key.0))?;
        let leaf = self.leaf().text();
        if !key.public.has_signed(&leaf, &self.signature.0) {
            return Err(Flaw::Signature);
        }
        self.head.check(trusted)?;
        let path: Vec<_> = self.proof.iter().map(|step| step.0).collect();
        if !merkle::is_included(merkle::leaf(leaf.as_bytes()), self.index, self.head.size, &path, &self.head.root.0) {
            return Err(Flaw::Proof);
        }
        if self.verdict.judgement(self.id.0).is_none() {
            return Err(Flaw::Verdict);
        }
        // The state is not signed, but must be known.
        let is_state = RecordState::ALL.into_iter().any(|state| state.as_str() == self.state);
        if is_state { Ok(()) } else { Err(Flaw::State) }
    }

    /// Compares a record, judged now, with the receipt.
    pub fn compare(&self, record: &Submission) -> Comparison {
        if record.id != self.id.0 {
            return Comparison::OtherRecord(record.id);
        }
        let now = Judgement::new(0, &record.verdict);
        let same = record.digest == self.source.0;
        let agrees = self.verdict.judgement(self.id.0).is_some_and(|then| {
            // Lines, columns and tokens of diagnostics are compared only between equal bytes.
            then.agrees(&now) || (!same && then.without_places().agrees(&now.clone().without_places()))
        });
        match (agrees, same) {
            (true, true) => Comparison::SameBytes,
            (true, false) => Comparison::SameRecord,
            (false, _) => Comparison::DifferentVerdict(Box::new(now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Hex, SecretKey},
        *,
    };
    use crate::model::SignedVerdict;

    /// A receipt that Python's `cryptography` made from the guide, with the key whose bytes are 0 to 31.
    const RECEIPT: &str = include_str!("receipt.json");
    const PUBLIC: &str = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

    #[test]
    fn a_receipt_made_by_others_is_valid() {
        let receipt: Receipt = serde_json::from_str(RECEIPT).expect("a receipt");
        let public = Hex::parse(PUBLIC).and_then(|public| PublicKey::new(&public.0)).expect("a key");
        assert_eq!(receipt.check(&TrustedKeys::from_key(public)), Ok(()));
        let seed = std::array::from_fn(|byte| u8::try_from(byte).expect("few"));
        assert_eq!(SecretKey::from_seed(&seed).sign(&receipt.leaf().text()), receipt.signature.0);
    }

    #[test]
    fn unknown_verdicts_are_invalid() {
        let mut receipt: Receipt = serde_json::from_str(RECEIPT).expect("a receipt");
        assert!(receipt.verdict.judgement(receipt.id.0).is_some());
        receipt.verdict.points = Some("many".to_owned());
        assert_eq!(receipt.verdict.judgement(receipt.id.0), None);
        receipt.verdict = SignedVerdict { points: None, status: "good".to_owned(), ..receipt.verdict };
        assert_eq!(receipt.verdict.judgement(receipt.id.0), None);
    }
}
