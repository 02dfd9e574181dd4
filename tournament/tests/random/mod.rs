//! Random tournaments: late entries, withdrawals, byes, forbidden pairs, forfeits.

use quipu_tournament::{
    fault::Fault,
    model::{
        Bye, Change, Encounter, GameOutcome, GameResult, Player, PlayerId, System, Tournament, TournamentSettings,
    },
    pairing,
    random::Random,
    standings::TournamentTieBreak,
};

/// A tournament that is played to its end, or as far as it can be paired.
pub(crate) struct Played {
    pub(crate) tournament: Tournament,
    random: Random,
}

impl Played {
    /// The players and settings of a seed, with at most `most` players, at least 4.
    pub(crate) fn new(seed: u64, most: usize) -> Self {
        let mut random = Random::new(seed);
        let count = 4 + random.below(most - 3);
        let rounds = 3 + u32::try_from(random.below(7)).expect("small");
        let rounds =
            rounds.min(u32::try_from(count).expect("small") - 1).min(u32::try_from(count / 2 + 1).expect("small"));
        let settings = TournamentSettings {
            name: format!("Copa {seed}"),
            system: System::Swiss { accelerated: seed % 8 == 7 },
            rounds,
            encounter: Encounter::Single,
            seed,
            first_side: None,
            bye: Bye::Full,
            time_control: None,
            tie_breaks: TournamentTieBreak::usual(),
        };
        let mut tournament = Tournament::new(settings).expect("good settings");
        for number in 0..count {
            let late = count > 8 && random.below(20) == 0;
            let first = if late { 2 + u32::try_from(random.below(2)).expect("small") } else { 1 };
            // Late entries have the lowest ratings, so that the starting numbers of the others stay.
            let rating = if late { 1000 + random.below(100) } else { 1200 + random.below(1400) };
            let player = Player {
                name: format!("Jugador {number}"),
                rating: Some(u32::try_from(rating).expect("small")),
                ..Player::default()
            };
            tournament.apply(&Change::Enter { player, first }).expect("it is allowed");
        }
        if seed % 4 == 3 {
            for _ in 0..=count / 8 {
                let one = PlayerId(1 + u32::try_from(random.below(count)).expect("small"));
                let two = PlayerId(1 + u32::try_from(random.below(count)).expect("small"));
                if one != two {
                    tournament.apply(&Change::Forbid { players: [one, two] }).expect("it is allowed");
                }
            }
        }
        Self { tournament, random }
    }

    /// Plays all rounds.
    pub(crate) fn play(&mut self) -> Result<(), Fault> {
        for round in 1..=self.tournament.round_count() {
            self.leave(round);
            let pairing = pairing::next(&self.tournament)?;
            self.tournament.apply(&pairing.change())?;
            for board in 1..=pairing.boards.len() {
                let players = pairing.boards[board - 1].players;
                let result = GameResult::by_arbiter(self.outcome(players));
                let board = u32::try_from(board).expect("small");
                self.tournament.apply(&Change::Result { round, board, game: 1, players, result })?;
            }
            self.tournament.apply(&Change::Close { round })?;
            if let Some(board) = pairing.boards.first().filter(|_| !self.tournament.forbidden.is_empty()) {
                // Two who met are forbidden afterwards, which changes no pairing unless a forfeit let them meet again.
                self.tournament.apply(&Change::Forbid { players: board.players })?;
            }
        }
        Ok(())
    }

    /// Absences and withdrawals before a round.
    fn leave(&mut self, round: u32) {
        for id in self.tournament.playing(round) {
            let change = match self.random.below(100) {
                0 if round > 1 => Change::Withdraw { id, round },
                1 | 2 => Change::Absent { id, round, bye: Bye::Half },
                3 => Change::Absent { id, round, bye: Bye::Zero },
                _ => continue,
            };
            self.tournament.apply(&change).expect("it is allowed");
        }
    }

    fn outcome(&mut self, players: [PlayerId; 2]) -> GameOutcome {
        let [one, two] = players.map(|id| self.tournament.rating(id) as usize);
        match self.random.below(100) {
            0 => GameOutcome::ForfeitToFirst,
            1 => GameOutcome::ForfeitToSecond,
            2 if self.random.below(4) == 0 => GameOutcome::DoubleForfeit,
            3..=30 => GameOutcome::Draw,
            _ if self.random.below(one + two) < one => GameOutcome::First,
            _ => GameOutcome::Second,
        }
    }
}
