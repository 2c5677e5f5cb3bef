"""What a week is said to take, held against a week that is read."""

from datetime import UTC, datetime

import pytest
from github_server import GitHubServer
from github_weeks import NAME, busy_week
from pydantic import SecretStr

from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_outlook import Need, need
from prhub_digest.collect.github_source import GitHubSource
from prhub_digest.models.filters import Filters
from prhub_digest.models.period import Period


@pytest.mark.parametrize(
    ("merged", "expected"),
    [
        (0, Need(calls=4, points=4, git_fetches=0, rest_calls=0)),
        (1, Need(calls=7, points=13, git_fetches=2, rest_calls=0)),
        (23, Need(calls=9, points=21, git_fetches=2, rest_calls=0)),
        (320, Need(calls=51, points=147, git_fetches=2, rest_calls=0)),
    ],
)
def test_by_the_number_of_pull_requests(merged: int, expected: Need) -> None:
    assert need(merged) == expected
    assert need(merged, with_git=False).rest_calls == merged


def test_a_week_takes_about_what_was_said() -> None:
    made = busy_week(pulls=80, threads=250)
    with GitHubServer(made.world) as server:
        server.now = datetime(2026, 2, 9, 8, tzinfo=UTC)
        access = GitHubAccess(server.api_url, server.server_url, SecretStr(server.token), "GITHUB_TOKEN")
        filters = Filters(base=("*",), bots="include")
        source = GitHubSource(NAME, lambda: access, filters, 0, lambda _: None)
        collection = source.collection(Period.from_week("2026-W06"))
        found = len(list(source.pull_requests(collection, frozenset())))
        said, taken = need(found), server.counts
        assert found == len(made.pulls) + len(made.elsewhere)
        assert (taken.git, taken.rest) == (said.git_fetches, said.rest_calls)
        assert 0.5 <= taken.graphql / said.calls <= 1.5
        assert 0.5 <= taken.points / said.points <= 1.5
