import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prhub_digest.diff import DiffLine, Hunk, file_change, parse_hunks, section_patch, split_git_diff

# H-01
_LOOKS_LIKE_A_HEADER = """\
diff --git a/db/seed.sql b/db/seed.sql
index 20ed50b..52ae740 100644
--- a/db/seed.sql
+++ b/db/seed.sql
@@ -1,4 +1,3 @@
--- a/legacy users table
 SELECT 1;
 SELECT 2;
 SELECT 3;
@@ -10,4 +9,4 @@ SELECT 8;
 SELECT 9;
 SELECT 10;
 SELECT 11;
-SELECT 99;
+SELECT 100;
diff --git a/notes.txt b/notes.txt
index 587be6b..975fbec 100644
--- a/notes.txt
+++ b/notes.txt
@@ -1 +1 @@
-x
+y
"""
# H-02
_SEPARATORS = (
    "diff --git a/i18n/strings.js b/i18n/strings.js\n--- a/i18n/strings.js\n+++ b/i18n/strings.js\n"
    "@@ -1 +1,3 @@\n const a = 1;\n"
    '+const sep = "x\u2028diff --git a/ghost.md b/ghost.md";\n+const b = 2;\n'
    "diff --git a/src/parse.c b/src/parse.c\n--- a/src/parse.c\n+++ b/src/parse.c\n@@ -1 +1,3 @@\n int one;\n"
    "+\x0c/* section two */\n+int two;\n"
)
# H-03
_OCTAL_NAME = r"docs/\347\274\223\345\255\230\350\257\264\346\230\216.md"
_OCTAL = f"""diff --git "a/{_OCTAL_NAME}" "b/{_OCTAL_NAME}"
index 31a2190..df503a7 100644
--- "a/{_OCTAL_NAME}"
+++ "b/{_OCTAL_NAME}"
@@ -1 +1 @@
-一
+二
"""
# H-04
_COUNTS_AND_MARKERS = r"""diff --git a/VERSION b/VERSION
index 88c5fb8..347f583 100644
--- a/VERSION
+++ b/VERSION
@@ -1 +1 @@
-1.4.0
+1.4.1
diff --git a/lint.py b/lint.py
index aa1035b..331096a 100644
--- a/lint.py
+++ b/lint.py
@@ -1,2 +1,3 @@
 MSG = "old"
-print(MSG)
\ No newline at end of file
+HINT = r"\ No newline at end of file"
+print(MSG, HINT)
\ No newline at end of file
"""
_NO_HUNKS = """\
diff --git a/old/name.py b/new/name.py
similarity index 100%
rename from old/name.py
rename to new/name.py
diff --git a/run me.sh b/run me.sh
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..d1e2f3a
Binary files /dev/null and b/logo.png differ
diff --git a/third_party/lib b/third_party/lib
index 1111111..2222222 160000
--- a/third_party/lib
+++ b/third_party/lib
@@ -1 +1 @@
-Subproject commit 1111111111111111111111111111111111111111
+Subproject commit 2222222222222222222222222222222222222222
diff --git a/empty b/empty
deleted file mode 100644
index e69de29..0000000
"""


def _counts(text: str) -> list[tuple[str, int, int]]:
    changes = [file_change(section) for section in split_git_diff(text)]
    return [(change.path, change.additions, change.deletions) for change in changes]


def test_removed_line_that_looks_like_a_header() -> None:
    assert _counts(_LOOKS_LIKE_A_HEADER) == [("db/seed.sql", 1, 2), ("notes.txt", 1, 1)]
    first, second = parse_hunks(section_patch(split_git_diff(_LOOKS_LIKE_A_HEADER)[0]) or "")
    assert first.lines[0] == DiffLine("-", "-- a/legacy users table", 1, None)
    assert second == Hunk(
        10,
        4,
        9,
        4,
        "SELECT 8;",
        (
            DiffLine(" ", "SELECT 9;", 10, 9),
            DiffLine(" ", "SELECT 10;", 11, 10),
            DiffLine(" ", "SELECT 11;", 12, 11),
            DiffLine("-", "SELECT 99;", 13, None),
            DiffLine("+", "SELECT 100;", None, 12),
        ),
    )


def test_only_lf_ends_a_line() -> None:
    assert _counts(_SEPARATORS) == [("i18n/strings.js", 2, 0), ("src/parse.c", 2, 0)]
    added = [
        line.text
        for section in split_git_diff(_SEPARATORS)
        for hunk in parse_hunks(section_patch(section) or "")
        for line in hunk.lines
        if line.kind == "+"
    ]
    assert added == [
        'const sep = "x\u2028diff --git a/ghost.md b/ghost.md";',
        "const b = 2;",
        "\x0c/* section two */",
        "int two;",
    ]


def test_octal_path() -> None:
    assert _counts(_OCTAL) == [("docs/缓存说明.md", 1, 1)]


def test_missing_count_is_one_and_markers_are_whole_lines() -> None:
    assert _counts(_COUNTS_AND_MARKERS) == [("VERSION", 1, 1), ("lint.py", 2, 1)]
    version, lint = (parse_hunks(section_patch(section) or "") for section in split_git_diff(_COUNTS_AND_MARKERS))
    assert [line.kind for line in version[0].lines] == ["-", "+"]
    assert [line.text for line in lint[0].lines if line.kind == "+"] == [
        r'HINT = r"\ No newline at end of file"',
        "print(MSG, HINT)",
    ]


def test_sections_without_hunks() -> None:
    changes = [file_change(section) for section in split_git_diff(_NO_HUNKS)]
    assert [(c.path, c.previous_path, c.status, c.patch_state, c.patch is None) for c in changes] == [
        ("new/name.py", "old/name.py", "renamed", "no_text_change", True),
        ("run me.sh", None, "mode_changed", "no_text_change", True),
        ("logo.png", None, "added", "binary", True),
        ("third_party/lib", None, "modified", "submodule", False),
        ("empty", None, "deleted", "no_text_change", True),
    ]


def test_truncated_last_hunk_is_kept_as_far_as_it_goes() -> None:
    hunks = parse_hunks("@@ -1,5 +1,6 @@ def f():\n a\n+b")
    assert hunks == (Hunk(1, 5, 1, 6, "def f():", (DiffLine(" ", "a", 1, 1), DiffLine("+", "b", None, 2))),)
    assert parse_hunks("") == ()
    assert parse_hunks("no hunk here\n") == ()


def test_empty_context_line_without_its_blank() -> None:
    (hunk,) = parse_hunks("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")
    assert [(line.kind, line.text) for line in hunk.lines] == [(" ", "a"), (" ", ""), ("-", "b"), ("+", "c")]


_LINES = st.lists(
    st.sampled_from(["-- a/x", "++ b/x", "", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline", "x\u2028y", "\r"]),
    max_size=12,
)
_TEXTS = st.builds(lambda lines, newline: "\n".join(lines) + newline, _LINES, st.sampled_from(["", "\n"]))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("diff")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=_TEXTS, new=_TEXTS)
def test_real_git_diff_counts_like_numstat(repository: Path, old: str, new: str) -> None:
    for name, text in (("old", old), ("new", new)):
        (repository / name).write_text(text, encoding="utf-8", newline="")
    command = ["git", "diff", "--no-index", "--text", "--no-color"]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*options: str) -> str:
        whole = [*command, *options, "old", "new"]
        return subprocess.run(whole, cwd=repository, env=env, capture_output=True, check=False).stdout.decode()

    numstat = [tuple(int(count) for count in line.split("\t")[:2]) for line in git("--numstat").split("\n") if line]
    sections = split_git_diff(git())
    assert [(c.additions, c.deletions) for c in map(file_change, sections)] == numstat
    for section in sections:
        for hunk in parse_hunks(section_patch(section) or ""):
            assert hunk.old_count == sum(line.kind != "+" for line in hunk.lines)
            assert hunk.new_count == sum(line.kind != "-" for line in hunk.lines)
            for line in hunk.lines:
                if line.old_line is not None:
                    assert old.split("\n")[line.old_line - 1] == line.text
                if line.new_line is not None:
                    assert new.split("\n")[line.new_line - 1] == line.text
