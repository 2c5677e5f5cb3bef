from collections.abc import Iterator

import pytest
from github_asking import OWNER_AND_NAME, data, served, talkative
from github_server import GitHubServer
from github_world import Blob, FakeRepository

from prhub_digest.collect import github_queries
from prhub_digest.collect.github_queries import THREAD_COMMENTS


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_the_details_of_a_pull_request(server: GitHubServer, repo: FakeRepository) -> None:
    pull = talkative(repo)
    node = data(server, github_queries.DETAILS, ids=[pull.id])["nodes"][0]
    assert node["author"] == {"__typename": "Bot", "login": "dependabot"}
    assert (node["mergedBy"], node["body"]) == (None, "a\r\nb \ud83d")
    assert (node["additions"], node["deletions"], node["changedFiles"]) == (4, 0, 1)
    assert (node["headRefOid"], node["mergeCommit"]["oid"]) == (pull.head_commit, pull.merge_commit)
    assert [label["name"] for label in node["labels"]["nodes"]] == ["bug", "perf"]
    commits = [commit["commit"] for commit in node["commits"]["nodes"]]
    assert [commit["message"] for commit in commits] == ["First\n\nWhy.", "Second"]
    assert [commit["author"]["user"] for commit in commits] == [None, {"login": "bo-wu"}]
    assert node["reviews"]["nodes"][0]["state"] == "CHANGES_REQUESTED"
    assert (node["comments"]["nodes"][0]["isMinimized"], node["comments"]["nodes"][0]["author"]["login"]) == (
        True,
        "ci-helper",
    )
    now, old = node["reviewThreads"]["nodes"]
    assert (now["isResolved"], now["resolvedBy"]["login"], now["line"], now["diffSide"]) == (
        True,
        "ada-lin",
        3,
        "RIGHT",
    )
    assert [comment["author"] and comment["author"]["login"] for comment in now["comments"]["nodes"]] == ["bo-wu", None]
    assert now["comments"]["nodes"][0]["diffHunk"] == "@@ -0,0 +1,4 @@\n+1\n+2\n+three"
    assert (old["line"], old["originalLine"], old["isOutdated"], old["isResolved"]) == (None, 2, True, False)
    assert old["comments"]["nodes"][0]["originalCommit"]["oid"] == pull.commits[0].oid
    assert old["comments"]["nodes"][0]["author"]["__typename"] == "Mannequin"
    sources = [item["source"] for item in node["timelineItems"]["nodes"]]
    assert [source["__typename"] for source in sources] == ["PullRequest", "Issue"]
    assert (sources[0]["number"], sources[0]["repository"]) == (2, {"nameWithOwner": "aurora-serve/aurora"})


def test_nested_lists_are_paged_to_their_end(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"a.py": "1\n"})
    threads = [pull.thread("a.py", 1, [("bo-wu", "hm")]) for _ in range(60)]
    for number in range(150):
        threads[7].comment("bo-wu", f"and {number}")
    node = data(server, github_queries.DETAILS, ids=[pull.id])["nodes"][0]["reviewThreads"]
    found = [thread["id"] for thread in node["nodes"]]
    more = github_queries.more([github_queries.THREADS, THREAD_COMMENTS])
    after = {"id0": pull.id, "after0": node["pageInfo"]["endCursor"]}
    comments = node["nodes"][7]["comments"]
    both = data(server, more, **after, id1=threads[7].id, after1=comments["pageInfo"]["endCursor"])
    assert found + [thread["id"] for thread in both["m0"]["reviewThreads"]["nodes"]] == [
        thread.id for thread in threads
    ]
    bodies = [comment["body"] for comment in comments["nodes"] + both["m1"]["comments"]["nodes"]]
    assert bodies == ["hm", *(f"and {number}" for number in range(109))]
    assert both["m1"]["comments"]["pageInfo"]["hasNextPage"] is True


def test_lies_about_a_pull_request(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = [repo.merge_pull(files={"a.py": f"{number}\n"}) for number in range(3)]
    pulls[0].merge_commit, pulls[1].merge_commit, pulls[2].state = None, "f" * 40, "CLOSED"
    pulls[1].changed_files, pulls[1].additions = 0, 77
    listed = data(server, github_queries.UPDATED, **OWNER_AND_NAME)["repository"]["pullRequests"]["nodes"]
    assert [node["mergeCommit"] and node["mergeCommit"]["oid"] for node in listed] == ["f" * 40, None]
    node = data(server, github_queries.DETAILS, ids=[pulls[1].id])["nodes"][0]
    assert (node["additions"], node["deletions"], node["changedFiles"]) == (77, 1, 0)


def test_the_counts_are_those_of_git(repo: FakeRepository) -> None:
    repo.merge_pull(files={"old.py": "1\n2\n3\n4\n5\n", "bin": b"\0\1", "run": "x\n", 'läng "q".txt': "ä\n"})
    pull = repo.merge_pull(
        behind=1,
        kind="merge",
        commits=[("Start", {"fresh.py": "1\n"})],
        resolution={"old.py": "1\n"},
    )
    assert [(file.path, file.status) for file in pull.files] == [("fresh.py", "added")]
    files = {"old.py": None, "new.py": "1\n", "bin": b"\0\2", "run": Blob("x\n", "100755"), 'läng "q".txt': None,
             "sub": Blob("1" * 40, "160000"), "link": Blob("run", "120000")}  # fmt: skip
    pull = repo.merge_pull(files=files)
    assert {file.path: (file.status, file.additions, file.deletions) for file in pull.files} == {
        "new.py": ("renamed", 0, 0),
        "bin": ("modified", 0, 0),
        "run": ("changed", 0, 0),
        'läng "q".txt': ("removed", 0, 1),
        "sub": ("added", 1, 0),
        "link": ("added", 1, 0),
    }
    assert [file.path for file in pull.files if file.binary] == ["bin"]
