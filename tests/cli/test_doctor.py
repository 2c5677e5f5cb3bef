"""`doctor`: what a run lacks, told before it begins."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from github_server import GitHubServer
from github_world import FakeRepository, World, moment

pytest_plugins = ["command_fixture"]

NOW = moment("2026-02-09T08:00:00Z")
WEEK = ("aurora-serve/aurora", "--week", "2026-W06")
NAMES = ("git", "token", "GraphQL limit", "REST limit", "account", "repository", "week", "enough")


@pytest.fixture
def repository() -> FakeRepository:
    """23 pull requests merged in the week, one of them into another branch; two outside of it."""
    made = World().repository("aurora-serve/aurora")
    for day in range(22):
        made.merge_pull(merged_at=moment("2026-02-02T00:00:00Z") + timedelta(hours=7 * day))
    made.merge_pull(merged_at="2026-02-08T23:59:59Z", base="release")
    made.merge_pull(merged_at="2026-02-09T00:00:00Z")
    made.merge_pull(merged_at="2026-02-01T23:59:59Z")
    return made


@pytest.fixture
def server(command: CommandLine, repository: FakeRepository) -> Iterator[GitHubServer]:
    with GitHubServer(repository.world) as server:
        server.now = NOW
        server.graphql_limit.reset_at = server.rest_limit.reset_at = NOW + timedelta(minutes=40)
        command.set(GITHUB_API_URL=server.api_url, GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token)
        yield server


def checks(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """State and words of each check, by name, of the output as JSON."""
    values: dict[str, Any] = json.loads(outcome.out)
    assert values["ready"] is (outcome.code == 0), outcome.err
    return {check["name"]: (check["state"], check["says"]) for check in values["checks"]}


def without_programs(command: CommandLine) -> None:
    """No `gh` on PATH, and no git."""
    (command.folder / "empty").mkdir()
    command.set(PATH=str(command.folder / "empty"))


def test_a_week_that_can_be_read(command: CommandLine, server: GitHubServer) -> None:
    outcome = command("doctor", *WEEK)
    assert (outcome.code, outcome.err) == (0, "")
    title, header, *rows = outcome.out.rstrip("\n").split("\n")
    assert (title, header.split()) == ("ready", ["state", "check", "result"])
    assert [row.split()[0] for row in rows] == ["ok"] * len(NAMES) + ["note"]
    assert f"from GITHUB_TOKEN, for {server.api_url}" in rows[1]
    assert "5,000 of 5,000 points left, full again at 2026-02-09 08:40 UTC" in rows[2]
    assert "5,000 of 5,000 requests left, full again at 2026-02-09 08:40 UTC" in rows[3]
    assert rows[4].endswith("digest-reader")
    assert rows[5].endswith("aurora-serve/aurora: public, permission read, default branch main")
    assert rows[6].endswith(
        "2026-W06: 23 merged pull requests by search; to read them takes about"
        " 9 GraphQL calls (21 points) and 2 git fetches"
    )
    assert rows[7].endswith("5,000 points are left")
    assert (server.counts.graphql, server.counts.rest, server.counts.git) == (3, 1, 0)
    assert server.token not in outcome.out


def test_the_same_as_json(command: CommandLine, server: GitHubServer) -> None:
    outcome = command("doctor", *WEEK, "--json")
    assert outcome.code == 0
    assert tuple(checks(outcome)) == (*NAMES, "model")
    assert server.token not in outcome.out


def test_without_a_repository_token_and_limits(command: CommandLine, server: GitHubServer) -> None:
    outcome = command("doctor", "--json")
    assert outcome.code == 0
    assert tuple(checks(outcome)) == (*NAMES[:5], "model")
    assert (server.counts.graphql, server.counts.rest) == (1, 1)


def test_the_week_is_the_last_complete_one_in_the_time_zone_of_the_settings(
    command: CommandLine, server: GitHubServer
) -> None:
    Path("other.toml").write_bytes(b'timezone = "Asia/Shanghai"\n')
    found = checks(command("doctor", *WEEK, "--config", "other.toml", "--json"))
    # Eight hours earlier: one of Sunday comes in, the last one is out.
    assert "2026-W06: 23 merged pull requests by search" in found["week"][1]
    search = next(request for request in server.requests if request.operation == "Count")
    assert search.variables["query"].endswith(" merged:2026-02-01T16:00:00Z..2026-02-08T15:59:59Z")
    assert "merged pull requests by search" in checks(command("doctor", WEEK[0], "--json"))["week"][1]


def test_a_renamed_private_repository(command: CommandLine, server: GitHubServer, repository: FakeRepository) -> None:
    repository.rename("aurora-serve/borealis")
    repository.is_private, repository.viewer_permission = True, "ADMIN"
    found = checks(command("doctor", *WEEK, "--json"))
    assert found["repository"] == (
        "ok",
        "aurora-serve/borealis, once aurora-serve/aurora: private, permission admin, default branch main",
    )
    assert "23 merged pull requests" in found["week"][1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("doctor", "https://github.com/a/b"), "--source github reads OWNER/REPO, not 'https://github.com/a/b'"),
        (("doctor", "aurora"), "'aurora' is no OWNER/REPO"),
        (("doctor", "--week", "2026-W06"), "--week goes with OWNER/REPO"),
        (("doctor", "a/b", "--week", "last"), "--week 'last' is not an ISO week"),
    ],
)
def test_wrong_arguments(command: CommandLine, arguments: tuple[str, ...], says: str) -> None:
    outcome = command(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert says in outcome.err


def test_no_token_and_no_git(command: CommandLine) -> None:
    without_programs(command)
    command.set(GITHUB_TOKEN="", GH_TOKEN="")
    outcome = command("doctor", *WEEK, "--json")
    found = checks(outcome)
    assert (outcome.code, tuple(found)) == (1, ("git", "token", "model"))
    assert found["git"][0] == "note"
    assert found["git"][1].startswith("git is not installed, or not on PATH; git 2.31 or later is wanted:")
    assert found["token"][0] == "failed"
    assert found["token"][1].startswith("no token for github.com")


def test_a_token_that_is_refused(command: CommandLine, server: GitHubServer) -> None:
    command.set(GITHUB_TOKEN="", GH_TOKEN="wrong-token-1")
    outcome = command("doctor", *WEEK)
    assert outcome.code == 1
    assert outcome.out.startswith("not ready\n")
    assert "refuses the token from GH_TOKEN (HTTP 401: Bad credentials)" in outcome.out
    assert "wrong-token-1" not in outcome.out + outcome.err


def test_a_repository_that_the_token_cannot_see(command: CommandLine, server: GitHubServer) -> None:
    outcome = command("doctor", "aurora-serve/other", "--json")
    found = checks(outcome)
    assert outcome.code == 1
    assert found["repository"][0] == "failed"
    assert (
        "aurora-serve/other: there is no such repository, or the token from GITHUB_TOKEN cannot"
        in (found["repository"][1])
    )
    assert "week" not in found


@pytest.mark.parametrize(
    ("minutes", "state", "says"),
    [
        (40, "note", "17 points are left until 2026-02-09 08:40 UTC; a run would wait about 40 min"),
        (
            90,
            "failed",
            "17 points are left until 2026-02-09 09:30 UTC; a run would wait about 90 min, and max_wait allows 3600 s",
        ),
    ],
)
def test_too_little_is_left(command: CommandLine, server: GitHubServer, minutes: int, state: str, says: str) -> None:
    server.graphql_limit.remaining = 17
    server.graphql_limit.reset_at = NOW + timedelta(minutes=minutes)
    outcome = command("doctor", *WEEK, "--json")
    assert outcome.code == (state == "failed")
    assert checks(outcome)["enough"] == (state, says)


def test_nothing_is_left_and_nothing_is_waited_for(command: CommandLine, server: GitHubServer) -> None:
    server.graphql_limit.remaining = 0
    outcome = command("doctor", *WEEK, "--json")
    found = checks(outcome)
    assert (outcome.code, server.counts.graphql) == (1, 0)
    assert found["GraphQL limit"][1].startswith("0 of 5,000 points left, full again at 2026-02-09 08:40 UTC")
    assert found["account"] == ("failed", "not asked: nothing is left of the GraphQL limit")


def test_without_git_the_diffs_are_counted_against_the_other_limit(command: CommandLine, server: GitHubServer) -> None:
    without_programs(command)
    server.rest_limit.remaining = 20
    outcome = command("doctor", *WEEK)
    assert outcome.code == 0, outcome.out
    assert "9 GraphQL calls (21 points) and 23 REST calls\n" in outcome.out
    assert "20 requests are left until 2026-02-09 08:40 UTC; a run would wait about 40 min" in outcome.out


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo git version 2.30.9", "git version 2.30.9 is too old"),
        ("exit 0", "git does not work: git --version says ''"),
        ("exit 1", "git does not work: git --version failed (git gave no reason)"),
    ],
)
def test_git_that_a_run_could_not_use(command: CommandLine, server: GitHubServer, script: str, says: str) -> None:
    """As for the run, the diffs then come by REST."""
    folder = command.folder / "old"
    folder.mkdir()
    (folder / "git").write_bytes(f"#!/bin/sh\n{script}\n".encode())
    (folder / "git").chmod(0o755)
    command.set(PATH=str(folder))
    found = checks(command("doctor", *WEEK, "--json"))
    assert found["git"] == ("note", f"{says}; git 2.31 or later is wanted: without it, each diff is a REST call")
    assert found["week"][1].endswith(" 9 GraphQL calls (21 points) and 23 REST calls")


class WithoutLimits(GitHubServer):
    """An Enterprise Server whose limits are off, as they are by default."""

    def _rate(self, points: int) -> Any:
        return None


def test_an_enterprise_server_without_limits(command: CommandLine, repository: FakeRepository) -> None:
    with WithoutLimits(repository.world, enterprise=True) as server:
        server.scenario.server_error(None, status=404, message="Rate limiting is not enabled.", on="rest")
        command.set(GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token, GITHUB_API_URL="")
        outcome = command("doctor", *WEEK, "--json")
        found = checks(outcome)
        assert outcome.code == 0
        assert found["token"] == ("ok", f"from GITHUB_TOKEN, for {server.api_url}")
        assert found["GraphQL limit"] == found["REST limit"] == ("ok", "none on this server")
        assert "23 merged pull requests" in found["week"][1]
        assert "enough" not in found


def test_a_github_that_fails_is_exit_4_after_what_was_found(command: CommandLine, server: GitHubServer) -> None:
    server.scenario.server_error(None, status=422, message="Unprocessable", on="Count")
    outcome = command("doctor", *WEEK)
    assert outcome.code == 4
    assert "aurora-serve/aurora: public" in outcome.out
    assert "failed  week" in outcome.out
    assert "error: " in outcome.err
    assert "Unprocessable" in outcome.err
