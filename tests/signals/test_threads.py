from datetime import timedelta
from typing import Any

import pytest
from signal_builders import AUTHOR, BOT, MONDAY, REVIEWER, edit, pull, review, thread

from prhub_digest.models.pull_request import Comment, Commit, FollowUp, Person, PullRequest, ReviewThread
from prhub_digest.models.signals import ThreadOutcome
from prhub_digest.signals.threads import thread_outcomes

ASKED = (REVIEWER, "Should this lock be held here?")
DONE = (AUTHOR, "Done.")
WHY = (REVIEWER, "Why is no lock held here?")
DISPUTED = "the author declines, and the reviewer does not agree"
ANSWERED = "a question that the author answered"

OUTCOMES: dict[str, tuple[ReviewThread, str, str]] = {
    "resolved": (
        thread(ASKED, resolved=True, resolved_by=REVIEWER),
        "done",
        "resolved by bo",
    ),
    "no reply": (thread(ASKED, resolved=False), "open", "not resolved, no reply"),
    "a reply that decides nothing": (
        thread(ASKED, (AUTHOR, "Let me look at it."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "declined": (
        thread(ASKED, (AUTHOR, "No need, it is single-threaded."), resolved=False),
        "disputed",
        DISPUTED,
    ),
    "declined, and the reviewer insists": (
        thread(ASKED, (AUTHOR, "It is intended."), (REVIEWER, "Still, please hold it."), resolved=False),
        "disputed",
        DISPUTED,
    ),
    "declined, and its author resolves": (
        thread(ASKED, (AUTHOR, "I disagree."), resolved=True, resolved_by=AUTHOR),
        "disputed",
        DISPUTED,
    ),
    "zh: declined": (
        thread((REVIEWER, "这里要加锁。"), (AUTHOR, "没必要，单线程。"), resolved=False),
        "disputed",
        DISPUTED,
    ),
    "declined, and the reviewer agrees": (
        thread(ASKED, (AUTHOR, "It is intended."), (REVIEWER, "Fair enough."), resolved=False),
        "answered",
        "the author declines, and the reviewer agrees",
    ),
    "zh: declined, and the reviewer agrees": (
        thread((REVIEWER, "这里要加锁。"), (AUTHOR, "没必要，单线程。"), (REVIEWER, "好的，明白"), resolved=False),
        "answered",
        "the author declines, and the reviewer agrees",
    ),
    "declined, and the reviewer resolves": (
        thread(ASKED, (AUTHOR, "I disagree."), resolved=True, resolved_by=REVIEWER),
        "answered",
        "the author declines, and it was resolved",
    ),
    "declined, and nothing is known of the rest": (
        thread(ASKED, (AUTHOR, "I disagree.")),
        "unknown",
        "the author declines; whether it was resolved is not known",
    ),
    "a bot's remark declined": (
        thread((BOT, "This may leak."), (AUTHOR, "False positive."), resolved=False),
        "answered",
        "the author declines a bot's remark",
    ),
    "a reviewer's refusal is not the author's": (
        thread(ASKED, (Person(login="cy", kind="human"), "I don't think so."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "declined, then done after all": (
        thread(ASKED, (AUTHOR, "I disagree."), (REVIEWER, "Please."), DONE, resolved=False, outdated=True),
        "done",
        "the author says done, and the thread is outdated",
    ),
    "done, then a second wish declined": (
        thread(ASKED, DONE, (REVIEWER, "Rename it too."), (AUTHOR, "I'd rather keep it."), resolved=False),
        "disputed",
        DISPUTED,
    ),
    "a question answered": (thread(WHY, (AUTHOR, "The pool holds it."), resolved=False), "answered", ANSWERED),
    "a question declined": (thread(WHY, (AUTHOR, "By design."), resolved=False), "answered", ANSWERED),
    "a question answered, with thanks": (
        thread(WHY, (AUTHOR, "The pool holds it."), (REVIEWER, "Got it, thanks!"), resolved=False),
        "answered",
        ANSWERED,
    ),
    "a question answered, and resolved": (
        thread(WHY, (AUTHOR, "The pool holds it."), resolved=True, resolved_by=REVIEWER),
        "answered",
        ANSWERED,
    ),
    "a question resolved without a word": (
        thread(WHY, resolved=True, resolved_by=REVIEWER),
        "done",
        "resolved by bo",
    ),
    "a question met with a change": (
        thread(WHY, DONE, resolved=True, resolved_by=REVIEWER),
        "done",
        "resolved by bo",
    ),
    "zh: a question answered": (
        thread((REVIEWER, "为什么这里不加锁？"), (AUTHOR, "线程池已经加锁。"), resolved=False),
        "answered",
        ANSWERED,
    ),
    "a question answered, then more": (
        thread(WHY, (AUTHOR, "The pool holds it."), (REVIEWER, "And after a fork?"), resolved=False),
        "open",
        "not resolved after 2 replies",
    ),
    "a question met with a promise": (
        thread(WHY, (AUTHOR, "Not sure, let me check."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "a question met with a question": (
        thread(WHY, (AUTHOR, "Which lock?"), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "a question answered by another": (
        thread(WHY, (Person(login="cy", kind="human"), "The pool holds it."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "a bot's question": (
        thread((BOT, "Why is no lock held here?"), (AUTHOR, "The pool holds it."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "a wish in the form of a question": (
        thread((REVIEWER, "Could you hold the lock here?"), (AUTHOR, "The pool holds it."), resolved=False),
        "open",
        "not resolved after 1 reply",
    ),
    "deferred by its own author": (
        thread((AUTHOR, "Note: the lock comes in a follow-up PR."), resolved=False),
        "deferred",
        "the author leaves it for later",
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
        "opened by an author of the pull request",
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
    assert [item.self_review for item in found] == [self_opened]


CUT = "core/queue.py"
BEFORE = "@@ -1,2 +1,2 @@\n def push(item):\n+    self.items.append(item)"
SUGGESTED = (REVIEWER, "```suggestion\n    self.items.push_left(item)\n```")
ADVISED = (REVIEWER, "Use `push_left` instead of `append` here.")


def outcome_of(record: ReviewThread, *lines: str, **fields: Any) -> str:
    found = thread_outcomes(pull(1, threads=(record,), files=(edit(CUT, *lines),), **fields)) or ()
    return found[0].outcome


@pytest.mark.parametrize(
    ("said", "lines", "expected"),
    [
        ((SUGGESTED,), ("+    self.items.push_left(item)",), "done"),
        ((SUGGESTED,), ("+    self.items.append(item)",), "open"),
        # The line stood there all the time.
        ((SUGGESTED,), ("     self.items.push_left(item)",), "open"),
        ((SUGGESTED,), ("-    self.items.push_left(item)",), "open"),
        (((REVIEWER, "```suggestion\n    self.items.append(item)\n```"),), ("+    self.items.append(item)",), "open"),
        ((ADVISED,), ("+    self.items.push_left(item)",), "unknown"),
        ((ADVISED,), ("+    self.items.push_lefty(item)",), "open"),
        ((ADVISED, DONE), ("+    self.items.push_left(item)",), "done"),
        ((ADVISED, DONE), ("+    self.items.append(item)",), "open"),
        (((REVIEWER, "`push_left` looks wrong."),), ("+    self.items.push_left(item)",), "open"),
        (((REVIEWER, "这里改成 `push_left`。"),), ("+    self.items.push_left(item)",), "unknown"),
    ],
)
def test_what_was_suggested_stands_in_the_merged_file(
    said: tuple[tuple[Person, str], ...], lines: tuple[str, ...], expected: str
) -> None:
    assert outcome_of(thread(*said, resolved=False, outdated=False, diff_hunk=BEFORE), *lines) == expected


def test_a_suggestion_counts_in_its_own_file_alone() -> None:
    record = thread(SUGGESTED, resolved=False, path="core/other.py")
    assert outcome_of(record, "+    self.items.push_left(item)") == "open"


def test_an_approval_after_a_refusal_settles_it() -> None:
    def outcome(approved: int, refused: int | None) -> str:
        said = Comment(
            id="c2", author=AUTHOR, body="I disagree.", created_at=refused and MONDAY + timedelta(hours=refused)
        )
        first = Comment(id="c1", author=REVIEWER, body="Hold the lock.")
        record = ReviewThread(id="t", path=CUT, resolved=False, comments=(first, said))
        return outcome_of(record, "+a", reviews=(review(REVIEWER, "approved", approved),))

    assert (outcome(3, 2), outcome(1, 2), outcome(3, None)) == ("answered", "disputed", "disputed")


TITLE = "Follow-up: hold the lock"

FOLLOW_UPS: dict[str, tuple[PullRequest, tuple[str, tuple[int, ...]]]] = {
    "names it and changes the file": (pull(2, CUT, body="Follow-up to #1."), ("deferred", (2,))),
    "names it in a commit": (
        pull(2, CUT, commits=(Commit(sha="a" * 40, message="As asked in #1", author=AUTHOR),)),
        ("deferred", (2,)),
    ),
    "changes the advised name": (pull(2, files=(edit(CUT, "-a", "+push_left(a)"),)), ("unknown", (2,))),
    "names it, in another file": (pull(2, "core/other.py", body="Follow-up to #1."), ("open", ())),
    "changes the file alone": (pull(2, CUT), ("open", ())),
    "names another number": (pull(2, CUT, body="See #12."), ("open", ())),
    "too late": (pull(2, CUT, body="#1", merged_at=MONDAY + timedelta(days=20)), ("open", ())),
    "before it": (pull(2, CUT, body="#1", merged_at=MONDAY), ("open", ())),
}


@pytest.mark.parametrize(("later", "expected"), FOLLOW_UPS.values(), ids=FOLLOW_UPS.keys())
def test_follow_ups_of_the_week(later: PullRequest, expected: tuple[str, tuple[int, ...]]) -> None:
    one = pull(1, CUT, threads=(thread(ADVISED, resolved=False),))
    found = thread_outcomes(one, (later, one)) or ()
    assert [(item.outcome, item.follow_ups) for item in found] == [expected]


@pytest.mark.parametrize(
    ("follow_up", "expected"),
    [
        (FollowUp(number=9, title=TITLE, merged_at=MONDAY + timedelta(days=3)), ("deferred", (9,))),
        (FollowUp(number=9, title=TITLE), ("deferred", (9,))),
        (FollowUp(number=9, title="后续：加锁"), ("deferred", (9,))),
        (FollowUp(number=9, title="Use push_left everywhere"), ("deferred", (9,))),
        (FollowUp(number=9, title="Release notes"), ("open", ())),
        (FollowUp(number=9, title=TITLE, merged_at=MONDAY + timedelta(days=20)), ("open", ())),
    ],
)
def test_follow_ups_that_the_source_knows(follow_up: FollowUp, expected: tuple[str, tuple[int, ...]]) -> None:
    one = pull(1, CUT, threads=(thread(ADVISED, resolved=False),), follow_ups=(follow_up,))
    assert [(item.outcome, item.follow_ups) for item in thread_outcomes(one) or ()] == [expected]


def test_a_deferred_thread_names_who_takes_it_up_and_a_closed_one_nobody() -> None:
    later = pull(2, CUT, body="Follow-up to #1.")
    records = (
        thread(ASKED, (AUTHOR, "In a follow-up."), resolved=True),
        thread(ASKED, DONE, resolved=True),
    )
    found = thread_outcomes(pull(1, CUT, threads=records), (later,)) or ()
    assert [(item.outcome, item.follow_ups) for item in found] == [("deferred", (2,)), ("done", ())]
