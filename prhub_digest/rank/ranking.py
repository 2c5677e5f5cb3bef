"""The order of the week and its highlights."""

from collections.abc import Mapping, Sequence

from prhub_digest.models.ranking import Adjustment, RankEntry, Ranking
from prhub_digest.models.signals import PullRequestSignals, Signals
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.rank.importance import adjustments, base_score, exact_importance

HIGHLIGHT_SHARE_PERCENT = 30

_Scored = tuple[float, tuple[Adjustment, ...], PullRequestSummary]


def rank(summaries: Sequence[PullRequestSummary], signals: Signals, *, highlights: int) -> Ranking:
    """All pull requests by importance, ties to the smaller number; the order of `summaries` does not matter.

    The highlights are at most `highlights`, at most 30 % of the units, and at least one where one can be. A chain of
    reverts is one unit; what cancels out in it is no highlight. `signals` must hold every summarized pull request.
    """
    known = {item.pull: item for item in signals.pulls}
    cancelled = {number for number in known if _cancelled(number, known)}
    scored = sorted(
        (_score(summary, known[summary.pull], cancelled=summary.pull in cancelled) for summary in summaries), key=_order
    )
    eligible = [summary.pull for _, _, summary in scored if summary.pull not in cancelled]
    units = sum(known[summary.pull].reverts not in known for summary in summaries)
    wanted = min(highlights, max(1, units * HIGHLIGHT_SHARE_PERCENT // 100))
    chosen = set(eligible[:wanted])
    return Ranking(
        entries=tuple(
            RankEntry(
                place=place,
                pull=summary.pull,
                importance=round(exact, 1),
                exact=exact,
                scores=summary.scores,
                adjustments=moves,
                highlight=summary.pull in chosen,
            )
            for place, (exact, moves, summary) in enumerate(scored, start=1)
        )
    )


def _score(summary: PullRequestSummary, signals: PullRequestSignals, *, cancelled: bool) -> _Scored:
    base = base_score(summary.scores)
    moves = adjustments(base, summary.scores, signals, cancelled=cancelled)
    return exact_importance(base, moves), moves, summary


def _order(scored: _Scored) -> tuple[float, int]:
    exact, _, summary = scored
    return -exact, summary.pull


def _cancelled(number: int, known: Mapping[int, PullRequestSignals]) -> bool:
    """Whether nothing of it stands at the end: it belongs to a chain of reverts, other than as its last reland."""
    if known[number].reverted_by is not None:
        return True
    depth = 0
    while (target := known[number].reverts) is not None and target in known:
        number, depth = target, depth + 1
    # An odd number of steps back: the newest of the chain is a revert, which cancels what it reverts.
    return depth % 2 == 1
