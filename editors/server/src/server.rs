//! The server: which message comes when, and which part answers it. It fails at no message: one that it cannot use is answered with an
//! error, or left out.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CompletionOptions, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeParams, InitializeResult, LogMessageParams, MessageType, PositionEncodingKind, PublishDiagnosticsParams,
    RenameOptions, ServerCapabilities, ServerInfo, TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
};
use serde_json::Value;

use crate::{
    completion,
    files::{DidChangeParams, Files},
    messages::{fill, say},
    position::PositionEncoding,
    requests::{self, parsed},
    rpc::{
        Answer, Failure, INVALID_REQUEST, Loss, Message, PARSE_ERROR, REQUEST_CANCELLED, SERVER_NOT_INITIALIZED,
        notification, response, value,
    },
    settings::{Program, SessionSettings},
    transport,
};

#[cfg(test)]
mod tests;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Running,
    /// The client said that it will end.
    ShutDown,
}

#[derive(Debug)]
pub(crate) struct Server {
    settings: SessionSettings,
    state: State,
    files: Files,
}

impl Server {
    pub(crate) fn new(program: Program) -> Self {
        Self { settings: SessionSettings::new(program), state: State::New, files: Files::default() }
    }

    /// True if the client said that it will end.
    pub(crate) fn is_shut_down(&self) -> bool {
        self.state == State::ShutDown
    }

    /// Takes a message, and appends those that answer it. A request that was cancelled is not worked on. Returns false if it was
    /// the last one.
    pub(crate) fn receive(&mut self, message: Message, is_cancelled: bool, out: &mut Vec<Value>) -> bool {
        let lang = self.settings.lang;
        match message {
            Message::Notification { method, .. } if method == "exit" => return false,
            Message::Notification { method, params } => self.notice(&method, &params, out),
            Message::Request { id, .. } if is_cancelled => {
                let message = say("request.cancelled", lang).to_owned();
                out.push(response(&id, Err(Failure { code: REQUEST_CANCELLED, message })));
            }
            Message::Request { id, method, params } => {
                // The findings are more urgent than anything that an editor asks for after a change.
                self.publish(out);
                let answer = self.answer(&method, &params, out);
                out.push(response(&id, answer));
            }
            Message::Response => {}
            Message::Invalid(why) => out.push(malformed(fill("message.malformed", lang, &[("why", &why)]))),
            Message::Lost(loss) => {
                // It may have been a change of any file.
                out.extend(self.files.lose(None, &self.settings).into_iter().map(published));
                out.push(match loss {
                    Loss::Malformed(why) => malformed(fill("message.malformed", lang, &[("why", &why)])),
                    Loss::TooLarge(bytes) => {
                        let max = transport::MAX_MESSAGE / 1024 / 1024;
                        log(fill("message.large", lang, &[("bytes", &bytes), ("max", &max)]))
                    }
                    Loss::NoLength => log(say("message.header", lang).to_owned()),
                });
            }
        }
        true
    }

    /// Appends the findings of files that have changed.
    pub(crate) fn publish(&mut self, out: &mut Vec<Value>) {
        out.extend(self.files.findings(&self.settings).into_iter().map(published));
    }

    /// Takes a notification. One that is unknown, or of a file that is not open, is left out.
    fn notice(&mut self, method: &str, params: &Value, out: &mut Vec<Value>) {
        if self.state != State::Running {
            return;
        }
        let Self { settings, files, .. } = self;
        let taken = match method {
            "textDocument/didOpen" => {
                parsed(method, params, settings).map(|params: DidOpenTextDocumentParams| files.open(params, settings))
            }
            "textDocument/didChange" => {
                let changed = parsed(method, params, settings).map(|params: DidChangeParams| files.change(&params));
                if changed.is_err() {
                    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).map(Uri::from);
                    out.extend(files.lose(uri.as_ref(), settings).into_iter().map(published));
                }
                changed
            }
            "textDocument/didClose" => parsed(method, params, settings).map(|params: DidCloseTextDocumentParams| {
                out.extend(files.close(params.text_document.uri).map(published));
            }),
            _ => Ok(()),
        };
        if let Err(Failure { message, .. }) = taken {
            out.push(log(message));
        }
    }

    fn answer(&mut self, method: &str, params: &Value, out: &mut Vec<Value>) -> Answer {
        let lang = self.settings.lang;
        let refusal = |code, key| Err(Failure { code, message: say(key, lang).to_owned() });
        match (self.state, method) {
            (State::New, "initialize") => self.initialize(params, out),
            (State::New, _) => refusal(SERVER_NOT_INITIALIZED, "request.early"),
            (State::ShutDown, _) => refusal(INVALID_REQUEST, "request.late"),
            (State::Running, "initialize") => refusal(INVALID_REQUEST, "request.again"),
            (State::Running, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Running, _) => requests::answer(method, params, &self.files, &self.settings),
        }
    }

    fn initialize(&mut self, params: &Value, out: &mut Vec<Value>) -> Answer {
        let params: InitializeParams = parsed("initialize", params, &self.settings)?;
        let (settings, faults) = SessionSettings::of_client(self.settings.program, &params);
        self.settings = settings;
        self.state = State::Running;
        out.extend(faults.into_iter().map(log));
        let (name, version) = self.settings.program.name.split_once(' ').unwrap_or((self.settings.program.name, ""));
        let info = ServerInfo { name: name.to_owned(), version: Some(version.to_owned()) };
        Ok(value(InitializeResult { capabilities: capabilities(self.settings.encoding), server_info: Some(info) }))
    }
}

/// The capabilities that the server announces.
fn capabilities(encoding: PositionEncoding) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(match encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(sync.into()),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(completion::TRIGGERS.map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        document_formatting_provider: Some(true.into()),
        document_range_formatting_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        inlay_hint_provider: Some(true.into()),
        rename_provider: Some(RenameOptions { prepare_provider: Some(true), ..RenameOptions::default() }.into()),
        ..ServerCapabilities::default()
    }
}

/// The error for a message whose id is not known.
fn malformed(message: String) -> Value {
    response(&Value::Null, Err(Failure { code: PARSE_ERROR, message }))
}

fn published(params: PublishDiagnosticsParams) -> Value {
    notification("textDocument/publishDiagnostics", params)
}

fn log(message: String) -> Value {
    notification("window/logMessage", LogMessageParams { kind: MessageType::Warning, message })
}
