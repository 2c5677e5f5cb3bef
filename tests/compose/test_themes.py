from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.compose.themes import MOST_THEMES, Grouping, group_by_theme
from prhub_digest.models.ranking import RankEntry, Ranking
from prhub_digest.models.signals import Area, PullRequestSignals, Signals, Unit
from prhub_digest.models.summary import ChangeType, PullRequestSummary, SubScore

Row = tuple[int, float, str, ChangeType, str]
Week = tuple[Ranking, dict[int, PullRequestSummary], Signals]


def week(*rows: Row, units: tuple[Unit, ...] = ()) -> Week:
    """Rows of number, importance, area, type of change, and the areas its files stand in."""
    entries = tuple(
        RankEntry(place=place, pull=row[0], importance=row[1], exact=row[1], scores=(), adjustments=(), highlight=False)
        for place, row in enumerate(sorted(rows, key=lambda row: (-row[1], row[0])), 1)
    )
    summaries = {
        number: PullRequestSummary(
            pull=number, status="summarized", inputs="", headline="x", change_type=kind, area=area, scores=()
        )
        for number, _, area, kind, _ in rows
    }
    signals = tuple(
        PullRequestSignals(
            pull=number,
            area=area,
            touched=tuple(touched.split()),
            change_type=kind,
            bot=kind == "dependency",
            flags=(),
            threads=None,
            scores=(),
        )
        for number, _, area, kind, touched in rows
    )
    keys = sorted({row[2] for row in rows})
    return Ranking(entries=entries), summaries, Signals(areas=tuple(map(_area, keys)), pulls=signals, units=units)


def _area(key: str) -> Area:
    return Area(key=key)


def test_a_theme_an_area_the_weightiest_first() -> None:
    assert group_by_theme(
        *week(
            (1, 4.0, "core", "fix", "core"),
            (2, 7.0, "api", "feature", "api"),
            (3, 5.0, "core", "fix", "core"),
        )
    ) == (Grouping(("core",), (3, 1)), Grouping(("api",), (2,)))


def test_a_bump_that_breaks_something_is_no_routine() -> None:
    ranking, summaries, signals = week((1, 1.5, "core", "dependency", "core"), (2, 1.5, "ci", "dependency", "ci"))
    for number, value in ((1, 4), (2, 3)):
        score = SubScore.model_validate({"name": "behaviour", "value": value, "source": "rule"})
        summaries[number] = summaries[number].updated(scores=(score,))
    assert group_by_theme(ranking, summaries, signals) == (Grouping(("core",), (1,)),)


def test_routine_and_what_was_taken_back_is_told_in_no_theme() -> None:
    undone = Unit(kind="revert", pulls=(5, 6), standing=())
    rows: tuple[Row, ...] = (
        (1, 6.0, "core", "fix", "core"),
        (2, 9.0, "core", "dependency", "core"),
        (3, 1.9, "docs", "docs", "docs"),
        (4, 2.0, "ci", "build", "ci"),
        (5, 8.0, "core", "feature", "core"),
        (6, 7.0, "core", "revert", "core"),
    )
    assert group_by_theme(*week(*rows, units=(undone,))) == (Grouping(("core",), (1,)), Grouping(("ci",), (4,)))


def test_the_smallest_area_joins_the_one_it_changes_together_with() -> None:
    large: list[Row] = [
        (10 * area + number, 9.0 - area / 10, f"a{area}", "fix", f"a{area}") for area in range(9) for number in (1, 2)
    ]
    rows: tuple[Row, ...] = (*large, (200, 3.0, "small", "fix", "small a4"))
    themes = group_by_theme(*week(*rows))
    assert len(themes) == MOST_THEMES
    assert Grouping(("a4", "small"), (41, 42, 200)) in themes


def test_what_changes_with_nothing_else_is_other_if_there_is_one() -> None:
    large: list[Row] = [
        (10 * area + number, 5.0, "other" if area == 8 else f"a{area}", "fix", "")
        for area in range(9)
        for number in (1, 2)
    ]
    themes = group_by_theme(*week(*large, (200, 3.0, "small", "fix", "small")))
    assert Grouping(("other", "small"), (81, 82, 200)) in themes


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 14), st.integers(0, 100), st.sets(st.integers(0, 14), max_size=3)), max_size=60),
    st.randoms(),
)
def test_every_told_pull_request_is_in_one_theme_of_its_area_whatever_the_order(
    drawn: list[tuple[int, int, set[int]]], random: st.DataObject
) -> None:
    rows: list[Row] = [
        (number, tenth / 10, f"a{area}", "fix", " ".join(f"a{one}" for one in sorted(touched)))
        for number, (area, tenth, touched) in enumerate(drawn, 1)
    ]
    ranking, summaries, signals = week(*rows)
    themes = group_by_theme(ranking, summaries, signals)
    assert len(themes) <= MOST_THEMES
    assert sorted(number for theme in themes for number in theme.pulls) == [row[0] for row in rows]
    for theme in themes:
        assert {summaries[number].area for number in theme.pulls} == set(theme.areas)
    shuffled = list(signals.pulls)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert group_by_theme(ranking, summaries, signals.updated(pulls=tuple(shuffled))) == themes
