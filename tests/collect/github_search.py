"""The search of the fake GitHub: merged pull requests of a repository in a range of times."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from github_actors import moment
from github_paging import connection
from github_pull import FakePull
from github_scenarios import Scenario
from github_world import World

_CAP = 1000
_RANGE = re.compile(r"merged:(?:(\S+)\.\.(\S+)|<(\S+))")


def found_by(world: World, scenario: Scenario, *, query: str, type: str, **page: Any) -> dict[str, Any]:  # noqa: A002 - the argument's name
    """What `repo:o/n is:pr is:merged merged:A..B` finds, or `merged:<B`, also with `base:` and `author:`.

    1,000 results can be reached. The index knows a repository by its name of today only.
    """
    words, merged = query.split(), _RANGE.search(query)
    assert type == "ISSUE"
    assert {"is:pr", "is:merged"} <= set(words), query
    assert merged, query
    given = {name: value for name, _, value in (word.partition(":") for word in words)}
    repositories = [repo for repo in world.repositories if repo.name.lower() == given["repo"].lower()]
    since, until = _bound(merged[1] or "*", last=False), _bound(merged[2] or merged[3], last=True)
    until -= timedelta(seconds=1) if merged[3] else timedelta(0)
    found = [
        pull
        for repository in repositories
        for pull in repository.pulls.values()
        if _merged_within(pull, since, until) and given.get("base", pull.base) == pull.base
        if _written_by(pull, given.get("author"))
        if pull.number not in scenario.hidden_from_search and not scenario.search_is_empty
    ]
    found.sort(key=lambda pull: (pull.created_at, pull.number), reverse=True)
    return connection(found, reachable=_CAP, **page)


def _merged_within(pull: FakePull, since: datetime, until: datetime) -> bool:
    return pull.state == "MERGED" and pull.merged_at is not None and since <= pull.merged_at <= until


def _written_by(pull: FakePull, login: str | None) -> bool:
    return login is None or (pull.author is not None and pull.author.login.lower() == login.lower())


def _bound(text: str, *, last: bool) -> datetime:
    """One end of a range; both ends belong to it, and a bare day is a day in UTC."""
    if text == "*":
        return datetime(9999 if last else 1, 1, 1, tzinfo=UTC)
    if len(text) == 10:
        return moment(f"{text}T23:59:59Z" if last else f"{text}T00:00:00Z")
    return moment(text)
