"""The diffs of a week's pull requests by git: two fetches for all of them, then exact trees, checked against GitHub.

What a pull request changed on its base branch is `M^1..M` for its merge commit M, squash or merge. A rebase puts
several commits there, those of the pull request that were not there yet: they are told by author, time and subject,
since counting back could reach into foreign ones. `base.sha` of the API is no help: the branch has moved on.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from prhub_digest.collect import landing
from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_files import changed_files
from prhub_digest.collect.git_objects import CommitObject, GitObjects
from prhub_digest.collect.git_remote import Progress
from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_counts import compared
from prhub_digest.collect.github_fetch import FetchedRepository, hiding_token
from prhub_digest.collect.github_pulls import ListedPull, PullDetail, PullDiff
from prhub_digest.errors import ServiceError, SourceError
from prhub_digest.models.pull_request import Commit, MergeKind

_LONGEST_WALK = 249
_SUBMODULE = "160000"
_BROKEN = "git does not answer as git does; is another program of that name on PATH?"
_NOT_UTF8 = "the diff holds bytes that are not UTF-8; each is shown as \ufffd"


class WeekDiffs:
    """Diffs and files of a week as merged, in a repository that is thrown away on exit.

    Args:
        access: where the server is, and the token.
        repository: `owner/name`, as GitHub calls it now: git's redirects are not followed.
        progress: is told what git reports while it fetches, and why it cannot.
        sleep: waits before another attempt.
    """

    def __init__(
        self,
        access: GitHubAccess,
        repository: str,
        progress: Progress,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._access = access
        self._repository = repository
        self._progress = hiding_token(access, progress)
        self._sleep = sleep
        self._stack = ExitStack()
        self._objects: GitObjects | None = None
        self._git = Git(Path(), repository)
        self._landed: dict[int, tuple[CommitObject, ...]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects = None
        self._landed.clear()
        self._stack.close()

    def fetch(self, pulls: Sequence[ListedPull]) -> None:
        """Everything that the diffs of these pull requests need. When git cannot, `progress` is told why."""
        try:
            self._fetch([pull for pull in pulls if pull.merge_commit is not None])
        except (ServiceError, SourceError, OSError) as error:  # OSError: no room for it, for example
            self._give_up(str(error))
        except ValueError:
            self._give_up(f"{self._git.label}: {_BROKEN}")

    def diff(self, listed: ListedPull, detail: PullDetail) -> PullDiff | None:
        """What landed, compared with GitHub's own counts; None when the merge commit is unknown or gone."""
        landed = self._landed.get(listed.number)
        if landed is None:
            return None
        likeliest: PullDiff | None = None
        try:
            for kind, base in self._readings(landed, detail.pull.commits):
                diff = self._read(kind, base, landed[0].sha, detail)
                if diff.state == "complete":
                    return diff
                likeliest = likeliest or diff
        except (SourceError, ValueError):  # a part of the second fetch failed, or git is broken
            self._progress(
                f"{self._git.label}: #{listed.number}: git lacks a part of the diff; it is read through REST"
            )
            return None
        return likeliest

    def text(self, listed: ListedPull, path: str) -> str | None:
        """A file as merged, bytes that are not UTF-8 as \ufffd.

        None when it is not there, is no text, or was not fetched, since the pull request does not change it: only one
        that is there can be told from the others.
        """
        landed = self._landed.get(listed.number)
        if landed is None or self._objects is None:
            return None
        content = self._objects.file(landed[0].sha, path)
        return None if content is None or b"\0" in content else content.decode("utf-8", "replace")

    def _give_up(self, why: str) -> None:
        self._landed.clear()
        self._progress(f"{why}; the diffs are read through the REST API, a request or more a pull request")

    def _fetch(self, pulls: Sequence[ListedPull]) -> None:
        if not pulls:
            return
        folder = self._stack.enter_context(TemporaryDirectory(prefix="prhub-", ignore_cleanup_errors=True))
        fetched = FetchedRepository(self._access, self._repository, Path(folder), self._progress, self._sleep)
        fetched.create()
        depth = 1 + max(map(_steps, pulls))
        fetched.fetch((pull.merge_commit for pull in pulls if pull.merge_commit), f"--depth={depth}")
        self._git = fetched.git
        self._objects = self._stack.enter_context(GitObjects(fetched.git))
        landed = {pull.number: tuple(_walk(self._objects, pull)) for pull in pulls}
        self._landed = {number: commits for number, commits in landed.items() if commits}
        fetched.fetch(self._missing_files())

    def _missing_files(self) -> Iterator[str]:
        """The contents on both sides of every change that is not here."""
        pairs = dict.fromkeys(
            " ".join((commit.sha, *commit.parents[:1])) for commits in self._landed.values() for commit in commits
        )
        options = ("--stdin", "--root", "-r", "--raw", "--no-renames", "--no-commit-id", "-z")
        changes = self._git.read("diff-tree", *options, stdin="".join(f"{pair}\n" for pair in pairs).encode("ascii"))
        names = dict.fromkeys(_contents(changes))
        listed = self._git.read(
            "cat-file", "--batch-check", stdin="".join(f"{name}\n" for name in names).encode("ascii")
        )
        for line in listed.decode("ascii").splitlines():
            name, _, rest = line.partition(" ")
            if rest == "missing":
                yield name

    def _readings(self, landed: Sequence[CommitObject], commits: Sequence[Commit]) -> Iterator[tuple[MergeKind, str]]:
        """How the merge commit can be taken, and from where on, the likeliest first."""
        last = landed[0]
        if len(last.parents) > 1:
            yield "merge", last.parents[0]
            return
        own = _paired(landed, commits)
        if own > 1:
            yield "rebase", self._before(landed[own - 1])
        yield "squash", self._before(last)

    def _before(self, commit: CommitObject) -> str:
        if commit.parents:
            return commit.parents[0]
        return self._git.read("hash-object", "-t", "tree", "--stdin").decode("ascii").strip()  # the empty tree

    def _read(self, kind: MergeKind, base: str, merge: str, detail: PullDetail) -> PullDiff:
        files, utf8 = changed_files(self._git, base, merge)
        agreement, notes = compared(files, detail)
        if agreement != "same" and kind == "rebase" and len(detail.pull.commits) > _LONGEST_WALK:
            notes += (f"only the last {_LONGEST_WALK} commits of a long rebase were looked for",)
        if not utf8:
            notes += (_NOT_UTF8,)
        return PullDiff(files, "complete" if agreement == "same" else "uncertain", kind, notes)


def _steps(pull: ListedPull) -> int:
    """How many commits of the base branch can be this pull request's."""
    return min(pull.commits, _LONGEST_WALK) if pull.looks_rebased else 1


def _walk(objects: GitObjects, pull: ListedPull) -> Iterator[CommitObject]:
    """The merge commit, then its first parents that can be this pull request's; what each follows is here, too."""
    commit = objects.commit(pull.merge_commit) if pull.merge_commit else None
    for _ in range(_steps(pull)):
        before = objects.commit(commit.parents[0]) if commit and commit.parents else None
        if commit is None or (before is None and commit.parents):
            return
        yield commit
        commit = before


def _contents(changes: bytes) -> Iterator[str]:
    """Of `--raw -z`: `:mode mode name name letter`, then a path."""
    for entry in changes.split(b"\0")[:-1:2]:
        old_mode, new_mode, old, new, _ = entry.decode("ascii").removeprefix(":").split(" ")
        yield from (name for mode, name in ((old_mode, old), (new_mode, new)) if mode != _SUBMODULE and name.strip("0"))


def _paired(landed: Sequence[CommitObject], commits: Sequence[Commit]) -> int:
    """How many of the landed commits, from the last on, are the pull request's, in its order.

    It may have others between them: a rebase drops what is on the base branch already.
    """
    rest = list(commits)
    for count, commit in enumerate(landed):
        while rest and not _same(commit, rest[-1]):
            rest.pop()
        if not rest:
            return count
        rest.pop()
    return len(landed)


def _same(landed: CommitObject, own: Commit) -> bool:
    named = own.author.name in {None, landed.author, landing.person(landed.author).name}
    return named and landed.authored_at == own.authored_at and _subject(landed.message) == _subject(own.message)


def _subject(message: str) -> str:
    return (landing.without_trailers(message) or "").partition("\n")[0]
