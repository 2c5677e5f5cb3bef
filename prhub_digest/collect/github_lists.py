"""The three lists of the pull requests merged in a period: by update, by search, by the history of the default branch.

None of them can be asked for the time of merging alone, so each is read with room and filtered here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_list_pages import Entry, ListError, Node, read_pages, restarted, said, whole
from prhub_digest.collect.github_listed import LISTED, listed_pull
from prhub_digest.collect.github_pulls import ListedPull
from prhub_digest.collect.github_queries import HISTORY, SEARCH, UPDATED
from prhub_digest.collect.source import MAY_BE_MISSING
from prhub_digest.models.period import Period

_MOST_UPDATE_PAGES = 60
_MOST_READINGS = 5
# A search shows 1,000 results and no more.
_MOST_RESULTS = 900
_SECOND = timedelta(seconds=1)
# Under a merge queue the commit is older than the merge.
_MARGIN = timedelta(days=1)
# What a commit of the history must show.
_COMMIT = ("oid", "committedDate", "associatedPullRequests")


@dataclass(frozen=True, slots=True)
class Place:
    """A repository under the name that GitHub uses now; `attributes` is the text of its topmost `.gitattributes`."""

    name: str
    web_url: str
    default_branch: str
    attributes: str = ""

    @property
    def variables(self) -> dict[str, str]:
        owner, _, name = self.name.partition("/")
        return {"owner": owner, "name": name}


@dataclass(frozen=True, slots=True)
class PullList:
    """`pulls` by number; a note of `notes` that ends with MAY_BE_MISSING tells why the list may not be whole.

    `hidden` counts entries that GitHub does not show, `said` is what it said about them.
    """

    pulls: Mapping[int, ListedPull]
    notes: tuple[str, ...] = ()
    hidden: int = 0
    said: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of the list by update: the entries that are shown, the problems of the others, each of these once."""

    entries: tuple[Entry, ...]
    hidden: tuple[Entry, ...]
    pages: int


@dataclass(frozen=True, slots=True)
class History:
    """Which pull requests' merge commits are on the default branch, and the commits of the period of no merged one.

    `unmerged` counts those of `direct_commits` that belong to a pull request all the same.
    """

    numbers: frozenset[int]
    direct_commits: int
    unmerged: int


def by_update(api: GitHubApi, place: Place, period: Period) -> PullList | None:
    """Everything updated since the period began, read again from the top until the list stood still.

    A pull request that is touched while the pages are read jumps to the front, past the reader. A reading of one page
    cannot miss any, nor one that shows nothing newer than the reading before. None: the period is too many pages back.

    Raises:
        ListError: GitHub left something out.
    """
    pulls: dict[int, ListedPull] = {}
    seen: set[str] = set()
    hidden: tuple[Entry, ...] = ()
    back_to = period.since
    notes: tuple[str, ...] = ()
    for count in range(1, _MOST_READINGS + 1):
        reading = restarted(partial(_read_updated, api, place, back_to))
        if reading is None:
            return None
        nodes = _shown(reading.entries)
        new = {node["id"] for node in nodes} - seen
        seen |= new
        pulls |= _merged_in(period, reading.entries)
        hidden = max(hidden, reading.hidden, key=len)  # they have no names by which to tell them apart
        newest = _moment(nodes[0]["updatedAt"]) if nodes else back_to
        if reading.pages == 1 or (newest <= back_to and not new):
            break
        if count == _MOST_READINGS:
            notes = (f"the list by update kept moving through {_MOST_READINGS} readings: {MAY_BE_MISSING}",)
        back_to = newest
    return PullList(pulls, notes, len(hidden), _said(hidden))


def by_search(api: GitHubApi, place: Place, period: Period) -> PullList:
    """What the search index knows; a stretch of time with too many results is halved.

    Raises:
        ListError: GitHub left something out.
    """
    pulls: dict[int, ListedPull] = {}
    notes = []
    stretches = [(period.since, period.until - _SECOND)]
    while stretches:
        first, last = stretches.pop()
        found = restarted(partial(_read_search, api, place, first, last))
        if found is None:
            middle = first + (last - first) // _SECOND // 2 * _SECOND
            stretches += [(first, middle), (middle + _SECOND, last)]
            continue
        entries, count = found
        pulls |= _merged_in(period, entries)
        if first == last and len(entries) < count:
            what = f"{len(entries)} of the {count} pull requests merged at {_timestamp(first)}"
            notes.append(f"search shows only {what}: {MAY_BE_MISSING}")
    return PullList(pulls, tuple(notes))


def by_history(api: GitHubApi, place: Place, period: Period) -> History:
    """The commits of the default branch, each with the pull requests of this repository that GitHub ties to it.

    Raises:
        ListError: GitHub left something out.
    """
    numbers: set[int] = set()
    direct: dict[str, bool] = {}
    for commit in restarted(partial(_read_history, api, place, period)):
        # GitHub ties a commit of a fork to pull requests of the original, too: other numbers.
        pulls = commit["associatedPullRequests"]["nodes"]
        own = [pull for pull in pulls if pull["repository"]["nameWithOwner"] == place.name]
        merged = [pull for pull in own if pull["mergedAt"] is not None]
        numbers |= {
            pull["number"]
            for pull in merged
            if _may_be(pull["mergeCommit"], commit["oid"]) and period.holds(_moment(pull["mergedAt"]))
        }
        if not merged and period.holds(_moment(commit["committedDate"])):
            direct[commit["oid"]] = bool(own)
    return History(frozenset(numbers), len(direct), sum(direct.values()))


def _read_updated(api: GitHubApi, place: Place, since: datetime) -> _Reading | None:
    """What was updated since then, newest first; only the time of update ends it."""
    shown: list[Entry] = []
    hidden: list[Entry] = []
    count = 0
    for page in read_pages(api, UPDATED, place.variables, "repository", "pullRequests", needs=LISTED):
        count += 1
        for entry in page.entries:
            if entry.node is None:
                hidden.append(entry)
            elif _moment(entry.node["updatedAt"]) >= since:
                shown.append(entry)
            else:
                return _Reading(tuple(shown), tuple(hidden), count)
        if count == _MOST_UPDATE_PAGES and page.connection["pageInfo"]["hasNextPage"]:
            return None
    return _Reading(tuple(shown), tuple(hidden), count)


def _read_search(api: GitHubApi, place: Place, first: datetime, last: datetime) -> tuple[list[Entry], int] | None:
    """What was merged from one second to another, both included, and how much that is; None: ask for less at once."""
    entries: list[Entry] = []
    count = 0
    query = f"repo:{place.name} is:pr is:merged merged:{_timestamp(first)}..{_timestamp(last)}"
    for page in read_pages(api, SEARCH, {"query": query}, "search", needs=LISTED):
        count = page.connection["issueCount"]
        if count > _MOST_RESULTS and first < last:
            return None
        entries += page.entries
    _refuse_hidden(entries)
    return entries, count


def _read_history(api: GitHubApi, place: Place, period: Period) -> list[Node]:
    variables = {
        **place.variables,
        "branch": f"refs/heads/{place.default_branch}",
        "since": _timestamp(_moved(period.since, -_MARGIN)),
        "until": _timestamp(_moved(period.until, _MARGIN)),
    }
    pages = read_pages(api, HISTORY, variables, "repository", "ref", "target", "history", needs=_COMMIT)
    entries = [entry for page in pages for entry in page.entries]
    _refuse_hidden(entries)
    commits = _shown(entries)
    for entry, commit in zip(entries, commits, strict=True):
        others = [problem for problem in entry.problems if problem.path[-1:] != ("mergeCommit",)]
        if others or not whole(commit["associatedPullRequests"]["nodes"]):
            raise ListError(said(entry.problems))
    return commits


def _refuse_hidden(entries: Iterable[Entry]) -> None:
    hidden = [entry for entry in entries if entry.node is None]
    if hidden:
        raise ListError(_said(hidden))


def _said(entries: Iterable[Entry]) -> str:
    return said(problem for entry in entries for problem in entry.problems)


def _shown(entries: Iterable[Entry]) -> list[Node]:
    return [entry.node for entry in entries if entry.node is not None]


def _may_be(merge_commit: dict[str, Any] | None, oid: str) -> bool:
    """Whether it is this commit; a hidden one may be, and the pull request was merged all the same."""
    return merge_commit == {} or (merge_commit or {}).get("oid") == oid


def _merged_in(period: Period, entries: Iterable[Entry]) -> dict[int, ListedPull]:
    pulls = [listed_pull(entry.node, entry.problems) for entry in entries if entry.node is not None]
    return {pull.number: pull for pull in pulls if period.holds(pull.merged_at)}


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _timestamp(moment: datetime) -> str:
    """Always in UTC: GitHub reads a bare day as one of UTC, and a `+` would need quoting."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _moved(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:  # `--until 9999-12-31`
        return moment
