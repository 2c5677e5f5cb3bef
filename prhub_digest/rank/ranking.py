"""The order of the week and its highlights."""

from collections.abc import Mapping, Sequence

from prhub_digest.models.ranking import Adjustment, RankEntry, Ranking
from prhub_digest.models.signals import PullRequestSignals, Signals, Unit
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.rank.importance import adjustments, base_score, exact_importance

HIGHLIGHT_SHARE_PERCENT = 30

_Scored = tuple[float, tuple[Adjustment, ...], PullRequestSummary]


def rank(summaries: Sequence[PullRequestSummary], signals: Signals, *, highlights: int) -> Ranking:
    """All pull requests by importance, ties to the smaller number; the order of `summaries` does not matter.

    The highlights are at most `highlights`, at most 30 % of the units, and at least one where one can be. A unit has
    one highlight, its first that stands at the end. `signals` must hold every summarized pull request.
    """
    known = {item.pull: item for item in signals.pulls}
    unit_of = {number: unit for unit in signals.units for number in unit.pulls}
    cancelled = {number for number, unit in unit_of.items() if number not in unit.standing}
    scored = sorted(
        (_score(summary, known[summary.pull], cancelled=summary.pull in cancelled) for summary in summaries), key=_order
    )
    first_of: dict[int, int] = {}
    for _, _, summary in scored:
        if summary.pull not in cancelled:
            first_of.setdefault(_unit_key(summary.pull, unit_of), summary.pull)
    units = len({_unit_key(summary.pull, unit_of) for summary in summaries})
    wanted = min(highlights, max(1, units * HIGHLIGHT_SHARE_PERCENT // 100))
    chosen = set([*first_of.values()][:wanted])
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


def _unit_key(number: int, unit_of: Mapping[int, Unit]) -> int:
    """The smallest number of its unit; a pull request that no unit names is one by itself."""
    return unit_of[number].pulls[0] if number in unit_of else number


def _score(summary: PullRequestSummary, signals: PullRequestSignals, *, cancelled: bool) -> _Scored:
    base = base_score(summary.scores)
    moves = adjustments(base, summary.scores, signals, cancelled=cancelled)
    return exact_importance(base, moves), moves, summary


def _order(scored: _Scored) -> tuple[float, int]:
    exact, _, summary = scored
    return -exact, summary.pull
