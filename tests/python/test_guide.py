"""The guide in both languages, run as a test, and its tables."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

import quipu

if sys.version_info >= (3, 11):
    import tomllib

PAGES = ["docs/python.md", "docs/python.es.md"]


@pytest.fixture(autouse=True)
def _at_the_root() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


@pytest.mark.parametrize("page", PAGES)
def test_the_guide_runs(page: str) -> None:
    found = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert found.attempted > 30 and found.failed == 0


def test_both_pages_have_the_same_examples() -> None:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in PAGES]
    blocks = [re.findall(r"```python\n(.*?)```", text, re.DOTALL) for text in texts]
    assert len(blocks[0]) > 10 and blocks[0] == blocks[1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="without a reader of TOML")
@pytest.mark.parametrize("page", PAGES)
def test_every_code_of_the_package_is_in_the_guide(page: str) -> None:
    messages = tomllib.loads((ROOT / "api/python/src/messages.toml").read_text(encoding="utf-8"))
    codes = {key for key in messages if key not in ("move", "no-event", "no-game-with")}
    named = set(re.findall(r"`(python\.[a-z-]+)`", (ROOT / page).read_text(encoding="utf-8")))
    # The reason why there is no picture comes from the pictures.
    assert named == codes | {"python.width"}


@pytest.mark.parametrize("name", sorted(set(quipu.__all__) - {"__version__"}))
def test_everything_has_documentation(name: str) -> None:
    assert inspect.getdoc(getattr(quipu, name))


@pytest.mark.parametrize("call", [quipu.verify, quipu.verify_batch, quipu.repair, quipu.merge, quipu.standings])
def test_every_argument_has_documentation(call: object) -> None:
    text = inspect.getdoc(call) or ""
    listed = text.split("Parameters\n----------\n")[1].split("Returns\n")[0]
    heads = [line.split(":")[0] for line in listed.splitlines() if line[:1].strip()]
    documented = {name.strip(" *") for head in heads for name in head.split(",")}
    assert documented == set(inspect.signature(call).parameters)  # type: ignore[arg-type]


def test_the_version_is_that_of_the_project() -> None:
    found = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None and found[1] == quipu.__version__


@pytest.mark.skipif(sys.version_info < (3, 11), reason="without a reader of TOML")
def test_the_package_has_the_licences_of_the_project() -> None:
    package = ROOT / "api/python"
    named = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]
    assert sorted(named) == sorted(path.name for path in ROOT.glob("LICENSE*"))
    assert all((package / name).read_bytes() == (ROOT / name).read_bytes() for name in named)
