"""Why requests have to be asked anew: the stored reply nearest to each, and in which parts of the key they differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, Protocol

from prhub_digest.llm.difference import differences
from prhub_digest.llm.replay import recorded_failure, subject_path
from prhub_digest.llm.store import Fault, entry_path, read_entry, read_stored
from prhub_digest.llm.upkeep import usable_replies
from prhub_digest.models.llm import LogicalRequest, StoredReply

_Distance = tuple[int, int]


class Shelf(Protocol):
    """Where replies lie that are only looked at: nothing is marked as used, warned of or written."""

    def entry(self, request: LogicalRequest) -> StoredReply | Fault | None:
        """The reply to exactly this request, or why it cannot be used."""
        ...

    def candidates(self, requests: Sequence[LogicalRequest]) -> Iterator[StoredReply]:
        """At least every reply to the same prompts about the same subjects, one after the other."""
        ...


class StoreShelf:
    """The reply store in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entry(self, request: LogicalRequest) -> StoredReply | Fault | None:
        return read_entry(entry_path(self._folder, request.request_hash))

    def candidates(self, requests: Sequence[LogicalRequest]) -> Iterator[StoredReply]:
        return usable_replies(self._folder) if requests else iter(())


class FixtureShelf:
    """The replies that the fixture in a folder has recorded: one a prompt and subject."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entry(self, request: LogicalRequest) -> StoredReply | Fault | None:
        found = self._recorded(request)
        stale = isinstance(found, StoredReply) and found.request.request_hash != request.request_hash
        return None if stale else found

    def candidates(self, requests: Sequence[LogicalRequest]) -> Iterator[StoredReply]:
        found = map(self._recorded, requests)
        return (stored for stored in found if isinstance(stored, StoredReply))

    def _recorded(self, request: LogicalRequest) -> StoredReply | Fault | None:
        return read_stored(subject_path(self._folder, request.prompt, request.subject))


class Onlooker:
    """The replies of a shelf for a run that only finds out what it lacks.

    `unusable` holds, by the hash of its request, why a reply that is there does not count. `failed` maps
    `<prompt>/<subject>` to the reason why a recording got no usable reply, as in `ReplayStore`.
    """

    def __init__(self, shelf: Shelf, failed: Mapping[str, str]) -> None:
        self.unusable: dict[str, str] = {}
        self._shelf = shelf
        self._failed = failed

    def find(self, request: LogicalRequest) -> StoredReply | None:
        name = f"{request.prompt}/{request.subject}"
        if name in self._failed:
            raise recorded_failure(self._failed[name])
        found = self._shelf.entry(request)
        if isinstance(found, Fault):
            self.reject(request, found.reason)
            return None
        return found

    def reject(self, request: LogicalRequest, reason: str) -> None:
        self.unusable[request.request_hash] = reason

    def save(self, stored: StoredReply) -> None:
        raise AssertionError(f"nobody was asked for {stored.request.subject}")


@dataclass(frozen=True, slots=True)
class Miss:
    """A request without a usable reply. `lines` say in which parts `nearest` differs; without one, what is wrong."""

    request: LogicalRequest
    nearest: StoredReply | None
    lines: tuple[str, ...]


def explain(requests: Sequence[LogicalRequest], shelf: Shelf, unusable: Mapping[str, str]) -> tuple[Miss, ...]:
    """Each request with its explanation; `unusable` is the onlooker's."""
    unlike = [request for request in requests if request.request_hash not in unusable]
    nearest = nearest_replies(unlike, shelf.candidates(unlike))
    return tuple(_miss(request, nearest.get(request.request_hash), unusable) for request in requests)


def _miss(request: LogicalRequest, nearest: StoredReply | None, unusable: Mapping[str, str]) -> Miss:
    if request.request_hash in unusable:
        return Miss(request, None, (f"its reply cannot be used: {unusable[request.request_hash]}",))
    if nearest is None:
        return Miss(request, None, ("never asked",))
    return Miss(request, nearest, differences(nearest.request, request))


def nearest_replies(requests: Iterable[LogicalRequest], replies: Iterable[StoredReply]) -> dict[str, StoredReply]:
    """By request hash the reply to the same prompt about the same subject that is nearest.

    Nearest is the one that differs in the fewest parts of the key; of several, the one with the most text in common;
    of several still, the first.
    """
    wanted: dict[tuple[str, str], list[LogicalRequest]] = {}
    for request in requests:
        wanted.setdefault((request.prompt, request.subject), []).append(request)
    best: dict[str, tuple[_Distance, StoredReply]] = {}
    for reply in replies:
        for request in wanted.get((reply.request.prompt, reply.request.subject), ()):
            distance = _distance(reply.request, request)
            known = best.get(request.request_hash)
            if known is None or distance < known[0]:
                best[request.request_hash] = (distance, reply)
    return {key: reply for key, (_, reply) in best.items()}


def _distance(one: LogicalRequest, other: LogicalRequest) -> _Distance:
    differing = sum(before != after for before, after in zip_longest(_parts(one), _parts(other)))
    pairs = zip(one.messages, other.messages, strict=False)
    return differing, -sum(_common(before.content, after.content) for before, after in pairs)


def _parts(request: LogicalRequest) -> list[Any]:
    parameters = request.parameters.model_dump().values()
    return [request.model, request.provider, *parameters, request.wire_schema, *request.messages]


def _common(one: str, other: str) -> int:
    """Characters that both begin with, and those that the rest of both ends with."""
    start = _beginning(one, other)
    return start + _beginning(one[start:][::-1], other[start:][::-1])


def _beginning(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
