"""How a run waits for GitHub: each wait is shown before it begins, and all for its limits together are bounded."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from prhub_digest.collect.github_errors import LimitError, SilentError
from prhub_digest.errors import ServiceError
from prhub_digest.retry import RetriableError, call_with_retry

T = TypeVar("T")

_LIMIT_ATTEMPTS = 20
_FIRST_LIMIT_WAIT = 60.0
SHOWN_FROM = 5.0  # seconds; what takes less time, retries and the pauses before them, is nobody's concern
_CONTINUES = "the same command continues later"


class Waits:
    """`waited` seconds for limits so far, of at most `max_wait`; `say` is told each wait, `sleep` waits."""

    def __init__(self, max_wait: float, say: Callable[[str], None], sleep: Callable[[float], None]) -> None:
        self.waited = 0.0
        self._max_wait = max_wait
        self._say = say
        self._sleep = sleep

    def persist(self, attempt: Callable[[], T]) -> T:
        """What `attempt` returns: tried again after what may pass, and after each limit as soon as GitHub allows.

        Raises:
            ServiceError: nothing helped, or a limit asks for a wait that does not fit.
        """
        limits = 0

        def within_limits() -> T:
            nonlocal limits
            try:
                return call_with_retry(attempt, sleep=self._sleep, before_wait=_Pauses(self._say).show)
            except LimitError as error:
                limits += 1
                raise self._limit_wait(error, limits) from None

        try:
            return call_with_retry(
                within_limits,
                attempts=_LIMIT_ATTEMPTS,
                total_seconds=float("inf"),  # `max_wait` is kept by _limit_wait
                sleep=self._sleep,
                before_wait=self._show_limit,
            )
        except ServiceError as error:
            if isinstance(error.__cause__, RetriableError):
                raise ServiceError(f"{error}; {_CONTINUES}") from error.__cause__
            raise

    def _limit_wait(self, limit: LimitError, count: int) -> ServiceError:
        """The wait for a limit, or the end of waiting; where GitHub names no time: a minute, then longer and longer."""
        wait = limit.wait if limit.wait is not None else _FIRST_LIMIT_WAIT * 2 ** (count - 1)
        error = _LimitWaitError(limit, wait)
        if self.waited + wait <= self._max_wait:
            return error
        used = f", of which {spoken(self.waited)} are used" if self.waited else ""
        return ServiceError(
            f"{str(limit).rstrip('.')}: GitHub asks to wait {error.how_long},"
            f" and --max-wait allows {self._max_wait:.0f} s{used}; {_CONTINUES}"
        )

    def _show_limit(self, error: RetriableError, wait: float) -> None:
        how_long = error.how_long if isinstance(error, _LimitWaitError) else spoken(wait)
        self._say(f"waiting {how_long}: {error}")
        self.waited += wait


class _Pauses:
    """The pauses between the attempts of one call: a person is told when it takes long, and each silence at once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._seconds = 0.0
        self._began = time.monotonic()

    def show(self, error: RetriableError, wait: float) -> None:
        self._seconds += wait
        if isinstance(error, SilentError):
            self._say(f"{error}; trying again")
        elif max(self._seconds, time.monotonic() - self._began + wait) > SHOWN_FROM:
            self._say(f"trying again in {spoken(wait)}: {error}")


class _LimitWaitError(RetriableError):
    def __init__(self, limit: LimitError, wait: float) -> None:
        super().__init__(str(limit), wait)
        self.how_long = f"{spoken(wait)}, until {limit.now + timedelta(seconds=wait):%H:%M:%S} UTC"


def spoken(seconds: float) -> str:
    """45 s, 12 min 5 s, 1 h 2 min."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
