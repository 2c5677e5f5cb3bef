from string import Formatter
from typing import Any, get_args

import pytest
from render_week import TTFT, week

from prhub_digest.models.digest import Language
from prhub_digest.models.signals import FlagName
from prhub_digest.models.stats import Count, Unit
from prhub_digest.models.summary import ChangeType, Dropped, Figure, MeasuredBy, Severity
from prhub_digest.models.verification import FindingKind
from prhub_digest.render.citations import figure_text, statistic_text, told_figures
from prhub_digest.render.page import Page
from prhub_digest.render.phrases import _TABLE as TABLE
from prhub_digest.render.phrases import KEYS, say


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "mean TTFT 412 → 251 ms, page size 64"),
        ({"condition": "`page size 64`"}, "mean TTFT 412 → 251 ms, page size 64"),
        ({"baseline": "412 ms"}, "mean TTFT 412 → 251 ms, page size 64"),
        (
            {"baseline_is": "other", "condition": "round robin"},
            "mean TTFT 251 ms against 412 ms, round robin",
        ),
        (
            {"value": "0.871", "unit": "", "baseline": "0.874", "baseline_is": "other", "condition": ""},
            "mean TTFT 0.871 against 0.874",
        ),
        (
            {
                "value": "68",
                "unit": "%",
                "baseline": "22 %",
                "baseline_is": "other",
                "direction": "up",
                "condition": "",
            },
            "mean TTFT 68 % against 22 %",
        ),
        (
            {"value": "about 9", "unit": "%", "baseline": "", "condition": "", "direction": "up"},
            "mean TTFT ↑ about 9 %",
        ),
        (
            {"value": "1.8", "unit": "%", "baseline": "30 860 tok/s", "condition": ""},
            "mean TTFT −1.8 % against 30 860 tok/s",
        ),
        (
            {"value": "~6", "unit": "/min", "baseline": "~140", "condition": ""},
            "mean TTFT ~140 → ~6 /min",
        ),
        (
            {"value": "39.3", "unit": "%", "baseline": "", "condition": ""},
            "mean TTFT −39.3 %",
        ),
        (
            {"value": "39.3%", "unit": "%", "baseline": "main", "direction": "up", "measured_by": "ci"},
            "mean TTFT +39.3% against main, page size 64, measured in CI",
        ),
        (
            {"value": "1.35", "unit": "x", "baseline": "", "direction": "up", "measured_by": "unknown"},
            "mean TTFT ↑ 1.35x, page size 64, source of the measurement not stated",
        ),
        (
            {"value": "-7", "unit": "%", "baseline": "", "condition": "", "measured_by": "reviewer"},
            "mean TTFT -7 %, measured by a reviewer",
        ),
        (
            {"value": "2.3k", "unit": "", "baseline": "", "direction": "none", "condition": ""},
            "mean TTFT 2.3k",
        ),
        (
            {"value": "1.8", "unit": "% slower", "baseline": "30 860 tok/s", "condition": ""},
            "mean TTFT 1.8 % slower against 30 860 tok/s",
        ),
        (
            {"value": "2x Faster", "unit": "", "baseline": "1", "condition": "", "direction": "up"},
            "mean TTFT 2x Faster against 1",
        ),
        (
            {"value": "慢 3", "unit": "%", "baseline": "", "condition": ""},
            "mean TTFT 慢 3 %",
        ),
        (
            {"value": "12", "unit": "fallbacks", "baseline": "", "condition": ""},
            "mean TTFT ↓ 12 fallbacks",
        ),
        (
            {"condition": "stated in the description, not said to be measured", "measured_by": "unknown"},
            "mean TTFT 412 → 251 ms, stated in the description, not said to be measured",
        ),
        (
            {"condition": "when measured on a GPU"},
            "mean TTFT 412 → 251 ms, when measured on a GPU",
        ),
    ],
)
def test_figures_are_written_from_their_record(changes: dict[str, Any], expected: str) -> None:
    assert figure_text("en", TTFT.updated(**changes)) == expected


@pytest.mark.parametrize(
    ("count", "english", "chinese"),
    [
        (
            Count(path="flags.missing_tests", value=3, unit="pulls", denominator=7),
            "code without tests 3 / 7 PRs",
            "缺少测试 3 / 7 个 PR",
        ),
        (Count(path="pulls.merged", value=4, unit="pulls"), "merged 4 PRs", "合并 4 个 PR"),
        (Count(path="pulls.merged", value=1, unit="pulls"), "merged 1 PR", "合并 1 个 PR"),
        (Count(path="pulls.net", value=0, unit="pulls"), "net of reverts 0 / 4 PRs", "扣除回退后 0 / 4 个 PR"),
        (Count(path="commits.direct", value=1, unit="commits"), "pushed directly 1 commit", "直接推送 1 个提交"),
        (Count(path="lines.added", value=1, unit="lines"), "added 1 line", "新增 1 行"),
        (
            Count(path="threads.open", value=1, unit="threads", denominator=2),
            "left open 1 / 2 threads",
            "未关闭 1 / 2 条讨论",
        ),
        (
            Count(path="threads.open", value=0, unit="threads", denominator=1),
            "left open 0 / 1 thread",
            "未关闭 0 / 1 条讨论",
        ),
        (Count(path="types.fix", value=3, unit="pulls"), "fix 3 / 4 PRs", "修复 3 / 4 个 PR"),
        (Count(path="labels.a.b", value=3, unit="pulls"), "label a.b 3 / 4 PRs", "标签 a.b 3 / 4 个 PR"),
        (Count(path="lines.added", value=12345, unit="lines"), "added 12,345 lines", "新增 12,345 行"),
        (
            Count(path="hours_to_merge.p90", value=30.0, unit="hours", denominator=3),
            "time to merge, 90th percentile 30 h",
            "合并用时第 90 百分位 30 小时",
        ),
        (
            Count(path="hours_to_merge.median", value=177.7, unit="hours", denominator=3),
            "median time to merge 7.4 days",
            "合并用时中位数 7.4 天",
        ),
        (
            Count(path="hours_to_merge.median", value=48, unit="hours", denominator=3),
            "median time to merge 2.0 days",
            "合并用时中位数 2.0 天",
        ),
        (Count(path="novel.thing", value=1, unit="files"), "novel.thing 1 file", "novel.thing 1 个文件"),
    ],
)
def test_statistics_say_what_they_are_counted_out_of(count: Count, english: str, chinese: str) -> None:
    assert statistic_text(Page(week("en")), count) == english
    assert statistic_text(Page(week("zh")), count) == chinese


P99 = TTFT.updated(metric="P99 TTFT", value="905", baseline="1183")
LONG = "one node with eight devices, a multi-turn trace of twelve hours, requests of 1024 tokens"


@pytest.mark.parametrize(
    ("figures", "english", "chinese"),
    [
        ([], ("", ()), ("", ())),
        (
            [TTFT],
            ("mean TTFT 412 → 251 ms, page size 64", ()),
            ("平均 TTFT 412 → 251 ms，page size 64", ()),
        ),
        ([TTFT.updated(condition="")], ("mean TTFT 412 → 251 ms", ()), ("平均 TTFT 412 → 251 ms", ())),
        (
            [TTFT.updated(condition=LONG)],
            ("", (f"mean TTFT 412 → 251 ms ({LONG})",)),
            ("", (f"平均 TTFT 412 → 251 ms（{LONG}）",)),
        ),
        (
            [TTFT, P99],
            ("", ("mean TTFT 412 → 251 ms; P99 TTFT 1183 → 905 ms (page size 64)",)),
            ("", ("平均 TTFT 412 → 251 ms；P99 TTFT 1183 → 905 ms（page size 64）",)),
        ),
        (
            [TTFT, P99, P99.updated(measured_by="ci")],
            (
                "",
                (
                    "mean TTFT 412 → 251 ms; P99 TTFT 1183 → 905 ms (page size 64)",
                    "P99 TTFT 1183 → 905 ms (page size 64, measured in CI)",
                ),
            ),
            (
                "",
                (
                    "平均 TTFT 412 → 251 ms；P99 TTFT 1183 → 905 ms（page size 64）",
                    "P99 TTFT 1183 → 905 ms（page size 64，CI 测得）",
                ),
            ),
        ),
        (
            [TTFT.updated(baseline_is="other"), P99.updated(condition="")],
            ("", ("mean TTFT 251 ms against 412 ms (page size 64)", "P99 TTFT 1183 → 905 ms")),
            ("", ("平均 TTFT 251 ms，对照 412 ms（page size 64）", "P99 TTFT 1183 → 905 ms")),
        ),
    ],
)
def test_a_condition_of_several_figures_is_told_once_and_what_is_long_stands_below(
    figures: list[Figure], english: tuple[str, tuple[str, ...]], chinese: tuple[str, tuple[str, ...]]
) -> None:
    assert told_figures("en", figures) == english
    assert told_figures("zh", figures) == chinese


def test_every_word_of_a_vocabulary_has_its_phrase() -> None:
    dropped = get_args(Dropped.model_fields["kind"].annotation)
    wanted = {
        "flag": get_args(FlagName),
        "type": get_args(ChangeType),
        "unit": get_args(Unit),
        "measured": set(get_args(MeasuredBy)) - {"author"},
        "severity": get_args(Severity),
        "found": get_args(FindingKind),
        "dropped": dropped,
        "finding": ("error", "warning"),
    }
    assert {f"{group}.{word}" for group, words in wanted.items() for word in words} <= KEYS


def values_in(text: str) -> set[str]:
    """What a phrase shows; not what only chooses between two words."""
    return {name for _, name, words, _ in Formatter().parse(text) if name and not words}


def test_both_languages_take_the_same_values() -> None:
    for key, texts in TABLE.items():
        assert all(texts), key
        english, chinese = map(values_in, texts)
        assert english == chinese, key


def test_one_is_told_in_the_singular() -> None:
    assert say("en", "close.read_all", pulls=1) == "All 1 PR was read in full."
    assert say("en", "close.read_all", pulls=1200) == "All 1,200 PRs were read in full."
    assert say("en", "highlights.share", n=1, units=1) == "1 of 1 change, by importance (0 to 10)."
    assert say("en", "highlights.share", n=0, units=2) == "0 of 2 changes, by importance (0 to 10)."
    assert say("zh", "highlights.share", n=1, units=1) == "从 1 项改动中按重要性（0 至 10）选出 1 项。"


def test_numbers_are_grouped_in_every_phrase() -> None:
    assert say("en", "fact.merged", n=1234) == "merged PRs: 1,234"
    assert say("zh", "mark.count", n=1234.5) == "（1,234.5）"


def test_an_unknown_phrase_is_a_mistake() -> None:
    language: Language = "zh"
    with pytest.raises(KeyError):
        say(language, "no.such.phrase")
