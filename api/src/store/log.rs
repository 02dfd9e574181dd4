//! The log of receipts: a leaf for each verdict that is stored, in the same transaction, and heads that are signed from time
//! to time. What is hashed and signed is told in [`crate::receipts`].
//!
//! The row of a leaf holds the nodes of the tree that it completes, so that adding one is one row at the end of a table, and
//! root and proofs are found with a few rows.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use quipu_referee::digest::digests;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    Progress, Reading, Step, Store, StoreError, Writing, changes,
    check::Fault,
    file_error,
    kept::{Kept, Signer, Signing},
    records::judgement_row,
    rows,
};
use crate::{
    archive::{Id, Judgement, Number, State},
    receipts::{
        Hash, Head, Hex, Key, KeyError, Keys, Leaf, PublicKey, Receipt, SIGNATURE, SecretKey, SignedHead,
        SignedVerdict, Succession, merkle, rename, time,
    },
};

/// Name of the file of the key, beside the archive.
const KEY: &str = "quipu.key";
/// Heads are signed and kept at most so often while receipts come in. What it bought: a signature takes as long as storing
/// a record, and one a second is not felt.
const HEAD_PAUSE: Duration = Duration::from_secs(1);
/// Receipts that are checked at once.
const PAGE: u64 = 1_000;
/// Bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// A receipt of the log, with what it is made of.
struct Filed {
    index: u64,
    id: Id,
    source: Hash,
    judgement: Judgement,
    edition: u32,
    /// The edition that its own row says.
    said: u32,
    at: DateTime<Utc>,
    /// The receipt that its verdict names.
    named: u64,
    nodes: Vec<u8>,
    /// What was found, as it stands in the row.
    diagnostics: Option<String>,
}

impl Filed {
    fn leaf_hash(&self) -> Hash {
        leaf_hash(self.index, [&self.id, &self.source], &self.judgement, self.edition, self.at)
    }
}

fn leaf_hash(index: u64, [id, source]: [&Id; 2], judgement: &Judgement, edition: u32, at: DateTime<Utc>) -> Hash {
    let (verdict, time, status) = (SignedVerdict::new(judgement).hash(), time(at), judgement.status.as_str());
    let leaf = Leaf { index, id: *id, source: *source, verdict, status, edition, time: &time };
    merkle::leaf(leaf.text().as_bytes())
}

/// Receipts with what they are made of.
const FILED: &str = "SELECT verdict.*, record.id, receipt.number AS place, receipt.nodes, receipt.edition AS said,
    ifnull(confirmation.edition, verdict.edition) AS under, ifnull(record.digest, record.id) AS digest,
    ifnull(confirmation.at, change.at) AS given, confirmation.program AS confirmed,
    ifnull(confirmation.receipt, verdict.receipt) AS named_receipt
  FROM receipt JOIN verdict ON verdict.number = receipt.verdict
  JOIN record ON record.number = verdict.record JOIN change ON change.number = verdict.number
  LEFT JOIN confirmation ON confirmation.edition = receipt.edition AND confirmation.verdict = receipt.verdict
  WHERE";

fn filed_row(row: &Row<'_>) -> rusqlite::Result<Filed> {
    let mut judgement = judgement_row(row)?;
    if let Some(program) = row.get("confirmed")? {
        judgement.program = program;
    }
    Ok(Filed {
        index: row.get("place")?,
        id: rows::id(row, "id")?,
        source: row.get("digest")?,
        judgement,
        edition: row.get("under")?,
        said: row.get("said")?,
        at: rows::time(row, "given")?,
        named: row.get("named_receipt")?,
        nodes: row.get("nodes")?,
        diagnostics: row.get("diagnostics")?,
    })
}

impl Reading<'_> {
    /// How many receipts there are.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn receipts(&self) -> Result<u64, StoreError> {
        let mut last = self.connection.prepare_cached("SELECT ifnull(max(number) + 1, 0) FROM receipt")?;
        Ok(last.query_row([], |row| row.get(0))?)
    }

    /// A node of the tree by its level and number.
    fn node(&self, level: u32, number: u64) -> Result<Hash, StoreError> {
        let row = merkle::completed_by(level, number);
        let mut nodes = self.connection.prepare_cached("SELECT nodes FROM receipt WHERE number = ?")?;
        let nodes = nodes.query_row([row], |found| {
            let at = level as usize * HASH;
            Ok(found.get_ref(0)?.as_blob()?.get(at..at + HASH).and_then(|node| Hash::try_from(node).ok()))
        });
        nodes.optional()?.flatten().ok_or_else(|| StoreError::Corrupt(format!("the log of receipts at {row}")))
    }

    pub(super) fn tree(&self, size: u64) -> merkle::Tree<impl Fn(u32, u64) -> Result<Hash, StoreError>> {
        merkle::Tree { size, kept: |level, number| self.node(level, number) }
    }

    /// The head of the log when it had so many receipts, which it must have, and when the last of them came.
    pub(super) fn head(&self, size: u64) -> Result<(Hash, DateTime<Utc>), StoreError> {
        let at = match size.checked_sub(1) {
            None => DateTime::UNIX_EPOCH,
            Some(last) => self.filed(last)?.at,
        };
        Ok((self.tree(size).root()?, at))
    }

    fn filed(&self, index: u64) -> Result<Filed, StoreError> {
        let mut filed = self.connection.prepare_cached(&format!("{FILED} receipt.number = ?"))?;
        let filed = filed.query_row([index], filed_row).optional()?;
        filed.ok_or_else(|| StoreError::Corrupt(format!("the log of receipts at {index}")))
    }

    /// The head of the log as it is now, signed.
    ///
    /// # Errors
    /// If the archive fails, or its log does not go on from the head that is kept.
    pub fn signed_head(&self, signer: &Signer) -> Result<SignedHead, StoreError> {
        let size = self.receipts()?;
        let (root, at) = self.head(size)?;
        signer.kept.is_continued(self, size, &root)?;
        Ok(SignedHead::new(&Head { size, root, time: &time(at) }, &signer.key))
    }

    /// The proof that the log when it had `to` receipts began as when it had `from`; nothing if it never had so many.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn consistency(&self, from: u64, to: u64) -> Result<Option<Vec<Hex<32>>>, StoreError> {
        if from > to || to > self.receipts()? {
            return Ok(None);
        }
        let proof = self.tree(to).consistency(from)?;
        Ok(Some(proof.into_iter().map(Hex).collect()))
    }

    /// The receipt of the verdict that holds for a record, given last, signed; nothing if there is no such record.
    ///
    /// # Errors
    /// As [`Reading::signed_head`].
    pub fn receipt(&self, id: &Id, signer: &Signer) -> Result<Option<Receipt>, StoreError> {
        let Some((number, state)) = self.find(id)? else { return Ok(None) };
        let filed = self.filed(self.last_receipt(number)?)?;
        let (head, key) = (self.signed_head(signer)?, &signer.key);
        let proof = self.tree(head.size).inclusion(filed.index)?;
        // What is not as it was when it came into the log is not signed.
        if !merkle::is_included(filed.leaf_hash(), filed.index, head.size, &proof, &head.root.0) {
            return Err(StoreError::Corrupt(format!("the log of receipts at {}", filed.index)));
        }
        let mut receipt = Receipt {
            index: filed.index,
            id: Hex(filed.id),
            source: Hex(filed.source),
            verdict: SignedVerdict::new(&filed.judgement),
            edition: filed.edition,
            time: time(filed.at),
            state: State::as_str(state).to_owned(),
            key: Hex(key.public().id()),
            signature: Hex([0; SIGNATURE]),
            proof: proof.into_iter().map(Hex).collect(),
            head,
        };
        receipt.signature = Hex(key.sign(&receipt.leaf().text()));
        Ok(Some(receipt))
    }

    /// The place of the receipt that a record got last: of the verdict that holds, or of its last confirmation.
    fn last_receipt(&self, record: Number) -> Result<u64, StoreError> {
        let verdict = self.verdict_that_holds(record)?;
        let mut last = self.connection.prepare_cached(
            "WITH RECURSIVE edition (number) AS (SELECT edition + 1 FROM verdict WHERE number = ?1
               UNION ALL SELECT number + 1 FROM edition WHERE number < ?2)
             SELECT ifnull((SELECT confirmation.receipt FROM edition JOIN confirmation
                ON confirmation.edition = edition.number AND confirmation.verdict = ?1
                ORDER BY edition.number DESC LIMIT 1), (SELECT receipt FROM verdict WHERE number = ?1))",
        )?;
        Ok(last.query_row(params![verdict, quipu_referee::verify::EDITION], |row| row.get(0))?)
    }

    /// The keys that have signed, the first first.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn keys(&self) -> Result<Keys, StoreError> {
        let signers = signers(self)?;
        let until = signers.iter().skip(1).map(|next| Some(next.size)).chain([None]);
        let id = |number: Number| {
            let signer = signers.iter().find(|signer| signer.number == number)?;
            Some(signer.public.id())
        };
        let key = |(signer, until): (&StoredSigner, Option<u64>)| {
            Some(Key {
                key: Hex(signer.public.id()),
                public: Hex(signer.public.bytes()),
                from: signer.size,
                time: time(signer.at),
                until,
                signed_by: Hex(id(signer.signed_by)?),
                signature: Hex(signer.signature),
            })
        };
        let keys: Option<Vec<_>> = signers.iter().zip(until).map(key).collect();
        Ok(Keys { keys: keys.ok_or_else(|| StoreError::Corrupt("the keys of the log".to_owned()))? })
    }
}

/// The keys that have signed, the first first.
pub(super) fn signers(reading: &Reading<'_>) -> Result<Vec<StoredSigner>, StoreError> {
    let mut signers = reading.connection.prepare_cached("SELECT * FROM signer ORDER BY number")?;
    Ok(signers.query_map([], signer_row)?.collect::<Result<_, _>>()?)
}

/// A key that has signed.
#[derive(Clone)]
pub(super) struct StoredSigner {
    number: Number,
    pub(super) public: PublicKey,
    size: u64,
    at: DateTime<Utc>,
    signed_by: Number,
    signature: [u8; SIGNATURE],
}

fn signer_row(row: &Row<'_>) -> rusqlite::Result<StoredSigner> {
    let public = PublicKey::new(&row.get("public")?).ok_or_else(|| rows::wrong("public"))?;
    Ok(StoredSigner {
        number: row.get("number")?,
        public,
        size: row.get("size")?,
        at: rows::time(row, "at")?,
        signed_by: row.get("signed_by")?,
        signature: row.get("signature")?,
    })
}

impl Writing<'_> {
    /// The place of the next receipt.
    pub(super) fn next_receipt(&self) -> Result<u64, StoreError> {
        self.later.last_receipt().map_or_else(|| self.receipts(), |last| Ok(last + 1))
    }

    /// The id of a record and the hash of the bytes that were handed in.
    pub(super) fn hashes_of(&self, record: Number) -> Result<(Id, Hash), StoreError> {
        let mut hashes =
            self.connection.prepare_cached("SELECT id, ifnull(digest, id) FROM record WHERE number = ?")?;
        Ok(hashes.query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Has the receipt of a verdict put into the log, at the next place. The record has this id, and its bytes this hash.
    pub(super) fn issue(
        &self,
        index: u64,
        [id, source]: [&Id; 2],
        judgement: &Judgement,
        edition: u32,
        signed: Vec<u8>,
    ) {
        let (verdict, status, at) = (judgement.number, judgement.status.as_str(), self.now());
        let (id, source) = (*id, *source);
        self.later.receipt(Unfiled { index, verdict, edition, id, source, status, at, signed });
    }

    /// Has a key sign from now on, signed by the one before it if that is at hand.
    fn succeed(&self, key: &SecretKey, before: Option<&SecretKey>) -> Result<(), StoreError> {
        self.later.file(self.connection)?;
        let signers = signers(self)?;
        let last = signers.last().map_or(0, |last| last.number);
        let (number, size) = (last + 1, self.receipts()?);
        let (at, public) = (self.now(), key.public());
        let text = Succession { public, size, time: &time(at) }.text();
        let (signed_by, signature) = match before {
            Some(before) => (last, before.sign(&text)),
            None => (number, key.sign(&text)),
        };
        let mut insert = self.connection.prepare_cached("INSERT INTO signer VALUES (?, ?, ?, ?, ?, ?)")?;
        insert.execute(params![number, public.bytes(), size, at.timestamp_millis(), signed_by, signature])?;
        Ok(())
    }
}

/// A receipt that is still to be put into the log.
pub(super) struct Unfiled {
    /// Its place.
    pub(super) index: u64,
    verdict: Number,
    edition: u32,
    id: Id,
    source: Hash,
    status: &'static str,
    at: DateTime<Utc>,
    /// What is signed of the verdict.
    signed: Vec<u8>,
}

impl Unfiled {
    /// Puts receipts into the log: the next ones, in their order. What is hashed of them is hashed side by side.
    pub(super) fn file(receipts: &[Self], connection: &Connection) -> Result<(), StoreError> {
        let Some(first) = receipts.first() else { return Ok(()) };
        let verdicts = digests(&receipts.iter().map(|receipt| &*receipt.signed).collect::<Vec<_>>());
        let leaves = merkle::leaves(receipts.iter().zip(verdicts).map(|(receipt, verdict)| receipt.leaf(verdict)));
        let reading = Reading { connection };
        let nodes = merkle::append(first.index, &leaves, |level, number| reading.node(level, number))?;
        let mut insert = connection.prepare_cached("INSERT INTO receipt VALUES (?, ?, ?, ?)")?;
        for (receipt, nodes) in receipts.iter().zip(nodes) {
            insert.execute(params![receipt.index, receipt.verdict, receipt.edition, nodes.as_flattened()])?;
        }
        Ok(())
    }

    /// What its leaf is the hash of, with the hash of the verdict.
    fn leaf(&self, verdict: Hash) -> String {
        let Self { index, id, source, status, edition, .. } = *self;
        // As it will be read: to the millisecond.
        let at = DateTime::from_timestamp_millis(self.at.timestamp_millis()).unwrap_or_default();
        Leaf { index, id, source, verdict, status, edition, time: &time(at) }.text()
    }
}

/// When heads are signed: not at each commit, and always at the end.
#[derive(Default)]
pub(super) struct Heads {
    last: Option<Instant>,
}

impl Heads {
    /// Signs the head of the log, as the last thing that a transaction does, if it is time to.
    pub(super) fn sign_in_time(&mut self, connection: &Connection, signing: &Signing) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < HEAD_PAUSE) {
            return Ok(());
        }
        let Some(signer) = signing.signer() else { return Ok(()) };
        sign_head(connection, &signer)?;
        self.last = Some(Instant::now());
        Ok(())
    }
}

/// Signs the head of the log, if that was not done since the last receipt; a key that another has followed signs no more.
/// What does not go on from the head that is kept is not signed.
pub(super) fn sign_head(connection: &Connection, Signer { key, kept }: &Signer) -> Result<(), StoreError> {
    let reading = Reading { connection };
    let size = reading.receipts()?;
    let (root, at) = reading.head(size)?;
    kept.is_continued(&reading, size, &root)?;
    if size == signed(&reading)? {
        return Ok(());
    }
    let signature = key.sign(&Head { size, root, time: &time(at) }.text());
    let mut insert = connection.prepare_cached(
        "INSERT INTO head SELECT ?, ?, ?, number, ? FROM signer
           WHERE public = ? AND number = (SELECT max(number) FROM signer)",
    )?;
    insert.execute(params![size, root, at.timestamp_millis(), signature, key.public().bytes()])?;
    Ok(())
}

fn new_key() -> Result<SecretKey, StoreError> {
    SecretKey::generate().map_err(|error| StoreError::Other(error.to_string()))
}

/// The file of the key that is to take the place of the one in a file.
fn next_to(file: &Path) -> PathBuf {
    let mut next = file.to_owned().into_os_string();
    next.push(".next");
    next.into()
}

impl Store {
    /// What signs. It is to be asked for before what it signs is read: a head that is kept later is none that a log of
    /// before goes on from.
    ///
    /// # Errors
    /// If the archive was not [unlocked](Store::unlock).
    pub fn signer(&self) -> Result<Signer, StoreError> {
        self.0.signing.signer().ok_or_else(|| StoreError::NoKey(self.beside(KEY)))
    }

    /// Has the archive sign receipts with the key in the file beside it; the first is made where none has signed yet. Says
    /// what signatures are checked with. It is for who holds the [lock](super::ServeLock).
    ///
    /// # Errors
    /// If there is no key, or one that cannot be used, or the archive fails. Another key than the last would lock that out
    /// for good, so none is made or taken unasked: [`Store::begin_anew`] is for that. [`StoreError::Rewritten`] if the log
    /// does not go on from the head that is kept beside the key.
    pub fn unlock(&self) -> Result<PublicKey, StoreError> {
        if let Some(key) = self.0.signing.key.get() {
            return Ok(key.public());
        }
        let signers = self.read(signers)?;
        self.finish_rotation(signers.last())?;
        let path = self.key_file()?;
        let key = match (SecretKey::read(&path)?, signers.last()) {
            (Some(key), None) => key,
            (Some(key), Some(last)) if last.public == key.public() => key,
            (Some(key), _) if signers.iter().any(|signer| signer.public == key.public()) => {
                return Err(StoreError::Retired(path));
            }
            (Some(_), Some(_)) => return Err(StoreError::Stranger(path)),
            (None, Some(_)) => return Err(StoreError::Lost(path)),
            (None, None) => {
                let key = new_key()?;
                key.write(&path)?;
                key
            }
        };
        self.begin_from_kept()?;
        if signers.is_empty() {
            let key = key.clone();
            self.write(move |writing| writing.succeed(&key, None)).wait()?;
        }
        // Not before the archive knows it.
        let public = self.0.signing.key.get_or_init(|| key).public();
        // What was stored while no key was at hand, as by an import, is signed now; where nothing can be written, later.
        let _ = self.sign_in_arrears();
        Ok(public)
    }

    /// Looks that the log goes on from the head that is kept beside the key; from now on nothing else is signed.
    fn begin_from_kept(&self) -> Result<(), StoreError> {
        let kept = Kept::read(self.path())?;
        self.read(|reading| kept.is_ours(reading))?;
        self.0.signing.begin_from(kept);
        Ok(())
    }

    /// Signs the head of the log, if receipts came in since one was signed, and keeps it beside the key. The writer signs
    /// what it writes; this is for what others wrote, and for what came last.
    ///
    /// # Errors
    /// If the archive fails, or the head cannot be kept.
    pub fn sign_in_arrears(&self) -> Result<(), StoreError> {
        let Some(signer) = self.0.signing.signer() else { return Ok(()) };
        if self.read(has_unsigned)? {
            self.write(move |writing| sign_head(writing.connection, &signer)).wait()?;
        }
        self.read(|reading| self.0.signing.keep(reading))
    }

    /// Puts another key in the place of the one that signs, signed by it; says what signatures are checked with from now
    /// on. It is for who holds the [lock](super::ServeLock).
    ///
    /// # Errors
    /// As [`Store::unlock`].
    pub fn rotate(&self) -> Result<PublicKey, StoreError> {
        self.unlock()?;
        self.follow(Some(self.signer()?.key))
    }

    /// The same where the last key is lost: no other signs the new one, which is the one in the file if that never signed,
    /// and who trusted the last has to decide anew. If the last is there after all, it signs.
    ///
    /// # Errors
    /// As [`Store::unlock`], but for what is said of the key.
    pub fn begin_anew(&self) -> Result<PublicKey, StoreError> {
        match self.unlock() {
            Ok(_) => self.rotate(),
            // A key that somebody put there to be used is not thrown away.
            Err(StoreError::Stranger(path)) => {
                let key = SecretKey::read(&path)?.ok_or(StoreError::Lost(path))?;
                let public = key.public();
                self.begin_from_kept()?;
                self.write(move |writing| writing.succeed(&key, None)).wait()?;
                Ok(public)
            }
            Err(StoreError::Lost(_) | StoreError::Retired(_) | StoreError::NoKey(_)) => {
                self.begin_from_kept()?;
                self.follow(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Has a new key follow the last.
    fn follow(&self, last: Option<SecretKey>) -> Result<PublicKey, StoreError> {
        let new = new_key()?;
        let public = new.public();
        // If this is broken off, the next to unlock the archive finds the file, and in the archive whether it holds.
        new.write(&next_to(&self.key_file()?))?;
        let last = last.map(|last| self.0.signing.with(last));
        let signed = self.write(move |writing| {
            if let Some(last) = &last {
                writing.later.file(writing.connection)?;
                sign_head(writing.connection, last)?;
            }
            writing.succeed(&new, last.as_ref().map(|last| &last.key))
        });
        signed.wait()?;
        self.finish_rotation(self.read(signers)?.last())?;
        Ok(public)
    }

    /// Gives a key that was to take the place of another its name, if it came so far; else it goes.
    fn finish_rotation(&self, last: Option<&StoredSigner>) -> Result<(), StoreError> {
        let file = self.key_file()?;
        let next = next_to(&file);
        let Some(key) = SecretKey::read(&next)? else { return Ok(()) };
        let done = if last.is_some_and(|last| last.public == key.public()) {
            rename(&next, &file)
        } else {
            fs::remove_file(&next)
        };
        done.map_err(|error| file_error(&next, error))
    }

    /// The file of the key: where a link leads, if it is one, so that no key is left behind when another takes its place.
    fn key_file(&self) -> Result<PathBuf, StoreError> {
        let path = self.beside(KEY);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_symlink() => fs::canonicalize(&path).map_err(|error| file_error(&path, error)),
            _ => Ok(path),
        }
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path().with_file_name(name)
    }

    /// Checks that each receipt is that of its verdict, that the tree is that of the receipts, that all heads and keys are
    /// signed, and that the log goes on from the head that is kept beside the key.
    pub(super) fn check_log(
        &self,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(Fault),
    ) -> Result<(), StoreError> {
        match Kept::read(self.path()).and_then(|kept| self.read(|reading| kept.is_ours(reading))) {
            Err(StoreError::Rewritten(head)) => fault(Fault::Rewritten(head)),
            // What is missing is said below with its place.
            Err(StoreError::Corrupt(what)) => fault(Fault::File(what)),
            looked => looked?,
        }
        // All of it is of one moment, as far as receipts go: what comes in meanwhile is not looked at.
        let (size, signers) = self.read(|reading| Ok::<_, StoreError>((reading.receipts()?, signers(reading)?)))?;
        for (number, signer) in (1..).zip(&signers) {
            let by = signers.iter().find(|by| by.number == signer.signed_by && by.number <= signer.number);
            let text = Succession { public: signer.public, size: signer.size, time: &time(signer.at) }.text();
            if !by.is_some_and(|by| by.public.has_signed(&text, &signer.signature))
                || signer.number != number
                || signer.size > size
            {
                fault(Fault::Key(signer.number));
            }
        }
        let mut growing = merkle::Growing::default();
        let mut tree_holds = true;
        while growing.size() < size {
            let first = growing.size();
            let end = size.min(first + PAGE);
            let (filed, heads) = self.read(|reading| -> Result<_, StoreError> {
                let filed = format!("{FILED} receipt.number BETWEEN ? AND ? ORDER BY receipt.number");
                let mut filed = reading.connection.prepare_cached(&filed)?;
                let filed = filed.query_map([first, end - 1], filed_row)?.collect::<Result<Vec<_>, _>>()?;
                Ok((filed, reading.heads(first, end)?))
            })?;
            let (mut filed, mut heads) = (filed.into_iter().peekable(), heads.into_iter().peekable());
            for index in first..end {
                let Some(row) = filed.next_if(|row| row.index == index) else {
                    // Without its leaf nothing can be said of the tree from here on.
                    fault(Fault::Receipt(index));
                    return Ok(());
                };
                let leaf = row.leaf_hash();
                let stored = row.nodes.first_chunk().copied();
                // JSON can say the same in other bytes.
                let is_as_written = changes::written(&row.judgement.diagnostics)? == row.diagnostics;
                if stored != Some(leaf) || row.named != index || row.said != row.edition || !is_as_written {
                    fault(Fault::Receipt(index));
                }
                // What is wrong with one leaf is said once: the tree is that of the leaves as they are stored.
                if growing.push(stored.unwrap_or(leaf)).concat() != row.nodes && tree_holds {
                    tree_holds = false;
                    fault(Fault::Tree(index));
                }
                while let Some(head) = heads.next_if(|head| head.size == index + 1) {
                    if !head.holds(growing.root(), row.at, &signers) {
                        fault(Fault::Head(head.size));
                    }
                }
            }
            progress(Progress::of(Step::Receipts, end.cast_signed(), size.cast_signed()));
        }
        self.read(|reading| {
            // Heads of more receipts than there are, or of none.
            let mut beyond = reading.connection.prepare("SELECT size FROM head WHERE size < 1 OR size > ?")?;
            let beyond = beyond.query_map([reading.receipts()?], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
            for size in beyond {
                fault(Fault::Head(size.unsigned_abs()));
            }
            let mut without = reading.connection.prepare(WITHOUT)?;
            let without = without.query_map([], |row| row.get(0).map(Fault::Unreceipted))?;
            without.collect::<Result<Vec<_>, _>>()?.into_iter().for_each(&mut *fault);
            Ok(())
        })
    }
}

/// Verdicts and confirmations that have no receipt.
const WITHOUT: &str = "
  SELECT number FROM verdict WHERE NOT EXISTS (SELECT 1 FROM receipt
    WHERE receipt.number = verdict.receipt AND receipt.verdict = verdict.number)
  UNION SELECT verdict FROM confirmation WHERE NOT EXISTS (SELECT 1 FROM receipt
    WHERE receipt.number = confirmation.receipt AND receipt.verdict = confirmation.verdict
      AND receipt.edition = confirmation.edition)
  ORDER BY 1";

/// A head that was signed.
struct StoredHead {
    size: u64,
    root: Hash,
    at: DateTime<Utc>,
    signer: Number,
    signature: [u8; SIGNATURE],
}

impl StoredHead {
    fn holds(&self, root: Hash, at: DateTime<Utc>, signers: &[StoredSigner]) -> bool {
        let mut in_use = signers.iter().skip_while(|signer| signer.number != self.signer);
        let (signer, next) = (in_use.next(), in_use.next());
        let is_retired = next.is_some_and(|next| next.size < self.size);
        let text = Head { size: self.size, root: self.root, time: &time(self.at) }.text();
        self.root == root
            && self.at == at
            && !is_retired
            && signer.is_some_and(|by| by.public.has_signed(&text, &self.signature))
    }
}

impl Reading<'_> {
    /// Heads that were signed, of more receipts than `after` and at most `to`.
    fn heads(&self, after: u64, to: u64) -> Result<Vec<StoredHead>, StoreError> {
        let mut heads =
            self.connection.prepare_cached("SELECT * FROM head WHERE size > ? AND size <= ? ORDER BY size")?;
        let heads = heads.query_map([after, to], |row| {
            Ok(StoredHead {
                size: row.get("size")?,
                root: row.get("root")?,
                at: rows::time(row, "at")?,
                signer: row.get("signer")?,
                signature: row.get("signature")?,
            })
        })?;
        Ok(heads.collect::<Result<_, _>>()?)
    }
}

/// The head that was signed last, as it is handed out.
pub(super) fn last_head(reading: &Reading<'_>) -> Result<Option<SignedHead>, StoreError> {
    let mut last = reading.connection.prepare_cached(
        "SELECT head.*, signer.public FROM head JOIN signer ON signer.number = head.signer
           ORDER BY head.size DESC LIMIT 1",
    )?;
    let head = last.query_row([], |row| {
        let by = PublicKey::new(&row.get("public")?).ok_or_else(|| rows::wrong("public"))?;
        Ok(SignedHead {
            size: row.get("size")?,
            root: Hex(row.get("root")?),
            time: time(rows::time(row, "at")?),
            key: Hex(by.id()),
            signature: Hex(row.get("signature")?),
        })
    });
    Ok(head.optional()?)
}

/// How many receipts there were when a head was signed last.
fn signed(reading: &Reading<'_>) -> Result<u64, StoreError> {
    let mut signed = reading.connection.prepare_cached("SELECT ifnull(max(size), 0) FROM head")?;
    Ok(signed.query_row([], |row| row.get(0))?)
}

/// Whether receipts came since.
fn has_unsigned(reading: &Reading<'_>) -> Result<bool, StoreError> {
    Ok(signed(reading)? < reading.receipts()?)
}

impl From<KeyError> for StoreError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::File(path, error) => file_error(&path, error),
            KeyError::Exposed(path) => Self::Exposed(path),
            KeyError::NoKey(path) => Self::NoKey(path),
        }
    }
}
