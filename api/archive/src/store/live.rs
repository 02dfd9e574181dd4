//! Games in progress. Their rows are updated and deleted: the record of a finished game is permanent.

use chrono::TimeDelta;
use quipu_notation::games::{self, GameNotation};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    listing::{ListPage, listed},
    read_tx::ReadTx,
    rows,
    write_tx::WriteTx,
};
use crate::model::{Clocks, Draft, Id, Live, Number};

/// Time after which a finished game is deleted, and after which an open one may be.
const RETENTION: TimeDelta = TimeDelta::days(30);
/// Finished games that are deleted when one is opened. More than one, so that the table shrinks.
const DELETED: usize = 8;
/// Maximal open games of a token.
const OPEN: usize = 200;

/// Games in progress of an event that are listed.
const OF_EVENT: usize = 4096;

/// A game in progress of an event, by what its board has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOfEvent {
    /// Its number.
    pub number: Number,
    /// The round, if the record names one.
    pub round: Option<String>,
    /// Names of the players, side 1 first.
    pub players: [Option<String>; 2],
}

/// The reason that an operation on a game in progress is refused.
#[derive(Clone, Debug)]
pub enum LiveRefusal {
    /// The archive failed.
    Store(StoreError),
    /// There is no such game.
    Missing,
    /// It was saved since; its version.
    Outdated(Number),
    /// It is finished; its record.
    Finished(Id),
    /// Its game is another; which.
    Other(&'static str),
    /// The token has the maximal number of games open; that number.
    Many(usize),
}

impl From<StoreError> for LiveRefusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<database::Error> for LiveRefusal {
    fn from(error: database::Error) -> Self {
        Self::Store(error.into())
    }
}

impl ReadTx<'_> {
    /// A game in progress.
    pub fn live(&self, number: Number) -> Result<Option<Live>, StoreError> {
        let mut live = self.connection.prepare("SELECT * FROM live WHERE number = ?")?;
        Ok(live.query_row([number], live_row).optional()?)
    }

    /// The version of a game in progress.
    pub fn live_version(&self, number: Number) -> Result<Option<Number>, StoreError> {
        let mut version = self.connection.prepare("SELECT version FROM live WHERE number = ?")?;
        Ok(version.query_row([number], |row| row.get(0)).optional()?)
    }

    /// Unfinished games, newest first; those before `before`, if it is given.
    pub fn lives(&self, before: Option<Number>, limit: usize) -> Result<ListPage<Live, Number>, StoreError> {
        let mut lives = self
            .connection
            .prepare("SELECT * FROM live WHERE finished IS NULL AND number < ? ORDER BY number DESC LIMIT ?")?;
        let lives = lives.query(params![before.unwrap_or(Number::MAX), limit + 1])?;
        let lives = listed(lives, limit, |row, extent| {
            let mut live = live_row(row)?;
            let Draft { text, event, round, players: [one, two], .. } = &mut live.draft;
            extent.count(text.len());
            for name in [event, round, one, two].into_iter().flatten() {
                *name = extent.shown(name);
            }
            Ok(live)
        })?;
        Ok(lives.page(|live| live.number))
    }
}

impl ReadTx<'_> {
    /// The unfinished games of an event in a game, newest first; the others beyond some thousands, and names longer than those of a
    /// tournament, are left out.
    pub fn lives_of_event(&self, event: &str, game: &GameNotation) -> Result<Vec<LiveOfEvent>, StoreError> {
        // The index finds the unfinished games without their records.
        let mut lives = self.connection.prepare(
            "SELECT number, round, one, two FROM live INDEXED BY live_submitter
             WHERE finished IS NULL AND event = ? AND game = ? AND length(round) <= 200 AND length(one) <= 200
               AND length(two) <= 200 ORDER BY number DESC LIMIT ?",
        )?;
        let lives = lives.query_map(params![event, game.id, OF_EVENT], |row| {
            let players = [row.get("one")?, row.get("two")?];
            Ok(LiveOfEvent { number: row.get("number")?, round: row.get("round")?, players })
        })?;
        Ok(lives.collect::<Result<_, _>>()?)
    }

    /// The number of unfinished games, and that of the newest: together they change whenever one is opened, finished or closed.
    pub fn open_lives(&self) -> Result<(Number, Number), StoreError> {
        let mut open = self.connection.prepare(
            "SELECT count(*), ifnull(max(number), 0) FROM live INDEXED BY live_submitter WHERE finished IS NULL",
        )?;
        Ok(open.query_row(params![], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }
}

impl WriteTx<'_> {
    /// Opens a game and returns its number. Games that were finished long ago are deleted: their records are in the archive. An
    /// unfinished one is deleted only if its token has too many and it was not saved for long; otherwise a wrong clock would be
    /// enough to lose it.
    pub fn open_live(&self, draft: &Draft, submitter: &str) -> Result<Number, LiveRefusal> {
        let long_ago = (self.now() - RETENTION).timestamp_millis();
        let mut forget = self.connection.prepare(
            "DELETE FROM live WHERE number IN
             (SELECT number FROM live WHERE changed <= ? AND finished IS NOT NULL ORDER BY changed LIMIT ?)",
        )?;
        forget.execute(params![long_ago, DELETED])?;
        let mut open = self.connection.prepare("SELECT count(*) FROM live WHERE submitter = ? AND finished IS NULL")?;
        if open.query_row([submitter], |row| row.get::<usize>(0))? >= OPEN {
            let mut make_room = self.connection.prepare(
                "DELETE FROM live WHERE number =
                 (SELECT number FROM live WHERE submitter = ? AND finished IS NULL AND changed <= ? ORDER BY changed LIMIT 1)",
            )?;
            if make_room.execute(params![submitter, long_ago])? == 0 {
                return Err(LiveRefusal::Many(OPEN));
            }
        }
        let now = self.now().timestamp_millis();
        let mut insert = self.connection.prepare(
            "INSERT INTO live (submitter, opened, changed, version, game, event, round, one, two, plies, record)
             VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
        )?;
        let Draft { text, game, event, round, players: [one, two], plies } = draft;
        let values = params![submitter, now, now, game.id, event, round, one, two, plies, text];
        Ok(insert.query_row(values, |row| row.get(0))?)
    }

    /// Saves a game and returns its version, which is a new one unless text and clocks are the same. `seen` is the version that
    /// it must have; without it any version is right.
    pub fn save_live(
        &self,
        number: Number,
        seen: Option<Number>,
        draft: &Draft,
        clocks: Clocks,
    ) -> Result<Number, LiveRefusal> {
        let live = self.live(number)?.ok_or(LiveRefusal::Missing)?;
        // A client that sends the same again has not got the response.
        if live.draft.text == draft.text && live.clocks == clocks {
            return Ok(live.version);
        }
        check_open(&live, seen)?;
        if live.draft.game != draft.game {
            return Err(LiveRefusal::Other(live.draft.game.id));
        }
        let mut save = self.connection.prepare(
            "UPDATE live SET changed = ?, version = ?, event = ?, round = ?, one = ?, two = ?, plies = ?, record = ?,
               clock_one = ?, clock_two = ?, running = ?
             WHERE number = ?",
        )?;
        let version = live.version + 1;
        let Draft { text, game: _, event, round, players: [one, two], plies } = draft;
        let Clocks { left: [clock_one, clock_two], running } = clocks;
        let now = self.now().timestamp_millis();
        save.execute(params![
            now, version, event, round, one, two, plies, text, clock_one, clock_two, running, number
        ])?;
        Ok(version)
    }

    /// Marks a game as finished, with its record, which must be in the archive.
    pub fn finish_live(&self, number: Number, seen: Option<Number>, id: &Id) -> Result<(), LiveRefusal> {
        let live = self.live(number)?.ok_or(LiveRefusal::Missing)?;
        check_open(&live, seen)?;
        let mut finish =
            self.connection.prepare("UPDATE live SET changed = ?, version = ?, finished = ? WHERE number = ?")?;
        finish.execute(params![self.now().timestamp_millis(), live.version + 1, id, number])?;
        Ok(())
    }

    /// Deletes an unfinished game.
    pub fn close_live(&self, number: Number, seen: Option<Number>) -> Result<(), LiveRefusal> {
        let live = self.live(number)?.ok_or(LiveRefusal::Missing)?;
        check_open(&live, seen)?;
        let mut close = self.connection.prepare("DELETE FROM live WHERE number = ?")?;
        close.execute([number])?;
        Ok(())
    }
}

/// Checks that a game is not finished, and has this version.
fn check_open(live: &Live, seen: Option<Number>) -> Result<(), LiveRefusal> {
    if let Some(id) = live.finished {
        return Err(LiveRefusal::Finished(id));
    }
    match seen {
        Some(seen) if seen != live.version => Err(LiveRefusal::Outdated(live.version)),
        _ => Ok(()),
    }
}

fn live_row(row: &Row<'_>) -> database::Result<Live> {
    Ok(Live {
        number: row.get("number")?,
        submitter: row.get("submitter")?,
        opened: rows::time(row, "opened")?,
        changed: rows::time(row, "changed")?,
        version: row.get("version")?,
        finished: row.get("finished")?,
        draft: Draft {
            text: row.get("record")?,
            game: rows::parsed(row, "game", games::find)?,
            event: row.get("event")?,
            round: row.get("round")?,
            players: [row.get("one")?, row.get("two")?],
            plies: row.get("plies")?,
        },
        clocks: Clocks { left: [row.get("clock_one")?, row.get("clock_two")?], running: row.get("running")? },
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use quipu_notation::record::Format;
    use tempfile::TempDir;

    use super::*;
    use crate::{
        model::Submission,
        store::{
            Store,
            database::{
                Connection,
                sqlite::connect::{Access, connect},
            },
            deferred::DeferredWrites,
            statements::PreparedInserts,
        },
    };

    fn draft(moves: &str) -> Draft {
        let text = format!("[Game \"andes\"]\n[Sol \"Ana\"]\n\n{moves} *\n");
        let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
        Draft::new(&submission).expect("it can be played on")
    }

    /// An archive with a clock of its own.
    struct Aged {
        store: Store,
        connection: Connection,
        _folder: TempDir,
    }

    impl Aged {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(folder.path()).expect("an archive");
            let connection = connect(store.path(), Access::Write).expect("a connection");
            Self { store, connection, _folder: folder }
        }

        fn at<T>(&self, after: TimeDelta, work: impl FnOnce(&WriteTx<'_>) -> Result<T, LiveRefusal>) -> T {
            self.try_at(after, work).expect("it is done")
        }

        fn try_at<T>(
            &self,
            after: TimeDelta,
            work: impl FnOnce(&WriteTx<'_>) -> Result<T, LiveRefusal>,
        ) -> Result<T, LiveRefusal> {
            let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(&self.connection));
            let first = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
            work(&WriteTx::new(&inserts, &deferred, first + after))
        }

        fn open(&self, after: TimeDelta) -> Number {
            self.at(after, |writing| writing.open_live(&draft(""), "mesa"))
        }
    }

    impl Aged {
        fn is_there(&self, number: Number) -> bool {
            self.store.read(|reading| reading.live(number)).expect("it answers").is_some()
        }

        fn finish(&self, number: Number, after: TimeDelta) {
            // There is no record with this id.
            self.connection.execute_batch("PRAGMA foreign_keys = off").expect("it is SQLite's");
            self.at(after, |writing| writing.finish_live(number, Some(1), &Id::default()));
        }
    }

    #[test]
    fn no_clock_makes_a_game_go_that_is_not_finished() {
        let aged = Aged::new();
        let kept = aged.open(TimeDelta::zero());
        for years in [1, 10, 1_000] {
            aged.open(TimeDelta::days(365 * years));
            assert!(aged.is_there(kept), "{years}");
        }
    }

    #[test]
    fn a_game_goes_long_after_it_was_finished() {
        let aged = Aged::new();
        let (old, young) = (aged.open(TimeDelta::zero()), aged.open(TimeDelta::zero()));
        aged.finish(old, TimeDelta::zero());
        aged.finish(young, TimeDelta::days(1));
        aged.open(RETENTION - TimeDelta::milliseconds(1));
        assert!(aged.is_there(old) && aged.is_there(young));
        aged.open(RETENTION);
        assert!(!aged.is_there(old) && aged.is_there(young));
        aged.open(RETENTION + TimeDelta::days(1));
        assert!(!aged.is_there(young));
    }

    #[test]
    fn where_no_more_can_be_opened_the_oldest_goes_that_nobody_has_saved_for_long() {
        let aged = Aged::new();
        let (first, second) = (aged.open(TimeDelta::zero()), aged.open(TimeDelta::zero()));
        for _ in 2..OPEN {
            aged.open(TimeDelta::days(2));
        }
        aged.at(TimeDelta::days(1), |writing| writing.save_live(first, Some(1), &draft("0d3"), Clocks::default()));
        // Saving the same text is not a change.
        aged.at(TimeDelta::days(2), |writing| writing.save_live(second, Some(1), &draft(""), Clocks::default()));
        aged.open(RETENTION);
        assert!(aged.is_there(first) && !aged.is_there(second));
        aged.open(RETENTION + TimeDelta::days(1));
        assert!(!aged.is_there(first));
        let refused = aged.try_at(RETENTION + TimeDelta::days(1), |writing| writing.open_live(&draft(""), "mesa"));
        assert!(matches!(refused, Err(LiveRefusal::Many(OPEN))), "{refused:?}");
    }

    #[test]
    fn finished_games_go_a_few_at_a_time() {
        let aged = Aged::new();
        for _ in 0..2 * DELETED {
            aged.finish(aged.open(TimeDelta::zero()), TimeDelta::zero());
        }
        let open = || {
            aged.open(RETENTION);
            let count = aged.connection.query_row("SELECT count(*) FROM live", params![], |row| row.get::<usize>(0));
            count.expect("it answers")
        };
        assert_eq!([open(), open(), open()], [DELETED + 1, 2, 3]);
    }
}
