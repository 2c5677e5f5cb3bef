"""The linguist attributes of `.gitattributes`: `linguist-generated`, `-vendored`, `-documentation`, and their opposite.

Patterns mean what git makes of them, which is not what they mean in a `.gitignore`: one that matches a folder says
nothing about the files in it, and none begins with `!` (https://git-scm.com/docs/gitattributes). Macros are not read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from itertools import pairwise

from prhub_digest.models.file_kinds import AttributeRule

_LINE = re.compile(r"[ \t]*+(?P<pattern>\"(?:[^\"\\]|\\.)*+\"|[^ \t\"#!]\S*+)(?P<rest>[ \t].*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?P<sign>[-!]?)linguist-(?P<name>generated|vendored|documentation)(?:=(?P<value>\S*))?")
_MOST_LINE_BYTES = 2048  # git passes over longer lines, too
_CLASSES = {
    "[:space:]": " \t",
    "[:digit:]": "0-9",
    "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_BYTE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_QUOTED_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_ANY = re.compile("")

# One compiled pattern a folder or name; None stands for `**`, any number of folders.
_Parts = tuple[re.Pattern[str] | None, ...]


@dataclass(frozen=True, slots=True)
class NamedAttributes:
    """What is said of one path; None where nothing is."""

    generated: bool | None = None
    vendored: bool | None = None
    documentation: bool | None = None


class Attributes:
    """Rules in the order in which they stand, those of an upper folder first: the last that matches decides."""

    def __init__(self, rules: Sequence[AttributeRule]) -> None:
        compiled = ((rule, _compiled(rule.folder, rule.pattern)) for rule in rules)
        self._rules = [(rule, parts) for rule, parts in compiled if parts is not None]

    def of(self, path: str) -> NamedAttributes:
        """The attributes of the file at `path`, `/` between folders."""
        if not self._rules:
            return NamedAttributes()
        names = path.split("/")
        said = {rule.attribute: rule.value for rule, parts in self._rules if _matches(parts, names)}
        return replace(NamedAttributes(), **said)


def parse_attributes(text: str, folder: str = "") -> tuple[AttributeRule, ...]:
    """The linguist attributes of one `.gitattributes`, which stands in `folder` (`""` for the top)."""
    return tuple(_rules(text, folder))


def _rules(text: str, folder: str) -> Iterator[AttributeRule]:
    for line in text.removeprefix("\ufeff").split("\n"):
        if len(line.encode("utf-8", "surrogatepass")) >= _MOST_LINE_BYTES:
            continue
        found = _LINE.fullmatch(line.rstrip("\r"))
        if found is None:
            continue
        for word in found["rest"].split():
            attribute = _ATTRIBUTE.fullmatch(word)
            if attribute is not None:
                yield AttributeRule.model_validate(
                    {
                        "folder": folder,
                        "pattern": _unquoted(found["pattern"]),
                        "attribute": attribute["name"],
                        "value": _value(attribute),
                    }
                )


def _unquoted(pattern: str) -> str:
    """A pattern in quotes is spelled as in C, bytes of UTF-8 in octal."""
    if not pattern.startswith('"'):
        return pattern
    raw = pattern[1:-1].encode("utf-8", "surrogateescape")
    return _QUOTED_BYTE.sub(_byte, raw).decode("utf-8", "replace")


def _byte(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) & 0xFF]) if code.isdigit() else _QUOTED_LETTERS.get(code, code)


def _value(attribute: re.Match[str]) -> bool | None:
    """Linguist takes every value but `false` for yes."""
    if attribute["sign"] == "!":
        return None
    return attribute["sign"] == "" and attribute["value"] != "false"


def _compiled(folder: str, pattern: str) -> _Parts | None:
    """None for a pattern that matches no file: git takes a `/` at the end for "only folders"."""
    if not pattern.strip("/") or pattern.endswith("/"):
        return None
    # Without a slash a pattern is about the name alone, in whatever folder below.
    names = pattern.removeprefix("/").split("/") if "/" in pattern else ["**", pattern]
    parts = [None if name == "**" else re.compile(_expression(name)) for name in names]
    if parts[-1] is None:
        parts.append(_ANY)  # at least one name below
    above = [re.compile(re.escape(name) + r"\Z") for name in folder.split("/") if name]
    return (*above, *(part for part, after in pairwise([*parts, _ANY]) if part or after))  # `**/**` is one `**`


def _expression(name: str) -> str:
    """One folder or name of a pattern as a regular expression; `fnmatch` does all but escapes and named classes."""
    for spelled, characters in _CLASSES.items():
        name = name.replace(spelled, characters)
    return translate(_ESCAPED.sub(r"[\1]", name.replace("[^", "[!")))


def _matches(parts: _Parts, names: Sequence[str]) -> bool:
    """Two pointers, back only to the last `**`: no pattern and no path can make it slow."""
    part = name = 0
    star, from_name = -1, 0
    while name < len(names):
        if part < len(parts) and parts[part] is None:
            star, from_name = part, name
            part += 1
        elif part < len(parts) and (expression := parts[part]) is not None and expression.match(names[name]):
            part += 1
            name += 1
        elif star >= 0:
            from_name += 1
            part, name = star + 1, from_name
        else:
            return False
    return all(rest is None for rest in parts[part:])
