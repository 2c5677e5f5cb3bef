import pytest

from prhub_digest.models.digest import Sentence
from prhub_digest.models.period import Period
from prhub_digest.models.stats import Count, Stats
from prhub_digest.verify.superlatives import superlative_fault

STATS = Stats(
    repository="octo/demo",
    period=Period.from_week("2026-W23"),
    counts=tuple(
        Count(path=path, value=value, unit="pulls")
        for path, value in (("pulls.merged", 9), ("types.fix", 5), ("types.feature", 3), ("types.docs", 1))
    ),
)


@pytest.mark.parametrize(
    ("text", "paths", "faulty"),
    [
        ("Fixes were the most frequent type of change.", ("types.fix", "types.feature"), False),
        ("Features were the most frequent type of change.", ("types.feature",), True),
        ("Features dominate the week.", ("types.feature", "types.docs"), True),
        ("Documentation had the fewest changes.", ("types.docs",), False),
        ("本周以修复为主导，功能最少。", ("types.fix", "types.feature"), True),
        ("本周修复最多。", ("types.fix",), False),
        ("At most a few features were merged.", ("types.feature",), False),
        ("Features were merged.", ("types.feature",), False),
        ("The most pull requests are merged ones.", ("pulls.merged",), False),
        ("Most servers are affected.", (), False),
    ],
)
def test_the_counts_of_the_group_decide(text: str, paths: tuple[str, ...], faulty: bool) -> None:
    fault = superlative_fault(Sentence(item="t1", text=text, stats=paths), STATS, frozenset())
    assert (fault is not None) is faulty


@pytest.mark.parametrize(("paths", "faulty"), [(("areas.core",), True), (("areas.api",), False)])
def test_a_change_and_its_revert_make_nothing_the_most(paths: tuple[str, ...], faulty: bool) -> None:
    counts = (
        Count(path="areas.core", value=3, unit="pulls", pulls=(1, 2, 3)),
        Count(path="areas.api", value=2, unit="pulls", pulls=(4, 5)),
    )
    sentence = Sentence(item="t1", text="Most of the work went here.", stats=paths)
    fault = superlative_fault(sentence, STATS.updated(counts=counts), frozenset({2, 3}))
    assert (fault is not None) is faulty
