//! Symbols: a line of the outline for each record.

use gen_lsp_types::{DocumentSymbol, Range, SymbolKind};
use quipu_referee::messages::catalog;

use crate::{document::Document, position::moved, settings::SessionSettings};

/// Records of a file that are listed, at most.
pub(crate) const MAX_SYMBOLS: usize = 20_000;

/// The records in order, as `Quispe, Ana – Mamani, Luis` with event, round, result and status.
pub(crate) fn symbols(document: &Document, settings: &SessionSettings) -> Vec<DocumentSymbol> {
    let records = document.places().flat_map(|place| document.records(place).iter().map(move |record| (place, record)));
    let symbols = records.take(MAX_SYMBOLS).enumerate().map(|(index, (place, record))| {
        let status = catalog().word(record.status.word(), settings.lang);
        let detail = [&*record.detail, status].into_iter().filter(|part| !part.is_empty());
        let range = moved(record.range, place.line);
        #[expect(deprecated, reason = "the type has the field")]
        DocumentSymbol {
            name: if record.name.is_empty() { format!("{}", index + 1) } else { record.name.clone() },
            detail: Some(detail.collect::<Vec<_>>().join(" · ")),
            kind: SymbolKind::Event,
            tags: None,
            deprecated: None,
            range,
            selection_range: Range { end: range.start, ..range },
            children: None,
        }
    });
    symbols.collect()
}
