"""The GitHub Action: its steps as a runner starts them, on records with and without faults."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import ROOT

FOLDER = ROOT / "packaging/action"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ (\S+) \}\}")
SOUND = ROOT / "fixtures/andes/cup.quipu"
BROKEN = ROOT / "fixtures/andes/mutants.quipu"


class Run:
    """The last step of the action with these inputs, in a folder that is empty at first."""

    def __init__(self, program: Path, folder: Path, **inputs: str) -> None:
        (step,) = [step for step in STEPS if step.get("id") == "verify"]
        values = {name: field["default"] for name, field in ACTION["inputs"].items()} | inputs
        output, summary = folder / "output", folder / "summary"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GITHUB_ACTION_PATH": str(FOLDER),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "QUIPU_ACTION_PROGRAM": str(program),
        }
        for name, expression in step["env"].items():
            environment[name] = EXPRESSION.sub(lambda found: values[found[1].removeprefix("inputs.")], expression)
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], env=environment, cwd=folder, capture_output=True)
        self.exit_status, self.annotations, self.errors = done.returncode, done.stdout.decode(), done.stderr.decode()
        self.outputs = output.read_text() if output.exists() else None
        self.summary = summary.read_text() if summary.exists() else None


def test_sound_records_pass_without_annotations(program: Path, tmp_path: Path) -> None:
    run = Run(program, tmp_path, files=f"{SOUND}\n")
    assert (run.exit_status, run.outputs) == (0, "status=0\n")
    assert "::error" not in run.annotations


def test_rejected_records_are_annotated_as_the_program_does(program: Path, tmp_path: Path) -> None:
    run = Run(program, tmp_path, files=f"{SOUND}\n{BROKEN}", lang="en", sarif="report.sarif")
    assert (run.exit_status, run.outputs) == (1, "status=1\n")
    by_hand = [program, "verify", "--lang", "en", "--output-format", "github", SOUND, BROKEN]
    assert run.annotations == subprocess.run(by_hand, capture_output=True, cwd=tmp_path).stdout.decode()
    assert f"::error file={BROKEN},line=13,col=29,endColumn=33,title=andes.empty::" in run.annotations
    report = json.loads((tmp_path / "report.sarif").read_text())
    found = [result["ruleId"] for result in report["runs"][0]["results"] if result["level"] == "error"]
    assert found == re.findall(r"^::error .*title=(\S+?)::", run.annotations, re.MULTILINE)
    assert "× andes.empty" in run.summary


def test_the_language_is_spanish_unless_another_is_given(program: Path, tmp_path: Path) -> None:
    assert "No hay ninguna pieza en F2." in Run(program, tmp_path, files=str(BROKEN)).annotations


def test_a_step_that_only_annotates_passes(program: Path, tmp_path: Path) -> None:
    run = Run(program, tmp_path, files=str(BROKEN), fail="false")
    assert (run.exit_status, run.outputs) == (0, "status=1\n")
    assert "::error" in run.annotations


@pytest.mark.parametrize("fail", ["true", "false"])
def test_a_missing_file_fails(program: Path, tmp_path: Path, fail: str) -> None:
    run = Run(program, tmp_path, files=f"{SOUND}\nno such file.quipu", fail=fail)
    assert (run.exit_status, run.outputs) == (3, "status=3\n")
    assert "no such file.quipu" in run.annotations


def test_names_with_spaces_and_hyphens_are_files(program: Path, tmp_path: Path) -> None:
    for name in ["a round.quipu", "--jobs"]:
        (tmp_path / name).write_bytes(SOUND.read_bytes())
    assert Run(program, tmp_path, files="a round.quipu\n--jobs").exit_status == 0


@pytest.mark.parametrize(("name", "value"), [("fail", "perhaps"), ("files", "\n")])
def test_wrong_inputs_are_named(program: Path, tmp_path: Path, name: str, value: str) -> None:
    run = Run(program, tmp_path, **{name: value})
    assert run.exit_status == 2
    assert run.annotations.startswith(f"::error::The input {name} is ")


def test_text_of_a_record_stays_inside_of_the_summary(program: Path, tmp_path: Path) -> None:
    name = "```\n# heading"
    (tmp_path / "a.quipu").write_text('[Game "andes"]\n[Sol "``` <b>"]\n[Result "*"]\n\n1. zz *\n')
    run = Run(program, tmp_path, files="a.quipu")
    fences = [line for line in run.summary.splitlines() if line.startswith("~~~~~~~~~~~~~~~~")]
    assert len(fences) == 2 and name not in run.summary


def test_the_cache_has_the_program_that_is_built(tmp_path: Path) -> None:
    output = tmp_path / "output"
    environment = os.environ | {"GITHUB_ACTION_PATH": str(FOLDER), "GITHUB_OUTPUT": str(output)}
    (step,) = [step for step in STEPS if step.get("id") == "program"]
    subprocess.run(["bash", "-c", step["run"]], env=environment, check=True)
    found = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert found["path"] == str(ROOT / "target/release/quipu")
    assert re.fullmatch("[0-9a-f]{64}", found["sources"])


def test_every_expression_names_something() -> None:
    known = {f"inputs.{name}" for name in ACTION["inputs"]} | {"runner.os", "runner.arch"}
    known |= {f"steps.program.outputs.{name}" for name in ("path", "sources")} | {"steps.verify.outputs.status"}
    used = set(EXPRESSION.findall((FOLDER / "action.yml").read_text()))
    assert used == known
    assert {step["shell"] for step in STEPS if "run" in step} == {"bash"}
    for step in STEPS:
        if "run" in step:
            assert os.access(FOLDER / step["run"].strip('"').removeprefix("$GITHUB_ACTION_PATH/"), os.X_OK)
