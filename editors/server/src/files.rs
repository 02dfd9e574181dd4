//! The files that the client has open.

use std::collections::{HashMap, HashSet};

use gen_lsp_types::{
    DidOpenTextDocumentParams, PublishDiagnosticsParams, TextDocumentEdit, TextDocumentIdentifier, TextDocumentItem,
    TextEdit, Uri, WorkspaceEdit,
};
use serde::Deserialize;

use crate::{
    changes::Change,
    document::Document,
    findings::{self, warning},
    messages::{fill, say},
    settings::SessionSettings,
};

#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) uri: Uri,
    pub(crate) document: Document,
    /// The version of the text that the client knows.
    pub(crate) version: Option<i32>,
    /// The client does not have the findings of this version yet.
    is_changed: bool,
}

impl OpenFile {
    pub(crate) fn new(uri: Uri, version: i32, text: String, settings: &SessionSettings) -> Self {
        let document = Document::new(text, settings.encoding, settings.lang);
        Self { uri, document, version: Some(version), is_changed: true }
    }
}

/// Changes of a file. The type of the library takes a range of another form for no range, and so the text for the whole one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidChangeParams {
    text_document: Versioned,
    content_changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
struct Versioned {
    uri: Uri,
    version: Option<i32>,
}

#[derive(Debug, Default)]
pub(crate) struct Files {
    open: HashMap<Uri, OpenFile>,
    /// Files of which a change could not be read, so that their texts are not known until they are opened again.
    lost: HashSet<Uri>,
}

impl Files {
    pub(crate) fn open(&mut self, params: DidOpenTextDocumentParams, settings: &SessionSettings) {
        let TextDocumentItem { uri, version, text, .. } = params.text_document;
        self.lost.remove(&uri);
        self.open.insert(uri.clone(), OpenFile::new(uri, version, text, settings));
    }

    /// Changes a file, if it is open.
    pub(crate) fn change(&mut self, params: &DidChangeParams) {
        let Some(file) = self.open.get_mut(&params.text_document.uri) else { return };
        (file.version, file.is_changed) = (params.text_document.version, true);
        file.document.change(&params.content_changes);
    }

    /// Closes a file. Its findings go, if it was open.
    pub(crate) fn close(&mut self, uri: Uri) -> Option<PublishDiagnosticsParams> {
        let was_open = self.open.remove(&uri).is_some() | self.lost.remove(&uri);
        was_open.then(|| PublishDiagnosticsParams { uri, version: None, diagnostics: Vec::new() })
    }

    /// Forgets the text of a file, if it is open, or of all. A remark in each says so.
    pub(crate) fn lose(&mut self, uri: Option<&Uri>, settings: &SessionSettings) -> Vec<PublishDiagnosticsParams> {
        let is_lost = |file: &Uri, _: &mut OpenFile| uri.is_none_or(|uri| uri == file);
        let lost: Vec<_> = self.open.extract_if(is_lost).map(|(uri, _)| uri).collect();
        self.lost.extend(lost.iter().cloned());
        let diagnostics = || vec![warning(say("file.lost", settings.lang).to_owned())];
        lost.into_iter()
            .map(|uri| PublishDiagnosticsParams { uri, version: None, diagnostics: diagnostics() })
            .collect()
    }

    /// The findings of the files that have changed.
    pub(crate) fn findings(&mut self, settings: &SessionSettings) -> Vec<PublishDiagnosticsParams> {
        let changed = self.open.values_mut().filter(|file| file.is_changed);
        let findings = changed.map(|file| {
            file.is_changed = false;
            file.document.judge();
            let diagnostics = findings::diagnostics(&file.document, settings);
            PublishDiagnosticsParams { uri: file.uri.clone(), version: file.version, diagnostics }
        });
        findings.collect()
    }

    /// An open file.
    ///
    /// # Errors
    /// The message that it is not open, or that its text is not known.
    pub(crate) fn get(&self, uri: &Uri, settings: &SessionSettings) -> Result<&OpenFile, String> {
        self.open.get(uri).ok_or_else(|| {
            if self.lost.contains(uri) {
                say("file.lost", settings.lang).to_owned()
            } else {
                fill("request.document", settings.lang, &[("uri", uri)])
            }
        })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &OpenFile> {
        self.open.values()
    }

    /// A file whose text is not known, if there is one.
    pub(crate) fn lost(&self) -> Option<&Uri> {
        self.lost.iter().next()
    }
}

/// Edits of files. A client that knows versions applies them to no other version.
pub(crate) fn workspace_edit<'f>(
    files: impl IntoIterator<Item = (&'f OpenFile, Vec<TextEdit>)>,
    settings: &SessionSettings,
) -> WorkspaceEdit {
    let files = files.into_iter();
    if !settings.versions {
        let changes = files.map(|(file, edits)| (file.uri.clone(), edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let changes = files.map(|(OpenFile { uri, version, .. }, edits)| {
        let text_document = gen_lsp_types::OptionalVersionedTextDocumentIdentifier {
            version: *version,
            text_document_identifier: TextDocumentIdentifier { uri: uri.clone() },
        };
        TextDocumentEdit { text_document, edits: edits.into_iter().map(Into::into).collect() }.into()
    });
    WorkspaceEdit { document_changes: Some(changes.collect()), ..WorkspaceEdit::default() }
}
