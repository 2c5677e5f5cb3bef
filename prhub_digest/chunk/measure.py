"""Lines in the form in which they are shown, each counted once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prhub_digest.hygiene import break_control_tokens
from prhub_digest.models.chunk import SourceLine

# No tokenizer in use makes so few tokens of so many characters; it bounds the search for where to clip.
_MOST_CHARACTERS_PER_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a chunk's text; `tokens` include its line break. A mark of ours has no source line."""

    text: str
    tokens: int
    line: SourceLine | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    count: Callable[[str], int]

    def mark(self, text: str) -> Item:
        shown = break_control_tokens(text)
        return Item(shown, self.count(shown + "\n"))

    def shown(self, line: SourceLine) -> Item:
        text = f"{line.id}|{break_control_tokens(line.text)}"
        return Item(text, self.count(text + "\n"), line)

    def clipped(self, line: SourceLine, limit: int) -> Item | None:
        """The longest beginning of a line that fits with a mark of what is missing; None when nothing does."""
        low, high = 0, min(len(line.text) - 1, limit * _MOST_CHARACTERS_PER_TOKEN)
        best = None
        while low < high:
            middle = (low + high + 1) // 2
            item = self.shown(_cut(line, middle))
            if item.tokens <= limit:
                low, best = middle, item
            else:
                high = middle - 1
        return best

    def fitted(self, item: Item, limit: int) -> Item | None:
        """The item whole, else clipped to the limit, else None."""
        if item.tokens <= limit or item.line is None:
            return item if item.tokens <= limit else None
        return self.clipped(item.line, limit)


def tokens_of(items: Iterable[Item]) -> int:
    return sum(item.tokens for item in items)


def _cut(line: SourceLine, length: int) -> SourceLine:
    return line.updated(text=f"{line.text[:length]} … {len(line.text) - length} characters left out")
