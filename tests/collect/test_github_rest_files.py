"""The files of a pull request over REST: what no patch means, what is cut, what is said about it."""

from collections.abc import Iterator

import pytest
from github_server import GitHubServer
from github_told import detail, listed
from github_world import FakeFile, FakePull, FakeRepository, World
from pydantic import SecretStr

from prhub_digest.chunk import chunk_pull_request, week_coverage
from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_pulls import PullDiff
from prhub_digest.collect.github_rest_files import files_by_rest
from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.models.pull_request import FileChange
from prhub_digest.models.run import UnreadFiles
from prhub_digest.tokens import tokenizer_for

_NAME = "aurora-serve/aurora"
_BY_REST = "the diff is from GitHub's REST API, not from git"
_H05 = f"""\
Title
T1|Move the name
Files
F1|new/name.py renamed from old/name.py +0 -0 (no change of text)
F2|run.sh modified +0 -0 (no change of text)
F3|assets/anim.json added +1 -0 (diff not given by the source)
F4|third_party/lib modified +1 -1 (submodule pointer)
Diff
diff of F4 third_party/lib
D1|@@ -1,1 +1,1 @@
D2|-Subproject commit {"1" * 40}
D3|+Subproject commit {"2" * 40}"""
_SUBMODULE = f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer(World()) as running:
        yield running


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repository(_NAME, files={"a.txt": "one\ntwo\n"})


def _read(server: GitHubServer, pull: FakePull, token: str | None = None) -> PullDiff:
    access = GitHubAccess(server.api_url, server.server_url, SecretStr(token or server.token), "GITHUB_TOKEN")
    api = GitHubApi(access, max_wait=60, say=lambda _: None, sleep=lambda _: None)
    try:
        return files_by_rest(api, _NAME, listed(pull), detail(pull))
    finally:
        api.close()


def _pages(server: GitHubServer) -> list[str]:
    return [request.path.partition("?")[2] for request in server.requests]


def _shows(monkeypatch: pytest.MonkeyPatch, *files: FakeFile) -> None:
    """GitHub's rows, and with them its counts, are these, whatever the commits change."""
    monkeypatch.setattr(FakePull, "files", files)


def test_as_git_shows_it(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"a.txt": "one\r\n", "b.txt": "b"})
    assert _read(server, pull) == PullDiff(
        files=(
            FileChange(
                path="a.txt",
                status="modified",
                additions=1,
                deletions=2,
                patch="@@ -1,2 +1 @@\n-one\n-two\n+one\r",
            ),
            FileChange(
                path="b.txt",
                status="added",
                additions=1,
                deletions=0,
                patch="@@ -0,0 +1 @@\n+b\n\\ No newline at end of file",
            ),
        ),
        state="complete",
        notes=(_BY_REST,),
    )
    assert _pages(server) == ["page=1&per_page=100"]


def test_h05_nothing_to_show_or_too_much(
    server: GitHubServer, repo: FakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shows(
        monkeypatch,
        FakeFile("new/name.py", "renamed", 0, 0, None, previous_path="old/name.py"),
        FakeFile("run.sh", "modified", 0, 0, None),
        FakeFile("assets/anim.json", "added", 1, 0, None),
        FakeFile("third_party/lib", "modified", 1, 1, _SUBMODULE.encode()),
    )
    pull = repo.merge_pull()
    diff = _read(server, pull)
    assert [(file.path, file.previous_path, file.status, file.patch_state) for file in diff.files] == [
        ("new/name.py", "old/name.py", "renamed", "no_text_change"),
        ("run.sh", None, "modified", "no_text_change"),
        ("assets/anim.json", None, "added", "not_given"),
        ("third_party/lib", None, "modified", "submodule"),
    ]
    assert diff.state == "partial"
    assert diff.notes == (
        _BY_REST,
        "content not shown by GitHub, too large: assets/anim.json",
        "no change of text shown; a binary or empty file or a mode, REST does not tell which: run.sh",
    )
    assert _pages(server) == ["page=1&per_page=100"]  # a page of ten rows is no smaller
    collected = detail(pull).pull.updated(title="Move the name", body=None, files=diff.files)
    (chunk,), coverage = chunk_pull_request(collected, budget=600, max_chunks=1, tokenizer=tokenizer_for("gpt-4o"))
    assert chunk.text == _H05
    assert [(file.path, file.shown, file.reason, file.changed_lines_shown) for file in coverage.files] == [
        ("new/name.py", "full", None, 0),
        ("run.sh", "full", None, 0),
        ("assets/anim.json", "name_only", "diff not given by the source", 0),
        ("third_party/lib", "full", None, 2),
    ]
    week = week_coverage([coverage])
    assert (week.pulls_complete, week.changed_lines, week.changed_lines_shown) == (0, 3, 2)
    assert week.unread == (UnreadFiles(reason="diff not given by the source", files=1),)


def test_every_status(server: GitHubServer, repo: FakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("added", "removed", "modified", "renamed", "copied", "changed", "unchanged")
    patch = b"@@ -1 +1 @@\n-a\n+b"
    _shows(monkeypatch, *(FakeFile(name, name, 1, 1, patch) for name in names))
    diff = _read(server, repo.merge_pull())
    assert [file.status for file in diff.files] == [
        "added",
        "deleted",
        "modified",
        "renamed",
        "copied",
        "modified",
        "modified",
    ]
    assert (diff.state, diff.notes) == ("complete", (_BY_REST,))


def test_a_patch_that_shows_less_than_it_counts(
    server: GitHubServer, repo: FakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shows(
        monkeypatch,
        FakeFile("whole.py", "modified", 1, 1, b"@@ -1,3 +1,3 @@\n x\n--- a\n+++ b\n y"),
        FakeFile("cut.py", "modified", 3, 0, b"@@ -1,2 +1,5 @@\n x\n+1\n+2"),
        FakeFile("looks.txt", "modified", 2, 1, _SUBMODULE.encode() + b"\n+more"),
    )
    diff = _read(server, repo.merge_pull())
    assert [file.patch_state for file in diff.files] == ["complete", "truncated", "truncated"]
    assert diff.state == "partial"
    assert diff.notes == (_BY_REST, "content shown by GitHub in part: cut.py, looks.txt")


def test_rows_past_the_budget_of_a_page_are_read_again(server: GitHubServer, repo: FakeRepository) -> None:
    """They come as 0/0/0 without a patch: small pages bring them back."""
    pull = repo.merge_pull(files={f"{number:03}.txt": "x\n" * 10 for number in range(130)})
    server.scenario.patch_budget(700)
    diff = _read(server, pull)
    assert (diff.state, diff.notes, len(diff.files)) == ("complete", (_BY_REST,), 130)
    assert {(file.additions, file.patch_state) for file in diff.files} == {(10, "complete")}
    assert _pages(server) == [
        "page=1&per_page=100",
        "page=2&per_page=100",
        "page=8&per_page=10",
        "page=9&per_page=10",
        "page=10&per_page=10",
    ]


def test_what_small_pages_do_not_bring_back(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={f"{number:02}.txt": "x\n" * 10 for number in range(20)})
    server.scenario.patch_budget(95)
    diff = _read(server, pull)
    assert (diff.state, len(diff.files)) == ("partial", 20)
    assert diff.notes == (
        _BY_REST,
        "the diff has +180 -0 in 20 files, GitHub counts +200 -0 in 20 files",
        "no change of text shown; a binary or empty file or a mode, REST does not tell which: 09.txt, 19.txt",
    )


def test_a_second_reading_that_fails_leaves_the_first(
    server: GitHubServer, repo: FakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = [FakeFile(f"{number:02}.json", "added", 1, 0, None) for number in range(11)]
    _shows(monkeypatch, *large)
    pull = repo.merge_pull()
    server.scenario.before("", 2, lambda: server.scenario.server_error(times=None, status=422, message="Too large"))
    diff = _read(server, pull)
    assert (diff.state, len(diff.files)) == ("partial", 11)
    names = "00.json, 01.json, 02.json, 03.json, 04.json and 6 more"
    assert diff.notes == (_BY_REST, f"content not shown by GitHub, too large: {names}")


def test_more_files_than_github_lists(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={f"{number:04}.txt": "x\n" for number in range(3001)})
    diff = _read(server, pull)
    assert (diff.state, len(diff.files)) == ("partial", 3000)
    assert diff.notes == (
        _BY_REST,
        "the diff has +3000 -0 in 3000 files, GitHub counts +3001 -0 in 3001 files",
        "GitHub lists no more than 3000 files of a pull request",
    )
    assert len(_pages(server)) == 30
    pull.changed_files = 0
    assert _read(server, pull).state == "partial"


def test_counts_that_are_not_known(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    pull.additions = pull.changed_files = 0
    diff = _read(server, pull)
    assert (diff.state, len(diff.files)) == ("uncertain", 1)
    assert diff.notes == (_BY_REST, "GitHub gives no counts for the pull request, so the diff is not checked")


def test_no_files(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={})
    diff = _read(server, pull)
    note = "GitHub lists no files and counts none, as it may for a very large pull request, too"
    assert (diff.state, diff.files, diff.notes) == ("uncertain", (), (_BY_REST, note))
    pull.changed_files, pull.additions = 2, 5
    diff = _read(server, pull)
    assert (diff.state, diff.files) == ("missing", ())
    assert diff.notes == (_BY_REST, "the diff has +0 -0 in 0 files, GitHub counts +5 -0 in 2 files")


def test_half_a_surrogate_pair_can_be_written(
    server: GitHubServer, repo: FakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Text(bytes):
        def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
            return "@@ -0,0 +1 @@\n+\ud83d"

    _shows(monkeypatch, FakeFile("a.txt", "added", 1, 0, Text()))
    (file,) = _read(server, repo.merge_pull()).files
    assert file.patch == "@@ -0,0 +1 @@\n+\ufffd"


def test_a_diff_that_github_does_not_give(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    server.scenario.server_error(times=1, status=422, message="Sorry, this diff is taking too long to generate.")
    diff = _read(server, pull)
    assert (diff.state, diff.files, diff.merge_kind) == ("missing", (), "unknown")
    (note,) = diff.notes
    assert note.startswith("the diff could not be read: ")
    assert "Sorry, this diff is taking too long to generate." in note
    assert server.requests[-1].path.endswith(f"/repos/{_NAME}")


def test_github_gives_nothing_any_more(server: GitHubServer, repo: FakeRepository) -> None:
    """The run ends, to be continued: it must not go on and store every pull request without its diff."""
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    server.rest_limit.remaining = 0
    with pytest.raises(ServiceError, match=r"GitHub asks to wait .* the same command continues later"):
        _read(server, pull)


def test_a_token_that_is_refused(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    with pytest.raises(FatalServiceError):
        _read(server, pull, token="ghp_wrong")


def test_an_answer_that_is_no_list(server: GitHubServer, repo: FakeRepository) -> None:
    pull = repo.merge_pull(files={"b.txt": "b\n"})
    server.scenario.server_error(times=1, status=200, message="Hello", on="rest")
    assert _read(server, pull).state == "complete"
