//! JSON-RPC: the messages of the client as they are read, and those that answer them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, error::Category, json};

use crate::transport::Frame;

/// Codes of errors, as JSON-RPC and the protocol number them.
pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
pub(crate) const INVALID_PARAMS: i32 = -32602;
pub(crate) const SERVER_NOT_INITIALIZED: i32 = -32002;
pub(crate) const REQUEST_FAILED: i32 = -32803;
pub(crate) const REQUEST_CANCELLED: i32 = -32800;

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// It is answered.
    Request { id: Value, method: String, params: Value },
    /// It is not answered.
    Notification { method: String, params: Value },
    /// An answer. The server asks for nothing.
    Response,
    /// JSON of another form; the reason.
    Invalid(String),
    /// It could not be read, and may have been any message.
    Lost(Loss),
}

/// The reason why a message could not be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Loss {
    /// No JSON; the reason.
    Malformed(String),
    /// It had so many bytes.
    TooLarge(u64),
    /// A header without a length.
    NoLength,
}

/// The members of a message. One with a method and an id is a request, one without an id a notification, others are responses.
#[derive(Debug, Deserialize)]
struct Incoming {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Message {
    pub(crate) fn of(frame: Frame) -> Self {
        let content = match frame {
            Frame::Content(content) => content,
            Frame::TooLarge(bytes) => return Self::Lost(Loss::TooLarge(bytes)),
            Frame::NoLength => return Self::Lost(Loss::NoLength),
        };
        // A structure would take its members from a sequence too.
        let members: Map<String, Value> = match serde_json::from_slice(&content) {
            Ok(members) => members,
            Err(why) if why.classify() == Category::Data => return Self::Invalid(why.to_string()),
            Err(why) => return Self::Lost(Loss::Malformed(why.to_string())),
        };
        match serde_json::from_value(Value::Object(members)) {
            Ok(Incoming { id: Some(id), method: Some(method), params }) => Self::Request { id, method, params },
            Ok(Incoming { id: None, method: Some(method), params }) => Self::Notification { method, params },
            Ok(Incoming { method: None, .. }) => Self::Response,
            Err(why) => Self::Invalid(why.to_string()),
        }
    }
}

/// The reason why a request has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    pub(crate) message: String,
}

pub(crate) type Answer = Result<Value, Failure>;

/// A result as JSON.
pub(crate) fn value(result: impl Serialize) -> Value {
    // The types of the protocol have no maps with other keys than texts.
    serde_json::to_value(result).unwrap_or_default()
}

pub(crate) fn response(id: &Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

pub(crate) fn notification(method: &str, params: impl Serialize) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": value(params) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], expected: impl Fn(&Message) -> bool) {
        let message = Message::of(Frame::Content(content.to_vec()));
        assert!(expected(&message), "{}: {message:?}", content.escape_ascii());
    }

    #[test]
    fn messages_are_objects() {
        let id = || Value::from(1);
        let (method, params) = (|| "x".to_owned(), || Value::Null);
        check(br#"{"id":1,"method":"x"}"#, |found| {
            *found == Message::Request { id: id(), method: method(), params: params() }
        });
        check(br#"{"method":"x"}"#, |found| *found == Message::Notification { method: method(), params: params() });
        check(br#"{"id":1,"result":[]}"#, |found| *found == Message::Response);
        for content in [&b"[]"[..], b"7", br#"{"method":7}"#, br#"[1,"x",{}]"#, br#"[null,"exit"]"#] {
            check(content, |found| matches!(found, Message::Invalid(_)));
        }
        for content in
            [&b""[..], b"{", b"\xff", br#"{"method":"\ud83d"}"#, br#"{"id":1,"method":"x"}}"#, b"{\"x\":\"\xff\"}"]
        {
            check(content, |found| matches!(found, Message::Lost(Loss::Malformed(_))));
        }
    }
}
