"""What GitHub leaves out of an answer, in words for a reader (pure)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prhub_digest.collect.github_api import GraphQLProblem
from prhub_digest.collect.github_queries import NESTED

WHOLE = "conversation"
NO_ANSWER = "GitHub failed to answer, even when asked for nothing else"
NOT_GIVEN = "not given by GitHub"
_WORDS = {
    "labels": "labels",
    "commits": "commits",
    "reviews": "reviews",
    "comments": "comments",
    "reviewThreads": "review threads",
    "timelineItems": "references from other pull requests",
    "author": "author",
    "mergedBy": "who merged it",
    "title": "title",
    "url": "address",
    "createdAt": "time of opening",
    "baseRefName": "base branch",
    "headRefName": "head branch",
    "mergeCommit": "merge commit",
}
_MARKED = frozenset({"author", "mergedBy", "resolvedBy", "mergeCommit"})
_LONGEST_REASON = 200


def part_of(path: Sequence[str | int]) -> str:
    """Which part of a pull request a path is in."""
    return next((_WORDS[step] for step in path if isinstance(step, str) and step in _WORDS), WHOLE)


def reason(problem: GraphQLProblem) -> str:
    if "SAML" in problem.message:
        return "single sign-on (SAML) keeps this token from seeing all of it"
    if problem.kind == "FORBIDDEN":
        return "this token may not see all of it"
    if problem.kind == "NOT_FOUND":
        return "GitHub does not find all of it"
    return f"GitHub could not give all of it: {' '.join(problem.message.split())[:_LONGEST_REASON]}"


def null_gaps(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Lists, and places in them, that are null, whether or not GitHub named a reason; the pairs of part and reason."""
    for connection in NESTED:
        yield from _null_gap(node, connection.name, part_of((connection.name,)))
    for thread in (node.get("reviewThreads") or {}).get("nodes") or ():
        if thread:
            yield from _null_gap(thread, "comments", part_of(("reviewThreads",)))


def _null_gap(owner: Mapping[str, Any], name: str, part: str) -> Iterator[tuple[str, str]]:
    nodes = (owner.get(name) or {}).get("nodes")
    if nodes is None:
        yield part, NOT_GIVEN
    elif None in nodes:
        yield part, "not all given by GitHub"


def mark_hidden(owner: Any, path: Sequence[str | int]) -> None:
    """What is null because we may not see it becomes `{}`: null alone is a deleted account, or no merge commit."""
    *way, last = path or ("",)
    for step in way:
        owner = _step(owner, step)
    if last in _MARKED and isinstance(owner, dict) and owner.get(str(last)) is None:
        owner[str(last)] = {}


def _step(owner: Any, step: str | int) -> Any:
    if isinstance(owner, dict):
        return owner.get(str(step))
    return owner[step] if isinstance(owner, list) and isinstance(step, int) and step < len(owner) else None
