//! The names that people give to columns and tags of a scoresheet, in both languages.

use std::borrow::Cow;

use super::super::Tag;
use crate::games::{GAMES, GameNotation};

/// Columns of move numbers.
const NUMBERS: &[&str] =
    &["n", "no", "nro", "num", "numero", "number", "№", "#", "jugada", "mov", "movimiento", "move", "turno", "turn"];

/// Words for a clock.
const CLOCKS: &[&str] = &["clock", "reloj", "tiempo", "time"];

/// Words that may stand beside a word for a clock.
const FILLERS: &[&str] = &["de", "del", "of", "restante", "left", "remaining"];

/// Words that may stand beside the name of a side: `Jugada de Sol` is a column, `Jugador Sol` a tag.
const BESIDE_SIDES: &[&str] = &[
    "de",
    "del",
    "of",
    "jugada",
    "jugadas",
    "movimiento",
    "movimientos",
    "mov",
    "move",
    "moves",
    "jugador",
    "jugadora",
    "nombre",
    "player",
    "name",
];

/// Bytes of a first cell that can be a name.
pub(super) const MAX_NAME: usize = 64;

/// Columns of comments.
const REMARKS: &[&str] = &[
    "remarks",
    "remark",
    "comments",
    "comment",
    "notes",
    "note",
    "observaciones",
    "observacion",
    "comentarios",
    "comentario",
    "notas",
    "nota",
];

/// Tags, each with its Spanish name and with its names in scoresheets, as [`plain`] returns them.
const TAGS: &[(&str, &str, &[&str])] = &[
    ("Game", "Juego", &["game", "juego"]),
    ("Rules", "Reglas", &["rules", "reglas", "reglamento"]),
    (
        "Event",
        "Evento",
        &[
            "event",
            "evento",
            "torneo",
            "tournament",
            "competicion",
            "competencia",
            "competition",
            "campeonato",
            "championship",
        ],
    ),
    ("Site", "Lugar", &["site", "lugar", "sitio", "sede", "ciudad", "city", "venue"]),
    ("Date", "Fecha", &["date", "fecha", "dia", "day"]),
    ("Round", "Ronda", &["round", "ronda"]),
    ("Result", "Resultado", &["result", "resultado"]),
    ("Setup", "Posición inicial", &["setup", "posicion inicial"]),
    ("Seed", "Semilla", &["seed", "semilla"]),
    ("First", "Empieza", &["first", "empieza"]),
    ("Termination", "Terminación", &["termination", "terminacion", "final"]),
    ("Decision", "Decisión", &["decision"]),
    ("Points", "Puntos", &["points", "puntos", "puntaje", "puntuacion"]),
    ("Leg", "Partida (ida o vuelta)", &["leg", "partida ida o vuelta", "partida", "vuelta", "manga"]),
    ("TimeControl", "Control de tiempo", &["timecontrol", "time control", "control de tiempo", "ritmo"]),
    ("Handshake", "Saludo", &["handshake", "saludo"]),
    ("UTCDate", "Fecha UTC", &["utcdate", "utc date", "fecha utc"]),
    ("UTCTime", "Hora UTC", &["utctime", "utc time", "hora utc"]),
    ("Board", "Mesa", &["board", "mesa", "tablero"]),
];

/// Tags that may also follow the moves.
const CLOSING: &[&str] = &["Result", "Termination", "Decision", "Points"];

/// The ends of a game that are declared, each with its Spanish name and with its other names in scoresheets, as [`plain`]
/// returns them. A name that can be a mere result, such as `tablas`, is none of them.
const TERMINATIONS: &[(&str, &str, &[&str])] = &[
    ("resignation", "rendición", &["rendicion", "renuncia", "se rinde", "resigned", "resigns"]),
    (
        "time",
        "tiempo",
        &["tiempo", "por tiempo", "tiempo agotado", "reloj", "bandera", "timeout", "time out", "time forfeit", "flag"],
    ),
    ("agreement", "acuerdo", &["acuerdo", "mutuo acuerdo"]),
    ("adjudication", "adjudicación", &["adjudicacion", "arbitro", "arbitraje", "fallo"]),
    ("abandoned", "abandonada", &["abandonada", "interrumpida", "interrupcion", "suspendida"]),
];

/// Ends on the board, with their names in scoresheets, as [`plain`] returns them.
const BOARD_ENDS: &[(&str, &[&str])] = &[
    ("continent", &["continente", "sin piezas en el continente", "continente vacio"]),
    ("immobile", &["inmovil", "inmovilidad", "sin jugadas", "sin movimientos", "sin jugadas legales", "ahogado"]),
    ("annihilation", &["aniquilacion", "captura total", "sin piedras"]),
    ("countdown", &["cuenta regresiva", "cuenta atras", "cinco turnos"]),
    ("cleared", &["retirada total", "sin fichas", "todas retiradas"]),
    ("dead", &["muerta", "sin cadenas", "posicion muerta"]),
    ("idle", &["sin retiradas", "treinta turnos", "30 turnos"]),
    ("corner", &["esquina", "rey en la esquina"]),
    ("king-captured", &["king captured", "rey capturado", "captura del rey"]),
];

/// A name in lower case, without diacritics, full stops and ordinal signs, and with single spaces.
pub fn plain_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars().flat_map(char::to_lowercase) {
        let character = match character {
            'á' | 'à' => 'a',
            'é' | 'è' => 'e',
            'í' | 'ì' => 'i',
            'ó' | 'ò' => 'o',
            'ú' | 'ù' | 'ü' => 'u',
            // Combining diacritics, except that of ñ, which is a different letter from n.
            '.' | 'º' | '°' | 'ª' | ':' | '\u{300}'..='\u{302}' | '\u{304}'..='\u{36f}' => continue,
            '_' | '-' | '\t' | '\u{a0}' | '(' | ')' => ' ',
            _ => character,
        };
        if character != ' ' || !(plain.is_empty() || plain.ends_with(' ')) {
            plain.push(character);
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// True for the column of move numbers.
pub(super) fn is_number(plain: &str) -> bool {
    NUMBERS.contains(&plain)
}

/// True for the column of comments.
pub(super) fn is_remarks(plain: &str) -> bool {
    REMARKS.contains(&plain)
}

/// The side that a column of clocks names, empty if it names none; `None` for other columns.
pub(super) fn clock_owner(plain: &str) -> Option<String> {
    let mut words: Vec<_> = plain.split(' ').collect();
    let before = words.len();
    words.retain(|word| !CLOCKS.contains(word));
    (words.len() < before).then(|| {
        words.retain(|word| !FILLERS.contains(word));
        bare_side(&words.join(" ")).into_owned()
    })
}

/// The name of a side without the words beside it: `jugada de sol`. Other names stay as they are.
pub(super) fn bare_side(plain: &str) -> Cow<'_, str> {
    if !plain.contains(' ') {
        return plain.into();
    }
    let mut words = plain.split(' ').filter(|word| !BESIDE_SIDES.contains(word));
    match (words.next(), words.next()) {
        (Some(word), None) if side(word).is_some() => word.into(),
        _ => plain.into(),
    }
}

/// The tag that a cell names, if it is a known one.
pub fn tag_named(name: &str) -> Option<&'static str> {
    let plain = plain_name(name);
    let known = TAGS.iter().find(|(.., names)| names.contains(&plain.as_str())).map(|(tag, ..)| *tag);
    let bare = bare_side(&plain);
    known.or_else(|| GAMES.iter().flat_map(|game| &game.sides).find(|side| side.name == bare).map(|side| side.tag))
}

/// Letters in a row, at least, in the label of an unknown tag. No move has as many.
pub(super) const LABEL_LETTERS: usize = 3;

/// The name of an unknown tag that a cell labels, with `_` between its words; `None` if the cell is no label but, say, a
/// move.
pub(super) fn own_tag(label: &str) -> Option<String> {
    let is_word = |word: &&str| !word.is_empty();
    let words = || label.split(|character: char| !Tag::is_of_name(character)).filter(is_word);
    let has_letters = words()
        .flat_map(|word| word.split(|character: char| !character.is_alphabetic()))
        .any(|letters| letters.chars().count() >= LABEL_LETTERS);
    let is_label = label.starts_with(char::is_alphabetic) && has_letters && label.len() <= MAX_NAME;
    is_label.then(|| words().collect::<Vec<_>>().join("_"))
}

/// The termination that a value of a scoresheet names, if it is not the termination itself.
pub fn termination_named(name: &str) -> Option<&'static str> {
    let plain = plain_name(name);
    let declared = TERMINATIONS.iter().map(|(termination, _, names)| (*termination, *names));
    let mut all = declared.chain(BOARD_ENDS.iter().copied());
    all.find(|(_, names)| names.contains(&plain.as_str())).map(|(termination, _)| termination)
}

/// The terminations that can be declared, in Spanish if wanted. They are read back as such.
#[cfg(feature = "spreadsheets")]
pub(in crate::record) fn terminations(spanish: bool) -> Vec<&'static str> {
    TERMINATIONS.iter().map(|(name, label, _)| if spanish { *label } else { *name }).collect()
}

/// True for a tag that is read in records of any game.
pub fn is_shared_tag(name: &str) -> bool {
    TAGS.iter().any(|(tag, ..)| *tag == name)
}

/// The tags that are read in records of any game, each with one of its names in scoresheets.
pub fn tag_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    TAGS.iter().flat_map(|(tag, _, names)| names.iter().map(|name| (*tag, *name)))
}

/// The name of a tag for people, in Spanish if wanted and known. It is read back as the same tag.
#[cfg(feature = "spreadsheets")]
pub(in crate::record) fn label(tag: &str, spanish: bool) -> String {
    let is_player = || GAMES.iter().flat_map(|game| &game.sides).any(|side| side.tag == tag);
    match TAGS.iter().find(|(name, ..)| *name == tag) {
        Some((_, name, _)) if spanish => (*name).to_owned(),
        Some(_) => tag.to_owned(),
        None if is_player() => tag.to_owned(),
        // Without the `#` it would not be read as a tag.
        None => format!("#{tag}"),
    }
}

/// True if a tag is read back unchanged when its name and its value are in two cells.
#[cfg(feature = "spreadsheets")]
pub(in crate::record) fn survives(name: &str, text: &str) -> bool {
    let is_itself = tag_named(name).is_none_or(|tag| tag == name);
    is_itself && text.trim() == text && value(name, Cow::Borrowed(text)) == text
}

/// True for a tag that may follow the moves.
pub(super) fn is_closing(tag: &str) -> bool {
    CLOSING.contains(&tag)
}

/// The game that has a side of this name, and the name of the other side.
pub(super) fn side(plain: &str) -> Option<(&'static GameNotation, &'static str)> {
    GAMES.iter().find_map(|game| {
        let side = game.side_named(plain)?;
        Some((*game, game.side(!side).name))
    })
}

/// A value as the text form writes it: the game by its identifier, a result by its token. Others stay as they are.
pub(super) fn value<'a>(tag: &str, value: Cow<'a, str>) -> Cow<'a, str> {
    match tag {
        "Game" if crate::games::find(&value).is_none() => {
            let plain = plain_name(&value);
            let id = plain.split(' ').next().unwrap_or_default();
            crate::games::find(id).map_or(value, |game| Cow::Borrowed(game.id))
        }
        "Result" => outcome(&value).map_or(value, Cow::Borrowed),
        "Leg" => leg(&value).map_or(value, Cow::Borrowed),
        // As a word of the games it is the resignation; elsewhere it may be the abandoned game too.
        "Termination" if plain_name(&value) == "abandono" => "resignation".into(),
        "Termination" => termination_named(&value).map_or(value, Cow::Borrowed),
        "UTCTime" => time_of_day(&value).map_or(value, Cow::Owned),
        _ => value,
    }
}

/// The leg in words.
fn leg(text: &str) -> Option<&'static str> {
    match &*plain_name(text) {
        "ida" => Some("1"),
        "vuelta" => Some("2"),
        _ => None,
    }
}

/// A time of the day as `HH:MM:SS`; seconds and the leading zero may be missing from `text`.
fn time_of_day(text: &str) -> Option<String> {
    let parts: Vec<_> = text.split(':').collect();
    let is_part = |part: &&str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    let [hours, minutes, rest @ ..] = &parts[..] else { return None };
    let seconds = rest.first().unwrap_or(&"00");
    let is_time = rest.len() < 2 && [hours, minutes, seconds].into_iter().all(is_part);
    (is_time && minutes.len() == 2 && seconds.len() == 2).then(|| format!("{hours:0>2}:{minutes}:{seconds}"))
}

/// The result in a cell. Spreadsheets change its spelling: spaces, long dashes and `½`.
pub(super) fn outcome(cell: &str) -> Option<&'static str> {
    // Most cells are moves.
    if cell.len() > 24 || !cell.starts_with(['0', '1', '½', '*', ' ']) {
        return None;
    }
    let mut text: String = cell.chars().filter(|character| !character.is_whitespace()).collect();
    text = text.replace(['–', '—', '−', '‐', '‑'], "-").replace('½', "1/2").replace("0.5", "1/2").replace("0,5", "1/2");
    let known = ["1-0", "0-1", "1/2-1/2", "*"].into_iter().find(|known| *known == text);
    known.or_else(|| (text == "1/2").then_some("1/2-1/2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_marks_and_signs() {
        for (name, expected) in [
            ("N°", "n"),
            ("No.", "no"),
            (" Número ", "numero"),
            ("Reloj_Sol", "reloj sol"),
            ("SOL-CLOCK", "sol clock"),
            ("Evento:", "evento"),
            ("nu\u{301}mero", "numero"),
            ("#", "#"),
            ("Ñ", "ñ"),
            ("", ""),
        ] {
            assert_eq!(plain_name(name), expected, "{name}");
        }
    }

    #[test]
    fn clocks_name_their_owners() {
        for (name, owner) in [
            ("sol_clock", Some("sol")),
            ("Reloj de Sol", Some("sol")),
            ("tiempo restante luna", Some("luna")),
            ("time", Some("")),
            ("_clock", Some("")),
            ("sol", None),
            ("relojes", None),
        ] {
            assert_eq!(clock_owner(&plain_name(name)).as_deref(), owner, "{name}");
        }
    }

    #[test]
    fn tags_have_names_in_both_languages() {
        for (name, expected) in [
            ("Evento", Some("Event")),
            ("FECHA:", Some("Date")),
            ("time control", Some("TimeControl")),
            ("luna", Some("Luna")),
            ("Jugador Sol", Some("Sol")),
            ("Nombre de Sur:", Some("Sur")),
            ("Player Azul", Some("Azul")),
            ("Jugador", None),
            ("Partida", Some("Leg")),
            ("Partida (ida o vuelta)", Some("Leg")),
            ("Vuelta", Some("Leg")),
            ("Ciudad", Some("Site")),
            ("Día", Some("Date")),
            ("Final", Some("Termination")),
            ("Puntuación", Some("Points")),
            ("Campeonato", Some("Event")),
            ("Árbitro", None),
            ("n", None),
        ] {
            assert_eq!(tag_named(name), expected, "{name}");
        }
        assert_eq!(bare_side("movimiento de sol"), "sol");
        assert_eq!(bare_side("move sol luna"), "move sol luna");
        assert_eq!(bare_side("jugada blancas"), "jugada blancas");
        for (english, spanish, names) in TAGS {
            assert!(
                names.iter().all(|name| tag_named(name) == Some(english) && plain_name(name) == *name),
                "{english}"
            );
            assert_eq!([tag_named(english), tag_named(spanish)], [Some(*english); 2]);
        }
    }

    #[test]
    fn labels_of_unknown_tags() {
        for (label, expected) in [
            ("Árbitro", Some("Árbitro")),
            ("N.º de mesa", Some("N_º_de_mesa")),
            ("Nombre del árbitro (suplente)", Some("Nombre_del_árbitro_suplente")),
            ("2A3", None),
            ("Kd4-d3", None),
            ("d6-a6xa5/b6", None),
            ("12 Árbitro", None),
            ("N.º", None),
            ("", None),
        ] {
            assert_eq!(own_tag(label).as_deref(), expected, "{label}");
        }
        assert_eq!(own_tag(&"a".repeat(MAX_NAME + 1)), None);
    }

    #[test]
    fn terminations_have_names_in_both_languages() {
        let value = |text: &'static str| value("Termination", Cow::Borrowed(text));
        for (text, expected) in [
            ("Abandono", "resignation"),
            ("RENDICIÓN", "resignation"),
            ("Tiempo agotado", "time"),
            ("abandonada", "abandoned"),
            ("empate", "empate"),
            ("continent", "continent"),
        ] {
            assert_eq!(value(text), expected);
        }
        for (english, spanish, names) in TERMINATIONS {
            assert!(names.iter().all(|name| value(name) == *english && plain_name(name) == *name), "{english}");
            assert_eq!([value(english), value(spanish)], [*english; 2]);
        }
    }

    #[test]
    fn ends_on_the_board_have_spanish_names() {
        for (text, expected) in [("Continente", "continent"), ("inmóvil", "immobile"), ("Esquina", "corner")] {
            assert_eq!(termination_named(text), Some(expected), "{text}");
        }
        for (name, names) in BOARD_ENDS {
            assert!(names.iter().all(|own| termination_named(own) == Some(*name) && plain_name(own) == *own), "{name}");
        }
    }

    #[test]
    fn times_of_the_day() {
        for (cell, expected) in [
            ("9:04:05", Some("09:04:05")),
            ("15:04", Some("15:04:00")),
            ("15:04:05", Some("15:04:05")),
            ("15", None),
            ("15:4", None),
            ("15:04:05:06", None),
            ("15:04:05.1", None),
        ] {
            assert_eq!(time_of_day(cell).as_deref(), expected, "{cell}");
        }
    }

    #[test]
    fn results_in_the_spellings_of_spreadsheets() {
        for (cell, expected) in [
            ("1 - 0", Some("1-0")),
            ("0–1", Some("0-1")),
            ("½-½", Some("1/2-1/2")),
            ("½", Some("1/2-1/2")),
            ("0,5 - 0,5", Some("1/2-1/2")),
            ("*", Some("*")),
            ("1-1", None),
            ("0d3", None),
        ] {
            assert_eq!(outcome(cell), expected, "{cell}");
        }
    }
}
