"""What a hunk tells, by rules on its path and its changed lines: the order in which hunks get a room that is too small.

Why this order: docs/chunks.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain, starmap, zip_longest
from operator import eq
from pathlib import PurePosixPath

from prhub_digest.chunk.hunks import FileDiff, ShownHunk
from prhub_digest.models.globs import matches

# Beginnings of a line that declares something others call, in the languages of most repositories.
_SIGNATURE = re.compile(
    r"(?:(?:export|default|public|protected|pub(?:\([a-z]+\))?|static|abstract|final|async|unsafe|extern|inline"
    r"|constexpr|virtual|override|declare|const)\s+)*"
    r"(?:def|class|fn|func|function|fun|struct|enum|union|trait|interface|protocol|impl|type|typedef|template|module|macro"
    r"|#define|@[A-Za-z_][\w.]*|__all__)\b"
)
# The part of a test's name that names what it tests.
_TEST_WORDS = re.compile(r"(?:^|[_.-])(?:tests?|spec|unittest|e2e)(?=$|[_.-])|tests?$", re.IGNORECASE)


class Telling(IntEnum):
    """From what tells most to what tells least."""

    CORE = 0
    SIGNATURE = 1
    CONFIGURATION = 2
    TEST_OF_THE_CHANGE = 3
    SOURCE = 4
    BUILD = 5
    OTHER_TEST = 6
    TEXT = 7
    MOVED = 8
    FORMATTING = 9
    DELETION = 10


class Rules:
    """Needs all files of the pull request, since a hunk that only moves lines is known by the others."""

    def __init__(self, files: Sequence[FileDiff], core_paths: Sequence[str]) -> None:
        self._core_paths = core_paths
        hunks = [hunk for file in files if file.is_to_be_shown for hunk in file.hunks]
        self._changed = {hunk.number: _changed(hunk) for hunk in hunks}
        self._added = {line for added, _ in self._changed.values() for line in added}
        self._removed = {line for _, removed in self._changed.values() for line in removed}
        self._sources = {
            PurePosixPath(file.change.path).stem.casefold() for file in files if file.kind in ("source", "config")
        }

    def telling(self, file: FileDiff, hunk: ShownHunk) -> Telling:
        added, removed = self._changed[hunk.number]
        if self._removed.issuperset(added) and self._added.issuperset(removed):
            return Telling.MOVED
        if added and removed and _is_same_text(hunk):
            return Telling.FORMATTING
        if not added:
            return Telling.DELETION
        return self._by_place(file, chain(added, removed))

    def _by_place(self, file: FileDiff, changed: Iterable[str]) -> Telling:
        match file.kind:
            case "source":
                if any(matches(file.change.path, pattern) for pattern in self._core_paths):
                    return Telling.CORE
                return Telling.SIGNATURE if any(map(_SIGNATURE.match, changed)) else Telling.SOURCE
            case "config":
                return Telling.CONFIGURATION
            case "test":
                return Telling.TEST_OF_THE_CHANGE if self._tests_the_change(file) else Telling.OTHER_TEST
            case "build":
                return Telling.BUILD
            case _:
                return Telling.TEXT

    def _tests_the_change(self, file: FileDiff) -> bool:
        stem = PurePosixPath(file.change.path).stem.casefold()
        return _TEST_WORDS.sub("", stem).strip("_.-") in self._sources


def _changed(hunk: ShownHunk) -> tuple[set[str], set[str]]:
    """The different lines added, and those removed, without their marks and indents."""
    added, removed = set(), set()
    for line in set(hunk.source.hunk.body):
        if line[0] == "+":
            added.add(line[1:].strip())
        elif line[0] == "-":
            removed.add(line[1:].strip())
    return added, removed


def _is_same_text(hunk: ShownHunk) -> bool:
    """Whether the added and the removed lines are the same but for white space."""
    return all(starmap(eq, zip_longest(_written(hunk, "+"), _written(hunk, "-"))))


def _written(hunk: ShownHunk, mark: str) -> Iterator[str]:
    """The characters of the lines with that mark, without white space."""
    return chain.from_iterable("".join(line[1:].split()) for line in hunk.source.hunk.body if line[0] == mark)
