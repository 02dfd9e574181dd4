"""The receiver of the guide gets the changes of a real service, and checks them with `standardwebhooks`."""

import json
import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from conftest import ROOT

GAME = (ROOT / "fixtures/andes/cup.quipu").read_text().split("\n\n[Game")[0]
WAIT = 60


def receiver_of(page: str) -> str:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
    return code


@contextmanager
def running(command: list[str], **options: object) -> Iterator[queue.Queue]:
    """A program while it runs, and the lines of its output as they come."""
    lines: queue.Queue = queue.Queue()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        thread = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True)
        thread.start()
        try:
            yield lines
        finally:
            process.terminate()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Service:
    """A service with an empty archive, and a token for all of it."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.data = program, folder / "games"
        self.port = free_port()
        command = [program, "token", "add", "--data", self.data, "--name", "admin", "--scope", "admin"]
        self.token = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    @contextmanager
    def running(self) -> Iterator[None]:
        options = ["--data", str(self.data), "--listen", str(self.port), "--webhook-private-networks"]
        with running([str(self.program), "serve", *options], stderr=subprocess.DEVNULL):
            for _ in range(WAIT * 10):
                try:
                    self.ask("GET", "/healthz")
                    break
                except urllib.error.URLError:
                    time.sleep(0.1)
            yield

    def ask(self, method: str, path: str, body: object = None, media: str = "application/json") -> dict:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": media}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=WAIT) as response:
            return json.load(response)


@pytest.fixture
def service(program: Path, tmp_path: Path) -> Iterator[Service]:
    service = Service(program, tmp_path)
    with service.running():
        yield service


@pytest.mark.parametrize("page", ["webhooks.md", "webhooks.es.md"])
def test_the_receiver_of_the_guide(service: Service, tmp_path: Path, page: str) -> None:
    port = free_port()
    made = service.ask("POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{port}/"})
    script = tmp_path / "receiver.py"
    script.write_text(receiver_of(page))
    environment = os.environ | {"WEBHOOK_SECRET": made["secret"], "PORT": str(port)}
    with running([sys.executable, str(script)], env=environment) as lines:
        # The receiver takes a moment to start; a test that comes too early says so.
        path = f"/v1/webhooks/{made['id']}"
        while service.ask("POST", f"{path}/ping")["failure"] == "connection":
            pass
        assert lines.get(timeout=WAIT).startswith("ping ")
        stored = service.ask("POST", "/v1/records", GAME, "text/plain")
        line = lines.get(timeout=WAIT)
        assert line.startswith("record.verified ") and stored["id"] in line
        rotated = service.ask("POST", f"{path}/secret")
        assert rotated["secret"] != made["secret"]
        assert service.ask("POST", f"{path}/ping")["status"] == 204, "the old secret signs too"
        assert lines.get(timeout=WAIT).startswith("ping ")
    deliveries = service.ask("GET", f"{path}/deliveries")["items"]
    assert [one["event"] for one in deliveries if one["failure"] is None] == ["ping", "record.verified", "ping"]


def test_a_receiver_with_another_secret_refuses(service: Service, tmp_path: Path) -> None:
    port = free_port()
    made = service.ask("POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{port}/"})
    script = tmp_path / "receiver.py"
    script.write_text(receiver_of("webhooks.md"))
    environment = os.environ | {"WEBHOOK_SECRET": "whsec_" + "A" * 43 + "=", "PORT": str(port)}
    with running([sys.executable, str(script)], env=environment):
        while (ping := service.ask("POST", f"/v1/webhooks/{made['id']}/ping"))["failure"] == "connection":
            pass
    assert (ping["status"], ping["failure"]) == (400, "status")


def test_certificates_are_checked(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A receiver by https, with a certificate for `localhost` alone, which counts only if it is trusted."""
    key, certificate, port = tmp_path / "key.pem", tmp_path / "certificate.pem", free_port()
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    make += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*make, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    script = tmp_path / "receiver.py"
    plain = 'HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)'
    secure = (
        f"import ssl\nserver = {plain}\n"
        "context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n"
        f"context.load_cert_chain({str(certificate)!r}, {str(key)!r})\n"
        "server.socket = context.wrap_socket(server.socket, server_side=True)\nserver"
    )
    code = receiver_of("webhooks.md")
    assert plain in code
    script.write_text(code.replace(plain, secure))
    for trusted, expected in [(certificate, None), (None, "tls")]:
        if trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        else:
            monkeypatch.delenv("SSL_CERT_FILE")
        service = Service(program, tmp_path / str(expected))
        with service.running():
            made = service.ask("POST", "/v1/webhooks", {"url": f"https://localhost:{port}/"})
            environment = os.environ | {"WEBHOOK_SECRET": made["secret"], "PORT": str(port)}
            with running([sys.executable, str(script)], env=environment, stderr=subprocess.DEVNULL):
                while (ping := service.ask("POST", f"/v1/webhooks/{made['id']}/ping"))["failure"] == "connection":
                    pass
                other = service.ask("POST", "/v1/webhooks", {"url": f"https://127.0.0.1:{port}/"})
                of_other = service.ask("POST", f"/v1/webhooks/{other['id']}/ping")
            assert (ping["failure"], of_other["failure"]) == (expected, "tls")


def test_the_package_refuses_a_changed_body() -> None:
    """The package itself checks: it is no stub."""
    webhook = Webhook("whsec_" + "B" * 43 + "=")
    with pytest.raises(WebhookVerificationError):
        webhook.verify("{}", {"webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,AA=="})
