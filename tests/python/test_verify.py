"""`quipu.verify`: its sources, its verdicts beside those of the program, its bounds."""

from __future__ import annotations

import gc
import gzip
import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES, Program, files, shown

import quipu

CUP = FIXTURES / "andes/cup.quipu"
REJECTED = '[Game "andes"]\n\n1. 0d3 0A3\n2. 2a1 *\n'


@pytest.mark.parametrize("path", files("*.quipu") + files("*.otg"), ids=shown)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_json_is_that_of_the_program(program: Program, path: Path, lang: Any) -> None:
    expected = program.lines("verify", "--json", "--lang", lang, str(path))
    for jobs in (1, 3):
        assert [verdict.to_json() for verdict in quipu.verify(path, lang=lang, jobs=jobs)] == expected


def test_json_of_a_text_is_that_of_standard_input(program: Program) -> None:
    # Names in two spellings, sheets of one game, and sheets that contradict each other.
    cup = CUP.read_text(encoding="utf-8")
    text = cup + cup.replace("Painemal Curín, Nahuel", "Painemal Curin, Nahuel") + cup.replace("1. ", "1. {x} ")
    text += cup.replace('[Result "1-0"]', '[Result "0-1"]').replace("\n1-0\n", "\n0-1\n")
    expected = program.lines("verify", "--json", "-", given=text.encode())
    assert [verdict.to_json() for verdict in quipu.verify(text)] == expected
    related = [verdict for verdict in quipu.verify(text) if verdict.sheet_of or verdict.contradicts]
    sheet = next(verdict for verdict in related if verdict.sheet_of)
    assert sheet.sheet_of is not None and sheet.sheet_of.index < sheet.index and sheet.sheet_of.file is None
    contradicting = next(verdict for verdict in related if verdict.contradicts)
    assert contradicting.contradicts is not None and contradicting.contradicts.results is not None
    assert any(verdict.advice for verdict in quipu.verify(text))


@pytest.mark.parametrize(
    "source",
    [
        lambda: CUP,
        lambda: CUP.read_text(encoding="utf-8"),
        lambda: CUP.read_bytes(),
        lambda: bytearray(CUP.read_bytes()),
        lambda: memoryview(CUP.read_bytes()),
        lambda: gzip.compress(CUP.read_bytes()),
        lambda: CUP.open("rb"),
        lambda: CUP.open(encoding="utf-8"),
        lambda: io.BytesIO(CUP.read_bytes()),
        lambda: io.StringIO(CUP.read_text(encoding="utf-8")),
    ],
)
def test_every_kind_of_source_has_the_same_verdicts(source: Callable[[], Any]) -> None:
    expected = [verdict.id for verdict in quipu.verify(CUP)]
    for jobs in (1, 2):
        opened = source()
        assert [verdict.id for verdict in quipu.verify(opened, jobs=jobs)] == expected
        if hasattr(opened, "close"):
            opened.close()


def test_a_verdict_has_its_findings() -> None:
    (verdict,) = quipu.verify(REJECTED)
    assert (verdict.status, verdict.game, verdict.rules, verdict.plies) == ("rejected", "andes", "base", 2)
    (found,) = verdict.diagnostics
    assert (found.code, found.severity, found.ply, found.line, found.column) == ("andes.3.6", "error", 3, 4, 4)
    assert found.token == "2a1" and found.suggestions and "a1" in found.message
    assert found == verdict.diagnostics[0]
    (spanish,) = quipu.verify(REJECTED, lang="es")
    assert spanish.diagnostics[0].message != found.message
    assert repr(verdict) == "<quipu.Verdict 1: andes rejected>"


def test_files_of_a_zip_are_parts() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.quipu", REJECTED)
        archive.writestr("b.quipu", REJECTED)
        archive.writestr("c.exe", "MZ")
    verdicts = quipu.verify(packed.getvalue())
    assert [(verdict.part, verdict.index) for verdict in verdicts] == [("a.quipu", 1), ("b.quipu", 2)]
    assert verdicts.skipped == ["c.exe"]


def test_a_source_without_records_has_no_verdicts() -> None:
    assert list(quipu.verify("")) == []
    assert list(quipu.verify(b"\n \n")) == []


def test_bytes_have_an_encoding() -> None:
    text = '[Game "andes"]\n[Sol "Peña"]\n\n*\n'
    for encoding in ("utf-8", "utf-16", "windows-1252"):
        (verdict,) = quipu.verify(text.encode(encoding), encoding=None if encoding == "utf-16" else encoding)
        assert verdict.record is not None and verdict.record.tags["Sol"] == "Peña"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"lang": "fr"}, "python.lang"),
        ({"jobs": 0}, "python.jobs"),
        ({"jobs": 257}, "python.jobs"),
        ({"format": "sgf"}, "python.format"),
        ({"encoding": "klingon"}, "python.encoding"),
        ({"encoding": "utf-8"}, "python.encoding-of-text"),
    ],
)
def test_wrong_arguments_are_errors_with_codes(arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.verify(REJECTED, **arguments)
    assert caught.value.code == code
    assert str(caught.value) == f"{code}: {caught.value.message}"


def test_the_name_of_a_file_is_not_its_text() -> None:
    with pytest.raises(quipu.QuipuError, match=r"python\.path: .*pathlib\.Path"):
        quipu.verify(str(CUP))
    with pytest.raises(TypeError, match="int"):
        quipu.verify(5)  # type: ignore[arg-type]


def test_errors_of_files_are_those_of_python(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        quipu.verify(tmp_path / "missing.quipu")
    assert Path(caught.value.filename) == tmp_path / "missing.quipu"
    with pytest.raises(IsADirectoryError):
        quipu.verify(tmp_path)


@pytest.mark.parametrize("path", ["missing.quipu", "", "closed.quipu"])
def test_errors_of_paths_are_those_of_open(tmp_path: Path, path: str) -> None:
    (tmp_path / "closed.quipu").touch(mode=0o000)
    if path == "closed.quipu" and os.access(tmp_path / path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(OSError) as expected:
        (tmp_path / path).open("rb")
    with pytest.raises(type(expected.value)) as caught:
        quipu.verify(tmp_path / path)
    assert str(caught.value) == str(expected.value) and caught.value.filename == expected.value.filename


class Stopped(BaseException):
    """An interrupt."""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_named_pipes_are_read_and_may_be_interrupted(tmp_path: Path) -> None:
    def stop(number: int, frame: object) -> None:
        raise Stopped

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        # Nobody writes.
        with pytest.raises(Stopped):
            quipu.verify(pipe)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    writer = threading.Thread(target=pipe.write_text, args=(REJECTED,))
    writer.start()
    assert [verdict.status for verdict in quipu.verify(pipe)] == ["rejected"]
    writer.join()


class Failing:
    """A file whose reads are those given, and which then has ended."""

    def __init__(self, *reads: bytes | BaseException) -> None:
        self.reads = list(reads)

    def read(self, size: int, /) -> bytes:
        read = self.reads.pop(0) if self.reads else b""
        if isinstance(read, BaseException):
            raise read
        return read


def until_raised(verdicts: quipu.Verdicts, failure: type[BaseException]) -> int:
    """The number of verdicts before an exception."""
    count = 0
    with pytest.raises(failure):
        for verdict in verdicts:
            count += 1
    return count


@pytest.mark.parametrize("jobs", [1, 2, 8])
@pytest.mark.parametrize("blocks", [1, 3, 40])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_records_before_a_failure_are_returned_first(jobs: int, blocks: int, encoding: str) -> None:
    # The last of the records ends with the source, so it is read after the failure.
    text = (CUP.read_text(encoding="utf-8") * blocks).encode(encoding)
    half = len(text) // 2 // 4096 * 4096
    for reads, before in [
        ([text, TimeoutError()], 56 * blocks - 1),
        ([text[:half], text[half:], TimeoutError()], 56 * blocks - 1),
        ([TimeoutError(), text], 0),
    ]:
        verdicts = quipu.verify(Failing(*reads), jobs=jobs)
        assert until_raised(verdicts, TimeoutError) == before
        assert [verdict.index for verdict in verdicts] == list(range(before + 1, 56 * blocks + 1))


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_failure_is_raised_behind_its_records(jobs: int) -> None:
    text = CUP.read_bytes()
    verdicts = quipu.verify(Failing(text, TimeoutError(), ConnectionError(), text, TimeoutError()), jobs=jobs)
    assert until_raised(verdicts, TimeoutError) == 55
    assert until_raised(verdicts, ConnectionError) == 0
    assert until_raised(verdicts, TimeoutError) == 56
    assert sum(1 for _ in verdicts) == 1


def test_records_of_a_compressed_source_before_a_failure_are_returned_first() -> None:
    packed = gzip.compress(CUP.read_bytes() * 40)
    verdicts = quipu.verify(Failing(packed[: len(packed) // 2], TimeoutError(), packed[len(packed) // 2 :]))
    before = until_raised(verdicts, TimeoutError)
    assert 0 < before < 56 * 40
    assert [verdict.index for verdict in verdicts] == list(range(before + 1, 56 * 40 + 1))


@pytest.mark.parametrize("jobs", [1, 8])
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, Stopped])
def test_an_interrupt_is_raised_at_once(jobs: int, interrupt: type[BaseException]) -> None:
    text = CUP.read_bytes()
    source = Failing(text, text, text, interrupt(), text, interrupt(), text)
    verdicts = quipu.verify(source, jobs=jobs)
    # One thread returns each batch as soon as it is full; eight have more batches waiting than were read.
    before = until_raised(verdicts, interrupt) + until_raised(verdicts, interrupt)
    assert 0 < before < 56 * 4 if jobs == 1 else before == 0
    assert [verdict.index for verdict in verdicts] == list(range(before + 1, 56 * 5 + 1))


def test_an_interrupt_overtakes_a_failure() -> None:
    source = Failing(CUP.read_bytes(), KeyboardInterrupt(), TimeoutError(), REJECTED.encode())
    verdicts = quipu.verify(source, jobs=8)
    assert until_raised(verdicts, KeyboardInterrupt) == 0
    assert until_raised(verdicts, TimeoutError) == 55
    assert sum(1 for _ in verdicts) == 2


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="a system that does not list its threads")
def test_short_sources_start_no_threads() -> None:
    def is_ours(task: Path) -> bool:
        try:
            return (task / "comm").read_text() == "quipu\n"
        except (FileNotFoundError, ProcessLookupError):
            # It ended since it was listed.
            return False

    def threads() -> int:
        return sum(map(is_ours, Path("/proc/self/task").iterdir()))

    def wait_for(count: int) -> None:
        # A thread names itself once it runs, and ends some time after its iterator.
        limit = time.monotonic() + 60
        while threads() != count:
            assert time.monotonic() < limit
            time.sleep(0.01)

    gc.collect()
    wait_for(0)
    verdicts = quipu.verify(CUP, jobs=8)
    assert threads() == 0
    assert sum(1 for _ in verdicts) == 56 and threads() == 0
    verdicts = quipu.verify(CUP.read_bytes() * 40, jobs=8)
    assert next(verdicts).index == 1
    wait_for(8)


class Endless:
    """A file without an end."""

    def __init__(self, text: bytes, most: int = sys.maxsize) -> None:
        self.text, self.most, self.reads = text, most, 0

    def read(self, size: int, /) -> bytes:
        self.reads += 1
        return self.text if self.reads <= self.most else b""


@pytest.mark.parametrize("jobs", [1, 2])
def test_records_are_read_while_the_iterator_runs(jobs: int) -> None:
    endless = Endless(CUP.read_bytes())
    verdicts = quipu.verify(endless, jobs=jobs)
    assert endless.reads == 0
    assert [next(verdicts).index for _ in range(100)] == list(range(1, 101))
    assert endless.reads < 40


class Reentrant:
    """A file that reads from its own iterator."""

    iterator: Iterator[Any]

    def read(self, size: int, /) -> bytes:
        next(self.iterator)
        return b""


@pytest.mark.parametrize("opened", [quipu.verify, quipu.chunks])
def test_an_iterator_is_read_by_one_call_at_a_time(opened: Callable[[Any], Iterator[Any]]) -> None:
    source = Reentrant()
    source.iterator = opened(source)
    with pytest.raises(quipu.QuipuError) as caught:
        next(source.iterator)
    assert caught.value.code == "python.busy"


class Waiting:
    """A file whose first read waits for another thread."""

    def __init__(self) -> None:
        self.gate, self.waits, self.rest = threading.Event(), threading.Event(), [REJECTED.encode()]

    def read(self, size: int, /) -> bytes:
        self.waits.set()
        assert self.gate.wait(60)
        return self.rest.pop() if self.rest else b""


def test_other_threads_run_meanwhile() -> None:
    # With the GIL held the judging thread would wait for ever for the thread that opens the gate.
    source = Waiting()
    threading.Timer(0.01, source.gate.set).start()
    assert [verdict.status for verdict in quipu.verify(source)] == ["rejected"]


def test_a_text_is_divided_by_one_thread_at_a_time() -> None:
    # Without an error the second thread would wait for the first, which waits for the gate.
    source = Waiting()
    parts = quipu.chunks(source)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(parts))
    thread.start()
    assert source.waits.wait(60)
    with pytest.raises(quipu.QuipuError) as caught:
        next(parts)
    source.gate.set()
    thread.join(60)
    assert caught.value.code == "python.busy" and found == [(0, REJECTED.encode())]


def test_many_threads_judge_at_once() -> None:
    expected = [verdict.id for verdict in quipu.verify(CUP)]
    found: list[list[str | None]] = []
    threads = [
        threading.Thread(target=lambda: found.append([verdict.id for verdict in quipu.verify(CUP)])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


STREAM = """
import resource, sys
import quipu
sys.path.insert(0, sys.argv[1])
from test_verify import CUP, Endless
text = CUP.read_bytes()
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
count = sum(1 for _ in quipu.verify(Endless(text, 4), jobs=2))
before = peak()
count += sum(1 for _ in quipu.verify(Endless(text, 400), jobs=2))
print(count, peak() - before)
"""


def test_memory_stays_bounded() -> None:
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", STREAM, here], capture_output=True, text=True, check=True)
    count, grown = map(int, done.stdout.split())
    assert count == 56 * 404
    assert grown < 24, f"{grown} MiB"


def test_of_very_many_games_the_oldest_are_forgotten() -> None:
    verdicts = quipu.verify(CUP)
    assert sum(1 for _ in verdicts) == 56 and not verdicts.forgot
    text = CUP.read_text(encoding="utf-8")
    verdicts = quipu.verify("".join(text.replace('"Copa', f'"{number}. Copa') for number in range(150)))
    assert sum(1 for _ in verdicts) == 56 * 150 and verdicts.forgot


def test_an_iterator_may_be_left_early() -> None:
    for _ in range(20):
        next(quipu.verify(CUP, jobs=4))


def test_every_error_has_its_message_in_both_languages() -> None:
    messages = {}
    for lang in ("en", "es"):
        with pytest.raises(quipu.QuipuError) as caught:
            quipu.verify(REJECTED, lang=lang, jobs=0)  # type: ignore[arg-type]
        messages[lang] = caught.value.message
    assert messages["en"] != messages["es"]
