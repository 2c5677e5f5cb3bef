"""Review threads that an author settles in words: refusals and answers."""

from collections.abc import Sequence

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Comment, Person, PullRequest, ReviewThread
from prhub_digest.models.signals import OutcomeName
from prhub_digest.signals.stances import is_answer, is_question, stance_of

Told = tuple[OutcomeName, str]
_ANSWERED: Told = ("answered", "a question that the author answered")


def is_author(person: Person, pull: PullRequest) -> bool:
    """Whether the person is the author or a co-author."""
    return any(same_person(person, author) for author in (pull.author, *pull.co_authors))


def declined(thread: ReviewThread, pull: PullRequest) -> Told | None:
    """An author's refusal: settled when the reviewer consents, resolves or approves after it, else disputed.

    Nobody waits for a bot's consent; and an answer to a question is no refusal until the reviewer objects.
    """
    place = _last(thread, pull, "declined")
    if place is None:
        return None
    first, after = thread.comments[0], _others(thread.comments[place + 1 :], pull)
    agrees = bool(after) and stance_of(after[-1].body) == "conceded"
    resolved = thread.resolved and not (thread.resolved_by and is_author(thread.resolved_by, pull))
    rules: tuple[tuple[object, Told], ...] = (
        (is_bot(first.author), ("answered", "the author declines a bot's remark")),
        (agrees, ("answered", "the author declines, and the reviewer agrees")),
        (resolved, ("answered", "the author declines, and it was resolved")),
        (
            _approved_after(first.author, thread.comments[place], pull),
            ("answered", "the author declines, and the reviewer approves after that"),
        ),
        (is_question(first.body) and not after, _ANSWERED),
        (thread.resolved is None, ("unknown", "the author declines; whether it was resolved is not known")),
    )
    settled = (told for holds, told in rules if holds)
    return next(settled, ("disputed", "the author declines, and the reviewer does not agree"))


def answered(thread: ReviewThread, pull: PullRequest) -> Told | None:
    """A person's question that an author answered, and nothing more was asked."""
    if not thread.comments or is_bot(thread.comments[0].author) or not is_question(thread.comments[0].body):
        return None
    place = _last(thread, pull)
    if place is None or not is_answer(thread.comments[place].body):
        return None
    after = _others(thread.comments[place + 1 :], pull)
    return _ANSWERED if all(stance_of(comment.body) == "conceded" for comment in after) else None


def _last(thread: ReviewThread, pull: PullRequest, stance: str | None = None) -> int | None:
    """The place of the last reply of an author, of one with that stance if one is given."""
    places = (
        place
        for place, comment in enumerate(thread.comments)
        if place and is_author(comment.author, pull) and (stance is None or stance_of(comment.body) == stance)
    )
    return max(places, default=None)


def _approved_after(reviewer: Person, refusal: Comment, pull: PullRequest) -> bool:
    """Whether the reviewer approved after a refusal; unknown times count as no."""
    return any(
        review.state == "approved"
        and same_person(review.author, reviewer)
        and review.submitted_at is not None
        and refusal.created_at is not None
        and review.submitted_at > refusal.created_at
        for review in pull.reviews or ()
    )


def _others(comments: Sequence[Comment], pull: PullRequest) -> list[Comment]:
    """Those of people who are not its authors."""
    return [item for item in comments if not is_bot(item.author) and not is_author(item.author, pull)]
