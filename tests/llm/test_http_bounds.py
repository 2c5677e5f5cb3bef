"""The bounds of a call where they are hardest to keep: through TLS and a proxy."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import pytest
import trustme
from fault_server import FaultServer, Plan, always, script
from model_server import completion
from toy_requests import toy_content, toy_request

from prhub_digest.errors import ServiceError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.retry import RetriableError

Opening = Callable[[socket.socket], socket.socket]


class Relay:
    """Passes bytes between whoever connects and a port; `opening` comes first on each connection."""

    def __init__(self, port: int, opening: Opening) -> None:
        self._port = port
        self._opening = opening
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for one in (self._listener, *self._sockets):
            one.close()

    def _start(self, work: Callable[..., None], *sockets: socket.socket) -> None:
        thread = threading.Thread(target=work, args=sockets, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            opened = self._opening(client)
            server = socket.create_connection(("127.0.0.1", self._port))
            self._sockets += [opened, server]
            self._start(_pass_on, opened, server)
            _pass_on(server, opened)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def connect(client: socket.socket) -> socket.socket:
    """What a proxy does with CONNECT."""
    asked = b""
    while b"\r\n\r\n" not in asked:
        asked += client.recv(65_536)
    assert asked.startswith(b"CONNECT model.test:443 ")
    client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
    return client


def connect_slowly(client: socket.socket) -> socket.socket:
    client.recv(65_536)
    pause = threading.Event()
    for byte in b"HTTP/1.1 200 Connected\r\n\r\n":
        client.sendall(bytes([byte]))
        pause.wait(0.02)
    return client


@pytest.fixture
def behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FaultServer]]:
    """A fault server that is reached as https://model.test through a proxy."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("model.test").configure_cert(context)
    with ExitStack() as opened:

        def start(plan: Plan, proxy: Opening = connect) -> FaultServer:
            server = opened.enter_context(FaultServer(lambda _: completion(toy_content()), plan, drip=0.02))
            port = int(server.base_url.split(":")[2].split("/")[0])
            tls = opened.enter_context(Relay(port, lambda client: context.wrap_socket(client, server_side=True)))
            tunnel = opened.enter_context(Relay(tls.port, proxy))
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{tunnel.port}")
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
            return server

        yield start


def ask(timeout: float) -> str:
    request = toy_request()
    client = OpenAIClient("https://model.test/v1", "key", timeout, 1)
    try:
        for _ in range(2):
            content = client.complete(request, request.messages, 100).content
    finally:
        client.close()
    return content


def test_an_answer_comes_through(behind: Callable[..., FaultServer]) -> None:
    server = behind(always(None))
    assert ask(10.0) == toy_content()
    assert len(server.requests) == 2


@pytest.mark.parametrize(("name", "what"), [("slow_headers", "did not answer"), ("slow_stream", "did not finish")])
def test_the_deadline_is_kept(behind: Callable[..., FaultServer], name: str, what: str) -> None:
    behind(script(None, name))
    with pytest.raises(RetriableError, match=rf"^https://model\.test/v1 {what} within 1\.5 s \(timeout_seconds; "):
        ask(1.5)


def test_a_proxy_that_dawdles_is_no_excuse(behind: Callable[..., FaultServer]) -> None:
    behind(always(None), connect_slowly)
    with pytest.raises(RetriableError, match="did not answer within"):
        ask(0.2)


def test_a_certificate_of_nobody_is_refused(
    behind: Callable[..., FaultServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = behind(always(None))
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(ServiceError, match="CERTIFICATE_VERIFY_FAILED"):
        ask(5.0)
    assert server.requests == []
