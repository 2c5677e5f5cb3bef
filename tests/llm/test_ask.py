from pathlib import Path

import pytest
from model_server import ModelServer, Reply, Request, completion, failure
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.llm.ask import Answer, Asker
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

    def __init__(self, server: ModelServer, folder: Path) -> None:
        self.warnings: list[str] = []
        self.waits: list[float] = []
        self.folder = folder
        self.client = OpenAIClient(server.base_url, "key", 5.0, 4)
        store = ReplyStore(folder, self.warnings.append)
        self.asker = Asker(self.client, store, sleep=self.waits.append, recorded=lambda: "now")

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
    attempts = (Attempt(content=toy_content(), finish_reason="stop", usage=ONE),)
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
    assert requests[1].messages == [
        *requests[0].messages,
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


def test_h13_no_answer_is_asked_once_more(tmp_path: Path) -> None:
    empty = Reply({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 0}})
    answer, requests = ask_once(tmp_path / "a", empty, completion(toy_content()))
    assert answer.usage == ONE + Usage(calls=1, input_tokens=900)
    assert requests[0] == requests[1]
    bodies: tuple[dict[str, object], ...] = (
        {"choices": []},
        {"choices": None},
        {"error": {"message": "engine crashed", "code": 500}},
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": None}}]},
    )
    for body in bodies:
        failed, requests = fail_once(tmp_path / "b", Reply(body))
        assert (failed.usage, len(requests)) == (Usage(calls=2), 2)


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
        with pytest.raises(ServiceError, match="gave up after 6 attempts"):
            bench.ask()
        bench.client.close()
    with ModelServer([failure(401, "no")]) as server:
        bench = Bench(server, tmp_path)
        with pytest.raises(FatalServiceError):
            bench.ask()
        bench.client.close()
    assert bench.stored_files == 0


def test_a_stored_reply_that_fails_a_new_check_is_asked_anew(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content(summary="old")), completion(toy_content())]) as server:
        bench = Bench(server, tmp_path)
        first = bench.asker.ask(toy_request(), ToyReply)
        again = bench.asker.ask(toy_request(), ToyReply, lambda reply: "old" if reply.summary == "old" else None)
        bench.client.close()
    assert (first.reply.summary, again.reply.summary) == ("old", "Adds 1")
    assert len(bench.warnings) == 1
    assert bench.warnings[0].endswith(": old")
