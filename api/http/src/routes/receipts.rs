//! Receipts: what was verified, signed; the log that they are in, and the keys. What is signed is told in
//! [`quipu_archive::receipts`].

use quipu_referee::report::hex;
use sha2::{Digest, Sha256};

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
    },
    Answered,
    records::no_record,
};
use quipu_archive::receipts::Consistency;

/// What tells a proof from that of another log of the same size.
fn state(Consistency { proof, .. }: &Consistency) -> String {
    let nodes = proof.iter().map(|node| &node.0[..]).collect::<Vec<_>>().concat();
    hex(&Sha256::digest(nodes)[..8])
}

pub(super) async fn receipt(call: Call) -> Answered {
    let id = call.record();
    let signer = call.store().signer()?;
    let receipt = call.read(|reading| reading.receipt(&id, &signer))?.ok_or_else(|| no_record(&id))?;
    let name = hex(&signer.public().id()[..8]);
    let answer = call.json(&receipt);
    // Two logs may have come to the same size, where one was restored from a copy.
    let (index, size, root) = (receipt.index, receipt.head.size, receipt.head.root);
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{index}-{size}-{root}-{}-{name}", receipt.state)))
}

pub(super) async fn head(call: Call) -> Answered {
    let signer = call.store().signer()?;
    let head = call.read(|reading| reading.signed_head(&signer))?;
    let name = hex(&signer.public().id()[..8]);
    Ok(call.tagged(call.json(&head), Cache::Revalidate, format_args!("{}-{}-{name}", head.size, head.root)))
}

pub(super) async fn consistency(call: Call) -> Answered {
    let count = |name| call.number(name).and_then(|number| u64::try_from(number).ok());
    let (from, to) = (count("from").unwrap_or_default(), count("to"));
    let (size, found) = call.read(|reading| {
        let size = reading.receipts()?;
        let to = to.unwrap_or(size);
        Ok((size, reading.consistency(from, to)?.map(|proof| Consistency { from, to, proof })))
    })?;
    let found = found.ok_or_else(|| {
        let problem = Problem::variant(problem::NOT_FOUND, "log").with("size", size);
        problem.with("from", from).with("to", to.unwrap_or(size))
    })?;
    Ok(call.tagged(call.json(&found), Cache::Revalidate, format_args!("{from}-{}-{}", found.to, state(&found))))
}

pub(super) async fn keys(call: Call) -> Answered {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let keys = call.read(|reading| reading.keys())?;
    let last = keys.keys.last().map(|key| hex(&key.key.0)).unwrap_or_default();
    Ok(call.tagged(call.json(&keys), Cache::Revalidate, format_args!("{last}")))
}
