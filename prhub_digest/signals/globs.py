"""Path patterns: `*` and `?` within one folder, `**` across folders."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(path: str, pattern: str) -> bool:
    """Whether the whole path matches; upper and lower case differ, as on GitHub."""
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = (_MEANING.get(token) or re.escape(token) for token in _TOKEN.findall(pattern))
    return re.compile("".join(parts), re.DOTALL)
