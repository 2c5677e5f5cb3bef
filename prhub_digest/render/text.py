"""The page as plain text for a terminal or a mail: no markup, no control characters."""

import unicodedata
from collections.abc import Iterator, Sequence

from prhub_digest.console import visible
from prhub_digest.render.blocks import block_text
from prhub_digest.render.inline import Inline, source_text
from prhub_digest.render.records import Section, Table, View


def render_text(view: View) -> str:
    """The whole document, ending in one newline; titles stand as their authors typed them."""
    blocks = [_heading(view.title, "="), *([view.mark.text] if view.mark else []), " · ".join(view.facts)]
    if view.web_url:
        blocks.append(f"#N: {view.web_url}/pull/N")
    for section in view.sections:
        blocks += _section(section, "=", view)
    return visible("\n\n".join(blocks)) + "\n"


def _section(section: Section, rule: str, view: View) -> Iterator[str]:
    blocks = [block_text(block, view.language, _written, _table) for block in section.blocks]
    yield "\n".join((_heading(section.heading, rule), *blocks[:1]))
    yield from blocks[1:]
    for part in section.parts:
        yield from _section(part, "-", view)


def _heading(text: str, rule: str) -> str:
    return f"{text}\n{rule * _width(text)}"


def _written(spans: Inline) -> str:
    """The address of a link is written out unless its text is a pull request's number."""
    parts = []
    for span in spans:
        spelled = span.kind == "link" and span.url is not None and not span.text.startswith("#")
        parts.append(f"{span.text} {span.url}" if spelled else source_text((span,)))
    return "".join(parts)


def _table(table: Table) -> str:
    rows = [table.columns, *(tuple(_written(cell) for cell in row) for row in table.rows)]
    widths = [max(_width(row[index]) for row in rows) for index in range(len(table.columns))]
    lines = [_row(row, widths) for row in rows]
    return "\n".join((lines[0], _row(["-" * width for width in widths], widths), *lines[1:]))


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _width(text: str) -> int:
    """Columns on a terminal: a wide character takes two, a combining one none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
