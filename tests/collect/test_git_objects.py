import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_history import IN_WEEK, History

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_objects import CommitObject, GitObjects
from prhub_digest.errors import SourceError


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "widgets")


def _git(history: History) -> Git:
    return Git(history.folder / ".git", "widgets")


def test_commits_as_they_are_stored(history: History) -> None:
    first = history.commit("Start\n\nBody\n", {"a.txt": "one\n"})
    history.git("config", "i18n.commitEncoding", "ISO-8859-1")
    latin = history.commit("Caf\xe9".encode("latin-1"), {"a.txt": "two\n"}, author="Zo\xeb Roe".encode("latin-1"))
    history.git("config", "i18n.commitEncoding", "no-such-encoding")
    odd = history.commit(b"Caf\xe9", {"a.txt": "three\n"}, author="Bo Wu")
    history.git("config", "--unset", "i18n.commitEncoding")
    history.git("switch", "--quiet", "-c", "side", first)
    side = history.commit("Side", {"b.txt": "b\n"})
    history.git("switch", "--quiet", "main")
    merge = history.merge("side", "Merge")
    when = datetime.fromisoformat(IN_WEEK).astimezone(UTC)
    with GitObjects(_git(history)) as objects:
        assert objects.commit(first) == CommitObject(first, (), "Ada Lin", when, "Start\n\nBody\n")
        assert objects.commit(latin) == CommitObject(latin, (first,), "Zo\xeb Roe", when, "Caf\xe9")
        assert objects.commit(odd) == CommitObject(odd, (latin,), "Bo Wu", when, "Caf\ufffd")
        assert objects.commit(merge) == CommitObject(merge, (odd, side), "Ada Lin", when, "Merge\n")
        assert objects.commit("f" * 40) is None
        assert objects.commit(f"{first}^{{tree}}") is None


def test_parents_beyond_the_end_of_a_shallow_clone(history: History, tmp_path: Path) -> None:
    first = history.commit("One", {"a.txt": "1\n"})
    second = history.commit("Two", {"a.txt": "2\n"})
    history.git("clone", "--quiet", "--bare", "--depth=1", f"file://{history.folder}", str(tmp_path / "shallow"))
    with GitObjects(Git(tmp_path / "shallow", "shallow")) as objects:
        found = objects.commit(second)
        assert found is not None
        assert found.parents == (first,)
        assert objects.commit(first) is None


def test_a_commit_made_by_hand(history: History) -> None:
    """No author name, a date that no calendar has, headers that run over several lines."""
    tree = history.git("hash-object", "-t", "tree", "-w", "--stdin")
    raw = (
        f"tree {tree}\nauthor <a@example.invalid> 999999999999999999 +0000\ncommitter C <c@example.invalid> 1 +0000\n"
        "gpgsig -----BEGIN\n author Not Me <no@example.invalid> 1 +0000\n -----END\n\nText\n"
    )
    options = ("-t", "commit", "-w", "--literally", "--stdin")
    sha = history.git("hash-object", *options, text=raw.encode())
    with GitObjects(_git(history)) as objects:
        assert objects.commit(sha) == CommitObject(sha, (), "", None, "Text\n")


def test_files(history: History) -> None:
    names = {"a.txt": b"one\r\n", "dir/b": b"", "\u7f13 \u5b58": b"\xff", "large": b"x" * 300_000}
    sha = history.commit("Start", dict(names))
    with GitObjects(_git(history)) as objects:
        assert {name: objects.file(sha, name) for name in names} == names
        assert [objects.file(sha, name) for name in ("no", "dir", "", "a.txt/x", "a\nb", "a.txt missing")] == [None] * 6
        assert objects.file(sha, "a.txt") == b"one\r\n"


def test_a_damaged_repository(history: History) -> None:
    digests = "".join(f"{hashlib.sha256(str(number).encode()).hexdigest()}\n" for number in range(2000))
    sha = history.commit("Start", {"a.txt": digests})
    name = history.git("rev-parse", f"{sha}:a.txt")
    stored = history.folder / ".git" / "objects" / name[:2] / name[2:]
    stored.chmod(0o644)
    stored.write_bytes(stored.read_bytes()[:20_000])
    with GitObjects(_git(history)) as objects:
        for _ in range(2):
            with pytest.raises(SourceError, match=rf"widgets: git cannot read {sha}:a.txt; the repository is damaged"):
                objects.file(sha, "a.txt")
