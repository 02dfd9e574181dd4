"""Measures `quipu lsp` on a file of 10 MiB: `bench.py PROGRAM [KEYS]` prints the time from a key to its findings."""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

SIZE = 10 * 1024 * 1024
URI = "file:///large.quipu"


class Session:
    def __init__(self, program: str) -> None:
        self.server = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, method: str, params: object, **more: int) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def read(self) -> dict:
        length = 0
        while (line := self.server.stdout.readline().strip()) or not length:
            if not line:
                sys.exit("the server ended")
            length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def findings(self) -> list[dict]:
        while (message := self.read()).get("method") != "textDocument/publishDiagnostics":
            pass
        return message["params"]["diagnostics"]

    def timed(self, method: str, params: object) -> tuple[float, list[dict]]:
        begun = time.perf_counter()
        self.send(method, params)
        found = self.findings()
        return (time.perf_counter() - begun) * 1000, found


def main(program: str, keys: int) -> None:
    fixtures = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
    games = "".join(path.read_text() for path in sorted(fixtures.glob("*/games.quipu")))
    text = games * (SIZE // len(games.encode()) + 1)
    session = Session(program)
    session.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
    session.read()
    session.send("initialized", {})
    item = {"uri": URI, "languageId": "quipu", "version": 1, "text": text}
    opened, found = session.timed("textDocument/didOpen", {"textDocument": item})
    lines = text.split("\n")
    moves = [number for number, line in enumerate(lines) if line[:1].isdigit() and ". " in line]
    print(f"{len(text.encode()) / 1024 / 1024:.1f} MiB, {text.count('[Game ')} records; opened in {opened:.0f} ms")
    choice, times = random.Random(1532), []
    for version in range(2, 2 + keys, 2):
        line = choice.choice(moves)
        place = {"line": line, "character": lines[line].index(". ") + 2}
        behind = {**place, "character": place["character"] + 1}
        for step, (end, new) in enumerate([(place, "x"), (behind, "")]):
            document = {"uri": URI, "version": version + step}
            change = {"range": {"start": place, "end": end}, "text": new}
            took, now = session.timed(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
            )
            times.append(took)
            if (len(now) > len(found)) != (step == 0):
                sys.exit(f"line {line + 1}: {now}")
    times.sort()
    middle, most = statistics.median(times), times[-1]
    print(f"{len(times)} keys: median {middle:.1f} ms, 99 of 100 within {times[len(times) * 99 // 100]:.1f} ms, most {most:.1f} ms")
    session.send("shutdown", None, id=2)
    session.send("exit", None)
    session.server.wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400)
