from datetime import UTC, datetime

import pytest

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.retry import RetriableError, call_with_retry, retry_after_seconds


class Script:
    """Raises each error in turn, then returns; keeps the waits."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0
        self.waits: list[float] = []

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"

    def run(self, **bounds: float) -> str:
        return call_with_retry(self, sleep=self.waits.append, **bounds)  # type: ignore[arg-type]


def test_waits_grow_until_it_works() -> None:
    script = Script(*[RetriableError("busy")] * 4)
    assert script.run() == "done"
    assert [round(wait - 0.5 * 2**n, 1) >= 0 for n, wait in enumerate(script.waits)] == [True] * 4
    assert all(wait <= 0.5 * 2**n + 0.5 for n, wait in enumerate(script.waits))


def test_a_requested_wait_is_kept_exactly() -> None:
    script = Script(RetriableError("busy", 1.5), RetriableError("busy", 90.0))
    assert script.run() == "done"
    assert script.waits == [1.5, 90.0]


def test_a_requested_wait_over_the_bound_is_a_clear_stop() -> None:
    script = Script(RetriableError("busy", 130.0))
    with pytest.raises(ServiceError) as raised:
        script.run()
    assert str(raised.value) == "busy (gave up after 1 attempt; the service asks to wait 130 s)"
    assert (script.calls, script.waits) == (1, [])
    assert not isinstance(raised.value, RetriableError)


def test_waits_add_up_against_the_bound() -> None:
    script = Script(*[RetriableError("busy", 50.0)] * 5)
    with pytest.raises(ServiceError, match="gave up after 3 attempts"):
        script.run()
    assert script.waits == [50.0, 50.0]


def test_attempts_are_bounded() -> None:
    script = Script(*[RetriableError("busy")] * 9)
    with pytest.raises(ServiceError, match=r"busy \(gave up after 6 attempts\)"):
        script.run()
    assert script.calls == 6


def test_each_wait_is_told_before_it_begins() -> None:
    script = Script(RetriableError("busy", 7.0), RetriableError("broken"), RetriableError("busy", 500.0))
    course: list[object] = []
    with pytest.raises(ServiceError, match="the service asks to wait 500 s"):
        call_with_retry(
            script,
            sleep=lambda _: course.append("slept"),
            before_wait=lambda error, wait: course.append((str(error), 1.0 <= wait <= 1.5 or wait)),
        )
    assert course == [("busy", 7.0), "slept", ("broken", True), "slept"]


@pytest.mark.parametrize("error", [FatalServiceError("quota"), ServiceError("no"), KeyError("bug")])
def test_other_errors_pass_at_once(error: Exception) -> None:
    script = Script(error)
    with pytest.raises(type(error)) as raised:
        script.run()
    assert raised.value is error
    assert script.calls == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "90"}, 90.0),
        ({"retry-after": "Mon, 30 Nov 2026 07:00:20 GMT"}, 20.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 06:59:00 GMT"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 99 Nov 2026 07:00:20 GMT"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, datetime(2026, 11, 30, 7, tzinfo=UTC)) == seconds
