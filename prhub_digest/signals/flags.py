"""Risk flags: each true, false or unknown, with evidence. The table of predicates is docs/risk-flags.md."""

from collections.abc import Iterable, Sequence

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Person, PullRequest, Review
from prhub_digest.models.signals import Flag, FlagName, ThreadOutcome
from prhub_digest.models.summary import ChangeType
from prhub_digest.signals.changes import (
    file_list_is_whole,
    has_code_lines,
    lines_of,
    source_files,
    touches_tests,
    without_noise,
    word_size,
)
from prhub_digest.signals.dependencies import dependency_files
from prhub_digest.signals.reverts import is_revert

UNTESTED_SOURCE_LINES = 10
LARGE_LINES = 500
LARGE_FILES = 20
_NAMED = 3


def risk_flags(
    pull: PullRequest, change_type: ChangeType, threads: tuple[ThreadOutcome, ...] | None
) -> tuple[Flag, ...]:
    """All flags, in the order of the vocabulary. `threads` are the outcomes of the pull request's threads."""
    return (
        missing_tests(pull, change_type),
        large_change(pull),
        no_approval(pull),
        self_merged(pull),
        open_threads(pull, threads),
        dependency(pull),
        revert(pull),
    )


def missing_tests(pull: PullRequest, change_type: ChangeType) -> Flag:
    name: FlagName = "missing_tests"
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    exempt = _needs_no_test(pull, change_type)
    if exempt is not None:
        return Flag(name=name, raised=False, evidence=exempt)
    source = source_files(pull)
    if not has_code_lines(source, UNTESTED_SOURCE_LINES) or not any(file.additions for file in source):
        return _unless_cut(pull, name, f"source changed by {word_size(source)}: little, only deleted, or comments")
    if not file_list_is_whole(pull):
        return Flag(name=name, raised=None, evidence="the list of changed files is cut")
    largest = sorted(source, key=lambda file: (-lines_of((file,)), file.path))
    sizes = _listed([f"{file.path} {word_size((file,))}" for file in largest])
    return Flag(name=name, raised=True, evidence=f"{sizes}, no test file touched")


def large_change(pull: PullRequest) -> Flag:
    name: FlagName = "large_change"
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    files = without_noise(pull)
    evidence = f"{word_size(files)} in {_count(len(files), 'file')} (lock, generated, vendored and data files apart)"
    if lines_of(files) >= LARGE_LINES or len(files) >= LARGE_FILES:
        return Flag(name=name, raised=True, evidence=evidence)
    return _unless_cut(pull, name, evidence)


def no_approval(pull: PullRequest) -> Flag:
    name: FlagName = "no_approval"
    if pull.reviews is None:
        return Flag(name=name, raised=None, evidence="reviews are not known")
    approvers = _approvers(pull, pull.reviews)
    if approvers:
        return Flag(name=name, raised=False, evidence=f"approved by {_listed(approvers)}")
    if pull.completeness.conversation != "complete":
        return Flag(name=name, raised=None, evidence="not all reviews are known")
    return Flag(
        name=name,
        raised=True,
        evidence=f"{_count(len(pull.reviews), 'review')}, no standing approval by another person",
    )


def self_merged(pull: PullRequest) -> Flag:
    name: FlagName = "self_merged"
    same = None if pull.merged_by is None else same_person(pull.merged_by, pull.author)
    if pull.merged_by is None or same is None:
        return Flag(name=name, raised=None, evidence="who merged it is not known")
    return Flag(name=name, raised=same, evidence=f"written by {pull.author.label}, merged by {pull.merged_by.label}")


def open_threads(pull: PullRequest, threads: tuple[ThreadOutcome, ...] | None) -> Flag:
    name: FlagName = "open_threads"
    if threads is None:
        return Flag(name=name, raised=None, evidence="review threads are not known")
    still_open = [thread for thread in threads if thread.outcome == "open"]
    if still_open:
        places = [thread.path if thread.line is None else f"{thread.path}:{thread.line}" for thread in still_open]
        return Flag(name=name, raised=True, evidence=f"{_count(len(still_open), 'open thread')}: {_listed(places)}")
    unclear = sum(thread.outcome == "unknown" for thread in threads)
    if unclear:
        return Flag(name=name, raised=None, evidence=f"{_count(unclear, 'thread')} whose outcome is not known")
    if pull.completeness.conversation != "complete":
        return Flag(name=name, raised=None, evidence="not all review threads are known")
    return Flag(name=name, raised=False, evidence=f"{_count(len(threads), 'thread')}, none open")


def dependency(pull: PullRequest) -> Flag:
    name: FlagName = "dependency"
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    changed = dependency_files(pull)
    if changed:
        return Flag(name=name, raised=True, evidence=f"changed: {_listed(changed)}")
    return _unless_cut(pull, name, "no dependency in a manifest or lock file changed")


def revert(pull: PullRequest) -> Flag:
    raised = is_revert(pull)
    return Flag(name="revert", raised=raised, evidence="title or body names a revert" if raised else "no revert named")


def _needs_no_test(pull: PullRequest, change_type: ChangeType) -> str | None:
    """Why no test is asked for, or that there is one."""
    if is_revert(pull):
        return "a revert needs no new test"
    if change_type == "dependency" and is_bot(pull.author):
        return "a version bump by a bot"
    tests = [file.path for file in pull.files if touches_tests(file)]
    return f"tests touched: {_listed(tests)}" if tests else None


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


def _unless_cut(pull: PullRequest, name: FlagName, evidence: str) -> Flag:
    """Not raised, but unknown when files may be missing from the list."""
    if file_list_is_whole(pull):
        return Flag(name=name, raised=False, evidence=evidence)
    return Flag(name=name, raised=None, evidence="the list of changed files is cut")


def _listed(items: Iterable[str]) -> str:
    """The first three, and how many more."""
    all_items = list(items)
    more = len(all_items) - _NAMED
    return ", ".join(all_items[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
