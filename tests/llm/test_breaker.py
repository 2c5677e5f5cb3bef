import heapq
import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from model_server import ModelServer, closed_port, completion, failure
from test_reply_store import no_warning
from toy_requests import ToyReply, toy_content, toy_request

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.breaker import Breaker
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.store import ReplyStore
from prhub_digest.retry import RetriableError

LOST = RetriableError("the connection broke")
BUSY = RetriableError("HTTP 503", status=503)
TOO_MANY = RetriableError("HTTP 429", status=429)


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def is_over(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except FatalServiceError:
        return True
    return False


def test_a_row_of_failures_ends_the_run() -> None:
    clock = Time()
    breaker = Breaker(3, 8.0, clock=clock)
    breaker.failed(LOST)
    breaker.failed(BUSY)
    clock.now += 8
    assert not is_over(breaker)
    text = (
        "3 calls in a row got no answer from the model endpoint (last: the connection broke); "
        "what was answered is stored; the same command continues"
    )
    for call in (lambda: breaker.failed(LOST), breaker.check, breaker.check):
        with pytest.raises(FatalServiceError) as raised:
            call()
        assert str(raised.value) == text


def test_a_row_is_none_before_it_has_lasted() -> None:
    clock = Time()
    breaker = Breaker(3, 8.0, clock=clock)
    for _ in range(100):
        breaker.failed(LOST)
    clock.now += 7.9
    breaker.failed(LOST)
    clock.now += 0.2
    with pytest.raises(FatalServiceError, match="102 calls in a row"):
        breaker.failed(LOST)


@pytest.mark.parametrize(
    "error",
    [
        None,
        RetriableError("HTTP 429", status=429),
        RetriableError("HTTP 429", 7.0, 429),
        RetriableError("HTTP 409", status=409),
        RetriableError("the endpoint asked for a pause", 130.0),
    ],
)
def test_any_answer_ends_a_row(error: RetriableError | None) -> None:
    breaker = Breaker(3, 0.0)
    for _ in range(10):
        breaker.failed(LOST)
        breaker.failed(BUSY)
        if error is None:
            breaker.answered()
        else:
            breaker.failed(error)
    assert not is_over(breaker)


def test_a_server_that_only_asks_to_wait_ends_the_run_too() -> None:
    breaker = Breaker()
    error = ServiceError("HTTP 429 (gave up after 6 attempts)")
    for _ in range(7):
        breaker.gave_up(error)
    breaker.answered()
    for _ in range(7):
        breaker.gave_up(error)
    with pytest.raises(FatalServiceError, match=r"^8 requests in a row got no answer \(last: HTTP 429 \(gave up"):
        breaker.gave_up(error)


@pytest.mark.parametrize("error", [TOO_MANY, RetriableError("the endpoint asked for a pause", 130.0)])
def test_ten_minutes_of_nothing_but_429_end_the_run(error: RetriableError) -> None:
    clock = Time()
    breaker = Breaker(clock=clock)
    breaker.answered()
    clock.now += 1000  # no calls at all
    breaker.failed(error)
    clock.now += 599
    for other in (error, BUSY):
        breaker.failed(other)
    clock.now += 1
    breaker.failed(BUSY)
    text = (
        f"for 10 minutes the model endpoint was too busy for every call (last: {error}); "
        "what was answered is stored; the same command continues"
    )
    with pytest.raises(FatalServiceError) as raised:
        breaker.failed(error)
    assert (str(raised.value), raised.value.exit_code) == (text, 4)


def test_one_answer_begins_the_ten_minutes_anew() -> None:
    clock = Time()
    breaker = Breaker(clock=clock)
    for _ in range(4):
        breaker.failed(TOO_MANY)
        clock.now += 599
        breaker.failed(TOO_MANY)
        breaker.answered()
    assert not is_over(breaker)


def test_the_first_reason_stays_and_is_told_once() -> None:
    told: list[str] = []
    breaker = Breaker(told=lambda error: told.append(str(error)))
    wrong_key = FatalServiceError("refused the key")
    assert [str(breaker.refused(wrong_key)), str(breaker.end("out of time"))] == [
        "refused the key; once that is right, the same command continues"
    ] * 2
    assert told == ["refused the key; once that is right, the same command continues"]


def test_what_is_stored_is_named_when_there_is_something() -> None:
    breaker = Breaker()
    breaker.answered()
    error = breaker.refused(FatalServiceError("the quota is used up"))
    assert str(error) == "the quota is used up; what was answered is stored; the same command continues"


def test_a_pause_ends_with_the_run() -> None:
    breaker = Breaker()
    sleeper = threading.Thread(target=breaker.pause, args=(60.0,), daemon=True)
    sleeper.start()
    breaker.end("over")
    sleeper.join(5)
    assert not sleeper.is_alive()


class Week:
    """Threads that call an endpoint, in a time that only passes on paper; faulty calls fail at once.

    `over` is the moment at which the breaker ended the week, None when it did not.
    """

    def __init__(self, concurrency: int, faulty: float, seconds: float, seed: int) -> None:
        self.random = random.Random(seed)
        self.faulty, self.seconds = faulty, seconds
        self.clock = Time()
        self.clock.now = 0.0
        self.breaker = Breaker.of(concurrency, clock=self.clock)
        self.over: float | None = None
        self.events = [(0.003 * place, place, 0) for place in range(concurrency)]
        self.going: dict[int, bool] = {}

    def run(self, calls: int) -> float | None:
        while self.events and self.over is None:
            self.clock.now, place, attempt = heapq.heappop(self.events)
            if place in self.going:
                self._end(place, attempt)
            elif calls:
                calls -= 1
                good = self.random.random() >= self.faulty
                self.going[place] = good
                self._later(self.seconds * self.random.uniform(0.7, 1.3) if good else 0.01, place, attempt)
        return self.over

    def _end(self, place: int, attempt: int) -> None:
        if self.going.pop(place):
            self.breaker.answered()
            self._later(0.0, place, 0)
            return
        try:
            self.breaker.failed(LOST)
        except FatalServiceError:
            self.over = self.clock.now
        last = attempt == 5  # the request is given up, the next begins
        wait = 0.0 if last else 0.5 * 2**attempt + self.random.uniform(0, 0.5)
        self._later(wait, place, 0 if last else attempt + 1)

    def _later(self, seconds: float, place: int, attempt: int) -> None:
        heapq.heappush(self.events, (self.clock.now + seconds, place, attempt))


@pytest.mark.parametrize("concurrency", [1, 8, 32])
@pytest.mark.parametrize("seconds", [0.2, 10.0, 60.0])
def test_a_thousand_calls_of_which_three_in_ten_fail_go_through(concurrency: int, seconds: float) -> None:
    assert [Week(concurrency, 0.3, seconds, seed).run(1000) for seed in range(20)] == [None] * 20


@pytest.mark.parametrize(("concurrency", "most"), [(1, 40.0), (8, 12.0), (32, 12.0)])
def test_a_dead_endpoint_ends_the_week_within_seconds(concurrency: int, most: float) -> None:
    ends = [Week(concurrency, 1.0, 10.0, seed).run(1000) for seed in range(20)]
    assert all(end is not None and 8.0 <= end <= most for end in ends), ends


def test_an_endpoint_that_breaks_down_is_not_asked_for_every_pull_request(tmp_path: Path) -> None:
    clock = Time()
    good = [completion(toy_content(number)) for number in range(3)]
    with ModelServer([*good, failure(503, "down")]) as server:
        client = OpenAIClient(server.base_url, None, 5.0, 1)
        breaker = Breaker(13, clock=clock)
        asker = Asker(client, ReplyStore(tmp_path, no_warning), sleep=clock.sleep, breaker=breaker)
        ended: list[tuple[int, object]] = []
        with pytest.raises(FatalServiceError, match=r"^13 calls in a row got no answer .*HTTP 503: down"):
            ended.extend(run_bounded(range(300), lambda number: asker.ask(toy_request(number), ToyReply), 1))
        client.close()
    assert len(server.requests) == 3 + 13
    assert [number for number, _ in ended] == [0, 1, 2, 3, 4]
    assert [isinstance(result, ServiceError) for _, result in ended] == [False, False, False, True, True]
    assert len(list(tmp_path.rglob("*.json"))) == 3


def test_an_address_where_nobody_listens_ends_the_run_at_the_first_call(tmp_path: Path) -> None:
    client = OpenAIClient(f"http://127.0.0.1:{closed_port()}/v1", None, 5.0, 1)
    asker = Asker(client, ReplyStore(tmp_path, no_warning))
    with pytest.raises(FatalServiceError, match="is the server running"):
        list(run_bounded(range(300), lambda number: asker.ask(toy_request(number), ToyReply), 4))
    client.close()


def test_who_waits_for_an_attempt_learns_that_the_run_is_over(tmp_path: Path) -> None:
    """Two threads: one is asked to wait a minute, then the other meets the end of the quota."""

    def answer(request):
        if request.messages[1]["content"] == "Pull request 1":
            return failure(429, "slow down", headers={"Retry-After": "60"})
        return replace(failure(429, "no money", "insufficient_quota"), after=0.3)

    raised: list[FatalServiceError] = []

    def run() -> None:
        try:
            list(run_bounded((1, 2), lambda number: asker.ask(toy_request(number), ToyReply), 2, grace=60))
        except FatalServiceError as error:
            raised.append(error)

    with ModelServer(answer) as server:
        client = OpenAIClient(server.base_url, None, 5.0, 2)
        asker = Asker(client, ReplyStore(tmp_path, no_warning))
        runner = threading.Thread(target=run, daemon=True)
        runner.start()
        runner.join(10)
        client.close()
    assert not runner.is_alive()
    assert "quota is used up" in str(raised[0])
    assert len(server.requests) == 2
