"""One chunk being filled."""

from collections.abc import Iterator, Mapping, Sequence

from prhub_digest.chunk.measure import Item, Measure, tokens_of
from prhub_digest.models.chunk import PartName, PartTokens

_HEADINGS: Mapping[PartName, str] = {
    "title": "Title",
    "files": "Files",
    "description": "Description",
    "conversation": "Reviews and comments",
    "diff": "Diff",
}
Headings = Mapping[PartName, Item]


def headings(measure: Measure) -> Headings:
    return {part: measure.mark(text) for part, text in _HEADINGS.items()}


class Draft:
    """Parts with their items, under a heading each, and the room that is left of the budget."""

    def __init__(self, above: Headings, budget: int) -> None:
        self._above = above
        self._parts: dict[PartName, list[Item]] = {part: [] for part in _HEADINGS}
        self._named: set[str] = set()
        self.room = budget

    def cost(self, part: PartName, items: Sequence[Item]) -> int:
        """Tokens that adding the items would take, with the heading of a new part."""
        heading = 0 if self._parts[part] or not items else self._above[part].tokens
        return heading + tokens_of(items)

    def room_in(self, part: PartName) -> int:
        return self.room - (0 if self._parts[part] else self._above[part].tokens)

    def add(self, part: PartName, items: Sequence[Item]) -> None:
        self.room -= self.cost(part, items)
        self._parts[part] += items
        if part == "files":
            self._named.update(item.id for item in items if item.lines)

    def names(self, file: Item) -> bool:
        return file.id in self._named

    def is_empty(self, part: PartName) -> bool:
        return not self._parts[part]

    def items(self) -> Iterator[Item]:
        """Those of all parts, in the text's order, without headings."""
        for part in _HEADINGS:
            yield from self._parts[part]

    def fit(self, limit: int, measure: Measure) -> None:
        """Take items from the end until the text is within the limit, which the last line decides.

        The line break that counts with it does not stand in the text, and might have made it shorter.
        """
        while (last := self._last_part()) is not None and self._tokens(last, measure) > limit:
            self._parts[last].pop()

    def text(self) -> str:
        return "\n".join(item.text for part in _HEADINGS for item in self._with_heading(part))

    def part_tokens(self, measure: Measure) -> tuple[tuple[PartTokens, ...], int]:
        """Tokens of each part with its heading, and of the whole text."""
        last = self._last_part()
        raw = {part: tokens_of(self._with_heading(part)) for part, items in self._parts.items() if items}
        if last is not None:
            raw[last] -= self._break_at_end(last, measure)
        scaled = measure.tokenizer.scaled
        parts = tuple(PartTokens(part=part, tokens=scaled(tokens)) for part, tokens in raw.items())
        return parts, scaled(sum(raw.values()))

    def _tokens(self, last: PartName, measure: Measure) -> int:
        return sum(tokens_of(self._with_heading(part)) for part in _HEADINGS) - self._break_at_end(last, measure)

    def _last_part(self) -> PartName | None:
        return next((part for part in reversed([*_HEADINGS]) if self._parts[part]), None)

    def _break_at_end(self, last: PartName, measure: Measure) -> int:
        """What the last line counts less without its line break, which the text does not end with."""
        line = self._parts[last][-1].text.rpartition("\n")[2]
        return measure.count(line + "\n") - measure.count(line)

    def _with_heading(self, part: PartName) -> list[Item]:
        return [self._above[part], *self._parts[part]] if self._parts[part] else []
