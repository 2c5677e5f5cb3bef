"""What an English line says in words, and how Chinese says it: the one is not lost, the other not added."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from prhub_digest.verify.tokens import CODE_SPAN


@dataclass(frozen=True)
class Translation:
    """An English line and what it became; `words` and `prose` are the two without what stands in backticks."""

    english: str
    text: str

    @cached_property
    def words(self) -> str:
        return CODE_SPAN.sub(" ", self.english)

    @cached_property
    def prose(self) -> str:
        return CODE_SPAN.sub(" ", self.text)


@dataclass(frozen=True)
class Pair:
    """Patterns: `english` asks for one of `ways`; `sure`, a way that says nothing else, for it or one of `besides`.

    English that was left as it is counts as a way, since that is another fault. A fault names the words it found, or
    calls them `name`.
    """

    english: str
    ways: str
    sure: str = ""
    besides: str = ""
    name: str = ""

    def asked(self, english: str) -> re.Match[str] | None:
        return found(self.english, english)

    def faults(self, line: Translation) -> Iterator[str]:
        match = self.asked(line.words)
        if match and not found(f"{self.ways}|{self.english}", line.text):
            yield f"{self.name or f'“{match[0]}”'} is lost"
        added = found(self.sure, line.prose) if self.sure else None
        if added and not found(f"{self.english}|{self.besides}" if self.besides else self.english, line.english):
            yield f"it has {added[0]}, which the English line has not"


def words(pattern: str) -> str:
    """Whole words, and no part of a path, a name or a compound: not the `cache` of `cache/pool` or of `cache-aware`."""
    return rf"(?<![\w./=:-])(?:{pattern})(?![\w/=-]|[.:]\w)"


def found(pattern: str, text: str) -> re.Match[str] | None:
    return _compiled(pattern).search(text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """On first use: a command that verifies nothing need not wait for all of them."""
    return re.compile(pattern, re.IGNORECASE | re.ASCII)
