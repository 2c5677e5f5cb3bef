"""The diff laid into chunks: cut between hunks, then between lines, inside a line only when it fits nowhere."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from prhub_digest.chunk.draft import Draft
from prhub_digest.chunk.measure import Item, Measure, tokens_of


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file to be shown: its line of the file list, the mark above its hunks, and the lines of each hunk."""

    name: Item
    mark: Item
    hunks: tuple[tuple[Item, ...], ...]
    is_source: bool


def in_fair_order(diffs: Sequence[FileDiff], room: int) -> list[FileDiff]:
    """Diffs as given when all fit; else the allotted part of each, then the rests, for what room there still is.

    A file is allotted a quarter of the room at first, and what is then left goes to the smallest rests. A file that
    alone is larger than the room gets nothing at first, unless it is source. So one regenerated file cannot take the
    place of everything after it.
    """
    if sum(map(_size, diffs)) <= room:
        return list(diffs)
    room -= sum(diff.mark.tokens for diff in diffs)
    sizes = [_size(diff) for diff in diffs]
    firsts = [
        min(size, room // 4) if diff.is_source or size <= room else 0 for diff, size in zip(diffs, sizes, strict=True)
    ]
    allotted = list(firsts)
    left = room - sum(firsts)
    for index in sorted(range(len(diffs)), key=lambda index: sizes[index] - firsts[index]):
        allotted[index] += max(0, min(sizes[index] - firsts[index], left))
        left -= allotted[index] - firsts[index]
    parts = [_split(diff, limit) for diff, limit in zip(diffs, allotted, strict=True)]
    return [part for part, _ in parts if part.hunks] + [rest for _, rest in parts if rest.hunks]


def _size(diff: FileDiff) -> int:
    return sum(map(tokens_of, diff.hunks))


def _split(diff: FileDiff, limit: int) -> tuple[FileDiff, FileDiff]:
    """The first part of a diff within the limit, and the rest; a first hunk that is too long is cut between lines."""
    if limit <= 0:
        return replace(diff, hunks=()), diff
    sizes = list(accumulate(map(tokens_of, diff.hunks)))
    whole = bisect_right(sizes, limit)
    if whole or not diff.hunks:
        return replace(diff, hunks=diff.hunks[:whole]), replace(diff, hunks=diff.hunks[whole:])
    hunk, *others = diff.hunks
    lines = max(1, bisect_right(list(accumulate(item.tokens for item in hunk)), limit))
    rest = (hunk[lines:], *others) if hunk[lines:] else tuple(others)
    return replace(diff, hunks=(hunk[:lines],)), replace(diff, hunks=rest)


class Packer:
    """Fills drafts one after the other, at most `max_chunks`.

    `fresh` opens one; it is told whether that is the last allowed one, which keeps room to say what is missing.
    """

    def __init__(self, first: Draft, fresh: Callable[[bool], Draft], max_chunks: int, measure: Measure) -> None:
        self.drafts = [first]
        self._fresh = fresh
        self._max_chunks = max_chunks
        self._measure = measure
        self._blank = {last: fresh(last) for last in (False, True)}
        self._current: Item | None = None
        self._full = False

    @property
    def total_room(self) -> int:
        """About what all chunks together can still take."""
        return self._draft.room + sum(self._blank[last].room for last in self._to_come())

    def _to_come(self) -> list[bool]:
        left = self._max_chunks - len(self.drafts)
        return [False] * (left - 1) + [True] * (left > 0)

    def place(self, diff: FileDiff) -> None:
        """The hunks of one file, as far as the chunks reach."""
        for hunk in diff.hunks:
            if self._full:
                return
            capacity = self._capacity(diff)
            if self._cost(diff, hunk) <= self._draft.room:
                self._add(diff, hunk)
            elif not self._is_last and tokens_of(hunk) <= capacity and self._draft.room <= capacity // 4:
                self._open()
                self._add(diff, hunk)
            else:
                for item in hunk:
                    self._place_line(diff, item)

    @property
    def _draft(self) -> Draft:
        return self.drafts[-1]

    @property
    def _is_last(self) -> bool:
        return len(self.drafts) >= self._max_chunks

    def _place_line(self, diff: FileDiff, item: Item) -> None:
        """One line where there is room for it; a line longer than any chunk is clipped to a quarter of one."""
        capacity = self._capacity(diff)
        if item.tokens > capacity and item.line is not None:
            clipped = self._measure.clipped(item.line, capacity // 4) or self._measure.clipped(item.line, capacity)
            if clipped is None:
                return
            item = clipped
        if not self._full and self._cost(diff, [item]) > self._draft.room:
            if self._is_last:
                self._full = True
            else:
                self._open()
        if not self._full and self._cost(diff, [item]) <= self._draft.room:
            self._add(diff, [item])

    def _open(self) -> None:
        self.drafts.append(self._fresh(len(self.drafts) + 1 >= self._max_chunks))
        self._current = None

    def _above(self, diff: FileDiff) -> list[Item]:
        return [] if self._current is diff.name else [diff.mark]

    def _named(self, diff: FileDiff) -> list[Item]:
        line = diff.name.line
        return [] if line is None or line.id in self._draft.line_ids else [diff.name]

    def _cost(self, diff: FileDiff, items: Sequence[Item]) -> int:
        return self._draft.cost("Files", self._named(diff)) + self._draft.cost("Diff", [*self._above(diff), *items])

    def _add(self, diff: FileDiff, items: Sequence[Item]) -> None:
        self._draft.add("Files", self._named(diff))
        self._draft.add("Diff", [*self._above(diff), *items])
        self._current = diff.name

    def _capacity(self, diff: FileDiff) -> int:
        """Room for lines of a file in a new chunk."""
        blank = self._blank[len(self.drafts) + 1 >= self._max_chunks]
        return blank.room - blank.cost("Files", [diff.name]) - blank.cost("Diff", [diff.mark])
