"""A diff against GitHub's own counts of the pull request (pure)."""

from collections.abc import Sequence
from typing import Literal

from prhub_digest.collect.github_pulls import PullDetail
from prhub_digest.models.pull_request import FileChange

Agreement = Literal["same", "different", "unknown"]

_UNKNOWN = "GitHub gives no counts for the pull request, so the diff is not checked"


def compared(files: Sequence[FileChange], detail: PullDetail) -> tuple[Agreement, tuple[str, ...]]:
    """How added lines, deleted lines and files agree, and a note unless they do.

    For a very large pull request GitHub says 0 files: then it has not counted.
    """
    ours = _sums(files)
    if None in (detail.additions, detail.deletions, detail.changed_files) or (detail.changed_files == 0 and files):
        return "unknown", (_UNKNOWN,)
    theirs = (detail.additions, detail.deletions, detail.changed_files)
    if ours == theirs:
        return "same", ()
    return "different", (f"the diff has {_words(*ours)}, GitHub counts {_words(*theirs)}",)


def _sums(files: Sequence[FileChange]) -> tuple[int, int, int]:
    return sum(file.additions for file in files), sum(file.deletions for file in files), len(files)


def _words(additions: int | None, deletions: int | None, files: int | None) -> str:
    return f"+{additions} -{deletions} in {files} file{'' if files == 1 else 's'}"
