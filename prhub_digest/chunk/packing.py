"""The diff laid into chunks: cut between hunks, then between lines, inside a line only when it fits nowhere."""

from collections.abc import Callable, Sequence

from prhub_digest.chunk.choosing import Choice
from prhub_digest.chunk.draft import Draft
from prhub_digest.chunk.hunks import FileDiff, ShownHunk
from prhub_digest.chunk.measure import Item, Measure

# A hunk goes into the next chunk whole when less than this part of the present one would be wasted.
_WASTE = 4


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
        self._missing = self._blank[False].room - self._blank[True].room
        self._current: FileDiff | None = None
        self._full = False
        self._to_come = 0

    @property
    def total_room(self) -> int:
        """About what all chunks together can still take."""
        left = self._max_chunks - len(self.drafts)
        to_come = [False] * (left - 1) + [True] * (left > 0)
        return self._draft.room_in("diff") + sum(self._blank[last].room_in("diff") for last in to_come)

    @property
    def worth_cutting(self) -> int:
        """A line is cut for no less room, where its beginning could stand in the next chunk."""
        return self._blank[self._max_chunks == 1].room_in("diff") // _WASTE

    def fill(self, choices: Sequence[tuple[FileDiff, Choice]]) -> None:
        """All that was chosen, in its order, as far as the chunks reach."""
        costs = [file.mark.tokens + hunk.tokens_in(0, stop) + clip for file, (hunk, stop, clip) in choices]
        self._to_come = sum(costs)
        for (file, choice), cost in zip(choices, costs, strict=True):
            self._to_come -= cost
            self._place(file, choice)

    def _place(self, file: FileDiff, choice: Choice) -> None:
        hunk, stop, clip = choice
        at = 0
        while at < stop and not self._full:
            room, capacity = self._draft.room - self._cost_above(file), self._capacity(file)
            tokens = hunk.tokens_in(at, stop)
            if tokens > room and tokens <= capacity and room <= capacity // _WASTE and not self._is_last:
                self._open()
                continue
            end = stop if tokens <= room else hunk.fitting(at, stop, room)
            if end > at:
                self._add(file, hunk.item(at, end))
            elif hunk.tokens_in(at, at + 1) > capacity:
                self._add_clipped(file, hunk, at, capacity, hunk.tokens_in(at + 1, stop))
                end = at + 1
            else:
                self._next()
            at = end
        if clip and not self._full:
            self._add_clipped(file, hunk, stop, clip, 0)

    @property
    def _draft(self) -> Draft:
        return self.drafts[-1]

    @property
    def _is_last(self) -> bool:
        return len(self.drafts) >= self._max_chunks

    def _next(self) -> None:
        if self._is_last:
            self._full = True
        else:
            self._open()

    def _open(self) -> None:
        self.drafts.append(self._fresh(len(self.drafts) + 1 >= self._max_chunks))
        self._current = None

    def _add_clipped(self, file: FileDiff, hunk: ShownHunk, at: int, most: int, behind: int) -> None:
        """The beginning of a line, in the room of this chunk; of the next where little is left here.

        What is still to come, `behind` tokens of this hunk, has its room first where a chunk can hold both.
        """
        least = min(most, self._capacity(file) // _WASTE)
        if self._room_to_clip(file) < least and not self._is_last:
            self._open()
        room = self._room_to_clip(file)
        to_come = behind + self._to_come
        if room - to_come >= least:
            room -= to_come
        (line,) = hunk.source.lines(at, at + 1)
        clipped = self._measure.clipped(line, min(most, room))
        if clipped is None:
            self._full = self._is_last
        else:
            self._add(file, clipped)

    def _room_to_clip(self, file: FileDiff) -> int:
        """What is left in this chunk, should it become the last one, with the mark of what is missing."""
        return self._draft.room - self._cost_above(file) - (0 if self._is_last else self._missing)

    def _above(self, file: FileDiff) -> Sequence[Item]:
        return () if self._current is file else (file.mark,)

    def _named(self, file: FileDiff) -> Sequence[Item]:
        return () if self._draft.names(file.name) else (file.name,)

    def _cost_above(self, file: FileDiff) -> int:
        """Of what has to stand above a line of this file, headings included."""
        heading = self._draft.room - self._draft.room_in("diff")
        return heading + self._draft.cost("files", self._named(file)) + sum(item.tokens for item in self._above(file))

    def _add(self, file: FileDiff, item: Item) -> None:
        self._draft.add("files", self._named(file))
        self._draft.add("diff", [*self._above(file), item])
        self._current = file

    def _capacity(self, file: FileDiff) -> int:
        """Room for lines of a file in a new chunk."""
        blank = self._blank[len(self.drafts) + 1 >= self._max_chunks]
        return blank.room_in("diff") - blank.cost("files", [file.name]) - file.mark.tokens
