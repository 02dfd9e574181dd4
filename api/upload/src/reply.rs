//! Responses of the service to an upload.

use std::{
    io::{BufRead, Read},
    time::Duration,
};

use serde_json::Value;

/// Bytes of a line of a response, at most.
const LINE: u64 = 16 * 1024 * 1024;

/// Numbers of records by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// New in the archive.
    pub new: u64,
    /// Already stored.
    pub there: u64,
    /// Not verified, and not stored.
    pub refused: u64,
}

/// A record that is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRecord {
    /// Its number in the file, from 1.
    pub index: u64,
    /// The code of its first error.
    pub code: String,
}

/// The response to a body that was processed to its end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The records of the body.
    pub counts: Counts,
    /// Those that are not verified, the first [`Reply::NAMED`] of them.
    pub refused: Vec<RefusedRecord>,
}

/// A problem document of the service, or the status of a response without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The code, such as `api.token`; empty for a response without a problem document.
    pub code: String,
    /// The description, in the language that was asked for.
    pub detail: String,
    /// The correction, in that language.
    pub right: String,
}

/// The reason why an attempt failed for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The name of the host is not known.
    Name,
    /// No connection, or one that broke before the end of the response.
    Connection,
    /// The time limit passed.
    Timeout,
    /// The certificate or the handshake failed; its message.
    Tls(String),
    /// A response that is none of quipu, as of a proxy or of the sign-in page of a network; its status, if it has one.
    Foreign(Option<u16>),
    /// A response that asks for a later attempt.
    Status(Problem),
}

/// The reason why a body was not processed.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// A later attempt may succeed, after a pause if the service asks for one.
    Temporary(Cause, Option<Duration>),
    /// This body is not accepted.
    Rejected(Problem),
    /// No body is accepted: the address or the token is wrong. A response without a code can also be that of a network,
    /// which comes and goes.
    Fatal(Problem),
}

impl Reply {
    /// Refused records that are named, at most.
    pub const NAMED: usize = 20;

    /// Reads a response in lines of JSON. Without its closing line the connection broke.
    pub(crate) fn read(lines: impl Read, pause: Option<Duration>) -> Result<Self, Failure> {
        let mut lines = std::io::BufReader::new(lines);
        let mut reply = Self::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = lines.by_ref().take(LINE).read_until(b'\n', &mut line);
            let broken = || Failure::Temporary(Cause::Connection, pause);
            if read.map_err(|_| broken())? == 0 {
                return Err(broken());
            }
            let value: Value = serde_json::from_slice(&line).map_err(|_| broken())?;
            if value.get("summary").is_some() {
                return Ok(reply);
            }
            match value.get("outcome").and_then(Value::as_str) {
                Some("new") => reply.counts.new += 1,
                Some("there") => reply.counts.there += 1,
                Some(_) => reply.add_refused(&value),
                None => return Err(Problem::of(&value, 200).failure(pause)),
            }
        }
    }

    fn add_refused(&mut self, line: &Value) {
        self.counts.refused += 1;
        if self.refused.len() < Self::NAMED {
            let index = line.get("index").and_then(Value::as_u64).unwrap_or_default();
            self.refused.push(RefusedRecord { index, code: text(line, "code") });
        }
    }

    /// Adds the response to the next part of a file.
    pub(crate) fn add(&mut self, next: Self) {
        let before = self.counts.new + self.counts.there + self.counts.refused;
        let Counts { new, there, refused } = next.counts;
        self.counts.new += new;
        self.counts.there += there;
        self.counts.refused += refused;
        let room = Self::NAMED.saturating_sub(self.refused.len());
        let refused = next.refused.into_iter().take(room);
        self.refused.extend(refused.map(|record| RefusedRecord { index: before + record.index, ..record }));
    }
}

impl Problem {
    /// Of a problem document; `status` is that of a document that names none.
    pub(crate) fn of(document: &Value, status: u16) -> Self {
        let found = document.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        let [code, detail, right] = ["code", "detail", "right"].map(|name| text(document, name));
        Self { status: found.unwrap_or(status), code, detail, right }
    }

    /// Sorts it by its status. Only quipu, whose problems have a code, rejects a body: a proxy may have limits of its own.
    pub(crate) fn failure(self, pause: Option<Duration>) -> Failure {
        match self.status {
            400 | 406 | 413 | 415 | 422 if !self.code.is_empty() => Failure::Rejected(self),
            408 | 425 | 429 | 500..=599 => Failure::Temporary(Cause::Status(self), pause),
            200..=299 | 400 | 406 | 413 | 415 | 422 => Failure::Temporary(Cause::Foreign(Some(self.status)), pause),
            _ => Failure::Fatal(self),
        }
    }
}

fn text(document: &Value, name: &str) -> String {
    document.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Option<Duration> = Some(Duration::from_secs(7));

    #[test]
    fn a_response_counts_with_its_closing_line_alone() {
        let lines = concat!(
            "{\"index\":1,\"outcome\":\"new\"}\n{\"index\":2,\"outcome\":\"there\"}\n",
            "{\"index\":3,\"outcome\":\"refused\",\"code\":\"andes.3.6\"}\n"
        );
        let broken = Err(Failure::Temporary(Cause::Connection, PAUSE));
        assert_eq!(Reply::read(lines.as_bytes(), PAUSE), broken);
        assert_eq!(Reply::read(&lines.as_bytes()[..lines.len() - 3], PAUSE), broken);
        let whole = format!("{lines}{{\"summary\":{{\"read\":3}}}}\n");
        let mut reply = Reply::read(whole.as_bytes(), PAUSE).expect("a whole response");
        assert_eq!(reply.counts, Counts { new: 1, there: 1, refused: 1 });
        reply.add(Reply::read(whole.as_bytes(), PAUSE).expect("a whole response"));
        assert_eq!(reply.counts, Counts { new: 2, there: 2, refused: 2 });
        let indices: Vec<_> = reply.refused.iter().map(|record| (record.index, record.code.as_str())).collect();
        assert_eq!(indices, [(3, "andes.3.6"), (6, "andes.3.6")]);
    }

    #[test]
    fn a_problem_in_the_last_line_is_one_of_its_status() {
        let problem = |status: u16| {
            let line = format!("{{\"status\":{status},\"code\":\"api.x\",\"detail\":\"d\",\"right\":\"r\"}}\n");
            Reply::read(line.as_bytes(), PAUSE).expect_err("a problem")
        };
        for status in [400, 406, 413, 415, 422] {
            assert!(matches!(problem(status), Failure::Rejected(problem) if problem.code == "api.x"), "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504] {
            assert!(matches!(problem(status), Failure::Temporary(Cause::Status(_), PAUSE)), "{status}");
        }
        for status in [301, 401, 403, 404, 405] {
            assert!(matches!(problem(status), Failure::Fatal(_)), "{status}");
        }
    }

    #[test]
    fn a_response_without_a_code_rejects_no_body() {
        let failure = |status| Problem::of(&Value::Null, status).failure(PAUSE);
        for status in [200, 400, 406, 413, 415, 422] {
            assert_eq!(failure(status), Failure::Temporary(Cause::Foreign(Some(status)), PAUSE));
        }
        for status in [301, 302, 401, 403, 404, 405] {
            assert!(matches!(failure(status), Failure::Fatal(problem) if problem.code.is_empty()), "{status}");
        }
    }
}
