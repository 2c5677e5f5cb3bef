"""Diffs are read as git wrote them: the tests named H are cases of other tools, the last ones ask a real git."""

import difflib
import os
import re
import subprocess
import tempfile
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prhub_digest.collect.git_files import changed_files
from prhub_digest.collect.git_remote import open_local
from prhub_digest.diff import (
    DiffLine,
    count_changes,
    parse_hunks,
    patch_state,
    section_patch,
    split_git_diff,
)

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


def _counts(text: str) -> list[tuple[int, int]]:
    return [count_changes(section_patch(section)) for section in split_git_diff(text)]


def test_removed_line_that_looks_like_a_header() -> None:
    assert _counts(_LOOKS_LIKE_A_HEADER) == [(1, 2), (1, 1)]
    first, second = parse_hunks(section_patch(split_git_diff(_LOOKS_LIKE_A_HEADER)[0]) or "")
    assert first.lines[0] == DiffLine("-", "-- a/legacy users table", 1, None)
    assert (second.old_start, second.old_count, second.new_start, second.new_count) == (10, 4, 9, 4)
    assert (second.section, second.marks, second.body[-1]) == ("SELECT 8;", "   -+", "+SELECT 100;")
    assert second.lines == (
        DiffLine(" ", "SELECT 9;", 10, 9),
        DiffLine(" ", "SELECT 10;", 11, 10),
        DiffLine(" ", "SELECT 11;", 12, 11),
        DiffLine("-", "SELECT 99;", 13, None),
        DiffLine("+", "SELECT 100;", None, 12),
    )


def test_only_lf_ends_a_line() -> None:
    assert _counts(_SEPARATORS) == [(2, 0), (2, 0)]
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


def test_missing_count_is_one_and_markers_are_whole_lines() -> None:
    assert _counts(_COUNTS_AND_MARKERS) == [(1, 1), (2, 1)]
    version, lint = (parse_hunks(section_patch(section) or "") for section in split_git_diff(_COUNTS_AND_MARKERS))
    assert [line.kind for line in version[0].lines] == ["-", "+"]
    assert [line.text for line in lint[0].lines if line.kind == "+"] == [
        r'HINT = r"\ No newline at end of file"',
        "print(MSG, HINT)",
    ]
    assert (version[0].no_newline, lint[0].no_newline) == ((), (1, 3))


def test_sections_without_hunks() -> None:
    sections = split_git_diff(_NO_HUNKS)
    assert [patch_state(section, section_patch(section)) for section in sections] == [
        "no_text_change",
        "no_text_change",
        "binary",
        "submodule",
        "no_text_change",
    ]
    assert [section_patch(section) is None for section in sections] == [True, True, True, False, True]


def test_truncated_last_hunk_is_kept_as_far_as_it_goes() -> None:
    (hunk,) = parse_hunks("@@ -1,5 +1,6 @@ def f():\n a\n+b")
    assert (hunk.old_count, hunk.new_count, hunk.section, hunk.body) == (5, 6, "def f():", (" a", "+b"))
    assert hunk.lines == (DiffLine(" ", "a", 1, 1), DiffLine("+", "b", None, 2))
    assert parse_hunks("") == ()
    assert parse_hunks("no hunk here\n") == ()


def test_what_follows_a_hunk_is_none_of_its_lines() -> None:
    first, second = parse_hunks("@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n+++ b/x\n@@ -9,0 +9 @@\r\n+c\r\n-d\r\n")
    assert (first.body, second.body, second.section) == (("-a", "+b"), ("+c\r",), "")


def test_empty_context_line_without_its_blank() -> None:
    for blank in ("", "\r"):
        (hunk,) = parse_hunks(f"@@ -1,3 +1,3 @@\n a\n{blank}\n-b\n+c\n")
        assert [(line.kind, line.text) for line in hunk.lines] == [(" ", "a"), (" ", blank), ("-", "b"), ("+", "c")]


def lines_with_ends(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def rebuilt(old: str, patch: str) -> str:
    """The new text, from the old one and the hunks, to the last line break."""
    lines, new, at = lines_with_ends(old), list[str](), 0
    for hunk in parse_hunks(patch):
        begin = hunk.old_start - (hunk.old_count > 0)
        new += lines[at:begin]
        at = begin
        for place, line in enumerate(hunk.body):
            text = line[1:] + ("" if place in hunk.no_newline else "\n")
            if line[0] != "+":
                assert lines[at] == text
                at += 1
            if line[0] != "-":
                new.append(text)
    return "".join([*new, *lines[at:]])


_TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(
        st.sampled_from(["a", "b", "", r"\ No newline at end of file", "-- a/x", "++ b/x", "@@ -1 +1 @@"]), max_size=8
    ),
    st.sampled_from(["", "\n"]),
)


@settings(max_examples=100)
@given(old=_TEXTS, new=_TEXTS, context=st.integers(0, 3))
def test_hunks_tell_the_new_text_to_the_last_line_break(old: str, new: str, context: int) -> None:
    before, after = lines_with_ends(old), lines_with_ends(new)
    told = list(difflib.unified_diff(before, after, n=context))[2:]
    patch = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told)
    assert rebuilt(old, patch) == new


def test_git_marks_a_missing_newline_where_it_is(tmp_path: Path) -> None:
    texts = ("a\nb", "a\nb\n", "x\nb", "a\n\\ No newline at end of file", "", "\\")
    pairs = [(old, new) for old, new in product(texts, texts) if old != new]
    for number, pair in enumerate(pairs):
        for side, text in zip(("old", "new"), pair, strict=True):
            write(tmp_path / side / f"{number:02}", text.encode())
    sections = split_git_diff(git(tmp_path, "diff", "--no-index", "--no-color", "old", "new").decode())
    assert [rebuilt(old, section_patch(own) or "") for (old, _), own in zip(pairs, sections, strict=True)] == [
        new for _, new in pairs
    ]


def test_a_marker_without_a_line_and_a_second_one_say_nothing() -> None:
    (hunk,) = parse_hunks("@@ -1 +1 @@\n\\ No newline\n-a\n\\ No newline\n\\ Kein Zeilenumbruch\n+b\n")
    assert (hunk.body, hunk.marks, hunk.no_newline) == (("-a", "+b"), "-+", (0,))
    (hunk,) = parse_hunks("@@@ -1 -1 +1 @@@\n- a\n -b\n\\ No newline\n++c\n\\ No newline\n")
    assert (hunk.body, hunk.no_newline) == (("-a", "+c"), ())


_LINES = (
    b"-- a/x",
    b"++ b/x",
    b"",
    b"@@ -1 +1 @@",
    b"diff --git a/x b/x",
    b"\\ No newline at end of file",
    b"\r",
    b"\x0c",
    b"a\rb",
)
_MORE = (b"crlf\r", "x\u2028y\u0085z".encode(), "索引".encode(), b"\xff\xfe", b"plain", b"--- a/x", b"+++ b/x", b"\x00")
_NAMES = ("a b.txt", "x -> y.txt", "文.md", 'quo"te.txt', "tab\tname", "src/plain.py", "back\\slash", " lead", "b", "a")
_CONTENTS = st.one_of(
    st.none(),
    st.builds(
        lambda lines, end: b"\n".join(lines) + end,
        st.lists(st.sampled_from(_LINES + _MORE), max_size=9),
        st.sampled_from([b"", b"\n", b"\r\n"]),
    ),
)
_FILES = st.lists(
    st.tuples(st.sampled_from(_NAMES), _CONTENTS, _CONTENTS, st.sampled_from(["plain", "mode", "link", "renamed"])),
    min_size=1,
    max_size=5,
    unique_by=lambda file: file[0],
)


def git(where: Path, *command: str, given: bytes = b"") -> bytes:
    """What git prints; differences are its exit 1."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *command], cwd=where, env=env, input=given, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


def write(path: Path, content: bytes | None, *, link: bool = False, executable: bool = False) -> None:
    if content is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if link:
        path.symlink_to((content.replace(b"\0", b"0") or b"nowhere").decode("utf-8", "replace")[:100])
    else:
        path.write_bytes(content)
        path.chmod(0o755 if executable else 0o644)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("diff")


# Ids of commits that a submodule points to, before and after.
_MODULES = st.lists(st.sampled_from([(None, "1" * 40), ("1" * 40, "2" * 40), ("2" * 40, None)]), max_size=2)


def submodule(name: str, old: str | None, new: str | None) -> bytes:
    """A section as git writes it; `--no-index` compares no submodules."""
    status = "deleted file mode 160000\n" if new is None else "new file mode 160000\n" if old is None else ""
    mode = "" if status else " 160000"
    changed = "".join(
        f"{mark}Subproject commit {commit}\n" for mark, commit in (("-", old), ("+", new)) if commit is not None
    )
    return (
        f"diff --git a/old/{name} b/new/{name}\n{status}index {old or '0' * 40}..{new or '0' * 40}{mode}\n"
        f"--- {f'a/old/{name}' if old else '/dev/null'}\n+++ {f'b/new/{name}' if new else '/dev/null'}\n"
        f"@@ -{'1' if old else '0,0'} +{'1' if new else '0,0'} @@\n{changed}"
    ).encode()


def cut_short(raw: bytes, most: int) -> bytes:
    """A diff of which the last section ends after `most` lines of its hunks, or a line before; one at least is left."""
    begin = raw.rfind(b"\ndiff --git ") + 1
    hunks = raw.find(b"\n@@ ", begin) + 1
    if not hunks:
        return raw
    lines = raw[hunks:].split(b"\n")[:-1][:most]
    return raw[:hunks] + b"\n".join(lines[:-1] if lines[-1].startswith(b"@@ ") else lines) + b"\n"


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=_FILES, modules=_MODULES, most=st.none() | st.integers(2, 9))
def test_any_real_diff_counts_as_git_apply_does(
    place: Path,
    files: list[tuple[str, bytes | None, bytes | None, str]],
    modules: list[tuple[str | None, str | None]],
    most: int | None,
) -> None:
    with tempfile.TemporaryDirectory(dir=place) as folder:
        root = Path(folder)
        for side in ("old", "new"):
            (root / side).mkdir()
        for name, old, new, how in files:
            write(root / "old" / name, old)
            after = f"moved/{name}" if how == "renamed" else name
            write(root / "new" / after, new, link=how == "link", executable=how == "mode")
        raw = git(root, "diff", "--no-index", "--no-color", "--find-renames", "--binary", "old", "new")
        raw += b"".join(submodule(f"module-{number}", *pair) for number, pair in enumerate(modules))
        if most is not None:
            raw = cut_short(raw, most)
        recount = [] if most is None else ["--recount"]  # by the lines, not by the headers
        rows = git(root, "apply", "-p2", "--numstat", *recount, "-z", given=raw).split(b"\0") if raw else []
    counts = [tuple(0 if count == b"-" else int(count) for count in row.split(b"\t")[:2]) for row in rows if row]
    text = raw.decode("utf-8", "replace")
    sections = split_git_diff(text)
    assert _counts(text) == counts
    states = [patch_state(section, section_patch(section)) for section in sections]
    assert states.count("submodule") == len(modules)
    for section in sections if most is None else ():
        for hunk in parse_hunks(section_patch(section) or ""):
            assert hunk.old_count == len(hunk.marks) - hunk.marks.count("+")
            assert hunk.new_count == len(hunk.marks) - hunk.marks.count("-")
            assert all(line.text == body[1:] for line, body in zip(hunk.lines, hunk.body, strict=True))


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose last commit merges two sides that changed the same lines, in a file with a Chinese name."""
    root = tmp_path_factory.mktemp("merged")
    file = root / "docs" / "缓存说明.md"
    git(root, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "anna"), ("user.email", "anna@example.test"), ("commit.gpgsign", "false")):
        git(root, "config", key, value)

    def commit(lines: list[str], *options: str) -> None:
        write(file, "".join(f"{line}\n" for line in lines).encode())
        git(root, "add", ".")
        git(root, "commit", "--quiet", "--message", "step", *options)

    commit(["one", "two", "three", "four", "five"])
    git(root, "branch", "side")
    commit(["one", "TWO", "three", "four", "five", "main"])
    git(root, "checkout", "--quiet", "side")
    commit(["one", "2", "three", "", "five"])
    git(root, "checkout", "--quiet", "main")
    git(root, "merge", "--quiet", "side")  # conflicts
    commit(["one", "both", "three", "", "five", "main", "new"])
    return root


def test_a_combined_diff_is_the_change_against_the_first_parent(merged: Path) -> None:
    text = git(merged, "diff-tree", "-c", "-p", "--no-commit-id", "HEAD").decode()
    numstat = git(merged, "diff-tree", "--numstat", "HEAD^1", "HEAD", "-r").split(b"\t")[:2]
    assert "\n@@@ " in text
    assert _counts(text) == [(int(numstat[0]), int(numstat[1]))] == [(3, 2)]
    (hunk,) = parse_hunks(section_patch(split_git_diff(text)[0]) or "")
    assert [line for line in hunk.body if line[0] != " "] == ["-TWO", "+both", "-four", "+", "+new"]
    assert hunk.lines[-1].new_line == 7


def test_h03_a_name_that_git_quotes_is_read_in_full(merged: Path) -> None:
    files, _ = changed_files(open_local(str(merged)), "HEAD^1", "HEAD")
    assert [(file.path, file.additions, file.deletions) for file in files] == [("docs/缓存说明.md", 3, 2)]
    assert count_changes(files[0].patch) == (3, 2)
