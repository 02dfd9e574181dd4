//! The language server of quipu: an editor sends the text of records while it is typed, and gets verdicts, boards, legal moves,
//! corrections and canonical text. The referee judges; nothing here knows a rule.
//!
//! [`serve`] speaks the [Language Server Protocol](https://microsoft.github.io/language-server-protocol/) on two streams. A text is
//! divided as every program of quipu divides it (`split`); after a change only the parts that it touches are judged again
//! (`document`). Messages are read ahead (`read_ahead`). Each feature of the protocol is a function of an open file: `findings`, `hover`, `completion`, `actions`,
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
mod changes;
mod completion;
mod document;
mod files;
mod findings;
mod formatting;
mod hints;
mod hover;
mod judgement;
mod messages;
mod position;
mod read_ahead;
mod rename;
mod requests;
mod rpc;
mod server;
mod settings;
mod split;
mod symbols;
mod tags;
mod transport;

use std::io::{self, BufRead, Write};

pub use settings::Program;

use read_ahead::{AHEAD, ReadAhead};
use server::Server;

/// Serves a client until it ends the session or the input ends. Returns true if the client ended it as the protocol says: with
/// `shutdown` and then `exit`.
///
/// # Errors
/// Those of the streams.
pub fn serve(input: impl BufRead + Send + 'static, mut output: impl Write, program: Program) -> io::Result<bool> {
    let mut input = ReadAhead::new(input, AHEAD);
    let mut server = Server::new(program);
    let mut out = Vec::new();
    loop {
        if !input.is_ready() {
            // Nothing else is to be done first.
            server.publish(&mut out);
            send(&mut output, &mut out)?;
        }
        let Some((message, is_cancelled)) = input.next()? else { return Ok(server.is_shut_down()) };
        let goes_on = server.receive(message, is_cancelled, &mut out);
        send(&mut output, &mut out)?;
        if !goes_on {
            return Ok(server.is_shut_down());
        }
    }
}

fn send(output: &mut impl Write, messages: &mut Vec<serde_json::Value>) -> io::Result<()> {
    messages.drain(..).try_for_each(|message| transport::write(output, &message))
}
