//! A whole game as one page that steps through its positions. The page is self-contained: it loads nothing. Without
//! scripts it shows the last position.

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, PreEscaped, html};
use quipu_notation::record::Record;
use quipu_referee::replay::Replay;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    MOST_PLIES, Refused, Theme,
    board::Painter,
    caption::{self, heading},
    messages::say,
    style::{Look, ThemeColors},
    svg::{self, Symbols},
    words,
};

const STYLE: &str = include_str!("replay.css");
const SCRIPT: &str = include_str!("replay.js");

/// Data of a ply for the script.
#[derive(Serialize)]
struct PlyData {
    /// Caption of the ply.
    heading: String,
    /// Facts beside the board.
    facts: Vec<String>,
    /// The board in words.
    position: String,
}

/// The page of a record.
///
/// # Errors
/// If the game has more than [`MOST_PLIES`] plies.
pub(super) fn document(record: &Record<'_>, mut replay: Replay<'_>, look: &Look) -> Result<String, Refused> {
    let lang = look.lang;
    // The title is a heading of the page, not part of the picture.
    let (game, own) = (replay.game(), Look { title: None, ..look.clone() });
    let mut painter = Painter::new(game, &own, false);
    let mut layers = Vec::new();
    let mut told = caption::boards(&mut replay, MOST_PLIES, |replay, played| {
        let drawing = replay.board().drawing();
        layers.push(painter.play(&drawing, ""));
        let heading =
            played.map_or_else(|| caption::beginning(lang).to_owned(), |played| heading(replay, played, lang));
        let facts = drawing.facts.iter().map(|(label, values)| words::fact(label, values, lang)).collect();
        PlyData { heading, facts, position: words::description(game, &drawing, lang) }
    })?;
    let mut drawing = replay.board().drawing();
    if let (Some(outcome), Some(told)) = (caption::outcome(record, &replay, lang), told.last_mut()) {
        outcome.close(&mut drawing, &mut told.heading);
        layers.pop();
        layers.push(painter.play(&drawing, ""));
    }
    let mut scene = painter.scene(&drawing, "");
    scene.symbols = painter.symbols();
    let mut picture = String::new();
    svg::open(&mut picture, &scene);
    let symbols = Symbols::of(&scene);
    symbols.define(&mut picture);
    symbols.items(&mut picture, &scene.ground);
    let last = layers.len() - 1;
    for (ply, layer) in layers.iter().enumerate() {
        let shown = if ply == last { "" } else { " display=\"none\"" };
        picture += &format!("<g data-ply=\"{ply}\"{shown}>\n");
        symbols.items(&mut picture, layer);
        picture += "</g>\n";
    }
    picture += "</svg>";
    // The data must not contain `</script`.
    let data = serde_json::to_string(&told).unwrap_or_default().replace('<', "\\u003c");
    let title = caption::title(record, look);
    let say = |key| say(key, lang);
    let page = html! {
        (DOCTYPE)
        html lang=(lang.as_str()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(look.theme));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content=(look.theme.as_str());
                title { (title) " · quipu" }
                style { (PreEscaped(style(look.theme))) }
            }
            body {
                header {
                    h1 { (title) }
                    p { (caption::event_line(record, lang)) }
                }
                main {
                    section aria-label=(say("replay.board")) {
                        (PreEscaped(picture))
                        p #now role="status" { (told[last].heading) }
                        div #controls hidden {
                            button #first type="button" { (say("replay.first")) }
                            button #previous type="button" { (say("replay.previous")) }
                            button #play type="button" data-pause=(say("replay.pause")) { (say("replay.play")) }
                            button #next type="button" { (say("replay.next")) }
                            button #last type="button" { (say("replay.last")) }
                            input #slider type="range" min="0" max=(last) value=(last) aria-label=(say("replay.ply"));
                        }
                        p #keys hidden { (say("replay.keys")) }
                        noscript { p { (say("replay.still")) } }
                    }
                    section aria-label=(say("replay.moves")) {
                        ul #facts { @for fact in &told[last].facts { li { (fact) } } }
                        ol #moves start="0" {
                            @for told in &told { li { button type="button" { (told.heading) } } }
                        }
                    }
                }
                script #plies type="application/json" { (PreEscaped(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(inert(page.into_string()))
}

/// The page without characters that a reader or a terminal would act on: control characters except tab and line feed,
/// and bidirectional controls, which could turn a result around.
pub fn inert(page: String) -> String {
    let (mut shown, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = page.as_bytes()[at..].iter().position(|byte| may_act(*byte)) {
        let start = at + found;
        let Some(character) = page[start..].chars().next() else { break };
        at = start + character.len_utf8();
        if acts(character) {
            shown.push_str(&page[copied..start]);
            shown.extend((character != '\r').then_some(char::REPLACEMENT_CHARACTER));
            copied = at;
        }
    }
    if copied == 0 {
        return page;
    }
    shown.push_str(&page[copied..]);
    shown
}

/// True for the first byte of a character that may act. Most pages have few.
fn may_act(byte: u8) -> bool {
    matches!(byte, 0..=8 | 11..=31 | 127 | 0xc2 | 0xe2)
}

fn acts(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (character.is_control() && !matches!(character, '\t' | '\n'))
}

/// The style sheet of a page in a theme.
fn style(theme: Theme) -> String {
    let [paper, ink, faint] = [theme.paper(), theme.ink(), theme.faint()].map(svg::color);
    format!(":root{{--paper:{paper};--ink:{ink};--faint:{faint}}}\n{STYLE}")
}

/// The content security policy of a page: its own style and script, and nothing else.
pub(super) fn policy(theme: Theme) -> &'static str {
    static POLICIES: LazyLock<[String; 2]> = LazyLock::new(|| {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        Theme::ALL.map(|theme| {
            let (style, script) = (hash(&style(theme)), hash(SCRIPT));
            format!(
                "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
            )
        })
    });
    &POLICIES[usize::from(theme == Theme::Dark)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each character alone, and between others.
    #[test]
    fn no_character_that_acts_stays_in_a_page() {
        let by_character = |page: &str| -> String {
            let kept = page.chars().filter(|character| *character != '\r');
            kept.map(|character| if acts(character) { char::REPLACEMENT_CHARACTER } else { character }).collect()
        };
        for character in (0..=0x2_ffff).filter_map(char::from_u32) {
            for page in [character.to_string(), format!("ñ«{character}{character}»\n…")] {
                assert_eq!(inert(page.clone()), by_character(&page), "{page:?}");
            }
        }
    }
}
