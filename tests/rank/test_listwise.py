from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.models.ranking import Comparison, RankEntry
from prhub_digest.rank.listwise import GROUP, NEAR, comparison_groups, comparison_sizes, shifts


def entry(pull: int, exact: float) -> RankEntry:
    return RankEntry(
        place=1, pull=pull, importance=round(exact, 1), exact=exact, scores=(), adjustments=(), highlight=False
    )


def week(size: int) -> list[RankEntry]:
    return [entry(100 + place, 9.0 - place * 0.05) for place in range(size)]


def scores_of(entries: list[RankEntry]) -> dict[int, float]:
    return {one.pull: one.exact for one in entries}


def test_a_week_of_72_candidates_takes_3_rounds_of_small_groups_each_holding_everyone_once() -> None:
    groups = comparison_groups(week(320), 24, "2026-W06")
    assert len(groups) == 6 + 7 + 7  # the shifted bands leave a short one at an end
    for shuffle in (1, 2, 3):
        shown = [pull for group in groups if group.shuffle == shuffle for pull in group.pulls]
        assert sorted(shown) == list(range(100, 172))
    assert max(len(group.pulls) for group in groups) <= GROUP
    assert len({group.subject for group in groups}) == len(groups)


@given(st.integers(0, 400), st.integers(0, 30))
def test_the_sizes_are_those_of_the_groups(candidates: int, highlights: int) -> None:
    entries = [entry(number, 5.0) for number in range(1, candidates + 1)]
    groups = comparison_groups(entries, highlights, "w")
    # A group of one is asked of nobody.
    assert [len(group.pulls) for group in groups] == [
        size for size in comparison_sizes(candidates, highlights) if size > 1
    ]


def test_few_candidates_and_far_candidates_are_not_compared() -> None:
    assert comparison_groups(week(24), 24, "w") == ()
    assert comparison_groups([entry(place, 10.0 - place * 0.6) for place in range(1, 40)], 24, "w") == ()
    assert len(comparison_groups(week(25), 24, "w")) > 0


def test_the_seed_alone_decides_who_meets_whom() -> None:
    assert comparison_groups(week(80), 24, "a") == comparison_groups(week(80), 24, "a")
    assert comparison_groups(week(80), 24, "a") != comparison_groups(week(80), 24, "b")


def test_won_minus_lost_of_the_near_pairs() -> None:
    entries = [entry(1, 8.0), entry(2, 7.8), entry(3, 7.5), entry(4, 5.0)]
    # 3 beats 1 and 2, 2 beats 1; 4 is far from all, so that its win counts for nothing.
    assert shifts(scores_of(entries), [Comparison(shuffle=1, order=(4, 3, 2, 1))]) == {1: -0.25, 2: 0.0, 3: 0.25}
    undecided = [Comparison(shuffle=1, order=(1, 2)), Comparison(shuffle=2, order=(2, 1))]
    assert shifts(scores_of(entries), undecided) == {1: 0.0, 2: 0.0}
    assert shifts(scores_of(entries), [Comparison(shuffle=1, order=(4, 1))]) == {}


@settings(max_examples=60)
@given(st.lists(st.integers(0, 400), min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_only_pull_requests_within_half_a_point_change_places(points: list[int], random: st.DataObject) -> None:
    entries = [entry(number, point / 40) for number, point in enumerate(points, 1)]
    orders = []
    for shuffle in range(1, 4):
        pulls = [one.pull for one in entries]
        random.shuffle(pulls)  # type: ignore[attr-defined]
        orders.append(Comparison(shuffle=shuffle, order=tuple(pulls)))
    moved = shifts(scores_of(entries), orders)
    assert moved == shifts(scores_of(entries), orders[::-1])
    for one, other in combinations(entries, 2):
        apart = one.exact - other.exact
        after = apart + moved.get(one.pull, 0) - moved.get(other.pull, 0)
        if apart > NEAR + 1e-9:
            assert after > -1e-9
