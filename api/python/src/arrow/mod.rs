//! `quipu.verify_batch`: verdicts on the rows of a table, over the Arrow C data interface.

mod columns;
mod rows;

use std::num::NonZero;

use pyo3::{prelude::*, types::PyCapsule};

use arrow_array::{
    Array as _, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray, ffi::FFI_ArrowArray,
    ffi_stream::FFI_ArrowArrayStream,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Lang, Verdict,
    competition::{Aliases, Entry, HashedSheet, Moves, Sheet, write_entry},
    verify::Judged,
};

use self::{
    columns::{MAX_TEXT, TooLarge, VerdictColumns},
    rows::{Input, NameColumns, Rows, failed},
};
use crate::{
    arguments::{Language, ReadOptions, jobs},
    batch::Work,
    errors::refused,
    pipeline::Pipeline,
};

/// Verdicts as an Arrow table with a row for each record.
///
/// It has the methods of the Arrow PyCapsule interface: ``pyarrow.record_batch(batch)``, ``polars.DataFrame(batch)`` and
/// the like read it without a copy.
#[pyclass(frozen, module = "quipu")]
pub(crate) struct VerdictBatch(RecordBatch);

#[pymethods]
impl VerdictBatch {
    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<quipu.VerdictBatch {} rows>", self.0.num_rows())
    }

    /// The schema as an ``arrow_schema`` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema_ref().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The table as a pair of ``arrow_schema`` and ``arrow_array`` capsules. A requested schema is ignored, as the
    /// interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    /// The table as an ``arrow_array_stream`` capsule with one batch.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema()));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), c"arrow_array_stream")
    }
}

/// Judges each record by itself; with entries, if they are wanted.
struct Judging<const ENTRIES: bool>;

/// A verdict, and the entry of a game that counts.
type JudgedRow = (Verdict, Option<Box<(Entry, Option<HashedSheet>)>>);

impl<const ENTRIES: bool> Work for Judging<ENTRIES> {
    type Item = JudgedRow;
    const TEXTS: bool = ENTRIES;

    fn item(&self, _: &Chunk<'_>, judged: Judged<'_>, text: &str) -> JudgedRow {
        let Judged { record, verdict } = judged;
        let record = record.filter(|_| ENTRIES);
        let entry = record.and_then(|record| {
            let aliases = Aliases::default();
            let entry = Entry::new(0, &record, &verdict, &aliases).ok()?;
            let sheet = Sheet::new(&record, &verdict, || Moves::of_text(text), &aliases).map(Sheet::hashed);
            Some(Box::new((entry, sheet)))
        });
        (verdict, entry)
    }
}

/// The text of an entry under the names of its row; none if one player has both sides.
fn entry_text((entry, sheet): (Entry, Option<HashedSheet>), names: Option<[&str; 2]>) -> Option<String> {
    let Some(names) = names else { return Some(write_entry(&entry, sheet.as_ref())) };
    let entry = Entry { players: names.map(str::to_owned), ..entry };
    let sheet = sheet.map(|sheet| sheet.with_players(names));
    (names[0] != names[1]).then(|| write_entry(&entry, sheet.as_ref()))
}

/// Judges rows, and returns the table of their verdicts.
fn verdicts<const ENTRIES: bool>(
    py: Python<'_>,
    (rows, names): (Rows, Option<NameColumns>),
    threads: NonZero<usize>,
    lang: Lang,
) -> PyResult<VerdictBatch> {
    let (mut columns, count) = (VerdictColumns::new(lang, ENTRIES), rows.count());
    let mut pipeline = Pipeline::new(rows, Judging::<ENTRIES>, threads);
    while let Some(records) = py.detach(|| pipeline.next())? {
        let added = py.detach(|| {
            records.into_iter().try_for_each(|(written, (verdict, entry))| {
                let row = written.row();
                let names = names.as_ref().and_then(|names| names.at(row));
                let entry = entry.and_then(|entry| entry_text(*entry, names));
                columns.add(row, &verdict, entry.as_deref())
            })
        });
        added.map_err(|TooLarge| refused(py, "python.batch-size", lang, &[("most", &MAX_TEXT)]))?;
        py.check_signals()?;
    }
    columns.finish(count).map(VerdictBatch).map_err(failed)
}

/// Judges the records in a column of an Arrow table.
///
/// Each row is a text of its own, in any format, and is judged by itself. The result has a row for each record, in the order
/// of the table. A row without a record, null or blank, has one row of nulls. So the results of a table with one record in
/// each row stand in the same rows.
///
/// Parameters
/// ----------
/// batch : object with ``__arrow_c_array__`` or ``__arrow_c_stream__``
///     A record batch or a table of pyarrow, Polars, DuckDB or any other library with the Arrow PyCapsule interface.
/// column : str, default "record"
///     The column with the records: text or bytes.
/// format : {"quipu", "json", "csv", "otg", "hnefatafl", "pgn"}, optional
///     The format of the rows. By default the content of each decides.
/// entries : bool, default False
///     Add the column ``entry``: a text of what standings and ratings need of a game that counts, for `distinct_games`,
///     `standings_of` and `ratings_of`.
/// players : tuple of two str, optional
///     The columns with the names that the players count under in entries. Without a known name in both, those of the record.
/// lang : {"en", "es"}, default "en"
///     The language of messages.
/// jobs : int, default 1
///     Threads that judge, 1 to 256. Engines such as Spark call this function on several threads or processes already.
///
/// Returns
/// -------
/// VerdictBatch
///     The column ``row`` has the number of the row in `batch`, from 0, ``index`` that of the record in the row, from 1. The
///     other columns are the fields of `Verdict`.
///
/// Raises
/// ------
/// TypeError
///     `batch` is no Arrow table.
/// QuipuError
///     There is no such column, it has another type, or the verdicts have more than 2 GiB of text.
#[pyfunction]
#[pyo3(
    signature = (
        batch, column = None, *, format = None, entries = false, players = None, lang = Language::DEFAULT, jobs = Some(1)
    ),
    text_signature = "(batch, column='record', *, format=None, entries=False, players=None, lang='en', jobs=1)"
)]
pub(crate) fn verify_batch(
    batch: &Bound<'_, PyAny>,
    column: Option<String>,
    format: Option<String>,
    entries: bool,
    players: Option<(String, String)>,
    lang: Language,
    jobs: Option<usize>,
) -> PyResult<VerdictBatch> {
    let (py, Language(lang)) = (batch.py(), lang);
    let threads = self::jobs(py, jobs, lang)?;
    let ReadOptions { format, .. } = ReadOptions::new(py, format.as_deref(), None, lang)?;
    let players = players.map(|(one, two)| [one, two]);
    let input = Input { record: column.as_deref().unwrap_or("record"), players: players.as_ref(), format };
    let rows = Rows::of(batch, &input, lang)?;
    if entries { verdicts::<true>(py, rows, threads, lang) } else { verdicts::<false>(py, rows, threads, lang) }
}
