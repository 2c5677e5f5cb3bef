import threading
from contextlib import ExitStack
from itertools import pairwise

import pytest
from fake_time import FakeTime
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.errors import FatalServiceError
from prhub_digest.llm.throttle import Throttle
from prhub_digest.retry import RetriableError


def throttle_of(concurrency: int) -> tuple[Throttle, FakeTime]:
    time = FakeTime()
    return Throttle(concurrency, time.clock, time.sleep), time


def start(throttle: Throttle, time: FakeTime) -> float:
    """When the next request may start; it ends at once."""
    with throttle.turn():
        return time.now


def test_nobody_waits_before_a_429() -> None:
    throttle, time = throttle_of(4)
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(throttle.turn())
    assert (throttle.places, time.slept) == (4, [])


def test_a_429_halves_the_places_and_stops_everybody_for_as_long_as_it_says() -> None:
    throttle, time = throttle_of(8)
    throttle.slow_down(7.0)
    assert throttle.places == 4
    assert start(throttle, time) == 7.0


def test_the_429s_of_one_burst_halve_once_and_the_longest_wait_counts() -> None:
    throttle, time = throttle_of(8)
    for wait in (2.0, 5.0, None, 1.0):
        throttle.slow_down(wait)
    assert throttle.places == 4
    assert start(throttle, time) == 5.0
    throttle.slow_down(1.0)
    assert throttle.places == 2


def test_one_place_is_always_left() -> None:
    throttle, time = throttle_of(4)
    for _ in range(5):
        throttle.slow_down(1.0)
        start(throttle, time)
    assert throttle.places == 1


def test_without_a_wait_the_pauses_grow_until_an_answer_comes() -> None:
    throttle, time = throttle_of(1)
    pauses = []
    for _ in range(8):
        before = time.now
        throttle.slow_down(None)
        pauses.append(start(throttle, time) - before)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 20.0, 20.0]
    throttle.answered({})
    before = time.now
    throttle.slow_down(None)
    assert start(throttle, time) - before == 0.5


def test_good_answers_win_the_places_back_one_by_one() -> None:
    throttle, time = throttle_of(4)
    throttle.slow_down(1.0)
    start(throttle, time)
    places = []
    for _ in range(9):
        throttle.answered({})
        places.append(throttle.places)
    assert places == [2, 3, 3, 3, 4, 4, 4, 4, 4]


def test_after_a_pause_nobody_starts_together() -> None:
    throttle, time = throttle_of(8)
    throttle.slow_down(10.0)
    with ExitStack() as held:
        starts = []
        for _ in range(4):
            held.enter_context(throttle.turn())
            starts.append(time.now)
    assert starts[0] == 10.0
    assert all(0.002 < later - earlier < 0.02 for earlier, later in pairwise(starts))
    for _ in range(5):
        start(throttle, time)
    slept = len(time.slept)
    start(throttle, time)
    assert len(time.slept) == slept  # the distance is kept after a pause only


def test_a_pause_that_begins_while_somebody_waits_is_kept_too() -> None:
    time = FakeTime()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        if len(time.slept) == 1:
            throttle.slow_down(9.0)

    throttle = Throttle(2, time.clock, sleep)
    throttle.slow_down(3.0)
    assert start(throttle, time) == time.slept[0] + 9.0


def test_no_more_run_at_once_than_there_are_places() -> None:
    throttle, time = throttle_of(8)
    throttle.slow_down(0.001)
    start(throttle, time)
    assert throttle.places == 4
    lock = threading.Lock()
    running: list[int] = [0]
    most: list[int] = []

    def work() -> None:
        for _ in range(50):
            with throttle.turn():
                with lock:
                    running[0] += 1
                    most.append(running[0])
                with lock:
                    running[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 400
    assert max(most) <= 4


@pytest.mark.parametrize(
    ("reset", "pause"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("6m0s", 60.0),  # bounded: long before the whole limit is back, a request may pass
        ("1m30.5s", 60.0),
        ("59.5s", 59.5),
        ("2.5", 2.5),
        ("7", 7.0),
        ("-1s", 0.0),
        ("0s", 0.0),
        ("NaN", 0.0),
        ("inf", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        ("87600h", 60.0),
        ("9" * 400 + "s", 0.0),
        ("1764486000", 60.0),  # a date as seconds since 1970
    ],
)
def test_a_used_up_limit_pauses_before_the_429(reset: str, pause: float) -> None:
    for kind in ("requests", "tokens"):
        throttle, time = throttle_of(2)
        throttle.answered({f"x-ratelimit-remaining-{kind}": "0", f"x-ratelimit-reset-{kind}": reset})
        assert start(throttle, time) == pytest.approx(pause)
        assert throttle.places == 2


def test_a_limit_that_is_not_used_up_is_no_pause() -> None:
    throttle, time = throttle_of(2)
    for remaining in ("1", "-1", "none", ""):
        throttle.answered({"x-ratelimit-remaining-requests": remaining, "x-ratelimit-reset-requests": "5s"})
    throttle.answered({"x-ratelimit-remaining-requests": "0"})
    assert start(throttle, time) == 0.0


def test_the_longer_of_two_used_up_limits_counts() -> None:
    throttle, time = throttle_of(2)
    throttle.answered(
        {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "3s",
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "8s",
        }
    )
    assert start(throttle, time) == pytest.approx(8.0)


LIE = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6h0m0s"}


def test_a_header_that_good_answers_prove_wrong_is_not_believed_any_more() -> None:
    time = FakeTime()
    said: list[str] = []
    throttle = Throttle(4, time.clock, time.sleep, say=said.append)
    with ExitStack() as held:
        held.enter_context(throttle.turn())
        for _ in range(4):
            throttle.answered(LIE)  # sent before it was said: no proof
    said.clear()
    starts = []
    for _ in range(6):
        starts.append(round(start(throttle, time)))
        throttle.answered(LIE)
    assert starts == [60] * 6
    assert said == ["the endpoint says that its rate limit is used up, and answers all the same: not heeded any more"]
    throttle.slow_down(7.0)
    start(throttle, time)  # a 429 is, as ever
    assert round(time.now) == 67


@pytest.mark.parametrize("confirmed_by", ["a 429", "an answer that leaves something"])
def test_a_header_that_may_be_right_is_believed(confirmed_by: str) -> None:
    throttle, time = throttle_of(4)
    starts = []
    for _ in range(4):
        for _ in range(3):
            starts.append(round(start(throttle, time)))
            throttle.answered(LIE)
        start(throttle, time)
        if confirmed_by == "a 429":
            throttle.slow_down(40.0)
        else:
            throttle.answered({**LIE, "x-ratelimit-remaining-requests": "7"})
    paused = 100 if confirmed_by == "a 429" else 60
    assert starts == [paused * turn + (60 if later else 0) for turn in range(4) for later in range(3)]


def test_a_pause_that_no_call_can_wait_for_is_said_at_once() -> None:
    throttle, time = throttle_of(2)
    throttle.slow_down(1200.0)
    with pytest.raises(RetriableError) as raised:
        start(throttle, time)
    assert (raised.value.retry_after, time.slept) == (1200.0, [])
    time.now = 1100.0
    assert start(throttle, time) == 1200.0


def test_the_end_of_the_run_ends_those_that_wait() -> None:
    throttle, _ = throttle_of(1)
    raised: list[Exception] = []

    def wait() -> None:
        try:
            with throttle.turn():
                raised.append(AssertionError("it was let in"))
        except FatalServiceError as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    with throttle.turn():
        thread.start()
        throttle.end(FatalServiceError("quota"))
        thread.join()
    assert [str(error) for error in raised] == ["quota"]
    with pytest.raises(FatalServiceError, match="quota"), throttle.turn():
        pass


def test_the_end_of_the_run_ends_a_pause() -> None:
    time = FakeTime()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        throttle.end(FatalServiceError("quota"))

    throttle = Throttle(1, time.clock, sleep)
    throttle.slow_down(100.0)
    with pytest.raises(FatalServiceError), throttle.turn():
        pass
    assert time.now < 2.0


def test_long_pauses_are_said_once_why_and_for_how_long() -> None:
    time = FakeTime()
    said: list[str] = []
    throttle = Throttle(4, time.clock, time.sleep, say=said.append)
    for wait in (2.0, 30.0, 31.0, 8.0, 50.0):
        throttle.slow_down(wait, "URL answered HTTP 429: slow down")
    assert said == [
        "URL answered HTTP 429: slow down; every call waits 30 s, as it asks",
        "URL answered HTTP 429: slow down; every call waits 50 s, as it asks",
    ]
    start(throttle, time)
    said.clear()
    for _ in range(6):
        throttle.slow_down(None, "busy")
        start(throttle, time)
    assert said == ["busy; every call waits 8 s", "busy; every call waits 16 s"]
    said.clear()
    throttle.answered({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "59s"})
    assert said == ["the endpoint's rate limit is used up; every call waits 59 s, until it is back"]


def test_nobody_waits_until_after_the_end_of_the_run() -> None:
    time = FakeTime()
    said: list[str] = []
    throttle = Throttle(4, time.clock, time.sleep, say=said.append, until=20.0)
    throttle.slow_down(15.0, "busy")
    assert start(throttle, time) == 15.0
    throttle.slow_down(15.0, "busy")
    with pytest.raises(RetriableError) as raised:
        start(throttle, time)
    assert (time.now, raised.value.retry_after) == (15.0, 15.0)
    assert said == ["busy; every call waits 15 s, as it asks"]


waits = st.none() | st.floats(0, 30)
headers = st.sampled_from([{}, {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "4s"}])


@given(
    st.integers(1, 40), st.lists(st.tuples(st.just("429"), waits) | st.tuples(st.just("good"), headers), max_size=30)
)
@settings(max_examples=100)
def test_whatever_comes_there_are_places_and_pauses_are_kept(
    concurrency: int, events: list[tuple[str, object]]
) -> None:
    throttle, time = throttle_of(concurrency)
    earliest = 0.0
    for kind, value in events:
        assert start(throttle, time) >= earliest
        if kind == "429":
            throttle.slow_down(value)  # type: ignore[arg-type]
            earliest = time.now + (value or 0.0)  # type: ignore[operator]
        else:
            throttle.answered(value)  # type: ignore[arg-type]
            earliest = time.now + (4.0 if value else 0.0)
        assert 1 <= throttle.places <= concurrency
