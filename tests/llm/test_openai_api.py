import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from fake_time import FakeTime
from model_server import ModelServer, Reply, closed_port, completion, failure
from toy_requests import toy_content, toy_request

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError, SettingsError
from prhub_digest.llm.client import (
    Completion,
    ContextLengthError,
    NoAnswerError,
    RefusedError,
    StrangeAnswerError,
    UnusableReplyError,
)
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.throttle import Throttle
from prhub_digest.models.llm import Usage
from prhub_digest.retry import RetriableError, call_with_retry

KEY = "sk-test-not-a-real-key"


def ask(base_url: str, *, timeout: float = 5.0, key: str | None = KEY) -> Completion:
    client = OpenAIClient(base_url, key, timeout, 4)
    try:
        request = toy_request()
        return client.complete(request, request.messages, 100)
    finally:
        client.close()


def error_of(*replies: Reply) -> PrhubError:
    """The error that the replies lead to; it never holds the key, and is raised after one request."""
    with ModelServer(replies) as server:
        with pytest.raises(PrhubError) as raised:
            ask(server.base_url)
        assert len(server.requests) == 1
        assert KEY not in str(raised.value)
        error = raised.value
        error.args = (str(error).replace(server.base_url, "URL"),)
        return error


def message(**fields: Any) -> Reply:
    """A completion whose message has these fields."""
    reply = completion("x")
    reply.body["choices"][0]["message"] = {"role": "assistant", **fields}
    return reply


FINAL = toy_content(summary="final")


def test_what_is_sent_and_what_comes_back() -> None:
    with ModelServer([completion(toy_content(), usage=(120, 30))]) as server:
        answer = ask(server.base_url)
    usage = Usage(calls=1, input_tokens=120, output_tokens=30)
    assert answer == Completion(toy_content(), "stop", usage, "schema_strict")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "toy-model",
        "messages": [
            {"role": "system", "content": "Summarize."},
            {"role": "user", "content": "Pull request 1"},
        ],
        "temperature": 0.0,
        "max_tokens": 100,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "ToyReply",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "ref": {"type": "string"},
                        "summary": {"type": "string"},
                        "highlights": {"type": "array", "items": {"type": "string"}},
                        "risk": {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]},
                    },
                    "required": ["ref", "summary", "highlights", "risk"],
                    "additionalProperties": False,
                },
            },
        },
    }


def test_missing_usage_and_cached_tokens() -> None:
    cached = completion("x")
    cached.body["usage"]["prompt_tokens_details"] = {"cached_tokens": 64}
    with ModelServer([completion("x", usage=None), cached]) as server:
        assert ask(server.base_url).usage == Usage(calls=1)
        assert ask(server.base_url).usage == Usage(calls=1, input_tokens=100, output_tokens=10, cached_tokens=64)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": -5, "completion_tokens": 10**12}, Usage(calls=1)),
        ({"prompt_tokens": 10**12, "completion_tokens": -1}, Usage(calls=1)),
        ({"prompt_tokens": True, "completion_tokens": "12"}, Usage(calls=1)),
        (
            {"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 10**6}},
            Usage(calls=1, input_tokens=50, cached_tokens=50),
        ),
        ({"prompt_tokens": 50, "prompt_cache_hit_tokens": 32}, Usage(calls=1, input_tokens=50, cached_tokens=32)),
        (
            {"prompt_tokens": 50, "cached_tokens": 16, "prompt_tokens_details": None},
            Usage(calls=1, input_tokens=50, cached_tokens=16),
        ),
    ],
)
def test_usage_is_believed_as_far_as_it_can_be(usage: dict[str, Any], counted: Usage) -> None:
    reply = completion("x")
    reply.body["usage"] = usage
    with ModelServer([reply]) as server:
        assert ask(server.base_url).usage == counted


def test_the_environment_of_openai_stays_away_from_other_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "key-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: header-secret\nAuthorization: Bearer other-secret")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    with ModelServer([completion("x")]) as server:
        ask(server.base_url, key=None)
    (request,) = server.requests
    assert "secret" not in str(request)
    assert request.headers["authorization"] == "Bearer none"


def test_settings_that_cannot_work() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not set"):
        OpenAIClient(None, None, 5.0, 1)
    with pytest.raises(SettingsError, match="must begin with http"):
        OpenAIClient("localhost:8000/v1", None, 5.0, 1)


def test_a_wrong_key_ends_everything() -> None:
    error = error_of(failure(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    assert isinstance(error, FatalServiceError)
    assert str(error) == (
        "URL refused the key (HTTP 401): check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
    )


@pytest.mark.parametrize(
    "reply",
    [
        failure(404, "The model `toy-model` does not exist", "model_not_found"),
        failure(404, 'model "toy-model" not found, try pulling it first'),
        failure(400, "model_not_found"),
        failure(400, "Model Not Exist", "invalid_request_error"),
        failure(400, "toy-model is not a valid model ID"),
        failure(400, "invalid model ID"),
        failure(400, "Invalid model: toy-model"),
        failure(400, "Invalid model name passed in model=toy-model"),
        failure(400, "The supported API model names are toy-a or toy-b, but you passed toy-model."),
        failure(400, "No such model: toy-model"),
        failure(400, "The model `toy-model` has been decommissioned", "model_decommissioned"),
        failure(404, "Not found the model toy-model or Permission denied"),
        failure(403, "Project does not have access to model `toy-model`", "model_not_found"),
        failure(403, "Your team has no access to the model toy-model"),
        Reply({"error": {"message": "choose another", "param": "model"}}, 400),
        failure(422, "no", "invalid_model"),
    ],
)
def test_an_unknown_model_ends_everything(reply: Reply) -> None:
    error = error_of(reply)
    assert isinstance(error, FatalServiceError)
    assert str(error).startswith("URL does not know the model 'toy-model' (HTTP 4")
    assert str(error).endswith("): check --model or PRHUB_MODEL")


@pytest.mark.parametrize(
    "words",
    [
        "this model does not support tools",
        "the model is not allowed to answer this",
        "invalid model output",
        "the request names no user",
    ],
)
def test_a_rejection_that_speaks_of_the_model_is_not_of_the_model(words: str) -> None:
    error = error_of(failure(400, words))
    assert (type(error), str(error)) == (UnusableReplyError, f"URL rejected the request (HTTP 400): {words}")


def test_a_403_says_why_and_hides_the_key() -> None:
    error = error_of(failure(403, f"Country, region, or territory not supported for {KEY}"))
    assert isinstance(error, FatalServiceError)
    assert str(error) == (
        "URL refused access (HTTP 403: Country, region, or territory not supported for ***):"
        " check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
    )


def test_h12a_quota_is_no_pause() -> None:
    error = error_of(failure(429, "You exceeded your current quota", "insufficient_quota"))
    assert isinstance(error, FatalServiceError)
    assert error.exit_code == 4
    assert str(error) == "URL: the account's quota is used up (HTTP 429): You exceeded your current quota"


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (
            failure(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
            ContextLengthError,
            "the request does not fit into the model's context: This model's maximum context length is 8192 tokens.",
        ),
        (
            failure(400, "the request exceeds the available room", "exceed_context_size_error"),
            ContextLengthError,
            "the request does not fit into the model's context: the request exceeds the available room",
        ),
        (
            failure(400, f"odd request with {KEY}"),
            UnusableReplyError,
            "URL rejected the request (HTTP 400): odd request with ***",
        ),
        (  # the words are cut in the middle of the key
            failure(400, "x" * 195 + KEY),
            UnusableReplyError,
            "URL rejected the request (HTTP 400): " + "x" * 195 + "***",
        ),
        (failure(503, "overloaded"), RetriableError, "URL answered HTTP 503: overloaded"),
        (Reply("<html>Bad gateway</html>", 502), RetriableError, "URL answered HTTP 502: <html>Bad gateway</html>"),
        (
            Reply("<html>Welcome</html>", 200, {"content-type": "text/html"}),
            StrangeAnswerError,
            "URL: the answer is a web page: <html>Welcome</html>; is OPENAI_BASE_URL the address of a model endpoint?",
        ),
        (
            Reply('{"choices": [{"message": {"reasoning": "what nobody should see'),
            NoAnswerError,
            "the endpoint's answer is not JSON, or cut (62 bytes)",
        ),
        (Reply("[" * 100_000), NoAnswerError, "the endpoint's answer is nested too deeply"),
        (
            Reply('"text"'),
            StrangeAnswerError,
            "URL: the answer is not a JSON object; is OPENAI_BASE_URL the address of a model endpoint?",
        ),
        (
            Reply({"status": "ok", "version": 3}),
            StrangeAnswerError,
            (
                "URL: the answer is no chat completion; it holds status, version; is OPENAI_BASE_URL the address of a"
                " model endpoint?"
            ),
        ),
        (
            Reply("404 page not found", 404, {"content-type": "text/plain"}),
            FatalServiceError,
            (
                "URL has no chat completions, or does not know the model 'toy-model' (HTTP 404: 404 page not found):"
                " check --model or PRHUB_MODEL, and the address: is OPENAI_BASE_URL the address of a model endpoint?"
            ),
        ),
        (
            Reply("", 405),
            FatalServiceError,
            (
                "URL takes no chat completions (HTTP 405: it says no more): is OPENAI_BASE_URL the address of a model"
                " endpoint?"
            ),
        ),
        (
            Reply("<h1>400</h1> The plain HTTP request was sent to HTTPS port", 400, {"content-type": "text/html"}),
            FatalServiceError,
            "URL speaks https, and was asked in http (HTTP 400): write https:// in OPENAI_BASE_URL",
        ),
        (Reply({"choices": None}), NoAnswerError, "the endpoint's answer has no choices"),  # H-13
        (
            Reply({"error": {"message": "engine crashed", "code": 500}}),
            RetriableError,
            "URL answered error 500 inside HTTP 200: engine crashed",
        ),
        (
            Reply({"error": {"message": "wait", "code": "429"}}),
            RetriableError,
            "URL answered error 429 inside HTTP 200: wait",
        ),
        (
            Reply({"error": {"message": "wait", "status": "RESOURCE_EXHAUSTED"}}),
            RetriableError,
            "URL answered error 429 inside HTTP 200: wait",
        ),
        (
            Reply({"error": {"message": "try later", "type": "overloaded_error"}}),
            RetriableError,
            "URL answered error 500 inside HTTP 200: try later",
        ),
        (
            Reply({"error": {"message": "all used up", "code": 429, "type": "insufficient_quota"}}),
            FatalServiceError,
            "URL: the account's quota is used up (error 429 inside HTTP 200): all used up",
        ),
        (
            Reply({"error": {"message": "flagged", "code": 403}}),
            NoAnswerError,
            "the endpoint answered 200 with an error: flagged",
        ),
        (Reply({"error": f"odd {KEY}"}), NoAnswerError, "the endpoint answered 200 with an error: odd ***"),
        (message(content=None, refusal=f"not {KEY}"), RefusedError, "the model refused: not ***"),
        (
            completion("half of", finish_reason="error"),
            NoAnswerError,
            "the endpoint broke the answer off with an error",
        ),
        (completion(None), NoAnswerError, "the endpoint's answer has no content"),
        (completion("  \n "), NoAnswerError, "the endpoint's answer has no content"),
        (
            completion("half", finish_reason="content_filter"),
            RefusedError,
            "the endpoint's content filter held the answer back",
        ),
        (
            completion("half", finish_reason="SAFETY"),
            RefusedError,
            "the endpoint's content filter held the answer back",
        ),
        (message(content=None, refusal="I cannot"), RefusedError, "the model refused: I cannot"),
        (message(content=[{"type": "refusal", "refusal": "No."}]), RefusedError, "the model refused: No."),
        (message(content=[]), NoAnswerError, "the endpoint's answer has no content"),
        (
            message(content=[{"type": "thinking", "thinking": FINAL}, "x", {"type": "image"}]),
            NoAnswerError,
            "the endpoint's answer has no content",
        ),
        (
            message(content="", reasoning_content=f"Perhaps {FINAL}"),
            NoAnswerError,
            "the endpoint's answer has no content",
        ),
        (message(content=None, reasoning=f"[{FINAL}]"), NoAnswerError, "the endpoint's answer has no content"),
        (
            message(content=None, reasoning_content={"a": 1}, reasoning=FINAL[:-1]),
            NoAnswerError,
            "the endpoint's answer has no content",
        ),
    ],
)
def test_every_failure_has_a_name(reply: Reply, kind: type[PrhubError], message: str) -> None:
    error = error_of(reply)
    assert (type(error), str(error)) == (kind, message)


@pytest.mark.parametrize(
    "reply",
    [
        message(content=[{"type": "text", "text": FINAL[:9]}, {"type": "text", "text": FINAL[9:]}]),
        message(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "{"}]}, {"text": FINAL}]),
        message(content=[{"type": "output_text", "text": FINAL}]),
        message(content=FINAL, reasoning_content="what nobody should see"),
        message(content="", reasoning_content=FINAL),
        message(content=None, reasoning=f"\n{FINAL}\n"),
        message(content=" ", reasoning_content=f"<think>what nobody should see</think>\n{FINAL}\n"),
        message(content="", reasoning_content="what nobody should see", reasoning=FINAL),
    ],
)
def test_the_answer_of_a_reasoning_model_is_the_answer_alone(reply: Reply) -> None:
    with ModelServer([reply]) as server:
        assert ask(server.base_url).content == FINAL


@pytest.mark.parametrize("word", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_a_cut_has_one_name(word: str) -> None:
    with ModelServer([completion("half", finish_reason=word)]) as server:
        assert ask(server.base_url).finish_reason == "length"


def test_h13_usage_of_an_answer_without_choices_counts() -> None:
    error = error_of(Reply({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 0}}))
    assert isinstance(error, NoAnswerError)
    assert error.usage == Usage(calls=1, input_tokens=900)


def test_thinking_until_the_limit_is_a_length_stop() -> None:
    with ModelServer([completion(None, finish_reason="length")]) as server:
        answer = ask(server.base_url)
    assert (answer.content, answer.finish_reason) == ("", "length")
    assert answer.usage == Usage(calls=1, input_tokens=100, output_tokens=10)


def test_half_a_surrogate_pair_can_be_stored() -> None:
    with ModelServer([completion("a\ud83db \U0001f600")]) as server:
        assert ask(server.base_url).content == "a\ufffdb \U0001f600"


def test_a_refused_connection_names_the_address() -> None:
    url = f"http://user:password@127.0.0.1:{closed_port()}/v1"
    with pytest.raises(FatalServiceError) as raised:
        ask(url)
    assert str(raised.value).startswith(f"cannot connect to {url.replace('user:password@', '')}: ")
    assert str(raised.value).endswith(": is the server running, and is OPENAI_BASE_URL right?")
    with pytest.raises(FatalServiceError, match=r"cannot connect to http://nowhere\.invalid/v1"):
        ask("http://nowhere.invalid/v1")


def test_a_connection_that_stood_may_come_back() -> None:
    request = toy_request()
    with ModelServer([Reply(completion("x").body, headers={"connection": "close"})]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 1)
        client.complete(request, request.messages, 100)
    with pytest.raises(RetriableError, match=r"^the connection to http://127\.0\.0\.1:[0-9]+/v1 broke: "):
        client.complete(request, request.messages, 100)
    client.close()


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("", "OPENAI_BASE_URL mostly ends in /v1: is it URL/v1?"),
        ("/api", "OPENAI_BASE_URL mostly ends in /v1: is it URL/api/v1?"),
        ("/v1/chat/completions", "OPENAI_BASE_URL ends before /chat/completions"),
        ("/openai/v1/", "is OPENAI_BASE_URL the address of a model endpoint?"),
    ],
)
def test_the_hint_fits_the_address(path: str, hint: str) -> None:
    with ModelServer([Reply("", 405)]) as server:
        root = server.base_url.removesuffix("/v1")
        with pytest.raises(FatalServiceError) as raised:
            ask(root + path)
    assert str(raised.value).replace(root, "URL").endswith(f" (HTTP 405: it says no more): {hint}")


def test_a_model_is_looked_for_where_the_user_named_it() -> None:
    request = toy_request()
    with ModelServer([failure(404, "model not found")]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 1, named_by={"toy-model": "--small-model"})
        with pytest.raises(FatalServiceError, match=r"check --small-model$"):
            client.complete(request, request.messages, 100)
        client.close()


def test_https_at_a_port_of_http() -> None:
    with ModelServer([completion("x")]) as server:
        url = server.base_url.replace("http://", "https://")
        with pytest.raises(FatalServiceError) as raised:
            ask(url)
    assert str(raised.value).startswith(f"cannot connect to {url}: ")
    assert str(raised.value).endswith(": it does not speak https; for http, write http:// in OPENAI_BASE_URL")


def test_a_closed_client_ends_the_calls_of_other_threads_and_opens_nothing() -> None:
    """A socket that nobody closes would fail this test, as every other."""
    request = toy_request()
    ended: list[PrhubError] = []
    with ModelServer([completion("x", after=0.6)]) as server:
        client = OpenAIClient(server.base_url, KEY, 30.0, 4)

        def ask_twice() -> None:
            for _ in range(2):
                try:
                    client.complete(request, request.messages, 100)
                except PrhubError as error:
                    ended.append(error)

        threads = [threading.Thread(target=ask_twice) for _ in range(4)]
        for thread in threads:
            thread.start()
        while len(server.requests) < 1:
            time.sleep(0.01)
        client.close()
        for thread in threads:
            thread.join(timeout=0.4)  # before the answer comes
        assert not any(thread.is_alive() for thread in threads)
    assert len(ended) == 8
    assert str(ended[-1]) == "the connections to the model endpoint are closed"


def test_the_end_of_the_run_breaks_a_call_off() -> None:
    request = toy_request()
    with ModelServer([completion("x", after=0.6)]) as server:
        client = OpenAIClient(server.base_url, KEY, 30.0, 1, until=time.monotonic() + 0.2)
        with pytest.raises(RetriableError, match="did not answer within 0"):
            client.complete(request, request.messages, 100)
        with pytest.raises(RetriableError, match="did not answer within 0 s"):
            client.complete(request, request.messages, 100)
        assert len(server.requests) == 1
        client.close()


def test_half_a_body_and_silence_may_pass() -> None:
    whole = completion("x")
    with ModelServer([Reply(whole.body, cut=True)]) as server, pytest.raises(RetriableError, match="broke"):
        ask(server.base_url)
    with ModelServer([completion("x", after=1.0)]) as server:
        with pytest.raises(
            RetriableError, match=r"did not answer within 0\.1 s \(timeout_seconds; a lower --concurrency "
        ):
            ask(server.base_url, timeout=0.1)
        assert len(server.requests) == 1


def waited(*replies: Reply) -> tuple[list[float], int]:
    """The waits, and the number of real requests, until an answer comes; the throttle waits on the same clock."""
    time = FakeTime()
    request = toy_request()
    with ModelServer(replies) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 4, throttle=Throttle(4, time.clock, time.sleep))
        call_with_retry(lambda: client.complete(request, request.messages, 100), sleep=time.sleep)
        client.close()
        return time.slept, len(server.requests)


def busy(**headers: str) -> Reply:
    return failure(429, "slow down", headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_h12b_a_date_is_waited_for() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=20)
    waits, requests = waited(busy(Retry_After=format_datetime(moment, usegmt=True)), completion("x"))
    assert requests == 2
    assert 17 < sum(waits) <= 20


def test_h12c_milliseconds_are_waited_for() -> None:
    assert waited(busy(retry_after_ms="1500"), completion("x")) == ([1.5], 2)


def test_h12d_a_minute_and_a_half_is_waited_for_and_ten_minutes_are_a_clear_stop() -> None:
    assert waited(busy(Retry_After="90"), completion("x")) == ([90.0], 2)
    with ModelServer([busy(Retry_After="600"), completion("x")]) as server:
        with pytest.raises(
            ServiceError, match=r"slow down \(gave up after 1 attempt; the service asks to wait 600 s\)"
        ):
            call_with_retry(lambda: ask(server.base_url), sleep=FakeTime().sleep)
        assert len(server.requests) == 1


@pytest.mark.parametrize("value", ["-5", "NaN", "inf", "1e999", "soon", "315360000", "Mon, 30 Nov 2099 07:00:00 GMT"])
def test_a_wait_that_nobody_can_mean_counts_as_none(value: str) -> None:
    (wait,), requests = waited(busy(Retry_After=value), completion("x"))
    assert requests == 2
    assert 0.5 <= wait <= 1.0


def test_a_429_holds_back_the_other_threads_too() -> None:
    time = FakeTime()
    throttle = Throttle(8, time.clock, time.sleep)
    request = toy_request()
    with ModelServer([busy(Retry_After="30"), completion("x")]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 8, throttle=throttle)
        with pytest.raises(RetriableError):
            client.complete(request, request.messages, 100)
        assert (time.now, throttle.places) == (0.0, 4)
        client.complete(request, request.messages, 100)  # as another thread would
        assert time.now == 30.0
        client.close()


def test_a_used_up_limit_is_kept_before_the_endpoint_says_no() -> None:
    time = FakeTime()
    request = toy_request()
    last = Reply(
        completion("x").body, headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6s"}
    )
    with ModelServer([last, completion("x")]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 8, throttle=Throttle(8, time.clock, time.sleep))
        client.complete(request, request.messages, 100)
        assert time.now == 0.0
        client.complete(request, request.messages, 100)
        assert time.now == 6.0
        client.close()


def test_a_fatal_error_ends_the_turns_of_all_threads() -> None:
    throttle = Throttle(8)
    request = toy_request()
    with ModelServer([failure(401, "no"), completion("x")]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 8, throttle=throttle)
        for _ in range(2):
            with pytest.raises(FatalServiceError, match="refused the key"):
                client.complete(request, request.messages, 100)
        assert len(server.requests) == 1
        client.close()


def test_500s_are_asked_six_times_and_no_more() -> None:
    with ModelServer([failure(500, "boom")]) as server:
        with pytest.raises(ServiceError, match=r"answered HTTP 500: boom \(gave up after 6 attempts\)"):
            call_with_retry(lambda: ask(server.base_url), sleep=lambda _: None)
        assert len(server.requests) == 6
