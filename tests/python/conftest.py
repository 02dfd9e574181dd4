"""Fixtures, and the program whose output is compared."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
GAMES = ["andes", "pastores", "querni", "brandubh"]


def files(pattern: str) -> list[Path]:
    """Fixtures of all games whose names match."""
    found = sorted(path for game in GAMES for path in (FIXTURES / game).glob(pattern))
    assert found, pattern
    return found


def shown(path: Path) -> str:
    """The name of a fixture in the names of tests."""
    return str(path.relative_to(FIXTURES))


def rows(path: Path) -> list[list[str]]:
    """The rows of a table."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def objects(path: Path) -> list[dict[str, Any]]:
    """The objects of a file with one on each line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Program:
    """The program `quipu`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def lines(self, *arguments: str, given: bytes = b"") -> list[str]:
        """The lines of its standard output."""
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
        done = subprocess.run([self.path, *arguments], input=given, capture_output=True, env=environment, check=False)
        assert done.returncode in (0, 1), done.stderr.decode()
        return done.stdout.decode().splitlines()


@pytest.fixture(scope="session")
def program() -> Program:
    """The program that was built with the package."""
    path = os.environ.get("QUIPU_PROGRAM")
    if path is None:
        pytest.skip("QUIPU_PROGRAM names no program")
    return Program(path)
