//! Diagnostics: the findings of all records, at most [`MAX_FINDINGS`].

use gen_lsp_types::{Code, CodeDescription, Diagnostic, DiagnosticSeverity, Position, Range, Uri};
use quipu_referee::Severity;

use crate::{
    document::{Document, MAX_FILE, PartPlace},
    judgement::Finding,
    messages::fill,
    position::moved,
    settings::SessionSettings,
};

/// Limit of diagnostics per publication; it bounds the work after each edit.
pub(crate) const MAX_FINDINGS: usize = 1000;

/// The findings: of the part that was changed last, then from the beginning.
pub(crate) fn diagnostics(document: &Document, settings: &SessionSettings) -> Vec<Diagnostic> {
    if document.is_too_large() {
        let max = MAX_FILE / 1024 / 1024;
        return vec![warning(fill("document.large", settings.lang, &[("max", &max)]))];
    }
    let changed = |place: &PartPlace| place.index == document.changed();
    let parts = document.places().filter(changed).chain(document.places().filter(|place| !changed(place)));
    let mut shown = Vec::new();
    let mut count = 0;
    for place in parts {
        for finding in document.records(place).iter().flat_map(|record| &record.findings) {
            count += 1;
            if shown.len() < MAX_FINDINGS {
                shown.push(diagnostic(finding, place, settings));
            }
        }
    }
    if count > shown.len() {
        let told = fill("findings.more", settings.lang, &[("shown", &MAX_FINDINGS), ("count", &count)]);
        shown.push(remark(told, DiagnosticSeverity::Information));
    }
    shown
}

/// A finding at its place in the file.
pub(crate) fn diagnostic(finding: &Finding, place: PartPlace, settings: &SessionSettings) -> Diagnostic {
    let code = finding.code.id;
    let link = settings.public_url.as_ref().map(|url| {
        let href = Uri(format!("{url}/rules/{code}?lang={}", settings.lang.as_str()));
        CodeDescription { href }
    });
    Diagnostic {
        severity: Some(severity(finding.code.severity)),
        code: Some(Code::String(code.to_owned())),
        code_description: link,
        ..bare(moved(finding.range, place.line), finding.message.clone())
    }
}

const fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Advice => DiagnosticSeverity::Information,
    }
}

/// A warning about the whole file, at its beginning.
pub(crate) fn warning(message: String) -> Diagnostic {
    remark(message, DiagnosticSeverity::Warning)
}

/// A remark about the whole file, at its beginning.
fn remark(message: String, severity: DiagnosticSeverity) -> Diagnostic {
    let start = Position { line: 0, character: 0 };
    Diagnostic { severity: Some(severity), ..bare(Range { start, end: start }, message) }
}

fn bare(range: Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: None,
        code: None,
        code_description: None,
        source: Some("quipu".to_owned()),
        message: message.into(),
        tags: None,
        related_information: None,
        data: None,
    }
}
