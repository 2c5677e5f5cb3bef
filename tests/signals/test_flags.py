from pathlib import Path
from typing import Any, get_args

import pytest
from signal_builders import AUTHOR, BOT, REVIEWER, change, pull, review, thread

from prhub_digest.models.pull_request import Completeness, Person
from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.flags import (
    LARGE_FILES,
    LARGE_LINES,
    UNTESTED_SOURCE_LINES,
    dependency,
    large_change,
    missing_tests,
    no_approval,
    open_threads,
    revert,
    risk_flags,
    self_merged,
)
from prhub_digest.signals.threads import thread_outcomes

MISSING = Completeness(diff="missing")
CUT = Completeness(diff="partial")


def rust(*lines: str, section: str = "fn run()") -> str:
    return "\n".join([f"@@ -1,3 +1,23 @@ {section}", *lines])


def test_missing_tests_names_the_files() -> None:
    flag = missing_tests(pull(1, files=(change("core/scheduler.py", 84, 12), change("core/a.py", 1, 0))), "feature")
    assert flag == Flag(
        name="missing_tests",
        raised=True,
        evidence="core/scheduler.py +84 −12, core/a.py +1 −0, no test file touched",
    )


MISSING_TESTS = {
    "ten lines of source": ({"files": (change("a.py", 10),)}, True),
    "nine lines of source": ({"files": (change("a.py", 9),)}, False),
    "a test file touched": ({"files": (change("a.py"), change("tests/test_a.py", 1))}, False),
    "test data touched": ({"files": (change("a.py"), change("resources/mdtest/loops.md", 1))}, False),
    "a folder that only sounds like tests": ({"files": (change("a.py"), change("latest/notes.md", 1))}, True),
    "a deleted test file": ({"files": (change("a.py"), change("tests/test_a.py", 0, 9, status="deleted"))}, True),
    "documentation only": ({"files": (change("docs/guide.md", 300),)}, False),
    "an example": ({"files": (change("examples/chat.py", 300),)}, False),
    "a generated file": ({"files": (change("api/user_pb2.py", 300),)}, False),
    "only deleted": ({"files": (change("a.py", 0, 300),)}, False),
    "a pure rename": ({"files": (change("b.py", 0, 0, status="renamed", previous_path="a.py"),)}, False),
    "a revert": ({"title": 'Revert "x"', "files": (change("a.py", 90),)}, False),
    "only comments": (
        {"files": (change("a.py", 12, 0, patch="@@ -1,1 +1,13 @@\n x\n" + "\n".join(["+# why"] * 12)),)},
        False,
    ),
    "C directives are no comments": (
        {"files": (change("a.c", 12, 0, patch="@@ -1,1 +1,13 @@\n x\n" + "\n".join(["+#include <a.h>"] * 12)),)},
        True,
    ),
    "a unit test inside a Rust file": (
        {"files": (change("a.rs", patch=rust(" fn a() {}", "+    #[test]", "+    fn b() {}")),)},
        False,
    ),
    "a hunk inside a Rust test module": (
        {"files": (change("a.rs", patch=rust("+ assert!(x);", section="mod tests {")),)},
        False,
    ),
    "beside a Rust test, not of it": ({"files": (change("a.rs", patch=rust(" #[test]", *["+fn b() {}"] * 20)),)}, True),
    "the diff is missing": ({"completeness": MISSING}, None),
    "the file list is cut": ({"files": (change("a.py"),), "completeness": CUT}, None),
    "only a patch is cut": (
        {"files": (change("a.py", patch_state="truncated"),), "completeness": CUT},
        True,
    ),
    "the description cannot switch it off": ({"body": "Tests are in #7.", "files": (change("a.py"),)}, True),
}


@pytest.mark.parametrize(("fields", "raised"), MISSING_TESTS.values(), ids=MISSING_TESTS.keys())
def test_missing_tests(fields: dict[str, Any], raised: bool | None) -> None:
    assert missing_tests(pull(1, **fields), "fix").raised is raised


def test_a_bot_bump_needs_no_test_but_other_work_of_a_bot_does() -> None:
    bump = pull(1, "a.py", author=BOT)
    assert missing_tests(bump, "dependency").raised is False
    assert missing_tests(bump, "fix").raised is True


LARGE = {
    "500 lines": ((change("a.py", 250, 250),), True),
    "499 lines": ((change("a.py", 250, 249),), False),
    "20 files": (tuple(change(f"f{n}.py", 1) for n in range(20)), True),
    "19 files": (tuple(change(f"f{n}.py", 1) for n in range(19)), False),
    "a lock file": ((change("uv.lock", 4000), change("a.py", 3)), False),
    "vendored, minified and data": (
        (change("vendor/x.c", 900), change("app.min.js", 900), change("data/x.csv", 900)),
        False,
    ),
}


@pytest.mark.parametrize(("files", "raised"), LARGE.values(), ids=LARGE.keys())
def test_large_change(files: tuple[Any, ...], raised: bool) -> None:
    assert large_change(pull(1, files=files)).raised is raised


def test_large_change_evidence_and_unknown() -> None:
    assert large_change(pull(1, files=(change("a.py", 600, 1), change("uv.lock", 9)))).evidence == (
        "+600 −1 in 1 file (lock, generated, vendored and data files apart)"
    )
    assert large_change(pull(1, "a.py", completeness=MISSING)).raised is None
    assert large_change(pull(1, "a.py", completeness=CUT)).raised is None


APPROVAL = {
    "approved": ((review(REVIEWER, "approved"),), False),
    "none": ((), True),
    "only comments": ((review(REVIEWER, "commented"),), True),
    "a bot's approval": ((review(BOT, "approved"),), True),
    "the author's own": ((review(AUTHOR, "approved"),), True),
    "dismissed later": ((review(REVIEWER, "approved", 1), review(REVIEWER, "dismissed", 2)), True),
    "changes requested later": ((review(REVIEWER, "approved", 1), review(REVIEWER, "changes_requested", 2)), True),
    "approved after changes, listed out of order": (
        (review(REVIEWER, "approved", 2), review(REVIEWER, "changes_requested", 1)),
        False,
    ),
    "a comment after the approval": ((review(REVIEWER, "approved", 1), review(REVIEWER, "commented", 2)), False),
    "not known": (None, None),
}


@pytest.mark.parametrize(("reviews", "raised"), APPROVAL.values(), ids=APPROVAL.keys())
def test_no_approval(reviews: Any, raised: bool | None) -> None:
    assert no_approval(pull(1, reviews=reviews)).raised is raised


def test_no_approval_is_unknown_when_reviews_may_be_missing() -> None:
    partial = Completeness(conversation="partial")
    assert no_approval(pull(1, reviews=(), completeness=partial)).raised is None
    assert no_approval(pull(1, reviews=(review(REVIEWER, "approved"),), completeness=partial)).raised is False


MERGERS = {
    "the author": (AUTHOR, AUTHOR, True),
    "the author, other case": (AUTHOR, Person(login="Ada"), True),
    "another": (AUTHOR, REVIEWER, False),
    "not known": (AUTHOR, None, None),
    "a name against a login": (AUTHOR, Person(name="Ada L."), None),
    "names alone": (Person(name="Ada L."), Person(name="Ada L."), True),
    "the merge button": (Person(name="Ada L."), Person(name="GitHub"), None),
}


@pytest.mark.parametrize(("author", "merger", "raised"), MERGERS.values(), ids=MERGERS.keys())
def test_self_merged(author: Person, merger: Person | None, raised: bool | None) -> None:
    assert self_merged(pull(1, author=author, merged_by=merger)).raised is raised


def test_open_threads() -> None:
    left_open = thread((REVIEWER, "This can deadlock."), resolved=False)
    resolved = thread((REVIEWER, "Why?"), resolved=True)
    unclear = thread((REVIEWER, "Why?"))

    def flag(*threads: Any) -> Flag:
        record = pull(1, threads=threads)
        return open_threads(record, thread_outcomes(record))

    assert flag(resolved, left_open, unclear) == Flag(
        name="open_threads", raised=True, evidence="1 open thread: core/queue.py:8"
    )
    assert flag(resolved) == Flag(name="open_threads", raised=False, evidence="1 thread, none open")
    assert flag() == Flag(name="open_threads", raised=False, evidence="0 threads, none open")
    assert flag(resolved, unclear) == Flag(
        name="open_threads", raised=None, evidence="1 thread whose outcome is not known"
    )
    assert open_threads(pull(1), None).raised is None


DEPENDENCIES = {
    "a lock file": ("uv.lock", None, True),
    "requirements": ("requirements-dev.txt", None, True),
    "a requirement in a manifest": ("pyproject.toml", '+    "httpx>=0.27,<1",', True),
    "a version in Cargo.toml": ("crates/a/Cargo.toml", '-serde = "1.0"\n+serde = { version = "1.1" }', True),
    "package.json": ("web/package.json", '+    "react": "^19.0.0",', True),
    "the package's own version": ("pyproject.toml", '-version = "1.2.0"\n+version = "1.3.0"', False),
    "a lint setting": ("pyproject.toml", "+line-length = 120", False),
    "a manifest whose patch is not known": ("pyproject.toml", None, True),
    "a file that only sounds like one": ("src/requirements_parser.py", '+x = "1.2"', False),
}


@pytest.mark.parametrize(("path", "lines", "raised"), DEPENDENCIES.values(), ids=DEPENDENCIES.keys())
def test_dependency(path: str, lines: str | None, raised: bool) -> None:
    patch = None if lines is None else f"@@ -1,2 +1,2 @@\n{lines}"
    assert dependency(pull(1, files=(change(path, 1, 1, patch=patch),))).raised is raised


def test_flags_come_in_the_order_of_the_vocabulary() -> None:
    flags = risk_flags(pull(1, "docs/a.md"), "docs", None)
    assert [(flag.name, flag.raised) for flag in flags] == [
        ("missing_tests", False),
        ("large_change", False),
        ("no_approval", None),
        ("self_merged", None),
        ("open_threads", None),
        ("dependency", False),
        ("revert", False),
    ]
    assert revert(pull(1, title='Revert "x"')).raised is True


def test_the_table_in_docs_has_a_row_for_each_flag() -> None:
    page = (Path(__file__).parents[2] / "docs" / "risk-flags.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(get_args(FlagName))
    assert f"{UNTESTED_SOURCE_LINES} changed lines of source" in rows[0]
    assert f"{LARGE_LINES} changed lines or {LARGE_FILES} files" in rows[1]
