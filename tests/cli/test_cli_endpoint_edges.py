"""`run` and endpoints at their edges: a wrong address or name, the end of the run's time, keys in answers, usage."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion, failure
from scripted_model import answer, content_for
from small_week import write_week
from toy_requests import toy_request

from prhub_digest.cli.live_endpoint import live_endpoint
from prhub_digest.console import Console
from prhub_digest.retry import RetriableError
from prhub_digest.settings import load_settings

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy")
KEY = "local-endpoint-key-4711"
TOKEN = "gh" + "p_" + "Zq7Rk2Wm9Xv4Tb6Ny1Lp8Cd3Fg5Hj0SaQeUi"


@pytest.fixture(autouse=True)
def _week(command: CommandLine) -> None:
    write_week(command.folder / "week")


def against(command: CommandLine, reply: Callable[[Request], Reply], *more: str) -> Outcome:
    with ModelServer(reply) as server:
        command.set(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY)
        return command(*COMMAND, *more)


def files(*folders: str) -> str:
    paths = (path for folder in folders for path in Path(folder).rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode() for path in paths)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply("<html>Sign in</html>"), "the answer is a web page: <html>Sign in</html>; "),
        (Reply({"status": "ok"}), "the answer is no chat completion; it holds status; "),
        (Reply("", 405), " takes no chat completions (HTTP 405: it says no more): "),
    ],
)
def test_something_else_answers_at_the_address(command: CommandLine, reply: Reply, says: str) -> None:
    with ModelServer([reply]) as server:
        place = server.base_url.removesuffix("/v1")
        command.set(OPENAI_BASE_URL=place)
        outcome = command(*COMMAND, "--concurrency", "1")
        assert len(server.requests) <= 4
    assert (outcome.code, outcome.out) == (4, "")
    error = outcome.err.rstrip().split("\n")[-1]
    assert error.startswith(f"error: {place}")
    assert says in error
    assert f"OPENAI_BASE_URL mostly ends in /v1: is it {place}/v1?" in error
    assert error.endswith("; once that is right, the same command continues")


def test_a_wrong_small_model_is_looked_for_where_it_was_named(command: CommandLine) -> None:
    def reply(request: Request) -> Reply:
        return failure(404, "no such model", "model_not_found") if request.body["model"] == "tiny" else answer(request)

    outcome = against(command, reply, "--small-model", "tiny")
    assert outcome.code == 4
    assert "does not know the model 'tiny' (HTTP 404: no such model): check --small-model or PRHUB_SMALL_MODEL;" in (
        outcome.err
    )


def test_the_end_of_the_runs_time_breaks_calls_off_and_the_same_command_continues(command: CommandLine) -> None:
    def slow(request: Request) -> Reply:
        reply = answer(request)
        return reply if "pr-101" in request.messages[1]["content"] else Reply(reply.body, after=0.8)

    outcome = against(command, slow, "--run-timeout", "0.4")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.endswith(
        "error: the run has used up its time for calls, 0.4 s (run_timeout_seconds, --run-timeout); what was answered"
        " is stored; the same command continues\n"
    )
    again: list[str] = []

    def note(request: Request) -> Reply:
        again.append(request.messages[1]["content"])
        return answer(request)

    assert against(command, note).code == 0
    assert not any("ref: pr-101\n" in asked for asked in again)


def test_a_long_wait_is_said(command: CommandLine) -> None:
    shown = StringIO()
    request = toy_request()
    with ModelServer([failure(429, f"slow down, {KEY}", headers={"Retry-After": "30"})]) as server:
        settings = load_settings(None, {}, {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY, "HOME": "/h"})
        live = live_endpoint(settings, Console(stderr=shown))
        with pytest.raises(RetriableError):
            live.client.complete(request, request.messages, 100)
        live.client.close()
    assert shown.getvalue() == (
        f"{server.base_url} answered HTTP 429: slow down, ***; every call waits 30 s, as it asks\n"
    )


def test_no_key_or_token_of_an_answer_is_kept_anywhere(command: CommandLine) -> None:
    def leaking(request: Request) -> Reply:
        values = json.loads(content_for(request.body))
        if "headline" in values:
            values["headline"]["text"] += f" with {KEY} and {TOKEN}"
        return completion(json.dumps(values))

    outcome = against(command, leaking)
    assert outcome.code == 0, outcome.err
    kept = files("runs", "cache")
    assert KEY not in kept + outcome.err
    assert TOKEN not in kept + outcome.err
    stored = files("cache/replies")
    assert stored.count("[secret:OPENAI_API_KEY]") == stored.count("[secret:github-pat]") >= 3


def test_a_key_in_an_answer_that_no_mask_finds_costs_the_answer(command: CommandLine) -> None:
    """Its lines stand in the JSON as escapes."""
    secret = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyF8PbnGy0AHB7MaXQ9c2"

    def leaking(request: Request) -> Reply:
        values = json.loads(content_for(request.body))
        if "headline" in values and len(request.messages) == 2:
            values["headline"]["text"] += secret
        return completion(json.dumps(values))

    outcome = against(command, leaking)
    assert outcome.code == 0, outcome.err
    stored = files("cache/replies")
    assert "MIIEpAIBAAKCAQEA" not in stored + files("runs")
    assert stored.count("[an answer that held what looks like a secret: private-key]") == 3


def with_usage(usage: dict[str, object] | None) -> Callable[[Request], Reply]:
    return lambda request: Reply({**completion(content_for(request.body), usage=None).body, "usage": usage})


def test_cached_tokens_are_shown_in_words_in_the_table_and_on_the_page(command: CommandLine) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 64}}
    outcome = against(command, with_usage(usage))
    calls = json.loads((RUN / "run.json").read_bytes())["stages"]["summarize"]["usage"]["calls"]
    assert calls == 3
    assert " tokens in, " in outcome.err
    total = next(line.split() for line in outcome.err.split("\n") if line.startswith("total "))
    number = int(total[1])
    assert total[2:5] == [f"{number * 100:,}", f"{number * 64:,}", f"{number * 10:,}"]
    assert f"({number * 100:,} tokens in, {number * 64:,} of them cached, {number * 10:,} out)" in outcome.err
    page = (RUN / "digest.en.md").read_bytes().decode()
    assert f"{number * 100:,} input tokens ({number * 64:,} of them cached)" in page


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -100, "completion_tokens": 10**12}])
def test_usage_that_is_not_reported_is_no_zero(command: CommandLine, usage: dict[str, object] | None) -> None:
    outcome = against(command, with_usage(usage))
    assert "(tokens not reported)" in outcome.err
    assert "0 tokens in" not in outcome.err
    assert "token counts were not reported" in (RUN / "digest.en.md").read_bytes().decode()
