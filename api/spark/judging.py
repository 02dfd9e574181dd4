"""The work of the three scripts on Arrow batches, without Spark.

`parts` divides text files, `judged` makes verdicts of records, and `counted`, `tabled` and `rated` make tables of the entries of
verdicts. All rules are in the package `quipu`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import accumulate, groupby
from typing import Any, Optional

import pyarrow as pa
import pyarrow.compute
import pyarrow.fs

import quipu

Batches = Iterable[pa.RecordBatch]
Entries = list[tuple[int, str]]

BEFORE = 128 * 1024
"""Bytes before a division from which on the text is read to find the next record: twice the longest comment."""

LARGEST = 16 * 1024 * 1024 + 1024
"""Bytes of a record, at most. Of one that is too large, so much is judged."""

ROWS = 4096
"""Rows of a batch, at most."""

TEXT = 16 * 1024 * 1024
"""Bytes of records in a batch, at most; one record may have more."""


CONVERTED = (
    *(b"\xff\xfe", b"\xfe\xff", b"[\x00", b"\x00["),
    *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PK\x05\x06"),
)
"""First bytes of files in UTF-16, gzip, zstd and zip, which cannot be divided."""

COMMENT = b"%" + b" " * 510 + b"\n"
"""A comment before a range that begins in the middle of a file: none of its first bytes are those of another kind of file."""


class FileRange:
    """A part of a file, as a file, after some bytes of its own."""

    def __init__(self, file: pa.NativeFile, start: int, end: int, head: bytes = b"") -> None:
        self.file, self.at, self.end, self.head = file, start, end, head

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""
        if self.head:
            head, self.head = self.head[:size], self.head[size:]
            return head
        file_bytes: bytes = self.file.read_at(max(min(size, self.end - self.at), 0), self.at)
        self.at += len(file_bytes)
        return file_bytes


def divided(uri: str, size: int) -> list[tuple[str, str, int, int, int]]:
    """Divide a file, or each file of a folder, every `size` bytes: uri, path, start, end, and bytes of the files before it.

    `uri` is a path or an address that pyarrow knows, such as ``s3://…`` or ``hdfs://…``.
    """
    files, path = filesystem(uri)
    (about,) = files.get_file_info([path])
    found = [about]
    if about.type == pa.fs.FileType.Directory:
        found = files.get_file_info(pa.fs.FileSelector(path, recursive=True))
    lengths = sorted((file.path, file.size) for file in found if file.type != pa.fs.FileType.Directory)
    before = accumulate((length for _, length in lengths), initial=0)
    return [
        (uri, path, start, min(start + size, length), first)
        for (path, length), first in zip(lengths, before)
        for start in range(0, length, size)
    ]


def filesystem(uri: str) -> tuple[pa.fs.FileSystem, str]:
    """The filesystem of an address, and the path in it."""
    if "://" in uri:
        files, path = pa.fs.FileSystem.from_uri(uri)
        return files, path
    return pa.fs.LocalFileSystem(), uri


def boundary(file: pa.NativeFile, at: int) -> int:
    """The offset of the first record that begins at `at` or later; the end of the file if none does.

    The result depends on the file alone, so that neighbouring parts agree.
    """
    size: int = file.size()
    begin = at - BEFORE
    if at <= 0 or at >= size:
        return min(max(at, 0), size)
    if begin > 0:
        # From the next line on: a character may be cut here.
        line = file.read_at(BEFORE, begin).find(b"\n") + 1
        begin += line
    begin = max(begin, 0)
    head = COMMENT if begin > 0 else b""
    starts = (begin - len(head) + offset for offset, _ in quipu.chunks(FileRange(file, begin, size, head)))
    # In the middle of a file, the text may begin with the rest of a record.
    first = next(starts, size)
    if begin == 0 and first >= at:
        return first
    return next((start for start in starts if start >= at), size)


def parts(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Read the records of the parts of `divided`: columns number, path, offset and record.

    A record belongs to the part in which it begins. The number is its offset in all files, one after the other.

    Raises
    ------
    ValueError
        A file is in UTF-16, compressed, or no text.
    """
    for uri, path, start, end, before in _rows(batches):
        with filesystem(uri)[0].open_input_file(path) as file:
            if file.read_at(4, 0).startswith(CONVERTED):
                raise ValueError(f"{path} is in UTF-16 or compressed; convert it first: quipu convert --to quipu")
            first, last = boundary(file, start), boundary(file, end)
            offsets: list[int] = []
            records: list[bytes] = []
            size = 0
            for offset, text in quipu.chunks(FileRange(file, first, last)):
                if text is None:
                    text = FileRange(file, first + offset, last).read(LARGEST)
                elif not text:
                    # Only a file that cannot be read has a part without text.
                    raise ValueError(f"{path} is no text; unpack or convert it first")
                size += len(text)
                if records and (size > TEXT or len(records) == ROWS):
                    yield _part(before, path, offsets, records)
                    offsets, records, size = [], [], len(text)
                offsets.append(first + offset)
                records.append(text)
            if records:
                yield _part(before, path, offsets, records)


def _part(before: int, path: str, offsets: list[int], records: list[bytes]) -> pa.RecordBatch:
    numbers = [before + offset for offset in offsets]
    return pa.record_batch([numbers, [path] * len(records), offsets, records], schema=PARTS)


PARTS = pa.schema({"number": pa.int64(), "path": pa.string(), "offset": pa.int64(), "record": pa.binary()})

VERDICTS = pa.record_batch(quipu.verify_batch(pa.record_batch({"record": [""]}), entries=True)).schema
"""The columns of verdicts, with entries."""


@dataclass(frozen=True)
class Judging:
    """How records are judged."""

    keep: tuple[str, ...]
    """The columns that are kept before those of the verdict."""
    entries: bool = False
    """Add the column entry, for tables."""
    players: Optional[tuple[str, str]] = None
    """The columns with the names that the players count under."""
    rules: Optional[tuple[str, str]] = None
    """A game, and the rule set that its records are judged under instead of their own."""
    lang: quipu.types.Language = "en"
    """The language of messages."""

    def schema(self, records: pa.Schema) -> pa.Schema:
        """The columns of the result."""
        verdicts = [field for field in VERDICTS if field.name != "row" and (self.entries or field.name != "entry")]
        return pa.schema([*(records.field(name) for name in self.keep), *verdicts])

    def judged(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Judge the column record of some batches."""
        for batch in smaller(batches):
            given = batch if self.rules is None else under_rules(batch, *self.rules)
            found = pa.record_batch(
                quipu.verify_batch(given, format="quipu", entries=self.entries, players=self.players, lang=self.lang)
            )
            if self.entries and pa.compute.any(pa.compute.greater(found["index"], 1)).as_py():
                raise ValueError("a row has several records; tables need one record in each row")
            kept = batch.select(list(self.keep)).take(found["row"])
            schema = self.schema(batch.schema)
            verdicts = [found[name] for name in schema.names[len(self.keep) :]]
            yield pa.record_batch([*kept.columns, *verdicts], schema=schema)


def smaller(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Divide batches of any size into those of at most `ROWS` rows and `TEXT` bytes of records."""
    for batch in batches:
        start = size = 0
        column = batch["record"]
        is_measured = pa.types.is_string(column.type) or pa.types.is_binary(column.type)
        # `quipu.verify_batch` says which types it takes.
        lengths = pa.compute.binary_length(column).to_pylist() if is_measured else [0] * batch.num_rows
        for row, length in enumerate(lengths):
            size += length or 0
            if row > start and (size > TEXT or row - start == ROWS):
                yield batch.slice(start, row - start)
                start, size = row, length or 0
        yield batch.slice(start)


RULES = re.compile(r'^\[Rules\s+"[^"\n]*"\]', re.MULTILINE)


def under_rules(batch: pa.RecordBatch, game: str, rules: str) -> pa.RecordBatch:
    """The batch with another rule set in the records of a game. They are in canonical form, as `quipu archive export` writes."""
    records = [
        with_rules(record, rules) if record is not None and record.startswith(f'[Game "{game}"]') else record
        for record in batch["record"].to_pylist()
    ]
    index = batch.schema.get_field_index("record")
    return batch.set_column(index, "record", pa.array(records, pa.string()))


def with_rules(record: str, rules: str) -> str:
    """A canonical record with this rule set."""
    tags, blank, moves = record.partition("\n\n")
    tag = f'[Rules "{rules}"]'
    if RULES.search(tags):
        tags = RULES.sub(lambda _: tag, tags)
    else:
        game, end, others = tags.partition("\n")
        tags = f"{game}\n{tag}{end}{others}"
    return tags + blank + moves


def _rows(batches: Batches) -> Iterator[tuple[Any, ...]]:
    return (row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns)))


def grouped(batches: Batches, keys: int) -> Iterator[tuple[tuple[Any, ...], Entries]]:
    """The entries of each group. Rows are sorted: `keys` columns, then place and entry."""
    for key, group in groupby(_rows(batches), lambda row: row[:keys]):
        yield key, [row[keys:] for row in group]


def rows(schema: pa.Schema, made: Iterable[Sequence[Any]]) -> Iterator[pa.RecordBatch]:
    """Rows as batches."""
    batch: list[Sequence[Any]] = []
    for row in made:
        batch.append(row)
        if len(batch) == ROWS:
            yield _batch(schema, batch)
            batch = []
    if batch:
        yield _batch(schema, batch)


def _batch(schema: pa.Schema, rows: list[Sequence[Any]]) -> pa.RecordBatch:
    columns = [pa.array(values, field.type) for values, field in zip(zip(*rows), schema)]
    return pa.record_batch(columns, schema=schema)


COUNTED = pa.schema({"place": pa.int64(), "entry": pa.string()})


def counted(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Leave one entry of each game. Rows: key of the sheet, place, entry, sorted."""

    def made() -> Iterator[tuple[int, str]]:
        for _, entries in grouped(batches, 1):
            counting = set(quipu.distinct_games(entries)) if len(entries) > 1 else None
            yield from (entry for entry in entries if counting is None or entry[0] in counting)

    return rows(COUNTED, made())


STANDINGS = pa.schema(
    {
        "game": pa.string(),
        "event": pa.string(),
        "place": pa.int64(),
        "name": pa.string(),
        "games": pa.int64(),
        "wins": pa.int64(),
        "draws": pa.int64(),
        "losses": pa.int64(),
        "score": pa.float64(),
        "tie_breaks": pa.map_(pa.string(), pa.float64()),
    }
)


def tabled(tie_breaks: Optional[Sequence[str]] = None) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """Standings of events. Rows: game, event, place, entry, sorted."""

    def made(batches: Batches) -> Iterator[Sequence[Any]]:
        for _, entries in grouped(batches, 2):
            for table in quipu.standings_of(entries, tie_breaks=tie_breaks):
                for row in table.players:
                    values = [getattr(row, name) for name in STANDINGS.names[2:-1]]
                    yield [table.game, table.event, *values, list(row.tie_breaks.items())]

    return lambda batches: rows(STANDINGS, made(batches))


_COLUMNS = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}

RATINGS = pa.schema(
    {field.name: _COLUMNS[str(field.type).removeprefix("Optional[").removesuffix("]")] for field in fields(quipu.Rating)}
)


def rated(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Ratings of players. Rows: game, player, place, entry, sorted."""

    def made() -> Iterator[Sequence[Any]]:
        for (_, name), entries in grouped(batches, 2):
            yield from (astuple(rating) for rating in quipu.ratings_of(entries) if rating.name == name)

    return rows(RATINGS, made())
