//! Lookups of jobs that wait: on a server they go out together. One after the other, each would wait for a round trip.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    database::Parameter,
    error::StoreError,
    projections::first_column,
    records::FIND,
    tokens::{TOKEN, token_row},
    write_tx::WriteTx,
};
use crate::model::Submission;

/// The keys of the rows that a job is going to look up.
#[derive(Clone, Debug, Default)]
pub struct Lookups {
    /// The id of its token.
    pub token: Option<String>,
    /// The record that it adds.
    pub submission: Option<Arc<Submission>>,
}

impl WriteTx<'_> {
    /// Looks up the rows that adding these records needs, in one round trip for each kind. Does nothing for a file, where a lookup
    /// is no round trip.
    pub fn prefetch<'s>(&self, submissions: impl IntoIterator<Item = &'s Submission>) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        let all: Vec<_> = submissions.into_iter().collect();
        self.look_up_records(&all)?;
        self.projector(0).prefetch(&all.iter().map(|one| &one.facts).collect::<Vec<_>>())
    }

    /// Looks up the tokens of jobs, and the rows of the records that they add.
    pub(super) fn prefetch_jobs<'l>(&self, jobs: impl Iterator<Item = &'l Lookups> + Clone) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        let is_unknown = |id: &&str| self.deferred.tx_cache.borrow().token(id).is_none();
        let tokens: BTreeSet<_> = jobs.clone().filter_map(|job| job.token.as_deref()).filter(is_unknown).collect();
        self.look_up_tokens(&tokens.into_iter().collect::<Vec<_>>())?;
        self.prefetch(jobs.filter_map(|job| job.submission.as_deref()))
    }

    fn look_up_tokens(&self, ids: &[&str]) -> Result<(), StoreError> {
        let lists: Vec<_> = ids.iter().map(|id| vec![id.value()]).collect();
        let found = self.connection.prepare(TOKEN)?.query_pipelined(&lists, token_row)?;
        for (id, tokens) in ids.iter().zip(found) {
            self.deferred.tx_cache.borrow_mut().add_token(id, tokens.into_iter().next());
        }
        Ok(())
    }

    /// Looks up which records the archive lacks.
    fn look_up_records(&self, all: &[&Submission]) -> Result<(), StoreError> {
        let ids: Vec<_> = all.iter().map(|one| one.id).collect();
        let lists: Vec<_> = ids.iter().map(|id| vec![id.value()]).collect();
        let found = first_column::<i64>(self.connection, FIND, &lists)?;
        let absent = ids.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(id, _)| *id);
        self.deferred.tx_cache.borrow_mut().add_absent_records(absent);
        Ok(())
    }
}
