"""GitHub's limits: every status and spelling is waited for, shown first, within the bound."""

from datetime import UTC, datetime
from typing import Any

import pytest
from scripted_github import (
    GOOD,
    RESET,
    SECONDARY,
    failing,
    served,
)
from scripted_http import answer

from prhub_digest.errors import ServiceError

PRIMARY_200 = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]}
PRIMARY_SPELT = {"errors": [{"type": "RATE_LIMIT", "message": "API rate limit already exceeded for user ID 1."}]}


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (PRIMARY_200, 200, "API rate limit exceeded for user ID 1."),
        (PRIMARY_SPELT, 200, "API rate limit already exceeded for user ID 1."),
        ({"errors": [{"type": "RATE_LIMIT"}]}, 200, "HTTP 200"),
        ({"message": "API rate limit exceeded for user ID 1."}, 403, "API rate limit exceeded for user ID 1."),
        (
            {"message": "API rate limit already exceeded for user ID 1."},
            403,
            "API rate limit already exceeded for user ID 1.",
        ),
        ({"message": "API rate limit exceeded for user ID 1."}, 429, "API rate limit exceeded for user ID 1."),
        ({"message": "Wait."}, 403, "Wait."),
        ("", 429, "HTTP 429"),
    ],
)
def test_the_hourly_limit_is_waited_for_until_its_reset(body: Any, status: int, words: str) -> None:
    with served(answer(body, status, RESET), GOOD) as run:
        assert run.query().data["nodes"] == []
        assert run.api.waited == 602
        assert run.api.calls == 2
    assert run.waits == [602]
    assert run.said == [
        f"waiting 10 min 2 s, until 07:10:02 UTC: {run.host}: the limit of this hour is used up: {words}"
    ]


def test_a_wait_that_is_asked_for_comes_before_the_reset() -> None:
    with served(answer(PRIMARY_200, 200, {**RESET, "Retry-After": "45"}), GOOD) as run:
        run.query()
    words = "API rate limit exceeded for user ID 1."
    assert run.said == [f"waiting 45 s, until 07:00:45 UTC: {run.host}: the limit of this hour is used up: {words}"]
    assert run.waits == [45]


@pytest.mark.parametrize("headers", [{}, {**RESET, "X-RateLimit-Reset": "0"}])
def test_an_hourly_limit_without_a_time_is_waited_for_longer_and_longer(headers: dict[str, str]) -> None:
    limited = answer(PRIMARY_200, 200, headers)
    with served(limited, limited, limited, GOOD) as run:
        run.query()
    assert run.waits == [60, 120, 240]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"data": None, "errors": [{"type": "RATE_LIMITED", "message": SECONDARY}]}, 200, SECONDARY),
        ({"errors": [{"message": SECONDARY}]}, 200, SECONDARY),
        ({"message": SECONDARY}, 403, SECONDARY),
        ({"message": SECONDARY}, 429, SECONDARY),
        (
            {"message": "You have triggered an abuse detection mechanism."},
            403,
            "You have triggered an abuse detection mechanism.",
        ),
        ({"message": "Slow down."}, 429, "Slow down."),
        ("<html>too many</html>", 429, "HTTP 429"),
    ],
)
@pytest.mark.parametrize("asked_wait", [True, False])
def test_a_secondary_limit_is_waited_for(body: Any, status: int, words: str, asked_wait: bool) -> None:
    limited = answer(body, status, {"Retry-After": "30"} if asked_wait else {})
    with served(limited, limited, GOOD) as run:
        assert run.query().data["nodes"] == []
    why = f"{run.host}: asked too much in a short time: {words}"
    if asked_wait:
        assert run.waits == [30, 30]
        assert run.said == [f"waiting 30 s, until 07:00:30 UTC: {why}"] * 2
    else:
        assert run.waits == [60, 120]
        assert run.said == [
            f"waiting 60 s, until 07:01:00 UTC: {why}",
            f"waiting 2 min 0 s, until 07:02:00 UTC: {why}",
        ]


def test_waits_begin_short_again_after_a_good_answer() -> None:
    limited = answer({"message": SECONDARY}, 403)
    with served(limited, GOOD, limited, GOOD) as run:
        run.query()
        run.query()
    assert run.waits == [60, 60]


def test_a_wait_over_the_bound_ends_the_run_and_says_when_to_go_on() -> None:
    with served(answer(PRIMARY_200, 200, RESET), max_wait=600) as run:
        message = failing(run.query, ServiceError)
        assert run.api.waited == 0
    assert message == (
        f"{run.host}: the limit of this hour is used up: API rate limit exceeded for user ID 1:"
        " GitHub asks to wait 10 min 2 s, until 07:10:02 UTC, and --max-wait allows 600 s;"
        " the same command continues later"
    )
    assert (run.said, run.waits, len(run.server.requests)) == ([], [], 1)


def test_the_waits_of_all_queries_count_against_one_bound() -> None:
    limited = answer({"message": SECONDARY}, 403, {"Retry-After": "300"})
    with served(limited, limited, GOOD, limited, max_wait=700) as run:
        run.query()
        message = failing(run.query, ServiceError)
    assert message == (
        f"{run.host}: asked too much in a short time: {SECONDARY[:-1]}: GitHub asks to wait 5 min 0 s, until 07:05:00"
        " UTC, and --max-wait allows 700 s, of which 10 min 0 s are used; the same command continues later"
    )
    assert run.waits == [300, 300]


def test_a_wait_of_hours_is_told_in_hours() -> None:
    with served(answer({"message": SECONDARY}, 403, {"Retry-After": "10000"}), max_wait=0) as run:
        message = failing(run.query, ServiceError)
    assert "GitHub asks to wait 2 h 46 min, until 09:46:40 UTC, and --max-wait allows 0 s;" in message


@pytest.mark.parametrize("seconds", ["1e9", "1" + "0" * 300])
def test_a_wait_without_end_does_not_fit(seconds: str) -> None:
    with served(answer({"message": SECONDARY}, 403, {"Retry-After": seconds})) as run:
        assert "GitHub asks to wait 27777 h 46 min" in failing(run.query, ServiceError)


def test_a_limit_that_never_ends_is_given_up() -> None:
    with served(answer({"message": "Slow down."}, 429, {"Retry-After": "1"})) as run:
        message = failing(run.query, ServiceError)
    assert message == (
        f"{run.host}: asked too much in a short time: Slow down."
        " (gave up after 20 attempts; the service asks to wait 1 s); the same command continues later"
    )
    assert len(run.server.requests) == 20


def test_a_limit_between_other_failures_gives_new_attempts() -> None:
    bad = answer({"message": "oops"}, 500)
    limited = answer({"message": SECONDARY}, 403)
    with served(*[bad] * 5, limited, *[bad] * 5, GOOD) as run:
        run.query()
    assert run.api.waited == 60


def test_a_busy_server_that_names_a_time_is_waited_for_like_a_limit() -> None:
    with served(answer("", 503, {"Retry-After": "20"}), GOOD) as run:
        run.query()
        assert run.api.waited == 20
    assert run.said == [f"waiting 20 s, until 07:00:20 UTC: {run.asked}: HTTP 503"]


def test_without_the_server_s_clock_ours_is_used() -> None:
    at = str(int(datetime.now(UTC).timestamp()) + 1000)
    raw = answer(PRIMARY_200, 200, {**RESET, "X-RateLimit-Reset": at}).replace(b"Date:", b"Not-Date:")
    with served(raw, GOOD) as run:
        run.query()
    assert 900 < run.waits[0] <= 1002
