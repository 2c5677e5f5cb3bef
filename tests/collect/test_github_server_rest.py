from collections.abc import Iterator

import github
import pytest
from github_asking import get, served, talkative
from github_server import GitHubServer
from github_world import Blob, FakeRepository


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_rest_through_pygithub(server: GitHubServer, repo: FakeRepository) -> None:
    pull = talkative(repo)
    auth = github.Auth.Token(server.token)
    client = github.Github(base_url=server.api_url, auth=auth, seconds_between_requests=0)
    found = client.get_repo("aurora-serve/aurora").get_pull(1)
    assert found.merged_by is None  # a deleted account
    assert (found.merged, found.user.login, found.additions) == (True, "dependabot[bot]", 4)
    assert (found.merge_commit_sha, found.head.sha) == (pull.merge_commit, pull.head_commit)
    assert [(file.filename, file.status, file.patch) for file in found.get_files()] == [
        ("a.py", "added", "@@ -0,0 +1,4 @@\n+1\n+2\n+three\n+4")
    ]
    assert [commit.sha for commit in found.get_commits()] == [commit.oid for commit in pull.commits]
    assert [review.state for review in found.get_reviews()] == ["CHANGES_REQUESTED"]
    assert [comment.body for comment in found.get_review_comments()] == ["hm", "gone", "why?"]
    assert [comment.user.login for comment in found.get_issue_comments()] == ["ci-helper[bot]"]
    assert client.get_user().login == "digest-reader"
    assert client.get_rate_limit().resources.graphql.remaining == 5000
    client.close()
    assert (server.counts.rest, server.counts.graphql) == (9, 0)


def test_rest_lists_are_paged_and_ordered(server: GitHubServer, repo: FakeRepository) -> None:
    for _ in range(5):
        repo.merge_pull()
    repo.open_pull()
    repo.pulls[2].touch("2026-03-01T00:00:00Z")
    query = "state=closed&sort=updated&direction=desc&per_page=2"
    first = get(server, f"/repos/aurora-serve/aurora/pulls?{query}")
    assert [pull["number"] for pull in first.json()] == [2, 5]
    assert "merged_by" not in first.json()[0]
    assert f'<{server.api_url}/repos/aurora-serve/aurora/pulls?{query}&page=2>; rel="next"' in first.headers["link"]
    last = get(server, f"/repos/aurora-serve/aurora/pulls?{query}&page=3")
    assert [pull["number"] for pull in last.json()] == [1]
    assert 'rel="next"' not in last.headers["link"]
    assert [pull["number"] for pull in get(server, "/repos/aurora-serve/aurora/pulls").json()] == [6]


def test_rest_files_without_a_patch(server: GitHubServer, repo: FakeRepository) -> None:
    repo.merge_pull(files={"old.py": "1\n2\n", "run": "x\n"})
    files = {f"f{number}.py": f"{number}\nf\n" for number in range(4)}
    odd = {"old.py": None, "new.py": "1\n2\n", "bin": b"\0", "run": Blob("x\n", "100755")}
    repo.merge_pull(files=files | odd)
    rows = get(server, "/repos/aurora-serve/aurora/pulls/2/files").json()
    assert [row["filename"] for row in rows if "patch" not in row] == ["bin", "new.py", "run"]
    assert [row["previous_filename"] for row in rows if row["status"] == "renamed"] == ["old.py"]
    server.scenario.patch_budget(5)
    rows = get(server, "/repos/aurora-serve/aurora/pulls/2/files").json()
    assert [row["additions"] for row in rows if row["filename"].startswith("f")] == [2, 2, 0, 0]
    smaller = get(server, "/repos/aurora-serve/aurora/pulls/2/files?per_page=2&page=2").json()
    assert [row["additions"] for row in smaller] == [2, 2]
