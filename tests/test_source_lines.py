"""Every line of a pull request, its id and its place."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.models.chunk import Place
from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest, Review, ReviewThread
from prhub_digest.source_lines import source_lines

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
    ("D4", "@@ -5,2 +4,0 @@", Place(kind="diff", path="gone.txt", line=5, side="old")),
    ("D5", "-a", Place(kind="diff", path="gone.txt", line=5, side="old")),
    ("D6", "-", Place(kind="diff", path="gone.txt", line=6, side="old")),
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


@settings(max_examples=60, deadline=None)
@given(body=st.text(), patch=st.text(alphabet="+- \\ab\r\x0c\u2028\n", max_size=60), path=st.text(min_size=1))
def test_no_line_holds_a_line_break_and_every_id_is_new(body: str, patch: str, path: str) -> None:
    file = FileChange(path=path, status="modified", additions=1, deletions=1, patch="@@ -1,9 +1,9 @@\n" + patch)
    pull = PULL.updated(body=body, title=body, files=(file,))
    lines = source_lines(pull)
    assert len({line.id for line in lines}) == len(lines)
    assert not [line for line in lines if "\n" in line.text or "\r" in line.text]
    assert lines == source_lines(pull)


def test_line_ends_are_shown_where_they_may_be_all_that_differs() -> None:
    def shown(patch: str) -> list[str]:
        change = FileChange(path="a", status="modified", additions=1, deletions=1, patch=f"@@ -1 +1 @@\n{patch}")
        lines = source_lines(PULL.updated(files=(change,)))
        return [line.text for line in lines if line.place.kind == "diff"][1:]

    assert shown("-a\r\n+a") == ["-a\\x0d", "+a"]
    assert shown("-a\r\n+b\r") == ["-a", "+b"]
