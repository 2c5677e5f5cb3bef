"""Failures that pass, that are for the caller to divide, and that stay."""

from typing import Any

import pytest
from scripted_github import (
    GOOD,
    LIMIT,
    NAMES,
    REPOSITORY,
    RIGHTS,
    SECONDARY,
    TOKEN,
    failing,
    served,
)
from scripted_http import Reply, Stalled, answer, cut

from prhub_digest.collect import github_api
from prhub_digest.collect.github_api import TooHeavyError
from prhub_digest.errors import FatalServiceError, ServiceError, SourceError


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (answer({"message": "Server Error"}, 500), "HTTP 500: Server Error"),
        (answer({"message": "Bad Gateway"}, 502), "HTTP 502: Bad Gateway"),
        (answer("<html>Bad Gateway</html>", 502), "HTTP 502"),
        (answer("<html>Unicorn</html>", 503), "HTTP 503"),
        (answer("", 504), "HTTP 504"),
        (
            answer({"data": None, "errors": [{"message": "This may be the result of a timeout."}]}, 502),
            "HTTP 502: This may be the result of a timeout.",
        ),
        (cut(GOOD), None),
        (answer("<html>not JSON</html>"), "the answer is cut, or is no JSON; is github_api_url right?"),
        (answer('{"data": {"nodes"'), "the answer is cut, or is no JSON; is github_api_url right?"),
        (answer("[1]"), "the answer is cut, or is no JSON; is github_api_url right?"),
        (answer("3"), "the answer is cut, or is no JSON; is github_api_url right?"),
        (answer(""), "the answer is cut, or is no JSON; is github_api_url right?"),
        ("gone", "Remote end closed connection without response"),
        ("reset", "Connection reset by peer"),
    ],
)
def test_what_may_pass_is_tried_again(bad: Reply, words: str | None) -> None:
    with served(bad, GOOD) as run:
        assert run.query().data["nodes"] == []
        assert (run.api.calls, run.api.waited) == (2, 0)
    with served(bad) as run:
        message = failing(run.query, ServiceError)
        assert len(run.server.requests) == 6
    if words is None:
        assert "IncompleteRead" in message
    else:
        assert message == f"{run.asked}: {words} (gave up after 6 attempts); the same command continues later"
    assert [round(wait - 0.5 * 2**n, 1) >= 0 for n, wait in enumerate(run.waits)] == [True] * 5
    error = message.partition(" (gave up")[0]
    assert run.said[0] == f"trying again in 4 s: {error}"  # the fourth pause is the first one past 5 s in all
    assert run.said[1:] in ([f"trying again in 8 s: {error}"], [f"trying again in 9 s: {error}"])


def test_a_server_that_is_not_there() -> None:
    with served(GOOD) as run:
        pass
    run.api = run.client(run.server.url)
    message = failing(run.query, ServiceError)
    run.api.close()
    assert message == (f"{run.asked}: Connection refused (gave up after 6 attempts); the same command continues later")


def test_silence_is_tried_again() -> None:
    with served("silent", GOOD, timeout=1) as run:
        assert run.query().data["nodes"] == []
        assert run.api.calls == 2
    assert run.said == [f"{run.asked}: no answer within 1 s; trying again"]


RESOURCES = "Resource limits for this query exceeded."
HALF = {"nodes": [None, {"id": "b"}]}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (answer({"message": "Bad Gateway"}, 502), "HTTP 502: Bad Gateway"),
        (answer("<html>slow</html>", 504), "HTTP 504"),
        (answer({"data": HALF, "errors": [{"message": RESOURCES}]}), RESOURCES),
        (answer({"data": HALF, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "No."}]}), "No."),
        (
            answer({"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": "Up to 510,000 possible nodes."}]}),
            "Up to 510,000 possible nodes.",
        ),
        (
            answer({"errors": [{"message": "Something went wrong while executing your query. Please include `A:1`."}]}),
            "Something went wrong while executing your query. Please include `A:1`.",
        ),
        ("silent", "no answer within 1 s"),
        (Stalled(cut(GOOD)), "no answer within 1 s"),
    ],
)
def test_what_is_too_heavy_is_for_the_caller_to_divide(bad: Reply, words: str) -> None:
    with served(bad, GOOD, timeout=1) as run:
        message = failing(lambda: run.query(divisible=True), TooHeavyError)
        assert (run.api.calls, run.waits) == (1, [])
    assert message == f"{run.asked}: {words}"
    assert run.said == ([f"{message}; trying again with less at once"] if words.startswith("no answer") else [])


def test_what_was_too_heavy_for_a_long_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_api, "SHOWN_FROM", 0)
    with served(answer({"message": "Bad Gateway"}, 502)) as run:
        failing(lambda: run.query(divisible=True), TooHeavyError)
    assert run.said == [f"{run.asked}: HTTP 502: Bad Gateway; trying again with less at once"]


def test_other_failures_of_a_divisible_query_are_tried_again() -> None:
    with served(answer("", 503), answer("", 500), "gone", answer({"message": SECONDARY}, 403), GOOD) as run:
        assert run.query(divisible=True).data["nodes"] == []


def test_a_too_heavy_query_that_cannot_be_divided_is_given_up() -> None:
    with served(answer({"data": HALF, "errors": [{"message": RESOURCES}]})) as run:
        message = failing(run.query, ServiceError)
    assert message == f"{run.asked}: {RESOURCES} (gave up after 6 attempts); the same command continues later"


SAML = " authorize it (on GitHub: Settings, Developer settings, your token, Configure SSO; or: gh auth refresh)"


@pytest.mark.parametrize("others", [[], [{"type": "NOT_FOUND", "message": "again", "path": ["repository"]}]])
def test_a_repository_that_is_not_there(others: list[dict[str, Any]]) -> None:
    error = {"type": "NOT_FOUND", "message": "Could not resolve to a Repository.", "path": ["repository"]}
    with served(answer({"data": {"repository": None, "rateLimit": LIMIT}, "errors": [error, *others]})) as run:
        message = failing(lambda: run.api.query(REPOSITORY, NAMES), SourceError)
    assert message == (
        f"{run.server.url}/acme/tool: there is no such repository, or the token from GH_TOKEN cannot see it"
    )


@pytest.mark.parametrize("body", [{"message": "Bad credentials"}, {"message": "Requires authentication"}])
def test_a_token_that_is_refused(body: dict[str, Any]) -> None:
    with served(answer(body, 401)) as run:
        message = failing(run.query, FatalServiceError)
        assert run.api.calls == 1
    assert message == (
        f"{run.host} refuses the token from GH_TOKEN (HTTP 401: {body['message']}): it is wrong, expired or revoked;"
        " log in with: gh auth login, or put a fine-grained token with read access to Contents and Pull requests into"
        " the environment variable GITHUB_TOKEN"
    )


def test_an_organization_with_single_sign_on_refuses_all() -> None:
    words = "Resource protected by organization SAML enforcement."
    header = {"X-GitHub-SSO": "required; url=https://github.test/orgs/acme/sso?authorization_request=A1"}
    with served(answer({"message": words}, 403, header)) as run:
        message = failing(run.query, FatalServiceError)
    start = f"{run.host}: the organization wants single sign-on for the token from GH_TOKEN "
    assert message == f"{start}(HTTP 403: {words}):{SAML}"


def test_an_organization_with_single_sign_on_refuses_the_repository() -> None:
    error = {
        "type": "FORBIDDEN",
        "message": "Resource protected by organization SAML enforcement.",
        "path": ["repository"],
        "extensions": {"saml_failure": True},
    }
    with served(answer({"data": {"repository": None}, "errors": [error]})) as run:
        message = failing(lambda: run.api.query(REPOSITORY, NAMES), FatalServiceError)
    start = f"{run.host}: the organization wants single sign-on for the token from GH_TOKEN "
    assert message == f"{start}({error['message']}):{SAML}"


def test_a_token_without_the_rights() -> None:
    words = "Resource not accessible by personal access token"
    with served(answer({"message": words}, 403, {"X-RateLimit-Remaining": "4000"})) as run:
        message = failing(run.query, FatalServiceError)
    assert message == f"{run.asked}: not allowed with the token from GH_TOKEN (HTTP 403: {words}): {RIGHTS}"
    error = {"type": "FORBIDDEN", "message": words, "path": ["repository"]}
    with served(answer({"data": {"repository": None}, "errors": [error]})) as run:
        message = failing(lambda: run.api.query(REPOSITORY, NAMES), FatalServiceError)
    assert message == f"{run.host}: query Repository: not allowed with the token from GH_TOKEN ({words}): {RIGHTS}"


def test_an_older_server_that_lacks_a_field() -> None:
    error = {
        "message": "Field 'isMinimized' doesn't exist on type 'IssueComment'.",
        "path": ["query Details", "nodes"],
        "extensions": {"code": "undefinedField"},
    }
    with served(answer({"errors": [error]})) as run:
        message = failing(run.query, FatalServiceError)
        assert run.api.calls == 1
    assert message == (
        f"{run.asked}: Field 'isMinimized' doesn't exist on type 'IssueComment': this GitHub Enterprise Server is"
        " too old for what is asked; update it, or read the repository with: --source git"
    )


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"data": None, "errors": [{"message": "No  such\nthing."}]}, 200, "No such thing."),
        ({"errors": [{"message": "a"}, {"message": "b"}, {"message": "a"}]}, 200, "a; b"),
        ({"data": None}, 200, "no data and no reason"),
        ({"data": {"nodes": None}, "errors": [{"message": "Broken."}]}, 200, "Broken."),
        ({"message": "Problems parsing JSON"}, 400, "HTTP 400: Problems parsing JSON"),
        ({"message": "x" * 500}, 422, "HTTP 422: " + "x" * 300),
    ],
)
def test_an_answer_without_data(body: dict[str, Any], status: int, words: str) -> None:
    with served(answer(body, status)) as run:
        message = failing(run.query, ServiceError)
        assert run.api.calls == 1
    assert message == f"{run.asked}: {words}"


def test_words_of_an_answer_cannot_change_the_terminal() -> None:
    errors = [{"message": f"{word}\x1b[31m \ud83d"} for word in "abcd"]
    with served(answer({"data": None, "errors": errors})) as run:
        message = failing(run.query, ServiceError)
    shown = "; ".join(f"{word}\ufffd[31m \ufffd" for word in "abc")
    assert message == f"{run.asked}: {shown}"


def test_an_address_without_graphql() -> None:
    with served(answer({"message": "Not Found"}, 404)) as run:
        message = failing(run.query, FatalServiceError)
    assert (
        message
        == f"{run.asked} (HTTP 404: Not Found): there is no GraphQL API; check github_api_url ({run.server.url})"
    )


def test_an_answer_that_echoes_the_token_does_not_show_it() -> None:
    with served(answer({"message": f"No access with {TOKEN}"}, 422), echoes=True) as run:
        assert failing(run.query, ServiceError) == f"{run.asked}: HTTP 422: No access with ***"
    with served(answer({"message": f"{TOKEN}: {SECONDARY}"}, 403), GOOD, echoes=True) as run:
        run.query()
    assert run.said == [
        f"waiting 60 s, until 07:01:00 UTC: {run.host}: asked too much in a short time: ***: {SECONDARY}"
    ]
