"""What the probe finds out about endpoints of all kinds, over a real socket."""

from collections.abc import Callable, Collection

import pytest
from fake_time import FakeTime
from model_server import ModelServer, Reply, Request, closed_port, completion, failure
from probed_endpoint import PROSE, endpoint, listing, rung_of

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.llm.abilities import RUNGS, Abilities
from prhub_digest.llm.client import StrangeAnswerError, UnusableReplyError
from prhub_digest.llm.probe import Probe, Tried
from prhub_digest.models.llm import Rung, Usage

KEY = "sk-test-not-a-real-key"
TOP = Abilities()


def probe_of(server: ModelServer, sleep: Callable[[float], None] = lambda _: None) -> Probe:
    return Probe(server.base_url, KEY, 5.0, sleep=sleep)


def best(answer: Callable[[Request], Reply]) -> tuple[Tried, list[Rung]]:
    """What is found, and on which rungs it was asked for."""
    with ModelServer(answer) as server:
        found = probe_of(server).best("toy")
        return found, [rung_of(request) for request in server.requests]


@pytest.mark.parametrize("rung", RUNGS)
def test_an_endpoint_that_rejects_the_rungs_above(rung: Rung) -> None:
    place = RUNGS.index(rung)
    found, asked = best(endpoint(takes=RUNGS[place:]))
    assert (found.abilities, found.fault, found.usage) == (
        TOP.updated(rung=rung),
        None,
        Usage(calls=1, input_tokens=40, output_tokens=12),
    )
    assert asked == list(RUNGS[: place + 1])
    assert found.seconds > 0


@pytest.mark.parametrize("rung", RUNGS)
def test_an_endpoint_that_takes_the_rungs_above_and_does_not_keep_to_them(rung: Rung) -> None:
    place = RUNGS.index(rung)
    found, asked = best(endpoint(keeps=RUNGS[place:]))
    assert (found.abilities.rung, found.fault) == (rung, None)
    assert asked == list(RUNGS[: place + 1])


def test_schemas_that_are_rejected_and_a_json_mode_that_is_not_kept() -> None:
    found, asked = best(endpoint(takes=("json", "text"), keeps=("text",)))
    assert found.abilities.rung == "text"
    assert asked == list(RUNGS)


def test_only_the_schema_says_which_fields_there_are() -> None:
    with ModelServer(endpoint(takes=("json", "text"))) as server:
        probe_of(server).best("toy")
    strict, _, json_mode = server.requests
    assert not any("letters" in message["content"].split('"') for message in strict.messages)
    assert '"letters"' in json_mode.messages[0]["content"]
    for request in server.requests:
        assert "JSON" in request.messages[0]["content"] or rung_of(request) in ("schema_strict", "schema")


def test_names_of_parameters_are_found_out_on_the_way() -> None:
    """Each lesson is kept while the rungs are gone down."""

    def answer(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return failure(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in request.body:
            return failure(400, "Unsupported value: 'temperature' does not support 0. Only the default is supported.")
        return endpoint(keeps=("json", "text"))(request)

    found, asked = best(answer)
    assert found.abilities == Abilities(rung="json", limit_name="max_completion_tokens", temperature=False)
    assert asked == ["schema_strict", "schema_strict", "schema_strict", "schema", "json"]


def test_a_500_without_a_cause_on_each_schema() -> None:
    def answer(request: Request) -> Reply:
        good = endpoint()(request)
        return failure(500, "Internal Server Error") if rung_of(request).startswith("schema") else good

    clock = FakeTime()
    with ModelServer(answer) as server:
        found = probe_of(server, clock.sleep).best("toy")
    assert [rung_of(request) for request in server.requests] == ["schema_strict"] * 3 + ["json"]
    assert found.abilities.rung == "json"
    assert len(clock.slept) == 3
    assert found.seconds < sum(clock.slept)


@pytest.mark.parametrize(
    ("odd", "fault"),
    [
        (completion(None), "the endpoint's answer has no content"),
        (completion('{"ref": "probe", "fruit": "app', finish_reason="length"), "the answer was cut at 1000 tokens"),
        (completion('{"ref": "other", "fruit": "apple", "letters": 5}'), '"ref" must be "probe"'),
        (
            completion('{"ref": "probe", "fruit": "apple", "letters": "five"}'),
            "letters: Input should be a valid integer",
        ),
        (completion(PROSE), "the answer holds no JSON object"),
        (failure(400, "the request is odd"), "rejected the request (HTTP 400): the request is odd"),
    ],
)
def test_an_answer_that_is_of_no_use(odd: Reply, fault: str) -> None:
    """On one rung: the next one is tried. On all of them: that is said."""
    with ModelServer(lambda request: odd if rung_of(request) == "schema_strict" else endpoint()(request)) as server:
        probe = probe_of(server)
        tried = probe.on("toy", TOP)
        assert tried.abilities == TOP
        assert fault in (tried.fault or "")
        assert probe.best("toy").abilities.rung == "schema"
    with ModelServer([odd]) as server, pytest.raises(UnusableReplyError) as raised:
        probe_of(server).best("toy")
    assert str(raised.value).startswith("no valid answer, however it is asked for: ")
    assert fault in str(raised.value)
    assert [rung_of(request) for request in server.requests] == list(RUNGS)


@pytest.mark.parametrize("rung", RUNGS)
def test_one_rung_alone(rung: Rung) -> None:
    """Of an endpoint that takes it, and of one that says no: then the rung below has answered."""
    start = TOP.updated(rung=rung)
    with ModelServer(endpoint()) as server:
        assert probe_of(server).on("toy", start).abilities == start
    assert [rung_of(request) for request in server.requests] == [rung]
    rest: Collection[Rung] = RUNGS[RUNGS.index(rung) + 1 :] or ("text",)
    with ModelServer(endpoint(takes=rest)) as server:
        tried = probe_of(server).on("toy", start)
    assert (tried.abilities.rung, tried.fault) == (next(iter(rest)), None)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (failure(401, "no such key"), "refused the key (HTTP 401)"),
        (failure(404, "The model `toy` does not exist", "model_not_found"), "does not know the model 'toy'"),
        (failure(429, "You exceeded your current quota", "insufficient_quota"), "the account's quota is used up"),
    ],
)
def test_what_no_rung_could_cure_ends_the_probe(reply: Reply, says: str) -> None:
    with ModelServer([reply]) as server, pytest.raises(FatalServiceError) as raised:
        probe_of(server).best("toy")
    assert says in str(raised.value)
    assert KEY not in str(raised.value)
    assert len(server.requests) == 1


def test_a_refused_key_is_told_when_models_are_listed() -> None:
    with ModelServer(endpoint(), failure(401, "no such key")) as server:
        with pytest.raises(FatalServiceError, match=r"refused the key \(HTTP 401\)"):
            probe_of(server).models()
        assert server.requests == []


def test_no_rung_makes_a_model_of_a_web_page() -> None:
    with ModelServer([Reply("<html>Welcome</html>")]) as server:
        with pytest.raises(StrangeAnswerError, match=r"the answer is a web page: <html>Welcome</html>; is OPENAI_BASE"):
            probe_of(server).best("toy")
        assert len(server.requests) == 1


def test_an_endpoint_that_fails_is_asked_a_few_times() -> None:
    clock = FakeTime()
    with ModelServer([failure(503, "overloaded")]) as server, pytest.raises(ServiceError) as raised:
        probe_of(server, clock.sleep).best("toy")
    assert not isinstance(raised.value, FatalServiceError)
    assert str(raised.value).endswith("answered HTTP 503: overloaded (gave up after 5 attempts)")


def test_nobody_is_there() -> None:
    probe = Probe(f"http://127.0.0.1:{closed_port()}/v1", None, 5.0)
    with pytest.raises(FatalServiceError, match="cannot connect"):
        probe.models()
    with pytest.raises(FatalServiceError, match="cannot connect"):
        probe.best("toy")


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        (listing("toy", "other"), ("toy", "other")),
        (Reply([{"id": "toy"}, {"name": "no id"}, "odd"]), ("toy",)),
        (listing(), ()),
        (Reply({"data": None}), ()),
        (Reply({"object": "list"}), ()),
        (Reply("toy"), ()),
        (Reply("<html>Welcome</html>", headers={"content-type": "text/html"}), ()),
        (failure(403, "missing scope"), ()),
        (failure(500, "boom"), ()),
        (Reply("", 302, {"location": "https://elsewhere.example/"}), ()),
        (None, ()),
    ],
)
def test_the_list_of_models(reply: Reply | None, names: tuple[str, ...]) -> None:
    with ModelServer(endpoint(), reply) as server:
        assert probe_of(server).models() == names
    assert server.requests == []
