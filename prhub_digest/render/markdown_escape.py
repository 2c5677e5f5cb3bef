"""Spans as Markdown that reads exactly as the source, on GitHub too.

GitHub looks for mentions, references, addresses and emoji names after Markdown is rendered, in every text that is not
code; escaping cannot stop it. So these stand in code spans. Everything else that means something is escaped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from prhub_digest.render.inline import Span
from prhub_digest.render.typography import closes, opens

_LIVE = re.compile(
    r"(?:https?|ftp)://[!-~]+"
    r"|(?<![A-Za-z0-9])www\.[!-~]+"
    r"|(?<![\w.+-])[\w.+-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|@[A-Za-z0-9_][\w-]*(?:[./][\w-]+)*"
    r"|(?<![\w./-])[\w.-]++(?:/[\w.-]++)?#\d+"
    r"|#\d+"
    r"|(?<!\w)GH-\d+"
    r"|(?<![\w:]):[a-z0-9_+-]+:(?![\w:])"
    r"|(?<!\w)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?!\w)",
    re.ASCII | re.IGNORECASE,
)
_SPECIAL = re.compile(r"[\\`*\[\]<~$#]|&(?=[#A-Za-z0-9])|(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_])")
_BLOCK_START = re.compile(r"^(?:(?P<mark>[-+=>])|(?P<number>\d+)(?=[.)](?:\s|$)))")


def markdown(spans: Sequence[Span], *, in_table: bool = False) -> str:
    """One line of Markdown; it is safe at the start of a block, and in a table cell when `in_table`."""
    pieces = list(_pieces(spans))
    if not all(_reads_as_bold(pieces, index) for index, (strong, _) in enumerate(pieces) if strong):
        pieces = list(_pieces([replace(span, strong=False) for span in spans]))
    line = "".join(f"**{text}**" if strong else text for strong, text in pieces)
    if in_table:
        line = line.replace("|", "\\|")
    return _BLOCK_START.sub(lambda match: "\\" + match["mark"] if match["mark"] else match["number"] + "\\", line)


def _reads_as_bold(pieces: Sequence[tuple[bool, str]], index: int) -> bool:
    text = pieces[index][1]
    before = pieces[index - 1][1][-1:] if index else ""
    after = pieces[index + 1][1][:1] if index + 1 < len(pieces) else ""
    return opens(before, text[:1]) and closes(text[-1:], after)


def _pieces(spans: Sequence[Span]) -> Iterator[tuple[bool, str]]:
    """Runs of equal weight with their Markdown; adjacent code is one code span, since two would not be read apart."""
    parts = [part for span in spans for part in _isolated(span) if part.text]
    for strong, run in groupby(parts, key=lambda span: span.strong):
        text = ""
        for kind, group in groupby(run, key=lambda span: span.kind):
            if kind == "link" and text.endswith("!"):  # else it would be an image
                text = text[:-1] + "\\!"
            text += _written(kind, list(group))
        yield strong, text


def _isolated(span: Span) -> Iterator[Span]:
    if span.kind != "plain":
        yield span
        return
    position = 0
    for match in _LIVE.finditer(span.text):
        yield replace(span, text=span.text[position : match.start()])
        yield replace(span, text=match[0], kind="code")
        position = match.end()
    yield replace(span, text=span.text[position:])


def _written(kind: str, spans: list[Span]) -> str:
    if kind == "code":
        return _code("".join(span.text for span in spans))
    if kind == "plain":
        return _escaped("".join(span.text for span in spans))
    return "".join(f"[{_escaped(span.text, link=True)}]({span.url})" if span.url else span.text for span in spans)


def _escaped(text: str, *, link: bool = False) -> str:
    special = _SPECIAL.sub(lambda match: "".join("\\" + character for character in match[0]), text)
    return special.replace("\\#", "#") if link else special


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    # A blank at both ends is taken off by the reader, unless there is nothing else.
    padding = " " if text.strip() and (text[0] in "` " or text[-1] in "` ") else ""
    return f"{fence}{padding}{text}{padding}{fence}"
