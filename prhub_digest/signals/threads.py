"""What became of each review thread. "Unknown" is a normal answer. The table: docs/risk-flags.md."""

from collections.abc import Callable

from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest, ReviewThread
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import ThreadOutcome
from prhub_digest.signals.follow_ups import Week, taken_up
from prhub_digest.signals.refusals import Told, answered, declined, is_author
from prhub_digest.signals.replies import Meaning, meaning_of
from prhub_digest.signals.severity import severity_floor
from prhub_digest.signals.stances import stance_of
from prhub_digest.signals.suggestions import suggestion_stands, symbol_stands

SELF_OPENED = "opened by an author of the pull request"
_DEFAULTS = SignalSettings()
_ALONE = Week.of(())
# What the last reply that decides says, and whether an author wrote it.
_LastWord = tuple[Meaning | None, bool]
_Rule = Callable[[ReviewThread, PullRequest, _LastWord], Told | None]


def thread_outcomes(
    pull: PullRequest, week: Week = _ALONE, settings: SignalSettings = _DEFAULTS
) -> tuple[ThreadOutcome, ...] | None:
    """One outcome a thread, in the record's order; None when the threads are not known.

    `week` are the pull requests among which follow-ups are looked for.
    """
    if pull.threads is None:
        return None
    return tuple(_outcome(thread, pull, week, settings) for thread in pull.threads)


def _outcome(thread: ReviewThread, pull: PullRequest, week: Week, settings: SignalSettings) -> ThreadOutcome:
    first = thread.comments[0] if thread.comments else None
    by_bot = first is not None and is_bot(first.author)
    own = first is not None and is_author(first.author, pull)
    last = (None, False) if own else _last_word(thread, pull)
    told = _own(thread) if own else next(told for rule in _RULES if (told := rule(thread, pull, last)))
    (outcome, reason), follow_ups = _with_follow_ups(told, thread, pull, week, settings)
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
        self_review=own,
        follow_ups=follow_ups,
    )


def _own(thread: ReviewThread) -> Told:
    """A note of an author is never open; one that leaves something for later is deferred."""
    if any(meaning_of(comment.body) == "later" for comment in thread.comments if not is_bot(comment.author)):
        return "deferred", "the author leaves it for later"
    return "done", SELF_OPENED


def _left_for_later(_: ReviewThread, _pull: PullRequest, last: _LastWord) -> Told | None:
    said, by_author = last
    return (
        ("deferred", f"{'the author' if by_author else 'a reviewer'} leaves it for later") if said == "later" else None
    )


def _minimized(thread: ReviewThread, _: PullRequest, _last: _LastWord) -> Told | None:
    first = thread.comments[0] if thread.comments else None
    hidden = first is not None and is_bot(first.author) and first.minimized and not thread.resolved
    return ("done", "a bot's remark, minimized") if hidden else None


def _declined(thread: ReviewThread, pull: PullRequest, last: _LastWord) -> Told | None:
    """A refusal that was not followed by a "done"."""
    return declined(thread, pull) if last[0] is None else None


def _answered(thread: ReviewThread, pull: PullRequest, last: _LastWord) -> Told | None:
    """A question that was met with words, not with a "done" or a block of suggested lines that was taken over."""
    if last[0] is not None or suggestion_stands(thread, pull):
        return None
    return answered(thread, pull)


def _resolved(thread: ReviewThread, _: PullRequest, _last: _LastWord) -> Told | None:
    if not thread.resolved:
        return None
    return "done", f"resolved by {thread.resolved_by.label}" if thread.resolved_by else "resolved"


def _claimed_done(thread: ReviewThread, pull: PullRequest, last: _LastWord) -> Told | None:
    """The author says done: believed when the lines changed, or what was suggested stands there."""
    if last[0] != "done":
        return None
    # A remark on a whole file is never outdated, which then says nothing.
    silent = thread.lines_changed_later is None and (thread.outdated is None or thread.line is None)
    if thread.lines_changed_later:
        return "done", "the author says done, and a later commit changed the lines"
    if thread.outdated:
        return "done", "the author says done, and the thread is outdated"
    if suggestion_stands(thread, pull) or symbol_stands(thread, pull):
        return "done", "the author says done, and what was suggested stands in the merged file"
    if silent:
        return "unknown", "the author says done; whether the lines changed is not known"
    return "open", "the author says done, but the lines did not change"


def _taken_over(thread: ReviewThread, pull: PullRequest, _: _LastWord) -> Told | None:
    return ("done", "the suggested lines stand in the merged file") if suggestion_stands(thread, pull) else None


def _not_resolved(thread: ReviewThread, pull: PullRequest, _: _LastWord) -> Told:
    if thread.lines_changed_later:
        return "unknown", "not resolved, but a later commit changed the lines"
    if symbol_stands(thread, pull):
        return "unknown", "not resolved, but the suggested name stands in the merged file"
    if thread.resolved is None:
        return "unknown", "the source does not know whether it was resolved"
    replies = len(thread.comments) - 1
    told = f"not resolved after {replies} {'reply' if replies == 1 else 'replies'}"
    return "open", told if replies > 0 else "not resolved, no reply"


# The first that holds decides; the last one always does.
_RULES: tuple[_Rule, ...] = (
    _left_for_later,
    _minimized,
    _declined,
    _answered,
    _resolved,
    _claimed_done,
    _taken_over,
    _not_resolved,
)


def _with_follow_ups(
    told: Told, thread: ReviewThread, pull: PullRequest, week: Week, settings: SignalSettings
) -> tuple[Told, tuple[int, ...]]:
    """With the later pull requests that take it up.

    One that names the pull request makes an open thread deferred; one that only changes the advised name, unknown.
    """
    if told[0] not in {"open", "deferred", "disputed"}:
        return told, ()
    later = taken_up(thread, pull, week, settings)
    if told[0] == "open" and later.named:
        return ("deferred", "not resolved, but a later pull request takes it up"), later.numbers
    if told[0] == "open" and later.touched:
        return ("unknown", "not resolved, but a later pull request changes what it names"), later.numbers
    return told, later.numbers


def _last_word(thread: ReviewThread, pull: PullRequest) -> _LastWord:
    """The last reply of a person that says done or later, and whether an author wrote it; not before a refusal."""
    for comment in reversed(thread.comments[1:]):
        said = None if is_bot(comment.author) else meaning_of(comment.body)
        by_author = is_author(comment.author, pull)
        # A reviewer's "fixed" is not the author's word.
        if said == "later" or (said == "done" and by_author):
            return said, by_author
        if by_author and stance_of(comment.body) == "declined":
            break
    return None, False
