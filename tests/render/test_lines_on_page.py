"""Translated lines stand on the page in place of the English ones, as far as there are any."""

from dataclasses import replace

import pytest
from render_week import digest, week

from prhub_digest.models.digest import TranslatedLine
from prhub_digest.render.records import RenderInput
from prhub_digest.render.text import render_text
from prhub_digest.render.view import build_view

THREAD = TranslatedLine(id="9.thread.t1", text="出错后锁未释放")
HEADLINE = TranslatedLine(id="9.headline", text="`Task<bool>`已加保护")
METRIC = TranslatedLine(id="p1.f1.metric", text="TTFT均值")
CONDITION = TranslatedLine(id="p1.f1.condition", text="页大小64。")


def given(*lines: TranslatedLine, **changes: object) -> RenderInput:
    return week("zh", digest=digest("zh").updated(lines=lines, **changes))


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        (THREAD, "：The lock is kept after an error（", "：出错后锁未释放（"),
        (
            HEADLINE,
            "\n  - The guard of `Task<bool>` holds; cc @octocat\n",
            "\n  - `Task<bool>` 已加保护\n",
        ),
        (
            METRIC,
            "（平均 TTFT 412 → 251 ms，page size 64）",
            "（TTFT 均值 412 → 251 ms，page size 64）",
        ),
        (CONDITION, " ms，page size 64）", " ms，页大小 64）"),
    ],
)
def test_a_line_stands_in_its_place_and_nothing_else_changes(line: TranslatedLine, before: str, after: str) -> None:
    english, chinese = render_text(build_view(given())), render_text(build_view(given(line)))
    assert before in english
    assert chinese == english.replace(before, after)


def test_the_page_for_one_minute_has_the_threads_in_its_language_too() -> None:
    assert "：出错后锁未释放（" in render_text(build_view(given(THREAD), brief=True))


def test_a_headline_that_is_the_title_stands_below_it_in_another_language() -> None:
    head, summary = week("zh").pulls[9], week("zh").summaries[9]
    told = replace(given(HEADLINE), summaries={9: summary.updated(headline=head.title)})
    assert "\n  - `Task<bool>` 已加保护\n" in render_text(build_view(told))
