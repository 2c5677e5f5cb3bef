"""The socket of the fake GitHub: threads, connections kept alive, answers that break off."""

import socket
import ssl
import struct
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from github_wire import Answer

Answering = Callable[[str, str, dict[str, str], bytes], Answer]  # method, path, headers, body


class HttpServer(ThreadingHTTPServer):
    """Serves from `start` to `stop`; `crashes` are errors of the server itself. `tls` makes it https."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, answer: Answering, now: Callable[[], datetime], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.now, self.tls = answer, now, tls
        self.crashes: list[BaseException] = []
        self._open: set[socket.socket] = set()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End everything, also the threads that wait for another request on a connection kept alive."""
        self.shutdown()
        self._thread.join()
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it has ended by itself
        self.server_close()

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        if self.tls:
            connection = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, or refuses the certificate, is no error of the server."""
        error = sys.exception()
        if error and not isinstance(error, OSError):
            self.crashes.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: HttpServer

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of http.server
        """Say nothing."""

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.answer(self.command, self.path, headers, self._body(headers))
        date = format_datetime(self.server.now().astimezone(UTC), usegmt=True)
        lines = {"date": date, "content-length": str(len(answer.body))} | answer.headers
        self.close_connection = self.close_connection or answer.cut is not None
        head = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('Unknown',))[0]}"]
        head += [f"{name}: {value}" for name, value in lines.items()]
        self.wfile.write("\r\n".join([*head, "", ""]).encode("latin-1") + answer.body[: answer.cut])
        if answer.reset:  # a socket that closes without time to linger sends a reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(headers.get("content-length", "0")))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)
