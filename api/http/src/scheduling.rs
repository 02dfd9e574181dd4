//! Work that a request runs: queries and changes of the archive, judging and drawing. Costly work waits for a permit and
//! runs on another thread.

use std::{sync::Arc, time::Instant};

use actix_web::web::Bytes;
use quipu_archive::{
    model::Submission,
    store::{AutocommitRead, Lookups, Pending, ReadTx, StoreError, WriteTx},
};
use quipu_ratings::{ArchiveRatings, CountedGames};

use super::{
    auth::Bearer,
    params,
    permits::{self, Permit, Permits},
    problem::Problem,
    request::RequestContext,
    spool::SpoolWriter,
    stream::Pace,
};

impl RequestContext {
    /// Runs a short query of the archive on this thread.
    ///
    /// # Errors
    /// The error of `query`, or that of the archive.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError>) -> Result<T, Problem> {
        Ok(self.store().read_within(self.settings().query_timeout, query)?)
    }

    /// [`RequestContext::read`] of one query, which may run twice.
    ///
    /// # Errors
    /// As [`RequestContext::read`].
    pub(crate) fn read_autocommit<T>(
        &self,
        query: impl Fn(AutocommitRead<'_>) -> Result<T, StoreError>,
    ) -> Result<T, Problem> {
        Ok(self.store().read_autocommit(self.settings().query_timeout, query)?)
    }

    /// Runs a long query of the archive on another thread, within the query timeout.
    ///
    /// # Errors
    /// The error of `query`, or that of the archive.
    pub(crate) async fn read_slowly<T: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.read_then(query, Ok).await
    }

    /// As [`RequestContext::read_slowly`], and processes the result on the same thread, such as to write a page of HTML.
    ///
    /// # Errors
    /// The errors of `query` and of `then`, or that of the archive.
    pub(crate) async fn read_then<T, U: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(T) -> Result<U, Problem> + Send + 'static,
    ) -> Result<U, Problem> {
        let (store, time) = (self.store().clone(), self.settings().query_timeout);
        let mut pace = self.pace(true);
        pace.resume().await?;
        self.work_with(pace, move || then(store.read_within(time, query)?)).await
    }

    /// Reads a page of a list: on this thread up to the default limit, else as [`RequestContext::read_slowly`], so that
    /// requests for long pages block nobody.
    ///
    /// # Errors
    /// The error of `query`, or that of the archive.
    pub(crate) async fn read_page<T: Send + 'static>(
        &self,
        limit: usize,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        if limit <= params::DEFAULT_LIMIT { self.read(query) } else { self.read_slowly(query).await }
    }

    /// Changes the archive, if the token is still valid when the transaction runs.
    pub(crate) fn write<T, E>(&self, work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + From<Problem> + Send + 'static,
    {
        self.write_with_lookups(None, work)
    }

    /// [`RequestContext::write`] of work that adds this record.
    pub(crate) fn write_with_lookups<T, E>(
        &self,
        submission: Option<Arc<Submission>>,
        work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + From<Problem> + Send + 'static,
    {
        let bearer = self.bearer.clone();
        let lookups = Lookups { token: bearer.as_ref().map(Bearer::id_text), submission };
        self.store().write_with_lookups(lookups, move |writing: &WriteTx<'_>| {
            Bearer::checked(bearer.as_ref(), |bearer| bearer.check(writing))?;
            work(writing)
        })
    }

    /// The ratings of the archive: those that are kept, or else those that this or another request computes. Requests wait for
    /// them with neither a permit for queries nor a connection.
    ///
    /// # Errors
    /// `api.busy` if others compute for longer than the query timeout, `api.slow` if this request does, or that of the archive.
    pub(crate) async fn ratings(&self) -> Result<Arc<ArchiveRatings>, Problem> {
        let (cache, store) = (Arc::clone(&self.service.ratings), self.store().clone());
        let wanted = store.version();
        if let Some(found) = cache.find(wanted) {
            return Ok(found);
        }
        let limit = self.settings().query_timeout;
        let permit = self.service.limits.rating_permits.acquire(self.client, Some(limit)).await?;
        if let Some(found) = cache.find(wanted) {
            return Ok(found);
        }
        let compute = move || {
            let (version, begun) = (store.version(), Instant::now());
            let games = store.read_within(limit, CountedGames::read)?;
            let in_time = || if begun.elapsed() < limit { Ok(()) } else { Err(StoreError::Slow) };
            let ratings = Arc::new(games.rate(in_time)?);
            cache.keep(version, &ratings);
            Ok(ratings)
        };
        self.work_with(permit, compute).await
    }

    /// Does quick work: on this thread if a permit is free, which saves waking another one, else as
    /// [`RequestContext::work`].
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work_soon<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        match self.permits().try_acquire(self.client) {
            Some(_permit) => work(),
            None => self.work(work).await,
        }
    }

    /// Does expensive work on another thread, once it has a permit. Routes that write have permits of their own and threads of
    /// normal priority; the work of all others runs in the background.
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.permit().await?;
        self.work_with(permit, work).await
    }

    /// As [`RequestContext::work`], to write a text. Requests for the same `key` meanwhile share the result.
    ///
    /// # Errors
    /// As [`RequestContext::work`].
    pub(crate) async fn work_once(
        &self,
        key: String,
        work: impl FnOnce() -> Result<String, Problem> + Send + 'static,
    ) -> Result<Bytes, Problem> {
        let text = async { Ok(self.work(work).await?.into()) };
        self.service.pages.run(key, text).await
    }

    /// Does work on a large record, one at a time: parsing 16 MiB takes hundreds of MiB of memory.
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work_on_large_record<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.large_record_permit().await?;
        self.work_with(permit, work).await
    }

    /// Does work on another thread that has its permit already, and drops the permit afterwards.
    ///
    /// # Errors
    /// The error of `work`.
    pub(crate) async fn work_with<T: Send + 'static>(
        &self,
        permit: impl Send + 'static,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let work = move || {
            let _permit = permit;
            work()
        };
        if self.is_background() {
            return permits::in_background(work).await;
        }
        permits::in_foreground(work).await
    }

    /// Draws a picture in the background, once it has a permit. Requests for the same `key` meanwhile share the result.
    ///
    /// # Errors
    /// The error of `draw`, or `api.busy`.
    pub(crate) async fn draw(
        &self,
        key: String,
        draw: impl FnOnce() -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Result<Bytes, Problem> {
        let drawn = async {
            let permits = &self.service.limits.picture_permits;
            let permit = permits.acquire(self.client, Some(self.settings().query_timeout)).await?;
            let drawn = permits::in_background(move || {
                let _permit = permit;
                draw()
            });
            Ok(drawn.await?.into())
        };
        self.service.drawings.run(key, drawn).await
    }

    /// A permit for expensive work.
    ///
    /// # Errors
    /// `api.busy` if none is free within the query timeout.
    pub(crate) async fn permit(&self) -> Result<Permit, Problem> {
        self.permits().acquire(self.client, Some(self.settings().query_timeout)).await
    }

    /// The permit to work on a large record.
    ///
    /// # Errors
    /// `api.busy` if it is not free within the query timeout.
    pub(crate) async fn large_record_permit(&self) -> Result<Permit, Problem> {
        let permits = &self.service.limits.large_record_permits;
        permits.acquire(self.client, Some(self.settings().query_timeout)).await
    }

    /// The permits for the expensive work of the route.
    pub(super) fn permits(&self) -> &Permits {
        let limits = &self.service.limits;
        if self.is_background() { &limits.read_permits } else { &limits.write_permits }
    }

    /// True if the expensive work of the route yields to that of routes that write.
    pub(super) fn is_background(&self) -> bool {
        self.route.access.is_reading()
    }

    /// A writer for a response that another thread writes.
    pub(crate) fn spool(&self) -> SpoolWriter {
        self.service.spool.writer()
    }

    /// The pace of a long query or stream of this request.
    pub(super) fn pace(&self, is_query: bool) -> Pace {
        // Routes that write check their token in the write transaction.
        let bearer = self.bearer.clone().filter(|_| self.route.access.is_reading());
        Pace::new(Arc::clone(&self.service), bearer, self.client, is_query)
    }

    /// A receiver that wakes at every commit.
    pub(crate) fn commits(&self) -> tokio::sync::watch::Receiver<u64> {
        self.service.commits()
    }
}
