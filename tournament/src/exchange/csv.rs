//! Entry lists as CSV.

use crate::{
    fault::{self, Fault},
    model::{Change, MAX_PLAYERS, MAX_RATING, Player},
};

/// Names of columns of an entry list, in both languages, and the field that each fills.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("name", &["name", "nombre", "player", "jugador"]),
    ("rating", &["rating", "elo"]),
    ("id", &["id", "fide_id", "fide"]),
    ("federation", &["federation", "federación", "federacion", "fed"]),
    ("club", &["club"]),
    ("title", &["title", "título", "titulo"]),
    ("sex", &["sex", "sexo"]),
    ("born", &["born", "nacimiento", "birth"]),
];

/// Names of sexes in both languages, and the letter that exchange files have. A lone `m` is that of these files: a man.
const SEXES: [(char, &[&str]); 2] = [
    ('m', &["m", "h", "man", "male", "hombre", "masculino", "varón", "varon"]),
    ('w', &["w", "f", "woman", "female", "mujer", "femenino", "femenina"]),
];

/// Characters that may separate cells; the last one does if the headings have neither of the others.
const DELIMITERS: [char; 3] = [';', '\t', ','];

/// The entries of a list with a line of column names; commas, semicolons or tabs separate. Only `name` is needed. `first` is
/// the first round of the players. Columns of other names are reported.
pub fn entries(text: &str, first: u32) -> Result<(Vec<Change>, Vec<Fault>), Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_empty = |line: &&str| {
        line.trim_matches(|letter: char| letter.is_whitespace() || DELIMITERS.contains(&letter)).is_empty()
    };
    let empty: Vec<&str> = text.split_inclusive('\n').take_while(is_empty).collect();
    let text = &text[empty.iter().map(|line| line.len()).sum()..];
    let top = empty.len() as u64 + 1;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut row = csv::StringRecord::new();
    let mut columns = None;
    let mut changes = Vec::new();
    let mut report = Vec::new();
    loop {
        let is_read = reader.read_record(&mut row).map_err(|error| {
            let line = error.position().map_or(top, |place| top + place.line() - 1);
            Fault::new(fault::UNREADABLE).with("line", line).with("field", "field.table").with("found", error)
        })?;
        let Some(columns) = &columns else {
            columns = Some(fields(&row, top, &mut report)?);
            continue;
        };
        if !is_read {
            return Ok((changes, report));
        }
        let place = row.position().map_or((0, top), |place| (place.byte(), top + place.line() - 1));
        let end = reader.position().byte();
        let written = usize::try_from(place.0).ok().zip(usize::try_from(end).ok());
        let quotes = written.and_then(|(from, to)| text.get(from..to)).unwrap_or("").matches('"').count();
        if quotes % 2 == 1 || row.iter().any(|cell| cell.contains(['\n', '\r'])) {
            return Err(Fault::new(fault::OPEN_QUOTE).with("line", place.1));
        }
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if changes.len() == MAX_PLAYERS {
            return Err(Fault::new(fault::TOO_MANY).with("most", MAX_PLAYERS));
        }
        changes.push(Change::Enter { player: player(columns, &row, place.1)?, first });
    }
}

/// The delimiter by the line of headings, outside of quotation marks.
fn delimiter(text: &str) -> u8 {
    let mut is_quoted = false;
    let head: String = text
        .lines()
        .next()
        .unwrap_or("")
        .chars()
        .filter(|letter| {
            is_quoted ^= *letter == '"';
            !is_quoted
        })
        .collect();
    DELIMITERS.into_iter().find(|letter| head.contains(*letter)).map_or(b',', |letter| letter as u8)
}

/// The field of each column, by the headings.
fn fields(
    headings: &csv::StringRecord,
    line: u64,
    report: &mut Vec<Fault>,
) -> Result<Vec<Option<&'static str>>, Fault> {
    let mut fields = Vec::new();
    for heading in headings {
        let plain = heading.trim().to_lowercase();
        let field = COLUMNS.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(field, _)| *field);
        if field.is_none() && !plain.is_empty() {
            report.push(Fault::new(fault::UNUSED).with("line", line).with("found", heading));
        }
        if field.is_some() && fields.contains(&field) {
            return Err(Fault::new(fault::SAME_COLUMN).with("line", line).with("found", heading));
        }
        fields.push(field);
    }
    if fields.contains(&Some("name")) { Ok(fields) } else { Err(Fault::new(fault::NO_COLUMN).with("column", "name")) }
}

/// The player of a row.
fn player(fields: &[Option<&str>], row: &csv::StringRecord, line: u64) -> Result<Player, Fault> {
    if let Some(extra) = row.iter().skip(fields.len()).find(|cell| !cell.trim().is_empty()) {
        return Err(Fault::new(fault::EXTRA_CELL).with("line", line).with("found", extra.trim()));
    }
    let unreadable =
        |field, found: &str| Fault::new(fault::UNREADABLE).with("line", line).with("field", field).with("found", found);
    let mut player = Player::default();
    for (field, value) in fields.iter().zip(row) {
        let text = Some(value.trim()).filter(|value| !value.is_empty());
        let owned = text.map(str::to_owned);
        match *field {
            Some("name") => text.unwrap_or_default().clone_into(&mut player.name),
            Some("rating") => {
                let rating = |text: &str| text.parse().ok().filter(|rating| *rating <= MAX_RATING);
                player.rating =
                    text.map(|text| rating(text).ok_or_else(|| unreadable("field.rating", text))).transpose()?;
            }
            Some("id") => player.id = owned,
            Some("federation") => player.federation = owned,
            Some("club") => player.club = owned,
            Some("title") => player.title = owned,
            Some("sex") => {
                player.sex = text.map(|text| sex(text).ok_or_else(|| unreadable("field.sex", text))).transpose()?;
            }
            Some("born") => player.born = owned,
            _ => {}
        }
    }
    if player.name.is_empty() { Err(unreadable("field.name", "")) } else { Ok(player) }
}

fn sex(text: &str) -> Option<char> {
    let text = text.to_lowercase();
    SEXES.into_iter().find_map(|(letter, names)| names.contains(&text.as_str()).then_some(letter))
}
