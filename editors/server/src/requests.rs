//! The requests about a file, and the part that answers each.

use gen_lsp_types::{
    CodeActionContext, CodeActionKind, Position, PrepareRenamePlaceholder, Range, TextDocumentIdentifier,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    actions, completion,
    files::{Files, OpenFile},
    formatting, hints, hover,
    messages::fill,
    rename,
    rpc::{Answer, Failure, INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_FAILED, value},
    settings::SessionSettings,
    symbols,
};

type Handler = fn(&Request<'_>) -> Answer;

/// All requests about a file.
pub(crate) const REQUESTS: [(&str, Handler); 9] = [
    ("textDocument/hover", |asked| {
        let PositionParams { position } = asked.params()?;
        Ok(value(hover::hover(&asked.file.document, position, asked.settings)))
    }),
    ("textDocument/completion", |asked| {
        let PositionParams { position } = asked.params()?;
        Ok(value(completion::completions(&asked.file.document, position, asked.settings)))
    }),
    ("textDocument/codeAction", |asked| {
        let ActionParams { range, context } = asked.params()?;
        let is_wanted = context.only.is_none_or(|kinds| {
            kinds.iter().any(|kind| matches!(kind, CodeActionKind::QuickFix | CodeActionKind::Empty))
        });
        let actions = || actions::actions(asked.file, range, asked.settings);
        Ok(value(if is_wanted { actions() } else { Vec::new() }))
    }),
    ("textDocument/formatting", |asked| {
        let edits = formatting::edits(&asked.file.document, None, asked.settings);
        edits.map(value).map_err(failed)
    }),
    ("textDocument/rangeFormatting", |asked| {
        let RangeParams { range } = asked.params()?;
        let edits = formatting::edits(&asked.file.document, Some(range), asked.settings);
        edits.map(value).map_err(failed)
    }),
    ("textDocument/documentSymbol", |asked| Ok(value(symbols::symbols(&asked.file.document, asked.settings)))),
    ("textDocument/inlayHint", |asked| {
        let RangeParams { range } = asked.params()?;
        Ok(value(hints::hints(&asked.file.document, range)))
    }),
    ("textDocument/prepareRename", |asked| {
        let PositionParams { position } = asked.params()?;
        let player = rename::player_at(&asked.file.document, position, asked.settings).map_err(failed)?;
        Ok(value(PrepareRenamePlaceholder { range: player.range, placeholder: player.name }))
    }),
    ("textDocument/rename", |asked| {
        let RenameParams { position, new_name } = asked.params()?;
        let player = rename::player_at(&asked.file.document, position, asked.settings).map_err(failed)?;
        rename::check(&new_name, asked.settings).map_err(|message| Failure { code: INVALID_PARAMS, message })?;
        rename::edits(asked.files, &player.name, &new_name, asked.settings).map(value).map_err(failed)
    }),
];

/// The parameters of all requests about a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileParams {
    text_document: TextDocumentIdentifier,
}

/// Those of requests about a position.
#[derive(Deserialize)]
struct PositionParams {
    position: Position,
}

/// Those of requests about a range.
#[derive(Deserialize)]
struct RangeParams {
    range: Range,
}

#[derive(Deserialize)]
struct ActionParams {
    range: Range,
    context: CodeActionContext,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RenameParams {
    position: Position,
    new_name: String,
}

/// A request about an open file.
pub(crate) struct Request<'r> {
    method: &'r str,
    params: &'r Value,
    file: &'r OpenFile,
    files: &'r Files,
    settings: &'r SessionSettings,
}

impl Request<'_> {
    fn params<P: DeserializeOwned>(&self) -> Result<P, Failure> {
        parsed(self.method, self.params, self.settings)
    }
}

fn failed(message: String) -> Failure {
    Failure { code: REQUEST_FAILED, message }
}

/// Answers a request about a file.
pub(crate) fn answer(method: &str, params: &Value, files: &Files, settings: &SessionSettings) -> Answer {
    let Some((_, handler)) = REQUESTS.iter().find(|(name, _)| *name == method) else {
        let message = fill("request.unknown", settings.lang, &[("method", &method)]);
        return Err(Failure { code: METHOD_NOT_FOUND, message });
    };
    let FileParams { text_document: TextDocumentIdentifier { uri } } = parsed(method, params, settings)?;
    let file = files.get(&uri, settings).map_err(|message| Failure { code: INVALID_PARAMS, message })?;
    handler(&Request { method, params, file, files, settings })
}

/// The parameters of a message.
pub(crate) fn parsed<P: DeserializeOwned>(
    method: &str,
    params: &Value,
    settings: &SessionSettings,
) -> Result<P, Failure> {
    // A structure would take its members from a sequence too.
    let members = if params.is_array() { &Value::Null } else { params };
    P::deserialize(members).map_err(|why| {
        let message = fill("request.params", settings.lang, &[("method", &method), ("why", &why)]);
        Failure { code: INVALID_PARAMS, message }
    })
}
