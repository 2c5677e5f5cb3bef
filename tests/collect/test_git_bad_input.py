import shutil
import subprocess
from pathlib import Path

import pytest
from git_history import AFTER, BEFORE, IN_WEEK, History

from prhub_digest.collect.git_remote import cached_remote, is_url, repository_address
from prhub_digest.collect.git_repo import GitSource
from prhub_digest.errors import ServiceError, SourceError
from prhub_digest.models.period import Period

_WEEK = Period.from_week("2026-W06")


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "widgets")
    made.commit("Start", {"a.txt": "one\n"}, when=BEFORE)
    made.commit("Old (#1)", {"a.txt": "two\n"}, when=BEFORE)
    made.commit("New (#2)", {"a.txt": "three\n"}, when=IN_WEEK)
    made.commit("Late (#3)", {"a.txt": "four\n"}, when=AFTER)
    return made


def _clone(history: History, target: Path, *options: str) -> str:
    history.git("config", "uploadpack.allowFilter", "true")
    command = ["git", "clone", "--quiet", *options, f"file://{history.folder}", str(target)]
    subprocess.run(command, check=True, capture_output=True)
    return str(target)


def _read(location: str, cache: Path) -> list[int]:
    source = GitSource(location, cache)
    return [pull.number for pull in source.pull_requests(source.collection(_WEEK), frozenset())]


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere: no such folder; give the path of a git clone"):
        _read(str(tmp_path / "nowhere"), tmp_path)


def test_not_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(SourceError, match="plain: not a git repository"):
        _read(str(tmp_path / "plain"), tmp_path)
    with pytest.raises(SourceError, match="file: a file, not a folder"):
        _read(str(tmp_path / "file"), tmp_path)


def test_empty_repository(tmp_path: Path) -> None:
    History(tmp_path / "empty")
    with pytest.raises(SourceError, match="empty: main has no commit that can be read: the repository is empty"):
        _read(str(tmp_path / "empty"), tmp_path)


def test_git_not_installed(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="git is not installed"):
        _read(str(history.folder), tmp_path)


def test_shallow_clone(history: History, tmp_path: Path) -> None:
    for depth in ("1", "2"):
        shallow = _clone(history, tmp_path / f"shallow{depth}", f"--depth={depth}")
        with pytest.raises(SourceError, match=r"a shallow clone whose history begins on .*git fetch --unshallow"):
            _read(shallow, tmp_path)
    deep = _clone(history, tmp_path / "deep", "--depth=3")
    collection = GitSource(deep, tmp_path).collection(_WEEK)
    assert collection.numbers == (2,)
    assert collection.notes[1] == "shallow clone, history begins on 2026-01-07: lists of commits may be incomplete"


def test_partial_clone(history: History, tmp_path: Path) -> None:
    partial = _clone(history, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    with pytest.raises(SourceError, match=r"partial: a partial clone .*use a full clone"):
        _read(partial, tmp_path)


def test_missing_object(history: History, tmp_path: Path) -> None:
    blob = history.git("rev-parse", "HEAD~1:a.txt")
    (history.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SourceError, match=r"widgets: objects of the history are missing .*full clone"):
        _read(str(history.folder), tmp_path)


def test_history_with_a_hole(history: History, tmp_path: Path) -> None:
    commit = history.git("rev-parse", "HEAD~2")
    (history.folder / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(SourceError, match=r"widgets: (objects of the history are missing|git failed)"):
        _read(str(history.folder), tmp_path)


def test_url_is_fetched_into_the_cache_and_again(history: History, tmp_path: Path) -> None:
    url, cache, said = f"file://{history.folder}", tmp_path / "cache", list[str]()
    assert _read(url, cache) == [2]
    history.commit("More (#4)", {"a.txt": "five\n"}, when=IN_WEEK)
    history.git("branch", "--move", "trunk")
    source = GitSource(url, cache, said.append)
    collection = source.collection(_WEEK)
    assert (collection.numbers, collection.repository) == ((2, 4), "local/widgets")
    assert collection.notes[0].startswith("read along trunk,")
    assert said
    shutil.rmtree(history.folder)
    assert [pull.number for pull in GitSource(url, cache).pull_requests(collection, frozenset({2}))] == [4]


def test_url_of_an_empty_repository(tmp_path: Path) -> None:
    History(tmp_path / "empty")
    with pytest.raises(SourceError, match="the repository is empty"):
        _read(f"file://{tmp_path / 'empty'}", tmp_path / "cache")


def test_url_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="nowhere: git cannot read it") as caught:
        _read(f"file://{tmp_path / 'nowhere'}", tmp_path / "cache")
    assert caught.value.exit_code == 4
    with pytest.raises(ServiceError) as caught:
        _read("http://ada:hunter2@127.0.0.1:9/octo/widgets", tmp_path / "cache")
    assert "hunter2" not in str(caught.value)
    assert "http://127.0.0.1:9/octo/widgets: git cannot read it" in str(caught.value)


def test_cache_name_holds_no_credentials(tmp_path: Path) -> None:
    with_token = cached_remote("https://ada:hunter2@forge.example/octo/widgets.git", tmp_path)
    assert with_token == cached_remote("https://forge.example/octo/widgets.git", tmp_path)
    assert with_token.git_dir.name.startswith("forge.example-octo-widgets.git-")


def test_option_like_locations_are_no_options(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such folder"):
        _read("--upload-pack=x", tmp_path)
    with pytest.raises(ServiceError):
        _read("ext::sh -c true://x", tmp_path)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@forge.example:octo/widgets.git", ("octo/widgets", "https://forge.example/octo/widgets")),
        ("https://forge.example/octo/widgets", ("octo/widgets", "https://forge.example/octo/widgets")),
        ("https://ada:x@forge.example/octo/widgets.git/", ("octo/widgets", "https://forge.example/octo/widgets")),
        ("ssh://git@forge.example:2222/octo/widgets.git", ("octo/widgets", "https://forge.example/octo/widgets")),
        ("http://localhost:3000/octo/widgets", ("octo/widgets", "http://localhost:3000/octo/widgets")),
        ("https://forge.example/group/sub/proj.git", ("sub/proj", "https://forge.example/group/sub/proj")),
        ("https://forge.example/widgets", None),
        ("https://[::1", None),
        ("https://forge.example/a b/c", None),
        ("file:///srv/git/octo/widgets.git", None),
        ("../octo/widgets", None),
        (None, None),
    ],
)
def test_repository_address(url: str | None, expected: tuple[str, str] | None) -> None:
    assert repository_address(url) == expected


def test_what_is_a_url() -> None:
    assert [is_url(text) for text in ("https://h/x/y", "git@h.example:x/y", "file:///x", "./x", "/x/y:z", "C:\\x")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
