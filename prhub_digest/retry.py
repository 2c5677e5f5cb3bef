"""One owner of retries for every remote service; the SDKs' own are switched off.

Adapters raise `RetriableError` for what another attempt may cure; everything else passes through at once.
"""

import math
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import tenacity

from prhub_digest.errors import ServiceError

T = TypeVar("T")

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 20.0


class RetriableError(ServiceError):
    """A failure that may pass: 408, 409, 429, 5xx, a lost connection, a timeout.

    `retry_after`: seconds that the service asked to wait, None when it named none. `status`: the HTTP status, None when
    no response came.
    """

    def __init__(self, message: str, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


def call_with_retry(
    call: Callable[[], T],
    *,
    attempts: int = 6,
    total_seconds: float = 120.0,
    sleep: Callable[[float], None] = time.sleep,
    before_wait: Callable[[RetriableError, float], None] | None = None,
) -> T:
    """What `call` returns, after at most `attempts` calls begun within `total_seconds`.

    A wait that the service asked for is kept exactly, never shortened; one that does not fit into `total_seconds` ends
    the attempts. Other waits grow exponentially, with jitter. `before_wait` is told the error and the seconds of each
    wait. Raises ServiceError when it gives up.
    """

    def tell(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if before_wait and isinstance(error, RetriableError):
            before_wait(error, state.upcoming_sleep)

    def must_stop(state: tenacity.RetryCallState) -> bool:
        spent = max(state.seconds_since_start or 0.0, state.idle_for)
        return state.attempt_number >= attempts or spent + state.upcoming_sleep > total_seconds

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(RetriableError),
        stop=must_stop,
        wait=_wait,
        sleep=sleep,
        before_sleep=tell,
        retry_error_callback=_give_up,
    )
    return retrying(call)


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The wait that response headers ask for: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.

    `headers` must be looked up in lower case. A wait that is not a finite positive number counts as none.
    """
    milliseconds = _positive(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _positive(value)
    return seconds if seconds is not None else _seconds_until(value, now or datetime.now(UTC))


_backoff = tenacity.wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT) + tenacity.wait_random(0, _FIRST_WAIT)


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RetriableError) and error.retry_after is not None:
        return error.retry_after
    return _backoff(state)


def _give_up(state: tenacity.RetryCallState) -> T:  # type: ignore[type-var]  # it only raises
    error = state.outcome.exception() if state.outcome else None
    wait = error.retry_after if isinstance(error, RetriableError) else None
    asked = f"; the service asks to wait {wait:g} s" if wait is not None else ""
    count = "1 attempt" if state.attempt_number == 1 else f"{state.attempt_number} attempts"
    raise ServiceError(f"{error} (gave up after {count}{asked})") from error


def _positive(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else 0.0
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def _seconds_until(value: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0) or None
