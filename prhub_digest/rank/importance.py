"""The importance of one pull request, 0 to 10. The weights and their reasons: docs/ranking.md."""

import math
from collections.abc import Iterator, Mapping, Sequence

from prhub_digest.models.ranking import Adjustment
from prhub_digest.models.signals import FlagName, PullRequestSignals
from prhub_digest.models.summary import ChangeType, SubScore, SubScoreName

WEIGHTS: Mapping[SubScoreName, float] = {
    "reach": 0.25,
    "behaviour": 0.25,
    "cost": 0.15,
    "risk": 0.20,
    "durability": 0.15,
}
HIGHEST = 10.0
# The part of the base that is taken away: what is minor stays minor, and never falls below zero.
_REDUCED_TYPES: Mapping[ChangeType, float] = {"docs": 0.3, "test": 0.2, "build": 0.1}
_BOT_BUMP = 0.4
_UNDONE = 0.6
_RAISING_FLAGS: Mapping[FlagName, float] = {
    "missing_tests": 0.15,
    "core_path": 0.1,
    "no_approval": 0.1,
    "self_merged": 0.05,
    "public_api": 0.1,
    "configuration": 0.1,
    "default_changed": 0.2,
    "migration": 0.2,
    "security_path": 0.2,
    "generated_without_source": 0.05,
}
_HIGH_OPEN_THREAD = 0.5
_LARGE_CORE = 0.4
_CORE_REACH = 4
# Size orders what the sub-scores leave equal: 10 lines are 0.15 points, 1000 lines 0.45.
_POINTS_PER_TENFOLD_LINES = 0.15
_POINTS_PER_DOUBLED_FILES = 0.04
_MOST_SIZE_POINTS = 0.8
_PLACES = 3


def base_score(scores: Sequence[SubScore]) -> float:
    """The weighted mean of the sub-scores, on the scale of 0 to 10."""
    return sum(WEIGHTS[score.name] * score.value for score in scores) * HIGHEST / 5


def adjustments(
    base: float, scores: Sequence[SubScore], signals: PullRequestSignals, *, cancelled: bool
) -> tuple[Adjustment, ...]:
    """What the signals add to the base or take from it; parts that are zero are left out.

    `cancelled`: nothing of it stands at the end, since it was taken back within the period or takes back another one.
    """
    found = (*_reductions(base, signals, cancelled=cancelled), *_additions(scores, signals))
    rounded = (Adjustment(signal=name, points=round(points, _PLACES)) for name, points in found)
    return tuple(adjustment for adjustment in rounded if adjustment.points)


def exact_importance(base: float, moves: Sequence[Adjustment]) -> float:
    total = base + sum(move.points for move in moves)
    return round(min(HIGHEST, max(0.0, total)), _PLACES)


def _reductions(base: float, signals: PullRequestSignals, *, cancelled: bool) -> Iterator[tuple[str, float]]:
    if cancelled:
        yield "revert pair within the period", -_UNDONE * base
    elif signals.bot and signals.change_type == "dependency":
        yield "version bump by a bot", -_BOT_BUMP * base
    elif signals.change_type in _REDUCED_TYPES:
        yield f"{signals.change_type} only", -_REDUCED_TYPES[signals.change_type] * base


def _additions(scores: Sequence[SubScore], signals: PullRequestSignals) -> Iterator[tuple[str, float]]:
    raised = {flag.name for flag in signals.flags if flag.raised}
    for name, points in _RAISING_FLAGS.items():
        if name in raised:
            yield name, points
    if any(thread.outcome == "open" and thread.severity == "high" for thread in signals.threads or ()):
        yield "open thread of high severity", _HIGH_OPEN_THREAD
    if "large_change" in raised and any(score.name == "reach" and score.value >= _CORE_REACH for score in scores):
        yield "large change of wide reach", _LARGE_CORE
    size = _POINTS_PER_TENFOLD_LINES * math.log10(1 + signals.changed_lines)
    files = _POINTS_PER_DOUBLED_FILES * math.log2(1 + signals.changed_files)
    yield "size", min(_MOST_SIZE_POINTS, size + files)
