//! Boards in words, for alternative texts and beside the board.

use quipu_notation::Side;
use quipu_referee::{Fact, Lang, Referee, drawing::Drawing, messages::catalog};

/// A board in words: its facts, then the pieces with their squares.
pub(super) fn description(game: &dyn Referee, drawing: &Drawing, lang: Lang) -> String {
    let fact = |(label, values): &(&'static str, Vec<Fact>)| format!("{}. ", fact(label, values, lang));
    let mut text: String = drawing.facts.iter().map(fact).collect();
    for side in Side::BOTH {
        let pieces = drawing.cells.iter().filter_map(|cell| {
            let piece = cell.piece.as_ref().filter(|piece| piece.side == side)?;
            let kind = piece.word.map_or(&*piece.label, |word| catalog().word(word, lang));
            Some(format!("{kind} {}", cell.name))
        });
        let pieces: Vec<_> = pieces.collect();
        let pieces = if pieces.is_empty() { vec![catalog().word("nothing", lang).to_owned()] } else { pieces };
        let side = catalog().word(game.side_words()[side.index()], lang);
        text += &format!("{side}: {}. ", pieces.join(", "));
    }
    text.truncate(text.trim_end().len());
    text
}

/// A fact with its label, in one line.
pub(super) fn fact(label: &str, values: &[Fact], lang: Lang) -> String {
    let values: Vec<_> = values.iter().map(|value| catalog().fact(value, lang)).collect();
    format!("{}: {}", catalog().word(label, lang), values.join(", "))
}

/// The pieces of each side with their squares, those of a kind together: `Sol: persona d3 e4; militar a0. Luna: (nothing).`
pub(super) fn pieces(game: &dyn Referee, drawing: &Drawing, lang: Lang) -> String {
    let of_side = |side: Side| {
        let mut kinds: Vec<(&str, String)> = Vec::new();
        for cell in &drawing.cells {
            let Some(piece) = cell.piece.as_ref().filter(|piece| piece.side == side) else { continue };
            let kind = piece.word.map_or(&*piece.label, |word| catalog().word(word, lang));
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, squares)) => *squares += &format!(" {}", cell.name),
                None => kinds.push((kind, format!("{kind} {}", cell.name))),
            }
        }
        let kinds: Vec<_> = kinds.into_iter().map(|(_, squares)| squares).collect();
        let said = if kinds.is_empty() { catalog().word("nothing", lang).to_owned() } else { kinds.join("; ") };
        format!("{}: {said}.", catalog().word(game.side_words()[side.index()], lang))
    };
    Side::BOTH.map(of_side).join(" ")
}
