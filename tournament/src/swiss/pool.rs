//! The players of a round, ranked, with scores, floats, preferences and the pairs that are barred.

use quipu_notation::Side;

use super::{
    baku,
    sides::{Preference, SideCandidate},
};
use crate::model::{PlayerId, Slot, Tournament};

/// A float (C.04.3, 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Float {
    Down,
    Up,
}

/// A player to be paired. Scores are in half points.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) id: PlayerId,
    /// The pairing number.
    pub(super) number: u32,
    /// The score with virtual points.
    pub(super) score: u64,
    /// The score without them.
    pub(super) plain: u64,
    pub(super) preference: Preference,
    sides: Vec<Side>,
    /// The floats of the last round and the one before.
    pub(super) floats: [Option<Float>; 2],
    /// False after a bye or a win by forfeit (C2).
    pub(super) may_have_bye: bool,
    /// Number of rounds with a played game (C9).
    pub(super) played: u64,
    /// True in the last round for a player with more than half of the points (1.8).
    pub(super) is_topscorer: bool,
}

/// The contenders by their rank: the highest score first, then the lowest pairing number.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) contenders: Vec<Contender>,
    /// Pairs that met or are forbidden, row by row.
    barred: Vec<bool>,
    /// The initial side (C.04.3, article 5.1).
    pub(super) initial: Side,
}

impl Pool {
    /// The contenders of the next round.
    pub(super) fn new(tournament: &Tournament) -> Self {
        let round = tournament.next_round();
        let histories = tournament.histories();
        let bonus = baku::virtual_points(tournament);
        let scores = scores_before(tournament, &histories, &bonus);
        let settings = &tournament.settings;
        let is_last = round == tournament.round_count();
        let most = u64::from(round - 1) * 2;
        let seeding = tournament.seeding(round);
        let mut contenders = Vec::new();
        for (number, id) in (1..).zip(&seeding) {
            let index = id.0 as usize - 1;
            if !tournament.entrants[index].plays_in(round) {
                continue;
            }
            let history = &histories[index];
            let sides: Vec<_> = history
                .iter()
                .filter(|slot| slot.was_played() && settings.encounter.prefers_sides())
                .filter_map(|slot| if let Slot::Encounter { side, .. } = slot { Some(*side) } else { None })
                .collect();
            let plain = history.iter().map(|slot| slot.score(settings.bye).halves()).sum::<u64>();
            let float = |back: usize| float(index, history.len().checked_sub(back)?, &histories, &scores, settings.bye);
            contenders.push(Contender {
                id: *id,
                number,
                score: scores[index][round as usize - 1],
                plain,
                preference: Preference::after(&sides),
                sides,
                floats: [float(1), float(2)],
                may_have_bye: !history.iter().any(|slot| !slot.was_played() && slot.score(settings.bye).halves() >= 2),
                played: history.iter().filter(|slot| slot.was_played()).count() as u64,
                is_topscorer: is_last && 2 * plain > most,
            });
        }
        contenders.sort_by_key(|contender| (std::cmp::Reverse(contender.score), contender.number));
        let mut pool = Self { barred: Vec::new(), contenders, initial: settings.initial_side() };
        pool.bar(tournament, &histories);
        pool
    }

    fn bar(&mut self, tournament: &Tournament, histories: &[Vec<Slot>]) {
        let n = self.contenders.len();
        let mut place = vec![None; tournament.entrants.len() + 1];
        for (index, contender) in self.contenders.iter().enumerate() {
            place[contender.id.0 as usize] = Some(index);
        }
        self.barred = vec![false; n * n];
        let met = self.contenders.iter().enumerate().flat_map(|(index, contender)| {
            let history = &histories[contender.id.0 as usize - 1];
            history.iter().filter(|slot| slot.was_played()).filter_map(move |slot| match slot {
                Slot::Encounter { opponent, .. } => Some((index, *opponent)),
                _ => None,
            })
        });
        let met: Vec<_> = met.filter_map(|(index, opponent)| Some((index, place[opponent.0 as usize]?))).collect();
        let forbidden = tournament.forbidden.iter();
        let forbidden = forbidden.filter_map(|[one, two]| Some((place[one.0 as usize]?, place[two.0 as usize]?)));
        for (one, two) in met.into_iter().chain(forbidden) {
            self.barred[one * n + two] = true;
            self.barred[two * n + one] = true;
        }
    }

    /// True if two players may be paired (C1, C3).
    pub(super) fn may_pair(&self, one: usize, two: usize) -> bool {
        !self.barred[one * self.contenders.len() + two] && !self.has_absolute_clash(one, two)
    }

    /// C3: two players with the same absolute preference, unless one is a topscorer.
    pub(super) fn has_absolute_clash(&self, one: usize, two: usize) -> bool {
        let (one, two) = (&self.contenders[one], &self.contenders[two]);
        one.preference.is_absolute()
            && two.preference.is_absolute()
            && one.preference.side == two.preference.side
            && !one.is_topscorer
            && !two.is_topscorer
    }

    /// The facts of a player that decide the side.
    pub(super) fn side_candidate(&self, index: usize) -> SideCandidate<'_> {
        let contender = &self.contenders[index];
        SideCandidate { preference: &contender.preference, sides: &contender.sides, number: contender.number }
    }

    /// The index in [`Self::contenders`]; none for a player who does not play in the round.
    pub(super) fn index_of(&self, id: PlayerId) -> Option<usize> {
        self.contenders.iter().position(|contender| contender.id == id)
    }
}

/// The score of each player before each round, and before the next one, with virtual points.
fn scores_before(tournament: &Tournament, histories: &[Vec<Slot>], bonus: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let before = |(history, bonus): (&Vec<Slot>, &Vec<u64>)| {
        let mut sum = 0;
        let mut scores = Vec::with_capacity(history.len() + 1);
        for (round, &bonus) in bonus.iter().enumerate().take(history.len() + 1) {
            scores.push(sum + bonus);
            sum += history.get(round).map_or(0, |slot| slot.score(tournament.settings.bye).halves());
        }
        scores
    };
    histories.iter().zip(bonus).map(before).collect()
}

/// The float of a player in a round, counted from 0. A player who scores without playing floats down (1.4.3).
fn float(
    player: usize,
    round: usize,
    histories: &[Vec<Slot>],
    scores: &[Vec<u64>],
    bye: crate::model::Bye,
) -> Option<Float> {
    let slot = &histories[player][round];
    let Slot::Encounter { opponent, .. } = slot else { return (slot.score(bye).halves() > 0).then_some(Float::Down) };
    if !slot.was_played() {
        return (slot.score(bye).halves() > 0).then_some(Float::Down);
    }
    match scores[player][round].cmp(&scores[opponent.0 as usize - 1][round]) {
        std::cmp::Ordering::Greater => Some(Float::Down),
        std::cmp::Ordering::Less => Some(Float::Up),
        std::cmp::Ordering::Equal => None,
    }
}
