"""What became of each review thread. "Unknown" is a normal answer."""

from typing import Literal

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Comment, PullRequest, ReviewThread
from prhub_digest.models.signals import ThreadOutcome
from prhub_digest.signals.replies import Meaning, meaning_of
from prhub_digest.signals.severity import severity_floor

SELF_OPENED = "opened by the author of the pull request"

_Outcome = Literal["done", "open", "deferred", "unknown"]


def thread_outcomes(pull: PullRequest) -> tuple[ThreadOutcome, ...] | None:
    """One outcome a thread, in the record's order; None when the threads are not known."""
    if pull.threads is None:
        return None
    return tuple(_outcome(thread, pull) for thread in pull.threads)


def _outcome(thread: ReviewThread, pull: PullRequest) -> ThreadOutcome:
    first = thread.comments[0] if thread.comments else None
    by_bot = first is not None and is_bot(first.author)
    outcome, reason = _decide(thread, pull, first)
    return ThreadOutcome(
        thread=thread.id,
        path=thread.path,
        line=thread.line,
        url=thread.url,
        outcome=outcome,
        reason=reason,
        severity=severity_floor(first.body, by_bot=by_bot) if first else "medium",
        author_kind="unknown" if first is None else "bot" if by_bot else first.author.kind,
        first_comment=first.body if first else "",
    )


def _decide(thread: ReviewThread, pull: PullRequest, first: Comment | None) -> tuple[_Outcome, str]:
    if first is not None and same_person(first.author, pull.author):
        return "done", SELF_OPENED
    said, by_author = _last_word(thread, pull)
    if said == "later":
        return "deferred", f"{'the author' if by_author else 'a reviewer'} leaves it for later"
    if thread.resolved:
        return "done", f"resolved by {thread.resolved_by.label}" if thread.resolved_by else "resolved"
    if first is not None and is_bot(first.author) and first.minimized:
        return "done", "a bot's remark, minimized"
    return _claimed_done(thread) if said == "done" else _unanswered(thread)


def _unanswered(thread: ReviewThread) -> tuple[_Outcome, str]:
    if thread.lines_changed_later:
        return "unknown", "not resolved, but a later commit changed the lines"
    if thread.resolved is None:
        return "unknown", "the source does not know whether it was resolved"
    replies = len(thread.comments) - 1
    return "open", f"not resolved after {replies} {'reply' if replies == 1 else 'replies'}" if replies > 0 else (
        "not resolved, no reply"
    )


def _claimed_done(thread: ReviewThread) -> tuple[_Outcome, str]:
    """The author says done: believed when the lines changed."""
    if thread.lines_changed_later:
        return "done", "the author says done, and a later commit changed the lines"
    if thread.outdated:
        return "done", "the author says done, and the thread is outdated"
    # A remark on a whole file is never outdated, which then says nothing.
    if thread.lines_changed_later is None and (thread.outdated is None or thread.line is None):
        return "unknown", "the author says done; whether the lines changed is not known"
    return "open", "the author says done, but the lines did not change"


def _last_word(thread: ReviewThread, pull: PullRequest) -> tuple[Meaning | None, bool]:
    """The last reply of a person that says done or later, and whether an author wrote it."""
    authors = (pull.author, *pull.co_authors)
    for comment in reversed(thread.comments[1:]):
        said = None if is_bot(comment.author) else meaning_of(comment.body)
        by_author = any(same_person(comment.author, author) for author in authors)
        # A reviewer's "fixed" is not the author's word.
        if said == "later" or (said == "done" and by_author):
            return said, by_author
    return None, False
