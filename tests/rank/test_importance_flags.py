"""Which raised flags raise the importance, as docs/ranking.md says it."""

import re
from pathlib import Path
from typing import get_args

from prhub_digest.models.signals import Flag, FlagName, PullRequestSignals, RuleScore
from prhub_digest.models.summary import SUB_SCORES
from prhub_digest.rank.importance import adjustments

RAISED = {
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


def points(raised: bool | None) -> dict[str, float]:
    signals = PullRequestSignals(
        pull=1,
        area="core",
        change_type="fix",
        bot=False,
        flags=tuple(Flag(name=name, raised=raised, evidence="") for name in get_args(FlagName)),
        threads=(),
        scores=tuple(RuleScore(name=name, value=1) for name in SUB_SCORES),
    )
    return {move.signal: move.points for move in adjustments(2.0, (), signals, cancelled=False)}


def test_points_of_each_flag() -> None:
    assert points(True) == RAISED
    assert points(False) == points(None) == {}


def test_the_page_states_the_points() -> None:
    page = (Path(__file__).parents[2] / "docs" / "ranking.md").read_text(encoding="utf-8")
    stated: dict[str, float] = {}
    for row in page.split("\n"):
        cells = row.split(" | ")
        names = re.findall(r"`(\w+)`", cells[0])
        if row.startswith("| `") and names:
            values = [float(value) for value in re.findall(r"\+([\d.]+)", cells[1])]
            stated |= dict(zip(names, values * len(names) if len(values) == 1 else values, strict=True))
    assert stated == RAISED
