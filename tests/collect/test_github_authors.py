"""Who is new, by the search of GitHub."""

from collections.abc import Iterator

import pytest
from github_server import GitHubServer
from github_world import FakeRepository, World
from pydantic import SecretStr

from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_authors import first_contributions
from prhub_digest.collect.github_source import GitHubSource
from prhub_digest.errors import FatalServiceError
from prhub_digest.models.filters import Filters
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Person

_NAME = "aurora-serve/aurora"
_WEEK = Period.from_week("2026-W06", "Asia/Shanghai")
_IN, _EDGE, _BEFORE = "2026-02-04T10:00:00Z", "2026-02-01T16:00:00Z", "2026-02-01T15:59:59Z"


@pytest.fixture
def repository() -> FakeRepository:
    return World().repository(_NAME)


@pytest.fixture
def server(repository: FakeRepository) -> Iterator[GitHubServer]:
    with GitHubServer(repository.world) as server:
        yield server


def access(server: GitHubServer) -> GitHubAccess:
    return GitHubAccess(server.api_url, server.server_url, SecretStr(server.token), "GITHUB_TOKEN")


def asked(server: GitHubServer, *logins: str) -> dict[str, bool]:
    api = GitHubApi(access(server), max_wait=0, say=lambda _: None, sleep=lambda _: None)
    try:
        people = [Person(login=login, kind="human") for login in logins]
        return dict(first_contributions(api, _NAME, _WEEK, people))
    finally:
        api.close()


def test_whose_first_week_it_is(repository: FakeRepository, server: GitHubServer) -> None:
    for author, merged_at in {"ada-lin": _BEFORE, "bo-wu": _EDGE, "cy-roe": _IN}.items():
        repository.merge_pull(author=author, merged_at=merged_at)
    repository.merge_pull(author="ada-lin", merged_at=_IN)
    repository.merge_pull(author="di-fu", merged_at="2026-02-20T10:00:00Z")
    repository.open_pull(author="cy-roe", state="CLOSED", created_at=_BEFORE)
    # whom the search does not find in the week at all, it cannot find: nothing is said of di-fu
    assert asked(server, "bo-wu", "ada-lin", "cy-roe", "di-fu") == {"ada-lin": False, "bo-wu": True, "cy-roe": True}
    assert server.operations() == {"Authored": 1}


def test_many_are_asked_about_in_batches(repository: FakeRepository, server: GitHubServer) -> None:
    logins = [f"author-{number}" for number in range(60)]
    for login in logins:
        repository.merge_pull(author=login, merged_at=_IN)
    assert asked(server, *logins, *logins) == dict.fromkeys(logins, True)
    assert (server.operations(), server.counts.points) == ({"Authored": 3}, 3)


def test_nobody_is_asked_about_bots_and_names_that_are_no_logins(server: GitHubServer) -> None:
    assert asked(server, "renovate", "some one", "x author:ada-lin") == {}
    assert server.counts.graphql == 0


def test_a_search_that_fails_leaves_it_unknown(repository: FakeRepository, server: GitHubServer) -> None:
    repository.merge_pull(author="ada-lin", merged_at=_IN)
    server.scenario.bad_gateway(times=None, on="Authored")
    assert asked(server, "ada-lin") == {}
    server.scenario.clear()
    server.token = "another"
    api = GitHubApi(
        GitHubAccess(server.api_url, server.server_url, SecretStr("old"), "GITHUB_TOKEN"), max_wait=0, say=print
    )
    with pytest.raises(FatalServiceError):
        first_contributions(api, _NAME, _WEEK, [Person(login="ada-lin", kind="human")])
    api.close()


def test_the_records_say_so(repository: FakeRepository, server: GitHubServer) -> None:
    repository.merge_pull(1, author="ada-lin", merged_at=_BEFORE, files={"a.py": "1\n"})
    repository.merge_pull(2, author="ada-lin", merged_at=_IN, files={"a.py": "2\n"})
    repository.merge_pull(3, author="bo-wu", merged_at=_IN, files={"a.py": "3\n"})
    repository.merge_pull(4, author=None, merged_at=_IN, files={"a.py": "4\n"})
    source = GitHubSource(_NAME, lambda: access(server), Filters(), 0, lambda _: None)
    pulls = source.pull_requests(source.collection(_WEEK), frozenset())
    assert {pull.number: pull.first_contribution for pull in pulls} == {2: False, 3: True, 4: None}
