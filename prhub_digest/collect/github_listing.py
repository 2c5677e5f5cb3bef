"""Which pull requests GitHub counts as merged in a period: the union of three lists, and how they agree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from prhub_digest.collect.github_agreement import ThreeLists, agreement
from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_list_pages import ListError, said
from prhub_digest.collect.github_listed import look_up
from prhub_digest.collect.github_lists import History, Place, PullList, by_history, by_search, by_update
from prhub_digest.collect.github_pulls import ListedPull
from prhub_digest.collect.github_queries import ATTRIBUTES, REPOSITORY
from prhub_digest.collect.source import MAY_BE_MISSING
from prhub_digest.console import counted
from prhub_digest.errors import FatalServiceError, ServiceError, SourceError
from prhub_digest.file_kinds import AttributeRule, parse_attributes
from prhub_digest.models.period import Period

T = TypeVar("T")

_TRY_AGAIN = "try again, and check what the token may read"


@dataclass(frozen=True, slots=True)
class Listing:
    """All pull requests merged in the period, into any branch, in the order of merging.

    `repository` is the name that GitHub uses now. `direct_commits` counts the commits of the period on the default
    branch that belong to no merged pull request; None when its history cannot be read. `attributes`: of the topmost
    `.gitattributes` alone, as it was before the period.
    """

    repository: str
    web_url: str
    default_branch: str
    pulls: tuple[ListedPull, ...]
    direct_commits: int | None
    notes: tuple[str, ...]
    attributes: tuple[AttributeRule, ...] = ()


def list_pulls(api: GitHubApi, repository: str, period: Period) -> Listing:
    """The union of the three lists. One that fails is given up, with a note, while another one is whole.

    Raises:
        SourceError: no such repository, none that the token can see, or one without commits.
        ServiceError: GitHub failed, or no list is whole.
    """
    place = _place(api, repository)
    try:
        update = by_update(api, place, period)
    except ListError as error:
        raise ServiceError(_not_whole(place, str(error))) from error
    search, search_failure = _attempt(api, place, "list by search", lambda: by_search(api, place, period))
    if update is None and search is None:
        raise ServiceError(
            f"{place.name}: {period.label} is too far back for the list by update, and {search_failure}; try again"
        )
    history, history_failure = _attempt(
        api, place, f"history of {place.default_branch}", lambda: by_history(api, place, period)
    )
    pulls = _union(api, place, update, search, history)
    if update and update.hidden > len(pulls.keys() - update.pulls.keys()):
        shown = f"{counted(update.hidden, 'pull request')} of it cannot be shown to this token, and no other list names"
        raise ServiceError(_not_whole(place, f"{shown} {'it' if update.hidden == 1 else 'all of them'}; {update.said}"))
    notes = [
        *_renamed(repository, place),
        *agreement(_compared(place, pulls, update, search, history)),
        *_list_notes(update, search),
        *filter(None, (search_failure, history_failure)),
        *_bot_landed(history),
        *_not_over(api.server_time, period),
    ]
    return Listing(
        repository=place.name,
        web_url=place.web_url,
        default_branch=place.default_branch,
        pulls=tuple(sorted(pulls.values(), key=lambda pull: (pull.merged_at, pull.number))),
        direct_commits=history.direct_commits if history else None,
        notes=tuple(notes),
        attributes=_attributes(api, place, pulls.values()),
    )


def _place(api: GitHubApi, repository: str) -> Place:
    """The repository under its present name, which GitHub gives for an old one, too."""
    owner, _, name = repository.partition("/")
    answer = api.query(REPOSITORY, {"owner": owner, "name": name})
    node: dict[str, Any] = answer.data["repository"]
    branch = node["defaultBranchRef"]
    if branch:
        attributes = (node.get("object") or {}).get("text") or ""  # no such file, or one that is no text
        return Place(node["nameWithOwner"], node["url"], branch["name"], attributes)
    if answer.problems:
        raise ServiceError(f"{repository}: GitHub does not show its default branch; {said(answer.problems)}")
    raise SourceError(
        f"{node['nameWithOwner']}: the repository is empty: it has no default branch; give one with commits"
    )


def _attributes(api: GitHubApi, place: Place, pulls: Iterable[ListedPull]) -> tuple[AttributeRule, ...]:
    """Those on which the first of the pull requests landed: what the period changes, or what came later, hides nothing.

    None where there are none now, which costs no query.
    """
    landed = [pull for pull in pulls if pull.base_branch == place.default_branch]
    if not landed or not parse_attributes(place.attributes):
        return ()
    first = min(landed, key=lambda pull: (pull.merged_at, pull.number))
    if first.merge_commit is None:
        return ()
    before = f"{first.merge_commit}~{first.commits if first.looks_rebased else 1}"
    answer = api.query(ATTRIBUTES, {**place.variables, "expression": f"{before}:.gitattributes"})
    return parse_attributes((answer.data["repository"].get("object") or {}).get("text") or "")


def _attempt(api: GitHubApi, place: Place, what: str, read: Callable[[], T]) -> tuple[T | None, str]:
    """What `read` returns, or a note on why it could not.

    Raises:
        ServiceError: it is not this list alone that fails.
    """
    try:
        return read(), ""
    except FatalServiceError:
        raise
    except ListError as error:
        failure = str(error)
    except ServiceError as error:
        failure = str(error)
        _place(api, place.name)  # a limit, or a GitHub that is down, ends the run: later it can be done well
    return None, f"the {what} was given up; {failure}"


def _union(
    api: GitHubApi, place: Place, update: PullList | None, search: PullList | None, history: History | None
) -> dict[int, ListedPull]:
    """By number; the history knows numbers only, and that they are of the default branch."""
    pulls = {**(search.pulls if search else {}), **(update.pulls if update else {})}
    unknown = sorted((history.numbers if history else frozenset()) - pulls.keys())
    for pull in look_up(api, place.name, unknown):
        pulls[pull.number] = replace(pull, base_branch=pull.base_branch or place.default_branch)
    return pulls


def _not_whole(place: Place, why: str) -> str:
    return f"{place.name}: the list of pull requests by update is not whole; {why}; {_TRY_AGAIN}"


def _compared(
    place: Place,
    pulls: Mapping[int, ListedPull],
    update: PullList | None,
    search: PullList | None,
    history: History | None,
) -> ThreeLists:
    on_branch = frozenset(number for number, pull in pulls.items() if pull.base_branch == place.default_branch)
    return ThreeLists(
        default_branch=place.default_branch,
        on_branch=on_branch,
        elsewhere=frozenset(pulls) - on_branch,
        update=frozenset(update.pulls) if update else None,
        search=frozenset(search.pulls) if search else None,
        history=history.numbers if history else None,
    )


def _renamed(repository: str, place: Place) -> Iterator[str]:
    if repository.lower() != place.name.lower():
        yield f"{repository} is now {place.name}; the new name is used"


def _list_notes(update: PullList | None, search: PullList | None) -> Iterator[str]:
    if update is None:
        yield f"the list by update was given up, it is too long; search and history decide: {MAY_BE_MISSING}"
    elif update.hidden:
        hidden, them = counted(update.hidden, "pull request"), "it" if update.hidden == 1 else "them"
        yield f"{hidden} of the list by update cannot be shown to this token, but others name {them}; {update.said}"
    for pull_list in (update, search):
        yield from pull_list.notes if pull_list else ()


def _bot_landed(history: History | None) -> Iterator[str]:
    count = history.unmerged if history else 0
    if count:
        which = "1 commit belongs to a pull request" if count == 1 else f"{count:,} commits belong to pull requests"
        yield f"{which} that GitHub does not count as merged (landed by a bot)"


def _not_over(now: datetime | None, period: Period) -> Iterator[str]:
    if now is not None and now < period.until:
        zone = ZoneInfo(period.timezone)
        read, end = (f"{moment.astimezone(zone):%Y-%m-%d %H:%M}" for moment in (now, period.until))
        yield f"the period is not over: read at {read}, it ends at {end} ({period.timezone}): {MAY_BE_MISSING}"
