"""A small real HTTP server that answers with queued bytes, and a forward proxy; both remember what they were asked."""

import json
import select
import socket
import socketserver
import ssl
import struct
import threading
from dataclasses import dataclass
from typing import Any, Literal, Self
from urllib.parse import urlsplit

DATE = "Mon, 30 Nov 2026 07:00:00 GMT"


class Stalled(bytes):
    """A response that is sent, followed by silence."""


# bytes are sent; "silent" keeps the connection open, "gone" closes it, "reset" breaks it
Reply = bytes | Literal["silent", "gone", "reset"]


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    body: str

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


def answer(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> bytes:
    """A whole response; `body` as it is when it is text, else as JSON."""
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    all_headers = {
        "Content-Type": "text/html" if isinstance(body, str) else "application/json; charset=utf-8",
        "Content-Length": str(len(data)),
        "Date": DATE,
        "Connection": "close",
        **(headers or {}),
    }
    lines = [f"HTTP/1.1 {status} Reason", *(f"{name}: {value}" for name, value in all_headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + data


def cut(response: bytes) -> bytes:
    """The response without the last half of its body."""
    head, _, body = response.partition(b"\r\n\r\n")
    return head + b"\r\n\r\n" + body[: len(body) // 2]


class ScriptedHttp:
    """Answers each connection with the next reply, the last one again and again."""

    def __init__(self, *replies: Reply, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self._replies = list(replies)
        self._tls = tls
        self._stop = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handle)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self.host}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handle(self, plain: socket.socket) -> None:
        connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
        with connection:
            request = read_request(connection)
            if request:
                self.requests.append(request)
                self._reply(connection, self._replies.pop(0) if len(self._replies) > 1 else self._replies[0])

    def _reply(self, connection: socket.socket, reply: Reply) -> None:
        if reply == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif reply == "silent":
            self._stop.wait(20)
        elif isinstance(reply, bytes):
            connection.sendall(reply)
            if isinstance(reply, Stalled):
                self._stop.wait(20)


class ForwardProxy(ScriptedHttp):
    """Passes each request on, to this machine only; `requests` holds what it saw, of a tunnel only its beginning."""

    def __init__(self) -> None:
        super().__init__("gone")

    def _handle(self, plain: socket.socket) -> None:
        with plain:
            request = read_request(plain)
            if request is None:
                return
            self.requests.append(request)
            tunnel = request.method == "CONNECT"
            parts = urlsplit(f"//{request.target}" if tunnel else request.target)
            with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=5) as onward:
                if tunnel:
                    plain.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    onward.sendall(_without_proxy(request, parts.path))
                _pump(plain, onward)


def read_request(connection: socket.socket) -> Request | None:
    """The next request; None when the client left without one."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _version = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return Request(method, target, headers, body.decode())


def _without_proxy(request: Request, path: str) -> bytes:
    lines = [f"{request.method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + request.body.encode()


def _pump(left: socket.socket, right: socket.socket) -> None:
    """Carries bytes both ways until one side ends."""
    other = {left: right, right: left}
    while True:
        for ready in select.select([left, right], [], [], 5)[0]:
            piece = ready.recv(65536)
            if not piece:
                return
            other[ready].sendall(piece)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = False  # closing waits for all connections to end

    def __init__(self, address: tuple[str, int], handle: Any) -> None:
        self._handle = handle
        super().__init__(address, socketserver.BaseRequestHandler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        self._handle(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away, or trusts nobody, is no news."""
