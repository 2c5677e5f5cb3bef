"""Does a name or a number stand in a pull request's text, as a whole word?

Plain `str.find` with a look at both neighbours: linear, whatever the text holds.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CAMEL_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
NUMBER = re.compile(r"\d+(?:\.\d+)*")


class Needle(NamedTuple):
    """`code` matches letter by letter; `name` in any case, with any separators; `number` by its digits."""

    kind: Literal["code", "name", "number"]
    text: str


def plain(text: str) -> str:
    """Full-width, circled and other foreign digits and letters as ASCII where they have such a form."""
    return text if text.isascii() else _NOT_ASCII.sub(_in_ascii, text)


def without_thousands(text: str) -> str:
    return _THOUSANDS.sub("", text)


def numbers(text: str) -> list[str]:
    """The numbers in a text without leading or trailing zeros of no meaning: `1,200` and `1.50` are 1200 and 1.5."""
    return [_canonical(number) for number in NUMBER.findall(without_thousands(plain(text)))]


@dataclass(frozen=True)
class Haystack:
    """The text of one pull request; `plain` has been applied."""

    text: str

    @cached_property
    def folded(self) -> str:
        return self.text.casefold()

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(numbers(self.text))

    def holds(self, needle: Needle) -> bool:
        match needle.kind:
            case "number":
                return needle.text in self.numbers
            case "code":
                return any(_stands(self.text, form, "_") for form in _code_forms(needle.text))
            case "name":
                return any(_stands(self.folded, form, "") for form in _name_forms(needle.text))

    def found(self, needles: Iterable[Needle]) -> frozenset[Needle]:
        return frozenset(needle for needle in needles if self.holds(needle))


def _in_ascii(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0]) if _foreign(match[0]) else match[0]


def _foreign(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "N" or (category[0] == "L" and unicodedata.east_asian_width(char) == "F")


def _canonical(number: str) -> str:
    if number.count(".") > 1:
        return number
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def _code_forms(word: str) -> Iterator[str]:
    yield word
    if "=" in word:
        yield word.replace("=", " = ")
        yield word.replace("=", ": ")


def _name_forms(word: str) -> set[str]:
    parts = re.split(r"[-_ ]", word)
    split = [piece for part in parts for piece in _CAMEL_JOINT.split(part)]
    forms = {separator.join(pieces) for separator in ("", "_", "-", " ") for pieces in (parts, split)}
    return {form.casefold() for form in (*forms, word)}


def _stands(text: str, word: str, inner: str) -> bool:
    """Whether `word` stands in `text` with no letter, digit or character of `inner` right beside its own such ends."""

    def joined(char: str, end: str) -> bool:
        return (_is_inner(char, inner)) and _is_inner(end, inner)

    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before = text[start - 1 : start]
        after = text[end : end + 1]
        if not (joined(before, word[0]) or joined(after, word[-1])):
            return True
        start = text.find(word, start + 1)
    return False


def _is_inner(char: str, inner: str) -> bool:
    return char.isascii() and char != "" and (char.isalnum() or char in inner)
