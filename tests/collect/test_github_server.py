import ssl
from collections.abc import Iterator
from pathlib import Path

import github
import pytest
import requests
import trustme
from check_schema import differences
from github_asking import OWNER_AND_NAME, data, post, served
from github_graphql import github_schema
from github_points import load
from github_query_list import queries
from github_server import GitHubServer
from github_world import FakeRepository, World
from graphql import build_schema, parse, validate

from prhub_digest.collect import github_queries

# The two examples of GitHub's page on limits, and the types that they ask for.
_EXAMPLES = build_schema("""
    type Query { viewer: User }
    type User { login: String repositories(first: Int): RepositoryConnection followers(first: Int): UserConnection }
    type UserConnection { edges: [UserEdge] }
    type UserEdge { node: User }
    type RepositoryConnection { edges: [RepositoryEdge] }
    type RepositoryEdge { node: Repository }
    type Repository { name: String issues(first: Int): IssueConnection pullRequests(first: Int): IssueConnection }
    type IssueConnection { totalCount: Int edges: [IssueEdge] }
    type IssueEdge { node: Issue }
    type Issue { title: String labels(first: Int): LabelConnection comments(first: Int): LabelConnection }
    type LabelConnection { edges: [LabelEdge] }
    type LabelEdge { node: Label }
    type Label { name: String }
""")
_POINTS_EXAMPLE = """{ viewer { login repositories(first: 100) { edges { node {
    issues(first: 50) { edges { node { labels(first: 60) { edges { node { name } } } } } } } } } } }"""
_NODES_EXAMPLE = """{ viewer {
    repositories(first: 50) { edges { repository: node { name
        pullRequests(first: 20) { edges { node { title comments(first: 10) { edges { node { name } } } } } }
        issues(first: 20) { totalCount edges { node { title comments(first: 10) { edges { node { name } } } } } }
    } } }
    followers(first: 10) { edges { follower: node { login } } } } }"""


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with served() as server:
        yield server


@pytest.fixture
def repo(server: GitHubServer) -> FakeRepository:
    return server.world.repositories[0]


def test_the_points_of_githubs_example() -> None:
    counted = load(_EXAMPLES, parse(_POINTS_EXAMPLE), {})
    assert (counted.requests, counted.points) == (5101, 51)


def test_the_nodes_of_githubs_example() -> None:
    assert load(_EXAMPLES, parse(_NODES_EXAMPLE), {}).nodes == 22_060


def test_variables_and_fragments_are_counted() -> None:
    query = """query($n: Int, $ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { ...A } } }
        fragment A on PullRequest { reviewThreads(first: $n) { nodes { comments(first: 5) { nodes { id } } } } }"""
    counted = load(github_schema(), parse(query), {"n": 7, "ids": ["a", "b", "c"]})
    assert (counted.requests, counted.nodes, counted.points) == (3 + 21, 3 + 21 + 105, 1)


def test_every_query_validates_on_the_small_schema() -> None:
    for name, query, _ in queries():
        assert validate(github_schema(), parse(query)) == [], name


def test_a_schema_that_says_more_than_the_official_one() -> None:
    official = build_schema("""
        type Query { node(id: ID!, deep: Int!): Node size: Int! unit: Unit things: Thing }
        interface Node { id: ID! } enum Unit { KB } union Thing = A type A { id: ID! } type B { id: ID! }
    """)
    ours = build_schema("""
        type Query { node(id: ID, old: Int): Node size: Int unit: Unit things: Thing }
        interface Node { id: ID! } enum Unit { KB MB } union Thing = A | B type A implements Node { id: ID! x: Int }
        type B { id: ID! } type C { id: ID! }
    """)
    assert sorted(differences(ours, official)) == [
        "A.x: no such field",
        "A: is no Node",
        "C: no such type",
        "Query.node(deep): is required",
        "Query.node(id): is ID!",
        "Query.node(old): no such argument",
        "Query.size: is Int!, not Int",
        "Thing: B is no member",
        "Unit.MB: no such value",
    ]
    assert list(differences(official, official)) == []


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("", "MISSING_PAGINATION_BOUNDARIES"),
        ("(first: 101)", "EXCESSIVE_PAGINATION"),
        ("(last: 500)", "EXCESSIVE_PAGINATION"),
        ("(first: 0)", "ARGUMENT_LIMIT"),
    ],
)
def test_a_connection_needs_a_page_size_within_bounds(server: GitHubServer, page: str, kind: str) -> None:
    query = f'{{ repository(owner: "aurora-serve", name: "aurora") {{ pullRequests{page} {{ nodes {{ id }} }} }} }}'
    error = post(server, query).json()["errors"][0]
    assert (error["type"], error["path"]) == (kind, ["repository", "pullRequests"])


def test_only_a_total_needs_no_page_size(server: GitHubServer) -> None:
    query = '{ repository(owner: "aurora-serve", name: "aurora") { pullRequests { totalCount } } }'
    assert data(server, query) == {"repository": {"pullRequests": {"totalCount": 0}}}


def test_the_node_limit(server: GitHubServer) -> None:
    threads = "reviewThreads(first: 100) { nodes { comments(first: 100) { nodes { id } } } }"
    pulls = f"pullRequests(first: 51) {{ nodes {{ {threads} }} }}"
    error = post(server, f'{{ repository(owner: "aurora-serve", name: "aurora") {{ {pulls} }} }}').json()["errors"][0]
    assert error["type"] == "MAX_NODE_LIMIT_EXCEEDED"
    assert "up to 515,151 possible nodes which exceeds the maximum limit of 500,000" in error["message"]


def test_points_are_told_counted_and_run_out(server: GitHubServer, repo: FakeRepository) -> None:
    ids = [repo.merge_pull().id for _ in range(20)]
    first = post(server, github_queries.DETAILS, ids=ids)
    rate = first.json()["data"]["rateLimit"]
    assert (rate["cost"], rate["remaining"], server.counts.points) == (7, 4993, 7)
    assert first.headers["x-ratelimit-remaining"] == "4993"
    assert first.headers["x-ratelimit-resource"] == "graphql"
    server.graphql_limit.remaining = 6
    second = post(server, github_queries.DETAILS, ids=ids)
    assert second.status_code == 200
    assert second.json()["errors"][0]["type"] == "RATE_LIMITED"
    assert second.headers["x-ratelimit-remaining"] == "0"
    server.now = server.graphql_limit.reset_at
    assert post(server, github_queries.DETAILS, ids=ids).headers["x-ratelimit-remaining"] == "4993"


def test_a_wrong_token_and_the_place_of_a_right_one(server: GitHubServer) -> None:
    refused = post(server, github_queries.REPOSITORY, token="ghp_wrong", **OWNER_AND_NAME)
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")
    assert requests.get(f"{server.api_url}/user", timeout=10).status_code == 401
    data(server, github_queries.REPOSITORY, **OWNER_AND_NAME)
    assert [request.status for request in server.requests] == [401, 401, 200]
    assert server.requests[2].headers["authorization"] == f"bearer {server.token}"
    assert (server.requests[2].operation, server.requests[2].variables) == ("Repository", OWNER_AND_NAME)


def test_an_unknown_field_as_github_words_it(server: GitHubServer) -> None:
    answer = post(server, "{ rateLimit { cost nope } }").json()
    assert answer["errors"][0]["extensions"] == {"code": "undefinedField", "typeName": "RateLimit", "fieldName": "nope"}
    assert "data" not in answer
    server.scenario.field_missing("PullRequestReviewThread", "isOutdated")
    answer = post(server, github_queries.DETAILS, ids=[]).json()
    assert answer["errors"][0]["message"] == "Field 'isOutdated' doesn't exist on type 'PullRequestReviewThread'"


def test_enterprise_has_its_own_paths() -> None:
    world = World()
    world.repository("aurora-serve/aurora")
    with GitHubServer(world, enterprise=True) as server:
        assert server.api_url == f"{server.server_url}/api/v3"
        auth = github.Auth.Token(server.token)
        client = github.Github(base_url=server.api_url, auth=auth, seconds_between_requests=0, seconds_between_writes=0)
        _, answer = client.requester.graphql_query(github_queries.REPOSITORY, OWNER_AND_NAME)
        assert answer["data"]["repository"]["url"] == f"{server.server_url}/aurora-serve/aurora"
        assert client.get_repo("aurora-serve/aurora").default_branch == "main"
        client.close()
        assert [request.path for request in server.requests] == ["/api/graphql", "/api/v3/repos/aurora-serve/aurora"]


def test_https_with_a_certificate_of_ones_own(tmp_path: Path) -> None:
    world = World()
    world.repository("aurora-serve/aurora")
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    with GitHubServer(world, tls=context) as server:
        headers = {"Authorization": f"bearer {server.token}"}
        url = f"{server.api_url}/repos/aurora-serve/aurora"
        assert url.startswith("https://127.0.0.1:")
        assert requests.get(url, headers=headers, verify=str(tmp_path / "ca.pem"), timeout=10).status_code == 200
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(url, headers=headers, timeout=10)
