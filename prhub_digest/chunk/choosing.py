"""Which lines of the diff are shown when there is not room for all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from prhub_digest.chunk.hunks import FileDiff, ShownHunk
from prhub_digest.chunk.telling import Rules, Telling

# Of the room that is left, one class of hunks gets at most a half at first, and one hunk a quarter of all room: no
# class and no regenerated file takes the place of everything after it.
_CLASS_SHARE = 2
_HUNK_SHARE = 4
# A hunk with more characters than this for each token of room, about half of it, is large. Of these classes, it gets
# its quarter in its turn; of the others, after all that is small.
_SMALL = 2
_LARGE_IN_TURN = frozenset({Telling.CORE, Telling.SIGNATURE, Telling.SOURCE})


class Choice(NamedTuple):
    """The lines of a hunk before `stop`, and of the next one as much as `clip` tokens hold."""

    hunk: ShownHunk
    stop: int
    clip: int = 0


@dataclass(slots=True)
class _Candidate:
    """`shown` lines of the hunk are chosen so far, from its header on."""

    file: int
    hunk: ShownHunk
    telling: Telling
    turn: int
    shown: int = 0
    clip: int = 0
    small: bool = False

    @property
    def rest(self) -> int:
        return len(self.hunk) - self.shown


def choose(files: Sequence[FileDiff], room: int, core_paths: Sequence[str], worth_cutting: int) -> list[list[Choice]]:
    """For each file its hunks of which something is shown, in the file's order.

    First each class in turn gets a part of the room, but for moves, formatting and deletions; then small hunks are
    completed; then each large one gets a part, and then its rest, while there is room. More than `worth_cutting` tokens
    that no line fits into go to the beginning of one.
    """
    candidates = sorted(_candidates(files, core_paths), key=lambda own: (own.telling, own.turn, own.file))
    giving = _Giving([file.mark.tokens for file in files], room)
    hunk_share = room // _HUNK_SHARE
    for candidate in candidates:
        candidate.small = candidate.hunk.characters <= room * _SMALL
    by_class: dict[Telling, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.telling in _LARGE_IN_TURN or (candidate.small and candidate.telling < Telling.MOVED):
            by_class[candidate.telling].append(candidate)
    for own in by_class.values():
        giving.give(own, giving.left // _CLASS_SHARE, hunk_share)
    giving.give([own for own in candidates if own.small], giving.left, giving.left)
    giving.give(candidates, giving.left, hunk_share)
    giving.give(candidates, giving.left, giving.left)
    if giving.left > worth_cutting:
        giving.give_to_cut(candidates)
    chosen: list[list[Choice]] = [[] for _ in files]
    for candidate in sorted(candidates, key=lambda own: own.hunk.number):
        if candidate.shown:
            chosen[candidate.file].append(Choice(candidate.hunk, candidate.shown, candidate.clip))
    return chosen


def _candidates(files: Sequence[FileDiff], core_paths: Sequence[str]) -> Iterator[_Candidate]:
    """A hunk's turn is how many of its file and class come before it, so that files take turns."""
    rules = Rules(files, core_paths)
    for index, file in enumerate(files):
        turns: dict[Telling, int] = defaultdict(int)
        for hunk in file.hunks if file.is_to_be_shown else ():
            telling = rules.telling(file, hunk)
            yield _Candidate(index, hunk, telling, turns[telling])
            turns[telling] += 1


class _Giving:
    """Shares out the room; the mark above a file takes its part when the first of its lines is chosen."""

    def __init__(self, marks: Sequence[int], room: int) -> None:
        self.left = room
        self._marks = list(marks)

    def give(self, candidates: Iterable[_Candidate], room: int, most: int) -> None:
        """Lines for each candidate in turn, at most `most` tokens each, until one does not get all it could.

        That one gets what room there is left only when it is the first, so that few hunks are cut.
        """
        end = self.left - room
        first = True
        for candidate in candidates:
            if self.left <= end:
                break
            if not candidate.rest:
                continue
            hunk, before = candidate.hunk, candidate.shown
            limit = self.left - end - self._marks[candidate.file]
            stop = hunk.fitting(before, len(hunk), min(limit, most))
            if stop == 1 < len(hunk):
                stop = 0  # a header alone tells nothing
            if stop < len(hunk) and limit < most and not first:
                break
            if stop > before:
                self.left -= self._marks[candidate.file] + hunk.tokens_in(before, stop)
                self._marks[candidate.file] = 0
                candidate.shown = stop
            first = False

    def give_to_cut(self, candidates: Iterable[_Candidate]) -> None:
        """What is left to the first line that found no room."""
        candidate = next((own for own in candidates if own.rest), None)
        if candidate is not None:
            candidate.shown = candidate.shown or 1
            header = candidate.hunk.tokens_in(0, 1) if candidate.shown == 1 else 0
            candidate.clip = max(0, self.left - self._marks[candidate.file] - header)
            self.left = 0
