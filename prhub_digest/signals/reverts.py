"""Reverts and relands: which pull request of the week takes back which."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.patches import same_lines, share_repeated, share_undone
from prhub_digest.signals.references import content_words, plain_title, share_an_author
from prhub_digest.signals.revert_words import RevertWords, innermost, revert_words

# So much of a change must be changed back where words alone do not tell; the rest may have moved on since.
_UNDONE = 0.9
# A reland mends something: it repeats at least this much of what was taken back, or of its title's words.
_REPEATED = 0.5
_SHARED_WORDS = 0.6
_FEWEST_WORDS = 2


_Said = Mapping[int, RevertWords]


@dataclass(frozen=True, slots=True)
class Undoing:
    """`pull` takes back `target`; not `whole` when only a part of it. A reland takes back a revert."""

    pull: int
    target: int
    whole: bool
    how: str


def is_revert(pull: PullRequest) -> bool:
    """Whether title, body or branch say that it takes back an earlier change, of this week or before.

    A revert of a revert brings the change back: it is none.
    """
    return revert_words(pull).takes_back


class RevertLinks(NamedTuple):
    """`reverts`: each revert to what it takes back as a whole, the newest of several; `reverted_by`: the way back."""

    reverts: Mapping[int, int]
    reverted_by: Mapping[int, int]


def revert_links(pulls: Sequence[PullRequest]) -> RevertLinks:
    """Which pull request of the week takes back which of the week, as a whole."""
    whole = [undoing for undoing in undoings(pulls) if undoing.whole]
    return RevertLinks(
        reverts={undoing.pull: undoing.target for undoing in reversed(whole)},
        reverted_by={undoing.target: undoing.pull for undoing in whole},
    )


def undoings(pulls: Sequence[PullRequest]) -> tuple[Undoing, ...]:
    """Every taking-back within the week, oldest first; nothing is taken back twice. The order does not matter.

    A number or commit that is named is believed before the title, the title before the lines of the diffs.
    """
    found: list[Undoing] = []
    by_time = sorted(pulls, key=lambda pull: (pull.merged_at, pull.number))
    said = {pull.number: revert_words(pull) for pull in by_time}
    for place, pull in enumerate(by_time):
        if said[pull.number].takes_back:
            gone = {undoing.target for undoing in found if undoing.whole}
            earlier = [other for other in reversed(by_time[:place]) if other.number not in gone]
            found += _taken_back(pull, earlier, said)
        elif undoing := _brought_back(pull, by_time[:place], found, said):
            found.append(undoing)
    return tuple(found)


def still_standing(
    numbers: Sequence[int], found: Sequence[Undoing], outside: frozenset[int] = frozenset()
) -> tuple[int, ...]:
    """The numbers whose change is still there at the end.

    A revert and what it took back cancel each other; of a chain of odd length the newest brought the first one's change
    back and stands for it. A revert that also takes back something from `outside` the week stands.
    """
    targets: dict[int, list[int]] = {}
    for undoing in found:
        if undoing.whole:
            targets.setdefault(undoing.pull, []).append(undoing.target)
    gone = {target for listed in targets.values() for target in listed}

    def depth(number: int) -> int:
        return 1 + max(map(depth, targets[number])) if number in targets else 0

    return tuple(number for number in numbers if number not in gone and (depth(number) % 2 == 0 or number in outside))


def _taken_back(pull: PullRequest, earlier: Sequence[PullRequest], said: _Said) -> Iterator[Undoing]:
    """What a revert takes back, among the pull requests that stand; newest first."""
    words = said[pull.number]
    named = [other for other in earlier if _is_named(other, words)]
    yield from (Undoing(pull.number, other.number, whole=True, how="named") for other in named)
    for other in earlier:
        if other.number in words.parts:
            whole = not words.partial and share_undone(pull, other) >= _UNDONE
            yield Undoing(pull.number, other.number, whole, "named, changed back line by line" if whole else "in part")
    if named or words.numbers or words.parts:
        return
    title = plain_title(words.inner or "")
    match = next((other for other in earlier if other.number == words.hint), None) or next(
        (other for other in earlier if title and _told(other, said) == title), None
    )
    if match is not None:
        yield Undoing(pull.number, match.number, whole=not words.partial, how="title")
    elif not words.partial:
        reverse = (other for other in earlier if share_undone(pull, other) >= _UNDONE)
        yield from (
            Undoing(pull.number, other.number, whole=True, how="lines changed back") for other in [*reverse][:1]
        )


def _brought_back(
    pull: PullRequest, earlier: Sequence[PullRequest], found: Sequence[Undoing], said: _Said
) -> Undoing | None:
    """The revert that a reland takes back; also of one that says nothing, and is the reverted change once more."""
    words = said[pull.number]
    gone = {undoing.target for undoing in found if undoing.whole}
    by_number = {other.number: other for other in earlier}
    for undoing in reversed(found):
        if not undoing.whole or undoing.pull in gone:
            continue
        reverted, revert = by_number[undoing.target], by_number[undoing.pull]
        how = _how_brought_back(pull, words, reverted, revert)
        if how is not None:
            return Undoing(pull.number, revert.number, whole=True, how=how)
    if not words.brings_back:
        return None
    # A revert of something from before the week.
    reverts = (other for other in reversed(earlier) if other.number not in gone and said[other.number].takes_back)
    match = next((other for other in reverts if _names_revert(words, other)), None)
    return Undoing(pull.number, match.number, whole=True, how="named or title") if match else None


def _how_brought_back(pull: PullRequest, words: RevertWords, reverted: PullRequest, revert: PullRequest) -> str | None:
    first = plain_title(innermost(reverted.title))
    if words.brings_back:
        if _names_revert(words, revert) or reverted.number in {*words.numbers, words.hint}:
            return "named"
        if plain_title(innermost(pull.title)) == first:
            return "title"
        alike = _alike(words.inner or "", reverted.title) or _alike(words.inner or "", revert.title)
        return "words of the title" if alike and share_repeated(pull, reverted) >= _REPEATED else None
    if plain_title(pull.title) != plain_title(reverted.title):
        return None
    same = share_an_author(pull, reverted) or same_lines(pull, reverted)
    return "the reverted change once more" if same else None


def _is_named(other: PullRequest, words: RevertWords) -> bool:
    if other.number in words.numbers or (words.brings_back and other.number == words.hint):
        return True
    return any((other.merge_commit or "").startswith(sha) for sha in words.commits)


def _names_revert(words: RevertWords, revert: PullRequest) -> bool:
    """Whether a reland names the revert: its number, its commit, or its title."""
    if _is_named(revert, words):
        return True
    told = innermost(words.inner or "")
    return bool(told) and plain_title(told) == plain_title(innermost(revert.title))


def _told(other: PullRequest, said: _Said) -> str:
    """The title by which a revert names it: that of the first change, for a reland."""
    return plain_title(innermost(other.title) if said[other.number].brings_back else other.title)


def _alike(one: str, other: str) -> bool:
    mine, theirs = content_words(one), content_words(other)
    fewest = min(len(mine), len(theirs))
    return fewest >= _FEWEST_WORDS and len(mine & theirs) >= _SHARED_WORDS * fewest
