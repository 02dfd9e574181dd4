"""Judges records on a local cluster, kills an executor on the way, and compares with one process: `cluster.py PROGRAM RECORDS`.

The records are varied from the fixtures, legal or not. The cluster has two executors with one core each, as processes of their
own. Prints times, and ratios of alternating runs.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import compare
import judging
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import standings
import verify
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import quipu

ROOT = Path(__file__).resolve().parents[2]
# Records in a row group of the input, which is a task of Spark or a part of one.
GROUP = 20_000
FIELDS = ["number", "status", "game", "rules", "plies", "position", "termination", "result", "winner", "id"]
# Rounds of measuring, and records in each.
ROUNDS = 3
MEASURED = 400_000


def single(path: Path) -> list[str]:
    """The short records of a file that have tags of their own, as templates."""
    found = [text for _, text in quipu.chunks(path) if text is not None and len(text) < 4096]
    readable = [text.decode() for text in found if text.endswith(b"\n") and text.decode(errors="ignore").encode() == text]
    return [text.replace("{", "{{").replace("}", "}}") for text in readable if len(list(quipu.verify(text))) == 1]


def records(count: int) -> Iterator[str]:
    """Records of all games with players of their own, in events of 300 games."""
    tag = re.compile(r'^\[(Sol|Luna|Norte|Sur|Negros|Rojos|Rosa|Azul|Event) "(.*?)"', re.MULTILINE)
    games = [*sorted(ROOT.glob("fixtures/*/games.quipu")), ROOT / "fixtures/andes/cup.quipu"]
    texts = [tag.sub(r'[\1 "\2 {\1}"', text) for path in games for text in single(path)]
    texts += [text for path in sorted(ROOT.glob("fixtures/*/mutants.quipu")) for text in single(path)[:5]]
    for number in range(count):
        event, player = number // 300, number // len(texts) % 97
        names = dict.fromkeys(["Sol", "Luna", "Norte", "Sur", "Negros", "Rojos", "Rosa", "Azul"], player)
        yield texts[number % len(texts)].format(**names, Event=event)


def written(folder: Path, count: int) -> tuple[Path, Path]:
    """The records as a text and as a table."""
    text, table = folder / "records.quipu", folder / "records.parquet"
    schema = pa.schema({"number": pa.int64(), "record": pa.string()})
    with text.open("w", encoding="utf-8") as out, pq.ParquetWriter(table, schema) as rows:
        batch: list[str] = []
        first = 1
        for record in records(count):
            out.write(record)
            batch.append(record)
            if len(batch) == GROUP:
                rows.write_batch(pa.record_batch([range(first, first + GROUP), batch], schema=schema))
                first, batch = first + GROUP, []
        if batch:
            rows.write_batch(pa.record_batch([range(first, first + len(batch)), batch], schema=schema))
    return text, table


def cluster(executors: int) -> SparkSession:
    """A cluster of processes on this machine."""
    return (
        SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
        .appName("quipu")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.files.maxPartitionBytes", str(16 * 1024 * 1024))
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.task.maxFailures", "8")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )


def executors() -> list[int]:
    """The processes of executors of this cluster, which are descendants of this process."""
    parents: dict[int, int] = {}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command:
            found.append(int(folder.name))

    def is_ours(process: int) -> bool:
        return process == os.getpid() or process in parents and is_ours(parents[process])

    return [process for process in found if is_ours(process)]


def kill_one_after(seconds: float, killed: list[int]) -> threading.Thread:
    """Kill an executor in a while."""

    def kill() -> None:
        time.sleep(seconds)
        process = executors()[0]
        os.kill(process, signal.SIGKILL)
        killed.append(process)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def timed(work: Callable[[], Any]) -> float:
    """Seconds that it takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def judge(spark: SparkSession, source: Path, out: Path, text: bool = False, entries: bool = False) -> None:
    """As verify.py does."""
    how = judging.Judging(("number",), entries=entries)
    if text:
        frame = verify.judged_texts(verify.ranges(spark, str(source), 16 << 20), how)
    else:
        frame = verify.judged(spark.read.parquet(str(source)), how)
    frame.write.mode("overwrite").partitionBy("game").parquet(str(out))


def by_number(folder: Path) -> pa.Table:
    """The verdicts of a folder in the order of the records."""
    table: pa.Table = ds.dataset(folder, partitioning="hive").to_table(columns=FIELDS).sort_by("number")
    return table


def same_as_program(program: str, text: Path, verdicts: pa.Table) -> None:
    """Compare all verdicts with those of one process."""
    fields = [field for field in FIELDS if field != "number"]
    with subprocess.Popen([program, "verify", "--json", str(text)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        lines = iter(process.stdout)
        number = 0
        for batch in verdicts.to_batches(max_chunksize=10_000):
            for row in batch.to_pylist():
                number += 1
                report = json.loads(next(lines))
                assert row["number"] == number, f"record {number} was judged as {row['number']}"
                assert [row[field] for field in fields] == [report[field] for field in fields], (row, report)
        assert next(lines, None) is None, "records were lost"
    print(f"{number} verdicts are those of one process")


def as_rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    """All rows in an order."""
    return sorted((tuple(map(str, row)) for row in frame.collect()))


def typed(schema: pa.Schema, rows: list[list[Any]]) -> list[tuple[Any, ...]]:
    """The same of rows with the types of columns."""
    found = (row for batch in judging.rows(schema, rows) for row in batch.to_pylist())
    return sorted(tuple(map(str, row.values())) for row in found)


def same_tables(spark: SparkSession, verdicts: Path) -> None:
    """Compare standings and ratings with those of one process."""
    entries = standings.counted(spark.read.parquet(str(verdicts)), "number").persist()
    places = [(row["place"], row["entry"]) for row in entries.orderBy("place").collect()]
    rated = [[getattr(rating, name) for name in judging.RATINGS.names] for rating in quipu.ratings_of(places)]
    assert as_rows(standings.ratings(entries)) == typed(judging.RATINGS, rated)
    schema = pa.schema(list(judging.STANDINGS)[:-1])
    tabled = [
        [table.game, table.event, *(getattr(row, name) for name in schema.names[2:])]
        for table in quipu.standings_of(places)
        if table.event is not None
        for row in table.players
    ]
    assert as_rows(standings.standings(entries).drop("tie_breaks")) == typed(schema, tabled)
    print(f"{len(tabled)} rows of standings and {len(rated)} ratings of {len(places)} games are those of one process")


def same_changes(spark: SparkSession, table: Path, folder: Path) -> None:
    """Compare two rule sets on some records."""
    source = spark.read.parquet(str(table)).where("number <= 20000")
    sides = [
        verify.judged(source, judging.Judging(("number",), rules=("brandubh", rules))).cache() for rules in ("base", "cuervo")
    ]
    changes = compare.changes(sides[0], sides[1], compare.KEYS["verdicts"], compare.VALUES["verdicts"])
    found = {row["value"]: row["count"] for row in changes.groupBy("value").count().collect()}
    before, after = ({row["number"]: row["status"] for row in side.select("number", "status").collect()} for side in sides)
    assert found.get("status", 0) == sum(before[number] != after[number] for number in before)
    assert compare.changes(sides[0], sides[0], ["number", "index"], compare.VALUES["verdicts"]).isEmpty()
    print(f"values that another rule set of Brandubh changes: {found}")


def measured(program: str, folder: Path, count: int) -> None:
    """Times of the program and of clusters, in turns."""
    text, table = written(folder, count)

    def by_program(jobs: int) -> Callable[[], Any]:
        call = [program, "verify", "--json", "--jobs", str(jobs), str(text), "-o", str(folder / "verdicts.ndjson")]
        return lambda: subprocess.run(call, stderr=subprocess.DEVNULL, check=False)

    times: dict[str, list[float]] = {}
    for executor_count in (1, 2):
        spark = cluster(executor_count)
        start = timed(lambda: judge(spark, table, folder / "measured"))
        print(f"{executor_count} executors: first run, with the start of Python {start:.1f} s")
        for _ in range(ROUNDS):
            program_time = timed(by_program(executor_count))
            spark_time = timed(lambda: judge(spark, table, folder / "measured"))
            times.setdefault(f"quipu verify --json, {executor_count} jobs", []).append(program_time)
            times.setdefault(f"Spark, {executor_count} executors", []).append(spark_time)
        spark.stop()
    for name, taken in times.items():
        print(f"{name:32} {min(taken):6.1f} s, {count / min(taken):8,.0f} records/s")
    for executor_count in (1, 2):
        pairs = zip(times[f"Spark, {executor_count} executors"], times[f"quipu verify --json, {executor_count} jobs"])
        ratios = sorted(ours / theirs for ours, theirs in pairs)
        print(f"overhead with {executor_count}: {ratios[len(ratios) // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}); goal 1.5")
    print(f"from 1 to 2 executors: {min(times['Spark, 1 executors']) / min(times['Spark, 2 executors']):.2f}")


def main() -> None:
    """Run everything."""
    program, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, table = written(folder, count)
        print(f"{count} records, {text.stat().st_size >> 20} MiB of text, {table.stat().st_size >> 20} MiB of Parquet")
        begun = time.perf_counter()
        spark = cluster(2)
        spark.range(2).collect()
        print(f"start of the cluster: {time.perf_counter() - begun:.1f} s")
        whole = timed(lambda: judge(spark, table, folder / "verdicts", entries=True))
        killed: list[int] = []
        killer = kill_one_after(whole / 5, killed)
        again = timed(lambda: judge(spark, table, folder / "verdicts", entries=True))
        assert len(killed) == 1, "no executor was killed on the way: take more records"
        killer.join()
        print(f"judged in {whole:.1f} s; in {again:.1f} s with an executor killed after {whole / 5:.1f} s")
        same_as_program(program, text, by_number(folder / "verdicts"))
        judge(spark, text, folder / "by_text", text=True)
        ids = [spark.read.parquet(str(folder / part)).groupBy("id", "status").count() for part in ("verdicts", "by_text")]
        assert ids[0].exceptAll(ids[1]).isEmpty() and ids[1].exceptAll(ids[0]).isEmpty()
        print("the text in divisions gives the same verdicts")
        same_tables(spark, folder / "verdicts")
        same_changes(spark, table, folder)
        spark.stop()
        measured(program, folder, min(count, MEASURED))


if __name__ == "__main__":
    main()
