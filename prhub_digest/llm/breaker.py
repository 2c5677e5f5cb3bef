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
# Seconds in which no call got anything but 429 or a request to wait; of a few calls at once, eight are given up late.
_LONGEST_BUSY = 600.0


class Breaker:
    """Ends a run early, for all threads at once; the first reason stays.

    It breaks at `limit` failed calls in a row that span at least `seconds`: a lost connection, no answer in time,
    HTTP 5xx. Any other answer of the endpoint, a bad one too, ends the row. It breaks, too, when for ten minutes all
    that came was 429, or a request to wait.

    An endpoint that is gone ends a run with eight calls at once after 10 seconds, with one after half a minute; one
    that takes calls and never answers, after as many times the deadline of a call as the row takes. `told` is called
    once, when the run is over.
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
        self._busy_began: float | None = None
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
            self._busy_began = None
            self._any_answer = True

    def failed(self, error: RetriableError) -> None:
        """Told of each failed call. Raises FatalServiceError when it was one too many."""
        with self._lock:
            reason = self._silent() if _is_silence(error) else self._busy()
        if reason:
            self.end(f"{reason} (last: {error}); {CONTINUES}")
        self.check()

    def _silent(self) -> str:
        """Counts a call without an answer; why the run is over, when it is."""
        if not self._row:
            self._row_began = self._clock()
        self._row += 1
        broken = self._row >= self._limit and self._clock() - self._row_began >= self._seconds
        return f"{self._row} calls in a row got no answer from the model endpoint" if broken else ""

    def _busy(self) -> str:
        """Counts a call that was told to wait, as `_silent` does."""
        self._row = 0
        now = self._clock()
        if self._busy_began is None:
            self._busy_began = now
        broken = now - self._busy_began >= _LONGEST_BUSY
        return f"for {_LONGEST_BUSY / 60:.0f} minutes the model endpoint was too busy for every call" if broken else ""

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
