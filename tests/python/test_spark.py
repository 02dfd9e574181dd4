"""The work of the scripts for Spark, in one process and without Spark: `just spark` runs it on a cluster."""

from __future__ import annotations

import gzip
import importlib
import json
import lzma
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pyarrow as pa
import pytest
from conftest import FIXTURES, ROOT, Program

import quipu

sys.path.insert(0, str(ROOT / "api/spark"))

import judging

# A comment that looks like the beginning of a record.
HIDDEN = '{ una nota\n\n[Game "andes"]\n[Event "no es un registro"]\n\n1. 0a1 "x ; }'


def divided(path: Path, size: int) -> pa.RecordBatch:
    names = ["uri", "path", "start", "end", "before"]
    return pa.record_batch([pa.array(column) for column in zip(*judging.divided(str(path), size))], names=names)


def records_of(path: Path, size: int) -> list[tuple[int, bytes]]:
    """The records of all parts of a file, read part by part."""
    parts = divided(path, size)
    return [
        (row["offset"], row["record"])
        for index in range(parts.num_rows)
        for batch in judging.parts([parts.slice(index, 1)])
        for row in batch.to_pylist()
    ]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with fixtures, legal or not, and comments of all lengths that hide beginnings of records."""
    path = tmp_path_factory.mktemp("texts") / "records.quipu"
    chance = random.Random(23)
    with path.open("wb") as out:
        for source in sorted(FIXTURES.glob("*/*.quipu")):
            for _, text in quipu.chunks(source):
                assert text is not None
                out.write(text)
                if chance.random() < 0.1:
                    hidden = HIDDEN * chance.choice([1, 10, 500])
                    out.write(f'[Game "andes"]\n\n1. 0a1 {hidden.replace("}", "")}}} 0D0 *\n\n'.encode())
    return path


def test_a_record_that_spans_a_division_is_read_exactly_once(texts: Path) -> None:
    whole = [(offset, text) for offset, text in quipu.chunks(texts)]
    assert len(whole) > 500 and texts.stat().st_size > 4 * judging.BEFORE
    for size in [texts.stat().st_size, 1 << 20, 200_003, 65_536, 9_973]:
        assert records_of(texts, size) == whole, size


@pytest.mark.parametrize("sign", ["<!DOCTYPE html>", "%PDF-1.4", "Rar!\x1a\x07", "\x1f\x8b\x08"])
def test_a_comment_like_another_kind_of_file_divides_nothing(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "signs.quipu"
    comment = f"{{\n{(sign + chr(10)) * 300}}}\n"
    path.write_text((FIXTURES / "andes/cup.quipu").read_text("utf-8").replace("\n1. ", f"\n{comment}1. "), "utf-8")
    assert path.stat().st_size > judging.BEFORE
    assert records_of(path, 65_536) == list(quipu.chunks(path))


def test_tables_need_one_record_in_a_row() -> None:
    records = pa.record_batch({"record": [(FIXTURES / "andes/cup.quipu").read_text("utf-8")]})
    with pytest.raises(ValueError, match="tables need one record in each row"):
        list(judging.Judging((), entries=True).judged([records]))
    (judged,) = judging.Judging(()).judged([records])
    assert judged.num_rows > 1


def test_records_of_several_files_have_numbers_of_their_own(tmp_path: Path) -> None:
    # Both sheets of the game begin at the same offset.
    sheet = next(text for _, text in quipu.chunks(FIXTURES / "andes/cup.quipu") if text is not None)
    (tmp_path / "folder").mkdir()
    for name in ["one.quipu", "two.quipu", "folder/three.quipu"]:
        (tmp_path / name).write_bytes(sheet)
    read = pa.Table.from_batches(judging.parts([divided(tmp_path, 100)]))
    assert read["number"].to_pylist() == [0, len(sheet), 2 * len(sheet)]
    assert read["offset"].to_pylist() == [0, 0, 0]
    (judged,) = judging.Judging(("number",), entries=True).judged(read.combine_chunks().to_batches())
    entries = [(row["number"], json.loads(row["entry"]), row["entry"]) for row in judged.to_pylist()]
    assert [place for place, *_ in counted(entries)] == [0]


def test_every_division_of_a_short_text_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "short.quipu"
    path.write_text(f'% nota\n[Game "andes"]\n\n1. 0a1 {HIDDEN} 0D0 *\n\n\n[Game "querni"]\n[Event "ñ"]\n\n*\n', "utf-8")
    whole = list(quipu.chunks(path))
    for size in range(1, path.stat().st_size + 1):
        assert records_of(path, size) == whole, size


def test_a_record_that_is_too_large_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "large.quipu"
    game = '[Game "andes"]\n\n1. 0a1 0D0 *\n\n'
    path.write_text(game + game.replace("*", "0a1 " * (5 << 20)) + game, "utf-8")
    found = records_of(path, 1 << 20)
    verdicts = pa.record_batch(quipu.verify_batch(pa.record_batch({"record": [text for _, text in found]})))
    expected = [verdict.to_dict() for verdict in quipu.verify(path)]
    assert verdicts["status"].to_pylist() == [verdict["status"] for verdict in expected]
    codes = [row and row[0]["code"] for row in verdicts["diagnostics"].to_pylist()]
    assert codes == [verdict["diagnostics"][0]["code"] if verdict["diagnostics"] else [] for verdict in expected]


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: text.decode().encode("utf-16"),
        lambda text: text.decode().encode("utf-16-le"),
        gzip.compress,
        lzma.compress,
    ],
    ids=["UTF-16", "UTF-16 without its mark", "gzip", "xz"],
)
def test_a_file_that_cannot_be_divided_is_an_error(encoded: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "records.quipu"
    path.write_bytes(encoded((FIXTURES / "andes/cup.quipu").read_bytes()))
    with pytest.raises(ValueError, match="records.quipu is (in UTF-16 or compressed|no text)"):
        records_of(path, 4096)


def test_verdicts_are_those_of_the_program(texts: Path, program: Program) -> None:
    how = judging.Judging(keep=("path", "offset"), entries=True)
    batches = [batch for batch in judging.parts([divided(texts, 100_000)])]
    found = [row for batch in how.judged(batches) for row in batch.to_pylist()]
    expected = [json.loads(line) for line in program.lines("verify", "--json", str(texts))]
    fields = ["game", "rules", "status", "plies", "position", "termination", "result", "winner", "id"]
    assert len(found) == len(expected)
    for row, verdict in zip(found, expected):
        assert [row[field] for field in fields] == [verdict[field] for field in fields]
        codes = [found["code"] for found in verdict["diagnostics"]]
        assert [found["code"] for found in row["diagnostics"]] == codes
        assert row["entry"] is None or verdict["status"] == "verified"
    assert {row["path"] for row in found} == {str(texts)}


def test_a_batch_of_any_size_is_judged_in_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [text for _, text in quipu.chunks(FIXTURES / "andes/cup.quipu") if text is not None]
    records = [None, *records[:7], b" " * 6000 + records[7], *records[8:20]]
    batch = pa.record_batch({"number": range(len(records)), "record": records})
    how = judging.Judging(("number",))
    (whole,) = how.judged([batch])
    monkeypatch.setattr(judging, "ROWS", 4)
    monkeypatch.setattr(judging, "TEXT", 6000)
    found = list(how.judged([batch, batch.slice(0, 0)]))
    assert pa.Table.from_batches(found).to_pylist() == whole.to_pylist()
    given = [part["record"].to_pylist() for part in judging.smaller([batch])]
    assert max(map(len, given)) == 4 and len(given) > 5
    assert all(len(part) == 1 or sum(len(record or b"") for record in part) <= 6000 for part in given)


def entries_of(*paths: Path) -> list[tuple[int, dict[str, Any], str]]:
    """Place, facts and text of the entries in some files."""
    records = [text for path in paths for _, text in quipu.chunks(path)]
    found = pa.record_batch(quipu.verify_batch(pa.record_batch({"record": records}), entries=True))
    rows = enumerate(found["entry"].to_pylist(), 1)
    return [(place, json.loads(entry), entry) for place, entry in rows if entry is not None]


def sorted_batches(rows: list[tuple[Any, ...]]) -> Iterator[pa.RecordBatch]:
    """Rows in the order of a shuffle, a few in each batch, so that groups span batches."""
    rows = sorted(rows)
    for start in range(0, len(rows), 7):
        columns = [pa.array(column) for column in zip(*rows[start : start + 7])]
        yield pa.record_batch(columns, names=[str(index) for index in range(len(columns))])


def counted(entries: list[tuple[int, dict[str, Any], str]]) -> list[tuple[int, dict[str, Any], str]]:
    """One entry of each game."""
    batches = sorted_batches([(facts["sheet"]["key"], place, text) for place, facts, text in entries])
    places = {row["place"] for batch in judging.counted(batches) for row in batch.to_pylist()}
    return [entry for entry in entries if entry[0] in places]


def test_standings_are_those_of_the_program(program: Program) -> None:
    # A second sheet of each game does not count.
    paths = [FIXTURES / "andes/cup.quipu", FIXTURES / "andes/cup.quipu", *sorted(FIXTURES.glob("*/games.quipu"))]
    entries = counted(entries_of(*paths))
    rows = [(facts["game"], facts["event"], place, text) for place, facts, text in entries if facts["event"]]
    step = judging.tabled(["direct", "wins", "sonneborn-berger"])
    found = [row for batch in step(sorted_batches(rows)) for row in batch.to_pylist()]
    call = ["standings", "--json", "--tie-breaks", "direct,wins,sonneborn-berger"]
    report = json.loads("".join(program.lines(*call, *map(str, paths))))
    expected = [
        {key: value for key, value in row.items() if key != "opponents"} | {"game": table["game"], "event": table["event"]}
        for table in report["tables"]
        for row in table["players"]
        if table["event"]
    ]
    for row in found:
        row["tie_breaks"] = dict(row["tie_breaks"])
    in_order = sorted(expected, key=lambda row: (row["game"], row["event"], row["place"], row["name"]))
    assert len(found) > 10
    assert sorted(found, key=lambda row: (row["game"], row["event"], row["place"], row["name"])) == in_order


def test_ratings_are_those_of_the_program(program: Program) -> None:
    paths = [FIXTURES / "andes/cup.quipu", FIXTURES / "andes/cup.quipu"]
    entries = counted(entries_of(*paths))
    rows = [(facts["game"], player, place, text) for place, facts, text in entries for player in facts["players"]]
    found = [row for batch in judging.rated(sorted_batches(rows)) for row in batch.to_pylist()]
    report = json.loads("".join(program.lines("rank", "--json", *map(str, paths))))
    names = ["name", "games", "points", "points_with_bonus", "level", "tier"]
    drawn = Counter(player for _, facts, _ in entries if facts["result"] == "1/2-1/2" for player in facts["players"])
    expected = [
        {name: player[name] for name in names}
        | {"game": "andes", "wins": player["won"], "draws": drawn[player["name"]]}
        | {"bonus": player["points_with_bonus"] - player["points"]}
        for player in report["players"]
    ]
    assert len(expected) > 5 and sum(drawn.values()) > 0 and any(player["bonus"] for player in expected)
    assert sorted(found, key=lambda row: row["name"]) == sorted(expected, key=lambda row: row["name"])


def test_names_of_columns_are_those_that_players_count_under() -> None:
    cup = FIXTURES / "andes/cup.quipu"
    records = [text for _, text in quipu.chunks(cup)][:4]
    names = {"one": ["Ana", None, "Ana", "?"], "two": ["Bo", "Bo", "Ana", "Bo"]}
    batch = pa.record_batch({"record": pa.array(records), **{name: pa.array(value) for name, value in names.items()}})
    found = pa.record_batch(quipu.verify_batch(batch, entries=True, players=("one", "two")))
    entries = found["entry"].to_pylist()
    assert json.loads(entries[0])["players"] == ["Ana", "Bo"]
    for row in [1, 3]:
        tags = next(quipu.verify(records[row])).record
        assert tags is not None
        assert json.loads(entries[row])["players"] == [tags.tags["Sol"], tags.tags["Luna"]]
    assert entries[2] is None


def test_records_are_judged_under_another_rule_set(program: Program) -> None:
    texts = [text.decode() for _, text in quipu.chunks(FIXTURES / "brandubh/games.quipu") if text is not None]
    canonical = [str(verdict.record) for verdict in quipu.verify("".join(texts)) if verdict.status == "verified"]
    batch = pa.record_batch({"number": range(len(canonical)), "record": canonical})
    for rules in ["base", "cuervo"]:
        (found,) = judging.Judging(("number",), rules=("brandubh", rules)).judged([batch])
        assert set(found["rules"].to_pylist()) == {rules}
        assert found["number"].to_pylist() == list(range(len(canonical)))
    other = judging.Judging(("number",), rules=("querni", "base")).judged([batch])
    assert next(other)["id"].to_pylist() == [verdict.id for verdict in quipu.verify("".join(canonical))]


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, without Spark."""
    for name in ["engine", "pyspark", "pyspark.sql", "pyspark.sql.pandas", "pyspark.sql.pandas.types"]:
        monkeypatch.setitem(sys.modules, name, MagicMock())
    yield importlib.import_module("verify")
    del sys.modules["verify"]


def test_the_script_takes_its_options(verify: Any) -> None:
    found = verify.arguments(["in", "out", "--rules", "brandubh=cuervo", "--split", "8"])
    assert (found.rules, found.split, found.text) == (("brandubh", "cuervo"), 8, False)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--text", "--rules", "brandubh=cuervo"], "--rules needs the table of quipu archive export"),
        (["--rules", "cuervo"], "'cuervo' is not GAME=NAME"),
        (["--rules", "brandubh="], "'brandubh=' is not GAME=NAME"),
        (["--rules", "brandubh=cuervo=base"], "'brandubh=cuervo=base' is not GAME=NAME"),
        (["--text", "--split", "0"], "'0' is no number of MiB from 1"),
        (["--text", "--split=-1"], "'-1' is no number of MiB from 1"),
    ],
)
def test_the_script_refuses_options_before_it_starts(
    verify: Any, options: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        verify.arguments(["in", "out", *options])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("call", [quipu.distinct_games, quipu.standings_of, quipu.ratings_of])
def test_entries_with_one_place_are_refused(call: Any) -> None:
    (_, _, one), (_, _, other) = entries_of(FIXTURES / "andes/cup.quipu")[:2]
    for entries in [[(7, one), (8, other), (7, one)], [(7, other), (7, one)]]:
        with pytest.raises(quipu.QuipuError) as found:
            call(entries)
        assert found.value.code == "python.place" and "7" in found.value.message


@pytest.mark.parametrize("call", [quipu.distinct_games, quipu.standings_of, quipu.ratings_of])
def test_a_text_that_is_no_entry_is_refused(call: Any) -> None:
    with pytest.raises(quipu.QuipuError) as found:
        call([(7, "{}")])
    assert found.value.code == "python.entry" and "7" in found.value.message
