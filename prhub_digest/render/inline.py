"""Text inside a line, as data: every renderer writes the same spans in its own way."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from prhub_digest.console import visible
from prhub_digest.models.digest import Language
from prhub_digest.render.typography import CODE_SPAN, bold_pairs, polish


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line. `link` is made by code alone; its `url` is None when no address is known."""

    text: str
    kind: Literal["plain", "code", "link"] = "plain"
    url: str | None = None
    strong: bool = False


Inline = tuple[Span, ...]
# The limit of a sentence, which its writer sets in backticks so that it is copied and not counted.
_BARE_NUMBER = re.compile(r"\d[\d.,]*[kKMG]?")


def plain(text: str) -> Inline:
    """The text as it stands; nothing in it means anything."""
    tidy = tidied(text)
    return (Span(tidy),) if tidy else ()


def code(text: str) -> Inline:
    """A name or a path."""
    return (Span(tidied(text), "code"),)


def parse_title(text: str) -> Inline:
    """A foreign title: backticks are code, as on the page it comes from; all else is literal."""
    return tuple(_code_spans(tidied(text), strong=False, numbers_plain=False))


def parse_sentence(text: str, language: Language) -> Inline:
    """A worded sentence, polished: backticks are code but about a bare number, `**` is bold, all else is literal."""
    polished = polish(tidied(text), language)
    spans: list[Span] = []
    position = 0
    for start, end in bold_pairs(polished):
        spans += _code_spans(polished[position:start], strong=False)
        spans += _code_spans(polished[start + 2 : end], strong=True)
        position = end + 2
    return (*spans, *_code_spans(polished[position:], strong=False))


def clip(spans: Inline, limit: int) -> Inline:
    """At most `limit` characters; a cut is marked by `…` outside of any code."""
    kept: list[Span] = []
    for span in spans:
        if limit <= 0 or len(span.text) > limit:
            shortened = span.text[:limit].rstrip()
            return (*kept, *([replace(span, text=shortened)] if shortened else []), Span("…"))
        kept.append(span)
        limit -= len(span.text)
    return tuple(kept)


def source_text(spans: Sequence[Span]) -> str:
    """The line without formatting; code keeps its backticks."""
    return "".join(f"`{span.text}`" if span.kind == "code" else span.text for span in spans)


def tidied(text: str) -> str:
    """One line: runs of blanks are one blank, control characters are shown."""
    return visible(re.sub(r"[ \t\r\n\f\v\x85\u2028\u2029]+", " ", text)).strip()


def _code_spans(text: str, *, strong: bool, numbers_plain: bool = True) -> Iterator[Span]:
    position = 0
    for match in CODE_SPAN.finditer(text):
        if match.start() > position:
            yield Span(text[position : match.start()], strong=strong)
        content = _code_content(match[2])
        yield Span(content, "plain" if numbers_plain and _BARE_NUMBER.fullmatch(content) else "code", strong=strong)
        position = match.end()
    if position < len(text):
        yield Span(text[position:], strong=strong)


def _code_content(text: str) -> str:
    """Without the blanks inside the ticks; a fenced block that was put on one line has them, too."""
    return text.strip() or text
