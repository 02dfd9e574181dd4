//! `quipu.Record`: a record as it was written.

use std::{io::Cursor, sync::Arc};

use pyo3::{prelude::*, pybacked::PyBackedStr, types::PyDict};
use quipu_notation::record::{
    Outcome, Reader, Record,
    write::{OutputFormat, as_written},
};
use quipu_referee::{Lang, repaired, replay::Replay, verify};

use crate::{
    arguments::{Language, ReadOptions, known_games, listed},
    batch::{Batch, WrittenRecord, written},
    errors::{ErrorFacts, UnreadableError, refused},
    position::GamePosition,
    record_verdict::RecordVerdict,
};

/// Formats that hold everything that a record has.
const WHOLE: [OutputFormat; 3] = [OutputFormat::Quipu, OutputFormat::Json, OutputFormat::Ndjson];

/// A record as it was written, legal or not.
///
/// Parameters
/// ----------
/// text : str
///     The text of one record, in any format.
/// lang : {"en", "es"}, default "en"
///     The language of messages.
/// format : {"quipu", "json", "csv", "otg", "hnefatafl", "pgn"}, optional
///     The format of the text. By default the content decides.
///
/// Raises
/// ------
/// UnreadableError
///     The text is not a record; ``line`` and ``column`` tell the place of the first fault.
/// QuipuError
///     There is no record in the text, or more than one.
#[pyclass(frozen, name = "Record", module = "quipu")]
pub(crate) struct GameRecord {
    pub(crate) record: Record<'static>,
    dropped: Vec<String>,
    written: WrittenRecord,
    index: u64,
    file: Option<Arc<str>>,
    lang: Lang,
}

impl GameRecord {
    /// A record of a source, unless it is unreadable.
    pub(crate) fn read(written: WrittenRecord, index: u64, file: Option<Arc<str>>, lang: Lang) -> Option<Self> {
        let record = written.read()?;
        let dropped = record.dropped.iter().filter(|dropped| dropped.assumed.is_none());
        let dropped = dropped.map(|dropped| dropped.what.clone().into_owned()).collect();
        Some(Self { record: repaired::owned(&record), dropped, written, index, file, lang })
    }

    /// A record that was made and not read.
    pub(crate) fn made(record: &Record<'_>, lang: Lang) -> Self {
        let written = WrittenRecord::of_text(&as_written(record));
        Self { record: repaired::owned(record), dropped: Vec::new(), written, index: 1, file: None, lang }
    }

    pub(crate) fn lang(&self) -> Lang {
        self.lang
    }

    /// The record with the cells that a spreadsheet has changed.
    pub(crate) fn read_again(&self) -> Record<'_> {
        self.written.read().unwrap_or_else(|| self.record.clone())
    }

    fn replay(&self, py: Python<'_>) -> PyResult<Replay<'_>> {
        let found = Replay::of(&self.record);
        found.ok_or_else(|| refused(py, "python.no-game", self.lang, &[("known", &known_games())]))
    }

    fn position_of(&self, replay: &Replay<'_>) -> GamePosition {
        let rules = self.record.value("Rules").map(str::to_owned);
        GamePosition { game: replay.game(), rules, board: replay.board().copied(), lang: self.lang }
    }
}

#[pymethods]
impl GameRecord {
    #[new]
    #[pyo3(
        signature = (text, *, lang = Language::DEFAULT, format = None),
        text_signature = "(text, *, lang='en', format=None)"
    )]
    fn new(py: Python<'_>, text: PyBackedStr, lang: Language, format: Option<String>) -> PyResult<Self> {
        let Language(lang) = lang;
        let options = ReadOptions::new(py, format.as_deref(), None, lang)?;
        let source = Cursor::new(text);
        let mut reader = match options.format {
            Some(format) => Reader::with_format(source, format),
            None => Reader::new(source),
        };
        let mut batch = Batch::default();
        while let Some(chunk) = reader.next_chunk()? {
            batch.push(0, &chunk);
        }
        let mut records = written(batch);
        let Some(written) = records.next() else { return Err(refused(py, "python.no-record", lang, &[])) };
        if records.next().is_some() {
            return Err(refused(py, "python.several-records", lang, &[]));
        }
        let chunk = written.chunk();
        if let Some(Err(error)) = chunk.records().next() {
            let verdict = verify::unreadable(&error, &chunk);
            let fault = verdict.first_error().map(|found| ErrorFacts {
                place: found.span.map(|span| chunk.place(span.start as usize)),
                ..ErrorFacts::of(&found.message, lang)
            });
            return Err(fault.unwrap_or_default().raised::<UnreadableError>(py));
        }
        Self::read(written, 1, None, lang).ok_or_else(|| refused(py, "python.no-record", lang, &[]))
    }

    /// The game, if it is known.
    #[getter]
    fn game(&self) -> Option<&'static str> {
        self.record.game().map(|game| game.id)
    }

    /// The number of the record in its source, from 1.
    #[getter]
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// The values of the tags by their names, in the order of the record.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tags = PyDict::new(py);
        for tag in &self.record.tags {
            tags.set_item(&*tag.name, &*tag.value)?;
        }
        Ok(tags)
    }

    /// The move tokens as they were written.
    #[getter]
    fn moves(&self) -> Vec<&str> {
        self.record.movetext.plies.iter().map(|ply| &*ply.token).collect()
    }

    /// For each ply the time left to its side, in milliseconds, or ``None``.
    #[getter]
    fn clocks(&self) -> Vec<Option<u64>> {
        self.record.movetext.plies.iter().map(|ply| ply.clock.map(|clock| clock.value)).collect()
    }

    /// The result that the record ends with, or ``None``.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.record.result.map(|result| result.value).map(Outcome::as_str)
    }

    /// Parts of a foreign format without a place in the record.
    #[getter]
    fn dropped(&self) -> Vec<String> {
        self.dropped.clone()
    }

    /// Judges the record by itself, without relations to others.
    ///
    /// Returns
    /// -------
    /// Verdict
    ///     With the places of the source that the record is from.
    fn verify(&self) -> RecordVerdict {
        let verdict = self.written.judged().map_or_else(|| verify::record(&self.record), |judged| judged.verdict);
        RecordVerdict {
            index: self.index,
            file: self.file.clone(),
            written: Some(self.written.clone()),
            ..RecordVerdict::alone(verdict, self.lang)
        }
    }

    /// The position after some plies.
    ///
    /// Parameters
    /// ----------
    /// ply : int, optional
    ///     The number of plies; by default all legal ones.
    ///
    /// Returns
    /// -------
    /// Position
    ///
    /// Raises
    /// ------
    /// QuipuError
    ///     The record has no start position, or fewer legal plies.
    #[pyo3(signature = (ply = None))]
    fn position(&self, py: Python<'_>, ply: Option<u64>) -> PyResult<GamePosition> {
        let mut replay = self.replay(py)?;
        let wanted = ply.unwrap_or(u64::MAX);
        while replay.ply() < wanted && replay.play().is_some() {}
        match ply.filter(|ply| replay.ply() < *ply) {
            Some(ply) => Err(refused(py, "python.ply", self.lang, &[("most", &replay.ply()), ("found", &ply)])),
            None => Ok(self.position_of(&replay)),
        }
    }

    /// The positions from the start to the last legal ply.
    ///
    /// Returns
    /// -------
    /// list of Position
    ///
    /// Raises
    /// ------
    /// QuipuError
    ///     The record has no start position.
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<GamePosition>> {
        let mut replay = self.replay(py)?;
        let mut positions = vec![self.position_of(&replay)];
        while replay.play().is_some() {
            positions.push(self.position_of(&replay));
        }
        Ok(positions)
    }

    /// The canonical text: legal moves in canonical form, everything else as it was written.
    ///
    /// Returns
    /// -------
    /// str
    fn canonical(&self) -> String {
        let game = self.record.value("Game").and_then(quipu_referee::games::find);
        game.map_or_else(|| as_written(&self.record), |game| game.canonical(&self.record))
    }

    /// The record in a format that holds everything that it has, with its moves as they were written.
    ///
    /// Parameters
    /// ----------
    /// format : {"quipu", "json", "ndjson"}, default "quipu"
    ///     The format.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// QuipuError
    ///     The format is none of these.
    #[pyo3(signature = (format = None), text_signature = "($self, format='quipu')")]
    fn to_text(&self, py: Python<'_>, format: Option<String>) -> PyResult<String> {
        let name = format.as_deref().unwrap_or(OutputFormat::Quipu.as_str());
        let known = || listed(WHOLE.map(OutputFormat::as_str));
        let format = OutputFormat::parse(name).filter(|format| WHOLE.contains(format));
        let format =
            format.ok_or_else(|| refused(py, "python.format", self.lang, &[("found", &name), ("known", &known())]))?;
        Ok(format.write(&self.record).0)
    }

    fn __str__(&self) -> String {
        as_written(&self.record)
    }

    fn __repr__(&self) -> String {
        let game = self.game().map(|game| format!(" {game},")).unwrap_or_default();
        format!("<quipu.Record{game} {} plies>", self.record.movetext.plies.len())
    }
}
