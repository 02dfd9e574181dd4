"""Measures the package beside the program: `bench.py PROGRAM [RECORDS]`.

A million records by default, varied from the fixtures. The program and the package take turns, and the best of three runs
counts. Ratios are records per second of the package by those of the program.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import quipu

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROUNDS = 3
# Records in a batch of Parquet.
BATCH = 16_384


def records(count: int) -> Iterator[str]:
    """Verified games of all kinds, each with players of its own."""
    players = re.compile(r'^\[(Sol|Luna|Norte|Sur|Negros|Rojos|Rosa|Azul) "', re.MULTILINE)
    games = [
        players.sub(r'[\1 "{0} ', str(verdict.record).replace("{", "{{").replace("}", "}}"))
        for path in sorted(FIXTURES.glob("*/games.quipu"))
        for verdict in quipu.verify(path)
        if verdict.status == "verified"
    ]
    for number in range(count):
        yield games[number % len(games)].format(number)


def seconds(work: Callable[[], int], count: int) -> float:
    """The time of some work on all records."""
    begun = time.perf_counter()
    found = work()
    taken = time.perf_counter() - begun
    assert found == count, f"{found} records, not {count}"
    return taken


def main() -> None:
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        text, table = Path(folder) / "records.quipu", Path(folder) / "records.parquet"
        schema = pa.schema([("record", pa.string())])
        with text.open("w", encoding="utf-8") as out, pq.ParquetWriter(table, schema) as rows:
            batch: list[str] = []
            for record in records(count):
                out.write(record)
                batch.append(record)
                if len(batch) == BATCH:
                    rows.write_batch(pa.record_batch({"record": batch}))
                    batch.clear()
            rows.write_batch(pa.record_batch({"record": pa.array(batch, pa.string())}))
        print(f"{count} records, {text.stat().st_size >> 20} MiB of text, {table.stat().st_size >> 20} MiB of Parquet")

        def by_program(jobs: int) -> int:
            with open(os.devnull, "wb") as nothing:
                call = [program, "verify", "--json", "--jobs", str(jobs), str(text)]
                subprocess.run(call, stdout=nothing, stderr=nothing, check=True)
            return count

        def by_file(jobs: int) -> int:
            return sum(verdict.status == "verified" for verdict in quipu.verify(text, jobs=jobs))

        def by_json(jobs: int) -> int:
            return sum(len(verdict.to_json()) > 0 for verdict in quipu.verify(text, jobs=jobs))

        def by_batch(jobs: int) -> int:
            batches = pq.ParquetFile(table).iter_batches(BATCH)
            return sum(quipu.verify_batch(batch, jobs=jobs).num_rows for batch in batches)

        ways = {
            "quipu verify --json": by_program,
            "quipu.verify, goal 0.9": by_file,
            "quipu.verify with to_json()": by_json,
            "quipu.verify_batch from Parquet, goal 0.8": by_batch,
        }
        for jobs in sorted({1, os.cpu_count() or 1}):
            best: dict[str, float] = {}
            for _ in range(ROUNDS):
                for name, way in ways.items():
                    taken = seconds(lambda way=way: way(jobs), count)  # type: ignore[misc]
                    best[name] = min(best.get(name, taken), taken)
            print(f"\n{'jobs ' + str(jobs):42} records/s  ratio")
            for name, taken in best.items():
                print(f"{name:42} {count / taken:9,.0f}  {best['quipu verify --json'] / taken:5.2f}")


main()
