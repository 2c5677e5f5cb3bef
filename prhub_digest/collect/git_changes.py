"""The newest changes of a clone by their paths alone, and its `CODEOWNERS`: what areas are learned from."""

from collections.abc import Iterator
from dataclasses import dataclass

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_names import file_name
from prhub_digest.collect.git_remote import open_local
from prhub_digest.errors import SourceError

_OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# No path begins so.
_MARK = "//"


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """Commits of the main line, a merge as one, each with the paths that it changed."""

    commits: tuple[tuple[str, tuple[str, ...]], ...]
    codeowners: str


def recent_changes(location: str, most: int) -> RecentChanges:
    """At most `most` commits of what is checked out.

    Raises:
        SourceError: no repository, or one without commits.
    """
    git = open_local(location)
    if git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        raise SourceError(f"{location}: there is no commit to learn from; give a clone with history")
    owners = (git.line("show", f"HEAD:{path}") for path in _OWNERS)
    return RecentChanges(tuple(_commits(git, most)), next(filter(None, owners), ""))


def _commits(git: Git, most: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    options = ("--first-parent", "--diff-merges=first-parent", "--name-only", "-z", f"--max-count={most}")
    quiet = ("--no-color", "--no-decorate", "--no-notes", "--no-show-signature", f"--format={_MARK}%H")
    sha, paths = "", list[str]()
    for record in git.records("log", *options, *quiet, "HEAD", "--"):
        text = file_name(record).removeprefix("\n")  # git puts one before the first path
        if text.startswith(_MARK):
            if sha:
                yield sha, tuple(paths)
            sha, paths = text.removeprefix(_MARK), []
        elif text:
            paths.append(text)
    if sha:
        yield sha, tuple(paths)
