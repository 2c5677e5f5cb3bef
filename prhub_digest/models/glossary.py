"""What a repository's terms are called in Chinese."""

import re

from pydantic import Field

from prhub_digest.models.base import Record


class Term(Record):
    """One entry of `[[glossary]]`."""

    en: str = Field(min_length=1, description='an English term, like "radix cache"')
    zh: str = Field(min_length=1, description='its Chinese name, like "基数缓存"')

    def stands_in(self, text: str) -> bool:
        """Whether an English text has the term: `radix cache` or `Radix caches`, but not `radix cached`."""
        words = r"[\s-]+".join(map(re.escape, self.en.split()))
        return re.search(rf"(?<!\w){words}(?:s|es)?(?!\w)", text, re.IGNORECASE | re.ASCII) is not None
