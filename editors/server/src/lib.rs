//! The language server of quipu: an editor sends the text of records while it is typed, and gets verdicts, boards, legal moves,
//! corrections and canonical text. The referee judges; nothing here knows a rule.
//!
//! [`serve`] speaks the [Language Server Protocol](https://microsoft.github.io/language-server-protocol/) on two streams. A text is
//! divided as every program of quipu divides it (`split`); after a change only the parts that it touches are judged again
//! (`document`). Each ability of the protocol is a function of an open file: `findings`, `hover`, `completion`, `actions`,
//! `formatting`, `symbols`, `hints`, `rename`.
//!
//! ```
//! use std::io::Cursor;
//!
//! let program = quipu_lsp::Program { name: "quipu 0.1.0", lang: quipu_referee::Lang::En, draw: |_, _| String::new() };
//! let message = |json: &str| format!("Content-Length: {}\r\n\r\n{json}", json.len());
//! let session = message(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#) + &message(r#"{"jsonrpc":"2.0","method":"exit"}"#);
//! let mut out = Vec::new();
//! quipu_lsp::serve(Cursor::new(session), &mut out, program)?;
//! assert!(String::from_utf8_lossy(&out).contains("The first request must be initialize."));
//! # Ok::<(), std::io::Error>(())
//! ```

mod actions;
mod completion;
mod document;
mod findings;
mod formatting;
mod hints;
mod hover;
mod judgement;
mod messages;
mod position;
mod rename;
mod server;
mod settings;
mod split;
mod symbols;
mod tags;
mod transport;

use std::{
    io::{self, BufRead, Write},
    sync::mpsc::{self, TryRecvError},
    thread,
};

pub use settings::Program;

use server::Server;

/// Messages that are read ahead, so that several changes are judged at once.
const AHEAD: usize = 64;

/// Serves a client until it ends the session or the input ends. Returns true if the client ended it as the protocol says: with
/// `shutdown` and then `exit`.
///
/// # Errors
/// Those of the streams.
pub fn serve(mut input: impl BufRead + Send + 'static, mut output: impl Write, program: Program) -> io::Result<bool> {
    let (sender, receiver) = mpsc::sync_channel(AHEAD);
    thread::spawn(move || {
        loop {
            let read = transport::read(&mut input);
            let is_last = !matches!(read, Ok(Some(_)));
            if sender.send(read).is_err() || is_last {
                return;
            }
        }
    });
    let mut server = Server::new(program);
    let mut out = Vec::new();
    loop {
        let read = receiver.try_recv().or_else(|error| match error {
            // Nothing else is to be done first.
            TryRecvError::Empty => {
                server.publish(&mut out);
                send(&mut output, &mut out)?;
                receiver.recv().map_err(io::Error::other)
            }
            TryRecvError::Disconnected => Err(io::Error::other(error)),
        });
        let Some(frame) = read?? else { return Ok(server.is_shut_down()) };
        let goes_on = server.receive(&frame, &mut out);
        send(&mut output, &mut out)?;
        if !goes_on {
            return Ok(server.is_shut_down());
        }
    }
}

fn send(output: &mut impl Write, messages: &mut Vec<serde_json::Value>) -> io::Result<()> {
    messages.drain(..).try_for_each(|message| transport::write(output, &message))
}
