"""How many requests an endpoint gets at once, and when none at all: what it says decides, for all threads together.

On HTTP 429 half the places go and everybody pauses; good answers win the places back one by one. After a pause the
threads start one after another, for a burst is what 429 answers.
"""

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from prhub_digest.errors import FatalServiceError
from prhub_digest.retry import RetriableError

_FIRST_PAUSE = 0.5
_LONGEST_OWN_PAUSE = 20.0
# No call waits longer than `Asker` lets it; a longer pause is an end, which is said at once.
_LONGEST_WAIT = 600.0
# A reset tells when the whole limit is back; long before that a request may pass, or meet a 429 that says more.
_LONGEST_RESET = 60.0
# So many good answers in a row to requests that were sent while, as a header had it, nothing was left: it lies.
_DISPROOFS = 3
# Seconds between two starts after a pause.
_GAP = 0.004
# A shorter pause needs no word.
_WORTH_SAYING = 5.0
# A thread that waits looks up so often, whether the run was ended meanwhile.
_LOOK_UP = 0.5

_KINDS = ("requests", "tokens")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "": 1.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:h|ms|us|µs|ns|m|s))+|\d+(?:\.\d+)?")
_PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s|)")


class Throttle:
    """The places of one endpoint, `concurrency` at most; shared by threads. `clock` and `sleep` count seconds.

    `say` is told of each long pause, why and for how long. Nobody waits until after `until`, in seconds of the clock.
    """

    def __init__(
        self,
        concurrency: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        *,
        say: Callable[[str], None] = lambda _: None,
        until: float = math.inf,
    ) -> None:
        self._most = self._places = concurrency
        self._clock = clock
        self._sleep = sleep
        self._say = say
        self.until = until
        self._said = -math.inf  # until when somebody was told to wait
        self._changed = threading.Condition()
        self._running = 0
        self._good = 0  # answers since the places last changed
        self._own_pauses = 0  # in a row, without an answer in between
        self._pause_end = -math.inf
        self._next_start = -math.inf
        self._spaced = 0  # starts that still keep a distance
        self._pauses = 0
        self._claims = _Claims()
        self._sent = threading.local()  # `at`: when this thread's request was
        self._ended: FatalServiceError | None = None

    @property
    def places(self) -> int:
        """How many requests may run at once now."""
        with self._changed:
            return self._places

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Around one HTTP request: waits for a free place and for the end of a pause.

        Raises RetriableError when the endpoint asked for a longer pause than a call, or the run, can wait; and what
        `end` was given.
        """
        self._take_place()
        try:
            self._wait_for_start()
            self._sent.at = self._clock()
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def slow_down(self, seconds: float | None, why: str = "the endpoint is busy") -> None:
        """Told of each HTTP 429, with the wait it asks for; without one, the pauses grow by themselves.

        The 429s of one burst halve the places once: those that arrive within the pause only lengthen it.
        """
        asked = ", as it asks" if seconds is not None else ""
        with self._changed:
            self._claims.begin_anew()
            if self._clock() >= self._pause_end:
                self._places = max(1, self._places // 2)
                self._good = 0
                if seconds is None:
                    seconds = min(_FIRST_PAUSE * 2.0 ** min(self._own_pauses, 10), _LONGEST_OWN_PAUSE)
                    self._own_pauses += 1
            self._pause(seconds or 0.0)
            wait = self._worth_saying()
        if wait:
            self._say(f"{why}; every call waits {wait:.0f} s{asked}")

    def answered(self, headers: Mapping[str, str]) -> None:
        """Told of each good answer; `headers` are looked up in lower case."""
        rest = _until_reset(headers)
        wait = 0.0
        with self._changed:
            self._own_pauses = 0
            self._good += 1
            if self._good >= self._places and self._places < self._most:
                self._places += 1
                self._good = 0
                self._changed.notify()
            was_believed = self._claims.believed
            if self._claims.is_new(rest, self._clock(), getattr(self._sent, "at", -math.inf)):
                self._pause(min(rest or 0.0, _LONGEST_RESET))
                wait = self._worth_saying()
            found_out = was_believed and not self._claims.believed
        if found_out:
            self._say("the endpoint says that its rate limit is used up, and answers all the same: not heeded any more")
        if wait:
            self._say(f"the endpoint's rate limit is used up; every call waits {wait:.0f} s, until it is back")

    def end(self, error: FatalServiceError) -> None:
        """Nothing more is to be sent: every turn, waiting or new, raises the like of `error`."""
        with self._changed:
            self._ended = error
            self._changed.notify_all()

    def _take_place(self) -> None:
        with self._changed:
            while self._running >= self._places and self._ended is None:
                self._changed.wait()
            self._raise_if_ended()
            self._running += 1

    def _wait_for_start(self) -> None:
        """Reserves the next start and waits for it; a new pause meanwhile makes the reservation void."""
        while True:
            with self._changed:
                pause, start = self._pauses, self._reserve()
            while True:
                with self._changed:
                    self._raise_if_ended()
                    if pause != self._pauses:
                        break
                    wait = start - self._clock()
                if wait <= 0:
                    return
                self._sleep(min(wait, _LOOK_UP))

    def _reserve(self) -> float:
        now = self._clock()
        if self._pause_end - now > _LONGEST_WAIT or self._pause_end > self.until:
            raise RetriableError("the endpoint asked for a pause", self._pause_end - now)
        start = max(now, self._next_start)
        if self._spaced:
            self._spaced -= 1
            self._next_start = start + _GAP
        return start

    def _pause(self, seconds: float) -> None:
        end = self._clock() + seconds
        if end > self._pause_end:
            self._pause_end = self._next_start = end
            self._pauses += 1
            self._spaced = self._most

    def _worth_saying(self) -> float:
        """The seconds of the pause that begins or grows, when they are many, are waited for and were not told yet."""
        wait = self._pause_end - self._clock()
        waited_for = _WORTH_SAYING <= wait <= _LONGEST_WAIT and self._pause_end <= self.until
        if not waited_for or self._pause_end < self._said + _WORTH_SAYING:
            return 0.0
        self._said = self._pause_end
        return wait

    def _raise_if_ended(self) -> None:
        if self._ended is not None:
            raise FatalServiceError(str(self._ended))  # an error of its own for each thread


@dataclass(slots=True)
class _Claims:
    """What headers said of a used-up limit, in seconds of the clock: from `made` until `until` nothing is left."""

    made: float = math.inf
    until: float = -math.inf
    disproofs: int = 0
    believed: bool = True

    def is_new(self, rest: float | None, now: float, sent: float) -> bool:
        """Told of each good answer, when its request was sent and in how many seconds something is left again.

        False where it says nothing of the kind, and where it repeats a claim that it disproves itself.
        """
        if not self.believed:
            return False
        if rest is None:
            self.begin_anew()
            return False
        if self.made < sent < self.until:
            self.disproofs += 1
            self.believed = self.disproofs < _DISPROOFS
            return False
        if now >= self.until:
            self.made, self.until = now, now + rest
        return True

    def begin_anew(self) -> None:
        self.made, self.until, self.disproofs = math.inf, -math.inf, 0


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until a used-up limit is back; None when none is used up, or nothing sensible is said."""
    rests = [
        _duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in _KINDS
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    ]
    return max((rest for rest in rests if rest is not None), default=None)


def _duration(text: str) -> float | None:
    """`6m0s`, `20ms`, `1.5` as seconds; None for anything else, and for what is no time."""
    text = text.strip()
    if len(text) > 40 or not _DURATION.fullmatch(text):
        return None
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return seconds if 0 < seconds < math.inf else None
