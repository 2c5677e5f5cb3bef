"""What a token can see, what is left of GitHub's limits, and what it takes to read a week."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any

from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_errors import RateLimit
from prhub_digest.collect.github_queries import (
    AUTHOR_BATCH,
    COUNT,
    DETAIL_BATCH,
    LIST_PAGE,
    NESTED,
    REPOSITORY,
    THREADS,
    VIEWER,
)
from prhub_digest.errors import SourceError
from prhub_digest.models.period import Period

if TYPE_CHECKING:
    import github


_PULLS_OF_AN_AUTHOR = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What is left of this hour; None where the server has no limits, as most Enterprise Servers."""

    graphql: RateLimit | None
    rest: RateLimit | None


@dataclass(frozen=True, slots=True)
class Visible:
    """A repository under its present name, and what the token may do in it."""

    name: str
    private: bool
    permission: str | None
    default_branch: str


@dataclass(frozen=True, slots=True)
class Need:
    """What reading a week takes, about: GraphQL calls and their points; for the diffs git, else REST calls."""

    calls: int
    points: int
    git_fetches: int
    rest_calls: int


def need(merged: int, *, with_git: bool = True) -> Need:
    """For a week of so many merged pull requests that is just over: an older one has longer lists by update.

    Lists: the repository; by update, read again from the top; by search; by history. A page of a list is a point; a
    batch of details resolves its nested lists, and the comments of each thread, for each pull request; most batches
    have lists longer than a page, which one more query reads on. A batch of authors, for who is new, is a point.
    """
    pages, batches = max(1, ceil(merged / LIST_PAGE)), ceil(merged / DETAIL_BATCH)
    lists = 1 + pages + (1 if pages > 1 else 0) + pages + pages
    a_batch = round(DETAIL_BATCH * (len(NESTED) + THREADS.first) / 100)
    authors = ceil(merged / _PULLS_OF_AN_AUTHOR / AUTHOR_BATCH)
    return Need(
        calls=lists + batches + batches + authors,
        points=lists + batches * a_batch + batches + authors,
        git_fetches=2 if merged and with_git else 0,
        rest_calls=0 if with_git else merged,
    )


def limits(api: GitHubApi) -> Limits:
    """What is left; asking costs nothing, also when nothing is left.

    Raises:
        FatalServiceError: the token is refused.
        ServiceError: GitHub failed.
    """
    answer = api.rest(_rate_limit, "GET /rate_limit")
    resources = answer.get("resources") or {}
    return Limits(_limit(resources.get("graphql")), _limit(resources.get("core")))


def _rate_limit(client: "github.Github") -> dict[str, Any]:
    """An Enterprise Server without limits answers 404."""
    status, _, output = client.requester.requestJson("GET", "/rate_limit")
    if status == 404:
        return {}
    if status == 200:
        found: dict[str, Any] = json.loads(output)
        return found
    _, other = client.requester.requestJsonAndCheck("GET", "/rate_limit")  # which raises the right error
    return dict(other)


def _limit(resource: dict[str, Any] | None) -> RateLimit | None:
    if not resource:
        return None
    return RateLimit(resource["limit"], resource["remaining"], datetime.fromtimestamp(resource["reset"], UTC))


def account(api: GitHubApi) -> str:
    """Whose token it is.

    Raises:
        FatalServiceError: the token is refused.
        ServiceError: GitHub failed.
    """
    login: str = api.query(VIEWER, {}).data["viewer"]["login"]
    return login


def visible(api: GitHubApi, repository: str) -> Visible:
    """The repository as the token sees it.

    Raises:
        SourceError: there is none that the token can see, or it is empty.
        ServiceError: GitHub failed.
    """
    owner, _, name = repository.partition("/")
    node = api.query(REPOSITORY, {"owner": owner, "name": name}).data["repository"]
    branch = node["defaultBranchRef"]
    if branch is None:
        raise SourceError(f"{node['nameWithOwner']}: the repository is empty: it has no default branch")
    return Visible(node["nameWithOwner"], node["isPrivate"], node["viewerPermission"], branch["name"])


def merged_in(api: GitHubApi, repository: str, period: Period) -> int:
    """How many pull requests were merged, into any branch, by the search index, which may lag.

    Raises:
        ServiceError: GitHub failed.
    """
    first, last = (
        f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" for moment in (period.since, period.until - timedelta(seconds=1))
    )
    query = f"repo:{repository} is:pr is:merged merged:{first}..{last}"
    count: int = api.query(COUNT, {"query": query}).data["search"]["issueCount"]
    return count
