"""What servers say when they reject a parameter, and what is then sent: over a real socket, and as tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_server import ModelServer, Reply, Request, completion, failure
from toy_requests import toy_content, toy_request

from prhub_digest.llm.abilities import Abilities, AbilityStore
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import ContextLengthError, UnusableReplyError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.rejections import lower_after, room_left
from prhub_digest.llm.store import ReplyStore

KEY = "sk-test-not-a-real-key"
NAMES = ("max_tokens", "max_completion_tokens", "temperature", "response_format")
DEEPSEEK = "This response_format type is unavailable now"
LIMIT = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
TEMPERATURE = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
TRIED = Abilities()
OTHER_NAME = TRIED.updated(limit_name="max_completion_tokens")
NO_TEMPERATURE = TRIED.updated(temperature=False)


def detail(*names: str, msg: str = "Extra inputs are not permitted", **more: Any) -> dict[str, Any]:
    """As FastAPI says it."""
    return {"detail": [{"type": "extra_forbidden", "loc": ["body", *names], "msg": msg, "input": 0.0, **more}]}


def complete(server: ModelServer, folder: Path, *numbers: int, limit: int = 100) -> list[str]:
    """The answers of a client that remembers in `folder`."""
    client = OpenAIClient(server.base_url, KEY, 5.0, 1, abilities=AbilityStore(folder))
    try:
        requests = [toy_request(number) for number in numbers]
        return [client.complete(request, request.messages, limit).content for request in requests]
    finally:
        client.close()


def sent(server: ModelServer) -> list[dict[str, Any]]:
    """The parameters of each request; of a form only its type."""
    shown = [{name: one.body[name] for name in NAMES if name in one.body} for one in server.requests]
    return [{**one, "response_format": one["response_format"]["type"]} if len(one) == 3 else one for one in shown]


def refusing(name: str, reply: Reply) -> Callable[[Request], Reply]:
    return lambda request: reply if name in request.body else completion(toy_content())


def test_parameters_that_an_endpoint_rejects_are_learnt_once(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return failure(400, LIMIT)
        if "temperature" in request.body:
            return failure(400, TEMPERATURE)
        return completion(toy_content())

    with ModelServer(answer) as server:
        for number in (1, 2):
            complete(server, tmp_path, number)
        assert [{name: value for name, value in one.items() if name != "response_format"} for one in sent(server)] == [
            {"max_tokens": 100, "temperature": 0.0},
            {"max_completion_tokens": 100, "temperature": 0.0},
            {"max_completion_tokens": 100},
            {"max_completion_tokens": 100},
        ]


@pytest.mark.parametrize(
    ("name", "reply", "ends"),
    [
        ("temperature", Reply({"error": {"message": "bad value", "param": "temperature"}}, 400), NO_TEMPERATURE),
        ("temperature", Reply(detail("temperature"), 422), NO_TEMPERATURE),
        ("max_tokens", Reply(detail("max_tokens"), 422), OTHER_NAME),
        ("max_tokens", Reply("", 422), OTHER_NAME),
        ("temperature", Reply("", 422), NO_TEMPERATURE),
        ("temperature", Reply({"detail": "Unprocessable Entity"}, 422), NO_TEMPERATURE),
        ("response_format", Reply("", 400), TRIED.updated(rung="text")),
        ("response_format", Reply(detail("response_format"), 422), TRIED.updated(rung="text")),
    ],
)
def test_whichever_way_it_is_rejected(tmp_path: Path, name: str, reply: Reply, ends: Abilities) -> None:
    with ModelServer(refusing(name, reply)) as server:
        assert complete(server, tmp_path, 1, 1) == [toy_content()] * 2
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == ends
        before = len(server.requests)
        complete(server, tmp_path, 1)
        assert len(server.requests) == before + 1


def test_the_older_name_of_the_limit_is_found_again(tmp_path: Path) -> None:
    """At a local address another server may listen today."""
    reply = failure(400, "Unrecognized request argument supplied: max_completion_tokens")
    with ModelServer(refusing("max_completion_tokens", reply)) as server:
        store = AbilityStore(tmp_path)
        store.save(server.base_url, "toy-model", OTHER_NAME)
        complete(server, tmp_path, 1, 2)
        assert len(server.requests) == 3
        assert store.find(server.base_url, "toy-model") == TRIED


@pytest.mark.parametrize(
    "rejection",
    [
        lambda name: Reply(detail(name), 422),
        lambda name: failure(400, f"Unrecognized request argument supplied: {name}"),
        lambda name: Reply({"error": {"message": f"Invalid value for {name}", "param": name}}, 400),
    ],
)
def test_an_endpoint_that_takes_neither_name_gets_no_limit(tmp_path: Path, rejection: Callable[[str], Reply]) -> None:
    def answer(request: Request) -> Reply:
        if "temperature" in request.body:
            return Reply(detail("temperature"), 422)
        name = next((name for name in request.body if name.startswith("max_")), None)
        return rejection(name) if name else completion(toy_content())

    with ModelServer(answer) as server:
        complete(server, tmp_path, 1)
        complete(server, tmp_path, 2)
        assert len(server.requests) == 5
        found = AbilityStore(tmp_path).find(server.base_url, "toy-model")
        assert found == Abilities(temperature=False, limit_name=None)


def test_a_rejection_without_a_reason_is_met_with_less_once(tmp_path: Path) -> None:
    with ModelServer([Reply("", 422)]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 1)
        for number in (1, 2):
            request = toy_request(number)
            with pytest.raises(UnusableReplyError, match=r"rejected the request \(HTTP 422\): it says no more$"):
                client.complete(request, request.messages, 100)
        client.close()
        assert len(server.requests) == 7 + 1


def test_a_rejection_without_a_reason_after_good_answers_is_about_that_request(tmp_path: Path) -> None:
    with ModelServer([completion(toy_content()), Reply("", 400)]) as server:
        with pytest.raises(UnusableReplyError):
            complete(server, tmp_path, 1, 2)
        assert len(server.requests) == 2


def test_the_most_that_an_endpoint_allows_is_remembered(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if request.body["max_tokens"] > 60:
            return failure(
                400, f"max_tokens is too large: {request.body['max_tokens']}. It supports at most 60 tokens."
            )
        return completion(toy_content())

    with ModelServer(answer) as server:
        complete(server, tmp_path, 1, 2)
        complete(server, tmp_path, 3)
        complete(server, tmp_path, 4, limit=50)
        assert [one.body["max_tokens"] for one in server.requests] == [100, 60, 60, 60, 50]
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == Abilities(most_output=60)


def test_an_answer_cut_at_the_most_is_not_asked_for_again(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if request.body["max_tokens"] > 60:
            return failure(400, "max_tokens must be at most 60")
        return completion('{"ref": "r1', finish_reason="length")

    with ModelServer(answer) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 1)
        asker = Asker(client, ReplyStore(tmp_path, print), sleep=lambda _: None)
        with pytest.raises(UnusableReplyError) as raised:
            asker.ask(toy_request(), type(None))  # type: ignore[type-var]  # no answer gets so far
        client.close()
    assert str(raised.value) == (
        "the answer was cut at the output limit of 60 tokens, the most that the endpoint allows"
    )
    assert len(server.requests) == 2


def context_of(size: int, used: int) -> Callable[[Request], Reply]:
    """A model whose context holds so many tokens; the input takes `used` of them."""

    def answer(request: Request) -> Reply:
        room = request.body["max_tokens"]
        if used + room > size:
            return failure(
                400,
                f"This model's maximum context length is {size} tokens. However, you requested {used + room} tokens"
                f" ({used} in the messages, {room} in the completion).",
            )
        return completion(toy_content())

    return answer


def test_the_room_for_an_answer_gives_way_to_the_context(tmp_path: Path) -> None:
    with ModelServer(context_of(1000, 940)) as server:
        complete(server, tmp_path, 1)
        assert [one.body["max_tokens"] for one in server.requests] == [100, 60]
        assert AbilityStore(tmp_path).find(server.base_url, "toy-model") == TRIED  # another input leaves other room


@pytest.mark.parametrize("used", [980, 999, 1000, 5000])
def test_with_too_little_room_the_request_is_too_long(tmp_path: Path, used: int) -> None:
    with ModelServer(context_of(1000, used)) as server:
        with pytest.raises(ContextLengthError):
            complete(server, tmp_path, 1)
        assert len(server.requests) == 1


def test_an_answer_cut_where_the_context_ends_makes_the_request_too_long(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        reply = context_of(1000, 940)(request)
        return reply if reply.status == 400 else completion('{"ref"', finish_reason="length")

    with ModelServer(answer) as server, pytest.raises(ContextLengthError, match="cut at the 60 tokens that were left"):
        complete(server, tmp_path, 1)


@pytest.mark.parametrize(
    ("body", "lower"),
    [
        ({"message": LIMIT}, OTHER_NAME),
        ({"error": {"message": "use max_completion_tokens in place of max_tokens"}}, OTHER_NAME),
        ({"message": "Unknown parameter.", "param": "max_tokens"}, OTHER_NAME),
        ({"message": TEMPERATURE, "param": "temperature"}, NO_TEMPERATURE),
        ({"message": "Unsupported parameter: 'temperature' is not supported"}, NO_TEMPERATURE),
        ({"message": "`temperature` is deprecated for this model."}, NO_TEMPERATURE),
        ({"message": "`temperature` must be strictly positive"}, NO_TEMPERATURE),
        ({"message": "Unrecognized request argument supplied: temperature"}, NO_TEMPERATURE),
        ({"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'no'}]"}, NO_TEMPERATURE),
        ({"message": "1 validation error for ChatRequest\ntemperature\n  Extra inputs are no"}, NO_TEMPERATURE),
        ({"message": "the temperature of the chips is high"}, None),
        ({"message": "no", "param": "response_format"}, TRIED.updated(rung="schema")),
        (detail("response_format", "type"), TRIED.updated(rung="schema")),
        (detail("messages", "0"), None),
        ("json_schema: unknown", TRIED.updated(rung="schema")),
        (None, None),
        ([], None),
        ({"error": None}, None),
    ],
)
def test_what_an_error_says_about_abilities(body: Any, lower: Abilities | None) -> None:
    assert lower_after(TRIED, 400, body) == lower


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ({"message": "max_tokens is too large: 3600. This model supports at most 2048 completion tokens"}, 2048),
        ({"message": "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]"}, 2048),
        ({"message": "max_tokens: 3600 > 2,048, which is the maximum allowed for toy-4-0613"}, 2048),
        ({"message": "`max_tokens` must be less than or equal to `2048`"}, 2048),
        ({"message": "too large, at most 2048", "param": "max_tokens"}, 2048),
        (detail("max_tokens", msg="Input should be less than or equal to 2048", ctx={"le": 2048}), 2048),
        ({"message": "max_tokens is too large: 3600, of 1024 and 2048 at most the first"}, None),
        ({"message": "max_tokens is too large: 3600. At most 4096."}, None),
        ({"message": "at most 2048 images"}, None),
        ({"message": "max_tokens: 2048 reasons"}, None),
    ],
)
def test_the_most_output_is_the_one_lower_number(body: Any, most: int | None) -> None:
    lower = lower_after(TRIED, 400, body, 3600)
    assert (lower.most_output if lower else None) == most


@pytest.mark.parametrize(
    ("words", "room"),
    [
        (
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 3600. This model's maximum context length is"
                " 4096 tokens and your request has 2958 input tokens (3600 > 4096 - 2958)."
            ),
            1138,
        ),
        (
            (
                "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a"
                " total of 6558 tokens: 2958 tokens from the input messages and 3600 tokens for the completion."
            ),
            1138,
        ),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 2958 `inputs` tokens and 3600 `max_new_tokens`",
            1138,
        ),
        ("input length and `max_tokens` exceed context limit: 188,240 + 3600 > 190,000, decrease input length", 1760),
        ("This model's maximum context length is 4096 tokens, however you requested 5000 tokens in the prompt", None),
        ("This model's maximum context length is 4096 tokens; 3500 are in the messages", None),  # a sixth is left
        ("the request exceeds the available context size, try increasing it", None),
        ("too odd: 2958 of 4096", None),
    ],
)
def test_the_room_beside_the_input(words: str, room: int | None) -> None:
    assert room_left({"message": words}, 3600) == room


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([DEEPSEEK, LIMIT, "body"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["error", "message", "code", "param", "detail", "loc", "msg"]), inner, max_size=3
            )
        ),
        max_leaves=8,
    ),
    st.sampled_from([400, 404, 422, 429, 500, 501, 503]),
)
@settings(max_examples=200)
def test_whatever_an_error_holds_the_ladder_ends(body: Any, status: int) -> None:
    tried: list[Abilities] = []
    lower: Abilities | None = TRIED
    while lower is not None and lower not in tried:
        tried.append(lower)
        lower = lower_after(lower, status, body, 100)
    assert len(tried) <= 7
    assert room_left(body, 100) is None
