"""The diff laid into chunks: cut between hunks, then between lines, inside a line only when it fits nowhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prhub_digest.chunk.draft import Draft
from prhub_digest.chunk.measure import Item, Measure, tokens_of


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file to be shown: its line of the file list, the mark above its hunks, and the lines of each hunk."""

    name: Item
    mark: Item
    hunks: tuple[tuple[Item, ...], ...]


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
        self._current: FileDiff | None = None
        self._full = False

    def place(self, diff: FileDiff) -> None:
        """The hunks of one file, as far as the chunks reach."""
        for hunk in diff.hunks:
            if self._full:
                return
            capacity = self._capacity(diff)
            if self._cost(diff, hunk) <= self._draft.room:
                self._add(diff, hunk)
            elif not self._is_last and tokens_of(hunk) <= capacity and self._draft.room <= capacity // 2:
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
        return [] if self._current is diff else [diff.mark]

    def _named(self, diff: FileDiff) -> list[Item]:
        line = diff.name.line
        return [] if line is None or line.id in self._draft.line_ids else [diff.name]

    def _cost(self, diff: FileDiff, items: Sequence[Item]) -> int:
        return self._draft.cost("Files", self._named(diff)) + self._draft.cost("Diff", [*self._above(diff), *items])

    def _add(self, diff: FileDiff, items: Sequence[Item]) -> None:
        self._draft.add("Files", self._named(diff))
        self._draft.add("Diff", [*self._above(diff), *items])
        self._current = diff

    def _capacity(self, diff: FileDiff) -> int:
        """Room for lines of a file in a new chunk."""
        blank = self._blank[len(self.drafts) + 1 >= self._max_chunks]
        return blank.room - blank.cost("Files", [diff.name]) - blank.cost("Diff", [diff.mark])
