from render_week import digest, facts_week, summary, week

from prhub_digest.models.stats import Count
from prhub_digest.models.summary import UnsettledThread
from prhub_digest.render.markdown import render_markdown
from prhub_digest.render.view import build_view

URL = "https://github.com/octo-demo/widgets/pull"
THREAD = f"`src/guard.py:40` · [#9]({URL}/9) ([thread]({URL}/9#discussion_t1))"
LEFT_OUT = "PRs that stand in the list by area alone, since the planning request had no room for them"


def test_the_page_for_one_minute() -> None:
    """The whole page below its head; the flag is raised in a pull request whose number is a link."""
    given = week("en")
    stats = given.stats.updated(
        counts=tuple(
            own.updated(path="flags.migration") if own.path == "flags.missing_tests" else own
            for own in given.stats.counts
        )
    )
    bare = given.digest.updated(risks=(), recommendations=())
    page = render_markdown(build_view(week("en", stats=stats, digest=bare), brief=True))
    assert (
        page.split("\n\n", 2)[2]
        == f"""## Executive summary

- Parsing became **faster**, and the guard holds `Task<bool>` ([#101]({URL}/101), [#9]({URL}/9)).

## First of the highlights

- **[#101]({URL}/101)**: Prefetching brings the first token sooner.
- **[#9]({URL}/9)**: The property is guarded.

## Look at these

- **high** · {THREAD}: The lock is kept after an error (not resolved after 2 replies)
- migration or schema changed: [#9]({URL}/9)

## What was read

- 2 of 4 PRs not summarised: [#102]({URL}/102) (the reply was not JSON); [#103]({URL}/103) (cut at its limit).
- {LEFT_OUT}, 1 in all: [#102]({URL}/102).
- Read in full: 3 of 4 PRs; 1 in part or by name only.
"""
    )


def test_no_figure_of_a_highlight_stands_on_it_in_either_language() -> None:
    for language in ("en", "zh"):
        page = render_markdown(build_view(week(language), brief=True))
        assert "251" not in page


def test_without_a_model_it_has_titles() -> None:
    page = render_markdown(build_view(facts_week("zh"), brief=True))
    assert f"## 重点 PR 之首\n\n- **[#101]({URL}/101)**：Fix `a | b` parsing of Task\\<bool>\n" in page
    assert "执行摘要" not in page


def test_a_flag_names_its_most_important_pull_requests() -> None:
    given = week("en")
    numbers = tuple(range(1, 9))
    flag = Count(path="flags.no_approval", value=8, unit="pulls", denominator=8, pulls=numbers)
    of_week = given.collection.updated(numbers=(*given.collection.numbers, *numbers))
    page = render_markdown(
        build_view(
            week("en", stats=given.stats.updated(counts=(flag,)), digest=facts_week("en").digest, collection=of_week),
            brief=True,
        )
    )
    links = ", ".join(f"[#{number}]({URL}/{number})" for number in range(1, 6))
    assert f"\n- no approval: {links}, and 3 more\n" in page


def test_at_most_five_highlights() -> None:
    first = digest("en").highlights[1]
    many = digest("en").updated(highlights=(first,) * 7)
    page = render_markdown(build_view(week("en", digest=many), brief=True))
    assert page.count("The property is guarded.") == 5


def test_a_thread_that_is_not_severe_is_left_to_the_whole_page() -> None:
    mild = UnsettledThread(thread="t1", text="A nit", severity="medium", worded_by="model")
    summaries = {9: summary(9, unsettled_threads=(mild,))}
    page = render_markdown(build_view(week("en", summaries=summaries), brief=True))
    assert "Look at these" not in page
