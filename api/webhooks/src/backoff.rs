//! Pauses between the attempts for one event.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Pause after the first failure. Each further one doubles it.
const FIRST: Duration = Duration::from_secs(5);
/// Longest pause.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(6 * 3600);
/// Time after the first failure of an event at which a webhook is disabled.
pub(crate) const LIMIT: TimeDelta = TimeDelta::days(3);
/// Failed attempts for an event before a webhook is disabled, at least: a service that was off for days makes few.
const MIN_FAILURES: u32 = 10;

/// Time of the attempt after one that failed; none if there is no further one. `failed` attempts have failed, the first of them
/// at `since`; `asked` is the pause that the receiver asks for. `jitter`, from 0 to 1, keeps webhooks that failed together apart.
pub(crate) fn next_attempt(
    now: DateTime<Utc>,
    since: DateTime<Utc>,
    failed: u32,
    asked: Option<Duration>,
    jitter: f64,
) -> Option<DateTime<Utc>> {
    let end = since + LIMIT;
    if now >= end && failed >= MIN_FAILURES {
        return None;
    }
    let doubled = FIRST.saturating_mul(1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX)).min(MAX_PAUSE);
    let pause = doubled.mul_f64(1.0 + jitter / 4.0).max(asked.unwrap_or_default()).min(MAX_PAUSE);
    let next = now + pause;
    // The last attempt is at the end of the three days.
    Some(if now < end { next.min(end) } else { next })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attempts in seconds after the first, each of which fails.
    fn attempts(jitter: f64) -> Vec<i64> {
        let since = DateTime::UNIX_EPOCH;
        let (mut now, mut failed, mut seconds) = (since, 1, vec![0]);
        while let Some(next) = next_attempt(now, since, failed, None, jitter) {
            assert!(next > now);
            (now, failed) = (next, failed + 1);
            seconds.push((now - since).num_seconds());
        }
        seconds
    }

    #[test]
    fn pauses_double_for_three_days() {
        let seconds = attempts(0.0);
        assert_eq!(seconds[..6], [0, 5, 15, 35, 75, 155]);
        assert_eq!(seconds.last(), Some(&(3 * 86_400)), "the last attempt is after three days");
        assert_eq!(seconds.len(), 25);
        let longest = seconds.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert_eq!(longest, Some(6 * 3600));
        assert_eq!(attempts(1.0)[1], 6, "5 seconds and a quarter");
    }

    /// A service that was off for a week makes more attempts before it gives up.
    #[test]
    fn a_few_attempts_are_not_enough() {
        let since = DateTime::UNIX_EPOCH;
        let (mut now, mut failed) = (since + TimeDelta::weeks(1), 2);
        while let Some(next) = next_attempt(now, since, failed, None, 0.0) {
            assert!(next > now);
            (now, failed) = (next, failed + 1);
        }
        assert_eq!((failed, (now - since - TimeDelta::weeks(1)).num_seconds()), (10, 10 * 255));
    }

    #[test]
    fn the_receiver_may_ask_for_a_longer_pause() {
        let now = DateTime::UNIX_EPOCH;
        let pause = |asked| {
            let next = next_attempt(now, now, 1, Some(Duration::from_secs(asked)), 0.0).expect("another");
            (next - now).num_seconds()
        };
        assert_eq!([pause(0), pause(60), pause(u64::MAX)], [5, 60, 6 * 3600]);
    }

    #[test]
    fn many_failures_do_not_overflow() {
        let now = DateTime::UNIX_EPOCH;
        let next = next_attempt(now, now, u32::MAX, None, 1.0).expect("another");
        assert_eq!((next - now).num_hours(), 6);
    }
}
