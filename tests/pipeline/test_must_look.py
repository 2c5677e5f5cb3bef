"""Which pull requests the plan is shown beside the highlights, wherever they rank."""

import pytest

from prhub_digest.models.chunk import Place
from prhub_digest.models.summary import ChangeType, Evidence, PullRequestSummary, Score, SubScore, SubScoreName
from prhub_digest.pipeline.planning import must_look


def fix(headline: str, quote: str = "x", kind: ChangeType = "fix", **scores: Score) -> PullRequestSummary:
    names: dict[str, SubScoreName] = {"behaviour": "behaviour", "risk": "risk", "reach": "reach"}
    return PullRequestSummary(
        pull=7,
        status="summarized",
        inputs="i",
        headline=headline,
        headline_evidence=Evidence(line="B1", quote=quote, place=Place(kind="description"), found_by="line"),
        change_type=kind,
        area="core",
        scores=tuple(SubScore(name=names[name], value=value, source="model") for name, value in scores.items()),
    )


@pytest.mark.parametrize(
    ("summary", "wanted"),
    [
        (fix("Servers no longer corrupt their free list"), True),
        (fix("A page is freed once", quote="avoids a double free"), True),
        (fix("长请求不再异常", quote="修复缓存越界"), True),
        (fix("Answers are right", behaviour=4), True),
        (fix("Answers are right", risk=5), True),
        (fix("A typo in a message", behaviour=3, reach=5), False),
        (fix("Guards against a crash", kind="feature", behaviour=5), False),
        (fix("Taken back", kind="revert"), True),
    ],
)
def test_reverts_and_fixes_of_damage_are_shown(summary: PullRequestSummary, wanted: bool) -> None:
    assert must_look(summary) is wanted
