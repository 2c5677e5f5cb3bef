"""Every commit of real repositories through the diff reader: its counts, paths and states against git's own.

`REPO` in the environment names clones, blanks between (`make bench NAME=history REPO="../a ../b"`); without it, the
repository that this file stands in is read. A commit is compared with its first parent, as a merged pull request is.
"""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import Measure
from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_files import changed_files
from prhub_digest.collect.git_remote import open_local
from prhub_digest.diff import count_changes, parse_hunks
from prhub_digest.models.pull_request import FileChange

_HERE = Path(__file__).parent.parent
_MOST_SHOWN = 20
_PROGRESS = 500


@dataclass
class _Read:
    commits: int = 0
    files: int = 0
    characters: int = 0
    failed: int = 0
    different: int = 0


def measure() -> Iterator[Measure]:
    read = _Read()
    begin = time.perf_counter()
    repositories = os.environ.get("REPO", "").split() or [str(_HERE)]
    for repository in repositories:
        _read_history(open_local(repository), read)
    seconds = time.perf_counter() - begin
    print(
        f"history: {len(repositories)} repositories, {read.commits} commits, {read.files} files,"
        f" {read.characters / 1e6:.1f} MB of hunks, {seconds:.0f} s (git's own time included)",
        file=sys.stderr,
    )
    yield Measure("history_commits", read.commits, 1, at_least=True)
    yield Measure("history_failed_commits", read.failed, 0)
    yield Measure("history_files_unlike_numstat", read.different, 0)


def _read_history(git: Git, read: _Read) -> None:
    empty = git.read("hash-object", "-t", "tree", "--", os.devnull).decode().strip()
    for line in git.read("rev-list", "--all", "--parents").decode().splitlines():
        commit, *parents = line.split(" ")
        read.commits += 1
        try:
            files, _ = changed_files(git, parents[0] if parents else empty, commit)
            wrong = [fault for file in files if (fault := _fault(file))]
        except Exception as error:  # noqa: BLE001  any exception at all is what is counted here
            read.failed += 1
            _show(read.failed, f"{git.label} {commit}: {type(error).__name__}: {error}")
            continue
        read.files += len(files)
        read.characters += sum(len(file.patch or "") for file in files)
        read.different += len(wrong)
        for fault in wrong:
            _show(read.different, f"{git.label} {commit}: {fault}")
        if read.commits % _PROGRESS == 0:
            print(f"history: {read.commits} commits", file=sys.stderr, flush=True)


def _fault(file: FileChange) -> str | None:
    """What is wrong with a file as read; its additions and deletions are git's numstat."""
    counted = count_changes(file.patch)
    if file.patch_state != "binary" and counted != (file.additions, file.deletions):
        return f"{file.path!r}: +{counted[0]} -{counted[1]} read, +{file.additions} -{file.deletions} by git"
    for hunk in parse_hunks(file.patch or ""):
        old = sum(line.kind != "+" for line in hunk.lines)
        new = sum(line.kind != "-" for line in hunk.lines)
        if (old, new) != (hunk.old_count, hunk.new_count):
            return f"{file.path!r}: hunk at {hunk.new_start} holds {old}/{new} of {hunk.old_count}/{hunk.new_count}"
    if file.patch is None and file.additions + file.deletions:
        return f"{file.path!r}: changed lines, but no hunks"
    return None


def _show(count: int, text: str) -> None:
    if count <= _MOST_SHOWN:
        print(text, file=sys.stderr, flush=True)
