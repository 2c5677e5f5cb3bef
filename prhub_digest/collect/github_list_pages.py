"""Reading a list page by page, to its end. One field that GitHub does not give hides one entry at most."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, TypeVar

from prhub_digest.collect.github_api import Answer, GitHubApi, GraphQLProblem
from prhub_digest.collect.github_gaps import mark_hidden
from prhub_digest.errors import ServiceError

T = TypeVar("T")
Node = Mapping[str, Any]

SILENT = "GitHub left entries out and did not say why"
_EXPIRED = re.compile(r"valid cursor", re.IGNORECASE)


class ListError(Exception):
    """GitHub left something out of a list; the message is what it said about that."""


class _ExpiredCursorError(ListError):
    """The list must be read again from its top."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list; `node` is None when it cannot be used.

    `problems` is what GitHub said about it, by paths that begin at the entry.
    """

    node: Node | None
    problems: tuple[GraphQLProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ListPage:
    """The entries of a page in GitHub's order, and the connection that they are of."""

    entries: tuple[Entry, ...]
    connection: Node


def read_pages(
    api: GitHubApi, text: str, variables: Mapping[str, str], *path: str, needs: Collection[str]
) -> Iterator[ListPage]:
    """The pages of the connection that stands at `path` of each answer; an entry without a field of `needs` is None.

    Raises:
        ListError: a page is not there, or GitHub named a problem that is not one of an entry.
        ServiceError: GitHub failed.
    """
    after = None
    while True:
        answer = _query(api, text, variables, after)
        page: Any = answer.data
        for field in path:
            page = (page or {}).get(field)
        place = (*path, "nodes")
        outside = [problem for problem in answer.problems if not _is_of_entry(problem, place)]
        if outside or page is None or page["nodes"] is None:
            words = said(answer.problems)
            raise _expired(after, words) or ListError(words)
        nodes = enumerate(page["nodes"])
        yield ListPage(tuple(entry(node, below(answer.problems, (*place, at)), needs) for at, node in nodes), page)
        if not page["pageInfo"]["hasNextPage"]:
            return
        before, after = after, page["pageInfo"]["endCursor"]
        if after in {None, before}:
            raise ListError("GitHub promised another page and did not say where it begins")


def entry(node: dict[str, Any] | None, problems: tuple[GraphQLProblem, ...], needs: Collection[str]) -> Entry:
    """What GitHub gave for one entry; what it hides of it can be told from what is not there."""
    if not node or any(node.get(field) is None for field in needs):
        return Entry(None, problems)
    for problem in problems:
        mark_hidden(node, problem.path)
    return Entry(node, problems)


def restarted(read: Callable[[], T]) -> T:
    """What `read` returns, begun once again when GitHub no longer knows the place where it was."""
    try:
        return read()
    except _ExpiredCursorError:
        return read()


def whole(nodes: list[Node] | None) -> TypeGuard[list[Node]]:
    """Whether no entry is hidden."""
    return nodes is not None and all(nodes)


def below(problems: Iterable[GraphQLProblem], place: Sequence[str | int]) -> tuple[GraphQLProblem, ...]:
    """Those at a place of the answer, by paths that begin there."""
    there = tuple(place)
    return tuple(replace(one, path=one.path[len(there) :]) for one in problems if one.path[: len(there)] == there)


def said(problems: Iterable[GraphQLProblem]) -> str:
    """What GitHub said about what it left out, and of which fields, for a reader."""
    fields: dict[str, dict[str, None]] = {}
    for problem in problems:
        steps = [step for step in problem.path if isinstance(step, str) and step != "nodes"]
        fields.setdefault(problem.message.rstrip("."), {}).update({".".join(steps): None} if steps else {})
    words = (f"{message} ({', '.join(names)})" if names else message for message, names in fields.items())
    return "GitHub said: " + "; ".join(words) if fields else SILENT


def _is_of_entry(problem: GraphQLProblem, place: Sequence[str]) -> bool:
    way = problem.path[: len(place) + 1]
    return way[:-1] == tuple(place) and isinstance(way[-1], int)


def _query(api: GitHubApi, text: str, variables: Mapping[str, str], after: str | None) -> Answer:
    try:
        return api.query(text, {**variables, "after": after})
    except ServiceError as error:
        expired = _expired(after, str(error))
        if expired is None:
            raise
        raise expired from error


def _expired(after: str | None, words: str) -> _ExpiredCursorError | None:
    """GitHub says it beside data, or instead of them, by what the cursor belongs to."""
    return _ExpiredCursorError(words) if after and _EXPIRED.search(words) else None
