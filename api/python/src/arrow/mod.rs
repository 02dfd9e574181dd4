//! `quipu.verify_batch`: verdicts on the rows of a table, over the Arrow C data interface.

mod columns;
mod rows;

use pyo3::{prelude::*, types::PyCapsule};

use arrow_array::{
    Array as _, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray, ffi::FFI_ArrowArray,
    ffi_stream::FFI_ArrowArrayStream,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use quipu_notation::record::Chunk;
use quipu_referee::{Verdict, verify::Judged};

use self::{
    columns::{MOST_TEXT, TooLarge, VerdictColumns},
    rows::{Rows, failed},
};
use crate::{
    arguments::{Language, jobs},
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

/// Judges each record by itself.
struct Judging;

impl Work for Judging {
    type Item = Verdict;
    const TEXTS: bool = false;

    fn item(&self, _: &Chunk<'_>, judged: Judged<'_>, _: &str) -> Verdict {
        judged.verdict
    }
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
    signature = (batch, column = None, *, lang = Language::DEFAULT, jobs = Some(1)),
    text_signature = "(batch, column='record', *, lang='en', jobs=1)"
)]
pub(crate) fn verify_batch(
    batch: &Bound<'_, PyAny>,
    column: Option<String>,
    lang: Language,
    jobs: Option<usize>,
) -> PyResult<VerdictBatch> {
    let (py, Language(lang)) = (batch.py(), lang);
    let threads = self::jobs(py, jobs, lang)?;
    let rows = Rows::of(batch, column.as_deref().unwrap_or("record"), lang)?;
    let mut columns = VerdictColumns::new(lang);
    let count = rows.count();
    let mut pipeline = Pipeline::new(rows, Judging, threads);
    while let Some(records) = py.detach(|| pipeline.next())? {
        let added = py.detach(|| records.iter().try_for_each(|(written, verdict)| columns.add(written.row(), verdict)));
        added.map_err(|TooLarge| refused(py, "python.batch-size", lang, &[("most", &MOST_TEXT)]))?;
        py.check_signals()?;
    }
    columns.finish(count).map(VerdictBatch).map_err(failed)
}
