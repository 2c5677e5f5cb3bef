"""The order of the week and its highlights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prhub_digest.models.globs import matches_text
from prhub_digest.models.ranking import Adjustment, Comparison, Override, RankEntry, Ranking
from prhub_digest.models.signals import PullRequestSignals, Signals, Unit
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.rank.choice import choose
from prhub_digest.rank.importance import adjustments, base_score, exact_importance
from prhub_digest.rank.listwise import shifts

HIGHLIGHT_SHARE_PERCENT = 30


@dataclass(frozen=True, slots=True)
class _Scored:
    summary: PullRequestSummary
    exact: float
    moves: tuple[Adjustment, ...]
    shift: float
    forced: bool | None

    @property
    def order(self) -> tuple[float, int]:
        return -(self.exact + self.shift), self.summary.pull


def rank(
    summaries: Sequence[PullRequestSummary],
    signals: Signals,
    *,
    highlights: int,
    overrides: Sequence[Override] = (),
    comparisons: Sequence[Comparison] = (),
) -> Ranking:
    """All pull requests by importance, ties to the smaller number; the order of `summaries` does not matter.

    The highlights are at most `highlights`, at most 30 % of the units, and at least one where one can be, or more
    where people want more; which, says `choose`. A unit has one highlight: of what stands of it at the end the first,
    or the first that people want. `signals` must hold every summarized pull request.
    """
    known = {item.pull: item for item in signals.pulls}
    unit_of = {number: unit for unit in signals.units for number in unit.pulls}
    scored = _in_order(summaries, known, unit_of, overrides, comparisons)
    order = _one_of_each_unit(scored, unit_of)
    units = len({_unit_key(one.summary.pull, unit_of) for one in scored})
    wanted = min(highlights, max(1, units * HIGHLIGHT_SHARE_PERCENT // 100))
    areas = {one.summary.pull: one.summary.area for one in scored}
    chosen = choose(order, areas, wanted, frozenset(one.summary.pull for one in scored if one.forced))
    return Ranking(
        entries=tuple(
            RankEntry(
                place=place,
                pull=one.summary.pull,
                importance=round(one.exact, 1),
                exact=one.exact,
                shift=one.shift,
                scores=one.summary.scores,
                adjustments=one.moves,
                highlight=one.summary.pull in chosen,
            )
            for place, one in enumerate(scored, start=1)
        ),
        comparisons=tuple(comparisons),
    )


def candidates(ranking: Ranking, signals: Signals) -> tuple[RankEntry, ...]:
    """The entries that could be highlights, in their order: the first of each unit that stands at the end."""
    unit_of = {number: unit for unit in signals.units for number in unit.pulls}
    firsts: dict[int, RankEntry] = {}
    for entry in ranking.entries:
        if _stands(entry.pull, unit_of):
            firsts.setdefault(_unit_key(entry.pull, unit_of), entry)
    return tuple(firsts.values())


def _in_order(
    summaries: Sequence[PullRequestSummary],
    known: Mapping[int, PullRequestSignals],
    unit_of: Mapping[int, Unit],
    overrides: Sequence[Override],
    comparisons: Sequence[Comparison],
) -> list[_Scored]:
    plain = [_score(summary, known[summary.pull], unit_of, overrides) for summary in summaries]
    moved = shifts({one.summary.pull: one.exact for one in plain}, comparisons)
    shifted = (
        _Scored(one.summary, one.exact, one.moves, moved.get(one.summary.pull, 0.0), one.forced) for one in plain
    )
    return sorted(shifted, key=lambda one: one.order)


def _score(
    summary: PullRequestSummary,
    signals: PullRequestSignals,
    unit_of: Mapping[int, Unit],
    overrides: Sequence[Override],
) -> _Scored:
    base = base_score(summary.scores)
    applying = (override for override in overrides if _applies(override, signals))
    moves = (
        *adjustments(base, summary.scores, signals, cancelled=not _stands(summary.pull, unit_of)),
        *(Adjustment(signal=_told(override), points=override.points) for override in applying if override.points),
    )
    return _Scored(summary, exact_importance(base, moves), moves, 0.0, people_want(signals, overrides))


def people_want(signals: PullRequestSignals, overrides: Sequence[Override]) -> bool | None:
    """Whether a pull request is to be a highlight, by the first override that says so or says not; None: by place."""
    applying = (override.highlight for override in overrides if _applies(override, signals))
    return next((highlight for highlight in applying if highlight is not None), None)


def _applies(override: Override, signals: PullRequestSignals) -> bool:
    return signals.pull in override.pulls or any(
        matches_text(label, pattern) for label in signals.labels for pattern in override.labels
    )


def _told(override: Override) -> str:
    return f"override: {override.reason or ', '.join((*override.labels, *map(str, override.pulls)))}"


def _one_of_each_unit(scored: Sequence[_Scored], unit_of: Mapping[int, Unit]) -> list[int]:
    """In the order of `scored`; nothing that people keep out."""
    firsts: dict[int, int] = {}
    for one in sorted(scored, key=lambda own: not own.forced):
        if one.forced is not False and _stands(one.summary.pull, unit_of):
            firsts.setdefault(_unit_key(one.summary.pull, unit_of), one.summary.pull)
    chosen = set(firsts.values())
    return [one.summary.pull for one in scored if one.summary.pull in chosen]


def _stands(number: int, unit_of: Mapping[int, Unit]) -> bool:
    return number not in unit_of or number in unit_of[number].standing


def _unit_key(number: int, unit_of: Mapping[int, Unit]) -> int:
    """The smallest number of its unit; a pull request that no unit names is one by itself."""
    return unit_of[number].pulls[0] if number in unit_of else number
