"""Reading a list page by page: whole, or not at all."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard, TypeVar

from prhub_digest.collect.github_api import Answer, GitHubApi
from prhub_digest.errors import ServiceError

T = TypeVar("T")
Node = Mapping[str, Any]

SILENT = "GitHub left entries out and did not say why"
_EXPIRED = re.compile(r"valid cursor", re.IGNORECASE)


class ListError(Exception):
    """GitHub left something out of a list; the message is what it said about that."""


class _ExpiredCursorError(ListError):
    """The list must be read again from its top."""


def read_pages(api: GitHubApi, text: str, variables: Mapping[str, str], *path: str) -> Iterator[Node]:
    """The pages of the connection that stands at `path` of each answer.

    Raises:
        ListError: a page that is not whole.
        ServiceError: GitHub failed.
    """
    after = None
    while True:
        answer = _query(api, text, variables, after)
        page: Any = answer.data
        for field in path:
            page = (page or {}).get(field)
        if answer.problems or page is None or not whole(page["nodes"]):
            raise _expired(after, said(answer)) or ListError(said(answer))
        yield page
        if not page["pageInfo"]["hasNextPage"]:
            return
        before, after = after, page["pageInfo"]["endCursor"]
        if after in {None, before}:
            raise ListError("GitHub promised another page and did not say where it begins")


def restarted(read: Callable[[], T]) -> T:
    """What `read` returns, begun once again when GitHub no longer knows the place where it was."""
    try:
        return read()
    except _ExpiredCursorError:
        return read()


def whole(nodes: list[Node] | None) -> TypeGuard[list[Node]]:
    """Whether no entry is hidden."""
    return nodes is not None and all(nodes)


def said(answer: Answer) -> str:
    """What GitHub said about what it left out, for a reader."""
    messages = dict.fromkeys(problem.message for problem in answer.problems)
    return "GitHub said: " + "; ".join(messages) if messages else SILENT


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
