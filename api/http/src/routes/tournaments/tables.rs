//! Rounds and standings as tables.

use quipu_archive::store::StoredTournament;
use quipu_referee::report::standings_csv::plain;
use quipu_tournament::{
    model::{Bye, Tournament},
    standings::TournamentStandings,
};

/// Rows of cells, the names of columns first.
pub(super) type Rows = Vec<Vec<String>>;

/// A round: its boards, then the players without one.
pub(super) fn round(stored: &StoredTournament, round: u32) -> Rows {
    let tournament = &stored.tournament;
    let mut rows = vec![["board", "player1", "player2", "score1", "score2"].map(str::to_owned).to_vec()];
    let Some(paired) = tournament.round(round) else { return rows };
    for (number, board) in (1_u32..).zip(&paired.boards) {
        let result = board.result(tournament.settings.encounter);
        let scores = result.map_or_else(<[String; 2]>::default, |result| result.scores.map(|score| score.to_string()));
        let names = board.players.map(|id| plain(tournament.name(id)));
        rows.push([number.to_string()].into_iter().chain(names).chain(scores).collect());
    }
    rows.extend(paired.byes.iter().map(|(id, bye)| {
        let (name, score) = (plain(tournament.name(*id)), bye_score(tournament, *bye));
        vec![String::new(), name, String::new(), score, String::new()]
    }));
    rows
}

fn bye_score(tournament: &Tournament, bye: Bye) -> String {
    bye.score(tournament.settings.bye).to_string()
}

/// Standings: places, players, scores, and a column for each tie-break.
pub(super) fn standings(stored: &StoredTournament, standings: &TournamentStandings) -> Rows {
    let fixed = ["place", "name", "score", "wins", "draws", "losses"].into_iter();
    let head = fixed.chain(standings.order.iter().map(|tie_break| tie_break.as_str()));
    let rows = standings.rows.iter().map(|row| {
        let start = [row.place.to_string(), plain(stored.tournament.name(row.player)), row.score.to_string()];
        let played = row.played.map(|count| count.to_string());
        let figures = row.figures.iter().map(|figure| figure.value.map_or_else(String::new, |value| value.to_string()));
        start.into_iter().chain(played).chain(figures).collect()
    });
    std::iter::once(head.map(str::to_owned).collect()).chain(rows).collect()
}

pub(super) fn csv(rows: Rows) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    for row in rows {
        drop(writer.write_record(row));
    }
    writer.into_inner().unwrap_or_default()
}
