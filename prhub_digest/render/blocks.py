"""What Markdown and text have in common: paragraphs, lists, and where a table stands."""

from collections.abc import Callable

from prhub_digest.models.digest import Language
from prhub_digest.render.citations import line_spans
from prhub_digest.render.inline import Inline
from prhub_digest.render.records import Block, Items, Line, Paragraph, Table


def block_text(
    block: Block, language: Language, write: Callable[[Inline], str], write_table: Callable[[Table], str]
) -> str:
    """A block in one format: `write` turns spans into it, `write_table` a whole table."""
    match block:
        case Paragraph():
            return ("" if language == "zh" else " ").join(write(line_spans(line, language)) for line in block.lines)
        case Items():
            marks = (f"{place}." if block.ordered else "-" for place in range(1, len(block.lines) + 1))
            entries = zip(marks, block.lines, strict=True)
            return "\n".join(_entry(mark, line, language, write) for mark, line in entries)
        case Table():
            return write_table(block)


def _entry(mark: str, line: Line, language: Language, write: Callable[[Inline], str]) -> str:
    inset = " " * (len(mark) + 1)
    below = (f"{inset}- {write(spans)}" for spans in line.below)
    return "\n".join((f"{mark} {write(line_spans(line, language))}", *below))
