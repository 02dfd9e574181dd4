//! Responses that wait for their clients. A small one stays in memory, within a budget. A large one, or one that
//! exceeds the budget, is written to an unnamed file in the data folder and sent from there chunk by chunk, so that a
//! client that reads slowly, or not at all, holds a chunk of memory and not a response.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll, ready},
};

use actix_web::{
    HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    web::{self, Bytes},
};

use super::{
    body::CHUNK,
    budget::{ByteBudget, Reservation},
    problem::{self, Problem},
};

/// Most bytes of a response in memory.
pub(super) const IN_MEMORY: usize = 256 * 1024;
/// Least bytes that a spooled response counts for: it takes a file and a chunk too.
const MIN_COUNTED: usize = 256 * 1024;

/// Disk space that responses leave free, because submissions have priority.
const KEPT_FREE: u64 = 256 * 1024 * 1024;

/// Marks a response whose bytes all clients share, such as a style sheet: it counts against no budget.
#[derive(Clone, Copy)]
pub(super) struct Shared;

/// Marks a response that is counted or spooled.
#[derive(Clone, Copy)]
pub(super) struct Accounted;

/// Memory and disk for waiting responses.
#[derive(Clone, Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    memory: ByteBudget,
    events: ByteBudget,
    disk: ByteBudget,
    /// Bytes of both budgets.
    max: usize,
}

impl Spool {
    pub(super) fn new(folder: PathBuf, max_memory: usize, max_disk: usize) -> Self {
        let budget = |bytes| ByteBudget::new(bytes, "responses");
        let (memory, events, disk) = (budget(max_memory - max_memory / 2), budget(max_memory / 2), budget(max_disk));
        Self { folder, memory, events, disk, max: max_memory.saturating_add(max_disk) }
    }

    /// The memory for events of games in progress.
    pub(super) fn events(&self) -> &ByteBudget {
        &self.events
    }

    /// The memory for responses.
    pub(super) fn memory(&self) -> &ByteBudget {
        &self.memory
    }

    /// Counts or spools a response whose body is larger than `above` bytes.
    ///
    /// # Errors
    /// `api.busy` if memory and disk are used up, or the error of the disk.
    pub(super) async fn hold(&self, response: HttpResponse, above: usize) -> Result<HttpResponse, Problem> {
        let is_large = matches!(response.body().size(), BodySize::Sized(bytes) if bytes > above as u64);
        let is_held = response.extensions().contains::<Shared>() || response.extensions().contains::<Accounted>();
        if !is_large || is_held {
            return Ok(response);
        }
        let (mut response, body) = response.into_parts();
        let body = match body.try_into_bytes() {
            Ok(bytes) => self.hold_bytes(bytes).await?,
            Err(body) => body,
        };
        response.extensions_mut().insert(Accounted);
        Ok(response.set_body(body))
    }

    async fn hold_bytes(&self, bytes: Bytes) -> Result<BoxBody, Problem> {
        if bytes.len() <= IN_MEMORY
            && let Ok(reservation) = self.memory.reserve(bytes.len())
        {
            return Ok(BoxBody::new(reservation.hold(bytes)));
        }
        let mut writer = self.writer();
        let written = web::block(move || {
            // `finish` reports a failure.
            drop(writer.write_all(&bytes));
            writer.finish()
        });
        Ok(written.await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL)))?.into_body())
    }

    /// A writer for a response, for a thread that may block.
    pub(super) fn writer(&self) -> SpoolWriter {
        SpoolWriter {
            spool: self.clone(),
            memory: Vec::new(),
            file: None,
            bytes: 0,
            held: self.memory.reservation(),
            reserved: self.disk.reservation(),
            failed: None,
        }
    }

    /// True if the disk has enough free space. If the system does not tell, the write is attempted.
    fn has_room(&self) -> bool {
        #[cfg(unix)]
        if let Ok(disk) = rustix::fs::statvfs(&self.folder) {
            return disk.f_bavail.saturating_mul(disk.f_frsize) > KEPT_FREE;
        }
        true
    }
}

/// Writes a response: to memory while it is small, then to a file.
pub(crate) struct SpoolWriter {
    spool: Spool,
    /// The response, or its part that is not in the file yet.
    memory: Vec<u8>,
    file: Option<File>,
    bytes: usize,
    /// Memory of a response that does not fit on the disk.
    held: Reservation,
    reserved: Reservation,
    /// The problem after which nothing is written.
    failed: Option<Problem>,
}

impl SpoolWriter {
    /// Continues in a file if there is space for one, or else in memory.
    fn spill(&mut self) -> io::Result<()> {
        if self.spool.has_room()
            && self.reserved.grow_to(MIN_COUNTED).is_ok()
            && let Ok(file) = tempfile::tempfile_in(&self.spool.folder)
        {
            self.file = Some(file);
            return self.write_out();
        }
        self.hold_in_memory()
    }

    fn hold_in_memory(&mut self) -> io::Result<()> {
        let held = self.held.grow_to(self.bytes);
        held.map_err(|_| self.fail())
    }

    /// Writes the buffer to the file.
    fn write_out(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.write_all(&self.memory);
        self.memory.clear();
        let reserved = self.reserved.grow_to(self.bytes.next_multiple_of(MIN_COUNTED));
        if let Err(error) = &written {
            tracing::warn!(%error, "a response cannot be spooled");
        }
        if written.is_err() || reserved.is_err() { Err(self.fail()) } else { Ok(()) }
    }

    /// Stores the problem for [`SpoolWriter::finish`], because an [`io::Error`] cannot carry it.
    fn fail(&mut self) -> io::Error {
        self.failed = Some(Problem::variant(problem::BUSY, "responses").with("max", self.spool.max).retry_after(1));
        (self.memory, self.file) = (Vec::new(), None);
        io::ErrorKind::Other.into()
    }

    /// Completes the response.
    ///
    /// # Errors
    /// `api.busy` if there is no space for it, or the disk fails.
    pub(crate) fn finish(mut self) -> Result<Spooled, Problem> {
        if self.failed.is_none() {
            // A failure is stored in the writer.
            drop(if self.file.is_some() {
                self.write_out()
            } else if self.held.grow_to(self.bytes).is_ok() {
                Ok(())
            } else {
                self.spill()
            });
        }
        if let Some(problem) = self.failed {
            return Err(problem);
        }
        let Some(mut file) = self.file else { return Ok(Spooled::Memory(self.held.hold(self.memory))) };
        let rewound = file.seek(SeekFrom::Start(0));
        rewound.map_err(|_| Problem::new(problem::INTERNAL))?;
        Ok(Spooled::File(file, self.bytes as u64, self.reserved))
    }
}

impl Write for SpoolWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed.is_some() {
            return Err(io::ErrorKind::Other.into());
        }
        // JSON arrives in many small pieces.
        let bytes = &bytes[..bytes.len().min(IN_MEMORY)];
        self.bytes += bytes.len();
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > IN_MEMORY {
            if self.file.is_some() { self.write_out()? } else { self.spill()? }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A complete response.
pub(crate) enum Spooled {
    /// In memory, with its reservation.
    Memory(Bytes),
    /// In a file at its beginning, with its length and its reservation of disk space.
    File(File, u64, Reservation),
}

impl Spooled {
    /// Writes the response to a stream.
    ///
    /// # Errors
    /// If the stream cannot be written, or the file cannot be read.
    pub(crate) fn copy_to(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => out.write_all(&bytes),
            Self::File(mut file, _, _reservation) => io::copy(&mut file, out).map(drop),
        }
    }

    pub(crate) fn into_body(self) -> BoxBody {
        match self {
            Self::Memory(bytes) => BoxBody::new(bytes),
            Self::File(file, size, reservation) => {
                BoxBody::new(FileBody { size, left: size, reading: None, file: Some((file, reservation)) })
            }
        }
    }
}

type Read1 = (File, Reservation, io::Result<Bytes>);

/// A spooled response while it is sent: each chunk is read once the previous one has been sent.
struct FileBody {
    size: u64,
    left: u64,
    reading: Option<Pin<Box<dyn Future<Output = Option<Read1>>>>>,
    file: Option<(File, Reservation)>,
}

impl MessageBody for FileBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.size)
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if this.left == 0 {
            this.file = None;
            return Poll::Ready(None);
        }
        if let Some((mut file, reservation)) = this.file.take() {
            let length = usize::try_from(this.left).unwrap_or(CHUNK).min(CHUNK);
            let read = web::block(move || {
                let mut chunk = vec![0; length];
                let read = file.read_exact(&mut chunk).map(|()| Bytes::from(chunk));
                (file, reservation, read)
            });
            this.reading = Some(Box::pin(async move { read.await.ok() }));
        }
        let Some(reading) = &mut this.reading else { return Poll::Ready(Some(Err("the response was lost".into()))) };
        let read = ready!(reading.as_mut().poll(context));
        this.reading = None;
        let Some((file, reservation, chunk)) = read else {
            return Poll::Ready(Some(Err("the response was lost".into())));
        };
        this.file = Some((file, reservation));
        Poll::Ready(Some(match chunk {
            Ok(chunk) => {
                this.left -= chunk.len() as u64;
                Ok(chunk)
            }
            Err(error) => Err(error.into()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    fn spool(memory: usize, disk: usize) -> (tempfile::TempDir, Spool) {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path().to_owned(), memory, disk);
        (folder, spool)
    }

    fn response(bytes: usize) -> HttpResponse {
        let body: Vec<u8> = (0..bytes).map(|at| u8::try_from(at % 251).unwrap_or_default()).collect();
        HttpResponse::Ok().body(body)
    }

    #[actix_web::test]
    async fn a_large_response_comes_whole_from_a_file_that_has_no_name() {
        let (folder, spool) = spool(1 << 20, 8 << 20);
        for bytes in [10, CHUNK, IN_MEMORY, IN_MEMORY + 1, 3 * IN_MEMORY + 7] {
            let held = spool.hold(response(bytes), 16).await.expect("there is room");
            assert_eq!(held.body().size(), BodySize::Sized(bytes as u64));
            assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
            let expected = to_bytes(response(bytes).into_body()).await.expect("bytes");
            assert!(to_bytes(held.into_body()).await.expect("it comes whole") == expected, "{bytes}");
        }
    }

    #[actix_web::test]
    async fn bodies_beyond_the_memory_go_to_disk_and_beyond_both_are_refused() {
        let (_folder, spool) = spool(200_000, 2 * MIN_COUNTED);
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(spool.hold(response(90_000), 0).await.expect("memory or disk"));
        }
        let refused = spool.hold(response(90_000), 0).await;
        assert_eq!(refused.map(drop).map_err(|problem| problem.code()), Err("api.busy"));
        held.pop();
        assert!(spool.hold(response(90_000), 0).await.is_ok());
    }

    #[actix_web::test]
    async fn a_response_that_is_larger_than_all_room_is_refused() {
        let (folder, spool) = spool(1 << 20, 2 << 20);
        for bytes in [(3 << 20) + 1, 8 << 20] {
            let refused = spool.hold(response(bytes), 0).await;
            assert_eq!(refused.map(drop).map_err(|problem| problem.code()), Err("api.busy"));
        }
        assert!(spool.hold(response(2 << 20), 0).await.is_ok(), "all was given back");
        drop(folder);
        // A response waits in memory if no file can be written.
        assert!(spool.hold(response(400_000), 0).await.is_ok());
        assert!(spool.hold(response(2 << 20), 0).await.is_err());
    }

    #[actix_web::test]
    async fn a_body_written_in_chunks_is_the_same() {
        let (_folder, spool) = spool(1 << 20, 8 << 20);
        for pieces in [1, 100, 5_000] {
            let written = web::block({
                let mut writer = spool.writer();
                move || {
                    for _ in 0..pieces {
                        writer.write_all(&[b'x'; 100]).expect("there is room");
                    }
                    writer.finish()
                }
            });
            let body = written.await.expect("no panic").map_err(|problem| problem.code()).expect("it is written");
            assert_eq!(to_bytes(body.into_body()).await.expect("it comes whole").len(), pieces * 100);
        }
    }
}
