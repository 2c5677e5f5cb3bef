"""What the words of a review thread mean: replies, refusals, severities, advised names."""

from typing import Any

import pytest

from prhub_digest.signals.replies import meaning_of
from prhub_digest.signals.severity import severity_floor
from prhub_digest.signals.stances import stance_of
from prhub_digest.signals.suggestions import symbols_of

MEANINGS: dict[str, str | None] = {
    "Done": "done",
    "done!": "done",
    "Good catch, fixed.": "done",
    "Thanks for spotting this, fixed in 1a2b3c4d.": "done",
    "I have now addressed all of these.": "done",
    "The lock order in the outer loop of the worker is fixed by the latest commit": "done",
    "已修复": "done",
    "已改，谢谢": "done",
    "改了": "done",
    "修改好了": "done",
    "No, fixed it differently": "done",
    "Right. Replaced by an event wait.": "done",
    "Not done yet": None,
    "Done?": None,
    "Is this fixed?": None,
    "Will be done": None,
    "This can be fixed by a lock": None,
    "Once fixed, please ping me": None,
    "We use a fixed seed here": None,
    "The branch was abandoned": None,
    "unaddressed": None,
    "These are prefixed": None,
    "It is fixed-size": None,
    "`done` is the name of the flag": None,
    "> Done\nNo, this is meant.": None,
    "没改": None,
    "还没有修复": None,
    "不改了，保持现状": None,
    "I'll do it in a follow-up": "later",
    "Let's do this in a separate PR": "later",
    "Fixed here, the rest in a follow-up PR": "later",
    "will clean this up later": "later",
    "Added a TODO": "later",
    "That is out of scope for now": "later",
    "后续优化": "later",
    "后续 PR 再处理": "later",
    "另开一个 PR": "later",
    "单独提个 PR": "later",
    "Not now, in a follow-up": "later",
    "这次先保证不崩溃，后续 PR 里改": "later",
    "Thanks for the follow-up": None,
    "a follow-up question: why?": None,
    "Please don't leave it to a follow-up": None,
    "It is used later in the file": None,
    "This conflicts with another PR": None,
    "Removed the TODO": "done",
    "`defer f.Close()` runs at the end": None,
    "todo list widget": None,
    "不需要后续处理": None,
    "后续代码会用到": None,
    "": None,
}


@pytest.mark.parametrize(("body", "meaning"), MEANINGS.items())
def test_meaning(body: str, meaning: str | None) -> None:
    assert meaning_of(body) == meaning


SEVERITIES: dict[str, str] = {
    "This crashes on an empty list.": "high",
    "Possible race between the two workers": "high",
    "Can this deadlock?": "high",
    "That leaks a file handle": "high",
    "returns the wrong result for n=0": "high",
    "silently drops the last batch": "high",
    "这里会死锁": "high",
    "可能造成显存泄漏": "high",
    "the stack trace is hard to read": "medium",
    "match the closing brace": "medium",
    "use dependency injection here": "medium",
    "There is no race here, but why the lock?": "low",
    "This won't crash, but reads badly": "medium",
    "不会崩溃，但是不好懂": "medium",
    "Why is Optional[int] needed?": "low",
    "Why is it optional? Please make it required.": "medium",
    "Could you make it required?": "medium",
    "This must be renamed, naming is checked in CI": "medium",
    "为什么要加这个参数？": "low",
    "这里必须改命名": "medium",
    "```suggestion\nfor item in items:\n```": "low",
    "```suggestion\nfor item in items:\n```\nElse it crashes on an empty list.": "high",
    "Use the other map.\n```suggestion\nfor item in items:\n```": "medium",
    "Should the default be 5?": "medium",
    "Please initialise the counter": "medium",
    "nit: trailing comma": "low",
    "[nit] this could crash a reader's mind": "low",
    "small nit, name it `size`": "low",
    "typo": "low",
    "wording: `which` is better": "low",
    "(optional) sort these": "low",
    "错别字": "low",
    "可选：换个名字": "low",
    "```python\nraise Crash('deadlock')\n```\nWhy raise?": "low",
    "> this will crash\nWhy?": "low",
}


@pytest.mark.parametrize(("body", "severity"), SEVERITIES.items())
def test_severity_by_words(body: str, severity: str) -> None:
    assert severity_floor(body, by_bot=False) == severity


@pytest.mark.parametrize(
    ("body", "by_bot", "severity"),
    [
        ("![high](https://example.org/high.svg) Use a set.", True, "high"),
        ("![P2 Badge](https://example.org/p2.svg) This may crash.", True, "medium"),
        ("_🟡 Minor_ Guard the crash.", True, "medium"),
        ("![low](https://example.org/low.svg) Data loss.", True, "low"),
        ("**Nit (low):** This may crash.", True, "low"),
        ("**Issue (high):** Use a set.", True, "high"),
        ("Use a set **now** (high time)", True, "medium"),
        ("### Lock\n\n**High Severity**\n\nIt waits.", True, "high"),
        ("_⚠️ Potential issue_ | _🔴 Critical_\n\nGuard it.", True, "high"),
        ("**[P1]** Guard it.", True, "high"),
        ("**P3: Guard it**", True, "low"),
        ("Severity: `medium`\n\nThis may crash.", True, "medium"),
        ("**nitpick (typo):** This may crash.", True, "low"),
        ("**security:** Escape it.", True, "high"),
        ("**suggestion (performance):** Use a set.", True, "medium"),
        ("严重程度：高\n加上检查。", True, "high"),
        ("优先级：低\n可能死锁。", True, "low"),
        ("It severely matters; P50 latency", True, "medium"),
        ("![high](https://example.org/high.svg) Use a set.", False, "medium"),
    ],
)
def test_badges_count_for_bots_alone(body: str, by_bot: Any, severity: str) -> None:
    assert severity_floor(body, by_bot=by_bot) == severity


def test_a_long_comment_costs_little() -> None:
    assert meaning_of("if done " * 200_000) is None


STANCES: dict[str, str | None] = {
    "I don't think this is needed.": "declined",
    "I'd rather keep it.": "declined",
    "This is by design": "declined",
    "That's expected.": "declined",
    "not a bug": "declined",
    "won't fix": "declined",
    "Let's leave it as is": "declined",
    "Right, but I'd prefer to keep it.": "declined",
    "不同意": "declined",
    "不需要，上层已经处理": "declined",
    "先不改": "declined",
    "这是故意这样写的": "declined",
    "误报": "declined",
    "ok": "conceded",
    "Makes sense, thanks!": "conceded",
    "Sounds good": "conceded",
    "SGTM": "conceded",
    "You're right, it's unnecessary.": "conceded",
    "好的": "conceded",
    "有道理，谢谢": "conceded",
    "OK, but please add a test": None,
    "ok?": None,
    "Is this not needed?": None,
    "`by design`": None,
    "The pool holds it.": None,
    "Okapi is another tool": None,
    "很有意思": None,
    "好像还有问题": None,
    "": None,
}


@pytest.mark.parametrize(("body", "stance"), STANCES.items())
def test_stance(body: str, stance: str | None) -> None:
    assert stance_of(body) == stance


def test_symbols_are_names_that_a_remark_advises() -> None:
    body = "Use `push_left()` or call `Queue.drain`; `old_name` is odd. Prefer `x`, and rename it to `pushFirst`."
    assert symbols_of(body) == ("push_left", "Queue.drain", "pushFirst")
