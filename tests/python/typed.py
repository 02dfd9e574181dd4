"""A program of a user, for the type checkers in strict mode. The comments are the types that they must find."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Optional

import polars as pl
from typing_extensions import assert_type

import quipu


def judged(path: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for verdict in quipu.verify(path, lang="es", jobs=2):
        counts[verdict.status] = counts.get(verdict.status, 0) + 1
        assert_type(verdict.plies, Optional[int])
        assert_type(verdict.points, Optional[dict[str, int]])
        for found in verdict.diagnostics:
            print(f"{found.line}:{found.column}: {found.code}: {found.message}")
        if verdict.record is not None:
            assert_type(verdict.record.tags, dict[str, str])
            assert_type(verdict.record.positions()[-1].legal_moves(), list[str])
    return counts


def every_source(text: str) -> list[str]:
    sources = [quipu.verify(text), quipu.verify(text.encode()), quipu.verify(io.StringIO(text))]
    with open("records.quipu", "rb") as file:
        return [verdict.to_json() for source in [*sources, quipu.verify(file)] for verdict in source]


def played(tokens: list[str]) -> quipu.Position:
    try:
        return quipu.Position("andes").play(*tokens)
    except quipu.IllegalMoveError as error:
        assert_type(error.suggestions, list[str])
        assert_type(error.line, Optional[int])
        raise


def repaired(record: quipu.Record) -> Optional[quipu.Record]:
    found = quipu.repair(record, by="Luz")
    assert_type(found.readings[0].edits, list[quipu.Edit])
    return found.readings[0].record if found.clear else None


def table(path: Path) -> list[tuple[int, str, float]]:
    competition = quipu.standings(path, tie_breaks=["direct"], aliases={"Ana": ["Anita"]})
    return [(row.place, row.name, row.score) for row in competition.tables[0].players]


def frames(frame: pl.DataFrame) -> pl.DataFrame:
    found = quipu.verify_batch(frame, "text", lang="es", jobs=None)
    assert_type(len(found), int)
    return frame.hstack(pl.DataFrame(found))
