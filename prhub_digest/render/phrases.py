"""Every fixed phrase of a digest, in both languages, in one table.

`{n}` is a number grouped in thousands; `{n:PR|PRs}` is the word that goes with it.
"""

from prhub_digest.models.digest import Language
from prhub_digest.render.phrases_closing import CLOSING
from prhub_digest.render.phrases_findings import FINDINGS
from prhub_digest.render.phrases_statistics import STATISTICS
from prhub_digest.render.phrases_threads import THREADS

_TABLE: dict[str, tuple[str, str]] = {  # key: (en, zh)
    # the page
    "title.week": ("{repository}: week {week} of {year}", "{repository} 周报：{year} 年第 {week} 周"),
    "title.days": ("{repository}: pull request digest", "{repository} PR 摘要"),
    "stand_in.stale": (
        "STALE: recorded for other requests: {n} of the replies behind this (--replay nearest).",
        "STALE（过期）：所依据的回复中有 {n} 条是为其他请求录制的（--replay nearest）。",
    ),
    "stand_in.stub": (
        "STUB: not written by a model. Replies made up from titles: {n}; the rest is by rules (--replay stub).",
        "STUB（占位）：内容并非模型所写。由标题拟成的回复：{n} 条，其余由规则写成（--replay stub）。",
    ),
    "fact.period": ("{first} to {last} ({timezone})", "{first} 至 {last}（{timezone}）"),
    "fact.week": ("ISO week {label}", "ISO 周 {label}"),
    "fact.merged": ("merged PRs: {n}", "合并 PR：{n}"),
    "fact.set_aside": ("{n} more set aside ({reasons})", "另有 {n} 个未纳入（{reasons}）"),
    "fact.net": ("net of reverts: {n}", "扣除回退后：{n}"),
    "fact.direct": ("direct commits: {n}", "直接提交：{n}"),
    "fact.direct_unknown": ("direct commits: unknown", "直接提交：未知"),
    "fact.highlights": ("highlights: {n} of {units} {units:change|changes}", "重点 PR：{units} 项改动中的 {n} 项"),
    "fact.templates": ("{n} of {total} sentences are templates", "{total} 个句子中有 {n} 个由模板写成"),
    "fact.no_model": ("facts only, no model was asked", "仅含事实，未使用模型"),
    "section.executive": ("Executive summary", "执行摘要"),
    "section.changes": ("Key changes", "本周重点变化"),
    "section.trends": ("Module and topic trends", "模块与主题趋势"),
    "section.risks": ("Risks", "风险观察"),
    "section.flags": ("Risk flags", "风险标记"),
    "section.threads": ("Review threads left open", "合并时未关闭的评审讨论"),
    "section.deferred": ("Review threads left for later", "留待以后处理的评审讨论"),
    "section.highlights": ("Highlighted PRs", "重点 PR 速览"),
    "section.recommendations": ("Recommendations", "后续建议"),
    "section.statistics": ("Statistics", "统计"),
    "section.pulls": ("All merged PRs by area", "全部合并 PR（按领域）"),
    "section.set_aside": ("Not part of this digest", "未纳入本摘要"),
    "brief.highlights": ("First of the highlights", "重点 PR 之首"),
    "brief.look": ("Look at these", "需要人看一眼"),
    "brief.unread": ("What was read", "阅读范围"),
    "section.closing": ("About this digest", "关于本摘要"),
    "empty.section": ("Nothing this week.", "本周无。"),
    "empty.period": ("No pull request was merged in this period.", "本周期内没有合并任何 PR。"),
    "empty.set_aside": (
        "None of the pull requests merged in this period is part of this digest; they are named below.",
        "本周期合并的 PR 均未纳入本摘要，见下。",
    ),
    "empty.title": ("(no title)", "（无标题）"),
    "empty.label": ("(empty)", "（空）"),
    "empty.highlights": ("No PR was highlighted.", "没有重点 PR。"),
    "highlights.share": (
        "{n} of {units} {units:change|changes}, by importance (0 to 10).",
        "从 {units} 项改动中按重要性（0 至 10）选出 {n} 项。",
    ),
    "highlights.rule": (
        (
            "{n} of {units} {units:change|changes}, by importance (0 to 10)."
            " A page shows {percent} % of the changes at most, or one, and never more than {most}."
        ),
        (
            "从 {units} 项改动中按重要性（0 至 10）选出 {n} 项；"
            "不超过改动数的 {percent}%（不足一项取一项），且至多 {most} 项。"
        ),
    ),
    "highlights.forced": (
        "{n} of them {n:stands|stand} here by the settings, beyond these limits if need be.",
        "其中 {n} 项由设置指定，可超出上述上限。",
    ),
    "highlights.units": (
        "A revert with what it reverts, the parts of a series, and a change with its ports count as one change each.",
        "回退与被它回退的 PR、同一系列的各部分、改动及其移植，各合计为一项。",
    ),
    # columns
    "column.flag": ("Flag", "标记"),
    "column.count": ("PRs", "PR 数"),
    "column.unknown": ("Unknown", "未知"),
    "column.pulls": ("Which", "涉及的 PR"),
    "column.pull": ("PR", "PR"),
    "column.title": ("Title", "标题"),
    "column.importance": ("Importance", "重要性"),
    "column.area": ("Area", "领域"),
    "column.measure": ("Measure", "指标"),
    "column.value": ("Value", "数值"),
    # punctuation of a line
    "mark.stop": (".", "。"),
    "mark.open": (" (", "（"),
    "mark.close": (")", "）"),
    "mark.colon": (": ", "："),
    "mark.comma": (", ", "，"),
    "mark.list": (", ", "、"),
    "mark.semicolon": ("; ", "；"),
    "mark.count": (" ({n})", "（{n}）"),
    "mark.joint": (" · ", " · "),
    "mark.more": ("and {n} more", "另有 {n} 项"),
    # figures
    "figures.whose": (
        "Measured figures are the PR authors' own unless it is said otherwise; none was measured again.",
        "测量数据除另有说明外均为 PR 作者自测，未经复测。",
    ),
    "measured.reviewer": ("measured by a reviewer", "评审者测得"),
    "measured.ci": ("measured in CI", "CI 测得"),
    "measured.unknown": ("source of the measurement not stated", "未说明由谁测得"),
    "figure.against": (" against {baseline}", "，对照 {baseline}"),
    # entries
    "entry.importance": ("importance {n}", "重要性 {n}"),
    "entry.answers": ("answers risk {n}", "对应风险 {n}"),
    "entry.not_summarised": ("not summarised: ", "未生成摘要："),
    "entry.no_reason": ("no reply was stored", "没有保存的回复"),
    "entry.bot": ("by a bot", "机器人提交"),
    "entry.asked": ("asked: ", "原评论："),
    "entry.thread": ("thread", "讨论"),
    "entry.other": ("other", "其他"),
    # why a pull request is set aside: with a count in the line of facts, and as the head of a list
    "aside.bot": ("{n} by bots", "机器人提交 {n} 个"),
    "aside.base": ("{n} into other branches", "合入其他分支 {n} 个"),
    "aside.author": ("{n} by author", "按作者排除 {n} 个"),
    "aside.label": ("{n} by label", "按标签排除 {n} 个"),
    "aside.path": ("{n} by path", "按路径排除 {n} 个"),
    "set_aside.bot": ("By bots", "机器人提交"),
    "set_aside.base": ("Into other branches", "合入其他分支"),
    "set_aside.author": ("Left out by author", "按作者排除"),
    "set_aside.label": ("Left out by label", "按标签排除"),
    "set_aside.path": ("Left out by path", "按改动的文件排除"),
    "severity.low": ("low", "低"),
    "severity.medium": ("medium", "中"),
    "severity.high": ("high", "高"),
    # flags
    "flag.missing_tests": ("code without tests", "缺少测试"),
    "flag.core_path": ("core code changed", "核心代码变更"),
    "flag.large_change": ("large change", "改动过大"),
    "flag.no_approval": ("no approval", "未经批准"),
    "flag.self_merged": ("merged by its author", "作者自行合并"),
    "flag.open_threads": ("open review threads", "遗留评审讨论"),
    "flag.public_api": ("public interface changed", "公开接口变更"),
    "flag.configuration": ("settings added or removed", "配置项增减"),
    "flag.default_changed": ("default value changed", "默认值变更"),
    "flag.dependency": ("dependency changed", "依赖变更"),
    "flag.migration": ("migration or schema changed", "迁移或数据模式变更"),
    "flag.security_path": ("security-sensitive code", "涉及安全的代码"),
    "flag.generated_without_source": ("generated file without its source", "仅改动生成文件"),
    "flag.revert": ("revert", "回退"),
    "type.feature": ("feature", "新功能"),
    "type.fix": ("fix", "修复"),
    "type.performance": ("performance", "性能"),
    "type.refactor": ("refactoring", "重构"),
    "type.test": ("tests", "测试"),
    "type.docs": ("documentation", "文档"),
    "type.build": ("build", "构建"),
    "type.dependency": ("dependencies", "依赖"),
    "type.revert": ("revert", "回退"),
    "type.other": ("other", "其他"),
    **CLOSING,
    **FINDINGS,
    **STATISTICS,
    **THREADS,
}
KEYS = frozenset(_TABLE)


def say(language: Language, key: str, /, **values: object) -> str:
    """A phrase with its values filled in; numbers are grouped.

    Raises:
        KeyError: there is no such phrase; a mistake in the program.
    """
    english, chinese = _TABLE[key]
    told = {name: _Number(value) if isinstance(value, int | float) else value for name, value in values.items()}
    return (chinese if language == "zh" else english).format(**told)


class _Number:
    """A number in a phrase: its text, or one of the two words that a phrase gives for it."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, words: str) -> str:
        one, _, more = words.partition("|")
        return (one if self._value == 1 else more) if words else number_text(self._value)


def number_text(value: float) -> str:
    """With commas between thousands, and one decimal unless the number is whole."""
    return f"{value:,.1f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"
