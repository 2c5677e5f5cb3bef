"""What a rejection in a batch output file says, which may come long after more was learnt of the endpoint. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prhub_digest.llm.abilities import RUNGS, Abilities
from prhub_digest.llm.api_errors import about_context, about_money
from prhub_digest.llm.rejections import lower_after

# What can be given up one after the other: the form of the answer step by step, the temperature, the limit's two names,
# and the most that it may be. A request that is rejected more often is rejected for what it asks.
MOST_REJECTIONS = len(RUNGS) - 1 + 4


@dataclass(frozen=True, slots=True)
class Sent:
    """In which ways requests went out: `ever` by model, the last one last; `by_file` those that a file answers."""

    ever: Mapping[str, tuple[Abilities, ...]] = field(default_factory=dict)
    by_file: Mapping[Path, Abilities] = field(default_factory=dict)

    def of(self, path: Path, model: str, rejected: Sequence[Abilities]) -> tuple[Abilities, ...]:
        """How a request may have been sent that this file answers, after it was `rejected` in some ways."""
        if path in self.by_file:
            return (self.by_file[path],)
        ever = self.ever.get(model, ())
        return tuple(own for own in ever if own not in rejected) or ever[-1:]

    def marks(self, path: Path, digest: str) -> tuple[str, ...]:
        """By which a line is known again, the last of them: two batches may say the same, and one file twice."""
        return (digest, f"{digest} {path.name}") if path in self.by_file else (digest,)


@dataclass(frozen=True, slots=True)
class Rejection:
    """An error response; `limit` is the output limit that was asked for."""

    status: int
    body: Any
    limit: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was rejected as it was `sent`, and what is `known` of the endpoint now."""

    sent: Abilities
    known: Abilities


def lesson_of(
    sent: Sequence[Abilities], known: Abilities, rejection: Rejection, earlier: Sequence[Abilities] = ()
) -> Lesson | None:
    """What the rejection of a request teaches that was sent in one of the ways `sent`.

    It is `known` already when the request would be sent differently by now. None when it would be rejected again, or
    when the error is not about what the endpoint takes. `earlier` is all that was ever sent to this model.
    """
    status, body = rejection.status, rejection.body
    results = []
    for own in sent:
        limit = min(rejection.limit, own.most_output or rejection.limit) if own.limit_name else None
        lower = lower_after(own, status, body, limit)
        if lower is not None:
            results.append(Lesson(own, _taken_over(known, own, lower, earlier)))
    if results:
        return next((lesson for lesson in results if lesson.known == known), results[-1])
    stale = len(sent) == 1 and sent[0] != known and status in {400, 422}
    return Lesson(sent[0], known) if stale and not about_money(body) and not about_context(body) else None


def _taken_over(known: Abilities, sent: Abilities, lower: Abilities, earlier: Sequence[Abilities]) -> Abilities:
    """`known` without what `lower` gives up of what was sent."""
    if RUNGS.index(known.rung) < RUNGS.index(lower.rung) != RUNGS.index(sent.rung):
        known = known.updated(rung=lower.rung)
    if not lower.temperature:
        known = known.updated(temperature=False)
    if lower.most_output != sent.most_output:
        most = [one.most_output for one in (known, lower) if one.most_output is not None]
        known = known.updated(most_output=min(most))
    if lower.limit_name != sent.limit_name and known.limit_name == sent.limit_name:
        neither = any(own.limit_name == lower.limit_name for own in earlier)
        known = known.updated(limit_name=None if neither else lower.limit_name)
    return known
