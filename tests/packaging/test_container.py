"""The Containerfile copies every file that its build reads."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from conftest import ROOT

CONTAINERFILE = (ROOT / "docs/operations/Containerfile").read_text()
COPIED = [path for line in re.findall(r"^COPY (?!--)(.+) \S+$", CONTAINERFILE, re.MULTILINE) for path in line.split()]


def test_what_is_copied_is_a_workspace_with_all_its_links(tmp_path: Path) -> None:
    for path in COPIED:
        here, there = ROOT / path, tmp_path / path
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_dir():
            shutil.copytree(here, there, symlinks=True, ignore=shutil.ignore_patterns("target"))
        else:
            shutil.copy(here, there)
    for member in tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]:
        assert (tmp_path / member / "Cargo.toml").is_file(), f"{member} is not copied"
    links = [path for path in tmp_path.rglob("*") if path.is_symlink() and not path.exists() and path.name not in ("LICENSE-MIT", "LICENSE-APACHE")]
    assert links == []
    locked = ["cargo", "metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"]
    subprocess.run(locked, cwd=tmp_path, check=True, capture_output=True, env=os.environ)


def test_its_compiler_is_that_of_the_workspace() -> None:
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    assert f"FROM rust:{oldest}-slim-bookworm" in CONTAINERFILE
