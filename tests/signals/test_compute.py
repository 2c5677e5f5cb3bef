"""All signals of a small week together, as `compute_signals` hands them over."""

from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import change, pull

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import Area, PullRequestSignals, Tags
from prhub_digest.signals import compute_signals

AREAS = (Area(key="queue", paths=("core/queue/**",)), Area(key="gpu", paths=("csrc/**",)))
WEEK = (
    pull(11, "core/queue/a.py", title="Add priority queue"),
    pull(12, title="fix: lost wake-up on ROCm", files=(change("core/queue/a.py", 12), change("csrc/wait.cu", 10))),
    pull(13, "core/queue/a.py", title='Revert "fix: lost wake-up on ROCm"'),
    pull(14, "web/app.ts", title="Paint it blue"),
)


def test_signals_of_one_pull_request() -> None:
    found = compute_signals(WEEK, AREAS).of(12)
    assert found == PullRequestSignals(
        pull=12,
        area="queue",
        area_candidates=("queue", "gpu"),
        touched=("queue", "gpu"),
        tags=Tags(platforms=("amd",)),
        change_type="fix",
        bot=False,
        changed_lines=22,
        changed_files=2,
        flags=found.flags,
        threads=None,
        reverted_by=13,
        scores=found.scores,
    )


def test_the_areas_of_a_week() -> None:
    signals = compute_signals(WEEK, AREAS)
    assert [area.key for area in signals.areas] == ["queue", "gpu", "other"]
    assert {own.pull: own.area_candidates for own in signals.pulls} == {
        11: ("queue",),
        12: ("queue", "gpu"),
        13: ("queue",),
        14: ("other",),
    }
    assert all(own.area == own.area_candidates[0] for own in signals.pulls)


@settings(max_examples=15)
@given(st.permutations(WEEK))
def test_the_order_of_the_week_does_not_matter(shuffled: list[PullRequest]) -> None:
    assert compute_signals(shuffled) == compute_signals(WEEK)
