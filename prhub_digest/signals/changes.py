"""The files of a pull request by kind, and their size without noise."""

import re
from collections import Counter
from collections.abc import Iterable

from prhub_digest.file_kinds import FileKind, FileKinds
from prhub_digest.models.pull_request import FileChange, PullRequest
from prhub_digest.signals.file_diffs import FileDiff, is_code, moved_lines

NOISE: frozenset[FileKind] = frozenset({"lock", "generated", "vendored", "minified", "data", "binary"})
# Where no settings and no attributes are at hand.
BY_PATH = FileKinds()
_SUPPORT_FOLDERS = frozenset(
    {"bench", "benches", "benchmark", "benchmarks", "demo", "demos", "doc", "docs", "example", "examples"}
)
# A whole word of a folder's name (`integration-tests`), not a part of one (`latest`).
_TEST_FOLDER = re.compile(r"(?:^|/)(?:[^/]*[_.-])?(?:tests?|testing|testdata|mdtest|specs?|snapshots)(?:[_.-][^/]*)?/")
# Rust keeps unit tests inside the source file: an added test attribute, or a hunk inside `mod tests`.
_INLINE_TEST = re.compile(r"^\+[ \t]*#\[(?:cfg\(test\)|(?:\w+::)?test\b)|^@@[^@\n]*@@[^\n]*\bmod tests\b", re.MULTILINE)
_INLINE_WORDS = ("test]", "cfg(test)", "mod tests")
# GitHub lists at most this many files of a pull request.
_LISTED_FILES = 3000


def lines_of(files: Iterable[FileChange]) -> int:
    """Added and deleted lines together."""
    return sum(file.additions + file.deletions for file in files)


def code_lines(files: Iterable[FileDiff]) -> int:
    """Added and deleted lines that are neither blank nor only a comment, without those that only moved.

    All lines of a file count when its patch is not known, or not all of it.
    """
    listed = tuple(files)
    known = [file for file in listed if file.whole]
    unknown = lines_of(file.change for file in listed if not file.whole)
    texts = Counter(row.text.strip() for file in known for side in (file.removed, file.added) for row in side)
    moved = moved_lines(known)
    return unknown + sum(max(0, count - 2 * moved[text]) for text, count in texts.items() if is_code(text))


def without_noise(pull: PullRequest, kinds: FileKinds = BY_PATH) -> tuple[FileChange, ...]:
    return tuple(file for file in pull.files if kinds.of_file(file) not in NOISE)


def file_diffs(pull: PullRequest, kinds: FileKinds = BY_PATH) -> tuple[FileDiff, ...]:
    return tuple(_file_diff(file, kinds.of_file(file)) for file in pull.files)


def _file_diff(file: FileChange, kind: FileKind) -> FileDiff:
    in_tests = kind == "test" or _TEST_FOLDER.search(file.path.casefold()) is not None
    return FileDiff(file, kind, is_support(file.path), in_tests)


def is_support(path: str) -> bool:
    return not _SUPPORT_FOLDERS.isdisjoint(path.casefold().split("/")[:-1])


def touches_tests(file: FileDiff) -> bool:
    """A test file, data that a test reads, or unit tests inside a source file; a deleted file is none."""
    if file.change.status == "deleted":
        return False
    in_source = file.path.endswith(".rs") and file.mentions(_INLINE_WORDS)
    return file.tests or (in_source and _INLINE_TEST.search(file.change.patch or "") is not None)


def file_list_is_whole(pull: PullRequest) -> bool:
    """Whether every changed file is named, with its counts; its patch may still be missing.

    A partial diff is a short file list unless a missing or cut patch explains it.
    """
    match pull.completeness.diff:
        case "complete" | "uncertain":
            return True
        case "missing":
            return False
        case "partial":
            cut = any(file.patch_state in {"truncated", "not_given"} for file in pull.files)
            return cut and len(pull.files) < _LISTED_FILES


def word_size(files: Iterable[FileChange]) -> str:
    """`+84 −12`, as evidence prints it."""
    listed = tuple(files)
    return f"+{sum(file.additions for file in listed)} −{sum(file.deletions for file in listed)}"
