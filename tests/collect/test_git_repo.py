import os
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_history import AFTER, BEFORE, IN_WEEK, History

from prhub_digest.collect.git_repo import GitSource
from prhub_digest.models.file_kinds import AttributeRule
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, Commit, Completeness, FileChange, Person, PullRequest

_WEEK = Period.from_week("2026-W06")
_LANDED = datetime(2026, 2, 4, 12, tzinfo=UTC)


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "widgets")
    made.commit("Start", {"a.txt": "one\ntwo\n"}, when=BEFORE)
    return made


def _collect(history: History, cache: Path, *, skip: Sequence[int] = ()) -> tuple[Collection, list[PullRequest]]:
    source = GitSource(str(history.folder), cache)
    collection = source.collection(_WEEK)
    return collection, list(source.pull_requests(collection, frozenset(skip)))


def test_squash_commit_whole_record(history: History, tmp_path: Path) -> None:
    history.git("remote", "add", "origin", "git@forge.example:octo/widgets.git")
    message = "Add three (#12)\n\nBecause.\n\nCo-authored-by: Bo Wu <bo@example.invalid>\n"
    sha = history.commit(message, {"a.txt": "one\ntwo\nthree\n"})
    collection, pulls = _collect(history, tmp_path)
    ada = Person(name="Ada Lin")
    assert collection == Collection(
        repository="octo/widgets",
        source="git",
        web_url="https://forge.example/octo/widgets",
        period=_WEEK,
        numbers=(12,),
        direct_commits=0,
        head=sha,
        notes=(
            f"read along main, first parents only, at {sha[:12]}",
            "the newest commit on main is of 2026-02-04, before the end of the period: pull requests may be missing",
        ),
    )
    assert pulls == [
        PullRequest(
            number=12,
            title="Add three",
            body="Because.",
            url="https://forge.example/octo/widgets/pull/12",
            author=ada,
            co_authors=(Person(name="Bo Wu"),),
            merged_at=_LANDED,
            base_branch="main",
            merge_kind="squash",
            merge_commit=sha,
            files=(
                FileChange(
                    path="a.txt",
                    status="modified",
                    additions=1,
                    deletions=0,
                    patch="@@ -1,2 +1,3 @@\n one\n two\n+three",
                ),
            ),
            commits=(Commit(sha=sha, message="Add three (#12)\n\nBecause.", author=ada, authored_at=_LANDED),),
            first_contribution=False,
            completeness=Completeness(conversation="unknown"),
        )
    ]
    assert "@example.invalid" not in pulls[0].to_json()


def test_merge_commits_and_direct_commits(history: History, tmp_path: Path) -> None:
    history.git("switch", "--quiet", "-c", "feature")
    first = history.commit("One step", {"b.txt": "b\n"}, when=BEFORE, author="Bo Wu")
    second = history.commit("Another step (#999)", {"b.txt": "b\nc\n"}, author="Cy Roe")
    history.git("switch", "--quiet", "main")
    history.commit("Hotfix without a pull request", {"a.txt": "one\n"})
    merge = history.merge("feature", "Merge pull request #31 from octo/feature\n\nAdd b\n\nText")
    history.git("switch", "--quiet", "-c", "gl", "main~1")
    history.commit("Step", {"c.txt": "c\n"})
    history.git("switch", "--quiet", "main")
    history.merge("gl", "Merge branch 'gl' into 'main'\n\nAdd c\n\nSee merge request octo/widgets!32")
    history.commit("Late (#40)", {"a.txt": "late\n"}, when=AFTER)
    collection, (add_b, add_c) = _collect(history, tmp_path)
    assert collection.numbers == (31, 32)
    assert collection.direct_commits == 1
    assert collection.repository == "local/widgets"
    assert (add_b.title, add_b.body, add_b.head_branch, add_b.merge_kind) == ("Add b", "Text", "feature", "merge")
    assert (add_b.merge_commit, add_b.author, add_b.url) == (merge, Person(name="Bo Wu"), None)
    assert [commit.sha for commit in add_b.commits] == [first, second]
    assert [(file.path, file.status, file.additions) for file in add_b.files] == [("b.txt", "added", 2)]
    assert (add_c.title, add_c.head_branch, [file.path for file in add_c.files]) == ("Add c", "gl", ["c.txt"])


def test_rebase_commits_are_one_pull_request(history: History, tmp_path: Path) -> None:
    first = history.commit("Prepare (#5)", {"a.txt": "one\n"})
    last = history.commit("Finish (#5)", {"a.txt": "one\nnew\n", "b.txt": "b\n"})
    _, (pull,) = _collect(history, tmp_path)
    assert (pull.merge_kind, pull.merge_commit, pull.title) == ("rebase", last, "Finish")
    assert [commit.sha for commit in pull.commits] == [first, last]
    assert [(file.path, file.additions, file.deletions) for file in pull.files] == [("a.txt", 1, 1), ("b.txt", 1, 0)]
    assert pull.completeness.diff == "complete"


def test_commits_that_do_not_stand_together(history: History, tmp_path: Path) -> None:
    history.commit("Prepare (#5)", {"a.txt": "one\n"})
    history.commit("Other (#6)", {"other.txt": "x\n"})
    (history.folder / "a.txt").chmod(0o755)
    history.commit("Finish (#5)", {"a.txt": "one\nnew\n"})
    collection, pulls = _collect(history, tmp_path)
    five = next(pull for pull in pulls if pull.number == 5)
    assert sorted(collection.numbers) == [5, 6]
    assert [(file.path, file.additions, file.deletions) for file in five.files] == [("a.txt", 1, 1)]
    assert five.files[0].patch == "@@ -1,2 +1 @@\n one\n-two\n@@ -1 +1,2 @@\n one\n+new"
    assert (five.files[0].old_mode, five.files[0].new_mode) == ("100644", "100755")
    assert five.completeness.diff == "partial"
    assert five.completeness.notes


def test_dates_out_of_order(history: History, tmp_path: Path) -> None:
    history.commit("In (#1)", {"a.txt": "1\n"})
    history.commit("Old date (#2)", {"a.txt": "2\n"}, when=BEFORE)
    history.commit("Future date (#3)", {"a.txt": "3\n"}, when=AFTER)
    history.commit("In again (#4)", {"a.txt": "4\n"})
    history.commit("Old again (#5)", {"a.txt": "5\n"}, when=BEFORE)
    assert _collect(history, tmp_path)[0].numbers == (1, 4)


def test_period_is_half_open(history: History, tmp_path: Path) -> None:
    for number, when in enumerate(
        ["2026-02-01T23:59:59Z", "2026-02-02T00:00:00Z", "2026-02-09T01:59:59+02:00", "2026-02-08T19:00:00-05:00"], 1
    ):
        history.commit(f"Edge (#{number})", {"a.txt": f"{number}\n"}, when=when)
    assert _collect(history, tmp_path)[0].numbers == (2, 3)


def test_odd_files(history: History, tmp_path: Path) -> None:
    history.commit(
        "Base",
        {
            "move me.txt": "".join(f"{n}\n" for n in range(20)),
            "run.sh": "#!/bin/sh\n",
            "gone.txt": "x\n",
            "link": "target\n",
            "logo.png": b"\0\1\2",
            os.fsdecode(b"\xff.txt"): "renamed\n" * 9,
        },
        when=BEFORE,
    )
    module = History(history.folder / "sub")
    module.commit("One", when=BEFORE)
    history.commit("Add a submodule", when=BEFORE)
    module.commit("Two")
    (history.folder / "b").mkdir()
    history.git("mv", "move me.txt", "b/moved -> to {here}.txt")
    (history.folder / "run.sh").chmod(0o755)
    (history.folder / "link").unlink()
    (history.folder / "link").symlink_to("a.txt")
    odd: dict[str, str | bytes | None] = {
        "docs/缓存说明.md": "一\n",
        'q"\t\n.txt': "q\n",
        "empty": "",
        "gone.txt": None,
        "logo.png": b"\0\3",
        os.fsdecode(b"caf\xe9"): "c\n",
        os.fsdecode(b"caf\xe8"): "c\nd\n",
        r"caf\xe9": "literal\n",
        os.fsdecode(b"\xff.txt"): None,
        os.fsdecode(b"\xfe.txt"): "renamed\n" * 9,
    }
    history.commit("Odd files (#8)", odd)
    _, (pull,) = _collect(history, tmp_path)
    modes = {file.path: (file.old_mode, file.new_mode) for file in pull.files if file.new_mode is not None}
    assert modes == {
        "link": ("100644", "120000"),
        "run.sh": ("100644", "100755"),
        "sub": ("160000", "160000"),
    }
    assert sorted((f.path, f.previous_path, f.status, f.patch_state, f.additions, f.deletions) for f in pull.files) == [
        (r"\xfe.txt", r"\xff.txt", "renamed", "no_text_change", 0, 0),
        ("b/moved -> to {here}.txt", "move me.txt", "renamed", "no_text_change", 0, 0),
        (r"caf\x5cxe9", None, "added", "complete", 1, 0),
        (r"caf\xe8", None, "added", "complete", 2, 0),
        (r"caf\xe9", None, "added", "complete", 1, 0),
        ("docs/缓存说明.md", None, "added", "complete", 1, 0),
        ("empty", None, "added", "no_text_change", 0, 0),
        ("gone.txt", None, "deleted", "complete", 0, 1),
        ("link", None, "modified", "complete", 1, 1),
        ("logo.png", None, "modified", "binary", 0, 0),
        ('q"\t\n.txt', None, "added", "complete", 1, 0),
        ("run.sh", None, "mode_changed", "no_text_change", 0, 0),
        ("sub", None, "modified", "submodule", 1, 1),
    ]
    assert pull.completeness.notes == ()  # the diff of such a name is no bytes that are not UTF-8


def test_user_settings_and_attributes_change_nothing(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.commit("Plain (#8)", {"a.txt": "one\n", ".gitattributes": "*.txt -diff\n"})
    expected = _collect(history, tmp_path)
    assert [file.patch_state for file in expected[1][0].files] == ["complete", "complete"]
    settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.renames": "false",
        "diff.external": "false",
        "diff.algorithm": "histogram",
        "diff.context": "0",
        "log.showSignature": "true",
        "log.decorate": "full",
        "core.pager": "false",
        "core.bigFileThreshold": "1",
        "core.attributesFile": str(history.folder / ".gitattributes"),
        "attr.tree": "HEAD",
        "format.pretty": "oneline",
    }
    for name, value in settings.items():
        history.git("config", name, value)
    (history.folder / ".git" / "info" / "attributes").write_text("*.txt -diff\n")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert _collect(history, tmp_path) == expected
    bare = tmp_path / "copy" / "widgets.git"
    shutil.copytree(history.folder / ".git", bare)
    subprocess.run(["git", "config", "-f", str(bare / "config"), "core.bare", "true"], check=True)
    source = GitSource(str(bare), tmp_path)
    collection = source.collection(_WEEK)
    assert (collection, list(source.pull_requests(collection, frozenset()))) == expected


def test_bytes_that_are_not_utf8(history: History, tmp_path: Path) -> None:
    history.commit("Cafe (#8)", {"a.txt": b"caf\xe9\n"}, author="Rene")
    commit = history.git("cat-file", "commit", "HEAD").encode() + b"\n"
    raw = commit.replace(b"Cafe", b"Caf\xe9").replace(b"Rene", b"Ren\xe9")
    history.git("reset", "--quiet", "--hard", history.git("hash-object", "-t", "commit", "-w", "--stdin", text=raw))
    _, (pull,) = _collect(history, tmp_path)
    assert (pull.title, pull.author.name) == ("Caf\ufffd", "Ren\ufffd")
    assert pull.files[0].patch == "@@ -1,2 +1 @@\n-one\n-two\n+caf\ufffd"
    assert pull.completeness == Completeness(
        conversation="unknown",
        notes=(
            "the diff holds bytes that are not UTF-8; each is shown as \ufffd",
            "names or messages hold bytes that are not UTF-8; each is shown as \ufffd",
        ),
    )


def test_secret_never_reaches_a_record(history: History, tmp_path: Path) -> None:
    secret = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"
    history.commit(f"Use {secret} (#8)", {"a.txt": f"one\ntwo\ntoken = {secret}\n"})
    _, (pull,) = _collect(history, tmp_path)
    assert secret not in pull.to_json()
    assert pull.files[0].patch == "@@ -1,2 +1,3 @@\n one\n two\n+token = [secret:github-pat]"
    assert pull.masked_secrets == 3  # title, commit message, patch


def test_default_branch_of_origin_is_read_from_a_work_tree(history: History, tmp_path: Path) -> None:
    history.commit("On main (#1)", {"a.txt": "1\n"})
    subprocess.run(["git", "clone", "--quiet", history.folder, tmp_path / "clone"], check=True)
    clone = History(tmp_path / "clone")
    clone.git("switch", "--quiet", "-c", "mine")
    clone.commit("On mine (#2)", {"a.txt": "2\n"})
    collection, (pull,) = _collect(clone, tmp_path)
    assert collection.numbers == (1,)
    assert collection.notes[0].startswith("read along origin/main,")
    assert pull.base_branch == "main"


def test_a_history_that_goes_beyond_the_period_lacks_nothing(history: History, tmp_path: Path) -> None:
    history.commit("In the week (#2)", {"a.txt": "two\n"})
    head = history.commit("On the next Monday (#3)", {"a.txt": "three\n"}, when="2026-02-09T00:00:00+00:00")
    collection, _ = _collect(history, tmp_path)
    assert collection.notes == (f"read along main, first parents only, at {head[:12]}",)


def test_the_head_is_that_of_the_last_fetch(history: History, tmp_path: Path) -> None:
    local = GitSource(str(history.folder), tmp_path)
    remote = GitSource(f"file://{history.folder}", tmp_path)
    before = local.head()
    assert (before, remote.head()) == (history.git("rev-parse", "HEAD"), None)
    remote.collection(_WEEK)
    after = history.commit("Go on (#2)", {"a.txt": "two\n"})
    assert (local.head(), remote.head()) == (after, before)


def test_resumed_run_reads_the_collection_it_has(history: History, tmp_path: Path) -> None:
    history.commit("One (#1)", {"a.txt": "1\n"})
    history.commit("Two (#2)", {"a.txt": "2\n"})
    collection, pulls = _collect(history, tmp_path)
    history.commit("Three (#3)", {"a.txt": "3\n"})
    resumed = GitSource(str(history.folder / "."), tmp_path)
    assert list(resumed.pull_requests(collection, frozenset({1}))) == pulls[1:]


def test_history_that_begins_in_the_week(tmp_path: Path) -> None:
    history = History(tmp_path / "new")
    history.commit("Begin (#1)", {"a.txt": "one\n"}, when=IN_WEEK)
    _, (pull,) = _collect(history, tmp_path)
    assert pull.files[0].patch == "@@ -0,0 +1 @@\n+one"


def test_empty_week(history: History, tmp_path: Path) -> None:
    collection, pulls = _collect(history, tmp_path)
    assert (collection.numbers, collection.direct_commits, pulls) == ((), 0, [])


def test_linguist_attributes_of_every_folder_before_the_period(history: History, tmp_path: Path) -> None:
    history.commit("Add a (#1)", {"a.txt": "1\n", ".gitattributes": "*.g linguist-generated\n"}, when=BEFORE)
    below = {
        "web/.gitattributes": "dist/** linguist-vendored=false -linguist-generated\n",
        "x.gitattributes": "* text\n",
    }
    history.commit(
        "Add b (#2)", {"b/.gitattributes": "!linguist-generated\n*.md linguist-documentation\n", **below}, when=BEFORE
    )
    history.commit("Take b back (#3)", {"b/.gitattributes": None}, when=BEFORE)
    history.commit("Hide all (#4)", {"a.txt": "2\n", ".gitattributes": "* linguist-generated\n"})
    history.commit("Hide all that was (#5)", {"c/.gitattributes": "* linguist-vendored\n"}, when=AFTER)
    collection, _ = _collect(history, tmp_path)
    assert collection.attributes == (
        AttributeRule(pattern="*.g", attribute="generated", value=True),
        AttributeRule(folder="web", pattern="dist/**", attribute="vendored", value=False),
        AttributeRule(folder="web", pattern="dist/**", attribute="generated", value=False),
    )
    assert Collection.model_validate_json(collection.to_json()) == collection


def test_a_collection_without_attributes_says_nothing_of_them(history: History, tmp_path: Path) -> None:
    history.commit("Add a (#1)", {"a.txt": "1\n", ".gitattributes": "*.txt text\n"}, when=BEFORE)
    history.commit("Add b (#2)", {"b.txt": "1\n"})
    assert "attributes" not in _collect(history, tmp_path)[0].to_json()


@pytest.mark.parametrize("dates", [(IN_WEEK, IN_WEEK), (IN_WEEK, BEFORE)], ids=["in order", "out of order"])
def test_attributes_of_the_period_itself_do_not_count(history: History, tmp_path: Path, dates: tuple[str, str]) -> None:
    """Whatever the time that a later commit claims: the newest one of before the period is the second of these."""
    history.commit("Hide all (#1)", {"a.txt": "1\n", ".gitattributes": "* linguist-generated\n"}, when=dates[0])
    history.commit("Add b (#2)", {"b.txt": "1\n"}, when=dates[1])
    assert _collect(history, tmp_path)[0].attributes == ()


def test_no_attributes_when_the_history_begins_in_the_week(tmp_path: Path) -> None:
    history = History(tmp_path / "new")
    history.commit("Begin (#1)", {"a.txt": "1\n", ".gitattributes": "* linguist-generated\n"}, when=IN_WEEK)
    assert _collect(history, tmp_path)[0].attributes == ()
