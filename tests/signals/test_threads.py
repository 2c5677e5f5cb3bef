from typing import Any

import pytest
from signal_builders import AUTHOR, BOT, REVIEWER, pull, thread

from prhub_digest.models.pull_request import Comment, Person, ReviewThread
from prhub_digest.models.signals import ThreadOutcome
from prhub_digest.signals.replies import meaning_of
from prhub_digest.signals.severity import severity_floor
from prhub_digest.signals.threads import thread_outcomes

ASKED = (REVIEWER, "Should this lock be held here?")
DONE = (AUTHOR, "Done.")

OUTCOMES: dict[str, tuple[ReviewThread, str, str]] = {
    "resolved": (
        thread(ASKED, resolved=True, resolved_by=REVIEWER),
        "done",
        "resolved by bo",
    ),
    "no reply": (thread(ASKED, resolved=False), "open", "not resolved, no reply"),
    "a reply that decides nothing": (
        thread(ASKED, (AUTHOR, "It is meant."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "done and the lines changed": (
        thread(ASKED, DONE, resolved=False, lines_changed_later=True),
        "done",
        "the author says done, and a later commit changed the lines",
    ),
    "done and outdated": (
        thread(ASKED, DONE, resolved=False, outdated=True),
        "done",
        "the author says done, and the thread is outdated",
    ),
    "done, but nothing changed": (
        thread(ASKED, DONE, resolved=False, outdated=False),
        "open",
        "the author says done, but the lines did not change",
    ),
    "done, on a whole file": (
        thread(ASKED, DONE, resolved=False, outdated=False, line=None),
        "unknown",
        "the author says done; whether the lines changed is not known",
    ),
    "done, and nothing is known of the lines": (
        thread(ASKED, DONE),
        "unknown",
        "the author says done; whether the lines changed is not known",
    ),
    "a reviewer's done is not the author's": (
        thread(ASKED, (REVIEWER, "Done."), resolved=False, outdated=True),
        "open",
        "not resolved after 1 reply",
    ),
    "changed later without a word": (
        thread(ASKED, resolved=False, lines_changed_later=True),
        "unknown",
        "not resolved, but a later commit changed the lines",
    ),
    "left for later by the author": (
        thread(ASKED, (AUTHOR, "I'll do that in a follow-up."), resolved=False),
        "deferred",
        "the author leaves it for later",
    ),
    "left for later, and the thread resolved": (
        thread(ASKED, (REVIEWER, "Fine in a separate PR."), resolved=True),
        "deferred",
        "a reviewer leaves it for later",
    ),
    "later, then done after all": (
        thread(ASKED, (AUTHOR, "In a follow-up."), DONE, resolved=False, outdated=True),
        "done",
        "the author says done, and the thread is outdated",
    ),
    "a bot's reply decides nothing": (
        thread(ASKED, (BOT, "Will be handled in a follow-up."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "opened by the author": (
        thread((AUTHOR, "Note for reviewers: moved."), resolved=False),
        "done",
        "opened by the author of the pull request",
    ),
    "not known": (thread(ASKED), "unknown", "the source does not know whether it was resolved"),
}


@pytest.mark.parametrize(("record", "outcome", "reason"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_outcome(record: ReviewThread, outcome: str, reason: str) -> None:
    found = thread_outcomes(pull(1, threads=(record,)))
    assert found is not None
    assert [(item.outcome, item.reason) for item in found] == [(outcome, reason)]


def test_a_minimized_remark_of_a_bot_is_closed_a_person_s_is_not() -> None:
    def outcome(author: Person) -> str:
        comment = Comment(id="c", author=author, body="Check this.", minimized=True)
        record = ReviewThread(id="t", path="a.py", resolved=False, comments=(comment,))
        return (thread_outcomes(pull(1, threads=(record,))) or ())[0].outcome

    assert (outcome(BOT), outcome(REVIEWER)) == ("done", "open")


def test_a_co_author_speaks_for_the_author() -> None:
    record = thread(ASKED, (BOT, "ok"), (Person(login="cy"), "Replaced by an event."), resolved=False, outdated=True)
    found = thread_outcomes(pull(1, threads=(record,), co_authors=(Person(login="cy"),)))
    assert found is not None
    assert found[0].outcome == "done"


def test_whole_outcome() -> None:
    record = thread((BOT, "This leaks the handle."), resolved=False, url="https://example.org/t1")
    assert thread_outcomes(pull(1, threads=(record,))) == (
        ThreadOutcome(
            thread="t1",
            path="core/queue.py",
            line=8,
            url="https://example.org/t1",
            outcome="open",
            reason="not resolved, no reply",
            severity="high",
            author_kind="bot",
            first_comment="This leaks the handle.",
        ),
    )


def test_no_threads_is_not_the_same_as_unknown_threads() -> None:
    assert thread_outcomes(pull(1, threads=())) == ()
    assert thread_outcomes(pull(1, threads=None)) is None


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
    "There is no race here, but why the lock?": "medium",
    "This won't crash, but reads badly": "medium",
    "不会崩溃，但是不好懂": "medium",
    "Why is Optional[int] needed?": "medium",
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
    "```python\nraise Crash('deadlock')\n```\nWhy raise?": "medium",
    "> this will crash\nWhy?": "medium",
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
        ("![high](https://example.org/high.svg) Use a set.", False, "medium"),
    ],
)
def test_badges_count_for_bots_alone(body: str, by_bot: Any, severity: str) -> None:
    assert severity_floor(body, by_bot=by_bot) == severity


def test_a_long_comment_costs_little() -> None:
    assert meaning_of("if done " * 200_000) is None


DELETED = Person(kind="deleted")
COPILOT = Person(login="Copilot", kind="bot")


@pytest.mark.parametrize(
    ("opened_by", "author", "self_opened"),
    [
        (DELETED, DELETED, False),
        (DELETED, AUTHOR, False),
        (AUTHOR, DELETED, False),
        (AUTHOR, AUTHOR, True),
        (COPILOT, Person(login="copilot-pull-request-reviewer[bot]", kind="bot"), True),
        (COPILOT, Person(login="copilot-swe-agent", kind="bot"), False),
        (Person(login="ada", kind="bot"), AUTHOR, False),
    ],
)
def test_only_the_author_opens_a_thread_on_the_own_pull_request(
    opened_by: Person, author: Person, self_opened: bool
) -> None:
    record = thread((opened_by, "Note for reviewers: moved."), resolved=False)
    found = thread_outcomes(pull(1, threads=(record,), author=author)) or ()
    assert [item.reason == "opened by the author of the pull request" for item in found] == [self_opened]
