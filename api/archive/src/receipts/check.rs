//! A receipt checked by who has nothing but it and a key: no archive and no network.

use super::{Consistency, Hash, Keys, PublicKey, Receipt, SignedHead, merkle};
use crate::model::{Judgement, State, Submission};

/// What is wrong with a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It was signed by a key that is not the one that is trusted, nor one that it leads to; its id.
    Key(Hash),
    /// The log was signed by such a key.
    HeadKey(Hash),
    /// The list of keys is not one: a key is not what it is named by, or was not signed by the one before it.
    Keys(Hash),
    /// The log was signed with a key that was not in use when it had so many receipts.
    Retired(Hash),
    /// What it says is not what was signed.
    Signature,
    /// What it says of the log is not what was signed.
    Head,
    /// It is not in the log.
    Proof,
    /// The verdict in it is none that there can be.
    Verdict,
    /// What it says became of the record is nothing that can.
    State,
    /// The log of one head is not the continuation of that of another.
    Growth,
}

/// What a record is to a receipt.
#[derive(Clone, Debug, PartialEq)]
pub enum Sound {
    /// It is the one, to the byte, and the verdict is the same when it is given again.
    Same,
    /// It is the one, though written otherwise, and the verdict is the same.
    Alike,
    /// It is another record; its id.
    Another(Hash),
    /// The verdict on it is another today; which.
    Judged(Box<Judgement>),
}

/// The key that is trusted, and those that it leads to.
#[derive(Clone, Debug)]
pub struct Trusted {
    keys: Vec<TrustedKey>,
}

#[derive(Clone, Debug)]
struct TrustedKey {
    id: Hash,
    public: PublicKey,
    /// From how many receipts on until how many it signed heads, where that is known.
    times: Option<(u64, Option<u64>)>,
}

impl Trusted {
    /// One key.
    pub fn one(public: PublicKey) -> Self {
        Self { keys: vec![TrustedKey { id: public.id(), public, times: None }] }
    }

    /// One key, and all that follow it in a list, each signed by the one before it.
    ///
    /// # Errors
    /// If the list is not one, or has not the key.
    pub fn with(public: PublicKey, known: &Keys) -> Result<Self, Flaw> {
        let mut keys: Vec<TrustedKey> = Vec::new();
        for key in &known.keys {
            let succession = key.succession().filter(|succession| succession.public.id() == key.key.0);
            let succession = succession.ok_or(Flaw::Keys(key.key.0))?;
            let this = succession.public;
            match keys.last() {
                // What was before the key that is trusted is nothing to it.
                None if this != public => continue,
                Some(last) if !last.public.has_signed(&succession.text(), &key.signature.0) => {
                    return Err(Flaw::Keys(key.key.0));
                }
                _ => {}
            }
            // Until when a key was in use is signed with the one that follows.
            if let Some(TrustedKey { times: Some((_, until)), .. }) = keys.last_mut() {
                *until = Some(key.from);
            }
            keys.push(TrustedKey { id: this.id(), public: this, times: Some((key.from, None)) });
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
    /// The first thing that is wrong.
    pub fn check(&self, trusted: &Trusted) -> Result<(), Flaw> {
        let key = trusted.key(&self.key.0).ok_or(Flaw::HeadKey(self.key.0))?;
        if !key.public.has_signed(&self.head().text(), &self.signature.0) {
            return Err(Flaw::Head);
        }
        let in_use =
            |(from, until): (u64, Option<u64>)| from <= self.size && until.is_none_or(|until| self.size <= until);
        if key.times.is_none_or(in_use) { Ok(()) } else { Err(Flaw::Retired(key.id)) }
    }
}

impl Consistency {
    /// Checks that the log of a head is the continuation of that of another. Whether they are signed is for
    /// [`SignedHead::check`].
    ///
    /// # Errors
    /// If it is not, or the proof is another.
    pub fn check(&self, before: &SignedHead, now: &SignedHead) -> Result<(), Flaw> {
        let path: Vec<_> = self.proof.iter().map(|step| step.0).collect();
        let is_of_them = (self.from, self.to) == (before.size, now.size);
        let holds = is_of_them && merkle::is_consistent((before.size, &before.root.0), (now.size, &now.root.0), &path);
        if holds { Ok(()) } else { Err(Flaw::Growth) }
    }
}

impl Receipt {
    /// Checks the signatures and the proof.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, trusted: &Trusted) -> Result<(), Flaw> {
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
        // It is not signed, and is not passed on for what it is not.
        let is_state = State::ALL.into_iter().any(|state| state.as_str() == self.state);
        if is_state { Ok(()) } else { Err(Flaw::State) }
    }

    /// What a record is to it, judged now.
    pub fn compare(&self, record: &Submission) -> Sound {
        if record.id != self.id.0 {
            return Sound::Another(record.id);
        }
        let now = Judgement::new(0, &record.verdict);
        let same = record.digest == self.source.0;
        let agrees = self.verdict.judgement(self.id.0).is_some_and(|then| {
            // Places are those in the bytes, so that those of other bytes are not compared.
            then.agrees(&now) || (!same && then.without_places().agrees(&now.clone().without_places()))
        });
        match (agrees, same) {
            (true, true) => Sound::Same,
            (true, false) => Sound::Alike,
            (false, _) => Sound::Judged(Box::new(now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Hex, SecretKey, SignedVerdict},
        *,
    };

    /// A receipt that was made as the guide says by another program, with Python's `cryptography`, of the key whose bytes are
    /// 0, 1, 2 to 31.
    const RECEIPT: &str = include_str!("receipt.json");
    const PUBLIC: &str = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

    #[test]
    fn a_receipt_that_others_made() {
        let receipt: Receipt = serde_json::from_str(RECEIPT).expect("a receipt");
        let public = Hex::parse(PUBLIC).and_then(|public| PublicKey::new(&public.0)).expect("a key");
        assert_eq!(receipt.check(&Trusted::one(public)), Ok(()));
        let seed = std::array::from_fn(|byte| u8::try_from(byte).expect("few"));
        assert_eq!(SecretKey::from_seed(&seed).sign(&receipt.leaf().text()), receipt.signature.0);
    }

    /// What never was a verdict is none, whoever signs it.
    #[test]
    fn verdicts_that_there_are_not() {
        let mut receipt: Receipt = serde_json::from_str(RECEIPT).expect("a receipt");
        assert!(receipt.verdict.judgement(receipt.id.0).is_some());
        receipt.verdict.points = Some("many".to_owned());
        assert_eq!(receipt.verdict.judgement(receipt.id.0), None);
        receipt.verdict = SignedVerdict { points: None, status: "good".to_owned(), ..receipt.verdict };
        assert_eq!(receipt.verdict.judgement(receipt.id.0), None);
    }
}
