"""A pull request while it is read: GitHub's answer, which grows page by page, and what of it could not be had."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from prhub_digest.collect.github_api import Answer, GraphQLProblem
from prhub_digest.collect.github_gaps import NO_ANSWER, NOT_GIVEN, WHOLE, mark_hidden, null_gaps, part_of, reason
from prhub_digest.collect.github_pulls import ListedPull, PullDetail
from prhub_digest.collect.github_queries import NESTED, THREAD_COMMENTS, THREADS, Connection
from prhub_digest.collect.github_records import pull_detail, unread_detail
from prhub_digest.errors import ServiceError


@dataclass
class Reading:
    """`node` is None when GitHub gave nothing; `gaps` names each part that is not whole, and why."""

    listed: ListedPull
    node: dict[str, Any] | None
    gaps: dict[str, str] = field(default_factory=dict)

    def add_gap(self, part: str, why: str) -> None:
        self.gaps.setdefault(part, why)

    def next_pages(self) -> Iterator["Page"]:
        """The second page of each list that has one."""
        if self.node:
            for connection in NESTED:
                yield from Page(self, connection, self.node).following()
            yield from self.comment_pages((self.node[THREADS.name] or {}).get("nodes"))

    def comment_pages(self, threads: list[dict[str, Any] | None] | None) -> Iterator["Page"]:
        for thread in filter(None, threads or ()):
            yield from Page(self, THREAD_COMMENTS, thread).following()

    def detail(self, repository: str) -> PullDetail:
        if self.node is None or self.node.get("mergedAt") is None:  # which the list has seen
            self.add_gap(WHOLE, NOT_GIVEN)
            return unread_detail(self.listed, self._notes())
        for part, why in null_gaps(self.node):
            self.add_gap(part, why)
        return pull_detail(repository, self.node, self._notes())

    def _notes(self) -> tuple[str, ...]:
        return tuple(f"{part}: {why}" for part, why in self.gaps.items())


@dataclass(frozen=True)
class Page:
    """One page of a list of `owner`: the one after a cursor, or the first.

    `again`: the list is read for a second time, from its top, because a cursor had expired.
    """

    reading: Reading
    connection: Connection
    owner: dict[str, Any]
    after: str | None = None
    again: bool = False

    def take(self, name: str, answer: Answer | ServiceError) -> Iterator["Page"]:
        """Adds what stands under `name` in an answer; gives the pages to ask for next."""
        if isinstance(answer, ServiceError):
            self._give_up(NO_ANSWER)
            return
        holder = answer.data.get(name) or {}
        problems = [problem for problem in answer.problems if problem.path[:1] in {(), (name,)}]
        found = holder.get(self.connection.name)
        if found is None and not self.again and any(map(_is_expiry, problems)):
            yield replace(self, after=None, again=True)
            return
        for problem in problems:
            mark_hidden(holder, problem.path[1:])
            self.reading.add_gap(self._part, reason(problem))
        if found is None:
            self._give_up(NOT_GIVEN)
            return
        yield from self._add(found)

    def following(self) -> Iterator["Page"]:
        """The page after this one, if there is any."""
        info = (self.owner[self.connection.name] or {}).get("pageInfo") or {}
        if info.get("hasNextPage"):
            if info["endCursor"] in {None, self.after}:
                self._give_up("GitHub does not say where they begin")
            else:
                yield replace(self, after=info["endCursor"])

    def _add(self, found: dict[str, Any]) -> Iterator["Page"]:
        """A list that is read again brings what is known already, too."""
        earlier = _nodes(self.owner[self.connection.name])
        known = {_key(node) for node in earlier}
        new = [node for node in _nodes(found) if node is None or _key(node) not in known]
        self.owner[self.connection.name] = {**found, "nodes": [*earlier, *new]}
        yield from self.following()
        if self.connection is THREADS:
            yield from self.reading.comment_pages(new)

    def _give_up(self, why: str) -> None:
        read = len((self.owner[self.connection.name] or {}).get("nodes") or ())
        self.reading.add_gap(self._part, f"{read} read, not the later ones; {why}")

    @property
    def _part(self) -> str:
        if self.connection is THREAD_COMMENTS:
            return f"comments of a review thread on {self.owner['path']}"
        return part_of((self.connection.name,))


def _nodes(whole: dict[str, Any]) -> list[dict[str, Any] | None]:
    """The nodes of a list; null instead of them is a place of which nothing is known."""
    return [None] if whole["nodes"] is None else list(whole["nodes"])


def _key(node: dict[str, Any] | None) -> str:
    return node["id"] if node and "id" in node else json.dumps(node, sort_keys=True)


def _is_expiry(problem: GraphQLProblem) -> bool:
    return "cursor" in f"{problem.kind} {problem.message}".casefold()
