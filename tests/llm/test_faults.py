"""Every fault of the fault server against the real client, alone and through the asker, which has the last word."""

from pathlib import Path

import pytest
from fake_time import FakeTime
from fault_server import FaultServer, always, mix, names_of, script
from faults import FAULTS, OUTCOME, Exchange
from model_server import Reply, Request, completion
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import FatalServiceError, PrhubError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import Completion, NoAnswerError, RefusedError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.reply_text import ReplyTextError, read_reply
from prhub_digest.llm.store import ReplyStore
from prhub_digest.llm.throttle import Throttle
from prhub_digest.models.llm import Usage
from prhub_digest.retry import RetriableError

ONE = Usage(calls=1, input_tokens=100, output_tokens=10)
# What of a fault must never be seen by a user or be kept: a draft, thinking, the number that is none.
HIDDEN = ("draft", "Let me think", "NaN")


def answer(request: Request) -> Reply:
    return completion(toy_content(int(request.messages[1]["content"].split()[-1])))


def server_with(name: str | None, stall: float = 1.0) -> FaultServer:
    return FaultServer(answer, always(name), stall=stall, drip=0.02)


def attempt(name: str | None, timeout: float = 5.0) -> tuple[Completion | Exception, FaultServer]:
    """What one attempt comes to."""
    request = toy_request()
    with server_with(name) as server:
        client = OpenAIClient(server.base_url, "key", timeout, 1)
        try:
            return client.complete(request, request.messages, 100), server
        except PrhubError as error:
            return error, server
        finally:
            client.close()


NO_ANSWER = {
    "empty_body": Usage(calls=1),
    "empty_choices": Usage(calls=1, input_tokens=900),
    "error_inside_200": Usage(calls=1, input_tokens=900),
    "length_too_short": Usage(calls=1),
    "null_choices": Usage(calls=1),
    "null_content": ONE,
    "only_thinking": ONE,
    "ten_megabytes": Usage(calls=1),
    "truncated_json": Usage(calls=1),
    "white_content": ONE,
    "wrong_content_type": Usage(calls=1),
}
UNUSABLE = {
    "answer_of_another": '"ref" must be "r1", the ref of this request',
    "cut_without_saying": "the JSON is broken or cut: Expecting ',' delimiter at line 1, column 34",
    "duplicate_keys": "the same key stands twice in one object: ref",
    "not_a_number": "NaN is not a number",
}
SLOW = {
    "slow_first_byte": "did not answer",
    "slow_headers": "did not answer",
    "slow_stream": "did not finish",
    "slow_error": "did not finish",
}


@pytest.mark.parametrize("name", names_of("good"))
def test_odd_answers_are_used_all_the_same(name: str) -> None:
    outcome, server = attempt(name)
    assert isinstance(outcome, Completion)
    assert (read_reply(outcome.content, ToyReply, "r1"), outcome.usage) == (toy_reply(), ONE)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("name", "usage"), NO_ANSWER.items())
def test_a_200_without_an_answer_has_a_name_and_counts_what_it_cost(name: str, usage: Usage) -> None:
    outcome, _ = attempt(name)
    assert isinstance(outcome, NoAnswerError)
    assert outcome.usage == usage
    assert len(str(outcome)) < 300


@pytest.mark.parametrize(("name", "fault"), UNUSABLE.items())
def test_an_answer_that_cannot_be_used_is_told_to_the_model(name: str, fault: str) -> None:
    outcome, _ = attempt(name)
    assert isinstance(outcome, Completion)
    with pytest.raises(ReplyTextError) as raised:
        read_reply(outcome.content, ToyReply, "r1")
    assert str(raised.value) == fault


@pytest.mark.parametrize(("name", "what"), SLOW.items())
def test_the_deadline_is_for_the_whole_call(name: str, what: str) -> None:
    outcome, server = attempt(name, timeout=0.6)
    assert isinstance(outcome, RetriableError)
    assert str(outcome) == (
        f"{server.base_url} {what} within 0.6 s (timeout_seconds; a lower --concurrency eases a busy server)"
    )


@pytest.mark.parametrize(
    "name", sorted(set(names_of("again")) - NO_ANSWER.keys() - UNUSABLE.keys() - SLOW.keys() - {"length_stop"})
)
def test_what_may_pass_is_retriable(name: str) -> None:
    outcome, server = attempt(name)
    assert isinstance(outcome, RetriableError)
    assert len(server.requests) == 1
    if name.startswith("429"):
        assert outcome.status == 429
        assert outcome.retry_after is None or 0 < outcome.retry_after <= 1


def test_a_length_stop_is_seen_as_one() -> None:
    outcome, _ = attempt("length_stop")
    assert isinstance(outcome, Completion)
    assert outcome.finish_reason == "length"


@pytest.mark.parametrize("name", names_of("refused"))
def test_refusals_are_named(name: str) -> None:
    outcome, _ = attempt(name)
    assert isinstance(outcome, RefusedError)
    assert outcome.usage == ONE


@pytest.mark.parametrize("name", names_of("fatal"))
def test_no_money_is_the_end(name: str) -> None:
    outcome, server = attempt(name)
    assert isinstance(outcome, FatalServiceError)
    assert "quota" in str(outcome)
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", sorted(set(names_of("good", "again")) - SLOW.keys()))
def test_one_fault_costs_nobody_the_answer(tmp_path: Path, name: str) -> None:
    clock = FakeTime()
    with FaultServer(answer, script(None, name)) as server:
        client = OpenAIClient(server.base_url, "key", 5.0, 2, throttle=Throttle(2, clock.clock, clock.sleep))
        asker = Asker(client, ReplyStore(tmp_path, print), sleep=clock.sleep, recorded=lambda: "now")
        assert asker.ask(toy_request(2), ToyReply).reply == toy_reply(2)  # whose answer another request may get
        found = asker.ask(toy_request(1), ToyReply)
        client.close()
    assert found.reply == toy_reply(1)
    rubbish = name == "length_too_short"  # of which the next request on the connection gets the rest
    assert len(server.requests) == (2 if OUTCOME[name] == "good" else 4 if rubbish else 3)
    assert found.usage.calls == len([attempt for attempt in found.stored.attempts if attempt.usage.calls])
    assert not any(word in found.reply.to_json() for word in HIDDEN)


def test_answers_are_right_again_after_rubbish() -> None:
    request = toy_request()
    with FaultServer(answer, script("length_too_short", None, None)) as server:
        client = OpenAIClient(server.base_url, "key", 5.0, 1)
        outcomes = []
        for _ in range(4):
            try:
                outcomes.append(client.complete(request, request.messages, 100).content)
            except (RetriableError, NoAnswerError) as error:
                outcomes.append(type(error).__name__)
        client.close()
    assert outcomes[-2:] == [toy_content(), toy_content()]


@pytest.mark.parametrize("seed", range(4))
def test_three_in_ten_fail_and_every_answer_is_the_right_one(tmp_path: Path, seed: int) -> None:
    clock = FakeTime()
    names = tuple(sorted(set(names_of("good", "again")) - SLOW.keys()))
    requests = [toy_request(number) for number in range(40)]
    with FaultServer(answer, mix(0.3, seed, names)) as server:
        client = OpenAIClient(server.base_url, "key", 5.0, 8, throttle=Throttle(8, clock.clock, clock.sleep))
        asker = Asker(client, ReplyStore(tmp_path, print), sleep=clock.sleep)
        results = list(run_bounded(requests, lambda request: asker.ask(request, ToyReply), 8))
        client.close()
    faulty = [name for name in server.served if name is not None]
    assert len(faulty) >= 8
    assert len(results) == 40
    failed = 0
    for request, result in results:
        if isinstance(result, PrhubError):
            failed += 1
        else:
            assert result.reply == toy_reply(int(request.ref[1:]))
    assert failed <= 2
    assert len(server.requests) <= 1.6 * 40


def test_the_same_question_meets_the_same_faults_in_any_order() -> None:
    plan = mix(0.5, 3)
    questions = [(f"pull request {number}", times) for number in range(50) for times in range(3)]
    first = {question: plan(*question) for question in questions}
    again = mix(0.5, 3)
    assert {question: again(*question) for question in reversed(questions)} == first
    assert {question: mix(0.5, 4)(*question) for question in questions} != first
    assert 40 < sum(name is not None for name in first.values()) < 110
    assert not any(OUTCOME[name] == "fatal" for name in first.values() if name)


def test_every_fault_says_what_should_become_of_it() -> None:
    good = completion(toy_content()).body
    exchange = Exchange(Request("/v1/chat/completions", {}, {}), good, ({"choices": []},))
    assert FAULTS.keys() == OUTCOME.keys()
    for name, fault in FAULTS.items():
        wire = fault(exchange)
        assert wire.end in ("keep", "close", "reset"), name
        assert all(isinstance(step, bytes) or step >= 0 for step in wire.steps)
