"""One chunk being filled."""

from collections.abc import Mapping, Sequence
from typing import Literal

from prhub_digest.chunk.measure import Item, Measure, tokens_of

Section = Literal["Title", "Files", "Description", "Reviews and comments", "Diff"]
Headings = Mapping[Section, Item]
_ORDER: tuple[Section, ...] = ("Title", "Files", "Description", "Reviews and comments", "Diff")


def headings(measure: Measure) -> Headings:
    return {section: measure.mark(section) for section in _ORDER}


class Draft:
    """Sections of items, under a heading each, and the room that is left of the budget."""

    def __init__(self, above: Headings, budget: int) -> None:
        self._above = above
        self._sections: dict[Section, list[Item]] = {section: [] for section in _ORDER}
        self.line_ids: set[str] = set()
        self.room = budget

    def cost(self, section: Section, items: Sequence[Item]) -> int:
        """Tokens that adding the items would take, with the heading of a new section."""
        heading = 0 if self._sections[section] or not items else self._above[section].tokens
        return heading + tokens_of(items)

    def room_in(self, section: Section) -> int:
        return self.room - (0 if self._sections[section] else self._above[section].tokens)

    def add(self, section: Section, items: Sequence[Item]) -> None:
        self.room -= self.cost(section, items)
        self._sections[section] += items
        self.line_ids.update(item.line.id for item in items if item.line is not None)

    def is_empty(self, section: Section) -> bool:
        return not self._sections[section]

    def text_within(self, limit: int, measure: Measure) -> tuple[str, int, tuple[Item, ...]]:
        """The text, its exact tokens, and its items. What the sum of the lines did not foresee goes from the end."""
        items = [item for section in _ORDER for item in self._with_heading(section)]
        while True:
            text = "\n".join(item.text for item in items)
            tokens = measure.count(text)
            if tokens <= limit or not items:
                return text, tokens, tuple(items)
            excess = tokens - limit
            while items and excess > 0:
                excess -= max(1, items.pop().tokens)

    def _with_heading(self, section: Section) -> list[Item]:
        return [self._above[section], *self._sections[section]] if self._sections[section] else []
