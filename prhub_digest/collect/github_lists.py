"""The three lists of the pull requests merged in a period: by update, by search, by the history of the default branch.

None of them can be asked for the time of merging alone, so each is read with room and filtered here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_list_pages import SILENT, ListError, Node, read_pages, restarted, whole
from prhub_digest.collect.github_people import person
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


@dataclass(frozen=True, slots=True)
class Place:
    """A repository under the name that GitHub uses now."""

    name: str
    web_url: str
    default_branch: str

    @property
    def variables(self) -> dict[str, str]:
        owner, _, name = self.name.partition("/")
        return {"owner": owner, "name": name}


@dataclass(frozen=True, slots=True)
class PullList:
    """`pulls` by number; a note of `notes` that ends with MAY_BE_MISSING tells why the list may not be whole."""

    pulls: Mapping[int, ListedPull]
    notes: tuple[str, ...] = ()


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
    back_to = period.since
    for _ in range(_MOST_READINGS):
        reading = restarted(partial(_read_updated, api, place, back_to))
        if reading is None:
            return None
        nodes, pages = reading
        new = {node["id"] for node in nodes} - seen
        seen |= new
        pulls |= _merged_in(period, nodes)
        newest = _moment(nodes[0]["updatedAt"]) if nodes else back_to
        if pages == 1 or (newest <= back_to and not new):
            return PullList(pulls)
        back_to = newest
    return PullList(pulls, (f"the list by update kept moving through {_MOST_READINGS} readings: {MAY_BE_MISSING}",))


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
        nodes, count = found
        pulls |= _merged_in(period, nodes)
        if first == last and len(nodes) < count:
            what = f"{len(nodes)} of the {count} pull requests merged at {_timestamp(first)}"
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
        own = [pull for pull in _associated(commit) if pull["repository"]["nameWithOwner"] == place.name]
        merged = [pull for pull in own if pull["mergedAt"] is not None]
        numbers |= {
            pull["number"]
            for pull in merged
            if (pull["mergeCommit"] or {}).get("oid") == commit["oid"] and period.holds(_moment(pull["mergedAt"]))
        }
        if not merged and period.holds(_moment(commit["committedDate"])):
            direct[commit["oid"]] = bool(own)
    return History(frozenset(numbers), len(direct), sum(direct.values()))


def listed_pull(node: Node) -> ListedPull:
    """The record of a merged pull request's `Listed` fields."""
    commits, merge = node["commits"], node["mergeCommit"]
    last = commits["nodes"][-1]["commit"] if whole(commits["nodes"]) and commits["nodes"] else None
    return ListedPull(
        id=node["id"],
        number=node["number"],
        title=node["title"],
        url=node["url"],
        author=person(node["author"]),
        base_branch=node["baseRefName"],
        head_branch=node["headRefName"],
        created_at=_moment(node["createdAt"]),
        merged_at=_moment(node["mergedAt"]),
        updated_at=_moment(node["updatedAt"]),
        merge_commit=merge["oid"] if merge else None,
        commits=commits["totalCount"],
        looks_rebased=bool(commits["totalCount"] > 1 and merge and last and _signature(merge) == _signature(last)),
    )


def _read_updated(api: GitHubApi, place: Place, since: datetime) -> tuple[list[Node], int] | None:
    """What was updated since then, newest first, and in how many pages; only the time of update ends it."""
    nodes: list[Node] = []
    count = 0
    for page in read_pages(api, UPDATED, place.variables, "repository", "pullRequests"):
        count += 1
        recent = [node for node in page["nodes"] if _moment(node["updatedAt"]) >= since]
        nodes += recent
        if len(recent) < len(page["nodes"]):
            break
        if count == _MOST_UPDATE_PAGES and page["pageInfo"]["hasNextPage"]:
            return None
    return nodes, count


def _read_search(api: GitHubApi, place: Place, first: datetime, last: datetime) -> tuple[list[Node], int] | None:
    """What was merged from one second to another, both included, and how much that is; None: ask for less at once."""
    nodes: list[Node] = []
    count = 0
    query = f"repo:{place.name} is:pr is:merged merged:{_timestamp(first)}..{_timestamp(last)}"
    for page in read_pages(api, SEARCH, {"query": query}, "search"):
        count = page["issueCount"]
        if count > _MOST_RESULTS and first < last:
            return None
        nodes += page["nodes"]
    return nodes, count


def _read_history(api: GitHubApi, place: Place, period: Period) -> list[Node]:
    variables = {
        **place.variables,
        "branch": f"refs/heads/{place.default_branch}",
        "since": _timestamp(_moved(period.since, -_MARGIN)),
        "until": _timestamp(_moved(period.until, _MARGIN)),
    }
    pages = read_pages(api, HISTORY, variables, "repository", "ref", "target", "history")
    return [commit for page in pages for commit in page["nodes"]]


def _associated(commit: Node) -> list[Node]:
    nodes: list[Node] | None = (commit["associatedPullRequests"] or {}).get("nodes")
    if not whole(nodes):
        raise ListError(SILENT)
    return nodes


def _merged_in(period: Period, nodes: list[Node]) -> dict[int, ListedPull]:
    merged = [node for node in nodes if node["mergedAt"] is not None and period.holds(_moment(node["mergedAt"]))]
    return {node["number"]: listed_pull(node) for node in merged}


def _signature(commit: Node) -> tuple[str, str | None, str]:
    """What a rebase keeps of a commit."""
    return commit["authoredDate"], (commit["author"] or {}).get("name"), commit["messageHeadline"]


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
