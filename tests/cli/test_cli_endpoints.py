"""Endpoints that fail: what ends the run, what costs one pull request its summary (H-30), and the exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, closed_port, completion, failure
from scripted_model import answer, content_for, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy")


@pytest.fixture(autouse=True)
def _week(command: CommandLine) -> None:
    write_week(command.folder / "week")


def manifest() -> dict[str, Any]:
    values: dict[str, Any] = json.loads((RUN / "run.json").read_bytes())
    return values


def page() -> str:
    return (RUN / "digest.en.md").read_bytes().decode()


def against(command: CommandLine, reply: Callable[[Request], Reply], *more: str) -> Outcome:
    with ModelServer(reply) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        return command(*COMMAND, *more)


def but(ref: str, odd: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """The scripted model, except for the request with this ref."""

    def reply(request: Request) -> Reply:
        own = field(request.messages[1]["content"], "ref")
        return odd(request) if own == ref else answer(request)

    return reply


def test_nobody_listens(command: CommandLine) -> None:
    port = closed_port()
    command.set(OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1")
    outcome = command(*COMMAND)
    assert (outcome.code, outcome.out) == (4, "")
    assert f"error: cannot connect to http://127.0.0.1:{port}/v1: " in outcome.err
    assert "is the server running, and is OPENAI_BASE_URL right?" in outcome.err
    assert not (RUN / "digest.en.md").exists()


def test_a_redirect_sends_nothing_to_another_host(command: CommandLine) -> None:
    elsewhere: list[Request] = []

    def note(request: Request) -> Reply:
        elsewhere.append(request)
        return answer(request)

    with ModelServer(note) as other:
        outcome = against(
            command, lambda _: Reply(status=307, headers={"Location": f"{other.base_url}/steal"}, body="")
        )
    assert (outcome.code, elsewhere) == (4, [])
    assert "redirects (HTTP 307) to 127.0.0.1:" in outcome.err
    assert "nothing is sent to a host that you did not name" in outcome.err


def test_a_wrong_key(command: CommandLine) -> None:
    command.set(OPENAI_API_KEY="sk-not-a-key-at-all")
    outcome = against(command, lambda _: failure(401, "Incorrect API key provided: sk-not-a-key-at-all"))
    assert (outcome.code, outcome.out) == (4, "")
    assert "refused the key (HTTP 401): check OPENAI_API_KEY" in outcome.err
    assert "sk-not-a-key" not in outcome.err
    assert not (RUN / "digest.en.md").exists()


def test_an_unknown_model(command: CommandLine) -> None:
    outcome = against(command, lambda _: failure(404, "The model `toy` does not exist", "model_not_found"))
    assert (outcome.code, outcome.out) == (4, "")
    assert "does not know the model 'toy' (HTTP 404: The model `toy` does not exist)" in outcome.err
    assert "check --model or PRHUB_MODEL" in outcome.err


def cut(_: Request) -> Reply:
    return completion('{"ref": "pr-102", "headline": {"text": "Keep', finish_reason="length")


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (lambda _: completion("Sure! Here is a summary."), "no usable reply after one retry: "),
        (cut, "the answer was cut at the output limit of 3600 tokens"),
        (lambda request: completion(content_for(request.body).replace("pr-102", "pr-103")), '"ref" must be "pr-102"'),
        (lambda _: failure(400, "too odd for me"), "rejected the request (HTTP 400): too odd for me"),
    ],
    ids=["not JSON", "cut", "another's ref", "rejected"],
)
def test_one_of_three_fails(command: CommandLine, odd: Callable[[Request], Reply], reason: str) -> None:
    outcome = against(command, but("pr-102", odd))
    assert (outcome.code, outcome.out) == (1, f"{RUN}/digest.en.md\n")
    assert "warning: summarize pr-102: " in outcome.err
    (failed,) = manifest()["failures"]
    assert (failed["stage"], failed["subject"]) == ("summarize", "pr-102")
    assert reason in failed["reason"]
    about = page().partition("## About this digest")[2]
    assert "- 1 of 3 PRs not summarised: [#102](https://github.example/toy/pages/pull/102)" in about
    summary = json.loads((RUN / "summaries/102.json").read_bytes())
    assert (summary["status"], summary["headline"]) == ("fallback", "Read the settings file before the cache starts")
    allowed = against(command, but("pr-102", odd), "--allow-partial")
    assert allowed.code == 0
    assert "1 of 3 PRs not summarised" in page()
    mended = against(command, answer)
    assert (mended.code, manifest()["failures"]) == (0, [])
    assert "Every one of the 3 PRs was summarised." in page()


def test_all_three_fail(command: CommandLine) -> None:
    outcome = against(command, lambda _: failure(400, "too odd for me"), "--allow-partial")
    assert (outcome.code, outcome.out) == (4, "")
    assert "error: none of the 3 pull requests could be summarized, so there is no digest;" in outcome.err
    assert "too odd for me" in outcome.err
    assert [failed["subject"] for failed in manifest()["failures"]] == ["pr-101", "pr-102", "pr-103"]
    assert not list(RUN.glob("digest.*"))


def test_all_fail_after_an_earlier_digest_and_its_page_is_gone(command: CommandLine) -> None:
    assert against(command, answer).code == 0
    assert (RUN / "digest.en.md").exists()
    outcome = against(command, lambda _: failure(400, "down"), "--model", "other")
    assert outcome.code == 4
    assert "none of the 3 pull requests could be summarized, so there is no digest" in outcome.err
    assert not (RUN / "digest.en.md").exists()
    assert [failed["subject"] for failed in manifest()["failures"]] == ["pr-101", "pr-102", "pr-103"]


def test_a_wording_that_fails_leaves_templates(command: CommandLine) -> None:
    outcome = against(command, but("en.risks", lambda _: completion("no")))
    assert outcome.code == 1
    assert "warning: compose en.risks: no usable reply after one retry" in outcome.err
    assert "What happens when the queue is full?" in page()
    digest = json.loads((RUN / "digest.en.json").read_bytes())
    assert {sentence["origin"] for sentence in digest["risks"]} == {"template"}
    assert {sentence["origin"] for sentence in digest["executive"]} == {"model"}
    assert against(command, but("en.risks", lambda _: completion("no")), "--allow-partial").code == 0


def test_a_sentence_that_is_refused_is_worded_again(command: CommandLine) -> None:
    asked: list[str] = []

    def stray(request: Request) -> Reply:
        ref = field(request.messages[1]["content"], "ref")
        asked.append(ref)
        ending = "the cache drains 40% faster" if ref == "en.changes" else "the cache drains"
        return completion(content_for(request.body).replace("the cache drains", ending))

    outcome = against(command, stray, "--strict")
    assert outcome.code == 0, outcome.err
    assert "en.changes.repair" in asked
    assert "40" not in page()


def test_strict_makes_a_finding_exit_1(command: CommandLine) -> None:
    def without_end(request: Request) -> Reply:
        return completion(content_for(request.body).replace('drains."', 'drains"'))

    assert against(command, without_end).code == 0
    strict = against(command, without_end, "--strict")
    assert (strict.code, strict.out) == (1, f"{RUN}/digest.en.md\n")
    assert "verification: 0 errors, " in strict.err
