"""What a pull request changed, of a repository's history alone."""

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_files import changed_files
from prhub_digest.collect.git_log import LandedPull, LogEntry
from prhub_digest.models.pull_request import FileChange


def landed_files(git: Git, pull: LandedPull) -> tuple[tuple[FileChange, ...], bool]:
    """The exact diff of each run of commits; a file that several runs change has their hunks in order of time.

    Returns:
        The files, and whether all lines of their diffs were UTF-8.

    Raises:
        SourceError: an object is missing.
    """
    files: dict[str, FileChange] = {}
    all_utf8 = True
    for run in reversed(pull.runs):
        changes, utf8 = changed_files(git, _before(git, run[-1]), run[0].sha)
        all_utf8 = all_utf8 and utf8
        for change in changes:
            earlier = files.get(change.path)
            files[change.path] = _joined(earlier, change) if earlier else change
    return tuple(files.values()), all_utf8


def _joined(earlier: FileChange, later: FileChange) -> FileChange:
    patches = [patch for patch in (earlier.patch, later.patch) if patch is not None]
    return earlier.updated(
        additions=earlier.additions + later.additions,
        deletions=earlier.deletions + later.deletions,
        patch="\n".join(patches) if patches else None,
        patch_state=later.patch_state if earlier.patch is None else earlier.patch_state,
        old_mode=earlier.old_mode or later.old_mode,
        new_mode=later.new_mode or earlier.new_mode,
    )


def _before(git: Git, first: LogEntry) -> str:
    """What the pull request started from; the empty tree when it began the history."""
    return (
        first.parents[0] if first.parents else git.read("hash-object", "-t", "tree", "--", "/dev/null").decode().strip()
    )
