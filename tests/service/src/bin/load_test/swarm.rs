//! Very many clients on one thread: non-blocking sockets that are looked at in turn, from many addresses or from one.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;

use super::normal::connect;

/// Nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST: i32 = 19;
/// Time between two looks at all sockets.
const SWEEP: Duration = Duration::from_millis(50);
/// Connections that are opened in one sweep, at most.
const OPENED: usize = 100;
/// Bytes of an answer that the kernel may hold for a client that reads little: as few as it allows.
const RECEIVED: usize = 2_304;
/// Bytes that a slow client reads in a second.
const SLOW: usize = 4_096;
/// Seconds after which a client that reads nothing leaves and comes again.
const LIFE: std::ops::Range<u64> = 20..45;

/// The way in which a client reads its response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Nothing,
    Slowly,
    Everything,
}

/// One request.
pub(crate) struct Ask {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Arc<[u8]>,
    pub(crate) reads: Reads,
}

/// Generator of the requests of one kind of client.
pub(crate) type Make = Box<dyn Fn(&mut Rng) -> Ask + Send + Sync>;

/// From which addresses clients come.
#[derive(Clone, Copy)]
pub(crate) enum From {
    One,
    Many,
}

impl From {
    fn address(self, client: usize) -> Ipv4Addr {
        match self {
            Self::One => Ipv4Addr::new(127, 1, 1, 1),
            Self::Many => Ipv4Addr::new(127, 1, 0, 1 + u8::try_from(client % 50).unwrap_or_default()),
        }
    }
}

/// Results of the requests of a swarm.
#[derive(Default)]
pub(crate) struct Tally {
    /// Answers that began, by status.
    pub(crate) statuses: BTreeMap<u16, usize>,
    /// Answers that were read to their end.
    pub(crate) whole: usize,
    /// Connections that ended before an answer began, or that could not be opened.
    pub(crate) cut_off: usize,
    /// The most connections at once whose answer had begun well and was not read to its end.
    pub(crate) held: usize,
}

impl Tally {
    /// Requests that were refused as too many.
    pub(crate) fn refused(&self) -> usize {
        [429, 503].iter().filter_map(|status| self.statuses.get(status)).sum()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        self.whole += other.whole;
        self.cut_off += other.cut_off;
        self.held += other.held;
    }
}

enum Slot {
    Waiting(Instant),
    Open(Client),
}

struct Client {
    stream: TcpStream,
    ask: Ask,
    sent: usize,
    /// The status of the answer, once it has begun.
    status: Option<u16>,
    /// Time of its last read or drip.
    last: Instant,
    leaves: Instant,
}

/// The end of a client's connection.
enum End {
    /// The answer was read to its end.
    Whole,
    Refused,
    CutOff,
    /// The client left.
    Left,
}

/// Keeps so many clients busy until it is over.
pub(crate) fn run(make: &Make, count: usize, from: From, server: SocketAddr, over: &AtomicBool) -> Tally {
    // On machines of their own hostile clients would take no time of the service's processor. Linux lowers this thread alone.
    #[cfg(target_os = "linux")]
    rustix::process::nice(LOWEST).expect("a priority can be lowered");
    let (mut random, mut tally, begun) = (Rng::with_seed(count as u64), Tally::default(), Instant::now());
    let mut slots: Vec<_> = (0..count).map(|_| Slot::Waiting(begun)).collect();
    let mut buffer = vec![0; 64 << 10];
    while !over.load(Ordering::Relaxed) {
        let (mut opened, mut held) = (0, 0);
        for (number, slot) in slots.iter_mut().enumerate() {
            let now = Instant::now();
            match slot {
                Slot::Waiting(until) if *until <= now && opened < OPENED => {
                    opened += 1;
                    *slot = Client::open(make(&mut random), from.address(number), server, &mut random).map_or_else(
                        |_| {
                            tally.cut_off += 1;
                            Slot::Waiting(now + Duration::from_secs(1))
                        },
                        Slot::Open,
                    );
                }
                Slot::Waiting(_) => {}
                Slot::Open(client) => {
                    if let Some(end) = client.step(now, &mut buffer, &mut tally) {
                        let pause = match end {
                            End::Whole => {
                                tally.whole += 1;
                                0
                            }
                            End::CutOff => {
                                tally.cut_off += usize::from(client.status.is_none());
                                500
                            }
                            End::Left => 0,
                            End::Refused => 1_000,
                        };
                        *slot = Slot::Waiting(now + Duration::from_millis(pause + random.u64(..=pause)));
                    } else {
                        held += usize::from(client.status == Some(200));
                    }
                }
            }
        }
        tally.held = tally.held.max(held);
        thread::sleep(SWEEP);
    }
    tally
}

impl Client {
    fn open(ask: Ask, from: Ipv4Addr, server: SocketAddr, random: &mut Rng) -> std::io::Result<Self> {
        let receive = (ask.reads != Reads::Everything).then_some(RECEIVED);
        let stream = connect(from, server, receive)?;
        stream.set_nonblocking(true)?;
        let now = Instant::now();
        let leaves = now + Duration::from_secs(random.u64(LIFE));
        Ok(Self { stream, ask, sent: 0, status: None, last: now, leaves })
    }

    /// Does what can be done without waiting.
    fn step(&mut self, now: Instant, buffer: &mut [u8], tally: &mut Tally) -> Option<End> {
        if let Err(end) = self.send() {
            // An answer may have come before all was sent.
            return self.look(tally).err().or(Some(end));
        }
        if self.status.is_none()
            && let Err(end) = self.look(tally)
        {
            return Some(end);
        }
        self.status?;
        match self.ask.reads {
            Reads::Nothing => (now > self.leaves).then_some(End::Left),
            Reads::Slowly if now < self.last + Duration::from_secs(1) => None,
            Reads::Slowly => {
                self.last = now;
                self.read(&mut buffer[..SLOW], false)
            }
            Reads::Everything => self.read(buffer, true),
        }
    }

    /// Sends what is left of the request.
    fn send(&mut self) -> Result<(), End> {
        let Ask { head, body, .. } = &self.ask;
        while self.sent < head.len() + body.len() {
            let rest = if self.sent < head.len() { &head[self.sent..] } else { &body[self.sent - head.len()..] };
            match self.stream.write(rest) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(End::CutOff),
            }
        }
        Ok(())
    }

    /// Looks for the status of the answer, which is left to be read.
    fn look(&mut self, tally: &mut Tally) -> Result<(), End> {
        let mut line = [0; 12];
        match self.stream.peek(&mut line) {
            Ok(12) => {
                let status = std::str::from_utf8(&line[9..]).ok().and_then(|status| status.parse().ok());
                self.status = status;
                *tally.statuses.entry(status.unwrap_or_default()).or_default() += 1;
                if status == Some(200) { Ok(()) } else { Err(End::Refused) }
            }
            Ok(0) => Err(End::CutOff),
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(_) => Err(End::CutOff),
        }
    }

    fn read(&mut self, buffer: &mut [u8], on: bool) -> Option<End> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return Some(End::Whole),
                Ok(_) if on => {}
                Ok(_) => return None,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Some(End::CutOff),
            }
        }
    }
}
