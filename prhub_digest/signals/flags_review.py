"""Flags of how a pull request was reviewed and merged, and whether it takes back another."""

from collections.abc import Sequence

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Person, PullRequest, Review
from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.flag_evidence import counted, listed
from prhub_digest.signals.reverts import is_revert
from prhub_digest.signals.subject import Subject


def no_approval(subject: Subject) -> Flag:
    name: FlagName = "no_approval"
    pull = subject.pull
    if pull.reviews is None:
        return Flag(name=name, raised=None, evidence="reviews are not known")
    approvers = _approvers(pull, pull.reviews)
    if approvers:
        return Flag(name=name, raised=False, evidence=f"approved by {listed(approvers)}")
    if pull.completeness.conversation != "complete":
        return Flag(name=name, raised=None, evidence="not all reviews are known")
    return Flag(
        name=name,
        raised=True,
        evidence=f"{counted(len(pull.reviews), 'review')}, no standing approval by another person",
    )


def self_merged(subject: Subject) -> Flag:
    name: FlagName = "self_merged"
    pull = subject.pull
    same = None if pull.merged_by is None else same_person(pull.merged_by, pull.author)
    if pull.merged_by is None or same is None:
        return Flag(name=name, raised=None, evidence="who merged it is not known")
    return Flag(name=name, raised=same, evidence=f"written by {pull.author.label}, merged by {pull.merged_by.label}")


def open_threads(subject: Subject) -> Flag:
    name: FlagName = "open_threads"
    threads = subject.threads
    if threads is None:
        return Flag(name=name, raised=None, evidence="review threads are not known")
    still_open = [thread for thread in threads if thread.outcome == "open"]
    if still_open:
        places = [thread.path if thread.line is None else f"{thread.path}:{thread.line}" for thread in still_open]
        return Flag(name=name, raised=True, evidence=f"{counted(len(still_open), 'open thread')}: {listed(places)}")
    unclear = sum(thread.outcome == "unknown" for thread in threads)
    if unclear:
        return Flag(name=name, raised=None, evidence=f"{counted(unclear, 'thread')} whose outcome is not known")
    if subject.pull.completeness.conversation != "complete":
        return Flag(name=name, raised=None, evidence="not all review threads are known")
    return Flag(name=name, raised=False, evidence=f"{counted(len(threads), 'thread')}, none open")


def revert(subject: Subject) -> Flag:
    """The only flag that words of the author decide: they can raise it, and switch nothing off."""
    raised = is_revert(subject.pull)
    return Flag(name="revert", raised=raised, evidence=_words(subject.pull) if raised else "no revert named")


def is_titled_revert(pull: PullRequest) -> bool:
    """Whether the title alone says that it takes back an earlier change."""
    return is_revert(pull.model_copy(update={"body": None}))


def _words(pull: PullRequest) -> str:
    if is_titled_revert(pull):
        return f"title: {pull.title}"
    lines = (line.strip() for line in (pull.body or "").split("\n"))
    return "description: " + next((line for line in lines if "revert" in line.casefold()), "names a revert")


def _approvers(pull: PullRequest, reviews: Sequence[Review]) -> list[str]:
    """People other than the author, no bots, whose last verdict is an approval."""
    verdicts: dict[str, Review] = {}
    # The sort is stable: verdicts without a time keep the order of the source.
    for review in sorted(reviews, key=lambda item: item.submitted_at.timestamp() if item.submitted_at else 0.0):
        if review.state in {"approved", "changes_requested", "dismissed"} and _independent(review.author, pull):
            verdicts[review.author.label] = review
    return sorted(label for label, review in verdicts.items() if review.state == "approved")


def _independent(person: Person, pull: PullRequest) -> bool:
    return not is_bot(person) and not same_person(person, pull.author)
