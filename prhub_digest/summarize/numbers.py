"""Numbers that a model may repeat: only those that its evidence holds."""

import re
import unicodedata

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text, without thousands separators: `1,024` and `1024` are one; digits of identifiers count."""
    return frozenset(_plain(match) for match in _NUMBER.findall(unicodedata.normalize("NFKC", text)))


def foreign_numbers(text: str, *sources: str) -> frozenset[str]:
    """The numbers in `text` that none of the sources holds."""
    known = frozenset[str]().union(*(numbers(source) for source in sources))
    return numbers(text) - known


def _plain(number: str) -> str:
    return re.sub(r",(?=\d{3}(?:\D|$))", "", number)
