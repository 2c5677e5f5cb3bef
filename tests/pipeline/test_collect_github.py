"""A week of GitHub from the command line: what a later run asks for, after it was interrupted, finished or filtered."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine, Outcome
from github_server import GitHubServer
from github_world import World
from test_collect_resumes import interrupted

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COLLECT = ("collect", "toy/pages", "--week", "2026-W06")


@pytest.fixture
def server(command: CommandLine) -> Iterator[GitHubServer]:
    """Six pull requests on the default branch, #7 a bot's; #8 is one on a release branch."""
    world = World()
    repository = world.repository("toy/pages")
    for number in range(1, 6):
        labels = ["bug" if number % 2 else "docs"]
        files = {f"src/{number}.py": f"page = {number}\n"}
        pull = repository.merge_pull(number, title=f"Change page {number}", files=files, labels=labels)
        author = "ada-lin" if number == 1 else "rev"
        pull.thread(path=f"src/{number}.py", line=1, comments=[(author, "Why?")], resolved=number == 2)
    repository.merge_pull(7, title="Bump ink", author="dependabot[bot]", files={"ink.lock": "2\n"})
    repository.merge_pull(8, title="Keep the old page", base="release/1", files={"src/1.py": "page = 0\n"})
    with GitHubServer(world) as server:
        command.set(GITHUB_API_URL=server.api_url, GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token)
        yield server


def asked(server: GitHubServer) -> set[str]:
    """What was asked so far, which is then forgotten: GraphQL operations, or `rest` and `git`."""
    seen = {request.operation or request.kind for request in server.requests}
    server.requests.clear()
    return seen


def numbers() -> list[int]:
    found: list[int] = json.loads((RUN / "collection.json").read_bytes())["numbers"]
    assert sorted(path.name for path in (RUN / "pulls").iterdir()) == sorted(f"{number}.json" for number in found)
    return found


def run(command: CommandLine, *more: str) -> Outcome:
    return command("run", *COLLECT[1:], "--llm", "none", *more)


def test_collect_says_what_it_found(command: CommandLine, server: GitHubServer) -> None:
    outcome = command(*COLLECT)
    assert (outcome.code, outcome.out) == (0, f"{RUN}\n"), outcome.err
    assert (
        "toy/pages, 2026-W06: 5 merged pull requests, 2 more set aside (1 by bots, 1 into other branches),"
        " 0 commits of no pull request\n"
    ) in outcome.err
    assert "5 review threads, 4 of them unresolved, 1 opened by the author of the pull request\n" in outcome.err
    assert "note: three lists agree on 7 pull requests" in outcome.err
    assert server.token not in outcome.err + "".join(path.read_bytes().decode() for path in RUN.rglob("*.json"))
    assert numbers() == [1, 2, 3, 4, 5]


def test_a_finished_week_is_asked_for_no_more(command: CommandLine, server: GitHubServer) -> None:
    assert run(command).code == 0
    assert asked(server) >= {"Updated", "Search", "History", "Details", "git"}
    again = run(command)
    assert (again.code, asked(server)) == (0, set()), again.err
    assert run(command, "--refresh").code == 0
    assert asked(server) >= {"Updated", "Details"}


def test_an_interrupted_week_is_listed_once(
    command: CommandLine, server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    asked(server)
    outcome = command(*COLLECT)
    assert outcome.code == 0, outcome.err
    assert ", 2 of 5 pull requests read; --fresh starts over\n" in outcome.err
    assert "collect: 3/3" in outcome.err
    seen = asked(server)
    assert ("Details" in seen, seen & {"Updated", "Search", "History"}) == (True, set())
    assert numbers() == [1, 2, 3, 4, 5]


def test_filters_of_github(command: CommandLine, server: GitHubServer) -> None:
    assert command(*COLLECT).code == 0
    labelled = command(*COLLECT, "--label", "bug")
    assert "the filters are others than those of the collected pull requests: collecting again\n" in labelled.err
    assert "3 merged pull requests, 4 more set aside (1 by bots, 1 into other branches, 2 by label)" in labelled.err
    assert numbers() == [1, 3, 5]
    everything = command(*COLLECT, "--base", "*", "--bots", "include")
    assert (everything.code, numbers()) == (0, [1, 2, 3, 4, 5, 7, 8])


def test_a_limit_that_lasts_longer_than_the_waits_may(command: CommandLine, server: GitHubServer) -> None:
    server.scenario.secondary_limit_403(times=None, retry_after=60)
    outcome = command(*COLLECT, "--max-wait", "5")
    assert (outcome.code, outcome.out) == (4, ""), outcome.err
    assert "--max-wait" in outcome.err
    assert not (RUN / "collection.json").exists()


@pytest.mark.parametrize(
    ("field", "part"),
    [
        ("author", "author"),
        ("mergeCommit", "merge commit"),
        ("commits", "commits"),
        ("baseRefName", "base branch"),
        ("title", "title"),
        ("createdAt", "time of opening"),
        ("reviewThreads", "review threads"),
    ],
)
def test_a_field_that_cannot_be_read_makes_one_pull_request_incomplete(
    command: CommandLine, server: GitHubServer, field: str, part: str
) -> None:
    """Until it can be, and is read again: the same command does not."""
    server.scenario.field_error("PR_kw1x3", field)
    outcome = command(*COLLECT)
    assert (outcome.code, numbers()) == (1, [1, 2, 3, 4, 5]), outcome.err
    refused = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert len(refused) == 2, outcome.err
    assert refused[0].startswith("warning: collect pr-3: ")
    assert f"{part}: this token may not see all of it" in refused[0]
    assert refused[1] == "warning: 1 pull request is incomplete; --refresh reads the week again"
    asked(server)
    server.scenario.clear()
    again = run(command)
    assert (again.code, refused[1] in again.err, asked(server)) == (1, True, set()), again.err
    fresh = run(command, "--refresh")
    assert (fresh.code, "incomplete" in fresh.err) == (0, False), fresh.err


def test_an_interrupted_week_goes_on_although_a_field_cannot_be_read(
    command: CommandLine, server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.scenario.field_error("PR_kw1x5", "commits")
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    outcome = command(*COLLECT)
    assert (outcome.code, numbers()) == (1, [1, 2, 3, 4, 5]), outcome.err
    assert "warning: collect pr-5: commits: this token may not see all of it" in outcome.err
