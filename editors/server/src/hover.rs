//! Hover: the board after a move, with the points, and the article of each code that is found there.

use std::ops::Range as Bytes;

use gen_lsp_types::{Hover, MarkupContent, MarkupKind, Position};
use quipu_notation::record::{Record, Tag, clock};
use quipu_referee::{
    Board, Code, Lang, games,
    messages::catalog,
    replay::{Played, Replay},
};

use crate::{
    document::Document,
    messages::{fill, say},
    position::{moved, touch},
    settings::SessionSettings,
};

/// Tags that determine the start position.
const OF_START: [&str; 4] = ["Game", "Rules", "Setup", "First"];

/// The text for a position; none where there is nothing to show.
pub(crate) fn hover(document: &Document, position: Position, settings: &SessionSettings) -> Option<Hover> {
    let offset = document.offset(position);
    let place = document.place_at(offset)?;
    let inner = offset - place.start;
    let chunk = document.chunk(place);
    let mut sections = Vec::new();
    let mut shown = None;
    for record in chunk.records().map_while(Result::ok) {
        if let Some((bytes, board)) = board(&record, inner, settings) {
            sections.push(board);
            shown = Some(document.locator(place).range(bytes));
            break;
        }
    }
    let here = gen_lsp_types::Range { start: position, end: position };
    let mut codes: Vec<&Code> = Vec::new();
    for finding in document.records(place).iter().flat_map(|record| &record.findings) {
        let range = moved(finding.range, place.line);
        if touch(range, here) && !codes.contains(&finding.code) {
            codes.push(finding.code);
            shown.get_or_insert(range);
        }
    }
    sections.extend(codes.into_iter().filter_map(|code| article(code, settings.lang)));
    if sections.is_empty() {
        return None;
    }
    let (kind, between) =
        if settings.markdown { (MarkupKind::Markdown, "\n\n---\n\n") } else { (MarkupKind::PlainText, "\n\n") };
    let sections: Vec<_> = sections.into_iter().map(|section| section.text(settings.markdown)).collect();
    let contents = MarkupContent { kind, value: sections.join(between) }.into();
    Some(Hover { contents, range: shown })
}

/// A section of a text: a heading, lines of which each may be as long as it likes, and a board.
struct Section {
    heading: String,
    lines: Vec<String>,
    board: Option<String>,
}

impl Section {
    fn text(&self, markdown: bool) -> String {
        let heading = if markdown { format!("**{}**", escaped(&self.heading)) } else { self.heading.clone() };
        let lines = self.lines.iter().map(|line| if markdown { escaped(line) } else { line.clone() });
        let mut parts: Vec<_> = std::iter::once(heading).chain(lines).collect();
        if let Some(board) = &self.board {
            // No board has a line of three backticks.
            parts.push(if markdown { format!("```text\n{board}```") } else { board.clone() });
        }
        parts.join(if markdown { "\n\n" } else { "\n" })
    }
}

/// A text without characters that Markdown acts on.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_punctuation() && !matches!(character, '.' | ',' | ':' | ';' | '-' | '(' | ')' | '/') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// The bytes of a move or a tag at an offset, and the board that belongs to it.
fn board(record: &Record<'_>, offset: usize, settings: &SessionSettings) -> Option<(Bytes<usize>, Section)> {
    let is_here = |bytes: &Bytes<usize>| (bytes.start..=bytes.end).contains(&offset);
    let game = record.value("Game").and_then(games::find)?;
    let of_start = |tag: &&Tag<'_>| OF_START.contains(&&*tag.name) && is_here(&tag.span.range());
    if let Some(tag) = record.tags.iter().find(of_start) {
        let board = game.start(record).ok()?;
        let heading = say("hover.start", settings.lang).to_owned();
        return Some((tag.span.range(), section(heading, Vec::new(), &*board, settings)));
    }
    let index = record.movetext.plies.iter().position(|ply| is_here(&ply.span.range()))?;
    let bytes = record.movetext.plies[index].span.range();
    let mut replay = Replay::of(record)?;
    let mut last = None;
    for _ in 0..=index {
        last = replay.play();
        if last.is_none() {
            break;
        }
    }
    let section = match last {
        Some(played) => {
            section(heading(&replay, &played), end(replay.board(), settings.lang), replay.board(), settings)
        }
        None if replay.ply() == index as u64 => refused(&replay, &record.movetext.plies[index].token, settings),
        // Nothing is known after a refused move.
        None => return None,
    };
    Some((bytes, section))
}

fn section(heading: String, lines: Vec<String>, board: &dyn Board, settings: &SessionSettings) -> Section {
    Section { heading, lines, board: Some((settings.program.draw)(&board.drawing(), settings.lang)) }
}

fn heading(replay: &Replay<'_>, played: &Played) -> String {
    let side = replay.game().notation().side(played.side).tag;
    let left = played.clock.map(|left| format!(" · {}", clock::text(left))).unwrap_or_default();
    format!("{}. {side} {}{left}", played.ply, played.token)
}

fn end(board: &dyn Board, lang: Lang) -> Vec<String> {
    let told = board.end().map(|end| {
        let word = catalog().word(end.termination.word, lang);
        fill("hover.end", lang, &[("end", &word), ("result", &end.outcome.as_str())])
    });
    told.into_iter().collect()
}

/// The board before a refused move, with the squares that the move names.
fn refused(replay: &Replay<'_>, token: &str, settings: &SessionSettings) -> Section {
    let board = replay.board();
    let side = replay.game().notation().side(board.turn()).tag;
    let token = quipu_referee::harmless(token);
    Section {
        heading: format!("{}. {side} {token}", replay.ply() + 1),
        lines: vec![say("hover.refused", settings.lang).to_owned()],
        board: Some((settings.program.draw)(&board.tried(&token), settings.lang)),
    }
}

/// The law that a code stands for, and the correct way.
fn article(code: &Code, lang: Lang) -> Option<Section> {
    let words = catalog().code(code)?;
    let severity = catalog().word(code.severity.word(), lang);
    let heading = format!("{} · {severity} · {}", code.id, catalog().source(code, lang));
    let right = format!("{}: {}", say("hover.right", lang), words.right.get(lang));
    let lines = vec![words.title.get(lang).to_owned(), words.law.get(lang).to_owned(), right];
    Some(Section { heading, lines, board: None })
}
