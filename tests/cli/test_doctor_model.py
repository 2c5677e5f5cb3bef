"""`doctor` and the model: what it asks the endpoint, what it says and what it keeps."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from github_server import GitHubServer
from github_world import World
from model_server import ModelServer, Reply, closed_port, completion, failure
from probed_endpoint import endpoint, listing, rung_of

from prhub_digest.llm.abilities import Abilities, AbilityStore

pytest_plugins = ["command_fixture"]

KEY = "sk-test-not-a-real-key"
BY_GITHUB = ("git", "token", "GraphQL limit", "REST limit", "account")
BY_MODEL = ("key", "endpoint", "models", "model")


@pytest.fixture
def github(command: CommandLine) -> Iterator[GitHubServer]:
    with GitHubServer(World()) as server:
        command.set(GITHUB_API_URL=server.api_url, GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token)
        yield server


def checks(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """State and words of each check, by name, of the output as JSON."""
    values: dict[str, Any] = json.loads(outcome.out)
    found = {check["name"]: (check["state"], check["says"]) for check in values["checks"]}
    assert len(found) == len(values["checks"])
    assert values["ready"] is all(state != "failed" for state, _ in found.values())
    assert KEY not in outcome.out + outcome.err
    return found


def doctor(command: CommandLine, server: ModelServer, **environment: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """The exit code, and the checks, with the key and the model `toy`."""
    command.set(**{"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY, "PRHUB_MODEL": "toy", **environment})
    outcome = command("doctor", "--json")
    return outcome.code, checks(outcome)


def kept(command: CommandLine, server: ModelServer, model: str = "toy") -> Abilities | None:
    return AbilityStore(command.folder / "cache" / "abilities").find(server.base_url, model)


def test_an_endpoint_that_can_be_used(command: CommandLine, github: GitHubServer) -> None:
    with ModelServer(endpoint(), listing("toy", "other")) as server:
        code, found = doctor(command, server)
        shown = command("doctor")
    assert code == shown.code == 0
    assert tuple(found) == (*BY_GITHUB, *BY_MODEL)
    assert found["key"] == ("ok", "OPENAI_API_KEY is set")
    assert found["endpoint"] == ("ok", server.base_url)
    assert found["models"] == ("ok", "2 models listed, toy among them")
    state, says = found["model"]
    assert state == "ok"
    assert says.startswith(
        "toy keeps to a strict JSON schema (schema_strict); takes max_tokens and temperature; answered in "
    )
    assert says.endswith(" s, 40 tokens in, 12 out")
    assert shown.out.startswith("ready\n")
    assert KEY not in shown.out + shown.err
    assert len(server.requests) == 2  # one a command
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert kept(command, server) == Abilities()


def test_what_the_model_takes_is_found_out_anew_and_kept(command: CommandLine, github: GitHubServer) -> None:
    with ModelServer(endpoint(takes=("json", "text"))) as server:
        store = AbilityStore(command.folder / "cache" / "abilities")
        store.save(server.base_url, "toy", Abilities(rung="text", temperature=False))
        code, found = doctor(command, server)
        assert code == 0
        assert found["model"][1].startswith(
            "toy answers in JSON mode, keeps to no JSON schema (json); takes max_tokens and temperature;"
        )
        assert [rung_of(request) for request in server.requests] == ["schema_strict", "schema", "json"]
        assert kept(command, server) == Abilities(rung="json")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (endpoint(takes=("text",)), "toy answers in plain text, takes neither a JSON schema nor JSON mode (text);"),
        (endpoint(usage=None), "does not say how many tokens that took, so that costs will be missing"),
    ],
)
def test_what_a_person_should_know(command: CommandLine, github: GitHubServer, answer: Any, says: str) -> None:
    with ModelServer(answer) as server:
        code, found = doctor(command, server)
    assert (code, found["model"][0]) == (0, "note")
    assert says in found["model"][1]


def test_without_a_token_for_github_the_model_is_asked_all_the_same(command: CommandLine) -> None:
    (command.folder / "empty").mkdir()
    command.set(PATH=str(command.folder / "empty"))  # no `gh` that has a token
    with ModelServer(endpoint()) as server:
        code, found = doctor(command, server)
    assert (code, tuple(found)) == (1, ("git", "token", *BY_MODEL))
    assert (found["token"][0], found["model"][0]) == ("failed", "ok")


def test_a_github_that_fails_does_not_keep_from_asking_the_model(command: CommandLine, github: GitHubServer) -> None:
    github.scenario.server_error(None, status=422, message="Unprocessable", on="rest")
    with ModelServer(endpoint()) as server:
        code, found = doctor(command, server)
    assert (code, found["limits"][0], found["model"][0]) == (4, "failed", "ok")


def test_no_model_is_set(command: CommandLine, github: GitHubServer) -> None:
    """Nobody is asked; where an address is set, it is asked what it has."""
    outcome = command("doctor", "--json")
    found = checks(outcome)
    assert (outcome.code, tuple(found)) == (0, (*BY_GITHUB, "model"))
    assert found["model"][0] == "note"
    assert "no model is set: name one with --model or PRHUB_MODEL" in found["model"][1]
    names = [f"model-{number}" for number in range(10)]
    with ModelServer(endpoint(), listing(*names)) as server:
        code, found = doctor(command, server, PRHUB_MODEL="")
    assert (code, tuple(found)) == (0, (*BY_GITHUB, *BY_MODEL))
    assert found["models"] == ("ok", f"{', '.join(names[:8])}, and 2 more")
    assert found["model"][0] == "note"
    assert server.requests == []


def test_a_model_that_is_not_among_those_listed(command: CommandLine, github: GitHubServer) -> None:
    """Servers of one model take any name."""
    with ModelServer(endpoint(), listing("/models/toy.gguf")) as server:
        code, found = doctor(command, server, OPENAI_API_KEY="")
    assert code == 0
    assert found["models"] == ("note", "the endpoint lists /models/toy.gguf; not toy")
    assert found["key"] == ("ok", "OPENAI_API_KEY is not set; endpoints of your own may need none")
    assert found["model"][0] == "ok"


def test_an_endpoint_that_lists_nothing(command: CommandLine, github: GitHubServer) -> None:
    with ModelServer(endpoint()) as server:
        code, found = doctor(command, server)
        command.set(OPENAI_BASE_URL=server.base_url.removesuffix("/v1"))
        elsewhere = checks(command("doctor", "--json"))
    assert (code, found["models"]) == (0, ("note", "the endpoint does not list its models"))
    assert elsewhere["models"] == (
        "note",
        f"the endpoint does not list its models; OPENAI_BASE_URL mostly ends in /v1: is it {server.base_url}?",
    )


def test_a_small_model_is_asked_too(command: CommandLine, github: GitHubServer) -> None:
    def answer(request: Any) -> Reply:
        return endpoint(takes=("json", "text") if request.body["model"] == "tiny" else ("schema_strict",))(request)

    with ModelServer(answer, listing("toy", "tiny")) as server:
        code, found = doctor(command, server, PRHUB_SMALL_MODEL="tiny")
        assert (code, tuple(found)) == (0, (*BY_GITHUB, *BY_MODEL, "small model"))
        assert found["models"] == ("ok", "2 models listed, toy and tiny among them")
        assert found["small model"][1].startswith("tiny answers in JSON mode")
        assert (kept(command, server), kept(command, server, "tiny")) == (Abilities(), Abilities(rung="json"))


def test_a_wrong_small_model_is_looked_for_where_it_was_named(command: CommandLine, github: GitHubServer) -> None:
    def answer(request: Any) -> Reply:
        return failure(404, "model not found") if request.body["model"] == "tiny" else endpoint()(request)

    with ModelServer(answer) as server:
        code, found = doctor(command, server, PRHUB_SMALL_MODEL="tiny")
    assert (code, found["model"][0], found["small model"][0]) == (1, "ok", "failed")
    assert found["small model"][1].endswith("(HTTP 404: model not found): check PRHUB_SMALL_MODEL")


def test_a_key_that_is_refused_when_models_are_listed(command: CommandLine, github: GitHubServer) -> None:
    with ModelServer(endpoint(), failure(401, f"not {KEY}")) as server:
        code, found = doctor(command, server)
    assert (code, tuple(found)) == (1, (*BY_GITHUB, "key", "endpoint"))
    assert found["endpoint"][0] == "failed"
    assert found["endpoint"][1].startswith(f"{server.base_url} refused the key (HTTP 401): check OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), "refused the key (HTTP 401): check OPENAI_API_KEY"),
        (failure(404, "The model `toy` does not exist", "model_not_found"), "does not know the model 'toy' (HTTP 404"),
        (failure(429, "You exceeded your current quota", "insufficient_quota"), "the account's quota is used up"),
        (Reply("", 308, {"location": "https://elsewhere.example/"}), "redirects (HTTP 308) to elsewhere.example"),
        (completion("I cannot."), "no valid answer, however it is asked for: the answer holds no JSON object"),
        (failure(400, f"{KEY} is odd"), "rejected the request (HTTP 400): *** is odd"),
    ],
)
def test_what_keeps_a_run_from_starting(command: CommandLine, github: GitHubServer, reply: Reply, says: str) -> None:
    with ModelServer([reply]) as server:
        code, found = doctor(command, server)
        assert (code, found["model"][0]) == (1, "failed")
        assert says in found["model"][1]
        assert kept(command, server) is None


def test_nobody_answers_at_the_address(command: CommandLine, github: GitHubServer) -> None:
    address = f"http://127.0.0.1:{closed_port()}/v1"
    command.set(OPENAI_BASE_URL=address, PRHUB_MODEL="toy")
    outcome = command("doctor", "--json")
    found = checks(outcome)
    assert (outcome.code, tuple(found)) == (1, (*BY_GITHUB, "key", "endpoint"))
    assert found["endpoint"][0] == "failed"
    assert f"cannot connect to {address}" in found["endpoint"][1]
    assert found["endpoint"][1].endswith("is the server running, and is OPENAI_BASE_URL right?")


def test_openai_itself_needs_a_key(command: CommandLine, github: GitHubServer) -> None:
    command.set(PRHUB_MODEL="toy")
    outcome = command("doctor", "--json")
    found = checks(outcome)
    assert outcome.code == 1
    assert found["endpoint"] == ("failed", "OPENAI_API_KEY is not set (for another endpoint, set OPENAI_BASE_URL)")


def test_an_endpoint_that_is_broken_is_exit_4_after_what_was_found(command: CommandLine, github: GitHubServer) -> None:
    with ModelServer([failure(503, "overloaded", headers={"Retry-After": "0.01"})], listing("toy")) as server:
        command.set(OPENAI_BASE_URL=server.base_url, PRHUB_MODEL="toy")
        outcome = command("doctor")
    assert outcome.code == 4
    assert "1 model listed, toy among them" in outcome.out
    assert "failed  model" in outcome.out
    assert "error: " in outcome.err
    assert "answered HTTP 503: overloaded" in outcome.err


def test_the_help_says_that_it_costs_tokens(command: CommandLine) -> None:
    outcome = command("doctor", "--help")
    assert "costs about a hundred tokens" in " ".join(outcome.out.split())


def test_a_run_begins_with_what_was_found(command: CommandLine, github: GitHubServer, tmp_path: Path) -> None:
    from scripted_model import content_for
    from small_week import write_week

    write_week(tmp_path / "week")

    def answer(request: Any) -> Reply:
        if "probe" in request.messages[1]["content"]:
            return endpoint(takes=("json", "text"))(request)
        return completion(content_for(request.body))

    with ModelServer(answer) as server:
        assert doctor(command, server)[0] == 0
        server.requests.clear()
        outcome = command("run", "--fixture", "./week/", "--llm", "openai")
    assert outcome.code == 0, outcome.err
    assert {rung_of(request) for request in server.requests} == {"json"}
