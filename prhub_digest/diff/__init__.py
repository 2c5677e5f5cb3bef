"""Unified diffs as git and GitHub write them: hunks with line numbers, sections of `git diff -p`. Pure, linear.

Names of files are never read from a diff's text: both sources give them apart. Why no library: docs/chunks.md.
"""

from prhub_digest.diff.hunks import DiffLine, Hunk, count_changes, parse_hunks
from prhub_digest.diff.sections import patch_state, section_patch, split_git_diff

__all__ = [
    "DiffLine",
    "Hunk",
    "count_changes",
    "parse_hunks",
    "patch_state",
    "section_patch",
    "split_git_diff",
]
