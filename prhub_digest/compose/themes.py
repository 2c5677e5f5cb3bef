"""The themes of a week: pull requests that belong together, from their areas and from what changes together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from prhub_digest.models.ranking import Ranking
from prhub_digest.models.signals import OTHER, PullRequestSignals, Signals
from prhub_digest.models.summary import ChangeType, PullRequestSummary

MOST_THEMES = 9
# What nobody's program notices is told only where it matters more than usual.
_ROUTINE: frozenset[ChangeType] = frozenset({"docs", "test", "build", "dependency"})
_ROUTINE_BELOW = 2.0
# The behaviour sub-score from which something is not as it was, by default or for callers: never routine.
_BREAKS = 4
# A theme weighs what its best weigh, so that many small changes are not the main thing.
_WEIGHED = 3


@dataclass(frozen=True, slots=True)
class Grouping:
    """A theme before it has a name: `areas`, largest first, and `pulls` in rank order, each of one of the areas."""

    areas: tuple[str, ...]
    pulls: tuple[int, ...]


def group_by_theme(
    ranking: Ranking, summaries: Mapping[int, PullRequestSummary], signals: Signals
) -> tuple[Grouping, ...]:
    """At most nine themes, the weightiest first; routine and what does not stand at the end are in none.

    Areas are joined, the smallest first, with the area that the same pull requests touch most often.
    """
    known = {own.pull: own for own in signals.pulls}
    importance = {entry.pull: entry.importance for entry in ranking.entries}
    told = [
        entry.pull
        for entry in ranking.entries
        if entry.pull not in signals.cancelled
        and not _is_routine(summaries[entry.pull], known[entry.pull], entry.importance)
    ]
    groups: dict[str, list[int]] = {}
    for number in told:
        groups.setdefault(summaries[number].area, []).append(number)
    members = {area: [area] for area in groups}
    together = _together([known[number] for number in told])
    while len(groups) > MOST_THEMES:
        small = min(groups, key=lambda area: (len(groups[area]), sum(importance[n] for n in groups[area]), area))
        others = [area for area in groups if area != small]
        best = max(others, key=lambda area: (_shared(members[small], members[area], together), len(groups[area]), area))
        if not _shared(members[small], members[best], together) and OTHER in others:
            best = OTHER
        groups[best] += groups.pop(small)
        members[best] += members.pop(small)
    places = {number: place for place, number in enumerate(told)}
    sizes = Counter(summaries[number].area for number in told)
    themes = [
        Grouping(
            areas=tuple(sorted(members[area], key=lambda one: (-sizes[one], one))),
            pulls=tuple(sorted(groups[area], key=places.__getitem__)),
        )
        for area in groups
    ]
    return tuple(sorted(themes, key=lambda theme: (-_weight(theme.pulls, importance), places[theme.pulls[0]])))


def _is_routine(summary: PullRequestSummary, signals: PullRequestSignals, importance: float) -> bool:
    if any(score.name == "behaviour" and score.value >= _BREAKS for score in summary.scores):
        return False
    bump = signals.bot and summary.change_type == "dependency"
    return bump or (summary.change_type in _ROUTINE and importance < _ROUTINE_BELOW)


def _together(pulls: Sequence[PullRequestSignals]) -> Counter[frozenset[str]]:
    """How many pull requests touch both areas of a pair."""
    return Counter(frozenset(pair) for own in pulls for pair in combinations(sorted(set(own.touched)), 2))


def _shared(some: Sequence[str], others: Sequence[str], together: Counter[frozenset[str]]) -> int:
    return sum(together[frozenset((one, other))] for one in some for other in others)


def _weight(pulls: Sequence[int], importance: Mapping[int, float]) -> float:
    return sum(sorted((importance[number] for number in pulls), reverse=True)[:_WEIGHED])
