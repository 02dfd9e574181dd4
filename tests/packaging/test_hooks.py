"""The hooks of pre-commit, in a repository with game records."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

SOUND = (ROOT / "fixtures/andes/cup.quipu").read_bytes()
LOOSE = (ROOT / "fixtures/brandubh/loose.quipu").read_bytes()
BROKEN = (ROOT / "fixtures/andes/mutants.quipu").read_bytes()


class Repository:
    """A repository that uses the hooks of another one, which has the files of the project that they need."""

    def __init__(self, folder: Path, program: Path) -> None:
        self.folder, hooks, tools = folder / "records", folder / "hooks", folder / "tools"
        for path in ("packaging/pre-commit/quipu", ".pre-commit-hooks.yaml", "Cargo.toml"):
            (hooks / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, hooks / path)
        tools.mkdir()
        (tools / "quipu").symlink_to(program)
        self.path = [str(tools), "/usr/bin", "/bin"]
        self.environment = os.environ | {"HOME": str(folder), "PRE_COMMIT_HOME": str(folder / "cache"), "GIT_CONFIG_NOSYSTEM": "1", "QUIPU_LANG": "en"}
        self.commit(hooks)
        self.write(".pre-commit-config.yaml", f"repos:\n- repo: {hooks}\n  rev: v1\n  hooks:\n  - id: quipu-verify\n  - id: quipu-fmt\n".encode())
        self.commit(self.folder)

    def git(self, folder: Path, *arguments: str) -> None:
        known = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *known, "-C", str(folder), *arguments], env=self.environment, check=True, capture_output=True)

    def commit(self, folder: Path) -> None:
        for arguments in (["init"], ["add", "."], ["commit", "-m", "first"], ["tag", "v1"]):
            self.git(folder, *arguments)

    def write(self, name: str, content: bytes) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / name).write_bytes(content)

    def run(self, hook: str) -> subprocess.CompletedProcess[str]:
        self.git(self.folder, "add", ".")
        command = [sys.executable, "-m", "pre_commit", "run", hook, "--all-files", "--verbose", "--color", "never"]
        environment = self.environment | {"PATH": ":".join(self.path)}
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def repository(tmp_path: Path, program: Path) -> Repository:
    return Repository(tmp_path, program)


def test_sound_records_pass_and_other_files_are_left_alone(repository: Repository) -> None:
    repository.write("cup.quipu", SOUND)
    repository.write("notes.txt", BROKEN)
    done = repository.run("quipu-verify")
    assert done.returncode == 0 and "Passed" in done.stdout, done.stdout


def test_a_rejected_record_fails_with_its_reason(repository: Repository) -> None:
    repository.write("cup.quipu", SOUND)
    repository.write("a round.quipu", BROKEN)
    done = repository.run("quipu-verify")
    assert done.returncode == 1
    assert "andes.empty" in done.stdout and "a round.quipu:13:29" in done.stdout


def test_a_record_is_brought_into_canonical_form_once(repository: Repository, program: Path) -> None:
    repository.write("loose.quipu", LOOSE)
    assert "files were modified by this hook" in repository.run("quipu-fmt").stdout
    subprocess.run([program, "fmt", "--check", "loose.quipu"], cwd=repository.folder, check=True)
    assert repository.run("quipu-fmt").returncode == 0


def test_another_version_on_the_path_is_not_used(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "tools/quipu").unlink()
    (tmp_path / "tools/quipu").write_text("#!/bin/sh\necho quipu 0.0.1\n")
    (tmp_path / "tools/quipu").chmod(0o755)
    repository.write("cup.quipu", SOUND)
    done = repository.run("quipu-verify")
    assert done.returncode == 1
    assert "is not on the PATH, and there is no cargo to build it" in done.stdout


def test_without_the_program_it_is_built_once(repository: Repository, tmp_path: Path, program: Path) -> None:
    (tmp_path / "tools/quipu").unlink()
    # A cargo that puts the program where a build has it, and counts.
    (tmp_path / "tools/cargo").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/builds\nmkdir -p target/release && ln -s {program} target/release/quipu\n'
    )
    (tmp_path / "tools/cargo").chmod(0o755)
    repository.write("cup.quipu", SOUND)
    for _ in range(2):
        assert repository.run("quipu-verify").returncode == 0
    built = (tmp_path / "builds").read_text().splitlines()
    assert built == ["build --release --locked --quiet --package quipu --no-default-features --features spreadsheets"]
