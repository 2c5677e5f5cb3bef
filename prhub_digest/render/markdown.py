"""The page as Markdown: CommonMark with tables, safe to post anywhere on GitHub."""

from collections.abc import Iterator

from prhub_digest.render.citations import line_spans
from prhub_digest.render.inline import plain
from prhub_digest.render.markdown_escape import markdown
from prhub_digest.render.records import Block, Items, Line, Paragraph, Section, Table, View


def render_markdown(view: View) -> str:
    """The whole document, ending in one newline."""
    facts = " · ".join(markdown(plain(fact)) for fact in view.facts)
    blocks = [f"# {markdown(plain(view.title))}", facts]
    for section in view.sections:
        blocks += _section(section, 2, view)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, level: int, view: View) -> Iterator[str]:
    yield f"{'#' * level} {markdown(plain(section.heading))}"
    for block in section.blocks:
        yield _block(block, view)
    for part in section.parts:
        yield from _section(part, level + 1, view)


def _block(block: Block, view: View) -> str:
    match block:
        case Paragraph():
            return ("" if view.language == "zh" else " ").join(_line(line, view) for line in block.lines)
        case Items():
            marks = (f"{place}." if block.ordered else "-" for place in range(1, len(block.lines) + 1))
            return "\n".join(_entry(mark, line, view) for mark, line in zip(marks, block.lines, strict=True))
        case Table():
            return _table(block)


def _entry(mark: str, line: Line, view: View) -> str:
    inset = " " * (len(mark) + 1)
    return "\n".join((f"{mark} {_line(line, view)}", *(f"{inset}- {markdown(below)}" for below in line.below)))


def _line(line: Line, view: View) -> str:
    return markdown(line_spans(line, view.language))


def _table(table: Table) -> str:
    header = [markdown(plain(column), in_table=True) for column in table.columns]
    rows = [[markdown(cell, in_table=True) for cell in row] for row in table.rows]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
