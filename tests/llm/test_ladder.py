"""The ladder against endpoints that lack a rung, over a real socket; what is learnt, and what is not."""

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from fault_server import FaultServer
from model_server import ModelServer, Reply, Request, completion, failure
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import ServiceError
from prhub_digest.llm.abilities import Abilities, AbilityStore
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import ContextLengthError, UnusableReplyError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.schema_fit import answer_fits
from prhub_digest.llm.store import ReplyStore
from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Attempt, Rung, Usage
from prhub_digest.retry import RetriableError, call_with_retry

KEY = "sk-test-not-a-real-key"
DEEPSEEK = "This response_format type is unavailable now"
LLAMA_CPP_PYTHON = "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]"
SCHEMA_RUNGS: tuple[Rung, ...] = ("schema_strict", "schema")


def rung_of(request: Request) -> Rung:
    wanted = request.body.get("response_format")
    if wanted is None:
        return "text"
    if wanted["type"] == "json_object":
        return "json"
    return "schema_strict" if wanted["json_schema"]["strict"] else "schema"


def rungs(server: ModelServer | FaultServer) -> list[Rung]:
    return [rung_of(request) for request in server.requests]


def number_of(request: Request) -> int:
    return int(request.messages[1]["content"].split()[-1])


def good(request: Request) -> Reply:
    return completion(toy_content(number_of(request)))


def without(rejected: tuple[Rung, ...], status: int, words: str) -> Callable[[Request], Reply]:
    """An endpoint that rejects these rungs."""
    return lambda request: failure(status, words) if rung_of(request) in rejected else good(request)


@contextmanager
def client_of(server: ModelServer | FaultServer, folder: Path | None = None):
    client = OpenAIClient(server.base_url, KEY, 5.0, 4, abilities=AbilityStore(folder) if folder else None)
    try:
        yield client
    finally:
        client.close()


def complete(client: OpenAIClient, number: int = 1) -> Rung | None:
    """The rung of the answer; retried as the asker does."""
    request = toy_request(number)
    answer = call_with_retry(lambda: client.complete(request, request.messages, 100), sleep=lambda _: None)
    assert answer.content == toy_content(number)
    return answer.rung


@pytest.mark.parametrize(
    ("rejected", "status", "words", "ends"),
    [
        ((), 400, "", "schema_strict"),
        (("schema_strict",), 400, "Invalid schema for response_format 'ToyReply': strict mode wants more", "schema"),
        (("schema_strict",), 422, "'strict' is not a known field", "schema"),
        (SCHEMA_RUNGS, 400, DEEPSEEK, "json"),
        (SCHEMA_RUNGS, 422, DEEPSEEK, "json"),
        (SCHEMA_RUNGS, 500, LLAMA_CPP_PYTHON, "json"),
        (SCHEMA_RUNGS, 501, "structured output is not implemented", "json"),
        (SCHEMA_RUNGS, 404, "No endpoint of this model supports response_format", "json"),
        (SCHEMA_RUNGS, 400, "failed to parse grammar", "json"),
        (
            ("schema_strict", "schema", "json"),
            400,
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            "text",
        ),
        (("schema_strict", "schema", "json"), 400, "Json mode is not supported when thinking is on", "text"),
    ],
)
def test_the_ladder_goes_down_as_far_as_it_must_and_stays_there(
    tmp_path: Path, rejected: tuple[Rung, ...], status: int, words: str, ends: Rung
) -> None:
    with ModelServer(without(rejected, status, words)) as server:
        with client_of(server, tmp_path) as client:
            assert (complete(client, 1), complete(client, 2)) == (ends, ends)
        assert rungs(server) == [*rejected, ends, ends]
        with client_of(server, tmp_path) as another_run:
            assert another_run.abilities("toy-model").rung == ends
            assert complete(another_run, 3) == ends
        assert rungs(server) == [*rejected, ends, ends, ends]


def test_below_the_schema_it_stands_in_the_prompt_with_the_word_json() -> None:
    answer = without(("schema_strict", "schema", "json"), 400, DEEPSEEK)
    with ModelServer(answer) as server, client_of(server) as client:
        complete(client)
    strict, loose, mode, text = server.requests
    assert strict.messages == loose.messages
    assert loose.body["response_format"]["json_schema"] == {
        **strict.body["response_format"]["json_schema"],
        "strict": False,
    }
    assert mode.body["response_format"] == {"type": "json_object"}
    assert "response_format" not in text.body
    assert mode.messages == text.messages
    system, user = mode.messages
    assert user == strict.messages[1]
    begin, _, schema = system["content"].rpartition("\n")
    assert begin.startswith(strict.messages[0]["content"] + "\n\nAnswer with one JSON object and nothing else")
    assert json.loads(schema) == wire_schema(ToyReply)
    assert list(json.loads(schema)["properties"]) == ["ref", "summary", "highlights", "risk"]  # in the order of writing


def test_each_model_has_its_own_rung() -> None:
    def answer(request: Request) -> Reply:
        old = request.body["model"] == "old"
        return failure(400, DEEPSEEK) if old and rung_of(request) in SCHEMA_RUNGS else good(request)

    with ModelServer(answer) as server, client_of(server) as client:
        for model in ("old", "new", "old"):
            request = toy_request(1, model=model)
            client.complete(request, request.messages, 100)
        assert rungs(server) == ["schema_strict", "schema", "json", "schema_strict", "json"]
        assert (client.abilities("old").rung, client.abilities("new").rung) == ("json", "schema_strict")


def test_threads_share_what_one_has_learnt(tmp_path: Path) -> None:
    with ModelServer(without(SCHEMA_RUNGS, 400, DEEPSEEK)) as server, client_of(server, tmp_path) as client:
        complete(client, 0)
        threads = [threading.Thread(target=complete, args=(client, number)) for number in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert rungs(server)[3:] == ["json"] * 8


class Gate:
    """Holds the `held`th request for pull request 2 until it is opened; `answer` then decides."""

    def __init__(self, answer: Callable[[Request], Reply], held: int) -> None:
        self.arrived, self.opened = threading.Event(), threading.Event()
        self._answer, self._left = answer, held

    def __call__(self, request: Request) -> Reply:
        if number_of(request) == 2:
            self._left -= 1
            if not self._left:
                self.arrived.set()
                assert self.opened.wait(10)
        return self._answer(request)


@contextmanager
def meanwhile(gate: Gate, client: OpenAIClient):
    """Pull request 2 is on its way while the body runs, and is answered after it."""
    answers: list[Rung | None] = []
    thread = threading.Thread(target=lambda: answers.append(complete(client, 2)))
    thread.start()
    assert gate.arrived.wait(10)
    yield answers
    gate.opened.set()
    thread.join(10)


@pytest.mark.parametrize("silence", [Reply("", 400), failure(422, "Unprocessable Entity")])
@pytest.mark.parametrize("held", [1, 2])
@pytest.mark.parametrize(
    "refused", [{"response_format"}, {"temperature"}, {"response_format", "temperature", "max_tokens"}]
)
def test_a_call_that_was_sent_before_another_learnt_is_sent_once_more(
    refused: set[str], held: int, silence: Reply
) -> None:
    gate = Gate(lambda request: silence if refused & request.body.keys() else good(request), held)
    with FaultServer(gate) as server, client_of(server) as client:
        with meanwhile(gate, client) as answers:
            rung = complete(client, 1)
        assert answers == [rung]
        assert sum(number_of(request) == 2 for request in server.requests) == held + 1


def test_a_request_that_is_rejected_whatever_is_sent_costs_no_other(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return Reply("", 400) if number_of(request) == 1 or rung_of(request) != "text" else good(request)

    gate = Gate(answer, 1)
    with FaultServer(gate) as server, client_of(server) as client:
        with meanwhile(gate, client) as answers, pytest.raises(UnusableReplyError):
            complete(client, 1)
        assert answers == ["text"]
        with pytest.raises(UnusableReplyError):
            complete(client, 1)
        assert rungs(server)[-2:] == ["text", "text"]  # it is told from the endpoint's lack by now


def test_a_rung_that_brought_no_answer_is_not_remembered(tmp_path: Path) -> None:
    answer = without(("schema_strict", "schema", "json", "text"), 400, DEEPSEEK)
    with ModelServer(answer) as server, client_of(server, tmp_path) as client:
        request = toy_request()
        with pytest.raises(UnusableReplyError, match=r"rejected the request \(HTTP 400\): This response_format"):
            client.complete(request, request.messages, 100)
        assert client.abilities("toy-model") == Abilities()
    assert rungs(server) == ["schema_strict", "schema", "json", "text"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "words", "code", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens (with response_format)", None, ContextLengthError),
        (400, "too odd for me", None, UnusableReplyError),
        (402, "no money for response_format", None, ServiceError),
        (429, "response_format is busy", None, RetriableError),
        (429, "strict limits", "insufficient_quota", ServiceError),
        (503, "json_schema service unavailable", None, RetriableError),
        (404, "the model toy-model does not exist", None, ServiceError),
        (404, "unavailable", None, ServiceError),
        (400, "unrestricted models only", None, UnusableReplyError),
    ],
)
def test_other_failures_change_nothing(status: int, words: str, code: str | None, kind: type[Exception]) -> None:
    with ModelServer([failure(status, words, code)]) as server, client_of(server) as client:
        request = toy_request()
        with pytest.raises(kind):
            client.complete(request, request.messages, 100)
        assert rungs(server) == ["schema_strict"]
        assert client.abilities("toy-model") == Abilities()


def test_a_500_without_a_cause_goes_down_once_the_plain_attempts_have_failed(tmp_path: Path) -> None:
    with ModelServer(without(SCHEMA_RUNGS, 500, "boom")) as server:
        with client_of(server, tmp_path) as client:
            assert (complete(client, 1), complete(client, 2)) == ("json", "json")
        assert rungs(server) == ["schema_strict"] * 3 + ["json"] * 2
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == Abilities(rung="json")


def test_a_500_that_stays_is_asked_as_often_as_any_other(tmp_path: Path) -> None:
    with ModelServer([failure(500, "boom")]) as server, client_of(server, tmp_path) as client:
        with pytest.raises(ServiceError, match="gave up after 6 attempts"):
            complete(client)
        assert rungs(server) == ["schema_strict"] * 3 + ["json", "text", "schema_strict"]
        assert client.abilities("toy-model") == Abilities()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [500, 501])
@pytest.mark.parametrize("words", ["", "boom"])
def test_an_endpoint_that_fails_on_every_form_ends_in_plain_text(tmp_path: Path, status: int, words: str) -> None:
    answer = without(("schema_strict", "schema", "json"), status, words)
    with ModelServer(answer) as server:
        with client_of(server, tmp_path) as client:
            assert (complete(client, 1), complete(client, 2)) == ("text", "text")
        first = ["schema_strict"] * 3 + ["json"] if status == 500 else ["schema_strict", "schema", "json"]
        assert rungs(server) == [*first, "text", "text"]
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == Abilities(rung="text")


def test_500s_of_an_endpoint_that_has_answered_in_json_mode_are_not_its_fault(tmp_path: Path) -> None:
    boom = failure(500, "boom")
    with ModelServer([boom, boom, boom, completion(toy_content(1)), completion(toy_content(2))]) as server:
        AbilityStore(tmp_path).save(server.base_url, "toy-model", Abilities(rung="json"))
        with client_of(server, tmp_path) as client:
            assert [complete(client, number) for number in (1, 2)] == ["text", "json"]


def test_500s_of_an_endpoint_that_has_answered_a_schema_are_not_the_schemas_fault() -> None:
    boom = failure(500, "boom")
    replies = [completion(toy_content(1)), boom, boom, boom, completion(toy_content(2)), completion(toy_content(3))]
    with ModelServer(replies) as server, client_of(server) as client:
        assert [complete(client, number) for number in (1, 2, 3)] == ["schema_strict", "json", "schema_strict"]


def test_500s_of_several_requests_do_not_add_up() -> None:
    boom = failure(500, "boom")
    replies = [reply for number in range(1, 5) for reply in (boom, boom, completion(toy_content(number)))]
    with ModelServer(replies) as server, client_of(server) as client:
        assert {complete(client, number) for number in range(1, 5)} == {"schema_strict"}


class Lax:
    """An endpoint that takes a schema and answers as its list says; below the schema it does as it is told."""

    def __init__(self, *contents: str) -> None:
        self.contents = list(contents)

    def __call__(self, request: Request) -> Reply:
        if rung_of(request) in SCHEMA_RUNGS and self.contents:
            return completion(self.contents.pop(0))
        return good(request)


def rungs_after(*contents: str) -> list[Rung | None]:
    with ModelServer(Lax(*contents)) as server, client_of(server) as client:
        answers = []
        for number in range(1, len(contents) + 2):
            request = toy_request(number)
            answers.append(client.complete(request, request.messages, 100).rung)
        return answers


MISFITS = [
    "Sure! The summary is: it adds retries.",
    '{"ref": "r1", "summary": "cut',
    '{"ref": "r1", "summary": "s", "highlights": []}',
    toy_content(extra=1),
    toy_content(highlights="kv cache"),
    toy_content(highlights=[1]),
    toy_content(highlights=None),
    toy_content(risk="3"),
    toy_content(risk=2.5),
    toy_content(risk=True),
    toy_content(risk=85),  # an enum on the wire
    toy_content(summary=None),
    toy_content().replace("}", ', "ref": "r1"}'),
    toy_content().replace(": 2}", ": NaN}"),
    f"[{toy_content()}]",
]


@pytest.mark.parametrize("content", MISFITS)
def test_a_schema_that_is_not_enforced_goes_into_the_prompt(content: str) -> None:
    assert rungs_after(*[content] * 5) == [*["schema_strict"] * 5, "json"]


@pytest.mark.parametrize("content", MISFITS)
def test_a_good_answer_in_between_shows_that_it_is_enforced(content: str) -> None:
    assert rungs_after(*[content] * 4, toy_content(), *[content] * 4) == ["schema_strict"] * 10


@pytest.mark.parametrize(
    "content",
    [
        toy_content(7),  # the ref of another
        toy_content(summary=""),
        toy_content(risk=0),
        toy_content(risk=2.0),
        '{"ref": "r1", "summary": "s", "highlights": [], "risk": 1e999}',  # seen from an enforcing server
        f"<think>hm</think>{toy_content()}",
        f"```json\n{toy_content()}\n```",
    ],
)
def test_what_an_enforcing_server_may_write_changes_nothing(content: str) -> None:
    assert rungs_after(*[content] * 6) == ["schema_strict"] * 7


def test_an_answer_that_was_cut_says_nothing_of_the_schema() -> None:
    cut = completion('{"ref": "r1", "summ', finish_reason="length")
    with ModelServer([cut, cut, cut, completion(toy_content())]) as server, client_of(server) as client:
        request = toy_request()
        for _ in range(4):
            client.complete(request, request.messages, 100)
        assert rungs(server) == ["schema_strict"] * 4


def test_a_schema_that_is_not_enforced_is_remembered_when_the_prompt_has_helped(tmp_path: Path) -> None:
    with ModelServer(Lax(*["no"] * 5)) as server, client_of(server, tmp_path) as client:
        for number in range(1, 6):
            request = toy_request(number)
            client.complete(request, request.messages, 100)
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") is None
        complete(client)
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == Abilities(rung="json")


def test_the_rung_is_kept_with_each_attempt_and_is_no_part_of_the_key(tmp_path: Path) -> None:
    with ModelServer(Lax("no")) as server, client_of(server) as client:
        store = ReplyStore(tmp_path, print)
        answer = Asker(client, store, sleep=lambda _: None).ask(toy_request(), ToyReply)
    with ModelServer(without(SCHEMA_RUNGS, 400, DEEPSEEK)) as server, client_of(server) as client:
        asker = Asker(client, ReplyStore(tmp_path / "b", print), sleep=lambda _: None)
        other = asker.ask(toy_request(), ToyReply)
    assert answer.reply == other.reply == toy_reply()
    assert [attempt.rung for attempt in answer.stored.attempts] == ["schema_strict", "json"]
    assert (answer.stored.rung, other.stored.rung) == ("json", "json")
    assert answer.stored.request.request_hash == other.stored.request.request_hash
    assert store.find(toy_request()) == answer.stored


def test_a_recording_without_a_rung_stays_as_it_is() -> None:
    attempt = Attempt(content="x", finish_reason="stop", usage=Usage(calls=1))
    assert "rung" not in attempt.to_json()
    assert Attempt.model_validate_json(attempt.to_json()) == attempt
    known = attempt.updated(rung="text")
    assert Attempt.model_validate_json(known.to_json()).rung == "text"


class Part(Record):
    kind: Literal["a", "b"]
    note: str | None


class Whole(Record):
    """Every shape that a wire schema may have."""

    parts: tuple[Part, ...]
    share: float
    count: int
    sure: bool
    best: Part | None
    score: Literal[0, 1, 2]


WHOLE: dict[str, Any] = {
    "parts": [{"kind": "a", "note": None}, {"kind": "b", "note": "n"}],
    "share": 0.5,
    "count": 3,
    "sure": True,
    "best": None,
    "score": 2,
}


@pytest.mark.parametrize(
    ("changes", "fits"),
    [
        ({}, True),
        ({"share": 1}, True),
        ({"count": -(10**12)}, True),
        ({"best": {"kind": "b", "note": "x"}}, True),
        ({"parts": []}, True),
        ({"parts": {}}, False),
        ({"parts": [{"kind": "c", "note": None}]}, False),
        ({"parts": [{"kind": "a"}]}, False),
        ({"parts": [{"kind": "a", "note": None, "more": 1}]}, False),
        ({"best": {"kind": "b", "note": 1}}, False),
        ({"best": "b"}, False),
        ({"share": "0.5"}, False),
        ({"share": True}, False),
        ({"count": 3.5}, False),
        ({"count": False}, False),
        ({"sure": 1}, False),
        ({"score": 3}, False),
        ({"score": True}, False),
    ],
)
def test_an_answer_fits_its_wire_schema(changes: dict[str, Any], fits: bool) -> None:
    assert answer_fits(json.dumps({**WHOLE, **changes}), wire_schema(Whole)) is fits


def test_a_server_that_ignores_schemas_costs_no_pull_request() -> None:
    def lax(request: Request) -> Reply:
        return completion("no") if rung_of(request) in SCHEMA_RUNGS else good(request)

    with ModelServer(lax) as server, client_of(server) as client:
        seen = []
        for number in range(1, 4):
            request = toy_request(number)
            answers = [client.complete(request, request.messages, 100) for _ in range(2)]
            seen.append([answer.rung for answer in answers])
    assert seen == [["schema_strict", "json"], ["schema_strict", "json"], ["json", "json"]]


def test_one_misfit_of_a_server_that_keeps_to_schemas_changes_nothing() -> None:
    with ModelServer(Lax(toy_content(), "no", "no")) as server, client_of(server) as client:
        request = toy_request()
        answers = [client.complete(request, request.messages, 100).rung for _ in range(4)]
    assert answers == ["schema_strict"] * 4
