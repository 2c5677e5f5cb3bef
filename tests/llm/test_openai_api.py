from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from model_server import ModelServer, Reply, closed_port, completion, failure
from toy_requests import toy_content, toy_request

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError, SettingsError
from prhub_digest.llm.client import Completion, ContextLengthError, NoAnswerError, RefusedError, UnusableReplyError
from prhub_digest.llm.openai_api import OpenAIClient
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


def test_what_is_sent_and_what_comes_back() -> None:
    with ModelServer([completion(toy_content(), usage=(120, 30))]) as server:
        answer = ask(server.base_url)
    assert answer == Completion(toy_content(), "stop", Usage(calls=1, input_tokens=120, output_tokens=30))
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
        Reply("404 page not found", 404, {"content-type": "text/plain"}),
    ],
)
def test_an_unknown_model_ends_everything(reply: Reply) -> None:
    error = error_of(reply)
    assert isinstance(error, FatalServiceError)
    assert str(error).startswith("URL does not know the model 'toy-model' (HTTP 40")


def test_h12a_quota_is_no_pause() -> None:
    error = error_of(failure(429, "You exceeded your current quota", "insufficient_quota"))
    assert isinstance(error, FatalServiceError)
    assert str(error) == "URL: the account's quota is used up (HTTP 429): You exceeded your current quota"


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (
            failure(400, "This response_format type is unavailable now"),
            FatalServiceError,
            (
                "URL takes no JSON schema for model 'toy-model' (HTTP 400: This response_format type is unavailable "
                "now): choose a model or a server with structured output (response_format json_schema)"
            ),
        ),
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
        (failure(503, "overloaded"), RetriableError, "URL answered HTTP 503: overloaded"),
        (Reply("<html>Bad gateway</html>", 502), RetriableError, "URL answered HTTP 502: <html>Bad gateway</html>"),
        (
            Reply("<html>Welcome</html>", 200, {"content-type": "text/html"}),
            NoAnswerError,
            "the endpoint's answer is not JSON: <html>Welcome</html>",
        ),
        (Reply('{"choices": [{"mess'), NoAnswerError, 'the endpoint\'s answer is not JSON: {"choices": [{"mess'),
        (Reply('"text"'), NoAnswerError, "the endpoint's answer is not a JSON object"),
        (Reply({"choices": None}), NoAnswerError, "the endpoint's answer has no choices"),  # H-13
        (
            Reply({"error": {"message": "engine crashed", "code": 500}}),
            NoAnswerError,
            "the endpoint answered 200 with an error: engine crashed",
        ),
        (completion(None), NoAnswerError, "the endpoint's answer has no content"),
        (completion("  \n "), NoAnswerError, "the endpoint's answer has no content"),
        (
            completion("half", finish_reason="content_filter"),
            RefusedError,
            "the endpoint's content filter held the answer back",
        ),
        (
            Reply({"choices": [{"finish_reason": "stop", "message": {"content": None, "refusal": "I cannot"}}]}),
            RefusedError,
            "the model refused: I cannot",
        ),
    ],
)
def test_every_failure_has_a_name(reply: Reply, kind: type[PrhubError], message: str) -> None:
    error = error_of(reply)
    assert (type(error), str(error)) == (kind, message)


def test_h13_usage_of_an_answer_without_choices_counts() -> None:
    error = error_of(Reply({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 0}}))
    assert isinstance(error, NoAnswerError)
    assert error.usage == Usage(calls=1, input_tokens=900)


def test_thinking_until_the_limit_is_a_length_stop() -> None:
    with ModelServer([completion(None, finish_reason="length")]) as server:
        assert ask(server.base_url) == Completion("", "length", Usage(calls=1, input_tokens=100, output_tokens=10))


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


def test_half_a_body_and_silence_may_pass() -> None:
    whole = completion("x")
    with ModelServer([Reply(whole.body, cut=True)]) as server, pytest.raises(RetriableError, match="broke"):
        ask(server.base_url)
    with ModelServer([completion("x", after=1.0)]) as server:
        with pytest.raises(RetriableError, match="did not answer in time"):
            ask(server.base_url, timeout=0.1)
        assert len(server.requests) == 1


def waits_of(headers: dict[str, str]) -> tuple[list[float], int]:
    """The waits, and the number of real requests, for one 429 with these headers and then an answer."""
    waits: list[float] = []
    with ModelServer([failure(429, "slow down", headers=headers), completion("x")]) as server:
        call_with_retry(lambda: ask(server.base_url), sleep=waits.append)
        return waits, len(server.requests)


def test_h12_waits_are_those_asked_for() -> None:
    assert waits_of({"Retry-After": "90"}) == ([90.0], 2)
    assert waits_of({"retry-after-ms": "1500"}) == ([1.5], 2)
    moment = datetime.now(UTC) + timedelta(seconds=20)
    (wait,), requests = waits_of({"Retry-After": format_datetime(moment, usegmt=True)})
    assert requests == 2
    assert 17 < wait <= 20


def test_500s_are_asked_six_times_and_no_more() -> None:
    with ModelServer([failure(500, "boom")]) as server:
        with pytest.raises(ServiceError, match=r"answered HTTP 500: boom \(gave up after 6 attempts\)"):
            call_with_retry(lambda: ask(server.base_url), sleep=lambda _: None)
        assert len(server.requests) == 6


def test_parameters_that_an_endpoint_rejects_are_learnt_once() -> None:
    limit = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    temperature = "Unsupported value: 'temperature' does not support 0 with this model."
    with ModelServer([failure(400, limit), failure(400, temperature), completion("x")]) as server:
        client = OpenAIClient(server.base_url, KEY, 5.0, 1)
        request = toy_request()
        client.complete(request, request.messages, 100)
        client.complete(request, request.messages, 100)
        client.close()
    parameters = [
        {name: sent.body[name] for name in ("max_tokens", "max_completion_tokens", "temperature") if name in sent.body}
        for sent in server.requests
    ]
    assert parameters == [
        {"max_tokens": 100, "temperature": 0.0},
        {"max_completion_tokens": 100, "temperature": 0.0},
        {"max_completion_tokens": 100},
        {"max_completion_tokens": 100},
    ]
