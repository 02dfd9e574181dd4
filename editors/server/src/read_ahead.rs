//! The messages that are read ahead, so that several changes are judged at once, and no request is worked on that was cancelled
//! while it waited.

use std::{
    collections::{HashSet, VecDeque},
    io::{self, BufRead},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use crate::{rpc::Message, transport};

/// Bytes of waiting messages from which on no other is read.
pub(crate) const AHEAD: usize = 64 * 1024 * 1024;

/// A message without contents counts as so many bytes.
const MIN_MESSAGE: usize = 1024;

/// A message with its bytes; none at the end.
type Read = io::Result<Option<(Message, usize)>>;

/// The messages of a stream, which another thread reads.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    read: Receiver<Read>,
    /// Tells the other thread the bytes of each message that waits no more.
    taken: Sender<usize>,
    waiting: Waiting,
}

impl ReadAhead {
    /// Begins to read. From `most` bytes of waiting messages on no other is read.
    pub(crate) fn new(mut input: impl BufRead + Send + 'static, most: usize) -> Self {
        let (sender, read) = mpsc::channel();
        let (taken, no_more) = mpsc::channel();
        thread::spawn(move || {
            let mut waiting = 0;
            loop {
                while waiting >= most {
                    let Ok(bytes) = no_more.recv() else { return };
                    waiting -= bytes;
                }
                waiting -= no_more.try_iter().sum::<usize>();
                let read = message(&mut input);
                let bytes = read.as_ref().ok().and_then(|read| Some(read.as_ref()?.1));
                waiting += bytes.unwrap_or_default();
                if sender.send(read).is_err() || bytes.is_none() {
                    return;
                }
            }
        });
        Self { read, taken, waiting: Waiting::default() }
    }

    /// True if a message waits, or the end.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.read.try_iter().for_each(|read| self.waiting.push(read));
        !self.waiting.read.is_empty()
    }

    /// The next message, for which it waits; none at the end. True beside it if it is a request that was cancelled.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Message, bool)>> {
        if !self.is_ready() {
            self.waiting.push(self.read.recv().map_err(io::Error::other)?);
        }
        let Some((message, bytes, is_cancelled)) = self.waiting.pop()? else { return Ok(None) };
        // After the end nobody counts.
        let _ = self.taken.send(bytes);
        Ok(Some((message, is_cancelled)))
    }
}

fn message(input: &mut impl BufRead) -> Read {
    let frame = transport::read(input)?;
    Ok(frame.map(|frame| {
        let bytes = MIN_MESSAGE + if let transport::Frame::Content(content) = &frame { content.len() } else { 0 };
        (Message::of(frame), bytes)
    }))
}

/// Messages in the order in which they were read.
#[derive(Debug, Default)]
struct Waiting {
    read: VecDeque<Read>,
    /// The ids, as JSON, in the waiting notifications that cancel a request.
    cancelled: HashSet<String>,
}

impl Waiting {
    fn push(&mut self, read: Read) {
        if let Ok(Some((message, _))) = &read {
            self.cancelled.extend(cancelled(message));
        }
        self.read.push_back(read);
    }

    /// The first one, with its bytes, and true if it is a request that a later one cancels.
    fn pop(&mut self) -> io::Result<Option<(Message, usize, bool)>> {
        let Some((message, bytes)) = self.read.pop_front().transpose()?.flatten() else { return Ok(None) };
        if let Some(id) = cancelled(&message) {
            self.cancelled.remove(&id);
        }
        let is_cancelled = matches!(&message, Message::Request { id, .. } if self.cancelled.contains(&id.to_string()));
        Ok(Some((message, bytes, is_cancelled)))
    }
}

/// The id of the request that a message cancels, as JSON.
fn cancelled(message: &Message) -> Option<String> {
    match message {
        Message::Notification { method, params } if method == "$/cancelRequest" => Some(params.get("id")?.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use serde_json::{Value, json};

    use super::*;

    /// A stream that counts the bytes which were read from it.
    struct Counted<R>(R, Arc<AtomicUsize>);

    impl<R: io::Read> io::Read for Counted<R> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(bytes)?;
            self.1.fetch_add(count, Ordering::SeqCst);
            Ok(count)
        }
    }

    #[test]
    fn no_more_is_read_than_may_wait() {
        const MAX_AHEAD: usize = 100 * 1024;
        let content = json!({ "method": "x", "params": { "text": "x".repeat(9 * 1024) } }).to_string();
        let message = format!("Content-Length: {}\r\n\r\n{content}", content.len());
        let stream = io::Cursor::new(message.repeat(200).into_bytes());
        let count = Arc::new(AtomicUsize::new(0));
        let input = io::BufReader::with_capacity(1, Counted(stream, Arc::clone(&count)));
        let mut ahead = ReadAhead::new(input, MAX_AHEAD);
        let mut taken = 0;
        let is_read = |bytes: usize| count.load(Ordering::SeqCst) >= bytes;
        loop {
            // Until much is read, and then so long that all would be.
            let much = (taken + MAX_AHEAD / 2).min(200 * message.len());
            let mut rounds = 0;
            while !is_read(much) || rounds < 1000 {
                thread::yield_now();
                rounds += 1;
                assert!(rounds < 100_000_000, "nothing is read any more");
            }
            assert!(!is_read(taken + MAX_AHEAD + message.len() + 1), "{taken}");
            let Some((found, is_cancelled)) = ahead.next().expect("memory does not fail") else { break };
            assert!(matches!(found, Message::Notification { .. }) && !is_cancelled, "{found:?}");
            taken += message.len();
        }
        assert_eq!(taken, 200 * message.len());
    }

    #[test]
    fn a_request_is_cancelled_while_it_waits() {
        let request = |id: Value| Message::Request { id, method: "x".to_owned(), params: Value::Null };
        let cancel =
            |id: Value| Message::Notification { method: "$/cancelRequest".to_owned(), params: json!({ "id": id }) };
        let mut waiting = Waiting::default();
        let messages =
            [request(json!(1)), request(json!("2")), cancel(json!("2")), request(json!(2)), cancel(json!(7))];
        for message in messages {
            waiting.push(Ok(Some((message, 0))));
        }
        waiting.push(Ok(None));
        let popped = std::iter::from_fn(|| waiting.pop().expect("memory does not fail"));
        let cancelled: Vec<_> = popped.map(|(_, _, is_cancelled)| is_cancelled).collect();
        assert_eq!(cancelled, [false, true, false, false, false]);
        // The id of an answered request may come again.
        waiting.push(Ok(Some((request(json!(7)), 0))));
        assert!(matches!(waiting.pop(), Ok(Some((_, _, false)))));
    }
}
