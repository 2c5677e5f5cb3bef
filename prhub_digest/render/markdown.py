"""The page as Markdown: CommonMark with tables, safe to post anywhere on GitHub."""

from collections.abc import Iterator

from prhub_digest.render.blocks import block_text
from prhub_digest.render.inline import Span, plain
from prhub_digest.render.markdown_escape import markdown
from prhub_digest.render.records import Section, Table, View


def render_markdown(view: View) -> str:
    """The whole document, ending in one newline."""
    facts = " · ".join(markdown(plain(fact)) for fact in view.facts)
    mark = [markdown((Span(view.mark.text, strong=True),))] if view.mark else []
    blocks = [f"# {markdown(plain(view.title))}", *mark, facts]
    for section in view.sections:
        blocks += _section(section, 2, view)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, level: int, view: View) -> Iterator[str]:
    yield f"{'#' * level} {markdown(plain(section.heading))}"
    for block in section.blocks:
        yield block_text(block, view.language, markdown, _table)
    for part in section.parts:
        yield from _section(part, level + 1, view)


def _table(table: Table) -> str:
    header = [markdown(plain(column), in_table=True) for column in table.columns]
    rows = [[markdown(cell, in_table=True) for cell in row] for row in table.rows]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
