"""What the client sends, and what it makes of good and of partial answers."""

from datetime import UTC, datetime
from typing import Any

import pytest
from scripted_github import (
    GOOD,
    LIMIT,
    QUERY,
    RESET,
    RIGHTS,
    TEN_PAST,
    TOKEN,
    failing,
    logged,
    served,
)
from scripted_http import ScriptedHttp, answer, cut

from prhub_digest.collect.github_api import Answer, GraphQLProblem, well_formed
from prhub_digest.collect.github_errors import RateLimit
from prhub_digest.errors import FatalServiceError, ServiceError


def test_a_query_is_one_post_with_the_token_in_its_header() -> None:
    with served(GOOD) as run, logged() as logs:
        assert run.query() == Answer({"nodes": [], "rateLimit": LIMIT})
    (request,) = run.server.requests
    assert (request.method, request.target) == ("POST", "/graphql")
    assert request.json == {"query": QUERY, "variables": {"ids": ["a"]}}
    assert request.headers["authorization"] == f"token {TOKEN}"
    assert request.headers["user-agent"].startswith("prhub-digest/")
    assert "oauth token removed" in logs.getvalue()  # PyGithub logs each request: there is something to check
    assert TOKEN not in repr(run.api)


def test_an_enterprise_server_has_its_own_path() -> None:
    with served(GOOD) as run:
        run.api.close()
        run.api = run.client(run.server.url + "/api/v3")
        run.query()
    assert run.server.requests[0].target == "/api/graphql"


def test_calls_points_and_the_server_s_clock_are_kept() -> None:
    with served(GOOD) as run:
        assert (run.api.calls, run.api.points, run.api.server_time, run.api.remaining) == (0, 0, None, None)
        run.query()
        run.query()
        full = datetime(2026, 11, 30, 8, tzinfo=UTC)
        assert (run.api.calls, run.api.points, run.api.rest_calls, run.api.waited) == (2, 14, 0, 0.0)
        assert run.api.server_time == datetime(2026, 11, 30, 7, tzinfo=UTC)
        assert run.api.remaining == RateLimit(5000, 4993, full)


@pytest.mark.parametrize("limit", [{"rateLimit": None}, {}, {"rateLimit": {"limit": 1}}])
def test_without_limits_nothing_is_counted(limit: dict[str, Any]) -> None:
    with served(answer({"data": {"nodes": [], **limit}})) as run:
        run.query()
        assert (run.api.calls, run.api.points, run.api.remaining) == (1, 0, None)


def test_the_headers_tell_what_is_left_when_the_answer_does_not() -> None:
    headers = {"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": TEN_PAST}
    with served(answer({"data": {"nodes": []}}, headers=headers)) as run:
        run.query()
        assert run.api.remaining == RateLimit(1000, 0, datetime(2026, 11, 30, 7, 10, tzinfo=UTC))


def test_nothing_left_on_a_good_answer_is_no_error() -> None:
    body = {"data": {"nodes": [1], "rateLimit": {**LIMIT, "remaining": 0}}}
    with served(answer(body, headers={"X-RateLimit-Remaining": "0"})) as run:
        assert run.query().data["nodes"] == [1]
    assert (run.said, run.waits) == ([], [])


def test_serial_queries_are_not_paced() -> None:
    with served(GOOD) as run:
        started = datetime.now(UTC)
        for _ in range(5):
            run.query()
        assert (datetime.now(UTC) - started).total_seconds() < 4  # PyGithub's own pauses would take 4 s at least


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    text = '{"data": {"nodes": [{"body": "a \\ud83d b \\ud83d\\ude00", "n": 1}]}, "errors": [{"message": "\\udc00"}]}'
    with served(answer(text, headers={"Content-Type": "application/json"})) as run:
        given = run.query()
    assert given == Answer({"nodes": [{"body": "a \ufffd b \U0001f600", "n": 1}]}, (GraphQLProblem("", "\ufffd", ()),))
    assert well_formed(["\ud83d", None, 1.5, True]) == ["\ufffd", None, 1.5, True]


@pytest.mark.parametrize(
    ("data", "error", "problem"),
    [
        (  # a fine-grained token, one field forbidden
            {"nodes": [{"id": "a", "checks": None}]},
            {
                "type": "FORBIDDEN",
                "message": "Resource not accessible by personal access token",
                "path": ["nodes", 0, "checks"],
            },
            GraphQLProblem("FORBIDDEN", "Resource not accessible by personal access token", ("nodes", 0, "checks")),
        ),
        (  # a field that is never null is forbidden: its owner is null
            {"nodes": [None, {"id": "b"}]},
            {"type": "FORBIDDEN", "message": "Not accessible", "path": ["nodes", 0, "owner"]},
            GraphQLProblem("FORBIDDEN", "Not accessible", ("nodes", 0, "owner")),
        ),
        (  # a pull request that went away
            {"nodes": [None]},
            {"type": "NOT_FOUND", "message": "Could not resolve to a node", "path": ["nodes", 0]},
            GraphQLProblem("NOT_FOUND", "Could not resolve to a node", ("nodes", 0)),
        ),
        (
            {"m0": None, "m1": {"id": "b"}},
            {"type": "NOT_FOUND", "message": "Could not resolve to a node", "path": ["m0"]},
            GraphQLProblem("NOT_FOUND", "Could not resolve to a node", ("m0",)),
        ),
        (  # a reference into an organization with single sign-on
            {"nodes": [{"timelineItems": {"nodes": [None]}}]},
            {
                "type": "FORBIDDEN",
                "message": "Resource protected by organization SAML enforcement.",
                "path": ["nodes", 0, "timelineItems", "nodes", 0],
                "extensions": {"saml_failure": True},
            },
            GraphQLProblem(
                "FORBIDDEN",
                "Resource protected by organization SAML enforcement.",
                ("nodes", 0, "timelineItems", "nodes", 0),
            ),
        ),
    ],
)
def test_a_problem_beside_data_is_kept(data: dict[str, Any], error: dict[str, Any], problem: GraphQLProblem) -> None:
    with served(answer({"data": data, "errors": [error]})) as run:
        assert run.query() == Answer(data, (problem,))
        assert run.api.calls == 1


def test_several_problems_beside_data_are_all_kept() -> None:
    errors = [{"type": "FORBIDDEN", "message": "a", "path": ["nodes", 0]}, {"message": "b"}]
    with served(answer({"data": {"nodes": [None], "rateLimit": LIMIT}, "errors": errors})) as run:
        given = run.query()
        assert run.api.points == 7
    assert given.problems == (GraphQLProblem("FORBIDDEN", "a", ("nodes", 0)), GraphQLProblem("", "b", ()))


def test_an_empty_list_of_errors_is_none() -> None:
    with served(answer({"data": {"nodes": []}, "errors": []})) as run:
        assert run.query() == Answer({"nodes": []})


FILES = [{"filename": "a.py"}, {"filename": "b.py"}]


def test_rest_calls_are_counted_one_by_one() -> None:
    with served(answer(FILES), GOOD) as run:
        more = {"Link": f'<{run.server.url}/repos/acme/tool/pulls/5/files?page=2>; rel="next"'}
        run.server._replies[:] = [answer(FILES, headers=more), answer([{"filename": "c.py"}]), GOOD]
        assert run.rest() == ["a.py", "b.py", "c.py"]
        run.query()
        assert (run.api.calls, run.api.rest_calls) == (1, 2)
    assert [request.target for request in run.server.requests] == [
        "/repos/acme/tool/pulls/5/files?per_page=100",
        "/repos/acme/tool/pulls/5/files?page=2",
        "/graphql",
    ]
    assert run.server.requests[0].headers["x-github-api-version"] == "2022-11-28"


def test_rest_calls_wait_and_try_again_like_queries() -> None:
    limited = answer({"message": "API rate limit exceeded"}, 403, RESET)
    with served(limited, answer("", 502), "gone", cut(answer(FILES)), answer(FILES)) as run:
        assert run.rest() == ["a.py", "b.py"]
        assert (run.api.rest_calls, run.api.waited) == (5, 602)
    why = "the limit of this hour is used up: API rate limit exceeded"
    assert run.said == [f"waiting 10 min 2 s, until 07:10:02 UTC: {run.host}: {why}"]


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (404, "Not Found", ServiceError),
        (422, "The diff is too large", ServiceError),
        (403, "Resource not accessible by integration", FatalServiceError),
    ],
)
def test_rest_failures(status: int, words: str, kind: type[Exception]) -> None:
    with served(answer({"message": words}, status)) as run:
        message = failing(run.rest, kind)
    if status == 403:
        assert message == (
            f"{run.host}: REST request: not allowed with the token from GH_TOKEN (HTTP {status}: {words}): {RIGHTS}"
        )
    else:
        assert message == f"{run.host}: REST request: HTTP {status}: {words}"


def test_a_next_page_on_another_host_is_not_asked_for() -> None:
    with ScriptedHttp(answer(FILES)) as other:
        more = {"Link": f'<{other.url.replace("127.0.0.1", "localhost")}/x?page=2>; rel="next"'}
        with served(answer(FILES, headers=more)) as run:
            message = failing(run.rest, FatalServiceError)
        assert other.requests == []
    assert message == (
        f"{run.host}: REST request: it leads to another address (localhost): nothing is sent to a host that you did"
        " not name; set github_api_url to the right one"
    )
