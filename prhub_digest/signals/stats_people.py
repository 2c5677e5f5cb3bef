"""Statistics of people: who wrote, who is new, who reviewed, how much is by bots; and how long things take."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Collection, Person, PullRequest
from prhub_digest.models.stats import Count
from prhub_digest.signals.counts import distribution, part, tally


def period_counts(collection: Collection, pulls: Sequence[PullRequest]) -> list[Count]:
    """Everything merged in the period, also what the filters set aside, and how much of it is by bots."""
    aside = collection.set_aside
    total = len(pulls) + len(aside)
    by_bots = sum(is_bot(pull.author) for pull in pulls) + sum(own.reason == "bot" for own in aside)
    return [
        Count(path="period.merged", value=total, unit="pulls"),
        Count(path="period.set_aside", value=len(aside), unit="pulls", denominator=total),
        Count(path="period.bots", value=by_bots, unit="pulls", denominator=total),
    ]


def author_counts(pulls: Sequence[PullRequest]) -> list[Count]:
    return tally("authors", ((pull.author.label, pull.number) for pull in pulls))


def new_author_counts(pulls: Sequence[PullRequest]) -> list[Count]:
    """Pull requests by people whose first ones these are, out of those of which that is known."""
    known = [pull for pull in pulls if pull.first_contribution is not None]
    pairs = ((pull.author.label, pull.number) for pull in known if pull.first_contribution)
    return tally("new_authors", pairs, part(len(known), len(pulls)))


def reviewer_counts(pulls: Sequence[PullRequest]) -> list[Count]:
    """Pull requests by the person who reviewed them: no bots, and nobody on their own work."""
    known = [pull for pull in pulls if pull.reviews is not None]
    return tally("reviewers", _reviewers(known), part(len(known), len(pulls)))


def people_counts(pulls: Sequence[PullRequest]) -> list[Count]:
    """How many people wrote, wrote for the first time, and reviewed; bots are none."""
    people = [pull for pull in pulls if not is_bot(pull.author)]
    known = [pull for pull in people if pull.first_contribution is not None]
    new = [pull for pull in known if pull.first_contribution]
    counts = [_people("authors", people)] if people else []
    if known:
        counts.append(_people("new_authors", new, len({pull.author.label for pull in known})))
    if any(pull.reviews is not None for pull in pulls):
        pairs = set(_reviewers(pulls))
        reviewers, numbers = {label for label, _ in pairs}, {number for _, number in pairs}
        counts.append(Count(path="people.reviewers", value=len(reviewers), unit="people", pulls=tuple(sorted(numbers))))
    return counts


def hours_to_first_review(pulls: Sequence[PullRequest]) -> list[Count]:
    hours = {pull.number: waited for pull in pulls if (waited := first_review_hours(pull)) is not None}
    return distribution("hours_to_first_review", hours, "hours", len(pulls))


def hours_to_merge(pulls: Sequence[PullRequest]) -> list[Count]:
    hours = {
        pull.number: _hours(pull.created_at, pull.merged_at)
        for pull in pulls
        if pull.created_at is not None and pull.created_at <= pull.merged_at
    }
    return distribution("hours_to_merge", hours, "hours", len(pulls))


def first_review_hours(pull: PullRequest) -> float | None:
    """Hours from opening to the first review or review comment by another person than the author, before the merge.

    None when there was none, or when the times are not known.
    """
    if pull.created_at is None:
        return None
    times = [
        when
        for who, when in _remarks(pull)
        if when is not None and pull.created_at <= when <= pull.merged_at and _is_another_person(who, pull)
    ]
    return _hours(pull.created_at, min(times)) if times else None


def _remarks(pull: PullRequest) -> Iterator[tuple[Person, datetime | None]]:
    yield from ((review.author, review.submitted_at) for review in pull.reviews or () if review.state != "pending")
    yield from ((one.author, one.created_at) for thread in pull.threads or () for one in thread.comments)


def _reviewers(pulls: Sequence[PullRequest]) -> Iterator[tuple[str, int]]:
    return (
        (review.author.label, pull.number)
        for pull in pulls
        for review in pull.reviews or ()
        if review.state != "pending" and _is_another_person(review.author, pull)
    )


def _is_another_person(who: Person, pull: PullRequest) -> bool:
    return not is_bot(who) and not same_person(who, pull.author)


def _people(key: str, pulls: Sequence[PullRequest], denominator: int | None = None) -> Count:
    return Count(
        path=f"people.{key}",
        value=len({pull.author.label for pull in pulls}),
        unit="people",
        denominator=denominator,
        pulls=tuple(sorted(pull.number for pull in pulls)),
    )


def _hours(begin: datetime, end: datetime) -> float:
    return (end - begin).total_seconds() / 3600
