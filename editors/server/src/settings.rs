//! The settings of a session: those of the program, of the client, and of its user.

use gen_lsp_types::{InitializeParams, MarkupKind, PositionEncodingKind};
use quipu_options::settings::web_address;
use quipu_referee::{Lang, drawing::Drawing};
use serde_json::Value;

use crate::{messages::fill, position::PositionEncoding};

/// The program that runs the server.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name and version, such as `quipu 1.2.3`, for the comments of repaired records.
    pub name: &'static str,
    /// Language of messages, unless the user or the client names one.
    pub lang: Lang,
    /// Draws a board with the facts beside it, in lines of text.
    pub draw: fn(&Drawing, Lang) -> String,
}

#[derive(Clone, Debug)]
pub(crate) struct SessionSettings {
    pub(crate) program: Program,
    pub(crate) lang: Lang,
    pub(crate) encoding: PositionEncoding,
    /// Address of a service, whose pages explain the codes.
    pub(crate) public_url: Option<String>,
    /// The client shows Markdown.
    pub(crate) markdown: bool,
    /// The client moves the cursor to the `$1` of a completion.
    pub(crate) snippets: bool,
    /// The client checks the versions of files that it edits.
    pub(crate) versions: bool,
}

impl SessionSettings {
    /// The settings before the client has introduced itself.
    pub(crate) fn new(program: Program) -> Self {
        let encoding = PositionEncoding::default();
        let lang = program.lang;
        Self { program, lang, encoding, public_url: None, markdown: false, snippets: false, versions: false }
    }

    /// The settings that a client asks for, and a message about each option that has another form.
    pub(crate) fn of_client(program: Program, params: &InitializeParams) -> (Self, Vec<String>) {
        let mut settings = Self::new(program);
        let option = |name| params.initialization_options.as_ref().and_then(|options| options.get(name));
        let language = option("language");
        let told = language.and_then(Value::as_str).and_then(Lang::parse);
        let locale = || params.locale.as_deref().and_then(Lang::parse);
        settings.lang = told.or_else(locale).unwrap_or(program.lang);
        let mut faults = Vec::new();
        if let Some(found) = language.filter(|found| told.is_none() && !is_unset(found)) {
            faults.push(fill("option.language", settings.lang, &[("found", found)]));
        }
        if let Some(found) = option("publicUrl").filter(|found| !is_unset(found)) {
            settings.public_url = found.as_str().and_then(web_address);
            if settings.public_url.is_none() {
                faults.push(fill("option.public-url", settings.lang, &[("found", found)]));
            }
        }
        let general = params.capabilities.general.as_ref();
        let known = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
        settings.encoding =
            if known.contains(&PositionEncodingKind::UTF8) { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 };
        let text = params.capabilities.text_document.as_ref();
        let hover = text.and_then(|text| text.hover.as_ref()?.content_format.as_deref()).unwrap_or_default();
        settings.markdown = hover.contains(&MarkupKind::Markdown);
        let completion = text.and_then(|text| text.completion.as_ref()?.completion_item.as_ref());
        settings.snippets = completion.and_then(|item| item.snippet_support) == Some(true);
        let workspace = params.capabilities.workspace.as_ref();
        settings.versions =
            workspace.and_then(|workspace| workspace.workspace_edit.as_ref()?.document_changes) == Some(true);
        (settings, faults)
    }
}

/// True for the value of an option that a user has left open.
fn is_unset(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}
