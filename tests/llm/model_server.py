"""A small real HTTP server that plays an OpenAI-compatible endpoint and remembers what it was asked."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        messages: list[dict[str, str]] = self.body["messages"]
        return messages


@dataclass(frozen=True)
class Reply:
    """`after` seconds; `cut` sends only half of the body and closes the connection."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    cut: bool = False

    @property
    def data(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


def completion(
    content: str | None, *, finish_reason: str = "stop", usage: tuple[int, int] | None = (100, 10), after: float = 0.0
) -> Reply:
    """A chat completion; `usage` is (prompt tokens, completion tokens)."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "toy",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": content}}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Reply(body, after=after)


def failure(status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None) -> Reply:
    return Reply({"error": {"message": message, "type": code, "code": code}}, status, headers or {})


class ModelServer:
    """Answers from a queue, whose last reply stays, or from a function of the request.

    GET /models is answered by `models`, and is not among `requests`.
    """

    def __init__(self, replies: Iterable[Reply] | Callable[[Request], Reply], models: Reply | None = None) -> None:
        self.requests: list[Request] = []
        self.models = models or failure(404, "there is no such page")
        self._lock = threading.Lock()
        self._answer = replies if callable(replies) else self._from_queue(deque(replies))
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            reply = self._answer(request)
        time.sleep(reply.after)
        return reply

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @staticmethod
    def _from_queue(replies: deque[Reply]) -> Callable[[Request], Reply]:
        return lambda _: replies.popleft() if len(replies) > 1 else replies[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(server.answer(Request(self.path, headers, body)))

        def do_GET(self) -> None:
            self._send(server.models if self.path.endswith("/models") else failure(404, "there is no such page"))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.data)))
            self.end_headers()
            self.wfile.write(reply.data[: len(reply.data) // 2] if reply.cut else reply.data)
            self.wfile.flush()
            if reply.cut:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
