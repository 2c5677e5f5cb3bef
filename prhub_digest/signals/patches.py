"""How the diffs of two pull requests relate: the same lines, or the same lines the other way round."""

from collections import Counter

from prhub_digest.models.pull_request import PullRequest

Lines = Counter[tuple[str, str, str]]
_FLIPPED = {"+": "-", "-": "+"}
# How far the sizes of a change and its undoing may differ, as a share of the larger and in lines.
_SLACK = 0.2
_SLACK_LINES = 4


def changed_lines(pull: PullRequest) -> Lines:
    """Every added and deleted line by path, sign and text without the spaces around it; blank lines apart."""
    lines: Lines = Counter()
    for file in pull.files:
        for line in (file.patch or "").split("\n"):
            if line[:1] in _FLIPPED and (text := line[1:].strip()):
                lines[file.path, line[0], text] += 1
    return lines


def share_undone(undoing: PullRequest, target: PullRequest) -> float:
    """The share of the target's changed lines that `undoing` changes back; 0 where a diff is not known."""
    if not _may_undo(undoing, target):
        return 0.0
    wanted = Counter({(path, _FLIPPED[sign], text): n for (path, sign, text), n in changed_lines(target).items()})
    return _share(wanted, changed_lines(undoing))


def share_repeated(later: PullRequest, earlier: PullRequest) -> float:
    """The share of the earlier one's changed lines that `later` changes in the same way."""
    if {file.path for file in later.files}.isdisjoint(file.path for file in earlier.files):
        return 0.0
    return _share(changed_lines(earlier), changed_lines(later))


def same_lines(one: PullRequest, other: PullRequest) -> bool:
    """Whether both change exactly the same lines, and some."""
    if (one.additions, one.deletions) != (other.additions, other.deletions):
        return False
    lines = changed_lines(one)
    return bool(lines) and lines == changed_lines(other)


def _share(wanted: Lines, found: Lines) -> float:
    total = wanted.total()
    return (wanted & found).total() / total if total else 0.0


def _may_undo(undoing: PullRequest, target: PullRequest) -> bool:
    """By sizes and paths alone, so that most pairs cost nothing."""
    if not {file.path for file in target.files} <= {file.path for file in undoing.files}:
        return False
    return undoing.additions >= _least(target.deletions) and undoing.deletions >= _least(target.additions)


def _least(lines: int) -> float:
    return lines * (1 - _SLACK) - _SLACK_LINES
