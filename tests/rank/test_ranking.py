from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.models.ranking import Adjustment, Override, RankEntry, Ranking
from prhub_digest.models.signals import Area, Flag, PullRequestSignals, RuleScore, Signals, ThreadOutcome, Unit
from prhub_digest.models.summary import SUB_SCORES, PullRequestSummary, SubScore
from prhub_digest.rank import rank
from prhub_digest.rank.importance import WEIGHTS

MIDDLE = (2, 2, 0, 1, 2)


def scores(values: tuple[int, ...]) -> tuple[SubScore, ...]:
    return tuple(
        SubScore.model_validate({"name": name, "value": value, "source": "rule"})
        for name, value in zip(SUB_SCORES, values, strict=True)
    )


def summary(number: int, values: tuple[int, ...] = MIDDLE) -> PullRequestSummary:
    return PullRequestSummary(
        pull=number,
        status="summarized",
        inputs="hash",
        headline=f"Change {number}",
        change_type="fix",
        area="core",
        scores=scores(values),
    )


def signal(number: int, **fields: Any) -> PullRequestSignals:
    defaults: dict[str, Any] = {
        "pull": number,
        "area": "core",
        "change_type": "fix",
        "bot": False,
        "changed_lines": 9,
        "changed_files": 1,
        "flags": (),
        "threads": (),
        "scores": tuple(RuleScore(name=name, value=1) for name in SUB_SCORES),
    }
    return PullRequestSignals(**{**defaults, **fields})


def signals(*items: PullRequestSignals, units: tuple[Unit, ...] = ()) -> Signals:
    return Signals(areas=(Area(key="core"),), pulls=items, units=units)


def exact(**fields: Any) -> float:
    return rank([summary(1)], signals(signal(1, **fields)), highlights=1).entries[0].exact


OPEN = ThreadOutcome(
    thread="t",
    path="a.py",
    line=1,
    url=None,
    outcome="open",
    reason="not resolved, no reply",
    severity="high",
    author_kind="human",
    first_comment="This can deadlock.",
)


def test_weights_make_a_whole() -> None:
    assert round(sum(WEIGHTS.values()), 9) == 1
    assert set(WEIGHTS) == set(SUB_SCORES)


def test_whole_ranking_of_a_small_week() -> None:
    ranking = rank(
        [summary(1), summary(2, (5, 4, 3, 4, 4)), summary(3, (0, 0, 0, 0, 1))],
        signals(
            signal(1),
            signal(
                2, flags=(Flag(name="large_change", raised=True, evidence=""),), changed_lines=999, changed_files=15
            ),
            signal(3, change_type="docs", changed_lines=0, changed_files=0),
        ),
        highlights=24,
    )
    # 2 x (5 x .25 + 4 x .25 + 3 x .15 + 4 x .20 + 4 x .15) = 8.2; 0.15 x 3 + 0.04 x 4 = 0.61
    assert ranking == Ranking(
        entries=(
            RankEntry(
                place=1,
                pull=2,
                importance=9.2,
                exact=9.21,
                scores=scores((5, 4, 3, 4, 4)),
                adjustments=(
                    Adjustment(signal="large change of wide reach", points=0.4),
                    Adjustment(signal="size", points=0.61),
                ),
                highlight=True,
            ),
            RankEntry(
                place=2,
                pull=1,
                importance=3.2,
                exact=3.19,
                scores=scores(MIDDLE),
                adjustments=(Adjustment(signal="size", points=0.19),),
                highlight=False,
            ),
            RankEntry(
                place=3,
                pull=3,
                importance=0.2,
                exact=0.21,
                scores=scores((0, 0, 0, 0, 1)),
                adjustments=(Adjustment(signal="docs only", points=-0.09),),
                highlight=False,
            ),
        )
    )


def test_signals_move_what_the_sub_scores_leave_equal() -> None:
    plain = exact()
    assert exact(changed_lines=10) > plain
    assert exact(changed_files=2) > plain
    assert exact(threads=(OPEN,)) == plain + 0.5
    assert exact(threads=(OPEN.updated(severity="low"),)) == plain
    assert exact(flags=(Flag(name="missing_tests", raised=True, evidence=""),)) > plain
    assert exact(flags=(Flag(name="missing_tests", raised=None, evidence=""),)) == plain
    assert exact(change_type="docs") < exact(change_type="test") < exact(change_type="build") < plain
    assert exact(bot=True, change_type="dependency") < plain
    assert exact(bot=True) == plain


def test_scores_stay_between_0_and_10() -> None:
    flags = tuple(
        Flag(name=name, raised=True, evidence="") for name in ("missing_tests", "large_change", "no_approval")
    )
    top = rank([summary(1, (5, 5, 5, 5, 5))], signals(signal(1, flags=flags, threads=(OPEN,))), highlights=1)
    low = rank([summary(1, (0, 0, 0, 0, 0))], signals(signal(1, change_type="docs", changed_lines=0)), highlights=1)
    assert (top.entries[0].exact, low.entries[0].importance) == (10.0, 0.0)


def test_highlights_are_30_percent_at_most_the_wanted_number_and_at_least_one() -> None:
    def highlights(week: int, wanted: int) -> int:
        numbers = range(1, week + 1)
        return len(rank([summary(n) for n in numbers], signals(*map(signal, numbers)), highlights=wanted).highlights)

    assert [highlights(week, 24) for week in (0, 1, 3, 4, 7, 10, 16, 79, 80, 320)] == [0, 1, 1, 1, 2, 3, 4, 23, 24, 24]
    assert highlights(320, 5) == 5
    assert highlights(320, 0) == 0


def test_a_revert_pair_is_one_unit_and_no_highlight() -> None:
    week = [signal(1, reverted_by=2), signal(2, reverts=1, change_type="revert"), *(signal(n) for n in range(3, 8))]
    units = (Unit(kind="revert", pulls=(1, 2), standing=()),)
    ranking = rank([summary(item.pull) for item in week], signals(*week, units=units), highlights=24)
    # Six units: one highlight; seven would be two.
    assert ranking.highlights == (3,)
    assert [entry.pull for entry in ranking.entries] == [3, 4, 5, 6, 7, 1, 2]


def test_the_last_of_a_reland_stands_for_its_chain() -> None:
    week = [signal(1), signal(2), signal(3)]
    units = (Unit(kind="revert", pulls=(1, 2, 3), standing=(3,)),)
    ranking = rank([summary(item.pull) for item in week], signals(*week, units=units), highlights=24)
    assert ranking.highlights == (3,)
    assert [entry.pull for entry in ranking.entries] == [3, 1, 2]


def test_a_revert_of_something_older_stands_and_a_part_taken_back_leaves_both() -> None:
    week = [signal(1, reverts=None, change_type="revert"), signal(2), signal(3)]
    units = (
        Unit(kind="revert", pulls=(1,), standing=(1,), before=(700,)),
        Unit(kind="revert", pulls=(2, 3), standing=(2, 3)),
    )
    ranking = rank([summary(item.pull) for item in week], signals(*week, units=units), highlights=24)
    assert [entry.adjustments for entry in ranking.entries] == [(Adjustment(signal="size", points=0.19),)] * 3


def test_a_series_has_one_highlight_its_first() -> None:
    week = [signal(number) for number in range(1, 11)]
    units = (Unit(kind="series", pulls=(1, 2, 3, 4), standing=(1, 2, 3, 4)),)
    strong = {2: (5, 5, 5, 5, 5), 3: (5, 5, 5, 5, 4), 7: (3, 3, 3, 3, 3)}
    summaries = [summary(item.pull, strong.get(item.pull, MIDDLE)) for item in week]
    ranking = rank(summaries, signals(*week, units=units), highlights=24)
    # Seven units: two highlights. Without units: three of ten.
    assert ranking.highlights == (2, 7)
    assert rank(summaries, signals(*week), highlights=24).highlights == (2, 3, 7)


def test_people_have_the_last_word_on_highlights() -> None:
    week = [signal(number) for number in range(1, 11)]
    series = (Unit(kind="series", pulls=(1, 2, 3, 4), standing=(1, 2, 3, 4)),)
    gone = (Unit(kind="revert", pulls=(8, 9), standing=()),)

    def highlights(*overrides: Override) -> tuple[int, ...]:
        summaries = [summary(item.pull) for item in week]
        return rank(summaries, signals(*week, units=series + gone), highlights=24, overrides=overrides).highlights

    def override(*pulls: int, highlight: bool) -> Override:
        return Override(pulls=pulls, highlight=highlight)

    assert highlights() == (1,)
    # All that are wanted, be they more than 30 %; of a series one, of what was taken back none.
    assert highlights(override(3, 4, 6, 7, 10, 9, highlight=True)) == (3, 6, 7, 10)
    # The next part of a series stands for one that is kept out; the first override decides.
    assert highlights(override(1, highlight=False), override(1, highlight=True)) == (2,)
    assert highlights(override(*range(1, 11), highlight=False)) == ()


def test_ties_go_to_the_smaller_number() -> None:
    ranking = rank([summary(9), summary(4), summary(7)], signals(signal(4), signal(7), signal(9)), highlights=1)
    assert [entry.pull for entry in ranking.entries] == [4, 7, 9]


@st.composite
def weeks(draw: st.DrawFn) -> tuple[list[PullRequestSummary], Signals, list[PullRequestSummary]]:
    numbers = draw(st.lists(st.integers(1, 400), unique=True, max_size=30))
    values = st.tuples(*[st.integers(0, 5)] * 5)
    summaries = [summary(number, draw(values)) for number in numbers]
    items = [signal(number, changed_lines=draw(st.integers(0, 10_000))) for number in numbers]
    return summaries, signals(*items), draw(st.permutations(summaries))


@settings(max_examples=30)
@given(weeks())
def test_the_order_of_the_input_does_not_matter(
    week: tuple[list[PullRequestSummary], Signals, list[PullRequestSummary]],
) -> None:
    summaries, known, shuffled = week
    ranking = rank(summaries, known, highlights=24)
    assert rank(shuffled, known, highlights=24) == ranking
    assert [entry.place for entry in ranking.entries] == list(range(1, len(summaries) + 1))
    assert all(0 <= entry.exact <= 10 for entry in ranking.entries)
    assert len(ranking.highlights) == (min(24, max(1, len(summaries) * 30 // 100)) if summaries else 0)
