"""The grounded parts of one pull request as one: union of the statements, maximum of the sub-scores."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from prhub_digest.models.signals import UNSETTLED, PullRequestSignals
from prhub_digest.models.summary import SUB_SCORES, SubScore, SubScoreName, UnsettledThread
from prhub_digest.summarize.grounding import Grounded

T = TypeVar("T")


def merge(parts: Sequence[Grounded]) -> Grounded:
    """One `Grounded` from the parts in chunk order; what a pull request has once is the first part's that has it."""
    return Grounded(
        headline=next((part.headline for part in parts if part.headline), None),
        scope=next((part.scope for part in parts if part.scope), None),
        condition=next((part.condition for part in parts if part.condition), None),
        default_state=next((part.default_state for part in parts if part.default_state != "unknown"), "unknown"),
        area=next((part.area for part in parts if part.area), None),
        claims=_union((claim for part in parts for claim in part.claims), key=lambda claim: claim.text.casefold()),
        figures=_union(
            (figure for part in parts for figure in part.figures),
            key=lambda figure: (figure.metric.casefold(), figure.value, figure.condition.casefold()),
        ),
        risks=_union((risk for part in parts for risk in part.risks), key=lambda risk: risk.text.casefold()),
        threads=_union((thread for part in parts for thread in part.threads), key=lambda thread: thread.thread),
        scores=[_highest(name, parts) for name in SUB_SCORES],
        dropped=[dropped for part in parts for dropped in part.dropped],
    )


def all_unsettled_threads(
    worded: Sequence[UnsettledThread], signals: PullRequestSignals
) -> tuple[UnsettledThread, ...]:
    """Every unsettled thread in the pull request's order; unworded ones speak by their first comment."""
    by_id = {thread.thread: thread for thread in worded}
    return tuple(
        by_id.get(outcome.thread)
        or UnsettledThread(
            thread=outcome.thread, text=outcome.first_comment, severity=outcome.severity, worded_by="comment"
        )
        for outcome in signals.threads or ()
        if outcome.outcome in UNSETTLED
    )


def rule_scores(signals: PullRequestSignals) -> tuple[SubScore, ...]:
    by_name = {score.name: score.value for score in signals.scores}
    return tuple(SubScore(name=name, value=by_name[name], source="rule") for name in SUB_SCORES)


def _highest(name: SubScoreName, parts: Sequence[Grounded]) -> SubScore:
    """The model's highest; a rule's score only where no part has one with evidence."""
    scores = [score for part in parts for score in part.scores if score.name == name]
    return max(scores, key=lambda score: (score.source == "model", score.value))


def _union(items: Iterable[T], *, key: Callable[[T], object]) -> list[T]:
    seen: dict[object, T] = {}
    for item in items:
        seen.setdefault(key(item), item)
    return list(seen.values())
