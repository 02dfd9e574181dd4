//! `quipu.verify`: an iterator of verdicts with bounded memory.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{prelude::*, sync::MutexExt};
use quipu_notation::record::Chunk;
use quipu_referee::{
    Lang, Verdict,
    advice::{PlayerName, Players},
    competition::{Aliases, Moves, Related, Sheet, Sheets},
    verify::Judged,
};

use crate::{
    arguments::{Language, ReadOptions, jobs},
    batch::{Work, WrittenRecord},
    exclusive::exclusive,
    pipeline::Pipeline,
    record_verdict::{RecordVerdict, SheetRelations},
    source::Source,
};

/// Bytes for the games that are kept to find further sheets of them, as in `quipu verify`.
const SHEETS: usize = 2 * 1024 * 1024;

/// Judges each record, and takes from it what is compared with other records.
struct Judging {
    aliases: Aliases,
}

/// A judged record with the facts that are compared with other records.
struct JudgedRecord {
    verdict: Verdict,
    sheet: Option<Sheet>,
    names: Vec<PlayerName<'static>>,
}

impl Work for Judging {
    type Item = JudgedRecord;
    const TEXTS: bool = true;

    fn item(&self, chunk: &Chunk<'_>, judged: Judged<'_>, text: &str) -> JudgedRecord {
        let Judged { record, verdict } = judged;
        let Some(record) = record else { return JudgedRecord { verdict, sheet: None, names: Vec::new() } };
        let sheet = Sheet::new(&record, &verdict, || Moves::of_text(text), &self.aliases);
        let names = PlayerName::all(&record).map(|name| {
            let place = chunk.place(name.span().start as usize);
            name.at(place)
        });
        JudgedRecord { sheet, names: names.collect(), verdict }
    }
}

/// A source that is being read, and the records that later ones are compared with.
struct Reading {
    pipeline: Pipeline<Source, Judging>,
    sheets: Sheets,
    players: Players,
    /// Records that were returned.
    count: u64,
    file: Option<Arc<str>>,
    lang: Lang,
}

impl Reading {
    /// The verdicts of the next batch, or nothing at the end.
    fn next(&mut self) -> io::Result<Option<VecDeque<RecordVerdict>>> {
        let Some(records) = self.pipeline.next()? else { return Ok(None) };
        Ok(Some(records.into_iter().map(|(written, record)| self.verdict(written, record)).collect()))
    }

    fn verdict(&mut self, written: WrittenRecord, record: JudgedRecord) -> RecordVerdict {
        let JudgedRecord { mut verdict, sheet, names } = record;
        self.count += 1;
        let related = sheet.map(|sheet| self.sheets.add(self.count, &sheet)).unwrap_or_default();
        verdict.advice.extend(names.iter().filter_map(|name| self.players.note(name)));
        let Related { sheet_of, contradicts, .. } = related;
        let is_related = sheet_of.is_some() || contradicts.is_some();
        RecordVerdict {
            verdict,
            index: self.count,
            file: self.file.clone(),
            written: Some(written),
            related: is_related.then(|| Box::new(SheetRelations { sheet_of, contradicts })),
            lang: self.lang,
        }
    }
}

/// The verdicts on the records of a source, in its order.
#[pyclass(frozen, module = "quipu")]
pub(crate) struct Verdicts {
    ready: Mutex<VecDeque<RecordVerdict>>,
    reading: Mutex<Reading>,
    lang: Lang,
}

#[pymethods]
impl Verdicts {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordVerdict>> {
        loop {
            let mut ready = self.ready.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            if let Some(verdict) = ready.pop_front() {
                return Ok(Some(verdict));
            }
            drop(ready);
            let Some(more) = exclusive(py, &self.reading, self.lang, Reading::next)?? else { return Ok(None) };
            self.ready.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).extend(more);
        }
    }

    /// Files in a zip that are not read because of their extensions; known once the iterator has begun.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        exclusive(py, &self.reading, self.lang, |reading| reading.pipeline.feed.skipped())
    }

    /// True once the source was so long that the oldest games were forgotten: further sheets of them are not found.
    #[getter]
    fn forgot(&self, py: Python<'_>) -> PyResult<bool> {
        exclusive(py, &self.reading, self.lang, |reading| reading.sheets.forgot())
    }
}

/// Judges the records of a source.
///
/// Records are read and judged while the iterator runs, so memory stays bounded however long the source is. The GIL is
/// released meanwhile.
///
/// Parameters
/// ----------
/// source : str, bytes, bytearray, memoryview, os.PathLike or file object
///     The records. A ``str`` is their text, not the name of a file.
/// lang : {"en", "es"}, default "en"
///     The language of messages.
/// jobs : int, optional
///     Threads that judge, 1 to 256. By default as many as there are processors.
/// format : {"quipu", "json", "csv", "otg", "hnefatafl", "pgn"}, optional
///     The format of the records. By default the content decides.
/// encoding : str, optional
///     The encoding of bytes, such as ``"windows-1252"``. By default the content decides.
///
/// Returns
/// -------
/// Verdicts
///     An iterator of `Verdict`.
///
/// Raises
/// ------
/// QuipuError
///     An argument is not valid.
/// OSError
///     The file cannot be opened or read.
#[pyfunction]
#[pyo3(
    signature = (source, *, lang = Language::DEFAULT, jobs = None, format = None, encoding = None),
    text_signature = "(source, *, lang='en', jobs=None, format=None, encoding=None)"
)]
pub(crate) fn verify(
    source: &Bound<'_, PyAny>,
    lang: Language,
    jobs: Option<usize>,
    format: Option<String>,
    encoding: Option<String>,
) -> PyResult<Verdicts> {
    let (py, Language(lang)) = (source.py(), lang);
    let threads = self::jobs(py, jobs, lang)?;
    let options = ReadOptions::new(py, format.as_deref(), encoding.as_deref(), lang)?;
    let source = Source::open(source, options, lang)?;
    let file = source.file.as_deref().map(Arc::from);
    let pipeline = Pipeline::new(source, Judging { aliases: Aliases::default() }, threads);
    let reading =
        Reading { pipeline, sheets: Sheets::within(SHEETS), players: Players::default(), count: 0, file, lang };
    Ok(Verdicts { ready: Mutex::default(), reading: Mutex::new(reading), lang })
}
