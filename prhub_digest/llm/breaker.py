"""When further calls are in vain: nobody answers, or the endpoint said what would await every further call."""

import threading
import time
from collections.abc import Callable
from typing import Self

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.retry import RetriableError

CONTINUES = "what was answered is stored; the same command continues"
ONCE_RIGHT = "once that is right, the same command continues"
# Of 1,000 calls that fail at random, three in ten, a row of 13 is to be expected once in 3,000 runs. Beside slow good
# answers quick failures pile up, the more the more calls run at once: hence a place more for each.
_ROW = 12
# A proxy that is started anew is away for some seconds, in which many threads meet many failures.
_SECONDS = 8.0
# Requests in a row that were given up after all their attempts, for whatever reason: 429 without end, for one.
_GIVEN_UP = 8


class Breaker:
    """Ends a run early, for all threads at once; the first reason stays.

    It breaks at `limit` failed calls in a row that span at least `seconds`: a lost connection, no answer in time,
    HTTP 5xx. Any other answer of the endpoint, a bad one too, ends the row. An endpoint that is gone ends a run with
    eight calls at once after 10 seconds, with one after half a minute; one that takes calls and never answers, after
    as many times the deadline of a call as the row takes. `told` is called once, when the run is over.
    """

    def __init__(
        self,
        limit: int = _ROW + 8,
        seconds: float = _SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        told: Callable[[FatalServiceError], None] = lambda _: None,
    ) -> None:
        self._limit, self._seconds = limit, seconds
        self._clock = clock
        self._told = told
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._reason = ""
        self._row, self._row_began = 0, 0.0
        self._given_up = 0
        self._any_answer = False

    @classmethod
    def of(
        cls,
        concurrency: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        told: Callable[[FatalServiceError], None] = lambda _: None,
    ) -> Self:
        """With the limit that fits so many calls at once."""
        return cls(_ROW + concurrency, clock=clock, told=told)

    def check(self) -> None:
        """Raises FatalServiceError when the run is over."""
        if self._over.is_set():
            raise FatalServiceError(self._reason)

    def answered(self) -> None:
        """Told of each answer, whatever it is worth."""
        with self._lock:
            self._row = self._given_up = 0
            self._any_answer = True

    def failed(self, error: RetriableError) -> None:
        """Told of each failed call. Raises FatalServiceError when it was one too many."""
        with self._lock:
            if not _is_silence(error):
                self._row = 0
                return
            if not self._row:
                self._row_began = self._clock()
            self._row += 1
            row = self._row
            broken = row >= self._limit and self._clock() - self._row_began >= self._seconds
        if broken:
            self.end(f"{row} calls in a row got no answer from the model endpoint (last: {error}); {CONTINUES}")
        self.check()

    def gave_up(self, error: ServiceError) -> None:
        """Told of each request that was given up. Raises FatalServiceError when it was one too many."""
        with self._lock:
            self._given_up += 1
            broken = self._given_up >= _GIVEN_UP
        if broken:
            self.end(f"{_GIVEN_UP} requests in a row got no answer (last: {error}); {CONTINUES}")
        self.check()

    def refused(self, error: FatalServiceError) -> FatalServiceError:
        """The error to raise in place of the endpoint's, which awaits every further call."""
        with self._lock:
            text = f"{error}; {CONTINUES if self._any_answer else ONCE_RIGHT}"
        return self.end(text)

    def end(self, reason: str) -> FatalServiceError:
        """The run is over; the error to raise says why, or what was the first reason."""
        with self._lock:
            first = not self._over.is_set()
            if first:
                self._reason = reason
                self._over.set()
        error = FatalServiceError(self._reason)
        if first:
            self._told(error)
        return error

    def pause(self, seconds: float) -> None:
        """Waits; no longer than until the run is over."""
        self._over.wait(seconds)


def _is_silence(error: RetriableError) -> bool:
    """A server error counts as none; whoever asks for a wait has answered."""
    if error.status is None:
        return error.retry_after is None
    return error.status >= 500
