import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
import requests
from github_asking import OWNER_AND_NAME, data, post, served, talkative
from github_server import GitHubServer
from github_world import FakeRepository, World, moment

from prhub_digest.collect import github_queries


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_partial_answers(server: GitHubServer, repo: FakeRepository) -> None:
    pulls = [talkative(repo) for _ in range(3)]
    server.scenario.field_error(pulls[0].id, "mergedBy")
    server.scenario.field_error(pulls[1].id, "reviewThreads")
    server.scenario.node_lost(pulls[2].id)
    server.scenario.saml(repo.pulls[4].id, "title")
    answer = post(server, github_queries.DETAILS, ids=[pull.id for pull in pulls]).json()
    assert [node and node["number"] for node in answer["data"]["nodes"]] == [1, None, None]
    errors = {tuple(error["path"]): error["type"] for error in answer["errors"]}
    assert errors == {
        ("nodes", 0, "mergedBy"): "FORBIDDEN",
        ("nodes", 1, "reviewThreads"): "FORBIDDEN",
        ("nodes", 2): "NOT_FOUND",
    }
    saml = post(server, github_queries.DETAILS, ids=[repo.pulls[4].id]).json()
    assert (saml["data"]["nodes"], saml["errors"][0]["extensions"]) == ([None], {"saml_failure": True})


def test_too_heavy_queries(server: GitHubServer, repo: FakeRepository) -> None:
    ids = [repo.merge_pull().id for _ in range(4)]
    server.scenario.resource_limits(above_nodes=1000)
    answer = post(server, github_queries.DETAILS, ids=ids).json()
    assert answer["data"]["nodes"] == [None] * 4
    assert [error["path"] for error in answer["errors"]] == [["nodes", place] for place in range(4)]
    assert answer["errors"][0]["message"] == "Resource limits for this query exceeded."
    assert "errors" not in post(server, github_queries.DETAILS, ids=ids[:2]).json()
    server.scenario.clear()
    server.scenario.resource_limits(above_nodes=50)
    answer = post(server, github_queries.UPDATED, **OWNER_AND_NAME).json()
    assert answer["data"]["repository"]["pullRequests"]["nodes"] == [None] * 4
    assert answer["errors"][3]["path"] == ["repository", "pullRequests", "nodes", 3]
    server.scenario.clear()
    server.scenario.bad_gateway(times=None, above_nodes=1000)
    statuses = [post(server, github_queries.DETAILS, ids=ids[:size]).status_code for size in (4, 2, 4)]
    assert statuses == [502, 200, 502]


def test_limits_in_every_spelling(server: GitHubServer) -> None:
    scenario = server.scenario
    server.now = moment("2026-02-09T08:00:00Z")
    scenario.primary_limit_200(kind="RATE_LIMIT", reset_in=90)
    scenario.secondary_limit_200(retry_after=7)
    scenario.secondary_limit_200()
    scenario.primary_limit_403(already=True)
    scenario.secondary_limit_403()
    scenario.too_many_requests(retry_after=3)
    scenario.gateway_timeout()
    scenario.bad_gateway(html=True)
    got = [post(server, github_queries.REPOSITORY, **OWNER_AND_NAME) for _ in range(9)]
    assert [answer.status_code for answer in got] == [200, 200, 200, 403, 403, 429, 504, 502, 200]
    assert got[0].json()["errors"][0]["type"] == "RATE_LIMIT"
    assert int(got[0].headers["x-ratelimit-reset"]) - server.now.timestamp() == 90
    assert got[0].headers["date"] == "Mon, 09 Feb 2026 08:00:00 GMT"
    assert [answer.headers.get("retry-after") for answer in got[1:6]] == ["7", None, None, None, "3"]
    assert "already exceeded" in got[3].json()["message"]
    assert got[7].text.startswith("<html>")
    assert "data" in got[8].json()


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_ends_in_the_middle(server: GitHubServer, reset: bool) -> None:
    server.scenario.truncated(reset=reset)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        post(server, github_queries.REPOSITORY, **OWNER_AND_NAME)
    assert "data" in post(server, github_queries.REPOSITORY, **OWNER_AND_NAME).json()


def test_a_slow_answer_is_right(server: GitHubServer) -> None:
    server.scenario.slow(0.3)
    with pytest.raises(requests.ReadTimeout):
        requests.post(
            f"{server.api_url}/graphql",
            data=json.dumps({"query": "{ rateLimit { cost } }"}),
            headers={"Authorization": f"bearer {server.token}"},
            timeout=0.1,
        )
    assert data(server, "{ rateLimit { cost } }") == {"rateLimit": {"cost": 1}}


def test_a_redirect_to_another_server(server: GitHubServer) -> None:
    server.scenario.redirected("http://elsewhere.invalid")
    answer = post(server, github_queries.REPOSITORY, **OWNER_AND_NAME)
    assert (answer.status_code, answer.headers["location"]) == (301, "http://elsewhere.invalid/graphql")


def test_an_error_of_the_fake_itself_fails_the_test() -> None:
    world = World()
    world.repository("aurora-serve/aurora").merge_pull().title = None  # type: ignore[assignment]
    server = GitHubServer(world)
    with pytest.raises(AssertionError, match="the fake GitHub failed"), server, suppress(requests.ConnectionError):
        post(server, github_queries.UPDATED, **OWNER_AND_NAME)
