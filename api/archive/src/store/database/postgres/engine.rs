//! The interface of the store in the terms of PostgreSQL's library.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use futures_util::{TryStreamExt, future::try_join_all};
use tokio_postgres::{Client, SimpleQueryMessage, types::Type};

use super::{
    dialect,
    host::{Host, Probes},
    round_trip::{self, Late, runtime},
    row_buffers::{RowBuffer, RowBuffers},
    timeline::Timeline,
    values::unescaped,
};
use crate::store::database::{
    error::{Error, Result},
    value::{OwnedValue, Parameter, Place, Value},
};

/// Time after which the server ends a session that has the turn to write and is idle, or in one statement.
pub(in crate::store) const TURN: Duration = Duration::from_millis(1_500);
/// Time limit of waiting for the turn to write.
const QUEUE: Duration = Duration::from_secs(10);
/// Time after which the server answers that another session still has the turn. A server that is frozen does not answer.
const ATTEMPT: Duration = Duration::from_secs(2);
/// Time after the limit of the server itself at which a writer gives it up.
const GRACE: Duration = Duration::from_secs(1);
/// Time limit of a commit, which may wait for a standby and has none on the server.
const COMMIT: Duration = Duration::from_secs(4);
/// Time limit of one round trip of a reader or of a long operation without a limit of its own.
const READ: Duration = Duration::from_secs(60);
/// Cached statements, at most. One more clears the cache.
const STATEMENTS: usize = 512;

/// SQL for the number of commits.
const COMMITS: &str = "SELECT commits FROM archive";

/// Statements that are sent without waiting for the result of each, at most.
const SENT: usize = 256;
/// Bytes of buffered rows that are sent without waiting for their result, at most, before the last buffers.
const SENT_BYTES: usize = 16 * 1024 * 1024;

/// The transaction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    None,
    Open,
    /// A statement failed: only a savepoint before it, or the end, can follow.
    Failed,
}

/// The question if the running query is to be cancelled.
type IsDue = Box<dyn FnMut() -> bool + Send>;

/// A statement that was sent, and whose result was not waited for.
type Sent = Pin<Box<dyn Future<Output = std::result::Result<u64, tokio_postgres::Error>> + Send>>;

/// A connection to a server. It is broken after a round trip that took too long, when the session ended, and once another server
/// has replaced this one.
pub(in crate::store) struct Connection {
    client: Arc<Client>,
    /// The host, to ask if it answers.
    host: Option<Box<Host>>,
    /// None of a standby.
    timeline: Option<Timeline>,
    /// Statements that were sent. Their results come before that of the next one.
    sent: RefCell<Vec<Sent>>,
    /// Bytes of the rows that they insert.
    sent_bytes: Cell<usize>,
    /// Rows that are inserted before the next statement that is not `insert_buffered`.
    rows: RefCell<RowBuffers>,
    statements: RefCell<HashMap<String, Arc<Prepared>>>,
    state: Cell<State>,
    broken: Cell<bool>,
    written: Cell<u64>,
    timeout: Cell<Duration>,
    is_due: RefCell<Option<IsDue>>,
    /// Number of the last own commit, and that of the open write transaction.
    committed: Cell<i64>,
    committing: Cell<Option<i64>>,
    /// The result of [`Connection::request_foreign_version`].
    received_version: Arc<AtomicI64>,
    /// Number of own turns before which another session had committed.
    foreign: Cell<i64>,
}

impl Connection {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client: Arc::new(client),
            host: None,
            timeline: None,
            sent: RefCell::default(),
            sent_bytes: Cell::new(0),
            rows: RefCell::default(),
            statements: RefCell::default(),
            state: Cell::new(State::None),
            broken: Cell::new(false),
            written: Cell::new(0),
            timeout: Cell::new(READ),
            is_due: RefCell::new(None),
            committed: Cell::new(-1),
            committing: Cell::new(None),
            received_version: Arc::new(AtomicI64::new(-1)),
            foreign: Cell::new(0),
        }
    }

    /// The same connection, whose host is asked if it answers where it takes long.
    pub(super) fn with_host(self, host: &Host) -> Self {
        Self { host: Some(Box::new(host.clone())), ..self }
    }

    /// The same connection, to a server that accepts writes. `latest` is the latest timeline that the store knows of.
    pub(super) fn with_timeline(self, latest: &Arc<AtomicI64>) -> Result<Self> {
        let log_file = match self.simple("SELECT pg_walfile_name(pg_current_wal_lsn())") {
            // A server that hides its log has no timeline.
            Err(Error::Other(_) | Error::ReadOnly) => None,
            found => found?,
        };
        Ok(Self { timeline: Some(Timeline::of(log_file.as_deref(), latest)), ..self })
    }

    /// Takes notice that the server is used, unless it lacks a commit, as a standby that lagged, or another has replaced it: false
    /// then. Every server has the commit 0.
    pub(super) fn is_accepted(&self, least: i64) -> Result<bool> {
        if self.is_replaced() {
            return Ok(false);
        }
        if least > 0 {
            let found = self.simple(COMMITS)?;
            if found.and_then(|commits| commits.parse::<i64>().ok()).is_none_or(|commits| commits < least) {
                return Ok(false);
            }
        }
        self.timeline.iter().for_each(Timeline::note);
        Ok(true)
    }

    /// True if another server has replaced this one since.
    pub(in crate::store::database) fn is_replaced(&self) -> bool {
        self.timeline.as_ref().is_some_and(Timeline::is_over)
    }

    /// True if nothing can be done with it any more.
    pub(in crate::store::database) fn is_broken(&self) -> bool {
        self.broken.get() || self.client.is_closed() || self.is_replaced()
    }

    /// Has the running query cancelled as soon as `is_due`, which is asked from time to time.
    pub(in crate::store::database) fn cancel_when(&self, is_due: impl FnMut() -> bool + Send + 'static) {
        *self.is_due.borrow_mut() = Some(Box::new(is_due));
    }

    /// Waits for a round trip. Buffered rows are inserted before.
    fn wait<T>(&self, future: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        self.flush_rows()?;
        if self.is_broken() {
            return Err(Error::Unreachable("the connection was lost".to_owned()));
        }
        let sent = self.sent.take();
        self.sent_bytes.set(0);
        let after = async {
            let mut future = pin!(future);
            // The statement is sent before the results of those before it are waited for.
            let first = poll_fn(|context| {
                Poll::Ready(match future.as_mut().poll(context) {
                    Poll::Ready(done) => Some(done),
                    Poll::Pending => None,
                })
            });
            let first = first.await;
            let mut failed = None;
            for one in sent {
                if let Err(error) = one.await {
                    failed.get_or_insert(error);
                }
            }
            let done = match first {
                Some(done) => done,
                None => future.await,
            };
            failed.map_or(done, Err)
        };
        let mut is_due = self.is_due.borrow_mut();
        let limit = self.timeout.get();
        let mut probes = Probes::new(self.host.as_deref(), limit >= READ);
        let answer = round_trip::wait(after, limit, || {
            if is_due.as_mut().is_some_and(|is_due| is_due()) {
                return Some(Late::Cancelled);
            }
            probes.find_frozen().then_some(Late::Expired)
        });
        let done = match answer {
            Ok(done) => done.map_err(Error::from),
            Err(late) => {
                // The answer that is still to come would be taken for that of the next statement.
                self.broken.set(true);
                self.cancel(late);
                Err(late.into())
            }
        };
        if done.is_err() && self.state.get() == State::Open {
            self.state.set(State::Failed);
        }
        if matches!(done, Err(Error::Unreachable(_))) {
            self.broken.set(true);
        }
        done
    }

    /// Sends the rows that `insert_buffered` has buffered.
    pub(in crate::store::database) fn flush_rows(&self) -> Result<()> {
        let bytes = self.rows.borrow().bytes();
        let buffers = self.rows.borrow_mut().take();
        self.sent_bytes.set(self.sent_bytes.get() + bytes);
        for RowBuffer { insert, columns } in buffers {
            let client = Arc::clone(&self.client);
            self.send(async move { client.execute_raw(&*insert, &columns).await })?;
        }
        Ok(())
    }

    /// Sends a statement without waiting for its result. If the statement fails, the transaction has failed.
    fn send(
        &self,
        statement: impl Future<Output = std::result::Result<u64, tokio_postgres::Error>> + Send + 'static,
    ) -> Result<()> {
        if self.is_broken() {
            return Err(Error::Unreachable("the connection was lost".to_owned()));
        }
        if self.sent.borrow().len() >= SENT || self.sent_bytes.get() >= SENT_BYTES {
            self.wait(async { Ok(()) })?;
        }
        let mut sent: Sent = Box::pin(statement);
        // The first poll sends it, unless a value does not fit its column, and may have its result already.
        match sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => self.sent.borrow_mut().push(sent),
            Poll::Ready(Ok(_)) => {}
            Poll::Ready(Err(error)) => {
                self.state.set(State::Failed);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Inserts the buffered rows, and waits for the results of all statements that were sent.
    pub(in crate::store::database) fn settle(&self) -> Result<()> {
        self.flush_rows()?;
        if self.sent.borrow().is_empty() { Ok(()) } else { self.wait(async { Ok(()) }) }
    }

    /// Asks the server to cancel the running statement, and does not wait for that.
    fn cancel(&self, late: Late) {
        if late == Late::Cancelled
            && let (Some(host), Ok(runtime)) = (&self.host, runtime())
        {
            let (host, session) = (host.clone(), self.client.cancel_token());
            runtime.spawn(async move { drop(host.cancel(session).await) });
        }
    }

    pub(in crate::store::database) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        if let Some(prepared) = self.statements.borrow().get(sql) {
            return Ok(Statement { connection: self, prepared: Arc::clone(prepared), writes: writes(sql) });
        }
        let translated = dialect::translated(sql);
        let statement = Arc::new(self.wait(self.client.prepare(&translated))?);
        let prepared = Arc::new(Prepared { sql: translated, statement, batch_insert: OnceLock::new() });
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), Arc::clone(&prepared));
        Ok(Statement { connection: self, prepared, writes: writes(sql) })
    }

    pub(in crate::store::database) fn execute_batch(&self, sql: &str) -> Result<()> {
        let sql = dialect::translated_schema(sql);
        self.wait(self.client.batch_execute(&sql))?;
        if sql.contains("CREATE TABLE") || sql.contains("DROP TABLE") {
            // Prepared statements are of the tables that were.
            self.statements.borrow_mut().clear();
            self.written.set(self.written.get() + 1);
        }
        Ok(())
    }

    pub(in crate::store::database) fn rows_written(&self) -> u64 {
        self.written.get()
    }

    /// True in a transaction that can be committed.
    pub(in crate::store::database) fn can_commit(&self) -> bool {
        self.state.get() == State::Open && !self.is_broken()
    }

    /// Begins a transaction that reads. It shows one moment from its first query on; until it ends, no table is replaced, since a
    /// new table would have no rows in it.
    pub(in crate::store::database) fn begin_read(&self) -> Result<()> {
        self.send_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE change IN ACCESS SHARE MODE")?;
        self.state.set(State::Open);
        Ok(())
    }

    /// Ends a transaction that only read.
    pub(in crate::store::database) fn end_read(&self) {
        if self.state.get() != State::None && self.send_sql("ROLLBACK").is_err() {
            self.broken.set(true);
        }
        self.state.set(State::None);
    }

    /// Sends SQL without waiting for its result.
    fn send_sql(&self, sql: &'static str) -> Result<()> {
        let client = Arc::clone(&self.client);
        self.send(async move { client.batch_execute(sql).await.map(|()| 0) })
    }

    /// Begins a write transaction: waits until no other session has one.
    pub(in crate::store::database) fn begin_write(&self) -> Result<()> {
        let begun = Instant::now();
        loop {
            match self.take_turn() {
                Err(Error::Busy) if begun.elapsed() + ATTEMPT <= QUEUE => self.rollback(),
                taken => return taken,
            }
        }
    }

    /// Begins a write transaction if it gets the turn in time.
    fn take_turn(&self) -> Result<()> {
        self.timeout.set(ATTEMPT + GRACE);
        let (attempt, turn) = (ATTEMPT.as_millis(), TURN.as_millis());
        let sql = format!(
            "BEGIN; SET LOCAL lock_timeout = {attempt}; SET LOCAL idle_in_transaction_session_timeout = {turn};
             UPDATE archive SET commits = commits + 1 RETURNING commits; SET LOCAL statement_timeout = {turn}"
        );
        self.state.set(State::Open);
        let begun = self.wait(self.client.simple_query(&sql));
        self.timeout.set(TURN + GRACE);
        let found = begun?.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse::<i64>().ok(),
            _ => None,
        });
        let number = found.ok_or_else(|| Error::Corrupt("the table archive has no row".to_owned()))?;
        if number != self.committed.get() + 1 {
            self.foreign.set(self.foreign.get() + 1);
        }
        self.committing.set(Some(number));
        Ok(())
    }

    /// Begins a transaction that creates or changes the tables; waits until no other session does.
    pub(in crate::store::database) fn begin_migration(&self) -> Result<()> {
        let lock = "BEGIN; SELECT pg_advisory_xact_lock(hashtext('quipu ' || current_schema()))";
        self.wait(self.client.batch_execute(lock))?;
        self.state.set(State::Open);
        Ok(())
    }

    /// The numbers of the program and of its schema that made the tables; 0 if there are none.
    pub(in crate::store::database) fn marks(&self) -> Result<(i64, i64)> {
        let found = self.simple("SELECT to_regclass(quote_ident(current_schema()) || '.archive') IS NOT NULL")?;
        if found.as_deref() != Some("t") {
            return Ok((0, 0));
        }
        let mark = |sql: &str| Ok::<_, Error>(self.simple(sql)?.and_then(|number| number.parse().ok()).unwrap_or(0));
        Ok((mark("SELECT application FROM archive")?, mark("SELECT version FROM archive")?))
    }

    /// Writes the marks, with the row whose lock is the turn to write.
    pub(in crate::store::database) fn set_marks(&self, application: i64, version: i64) -> Result<()> {
        self.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS archive (
               one boolean PRIMARY KEY DEFAULT true CHECK (one),
               application bigint NOT NULL, version bigint NOT NULL, commits bigint NOT NULL DEFAULT 0
             );
             INSERT INTO archive (application, version) VALUES ({application}, {version})
               ON CONFLICT (one) DO UPDATE SET application = {application}, version = {version}"
        ))
    }

    /// The first column of the first row of a query without parameters.
    fn simple(&self, sql: &str) -> Result<Option<String>> {
        let found = self.wait(self.client.simple_query(sql))?;
        Ok(found.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// Gives the statements of this write transaction more time, during which no other session writes.
    pub(in crate::store::database) fn take_time(&self) -> Result<()> {
        self.timeout.set(READ * 60);
        self.wait(self.client.batch_execute(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
                 SET LOCAL idle_in_transaction_session_timeout = 0",
        ))
    }

    /// Waits until nobody reads, and has readers wait for the end of this transaction: a snapshot of before finds tables that are
    /// replaced in it without rows.
    pub(in crate::store::database) fn lock_out_readers(&self) -> Result<()> {
        self.wait(self.client.batch_execute("LOCK TABLE change IN ACCESS EXCLUSIVE MODE"))
    }

    pub(in crate::store::database) fn commit(&self) -> Result<()> {
        if self.is_broken() {
            self.rollback();
            return Err(Error::Unreachable("the connection was lost before the commit".to_owned()));
        }
        if !self.can_commit() {
            // The server would roll back, and report no failure.
            self.rollback();
            return Err(Error::Other("the transaction failed".to_owned()));
        }
        // If one of these has failed, nothing is committed, and that is certain.
        self.settle()?;
        self.timeout.set(COMMIT.max(self.timeout.get()));
        let committed = self.wait(self.client.batch_execute("COMMIT"));
        // The commit may have taken place without its answer.
        committed.map_err(|error| match error {
            Error::Unreachable(text) | Error::Other(text) => Error::Unconfirmed(text),
            error => error,
        })?;
        self.state.set(State::None);
        if self.is_replaced() {
            // The server that replaced it has the commit, or has it not.
            return Err(Error::Unconfirmed("another server has replaced this one".to_owned()));
        }
        if let Some(number) = self.committing.take() {
            self.committed.set(number);
        }
        Ok(())
    }

    pub(in crate::store::database) fn rollback(&self) {
        drop(self.rows.take());
        if self.state.get() != State::None && !self.is_broken() {
            // Statements before it may have failed; only a lost connection matters.
            let _ = self.wait(self.client.batch_execute("ROLLBACK"));
        }
        self.sent.borrow_mut().clear();
        self.committing.set(None);
        self.state.set(State::None);
    }

    /// Begins a savepoint, ends it, or goes back to it and ends it.
    pub(in crate::store::database) fn savepoint(&self) -> Result<()> {
        self.wait(self.client.batch_execute("SAVEPOINT job"))
    }

    pub(in crate::store::database) fn release_savepoint(&self) -> Result<()> {
        self.wait(self.client.batch_execute("RELEASE job"))
    }

    pub(in crate::store::database) fn rollback_to_savepoint(&self) -> Result<()> {
        drop(self.rows.take());
        // Statements before it may have failed, and that is no failure of going back.
        let _ = self.settle();
        self.wait(self.client.batch_execute("ROLLBACK TO job; RELEASE job"))?;
        self.state.set(State::Open);
        Ok(())
    }

    /// A number that changes with each commit; in a writer, with each of another session alone.
    pub(in crate::store::database) fn foreign_version(&self) -> Result<i64> {
        if self.committing.get().is_some() {
            return Ok(self.foreign.get());
        }
        let row = self.prepare(COMMITS)?.rows(&[])?;
        let first = row.first().ok_or(Error::NoRow)?;
        match value(first, Place::Index(0))? {
            Value::Integer(number) => Ok(number),
            _ => Err(Error::Corrupt("the table archive".to_owned())),
        }
    }

    /// Asks for [`Connection::foreign_version`] without waiting for it.
    pub(in crate::store::database) fn request_foreign_version(&self) -> Result<()> {
        self.received_version.store(-1, Ordering::Relaxed);
        let Statement { prepared, .. } = self.prepare(COMMITS)?;
        let (client, received) = (Arc::clone(&self.client), Arc::clone(&self.received_version));
        self.send(async move {
            let commits = client.query_one(&*prepared.statement, &[]).await?.try_get(0)?;
            received.store(commits, Ordering::Relaxed);
            Ok(0)
        })
    }

    /// The result of [`Connection::request_foreign_version`]; -1 until it has come with that of a statement.
    pub(in crate::store::database) fn received_foreign_version(&self) -> i64 {
        self.received_version.load(Ordering::Relaxed)
    }

    /// Number of the last own commit; -1 if there is none.
    pub(in crate::store::database) fn last_commit(&self) -> i64 {
        self.committed.get()
    }

    /// Time limit of the round trips from now on; `None` for the longest.
    pub(in crate::store::database) fn set_timeout(&self, timeout: Option<Duration>) {
        self.timeout.set(timeout.unwrap_or(READ));
    }
}

/// True if a statement writes rows.
fn writes(sql: &str) -> bool {
    let sql = sql.trim_start();
    ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb))
}

/// A statement that the server has prepared.
struct Prepared {
    sql: String,
    statement: Arc<tokio_postgres::Statement>,
    /// The one that inserts the rows of arrays, if there is one, once it was needed.
    batch_insert: OnceLock<Option<Arc<tokio_postgres::Statement>>>,
}

impl Prepared {
    /// The statement that inserts the rows of arrays; none unless this one inserts one row.
    fn batch_insert(&self, connection: &Connection) -> Result<Option<&Arc<tokio_postgres::Statement>>> {
        if let Some(batch_insert) = self.batch_insert.get() {
            return Ok(batch_insert.as_ref());
        }
        let types: Vec<_> = self.statement.params().iter().map(Type::name).collect();
        let prepare = |sql: String| connection.wait(connection.client.prepare(&sql)).map(Arc::new);
        let batch_insert = dialect::batch_insert(&self.sql, &types).map(prepare).transpose()?;
        Ok(self.batch_insert.get_or_init(|| batch_insert).as_ref())
    }
}

pub(in crate::store) struct Statement<'c> {
    connection: &'c Connection,
    prepared: Arc<Prepared>,
    writes: bool,
}

impl Statement<'_> {
    pub(in crate::store::database) fn execute(&self, values: &[Value<'_>]) -> Result<usize> {
        let connection = self.connection;
        let rows = connection.wait(connection.client.execute_raw(&*self.prepared.statement, values.iter().copied()))?;
        connection.written.set(connection.written.get() + rows);
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    /// Runs it without waiting for its result.
    pub(in crate::store::database) fn execute_later(&self, values: &[Value<'_>]) -> Result<()> {
        let connection = self.connection;
        connection.flush_rows()?;
        connection.written.set(connection.written.get() + 1);
        let values: Vec<_> = values.iter().copied().map(OwnedValue::from).collect();
        let (client, prepared) = (Arc::clone(&connection.client), Arc::clone(&self.prepared));
        let run = async move { client.execute_raw(&*prepared.statement, values.iter().map(OwnedValue::value)).await };
        connection.send(run)
    }

    /// Buffers the row that it inserts until the next statement of another kind, or until the buffers are full. Rows of a smaller
    /// `order` are inserted first.
    pub(in crate::store::database) fn insert_buffered(&self, order: usize, values: &[Value<'_>]) -> Result<()> {
        let connection = self.connection;
        let Some(batch_insert) = self.prepared.batch_insert(connection)? else { return self.execute_later(values) };
        if connection.rows.borrow().must_flush(order, batch_insert) {
            connection.flush_rows()?;
        }
        connection.written.set(connection.written.get() + 1);
        connection.rows.borrow_mut().push(order, batch_insert, self.prepared.statement.params(), values);
        Ok(())
    }

    fn rows(&self, values: &[Value<'_>]) -> Result<Vec<StoredRow>> {
        let connection = self.connection;
        let rows = connection.wait(async {
            let rows = connection.client.query_raw(&*self.prepared.statement, values.iter().copied()).await?;
            rows.map_ok(StoredRow::from).try_collect::<Vec<_>>().await
        })?;
        if self.writes {
            connection.written.set(connection.written.get() + rows.len() as u64);
        }
        Ok(rows)
    }

    pub(in crate::store::database) fn query(&self, values: &[Value<'_>]) -> Result<Rows> {
        Ok(Rows { rows: self.rows(values)?, next: 0 })
    }

    /// The rows of a run with each of these lists of parameters, up to [`SENT`] of which are sent before the first is waited for.
    pub(in crate::store::database) fn query_pipelined(&self, lists: &[Vec<Value<'_>>]) -> Result<Vec<Vec<StoredRow>>> {
        let connection = self.connection;
        let mut all = Vec::with_capacity(lists.len());
        for some in lists.chunks(SENT) {
            let runs = some.iter().map(|values| async move {
                let rows = connection.client.query_raw(&*self.prepared.statement, values.iter().copied()).await?;
                rows.map_ok(StoredRow::from).try_collect::<Vec<_>>().await
            });
            all.extend(connection.wait(try_join_all(runs))?);
        }
        if self.writes {
            let rows = all.iter().map(Vec::len).sum::<usize>();
            connection.written.set(connection.written.get() + rows as u64);
        }
        Ok(all)
    }

    /// Calls `each` with each row as it comes.
    pub(in crate::store::database) fn for_each<E: From<Error>>(
        &self,
        values: &[Value<'_>],
        mut each: impl FnMut(Row<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let connection = self.connection;
        let rows = connection.wait(connection.client.query_raw(&*self.prepared.statement, values.iter().copied()))?;
        let mut rows = pin!(rows);
        while let Some(row) = connection.wait(rows.try_next())? {
            each(&StoredRow::from(row))?;
        }
        Ok(())
    }

    pub(in crate::store::database) fn column_names(&self) -> Vec<String> {
        self.prepared.statement.columns().iter().map(|column| column.name().to_owned()).collect()
    }

    pub(in crate::store::database) fn column_count(&self) -> usize {
        self.prepared.statement.columns().len()
    }
}

/// All rows of a result: while they are read, other statements may run on the connection.
pub(in crate::store) struct Rows {
    rows: Vec<StoredRow>,
    next: usize,
}

impl Rows {
    pub(in crate::store::database) fn next(&mut self) -> Option<Row<'_>> {
        let row = self.rows.get(self.next)?;
        self.next += 1;
        Some(row)
    }
}

/// A row, with those of its texts that are not as they are stored.
pub(in crate::store) struct StoredRow {
    row: tokio_postgres::Row,
    texts: Vec<(usize, Vec<u8>)>,
}

impl From<tokio_postgres::Row> for StoredRow {
    fn from(row: tokio_postgres::Row) -> Self {
        let text = |index| match row.try_get(index) {
            Ok(Value::Text(stored)) => Some((index, unescaped(stored)?)),
            _ => None,
        };
        let texts = (0..row.len()).filter_map(text).collect();
        Self { row, texts }
    }
}

pub(in crate::store::database) type Row<'r> = &'r StoredRow;

pub(in crate::store::database) fn value<'r>(row: Row<'r>, place: Place<'_>) -> Result<Value<'r>> {
    let StoredRow { row, texts } = row;
    let index = match place {
        Place::Index(index) => Some(index),
        Place::Name(name) => row.columns().iter().position(|column| column.name() == name),
    };
    let index = index.filter(|index| *index < row.len());
    let index = index.ok_or_else(|| Error::Other("a row lacks a column".to_owned()))?;
    if let Some((_, text)) = texts.iter().find(|(changed, _)| *changed == index) {
        return Ok(Value::Text(text));
    }
    row.try_get(index).map_err(|error| Error::Corrupt(error.to_string()))
}
