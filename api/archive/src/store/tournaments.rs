//! Tournaments: replays of their changes. Verified records find their boards whenever a tournament is read, so it follows their
//! corrections and retractions.

use std::collections::HashMap;

use quipu_notation::games::{self, GameNotation};
use quipu_referee::{PointRule, Status, competition::Entry};
use quipu_tournament::{
    fault,
    model::{self, System, Tournament},
    records::{Bindings, Misfit, bind},
};

use super::{
    database::{OptionalRow, params},
    error::StoreError,
    history::{change_row, changes_of},
    listing::{ListPage, listed},
    read_tx::ReadTx,
    rows,
};
use crate::model::{Change, Number, TournamentSteps};

/// Changes of the tie-breaks that are reported for a tournament, at most.
const ORDER_CHANGES: usize = 10;
/// Records without a result that are reported for a tournament, at most.
const UNCOUNTED: usize = 1_000;

/// A tournament with the results of its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTournament {
    /// The number of the change that created it.
    pub number: Number,
    /// The number of its last change that holds.
    pub changed: Number,
    /// The number of the last change that made, changed or undid something of it.
    pub version: Number,
    /// The game.
    pub game: &'static GameNotation,
    /// The tournament.
    pub tournament: Tournament,
    /// The records that give results, and those that do not fit.
    pub bindings: Bindings,
    /// The numbers of its changes that set the tie-breaks and hold.
    pub order_changes: Vec<Number>,
}

/// A change of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentChange {
    /// The change.
    pub change: Change,
    /// Its steps.
    pub steps: Vec<model::Change>,
    /// The change that undid it, if any.
    pub undo: Option<Change>,
}

/// A tournament in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTournament {
    /// The number of the change that created it.
    pub number: Number,
    /// The game.
    pub game: &'static GameNotation,
    /// The name: the event of its records.
    pub name: String,
    /// The system that pairs.
    pub system: System,
    /// Number of players.
    pub players: usize,
    /// Number of paired rounds.
    pub paired: usize,
    /// Number of rounds.
    pub rounds: u32,
}

/// A change that does not apply, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misplaced {
    pub(super) change: Number,
    pub(super) fault: fault::Fault,
}

/// The changes of a tournament that hold, in their order.
pub(super) type HeldChanges = Vec<(Number, TournamentSteps)>;

impl StoredTournament {
    /// The points by the laws of its game, if they count any.
    pub fn point_rule(&self) -> Option<PointRule> {
        quipu_referee::games::find(self.game.id)?.point_rule()
    }

    /// True if its game counts points, and the order of the standings adds them up.
    pub fn counts_points(&self) -> bool {
        self.tournament.counts_points() && self.point_rule().is_some()
    }
}

impl ReadTx<'_> {
    /// A tournament with the results of its records; none if there is none of this number, or its creation is undone.
    pub fn tournament(&self, number: Number) -> Result<Option<StoredTournament>, StoreError> {
        let Some(mut stored) = self.unbound_tournament(number)? else { return Ok(None) };
        stored.bindings = self.bind(&mut stored.tournament, stored.game)?;
        Ok(Some(stored))
    }

    /// As [`ReadTx::tournament`], but without records and their results.
    pub fn unbound_tournament(&self, number: Number) -> Result<Option<StoredTournament>, StoreError> {
        let held = self.held_changes(number)?;
        let Some((changed, _)) = held.last() else { return Ok(None) };
        let (game, tournament) = opened(&held)?;
        let version = self.tournament_version(number)?.unwrap_or(*changed);
        let bindings = Bindings::default();
        let is_order = |step: &model::Change| matches!(step, model::Change::TieBreaks { .. });
        let order_changes =
            held.iter().filter(|(_, body)| body.steps.iter().any(is_order)).map(|(change, _)| *change).collect();
        Ok(Some(StoredTournament { number, changed: *changed, version, game, tournament, bindings, order_changes }))
    }

    /// The version of a tournament: the number of the last change that made, changed or undid something of it. None if there
    /// never was a tournament of this number.
    pub fn tournament_version(&self, number: Number) -> Result<Option<Number>, StoreError> {
        let mut version = self.connection.prepare(
            "SELECT max(CASE WHEN undo.number > own.number THEN undo.number ELSE own.number END)
             FROM tournament_change AS own LEFT JOIN change AS undo ON undo.undoes = own.number
             WHERE own.tournament = ?",
        )?;
        Ok(version.query_row([number], |row| row.get(0))?)
    }

    /// The tournaments, newest first: up to `limit` before a number.
    pub fn tournaments(&self, before: Option<Number>, limit: usize) -> Result<Vec<ListedTournament>, StoreError> {
        let mut listed = Vec::new();
        for number in self.tournament_numbers(before, limit)? {
            let held = self.held_changes(number)?;
            let (game, tournament) = opened(&held)?;
            listed.push(ListedTournament {
                number,
                game,
                system: tournament.settings.system,
                players: tournament.entrants.len(),
                paired: tournament.rounds.len(),
                rounds: tournament.round_count(),
                name: tournament.settings.name,
            });
        }
        Ok(listed)
    }

    /// The numbers of tournaments whose creation holds, the greatest first: up to `limit` before a number.
    pub(super) fn tournament_numbers(&self, before: Option<Number>, limit: usize) -> Result<Vec<Number>, StoreError> {
        let mut numbers = self.connection.prepare(
            "SELECT number FROM tournament_change WHERE number = tournament AND number < ?
               AND NOT EXISTS (SELECT 1 FROM change WHERE change.undoes = tournament_change.number)
             ORDER BY number DESC LIMIT ?",
        )?;
        let numbers = numbers.query_map(params![before.unwrap_or(Number::MAX), limit], |row| row.get(0))?;
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    /// The tournament of a name and a game.
    pub fn tournament_named(&self, name: &str, game: &GameNotation) -> Result<Option<Number>, StoreError> {
        let mut creations = self.connection.prepare(
            "SELECT number, body FROM tournament_change WHERE number = tournament AND instr(body, ?) > 0
               AND NOT EXISTS (SELECT 1 FROM change WHERE change.undoes = tournament_change.number)",
        )?;
        // Few others have the text of the name, and only these are parsed. A text can always be written as JSON.
        let text = serde_json::to_string(name).unwrap_or_default();
        for creation in creations.query_map([text], |row| Ok((row.get(0)?, row.get::<String>(1)?)))? {
            let (number, body) = creation?;
            let creation = steps_of(number, &body)?;
            let is_named =
                |step: &model::Change| matches!(step, model::Change::Create { settings } if settings.name == name);
            if creation.game.as_deref() == Some(game.id) && creation.steps.first().is_some_and(is_named) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The tournament that a change is of.
    pub fn tournament_of(&self, change: Number) -> Result<Option<Number>, StoreError> {
        let mut tournament = self.connection.prepare("SELECT tournament FROM tournament_change WHERE number = ?")?;
        Ok(tournament.query_row([change], |row| row.get(0)).optional()?)
    }

    /// The steps of a change of a tournament.
    pub fn tournament_steps(&self, change: Number) -> Result<Option<TournamentSteps>, StoreError> {
        let mut body = self.connection.prepare("SELECT body FROM tournament_change WHERE number = ?")?;
        let body: Option<String> = body.query_row([change], |row| row.get(0)).optional()?;
        body.map(|body| steps_of(change, &body)).transpose()
    }

    /// A change of a tournament.
    pub fn tournament_change(&self, number: Number) -> Result<Option<TournamentChange>, StoreError> {
        let single = |number: Number| Ok::<_, StoreError>(self.changes(number - 1, 1)?.items.pop());
        let (Some(change), Some(body)) = (single(number)?, self.tournament_steps(number)?) else { return Ok(None) };
        let undo = change.undone_by.map(single).transpose()?.flatten();
        Ok(Some(TournamentChange { change, steps: body.steps, undo }))
    }

    /// The latest changes of a tournament, the last one first, also those that are undone: up to `limit` before a number.
    pub fn latest_tournament_changes(
        &self,
        tournament: Number,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<TournamentChange>, StoreError> {
        let mut numbers = self.connection.prepare(
            "SELECT number FROM tournament_change WHERE tournament = ? AND number < ? ORDER BY number DESC LIMIT ?",
        )?;
        let numbers = numbers.query_map(params![tournament, before.unwrap_or(Number::MAX), limit], |row| row.get(0))?;
        let numbers: Vec<Number> = numbers.collect::<Result<_, _>>()?;
        numbers.into_iter().filter_map(|number| self.tournament_change(number).transpose()).collect()
    }

    /// The latest changes of the tie-breaks of a tournament that hold, the last one first.
    pub fn order_changes(&self, stored: &StoredTournament) -> Result<Vec<TournamentChange>, StoreError> {
        let numbers = stored.order_changes.iter().rev().take(ORDER_CHANGES);
        numbers.filter_map(|number| self.tournament_change(*number).transpose()).collect()
    }

    /// The changes of a tournament after a number, in their order, also those that are undone.
    pub fn tournament_changes(
        &self,
        tournament: Number,
        since: Number,
        limit: usize,
    ) -> Result<ListPage<Change, Number>, StoreError> {
        let numbers = "SELECT number FROM tournament_change WHERE tournament = ?1 AND number > ?2
             ORDER BY number LIMIT ?3";
        let mut changes = self.connection.prepare(&changes_of(numbers))?;
        let rows = changes.query(params![tournament, since, limit + 1])?;
        Ok(listed(rows, limit, change_row)?.page(|change| change.number))
    }

    /// The changes of a tournament that are not undone.
    pub(super) fn held_changes(&self, tournament: Number) -> Result<HeldChanges, StoreError> {
        let mut changes = self.connection.prepare(
            "SELECT number, body FROM tournament_change WHERE tournament = ?
               AND NOT EXISTS (SELECT 1 FROM change WHERE change.undoes = tournament_change.number)
             ORDER BY number",
        )?;
        let changes = changes.query_map([tournament], |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
        changes
            .map(|row| {
                let (number, body) = row?;
                Ok((number, steps_of(number, &body)?))
            })
            .collect()
    }

    /// Gives a tournament the results of the records of its event and game.
    fn bind(&self, tournament: &mut Tournament, game: &GameNotation) -> Result<Bindings, StoreError> {
        let Some(event) = self.event_named(&tournament.settings.name)? else { return Ok(Bindings::default()) };
        let mut entries = self.entries(event.number, Some(game))?;
        let entered = self.entered_names(tournament)?;
        for player in entries.iter_mut().flat_map(|entry| &mut entry.players) {
            if let Some(name) = entered.get(player) {
                player.clone_from(name);
            }
        }
        let mut bindings = bind(tournament, &entries);
        bindings.misfits.extend(self.uncounted(event.number, game)?);
        Ok(bindings)
    }

    /// Gives games, which need not be stored, the names by which their players are entered in a tournament, as
    /// [`ReadTx::tournament`] does for those of the archive.
    pub fn enter_names<'e>(
        &self,
        tournament: &Tournament,
        entries: impl IntoIterator<Item = &'e mut Entry>,
    ) -> Result<(), StoreError> {
        let entered = self.entered_names(tournament)?;
        for player in entries.into_iter().flat_map(|entry| &mut entry.players) {
            if let Some((_, root)) = self.player_named(player)?.and_then(|person| person.counts_as) {
                *player = root;
            }
            if let Some(name) = entered.get(player) {
                player.clone_from(name);
            }
        }
        Ok(())
    }

    /// The names of entrants by those that they are merged into.
    fn entered_names(&self, tournament: &Tournament) -> Result<HashMap<String, String>, StoreError> {
        let mut root = self.connection.prepare(
            "SELECT root.name FROM player JOIN player AS root ON root.number = player.root
             WHERE player.name = ? AND player.root <> player.number",
        )?;
        let mut names = HashMap::new();
        for entrant in &tournament.entrants {
            let name = &entrant.player.name;
            if let Some(root) = root.query_row([name], |row| row.get(0)).optional()? {
                names.insert(root, name.clone());
            }
        }
        Ok(names)
    }

    /// Current records of an event that count nowhere: not verified, or without two players.
    fn uncounted(&self, event: i64, game: &GameNotation) -> Result<Vec<Misfit>, StoreError> {
        let mut records = self.connection.prepare(
            "SELECT card.id, card.status FROM card LEFT JOIN sheet ON sheet.record = card.number
             WHERE card.event = ?1 AND card.event IS NOT NULL AND card.state = 'current'
               AND ifnull(card.game, ?2) = ?2 AND ifnull(sheet.first, card.number) = card.number
               AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.record = card.number)
             ORDER BY card.number LIMIT ?3",
        )?;
        let records = records.query_map(params![event, game.id, UNCOUNTED], |row| {
            let status: Status = rows::status(row, "status")?;
            let status = format!("status.{}", status.as_str());
            let fault = fault::Fault::new(fault::NOT_VERIFIED).with("status", status);
            Ok(Misfit { record: rows::id(row, "id")?, fault })
        })?;
        Ok(records.collect::<Result<_, _>>()?)
    }
}

/// The tournament that changes make, without the results of records, and its game.
pub(super) fn replay(held: &HeldChanges) -> Result<Tournament, Misplaced> {
    let steps = held.iter().flat_map(|(number, body)| body.steps.iter().map(move |step| (*number, step)));
    let mut tournament: Option<Tournament> = None;
    for (change, step) in steps {
        let replayed = match (&mut tournament, step) {
            (Some(tournament), step) => tournament.replay(step),
            (none, model::Change::Create { settings }) => {
                Tournament::stored(settings.clone()).map(|created| *none = Some(created))
            }
            (None, _) => Err(fault::Fault::new(fault::NOT_CREATED)),
        };
        replayed.map_err(|fault| Misplaced { change, fault })?;
    }
    let change = held.first().map_or(0, |(number, _)| *number);
    tournament.ok_or_else(|| Misplaced { change, fault: fault::Fault::new(fault::NOT_CREATED) })
}

/// The tournament of changes that were accepted, and its game.
fn opened(held: &HeldChanges) -> Result<(&'static GameNotation, Tournament), StoreError> {
    let tournament = replay(held)
        .map_err(|Misplaced { change, fault }| StoreError::Corrupt(format!("change {change}: {}", fault.code.id)))?;
    let game = held.first().and_then(|(_, creation)| games::find(creation.game.as_deref()?));
    let game = game.ok_or_else(|| StoreError::Corrupt("a tournament without a game".to_owned()))?;
    Ok((game, tournament))
}

fn steps_of(change: Number, body: &str) -> Result<TournamentSteps, StoreError> {
    serde_json::from_str(body).map_err(|error| StoreError::Corrupt(format!("change {change}: {error}")))
}
