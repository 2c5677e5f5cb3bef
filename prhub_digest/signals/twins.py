"""Twins: one change that was merged twice, into two branches."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.patches import same_lines
from prhub_digest.signals.references import body_text, numbers_after, plain_title
from prhub_digest.signals.series import Joint

# PyTorch's bot merges a stack's branches again, into the main one.
_MERGED_AGAIN = re.compile(r"\bghstack PR number:|\bhelp merge the original PR\s+(?=#|https?://)", re.IGNORECASE)


def twin_joints(pulls: Sequence[PullRequest]) -> Iterator[Joint]:
    """One title and exactly the same changed lines, into two branches; or a bot's copy that names its original."""
    by_title: dict[str, list[PullRequest]] = {}
    numbers = {pull.number for pull in pulls}
    for pull in sorted(pulls, key=lambda pull: pull.number):
        by_title.setdefault(plain_title(pull.title), []).append(pull)
        for number in originals(pull):
            if number in numbers:
                yield Joint(pull.number, number, f"#{pull.number} merges #{number} again")
    for alike in by_title.values():
        for one, other in combinations(alike, 2):
            if one.base_branch != other.base_branch and same_lines(one, other):
                yield Joint(one.number, other.number, f"#{one.number} and #{other.number} have one title and one diff")


def originals(pull: PullRequest) -> tuple[int, ...]:
    """The pull requests that a merge bot's pull request brings into the main branch."""
    return numbers_after(_MERGED_AGAIN, body_text(pull), pull)
