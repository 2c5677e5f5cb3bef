"""The files of a pull request by kind, and their size without noise."""

import re
from collections.abc import Iterable
from itertools import islice

from prhub_digest.file_kinds import FileKind, file_kind
from prhub_digest.models.pull_request import FileChange, PullRequest

NOISE: frozenset[FileKind] = frozenset({"lock", "generated", "vendored", "minified", "data", "binary"})
_SUPPORT_FOLDERS = frozenset(
    {"bench", "benchmark", "benchmarks", "demo", "demos", "doc", "docs", "example", "examples"}
)
# A whole word of a folder's name (`integration-tests`), not a part of one (`latest`).
_TEST_FOLDER = re.compile(r"(?:^|/)(?:[^/]*[_.-])?(?:tests?|testing|testdata|mdtest|specs?|snapshots)(?:[_.-][^/]*)?/")
# Blank lines and lines that are only a comment.
_NO_CODE = re.compile(r"^[+-][ \t]*(?:#(?:[\s!]|$)|//|/\*|\*(?:[\s/]|$)|\r?$)")
# Rust keeps unit tests inside the source file: an added test attribute, or a hunk inside `mod tests`.
_INLINE_TEST = re.compile(r"^\+[ \t]*#\[(?:cfg\(test\)|(?:\w+::)?test\b)|^@@[^@\n]*@@[^\n]*\bmod tests\b", re.MULTILINE)
# GitHub lists at most this many files of a pull request.
_LISTED_FILES = 3000


def lines_of(files: Iterable[FileChange]) -> int:
    """Added and deleted lines together."""
    return sum(file.additions + file.deletions for file in files)


def has_code_lines(files: Iterable[FileChange], at_least: int) -> bool:
    """Whether that many added and deleted lines are neither blank nor only a comment.

    All lines of a file count when its patch is not known, or not all of it.
    """
    found = 0
    for file in files:
        if file.patch is None or file.patch_state == "truncated":
            found += file.additions + file.deletions
        else:
            changed = (line for line in file.patch.split("\n") if line[:1] in {"+", "-"})
            code = (line for line in changed if not _NO_CODE.match(line))
            found += sum(1 for _ in islice(code, at_least))
        if found >= at_least:
            return True
    return False


def without_noise(pull: PullRequest) -> tuple[FileChange, ...]:
    return tuple(file for file in pull.files if file_kind(file.path) not in NOISE)


def source_files(pull: PullRequest) -> tuple[FileChange, ...]:
    """Files of code that users run: examples, benchmarks and the like are left out."""
    return tuple(file for file in pull.files if file_kind(file.path) == "source" and not is_support(file.path))


def is_support(path: str) -> bool:
    return not _SUPPORT_FOLDERS.isdisjoint(path.casefold().split("/")[:-1])


def touches_tests(file: FileChange) -> bool:
    """A test file, data that a test reads, or unit tests inside a source file; a deleted file is none."""
    if file.status == "deleted":
        return False
    if file_kind(file.path) == "test" or _TEST_FOLDER.search(file.path.casefold()):
        return True
    return file.path.endswith(".rs") and file.patch is not None and _INLINE_TEST.search(file.patch) is not None


def kinds_of(pull: PullRequest) -> frozenset[FileKind]:
    return frozenset(file_kind(file.path) for file in pull.files)


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
