//! The log of receipts: a leaf for each verdict that is stored, in the same transaction. What is hashed and signed is told in
//! [`crate::receipts`].
//!
//! The row of a leaf holds the nodes of the tree that it completes, so that adding one is one row at the end of a table, and
//! root and proofs are found with a few rows.

use chrono::{DateTime, Utc};
use quipu_referee::sha256::digests;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    Progress, ReadTx, Step, Store, StoreError, WriteTx,
    check::Fault,
    keys::signers,
    pinned_head::{PinnedHead, Signer},
    records::judgement_row,
    rows, write_tx,
};
use crate::{
    model::{Id, Judgement, Number, State},
    receipts::{Hash, Head, Hex, Leaf, Receipt, SIGNATURE, SignedHead, SignedVerdict, Succession, merkle, time},
};

/// Receipts that are checked at once.
const PAGE: u64 = 1_000;
/// Bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// A receipt of the log, with what it is made of.
struct LogEntry {
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

impl LogEntry {
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

fn filed_row(row: &Row<'_>) -> rusqlite::Result<LogEntry> {
    let mut judgement = judgement_row(row)?;
    if let Some(program) = row.get("confirmed")? {
        judgement.program = program;
    }
    Ok(LogEntry {
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

impl ReadTx<'_> {
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

    fn filed(&self, index: u64) -> Result<LogEntry, StoreError> {
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
    /// As [`ReadTx::signed_head`].
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
}

impl WriteTx<'_> {
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
        self.later.receipt(PendingEntry { index, verdict, edition, id, source, status, at, signed });
    }
}

/// A receipt that is still to be put into the log.
pub(super) struct PendingEntry {
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

impl PendingEntry {
    /// Puts receipts into the log: the next ones, in their order. What is hashed of them is hashed side by side.
    pub(super) fn file(receipts: &[Self], connection: &Connection) -> Result<(), StoreError> {
        let Some(first) = receipts.first() else { return Ok(()) };
        let verdicts = digests(&receipts.iter().map(|receipt| &*receipt.signed).collect::<Vec<_>>());
        let leaves = merkle::leaves(receipts.iter().zip(verdicts).map(|(receipt, verdict)| receipt.leaf(verdict)));
        let reading = ReadTx { connection };
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

impl Store {
    /// Checks that each receipt is that of its verdict, that the tree is that of the receipts, that all heads and keys are
    /// signed, and that the log goes on from the head that is kept beside the key.
    pub(super) fn check_log(
        &self,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(Fault),
    ) -> Result<(), StoreError> {
        match PinnedHead::read(self.path()).and_then(|kept| self.read(|reading| kept.is_ours(reading))) {
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
                let is_as_written = write_tx::written(&row.judgement.diagnostics)? == row.diagnostics;
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
