"""Which lines of the diff are shown when there is not room for all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(slots=True)
class _Candidate:
    """`shown` lines of the hunk are chosen so far, from its header on."""

    file: int
    hunk: ShownHunk
    telling: Telling
    turn: int
    shown: int = 0
    small: bool = False

    @property
    def rest(self) -> int:
        return len(self.hunk) - self.shown


def choose(files: Sequence[FileDiff], room: int, core_paths: Sequence[str]) -> list[list[tuple[ShownHunk, int]]]:
    """For each file its hunks of which something is shown, in the file's order, with how many lines of each.

    First each class in turn gets a part of the room; then small hunks are completed; then each large one gets a part,
    and then its rest, while there is room.
    """
    candidates = sorted(_candidates(files, core_paths), key=lambda own: (own.telling, own.turn, own.file))
    giving = _Giving([file.mark.tokens for file in files], room)
    hunk_share = room // _HUNK_SHARE
    for candidate in candidates:
        candidate.small = candidate.hunk.characters <= room * _SMALL
    by_class: dict[Telling, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.telling in _LARGE_IN_TURN or candidate.small:
            by_class[candidate.telling].append(candidate)
    for own in by_class.values():
        giving.give(own, giving.left // _CLASS_SHARE, hunk_share)
    giving.give([own for own in candidates if own.small], giving.left, giving.left)
    giving.give(candidates, giving.left, hunk_share)
    giving.give(candidates, giving.left, giving.left)
    chosen: list[list[tuple[ShownHunk, int]]] = [[] for _ in files]
    for candidate in sorted(candidates, key=lambda own: own.hunk.number):
        if candidate.shown:
            chosen[candidate.file].append((candidate.hunk, candidate.shown))
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
            if stop < len(hunk) and limit < most and not first:
                break
            if stop > before:
                self.left -= self._marks[candidate.file] + hunk.tokens_in(before, stop)
                self._marks[candidate.file] = 0
                candidate.shown = stop
            first = False
