"""What an endpoint that fails leaves behind, and what the same command does next.

One or all of three pull requests without a summary (H-30): tests/cli/test_cli_endpoints.py.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion, failure
from scripted_model import answer, content_for, field
from small_week import TITLES, open_thread, pull_request, write_week

from prhub_digest.models.pull_request import Completeness

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "1")
NO_MONEY = failure(429, "You exceeded your current quota", "insufficient_quota")
PAGES = ("digest.en.md", "digest.en.json", "plan.json", "stats.json")


def against(command: CommandLine, server: ModelServer, *more: str | Path) -> Outcome:
    command.set(OPENAI_BASE_URL=server.base_url)
    return command(*COMMAND, *more)


def ref_of(request: Request) -> str:
    return field(request.messages[1]["content"], "ref")


def refs(server: ModelServer) -> list[str]:
    """What was asked so far, which is then forgotten."""
    found = [ref_of(request) for request in server.requests]
    server.requests.clear()
    return found


def until_money_ends(answers: int) -> Callable[[Request], Reply]:
    left = [answers]

    def reply(request: Request) -> Reply:
        left[0] -= 1
        return answer(request) if left[0] >= 0 else NO_MONEY

    return reply


def but(odd: Callable[[str], bool], reply: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """The scripted model, except for requests with such a ref."""
    return lambda request: reply(request) if odd(ref_of(request)) else answer(request)


def read(name: str) -> Any:
    return json.loads((RUN / name).read_bytes())


def contents(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in PAGES]


def test_a_run_that_ends_in_the_middle_goes_on_with_what_is_left(command: CommandLine) -> None:
    """The quota ends at the first call, in the summaries, at the plan, in the wordings."""
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        assert against(command, server, "--out", "whole").code == 0
        whole = refs(server)
    assert whole[3:5] == ["theme-1", "plan"]
    for answers in (0, 2, 3, len(whole) - 1):
        command.set(PRHUB_CACHE_DIR=str(command.folder / f"cache-{answers}"))
        out = ("--out", f"out-{answers}")
        folder = command.folder / f"out-{answers}/toy__pages/2026-W06"
        with ModelServer(until_money_ends(answers)) as server:
            ended = against(command, server, *out)
            assert refs(server) == whole[: answers + 1]
        assert (ended.code, ended.out) == (4, "")
        assert "error: " in ended.err
        assert "the account's quota is used up (HTTP 429): You exceeded your current quota" in ended.err
        assert ("; what was answered is stored; the same command continues" in ended.err) == (answers > 0)
        assert not list(folder.glob("digest.*"))
        with ModelServer(answer) as server:
            again = against(command, server, *out)
            assert (again.code, refs(server)) == (0, whole[answers:]), again.err
        assert contents(folder) == contents(command.folder / "whole/toy__pages/2026-W06")


def test_a_digest_of_other_inputs_does_not_outlast_a_run_that_ends_early(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        assert against(command, server).code == 0
    with ModelServer([NO_MONEY]) as server:
        assert against(command, server, "--model", "other").code == 4
    assert not list(RUN.glob("digest.*"))


def test_a_digest_that_names_what_it_lacks_outlasts_a_vain_try_to_complete_it(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(but("pr-102".__eq__, lambda _: failure(400, "too odd for me"))) as server:
        assert against(command, server).code == 1
    before = contents(RUN)
    with ModelServer([NO_MONEY]) as server:
        assert against(command, server).code == 4
    assert contents(RUN) == before
    with ModelServer(answer) as server:
        assert against(command, server).code == 0
        assert "pr-101" not in refs(server)


def test_failures_of_other_stages_stay_when_all_summaries_fail(command: CommandLine) -> None:
    cut = Completeness(diff="partial", conversation="complete", notes=("the diff is cut",))
    week = {number: pull_request(number, title) for number, title in TITLES.items()}
    week[103] = week[103].updated(completeness=cut)
    write_week(command.folder / "week", week)
    with ModelServer([failure(400, "too odd for me")]) as server:
        assert against(command, server).code == 4
    failed = [(failed["stage"], failed["subject"]) for failed in read("run.json")["failures"]]
    assert failed == [("collect", "pr-103"), *(("summarize", f"pr-{number}") for number in TITLES)]


def test_answers_that_could_not_be_used_are_counted(command: CommandLine) -> None:
    """The large pull request is paid for four times: its first part is good, the second never is."""
    write_week(command.folder / "week", {101: pull_request(101, TITLES[101]), 104: large_pull_request()})
    with ModelServer(but("pr-104.2".__eq__, lambda _: completion("no"))) as server:
        outcome = against(command, server)
        asked = [ref for ref in refs(server) if ref.startswith("pr-")]
    assert outcome.code == 1
    assert asked == ["pr-101", "pr-104.1", "pr-104.2", "pr-104.2"]
    manifest = read("run.json")
    used = {"calls": 4, "input_tokens": 400, "output_tokens": 40, "cached_tokens": 0}
    assert manifest["stages"]["summarize"]["usage"] == manifest["paid"]["summarize"]["usage"] == used


LONG = failure(400, "maximum context length is 4096 tokens", "context_length_exceeded")
SMALLER = "did not fit into the model's context; it was summarized in chunks of 750 tokens\n"


def large_pull_request() -> Any:
    lines = "\n".join(f"+pages.register(queue, 'page', size={number})" for number in range(90))
    file = pull_request(104, "Register all pages").files[0].updated(patch=f"@@ -0,0 +1,90 @@\n{lines}", additions=90)
    return pull_request(104, "Register all pages", files=(file,), threads=(open_thread(104),))


def small_context(characters: int) -> Callable[[Request], Reply]:
    """The scripted model, which takes no longer prompts."""

    def reply(request: Request) -> Reply:
        asked = sum(len(message["content"]) for message in request.messages)
        return LONG if ref_of(request).startswith("pr-") and asked > characters else answer(request)

    return reply


def test_a_pull_request_that_does_not_fit_is_chunked_half_as_large(command: CommandLine) -> None:
    write_week(command.folder / "week", {101: pull_request(101, TITLES[101]), 104: large_pull_request()})
    with ModelServer(answer) as server:
        assert against(command, server, "--out", "roomy").code == 0
        lengths = {ref_of(r): sum(len(message["content"]) for message in r.messages) for r in server.requests}
    command.set(PRHUB_CACHE_DIR=str(command.folder / "another"))
    with ModelServer(small_context(lengths["pr-104.1"] - 1)) as server:
        outcome = against(command, server)
        asked = [ref for ref in refs(server) if ref.startswith("pr-")]
        again = against(command, server, "--json")
        assert refs(server) == []
    assert outcome.code == 0, outcome.err
    parts = [f"pr-104.half.{part}" for part in (1, 2, 3)]
    assert asked == ["pr-101", "pr-104.1", *parts, "pr-104"]
    assert f"pull request 104 {SMALLER}" in outcome.err
    assert (again.code, json.loads(again.out)["paid"]["calls"]) == (0, 0)
    small, summary = read("summaries/101.json"), read("summaries/104.json")
    assert (summary["status"], summary["chunk_tokens"], len(summary["replies"])) == ("summarized", 750, 3)
    assert "chunk_tokens" not in small
    coverage = {own["pull"]: own for own in read("coverage.json")["pulls"]}
    assert (coverage[104]["chunk_tokens"], coverage[104]["chunks"]) == (750, 3)
    roomy = json.loads(Path("roomy/toy__pages/2026-W06/coverage.json").read_bytes())["pulls"]
    assert coverage[101] == roomy[0]
    totals = read("run.json")["coverage"]
    assert totals["changed_lines_shown"] == sum(own["changed_lines_shown"] for own in coverage.values())


def test_a_roomier_model_later_sees_whole_chunks_again(command: CommandLine) -> None:
    write_week(command.folder / "week", {104: large_pull_request()})
    with ModelServer(answer) as server:
        against(command, server, "--out", "roomy")
        longest = max(sum(len(message["content"]) for message in r.messages) for r in server.requests)
    command.set(PRHUB_CACHE_DIR=str(command.folder / "another"))
    with ModelServer(small_context(longest - 1)) as server:
        assert SMALLER in against(command, server).err
    with ModelServer(answer) as server:
        assert against(command, server, "--model", "roomier").code == 0
    for name in ("coverage.json", "stats.json"):
        assert read(name) == json.loads(Path("roomy/toy__pages/2026-W06", name).read_bytes())


def test_a_request_too_long_at_half_the_size_is_a_failure_of_its_pull_request(command: CommandLine) -> None:
    write_week(command.folder / "week", {101: pull_request(101, TITLES[101]), 104: large_pull_request()})
    with ModelServer(but(lambda ref: ref.startswith("pr-104"), lambda _: LONG)) as server:
        outcome = against(command, server)
        asked = [ref for ref in refs(server) if ref.startswith("pr-")]
    assert (outcome.code, asked) == (1, ["pr-101", "pr-104.1", "pr-104.half.1"])
    assert read("run.json")["failures"][0]["reason"] == (
        "the request does not fit into the model's context: maximum context length is 4096 tokens"
        " (in chunks of 750 tokens, half the usual)"
    )


def test_what_halving_would_not_shorten_is_not_asked_again(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(but("pr-102".__eq__, lambda _: LONG)) as server:
        assert against(command, server).code == 1
        assert refs(server).count("pr-102") == 1
    assert "half the usual" not in read("run.json")["failures"][0]["reason"]


def test_a_replay_goes_through_the_smaller_chunks_too(command: CommandLine) -> None:
    write_week(command.folder / "week", {101: pull_request(101, TITLES[101]), 104: large_pull_request()})
    context = but("pr-104.1".__eq__, lambda _: LONG)
    with ModelServer(context) as server:
        assert against(command, server).code == 0
        refs(server)
        command.set(OPENAI_BASE_URL=server.base_url, PRHUB_MODEL="toy")
        recorded = command("record", RUN, "kept", "--llm", "openai")
        assert (recorded.code, refs(server)) == (0, ["pr-104.1"]), recorded.err
    replayed = command("run", "--fixture", "./kept/", "--llm", "replay", "--out", "replayed")
    assert replayed.code == 0, replayed.err
    replay = Path("replayed/toy__pages/2026-W06")
    assert (replay / "digest.en.md").read_bytes() == (RUN / "digest.en.md").read_bytes()
    assert (replay / "coverage.json").read_bytes() == (RUN / "coverage.json").read_bytes()


def test_a_cut_answer_of_one_is_no_reason_to_end(command: CommandLine) -> None:
    """Other requests go on while one pull request meets every fault that has a bound of its own."""
    course = [
        failure(429, "slow down", headers={"retry-after-ms": "10"}),
        completion("no"),
        completion('{"ref": "pr-102", "headline": {"te', finish_reason="length"),
    ]

    def odd(request: Request) -> Reply:
        return course.pop(0) if course else completion(content_for(request.body))

    write_week(command.folder / "week")
    with ModelServer(but("pr-102".__eq__, odd)) as server:
        assert against(command, server).code == 0
        assert refs(server).count("pr-102") == 4
    assert read("summaries/102.json")["usage"]["calls"] == 3


def test_names_that_cannot_be_had_leave_the_areas(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(but("zh.headings".__eq__, lambda _: completion("I would rather not say."))) as server:
        outcome = against(command, server, "--lang", "en", "--lang", "zh")
    assert outcome.code == 1
    assert "warning: zh.headings: the themes are named by their areas: no usable reply" in outcome.err
    pages = [(RUN / f"digest.{language}.md").read_bytes().decode() for language in ("en", "zh")]
    assert "\n### Keep the page queue (queue)\n" in pages[0]
    assert "\n### queue\n" in pages[1]


@pytest.mark.parametrize("ref", ["theme-1", "plan", "en.risks"])
def test_a_key_that_is_refused_while_composing_ends_the_run(command: CommandLine, ref: str) -> None:
    write_week(command.folder / "week")
    with ModelServer(but(ref.__eq__, lambda _: failure(401, "no"))) as server:
        outcome = against(command, server)
    assert (outcome.code, outcome.out) == (4, "")
    assert "check OPENAI_API_KEY" in outcome.err
    assert "by rules" not in outcome.err
    assert not list(RUN.glob("digest.*"))
