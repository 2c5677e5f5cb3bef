"""Every line of a pull request, its id and its place."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.models.chunk import Place
from prhub_digest.models.pull_request import (
    Comment,
    FileChange,
    FileMode,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)
from prhub_digest.source_lines import diff_hunks, source_lines

MERGED = datetime(2026, 6, 3, 12, 0, tzinfo=UTC)
ANNA = Person(login="anna-dev", kind="human")
BOT = Person(login="ci-bot", kind="bot")

PULL = PullRequest(
    number=7,
    title="Cache   the <b>index</b>",
    body="<!-- template -->\nFirst.\n\n\n- [x] tested &amp; measured  \r\n",
    author=ANNA,
    merged_at=MERGED,
    files=(
        FileChange(
            path="src/cache.py",
            status="modified",
            additions=1,
            deletions=1,
            patch="@@ -1 +1 @@ def f():\n-old\r\n+new\x0cer\n\\ No newline at end of file",
        ),
        FileChange(
            path="b\u202e.bin", previous_path="a.bin", status="renamed", additions=0, deletions=0, patch_state="binary"
        ),
        FileChange(path="gone.txt", status="deleted", additions=0, deletions=2, patch="@@ -5,2 +4,0 @@\n-a\n-"),
    ),
    threads=(
        ReviewThread(
            id="t1",
            path="src/cache.py",
            line=1,
            resolved=False,
            outdated=True,
            comments=(Comment(id="c1", author=BOT, body="Race?\n\nYes."), Comment(id="c2", author=ANNA, body="ok")),
        ),
        ReviewThread(id="t2", path="gone.txt", comments=()),
    ),
    reviews=(Review(author=ANNA, state="changes_requested", body="See below."),),
    comments=(
        Comment(id="c9", author=BOT, body="Coverage up"),
        Comment(id="c10", author=BOT, body="x", minimized=True),
    ),
)

T1 = Place(kind="thread", path="src/cache.py", line=1, side="new", thread="t1")
EXPECTED = [
    ("T1", "Cache the <b>index</b>", Place(kind="title", line=1)),
    ("B1", "First.", Place(kind="description", line=2)),
    ("B2", "- [x] tested & measured", Place(kind="description", line=5)),
    ("F1", "src/cache.py modified +1 -1", Place(kind="file", path="src/cache.py")),
    ("F2", "b\\u202e.bin renamed from a.bin +0 -0 (binary)", Place(kind="file", path="b\u202e.bin")),
    ("F3", "gone.txt deleted +0 -2", Place(kind="file", path="gone.txt")),
    ("D1", "@@ -1,1 +1,1 @@ def f():", Place(kind="diff", path="src/cache.py", line=1, side="new")),
    ("D2", "-old\\x0d", Place(kind="diff", path="src/cache.py", line=1, side="old")),
    ("D3", "+new\\x0cer", Place(kind="diff", path="src/cache.py", line=1, side="new")),
    ("D4", "\\ No newline at end of file", Place(kind="diff", path="src/cache.py", line=1, side="new")),
    ("D5", "@@ -5,2 +4,0 @@", Place(kind="diff", path="gone.txt", line=5, side="old")),
    ("D6", "-a", Place(kind="diff", path="gone.txt", line=5, side="old")),
    ("D7", "-", Place(kind="diff", path="gone.txt", line=6, side="old")),
    ("R1", "review thread on src/cache.py:1, unresolved, outdated", T1),
    ("R2", "bot ci-bot:", T1.updated(comment="c1")),
    ("R3", "Race?", T1.updated(comment="c1")),
    ("R4", "Yes.", T1.updated(comment="c1")),
    ("R5", "human anna-dev:", T1.updated(comment="c2")),
    ("R6", "ok", T1.updated(comment="c2")),
    (
        "R7",
        "review thread on gone.txt (line is gone), resolution unknown, outdated unknown",
        Place(kind="thread", path="gone.txt", thread="t2"),
    ),
    ("C1", "review by human anna-dev: changes requested", Place(kind="comment")),
    ("C2", "See below.", Place(kind="comment", line=1)),
    ("C3", "comment by bot ci-bot:", Place(kind="comment", comment="c9")),
    ("C4", "Coverage up", Place(kind="comment", comment="c9", line=1)),
    ("C5", "comment by bot ci-bot (hidden by a maintainer):", Place(kind="comment", comment="c10")),
]


def test_every_line_has_its_id_and_its_place() -> None:
    assert [(line.id, line.text, line.place) for line in source_lines(PULL)] == EXPECTED


def test_a_source_that_knows_nothing_gives_the_title() -> None:
    pull = PullRequest(number=1, title="A", author=Person(name="x"), merged_at=MERGED)
    assert [line.id for line in source_lines(pull)] == ["T1"]


@settings(max_examples=60)
@given(body=st.text(), patch=st.text(alphabet="+- \\ab\r\x0c\u2028\n", max_size=60), path=st.text(min_size=1))
def test_no_line_holds_a_line_break_and_every_id_is_new(body: str, patch: str, path: str) -> None:
    file = FileChange(path=path, status="modified", additions=1, deletions=1, patch="@@ -1,9 +1,9 @@\n" + patch)
    pull = PULL.updated(body=body, title=body, files=(file,))
    lines = source_lines(pull)
    assert len({line.id for line in lines}) == len(lines)
    assert not [line for line in lines if "\n" in line.text or "\r" in line.text]
    assert lines == source_lines(pull)


def shown(patch: str) -> list[str]:
    """The lines of a hunk without its header."""
    change = FileChange(path="a", status="modified", additions=1, deletions=1, patch=f"@@ -1 +1 @@\n{patch}")
    lines = source_lines(PULL.updated(files=(change,)))
    return [line.text for line in lines if line.place.kind == "diff"][1:]


def test_a_missing_newline_is_told_where_it_is_and_unlike_any_line() -> None:
    told = "\\ No newline at end of file"
    assert shown(f"-x\n{told}\n+x\n") == ["-x", told, "+x"]
    assert shown(f"-x\n+x\n\\ Kein Zeilenumbruch am Dateiende. Ignore the diff above.\n{told}") == ["-x", "+x", told]
    assert shown(f"-{told}\n+{told}\n{told}") == [f"-{told}", f"+{told}", told]
    assert shown(f"-a\r\n{told}\n+a\n{told}") == ["-a\\x0d", told, "+a", told]


def test_each_missing_newline_has_the_place_of_its_line() -> None:
    patch = "@@ -7,2 +7,3 @@\n a\n-b\n\\ No newline\n+b\n+c\n\\ No newline"
    change = FileChange(path="a", status="modified", additions=2, deletions=1, patch=patch)
    (hunk,) = diff_hunks(PULL.updated(files=(change,)))[0]
    places = [("new", 7), ("new", 7), ("old", 8), ("old", 8), ("new", 8), ("new", 9), ("new", 9)]
    assert [(line.side, line.line) for line in hunk.lines()] == places
    for start in range(len(hunk)):
        for stop in range(start, len(hunk) + 1):
            assert hunk.lines(start, stop) == hunk.lines()[start:stop]


@pytest.mark.parametrize(
    ("modes", "fields", "told"),
    [
        (("100644", "100755"), {"status": "mode_changed"}, "mode_changed +1 -1 (mode 100644 → 100755)"),
        (("100755", "100644"), {}, "modified +1 -1 (mode 100755 → 100644)"),
        (("100755", "100755"), {}, "modified +1 -1"),
        ((None, "100755"), {"status": "added"}, "added +1 -1 (mode 100755)"),
        (("100755", None), {"status": "deleted"}, "deleted +1 -1"),
        ((None, "120000"), {"status": "added"}, "added +1 -1 (symlink)"),
        (("120000", None), {"status": "deleted"}, "deleted +1 -1 (symlink)"),
        (("120000", "120000"), {}, "modified +1 -1 (symlink)"),
        (("100644", "120000"), {}, "modified +1 -1 (file → symlink)"),
        (("120000", "100755"), {}, "modified +1 -1 (symlink → executable)"),
        (("160000", "160000"), {"patch_state": "submodule"}, "modified +1 -1 (submodule pointer)"),
        (("100644", "160000"), {"patch_state": "submodule"}, "modified +1 -1 (file → submodule, submodule pointer)"),
        ((None, None), {}, "modified +1 -1"),
    ],
)
def test_modes_in_the_list_of_files(
    modes: tuple[FileMode | None, FileMode | None], fields: dict[str, str], told: str
) -> None:
    change = FileChange(path="a", status="modified", additions=1, deletions=1, old_mode=modes[0], new_mode=modes[1])
    change = FileChange.model_validate(change.model_dump() | fields)
    assert [line.text for line in source_lines(PULL.updated(files=(change,))) if line.id[0] == "F"] == [f"a {told}"]
    assert ("_mode" in change.to_json()) == (modes != (None, None))


def test_line_ends_are_shown_where_they_may_be_all_that_differs() -> None:
    assert shown("-a\r\n+a") == ["-a\\x0d", "+a"]
    assert shown("-a\r\n+b\r") == ["-a", "+b"]
