"""The page as JSON for scripts."""

import json
from dataclasses import asdict
from typing import Any

from prhub_digest.console import UNSEEN
from prhub_digest.render.citations import line_spans
from prhub_digest.render.inline import Inline, source_text
from prhub_digest.render.records import Block, Items, Line, Paragraph, Section, Table, View


def render_json(view: View) -> str:
    """The whole page: sections with their sentences, ids, evidence and links. Not ASCII-escaped; ends in a newline."""
    page = {
        "language": view.language,
        "mode": view.mode,
        "repository": view.repository,
        "web_url": view.web_url,
        "period": dict(view.period),
        "title": view.title,
        **({"mark": asdict(view.mark)} if view.mark else {}),
        "facts": list(view.facts),
        "sections": [_section(section, view) for section in view.sections],
    }
    return escaped(json.dumps(page, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def escaped(text: str) -> str:
    """The same JSON; what a terminal would obey or hide is in JSON's own escapes, the newlines are the layout's."""
    return UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _section(section: Section, view: View) -> dict[str, Any]:
    found: dict[str, Any] = {"key": section.key, "heading": section.heading}
    if section.blocks:
        found["blocks"] = [_block(block, view) for block in section.blocks]
    if section.parts:
        found["parts"] = [_section(part, view) for part in section.parts]
    return found


def _block(block: Block, view: View) -> dict[str, Any]:
    match block:
        case Paragraph():
            return {"kind": "paragraph", "lines": [_line(line, view) for line in block.lines]}
        case Items():
            kind = "ordered" if block.ordered else "items"
            return {"kind": kind, "lines": [_line(line, view) for line in block.lines]}
        case Table():
            return {
                "kind": "table",
                "columns": list(block.columns),
                "rows": [[_cell(cell) for cell in row] for row in block.rows],
            }


def _line(line: Line, view: View) -> dict[str, Any]:
    """`text` is the whole line as it is read; what it is made of stands beside it, as far as there is any."""
    found: dict[str, Any] = {"text": source_text(line_spans(line, view.language))}
    if line.item is not None:
        found |= {"sentence": source_text(line.text) + line.stop, "item": line.item, "origin": line.origin}
    if line.below:
        found["below"] = [_cell(below) for below in line.below]
    if line.data:
        found["data"] = dict(line.data)
    if line.citations:
        found["citations"] = [asdict(citation) for citation in line.citations]
    if line.evidence:
        found["evidence"] = [asdict(evidence) for evidence in line.evidence]
    links = _links((*line.lead, *line.text))
    if links:
        found["links"] = links
    return found


def _cell(cell: Inline) -> dict[str, Any]:
    links = _links(cell)
    return {"text": source_text(cell), **({"links": links} if links else {})}


def _links(spans: Inline) -> list[dict[str, str]]:
    return [{"text": span.text, "url": span.url} for span in spans if span.url is not None]
