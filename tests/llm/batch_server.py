"""A small real HTTP server that plays the Batch API of an OpenAI-compatible endpoint.

What stands before `/v1` in the path is a tenant with files and batches of its own. A batch moves on by one status each
time it is looked at; the lines are answered by a function of the test when it ends.
"""

import json
import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from model_server import Reply, failure

ALL_WELL = ("validating", "in_progress", "finalizing", "completed")
# The answer to one line of a batch file: an output line, an error line (with an "error"), or None: it was not reached.
Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


@dataclass
class Tenant:
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def submitted(self) -> list[str]:
        """The hash of the requests of each batch, in order."""
        return [batch["metadata"]["prhub_digest_sha256"] for batch in self.batches.values()]


@dataclass
class Fault:
    """What one request gets in place of the answer; `done`: the server does its work all the same, then `reply` goes
    out, or with None the connection is closed."""

    reply: Reply | None
    done: bool = False


class BatchServer:
    """`statuses` are those that new batches go through; `page` is how many a list shows at once.
    Each batch of a tenant takes `stagger` looks more than the one before it.

    `faults` hold, by `METHOD /path` (its ids as `*`), what the next such requests get. `words` change how a batch
    object is shown, for servers that are not quite like OpenAI's.
    """

    def __init__(self, answer: Answer, statuses: tuple[str, ...] = ALL_WELL) -> None:
        self.answer = answer
        self.statuses = statuses
        self.tenants: dict[str, Tenant] = defaultdict(Tenant)
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.requests: list[str] = []
        self.keys: set[str] = set()
        self.problem: dict[str, Any] | None = None
        self.words: Callable[[dict[str, Any]], dict[str, Any]] = dict
        self.page = 100
        self.stagger = 0
        self._lock = threading.Lock()
        self._port = 0
        self.start()

    @property
    def tenant(self) -> Tenant:
        return self.tenants[""]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        """Listen, after a stop at the same port; what the server knows is still there."""
        self._server = _Server(("127.0.0.1", self._port), _handler(self))
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def serve(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply | None:
        """The reply to a request; None closes the connection."""
        parts = urlsplit(target)
        prefix, _, rest = parts.path.partition("/v1/")
        steps = rest.split("/")
        kind = f"{method} /{'/'.join('*' if place == 1 else step for place, step in enumerate(steps))}"
        with self._lock:
            self.requests.append(kind)
            self.keys.add(headers.get("authorization", ""))
            fault = self.faults[kind].pop(0) if self.faults[kind] else None
            if fault is not None and not fault.done:
                return fault.reply
            reply = self._served(self.tenants[prefix], kind, steps, headers, body, parse_qs(parts.query))
        return reply if fault is None else fault.reply

    def _served(
        self,
        tenant: Tenant,
        kind: str,
        steps: list[str],
        headers: dict[str, str],
        body: bytes,
        query: dict[str, list[str]],
    ) -> Reply:
        match kind:
            case "POST /files":
                return self._upload(tenant, headers, body)
            case "POST /batches":
                return self._create(tenant, json.loads(body))
            case "GET /batches":
                return self._list(tenant, query)
            case "GET /batches/*":
                return self._look(tenant, steps[1])
            case "POST /batches/*/cancel":
                batch = tenant.batches[steps[1]]
                if batch["coming"]:
                    batch["status"], batch["coming"] = "cancelling", ["cancelled"]
                return Reply(self._shown(batch))
            case "GET /files/*/content" if steps[1] in tenant.files:
                return Reply(tenant.files[steps[1]].decode(), headers={"content-type": "application/octet-stream"})
        return failure(404, f"no such thing: {'/'.join(steps)}")

    def _upload(self, tenant: Tenant, headers: dict[str, str], body: bytes) -> Reply:
        head = f"content-type: {headers['content-type']}\r\n\r\n".encode()
        payload: Any = BytesParser().parsebytes(head + body).get_payload()
        parts = {part.get_param("name", header="content-disposition"): part for part in payload}
        assert parts["purpose"].get_payload() == "batch"
        name = f"file-{len(tenant.files) + 1}"
        tenant.files[name] = parts["file"].get_payload(decode=True)
        return Reply({"id": name, "object": "file", "bytes": len(tenant.files[name]), "purpose": "batch"})

    def _create(self, tenant: Tenant, asked: dict[str, Any]) -> Reply:
        assert asked["endpoint"] == "/v1/chat/completions"
        assert asked["completion_window"] == "24h"
        if asked["input_file_id"] not in tenant.files:
            return failure(400, f"no such file: {asked['input_file_id']}")
        name = f"batch_{len(tenant.batches) + 1}"
        first, *coming = self.statuses
        coming = [*[first] * (self.stagger * len(tenant.batches)), *coming]
        tenant.batches[name] = {
            "id": name,
            "object": "batch",
            "status": first,
            "coming": coming,
            "input_file_id": asked["input_file_id"],
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            "metadata": asked["metadata"],
        }
        return Reply(self._shown(tenant.batches[name]))

    def _list(self, tenant: Tenant, query: dict[str, list[str]]) -> Reply:
        batches = [*tenant.batches.values()][::-1]
        names = [batch["id"] for batch in batches]
        begin = names.index(query["after"][0]) + 1 if "after" in query else 0
        shown = batches[begin : begin + self.page]
        more = begin + self.page < len(batches)
        return Reply({"object": "list", "data": [self._shown(batch) for batch in shown], "has_more": more})

    def _look(self, tenant: Tenant, name: str) -> Reply:
        if name not in tenant.batches:
            return failure(404, f"No batch found with id '{name}'.")
        batch = tenant.batches[name]
        if batch["coming"]:
            batch["status"] = batch["coming"].pop(0)
            if not batch["coming"]:
                self._end(tenant, batch)
        return Reply(self._shown(batch))

    def _end(self, tenant: Tenant, batch: dict[str, Any]) -> None:
        """The files of a batch that has ended."""
        if batch["status"] == "failed":
            batch["errors"] = {"object": "list", "data": [self.problem]}
            return
        lines = [json.loads(line) for line in tenant.files[batch["input_file_id"]].decode().split("\n")[:-1]]
        answers = [answer for line in lines if (answer := self.answer(line)) is not None]
        good = [answer for answer in answers if not answer.get("error")]
        bad = [answer for answer in answers if answer.get("error")]
        for name, own in (("output_file_id", good), ("error_file_id", bad)):
            if own:
                batch[name] = f"file-{len(tenant.files) + 1}"
                tenant.files[batch[name]] = "".join(json.dumps(answer) + "\n" for answer in own).encode()
        batch["request_counts"] = {"total": len(lines), "completed": len(good), "failed": len(bad)}

    def _shown(self, batch: dict[str, Any]) -> dict[str, Any]:
        return self.words({name: value for name, value in batch.items() if name != "coming"})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *arguments: Any) -> None:
        self._open: list[socket.socket] = []
        super().__init__(*arguments)

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        self._open.append(connection)
        return connection, address

    def hang_up(self) -> None:
        """End the connections, as the end of a process does."""
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            reply = server.serve(self.command, self.path, headers, body)
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.data)))
            self.end_headers()
            self.wfile.write(reply.data[: len(reply.data) // 2] if reply.cut else reply.data)
            self.wfile.flush()
            if reply.cut:
                self.close_connection = True

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    return Handler
