"""Markdown prose as a reader of the page sees it: without comments, hidden elements, tags and images.

One pass strips, decodes and escapes again what decoding made; passes repeat until one changes nothing, so cleaning is
idempotent by construction. Two or three do for all honest text.
"""

import re
from html import unescape
from html.entities import html5

from prhub_digest.hygiene.characters import clean_characters
from prhub_digest.hygiene.html import drop_comments, escape_markup, strip_markup

_MOST_PASSES = 6
_MARKUP_CHARACTERS = dict.fromkeys(map(ord, "<>&[]!"))

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Neither pattern crosses a second opening bracket, so that no text makes it look at a character twice over.
_SIMPLE_ALT = r"(?:[^\[\]\n]*+)"
_ALT = r"(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+"
_TARGET = r"(?:\((?:[^()\n]|\([^()\n]*+\))*+\)|\[[^\[\]\n]*+\])"
_INNER_IMAGE = re.compile(rf"!\[({_SIMPLE_ALT})\]{_TARGET}")
_LINKED_IMAGE = re.compile(rf"\[!\[({_SIMPLE_ALT})\]{_TARGET}\]{_TARGET}")
_IMAGE = re.compile(rf"!\[({_ALT})\]{_TARGET}")
# A link definition is never shown, and is a well-known way to write a comment: `[//]: # (text)`.
_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)[^\[\]\n]++\]:[ \t]*+"
    r"(?:(?:#|<|/|\.|[A-Za-z]{3,10}:)[^\s]*+(?:[ \t]++__TITLE__)?+|\S++[ \t]++__TITLE__)[ \t]*+$".replace(
        "__TITLE__", r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\))"
    ),
    re.MULTILINE,
)


def clean_prose(text: str) -> str:
    """A body or a comment as shown on its page; raw text stays in the record."""
    text = clean_characters(text)
    for _ in range(_MOST_PASSES):
        cleaned = _clean_once(text)
        if cleaned == text:
            return text
        text = cleaned
    # Only text made to resist gets here. Without these characters there is no markup to find.
    return clean_characters(text.translate(_MARKUP_CHARACTERS))


def clean_title(text: str) -> str:
    """A title on one line. Its page shows tags, entities and images as they are written, so they stay."""
    text = drop_comments(clean_characters(text)).replace("<!--", "&lt;!--")
    return " ".join(clean_characters(text).split())


def _clean_once(text: str) -> str:
    text = strip_markup(text)
    text = _ENTITY.sub(_decoded, text)
    text = _LINKED_IMAGE.sub(r"\1", text)
    text = _IMAGE.sub(lambda image: _INNER_IMAGE.sub(r"\1", image[1]), text)
    text = escape_markup(_ENTITY.sub(_escaped, text))
    return clean_characters(_DEFINITION.sub("", text))


def _decoded(entity: re.Match[str]) -> str:
    return unescape(entity[0]) if _is_known(entity[0]) else entity[0]


def _escaped(entity: re.Match[str]) -> str:
    """`&lt;` that was written `&amp;lt;` stays so: decoded once, never twice."""
    return "&amp;" + entity[0][1:] if _is_known(entity[0]) else entity[0]


def _is_known(entity: str) -> bool:
    return entity[1] == "#" or entity[1:] in html5
