//! Waiting for the server, with a time limit.
//!
//! The connections themselves live in one runtime of the process; whoever waits for one blocks its own thread. So the store
//! stays synchronous, also where it is called from a thread of another runtime.

use std::{
    pin::pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use tokio::runtime::{Builder, Handle};

/// Interval of asking if a query is to be cancelled.
const TICK: Duration = Duration::from_millis(20);

/// The reason that an answer was not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    /// The time limit is over, or the server has stopped answering.
    Expired,
    /// The query is to be cancelled.
    Cancelled,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks until a future is ready. `is_late` is asked from time to time if it is to be given up.
pub(super) fn wait<F: Future>(
    future: F,
    limit: Duration,
    mut is_late: impl FnMut() -> Option<Late>,
) -> Result<F::Output, Late> {
    let mut future = pin!(future);
    let begun = Instant::now();
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Ok(done);
        }
        let left = limit.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(Late::Expired);
        }
        if let Some(late) = is_late() {
            // The answer may have come while that was found out.
            return match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(done) => Ok(done),
                Poll::Pending => Err(late),
            };
        }
        thread::park_timeout(left.min(TICK));
    }
}

/// The runtime of all connections.
///
/// # Errors
/// If the system starts no thread.
pub(super) fn runtime() -> std::io::Result<Handle> {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    // Of two threads that come here together one runtime is used, and the other has nothing to do.
    let own = RUNTIME.get_or_init(|| handle).clone();
    thread::Builder::new()
        .name("quipu-postgres".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(own)
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn};

    use super::*;

    #[test]
    fn an_answer_that_comes_while_the_wait_is_given_up_counts() {
        let wait_for = |comes: bool| {
            let has_come = Cell::new(false);
            let answer = poll_fn(|_| if has_come.get() { Poll::Ready(()) } else { Poll::Pending });
            wait(answer, Duration::from_secs(60), || {
                has_come.set(comes);
                Some(Late::Expired)
            })
        };
        assert_eq!((wait_for(true), wait_for(false)), (Ok(()), Err(Late::Expired)));
    }
}
