import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply, Request, completion, failure
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import FatalServiceError
from prhub_digest.llm.ask import Answer, Asker, UnansweredError
from prhub_digest.llm.breaker import Breaker
from prhub_digest.llm.client import ContextLengthError, UnusableReplyError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Attempt, StoredReply, Usage

ONE = Usage(calls=1, input_tokens=100, output_tokens=10)
TWO = ONE + ONE
CUT = '{"summary":"Adds paged index","highlights":["loader","evic'
RISK_WRONG = "risk: Input should be 0, 1, 2, 3, 4 or 5"


class Bench:
    """An Asker over a real store and a real server; what it warned and how long it waited."""

    def __init__(self, server: ModelServer, folder: Path, allowed: float | None = None, **more: Any) -> None:
        self.warnings: list[str] = []
        self.waits: list[float] = []
        self.folder = folder
        self.client = OpenAIClient(server.base_url, "key", 5.0, 4)
        store = ReplyStore(folder, self.warnings.append)
        more["deadline"] = time.monotonic() + allowed if allowed is not None else None
        self.asker = Asker(self.client, store, sleep=self.waits.append, recorded=lambda: "now", **more)

    def ask(self, number: int = 1) -> Answer[ToyReply]:
        return self.asker.ask(toy_request(number), ToyReply, no_drafts)

    @property
    def stored_files(self) -> int:
        return len(list(self.folder.rglob("*.json")))


def no_drafts(reply: ToyReply) -> str | None:
    return "summary must not be a draft" if reply.summary == "draft" else None


def ask_once(folder: Path, *replies: Reply) -> tuple[Answer[ToyReply], list[Request]]:
    with ModelServer(replies) as server:
        bench = Bench(server, folder)
        answer = bench.ask()
        again = bench.ask()
        bench.client.close()
    assert again == Answer(answer.reply, answer.usage, Usage(), answer.stored)  # the second is free, and the same
    return answer, server.requests


def fail_once(folder: Path, *replies: Reply) -> tuple[UnusableReplyError, list[Request]]:
    with ModelServer(replies) as server:
        bench = Bench(server, folder)
        with pytest.raises(UnusableReplyError) as raised:
            bench.ask()
        bench.client.close()
    assert bench.stored_files == 0
    return raised.value, server.requests


def test_a_good_reply_is_paid_once(tmp_path: Path) -> None:
    answer, requests = ask_once(tmp_path, completion(toy_content()))
    attempts = (Attempt(content=toy_content(), finish_reason="stop", usage=ONE, rung="schema_strict"),)
    stored = StoredReply(request=toy_request(), attempts=attempts, recorded="now")
    assert answer == Answer(toy_reply(), ONE, ONE, stored)
    assert len(requests) == 1


def test_one_informed_retry(tmp_path: Path) -> None:
    wrong = toy_content(risk=85)
    answer, requests = ask_once(tmp_path, completion(wrong), completion(toy_content()))
    assert answer.reply == toy_reply()
    assert answer.usage == answer.paid == TWO
    assert answer.stored.request == toy_request()
    assert [attempt.error for attempt in answer.stored.attempts] == [RISK_WRONG, None]
    # 85 is no value of the schema, so that the second try is made without it, and says it in the system message.
    assert requests[1].messages[1:] == [
        *requests[0].messages[1:],
        {"role": "assistant", "content": wrong},
        {
            "role": "user",
            "content": f"Your answer cannot be used: {RISK_WRONG}.\n"
            'Answer the request again, whole, as one JSON object that fits the schema, with "ref": "r1".',
        },
    ]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("nothing notable", "the answer holds no JSON object"),
        (toy_content(2), '"ref" must be "r1", the ref of this request'),
        (toy_content(highlights="kv cache"), "highlights: Input should be a valid array"),
        (toy_content(risk=85), RISK_WRONG),
        ('{"ref":"r1","summary":"s","highlights":[],"risk":NaN}', "NaN is not a number"),
        (
            '{"ref":"r1","summary":"one","summary":"two","highlights":[],"risk":1}',
            "the same key stands twice in one object: summary",
        ),
        (toy_content(summary="draft"), "summary must not be a draft"),
    ],
)
def test_two_wrong_answers_are_enough(tmp_path: Path, content: str, error: str) -> None:
    failed, requests = fail_once(tmp_path, completion(content))
    assert str(failed) == f"no usable reply after one retry: {error}"
    assert failed.usage == TWO
    assert len(requests) == 2


def test_h14_a_cut_answer_gets_more_room_once(tmp_path: Path) -> None:
    cut = completion(CUT, finish_reason="length")
    answer, requests = ask_once(tmp_path / "a", cut, completion(toy_content()))
    assert answer.reply == toy_reply()
    assert [request.body["max_tokens"] for request in requests] == [100, 200]
    assert requests[0].messages == requests[1].messages
    failed, requests = fail_once(tmp_path / "b", cut)
    assert str(failed) == "the answer was cut at the output limit of 200 tokens"
    assert failed.usage == TWO
    assert len(requests) == 2


def test_a_whole_object_that_was_cut_is_not_used(tmp_path: Path) -> None:
    failed, _ = fail_once(tmp_path, completion(toy_content(), finish_reason="length"))
    assert "cut at the output limit" in str(failed)


def test_each_second_chance_is_given_once(tmp_path: Path) -> None:
    cut = completion(CUT, finish_reason="length")
    answer, requests = ask_once(tmp_path, completion("no"), cut, completion(toy_content()))
    assert [attempt.error is None for attempt in answer.stored.attempts] == [False, False, True]
    assert requests[1].messages == requests[2].messages


def test_h13_no_answer_is_asked_again(tmp_path: Path) -> None:
    empty = Reply({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 0}})
    answer, requests = ask_once(tmp_path / "a", empty, completion(toy_content()))
    assert answer.usage == ONE + Usage(calls=1, input_tokens=900)
    assert requests[0] == requests[1]
    bodies: tuple[dict[str, object], ...] = (
        {"choices": []},
        {"choices": None},
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": None}}]},
    )
    for body in bodies:
        failed, requests = fail_once(tmp_path / "b", Reply(body))
        assert str(failed).endswith(" (asked 4 times)")
        assert (failed.usage, len(requests)) == (Usage(calls=4), 4)


def test_h13_an_error_inside_a_200_is_the_error_that_it_says(tmp_path: Path) -> None:
    with ModelServer([Reply({"error": {"message": "engine crashed", "code": 500}})]) as server:
        bench = Bench(server, tmp_path)
        with pytest.raises(UnansweredError, match=r"engine crashed \(gave up after 6 attempts\)"):
            bench.ask()
        bench.client.close()
    assert (bench.stored_files, len(server.requests)) == (0, 6)


def test_each_kind_of_fault_has_its_own_second_chances(tmp_path: Path) -> None:
    nothing, cut_json = Reply({"choices": []}), Reply('{"choices": [{"mess')
    lost, busy = completion(toy_content()), failure(503, "busy")
    cut = completion(CUT, finish_reason="length")
    replies = (busy, nothing, Reply(lost.body, cut=True), completion("no"), cut_json, cut, nothing, busy)
    answer, requests = ask_once(tmp_path, *replies, completion(toy_content()))
    assert answer.reply == toy_reply()
    assert len(requests) == 9
    errors = [attempt.error for attempt in answer.stored.attempts]
    assert (errors[2] or "").startswith("the endpoint's answer is not JSON")
    assert [*errors[:2], *errors[3:]] == [
        "the endpoint's answer has no choices",
        "the answer holds no JSON object",
        "the answer was cut at the output limit of 100 tokens",
        "the endpoint's answer has no choices",
        None,
    ]
    assert answer.paid == answer.usage == Usage(calls=6, input_tokens=300, output_tokens=30)


def test_no_answer_too_often_is_no_answer_whatever_came_between(tmp_path: Path) -> None:
    nothing = Reply({"choices": []})
    failed, requests = fail_once(tmp_path, nothing, nothing, completion("no"), nothing, nothing)
    assert str(failed) == "the endpoint's answer has no choices (asked 4 times)"
    assert (failed.usage, len(requests)) == (ONE + Usage(calls=4), 5)


def faulty(chance: random.Random) -> Callable[[Request], Reply]:
    """Three answers in ten are faulty, each in another of the ways that a second answer may cure."""

    def answer(request: Request) -> Reply:
        number = int(request.messages[1]["content"].removeprefix("Pull request "))
        good = completion(toy_content(number))
        if chance.random() >= 0.3:
            return good
        faults = (
            failure(429, "slow down", headers={"Retry-After": "3"}),
            failure(500, "boom"),
            failure(503, "busy"),
            Reply(good.body, cut=True),
            Reply('{"choices": [{"mess'),
            Reply({"choices": []}),
            Reply({"error": {"message": "engine crashed", "code": 500}}),
            completion(None),
            completion(CUT),
            completion(CUT, finish_reason="length"),
            completion(toy_content(number + 1)),
            completion(toy_content(number).replace('"risk"', '"summary": "x", "risk"')),
        )
        return chance.choice(faults)

    return answer


def test_with_three_answers_in_ten_faulty_nearly_all_are_answered_and_calls_stay_few(tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    with ModelServer(faulty(random.Random(5))) as server:
        bench = Bench(server, tmp_path)
        for number in range(600):
            try:
                assert bench.ask(number).reply == toy_reply(number)
            except (UnusableReplyError, UnansweredError) as error:
                outcomes[str(error)] += 1
        bench.client.close()
    assert len(server.requests) <= 1.5 * 600
    assert sum(outcomes.values()) <= 0.02 * 600
    assert bench.stored_files == 600 - sum(outcomes.values())


def test_a_refusal_is_not_asked_again(tmp_path: Path) -> None:
    failed, requests = fail_once(tmp_path, completion("x", finish_reason="content_filter"))
    assert (failed.usage, len(requests)) == (ONE, 1)


def test_what_failed_later_counts_what_was_paid_before(tmp_path: Path) -> None:
    failed, _ = fail_once(tmp_path, completion("no"), failure(400, "context length exceeded"))
    assert isinstance(failed, ContextLengthError)
    assert failed.usage == ONE


def test_429_is_waited_for_and_costs_nothing(tmp_path: Path) -> None:
    busy = failure(429, "slow down", headers={"Retry-After": "7"})
    with ModelServer([busy, busy, completion(toy_content())]) as server:
        bench = Bench(server, tmp_path)
        assert bench.ask().paid == ONE
        bench.client.close()
    assert bench.waits == [7.0, 7.0]
    assert len(server.requests) == 3


def test_service_failures_pass_through(tmp_path: Path) -> None:
    with ModelServer([failure(500, "boom")]) as server:
        bench = Bench(server, tmp_path)
        with pytest.raises(UnansweredError, match="gave up after 6 attempts") as raised:
            bench.ask()
        assert raised.value.usage == Usage()
        bench.client.close()
    with ModelServer([failure(401, "no")]) as server:
        bench = Bench(server, tmp_path)
        with pytest.raises(FatalServiceError):
            bench.ask()
        bench.client.close()
    assert bench.stored_files == 0


def test_what_was_paid_before_the_service_failed_is_counted(tmp_path: Path) -> None:
    with ModelServer([completion("no"), Reply({"choices": []}), failure(500, "boom")]) as server:
        bench = Bench(server, tmp_path)
        with pytest.raises(UnansweredError) as raised:
            bench.ask()
        bench.client.close()
    assert raised.value.usage == ONE + Usage(calls=1)
    assert len(server.requests) == 7


def test_after_a_fatal_error_nobody_is_asked_any_more(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content()), failure(401, "no")]) as server:
        bench = Bench(server, tmp_path)
        bench.ask()
        for number in (2, 3, 4):
            with pytest.raises(FatalServiceError, match=r"refused the .*; what was answered is stored; the same"):
                bench.ask(number)
        assert bench.ask().paid == Usage()  # what is stored needs nobody
        bench.client.close()
    assert len(server.requests) == 2


def test_the_time_of_the_run_is_checked_before_each_call(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content(), after=0.3)]) as server:
        bench = Bench(server, tmp_path, allowed=0.2)
        bench.ask()
        with pytest.raises(FatalServiceError) as raised:
            bench.ask(2)
        bench.client.close()
    assert str(raised.value) == (
        "the run has used up its time for calls, 0.2 s (run_timeout_seconds, --run-timeout); "
        "what was answered is stored; the same command continues"
    )
    assert len(server.requests) == 1


def test_the_time_of_the_run_breaks_calls_off(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content(), after=0.8)]) as server:
        bench = Bench(server, tmp_path, allowed=0.3)
        bench.client.close()
        bench.asker.client = OpenAIClient(server.base_url, "key", 5.0, 4, until=time.monotonic() + 0.3)
        with pytest.raises(FatalServiceError, match=r"^the run has used up its time for calls, 0\.3 s "):
            bench.ask()
        bench.asker.client.close()
    assert (bench.waits, bench.stored_files, len(server.requests)) == ([], 0, 1)


PAGE = Reply("<html>Sign in</html>", headers={"content-type": "text/html"})


def test_at_a_wrong_address_the_run_ends_with_the_first_request(tmp_path: Path) -> None:
    with ModelServer([PAGE]) as server:
        bench = Bench(server, tmp_path)
        for number in (1, 2):
            with pytest.raises(FatalServiceError) as raised:
                bench.ask(number)
        bench.client.close()
    assert str(raised.value) == (
        f"{server.base_url}: the answer is a web page: <html>Sign in</html>; is OPENAI_BASE_URL the address of a model"
        " endpoint? (asked 4 times); once that is right, the same command continues"
    )
    assert len(server.requests) == 4


def test_a_web_page_between_answers_costs_one_request(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content()), *[PAGE] * 4, completion(toy_content(3))]) as server:
        bench = Bench(server, tmp_path)
        bench.ask(1)
        with pytest.raises(UnusableReplyError, match=r"the answer is a web page: .* \(asked 4 times\)$"):
            bench.ask(2)
        bench.ask(3)
        bench.client.close()


def test_what_may_not_be_kept_of_an_answer_is_cleaned_before_all_else(tmp_path: Path) -> None:
    replies = [completion("key-4711 is no JSON"), completion(toy_content(summary="the key is key-4711"))]
    with ModelServer(replies) as server:
        bench = Bench(server, tmp_path, clean=lambda content: content.replace("key-4711", "[secret:key]"))
        answer = bench.ask()
        bench.client.close()
    assert answer.reply.summary == "the key is [secret:key]"
    assert [attempt.content[:12] for attempt in answer.stored.attempts] == ["[secret:key]", '{"ref": "r1"']
    assert "4711" not in str(server.requests) + "".join(path.read_text() for path in tmp_path.rglob("*.json"))


def test_a_wait_beyond_the_time_of_the_run_is_not_begun(tmp_path: Path) -> None:
    with ModelServer([failure(429, "slow down", headers={"Retry-After": "90"})]) as server:
        bench = Bench(server, tmp_path, allowed=60)
        with pytest.raises(FatalServiceError, match="used up its time for calls, 60 s"):
            bench.ask()
        bench.client.close()
    assert (bench.waits, len(server.requests)) == ([], 1)


def test_all_askers_of_a_breaker_end_together(tmp_path: Path) -> None:
    breaker = Breaker()
    with ModelServer([failure(402, "no money")]) as server:
        one, other = (Bench(server, tmp_path / name, breaker=breaker) for name in ("a", "b"))
        for bench in (one, other):
            with pytest.raises(FatalServiceError, match="quota is used up"):
                bench.ask()
            bench.client.close()
    assert len(server.requests) == 1


def test_a_stored_reply_that_fails_a_new_check_is_asked_anew(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content(summary="old")), completion(toy_content())]) as server:
        bench = Bench(server, tmp_path)
        first = bench.asker.ask(toy_request(), ToyReply)
        again = bench.asker.ask(toy_request(), ToyReply, lambda reply: "old" if reply.summary == "old" else None)
        bench.client.close()
    assert (first.reply.summary, again.reply.summary) == ("old", "Adds 1")
    assert len(bench.warnings) == 1
    assert bench.warnings[0].endswith(": old")
