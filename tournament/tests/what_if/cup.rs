//! Random small cups that are not over: every system, encounters of one game and several, points, byes, withdrawals, forfeits.

use quipu_tournament::{
    model::{
        Board, Bye, Change, Encounter, GameOutcome, GameResult, Player, PlayerId, System, Tally, Tournament,
        TournamentSettings,
    },
    pairing,
    random::Random,
    standings::TournamentTieBreak,
};

/// Open encounters of a cup whose encounters are all known, at most.
const OPEN: usize = 5;

/// A cup.
#[derive(Clone, Debug)]
pub(crate) struct Cup {
    pub(crate) tournament: Tournament,
    random: Random,
    /// True if its games have points.
    has_points: bool,
    /// A player who wins or loses all further encounters, if the rules let it happen.
    fate: Option<(PlayerId, bool)>,
}

impl Cup {
    /// The cup of a seed, with some boards of its last paired round open.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let system = match seed % 5 {
            0 | 1 => System::Swiss { accelerated: false },
            2 => System::RoundRobin { double: false },
            3 => System::RoundRobin { double: true },
            _ => System::Knockout { third_place: random.below(2) == 0 },
        };
        let most = if seed % 5 == 3 { 4 } else { 6 };
        let players = 3 + random.below(most - 2);
        let encounter = match random.below(5) {
            0 | 1 => Encounter::Single,
            2 | 3 => Encounter::TwoLegs,
            _ => Encounter::Games { count: 3 },
        };
        let settings = TournamentSettings {
            name: format!("Copa {seed}"),
            system,
            rounds: 1 + small(random.below(4.min(players - 1))),
            encounter,
            seed,
            first_side: None,
            bye: [Bye::Full, Bye::Half, Bye::Zero][random.below(3)],
            time_control: None,
            tie_breaks: order(&mut random),
        };
        let has_points = random.below(2) == 0;
        let mut cup =
            Self { tournament: Tournament::new(settings).expect("good settings"), random, has_points, fate: None };
        for number in 0..players {
            cup.enter(number, 1);
        }
        cup.begin();
        cup
    }

    fn enter(&mut self, number: usize, first: u32) {
        let rating = [None, Some(1500), Some(1500 + small(self.random.below(500)))][self.random.below(3)];
        let player = Player { name: format!("Jugador {number}"), rating, ..Player::default() };
        self.apply(&Change::Enter { player, first });
    }

    fn apply(&mut self, change: &Change) {
        self.tournament.apply(change).expect("it is allowed");
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    /// Plays some rounds, and a part of the last one.
    fn begin(&mut self) {
        let rounds = self.tournament.round_count();
        let mut last = 1 + small(self.random.below(rounds as usize));
        if matches!(self.tournament.settings.system, System::RoundRobin { .. }) {
            let boards = self.tournament.entrants.len() / 2;
            last = last.max(rounds.saturating_sub(small(OPEN / boards) - 1)).min(rounds);
        }
        for round in 1..=last {
            self.leave();
            if round > 1 && !self.tournament.has_fixed_field() && self.chance(6) {
                self.enter(self.tournament.entrants.len(), round);
            }
            if !self.pair() {
                return;
            }
            let boards = small(self.tournament.rounds[round as usize - 1].boards.len());
            for board in 1..=boards {
                let is_open = round == last && !self.chance(4);
                let games = self.tournament.settings.encounter.games() as usize;
                let until = if is_open { self.random.below(games) } else { games };
                self.play(board, until);
            }
            if round < last && !self.close() {
                return;
            }
        }
    }

    /// Pairs the next round, if the system can.
    fn pair(&mut self) -> bool {
        let paired = pairing::next(&self.tournament);
        paired.is_ok_and(|pairing| self.tournament.apply(&pairing.change()).is_ok())
    }

    fn close(&mut self) -> bool {
        let round = self.tournament.next_round() - 1;
        self.tournament.apply(&Change::Close { round }).is_ok()
    }

    /// Absences and withdrawals, also from later rounds.
    fn leave(&mut self) {
        let round = self.tournament.next_round();
        let is_fixed = self.tournament.has_fixed_field();
        let is_knockout = matches!(self.tournament.settings.system, System::Knockout { .. });
        for id in self.tournament.playing(round) {
            let withdrawn = self.tournament.entrants.iter().filter(|entrant| entrant.withdrawn.is_some()).count();
            let from = round + small(self.random.below(3));
            // Two who do not come to an encounter of a knock-out end it.
            let may_withdraw = from > 1 && (withdrawn == 0 || !is_knockout);
            match self.random.below(24) {
                0 | 1 if may_withdraw && self.tournament.entrants[id.0 as usize - 1].withdrawn.is_none() => {
                    self.apply(&Change::Withdraw { id, round: from });
                }
                number @ 2..=4 if !is_fixed => {
                    let bye = [Bye::Full, Bye::Half, Bye::Zero][number - 2];
                    self.apply(&Change::Absent { id, round, bye });
                }
                _ => {}
            }
        }
    }

    /// Plays a board of the last round until it has so many games.
    fn play(&mut self, number: u32, until: usize) {
        let round = self.tournament.next_round();
        let (last, round) = (round > self.tournament.round_count(), round - 1);
        let board = self.tournament.rounds[round as usize - 1].boards[number as usize - 1].clone();
        let is_decisive = matches!(self.tournament.settings.system, System::Knockout { .. }) && !last;
        let plan = self.plan(&board, round, is_decisive);
        for (game, planned) in
            (1..).zip(plan).skip(board.games.iter().flatten().count()).take_while(|(game, _)| *game as usize <= until)
        {
            let result = planned.unwrap_or_else(|| {
                let outcome = [GameOutcome::First, GameOutcome::Draw, GameOutcome::Second][self.random.below(3)];
                self.played(outcome)
            });
            self.apply(&Change::Result { round, board: number, game, players: board.players, result });
        }
    }

    /// Results of the games of a board that are not left to chance.
    fn plan(&mut self, board: &Board, round: u32, is_decisive: bool) -> Vec<Option<GameResult>> {
        let games = board.games.len();
        let begun = board.games.iter().flatten().count() > 0;
        let forfeit = match absent(&self.tournament, board.players, round) {
            [true, false] => Some(GameOutcome::ForfeitToSecond),
            [false, true] => Some(GameOutcome::ForfeitToFirst),
            [false, false] if begun || !self.chance(8) => None,
            [false, false] if is_decisive || self.chance(2) => Some(GameOutcome::ForfeitToFirst),
            [true, true] | [false, false] => Some(GameOutcome::DoubleForfeit),
        };
        if let Some(outcome) = forfeit {
            return vec![Some(GameResult::by_arbiter(outcome)); games];
        }
        let fate = self.fate.and_then(|(id, wins)| Some((board.index_of(id)?, wins)));
        let winner = match fate {
            Some((index, true)) => Some(index),
            Some((index, false)) => Some(1 - index),
            None => is_decisive.then(|| self.random.below(2)),
        };
        (0..games)
            .map(|_| winner.map(|winner| self.played([GameOutcome::First, GameOutcome::Second][winner])))
            .collect()
    }

    fn played(&mut self, outcome: GameOutcome) -> GameResult {
        let points = match self.random.below(4) {
            // So many that the most points of another leg still turn the encounter.
            0 => [999_999, 0],
            1 => [0, 0],
            _ => [10 * small(self.random.below(4)), 10],
        };
        let [more, less] = [points[0].max(points[1]), points[0].min(points[1])];
        let points = match outcome {
            GameOutcome::First => [more, less],
            GameOutcome::Second => [less, more],
            _ => [more, more],
        };
        let tallies = points.map(|points| Tally { points, ..Tally::default() });
        let has_tallies = self.has_points && !self.chance(12);
        GameResult { tallies: has_tallies.then_some(tallies), ..GameResult::by_arbiter(outcome) }
    }

    /// One way to play the cup to its end; none if a round cannot be paired any more.
    pub(crate) fn end(mut self, seed: u64) -> Option<Tournament> {
        self.random = Random::new(seed);
        let player = PlayerId(1 + small(self.random.below(self.tournament.entrants.len())));
        self.fate = (!self.chance(4)).then_some((player, self.random.below(2) == 0));
        loop {
            let round = self.tournament.next_round() - 1;
            let boards = self.tournament.round(round).map_or(0, |round| round.boards.len());
            for board in 1..=small(boards) {
                self.play(board, usize::MAX);
            }
            if round == self.tournament.round_count() {
                return Some(self.tournament);
            }
            if self.tournament.rounds.last().is_some_and(|round| !round.is_closed) && !self.close() {
                return None;
            }
            if self.chance(2) {
                self.leave();
            }
            if !self.pair() {
                return None;
            }
        }
    }
}

/// The players of a board who have withdrawn from the round.
pub(crate) fn absent(tournament: &Tournament, players: [PlayerId; 2], round: u32) -> [bool; 2] {
    players.map(|id| tournament.entrants[id.0 as usize - 1].withdrawn.is_some_and(|from| from <= round))
}

/// Some tie-breaks in any order.
fn order(random: &mut Random) -> Vec<TournamentTieBreak> {
    let mut left = TournamentTieBreak::ALL.to_vec();
    if random.below(3) > 0 {
        left.retain(|tie_break| !matches!(tie_break, TournamentTieBreak::Points | TournamentTieBreak::PointsWithBonus));
    }
    (0..random.below(5)).map(|_| left.remove(random.below(left.len()))).collect()
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a small number")
}
