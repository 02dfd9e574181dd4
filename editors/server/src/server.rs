//! The server: which message comes when, and which part answers it. It fails at no message: one that it cannot use is answered with an
//! error, or left out.

use std::collections::HashMap;

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CompletionOptions, CompletionParams,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentFormattingParams,
    DocumentRangeFormattingParams, DocumentSymbolParams, HoverParams, InitializeParams, InitializeResult,
    InlayHintParams, LogMessageParams, MessageType, PositionEncodingKind, PrepareRenameParams,
    PrepareRenamePlaceholder, PublishDiagnosticsParams, RenameOptions, RenameParams, ServerCapabilities, ServerInfo,
    TextDocumentContentChangeEvent, TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkspaceEdit,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    actions, completion,
    document::Document,
    findings, formatting, hints, hover,
    messages::{fill, say},
    position::Columns,
    rename,
    settings::{Program, Settings},
    symbols,
    transport::{self, Frame},
};

#[cfg(test)]
mod tests;

/// Codes of errors, as JSON-RPC and the protocol number them.
const MALFORMED: i32 = -32700;
const NOT_NOW: i32 = -32600;
const UNKNOWN: i32 = -32601;
const PARAMS: i32 = -32602;
const EARLY: i32 = -32002;
const FAILED: i32 = -32803;

/// A message of the client. One with a method and an id is a request, one without an id a notification, others are responses.
#[derive(Debug, Deserialize)]
struct Incoming {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

/// The reason why a request has no result.
#[derive(Debug)]
struct Failure {
    code: i32,
    message: String,
}

type Answer = Result<Value, Failure>;

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Running,
    /// The client said that it will end.
    ShutDown,
}

/// An open file, and the version of it that the client knows.
#[derive(Debug)]
struct Open {
    document: Document,
    version: i32,
    /// The client does not have the findings of this version yet.
    is_changed: bool,
}

/// The server.
#[derive(Debug)]
pub(crate) struct Server {
    settings: Settings,
    state: State,
    files: HashMap<Uri, Open>,
}

impl Server {
    pub(crate) fn new(program: Program) -> Self {
        Self { settings: Settings::new(program), state: State::New, files: HashMap::new() }
    }

    /// True if the client said that it will end.
    pub(crate) fn is_shut_down(&self) -> bool {
        self.state == State::ShutDown
    }

    /// Takes a message, and appends those that answer it. Returns false if it was the last one.
    pub(crate) fn receive(&mut self, frame: &Frame, out: &mut Vec<Value>) -> bool {
        let lang = self.settings.lang;
        let content = match frame {
            Frame::Content(content) => content,
            Frame::TooLarge(bytes) => {
                let max = transport::LARGEST / 1024 / 1024;
                out.push(log(fill("message.large", lang, &[("bytes", bytes), ("max", &max)])));
                return true;
            }
            Frame::NoLength => {
                out.push(log(say("message.header", lang).to_owned()));
                return true;
            }
        };
        let incoming: Incoming = match serde_json::from_slice(content) {
            Ok(incoming) => incoming,
            Err(why) => {
                let message = fill("message.malformed", lang, &[("why", &why)]);
                out.push(response(&Value::Null, Err(Failure { code: MALFORMED, message })));
                return true;
            }
        };
        match (incoming.method.as_deref(), incoming.id) {
            (Some("exit"), None) => return false,
            (Some(method), None) => self.notice(method, incoming.params, out),
            (Some(method), Some(id)) => {
                // The findings are more urgent than anything that an editor asks for after a change.
                self.publish(out);
                let answer = self.answer(method, incoming.params, out);
                out.push(response(&id, answer));
            }
            // The server asks for nothing, so there is nothing that is answered.
            (None, _) => {}
        }
        true
    }

    /// Appends the findings of files that have changed.
    pub(crate) fn publish(&mut self, out: &mut Vec<Value>) {
        for (uri, open) in self.files.iter_mut().filter(|(_, open)| open.is_changed) {
            open.is_changed = false;
            open.document.judge();
            let diagnostics = findings::diagnostics(&open.document, &self.settings);
            out.push(published(&PublishDiagnosticsParams {
                uri: uri.clone(),
                version: Some(open.version),
                diagnostics,
            }));
        }
    }

    /// Takes a notification. One that is unknown, or of a file that is not open, is left out.
    fn notice(&mut self, method: &str, params: Value, out: &mut Vec<Value>) {
        if self.state != State::Running {
            return;
        }
        let taken = match method {
            "textDocument/didOpen" => parsed(method, params, &self.settings).map(|params| self.open(params)),
            "textDocument/didChange" => parsed(method, params, &self.settings).map(|params| self.change(params)),
            "textDocument/didClose" => {
                parsed(method, params, &self.settings).map(|params: DidCloseTextDocumentParams| {
                    let uri = params.text_document.uri;
                    if self.files.remove(&uri).is_some() {
                        out.push(published(&PublishDiagnosticsParams { uri, version: None, diagnostics: Vec::new() }));
                    }
                })
            }
            _ => Ok(()),
        };
        if let Err(Failure { message, .. }) = taken {
            out.push(log(message));
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let document = Document::new(item.text, self.settings.columns, self.settings.lang);
        self.files.insert(item.uri, Open { document, version: item.version, is_changed: true });
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let changed = params.text_document;
        let Some(open) = self.files.get_mut(&changed.text_document_identifier.uri) else { return };
        (open.version, open.is_changed) = (changed.version, true);
        for change in params.content_changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    open.document.change(Some(part.range), &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    open.document.change(None, &whole.text);
                }
            }
        }
    }

    fn answer(&mut self, method: &str, params: Value, out: &mut Vec<Value>) -> Answer {
        let lang = self.settings.lang;
        let refusal = |code, key| Err(Failure { code, message: say(key, lang).to_owned() });
        match (self.state, method) {
            (State::New, "initialize") => self.initialize(params, out),
            (State::New, _) => refusal(EARLY, "request.early"),
            (State::ShutDown, _) => refusal(NOT_NOW, "request.late"),
            (State::Running, "initialize") => refusal(NOT_NOW, "request.again"),
            (State::Running, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Running, _) => self.of_file(method, params),
        }
    }

    fn initialize(&mut self, params: Value, out: &mut Vec<Value>) -> Answer {
        let params: InitializeParams = parsed("initialize", params, &self.settings)?;
        let (settings, faults) = Settings::of_client(self.settings.program, &params);
        self.settings = settings;
        self.state = State::Running;
        out.extend(faults.into_iter().map(log));
        let (name, version) = self.settings.program.name.split_once(' ').unwrap_or((self.settings.program.name, ""));
        let info = ServerInfo { name: name.to_owned(), version: Some(version.to_owned()) };
        Ok(value(InitializeResult { capabilities: capabilities(self.settings.columns), server_info: Some(info) }))
    }

    /// Answers a request about a file.
    fn of_file(&mut self, method: &str, params: Value) -> Answer {
        let Self { settings, files, .. } = self;
        let failed = |message| Failure { code: FAILED, message };
        Ok(match method {
            "textDocument/hover" => {
                let at = parsed::<HoverParams>(method, params, settings)?.text_document_position_params;
                value(hover::hover(open(files, &at.text_document.uri, settings)?, at.position, settings))
            }
            "textDocument/completion" => {
                let at = parsed::<CompletionParams>(method, params, settings)?.text_document_position_params;
                value(completion::completions(open(files, &at.text_document.uri, settings)?, at.position, settings))
            }
            "textDocument/codeAction" => {
                let asked: CodeActionParams = parsed(method, params, settings)?;
                let uri = asked.text_document.uri;
                let document = open(files, &uri, settings)?;
                let is_wanted = asked.context.only.is_none_or(|kinds| {
                    kinds.iter().any(|kind| matches!(kind, CodeActionKind::QuickFix | CodeActionKind::Empty))
                });
                let actions = || actions::actions(document, &uri, asked.range, settings);
                value(if is_wanted { actions() } else { Vec::new() })
            }
            "textDocument/formatting" => {
                let asked: DocumentFormattingParams = parsed(method, params, settings)?;
                let document = open(files, &asked.text_document.uri, settings)?;
                value(formatting::edits(document, None, settings).map_err(failed)?)
            }
            "textDocument/rangeFormatting" => {
                let asked: DocumentRangeFormattingParams = parsed(method, params, settings)?;
                let document = open(files, &asked.text_document.uri, settings)?;
                value(formatting::edits(document, Some(asked.range), settings).map_err(failed)?)
            }
            "textDocument/documentSymbol" => {
                let asked: DocumentSymbolParams = parsed(method, params, settings)?;
                value(symbols::symbols(open(files, &asked.text_document.uri, settings)?, settings))
            }
            "textDocument/inlayHint" => {
                let asked: InlayHintParams = parsed(method, params, settings)?;
                value(hints::hints(open(files, &asked.text_document.uri, settings)?, asked.range))
            }
            "textDocument/prepareRename" => {
                let at = parsed::<PrepareRenameParams>(method, params, settings)?.text_document_position_params;
                let document = open(files, &at.text_document.uri, settings)?;
                let player = rename::player_at(document, at.position, settings).map_err(failed)?;
                value(PrepareRenamePlaceholder { range: player.range, placeholder: player.name })
            }
            "textDocument/rename" => {
                let asked: RenameParams = parsed(method, params, settings)?;
                let at = asked.text_document_position_params;
                let document = open(files, &at.text_document.uri, settings)?;
                let player = rename::player_at(document, at.position, settings).map_err(failed)?;
                rename::check(&asked.new_name, settings).map_err(|message| Failure { code: PARAMS, message })?;
                let edits = |open: &Open| rename::edits(&open.document, &player.name, &asked.new_name);
                let changes = files.iter().map(|(uri, open)| (uri.clone(), edits(open)));
                let changes = changes.filter(|(_, edits)| !edits.is_empty()).collect();
                value(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
            }
            _ => {
                let message = fill("request.unknown", settings.lang, &[("method", &method)]);
                return Err(Failure { code: UNKNOWN, message });
            }
        })
    }
}

/// The file of an address.
fn open<'f>(files: &'f HashMap<Uri, Open>, uri: &Uri, settings: &Settings) -> Result<&'f Document, Failure> {
    let message = || fill("request.document", settings.lang, &[("uri", uri)]);
    files.get(uri).map(|open| &open.document).ok_or_else(|| Failure { code: PARAMS, message: message() })
}

/// The abilities of the server.
fn capabilities(columns: Columns) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(match columns {
            Columns::Utf8 => PositionEncodingKind::UTF8,
            Columns::Utf16 => PositionEncodingKind::UTF16,
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

/// The parameters of a message.
fn parsed<P: DeserializeOwned>(method: &str, params: Value, settings: &Settings) -> Result<P, Failure> {
    serde_json::from_value(params).map_err(|why| {
        let message = fill("request.params", settings.lang, &[("method", &method), ("why", &why)]);
        Failure { code: PARAMS, message }
    })
}

/// A result as JSON.
fn value(result: impl Serialize) -> Value {
    // The types of the protocol have no maps with other keys than texts.
    serde_json::to_value(result).unwrap_or_default()
}

fn response(id: &Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

fn published(params: &PublishDiagnosticsParams) -> Value {
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

/// A message for the log of the editor.
fn log(message: String) -> Value {
    let params = LogMessageParams { kind: MessageType::Warning, message };
    json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params })
}
