"""The severity floor of a review remark: badges of review bots, then words."""

import re

from prhub_digest.models.summary import Severity
from prhub_digest.signals.replies import plain_text
from prhub_digest.signals.stances import only_asks
from prhub_digest.signals.suggestions import has_suggestion

# How review bots grade: `![high](…)`, `![P1 Badge](…)`, `🟠 Major`, `**Issue (high):**`, `**High Severity**`,
# `**[P2]**`, `Severity: medium`, `**nitpick (typo):**`, `**issue (bug_risk):**`, 严重程度：高
_BADGE = re.compile(
    r"!\[(?:badge:?\s*)?(?P<image>critical|high|medium|low)\b|!\[P(?P<level>[0-3])\b"
    r"|(?P<dot>[🔴🟠🟡🔵])\s*(?:critical|major|minor|trivial)"
    r"|^\W{0,4}\*\*[^*\n()]{1,40}\((?P<word>critical|high|medium|low)\)"
    r"|\*\*\s*(?P<grade>critical|high|medium|low)[\s-]+(?:severity|priority)\s*\*\*"
    r"|^\W{0,12}\[?P(?P<tag>[0-3])\]?\W{0,4}(?:[\s:*\]]|$)"
    r"|\b(?:severity|priority)\W{1,6}(?P<said>critical|high|medium|low)\b"
    r"|^\W{0,4}\*\*(?P<comment>nitpick|suggestion|issue|security)\s*(?:\([\w ,-]{1,40}\))?:\*\*"
    r"|(?:严重(?:程度|性)|优先级)\s*[:：]\s*(?P<zh>严重|高|中|低)",
    re.IGNORECASE | re.MULTILINE,
)
_BADGES: dict[str, Severity] = {
    "critical": "high",
    "high": "high",
    "medium": "medium",
    "low": "low",
    "0": "high",
    "1": "high",
    "2": "medium",
    "3": "low",
    "🔴": "high",
    "🟠": "high",
    "🟡": "medium",
    "🔵": "low",
    "nitpick": "low",
    "suggestion": "medium",
    "issue": "medium",
    "security": "high",
    "严重": "high",
    "高": "high",
    "中": "medium",
    "低": "low",
}
_NIT_FIRST = re.compile(
    r"^\W*(?:(?:super|very|small|minor|tiny)\s+)?(?:nits?|nitpick|optional|minor|typo|style)\b\W|^\W*(?:小问题|可选|笔误|错别字)",
    re.IGNORECASE,
)
_HIGH = re.compile(
    r"\b(?:crash(?:es|ed|ing)?|segfaults?|segmentation fault|data loss|infinite loop|undefined behaviou?r"
    r"|hangs?|starv(?:es?|ing|ation)|fails? with an? \w+(?:Error|Exception)|(?:becomes?|ends? in) an? (?:HTTP )?500"
    r"|los(?:e|es|ing) (?:\w+ )?(?:data|events|updates|writes)|data races?|race conditions?|rac(?:e|es|y|ing)"
    r"|deadlock(?:s|ed)?|livelock|security|vulnerab(?:le|ility|ilities)|(?<!dependency )injection"
    r"|corrupt(?:s|ed|ing|ion)?|use[- ]after[- ]free|double free|out[- ]of[- ]bounds|buffer overflow"
    r"|leak(?:s|ed|ing|age)?|(?:wrong|incorrect) (?:results?|outputs?|answers?|values?)"
    r"|silently (?:drop(?:s|ped)?|los(?:e|es|t)|wrong|ignor(?:e|es|ed)))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|not|never|without|cannot|avoids?|prevents?)\b|n['’]t\b", re.IGNORECASE)
_HIGH_ZH = re.compile(
    r"崩溃|竞态|竞争条件|数据竞争|死锁|死循环|(?:内存|显存|资源|句柄)泄[漏露]|泄[漏露]|越界|丢数据|数据丢失|丢失数据|安全漏洞|注入|结果(?:错误|不对|不正确)|段错误"
)
_DENIED_ZH = re.compile(r"[不没无未]|避免|防止")
_LOW = re.compile(
    r"\b(?:nits?|nitpick(?:s|ing)?|typos?|style|stylistic|cosmetic|wording|spelling|grammar|whitespace"
    r"|indentation|formatting|rename|naming|just (?:noting|fyi)|non[- ]blocking)\b"
    r"|[(\[]optional[)\]]|错别字|笔误|拼写|(?:代码|排版)格式|代码风格|命名",
    re.IGNORECASE,
)
# A matter of taste that must be changed all the same.
_DEMAND = re.compile(
    r"\b(?:must|(?<!non[- ])blocking|blocker|required|have to|needs? to be)\b|必须|务必|一定要", re.IGNORECASE
)
_REACH = 20
_REACH_ZH = 3


def severity_floor(body: str, *, by_bot: bool) -> Severity:
    """How serious a remark is at least, from its first comment.

    A review bot's own badge decides; then a leading "nit:"; then words for damage that are not denied; then words for
    taste or for a note; then a suggestion block without a word, or nothing but questions for an answer: low. Everything
    else is medium, so a wish or a demand is. Code and quoted lines are not read.
    """
    badge = _BADGE.search(body) if by_bot else None
    if badge:
        return _BADGES[next(value for value in badge.groups() if value).casefold()]
    text = plain_text(body)
    if _NIT_FIRST.search(text):
        return "low"
    if _stands(_HIGH, _DENIED, text, _REACH) or _stands(_HIGH_ZH, _DENIED_ZH, text, _REACH_ZH):
        return "high"
    if _LOW.search(text) and not _DEMAND.search(text):
        return "low"
    wordless = has_suggestion(body) and not any(map(str.isalnum, text))
    return "low" if wordless or only_asks(body) else "medium"


def names_damage(text: str) -> bool:
    """Whether it names damage, such as a crash or lost data; a fix denies what it names."""
    return bool(_HIGH.search(text) or _HIGH_ZH.search(text))


def _stands(words: re.Pattern[str], denial: re.Pattern[str], text: str, reach: int) -> bool:
    """Whether one of the words occurs without a denial shortly before it."""
    return any(not denial.search(text[max(0, found.start() - reach) : found.start()]) for found in words.finditer(text))
