//! Applying changes, and the reasons to refuse one.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Board, Bye, Change, Encounter, Entrant, GameResult, MAX_GAMES, MAX_PLAYERS, MAX_ROUNDS, Player, PlayerId, Round,
    System, TIME_CONTROL, Tournament, TournamentSettings,
    check::{check_bounds, check_event},
};
use crate::{
    fault::{self, Fault},
    standings::TournamentTieBreak,
};

impl Tournament {
    /// The tournament that changes make, in their order. An undone change is left out; a refused one says why.
    pub fn from_changes<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Result<Self, Fault> {
        let mut changes = changes.into_iter();
        let Some(Change::Create { settings }) = changes.next() else { return Err(Fault::new(fault::NOT_CREATED)) };
        let mut tournament = Self::new(settings.clone())?;
        for change in changes {
            tournament.apply(change)?;
        }
        Ok(tournament)
    }

    /// A new tournament, without players. Blanks around its name are left out, as records leave them out.
    pub fn new(settings: TournamentSettings) -> Result<Self, Fault> {
        check_event(&settings)?;
        let name = settings.name.trim().to_owned();
        Self::stored(TournamentSettings { name, ..settings })
    }

    /// A tournament without players that was accepted before.
    pub fn stored(settings: TournamentSettings) -> Result<Self, Fault> {
        check_settings(&settings)?;
        check_order(&settings.tie_breaks)?;
        let (tie_breaks, time_control) = (settings.tie_breaks.clone(), settings.time_control);
        Ok(Self {
            settings,
            about: super::About::default(),
            entrants: Vec::new(),
            forbidden: BTreeSet::new(),
            rounds: Vec::new(),
            tie_breaks,
            time_control,
        })
    }

    /// Applies a new change. A refused one changes nothing.
    pub fn apply(&mut self, change: &Change) -> Result<(), Fault> {
        self.check(change)?;
        self.make(change)
    }

    fn make(&mut self, change: &Change) -> Result<(), Fault> {
        match change {
            Change::Create { .. } => Err(Fault::new(fault::CREATED_TWICE)),
            Change::Describe { about } => {
                self.about = about.clone();
                Ok(())
            }
            Change::TieBreaks { order } => {
                check_order(order)?;
                self.tie_breaks.clone_from(order);
                Ok(())
            }
            Change::TimeControl { seconds } => {
                check_time_control(*seconds)?;
                self.time_control = *seconds;
                Ok(())
            }
            Change::Enter { player, first } => self.enter(player, *first),
            Change::Edit { id, player } => {
                check_name(player)?;
                self.known(*id)?.player = player.trimmed();
                Ok(())
            }
            Change::Withdraw { id, round } => {
                self.check_open_round(*round)?;
                self.known(*id)?.withdrawn = Some(*round);
                Ok(())
            }
            Change::Return { id, round } => self.come_back(*id, *round),
            Change::Absent { id, round, bye } => {
                self.check_open_round(*round)?;
                self.known(*id)?.absences.insert(*round, *bye);
                Ok(())
            }
            Change::Present { id, round } => {
                self.check_open_round(*round)?;
                self.known(*id)?.absences.remove(round);
                Ok(())
            }
            Change::Forbid { players } => {
                let pair = self.known_pair(*players)?;
                self.forbidden.insert(pair);
                Ok(())
            }
            Change::Allow { players } => {
                let pair = self.known_pair(*players)?;
                self.forbidden.remove(&pair);
                Ok(())
            }
            Change::Pair { round, boards, bye } => self.pair(*round, boards, *bye),
            Change::Unpair { round } => {
                self.open_round(*round)?;
                if *round + 1 != self.next_round() {
                    return Err(Fault::new(fault::ROUND_ORDER)
                        .with("round", round)
                        .with("next", self.next_round() - 1));
                }
                self.rounds.pop();
                Ok(())
            }
            Change::Result { round, board, game, players, result } => {
                self.set(*round, *board, *game, Some(*players), Some(result.clone()))
            }
            Change::Clear { round, board, game } => self.set(*round, *board, *game, None, None),
            Change::Close { round } => self.close(*round),
            Change::Reopen { round } => {
                let number = *round;
                let count = self.rounds.len();
                let round = self.rounds.get_mut((number as usize).wrapping_sub(1));
                let round = round.ok_or_else(|| Fault::new(fault::ROUND_NOT_PAIRED).with("round", number))?;
                if number as usize != count {
                    return Err(Fault::new(fault::ROUND_ORDER).with("round", number).with("next", count));
                }
                round.is_closed = false;
                Ok(())
            }
        }
    }

    /// Applies a change that was accepted before, without the checks of a new one: later versions may check more, and a round is
    /// closed although results that records gave may be gone since.
    pub fn replay(&mut self, change: &Change) -> Result<(), Fault> {
        match change {
            Change::Close { round } => {
                self.open_round(*round)?.is_closed = true;
                Ok(())
            }
            change => self.make(change),
        }
    }

    fn enter(&mut self, player: &Player, first: u32) -> Result<(), Fault> {
        check_name(player)?;
        if self.entrants.len() == MAX_PLAYERS {
            return Err(Fault::new(fault::TOO_MANY).with("most", MAX_PLAYERS));
        }
        self.check_open_round(first)?;
        if self.has_fixed_field() && (first > 1 || !self.rounds.is_empty()) {
            return Err(Fault::new(fault::FIXED_FIELD));
        }
        let entrant = Entrant { player: player.trimmed(), first, withdrawn: None, absences: BTreeMap::new() };
        self.entrants.push(entrant);
        Ok(())
    }

    fn come_back(&mut self, id: PlayerId, round: u32) -> Result<(), Fault> {
        self.check_open_round(round)?;
        let entrant = self.known(id)?;
        if let Some(from) = entrant.withdrawn.take() {
            for missed in from..round {
                entrant.absences.entry(missed).or_insert(Bye::Zero);
            }
        }
        Ok(())
    }

    fn pair(&mut self, number: u32, pairs: &[[PlayerId; 2]], bye: Option<PlayerId>) -> Result<(), Fault> {
        self.check_next(number)?;
        let mut open: BTreeSet<PlayerId> = self.playing(number).into_iter().collect();
        for id in pairs.iter().flatten().copied().chain(bye) {
            if !open.remove(&id) {
                self.known(id)?;
                let placed = pairs.iter().flatten().copied().chain(bye).filter(|other| *other == id).count() > 1;
                let code = if placed { fault::PLACED_TWICE } else { fault::NOT_PLAYING };
                return Err(Fault::new(code).with("player", self.name(id)).with("round", number));
            }
        }
        let is_out = matches!(self.settings.system, System::Knockout { .. });
        // The free round of a round robin is everyone's and counts nothing.
        let kind = if matches!(self.settings.system, System::RoundRobin { .. }) { Bye::Zero } else { Bye::Allocated };
        let mut byes: Vec<(PlayerId, Bye)> = bye.map(|id| (id, kind)).into_iter().collect();
        match open.first() {
            // The losers of a knock-out are out, and more than one player may have a bye in its first round.
            Some(_) if is_out => byes.extend(seeded_byes(number, &open)),
            Some(id) => return Err(Fault::new(fault::NOT_PLACED).with("player", self.name(*id)).with("round", number)),
            None => {}
        }
        for id in self.ids() {
            let entrant = &self.entrants[id.0 as usize - 1];
            let is_in = !self.has_fixed_field()
                && entrant.first <= number
                && entrant.withdrawn.is_none_or(|from| number < from);
            if let Some(bye) = entrant.absences.get(&number).filter(|_| is_in) {
                byes.push((id, *bye));
            }
        }
        byes.sort_unstable();
        let boards = pairs.iter().map(|players| Board::new(*players, self.settings.encounter)).collect();
        self.rounds.push(Round { boards, byes, is_closed: false });
        Ok(())
    }

    fn set(
        &mut self,
        number: u32,
        board: u32,
        game: u32,
        players: Option<[PlayerId; 2]>,
        result: Option<GameResult>,
    ) -> Result<(), Fault> {
        let names = players.map(|players| players.map(|id| self.name(id).to_owned()));
        let round = self.open_round(number)?;
        let place = |code| Fault::new(code).with("round", number).with("board", board);
        let found = round.boards.get_mut((board as usize).wrapping_sub(1));
        let found = found.ok_or_else(|| place(fault::UNKNOWN_BOARD))?;
        if let (Some(players), Some([one, two])) = (players, names)
            && players != found.players
        {
            return Err(place(fault::OTHER_PLAYERS).with("one", one).with("two", two));
        }
        let slot = found.games.get_mut((game as usize).wrapping_sub(1));
        *slot.ok_or_else(|| place(fault::UNKNOWN_GAME).with("game", game))? = result;
        Ok(())
    }

    fn close(&mut self, number: u32) -> Result<(), Fault> {
        let encounter = self.settings.encounter;
        let round = self.open_round(number)?;
        let missing: Vec<_> = round
            .boards
            .iter()
            .enumerate()
            .filter(|(_, board)| board.result(encounter).is_none())
            .map(|(index, _)| (index + 1).to_string())
            .collect();
        if !missing.is_empty() {
            let what = if missing.len() == 1 { "board.one" } else { "board.several" };
            let fault = Fault::new(fault::RESULTS_MISSING).with("round", number).with("what", what);
            return Err(fault.with("boards", missing.join(", ")));
        }
        round.is_closed = true;
        Ok(())
    }

    /// Fails unless a round is the next to be paired.
    pub(crate) fn check_next(&self, number: u32) -> Result<(), Fault> {
        let next = self.next_round();
        if number < next && number > 0 {
            return Err(Fault::new(fault::ROUND_PAIRED).with("round", number));
        }
        if number != next {
            return Err(Fault::new(fault::ROUND_ORDER).with("round", number).with("next", next));
        }
        if self.rounds.last().is_some_and(|round| !round.is_closed) {
            return Err(Fault::new(fault::ROUND_OPEN).with("round", next - 1));
        }
        if number > self.round_count() {
            return Err(Fault::new(fault::NO_ROUND).with("rounds", self.round_count()));
        }
        Ok(())
    }

    /// Fails for a round that is already paired: presence in it is decided.
    fn check_open_round(&self, number: u32) -> Result<(), Fault> {
        if number < self.next_round() {
            return Err(Fault::new(fault::ROUND_PAIRED).with("round", number));
        }
        if number > MAX_ROUNDS {
            return Err(Fault::new(fault::NO_ROUND).with("rounds", MAX_ROUNDS));
        }
        Ok(())
    }

    fn open_round(&mut self, number: u32) -> Result<&mut Round, Fault> {
        let round = self.rounds.get_mut((number as usize).wrapping_sub(1));
        let round = round.ok_or_else(|| Fault::new(fault::ROUND_NOT_PAIRED).with("round", number))?;
        if round.is_closed { Err(Fault::new(fault::ROUND_CLOSED).with("round", number)) } else { Ok(round) }
    }

    fn known(&mut self, id: PlayerId) -> Result<&mut Entrant, Fault> {
        let entrant = self.entrants.get_mut((id.0 as usize).wrapping_sub(1));
        entrant.ok_or_else(|| Fault::new(fault::UNKNOWN_PLAYER).with("player", id))
    }

    fn known_pair(&mut self, mut players: [PlayerId; 2]) -> Result<[PlayerId; 2], Fault> {
        for id in players {
            self.known(id)?;
        }
        if players[0] == players[1] {
            return Err(Fault::new(fault::SAME_PLAYER).with("player", self.name(players[0])));
        }
        players.sort_unstable();
        Ok(players)
    }
}

fn check_name(player: &Player) -> Result<(), Fault> {
    if player.name.trim().is_empty() { Err(Fault::new(fault::NO_NAME)) } else { Ok(()) }
}

fn check_settings(settings: &TournamentSettings) -> Result<(), Fault> {
    check_bounds("setting.rounds", settings.rounds, 1, MAX_ROUNDS)?;
    if let Encounter::Games { count } = settings.encounter {
        check_bounds("setting.games", count, 1, MAX_GAMES)?;
    }
    check_time_control(settings.time_control)
}

fn check_time_control(seconds: Option<u32>) -> Result<(), Fault> {
    let [least, most] = TIME_CONTROL;
    seconds.map_or(Ok(()), |seconds| check_bounds("setting.time-control", seconds, least, most))
}

fn check_order(order: &[TournamentTieBreak]) -> Result<(), Fault> {
    let mut known = BTreeSet::new();
    match order.iter().find(|tie_break| !known.insert(**tie_break)) {
        Some(twice) => Err(Fault::new(fault::TIE_BREAK_TWICE).with("tie_break", twice.as_str())),
        None => Ok(()),
    }
}

/// The byes of the first round of a knock-out, whose number of players is no power of two.
fn seeded_byes(number: u32, open: &BTreeSet<PlayerId>) -> Vec<(PlayerId, Bye)> {
    if number > 1 { Vec::new() } else { open.iter().map(|id| (*id, Bye::Allocated)).collect() }
}
