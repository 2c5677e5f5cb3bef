"""The per-file sections of `git diff -p`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from prhub_digest.diff.hunks import hunk_spans, is_header, lines_of
from prhub_digest.models.pull_request import PatchState

_SECTION = ("diff --git ", "diff --cc ", "diff --combined ")
_SUBMODULE = "160000"
_HEADER_LINES = 8


def split_git_diff(text: str) -> tuple[str, ...]:
    """The per-file sections of `git diff -p`, in order, each beginning with its `diff --git` line."""
    lines = lines_of(text)
    starts = [number for number in _outside_hunks(lines) if lines[number].startswith(_SECTION)]
    return tuple("\n".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)]))


def section_patch(section: str) -> str | None:
    """The hunks of a section, from the first `@@` on; None when it has none (binary, mode or name change only)."""
    lines = section.split("\n")
    first = next((number for number, line in enumerate(lines) if is_header(line)), None)
    return None if first is None else "\n".join(lines[first:])


def patch_state(section: str, patch: str | None) -> PatchState:
    """Why a section has no hunks, or that it has them all."""
    if _is_submodule(section):
        return "submodule"
    if patch is not None:
        return "complete"
    binary = any(line.startswith(("Binary files ", "GIT binary patch")) for line in section.split("\n"))
    return "binary" if binary else "no_text_change"


def _outside_hunks(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines that are neither a hunk's header nor its content."""
    position = 0
    for span in hunk_spans(lines):
        yield from range(position, span.start)
        position = span.end
    yield from range(position, len(lines))


def _is_submodule(section: str) -> bool:
    head = section.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    first = next((number for number, line in enumerate(head) if is_header(line)), len(head))
    return any(
        line.startswith(("index ", "new file mode", "deleted file mode")) and _SUBMODULE in line
        for line in head[:first]
    )
