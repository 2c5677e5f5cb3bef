"""What a repository's terms are called in Chinese."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from prhub_digest.models.base import Record, refuse_twice


class Term(Record):
    """One entry of `[[glossary]]`."""

    en: str = Field(pattern=r"\S", description='an English term, like "radix cache"')
    zh: str = Field(pattern=r"\S", description='its Chinese name, like "基数缓存"')

    def stands_in(self, text: str) -> bool:
        """Whether an English text has the term: `radix cache` or `Radix caches`, but not `radix cached`."""
        words = r"[\s-]+".join(map(re.escape, self.en.split()))
        return re.search(rf"(?<!\w){words}(?:s|es)?(?!\w)", text, re.IGNORECASE | re.ASCII) is not None


def _each_term_once(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """A text has a term in upper or lower case, and whatever stands between its words."""
    refuse_twice(" ".join(term.en.split()).casefold() for term in terms)
    return terms


Glossary = Annotated[tuple[Term, ...], AfterValidator(_each_term_once)]
