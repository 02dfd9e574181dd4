//! Reading a report file.

use std::collections::BTreeMap;

use quipu_notation::Side;

use super::cell::{Cell, outcome};
use crate::{
    fault::{self, Fault},
    model::{
        About, Bye, Change, Encounter, GameResult, MAX_PLAYERS, MAX_ROUNDS, Player, PlayerId, System, TIME_CONTROL,
        TournamentSettings,
    },
    standings::TournamentTieBreak,
};

/// The changes that make the tournament of a report file, and remarks on what was not used. The player with the lowest
/// starting number becomes player 1.
pub fn read(text: &str) -> Result<(Vec<Change>, Vec<Fault>), Fault> {
    let mut file = File::default();
    for (number, line) in (1..).zip(text.split(['\n', '\r']).filter(|line| !line.trim().is_empty())) {
        file.line(number, line)?;
    }
    file.changes()
}

/// A player as read.
struct Line {
    place: usize,
    player: Player,
    cells: Vec<Cell>,
}

impl Line {
    /// True for a round before the first one that is no absence.
    fn is_late(&self, round: usize) -> bool {
        let missed = self.cells.iter().take_while(|cell| cell.is_absence()).count();
        missed < self.cells.len() && round < missed
    }
}

#[derive(Default)]
struct File {
    name: String,
    about: About,
    rounds: Option<u32>,
    first_side: Option<Side>,
    bye: Option<Bye>,
    time_control: Option<u32>,
    system: Option<System>,
    tie_breaks: Option<Vec<TournamentTieBreak>>,
    lines: BTreeMap<u32, Line>,
    forbidden: Vec<(usize, Vec<u32>)>,
    absences: Vec<(usize, Bye, u32, u32)>,
    report: Vec<Fault>,
}

/// Columns of a line, counted from 1 as in the format.
fn columns(line: &str, from: usize, to: usize) -> String {
    line.chars().skip(from - 1).take(to + 1 - from).collect::<String>().trim().to_owned()
}

fn unreadable(place: usize, field: &str, found: &str) -> Fault {
    Fault::new(fault::UNREADABLE).with("line", place).with("field", field).with("found", found)
}

fn number(place: usize, field: &str, text: &str) -> Result<u32, Fault> {
    text.parse().map_err(|_| unreadable(place, field, text))
}

impl File {
    fn line(&mut self, place: usize, line: &str) -> Result<(), Fault> {
        let code: String = line.chars().take(3).collect();
        let value = line.chars().skip(3).collect::<String>().trim().to_owned();
        match code.as_str() {
            "001" => self.player(place, line)?,
            "012" => self.name = value,
            "022" => self.about.city = value,
            "032" => self.about.federation = value,
            "042" => self.about.start = value,
            "052" => self.about.end = value,
            "092" => self.about.kind = value,
            "102" => self.about.arbiter = value,
            "112" => self.about.deputies.push(value),
            "122" => self.clock(value),
            "132" => self.about.days = value.split_whitespace().map(str::to_owned).collect(),
            "142" | "XXR" => self.rounds = Some(number(place, "field.rounds", &value)?),
            "152" | "XXC" => self.side(&value),
            "162" => self.points(place, &value),
            "192" => self.system(place, &value),
            "202" => self.tie_breaks(place, &value),
            "240" => self.absence(place, line)?,
            "260" => self.forbid(place, value.split_whitespace().skip(2))?,
            "XXP" => self.forbid(place, value.split_whitespace())?,
            // Counts, comments, and the virtual points that follow from the system.
            "062" | "072" | "082" | "###" => {}
            "XXA" | "250" => {
                self.system.get_or_insert(System::Swiss { accelerated: true });
            }
            _ => self.unused(place, &code),
        }
        Ok(())
    }

    fn unused(&mut self, place: usize, found: &str) {
        self.report.push(Fault::new(fault::UNUSED).with("line", place).with("found", found));
    }

    /// The time control: seconds as they are written here, or words.
    fn clock(&mut self, value: String) {
        let [least, most] = TIME_CONTROL;
        let seconds = value.strip_suffix(" s").and_then(|seconds| seconds.parse().ok());
        match seconds.filter(|seconds| (least..=most).contains(seconds)) {
            Some(seconds) => self.time_control = Some(seconds),
            None => self.about.clock = value,
        }
    }

    fn side(&mut self, value: &str) {
        self.first_side = match value {
            "W" | "w" => Some(Side::One),
            "B" | "b" => Some(Side::Two),
            _ if value.contains("white1") => Some(Side::One),
            _ if value.contains("black1") => Some(Side::Two),
            _ => self.first_side,
        };
    }

    /// Only the bye of the pairing may have other points than usual.
    fn points(&mut self, place: usize, value: &str) {
        let words: Vec<_> = value.split_whitespace().collect();
        match words.as_slice() {
            ["P", "0.5"] => self.bye = Some(Bye::Half),
            ["P", "0.0"] => self.bye = Some(Bye::Zero),
            _ => self.unused(place, value),
        }
    }

    fn system(&mut self, place: usize, value: &str) {
        let system = match value {
            _ if value.starts_with("FIDE_DUTCH") => System::Swiss { accelerated: value.ends_with("_BAKU") },
            "BERGER_ROUNDROBIN" | "BERGER_ROUNDROBIN_G1" | "FIDE_ROUNDROBIN" => System::RoundRobin { double: false },
            "BERGER_ROUNDROBIN_G2" | "BERGER_DOUBLEROUNDROBIN" => System::RoundRobin { double: true },
            "CUSTOM_KNOCKOUT" => System::Knockout { third_place: false },
            _ => {
                if value != "CUSTOM_SWISS" {
                    self.unused(place, value);
                }
                System::Manual
            }
        };
        self.system = Some(system);
    }

    fn tie_breaks(&mut self, place: usize, value: &str) {
        let mut order = Vec::new();
        for code in value.split(',').map(str::trim).filter(|code| !code.is_empty()) {
            match TournamentTieBreak::ALL.into_iter().find(|tie_break| tie_break.code() == Some(code)) {
                Some(tie_break) if !order.contains(&tie_break) => order.push(tie_break),
                _ => self.unused(place, code),
            }
        }
        self.tie_breaks = Some(order);
    }

    fn absence(&mut self, place: usize, line: &str) -> Result<(), Fault> {
        let bye = match columns(line, 5, 5).as_str() {
            "F" => Bye::Full,
            "H" => Bye::Half,
            "Z" => Bye::Zero,
            other => return Err(unreadable(place, "field.bye", other)),
        };
        let round = number(place, "field.round", &columns(line, 7, 9))?;
        for player in columns(line, 11, usize::MAX - 1).split_whitespace() {
            self.absences.push((place, bye, round, number(place, "field.number", player)?));
        }
        Ok(())
    }

    fn forbid<'p>(&mut self, place: usize, players: impl Iterator<Item = &'p str>) -> Result<(), Fault> {
        let players = players.map(|player| number(place, "field.number", player)).collect::<Result<_, _>>()?;
        self.forbidden.push((place, players));
        Ok(())
    }

    fn player(&mut self, place: usize, line: &str) -> Result<(), Fault> {
        let start = number(place, "field.number", &columns(line, 5, 8))?;
        let text = |from, to| Some(columns(line, from, to)).filter(|text| !text.is_empty());
        let rating = text(49, 52).map(|text| number(place, "field.rating", &text)).transpose()?;
        let player = Player {
            name: columns(line, 15, 47),
            id: text(58, 68).filter(|id| id != "0"),
            federation: text(54, 56),
            club: None,
            rating: rating.filter(|rating| *rating > 0),
            title: text(11, 13),
            sex: text(10, 10).and_then(|sex| sex.chars().next()),
            born: text(70, 79),
        };
        let rest: Vec<char> = line.chars().skip(91).collect();
        let mut cells = Vec::new();
        for cell in rest.chunks(10) {
            let text: String = cell.iter().take(8).collect();
            cells.push(Cell::read(&text).ok_or_else(|| unreadable(place, "field.result", text.trim()))?);
        }
        if cells.len() > MAX_ROUNDS as usize {
            return Err(Fault::new(fault::NO_ROUND).with("rounds", MAX_ROUNDS));
        }
        if self.lines.len() == MAX_PLAYERS {
            return Err(Fault::new(fault::TOO_MANY).with("most", MAX_PLAYERS));
        }
        if self.lines.insert(start, Line { place, player, cells }).is_some() {
            return Err(contradiction(place, start));
        }
        Ok(())
    }

    fn changes(mut self) -> Result<(Vec<Change>, Vec<Fault>), Fault> {
        let played = self.lines.values().map(|line| line.cells.len()).max().unwrap_or(0);
        let numbers: BTreeMap<u32, PlayerId> = self.lines.keys().copied().zip((1..).map(PlayerId)).collect();
        let id = |place: usize, start: u32| {
            numbers.get(&start).copied().ok_or_else(|| unreadable(place, "field.number", &start.to_string()))
        };
        let played_rounds = u32::try_from(played).unwrap_or(u32::MAX);
        let system = self.system.unwrap_or(System::Swiss { accelerated: false });
        let encounter = Encounter::Single;
        let settings = TournamentSettings {
            name: std::mem::take(&mut self.name),
            system,
            rounds: self.rounds.unwrap_or(played_rounds).max(played_rounds).max(1),
            encounter,
            seed: 0,
            first_side: self.first_side.or_else(|| self.side_of_first()),
            bye: self.bye.unwrap_or(Bye::Full),
            time_control: self.time_control,
            tie_breaks: self.tie_breaks.take().unwrap_or_else(|| system.usual_tie_breaks(encounter)),
        };
        let has_absences = matches!(settings.system, System::Swiss { .. } | System::Manual);
        let mut changes =
            vec![Change::Create { settings }, Change::Describe { about: std::mem::take(&mut self.about) }];
        for line in self.lines.values() {
            let missed = line.cells.iter().take_while(|cell| cell.is_absence()).count();
            let missed = if missed == line.cells.len() { 0 } else { missed };
            let first = u32::try_from(missed + 1).unwrap_or(u32::MAX);
            changes.push(Change::Enter { player: line.player.clone(), first: if has_absences { first } else { 1 } });
        }
        for (place, players) in &self.forbidden {
            for (index, one) in players.iter().enumerate() {
                for two in &players[index + 1..] {
                    changes.push(Change::Forbid { players: [id(*place, *one)?, id(*place, *two)?] });
                }
            }
        }
        for round in 0..played {
            self.round(round, has_absences, &id, &mut changes)?;
        }
        for (place, bye, round, player) in &self.absences {
            if !has_absences {
                self.report.push(Fault::new(fault::UNUSED).with("line", place).with("found", "240"));
            } else if *round as usize > played {
                changes.push(Change::Absent { id: id(*place, *player)?, round: *round, bye: *bye });
            }
        }
        Ok((changes, self.report))
    }

    /// The side of the first player in the first round.
    fn side_of_first(&self) -> Option<Side> {
        match self.lines.values().next()?.cells.first()? {
            Cell::Game { side, .. } => Some(*side),
            _ => None,
        }
    }

    fn round(
        &self,
        round: usize,
        has_absences: bool,
        id: &impl Fn(usize, u32) -> Result<PlayerId, Fault>,
        changes: &mut Vec<Change>,
    ) -> Result<(), Fault> {
        let number = u32::try_from(round + 1).unwrap_or(u32::MAX);
        let (mut boards, mut results, mut bye) = (Vec::new(), Vec::new(), None);
        let mut is_complete = true;
        for (start, line) in &self.lines {
            let own = id(line.place, *start)?;
            if has_absences && line.is_late(round) {
                continue;
            }
            let cell = line.cells.get(round).copied().unwrap_or(Cell::Out);
            match cell {
                Cell::Out if has_absences => {
                    let rest = line.cells.get(round..).unwrap_or(&[]);
                    let was_in = line.cells[..round.min(line.cells.len())].iter().any(|cell| *cell != Cell::Out);
                    let is_over = rest.iter().all(|cell| *cell == Cell::Out);
                    let was_last_in = round == 0 || line.cells.get(round - 1).is_some_and(|cell| *cell != Cell::Out);
                    if is_over && (was_in || round == 0) && was_last_in {
                        changes.push(Change::Withdraw { id: own, round: number });
                    } else if was_in && !is_over {
                        changes.push(Change::Absent { id: own, round: number, bye: Bye::Zero });
                    }
                }
                Cell::Bye(Bye::Allocated) => bye = Some(own),
                Cell::Bye(kind) if has_absences => {
                    changes.push(Change::Absent { id: own, round: number, bye: kind });
                }
                Cell::Bye(_) => bye = Some(own),
                Cell::Out => {}
                Cell::Game { opponent, side, result } => {
                    let other = self.lines.get(&opponent).and_then(|line| line.cells.get(round).copied());
                    let Some(Cell::Game { opponent: back, side: other_side, result: other_result }) = other else {
                        return Err(contradiction(line.place, opponent));
                    };
                    if back != *start || other_side == side {
                        return Err(contradiction(line.place, opponent));
                    }
                    if side == Side::Two {
                        continue;
                    }
                    let players = [own, id(line.place, opponent)?];
                    boards.push(players);
                    match (result, other_result) {
                        (Some(one), Some(two)) => {
                            let (outcome, rated) =
                                outcome(one, two).ok_or_else(|| contradiction(line.place, opponent))?;
                            let result = GameResult { rated, ..GameResult::by_arbiter(outcome) };
                            results.push((boards.len(), players, result));
                        }
                        (None, None) => is_complete = false,
                        _ => return Err(contradiction(line.place, opponent)),
                    }
                }
            }
        }
        changes.push(Change::Pair { round: number, boards, bye });
        for (board, players, result) in results {
            let board = u32::try_from(board).unwrap_or(u32::MAX);
            changes.push(Change::Result { round: number, board, game: 1, players, result });
        }
        if is_complete {
            changes.push(Change::Close { round: number });
        }
        Ok(())
    }
}

fn contradiction(place: usize, player: u32) -> Fault {
    Fault::new(fault::CONTRADICTION).with("line", place).with("player", player)
}
