"""Diffs by real git over http, from a fake GitHub: which trees, counts and fetches, and where the token goes."""

import base64
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from github_server import GitHubServer
from github_store import Blob
from github_told import detail, listed
from github_wire import Answer, Request
from github_world import FakePull, FakeRepository, Files, Who, World
from pydantic import SecretStr

from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_diffs import WeekDiffs
from prhub_digest.collect.github_pulls import ListedPull, PullDiff

_REST = "the diffs are read through the REST API, a request or more a pull request"
_NAME = "aurora-serve/aurora"


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer(World()) as running:
        running.git_needs_token = True
        yield running


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repository(_NAME, files={"a.txt": "one\ntwo\n"})


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


def _access(server: GitHubServer, token: str | None = None) -> GitHubAccess:
    return GitHubAccess(server.api_url, server.server_url, SecretStr(token or server.token), "GITHUB_TOKEN")


def _no_wait(seconds: float) -> None:
    pass


def _week(server: GitHubServer, said: list[str]) -> WeekDiffs:
    return WeekDiffs(_access(server), _NAME, said.append, _no_wait)


def _diffs(server: GitHubServer, pulls: Sequence[FakePull], said: list[str] | None = None) -> list[PullDiff | None]:
    with _week(server, [] if said is None else said) as week:
        week.fetch([listed(pull) for pull in pulls])
        return [week.diff(listed(pull), detail(pull)) for pull in pulls]


def _diff(server: GitHubServer, pull: FakePull) -> PullDiff:
    (found,) = _diffs(server, [pull])
    assert found is not None
    return found


def _counts(diff: PullDiff) -> list[tuple[str, int, int]]:
    return [(file.path, file.additions, file.deletions) for file in diff.files]


# Which trees


def test_squash(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Other work", {"other.txt": "x\n"})
    pull = repo.merge_pull(commits=[("x", {"b.txt": "b\n"}), ("y", {"a.txt": "one\n2\n"})], behind=1)
    diff = _diff(server, pull)
    assert (diff.state, diff.merge_kind, diff.notes) == ("complete", "squash", ())
    assert _counts(diff) == [("a.txt", 1, 1), ("b.txt", 1, 0)]
    assert diff.files[0].patch == "@@ -1,2 +1,2 @@\n one\n-two\n+2"


def test_merge_commit_with_a_resolved_conflict(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Other work", {"a.txt": "one\nTWO\n", "other.txt": "x\n"})
    files = {"a.txt": "one\n2\n", "b.txt": "b\n"}
    pull = repo.merge_pull(kind="merge", files=files, behind=1, resolution={"a.txt": "one\nTWO, 2\nand more\n"})
    diff = _diff(server, pull)
    assert (diff.state, diff.merge_kind) == ("uncertain", "merge")
    assert diff.notes == ("the diff has +3 -1 in 2 files, GitHub counts +2 -1 in 2 files",)
    assert _counts(diff) == [("a.txt", 2, 1), ("b.txt", 1, 0)]
    pull.additions = 3
    assert _diff(server, pull).state == "complete"


def test_rebase(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Other work", {"other.txt": "x\n"})
    commits: list[tuple[str, Files] | tuple[str, Files, Who]] = [
        ("Prepare", {"a.txt": "1\ntwo\n"}, "bo-wu"),
        ("Build", {"b.txt": "b\n"}),
        ("Polish", {"b.txt": "b\nc\n"}),
    ]
    diff = _diff(server, repo.merge_pull(kind="rebase", commits=commits, behind=1))
    assert (diff.state, diff.merge_kind, diff.notes) == ("complete", "rebase", ())
    assert _counts(diff) == [("a.txt", 1, 1), ("b.txt", 2, 0)]


def test_rebase_that_dropped_a_commit(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Same fix", {"a.txt": "1\ntwo\n"})
    commits = [("Same fix", {"a.txt": "1\ntwo\n"}), ("Build", {"b.txt": "b\n"}), ("Polish", {"b.txt": "b\nc\n"})]
    for dropped in (0, 1):
        pull = repo.merge_pull(kind="rebase", commits=commits, behind=1, dropped=[dropped])
        pull.additions, pull.deletions, pull.changed_files = 2, 0, 1
        repo.direct_commit("Foreign", {f"foreign{dropped}.txt": "x\n"})
        repo.direct_commit("Undo", {"b.txt": None})
        diff = _diff(server, pull)
        assert "foreign0.txt" not in [file.path for file in diff.files]
        assert (diff.state, diff.merge_kind) == ("complete", "rebase")
        assert _counts(diff) == [("b.txt", 2, 0)]


def test_rebase_whose_dropped_commit_github_counts(server: GitHubServer, repo: FakeRepository) -> None:
    commits = [("Same fix", {"a.txt": "1\ntwo\n"}), ("Build", {"b.txt": "b\n"}), ("Polish", {"b.txt": "b\nc\n"})]
    diff = _diff(server, repo.merge_pull(kind="rebase", commits=commits, dropped=[0]))
    assert (diff.state, diff.merge_kind) == ("uncertain", "rebase")
    assert diff.notes == ("the diff has +2 -0 in 1 file, GitHub counts +3 -1 in 2 files",)


def test_squash_that_looks_like_the_last_commit_of_a_rebase(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Foreign", {"foreign.txt": "x\n"})
    pull = repo.merge_pull(
        commits=[("One", {"b.txt": "b\n"}), ("Two", {"c.txt": "c\n"}), ("Three", {"d.txt": "d\n"})],
        message="Three",
        created_at="2026-02-04T10:00:00Z",
        merged_at="2026-02-04T10:02:00Z",
    )
    assert listed(pull).looks_rebased
    for files, state in ((3, "complete"), (0, "uncertain")):
        pull.changed_files = files  # 0: not counted
        diff = _diff(server, pull)
        assert (diff.state, diff.merge_kind) == (state, "squash")
        assert _counts(diff) == [("b.txt", 1, 0), ("c.txt", 1, 0), ("d.txt", 1, 0)]


def test_of_two_readings_the_one_that_adds_up(server: GitHubServer, repo: FakeRepository) -> None:
    """The commit before a squash bears author, time and subject of the pull request's first one."""
    repo.direct_commit("One", {"foreign.txt": "x\n"}, at="2026-02-04T10:00:00Z")
    pull = repo.merge_pull(
        commits=[("One", {"b.txt": "b\n"}), ("Two", {"c.txt": "c\n"})],
        message="Two",
        created_at="2026-02-04T10:00:00Z",
        merged_at="2026-02-04T10:01:00Z",
    )
    assert _counts(_diff(server, pull)) == [("b.txt", 1, 0), ("c.txt", 1, 0)]
    pull.additions, pull.changed_files = 3, 3
    diff = _diff(server, pull)
    assert (diff.state, diff.merge_kind) == ("complete", "rebase")
    assert _counts(diff) == [("b.txt", 1, 0), ("c.txt", 1, 0), ("foreign.txt", 1, 0)]
    pull.additions = 4
    diff = _diff(server, pull)
    assert (diff.state, diff.merge_kind) == ("uncertain", "rebase")
    assert diff.notes == ("the diff has +3 -0 in 3 files, GitHub counts +4 -0 in 3 files",)


def test_fast_forward(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(kind="rebase", commits=[("One", {"b.txt": "b\n"}), ("Two", {"c.txt": "c\n"})])
    pull.merge_commit = pull.head_commit
    diff = _diff(server, pull)
    assert (diff.state, diff.merge_kind) == ("complete", "rebase")
    assert _counts(diff) == [("b.txt", 1, 0), ("c.txt", 1, 0)]


def test_rebase_longer_than_is_looked_for(server: GitHubServer, repo: FakeRepository) -> None:
    commits = [(f"Step {number}", {f"{number}.txt": "x\n"}) for number in range(255)]
    diff = _diff(server, repo.merge_pull(kind="rebase", commits=commits))
    assert (diff.state, diff.merge_kind, len(diff.files)) == ("uncertain", "rebase", 249)
    assert diff.notes == (
        "the diff has +249 -0 in 249 files, GitHub counts +255 -0 in 255 files",
        "only the last 249 commits of a long rebase were looked for",
    )


def test_the_first_commit_of_a_history(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    pull.merge_commit = pull.fork.oid
    pull.additions, pull.changed_files = 2, 1
    diff = _diff(server, pull)
    assert (diff.state, _counts(diff)) == ("complete", [("a.txt", 2, 0)])


def test_merge_commit_gone_or_unknown(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = [repo.merge_pull(files={f"{number}.txt": "x\n"}) for number in range(5)]
    pulls[1].merge_commit, pulls[2].merge_commit, pulls[4].merge_commit = "f" * 40, None, "e" * 40
    said: list[str] = []
    diffs = _diffs(server, pulls, said)
    assert [diff and diff.state for diff in diffs] == ["complete", None, None, "complete", None]
    assert server.counts.git == 4  # two of them told what is gone
    assert not [line for line in said if "REST" in line]


# What GitHub counts


def test_counts_that_are_not_known(server: GitHubServer, repo: FakeRepository) -> None:
    """Of a very large pull request GitHub says that it changes no file."""
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    pull.additions = pull.changed_files = 0
    diff = _diff(server, pull)
    assert (diff.state, _counts(diff)) == ("uncertain", [("b.txt", 1, 0)])
    assert diff.notes == ("GitHub gives no counts for the pull request, so the diff is not checked",)


def test_pull_request_that_changes_nothing(server: GitHubServer, repo: FakeRepository) -> None:
    diff = _diff(server, repo.merge_pull(files={}))
    assert (diff.state, diff.files, diff.notes) == ("complete", (), ())


# All kinds of files


def test_every_kind_of_change(server: GitHubServer, repo: FakeRepository) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    lib = {"lib": Blob("1" * 40, "160000")}
    repo.direct_commit(
        "Before",
        {
            "old.py": text,
            "moved.py": text.upper(),
            "source.py": text[::-1],
            "run.sh": "echo\n",
            "logo.png": b"\x89PNG\0\1",
            "link": Blob("a.txt", "120000"),
            "gone.py": "x\n",
            **lib,
        },
    )
    files: dict[str, str | bytes | Blob | None] = {
        "old.py": None,
        "new.py": text.replace("line 3\n", "line three\n"),
        "moved.py": None,
        "deep/moved.py": text.upper(),
        "copy.py": text[::-1],
        "run.sh": Blob("echo\n", "100755"),
        "logo.png": b"\x89PNG\0\2",
        "link": Blob("README.md", "120000"),
        "gone.py": None,
        "lib": Blob("2" * 40, "160000"),
        "a.txt": Blob("b.txt", "120000"),
        "empty.py": "",
        '缓存 "quoted".md': "new\n",
    }
    diff = _diff(server, repo.merge_pull(files=files))
    assert (diff.state, diff.notes) == ("complete", ())
    assert server.counts.git == 2
    modes = {file.path: (file.old_mode, file.new_mode) for file in diff.files if file.new_mode is not None}
    assert modes == {
        "run.sh": ("100644", "100755"),
        "link": ("120000", "120000"),
        "lib": ("160000", "160000"),
        "a.txt": ("100644", "120000"),
    }
    found = {file.path: (file.status, file.previous_path, file.patch_state) for file in diff.files}
    assert found == {
        "new.py": ("renamed", "old.py", "complete"),
        "deep/moved.py": ("renamed", "moved.py", "no_text_change"),
        "copy.py": ("added", None, "complete"),
        "run.sh": ("mode_changed", None, "no_text_change"),
        "logo.png": ("modified", None, "binary"),
        "link": ("modified", None, "complete"),
        "gone.py": ("deleted", None, "complete"),
        "lib": ("modified", None, "submodule"),
        "a.txt": ("modified", None, "complete"),
        "empty.py": ("added", None, "no_text_change"),
        '缓存 "quoted".md': ("added", None, "complete"),
    }


def test_bytes_that_are_not_utf8(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"latin.txt": b"caf\xe9\n"})
    with _week(server, []) as week:
        week.fetch([listed(pull)])
        diff = week.diff(listed(pull), detail(pull))
        assert diff is not None
        assert week.text(listed(pull), "latin.txt") == "caf\ufffd\n"
    assert (diff.state, diff.files[0].patch) == ("complete", "@@ -0,0 +1 @@\n+caf\ufffd")
    assert diff.notes == ("the diff holds bytes that are not UTF-8; each is shown as \ufffd",)


def test_text_of_a_file_as_merged(server: GitHubServer, repo: FakeRepository) -> None:
    repo.direct_commit("Other", {"other.txt": "untouched\n", "gone.txt": "x\n"})
    files: dict[str, str | bytes | Blob | None] = {
        "a.txt": "one\r\n2\n",
        "缓存 x.md": "new\n",
        "gone.txt": None,
        "data.bin": b"a\0b",
        "dir/deep.txt": "deep",
    }
    pull = repo.merge_pull(files=files)
    repo.direct_commit("Later", {"a.txt": "three\n"})
    with _week(server, []) as week:
        assert week.text(listed(pull), "a.txt") is None
        week.fetch([listed(pull)])
        asked = len(server.requests)
        texts = {path: week.text(listed(pull), path) for path in [*files, "other.txt", "no.txt", "a\nb", "dir", ""]}
        assert week.text(listed(pull), "a.txt") == "one\r\n2\n"
    assert texts == {
        "a.txt": "one\r\n2\n",
        "缓存 x.md": "new\n",
        "gone.txt": None,
        "data.bin": None,
        "dir/deep.txt": "deep",
        "other.txt": None,
        "no.txt": None,
        "a\nb": None,
        "dir": None,
        "": None,
    }
    assert len(server.requests) == asked  # nothing is fetched for it
    assert week.text(listed(pull), "a.txt") is None  # closed


# Two fetches


def _many(repo: FakeRepository, count: int) -> list[FakePull]:
    kinds = ("squash", "merge", "rebase", "squash", "merge")
    return [
        repo.merge_pull(
            kind=kinds[number % 5],
            commits=[
                (f"One of {number}", {f"{number % 7}.py": f"x = {number}\n"}),
                (f"Two of {number}", {f"new/{number}.py": "y\n" * number, "a.txt": f"{number}\n"}),
            ],
        )
        for number in range(count)
    ]


def test_fifty_pull_requests_take_two_fetches(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = _many(repo, 50)
    diffs = _diffs(server, pulls)
    assert server.counts.git == 2
    assert {diff.state for diff in diffs if diff} == {"complete"}
    for pull, diff in zip(pulls, diffs, strict=True):
        assert diff is not None
        assert _counts(diff) == [(file.path, file.additions, file.deletions) for file in pull.files]
        assert diff.merge_kind == pull.kind
        theirs = [file.patch and file.patch.decode() for file in pull.files]
        assert [file.patch for file in diff.files] == theirs


def test_nothing_to_fetch(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    pull.merge_commit = None
    assert _diffs(server, []) == []
    assert _diffs(server, [pull]) == [None]
    assert server.requests == []


def test_a_server_that_cannot_filter_sends_everything_at_once(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = _many(repo, 6)
    server.scenario.git_without_filter()
    assert {diff.state for diff in _diffs(server, pulls) if diff} == {"complete"}
    assert server.counts.git == 1


def test_a_server_that_refuses_many_at_once_is_asked_in_parts(server: GitHubServer, repo: FakeRepository) -> None:
    """Neighbours of the history in different parts: the border of one must not hide what the other brought."""
    pulls = _many(repo, 110)
    server.scenario.git_refuses_many(50)
    said: list[str] = []
    diffs = _diffs(server, [*pulls[::2], *pulls[1::2]], said)
    assert {diff and diff.state for diff in diffs} == {"complete"}
    address = f"{server.server_url}/{_NAME}.git"
    assert len([line for line in said if line.startswith(f"{address}: the fetch failed (")]) == 2
    assert not [line for line in said if "a part of the fetch failed" in line]


def test_a_server_that_gives_almost_nothing(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = _many(repo, 30)
    server.scenario.git_refuses_many(10)
    said: list[str] = []
    assert set(_diffs(server, pulls, said)) == {None}
    assert server.counts.git == 2
    assert [line for line in said if "a part of the fetch failed" in line]


# Nothing of it stays, nothing goes elsewhere


def test_the_repository_is_thrown_away(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    told = listed(pull)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with _week(server, []) as week:
        week.fetch([told])
        (made,) = folder.iterdir()
        config = (made / "config").read_text(encoding="utf-8")
        assert "remote" not in config
        assert server.token not in config
    assert list(folder.iterdir()) == []
    with pytest.raises(KeyboardInterrupt):
        _interrupted(server, told)
    assert list(folder.iterdir()) == []


def _interrupted(server: GitHubServer, told: ListedPull) -> None:
    with _week(server, []) as week:
        week.fetch([told])
        raise KeyboardInterrupt


def _recording_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *variables: str) -> Path:
    """A `git` on the path that notes its arguments and some variables, and runs the real one."""
    real, log = shutil.which("git"), tmp_path / "git.log"
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    shown = " ".join(f"{name}=${{{name}-}}" for name in variables)
    script.write_text(f'#!/bin/sh\necho "$* {shown}" >>{log}\nexec {real} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=":")
    return log


def test_the_token_is_in_one_header_and_nowhere_else(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulls = _many(repo, 3)
    log = _recording_git(tmp_path, monkeypatch)
    for name in (
        "GIT_TRACE",
        "GIT_TRACE_CURL",
        "GIT_TRACE_PACKET",
        "GIT_TRACE2",
        "GIT_TRACE2_EVENT",
        "GIT_CURL_VERBOSE",
    ):
        monkeypatch.setenv(name, str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_TRACE_REDACT", "0")
    monkeypatch.setenv("GIT_TRACE2_CONFIG_PARAMS", "http.*")
    monkeypatch.setenv("HOME", str(tmp_path))
    trace = f"[trace2]\neventTarget = {tmp_path / 'trace'}\nconfigParams = http.*\nenvVars = GIT_CONFIG_VALUE_1\n"
    (tmp_path / ".gitconfig").write_text(trace, encoding="utf-8")
    said: list[str] = []
    assert all(_diffs(server, pulls, said))
    basic = base64.b64encode(f"x-access-token:{server.token}".encode()).decode()
    assert {request.headers["authorization"] for request in server.requests} == {f"Basic {basic}"}
    assert not [request.path for request in server.requests if server.token in request.path]
    assert not (tmp_path / "trace").exists()
    for text in (log.read_text(encoding="utf-8"), "\n".join(said)):
        assert text
        assert server.token not in text
        assert basic not in text


def test_a_server_that_echoes_the_token(server: GitHubServer, repo: FakeRepository) -> None:
    def echo(request: Request) -> Answer:
        sent = f"{server.token} and {request.headers['authorization']}"
        return Answer(403, sent.encode(), {"content-type": "text/plain"})

    server.scenario._add("git", None, echo)
    said: list[str] = []
    assert _diffs(server, [repo.merge_pull(files={"b.txt": "b\n"})], said) == [None]
    assert said[0] == "remote: *** and Basic ***"


def test_settings_of_the_user_do_not_get_in_the_way(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulls = _many(repo, 3)
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    mark = tmp_path / "ran"
    for name in ("reference-transaction", "post-index-change", "pre-auto-gc"):
        (template / name).write_text(f"#!/bin/sh\necho {name} >>{mark}\n", encoding="utf-8")
        (template / name).chmod(0o755)
    settings = f"""
[url "ssh://git@127.0.0.1/"]
    insteadOf = {server.server_url}/
[http "{server.server_url}"]
    extraHeader = Authorization: Basic bm90OnJpZ2h0
    extraHeader = X-Of-The-User: 1
[credential]
    helper = "!touch {mark}; false"
[core]
    hooksPath = {template}
[init]
    templateDir = {template.parent}
[protocol]
    version = 0
    allow = never
[fetch]
    prune = true
    fsckObjects = true
[remote "origin"]
    fetch = +refs/pull/*/head:refs/remotes/pull/*
"""
    (tmp_path / ".gitconfig").write_text(settings, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.userAgent")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "from-the-user")
    assert {diff and diff.state for diff in _diffs(server, pulls)} == {"complete"}
    assert server.counts.git == 2
    assert {request.headers["user-agent"] for request in server.requests} == {"from-the-user"}
    assert not [request for request in server.requests if "x-of-the-user" in request.headers]
    assert {request.headers["git-protocol"] for request in server.requests} == {"version=2"}
    assert not mark.exists()


def test_redirects_are_not_followed(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    repo.rename("aurora-serve/renamed")
    said: list[str] = []
    assert _diffs(server, [pull], said) == [None]
    assert [request.status for request in server.requests] == [301]
    assert said[-1].endswith(_REST)


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_certificates_of_a_company(
    name: str, server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = _recording_git(tmp_path, monkeypatch, "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
    monkeypatch.setenv(name, str(tmp_path / "bundle.pem"))
    assert all(_diffs(server, _many(repo, 1)))
    monkeypatch.setenv(name, str(tmp_path))
    assert all(_diffs(server, _many(repo, 1)))
    monkeypatch.setenv("GIT_SSL_CAINFO", "/own.pem")
    assert all(_diffs(server, _many(repo, 1)))
    fetches = [line for line in log.read_text(encoding="utf-8").splitlines() if "--depth=" in line]
    ends = [line.partition("GIT_SSL_CAINFO=")[2].partition(" GIT_SSL_CAPATH=")[::2] for line in fetches]
    assert ends == [(f"{tmp_path}/bundle.pem", ""), ("", str(tmp_path)), ("/own.pem", "")]


# When git cannot


def test_a_token_that_is_refused(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked for a password then."""
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    asked, script = tmp_path / "asked", tmp_path / "ask"
    script.write_text(f"#!/bin/sh\ntouch {asked}\necho somebody\n", encoding="utf-8")
    script.chmod(0o755)
    settings = f'[credential]\nhelper = "!touch {asked}; false"\n[core]\naskPass = {script}\n'
    (tmp_path / ".gitconfig").write_text(settings, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_ASKPASS", str(script))
    monkeypatch.setenv("SSH_ASKPASS", str(script))
    said: list[str] = []
    with WeekDiffs(_access(server, "ghp_wrong"), _NAME, said.append, _no_wait) as week:
        week.fetch([listed(pull)])
        assert week.diff(listed(pull), detail(pull)) is None
        assert week.text(listed(pull), "b.txt") is None
    address = f"{server.server_url}/{_NAME}.git"
    assert said[-1].startswith(f"{address}: git was refused with the token from GITHUB_TOKEN (fatal: ")
    assert said[-1].endswith(f"): it needs read access to Contents of the repository; {_REST}")
    assert "ghp_wrong" not in "".join(said)
    assert {request.status for request in server.requests} == {401}
    assert not asked.exists()


def test_a_repository_that_is_not_there(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    said: list[str] = []
    with WeekDiffs(_access(server), "aurora-serve/nowhere", said.append, _no_wait) as week:
        week.fetch([listed(pull)])
        assert week.diff(listed(pull), detail(pull)) is None
    address = f"{server.server_url}/aurora-serve/nowhere.git"
    assert said[-1] == f"{address}: git cannot read it: fatal: repository '{address}/' not found; {_REST}"


def test_a_server_that_does_not_answer(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    said: list[str] = []
    waited: list[float] = []
    with WeekDiffs(
        GitHubAccess(url, url, SecretStr("ghp_other"), "GH_TOKEN"), _NAME, said.append, waited.append
    ) as week:
        week.fetch([listed(pull)])
        assert week.diff(listed(pull), detail(pull)) is None
    assert len(waited) == 5
    assert f"{url}/{_NAME}.git: git cannot read it: fatal: unable to access " in said[-1]
    assert said[-1].endswith(f"(gave up after 6 attempts); {_REST}")


def test_a_server_in_trouble_for_a_moment(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    server.scenario.bad_gateway(times=1, on="git")
    assert _diff(server, pull).state == "complete"
    assert server.counts.git == 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_server_that_is_asked_too_much_is_waited_for(server: GitHubServer, repo: FakeRepository, method: str) -> None:
    """Be it before the fetch, or when it has begun."""
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    limited = Answer(429, b"Slow down.", {"content-type": "text/plain", "retry-after": "1"})
    server.scenario._add("git", 2, lambda _: limited, lambda request: request.method == method)
    said: list[str] = []
    (diff,) = _diffs(server, [pull], said)
    assert diff is not None
    assert diff.state == "complete"
    waits = [line for line in said if line.startswith("trying again in 1 s: ")]
    address = f"{server.server_url}/{_NAME}.git"
    assert len(waits) == 2
    assert waits[0].startswith(f"trying again in 1 s: {address}: git is asked to wait (HTTP 429): ")
    assert not [line for line in said if "REST" in line or "in parts" in line]


def test_a_server_that_is_asked_too_much_for_long(server: GitHubServer, repo: FakeRepository) -> None:
    server.scenario.too_many_requests(times=None, on="git")
    said: list[str] = []
    assert _diffs(server, [repo.merge_pull(files={"b.txt": "b\n"})], said) == [None]
    assert len(server.requests) == 6
    assert said[-1].endswith(f" (gave up after 6 attempts); {_REST}")


def test_of_what_git_reports_only_shares_of_the_work_are_shown(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = [repo.merge_pull(files={f"{number}.txt": "x\n"}) for number in range(3)]
    pulls[1].merge_commit = "f" * 40
    said: list[str] = []
    assert [diff and diff.state for diff in _diffs(server, pulls, said)] == ["complete", None, "complete"]
    assert said
    assert [line for line in said if not re.search(r": +\d+% \(\d+/\d+\)", line)] == []


def test_only_encrypted_beyond_this_machine(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    url = "http://git.example.invalid"
    said: list[str] = []
    with WeekDiffs(GitHubAccess(url, url, SecretStr("ghp_other"), "GH_TOKEN"), _NAME, said.append, _no_wait) as week:
        week.fetch([listed(pull)])
    assert "transport 'http' not allowed" in said[-1]


def test_no_room_for_the_repository(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = listed(repo.merge_pull(files={"b.txt": "b\n"}))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    said: list[str] = []
    with _week(server, said) as week:
        week.fetch([told])
    assert len(said) == 1
    assert said[0].endswith(_REST)


def test_contents_that_do_not_come(server: GitHubServer, repo: FakeRepository) -> None:
    """Only the second fetch wants more than the server gives: what cannot be read whole is left to REST."""
    small = repo.merge_pull(files={})
    large = repo.merge_pull(files={f"{number}.txt": f"{number}\n" for number in range(20)})
    server.scenario.git_refuses_many(10)
    said: list[str] = []
    diffs = _diffs(server, [small, large], said)
    assert [diff and diff.state for diff in diffs] == ["complete", None]
    assert server.counts.git == 3
    url = f"{server.server_url}/{_NAME}.git"
    assert said[-1] == f"{url}: #{large.number}: git lacks a part of the diff; it is read through REST"


def _only_this_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> None:
    """Without a script there is none at all."""
    if script is not None:
        (tmp_path / "git").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (None, "git is not installed, or not on PATH"),
        ("exit 0", "git does not work: git --version says ''"),
        ("echo hello", "git does not work: git --version says 'hello'"),
        ("echo fatal: broken >&2; exit 1", "git does not work: git --version failed (fatal: broken)"),
        ("echo git version 2.10.0", "git version 2.10.0 is too old"),
        ("echo git version 1.99.1", "git version 1.99.1 is too old"),
        ("echo git version 2.30.9", "git version 2.30.9 is too old"),
    ],
)
def test_git_that_cannot_be_used(
    server: GitHubServer,
    repo: FakeRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str | None,
    why: str,
) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    told = listed(pull), detail(pull)
    _only_this_git(tmp_path, monkeypatch, script)
    said: list[str] = []
    with _week(server, said) as week:
        week.fetch([told[0]])
        assert week.diff(*told) is None
    assert said == [f"{why}; git 2.31 or later is wanted; {_REST}"]
    assert server.requests == []


def test_git_that_is_another_program(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that it is git, and whatever it is told, it says so again."""
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    told = listed(pull), detail(pull)
    _only_this_git(tmp_path, monkeypatch, "echo git version 2.50.1")
    said: list[str] = []
    with _week(server, said) as week:
        week.fetch([told[0]])
        assert week.diff(*told) is None
    address = f"{server.server_url}/{_NAME}.git"
    assert said == [f"{address}: git does not answer as git does; is another program of that name on PATH?; {_REST}"]


def test_git_that_breaks_in_the_middle(
    server: GitHubServer, repo: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    told = listed(pull), detail(pull)
    said: list[str] = []
    with _week(server, said) as week:
        week.fetch([told[0]])
        _only_this_git(tmp_path, monkeypatch, "echo git version 2.50.1")
        assert week.diff(*told) is None
    assert said[-1] == (f"{server.server_url}/{_NAME}.git: #1: git lacks a part of the diff; it is read through REST")
