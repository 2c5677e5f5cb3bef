"""Questions to the fake GitHub with plain requests, for the tests of the fake itself."""

import base64
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from github_server import GitHubServer
from github_world import Bot, FakeIssue, FakePull, FakeRepository, Mannequin, World

OWNER_AND_NAME = {"owner": "aurora-serve", "name": "aurora"}
WEEK = "repo:aurora-serve/aurora is:pr is:merged merged:2026-02-02T00:00:00Z..2026-02-08T23:59:59Z"


@contextmanager
def served() -> Iterator[GitHubServer]:
    """A server of one repository."""
    world = World()
    world.repository("aurora-serve/aurora")
    with GitHubServer(world) as server:
        yield server


def post(server: GitHubServer, text: str, token: str | None = None, **variables: Any) -> requests.Response:
    headers = {"Authorization": f"bearer {token or server.token}"}
    body = {"query": text, "variables": variables}
    return requests.post(f"{server.server_url}/graphql", json=body, headers=headers, timeout=10, allow_redirects=False)


def get(server: GitHubServer, path: str) -> requests.Response:
    headers = {"Authorization": f"token {server.token}"}
    return requests.get(server.api_url + path, headers=headers, timeout=10, allow_redirects=False)


def data(server: GitHubServer, text: str, **variables: Any) -> dict[str, Any]:
    """The data of an answer without errors."""
    answer = post(server, text, **variables).json()
    assert "errors" not in answer
    found: dict[str, Any] = answer["data"]
    return found


def numbers(connection: Mapping[str, Any]) -> list[int]:
    return [node["number"] for node in connection["nodes"]]


def git(folder: Path, *arguments: str, token: str | None = None) -> subprocess.CompletedProcess[bytes]:
    """One git command; with a token it is sent as GitHub wants it."""
    pair = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    header = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader"}
    extra = header | {"GIT_CONFIG_VALUE_0": f"Authorization: Basic {pair}"} if token else {}
    env = {"PATH": os.environ["PATH"], "GIT_TERMINAL_PROMPT": "0", "HOME": str(folder), **extra}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=False)


def talkative(repo: FakeRepository) -> FakePull:
    """A pull request with something of everything; another one follows it up."""
    pull = repo.merge_pull(
        title="Talk",
        author=Bot("dependabot"),
        body="a\r\nb \ud83d",
        commits=[("First\n\nWhy.", {"a.py": "1\n2\n3\n4\n"}), ("Second", {"a.py": "1\n2\nthree\n4\n"}, "bo-wu")],
        labels=["bug", "perf"],
        merged_by=None,
    )
    pull.thread("a.py", 3, [("bo-wu", "hm"), (None, "gone")], resolved=True, resolved_by="ada-lin")
    pull.thread("a.py", 2, [(Mannequin("old-ada"), "why?")], outdated=True, original_commit=0)
    pull.review("bo-wu", "CHANGES_REQUESTED", "please")
    pull.comment(Bot("ci-helper"), "green", minimized=True)
    pull.referenced_by(repo.merge_pull(title="Follow up"))
    pull.referenced_by(FakeIssue(repo, 99, "Slow"))
    return pull
