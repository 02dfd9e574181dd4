//! Writing a report file.

use std::{cmp::Reverse, collections::BTreeSet, fmt::Write};

use quipu_notation::Side;

use super::{
    Edition,
    cell::{Cell, bye_letter},
};
use crate::{
    fault::{self, Fault},
    model::{Bye, Encounter, Origin, Player, PlayerId, System, Tournament},
    standings::standings,
    swiss::virtual_points,
};

/// A report file, with the facts that it has no field for or only a short one.
pub fn write(tournament: &Tournament, edition: Edition) -> (String, Vec<Fault>) {
    let mut writer = Writer::new(tournament, edition);
    writer.head();
    writer.players();
    writer.pairs();
    writer.virtual_points();
    writer.byes_to_come();
    writer.report_rest();
    (writer.text, writer.report)
}

struct Writer<'t> {
    tournament: &'t Tournament,
    edition: Edition,
    /// The players by their starting numbers.
    list: Vec<PlayerId>,
    numbers: Vec<u32>,
    text: String,
    report: Vec<Fault>,
}

impl<'t> Writer<'t> {
    fn new(tournament: &'t Tournament, edition: Edition) -> Self {
        let mut list: Vec<_> = tournament.ids().collect();
        list.sort_by_key(|id| (Reverse(tournament.rating(*id)), *id));
        let mut numbers = vec![0; list.len()];
        for (number, id) in (1..).zip(&list) {
            numbers[id.0 as usize - 1] = number;
        }
        Self { tournament, edition, list, numbers, text: String::new(), report: Vec::new() }
    }

    fn number(&self, id: PlayerId) -> u32 {
        self.numbers[id.0 as usize - 1]
    }

    fn line(&mut self, code: &str, value: &str) {
        if !value.is_empty() {
            writeln!(self.text, "{code} {}", in_line(value)).expect("a text takes all");
        }
    }

    fn head(&mut self) {
        let (tournament, about) = (self.tournament, &self.tournament.about);
        let settings = &tournament.settings;
        self.line("012", &settings.name);
        self.line("022", &about.city);
        self.line("032", &about.federation);
        self.line("042", &about.start);
        self.line("052", &about.end);
        self.line("062", &self.list.len().to_string());
        let rated = self.list.iter().filter(|id| tournament.rating(**id) > 0).count();
        self.line("072", &rated.to_string());
        self.line("092", &about.kind);
        self.line("102", &about.arbiter);
        for deputy in &about.deputies {
            self.line("112", deputy);
        }
        match tournament.time_control {
            Some(seconds) if about.clock.is_empty() => self.line("122", &format!("{seconds} s")),
            _ => self.line("122", &about.clock),
        }
        if !about.days.is_empty() {
            let days: String = about.days.iter().map(|day| format!("  {day:>8}")).collect();
            // The day of round 1 begins in column 92, as its result does.
            self.line("132", &format!("{:85}{days}", ""));
        }
        let first = settings.initial_side();
        if self.edition == Edition::Trf16 {
            self.line("XXR", &tournament.round_count().to_string());
            self.line("XXC", if first == Side::One { "white1" } else { "black1" });
            return;
        }
        self.line("142", &tournament.round_count().to_string());
        self.line("152", if first == Side::One { "W" } else { "B" });
        match settings.bye {
            Bye::Half => self.line("162", " P 0.5"),
            Bye::Zero => self.line("162", " P 0.0"),
            Bye::Full | Bye::Allocated => {}
        }
        self.line("192", type_code(settings.system));
        let codes: Vec<_> = tournament.tie_breaks.iter().filter_map(|tie_break| tie_break.code()).collect();
        self.line("202", &codes.join(","));
        let without = tournament.tie_breaks.iter().filter(|tie_break| tie_break.code().is_none());
        let without: Vec<_> = without.map(|tie_break| tie_break.as_str()).collect();
        self.report_field("field.tie-breaks", &without);
    }

    /// Reports a field that the format lacks, once with all its values.
    fn report_field(&mut self, field: &'static str, values: &[&str]) {
        if !values.is_empty() {
            let of = format!(": {}", values.join(", "));
            self.report.push(Fault::new(fault::NO_FIELD).with("field", field).with("of", of));
        }
    }

    fn players(&mut self) {
        let tournament = self.tournament;
        let histories = tournament.histories();
        let standings = standings(tournament, None);
        for id in self.list.clone() {
            let index = id.0 as usize - 1;
            let player = &tournament.entrants[index].player;
            let row = standings.rows.iter().find(|row| row.player == id);
            let (score, rank) = row.map_or((String::from("0.0"), 0), |row| (decimal(row.score.halves()), row.place));
            let mut line = self.player(id, player);
            write!(line, " {score:>4} {rank:>4}").expect("a text takes all");
            for (round, slot) in histories[index].iter().enumerate() {
                let is_rated = match slot {
                    crate::model::Slot::Encounter { board, .. } => {
                        let games = &tournament.rounds[round].boards[*board].games;
                        games.iter().flatten().any(|game| game.rated)
                    }
                    _ => true,
                };
                // Rounds before a late entry are absences, as pairing programs expect; those after a withdrawal are blank.
                let is_late = round + 1 < tournament.entrants[index].first as usize;
                let cell = if is_late { Cell::Bye(Bye::Zero) } else { Cell::of(slot, is_rated, |id| self.number(id)) };
                line.push_str(&cell.text());
            }
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
        let clubs: BTreeSet<_> =
            tournament.entrants.iter().filter_map(|entrant| entrant.player.club.as_deref()).collect();
        self.report_field("field.club", &clubs.into_iter().collect::<Vec<_>>());
    }

    /// The fixed columns of a player, up to the birth date.
    fn player(&mut self, id: PlayerId, player: &Player) -> String {
        let number = self.number(id);
        let sex = player.sex.filter(|sex| !sex.is_control()).unwrap_or(' ');
        let mut field = |name: &'static str, value: Option<&str>, width: usize| {
            let value = in_line(value.unwrap_or(""));
            let short: String = value.chars().take(width).collect();
            if short.len() < value.len() {
                self.report.push(
                    Fault::new(fault::SHORTENED).with("field", name).with("of", &player.name).with("width", width),
                );
            }
            format!("{short:width$}")
        };
        let title = field("field.title", player.title.as_deref(), 3);
        let name = field("field.name", Some(&player.name), 33);
        let federation = field("field.federation", player.federation.as_deref(), 3);
        let code = field("field.id", player.id.as_deref(), 11);
        let code = format!("{:>11}", code.trim_end());
        let born = field("field.born", player.born.as_deref(), 10);
        let rating = player.rating.filter(|rating| *rating > 0).map_or(String::new(), |rating| rating.to_string());
        let rating = field("field.rating", Some(&rating), 4);
        let rating = format!("{:>4}", rating.trim_end());
        format!("001 {number:>4} {sex}{title} {name} {rating} {federation} {code} {born}")
    }

    fn pairs(&mut self) {
        let numbers = |pair: &[PlayerId; 2]| {
            let mut numbers = pair.map(|id| self.number(id));
            numbers.sort_unstable();
            numbers
        };
        let mut pairs: Vec<[u32; 2]> = self.tournament.forbidden.iter().map(numbers).collect();
        pairs.sort_unstable();
        for [one, two] in pairs {
            match self.edition {
                Edition::Trf16 => self.line("XXP", &format!("{one} {two}")),
                Edition::Trf26 => {
                    let last = self.tournament.round_count();
                    self.line("260", &format!("{:03} {last:03} {one:>4} {two:>4}", 1));
                }
            }
        }
    }

    fn virtual_points(&mut self) {
        if !matches!(self.tournament.settings.system, System::Swiss { accelerated: true }) {
            return;
        }
        let all = virtual_points(self.tournament);
        let rounds = (self.tournament.next_round()).min(self.tournament.round_count()) as usize;
        for id in self.list.clone() {
            let points = &all[id.0 as usize - 1][..rounds];
            if points.iter().all(|halves| *halves == 0) {
                continue;
            }
            let number = self.number(id);
            match self.edition {
                Edition::Trf16 => {
                    let points: String = points.iter().map(|halves| format!(" {:>4}", decimal(*halves))).collect();
                    self.line("XXA", &format!("{number:>4}{points}"));
                }
                Edition::Trf26 => {
                    let mut first = 1;
                    for equal in points.chunk_by(|one, two| one == two) {
                        let last = first + equal.len() - 1;
                        if equal[0] > 0 {
                            let points = decimal(equal[0]);
                            self.line("250", &format!("     {points:>4} {first:>3} {last:>3} {number:>4} {number:>4}"));
                        }
                        first = last + 1;
                    }
                }
            }
        }
    }

    /// Absences in rounds that are not paired yet.
    fn byes_to_come(&mut self) {
        let tournament = self.tournament;
        let mut absent = Vec::new();
        for id in self.list.clone() {
            let entrant = &tournament.entrants[id.0 as usize - 1];
            for (round, bye) in entrant.absences.range(tournament.next_round()..) {
                match self.edition {
                    Edition::Trf26 => {
                        let number = self.number(id);
                        self.line("240", &format!("{} {round:>3} {number:>4}", bye_letter(*bye)));
                    }
                    Edition::Trf16 => absent.push(entrant.player.name.as_str()),
                }
            }
        }
        absent.dedup();
        self.report_field("field.absence", &absent);
    }

    fn report_rest(&mut self) {
        let settings = &self.tournament.settings;
        let mut missing = Vec::new();
        if settings.encounter != Encounter::Single {
            missing.push("field.games");
        }
        let games =
            || self.tournament.rounds.iter().flat_map(|round| &round.boards).flat_map(|board| &board.games).flatten();
        if self.tournament.time_control.is_some() && !self.tournament.about.clock.is_empty() {
            missing.push("setting.time-control");
        }
        if games().any(|game| game.tallies.is_some()) {
            missing.push("field.points");
        }
        if games().any(|game| matches!(game.origin, Origin::Record(_))) {
            missing.push("field.records");
        }
        if self.edition == Edition::Trf16 {
            missing.push("field.tie-breaks");
            missing.push("field.system");
            if matches!(settings.bye, Bye::Half | Bye::Zero) {
                missing.push("field.bye");
            }
        }
        self.report
            .extend(missing.into_iter().map(|field| Fault::new(fault::NO_FIELD).with("field", field).with("of", "")));
    }
}

/// A text of a tournament that was stored without checks: a line break would begin another line of the file.
fn in_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Half points as `11.5`.
fn decimal(halves: u64) -> String {
    format!("{}.{}", halves / 2, 5 * (halves % 2))
}

/// The code of a system in the table of FIDE.
const fn type_code(system: System) -> &'static str {
    match system {
        System::Swiss { accelerated: false } => "FIDE_DUTCH_2026",
        System::Swiss { accelerated: true } => "FIDE_DUTCH_2026_BAKU",
        System::RoundRobin { double: false } => "BERGER_ROUNDROBIN_G1",
        System::RoundRobin { double: true } => "BERGER_ROUNDROBIN_G2",
        System::Knockout { .. } => "CUSTOM_KNOCKOUT",
        System::Manual => "CUSTOM_SWISS",
    }
}
