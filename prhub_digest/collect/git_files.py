"""The files that changed between two commits, exactly: names and counts from NUL-separated output, hunks by order."""

from dataclasses import dataclass
from typing import get_args

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_names import file_name
from prhub_digest.diff import patch_state, section_patch, split_git_diff
from prhub_digest.errors import SourceError
from prhub_digest.models.pull_request import FileChange, FileMode, FileStatus

# diff-tree reads no user setting of `git diff` (prefixes, colours, algorithm, order); what it does read is fixed here
# and in git_command.
_DIFF = (
    "diff-tree",
    "-r",
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--full-index",
    "--ignore-submodules=none",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U3",
)
_LETTERS: dict[str, FileStatus] = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied"}
_MODES: dict[str, FileMode] = {mode: mode for mode in get_args(FileMode)}
_ORDINARY = frozenset({"000000", "100644"})  # no file, and a file
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of `--raw -z`; `before` and `after` are mode and object name."""

    before: tuple[str, str]
    after: tuple[str, str]
    letter: str
    old_path: str
    path: str


def changed_files(git: Git, base: str, head: str) -> tuple[tuple[FileChange, ...], bool]:
    """The files changed from `base` to `head`, and whether all lines of their diffs were UTF-8.

    Raises:
        SourceError: an object is missing, or git's answers do not fit together.
    """
    listing = git.read(*_DIFF, "-z", "--raw", "--numstat", base, head)
    patch = git.read(*_DIFF, "--patch", base, head)
    entries, counts = _listing([file_name(field) for field in listing.split(b"\0")])
    text = patch.decode("utf-8", "replace")
    sections = split_git_diff(text)
    if len(counts) != len(entries) or sum(map(_section_count, entries)) != len(sections):
        raise SourceError(f"{git.label}: git's list of files and its diff of {base[:12]}..{head[:12]} do not agree")
    rest = iter(sections)
    files = tuple(
        _file(entry, count, [next(rest) for _ in range(_section_count(entry))])
        for entry, count in zip(entries, counts, strict=True)
    )
    return files, text.isascii() or text.encode("utf-8") == patch


def _listing(fields: list[str]) -> tuple[list[_Entry], list[tuple[int, int]]]:
    """`--raw -z` entries (`:mode mode id id letter`, then one path, or two for a rename), then those of `--numstat`."""
    position = 0
    entries = []
    while fields[position].startswith(":"):
        old_mode, new_mode, old_id, new_id, letter = fields[position][1:].split(" ")
        paths = 2 if letter[0] in "RC" else 1
        old_path, path = fields[position + 1], fields[position + paths]
        entries.append(_Entry((old_mode, old_id), (new_mode, new_id), letter[0], old_path, path))
        position += 1 + paths
    counts = []
    while position < len(fields) and fields[position]:
        additions, deletions, path = fields[position].split("\t", 2)
        counts.append((_number(additions), _number(deletions)))
        position += 1 if path else 3
    return entries, counts


def _number(text: str) -> int:
    return 0 if text == "-" else int(text)  # "-" is a binary file


def _section_count(entry: _Entry) -> int:
    return 2 if entry.letter == "T" else 1  # a file that became a link: git writes a removal and an addition


def _file(entry: _Entry, count: tuple[int, int], sections: list[str]) -> FileChange:
    patches = [patch for section in sections if (patch := section_patch(section)) is not None]
    patch = "\n".join(patches) if patches else None
    modes = (entry.before[0], entry.after[0])
    old_mode, new_mode = (None, None) if _ORDINARY.issuperset(modes) else map(_MODES.get, modes)
    return FileChange(
        path=entry.path,
        previous_path=entry.old_path if entry.old_path != entry.path else None,
        status=_status(entry),
        additions=count[0],
        deletions=count[1],
        patch=patch,
        patch_state="submodule" if _SUBMODULE in modes else patch_state(sections[0], patch),
        old_mode=old_mode,
        new_mode=new_mode,
    )


def _status(entry: _Entry) -> FileStatus:
    only_mode = entry.letter == "M" and entry.before[1] == entry.after[1]
    return "mode_changed" if only_mode else _LETTERS.get(entry.letter, "modified")
