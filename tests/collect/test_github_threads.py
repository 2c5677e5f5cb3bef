from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prhub_digest.collect.github_pulls import ThreadAnchor
from prhub_digest.collect.github_threads import lines_changed_later

SEEN, HEAD = "a" * 40, "b" * 40

HUNK = """\
@@ -1,4 +1,6 @@ class Queue:
 import threading

-def push(item):
+def push(item, lock):
+    with lock:
+        items.append(item)"""

MERGED = """\
import threading

def push(item, lock):
    with lock:
        items.append(item)

def pop():
    return items.pop()
"""


def new(hunk: str, lines: int = 1, commit: str | None = SEEN) -> ThreadAnchor:
    return ThreadAnchor(commit=commit, side="new", lines=lines, diff_hunk=hunk)


def old(hunk: str, lines: int = 1) -> ThreadAnchor:
    return ThreadAnchor(commit=SEEN, side="old", lines=lines, diff_hunk=hunk)


NEW_SIDE: dict[str, tuple[ThreadAnchor, str | None, bool | None]] = {
    "as it was": (new(HUNK), MERGED, False),
    "three lines as they were": (new(HUNK, 3), MERGED, False),
    "moved down": (new(HUNK), "# a licence\n" * 20 + MERGED, False),
    "moved to another place of the file": (new(HUNK), "items = []\n        items.append(item)\n", False),
    "another word": (new(HUNK), MERGED.replace("append(item)", "append(items)"), True),
    "only longer": (new(HUNK), MERGED.replace("append(item)", "append(item)  # guarded"), True),
    "only part of a longer line": (
        new(HUNK),
        MERGED.replace("        items.append", "        self.items.append"),
        True,
    ),
    "indented": (new(HUNK), MERGED.replace("        items.append", "    items.append"), True),
    "one of three lines": (new(HUNK, 3), MERGED.replace("with lock", "with the_lock"), True),
    "a line between them": (
        new(HUNK, 3),
        MERGED.replace("    with lock:\n", "    with lock:\n        check()\n"),
        True,
    ),
    "a line after them": (new(HUNK), MERGED.replace("(item)\n\n", "(item)\n        wake()\n\n"), False),
    "the line above": (new(HUNK), MERGED.replace("with lock", "with the_lock"), False),
    "the whole file": (new(HUNK), "", True),
    "gone with the rest, not at the end": (new(HUNK), "import threading\n", True),
    "white space at the end": (new(HUNK), MERGED.replace("append(item)", "append(item)  \t"), False),
    "CR LF in the file": (new(HUNK), MERGED.replace("\n", "\r\n"), False),
    "CR LF in the hunk": (new(HUNK.replace("\n", "\r\n")), MERGED, False),
    "no line end at the end": (new(HUNK), MERGED.partition("\n\ndef pop")[0], False),
    "no line end, said so": (new(HUNK + "\n\\ No newline at end of file"), MERGED, False),
    "a context line": (new(HUNK.partition("\n\n-")[0]), MERGED, False),
    "a context line, changed": (new(HUNK.partition("\n\n-")[0]), MERGED.replace("threading", "thread"), True),
    "twice, and once below the same lines": (new(HUNK), MERGED + "        items.append(item)\n", False),
    "twice, never below the same lines": (
        new(HUNK),
        "def a():\n        items.append(item)\ndef b():\n        items.append(item)\n",
        None,
    ),
    "not known": (new(HUNK), None, None),
    "no line": (new(HUNK, 0), MERGED, None),
    "no hunk": (new(""), MERGED, None),
    "a heading without lines": (new("@@ -1,4 +1,6 @@"), MERGED, None),
    "more lines than the hunk has": (new(HUNK, 9), MERGED, None),
    "a hunk that ends on the other side": (new(HUNK + "\n-    items.append(item)"), MERGED, None),
    "only the last of several hunks": (new("@@ -1 +1 @@\n+lost\n" + HUNK, 6), MERGED, None),
    "Chinese": (new("@@ -0,0 +1 @@\n+名称 = 队列的名称"), "名称 = 队列的名称\n", False),
    "a byte that is no UTF-8": (new("@@ -0,0 +1 @@\n+name = 'Käse'"), "name = 'K\ufffdse'\n", None),
    "such a byte elsewhere": (new("@@ -0,0 +1 @@\n+name = 'cheese'"), "name = 'K\ufffdse'\n", True),
    "a line separator inside a line": (new("@@ -0,0 +1 @@\n+separator = '\u2028'"), "separator = '\u2028'\n", False),
}

SHORT = """\
@@ -10,2 +10,5 @@
 def close(self):
+    if self.handle:
+        self.handle.close()
+    }"""
CLOSED = "def close(self):\n    if self.handle:\n        self.handle.close()\n    }\n"
BLANK = "@@ -1,2 +1,3 @@\n first = one()\n second = two()\n+"

NEW_SIDE |= {
    "a bracket below the same lines": (new(SHORT), CLOSED, False),
    "a bracket below other lines": (new(SHORT), CLOSED.replace("handle.close", "file.close"), None),
    "no such bracket": (new(SHORT), CLOSED.replace("    }\n", ""), True),
    "a bracket without lines above": (new("@@ -0,0 +1 @@\n+{"), "{\n}\n", None),
    "a bracket below brackets": (new("@@ -1,2 +1,3 @@\n {\n [\n+["), "{\n[\n[\n", None),
    "a blank line below the same lines": (new(BLANK), "first = one()\nsecond = two()\n\nthird = 3\n", False),
    "a blank line that is elsewhere": (new(BLANK), "first = one()\nsecond = two()\nthird = 3\n\nfourth = 4\n", None),
    "a bracket with a line that says something": (new(SHORT, 2), CLOSED, False),
}


@pytest.mark.parametrize(("anchor", "text", "expected"), NEW_SIDE.values(), ids=NEW_SIDE.keys())
def test_lines_of_the_new_side(anchor: ThreadAnchor, text: str | None, expected: bool | None) -> None:
    assert lines_changed_later(anchor, HEAD, text) is expected


DELETION = """\
@@ -1,5 +1,3 @@
 import threading
 
 def push(item):
-    check(item)
-    log(item)"""  # noqa: W293 - a blank line of context is one space
DELETED = "import threading\n\ndef push(item):\n    items.append(item)\n"
RESTORED = "import threading\n\ndef push(item):\n    check(item)\n    log(item)\n    items.append(item)\n"

OLD_SIDE: dict[str, tuple[ThreadAnchor, str | None, bool | None]] = {
    "still deleted": (old(DELETION), DELETED, False),
    "both still deleted": (old(DELETION, 2), DELETED, False),
    "back again": (old(DELETION), RESTORED, True),
    "both back again": (old(DELETION, 2), RESTORED, True),
    "back further down": (old(DELETION, 2), "# a licence\n" * 20 + RESTORED, True),
    "back, but changed": (old(DELETION), DELETED.replace("    items", "    log(item, now)\n    items"), False),
    "in another place": (old(DELETION), DELETED + "\ndef pop():\n    log(item)\n", None),
    "one of the two back": (old(DELETION), DELETED.replace("    items", "    log(item)\n    items"), None),
    "no lines that stayed": (old("@@ -1,1 +0,0 @@\n-import threading"), "import threading\n", None),
    "lines that stayed say too little": (old("@@ -1,2 +1,1 @@\n {\n-check(item)"), "{\ncheck(item)\n", None),
    "a bracket, not there": (old("@@ -1,2 +1,1 @@\n start()\n-}"), "start()\n", False),
    "a bracket elsewhere": (old("@@ -1,2 +1,1 @@\n start()\n-}"), "start()\nrun()\n}\n", None),
    "a bracket back": (old("@@ -1,2 +1,1 @@\n begin_all()\n-}"), "begin_all()\n}\n", True),
    "moved in the same change": (
        old("@@ -1,4 +1,4 @@\n import threading\n-check(item)\n+log(item)\n items = []\n-run(items)"),
        "import threading\nlog(item)\nitems = []\n\n\nrun(items)\n",
        None,
    ),
    "a context line": (old("@@ -1,2 +1,1 @@\n-lost()\n kept(item)"), "kept(item)\n", False),
    "a context line, changed": (old("@@ -1,2 +1,1 @@\n-lost()\n kept(item)"), "kept(items)\n", True),
    "context lines with an added one between": (
        old("@@ -1,2 +1,3 @@\n one(1)\n+added()\n second(2)", 2),
        "one(1)\nadded()\nsecond(2)\n",
        False,
    ),
    "deleted and kept lines": (old("@@ -1,2 +1,1 @@\n-lost()\n kept(item)", 2), "kept(item)\n", None),
    "ends on the other side": (old(HUNK), MERGED, None),
    "not known": (old(DELETION), None, None),
    "a byte that is no UTF-8": (old("@@ -1,2 +1 @@\n start()\n-name = 'Käse'"), "start()\nname = 'K\ufffdse'\n", None),
}


@pytest.mark.parametrize(("anchor", "text", "expected"), OLD_SIDE.values(), ids=OLD_SIDE.keys())
def test_lines_of_the_old_side(anchor: ThreadAnchor, text: str | None, expected: bool | None) -> None:
    assert lines_changed_later(anchor, HEAD, text) is expected


ON_HEAD: dict[str, tuple[ThreadAnchor, str | None, bool | None]] = {
    "as it was": (new(HUNK, commit=HEAD), MERGED, False),
    "changed by the merge itself": (new(HUNK, commit=HEAD), MERGED.replace("append(item)", "append(items)"), True),
    "brought back by the merge itself": (replace(old(DELETION), commit=HEAD), RESTORED, True),
    "not known": (new(HUNK, commit=HEAD), None, False),
    "no hunk": (new("", commit=HEAD), MERGED, False),
    "in several places": (
        new(HUNK, commit=HEAD),
        "def a():\n        items.append(item)\ndef b():\n        items.append(item)\n",
        False,
    ),
    "a whole file": (new("", 0, commit=HEAD), MERGED, None),
    "a whole file, not known": (new("", 0, commit=HEAD), None, None),
}


@pytest.mark.parametrize(("anchor", "text", "expected"), ON_HEAD.values(), ids=ON_HEAD.keys())
def test_a_remark_on_the_last_commit_was_followed_by_the_merge_alone(
    anchor: ThreadAnchor, text: str | None, expected: bool | None
) -> None:
    assert lines_changed_later(anchor, HEAD, text) is expected


def test_commits_that_are_not_known_are_not_the_same() -> None:
    assert lines_changed_later(new(HUNK, commit=None), None, "all other\n") is True


LINES = st.lists(st.text(st.sampled_from("ab {}(\t\u00e9"), max_size=8), min_size=1, max_size=6)


@given(LINES, st.integers(1, 6), LINES, LINES)
def test_what_stands_in_the_file_is_never_called_changed(
    hunk: list[str], lines: int, above: list[str], below: list[str]
) -> None:
    anchor = new("\n".join(("@@ -0,0 +1 @@", *(f"+{line}" for line in hunk))), lines)
    assert lines_changed_later(anchor, HEAD, "\n".join((*above, *hunk, *below))) is not True


@given(LINES, st.integers(1, 3), LINES, LINES)
def test_text_put_after_the_file_never_turns_unchanged_into_changed(
    hunk: list[str], lines: int, text: list[str], more: list[str]
) -> None:
    anchor = new("\n".join(("@@ -1 +1 @@", " context()", *(f"+{line}" for line in hunk))), lines)
    before = lines_changed_later(anchor, HEAD, "\n".join(text))
    after = lines_changed_later(anchor, HEAD, "\n".join((*text, "", *more)))
    assert (before, after) != (False, True)


@given(LINES, LINES)
def test_only_lines_that_are_nowhere_in_the_file_are_changed(hunk: list[str], text: list[str]) -> None:
    patch = "\n".join(("@@ -0,0 +1 @@", *(f"+{line}" for line in hunk)))
    there = hunk[-1].rstrip() in {line.rstrip() for line in text}
    assert lines_changed_later(new(patch), HEAD, "\n".join(text)) in ({False, None} if there else {True})
