from collections.abc import Iterator
from pathlib import Path

import pytest
from github_asking import OWNER_AND_NAME, WEEK, data, get, git, numbers, post, served
from github_server import GitHubServer
from github_world import FakeRepository, moment

from prhub_digest.collect import github_queries


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_lists_agree_with_the_world(server: GitHubServer, repo: FakeRepository) -> None:
    kinds = {"squash": "squash", "merge": "merge", "rebase": "rebase"}
    commits = [("One", {"a.py": "1\n"}), ("Two", {"b.py": "2\n"})]
    pulls = [repo.merge_pull(kind=kind, commits=commits) for kind in kinds]
    backport = repo.merge_pull(base="release-1", files={"c.py": "3\n"})
    repo.open_pull(files={"d.py": "4\n"})
    repo.direct_commit("By hand", {"e.py": "5\n"})
    updated = data(server, github_queries.UPDATED, **OWNER_AND_NAME)["repository"]["pullRequests"]
    assert numbers(updated) == [4, 3, 2, 1]
    assert [node["mergeCommit"]["oid"] for node in updated["nodes"]] == [
        pull.merge_commit for pull in reversed([*pulls, backport])
    ]
    assert updated["nodes"][0]["baseRefName"] == "release-1"
    assert numbers(data(server, github_queries.SEARCH, query=WEEK)["search"]) == [4, 3, 2, 1]
    assert data(server, github_queries.COUNT, query=WEEK)["search"] == {"issueCount": 4}
    when = {"branch": "main", "since": "2026-02-02T00:00:00Z", "until": "2026-02-09T00:00:00Z"}
    history = data(server, github_queries.HISTORY, **OWNER_AND_NAME, **when)["repository"]["ref"]["target"]["history"]
    found = {node["oid"]: numbers(node["associatedPullRequests"]) for node in history["nodes"]}
    assert len(history["nodes"]) == 1 + 3 + 2 + 1  # squash; merge with two of its own; rebase; by hand
    assert [found[pull.merge_commit or ""] for pull in pulls] == [[1], [2], [3]]
    assert sorted(map(len, found.values())) == [0, 1, 1, 1, 1, 1, 1]


def test_a_pull_request_touched_between_pages_moves_to_the_front(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = [repo.merge_pull() for _ in range(101)]
    server.scenario.before("Updated", 2, pulls[0].touch)
    first = data(server, github_queries.UPDATED, **OWNER_AND_NAME)["repository"]["pullRequests"]
    cursor = first["pageInfo"]["endCursor"]
    second = data(server, github_queries.UPDATED, after=cursor, **OWNER_AND_NAME)["repository"]["pullRequests"]
    assert numbers(first) == list(range(101, 1, -1))
    assert numbers(second) == [2]  # 1 is missing, 2 comes twice
    again = data(server, github_queries.UPDATED, **OWNER_AND_NAME)["repository"]["pullRequests"]
    assert numbers(again)[:2] == [1, 101]


def test_search_ranges_hold_both_ends_and_days_are_utc(server: GitHubServer, repo: FakeRepository) -> None:
    for when in ("2026-02-01T23:59:59Z", "2026-02-02T00:00:00Z", "2026-02-08T23:59:59Z", "2026-02-09T00:00:00Z"):
        repo.merge_pull(merged_at=when)
    for text in (
        "2026-02-02T00:00:00Z..2026-02-08T23:59:59Z",
        "2026-02-02..2026-02-08",
        "2026-02-02T08:00:00+08:00..2026-02-08",
    ):
        query = f"repo:aurora-serve/aurora is:pr is:merged merged:{text}"
        assert numbers(data(server, github_queries.SEARCH, query=query)["search"]) == [3, 2]


def test_search_reaches_a_thousand_results(server: GitHubServer, repo: FakeRepository) -> None:
    for minute in range(1005):
        repo.merge_pull(merged_at=moment("2026-02-02T00:00:00Z").replace(hour=minute // 60 % 24, minute=minute % 60))
    pages, after = 0, None
    while True:
        found = data(server, github_queries.SEARCH, query=WEEK, after=after)["search"]
        pages, after = pages + 1, found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert (pages, found["issueCount"]) == (10, 1005)


def test_a_lagging_search_and_a_rewritten_history(server: GitHubServer, repo: FakeRepository) -> None:
    for _ in range(3):
        repo.merge_pull(files={})
    server.scenario.search_lags(2)
    assert numbers(data(server, github_queries.SEARCH, query=WEEK)["search"]) == [3, 1]
    server.scenario.search_finds_nothing()
    assert numbers(data(server, github_queries.SEARCH, query=WEEK)["search"]) == []
    server.scenario.history_misses(1, 3)
    when = {"branch": "main", "since": "2026-02-02T00:00:00Z", "until": "2026-02-09T00:00:00Z"}
    history = data(server, github_queries.HISTORY, **OWNER_AND_NAME, **when)["repository"]["ref"]["target"]["history"]
    assert [numbers(node["associatedPullRequests"]) for node in history["nodes"]] == [[2]]


def test_a_renamed_repository(server: GitHubServer, repo: FakeRepository, tmp_path: Path) -> None:
    repo.merge_pull(files={"a.py": "1\n"})
    repo.rename("aurora-serve/borealis")
    found = data(server, github_queries.REPOSITORY, **OWNER_AND_NAME)["repository"]
    assert (found["nameWithOwner"], found["url"]) == (
        "aurora-serve/borealis",
        f"{server.server_url}/aurora-serve/borealis",
    )
    assert data(server, github_queries.COUNT, query=WEEK)["search"] == {"issueCount": 0}
    moved = get(server, "/repos/aurora-serve/aurora/pulls?state=closed")
    assert (moved.status_code, moved.headers["location"]) == (
        301,
        f"{server.api_url}/repositories/1/pulls?state=closed",
    )
    assert len(get(server, "/repositories/1/pulls?state=closed").json()) == 1
    listed = git(tmp_path, "ls-remote", f"{server.server_url}/aurora-serve/aurora.git", "refs/heads/main")
    assert listed.stdout.split()[0].decode() == repo.tips["main"].oid


def test_an_unknown_repository_and_an_expired_cursor(server: GitHubServer) -> None:
    answer = post(server, github_queries.REPOSITORY, owner="aurora-serve", name="nowhere").json()
    assert answer["data"]["repository"] is None
    assert answer["errors"][0] | {"locations": None} == {
        "type": "NOT_FOUND",
        "path": ["repository"],
        "locations": None,
        "message": "Could not resolve to a Repository with the name 'aurora-serve/nowhere'.",
    }
    wrong = post(server, github_queries.UPDATED, after="b2xk", **OWNER_AND_NAME).json()["errors"][0]
    assert wrong["type"] == "INVALID_CURSOR_ARGUMENTS"
    server.scenario.expired_cursor()
    assert "errors" not in post(server, github_queries.UPDATED, **OWNER_AND_NAME).json()
    assert (
        post(server, github_queries.UPDATED, after="x", **OWNER_AND_NAME)
        .json()["errors"][0]["message"]
        .startswith("`expired` does not")
    )
