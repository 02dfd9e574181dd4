"""`quipu.Record`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import FIXTURES

import quipu

TEXT = '[Game "andes"]\n[Sol "Ana"]\n[Luna "Luz"]\n\n1. 0d3 {[%clk 0:09:30]} 0A3 {a plan}\n2. 0d6 *\n'


def test_a_record_has_its_parts() -> None:
    record = quipu.Record(TEXT)
    assert record.game == "andes" and record.index == 1
    assert record.tags == {"Game": "andes", "Sol": "Ana", "Luna": "Luz"}
    assert record.moves == ["0d3", "0A3", "0d6"]
    assert record.clocks == [570_000, None, None]
    assert record.result == "*" and record.dropped == []
    assert repr(record) == "<quipu.Record andes, 3 plies>"
    assert "{a plan}" in str(record)


def test_a_record_is_judged_with_the_places_of_its_source() -> None:
    (verdict,) = quipu.verify("\n\n" + TEXT.replace("0d6", "2a1"))
    assert verdict.record is not None
    again = verdict.record.verify()
    assert again.to_dict() == verdict.to_dict()
    assert again.diagnostics[0].line == 8


def test_records_of_one_tag_section_are_told_apart() -> None:
    verdicts = list(quipu.verify('[Game "andes"]\n\n1. 0d3 *\n1. 0d4 0A3 *\n'))
    assert [verdict.record.moves for verdict in verdicts if verdict.record] == [["0d3"], ["0d4", "0A3"]]


def test_unreadable_texts_have_a_place() -> None:
    with pytest.raises(quipu.UnreadableError) as caught:
        quipu.Record('[Game "andes"]\n\n1. 0d3 {no end')
    error = caught.value
    assert (error.code, error.line, error.column) == ("record.syntax", 3, 8)
    assert str(error) == f"3:8: record.syntax: {error.message}"
    assert isinstance(error, quipu.QuipuError) and isinstance(error, ValueError)
    (verdict,) = quipu.verify('[Game "andes"]\n\n1. 0d3 {no end')
    assert verdict.status == "unreadable" and verdict.record is None


@pytest.mark.parametrize(("text", "code"), [("", "python.no-record"), (TEXT + TEXT, "python.several-records")])
def test_a_record_is_exactly_one(text: str, code: str) -> None:
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.Record(text)
    assert caught.value.code == code


def test_records_are_written_in_several_formats() -> None:
    record = quipu.Record(TEXT)
    for form in ("quipu", "json", "ndjson"):
        again = quipu.Record(record.to_text(form))  # type: ignore[arg-type]
        assert (again.tags, again.moves, again.clocks) == (record.tags, record.moves, record.clocks)
    assert json.loads(record.to_text("ndjson"))["moves"][0]["move"] == "0d3"
    with pytest.raises(quipu.QuipuError) as caught:
        record.to_text("csv")  # type: ignore[arg-type]
    assert caught.value.code == "python.format"


def test_positions_of_a_record() -> None:
    record = quipu.Record(TEXT)
    positions = record.positions()
    assert len(positions) == 4 and positions[0] == quipu.Position("andes")
    assert positions[1:] == [record.position(ply) for ply in (1, 2, 3)]
    assert record.position() == positions[-1] and positions[-1].last_move == "0d6"
    with pytest.raises(quipu.QuipuError) as caught:
        record.position(4)
    assert caught.value.code == "python.ply"


def test_a_record_of_no_known_game_has_no_positions() -> None:
    record = quipu.Record('[Game "chess"]\n\n1. e4 *\n')
    assert record.game is None and record.canonical() == str(record)
    with pytest.raises(quipu.QuipuError) as caught:
        record.positions()
    assert caught.value.code == "python.no-game"


def test_an_illegal_record_has_the_positions_before_its_fault() -> None:
    record = quipu.Record(TEXT.replace("0A3", "9Z9"))
    assert len(record.positions()) == 2


@pytest.mark.parametrize("name", ["andes", "pastores", "querni", "brandubh"])
def test_the_last_position_is_that_of_the_verdict(name: str) -> None:
    for verdict in quipu.verify(FIXTURES / name / "games.quipu"):
        assert verdict.record is not None
        assert str(verdict.record.position()) == verdict.position
        assert verdict.record.position().points == verdict.points


def test_dropped_parts_of_foreign_formats_are_listed() -> None:
    found: list[Any] = [verdict.record for verdict in quipu.verify(FIXTURES / "brandubh/replay-rules.otg")]
    assert all(isinstance(record.dropped, list) for record in found)
