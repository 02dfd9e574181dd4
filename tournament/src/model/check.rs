//! Checks that a change passes once, when it is made. A stored change passed those of its time, and is not checked again.

use quipu_referee::{PointRule, harmless, is_active};

use super::{About, Bye, Change, GameResult, MAX_ROUNDS, Origin, Player, PlayerId, Tournament, TournamentSettings};
use crate::fault::{self, Fault};

/// The highest rating, which has four digits in exchange files.
pub const MAX_RATING: u32 = 9999;
/// The most characters of a name and of every other text.
pub const MAX_TEXT: usize = 200;
/// The most deputies of an arbiter.
const MAX_DEPUTIES: u32 = 100;

impl Tournament {
    /// Fails for a change that is not to be made.
    pub(super) fn check(&self, change: &Change) -> Result<(), Fault> {
        match change {
            Change::Describe { about } => check_about(about),
            Change::Enter { player, .. } => {
                check_player(player)?;
                self.check_name(player, None)
            }
            Change::Edit { id, player } => {
                check_player(player)?;
                self.check_name(player, Some(*id))?;
                let is_other = self.entrant(*id).is_some_and(|entrant| entrant.player.rating != player.rating);
                // Seeds follow ratings, and all rounds follow from the seeds.
                self.check_fixed(is_other)
            }
            Change::Withdraw { id, round } => match self.entrant(*id).and_then(|entrant| entrant.withdrawn) {
                Some(from) if from <= *round => Err(self.of(fault::WITHDRAWN, *id).with("round", from)),
                _ => Ok(()),
            },
            Change::Return { id, .. } => match self.entrant(*id) {
                Some(entrant) if entrant.withdrawn.is_none() => Err(self.of(fault::NOT_WITHDRAWN, *id)),
                Some(entrant) => self.check_fixed(entrant.withdrawn.is_some_and(|from| from <= entrant.first)),
                None => Ok(()),
            },
            Change::Absent { id, .. } if self.has_fixed_field() => Err(self.of(fault::NO_ABSENCES, *id)),
            Change::Absent { id, bye: Bye::Allocated, .. } => Err(self.of(fault::BYE_OF_PAIRING, *id)),
            Change::Present { id, round } => match self.entrant(*id) {
                Some(entrant) if *round >= self.next_round() && !entrant.absences.contains_key(round) => {
                    Err(self.of(fault::NOT_ABSENT, *id).with("round", round))
                }
                _ => Ok(()),
            },
            Change::Allow { players } => {
                let [mut one, mut two] = *players;
                if one > two {
                    std::mem::swap(&mut one, &mut two);
                }
                if self.forbidden.contains(&[one, two])
                    || one == two
                    || players.iter().any(|id| self.entrant(*id).is_none())
                {
                    return Ok(());
                }
                let [one, two] = players.map(|id| self.name(id));
                Err(Fault::new(fault::NOT_FORBIDDEN).with("one", one).with("two", two))
            }
            Change::Pair { .. } => self.check_field(),
            Change::Result { result: GameResult { origin: Origin::Record(_), .. }, .. } => {
                Err(Fault::new(fault::RESULT_OF_RECORD))
            }
            Change::Result { round, board, result, .. } if result.tallies.is_some() && !result.outcome.was_played() => {
                Err(Fault::new(fault::POINTS_OF_UNPLAYED).with("round", round).with("board", board))
            }
            _ => Ok(()),
        }
    }

    /// Fails for a name that another player than `own` has: records find their boards by names.
    fn check_name(&self, player: &Player, own: Option<PlayerId>) -> Result<(), Fault> {
        let name = player.name.trim();
        let mut others = self.ids().filter(|id| Some(*id) != own);
        if others.any(|id| self.name(id) == name) {
            return Err(Fault::new(fault::SAME_NAME).with("player", name));
        }
        Ok(())
    }

    /// Fails if `without`, the tournament without a change that is undone, has a player with the name of another one again, or
    /// other seeds in a field that is fixed.
    ///
    /// # Errors
    /// `tournament.same-name` or `tournament.fixed-field`.
    pub fn check_undo(&self, without: &Self) -> Result<(), Fault> {
        for (id, entrant) in without.ids().zip(&without.entrants) {
            if self.name(id) != entrant.player.name {
                without.check_name(&entrant.player, Some(id))?;
            }
        }
        without.check_fixed(self.seeding(1) != without.seeding(1))
    }

    /// Fails if a round robin or knock-out has no encounter: the number of its rounds follows from its players.
    pub(crate) fn check_field(&self) -> Result<(), Fault> {
        let found = self.seeding(1).len();
        if self.has_fixed_field() && found < 2 {
            return Err(Fault::new(fault::TOO_FEW).with("found", found).with("least", 2));
        }
        Ok(())
    }

    /// Fails if a change makes other seeds in a field that is fixed.
    fn check_fixed(&self, makes_other_seeds: bool) -> Result<(), Fault> {
        let is_fixed = self.has_fixed_field() && !self.rounds.is_empty();
        if is_fixed && makes_other_seeds { Err(Fault::new(fault::FIXED_FIELD)) } else { Ok(()) }
    }

    fn of(&self, code: &'static fault::Code, id: PlayerId) -> Fault {
        Fault::new(code).with("player", self.name(id))
    }
}

/// Fails without a name, and for one that exchange files cannot hold.
pub(super) fn check_event(settings: &TournamentSettings) -> Result<(), Fault> {
    if settings.name.trim().is_empty() {
        return Err(Fault::new(fault::UNNAMED));
    }
    check_text("field.event", &settings.name)
}

fn check_about(about: &About) -> Result<(), Fault> {
    let length = |list: &[String]| u32::try_from(list.len()).unwrap_or(u32::MAX);
    check_bounds("setting.deputies", length(&about.deputies), 0, MAX_DEPUTIES)?;
    check_bounds("setting.days", length(&about.days), 0, MAX_ROUNDS)?;
    let single = [
        ("field.city", &about.city),
        ("field.federation", &about.federation),
        ("field.start", &about.start),
        ("field.end", &about.end),
        ("field.kind", &about.kind),
        ("field.arbiter", &about.arbiter),
        ("field.clock", &about.clock),
    ];
    let deputies = about.deputies.iter().map(|name| ("field.deputy", name));
    let days = about.days.iter().map(|day| ("field.day", day));
    single.into_iter().chain(deputies).chain(days).try_for_each(|(field, text)| check_text(field, text))
}

fn check_player(player: &Player) -> Result<(), Fault> {
    check_text("field.name", &player.name)?;
    let others = [
        ("field.id", &player.id),
        ("field.federation", &player.federation),
        ("field.club", &player.club),
        ("field.title", &player.title),
        ("field.born", &player.born),
    ];
    for (field, text) in others {
        check_text(field, text.as_deref().unwrap_or_default())?;
    }
    check_text("field.sex", &player.sex.map(String::from).unwrap_or_default())?;
    check_bounds("field.rating", player.rating.unwrap_or_default(), 0, MAX_RATING)
}

/// Fails for a text that is too long, or that a terminal or a reader of lines would act on.
fn check_text(field: &str, text: &str) -> Result<(), Fault> {
    if let Some(active) = text.chars().find(|character| is_active(*character)) {
        let code = format!("U+{:04X}", u32::from(active));
        return Err(Fault::new(fault::CONTROL)
            .with("field", field)
            .with("character", code)
            .with("text", harmless(text)));
    }
    let length = text.chars().count();
    if length > MAX_TEXT {
        return Err(Fault::new(fault::TOO_LONG).with("field", field).with("found", length).with("most", MAX_TEXT));
    }
    Ok(())
}

/// Fails for a value outside its bounds. `name` is a key of words.
pub(super) fn check_bounds(name: &str, value: u32, least: u32, most: u32) -> Result<(), Fault> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Fault::new(fault::SETTING).with("name", name).with("value", value).with("least", least).with("most", most))
}

impl Change {
    /// Fails for a result with points that the game cannot have. `rule` is that of its laws; none if they count no points.
    ///
    /// # Errors
    /// `tournament.game-without-points`, `tournament.impossible-points` or `tournament.impossible-counts`.
    pub fn check_points(&self, rule: Option<PointRule>) -> Result<(), Fault> {
        let Self::Result { round, board, result: GameResult { tallies: Some(tallies), .. }, .. } = self else {
            return Ok(());
        };
        let of = |code| Fault::new(code).with("round", round).with("board", board);
        let Some(rule) = rule else { return Err(of(fault::GAME_WITHOUT_POINTS)) };
        let [one, two] = tallies.map(|tally| tally.points);
        let (sum, [least, most]) = (u64::from(one) + u64::from(two), rule.sums());
        if !(u64::from(least)..=u64::from(most)).contains(&sum) {
            let fault = of(fault::IMPOSSIBLE_POINTS).with("points", format!("{one}-{two}")).with("sum", sum);
            return Err(fault.with("pieces", rule.pieces).with("least", least).with("most", most));
        }
        let counts = tallies.map(|tally| tally.counts);
        let pieces = counts.iter().flatten().fold(0, |sum: u32, count| sum.saturating_add(*count));
        let fits = tallies.iter().all(|tally| rule.points(tally.counts) == tally.points);
        if pieces > 0 && (pieces != rule.pieces || !fits) {
            let written = counts.map(|counts| counts.map(|count| count.to_string()).join("/")).join("-");
            let fault = of(fault::IMPOSSIBLE_COUNTS).with("points", format!("{one}-{two}")).with("counts", written);
            return Err(fault.with("pieces", rule.pieces));
        }
        Ok(())
    }
}
