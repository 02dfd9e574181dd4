"""`quipu.verify_batch` with the libraries that bring Arrow tables."""

from __future__ import annotations

import threading
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from conftest import FIXTURES, GAMES, files

import quipu

FIELDS = ["game", "rules", "status", "plies", "position", "termination", "result", "winner", "id"]
REJECTED = '[Game "andes"]\n\n1. 0d3 0A3\n2. 2a1 *\n'


def written(path: Any) -> list[bytes]:
    """The records of a file, each by itself."""
    parts, text = [], path.read_bytes()
    for verdict in quipu.verify(text):
        if verdict.record is not None:
            parts.append(str(verdict.record).encode())
    return parts


def rows_of(found: quipu.VerdictBatch) -> list[dict[str, Any]]:
    return pa.record_batch(found).to_pylist()


def expected_row(row: int, verdict: quipu.Verdict) -> dict[str, Any]:
    """The row of a verdict, from its JSON."""
    report = verdict.to_dict()
    points = report["points"]
    return {
        **{field: report[field] for field in FIELDS},
        "row": row,
        "index": verdict.index,
        "points": points and [{"side": side, "points": count} for side, count in points.items()],
        "diagnostics": [{"suggestions": [], **found} for found in report["diagnostics"]],
        "advice": report.get("advice", []),
    }


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("jobs", [1, 2])
def test_verdicts_of_all_fixtures(game: str, jobs: int) -> None:
    texts = [path.read_bytes() for path in (FIXTURES / game).glob("*.quipu")]
    texts += [text for path in (FIXTURES / game).glob("*.quipu") for text in written(path)]
    found = quipu.verify_batch(pa.record_batch({"record": texts}), jobs=jobs)
    expected = [expected_row(row, verdict) for row, text in enumerate(texts) for verdict in quipu.verify(text)]
    for wanted in expected:
        # Names are compared with those of other records only within one source.
        wanted["advice"] = [advice for advice in wanted["advice"] if advice["code"] != "advice.player"]
    assert rows_of(found) == expected


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
)
def test_columns_of_text_and_of_bytes(kind: Any) -> None:
    column = pa.array([REJECTED, None, "", REJECTED + REJECTED], pa.string()).cast(kind)
    found = rows_of(quipu.verify_batch(pa.record_batch({"record": column})))
    assert [(row["row"], row["index"], row["status"]) for row in found] == [
        (0, 1, "rejected"),
        (1, None, None),
        (2, None, None),
        (3, 1, "rejected"),
        (3, 2, "rejected"),
    ]
    assert found[1]["diagnostics"] is None and found[0]["diagnostics"][0]["suggestions"]


def test_a_column_of_nulls_needs_no_type() -> None:
    for table in (
        pa.record_batch({"record": pa.nulls(2)}),
        pa.table({"record": pa.nulls(2)}),
        pl.DataFrame({"record": [None, None]}, schema={"record": pl.String}),
    ):
        found = rows_of(quipu.verify_batch(table))
        assert [(row["row"], row["index"], row["status"]) for row in found] == [(0, None, None), (1, None, None)]


def test_an_unclosed_comment_ends_with_its_row() -> None:
    found = rows_of(quipu.verify_batch(pa.record_batch({"record": ['[Game "andes"]\n\n1. 0d3 {', REJECTED]})))
    assert [row["status"] for row in found] == ["unreadable", "rejected"]


def test_tables_of_several_batches() -> None:
    batch = pa.record_batch({"record": [REJECTED, None]})
    found = rows_of(quipu.verify_batch(pa.Table.from_batches([batch, batch, batch.slice(1), batch.slice(0, 1)])))
    assert [row["row"] for row in found] == [0, 1, 2, 3, 4, 5]
    assert [row["status"] for row in found] == ["rejected", None, "rejected", None, None, "rejected"]


def test_the_language_of_messages() -> None:
    batch = pa.record_batch({"text": [REJECTED]})
    english, spanish = (
        rows_of(quipu.verify_batch(batch, "text", lang=lang))[0]["diagnostics"][0]["message"]
        for lang in ("en", "es")  # type: ignore[misc]
    )
    assert english.startswith("The square") and spanish.startswith("La casilla")


@pytest.mark.parametrize("texts", [[], [None, None], [""]])
def test_batches_without_records_have_the_same_columns(texts: list[Any]) -> None:
    found = quipu.verify_batch(pa.record_batch({"record": pa.array(texts, pa.string())}))
    full = quipu.verify_batch(pa.record_batch({"record": [REJECTED]}))
    assert pa.schema(found) == pa.schema(full) and found.num_rows == len(found) == len(texts)
    assert found.column_names == pa.schema(full).names
    # Spark has no unsigned numbers.
    assert {field.type for field in pa.schema(found)} & {pa.uint64(), pa.uint32()} == set()
    assert repr(found) == f"<quipu.VerdictBatch {len(texts)} rows>"


def test_polars_gives_and_takes_tables() -> None:
    frame = pl.DataFrame({"record": [REJECTED, None, REJECTED]})
    found = pl.DataFrame(quipu.verify_batch(frame))
    assert found["status"].to_list() == ["rejected", None, "rejected"]
    joined = frame.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64)).join(found, on="row")
    assert joined.height == 3


def test_duckdb_gives_and_takes_tables() -> None:
    table = duckdb.sql("select * from (values ($1), (null)) as t(record)", params=[REJECTED]).to_arrow_table()
    verdicts = pa.table(quipu.verify_batch(table))
    found = duckdb.sql("select status, diagnostics[1].code from verdicts order by row").fetchall()
    assert verdicts.num_rows == 2 and found == [("rejected", "andes.3.6"), (None, None)]


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pa.record_batch({"other": ["x"]}), "python.column"),
        (pa.record_batch({"record": [1, 2]}), "python.column-type"),
        (pa.record_batch({"record": pa.array(["x"]).dictionary_encode()}), "python.column-type"),
        # The type decides and not the rows.
        (pa.record_batch({"record": pa.array([], pa.int64())}), "python.column-type"),
        (pa.record_batch({"record": pa.array([None], pa.int64())}), "python.column-type"),
        (pa.record_batch({"record": pa.array([None], pa.string()).dictionary_encode()}), "python.column-type"),
        # So do the columns of a table without batches.
        (pa.schema({"other": pa.string()}).empty_table(), "python.column"),
        (pa.schema({"record": pa.int64()}).empty_table(), "python.column-type"),
        (pa.Table.from_batches([], pa.schema({"other": pa.string()})), "python.column"),
        (pa.Table.from_batches([], pa.schema({"record": pa.int64()})), "python.column-type"),
    ],
)
def test_columns_without_records_are_errors(table: Any, code: str) -> None:
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.verify_batch(table)
    assert caught.value.code == code


def test_objects_that_are_no_tables_are_errors() -> None:
    for other in (5, ["x"], "x"):
        with pytest.raises(TypeError, match="Arrow"):
            quipu.verify_batch(other)  # type: ignore[arg-type]
    arrays = [pa.array(["x"]), pa.chunked_array([["x"]]), pl.Series(["x"])]
    for array in arrays:
        with pytest.raises(TypeError, match=r"python\.arrow: ") as caught:
            quipu.verify_batch(array)
        assert type(array).__name__ in str(caught.value)
    with pytest.raises(quipu.QuipuError):
        quipu.verify_batch(pa.record_batch({"record": ["x"]}), jobs=0)


def test_results_outlive_what_they_are_made_of() -> None:
    table = pa.table(quipu.verify_batch(pa.record_batch({"record": [REJECTED] * 1000})))
    assert table["status"].to_pylist() == ["rejected"] * 1000
    capsules = quipu.verify_batch(pa.record_batch({"record": [REJECTED]})).__arrow_c_array__()
    del capsules


def test_many_threads_judge_at_once() -> None:
    batch = pa.record_batch({"record": [text for path in files("games.quipu") for text in written(path)]})
    expected = rows_of(quipu.verify_batch(batch))
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(rows_of(quipu.verify_batch(batch)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
