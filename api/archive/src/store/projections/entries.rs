//! Entries: the games that count, and the bonuses of their encounters (9.4).

use quipu_notation::{games, record::Outcome};
use quipu_referee::{
    competition::{Encounter, Entry, Half, Start},
    games as referees,
};

use super::{cards::CardRow, projector::Projector, ratings::RatingDelta};
use crate::{
    model::{Number, read_points, write_points},
    store::{
        database::{self, OptionalRow, Parameter, Row, Value, params},
        error::StoreError,
        rows,
        statements::Insert,
        tx_cache::EncounterKey,
    },
};

/// Games of an encounter that decide its bonus: an encounter of more than two games is irregular.
const ENCOUNTER: usize = 3;

/// The facts of a game that ratings need.
struct Counted {
    game: &'static str,
    event: i64,
    round: String,
    players: [i64; 2],
    points: Option<[u32; 2]>,
    winner: Option<i64>,
    outcome: Outcome,
}

impl Counted {
    fn encounter_key(&self) -> EncounterKey {
        let [one, two] = self.players;
        let (game, event, round) = (self.game, self.event, self.round.clone());
        EncounterKey { game, event, round, players: [one.min(two), one.max(two)] }
    }
}

/// SQL for the first games of an encounter, with [`encounter_params`].
pub(in crate::store) const ENCOUNTER_GAMES: &str =
    "SELECT * FROM entry WHERE low = ? AND high = ? AND event = ? AND round = ? AND game = ? AND points IS NOT NULL
     ORDER BY place LIMIT ?";

/// The parameters of [`ENCOUNTER_GAMES`].
pub(in crate::store) fn encounter_params(key: &EncounterKey) -> [Value<'_>; 6] {
    let EncounterKey { game, event, round, players: [low, high] } = key;
    [low.value(), high.value(), event.value(), round.value(), game.value(), ENCOUNTER.value()]
}

impl Projector<'_> {
    /// Adds a game to the entries and ratings; false if one player has both sides. The counts of its event are left to the
    /// caller.
    pub(super) fn count(
        &self,
        record: Number,
        card: &CardRow,
        roots: [Option<i64>; 2],
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let [Some(one), Some(two)] = roots else { return Ok(false) };
        let players = [one, two];
        if one == two {
            return Ok(false);
        }
        let winner = entry.outcome.winner();
        let counted = Counted {
            game: entry.game.id,
            event: card.event.unwrap_or_default(),
            round: entry.round.clone().unwrap_or_default(),
            players,
            points: entry.points.map(|points| points.counted()),
            winner: winner.map(|side| players[side.index()]),
            outcome: entry.outcome,
        };
        let mut encounter = self.encounter(&counted)?;
        let before = bonuses(&encounter, &counted);
        let won = winner.and_then(|side| Some(entry.points?.0[side.index()].points));
        self.inserts.insert(
            Insert::Entry,
            &params![
                record,
                entry.id,
                card.place,
                counted.game,
                counted.event,
                counted.round,
                entry.leg,
                entry.board,
                players[0],
                players[1],
                players[0].min(players[1]),
                players[0].max(players[1]),
                entry.outcome.as_str(),
                entry.termination.name,
                entry.points.as_ref().map(write_points),
                entry.start.to_string(),
                counted.winner,
                won,
            ],
        )?;
        // The same value as [`entry_row`] reads.
        let entry = Entry {
            place: u64::try_from(card.place).unwrap_or_default(),
            event: card.event.map(|event| event.to_string()),
            players: players.map(|player| player.to_string()),
            ..entry.clone()
        };
        let at = encounter.partition_point(|other| other.place < entry.place);
        encounter.insert(at, entry);
        encounter.truncate(ENCOUNTER);
        self.deferred.tx_cache.borrow_mut().update_encounter(&counted.encounter_key(), &encounter);
        self.rate(&counted, [before, bonuses(&encounter, &counted)], 1);
        self.deferred.add_count_change(record, counted.outcome, 1);
        Ok(true)
    }

    /// Removes a game from the entries and ratings; false if it had no entry. The counts of its event are left to the caller.
    pub(super) fn uncount(&self, record: Number) -> Result<bool, StoreError> {
        let mut entry = self
            .connection
            .prepare("SELECT game, event, round, one, two, result, points, winner FROM entry WHERE record = ?")?;
        let counted = entry.query_row([record], |row| {
            Ok(Counted {
                game: rows::parsed(row, "game", games::find)?.id,
                event: row.get("event")?,
                round: row.get("round")?,
                players: [row.get("one")?, row.get("two")?],
                points: rows::maybe(row, "points", read_points)?.map(|points| points.counted()),
                winner: row.get("winner")?,
                outcome: rows::parsed(row, "result", Outcome::parse)?,
            })
        });
        let Some(counted) = counted.optional()? else { return Ok(false) };
        self.deferred.tx_cache.borrow_mut().forget_encounters();
        let before = bonuses(&self.encounter(&counted)?, &counted);
        self.execute("DELETE FROM entry WHERE record = ?", [record])?;
        let after = bonuses(&self.encounter(&counted)?, &counted);
        self.rate(&counted, [before, after], -1);
        self.deferred.add_count_change(record, counted.outcome, -1);
        Ok(true)
    }

    /// Adds a game to the ratings of its players (`by` 1) or removes it (-1), with the difference in the bonuses of its
    /// encounter.
    fn rate(&self, counted: &Counted, [before, after]: [[Half; 2]; 2], by: i64) {
        for (index, player) in counted.players.into_iter().enumerate() {
            let delta = RatingDelta {
                games: by,
                wins: if counted.winner == Some(player) { by } else { 0 },
                draws: if counted.outcome == Outcome::Draw { by } else { 0 },
                points: counted.points.map(|points| by * i64::from(points[index])),
                bonus: halves(after[index]) - halves(before[index]),
                has_wins: counted.winner == Some(player),
            };
            self.deferred.add_rating_delta(counted.game, player, delta);
        }
    }

    /// The first games of a game's encounter; none if it counts no points.
    fn encounter(&self, counted: &Counted) -> Result<Vec<Entry>, StoreError> {
        if counted.points.is_none() {
            return Ok(Vec::new());
        }
        let key = counted.encounter_key();
        if let Some(games) = self.deferred.tx_cache.borrow_mut().encounter(&key) {
            return Ok(games);
        }
        let mut games = self.connection.prepare(ENCOUNTER_GAMES)?;
        let games = games.query_map(encounter_params(&key), stored_entry)?;
        Ok(games.collect::<Result<_, _>>()?)
    }
}

/// A row of `entry`, with the numbers of its players as their names.
pub(in crate::store) fn stored_entry(row: &Row<'_>) -> database::Result<Entry> {
    entry_row(row, |row, column| Ok(row.get::<i64>(column)?.to_string()))
}

/// The bonuses of an encounter for the two players of a game.
fn bonuses(encounter: &[Entry], counted: &Counted) -> [Half; 2] {
    let games: Vec<_> = encounter.iter().filter(|_| counted.points.is_some()).collect();
    let Some(encounter) = Encounter::of(&games) else { return [Half::ZERO; 2] };
    let bonus = encounter.bonus();
    counted.players.map(|player| encounter.index_of(&player.to_string()).map_or(Half::ZERO, |index| bonus[index]))
}

fn halves(half: Half) -> i64 {
    i64::try_from(half.halves()).unwrap_or(i64::MAX)
}

/// A row of `entry`; `name` reads the names of its players.
pub(in crate::store) fn entry_row(
    row: &Row<'_>,
    name: impl Fn(&Row<'_>, &str) -> database::Result<String>,
) -> database::Result<Entry> {
    let game = rows::parsed(row, "game", games::find)?;
    let ends = referees::find(game.id).map_or(&[][..], |game| game.ends());
    let said = |column: &str| -> database::Result<Option<String>> {
        let text: String = row.get(column)?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    };
    let event: i64 = row.get("event")?;
    let start_text: String = row.get("start")?;
    Ok(Entry {
        place: row.get("place")?,
        game,
        event: (event != 0).then(|| event.to_string()),
        round: said("round")?,
        leg: row.get("leg")?,
        board: row.get("board")?,
        players: [name(row, "one")?, name(row, "two")?],
        outcome: rows::parsed(row, "result", Outcome::parse)?,
        termination: rows::parsed(row, "termination", |text| {
            ends.iter().chain(quipu_referee::termination::DECLARED).find(|end| end.name == text)
        })?,
        points: rows::maybe(row, "points", read_points)?,
        start: parse_start(&start_text),
        id: rows::id(row, "id")?,
    })
}

/// A start as it is stored: the order of these texts is the order of the times.
pub(in crate::store) fn parse_start(text: &str) -> Start {
    let (date, time) = text.split_once(' ').map_or((text, None), |(date, time)| (date, Some(time)));
    Start::new(Some(date), time)
}
