//! Verdicts and diagnostics in words, for the commands and the viewer.

use anstyle::{AnsiColor, Style};
use quipu_notation::record::{Chunk, Format, Record};
use quipu_referee::{Board, Diagnostic, Referee, Severity, Status, Verdict, games, messages::catalog};

use crate::{
    citation,
    context::{Context, harmless},
    part,
    snippet::Snippet,
    styled::Styled,
};

/// Diagnostics of one record explained to people, at most, unless there are more errors; JSON has all diagnostics.
pub(crate) const MANY: usize = 20;

/// A diagnostic in words.
pub(crate) struct Explained {
    /// Code, source of the law, ply and message.
    pub(crate) head: Styled,
    /// The line of the source in a frame, or the place alone where the text is not available.
    pub(crate) place: Vec<Styled>,
    /// The law and the correction.
    pub(crate) law: Vec<Styled>,
}

/// Colour of a status.
pub(crate) fn style(status: Status) -> Style {
    let color = match status {
        Status::Verified => AnsiColor::Green,
        Status::Incomplete => AnsiColor::Yellow,
        Status::Rejected | Status::Unreadable => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// Sign and colour of a severity.
pub(crate) fn sign(severity: Severity) -> (&'static str, Style) {
    let (sign, color) = match severity {
        Severity::Error => ("×", AnsiColor::Red),
        Severity::Warning => ("!", AnsiColor::Yellow),
        Severity::Advice => ("i", AnsiColor::Cyan),
    };
    (sign, color.on_default().bold())
}

/// The players' names, as far as they are written.
pub(crate) fn players(record: &Record<'_>) -> String {
    let mut names = Vec::new();
    write_players(record, &mut names);
    // Names and what is between them are UTF-8.
    String::from_utf8(names).unwrap_or_default()
}

/// Writes the players' names, as far as they are written.
pub(crate) fn write_players(record: &Record<'_>, out: &mut Vec<u8>) {
    let Some(game) = record.game() else {
        out.push(b'-');
        return;
    };
    for (between, side) in ["", " – "].into_iter().zip(&game.sides) {
        out.extend_from_slice(between.as_bytes());
        out.extend_from_slice(quipu_referee::harmless(record.value(side.tag).unwrap_or("?")).as_bytes());
    }
}

/// Values of tags that the game passes on without judging.
pub(crate) fn remarks(context: Context, record: &Record<'_>) -> Vec<String> {
    let game = record.value("Game").and_then(games::find);
    let written = game.into_iter().flat_map(Referee::remarks).filter_map(|row| Some((row, record.value(row.tag)?)));
    let told = written.map(|(row, value)| {
        let word = row.values.iter().find(|(known, _)| *known == value).map(|(_, word)| context.word(word));
        format!("{}: {}", context.word(row.word), harmless(word.unwrap_or(value)))
    });
    told.collect()
}

/// A diagnostic with its snippet, the law and the correction. The snippet shows this many columns of the source.
pub(crate) fn explained(
    context: Context,
    name: &str,
    chunk: &Chunk<'_>,
    diagnostic: &Diagnostic,
    window: usize,
) -> Explained {
    let code = diagnostic.code();
    let (sign, style) = sign(diagnostic.severity());
    let source = citation::source(context, code);
    let ply = diagnostic.ply.map(|ply| context.fill("verify.ply", &[("ply", &ply)])).unwrap_or_default();
    let message = context.message(&diagnostic.message);
    let head =
        Styled::of(style, format!("{sign} {}", code.id)).and(Style::new(), format!(" ({source}){ply}: {message}"));
    let place = match (diagnostic.span, diagnostic.place) {
        (Some(span), Some(place)) if chunk.oversized().is_none() => {
            let location = part::place(name, chunk, place);
            Snippet { location: &location, text: chunk.text(), span, place }.lines(window).into()
        }
        (_, Some(place)) => vec![Styled::plain(part::place(name, chunk, place))],
        (_, None) => Vec::new(),
    };
    let labelled = |key: &str, text: &str| {
        Styled::of(Style::new().dimmed(), context.say(key)).and(Style::new(), format!(" {text}"))
    };
    let law = catalog().code(code).map_or_else(Vec::new, |words| {
        let cells = words.cells.as_ref().filter(|_| chunk.format() == Format::Csv);
        if let Some(cells) = cells {
            return vec![labelled("verify.right", cells.get(context.lang))];
        }
        let (law, right) = (words.law.get(context.lang), words.right.get(context.lang));
        if code.severity == Severity::Advice {
            // It breaks no law.
            return vec![labelled("verify.right", right)];
        }
        vec![labelled("verify.law", law), labelled("verify.right", right)]
    });
    Explained { head, place, law }
}

/// The diagnostic of the move at which the replay stopped.
pub(crate) fn faulty_move(verdict: &Verdict) -> Option<&Diagnostic> {
    verdict.diagnostics.iter().find(|diagnostic| diagnostic.token.is_some())
}

/// The final position of a verdict.
pub(crate) fn position(verdict: &Verdict) -> Option<Box<dyn Board>> {
    let game = verdict.game.and_then(games::find)?;
    game.board(verdict.rules, verdict.position.as_deref()).ok()
}

/// Legal moves that may have been meant by a refused one. The likelier cause comes first where a turn is missing before it.
pub(crate) fn suggestions(context: Context, fault: &Diagnostic, turn_is_missing: bool) -> Vec<Styled> {
    let dimmed = Style::new().dimmed();
    let turn = (turn_is_missing && fault.token.is_some()).then(|| Styled::of(dimmed, context.word("suggestions.turn")));
    let moves = (!fault.suggestions.is_empty()).then(|| {
        Styled::of(dimmed, context.word("suggestions")).and(Style::new(), format!(" {}", fault.suggestions.join(" ")))
    });
    turn.into_iter().chain(moves).collect()
}
