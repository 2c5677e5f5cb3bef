from collections.abc import Iterator
from pathlib import Path

import pytest
from github_asking import git, served
from github_server import GitHubServer
from github_world import FakeRepository


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_git_fetches_by_object_name_with_a_filter(server: GitHubServer, repo: FakeRepository, tmp_path: Path) -> None:
    pulls = [repo.merge_pull(files={"a.py": f"{number}\n"}) for number in range(3)]
    backport = repo.merge_pull(base="release-1", kind="rebase", commits=[("A", {"b": "1\n"}), ("B", {"b": "2\n"})])
    wanted = [pull.merge_commit or "" for pull in (pulls[0], pulls[2], backport)]
    assert git(tmp_path, "init", "--quiet", "--bare").returncode == 0
    url = f"{server.server_url}/aurora-serve/aurora.git"
    done = git(tmp_path, "fetch", "--quiet", "--depth=2", "--filter=blob:none", url, *wanted)
    assert (done.returncode, done.stderr) == (0, b"")
    assert server.counts.git == 1
    missing = git(tmp_path, "rev-list", "--objects", "--missing=print", *wanted).stdout.decode().splitlines()
    assert (
        len([line for line in missing if line.startswith("?")]) == 4
    )  # README.md, and all there ever was in a.py and b
    names = git(tmp_path, "diff-tree", "-r", "--name-only", f"{wanted[1]}^", wanted[1]).stdout.split()
    assert names == [b"a.py"]


def test_git_wants_the_token(server: GitHubServer, repo: FakeRepository, tmp_path: Path) -> None:
    server.git_needs_token = True
    url = f"{server.server_url}/aurora-serve/aurora.git"
    assert git(tmp_path, "ls-remote", url).returncode != 0
    assert git(tmp_path, "ls-remote", url, token="wrong").returncode != 0
    assert server.counts.git == 0
    assert git(tmp_path, "ls-remote", url, token=server.token).returncode == 0
    assert server.counts.git == 1


def test_git_that_refuses(server: GitHubServer, repo: FakeRepository, tmp_path: Path) -> None:
    oids = [repo.merge_pull(files={"a.py": f"{number}\n"}).merge_commit or "" for number in range(4)]
    url = f"{server.server_url}/aurora-serve/aurora.git"
    git(tmp_path, "init", "--quiet", "--bare")
    server.scenario.git_refuses_many(3)
    assert git(tmp_path, "fetch", "--quiet", url, *oids).returncode != 0
    assert git(tmp_path, "fetch", "--quiet", url, *oids[:3]).returncode == 0
    gone = git(tmp_path, "fetch", "--quiet", url, "f" * 40)
    assert gone.returncode != 0
    assert b"not our ref" in gone.stderr
    server.scenario.clear()
    server.scenario.git_without_filter()
    ignored = git(tmp_path, "fetch", "--depth=1", "--filter=blob:none", url, oids[3])
    assert ignored.returncode == 0
    assert b"filtering not recognized by server" in ignored.stderr
