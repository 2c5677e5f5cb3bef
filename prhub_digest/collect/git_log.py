"""The main line of a repository's history, and the pull requests that landed on it in a period."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.landing import Landing, landing
from prhub_digest.errors import SourceError
from prhub_digest.models.period import Period

_FORMAT = "--format=%H%n%P%n%ct%n%at%n%an%n%ae%n%B"
REPLACED = "\ufffd"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit. Times are UTC; None when the commit holds one that no calendar has."""

    sha: str
    parents: tuple[str, ...]
    committed_at: datetime | None
    authored_at: datetime | None
    author: str
    email: str
    message: str


@dataclass(frozen=True, slots=True)
class LandedPull:
    """A pull request's commits on the main line: runs without anything in between, all newest first."""

    what: Landing
    runs: tuple[tuple[LogEntry, ...], ...]

    @property
    def last(self) -> LogEntry:
        return self.runs[0][0]

    @property
    def entries(self) -> tuple[LogEntry, ...]:
        return tuple(entry for run in self.runs for entry in run)


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk over the whole main line found, in the order of landing.

    `before` is the newest commit of a time before the period, None when there is none; `base` is the commit on which
    the first landing of the period stands, whatever its time, None when that landing begins the history.
    """

    pulls: tuple[LandedPull, ...]
    direct_commits: int
    newest: LogEntry
    oldest: LogEntry
    before: str | None
    base: str | None


def walk(git: Git, head: str, period: Period) -> Walk:
    """Read the whole first-parent history of `head` once; dates may be in any order.

    Raises:
        SourceError: git cannot read the history.
    """
    pulls: dict[int, LandedPull] = {}
    direct = 0
    newest: LogEntry | None = None
    oldest: LogEntry | None = None
    before: str | None = None
    base: str | None = None
    pairs = ((landing(entry.message), entry) for entry in read_log(git, "--first-parent", head))
    for _, run in groupby(pairs, key=lambda pair: pair[0].number if pair[0] else None):
        for what, entries in _landings(list(run)):
            newest, oldest = newest or entries[0], entries[-1]
            when = entries[0].committed_at
            if before is None and when is not None and when < period.since:
                before = entries[0].sha
            if when is None or not period.holds(when):
                continue
            base = next(iter(entries[-1].parents), None)
            if what is None:
                direct += 1
            elif what.number in pulls:
                newer = pulls[what.number]
                pulls[what.number] = replace(newer, runs=(*newer.runs, entries))
            else:
                pulls[what.number] = LandedPull(what, (entries,))
    if newest is None or oldest is None:
        raise SourceError(f"{git.label}: the history of {head} is empty")
    return Walk(tuple(reversed(pulls.values())), direct, newest, oldest, before, base)


def _landings(
    run: Sequence[tuple[Landing | None, LogEntry]],
) -> Iterator[tuple[Landing | None, tuple[LogEntry, ...]]]:
    """Neighbours with one number are one landing; commits without a number stand alone."""
    if run[0][0] is None:
        yield from ((None, (entry,)) for _, entry in run)
    else:
        yield run[0][0], tuple(entry for _, entry in run)


def read_log(git: Git, *arguments: str) -> Iterator[LogEntry]:
    """Commits of `git log`, read while it runs.

    Raises:
        SourceError: git cannot read the history.
    """
    options = ("--no-color", "--no-decorate", "--no-notes", "--no-show-signature", "--no-patch")
    for record in git.records("log", "-z", *options, _FORMAT, *arguments, "--"):
        yield _entry(record.decode("utf-8", "replace"))


def _entry(record: str) -> LogEntry:
    sha, parents, committed, authored, author, email, message = record.split("\n", 6)
    return LogEntry(sha, tuple(parents.split()), _moment(committed), _moment(authored), author, email, message)


def _moment(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
