//! Tables as CSV: entries in, pairings and standings out.

use crate::{
    fault::{self, Fault},
    model::{Change, Player, Tournament},
    standings::Standings,
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

/// The entries of a list with a line of column names; commas, semicolons or tabs separate. Only `name` is needed. `first` is
/// the first round of the players. Columns of other names are reported.
pub fn entries(text: &str, first: u32) -> Result<(Vec<Change>, Vec<Fault>), Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let head = text.lines().next().unwrap_or("");
    let delimiter = [b';', b'\t'].into_iter().find(|byte| head.as_bytes().contains(byte)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let unreadable = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        Fault::new(fault::UNREADABLE).with("line", line).with("field", "field.table").with("found", error)
    };
    let mut report = Vec::new();
    let mut fields = Vec::new();
    for name in reader.headers().map_err(|error| unreadable(&error))? {
        let plain = name.trim().to_lowercase();
        let field = COLUMNS.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(field, _)| *field);
        if field.is_none() && !plain.is_empty() {
            report.push(Fault::new(fault::UNUSED).with("line", 1).with("found", name));
        }
        fields.push(field);
    }
    if !fields.contains(&Some("name")) {
        return Err(Fault::new(fault::NO_COLUMN).with("column", "name"));
    }
    let mut changes = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| unreadable(&error))?;
        let line = row.position().map_or(0, csv::Position::line);
        let mut player = Player::default();
        for (field, value) in fields.iter().zip(&row) {
            let value = value.trim();
            let text = Some(value.to_owned()).filter(|value| !value.is_empty());
            match *field {
                Some("name") => value.clone_into(&mut player.name),
                Some("rating") if text.is_some() => {
                    let fault = || Fault::new(fault::UNREADABLE).with("line", line).with("field", "field.rating");
                    player.rating = Some(value.parse().map_err(|_| fault().with("found", value))?);
                }
                Some("id") => player.id = text,
                Some("federation") => player.federation = text,
                Some("club") => player.club = text,
                Some("title") => player.title = text,
                Some("sex") => player.sex = value.chars().next(),
                Some("born") => player.born = text,
                _ => {}
            }
        }
        if player.name.is_empty() {
            if row.iter().all(|value| value.trim().is_empty()) {
                continue;
            }
            return Err(Fault::new(fault::UNREADABLE).with("line", line).with("field", "field.name").with("found", ""));
        }
        changes.push(Change::Enter { player, first });
    }
    Ok((changes, report))
}

/// A round: `board,player1,player2,score1,score2`, then the byes without a board.
pub fn pairings(tournament: &Tournament, round: u32) -> String {
    let mut rows = vec![["board", "player1", "player2", "score1", "score2"].map(str::to_owned)];
    if let Some(paired) = tournament.round(round) {
        for (number, board) in (1..).zip(&paired.boards) {
            let [one, two] = board.players.map(|id| tournament.name(id).to_owned());
            let result = board.result(tournament.settings.encounter);
            let [first, second] =
                result.map_or([String::new(), String::new()], |result| result.scores.map(|score| score.to_string()));
            rows.push([i32::to_string(&number), one, two, first, second]);
        }
        for (id, bye) in &paired.byes {
            let score = bye.score(tournament.settings.bye).to_string();
            rows.push([String::new(), tournament.name(*id).to_owned(), String::new(), score, String::new()]);
        }
    }
    table(rows)
}

/// Standings: `place,player,score` and a column for each tie-break.
pub fn standings(tournament: &Tournament, standings: &Standings) -> String {
    let head =
        ["place", "player", "score"].into_iter().chain(standings.order.iter().map(|tie_break| tie_break.as_str()));
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for row in &standings.rows {
        let figures = row.figures.iter().map(|figure| figure.value.map_or(String::new(), |value| value.to_string()));
        let start = [row.place.to_string(), tournament.name(row.player).to_owned(), row.score.to_string()];
        rows.push(start.into_iter().chain(figures).collect());
    }
    table(rows)
}

fn table<R: IntoIterator<Item = String>>(rows: Vec<R>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.into_iter().map(guarded)).expect("a buffer takes all");
    }
    String::from_utf8(writer.into_inner().expect("a buffer takes all")).expect("it was text")
}

/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn guarded(value: String) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{value}") } else { value }
}
