"""The lines of a body or a comment as they are shown to the model, with the line of the raw text where each stands."""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from prhub_digest.hygiene.details import fold_details
from prhub_digest.hygiene.folding import fold_lines
from prhub_digest.hygiene.prose import clean_prose

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_WORD = re.compile(r"\w+")
_MOST_WORDS = 30


def prose_lines(text: str, *, description: bool) -> Iterator[tuple[int, str]]:
    """Number of the raw line, from 1, and text of each line that holds something, cleaned and folded.

    `description`: whether it is that of a pull request, and not a comment.
    """
    cleaned = clean_prose(fold_details(text)).split("\n")
    for number, line in zip(_raw_numbers(text, cleaned), fold_lines(cleaned, description=description), strict=True):
        if line.strip():
            yield number, line.rstrip()


def _raw_numbers(text: str, cleaned: Sequence[str]) -> Iterator[int]:
    """Where each cleaned line stands: at the next place of its rarest word, never above the line before.

    Cleaning drops lines and makes new ones, but keeps words and their order.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text).split("\n")
    if len(raw) == len(cleaned):
        yield from range(1, len(raw) + 1)
        return
    places: dict[str, deque[int]] = {}
    for number, line in enumerate(raw, 1):
        for word in _WORD.findall(line):
            places.setdefault(word, deque()).append(number)
    often = Counter({word: len(numbers) for word, numbers in places.items()})
    at = 1
    for line in cleaned:
        words = _WORD.findall(line)[:_MOST_WORDS]
        for word in sorted(dict.fromkeys(words), key=lambda word: often[word]):
            left = places.get(word, deque())
            while left and left[0] < at:
                left.popleft()
            if left:
                at = left[0]
                break
        yield at
        for word in words:
            if (left := places.get(word, deque())) and left[0] <= at:
                left.popleft()
