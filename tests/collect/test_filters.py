"""Which pull requests the filters keep out, and why."""

from datetime import UTC, datetime
from typing import Any

import pytest

from prhub_digest.collect.filters import listed_reason, read_reason, set_aside
from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.pull_request import Completeness, FileChange, Person, PullRequest

ADA = Person(login="Ada-Lin", kind="human")
RENOVATE = Person(login="renovate", kind="bot")


def changed(path: str, previous: str | None = None) -> FileChange:
    return FileChange(path=path, previous_path=previous, status="modified", additions=1, deletions=0)


def pull(**changes: Any) -> PullRequest:
    values: dict[str, Any] = {
        "number": 7,
        "title": "Keep the queue open",
        "author": ADA,
        "merged_at": datetime(2026, 2, 3, tzinfo=UTC),
        "base_branch": "main",
        "labels": ("bug", "area/cache"),
        "files": (changed("src/queue.py"), changed("docs/queue.md")),
    }
    return PullRequest.model_validate(values | changes)


@pytest.mark.parametrize(
    ("base", "branch", "stays"),
    [
        ((), "main", True),
        ((), "release/1.0", False),
        ((), None, True),
        (("main",), "main", True),
        (("main",), "Main", False),
        (("main",), "maintenance", False),
        (("main", "release/*"), "release/1.0", True),
        (("release/?",), "release/10", False),
        (("*",), "users/ada/next", True),
        (("!next",), "next", False),
        (("!next",), "release/1.0", True),
        (("release/*", "!release/0.*"), "release/0.9", False),
        (("feature/[x]",), "feature/[x]", True),
        (("feature/[x]",), "feature/x", False),
        (("main",), None, False),
    ],
)
def test_a_base_branch(base: tuple[str, ...], branch: str | None, stays: bool) -> None:
    expected = None if stays else ("base", branch or "")
    assert listed_reason(Filters(base=base), "main", branch, ADA) == expected


def test_every_branch_stays_when_the_default_one_is_not_known() -> None:
    assert listed_reason(Filters(), None, "release/1.0", ADA) is None
    assert listed_reason(Filters(base=("main",)), None, "release/1.0", ADA) == ("base", "release/1.0")


@pytest.mark.parametrize(
    ("authors", "author", "stays"),
    [
        (("ada-lin",), ADA, True),
        (("ADA*",), ADA, True),
        (("bo",), ADA, False),
        (("!ada-*",), ADA, False),
        (("!bo",), ADA, True),
        (("Ada Lin",), Person(name="Ada Lin"), True),  # git knows the name only
        (("renovate[bot]",), RENOVATE, True),
        (("!renovate[bot]",), RENOVATE, False),
        (("ghost",), Person(kind="deleted"), True),
        (("ada*",), Person(kind="deleted"), False),
    ],
)
def test_an_author(authors: tuple[str, ...], author: Person, stays: bool) -> None:
    filters = Filters(authors=authors, bots="include")
    assert listed_reason(filters, "main", "main", author) == (None if stays else ("author", author.label))


@pytest.mark.parametrize(
    "bot", [RENOVATE, Person(login="dependabot"), Person(name="github-actions[bot]"), Person(login="k8s-ci-robot")]
)
def test_a_bot_is_grouped_or_included(bot: Person) -> None:
    assert listed_reason(Filters(), "main", "main", bot) == ("bot", bot.label)
    assert listed_reason(Filters(bots="include"), "main", "main", bot) is None
    assert listed_reason(Filters(), "main", "main", ADA) is None


def test_what_somebody_asked_for_counts_before_the_grouping_of_bots() -> None:
    filters = Filters(base=("main",), authors=("ada*",))
    assert listed_reason(filters, "main", "next", RENOVATE) == ("base", "next")
    assert listed_reason(filters, "main", "main", RENOVATE) == ("author", "renovate")


@pytest.mark.parametrize(
    ("patterns", "labels", "stays"),
    [
        ((), ("bug",), True),
        (("BUG",), ("bug", "area/cache"), True),
        (("area/*",), ("area/cache",), True),
        (("*cache",), ("area/cache",), True),
        (("bug",), ("docs",), False),
        (("bug",), (), False),
        (("!docs",), ("bug", "Docs"), False),
        (("!docs",), (), True),
        (("bug", "!stale"), ("bug", "stale"), False),
        (("[AMP] bug",), ("[AMP] bug",), True),
        (("bug",), None, True),  # not known
    ],
)
def test_a_label(patterns: tuple[str, ...], labels: tuple[str, ...] | None, stays: bool) -> None:
    reason = read_reason(Filters(labels=patterns), pull(labels=labels))
    assert reason == (None if stays else ("label", ", ".join(labels or ())))


@pytest.mark.parametrize(
    ("patterns", "paths", "stays"),
    [
        (("src/**",), ("src/a/b.py", "docs/x.md"), True),
        (("src/**",), ("docs/x.md",), False),
        (("*.md",), ("docs/x.md",), False),
        (("**/*.md",), ("README.md",), True),
        (("!docs/**",), ("docs/x.md", "docs/y.md"), False),
        (("!docs/**",), ("docs/x.md", "src/a.py"), True),  # it changes something else, too
        (("src/**", "!src/vendor/**"), ("src/vendor/a.py",), False),
        (("src/**", "!src/vendor/**"), ("src/vendor/a.py", "src/a.py"), True),
        (("SRC/**",), ("src/a.py",), False),
        (("app/[id]/page.ts",), ("app/[id]/page.ts",), True),
        (("src/**",), (), False),
    ],
)
def test_a_path(patterns: tuple[str, ...], paths: tuple[str, ...], stays: bool) -> None:
    reason = read_reason(Filters(paths=patterns), pull(files=tuple(map(changed, paths))))
    assert reason == (None if stays else ("path", paths[0] if paths else ""))


def test_a_file_that_was_moved_out_of_a_folder_is_a_change_in_it() -> None:
    moved = pull(files=(changed("lib/queue.py", previous="src/queue.py"),))
    assert read_reason(Filters(paths=("src/**",)), moved) is None


@pytest.mark.parametrize(
    ("diff", "stays"), [("complete", False), ("uncertain", False), ("partial", True), ("missing", True)]
)
def test_files_that_are_not_all_known_keep_nothing_out(diff: str, stays: bool) -> None:
    cut = pull(files=(changed("docs/x.md"),), completeness=Completeness.model_validate({"diff": diff}))
    assert (read_reason(Filters(paths=("src/**",)), cut) is None) == stays


def test_what_is_told_of_one_that_is_set_aside() -> None:
    assert set_aside(Filters(labels=("docs",)), pull()) == SetAside(
        number=7, title="Keep the queue open", reason="label", detail="bug, area/cache"
    )
    assert set_aside(Filters(labels=("bug",), paths=("docs/*",)), pull()) is None
