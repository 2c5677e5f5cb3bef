"""Bounds that the SDK's HTTP client lacks: a deadline for the whole of a call, a size for its answer, and an end.

The end is for calls in flight in other threads: whoever closes the client's own pool leaves open what they open later.

A file is no answer to be held in memory: it goes to the disk as it comes.

The client's own timeout is for one read: an endpoint that sends a byte now and then would keep a call alive for ever.
"""

import math
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from prhub_digest.errors import FatalServiceError
from prhub_digest.llm.client import NoAnswerError
from prhub_digest.models.llm import Usage
from prhub_digest.retry import RetriableError

_LARGEST_ANSWER = 8 * 1024 * 1024
_LARGEST_FILE = 4 * 1024 * 1024 * 1024
_BOUND = "timeout_seconds; a lower --concurrency eases a busy server"
_CODING = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class Streams:
    """The connections that are open. A thread that waits for one is woken, and closes it itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[_Stream] = set()
        self._closed = False

    def add(self, stream: "_Stream") -> None:
        with self._lock:
            closed = self._closed
            if not closed:
                self._open.add(stream)
        if closed:
            stream.close()
            self.refuse_when_closed()

    def refuse_when_closed(self) -> None:
        """Raises FatalServiceError after `close`."""
        if self._closed:
            raise FatalServiceError("the connections to the model endpoint are closed")

    def remove(self, stream: "_Stream") -> None:
        with self._lock:
            self._open.discard(stream)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            streams = tuple(self._open)
        for stream in streams:
            stream.wake()


class Call(threading.local):
    """The call that this thread makes; the SDK runs all of it in the thread that asks. `headers`: of the answer.

    A good answer goes into `file` where there is one, and its body is empty then. `bound` says what set the deadline.
    `streams` are those of all threads.
    """

    def __init__(self, streams: Streams) -> None:
        self.streams = streams  # the same for each thread

    deadline: float = math.inf
    seconds: float = math.inf
    headers: Mapping[str, str] | None = None
    place: str = ""
    file: BinaryIO | None = None
    bound: str = _BOUND

    def begin(self, seconds: float, place: str, file: BinaryIO | None = None, bound: str = _BOUND) -> None:
        self.deadline, self.seconds, self.place = time.monotonic() + seconds, seconds, place
        self.headers, self.file, self.bound = None, file, bound

    def left(self, timeout: float | None) -> float:
        """The seconds that a single read or write may take. Raises RetriableError when the deadline has passed."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.too_late()
        return left if timeout is None else min(left, timeout)

    def too_late(self) -> RetriableError:
        what = "did not answer" if self.headers is None else "did not finish"
        return RetriableError(f"{self.place} {what} within {self.seconds:.3g} s ({self.bound})")


def bounded_client(sdk: Any, call: Call, **options: Any) -> Any:
    """The HTTP client that the SDK is given: it reads every answer, good or bad, within the bounds of `call`."""

    class BoundedClient(sdk.DefaultHttpxClient):  # type: ignore[misc]  # the SDK is imported late
        def send(self, request: Any, **kept: Any) -> Any:
            try:
                response = super().send(request, **{**kept, "stream": True})
            except RuntimeError:  # the library's word for a client that another thread has closed meanwhile
                call.streams.refuse_when_closed()
                raise
            call.headers = response.headers
            try:
                content = _read(response, call)
            finally:
                response.close()
            headers = [pair for pair in response.headers.raw if pair[0].lower() not in _CODING]
            return type(response)(response.status_code, headers=headers, content=content, request=request)

    client = BoundedClient(**options)
    # A status line and headers may drip too, and no public setting bounds them as a whole. Where a later version
    # of the library keeps its connections elsewhere, only the body is bounded.
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001 - see above
        pool = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if pool is not None and backend is not None:
            pool._network_backend = _Backend(backend, call)  # noqa: SLF001 - see above
    return client


def _read(response: Any, call: Call) -> bytes:
    file = call.file if response.status_code == 200 else None
    largest = _LARGEST_FILE if file else _LARGEST_ANSWER
    pieces: list[bytes] = []
    size = 0
    for piece in response.iter_bytes():
        call.left(None)
        size += len(piece)
        if size > largest:
            raise NoAnswerError(f"the endpoint's answer is larger than {largest >> 20} MB", Usage(calls=1))
        if file:
            file.write(piece)
        else:
            pieces.append(piece)
    return b"".join(pieces)


class _Backend:
    """Opens connections whose every step keeps the deadline of the call."""

    def __init__(self, inner: Any, call: Call) -> None:
        self._inner = inner
        self._call = call

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **options: Any) -> "_Stream":
        return _Stream(self._inner.connect_tcp(host, port, timeout=self._call.left(timeout), **options), self._call)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Stream:
    """An open connection; raises FatalServiceError when it was opened too late."""

    def __init__(self, inner: Any, call: Call) -> None:
        self._inner = inner
        self._call = call
        call.streams.add(self)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, timeout=self._call.left(timeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout=self._call.left(timeout))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        left = self._call.left(timeout)
        self._call.streams.remove(self)  # the encrypted stream has its socket, or nobody has
        return _Stream(self._inner.start_tls(ssl_context, server_hostname=server_hostname, timeout=left), self._call)

    def close(self) -> None:
        self._call.streams.remove(self)
        self._inner.close()

    def wake(self) -> None:
        """End the wait of another thread. Its socket is not closed here, lest a new one gets its number meanwhile."""
        with suppress(OSError):
            # Not the method of an SSL socket, which would take its state away from that thread.
            socket.socket.shutdown(self._inner.get_extra_info("socket"), socket.SHUT_RDWR)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
