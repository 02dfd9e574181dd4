"""Repaired records, merged sheets and standings beside the output of the program."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES, GAMES, Program, objects

import quipu

CUP = FIXTURES / "andes/cup.quipu"


@pytest.mark.parametrize("game", GAMES)
def test_readings_are_those_of_the_program(program: Program, game: str, tmp_path: Path) -> None:
    for sheet in objects(FIXTURES / game / "repair.ndjson")[:4]:
        (line,) = program.lines("repair", "--json", "-", given=sheet["sheet"].encode())
        expected = json.loads(line)
        repair = quipu.repair(quipu.Record(sheet["sheet"]))
        assert (repair.status, repair.clear, repair.complete) == (
            expected["status"],
            expected["clear"],
            expected["complete"],
        )
        for reading, wanted in zip(repair.readings, expected["readings"]):
            assert (reading.cost, reading.moves) == (wanted["cost"], wanted["moves"])
            edits = [[edit.ply, edit.kind, edit.written, edit.read] for edit in reading.edits]
            assert edits == [[edit["ply"], edit["kind"], edit["from"], edit["to"]] for edit in wanted["edits"]]
            assert reading.verdict.to_dict() == wanted["verdict"]
            assert reading.record.verify().id == reading.verdict.id


def test_the_person_who_chose_is_in_the_record() -> None:
    sheet = objects(FIXTURES / "andes/repair.ndjson")[0]["sheet"]
    repair = quipu.repair(quipu.Record(sheet), by="Luz [1]")
    assert "Luz %5B1%5D]" in str(repair.readings[0].record)


def test_a_legal_record_is_its_own_reading() -> None:
    for verdict in quipu.verify(FIXTURES / "querni/games.quipu"):
        assert verdict.record is not None
        repair = quipu.repair(verdict.record)
        assert repair.clear and [(reading.cost, reading.edits) for reading in repair.readings] == [(0, [])]
        assert repair.readings[0].moves == verdict.record.moves
        break


@pytest.mark.parametrize("game", GAMES)
def test_merged_games_are_those_of_the_program(program: Program, game: str, tmp_path: Path) -> None:
    for pair in objects(FIXTURES / game / "sheets.ndjson")[:3]:
        for name in "ab":
            (tmp_path / name).write_text(pair[name], encoding="utf-8")
        (line,) = program.lines("merge", "--json", str(tmp_path / "a"), str(tmp_path / "b"))
        expected = json.loads(line)
        merged = quipu.merge([quipu.Record(pair["a"]), quipu.Record(pair["b"])])
        assert merged.verdict.to_dict() == expected["verdict"]
        assert merged.record.verify().id == merged.verdict.id
        assert [dataclasses.asdict(tag) for tag in merged.tags] == expected["tags"]
        disputed = [
            {"ply": ply.ply, "readings": [dataclasses.asdict(account) for account in ply.accounts]}
            for ply in merged.disputed
        ]
        assert disputed == expected["disputed"]
        assert (merged.moves, merged.agreed, merged.complete) == (
            expected["moves"],
            expected["agreed"],
            expected["complete"],
        )


def test_chosen_tokens_are_in_the_merged_game() -> None:
    pair = objects(FIXTURES / "andes/sheets.ndjson")[0]
    sheets = [quipu.Record(pair["a"]), quipu.Record(pair["b"])]
    merged = quipu.merge(sheets, chosen={1: pair["truth"][0]}, by="Luz")
    assert merged.moves[0] == pair["truth"][0] and ", Luz]" in str(merged.record)
    for ply in (0, 1, 999):
        with pytest.raises(quipu.MergeError) as caught:
            quipu.merge(sheets, chosen={ply: "nonsense"})
        assert caught.value.code == "merge.no-game" and f"({ply}: nonsense)" in caught.value.message


def test_sheets_that_are_not_merged_have_a_reason() -> None:
    andes, querni = (next(quipu.verify(FIXTURES / game / "games.quipu")).record for game in ("andes", "querni"))
    assert andes is not None and querni is not None
    for sheets, code in [([andes], "merge.few"), ([andes] * 17, "merge.many"), ([andes, querni], "merge.tag")]:
        with pytest.raises(quipu.MergeError) as caught:
            quipu.merge(sheets, lang="es")
        assert caught.value.code == code and caught.value.message


def tables(competition: quipu.Competition) -> list[dict[str, Any]]:
    return [dataclasses.asdict(table) for table in competition.tables]


def test_standings_are_those_of_the_program(program: Program) -> None:
    arguments = ["--crosstable", "--json", "--event", "Copa de los Andes", "--tie-breaks", "direct,wins"]
    expected = json.loads("".join(program.lines("standings", *arguments, str(CUP))))
    found = quipu.standings(CUP, event="Copa de los Andes", tie_breaks=["direct", "wins"])
    assert tables(found) == expected["tables"]
    assert (found.uncounted, found.sheets, found.contradictions, found.files) == ([], [], [], [])


def test_several_sources_are_counted_together(program: Program) -> None:
    paths = [FIXTURES / game / "games.quipu" for game in GAMES] + [FIXTURES / "andes/loose.quipu"]
    arguments = [str(path) for path in paths]
    expected = json.loads("".join(program.lines("standings", "--crosstable", "--json", *arguments)))
    for jobs in (1, 2):
        found = quipu.standings(*paths, jobs=jobs)
        assert tables(found) == expected["tables"]
        assert [dataclasses.asdict(source) for source in found.files] == expected["files"]
        assert found.sheets == [game["games"] for game in expected.get("sheets", [])]


def test_records_that_do_not_count_have_reasons() -> None:
    cup = CUP.read_text(encoding="utf-8")
    first = cup[: cup.index("[Game", 10)]
    other = first.replace('[Sol "', '[Sol "X').replace('[Luna "', '[Luna "Y')
    rejected = '[Game "andes"]\n[Sol "Ana"]\n[Luna "Luz"]\n\n1. 0d3 0A3\n2. 2a1 *\n'
    found = quipu.standings(first + first + rejected + other.replace('[Sol "', '[Black "') + "[")
    assert [(record.place, record.reason) for record in found.uncounted] == [
        (2, "duplicate"),
        (3, "rejected"),
        (4, "unnamed"),
        (5, "unreadable"),
    ]
    assert found.uncounted[1].code == "andes.3.6"


def test_contradictions_are_told() -> None:
    cup = CUP.read_text(encoding="utf-8")
    first = cup[: cup.index("[Game", 10)]
    moves = first.rstrip().splitlines()
    shorter = "\n".join(moves[:-2]) + "\n*\n"
    found = quipu.standings(first + shorter.replace('[Result "0-1"]', "").replace('[Result "1-0"]', ""))
    assert len(found.tables) == 1 and found.uncounted[0].place == 2


def test_aliases_join_names() -> None:
    names = {row.name for table in quipu.standings(CUP).tables for row in table.players}
    name = sorted(names)[0]
    joined = quipu.standings(CUP, aliases={"Somebody": [name]})
    assert {row.name for table in joined.tables for row in table.players} == names - {name} | {"Somebody"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"tie_breaks": "wins"}, "python.tie-break-form"), ({"aliases": {"Rosa": "Ros"}}, "python.alias-form")],
)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_text_is_no_list_of_its_letters(arguments: dict[str, Any], code: str, lang: Any) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(code)}: .*\\bstr\\b"):
        quipu.standings(CUP, lang=lang, **arguments)


@pytest.mark.parametrize("number", [-1, 2**64])
def test_numbers_out_of_range_are_overflows(number: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: quipu.standings(CUP, jobs=number),
        lambda: quipu.verify(CUP, jobs=number),
        lambda: quipu.Position("andes").perft(number),
        lambda: quipu.Position("andes").svg(width=number),
        lambda: quipu.Position.deal("querni", number),
    ]
    for call in calls:
        with pytest.raises(OverflowError):
            call()


def test_an_event_that_is_not_there_is_told_with_the_others() -> None:
    def message(*events: str) -> str:
        games = [f'[Game "andes"]\n[Event "{event}"]\n\n*\n' if event else '[Game "andes"]\n\n*\n' for event in events]
        with pytest.raises(quipu.QuipuError) as caught:
            quipu.standings("".join(games), event="Z")
        assert caught.value.code == "python.event"
        return caught.value.message

    assert message("A", "", "B") == "no record is of the event “Z”; there are records of: A, B"
    assert message("") == "there are no records of the event “Z”"
    many = [f"E{number:02}" for number in range(40)]
    assert message(*many).endswith(f": {', '.join(many[:10])}, …") and not message(*many[:10]).endswith("…")
    assert quipu.standings("", event="Z").tables == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"tie_breaks": ["luck"]}, "python.tie-break"),
        ({"tie_breaks": ["wins", "wins"]}, "python.tie-break"),
        ({"event": "no such event"}, "python.event"),
        ({"aliases": {"Ana": ["Luz"], "Luz": ["Eva"]}}, "python.aliases"),
        ({"aliases": {"Ana": ["Luz"], "Eva": ["Luz"]}}, "python.aliases"),
        ({"aliases": {"Ana": [" "]}}, "python.aliases"),
        ({"lang": "fr"}, "python.lang"),
    ],
)
def test_wrong_arguments_are_errors_with_codes(arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.standings(CUP, **arguments)
    assert caught.value.code == code
