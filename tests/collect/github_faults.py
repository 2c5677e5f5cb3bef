"""Answers of GitHub that are not the usual one, and which requests they hit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from github_wire import Answer, Request

RATE_DOCS = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
TIMEOUT = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."
    " Please include `0E18:2F1A:1B2C3D:4E5F60` when reporting this issue."
)
UNICORN = "<html><head><title>Unicorn! &middot; GitHub</title></head><body>This page is taking too long.</body></html>"


def with_docs(text: str) -> dict[str, str]:
    return {"message": text, "documentation_url": RATE_DOCS}


def wait_header(seconds: int | None) -> dict[str, str]:
    return {} if seconds is None else {"retry-after": str(seconds)}


def cursors(request: Request) -> list[str]:
    """The variables of the query that hold cursors."""
    return [name for name, value in request.variables.items() if name.startswith("after") and value]


def expire_cursor(request: Request) -> None:
    """The query then has a cursor that no list knows."""
    request.variables[cursors(request)[0]] = "expired"


@dataclass
class Fault:
    """`answer` None lets the usual answer follow; `times` None is always; `fits` narrows the requests of `on`."""

    on: str
    times: int | None
    answer: Callable[[Request], Answer | None]
    fits: Callable[[Request], Any] = lambda _: True

    def hits(self, request: Request) -> bool:
        return self.times != 0 and self.on in (request.kind, request.operation) and bool(self.fits(request))


class Faults:
    """The first that hits a request answers it; one that only delays or changes something lets the others follow."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = Lock()

    def add(self, fault: Fault) -> None:
        self._faults.append(fault)

    def answer(self, request: Request) -> Answer | None:
        for fault in self._taken(request):
            answer = fault.answer(request)
            if answer is not None:
                return answer
        return None

    def _taken(self, request: Request) -> Iterable[Fault]:
        for fault in self._faults:
            with self._lock:
                hit = fault.hits(request)
                if hit and fault.times is not None:
                    fault.times -= 1
            if hit:
                yield fault
