"""No file may hold a secret: every text of a fixture is looked at before it is written, every answer before it is used.

A fixture with a secret is refused, since a person is there who can take it out; in an answer it is masked.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from prhub_digest.errors import UsageError
from prhub_digest.models.base import Record

# The kinds of the secrets in a text; the scanner knows the rules, and is chosen by the command.
Scan = Callable[[str], Sequence[str]]

_SHOWN_ID = re.compile(r"^[TBFDRC][0-9]+\|[-+ ]?", re.MULTILINE)
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def refuse_secrets(path: Path, record: Record, scan: Scan) -> None:
    """Look at every text that the file would hold.

    Raises:
        UsageError: one looks like a secret; the message names the file, the place in it and the kind, nothing else.
    """
    for place, text in _texts(record.model_dump(mode="json")):
        kinds = next(filter(None, map(scan, _readings(text))), ())
        if kinds:
            raise UsageError(
                f"{path} would hold what looks like a secret ({', '.join(kinds)}, in {place}), so it was not written;"
                " take it out of the pull request's file, or have the request answered anew"
                " (`prhub-digest cache prune --all` forgets stored replies)"
            )


def without_secrets(content: str, mask: Callable[[str], str], scan: Scan) -> str:
    """An answer of a model, masked; a word of why in its place where it holds a secret that no mask finds."""
    masked = mask(content)
    kinds = next(filter(None, map(scan, _readings(masked))), ())
    return f"[an answer that held what looks like a secret: {', '.join(kinds)}]" if kinds else masked


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a JSON value, with its place: `request.messages.1.content`."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}.{index}")


def _readings(text: str) -> Iterator[str]:
    """A key goes over several lines: they are also read without ids, marks of a diff, and the escapes of JSON."""
    yield text
    yield _SHOWN_ID.sub("", text)
    if "\\" in text:
        yield _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else _ESCAPED.get(letter, letter)
