"""Every fixture of every game, with the same expected values as `tests/core/tests/corpus.rs`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES, files, objects, rows, shown

import quipu

FIELDS = ["index", "status", "plies", "position", "termination", "result", "winner", "points", "id"]


def findings(verdict: dict[str, Any]) -> set[tuple[str, int | None]]:
    return {(found["code"], found["ply"]) for found in verdict["diagnostics"]}


@pytest.mark.parametrize(
    "path", files("games*.quipu") + files("loose*.quipu") + files("mutants*.quipu"), ids=shown
)
def test_records_have_their_verdicts(path: Path) -> None:
    expected = objects(path.with_name(path.name.replace(".quipu", ".verdicts.ndjson")))
    found = list(quipu.verify(path))
    assert len(found) == len(expected)
    for verdict, wanted in zip(found, expected):
        assert {field: getattr(verdict, field) for field in FIELDS} == {field: wanted[field] for field in FIELDS}
        assert {(found.code, found.ply) for found in verdict.diagnostics} == findings(wanted)
        as_dict = verdict.to_dict()
        assert {field: as_dict[field] for field in FIELDS} == {field: wanted[field] for field in FIELDS}
        assert findings(as_dict) == findings(wanted)


def test_the_sample_tournament_is_verified() -> None:
    found = list(quipu.verify(FIXTURES / "andes/cup.quipu"))
    assert [(verdict.status, verdict.diagnostics) for verdict in found] == [("verified", [])] * 56


@pytest.mark.parametrize("path", files("positions*.ndjson"), ids=shown)
def test_legal_moves_are_those_listed(path: Path) -> None:
    for row in objects(path):
        position = quipu.Position(path.parent.name, row["position"], rules=row["rules"])
        assert position.legal_moves() == row["moves"], row["position"]


@pytest.mark.parametrize("path", files("illegal*.tsv"), ids=shown)
def test_illegal_moves_have_their_codes(path: Path) -> None:
    for rules, text, token, code in rows(path):
        position = quipu.Position(path.parent.name, text, rules=rules)
        with pytest.raises(quipu.IllegalMoveError) as caught:
            position.play(token)
        assert caught.value.code == code, f"{token} in {text}"
        assert str(position) == text


@pytest.mark.parametrize("path", files("setups*.tsv"), ids=shown)
def test_positions_are_read_or_refused(path: Path) -> None:
    for rules, text, code in rows(path):
        if code == "-":
            assert str(quipu.Position(path.parent.name, text, rules=rules)) == text
            continue
        with pytest.raises(quipu.PositionError) as caught:
            quipu.Position(path.parent.name, text, rules=rules)
        assert caught.value.code == code, text
        assert caught.value.line == 1 and caught.value.column is not None


def test_starts_are_dealt_from_their_seeds() -> None:
    for seed, first, text in rows(FIXTURES / "querni/deals.tsv"):
        position = quipu.Position.deal("querni", int(seed), first=first)
        assert str(position) == text and position.turn == first


@pytest.mark.parametrize("path", files("perft*.tsv"), ids=shown)
def test_perft_counts(path: Path) -> None:
    for rules, text, depth, nodes in rows(path):
        if int(nodes) <= 200_000:
            assert quipu.Position(path.parent.name, text, rules=rules).perft(int(depth)) == int(nodes), text


@pytest.mark.parametrize("path", files("games*.quipu"), ids=shown)
def test_canonical_games_are_written_as_they_stand(path: Path) -> None:
    written = []
    for verdict in quipu.verify(path):
        assert verdict.record is not None
        assert verdict.record.canonical() == str(verdict.record)
        written.append(str(verdict.record))
    assert "".join(written).strip() == path.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("path", files("repair.ndjson"), ids=shown)
def test_the_true_game_is_among_the_readings(path: Path) -> None:
    sheets, found = objects(path)[:20], 0
    for sheet in sheets:
        repair = quipu.repair(quipu.Record(sheet["sheet"]))
        assert repair.status == "rejected"
        assert all(reading.verdict.status in ("verified", "incomplete") for reading in repair.readings)
        assert all(reading.record.moves == reading.moves for reading in repair.readings)
        found += any(reading.moves == sheet["truth"] for reading in repair.readings)
    assert found >= 18


@pytest.mark.parametrize("path", files("sheets.ndjson"), ids=shown)
def test_pairs_of_sheets_are_merged_to_the_true_game(path: Path) -> None:
    pairs, right = objects(path)[:10], 0
    for pair in pairs:
        merged = quipu.merge([quipu.Record(pair["a"]), quipu.Record(pair["b"])])
        assert merged.record.moves == merged.moves
        is_right = merged.moves == pair["truth"]
        right += is_right
        assert is_right or merged.disputed
    assert right >= 9


@pytest.mark.parametrize("path", files("replay*.otg"), ids=shown)
def test_foreign_records_have_the_ids_of_their_translations(path: Path) -> None:
    found = [verdict.id for verdict in quipu.verify(path)]
    assert found == [verdict.id for verdict in quipu.verify(path.with_suffix(".quipu"))]
    assert None not in found


def unescaped(text: str) -> bytes:
    """The bytes of a file in `sources.tsv`."""

    def byte(found: re.Match[bytes]) -> bytes:
        name = found[1].decode()
        return bytes([int(name[1:], 16)]) if name.startswith("x") else {"n": b"\n", "0": b"\0"}[name]

    return re.sub(rb"\\(x[0-9A-Fa-f]{2}|.)", byte, text.encode())


def canonical_tokens(verdict: quipu.Verdict) -> str:
    record = verdict.record
    if record is None or any(found.severity == "error" for found in verdict.diagnostics):
        return "-"
    return " ".join(quipu.Record(record.canonical()).moves)


def test_sources_are_read_or_refused() -> None:
    for source, *expected in rows(FIXTURES / "sources.tsv"):
        verdicts = list(quipu.verify(unescaped(source)))
        codes = [
            " ".join([found.code for found in verdict.diagnostics] + [found.code for found in verdict.advice]) or "-"
            for verdict in verdicts
        ]
        statuses = [verdict.status for verdict in verdicts]
        found = [statuses, codes, [canonical_tokens(verdict) for verdict in verdicts]]
        assert [" / ".join(column) for column in found] == expected, source


def test_json_of_a_verdict_is_one_line() -> None:
    for verdict in quipu.verify(FIXTURES / "andes/mutants.quipu"):
        assert "\n" not in verdict.to_json()
        assert json.loads(verdict.to_json()) == verdict.to_dict()
