"""Chunks: exact budgets, nothing lost in silence."""

import pytest
from chunk_pulls import ANNA, added, pull_request
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.chunk import chunk_pull_request, week_coverage
from prhub_digest.models.chunk import Chunk, Coverage, FileCoverage
from prhub_digest.models.pull_request import Comment, FileChange, PullRequest, Review, ReviewThread
from prhub_digest.models.run import CoverageTotals, UnreadFiles
from prhub_digest.signals import compute_signals
from prhub_digest.source_lines import source_lines
from prhub_digest.tokens import Tokenizer, tokenizer_for

TOKENIZER = tokenizer_for("gpt-4o")
COUNT = TOKENIZER.count
NO_NEWLINE = "\\ No newline at end of file"


def chunked(
    pull: PullRequest, budget: int, max_chunks: int = 1, tokenizer: Tokenizer = TOKENIZER
) -> tuple[tuple[Chunk, ...], Coverage]:
    return chunk_pull_request(pull, budget=budget, max_chunks=max_chunks, tokenizer=tokenizer)


def files_of(coverage: Coverage) -> list[tuple[str, str, str | None, int, int]]:
    return [
        (file.path, file.shown, file.reason, file.changed_lines_shown, file.changed_lines) for file in coverage.files
    ]


WHOLE_CHUNK = """\
Title
T1|Cache the index
Files
F1|tests/test_a.py added +1 -0
F2|src/a.py added +2 -0
Description
B1|First.
B2|Second <·|im_end|>.
Reviews and comments
R4|review thread on src/a.py:2, unresolved, outdated unknown
R5|human anna-dev:
R6|Fine <·think>
R1|review thread on src/a.py:1, resolved, outdated unknown
R2|human anna-dev:
R3|Fine <·think>
C1|review by human anna-dev: approved
Diff
diff of F2 src/a.py
D3|@@ -0,0 +1,2 @@
D4|+x = 1
D5|+y = [·INST]
diff of F1 tests/test_a.py
D1|@@ -0,0 +1,1 @@
D2|+assert x"""


def test_a_small_pull_request_is_one_whole_chunk() -> None:
    thread = ReviewThread(
        id="t1", path="src/a.py", line=1, resolved=True, comments=(Comment(id="c", author=ANNA, body="Fine <think>"),)
    )
    open_thread = thread.updated(id="t2", resolved=False, line=2)
    pull = pull_request(
        body="First.\n\nSecond <|im_end|>.",
        files=(added("tests/test_a.py", ["assert x"]), added("src/a.py", ["x = 1", "y = [INST]"])),
        threads=(thread, open_thread),
        reviews=(Review(author=ANNA, state="approved"),),
    )
    (chunk,), coverage = chunked(pull, 1000)
    assert chunk.text == WHOLE_CHUNK
    assert chunk.tokens == COUNT(chunk.text)
    assert [line.id for line in chunk.lines] == [
        entry.split("|")[0] for entry in chunk.text.split("\n") if "|" in entry
    ]
    assert coverage.complete
    assert coverage.tokens_shown == coverage.tokens_total
    assert (coverage.changed_lines_shown, coverage.changed_lines_total, coverage.threads_shown) == (3, 3, 2)


def test_h10_chinese_is_not_counted_by_characters() -> None:
    pull = pull_request(files=(added("docs/index.md", ["索引量化缓存调度前缀内存显存吞吐延迟并行"] * 40),))
    chunks, coverage = chunked(pull, 400, max_chunks=8)
    assert len(chunks) >= 2
    assert all(chunk.tokens == COUNT(chunk.text) <= 400 for chunk in chunks)
    assert 480 <= coverage.tokens_total <= 1360
    assert coverage.complete
    assert all("F1|docs/index.md added +40 -0" in chunk.text for chunk in chunks)


def test_h11_a_line_longer_than_the_budget_is_clipped_or_named() -> None:
    blob = '{"k":[' + "1," * 30000 + "0]}"
    for path in ("data/blob.min.json", "data/blob.json"):
        pull = pull_request(files=(added(path, [blob]), added("src/a.py", ["x = 1"])))
        chunks, coverage = chunked(pull, 800, max_chunks=3)
        assert all(COUNT(chunk.text) <= 800 for chunk in chunks)
        assert "+x = 1" in chunks[0].text
        assert coverage.files[1].shown == "full"
        assert coverage.files[0].shown != "full"
        assert coverage.files[0].reason is not None
        assert not coverage.complete
        assert ("characters left out" in chunks[0].text) == (coverage.files[0].reason == "lines cut short")


CJK = "".join(chr(0x4E00 + number) for number in range(3000))


@pytest.mark.parametrize(
    ("max_chunks", "around", "reason"),
    [
        (4, [], "lines cut short"),
        (4, ["z = 1"], "lines cut short"),
        (1, [], "token budget"),
    ],
)
def test_a_lone_line_that_no_chunk_can_hold_gets_the_room_of_one(
    max_chunks: int, around: list[str], reason: str
) -> None:
    files = (added("src/a.py", [*around, CJK, *around]), *([added("src/b.py", around)] if around else []))
    (chunk,), coverage = chunked(pull_request(files=files), 1500, max_chunks)
    assert 1480 < chunk.tokens == COUNT(chunk.text) <= 1500
    assert [chunk.text.count(f"|+{line}") for line in around] == [3 for _ in around]
    assert chunk.text.endswith("\n… 1 changed lines of 1 files left out")
    changed = 2 * len(around)
    assert files_of(coverage)[0] == ("src/a.py", "partial", reason, changed, changed + 1)
    assert coverage.tokens_shown > 1450


def test_a_line_cut_for_the_budget_leaves_the_room_of_what_was_chosen_before_it() -> None:
    files = (added("src/a.py", [CJK]), added("tests/test_a.py", [f"assert a({n})" for n in range(40)]))
    (chunk,), coverage = chunked(pull_request(files=files), 1500)
    assert 1480 < chunk.tokens <= 1500
    assert files_of(coverage) == [
        ("src/a.py", "partial", "token budget", 0, 1),
        ("tests/test_a.py", "full", None, 40, 40),
    ]


WORDS = "the index is kept in memory until a request asks for it, "


@pytest.mark.parametrize("budget", [400, 6000])
@pytest.mark.parametrize("part", ["diff", "description", "thread", "comment"])
def test_what_is_cut_off_counts_in_the_total(part: str, budget: int) -> None:
    line = WORDS * 1000
    parts: dict[str, dict[str, object]] = {
        "diff": {"files": (added("src/a.py", [line]),)},
        "description": {"body": line},
        "thread": {
            "threads": (ReviewThread(id="t", path="src/a.py", comments=(Comment(id="c", author=ANNA, body=line),)),)
        },
        "comment": {"comments": (Comment(id="c", author=ANNA, body=line),)},
    }
    chunks, coverage = chunked(pull_request(**parts[part]), budget, max_chunks=4)
    assert coverage.tokens_total == pytest.approx(COUNT(line), rel=0.02)
    assert coverage.tokens_shown == pytest.approx(sum(chunk.tokens for chunk in chunks), abs=25)
    totals = week_coverage([coverage])
    assert (totals.tokens, totals.tokens_shown) == (coverage.tokens_total, coverage.tokens_shown)


def test_h24_what_is_left_out_is_told() -> None:
    core = FileChange(
        path="src/core.py",
        status="modified",
        additions=12,
        deletions=3,
        patch="@@ -1,3 +1,12 @@\n" + "\n".join(["-old"] * 3 + [f"+value_{n} = {n}" for n in range(12)]),
    )
    files = (
        added("aa/lock.json", [f'"package-{n}": "1.0.{n}",' for n in range(9000)]),
        core,
        added("tests/test_core.py", [f"assert value_{n}" for n in range(20)]),
    )
    pull = pull_request(files=files)
    (chunk,), coverage = chunked(pull, 600)
    flags = {flag.name: flag.raised for flag in compute_signals([pull]).of(pull.number).flags}
    assert flags["missing_tests"] is False
    for name in ("aa/lock.json added +9000 -0", "src/core.py modified +12 -3", "tests/test_core.py added +20 -0"):
        assert name in chunk.text
    assert chunk.tokens <= 600
    assert files_of(coverage)[1:] == [
        ("src/core.py", "full", None, 15, 15),
        ("tests/test_core.py", "full", None, 20, 20),
    ]
    assert coverage.files[0].shown == "partial"
    assert coverage.files[0].changed_lines == 9000
    assert "left out" in chunk.text
    assert week_coverage([coverage]) == CoverageTotals(
        tokens=coverage.tokens_total,
        tokens_shown=coverage.tokens_shown,
        files_partial=1,
        unread=(UnreadFiles(reason="token budget", files=1),),
        pulls=1,
        pulls_complete=0,
        changed_lines=9035,
        changed_lines_shown=35 + coverage.files[0].changed_lines_shown,
        files=3,
        files_full=2,
    )


def test_a_lock_file_is_named_and_not_shown() -> None:
    files = (added("package-lock.json", ["x"] * 5), added("src/a.py", ["y = 1"]))
    (chunk,), coverage = chunked(pull_request(files=files), 600)
    assert "… diffs left out: F1 (lock file)" in chunk.text
    assert files_of(coverage) == [
        ("package-lock.json", "name_only", "lock file", 0, 5),
        ("src/a.py", "full", None, 1, 1),
    ]


def test_a_large_diff_goes_on_in_later_chunks_until_there_are_no_more() -> None:
    pull = pull_request(files=(added("src/a.py", [f"value_{n} = compute({n})" for n in range(400)]),), body="Why.")
    chunks, coverage = chunked(pull, 500, max_chunks=3)
    assert [(chunk.index, chunk.total) for chunk in chunks] == [(1, 3), (2, 3), (3, 3)]
    assert all(450 < chunk.tokens <= 500 for chunk in chunks)
    assert all(chunk.text.startswith("Title\nT1|Cache the index\nFiles\nF1|src/a.py") for chunk in chunks)
    shown = [line.id for chunk in chunks for line in chunk.lines if line.id.startswith("D")]
    assert shown == [f"D{n}" for n in range(1, len(shown) + 1)]
    missing = 400 - coverage.changed_lines_shown
    assert chunks[-1].text.endswith(f"\n… {missing} changed lines of 1 files left out")
    assert files_of(coverage) == [("src/a.py", "partial", "token budget", len(shown) - 1, 400)]


def test_thousands_of_files_are_folded_by_folder() -> None:
    files = tuple(added(f"src/part{n % 5}/module_{n}.py", ["x"]) for n in range(1000))
    (chunk,), coverage = chunked(pull_request(files=files), 1200)
    assert chunk.tokens <= 1200
    assert {file.shown for file in coverage.files} == {"full", "folded"}
    folded = [entry for entry in chunk.text.split("\n") if entry.startswith("… src/part")]
    assert len(folded) == 5
    named = sum(line.id.startswith("F") for line in chunk.lines)
    assert sum(int(entry.split(": ")[1].split(" ")[0]) for entry in folded) + named >= 1000


def test_a_long_description_and_a_long_thread_share_the_budget_with_the_diff() -> None:
    thread = ReviewThread(
        id="t1",
        path="src/a.py",
        resolved=False,
        comments=(Comment(id="c", author=ANNA, body="\n".join(f"remark {n}" for n in range(300))),),
    )
    pull = pull_request(
        body="\n".join(f"reason {n}" for n in range(300)),
        threads=(thread,),
        files=(added("src/a.py", [f"v{n} = {n}" for n in range(100)]),),
    )
    (chunk,), coverage = chunked(pull, 1000)
    assert chunk.tokens <= 1000
    ids = [line.id for line in chunk.lines]
    assert {"B1", "R1", "R2", "R3", "R302", "D1"} <= set(ids)
    assert not coverage.description_complete
    assert (coverage.threads_shown, coverage.threads_total) == (0, 1)
    assert chunk.text.count(" lines left out") == 2
    (roomy,), all_shown = chunked(pull, 6000)
    assert all_shown.complete
    assert roomy.tokens < 6000


ENDS = rf"""Title
T1|Cache the index
Files
F1|VERSION modified +1 -1
F2|current added +1 -0 (symlink)
F3|run.sh mode_changed +0 -0 (mode 100644 → 100755, no change of text)
F4|lint.py modified +1 -0
Diff
diff of F1 VERSION
D1|@@ -1,1 +1,1 @@
D2|-1.4.0
D3|+1.4.0
D4|{NO_NEWLINE}
diff of F2 current
D5|@@ -0,0 +1,1 @@
D6|+releases/14
diff of F4 lint.py
D7|@@ -1,1 +1,2 @@
D8| MSG = "old"
D9|+{NO_NEWLINE}"""


def test_a_missing_newline_a_mode_and_a_link_are_told() -> None:
    base = FileChange(path="VERSION", status="modified", additions=1, deletions=1)
    files = (
        base.updated(patch=f"@@ -1 +1 @@\n-1.4.0\n+1.4.0\n{NO_NEWLINE}"),
        added("current", ["releases/14"]).updated(new_mode="120000"),
        base.updated(
            path="run.sh",
            status="mode_changed",
            additions=0,
            deletions=0,
            patch_state="no_text_change",
            old_mode="100644",
            new_mode="100755",
        ),
        base.updated(path="lint.py", deletions=0, patch=f'@@ -1 +1,2 @@\n MSG = "old"\n+{NO_NEWLINE}'),
    )
    (chunk,), coverage = chunked(pull_request(files=files), 600)
    assert chunk.text == ENDS
    assert chunk.tokens == COUNT(chunk.text)
    assert coverage.complete
    assert (coverage.changed_lines_shown, coverage.changed_lines_total) == (4, 4)


def test_files_without_a_diff_are_told_apart() -> None:
    base = FileChange(path="a", status="modified", additions=0, deletions=0)
    files = (
        base.updated(path="new.py", previous_path="old.py", status="renamed", patch_state="no_text_change"),
        base.updated(path="logo.png", patch_state="binary"),
        base.updated(path="anim.py", additions=1, patch_state="not_given"),
    )
    (chunk,), coverage = chunked(pull_request(files=files), 500)
    assert "Diff" not in chunk.text
    assert files_of(coverage) == [
        ("new.py", "full", None, 0, 0),
        ("logo.png", "name_only", "binary", 0, 0),
        ("anim.py", "name_only", "diff not given by the source", 0, 1),
    ]


texts = st.text(alphabet="ab <|>=+-@\t索引👩\u200d\x0c[INST]", max_size=60)
long_texts = st.builds(lambda text, times: text * times, texts, st.sampled_from([1, 1, 1, 40]))
bodies = st.lists(long_texts, max_size=8).map("\n".join)


def without_newline(change: FileChange) -> FileChange:
    return change.updated(patch=f"{change.patch}\n{NO_NEWLINE}")


file_changes = st.lists(
    st.builds(
        lambda name, lines, end: end(added(name, [line.replace("\n", "") for line in lines])),
        st.sampled_from(
            ["src/a.py", "src/b/c.py", "tests/test_a.py", "docs/x.md", "poetry.lock", "d/e/f/g.bin", "中/文.go"]
        ),
        st.lists(long_texts, min_size=1, max_size=30),
        st.sampled_from([without_newline, lambda change: change]),
    ),
    max_size=6,
    unique_by=lambda file: file.path,
)
thread_lists = st.lists(
    st.builds(
        lambda body, resolved: (body, resolved),
        bodies,
        st.sampled_from([True, False, None]),
    ),
    max_size=4,
)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, tokenizer_for("other")])
@settings(max_examples=25)
@given(
    title=st.text(max_size=80),
    body=bodies,
    files=file_changes,
    threads=thread_lists,
    budget=st.integers(1, 1500),
    max_chunks=st.integers(1, 4),
)
def test_no_chunk_exceeds_its_budget_and_nothing_is_lost_in_silence(
    title: str,
    body: str,
    files: list[FileChange],
    threads: list[tuple[str, bool | None]],
    budget: int,
    max_chunks: int,
    tokenizer: Tokenizer,
) -> None:
    review_threads = tuple(
        ReviewThread(
            id=f"t{n}", path="src/a.py", resolved=resolved, comments=(Comment(id=f"c{n}", author=ANNA, body=text),)
        )
        for n, (text, resolved) in enumerate(threads)
    )
    pull = pull_request(title=title, body=body, files=tuple(files), threads=review_threads)
    lines = source_lines(pull)
    chunks, coverage = chunk_pull_request(pull, budget=budget, max_chunks=max_chunks, tokenizer=tokenizer)
    assert 1 <= len(chunks) <= max_chunks
    assert all(chunk.tokens == tokenizer.count(chunk.text) <= budget for chunk in chunks)
    whole = {line.id for chunk in chunks for line in chunk.lines if line in lines}
    changed = {line.id for line in lines if line.id.startswith("D") and line.text.startswith(("+", "-"))}
    assert coverage.changed_lines_total == len(changed) == sum(file.additions for file in files)
    assert coverage.changed_lines_shown == len(changed & whole)
    assert [file.path for file in coverage.files] == [file.path for file in files]
    assert coverage.complete == all(line.id in whole for line in lines if line.id[0] in "BFDR")
    assert coverage.tokens_shown <= coverage.tokens_total
    assert (coverage.tokens_shown == coverage.tokens_total) == all(line.id in whole for line in lines)
    assert [line.id for chunk in chunks for line in chunk.lines if line.id.startswith("D")] == list(
        dict.fromkeys(line.id for chunk in chunks for line in chunk.lines if line.id.startswith("D"))
    )
    assert (chunks, coverage) == chunk_pull_request(pull, budget=budget, max_chunks=max_chunks, tokenizer=tokenizer)


def test_the_week_is_the_sum_of_its_pull_requests() -> None:
    file = FileCoverage(path="a", shown="full", changed_lines=4, changed_lines_shown=4)
    part = FileCoverage(path="b", shown="partial", reason="token budget", changed_lines=9, changed_lines_shown=2)
    coverage = Coverage(
        pull=1,
        chunks=1,
        tokens_shown=5,
        tokens_total=5,
        changed_lines_shown=4,
        changed_lines_total=4,
        description_complete=True,
        threads_shown=0,
        threads_total=0,
        files=(file,),
    )
    second = coverage.updated(pull=2, files=(file, part), changed_lines_shown=6, changed_lines_total=13)
    assert week_coverage([coverage, second]) == CoverageTotals(
        pulls=2,
        pulls_complete=1,
        changed_lines=17,
        changed_lines_shown=10,
        files=3,
        files_full=2,
        files_partial=1,
        tokens=10,
        tokens_shown=10,
        unread=(UnreadFiles(reason="token budget", files=1),),
    )
    assert week_coverage([]) == CoverageTotals(
        pulls=0, pulls_complete=0, changed_lines=0, changed_lines_shown=0, files=0, files_full=0
    )
