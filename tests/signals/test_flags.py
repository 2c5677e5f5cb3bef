from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from signal_builders import AUTHOR, BOT, REVIEWER, change, edit, pull, review, thread

from prhub_digest.models.pull_request import Completeness, Person
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.compute import compute_signals
from prhub_digest.signals.flags_review import no_approval, open_threads, revert, self_merged
from prhub_digest.signals.flags_size import generated_without_source, large_change, missing_tests
from prhub_digest.signals.subject import Subject

MISSING = Completeness(diff="missing")
CUT = Completeness(diff="partial")


def rust(*lines: str, section: str = "fn run()") -> str:
    return "\n".join([f"@@ -1,3 +1,23 @@ {section}", *lines])


def test_missing_tests_names_the_files() -> None:
    record = pull(1, files=(change("core/scheduler.py", 84, 12), change("core/a.py", 1, 0)))
    assert missing_tests(Subject.read(record)) == Flag(
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
    "a revert by its description alone": ({"body": "Reverts #5", "files": (change("a.py", 90),)}, True),
    "lines that only moved": (
        {
            "files": (
                edit("a.py", *[f"-    step({n})" for n in range(30)]),
                edit("b.py", "+def steps():", *[f"+        step({n})" for n in range(30)]),
            )
        },
        False,
    ),
    "moved and changed": (
        {
            "files": (
                edit("a.py", *[f"-    step({n})" for n in range(30)]),
                edit("b.py", *[f"+    step({n + 20})" for n in range(30)]),
            )
        },
        True,
    ),
    "a script at the top that developers run": ({"files": (change("scripts/release.py", 90),)}, False),
    "a package's own scripts": ({"files": (change("trainer/scripts/fit.py", 90),)}, True),
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
    assert missing_tests(Subject.read(pull(1, **fields))).raised is raised


def test_a_bot_bump_needs_no_test_but_other_work_of_a_bot_does() -> None:
    bump = Subject.read(pull(1, "a.py", author=BOT))
    assert missing_tests(replace(bump, change_type="dependency")).raised is False
    assert missing_tests(replace(bump, change_type="fix")).raised is True


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
    assert large_change(Subject.read(pull(1, files=files))).raised is raised


def test_large_change_evidence_and_unknown() -> None:
    assert large_change(Subject.read(pull(1, files=(change("a.py", 600, 1), change("uv.lock", 9))))).evidence == (
        "+600 −1 in 1 file (lock, generated, vendored and data files apart)"
    )
    assert large_change(Subject.read(pull(1, "a.py", completeness=MISSING))).raised is None
    assert large_change(Subject.read(pull(1, "a.py", completeness=CUT))).raised is None


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
    assert no_approval(Subject.read(pull(1, reviews=reviews))).raised is raised


def test_no_approval_is_unknown_when_reviews_may_be_missing() -> None:
    partial = Completeness(conversation="partial")
    assert no_approval(Subject.read(pull(1, reviews=(), completeness=partial))).raised is None
    approved = pull(1, reviews=(review(REVIEWER, "approved"),), completeness=partial)
    assert no_approval(Subject.read(approved)).raised is False


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
    assert self_merged(Subject.read(pull(1, author=author, merged_by=merger))).raised is raised


def test_open_threads() -> None:
    left_open = thread((REVIEWER, "This can deadlock."), resolved=False)
    resolved = thread((REVIEWER, "Why?"), resolved=True)
    unclear = thread((REVIEWER, "Why?"))

    def flag(*threads: Any) -> Flag:
        return open_threads(Subject.read(pull(1, threads=threads)))

    assert flag(resolved, left_open, unclear) == Flag(
        name="open_threads", raised=True, evidence="1 open thread: core/queue.py:8"
    )
    assert flag(resolved) == Flag(name="open_threads", raised=False, evidence="1 thread, none open")
    assert flag() == Flag(name="open_threads", raised=False, evidence="0 threads, none open")
    assert flag(resolved, unclear) == Flag(
        name="open_threads", raised=None, evidence="1 thread whose outcome is not known"
    )
    assert open_threads(Subject.read(pull(1))).raised is None


GENERATED = {
    "alone": ((change("api/user_pb2.py"),), True),
    "with its schema": ((change("api/user_pb2.py"), change("api/user.proto")), False),
    "with a new version of the tool": ((change("api/user_pb2.py"), change("pyproject.toml")), False),
    "protobuf with unrelated source": ((change("api/user_pb2.py"), change("api/other.py")), True),
    "generated from other source": ((change("web/routes.gen.ts"), change("web/pages.ts")), False),
    "only with a test and a page": (
        (change("web/routes.gen.ts"), change("web/pages.test.ts"), change("docs/routes.md")),
        True,
    ),
    "deleted": ((change("api/user_pb2.py", 0, 90, status="deleted"),), False),
    "renamed without an edit": (
        (change("b/user_pb2.py", 0, 0, status="renamed", previous_path="a/user_pb2.py"),),
        False,
    ),
    "nothing generated": ((change("a.py"),), False),
}


@pytest.mark.parametrize(("files", "raised"), GENERATED.values(), ids=GENERATED.keys())
def test_generated_without_source(files: tuple[Any, ...], raised: bool) -> None:
    assert generated_without_source(Subject.read(pull(1, files=files))).raised is raised


def test_generated_without_source_is_unknown_when_the_source_may_be_missing() -> None:
    record = pull(1, "api/user_pb2.py", completeness=CUT)
    assert generated_without_source(Subject.read(record)).raised is None


REVERTS = {
    "by title": ({"title": 'Revert "Add a cache"'}, True, 'title: Revert "Add a cache"'),
    "by a line of the description": ({"body": "Broke CI.\nReverts #5"}, True, "description: Reverts #5"),
    "a revert of a revert": ({"title": 'Revert "Revert "x""'}, False, "no revert named"),
    "a word": ({"title": "Revert button is misplaced"}, False, "no revert named"),
}


@pytest.mark.parametrize(("fields", "raised", "evidence"), REVERTS.values(), ids=REVERTS.keys())
def test_revert(fields: dict[str, Any], raised: bool, evidence: str) -> None:
    assert revert(Subject.read(pull(1, **fields))) == Flag(name="revert", raised=raised, evidence=evidence)


def test_the_description_switches_nothing_off() -> None:
    files = (
        edit("src/auth/token.py", *[f"+    check({n})" for n in range(12)]),
        edit("src/app/__init__.py", "-from .old import run"),
        edit("src/app/cli.py", '+    parser.add_argument("--depth", default=3)'),
        edit("migrations/0002.sql", "+ALTER TABLE jobs ADD COLUMN state text;"),
        change("api/user_pb2.py"),
    )
    calm = "Reverts #5\n\nThis reverts commit 0123456789abcdef.\nTrivial. Fully tested in #7. No API change. skip-flags"
    without, described = (compute_signals([pull(1, files=files, body=body)]).pulls[0] for body in (None, calm))
    raised = {flag.name for flag in without.flags if flag.raised}
    wanted = {"missing_tests", "public_api", "configuration", "migration", "security_path", "generated_without_source"}
    assert raised == wanted
    assert {flag.name for flag in described.flags if flag.raised} == raised | {"revert"}


def test_thresholds_are_settings() -> None:
    settings = SignalSettings(untested_lines=3, large_lines=30, large_files=2)
    record = pull(1, files=(change("a.py", 3),))
    assert missing_tests(Subject.read(record, settings)).raised is True
    assert large_change(Subject.read(record, settings)).raised is False
    assert large_change(Subject.read(pull(1, files=(change("a.py", 30),)), settings)).raised is True
    assert large_change(Subject.read(pull(1, "a.py", "b.py"), settings)).raised is True


def test_flags_come_in_the_order_of_the_vocabulary() -> None:
    flags = compute_signals([pull(1, "docs/a.md")]).pulls[0].flags
    assert [flag.name for flag in flags] == list(get_args(FlagName))
    unknown = {"core_path", "no_approval", "self_merged", "open_threads"}
    assert {flag.name for flag in flags if flag.raised is None} == unknown
    assert not any(flag.raised for flag in flags)


def test_the_table_in_docs_has_a_row_for_each_flag() -> None:
    page = (Path(__file__).parents[2] / "docs" / "risk-flags.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.split("\n") if line.startswith("| `")}
    assert list(rows)[: len(get_args(FlagName))] == list(get_args(FlagName))
    defaults = SignalSettings()
    assert f"{defaults.untested_lines} changed lines of source" in rows["missing_tests"]
    assert f"{defaults.large_lines} changed lines or {defaults.large_files} files" in rows["large_change"]
    assert f"score of {defaults.core_score}" in rows["core_path"]
    assert f"first {defaults.core_percent} %" in rows["core_path"]
    assert f"fewer than {defaults.core_pulls} pull requests" in rows["core_path"]
