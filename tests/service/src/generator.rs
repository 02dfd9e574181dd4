//! Verified games in any number, for archives as large as one likes: legal random play, and around it tournaments with
//! players, rounds and days. The same number is always the same game.

use std::fmt::Write;

use chrono::{Days, NaiveDate};
use fastrand::Rng;
use quipu_notation::{Side, games::GameNotation, record::Outcome};
use quipu_referee::{
    Game, Position, RuleSet,
    games::{andes::Andes, brandubh::Brandubh, pastores::Pastores, querni::Querni},
};

/// Players of all tournaments: a prime, so that any step goes round all of them.
const PLAYERS: usize = 5_003;
/// Players of one tournament, who meet all the others once.
const SEATS: usize = 16;
/// Games of one tournament.
const GAMES: usize = SEATS * (SEATS - 1) / 2;
/// Lines of play for each game; records that share one differ in players, days and clocks.
const LINES: usize = 256;

/// Makes records.
pub struct Generator {
    /// Lines of play by game, Andes first.
    lines: [Vec<Line>; 4],
}

/// The course of one game.
struct Line {
    game: &'static GameNotation,
    /// The name of the rule set; the first of a game has no tag.
    rules: Option<&'static str>,
    setup: Option<String>,
    tokens: Vec<String>,
    /// Another last move, after which the game ends in the same way; only after a resignation.
    other_last: Option<String>,
    outcome: Outcome,
    termination: &'static str,
}

impl Default for Generator {
    fn default() -> Self {
        Self::new()
    }
}

impl Generator {
    /// Plays the lines.
    ///
    /// # Panics
    /// If a game cannot be played.
    pub fn new() -> Self {
        let mut random = Rng::with_seed(1532);
        let mut lines = [const { Vec::new() }; 4];
        for _ in 0..LINES {
            lines[0].push(line::<Andes>(&mut random, &even, 0));
            lines[1].push(line::<Pastores>(&mut random, &even, 0));
            lines[2].push(line::<Querni>(&mut random, &even, 0));
            lines[3].push(line::<Brandubh>(&mut random, &even, 0));
        }
        Self { lines }
    }

    /// The moves of a game of Andes; the next number has those of another one.
    pub fn andes_moves(&self, number: usize) -> &[String] {
        &self.lines[0][number % LINES].tokens
    }

    /// The record of this number in canonical form.
    ///
    /// # Panics
    /// If there are more days than a calendar has.
    pub fn record(&self, number: usize) -> String {
        let (event, game) = (number / GAMES, number % GAMES);
        let (round, board) = (game / (SEATS / 2), game % (SEATS / 2));
        let mut random = Rng::with_seed(number as u64);
        // Every other tournament is one of Andes.
        let kind = if event.is_multiple_of(2) { 0 } else { 1 + event / 2 % 3 };
        let line = &self.lines[kind][random.usize(..LINES)];
        let [one, two] = seats(round, board).map(|seat| player(event, seat));
        let first_day = NaiveDate::from_ymd_opt(2020, 1, 1).expect("a day");
        let day = first_day.checked_add_days(Days::new((event % 2_500 + round) as u64)).expect("a day");
        let day = day.format("%Y.%m.%d");

        let roster =
            [("Event", format!("Torneo {}", event + 1)), ("Date", day.to_string()), ("Round", (round + 1).to_string())];
        let place = [("Board", (board + 1).to_string())];
        let moment = [("UTCDate", day.to_string()), ("UTCTime", format!("15:{board:02}:00"))];
        line.text([&roster, &place, &moment], [&one, &two], &line.tokens, &mut random)
    }

    /// A game of Andes between two players in canonical form, and another sheet of it, which differs in the last move. The
    /// number chooses a line that ends by resignation.
    ///
    /// # Panics
    /// If no line ends so.
    pub fn andes(&self, number: usize, roster: &[Tag<'_>], players: [&str; 2], place: &[Tag<'_>]) -> [String; 2] {
        let mut lines = self.lines[0].iter().cycle().skip(number % LINES).take(LINES);
        let found = lines.find_map(|line| Some((line, line.other_last.clone()?)));
        let (line, other) = found.expect("a line ends by resignation");
        let mut tokens = line.tokens.clone();
        let text =
            |tokens: &[String]| line.text([roster, place, &[]], players, tokens, &mut Rng::with_seed(number as u64));
        let first = text(&tokens);
        *tokens.last_mut().expect("a move") = other;
        [first, text(&tokens)]
    }
}

/// Makes records of games that differ, and share their first moves as those of players do.
pub struct RandomGames {
    random: Rng,
    number: usize,
}

/// Plies in which some moves are chosen much more often than others.
const OPENING: usize = 12;
/// Start positions of a game that deals them.
const DEALS: u64 = 8;

impl RandomGames {
    /// The same seed makes the same games.
    pub fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), number: 0 }
    }

    /// The next record, in canonical form: a game of each kind in turn, and of each rule set of a kind.
    ///
    /// # Panics
    /// If a game cannot be played.
    pub fn record(&mut self) -> String {
        self.record_of(self.number)
    }

    /// The next record, of the kind with a number: Andes, Pastores, Querni, Brandubh, and again from the first.
    ///
    /// # Panics
    /// If a game cannot be played.
    pub fn record_of(&mut self, kind: usize) -> String {
        let (random, number) = (&mut self.random, self.number);
        self.number += 1;
        let line = match kind % 4 {
            0 => line::<Andes>(random, &opening, 0),
            1 => line::<Pastores>(random, &opening, 0),
            2 => line::<Querni>(random, &opening, 0),
            _ => line::<Brandubh>(random, &opening, number / 4 % Brandubh::RULE_SETS.len()),
        };
        let roster = [("Event", format!("Torneo {}", number / GAMES + 1)), ("Round", (number % GAMES + 1).to_string())];
        let players = [player(number, 0), player(number, 1)];
        line.text([&roster, &[], &[]], players.each_ref().map(String::as_str), &line.tokens, random)
    }
}

/// Choices of a game: a start position of so many, and a move of so many at a ply.
type Choose = dyn Fn(&mut Rng, Choice) -> u64;

/// Something to choose.
#[derive(Clone, Copy)]
enum Choice {
    Deal,
    Move { count: usize, ply: usize },
}

/// All are equally likely.
fn even(random: &mut Rng, choice: Choice) -> u64 {
    match choice {
        Choice::Deal => random.clone().u64(..),
        Choice::Move { count, .. } => random.usize(..count) as u64,
    }
}

/// In the opening the first ones are much more likely.
fn opening(random: &mut Rng, choice: Choice) -> u64 {
    let skewed = |random: &mut Rng, count: u64| (0..3).fold(count, |most, _| random.u64(..=most)).min(count - 1);
    match choice {
        Choice::Deal => skewed(random, DEALS),
        Choice::Move { count, ply } if ply < OPENING => skewed(random, count as u64),
        Choice::Move { count, .. } => random.usize(..count) as u64,
    }
}

/// Name and value of a tag.
pub type Tag<'t> = (&'t str, String);

impl Line {
    /// The record in canonical form: tags before the players, after the result, and after the termination.
    fn text(&self, tags: [&[Tag<'_>]; 3], players: [&str; 2], tokens: &[String], random: &mut Rng) -> String {
        let mut text = String::with_capacity(2_048);
        let mut tag = |name: &str, value: &str| {
            writeln!(text, "[{name} \"{value}\"]").expect("a String takes everything");
        };
        let [roster, place, moment] = tags;
        tag("Game", self.game.id);
        if let Some(rules) = self.rules {
            tag("Rules", rules);
        }
        for (name, value) in roster {
            tag(name, value);
        }
        for side in Side::BOTH {
            tag(self.game.side(side).tag, players[side.index()]);
        }
        tag("Result", self.outcome.as_str());
        for (name, value) in place {
            tag(name, value);
        }
        if let Some(setup) = &self.setup {
            tag("Setup", setup);
        }
        tag("Termination", self.termination);
        for (name, value) in moment {
            tag(name, value);
        }
        let mut clocks = [720_000_u32; 2];
        for (index, token) in tokens.iter().enumerate() {
            let clock = &mut clocks[index % 2];
            *clock -= random.u32(1..15_000).min(*clock - 1);
            let (minutes, seconds, thousandths) = (*clock / 60_000, *clock / 1_000 % 60, *clock % 1_000);
            let before = if index % 2 == 0 { format!("\n{}. ", index / 2 + 1) } else { " ".to_owned() };
            write!(text, "{before}{token} {{[%clk 0:{minutes:02}:{seconds:02}.{thousandths:03}]}}")
                .expect("a String takes everything");
        }
        text + "\n" + self.outcome.as_str() + "\n\n"
    }
}

/// Another sheet of the game of a record: with this place, and without the tag of a name if one is given.
pub fn other_sheet(record: &str, site: usize, without: Option<&str>) -> String {
    let (game, rest) = record.split_once('\n').expect("a tag");
    let is_kept = |line: &&str| without.is_none_or(|name| !line.starts_with(&format!("[{name} ")));
    let rest: String = rest.split_inclusive('\n').filter(is_kept).collect();
    format!("{game}\n[Site \"{site}\"]\n{rest}")
}

/// Plays legal moves of a rule set, the number of which is given, at random until the game is over or somebody gives up.
#[expect(clippy::cast_possible_truncation, reason = "a choice is less than the number of moves")]
fn line<G: Game>(random: &mut Rng, choose: &Choose, set: usize) -> Line {
    let RuleSet { name, rules } = G::RULE_SETS[set];
    let initial = G::initial(rules, None);
    let mut position = match initial {
        Some(position) => position,
        None => G::deal(rules, choose(random, Choice::Deal), None).expect("a game starts from somewhere"),
    };
    let setup = initial.is_none().then(|| position.to_string());
    let written = |position: &G::Position, mv| {
        let mut token = String::new();
        position.write_move(mv, &mut token).expect("a String takes everything");
        token
    };
    let (mut tokens, mut other_last) = (Vec::new(), None);
    let most = random.usize(16..56);
    while position.end().is_none() && tokens.len() < most {
        let mut moves = Vec::new();
        position.each_move(|mv| moves.push(mv));
        let mv = moves[choose(random, Choice::Move { count: moves.len(), ply: tokens.len() }) as usize];
        tokens.push(written(&position, mv));
        if tokens.len() == most {
            let goes_on = |other: &&<G::Position as Position>::Move| {
                let mut after = position;
                after.play(**other);
                **other != mv && after.end().is_none()
            };
            other_last = moves.iter().find(goes_on).map(|other| written(&position, *other));
        }
        position.play(mv);
    }
    let resigned = Outcome::Win(!position.turn());
    let (outcome, termination) =
        position.end().map_or((resigned, "resignation"), |end| (end.outcome, end.termination.name));
    let other_last = other_last.filter(|_| position.end().is_none());
    let rules = (set > 0).then_some(name);
    Line { game: G::NOTATION, rules, setup, tokens, other_last, outcome, termination }
}

/// Seats of a board in a round, so that everybody meets everybody else once: one stays, the others rotate.
fn seats(round: usize, board: usize) -> [usize; 2] {
    let turning = SEATS - 1;
    let seat = |place: usize| if place == 0 { turning } else { (place + round) % turning };
    let pair = [seat(board), seat(turning - board)];
    if (round + board).is_multiple_of(2) { pair } else { [pair[1], pair[0]] }
}

/// The name of who sits somewhere in a tournament.
fn player(event: usize, seat: usize) -> String {
    const GIVEN: [&str; 16] = [
        "Ana", "Luis", "Rosa", "Julio", "Inti", "Wayra", "Nahuel", "Elena", "Edwin", "Luz", "Sumaq", "Katari",
        "Micaela", "Tomás", "Amaru", "Killa",
    ];
    const FAMILY: [&str; 20] = [
        "Quispe", "Mamani", "Choque", "Condori", "Huamán", "Ccori", "Painemal", "Curín", "Guamán", "Toaquiza",
        "Toconás", "Vilte", "Apaza", "Limachi", "Núñez", "Ñahui", "Cusi", "Yupanqui", "Flores", "Rojas",
    ];
    let number = (event * 1_709 + seat * 613) % PLAYERS;
    let (given, family) = (number % GIVEN.len(), number / GIVEN.len());
    format!("{} {}, {}", FAMILY[family % FAMILY.len()], FAMILY[family / FAMILY.len()], GIVEN[given])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quipu_archive::model::Submission;
    use quipu_notation::record::Chunk;
    use quipu_referee::Status;

    use super::*;

    #[test]
    fn records_are_verified_canonical_and_all_different() {
        let generator = Generator::new();
        let mut ids = BTreeSet::new();
        for number in (0..600).chain(999_000..999_100) {
            let text = generator.record(number);
            let made: Vec<_> = Submission::all(&Chunk::new(text.as_bytes())).collect();
            assert_eq!(made.len(), 1, "{text}");
            assert_eq!(made[0].verdict.status, Status::Verified, "{text} {:?}", made[0].verdict);
            assert_eq!(made[0].canonical, None, "{text}");
            assert!(made[0].facts.entry.is_some(), "{text}");
            assert!(ids.insert(made[0].id), "{text}");
        }
    }

    #[test]
    fn another_sheet_is_of_the_same_game() {
        let record = Generator::new().record(3);
        let submissions = [record.clone(), other_sheet(&record, 7, None), other_sheet(&record, 7, Some("Round"))]
            .map(|text| Submission::all(&Chunk::new(text.as_bytes())).next().expect("a record"));
        let keys = submissions
            .each_ref()
            .map(|one| one.facts.sheet.as_ref().and_then(quipu_referee::competition::HashedSheet::key));
        assert!(keys[0].is_some() && keys.iter().all(|key| *key == keys[0]));
        assert_eq!(submissions.iter().map(|one| one.id).collect::<BTreeSet<_>>().len(), 3);
    }

    #[test]
    fn everybody_meets_everybody_once() {
        let mut met = BTreeSet::new();
        for (round, board) in (0..SEATS - 1).flat_map(|round| (0..SEATS / 2).map(move |board| (round, board))) {
            let mut pair = seats(round, board);
            pair.sort_unstable();
            assert!(pair[0] < pair[1] && pair[1] < SEATS, "{round} {board}");
            assert!(met.insert(pair), "{round} {board}");
        }
        assert_eq!(met.len(), GAMES);
    }

    #[test]
    fn names_are_many_and_no_two_in_a_tournament_are_the_same() {
        let names = |event| (0..SEATS).map(|seat| player(event, seat)).collect::<BTreeSet<_>>();
        let all: BTreeSet<_> = (0..400).flat_map(names).collect();
        assert!((0..400).all(|event| names(event).len() == SEATS));
        assert!(all.len() > PLAYERS * 9 / 10, "{}", all.len());
    }
}
