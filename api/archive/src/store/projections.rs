//! What follows from changes: cards for lists, players, events, the games that count and what they come to. Each change
//! costs the same however large the archive is; all of it can be made anew from the changes.

use quipu_notation::{games, record::Outcome};
use quipu_referee::{
    competition::{Encounter, Entry, Half, Start, folded, normal},
    games as referees,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    StoreError,
    deferred::{DeferredWrites, Gain},
    records::{judgement, stored_facts},
    rows,
    statements::{Insert, InsertRows, PreparedInserts},
};
use crate::model::{Facts, Id, Judgement, Kind, Number, State, read_points, write_points};

/// Makes the derived tables, empty.
fn create(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(include_str!("derived.sql"))?)
}

/// The index of words.
pub(super) const SEARCH: &str = "search";
/// The list of its words.
pub(super) const WORDS: &str = "word";
/// The other tables, each with its key.
pub(super) const TABLES: [(&str, &str); 8] = [
    ("total", "game, status, state"),
    ("rating", "game, player"),
    ("entry", "record"),
    ("part", "player, record"),
    ("card", "number"),
    ("event", "number"),
    ("player", "number"),
    ("term", "term"),
];

/// Makes everything anew from the changes. `seen` is told the number of each.
pub(super) fn rebuild(connection: &Connection, seen: impl FnMut(Number)) -> Result<(), StoreError> {
    for table in TABLES.map(|(table, _)| table).into_iter().chain([WORDS, SEARCH]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    make(connection, seen)?;
    Ok(connection.execute_batch("INSERT INTO search (search) VALUES ('optimize')")?)
}

/// Puts parts of the index of words together, so many pages of them; says whether there is no more to be done. `first` is to
/// be said once: it has all parts be put together that there are then.
pub(super) fn join_words(connection: &Connection, pages: i64, first: bool) -> Result<bool, StoreError> {
    let before = connection.total_changes();
    let mut join = connection.prepare_cached("INSERT INTO search (search, rank) VALUES ('merge', ?)")?;
    join.execute([if first { -pages } else { pages }])?;
    // The statement itself counts as one.
    Ok(connection.total_changes() - before < 2)
}

/// Makes everything from the changes where there is nothing yet.
pub(super) fn make(connection: &Connection, mut seen: impl FnMut(Number)) -> Result<(), StoreError> {
    create(connection)?;
    let mut changes = connection
        .prepare("SELECT number, kind, record, corrects, name, into_name, undoes FROM change ORDER BY number")?;
    let mut rows = changes.query([])?;
    let (later, held) = (DeferredWrites::default(), PreparedInserts::new(connection));
    while let Some(row) = rows.next()? {
        let (deed, change) = (ChangeEvent::of(row)?, row.get("number")?);
        Projector { held: &held, connection, change, later: &later }.apply(&deed, None)?;
        seen(change);
        if later.texts() >= TEXTS {
            later.store(connection)?;
        }
    }
    later.store(connection)
}

/// Texts that are held at once while everything is made anew.
const TEXTS: usize = 10_000;

/// What a change does.
#[derive(Clone, Debug)]
pub(super) enum ChangeEvent {
    /// A record arrives.
    Record(Number),
    /// A record is judged again.
    Verdict(Number),
    /// A record is put in the place of another.
    Correction { new: Number, old: Number },
    /// A record is taken back.
    Retraction(Number),
    /// A name is merged into another.
    Merge { name: String, into: String },
    /// A change is undone.
    Undo(Number),
}

impl ChangeEvent {
    /// What a row of the table of changes says.
    pub(super) fn of(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(match rows::parsed(row, "kind", Kind::parse)? {
            Kind::Record => Self::Record(row.get("record")?),
            Kind::Verdict => Self::Verdict(row.get("record")?),
            Kind::Correction => Self::Correction { new: row.get("record")?, old: row.get("corrects")? },
            Kind::Retraction => Self::Retraction(row.get("record")?),
            Kind::Merge => Self::Merge { name: row.get("name")?, into: row.get("into_name")? },
            Kind::Undo => Self::Undo(row.get("undoes")?),
        })
    }
}

/// A record that arrives, where it need not be read again.
pub(super) struct NewRecord<'a> {
    pub(super) id: &'a Id,
    /// When it came, in milliseconds.
    pub(super) at: i64,
    pub(super) facts: &'a Facts,
    pub(super) judgement: &'a Judgement,
}

/// Draws the consequences of one change.
pub(super) struct Projector<'c> {
    pub(super) held: &'c dyn InsertRows,
    pub(super) connection: &'c Connection,
    /// Its number.
    pub(super) change: Number,
    /// What waits for the end of the transaction.
    pub(super) later: &'c DeferredWrites,
}

/// What is needed of a card to count it.
struct Standing {
    place: Number,
    state: State,
    verdict: Number,
    status: String,
    game: Option<String>,
    event: Option<i64>,
    players: [Option<i64>; 2],
}

impl Projector<'_> {
    /// Draws the consequences of a deed.
    pub(super) fn apply(&self, deed: &ChangeEvent, arrival: Option<&NewRecord<'_>>) -> Result<(), StoreError> {
        match deed {
            ChangeEvent::Record(record) => self.arrive(*record, *record, arrival),
            ChangeEvent::Verdict(record) => self.judged(*record),
            ChangeEvent::Correction { new, old } => {
                let place = self.standing(*old)?.place;
                self.set_state(*old, State::Corrected)?;
                if *new == self.change {
                    self.arrive(*new, place, arrival)
                } else {
                    // It had come before and was taken back.
                    self.execute("UPDATE card SET place = ? WHERE number = ?", params![place, new])?;
                    self.set_state(*new, State::Current)
                }
            }
            ChangeEvent::Retraction(record) => self.set_state(*record, State::Retracted),
            ChangeEvent::Merge { name, into } => {
                let ([player, _], [into, _]) = (self.player(name)?, self.player(into)?);
                self.execute("UPDATE player SET merged = ? WHERE number = ?", params![into, player])?;
                self.regroup(player)
            }
            ChangeEvent::Undo(change) => self.undo(*change),
        }
    }

    fn undo(&self, change: Number) -> Result<(), StoreError> {
        let mut undone = self.connection.prepare_cached(
            "SELECT number, kind, record, corrects, name, into_name, undoes FROM change WHERE number = ?",
        )?;
        let deed = undone.query_row([change], |row| Ok(ChangeEvent::of(row)))??;
        match deed {
            ChangeEvent::Correction { new, old } => {
                self.set_state(new, State::Retracted)?;
                // Who stood in another's place goes back to the one it had, so that no two ever have the same.
                let place = self.place_before(new, change)?;
                self.execute("UPDATE card SET place = ? WHERE number = ?", params![place, new])?;
                self.set_state(old, State::Current)
            }
            ChangeEvent::Retraction(record) => self.set_state(record, State::Current),
            ChangeEvent::Merge { name, .. } => {
                let [player, _] = self.player(&name)?;
                self.execute("UPDATE player SET merged = NULL WHERE number = ?", [player])?;
                self.regroup(player)
            }
            ChangeEvent::Record(_) | ChangeEvent::Verdict(_) | ChangeEvent::Undo(_) => {
                Err(StoreError::Corrupt(format!("change {change} was undone and cannot be")))
            }
        }
    }

    /// A record arrives at a place in the order of entry.
    fn arrive(&self, record: Number, place: Number, arrival: Option<&NewRecord<'_>>) -> Result<(), StoreError> {
        let Some(NewRecord { id, at, facts, judgement }) = arrival else {
            let judgement = judgement(self.connection, record)?;
            let facts = stored_facts(self.connection, record, &judgement)?;
            let mut came = self.connection.prepare_cached(
                "SELECT id, at FROM record JOIN change ON change.number = record.number WHERE record.number = ?",
            )?;
            let (id, at) = came.query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let arrival = NewRecord { id: &id, at, facts: &facts, judgement: &judgement };
            return self.arrive(record, place, Some(&arrival));
        };
        let event = facts.event.as_deref().map(|name| self.event(name)).transpose()?;
        let [one, two] = &facts.players;
        let player = |name: &Option<String>| name.as_deref().map(|name| self.player(name)).transpose();
        let found = [player(one)?, player(two)?];
        let [players, roots] = [0, 1].map(|which| found.map(|found| found.map(|found: [i64; 2]| found[which])));
        self.held.insert(
            Insert::Card,
            params![
                record,
                place,
                id,
                at,
                judgement.number,
                judgement.status.as_str(),
                judgement.game,
                event,
                facts.round,
                players[0],
                players[1],
                facts.date.map(|date| date.to_string()),
                judgement.result.map(Outcome::as_str),
                judgement.termination,
                judgement.points.as_ref().map(write_points),
                judgement.plies,
            ],
        )?;
        self.later.search(record, facts.text.clone());
        let standing = Standing {
            place,
            state: State::Current,
            verdict: judgement.number,
            status: judgement.status.as_str().to_owned(),
            game: judgement.game.clone(),
            event,
            players,
        };
        self.take_part(record, roots)?;
        self.activate(record, &standing, roots, facts)
    }

    /// A record that was judged again.
    fn judged(&self, record: Number) -> Result<(), StoreError> {
        let before = self.standing(record)?;
        if before.state == State::Current {
            self.deactivate(record, &before)?;
        } else {
            self.total(&before, -1);
        }
        let judgement = judgement(self.connection, self.change)?;
        let mut card = self.connection.prepare_cached(
            "UPDATE card SET verdict = ?, status = ?, game = ?, result = ?, termination = ?, points = ?, plies = ? WHERE number = ?",
        )?;
        card.execute(params![
            self.change,
            judgement.status.as_str(),
            judgement.game,
            judgement.result.map(Outcome::as_str),
            judgement.termination,
            judgement.points.as_ref().map(write_points),
            judgement.plies,
            record,
        ])?;
        let now = self.standing(record)?;
        if now.state == State::Current {
            let facts = stored_facts(self.connection, record, &judgement)?;
            self.activate(record, &now, self.roots(&now)?, &facts)
        } else {
            self.total(&now, 1);
            Ok(())
        }
    }

    fn set_state(&self, record: Number, state: State) -> Result<(), StoreError> {
        let before = self.standing(record)?;
        if before.state == State::Current {
            self.deactivate(record, &before)?;
        } else {
            self.total(&before, -1);
        }
        self.execute("UPDATE card SET state = ? WHERE number = ?", params![state.as_str(), record])?;
        let now = self.standing(record)?;
        if state == State::Current {
            let judgement = judgement(self.connection, now.verdict)?;
            let facts = stored_facts(self.connection, record, &judgement)?;
            self.activate(record, &now, self.roots(&now)?, &facts)
        } else {
            self.total(&now, 1);
            Ok(())
        }
    }

    /// A record stands from now on, and counts if it can.
    fn activate(
        &self,
        record: Number,
        standing: &Standing,
        roots: [Option<i64>; 2],
        facts: &Facts,
    ) -> Result<(), StoreError> {
        self.total(standing, 1);
        let counts = match &facts.entry {
            Some(entry) => self.count(record, standing, roots, entry)?,
            None => false,
        };
        self.touch(standing.event, 1, i64::from(counts));
        Ok(())
    }

    /// A record does not stand any more.
    fn deactivate(&self, record: Number, standing: &Standing) -> Result<(), StoreError> {
        self.total(standing, -1);
        let counted = self.uncount(record)?;
        self.touch(standing.event, -1, -i64::from(counted));
        Ok(())
    }

    /// The place that a record had before a correction gave it another: that of what it corrected before, or its own.
    fn place_before(&self, record: Number, correction: Number) -> Result<Number, StoreError> {
        let mut before = self.connection.prepare_cached(
            "SELECT card.place FROM change JOIN card ON card.number = change.corrects
             WHERE change.record = ?1 AND change.kind = 'correction' AND change.number < ?2
               AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number AND undo.number <= ?3)
             ORDER BY change.number DESC LIMIT 1",
        )?;
        let place = before.query_row([record, correction, self.change], |row| row.get(0)).optional()?;
        Ok(place.unwrap_or(record))
    }

    fn standing(&self, record: Number) -> Result<Standing, StoreError> {
        let mut card = self
            .connection
            .prepare_cached("SELECT place, state, verdict, status, game, event, one, two FROM card WHERE number = ?")?;
        Ok(card.query_row([record], |row| {
            Ok(Standing {
                place: row.get("place")?,
                state: rows::parsed(row, "state", State::parse)?,
                verdict: row.get("verdict")?,
                status: row.get("status")?,
                game: row.get("game")?,
                event: row.get("event")?,
                players: [row.get("one")?, row.get("two")?],
            })
        })?)
    }

    fn total(&self, standing: &Standing, by: i64) {
        let game = standing.game.as_deref().unwrap_or_default();
        self.later.total(game, &standing.status, standing.state, by);
    }

    fn touch(&self, event: Option<i64>, records: i64, games: i64) {
        if let Some(event) = event {
            self.later.touch(event, records, games, self.change);
        }
    }

    /// The player of a name, who is made if there is none; and who it counts as.
    fn player(&self, name: &str) -> Result<[i64; 2], StoreError> {
        self.later.player(name, || {
            let mut find = self.connection.prepare_cached("SELECT number, root FROM player WHERE name = ?")?;
            if let Some(found) = find.query_row([name], |row| Ok([row.get(0)?, row.get(1)?])).optional()? {
                return Ok(found);
            }
            let mut add = self.connection.prepare_cached(
                "INSERT INTO player (number, name, folded, normal, root)
                 SELECT ifnull(max(number), 0) + 1, ?, ?, ?, ifnull(max(number), 0) + 1 FROM player RETURNING number",
            )?;
            let number = add.query_row(params![name, folded(name), normal(name)], |row| row.get(0))?;
            Ok([number, number])
        })
    }

    fn event(&self, name: &str) -> Result<i64, StoreError> {
        self.later.event(name, || {
            let mut find = self.connection.prepare_cached("SELECT number FROM event WHERE name = ?")?;
            if let Some(number) = find.query_row([name], |row| row.get(0)).optional()? {
                return Ok(number);
            }
            let mut add = self.connection.prepare_cached(
                "INSERT INTO event (number, name, folded, records, games, changed)
                 SELECT ifnull(max(number), 0) + 1, ?, ?, 0, 0, ? FROM event RETURNING number",
            )?;
            Ok(add.query_row(params![name, folded(name), self.change], |row| row.get(0))?)
        })
    }

    /// Who a player counts as.
    fn root(&self, player: i64) -> Result<i64, StoreError> {
        let mut root = self.connection.prepare_cached("SELECT root FROM player WHERE number = ?")?;
        Ok(root.query_row([player], |row| row.get(0))?)
    }

    /// Who the players of a record count as.
    fn roots(&self, standing: &Standing) -> Result<[Option<i64>; 2], StoreError> {
        let [one, two] = standing.players.map(|player| player.map(|player| self.root(player)).transpose());
        Ok([one?, two?])
    }

    fn take_part(&self, record: Number, roots: [Option<i64>; 2]) -> Result<(), StoreError> {
        for root in roots.into_iter().flatten() {
            self.held.insert(Insert::Part, params![root, record])?;
        }
        Ok(())
    }

    /// Who counts as whom has changed for a player and those merged into that player: their records are counted anew.
    fn regroup(&self, player: i64) -> Result<(), StoreError> {
        self.later.forget_names();
        let before = self.root(player)?;
        let mut group = self.connection.prepare("SELECT number, merged FROM player WHERE root = ?")?;
        let group: Vec<(i64, Option<i64>)> =
            group.query_map([before], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        // The one who was just merged leads to who is outside of this group, and so to who that one counts as.
        let end = |from: i64| -> Result<i64, StoreError> {
            let mut at = from;
            for _ in &group {
                match group.iter().find(|(number, _)| *number == at) {
                    Some((_, Some(into))) => at = *into,
                    Some((_, None)) => return Ok(at),
                    None => break,
                }
            }
            if group.iter().any(|(number, _)| *number == at) {
                return Err(StoreError::Corrupt(format!("player {at} is merged in a circle")));
            }
            self.root(at)
        };
        let mut moved = Vec::new();
        for (number, _) in &group {
            let root = end(*number)?;
            if root != before {
                moved.push((*number, root));
            }
        }
        let mut parts = self.connection.prepare("SELECT record FROM part WHERE player = ?")?;
        let records: Vec<Number> = parts.query_map([before], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut touched = Vec::new();
        for record in records {
            let standing = self.standing(record)?;
            if standing.players.into_iter().flatten().any(|player| moved.iter().any(|(number, _)| *number == player)) {
                if self.uncount(record)? {
                    self.touch(standing.event, 0, -1);
                }
                self.execute("DELETE FROM part WHERE record = ? AND player = ?", [record, before])?;
                touched.push((record, standing));
            }
        }
        for (number, root) in moved {
            self.execute("UPDATE player SET root = ? WHERE number = ?", [root, number])?;
        }
        for (record, standing) in touched {
            let roots = self.roots(&standing)?;
            self.take_part(record, roots)?;
            if standing.state == State::Current {
                let judgement = judgement(self.connection, standing.verdict)?;
                if let Some(entry) = stored_facts(self.connection, record, &judgement)?.entry
                    && self.count(record, &standing, roots, &entry)?
                {
                    self.touch(standing.event, 0, 1);
                }
            }
        }
        Ok(())
    }

    /// A game counts from now on, unless one player has both sides; says whether it does. The event is not told.
    fn count(
        &self,
        record: Number,
        standing: &Standing,
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
            event: standing.event.unwrap_or_default(),
            round: entry.round.clone().unwrap_or_default(),
            players,
            points: entry.points.map(|points| points.counted()),
            winner: winner.map(|side| players[side.index()]),
            drawn: entry.outcome == Outcome::Draw,
        };
        let mut encounter = self.encounter(&counted)?;
        let before = bonuses(&encounter, &counted);
        let won = winner.and_then(|side| Some(entry.points?.0[side.index()].points));
        self.held.insert(
            Insert::Entry,
            params![
                record,
                entry.id,
                standing.place,
                counted.game,
                counted.event,
                counted.round,
                entry.leg,
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
        // As it would be read again.
        let entry = Entry {
            place: u64::try_from(standing.place).unwrap_or_default(),
            event: standing.event.map(|event| event.to_string()),
            players: players.map(|player| player.to_string()),
            ..entry.clone()
        };
        let at = encounter.partition_point(|other| other.place < entry.place);
        encounter.insert(at, entry);
        encounter.truncate(ENCOUNTER);
        self.rate(&counted, [before, bonuses(&encounter, &counted)], 1);
        Ok(true)
    }

    /// A game does not count any more, if it did; says whether it did. The event is not told.
    fn uncount(&self, record: Number) -> Result<bool, StoreError> {
        let mut entry = self.connection.prepare_cached(
            "SELECT game, event, round, one, two, result, points, winner FROM entry WHERE record = ?",
        )?;
        let counted = entry.query_row([record], |row| {
            Ok(Counted {
                game: rows::parsed(row, "game", games::find)?.id,
                event: row.get("event")?,
                round: row.get("round")?,
                players: [row.get("one")?, row.get("two")?],
                points: rows::maybe(row, "points", read_points)?.map(|points| points.counted()),
                winner: row.get("winner")?,
                drawn: rows::parsed(row, "result", Outcome::parse)? == Outcome::Draw,
            })
        });
        let Some(counted) = counted.optional()? else { return Ok(false) };
        let before = bonuses(&self.encounter(&counted)?, &counted);
        self.execute("DELETE FROM entry WHERE record = ?", [record])?;
        let after = bonuses(&self.encounter(&counted)?, &counted);
        self.rate(&counted, [before, after], -1);
        Ok(true)
    }

    /// Adds a game to what its players have, or takes it away, with the bonuses they had from its encounter, and have.
    fn rate(&self, counted: &Counted, [before, after]: [[Half; 2]; 2], by: i64) {
        for (index, player) in counted.players.into_iter().enumerate() {
            let gain = Gain {
                games: by,
                wins: if counted.winner == Some(player) { by } else { 0 },
                draws: if counted.drawn { by } else { 0 },
                points: counted.points.map(|points| by * i64::from(points[index])),
                bonus: halves(after[index]) - halves(before[index]),
            };
            self.later.gain(counted.game, player, gain);
        }
    }

    /// The first games of the encounter that a game is of, if it counts points.
    fn encounter(&self, counted: &Counted) -> Result<Vec<Entry>, StoreError> {
        let [one, two] = counted.players;
        if counted.points.is_none() {
            return Ok(Vec::new());
        }
        let mut games = self.connection.prepare_cached(
            "SELECT * FROM entry WHERE low = ? AND high = ? AND event = ? AND round = ? AND game = ? AND points IS NOT NULL
             ORDER BY place LIMIT ?",
        )?;
        let key = params![one.min(two), one.max(two), counted.event, counted.round, counted.game, ENCOUNTER];
        let games = games.query_map(key, |row| entry(row, |row, column| Ok(row.get::<_, i64>(column)?.to_string())))?;
        Ok(games.collect::<Result<_, _>>()?)
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

/// What is needed of a game to count it for its players.
struct Counted {
    game: &'static str,
    event: i64,
    round: String,
    players: [i64; 2],
    points: Option<[u32; 2]>,
    winner: Option<i64>,
    drawn: bool,
}

/// Games of an encounter that tell what it gives: those of more than two games are irregular.
const ENCOUNTER: usize = 3;

/// What an encounter gives to the two players of a game on top (9.4).
fn bonuses(encounter: &[Entry], counted: &Counted) -> [Half; 2] {
    let games: Vec<_> = encounter.iter().filter(|_| counted.points.is_some()).collect();
    let Some(encounter) = Encounter::of(&games) else { return [Half::ZERO; 2] };
    let bonus = encounter.bonus();
    counted.players.map(|player| encounter.index_of(&player.to_string()).map_or(Half::ZERO, |index| bonus[index]))
}

fn halves(half: Half) -> i64 {
    i64::try_from(half.halves()).unwrap_or(i64::MAX)
}

/// A row of the games that count; `name` says what its players are called.
pub(super) fn entry(
    row: &Row<'_>,
    name: impl Fn(&Row<'_>, &str) -> rusqlite::Result<String>,
) -> rusqlite::Result<Entry> {
    let game = rows::parsed(row, "game", games::find)?;
    let ends = referees::find(game.id).map_or(&[][..], |game| game.ends());
    let said = |column: &str| -> rusqlite::Result<Option<String>> {
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
        players: [name(row, "one")?, name(row, "two")?],
        outcome: rows::parsed(row, "result", Outcome::parse)?,
        termination: rows::parsed(row, "termination", |text| {
            ends.iter().chain(quipu_referee::termination::DECLARED).find(|end| end.name == text)
        })?,
        points: rows::maybe(row, "points", read_points)?,
        start: start(&start_text),
        id: rows::id(row, "id")?,
    })
}

/// When a game started, from how it is stored: so that it is ordered as a text like as a time.
pub(super) fn start(text: &str) -> Start {
    let (date, time) = text.split_once(' ').map_or((text, None), |(date, time)| (date, Some(time)));
    Start::new(Some(date), time)
}
