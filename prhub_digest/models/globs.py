"""Patterns of `prhub.toml`: `*` stands for any text and `?` for one character; nothing else is special."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_IN_PATHS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_IN_TEXT = {"**/": ".*/", "**": ".*", "*": ".*", "?": "."}


def matches(path: str, pattern: str) -> bool:
    """Whether the whole path matches; `*` and `?` stay within one folder, `**` goes across folders.

    Upper and lower case differ, as on GitHub.
    """
    return _compiled(pattern, in_paths=True).fullmatch(path) is not None


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether the path matches one of the patterns; fast, for many paths and the same patterns."""
    return any(literal in path and pattern.fullmatch(path) for literal, pattern in _with_literals(patterns))


def matches_text(text: str, pattern: str) -> bool:
    """Whether the whole of a label, a login or a branch matches; a `/` is a character like any other."""
    return _compiled(pattern, in_paths=False).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _with_literals(patterns: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each pattern with its longest part without `*` and `?`."""
    literals = (max(re.split(r"\*\*/|[*?]", pattern), key=len) for pattern in patterns)
    return tuple(
        (literal, _compiled(pattern, in_paths=True)) for literal, pattern in zip(literals, patterns, strict=True)
    )


@lru_cache(maxsize=1024)
def _compiled(pattern: str, *, in_paths: bool) -> re.Pattern[str]:
    meaning = _IN_PATHS if in_paths else _IN_TEXT
    parts = (meaning.get(token) or re.escape(token) for token in _TOKEN.findall(pattern))
    return re.compile("".join(parts), re.DOTALL)
