from typing import Any

import pytest

from prhub_digest.collect.github_api import GraphQLProblem
from prhub_digest.collect.github_gaps import mark_hidden, null_gaps, part_of, reason
from prhub_digest.collect.github_queries import NESTED


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        (
            "FORBIDDEN",
            "Resource protected by organization SAML enforcement. You must grant your token access to it.",
            "single sign-on (SAML) keeps this token from seeing all of it",
        ),
        ("FORBIDDEN", "Resource not accessible by personal access token", "this token may not see all of it"),
        ("NOT_FOUND", "Could not resolve to a node with the global id of 'x'.", "GitHub does not find all of it"),
        ("", "Something\nnew", "GitHub could not give all of it: Something new"),
        ("NEW", "x" * 1000, f"GitHub could not give all of it: {'x' * 200}"),
    ],
)
def test_a_reason_in_words(kind: str, message: str, expected: str) -> None:
    assert reason(GraphQLProblem(kind, message, ())) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), "conversation"),
        (("headRefOid",), "conversation"),
        (("reviewThreads", "nodes", 3, "comments", "nodes", 0, "author"), "review threads"),
        (("mergedBy", "name"), "who merged it"),
        (("mergeCommit", "author"), "merge commit"),
        (("commits", "nodes", 0, "commit", "author", "name"), "commits"),
        (("timelineItems", "nodes", 0, "source"), "references from other pull requests"),
    ],
)
def test_the_part_that_a_path_is_in(path: tuple[str | int, ...], expected: str) -> None:
    assert part_of(path) == expected


def empty(**fields: Any) -> dict[str, Any]:
    return {**{connection.name: {"nodes": []} for connection in NESTED}, **fields}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (empty(), []),
        (empty(labels=None), [("labels", "not given by GitHub")]),
        (empty(reviews={"nodes": None}), [("reviews", "not given by GitHub")]),
        (empty(comments={"nodes": [{}, None]}), [("comments", "not all given by GitHub")]),
        (
            empty(reviewThreads={"nodes": [{"comments": {"nodes": [{}]}}, {"comments": {"nodes": [None]}}]}),
            [("review threads", "not all given by GitHub")],
        ),
    ],
)
def test_what_is_null_is_missing_even_without_a_word_of_github(
    node: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert list(null_gaps(node)) == expected


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (("author",), True),
        (("comments", "nodes", 0, "author"), True),
        (("comments", "nodes", 0, "body"), False),
        (("comments", "nodes", 1, "author"), False),
        (("comments", "nodes", "0", "author"), False),
        (("reviews", "nodes", 0, "author"), False),
        (("mergeCommit",), True),
        ((), False),
    ],
)
def test_only_what_github_refused_is_hidden(path: tuple[str | int, ...], hidden: bool) -> None:
    said: dict[str, Any] = {"author": None, "body": None}
    node: dict[str, Any] = {"author": None, "mergeCommit": None, "reviews": None, "comments": {"nodes": [said]}}
    mark_hidden(node, path)
    assert ({} in (node["author"], node["mergeCommit"], said["author"])) == hidden
    assert node["comments"]["nodes"][0]["body"] is None


def test_an_actor_who_was_given_stays() -> None:
    node = {"author": {"login": "ada-lin", "name": None}}
    mark_hidden(node, ("author", "name"))
    mark_hidden(node, ("author",))
    mark_hidden(None, ("author",))
    assert node == {"author": {"login": "ada-lin", "name": None}}
