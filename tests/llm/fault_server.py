"""An endpoint on a real socket that fails as it is told to, around a function that knows the correct answers.

    with FaultServer(answer, mix(0.3, seed=7), wait=0.02, stall=3.0) as server:
        ...                                   # OPENAI_BASE_URL is server.base_url
    server.requests                           # every request, in the order in which they arrived
    server.served                             # beside each: the name of its fault, None for the correct answer

- `answer(request)` gives the correct completion as a `Reply` of model_server.py, whose body is a chat completion.
- A plan chooses the fault of a request: `mix(probability, seed)` at random, `script("429_seconds", None, ...)` in
  the order of arrival, `always(name)`; or any function `(question, times) -> name | None`. `question` is the
  request's first user message, so that an informed retry counts as the same question; `times` is how often it was
  asked before. `mix` draws from these two and the seed alone: threads may come in any order, the same question meets
  the same faults in every run.
- The faults and what should become of them are in faults.py: `FAULTS`, `OUTCOME`. `mix` leaves out those that end a
  run (`fatal`) unless it is given `names`. `names_of("again", "good")` lists the names of some outcomes.
- `wait`, `stall` and `drip` are the seconds of the slow faults: see `Exchange`. `length_too_short` leaves rubbish in a
  kept connection, so that the next request on it may fail too. `429_date` cannot ask for less than a second.
"""

import json
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from faults import FAULTS, OUTCOME, Exchange, Outcome, Wire, whole
from model_server import Reply, Request

Plan = Callable[[str, int], str | None]
_PIECE = 65_536


def names_of(*outcomes: Outcome) -> tuple[str, ...]:
    return tuple(sorted(name for name in FAULTS if OUTCOME[name] in outcomes))


def mix(probability: float, seed: int, names: Sequence[str] = ()) -> Plan:
    """Each fault as likely as the others; `names` without `fatal` ones, as a default."""
    chosen = tuple(names) or names_of("good", "again", "refused")

    def plan(question: str, times: int) -> str | None:
        drawn = random.Random(f"{seed}\n{times}\n{question}")
        return drawn.choice(chosen) if drawn.random() < probability else None

    return plan


def script(*names: str | None) -> Plan:
    """The first request meets the first name, and so on; what comes after the last is answered correctly."""
    rest = iter(names)
    lock = threading.Lock()

    def plan(_: str, __: int) -> str | None:
        with lock:
            return next(rest, None)

    return plan


def always(name: str | None) -> Plan:
    return lambda _, __: name


class FaultServer:
    def __init__(
        self,
        answer: Callable[[Request], Reply],
        plan: Plan | None = None,
        *,
        wait: float = 0.02,
        stall: float = 1.0,
        drip: float = 0.05,
    ) -> None:
        self.requests: list[Request] = []
        self.served: list[str | None] = []
        self._answer = answer
        self._plan = plan or always(None)
        self._wait, self._stall, self._drip = wait, stall, drip
        self._times: Counter[str] = Counter()
        self._given: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._port: int = self._listener.getsockname()[1]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _start(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):  # a client that went away is no news
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting = b""
            while not self._stopped.is_set():
                request, waiting = _read_request(connection, waiting)
                if request is None or not self._send(connection, self._wire(request)):
                    break
        with self._lock:
            self._open.discard(connection)

    def _wire(self, request: Request) -> Wire:
        question = _question(request)
        reply = self._answer(request)
        with self._lock:
            name = self._plan(question, self._times[question])
            self._times[question] += 1
            others = tuple(given for asked, given in self._given.items() if asked != question)
            self._given[question] = reply.body
            self.requests.append(request)
            self.served.append(name)
        if name is None:
            return whole(reply.body, reply.status, reply.headers)
        return FAULTS[name](Exchange(request, reply.body, others, self._wait, self._stall, self._drip))

    def _send(self, connection: socket.socket, wire: Wire) -> bool:
        """Whether the connection serves another request."""
        for step in wire.steps:
            if isinstance(step, bytes):
                for start in range(0, len(step), _PIECE):
                    connection.sendall(step[start : start + _PIECE])
            elif self._stopped.wait(step):
                return False
        if wire.end == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return wire.end == "keep"


def _read_request(connection: socket.socket, waiting: bytes) -> tuple[Request | None, bytes]:
    """A request, and what was read beyond it; None when the client has closed the connection."""
    while b"\r\n\r\n" not in waiting:
        data = connection.recv(_PIECE)
        if not data:
            return None, b""
        waiting += data
    start, _, rest = waiting.partition(b"\r\n\r\n")
    first, *lines = start.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    pieces = [rest]
    missing = int(headers["content-length"]) - len(rest)
    while missing > 0:
        data = connection.recv(min(missing, _PIECE))
        if not data:
            return None, b""
        pieces.append(data)
        missing -= len(data)
    body = b"".join(pieces)
    length = int(headers["content-length"])
    return Request(first.split(" ")[1], headers, json.loads(body[:length])), body[length:]


def _question(request: Request) -> str:
    return next(message["content"] for message in request.messages if message["role"] == "user")
