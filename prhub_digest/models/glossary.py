"""What a repository's terms are called in Chinese."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from prhub_digest.models.base import Record, refuse_twice

_MARKUP = re.compile(r"[<>`*\[\]|\\]|__|~~")


def _plain(text: str) -> str:
    """A term stands in a request beside the instructions, and in a sentence, where no markup may be."""
    if not text.isprintable():
        raise ValueError("holds a line break or another control character")
    if found := _MARKUP.search(text):
        raise ValueError(f"holds {found[0]}, which is markup")
    return text


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_plain)]


class Term(Record):
    """One entry of `[[glossary]]`."""

    en: Words = Field(description='an English term, like "radix cache"')
    zh: Words = Field(description='its Chinese name, like "基数缓存"')

    def stands_in(self, text: str) -> bool:
        """Whether an English text has the term: `radix cache` or `Radix caches`, but not `radix cached`."""
        words = r"[\s-]+".join(map(re.escape, self.en.split()))
        return re.search(rf"(?<!\w){words}(?:s|es)?(?!\w)", text, re.IGNORECASE | re.ASCII) is not None


def _each_term_once(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """A text has a term in upper or lower case, and whatever stands between its words."""
    refuse_twice(" ".join(term.en.split()).casefold() for term in terms)
    return terms


Glossary = Annotated[tuple[Term, ...], AfterValidator(_each_term_once)]
