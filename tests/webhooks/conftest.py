"""The project's folder, and the program under test."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def program() -> Path:
    return Path(os.environ["QUIPU_PROGRAM"])
