//! Messages on a stream: a header with a length, an empty line, and JSON. A message that is none is skipped, so that the ones
//! after it are read.

use std::io::{self, BufRead, Read, Write};

/// The most bytes of a message.
pub(crate) const MAX_MESSAGE: u64 = 256 * 1024 * 1024;

/// The most bytes of a line of a header.
const LINE: u64 = 8 * 1024;

/// A message as it comes from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Its contents, which should be JSON.
    Content(Vec<u8>),
    /// It had so many bytes, and was skipped.
    TooLarge(u64),
    /// A header without a length, whose contents cannot be told from the next header.
    NoLength,
}

/// Reads a message; none at the end.
///
/// # Errors
/// Those of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut length = None;
    let mut is_empty = true;
    loop {
        let mut line = Vec::new();
        if input.take(LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_ascii();
        if !line.is_empty() {
            is_empty = false;
            length = content_length(line).or(length);
            continue;
        }
        match length {
            // Line breaks between messages do no harm.
            None if is_empty => {}
            None => return Ok(Some(Frame::NoLength)),
            Some(length) => return content(input, length),
        }
    }
}

/// The value of the header `Content-Length`, if a line has it. The contents of a message without a length stand before the header of the
/// next one, on the same line.
fn content_length(line: &[u8]) -> Option<u64> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (_, value) = line.rsplit_once("content-length:")?;
    value.trim().parse().ok()
}

fn content(input: &mut impl BufRead, length: u64) -> io::Result<Option<Frame>> {
    let mut rest = input.take(length);
    if length > MAX_MESSAGE {
        io::copy(&mut rest, &mut io::sink())?;
        return Ok(Some(Frame::TooLarge(length)));
    }
    let mut bytes = Vec::new();
    let read = rest.read_to_end(&mut bytes)?;
    // The stream may end in the middle of a message.
    Ok((read as u64 == length).then_some(Frame::Content(bytes)))
}

/// Writes a message.
///
/// # Errors
/// Those of the stream.
pub(crate) fn write(output: &mut impl Write, message: &serde_json::Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &[u8], expected: &[Frame]) {
        let mut input = stream;
        let frames: Vec<_> = std::iter::from_fn(|| read(&mut input).expect("memory does not fail")).collect();
        assert_eq!(frames, expected, "{}", stream.escape_ascii());
    }

    #[test]
    fn messages_follow_each_other() {
        let content = |text: &str| Frame::Content(text.as_bytes().to_vec());
        check(b"", &[]);
        check(b"Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n7", &[content("{}"), content("7")]);
        check(b"content-length:2\nContent-Type: x\n\n{}\n\nContent-Length: 0\n\n", &[content("{}"), content("")]);
        check(b"Content-Length: 9\r\n\r\n{}", &[]);
    }

    #[test]
    fn a_malformed_header_does_not_spoil_the_next_message() {
        let next = b"Content-Length: 2\r\n\r\n{}";
        let behind = |start: &[u8]| [start, next].concat();
        let good = Frame::Content(b"{}".to_vec());
        for header in
            [&b"Content-Length: x\r\n\r\n"[..], b"Content-Length: -1\r\n\r\n", b"\xff\xfe: 1\r\n\r\n", b"GET /\r\n\r\n"]
        {
            check(&behind(header), &[Frame::NoLength, good.clone()]);
        }
        check(&behind(b"Content-Type: x\r\n\r\n{\"id\":1}"), &[Frame::NoLength, good.clone()]);
        check(&behind(&[vec![b'x'; 100_000], b"\r\n\r\n".to_vec()].concat()), &[Frame::NoLength, good]);
    }

    #[test]
    fn a_message_beyond_the_limit_is_skipped() {
        let header = format!("Content-Length: {}\r\n\r\n", MAX_MESSAGE + 1);
        let large = io::repeat(b' ').take(MAX_MESSAGE + 1);
        let mut input = io::BufReader::new(header.as_bytes().chain(large).chain(&b"Content-Length: 2\r\n\r\n{}"[..]));
        assert_eq!(read(&mut input).expect("memory does not fail"), Some(Frame::TooLarge(MAX_MESSAGE + 1)));
        assert_eq!(read(&mut input).expect("memory does not fail"), Some(Frame::Content(b"{}".to_vec())));
    }
}
