import difflib

from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import change, pull

from prhub_digest.signals.changes import code_lines, file_diffs
from prhub_digest.signals.file_diffs import FileDiff, is_code, opener

_TEXT = st.lists(st.sampled_from(["", "a", "b = 1", "# why", "-x", "+y", "@@ -1 +1 @@", "--- a", "\\ n"]), max_size=8)


def read(patch: str, path: str = "a.py") -> FileDiff:
    return file_diffs(pull(1, files=(change(path, patch=patch),)))[0]


@given(old=_TEXT, new=_TEXT, context=st.integers(0, 3))
@settings(max_examples=60)
def test_every_row_is_the_line_of_its_side(old: list[str], new: list[str], context: int) -> None:
    patch = "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=context))[2:])
    file = read(patch)
    for rows, lines in (
        ([row for hunk in file.hunks for row in hunk.old], old),
        ([row for hunk in file.hunks for row in hunk.new], new),
    ):
        assert [row.text for row in rows] == [lines[row.number - 1] for row in rows]
    added, removed = [row.text for row in file.added], [row.text for row in file.removed]
    assert len(new) - len(old) == len(added) - len(removed)


def test_both_sides_of_a_hunk() -> None:
    hunk = read("@@ -7,3 +9,3 @@ class Cart:\n a\n-b\n+c\n d\n\\ No newline at end of file").hunks[0]
    assert hunk.section == "class Cart:"
    assert [tuple(row) for row in hunk.old] == [(7, "a", False), (8, "b", True), (9, "d", False)]
    assert [tuple(row) for row in hunk.new] == [(9, "a", False), (10, "c", True), (11, "d", False)]


def test_what_is_no_code() -> None:
    for text in ("", "  ", "# why", "#!/bin/sh", "// why", "  * why", "/* why", "-- why", "<!-- why"):
        assert not is_code(text), text
    for text in ("x", "#include <a.h>", "#define A", "*p = 1", "--x;", "/= 2"):
        assert is_code(text), text


def test_moved_lines_count_for_neither_side() -> None:
    file = read("@@ -1,4 +1,4 @@\n-a = 1\n-b = 2\n c\n+b = 2\n+d = 3\n e")
    assert code_lines((file,)) == 2


def test_lines_of_a_patch_that_is_not_known_all_count() -> None:
    assert code_lines(file_diffs(pull(1, files=(change("a.py", 7, 3),)))) == 10


def test_the_line_that_opens_a_block() -> None:
    rows = read("@@ -1,5 +1,5 @@ class A:\n     def b():\n \n         c = 1\n         d = 2\n     e = 3").hunks[0].new
    assert [opener(rows, place, "class A:") for place in (0, 3, 4)] == ["class A:", "    def b():", "class A:"]
